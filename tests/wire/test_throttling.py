"""`gramme serve --throttle` as clients see it: boto3's own retries, many at once, hot keys, restarts. The exact answers are in
tests/data/wire/throttling.txt, random sequences in tests/model/test_throttle_model.py."""

import tempfile
import threading

import boto3
from botocore.config import Config

import signing
from server import Server
from waiting import wait_until
from wire import ACCOUNT, REGION, WireTest, call, clock, http_request

ARN = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/"


def units(read, write):
    return {"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write}}


def put(port, table, pk, **more):
    return call(port, "PutItem", {"TableName": table, "Item": {"pk": {"S": pk}, **more}})


class StandingStill(WireTest):
    server_arguments = ["--memory", "--throttle", "--test-clock"]

    def setUp(self):
        super().setUp()
        clock(self.server.port, Running=False, Advance=2)  # what keys used before counts no more

    def count_done(self, operation, body, most):
        done = 0
        while done < most and call(self.server.port, operation, body(done)).status == 200:
            done += 1
        return done

    def test_the_banner_says_so(self):
        self.assertIn("  throttling  as provisioned, with a burst of 300 s\n", self.server.output)

    def test_boto3_knows_the_error(self):
        self.create(**units(5, 5))
        for i in range(5):
            self.client.put_item(TableName="table", Item={"pk": {"S": str(i)}})
        with self.assertRaises(self.client.exceptions.ProvisionedThroughputExceededException) as caught:
            self.client.put_item(TableName="table", Item={"pk": {"S": "6"}})
        # A botocore from before August 2025 does not know of reasons.
        self.assertIn(caught.exception.response.get("ThrottlingReasons"),
                      (None, [{"reason": "TableWriteProvisionedThroughputExceeded", "resource": ARN + "table"}]))

    def test_a_burst_of_what_was_not_used(self):
        self.create(**units(5, 5))
        item = lambda i: {"TableName": "table", "Item": {"pk": {"S": str(i)}}}
        self.assertEqual(self.count_done("PutItem", item, 10), 5)
        self.advance(60)
        self.assertEqual(self.count_done("PutItem", item, 400), 300)
        self.advance(1000)
        self.assertEqual(self.count_done("PutItem", item, 2000), 1500)

    def test_many_at_once_are_let_in_as_if_one_by_one(self):
        self.create(**units(5, 5))
        statuses = []
        threads = [threading.Thread(target=lambda i=i: statuses.append(put(self.server.port, "table", str(i)).status))
                   for i in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((statuses.count(200), statuses.count(400)), (5, 35))
        self.advance(60)
        self.assertEqual(self.client.scan(TableName="table", Select="COUNT")["Count"], 5)

    def test_a_hot_key_while_others_go_on(self):
        """1,000 writes a second of one key, of tables on demand and provisioned."""
        self.create("demand", range="sk:N")
        self.create("units", range="sk:N", **units(5, 30000))
        for table, error, reasons in (("demand", "ThrottlingException", "throttlingReasons"),
                                      ("units", "ProvisionedThroughputExceededException", "ThrottlingReasons")):
            for i in range(0, 1000, 25):
                self.assertEqual(self.batch(table, "hot", i), {})
            refused = put(self.server.port, table, "hot", sk={"N": "1000"})
            self.assertEqual((refused.status, refused.error.split(":")[0]), (400, error))
            self.assertEqual(refused.json[reasons], [{"reason": "TableWriteKeyRangeThroughputExceeded", "resource": ARN + table}])
            self.assertEqual(put(self.server.port, table, "cold", sk={"N": "1"}).status, 200)
            self.advance(0.01)
            self.assertEqual(put(self.server.port, table, "hot", sk={"N": "1000"}).status, 200)

    def batch(self, table, pk, first):
        requests = [{"PutRequest": {"Item": {"pk": {"S": pk}, "sk": {"N": str(first + i)}}}} for i in range(25)]
        return self.client.batch_write_item(RequestItems={table: requests})["UnprocessedItems"]

    def test_a_hot_key_of_an_index_refuses_writes_of_cold_keys(self):
        self.client.create_table(
            TableName="table", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "state")],
            GlobalSecondaryIndexes=[{"IndexName": "by-state", "Projection": {"ProjectionType": "KEYS_ONLY"},
                                     "KeySchema": [{"AttributeName": "state", "KeyType": "HASH"}]}])
        for first in range(0, 1000, 25):
            requests = [{"PutRequest": {"Item": {"pk": {"S": str(first + i)}, "state": {"S": "new"}}}} for i in range(25)]
            self.assertEqual(self.client.batch_write_item(RequestItems={"table": requests})["UnprocessedItems"], {})
        refused = put(self.server.port, "table", "another", state={"S": "new"})
        self.assertEqual(refused.json["throttlingReasons"],
                         [{"reason": "IndexWriteKeyRangeThroughputExceeded", "resource": ARN + "table/index/by-state"}])
        self.assertEqual(put(self.server.port, "table", "another", state={"S": "old"}).status, 200)

    def test_a_failed_condition_is_paid_for(self):
        self.create(**units(5, 2))
        self.assertEqual(put(self.server.port, "table", "1").status, 200)
        again = {"TableName": "table", "Item": {"pk": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(pk)"}
        self.assertEqual(call(self.server.port, "PutItem", again).error.split(":")[0], "ConditionalCheckFailedException")
        self.assertEqual(call(self.server.port, "PutItem", again).error.split(":")[0], "ProvisionedThroughputExceededException")

    def test_large_pages_are_paid_for_afterwards(self):
        self.create(**units(1, 1000))
        for i in range(10):
            self.assertEqual(put(self.server.port, "table", str(i), s={"S": "x" * 40000}).status, 200)
        taken = self.client.scan(TableName="table", ConsistentRead=True, Select="COUNT", ReturnConsumedCapacity="TOTAL")
        cost = taken["ConsumedCapacity"]["CapacityUnits"]
        self.assertGreater(cost, 90)
        self.advance(cost - 0.001)
        read = {"TableName": "table", "Key": {"pk": {"S": "0"}}, "ConsistentRead": True}
        self.assertEqual(call(self.server.port, "GetItem", read).status, 400)
        self.advance(0.001)
        self.assertEqual(call(self.server.port, "GetItem", read).status, 200)

    def test_it_is_counted(self):
        """A batch that is done in part has events and is no throttled request."""
        self.create("counted", **units(1, 3))
        self.batch_of("counted", 5)
        self.assertEqual(put(self.server.port, "counted", "1").status, 400)
        page = http_request(self.server.port, "GET", "/metrics", {}).body.decode().splitlines()
        self.assertEqual([line for line in page if line.startswith("gramme_throttled") and '"counted"' in line], [
            'gramme_throttled_total{table="counted",reason="WriteProvisionedThroughputExceeded"} 3',
            'gramme_throttled_requests_total{table="counted",operation="PutItem"} 1'])

    def batch_of(self, table, count):
        requests = [{"PutRequest": {"Item": {"pk": {"S": str(i)}}}} for i in range(count)]
        self.client.batch_write_item(RequestItems={table: requests})

    def test_a_table_made_again_begins_anew(self):
        self.create(**units(1, 1))
        self.assertEqual([put(self.server.port, "table", "1").status for _ in range(2)], [200, 400])
        self.client.delete_table(TableName="table")
        self.create(**units(1, 1))
        self.assertEqual([put(self.server.port, "table", "1").status for _ in range(2)], [200, 400])

    def test_expiry_takes_no_units(self):
        self.create(**units(1000, 10))
        self.client.update_time_to_live(TableName="table", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
        now = clock(self.server.port).json["Now"]
        for i in range(10):
            self.assertEqual(put(self.server.port, "table", str(i), ends={"N": str(int(now) + 10)}).status, 200)
        self.advance(0.1)
        self.assertEqual(put(self.server.port, "table", "last").status, 200)
        self.assertEqual(put(self.server.port, "table", "last").status, 400)
        clock(self.server.port, Running=True)
        self.advance(11)
        wait_until(lambda: self.client.scan(TableName="table", Select="COUNT")["Count"] == 1, "the expired to go")
        clock(self.server.port, Running=False)
        self.assertEqual(put(self.server.port, "table", "last").status, 200)


class WithoutBursts(WireTest):
    server_arguments = ["--memory", "--throttle", "--burst", "1", "--test-clock"]

    def test_boto3_gets_through(self):
        """Its own retries, as applications have them: 4 writes at one a second, by a clock that each attempt moves by half a second."""
        clock(self.server.port, Running=False)
        self.create(**units(5, 1))
        client = boto3.client("dynamodb", endpoint_url=self.server.endpoint, region_name=REGION,
                              aws_access_key_id=signing.KEY[0], aws_secret_access_key=signing.KEY[1],
                              config=Config(retries={"mode": "legacy"}))
        client.meta.events.register("before-send.dynamodb.PutItem", lambda **_: self.advance(0.5) and None)
        retries = [client.put_item(TableName="table", Item={"pk": {"S": str(i)}})["ResponseMetadata"]["RetryAttempts"] for i in range(4)]
        client.close()
        self.assertEqual(retries, [0, 1, 1, 1])
        clock(self.server.port, Running=True)

    def test_nothing_is_kept_beyond_the_burst(self):
        clock(self.server.port, Running=False)
        self.create(**units(5, 2))
        self.advance(60)
        self.assertEqual([put(self.server.port, "table", str(i)).status for i in range(4)], [200, 200, 400, 400])
        clock(self.server.port, Running=True)


class Restarting(WireTest):
    def test_a_restart_begins_with_one_second(self):
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--data", folder, "--throttle", "--test-clock"]
            with Server(*arguments) as server:
                clock(server.port, Running=False)
                call(server.port, "CreateTable", {"TableName": "table", **units(1, 2),
                     "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                     "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]})
                self.assertEqual([put(server.port, "table", "1").status for _ in range(3)], [200, 200, 400])
                clock(server.port, Advance=100000)
            with Server(*arguments) as server:
                clock(server.port, Running=False)
                self.assertEqual([put(server.port, "table", "1").status for _ in range(3)], [200, 200, 400])
                clock(server.port, Advance=5)
                self.assertEqual([put(server.port, "table", "1").status for _ in range(11)], [200] * 10 + [400])
            with Server("--data", folder) as server:
                self.assertEqual([put(server.port, "table", "1").status for _ in range(5)], [200] * 5)
