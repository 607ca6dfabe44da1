"""Faults that tests of clients ask for: what waits, what loses its connection, and what boto3 makes of it. The exact answers are
in tests/data/wire/faults.txt."""

import http.client
import json
import subprocess
import tempfile
import threading
import time

import boto3
from botocore.config import Config
from botocore.exceptions import ConnectionClosedError

import shell
from readme import ADDRESS, blocks
from server import ROOT
from waiting import wait_until
from wire import HEADERS, JSON, REGION, WireTest, call, http_connection, http_request, target


class FaultTest(WireTest):
    server_arguments = ["--memory", "--test-faults"]

    def setUp(self):
        super().setUp()
        http_request(self.server.port, "DELETE", "/_gramme/faults", {})
        self.create()

    def fault(self, **fault):
        reply = http_request(self.server.port, "POST", "/_gramme/faults", JSON, json.dumps(fault).encode())
        self.assertEqual(reply.status, 200, reply.body)

    def fired(self):
        return [fault["Fired"] for fault in http_request(self.server.port, "GET", "/_gramme/faults", {}).json["Faults"]]

    def retrying(self, attempts):
        client = boto3.client("dynamodb", endpoint_url=self.server.endpoint, region_name=REGION,
                              aws_access_key_id="test", aws_secret_access_key="test",
                              config=Config(retries={"mode": "standard", "total_max_attempts": attempts}))
        self.addCleanup(client.close)
        return client

    def item(self, pk):
        return call(self.server.port, "GetItem", {"TableName": "table", "Key": {"pk": {"S": pk}}}).json.get("Item")

    def put(self, pk):
        return call(self.server.port, "PutItem", {"TableName": "table", "Item": {"pk": {"S": pk}}})


class Faults(FaultTest):
    def test_exactly_three_failures(self):
        self.fault(Operation="PutItem", Table="table", Error="ThrottlingException", Count=3)
        reply = self.retrying(4).put_item(TableName="table", Item={"pk": {"S": "1"}})
        self.assertEqual(reply["ResponseMetadata"]["RetryAttempts"], 3)
        self.assertEqual(self.fired(), [3])
        self.fault(Operation="PutItem", Error="InternalServerError", Count=3)
        client = self.retrying(3)
        with self.assertRaises(client.exceptions.InternalServerError):
            client.put_item(TableName="table", Item={"pk": {"S": "2"}})
        self.assertEqual(self.fired(), [3, 3])
        self.assertIsNone(self.item("2"))
        metrics = http_request(self.server.port, "GET", "/metrics", {}).body.decode()
        self.assertIn('gramme_requests_total{table="table",operation="PutItem",code="InternalServerError"} 3\n', metrics)

    def test_threads_share_the_count(self):
        self.fault(Operation="PutItem", Error="ThrottlingException", Count=25)
        statuses = []
        threads = [threading.Thread(target=lambda i=i: statuses.append(self.put(str(i)).status)) for i in range(60)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((statuses.count(400), statuses.count(200)), (25, 35))

    def test_a_delay(self):
        for when in ("Before", "After"):
            self.fault(Operation="PutItem", DelayMs=300, When=when)
            began = time.monotonic()
            self.assertEqual(self.put(when).status, 200)
            self.assertGreaterEqual(time.monotonic() - began, 0.3)
            self.assertIsNotNone(self.item(when))

    def drop(self, **fault):
        """A dropped connection, with a request behind the one that loses it."""
        self.fault(Operation="PutItem", Drop=True, **fault)
        connection = http_connection(self.server.port)
        body = json.dumps({"TableName": "table", "Item": {"pk": {"S": "1"}}}).encode()
        connection.request("POST", "/", body, {**HEADERS, "X-Amz-Target": target("PutItem")})
        with self.assertRaises((http.client.RemoteDisconnected, ConnectionResetError)):
            connection.getresponse()
        connection.close()

    def test_a_connection_lost_before_the_effect(self):
        self.drop()
        self.assertIsNone(self.item("1"))

    def test_a_connection_lost_after_the_effect(self):
        self.drop(When="After")
        self.assertEqual(self.item("1"), {"pk": {"S": "1"}})

    def test_a_connection_lost_after_a_while(self):
        began = time.monotonic()
        self.drop(When="After", DelayMs=300)
        self.assertGreaterEqual(time.monotonic() - began, 0.3)

    def test_a_read_on_a_worker_is_lost_too(self):
        for i in range(0, 300, 25):
            self.client.batch_write_item(RequestItems={"table": [
                {"PutRequest": {"Item": {"pk": {"S": str(i + k)}}}} for k in range(25)]})
        self.fault(Operation="Scan", Drop=True, When="After", DelayMs=50)
        with self.assertRaises(ConnectionClosedError):
            self.client.scan(TableName="table")
        self.assertEqual(self.client.scan(TableName="table", Select="COUNT")["Count"], 300)

    def test_a_token_makes_a_lost_answer_harmless(self):
        """What a client does that repeats a transaction of which it heard nothing."""
        add = [{"Update": {"TableName": "table", "Key": {"pk": {"S": "sum"}}, "UpdateExpression": "ADD n :one",
                           "ExpressionAttributeValues": {":one": {"N": "1"}}}}]
        self.fault(Operation="TransactWriteItems", Drop=True, When="After")
        reply = self.retrying(3).transact_write_items(TransactItems=add, ClientRequestToken="only")
        self.assertEqual(reply["ResponseMetadata"]["RetryAttempts"], 1)
        self.assertEqual(self.item("sum"), {"pk": {"S": "sum"}, "n": {"N": "1"}})
        self.fault(Operation="UpdateItem", Drop=True, When="After")
        self.retrying(3).update_item(TableName="table", Key={"pk": {"S": "sum"}}, UpdateExpression="ADD n :one",
                                     ExpressionAttributeValues={":one": {"N": "1"}})
        self.assertEqual(self.item("sum")["n"], {"N": "3"})

    def test_the_example_of_the_manual(self):
        self.create("accounts", hash="id:S")
        program, = blocks((ROOT / "docs/THROTTLING.md").read_text(), "python")
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(["/usr/bin/python3", "-c", program.replace(ADDRESS, self.server.endpoint)], text=True,
                                    capture_output=True, timeout=60, env=shell.environment(folder))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.fired(), [1])

    def test_the_list_is_bounded(self):
        for _ in range(100):
            self.fault(Table="nowhere", Drop=True)
        full = http_request(self.server.port, "POST", "/_gramme/faults", JSON, b'{"Drop": true}')
        self.assertEqual((full.status, full.json), (400, {"message": "at most 100 faults"}))
        self.assertEqual(self.fired(), [0] * 100)
        http_request(self.server.port, "DELETE", "/_gramme/faults", {})
        for i in range(150):
            self.fault(Operation="PutItem", Error="InternalServerError")
            self.assertEqual(self.put(str(i)).status, 500)
        self.assertEqual(self.fired(), [1] * 100)


