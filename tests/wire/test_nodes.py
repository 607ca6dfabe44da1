"""Clients of several servers on one store talk to any of them: requests are handed on, wait while nobody leads, and happen once."""

import concurrent.futures
import gzip
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import ssl
import tempfile
import threading
import time
import unittest

import nodes
import shared_store
import wire
from nodes import Follower, KEY_SCHEMA, create_table, freeze, gauge, in_threads, keys, metric, post, put, ready
from server import Server
from waiting import WAIT_S, audit_lines, wait_until

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
CLUSTER = shared_store.Cluster()
setUpModule = CLUSTER.begin


def new_store():
    return nodes.new_store(CLUSTER)


def node_port(port):
    return int(ready(port)[1]["leader"].rsplit(":", 1)[1])


def records(port, table):
    """All records of a table's stream, as the server at that port tells them."""
    arn = post(port, "DescribeTable", TableName=table).json["Table"]["LatestStreamArn"]
    found = []
    for shard in post(port, "DescribeStream", StreamArn=arn).json["StreamDescription"]["Shards"]:
        iterator = post(port, "GetShardIterator", StreamArn=arn, ShardId=shard["ShardId"],
                        ShardIteratorType="TRIM_HORIZON").json["ShardIterator"]
        while iterator:
            page = post(port, "GetRecords", ShardIterator=iterator).json
            found += page["Records"]
            iterator = page.get("NextShardIterator") if page["Records"] else None
    return found


class HandingOn(unittest.TestCase):
    """One leader and one follower for all of these."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.audit = pathlib.Path(cls.folder.name, "audit")
        store = new_store()
        cls.leader = Server("--store", store, "--audit", cls.audit).start()
        cls.addClassCleanup(cls.leader.stop)
        cls.follower = Follower("--store", store).start()
        cls.addClassCleanup(cls.follower.stop)
        create_table(cls.follower.port)

    def test_what_two_servers_do_is_as_if_one_did(self):
        """What two servers that knew nothing of each other got wrong: ids of tables, records of streams, counts of items."""
        ports = (self.leader.port, self.follower.port)

        def work(n):
            port = ports[n % 2]
            reply = post(port, "CreateTable", TableName=f"own-{n}", StreamSpecification=STREAM, **KEY_SCHEMA)
            self.assertEqual(reply.status, 200, reply.body)
            for count in range(60):
                for table in (f"own-{n}", "shared"):
                    reply = post(port, "PutItem", TableName=table, Item={"k": {"S": f"{n}-{count}"}})
                    self.assertEqual(reply.status, 200, reply.body)

        self.assertEqual(post(ports[1], "CreateTable", TableName="shared", StreamSpecification=STREAM, **KEY_SCHEMA).status, 200)
        in_threads(4, work)
        ids = set()
        for table, expected in (("shared", 240), *[(f"own-{n}", 60) for n in range(4)]):
            for port in ports:
                described = post(port, "DescribeTable", TableName=table).json["Table"]
                self.assertEqual(described["ItemCount"], expected)
                ids.add((table, described["TableId"]))
                self.assertEqual(post(port, "Scan", TableName=table, Select="COUNT", ConsistentRead=True).json["Count"], expected)
                told = [record["dynamodb"]["Keys"]["k"]["S"] for record in records(port, table)]
                self.assertEqual((len(told), len(set(told))), (expected, expected))
        self.assertEqual(len(ids), 5)
        self.assertEqual(len({number for _, number in ids}), 5)

    def test_the_leader_knows_the_client(self):
        """Its address in the audit log is that of the client, and the id of the request that which the client was told."""
        connection = http.client.HTTPConnection("127.0.0.1", self.follower.port, source_address=("127.0.0.77", 0))
        body = json.dumps({"TableName": "table", "Item": {"k": {"S": "known"}}})
        connection.request("POST", "/", body, {**wire.HEADERS, "X-Amz-Target": wire.target("PutItem")})
        reply = connection.getresponse()
        self.assertEqual(reply.status, 200, reply.read())
        connection.close()
        identity = reply.getheader("x-amzn-RequestId")
        line, = audit_lines(self.audit, 1, lambda line: line.get("requestId") == identity)
        self.assertEqual((line["address"], line["operation"]), ("127.0.0.77", "PutItem"))

    def test_bodies_of_all_forms(self):
        large = {"TableName": "table", "Item": {"k": {"S": "large"}, "v": {"S": "x" * 390_000}}}
        text = json.dumps(large).encode()
        for name, headers, body in (("plain", {}, text), ("packed", {"Content-Encoding": "gzip"}, gzip.compress(text)),
                                    ("chunks", {}, iter([text[:1000], text[1000:200_000], text[200_000:]])),
                                    ("unasked", {"Expect": "100-continue"}, text)):
            with self.subTest(name):
                connection = http.client.HTTPConnection("127.0.0.1", self.follower.port)
                connection.request("POST", "/", body, {**wire.HEADERS, "X-Amz-Target": wire.target("PutItem"), **headers},
                                   encode_chunked=name == "chunks")
                reply = connection.getresponse()
                self.assertEqual(reply.status, 200, reply.read())
                connection.close()
        for headers in ({}, {"Accept-Encoding": "gzip"}):
            reply = wire.call(self.follower.port, "GetItem", {"TableName": "table", "Key": {"k": {"S": "large"}}}, headers)
            self.assertEqual(reply.headers.get("content-encoding"), "gzip" if headers else None)
            body = gzip.decompress(reply.body) if headers else reply.body
            self.assertEqual(json.loads(body)["Item"], large["Item"])

    def test_many_at_once(self):
        def work(n):
            connection = wire.Connection(self.follower.port)
            for count in range(20):
                self.assertEqual(connection.call("PutItem", TableName="table", Item={"k": {"S": f"many-{n}-{count}"}}), {})
            connection.close()

        in_threads(40, work)
        self.assertEqual(len([key for key in keys(self.follower.port) if key.startswith("many-")]), 800)

    def test_other_services(self):
        client = wire.boto3_client(f"http://127.0.0.1:{self.follower.port}", service="cloudwatch")
        client.put_metric_data(Namespace="own", MetricData=[{"MetricName": "m", "Value": 1}])
        self.assertEqual([metric["MetricName"] for metric in client.list_metrics(Namespace="own")["Metrics"]], ["m"])
        for port in (self.leader.port, self.follower.port):
            reply = wire.http_request(port, "POST", "/nothing", {"Content-Type": "application/cbor"}, b"x")
            self.assertEqual((reply.status, reply.body), (404, b"<UnknownOperationException/>\n"))

    def test_who_has_no_secret_is_not_heard(self):
        """Neither by TLS without it nor by plain text; and on the port of clients what servers say is no HTTP."""
        request = (b"RELAYED " + b"A" * 52 + b" 1 10.0.0.1 -\r\nPOST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
                   b"Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n\r\n{}")
        port = node_port(self.leader.port)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", port), 30) as plain, self.assertRaises((ssl.SSLError, OSError)):
            context.wrap_socket(plain)
        for port, first in ((port, b"HTTP/1.1 400 Bad Request"), (self.leader.port, b"HTTP/1.1 400 "), (self.follower.port, b"HTTP/1.1 400 ")):
            with socket.create_connection(("127.0.0.1", port), 30) as plain:
                plain.sendall(request)
                self.assertTrue(plain.recv(1000).startswith(first))

    def test_what_a_follower_tells_of_itself(self):
        page = wire.http_request(self.follower.port, "GET", "/metrics", {}).body.decode()
        for role, holds in (("leading", 0), ("serving", 1), ("waiting", 0)):
            self.assertIn(f'gramme_role{{role="{role}"}} {holds}\n', page)
        self.assertIn("\ngramme_relay_waiting 0\n", page)
        self.assertGreaterEqual(metric(self.follower.port, "relay_answered"), 1)
        self.assertLess(abs(time.time() - gauge(self.follower.port, "store_contact_timestamp_seconds")), WAIT_S)
        self.assertEqual(gauge(self.follower.port, "store_leads_taken_total"), 0)
        self.assertEqual(gauge(self.leader.port, "store_leads_taken_total"), 1)
        self.assertGreaterEqual(int(re.search(r"(?m)^gramme_relay_requests_total (\d+)$", page).group(1)), 1)
        self.assertIn('gramme_role{role="leading"} 1\n', wire.http_request(self.leader.port, "GET", "/metrics", {}).body.decode())
        self.assertEqual(wire.http_request(self.follower.port, "GET", "/_gramme/", {}).status, 200)


class Reading(unittest.TestCase):
    """A server that does not lead reads items itself, and never by tables as they were."""

    @classmethod
    def setUpClass(cls):
        store = new_store()
        cls.leader = Server("--store", store).start()
        cls.addClassCleanup(cls.leader.process.kill)
        cls.follower = Follower("--store", store).start()
        cls.addClassCleanup(cls.follower.stop)
        create_table(cls.leader.port)
        put(cls.leader.port, "a")

        def reads():
            post(cls.follower.port, "GetItem", TableName="table", Key={"k": {"S": "a"}})
            return metric(cls.follower.port, "follower_reads") > 0

        wait_until(reads, "reading")

    def test_a_write_is_seen_at_once(self):
        before = metric(self.follower.port, "follower_reads")
        for count in range(100):
            put(self.leader.port, "seen", str(count))
            reply = post(self.follower.port, "GetItem", TableName="table", Key={"k": {"S": "seen"}}, ConsistentRead=True)
            self.assertEqual(reply.json["Item"]["v"]["S"], str(count))
        self.assertGreater(metric(self.follower.port, "follower_reads"), before + 50)

    def test_tables_are_as_the_leader_has_them(self):
        """Made, changed and deleted there; asked for here at once, by all that reads items."""
        before, anew = metric(self.follower.port, "catalog_reloads"), metric(self.follower.port, "follower_reads_anew")
        key = {"k": {"S": "x"}}
        for count in range(12):
            name = f"short-lived-{count % 2}"
            definition = {**KEY_SCHEMA}
            if count % 3 == 0:
                definition = {"AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "S"}],
                              "KeySchema": KEY_SCHEMA["KeySchema"], "BillingMode": "PAY_PER_REQUEST",
                              "GlobalSecondaryIndexes": [{"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                                                          "Projection": {"ProjectionType": "ALL"}}]}
            self.assertEqual(post(self.leader.port, "CreateTable", TableName=name, **definition).status, 200)
            self.assertEqual(post(self.leader.port, "PutItem", TableName=name, Item={**key, "g": {"S": "y"}, "n": {"N": str(count)}}).status, 200)
            item = post(self.follower.port, "GetItem", TableName=name, Key=key, ConsistentRead=True).json["Item"]
            self.assertEqual(item["n"]["N"], str(count))
            time.sleep(0.05 * (count % 2))  # in which it may be handed on, or not any more
            found = post(self.follower.port, "BatchGetItem", RequestItems={name: {"Keys": [key], "ConsistentRead": True}}).json
            self.assertEqual(found["Responses"][name][0]["n"]["N"], str(count))
            asked = {"IndexName": "by-g", "KeyConditionExpression": "g = :g", "ExpressionAttributeValues": {":g": {"S": "y"}}}
            reply = post(self.follower.port, "Query", TableName=name, **asked)
            self.assertEqual((reply.status, reply.json.get("Count")), (200, 1) if count % 3 == 0 else (400, None))
            self.assertEqual(post(self.follower.port, "Scan", TableName=name, ConsistentRead=True).json["Count"], 1)
            self.assertEqual(post(self.leader.port, "DeleteTable", TableName=name).status, 200)
            reply = post(self.follower.port, "GetItem", TableName=name, Key=key, ConsistentRead=True)
            self.assertEqual((reply.status, reply.error), (400, "ResourceNotFoundException: Requested resource not found"))
        self.assertGreater(metric(self.follower.port, "catalog_reloads"), before)
        self.assertGreater(metric(self.follower.port, "follower_reads_anew"), anew)

    def test_reads_do_not_need_the_leader(self):
        """They go on while it is stopped. Nothing else does."""
        wait_until(lambda: self.reads_itself(), "reading")
        freeze(self.leader)
        try:
            began, before = time.monotonic(), metric(self.follower.port, "relay_requests")
            for _ in range(20):
                self.assertEqual(post(self.follower.port, "GetItem", TableName="table", Key={"k": {"S": "a"}}, ConsistentRead=True).status, 200)
            self.assertEqual(metric(self.follower.port, "relay_requests"), before)
            print(f"# 20 reads in {1000 * (time.monotonic() - began):.0f} ms while the leader was stopped")
        finally:
            os.kill(self.leader.process.pid, signal.SIGCONT)

    def test_whether_it_can_serve(self):
        """Its page asks the leader: one that is stopped is known, and has an address, but does not answer."""
        wait_until(lambda: self.reads_itself(), "reading")
        self.assertNotIn("reason", ready(self.follower.port)[1])
        counted = metric(self.follower.port, "relay_requests")
        os.kill(self.leader.process.pid, signal.SIGSTOP)
        try:
            wait_until(lambda: "reason" in ready(self.follower.port)[1], "noticing")
            status, page = ready(self.follower.port)
            self.assertEqual((status, page["status"], page["role"]), (200, "ready", "serving"))
            self.assertEqual(page["reason"], "no leader answers: items are read, the rest waits")
        finally:
            os.kill(self.leader.process.pid, signal.SIGCONT)
        wait_until(lambda: "reason" not in ready(self.follower.port)[1], "being well again")
        self.assertEqual(metric(self.follower.port, "relay_requests"), counted)

    def reads_itself(self):
        before = metric(self.follower.port, "relay_requests")
        post(self.follower.port, "GetItem", TableName="table", Key={"k": {"S": "a"}})
        return metric(self.follower.port, "relay_requests") == before


class Health(unittest.TestCase):
    def test_one_that_reads_nothing_needs_the_leader(self):
        """With --audit all is handed on: without a leader that answers there is nothing that it could serve."""
        store = new_store()
        with tempfile.TemporaryDirectory() as folder, Server("--store", store) as leader, \
                Follower("--store", store, "--audit", pathlib.Path(folder, "audit")) as follower:
            self.assertEqual(ready(follower.port)[0], 200)
            os.kill(leader.process.pid, signal.SIGSTOP)
            try:
                wait_until(lambda: ready(follower.port)[0] == 503, "noticing")
                status, page = ready(follower.port)
                self.assertEqual((status, page["status"], page["reason"]), (503, "waiting", "no leader answers"))
            finally:
                os.kill(leader.process.pid, signal.SIGCONT)
            wait_until(lambda: ready(follower.port)[0] == 200, "being well again")


class Stopping(unittest.TestCase):
    """Requests whose heads are half sent when a server is asked to stop are answered while it does."""

    PATHS = {"/metrics": b"gramme_role{", "/health/ready": b'"status":"stopping"', "/_localstack/health": b'"status":"stopping"'}

    def stop_while_asked(self, server):
        metrics_port = int(server.arguments[server.arguments.index("--metrics-port") + 1])
        halves = {path: wire.HalfRequest(server.port, path) for path in self.PATHS}
        beside = wire.HalfRequest(metrics_port, "/metrics")
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: not wire.accepts(metrics_port), "closing the port for metrics")
        self.assertIn(self.PATHS["/metrics"], beside.finish())
        wait_until(lambda: not wire.accepts(server.port), "closing the port")
        for path, expected in self.PATHS.items():
            self.assertIn(expected, halves[path].finish(), path)
        server.stop()

    def test_metrics_of_a_follower(self):
        store = new_store()
        with Server("--store", store):
            follower = Follower("--store", store, "--metrics-port", wire.free_port())
            with follower:
                self.stop_while_asked(follower)

    def test_metrics_of_a_leader(self):
        with Server("--store", new_store(), "--metrics-port", wire.free_port()) as leader:
            self.stop_while_asked(leader)


class Signed(unittest.TestCase):
    def test_signatures_are_verified_by_the_leader(self):
        store = new_store()
        with tempfile.TemporaryDirectory() as folder:
            key = pathlib.Path(folder, "key")
            key.write_bytes(os.urandom(32))
            key.chmod(0o600)
            arguments = ("--store", store, "--auth", "--encrypt-with", key)
            with Server(*arguments) as leader, Follower(*arguments) as follower:
                wait_until(lambda: "try" in leader.output, "the start")
                made = dict(re.findall(r"aws_(access_key_id|secret_access_key) = (\S+)", leader.output))
                endpoint = f"http://127.0.0.1:{follower.port}"
                client = wire.boto3_client(endpoint, made["access_key_id"], secret=made["secret_access_key"])
                client.create_table(TableName="table", **KEY_SCHEMA)
                client.put_item(TableName="table", Item={"k": {"S": "a"}})
                self.assertEqual(client.list_tables()["TableNames"], ["table"])
                wrong = wire.boto3_client(endpoint, made["access_key_id"], secret="wrong")
                with self.assertRaises(client.exceptions.ClientError) as caught:
                    wrong.list_tables()
                self.assertEqual(caught.exception.response["Error"]["Code"], "InvalidSignatureException")


class Counter:
    """The state of one counter. Only its client raises it, by one, on the condition that it has the value that the client knows.

    Each attempt leaves its name in the item. One without an answer is in doubt: it may have happened, or not, or may yet, since
    the commit of a server that was killed may still be on its way to PostgreSQL when the next read is answered. Once the next
    leader has answered it cannot happen any more. So the value is what was known, or that of an attempt in doubt, and nothing else."""

    def __init__(self, name):
        self.name, self.value, self.last = name, 0, None
        self.attempts, self.doubtful = 0, set()

    def attempt(self):
        self.attempts += 1
        return f"attempt {self.attempts}"

    def acknowledged(self, attempt):
        self.value, self.last, self.doubtful = self.value + 1, attempt, set()

    def found(self, value, last):
        """A read. One attempt that was in doubt may have happened, and then no other."""
        if value == self.value + 1 and last in self.doubtful:
            self.acknowledged(last)
        elif (value, last) != (self.value, self.last):
            raise AssertionError(f"{self.name} was {self.value} by {self.last}, in doubt is {self.doubtful}, and it is {value} by {last}")

    def refused(self, attempt, value, last):
        """The condition did not hold, and a read after that: one in doubt has happened, and it is not this one."""
        before = self.value
        self.found(value, last)
        if self.value == before:
            raise AssertionError(f"{self.name} is {value} by {last}, and {attempt} was refused")


class Counters:
    """Clients, each with a counter of its own. They talk to any server that is there."""

    def __init__(self, ports, count=6):
        self.ports, self.rng = list(ports), random.Random(1)
        self.counters = [Counter(f"counter-{n}") for n in range(count)]
        self.doubts, self.failures = 0, []
        self.ends = False
        self.threads = [threading.Thread(target=self.guarded, args=(counter,)) for counter in self.counters]
        for thread in self.threads:
            thread.start()

    @property
    def done(self):
        return [counter.value for counter in self.counters]

    def ask(self, operation, **body):
        try:
            return post(self.rng.choice(self.ports), operation, TableName="table", **body)
        except (OSError, http.client.HTTPException):
            return None

    def read(self, counter):
        """Its value, and the attempt that it is by; None: it is the end."""
        while not self.ends:
            reply = self.ask("GetItem", Key={"k": {"S": counter.name}}, ConsistentRead=True)
            if reply is not None and reply.status == 200:
                return value_of(reply)
            time.sleep(0.01)
        return None

    def step(self, counter):
        attempt = counter.attempt()
        values = {":n": {"N": str(counter.value + 1)}, ":a": {"S": attempt}}
        condition = "attribute_not_exists(n)"
        if counter.last:
            condition = "n = :o AND a = :l"
            values |= {":o": {"N": str(counter.value)}, ":l": {"S": counter.last}}
        reply = self.ask("UpdateItem", Key={"k": {"S": counter.name}}, UpdateExpression="SET n = :n, a = :a",
                         ConditionExpression=condition, ExpressionAttributeValues=values)
        status = None if reply is None else reply.status
        if status == 200:
            counter.acknowledged(attempt)
        elif status == 400:
            found = self.read(counter)
            if found:
                counter.refused(attempt, *found)
        elif status != 503:  # which says that it did not happen
            counter.doubtful.add(attempt)
            self.doubts += 1
            found = self.read(counter)
            if found:
                counter.found(*found)

    def guarded(self, counter):
        try:
            while not self.ends:
                self.step(counter)
        except Exception as error:
            self.failures.append(error)

    def end(self):
        self.ends = True
        for thread in self.threads:
            thread.join()
        if self.failures:
            raise self.failures[0]

    def wait_for(self, more):
        """Until each has got on by so many."""
        goal = [count + more for count in self.done]
        wait_until(lambda: self.failures or all(count >= least for count, least in zip(self.done, goal)), "counting")


def value_of(reply):
    item = reply.json.get("Item")
    return (int(item["n"]["N"]), item["a"]["S"]) if item else (0, None)


class Counting(unittest.TestCase):
    """The judge of the counters notices what may not be, and only that."""

    def counter(self):
        counter = Counter("counter")
        counter.acknowledged(counter.attempt())
        return counter

    def test_what_is_in_doubt_may_happen_after_a_read(self):
        counter = self.counter()
        late = counter.attempt()
        counter.doubtful.add(late)
        counter.found(1, "attempt 1")
        counter.refused(counter.attempt(), 2, late)
        self.assertEqual((counter.value, counter.last), (2, late))

    def test_what_was_acknowledged_is_there(self):
        counter = self.counter()
        for value, last in ((0, None), (1, "attempt 0")):
            with self.assertRaises(AssertionError):
                counter.found(value, last)

    def test_what_happened_was_not_refused(self):
        """It ran twice: the second time its condition does not hold, since it happened the first time."""
        counter = self.counter()
        attempt = counter.attempt()
        with self.assertRaises(AssertionError):
            counter.refused(attempt, 2, attempt)
        with self.assertRaises(AssertionError):
            counter.refused(attempt, 1, "attempt 1")

    def test_what_is_in_doubt_does_not_happen_after_a_later_attempt(self):
        counter = self.counter()
        late = counter.attempt()
        counter.doubtful.add(late)
        counter.acknowledged(counter.attempt())
        with self.assertRaises(AssertionError):
            counter.found(2, late)


class Failover(unittest.TestCase):
    def start(self, kind, store):
        server = kind("--store", store).start()
        self.addCleanup(server.process.kill)
        return server

    def check(self, port, counters):
        for counter in counters.counters:
            counter.found(*value_of(post(port, "GetItem", TableName="table", Key={"k": {"S": counter.name}}, ConsistentRead=True)))
        self.assertEqual(post(port, "DescribeTable", TableName="table").json["Table"]["ItemCount"], len(counters.counters))

    def test_leaders_are_killed(self):
        store = new_store()
        servers = [self.start(Server, store), self.start(Follower, store), self.start(Follower, store)]
        create_table(servers[1].port)
        counters = Counters([server.port for server in servers[1:]])
        try:
            for _ in range(3):
                counters.wait_for(10)
                leader = next(server for server in servers if ready(server.port)[1]["role"] == "leading")
                servers.remove(leader)
                counters.ports = [server.port for server in servers]
                leader.kill()
                counters.wait_for(5)
                servers.append(self.start(Follower, store))
                counters.ports = [server.port for server in servers]
            counters.wait_for(5)
        finally:
            counters.end()
        self.check(servers[0].port, counters)
        print(f"# {sum(counters.done)} increments over 3 kills of the leader, {counters.doubts} in doubt, none lost, none twice")
        for server in servers:
            server.stop()

    def test_leaders_end_well(self):
        """Nobody is left in doubt, or refused, by a leader that is asked to end."""
        store = new_store()
        servers = [self.start(Server, store), self.start(Follower, store), self.start(Follower, store)]
        create_table(servers[1].port)
        counters = Counters([servers[2].port])
        try:
            for server in servers[:2]:
                counters.wait_for(20)
                wait_until(lambda: ready(server.port)[1]["role"] == "leading" or ready(servers[2].port)[1]["role"] == "leading", "leading")
                if ready(server.port)[1]["role"] == "leading":
                    server.stop()
                counters.wait_for(10)
        finally:
            counters.end()
        self.assertEqual(counters.doubts, 0)
        self.check(servers[2].port, counters)

    def test_a_leader_is_stopped_for_a_while(self):
        """What reads waits, and goes on; what writes and was on its way is in doubt; nothing that the old leader still does counts."""
        store = new_store()
        leader, follower, third = self.start(Server, store), self.start(Follower, store), self.start(Follower, store)
        create_table(follower.port)
        counters = Counters([follower.port, third.port])
        try:
            counters.wait_for(10)
            freeze(leader)
            read = post(third.port, "GetItem", TableName="table", Key={"k": {"S": "counter-0"}}, ConsistentRead=True)
            self.assertEqual(read.status, 200, read.body)
            counters.wait_for(10)
            os.kill(leader.process.pid, signal.SIGCONT)
            self.assertEqual(leader.process.wait(30), 1)
            counters.wait_for(5)
        finally:
            counters.end()
        self.check(third.port, counters)
        print(f"# {sum(counters.done)} increments over a leader that was stopped, {counters.doubts} in doubt")
        for server in (follower, third):
            server.stop()

    def test_a_write_in_doubt_may_happen_after_a_read(self):
        """Its commit is with PostgreSQL when the leader is killed, and waits there: a read that comes in between does not see it."""
        store = new_store()
        leader, follower = self.start(Server, store), self.start(Follower, store)
        create_table(leader.port)
        put(leader.port, "a", "before")

        def value():
            return post(follower.port, "GetItem", TableName="table", Key={"k": {"S": "a"}}, ConsistentRead=True).json["Item"]["v"]["S"]

        wait_until(lambda: value() == "before" and metric(follower.port, "follower_reads") > 0, "reading")
        waiting = "SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'gramme_items'::regclass"
        with shared_store.Locked(store, "gramme_items"), concurrent.futures.ThreadPoolExecutor(1) as clients:
            write = clients.submit(put, follower.port, "a", "after")
            wait_until(lambda: shared_store.ask(store, waiting), "a commit that waits")
            leader.kill()
            self.assertEqual(write.result().status, 500)
            self.assertEqual(value(), "before")
        wait_until(lambda: value() == "after", "the commit")
        follower.wait_for_lead()
        self.assertEqual(value(), "after")
        follower.stop()

    def test_a_transaction_with_a_token_happens_once(self):
        store = new_store()
        leader, follower, third = self.start(Server, store), self.start(Follower, store), self.start(Follower, store)
        create_table(follower.port)
        statuses, ends = [], threading.Event()

        def transact():
            count = 0
            while not ends.is_set():
                update = {"TableName": "table", "Key": {"k": {"S": "sum"}}, "UpdateExpression": "ADD n :one",
                          "ExpressionAttributeValues": {":one": {"N": "1"}}}
                reply = post(follower.port if count % 2 else third.port, "TransactWriteItems", TransactItems=[{"Update": update}],
                             ClientRequestToken=f"token-{count}")
                statuses.append(reply.status)
                count += 1

        thread = threading.Thread(target=transact)
        thread.start()
        try:
            wait_until(lambda: len(statuses) > 20, "writing")
            leader.kill()
            before = len(statuses)
            wait_until(lambda: len(statuses) > before + 20, "writing again")
        finally:
            ends.set()
            thread.join()
        self.assertEqual(set(statuses), {200})
        item = post(third.port, "GetItem", TableName="table", Key={"k": {"S": "sum"}}, ConsistentRead=True).json["Item"]
        self.assertEqual(int(item["n"]["N"]), len(statuses))
        for server in (follower, third):
            server.stop()

    def test_who_waits_for_an_answer_does_not_keep_a_server_from_ending(self):
        store = new_store()
        leader, follower = self.start(Server, store), self.start(Follower, store)
        create_table(follower.port)
        freeze(leader)
        handed_on, statuses = metric(follower.port, "relay_requests"), []

        def ask(operation, **body):
            try:
                statuses.append(post(follower.port, operation, **body).status)
            except (OSError, http.client.HTTPException):
                statuses.append(None)

        threads = [threading.Thread(target=ask, args=("ListTables",)),
                   threading.Thread(target=ask, args=("DeleteTable",), kwargs={"TableName": "table"})]
        for thread in threads:
            thread.start()
        wait_until(lambda: metric(follower.port, "relay_requests") == handed_on + len(threads), "handing on")
        follower.process.send_signal(signal.SIGTERM)
        self.assertEqual(follower.process.wait(30), 0)
        for thread in threads:
            thread.join()
        self.assertNotIn(200, statuses)


if __name__ == "__main__":
    unittest.main()