class Delays(FaultTest):
    """Requests that wait for a minute, unless the server stops: then they go on at once."""

    @classmethod
    def setUpClass(cls):
        pass  # A server for each test.

    @classmethod
    def tearDownClass(cls):
        pass

    def setUp(self):
        super().setUpClass()
        self.addCleanup(self.client.close)
        self.addCleanup(lambda: self.server.process.poll() is None and self.server.stop())
        super().setUp()

    def put_delayed(self, count=1, **fault):
        """The threads that wait for so many, and the statuses that they get, which are none yet."""
        self.fault(Operation="PutItem", DelayMs=60000, Count=count, **fault)
        statuses = []
        threads = [threading.Thread(target=lambda i=i: statuses.append(self.put(str(i)).status)) for i in range(count)]
        for thread in threads:
            thread.start()
        wait_until(lambda: self.fired() == [count], "delays")
        return threads, statuses

    def stop(self, threads):
        began = time.monotonic()
        self.server.stop()
        for thread in threads:
            thread.join()
        self.assertLess(time.monotonic() - began, 45)

    def test_a_delay_holds_up_nobody_else(self):
        """More of them than there are I/O threads, and a request in between."""
        threads, statuses = self.put_delayed(16)
        self.assertIsNone(self.item("1"))
        self.assertEqual(statuses, [])
        self.stop(threads)
        self.assertEqual(statuses, [200] * 16)

    def test_a_delay_after_the_effect(self):
        threads, statuses = self.put_delayed(When="After", Error="InternalServerError")
        wait_until(lambda: self.item("0"), "the effect")
        self.assertEqual(statuses, [])
        self.stop(threads)
        self.assertEqual(statuses, [500])


class WithoutTheOption(WireTest):
    def test_there_is_no_such_path(self):
        for method in ("GET", "POST", "DELETE"):
            self.assertEqual(http_request(self.server.port, method, "/_gramme/faults", JSON, b"{}").status, 404)
