"""A server that tests reset, and bring back to what they have prepared: `gramme serve --memory --test-reset`."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

from readme import blocks
from server import ROOT, Server, binary
from waiting import wait_until
from wire import JSON, Connection, WireTest, boto3_client, call, clock, http_request

KEYS = {"BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
INDEX = {"IndexName": "by-kind", "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}


def post(port, path, body=None, headers=JSON):
    return http_request(port, "POST", f"/_gramme/{path}", headers, b"" if body is None else json.dumps(body).encode())


def done(reply):
    assert (reply.status, reply.body) == (200, b"{}\n"), reply.body


def reset(port):
    done(post(port, "reset"))


def keep(port, name):
    done(post(port, "snapshots", {"Name": name}))


def restore(port, name):
    done(post(port, f"snapshots/{name}/restore"))


def names(port):
    return [entry["Name"] for entry in http_request(port, "GET", "/_gramme/snapshots", {}).json["Snapshots"]]


class Reset(WireTest):
    server_arguments = ["--memory", "--test-reset", "--test-clock", "--test-faults", "--threads", "2"]

    def setUp(self):
        reset(self.server.port)
        for name in names(self.server.port):
            done(http_request(self.server.port, "DELETE", f"/_gramme/snapshots/{name}", {}))

    def make(self, name="table", **settings):
        attributes = ["pk"] + (["kind"] if "GlobalSecondaryIndexes" in settings else [])
        self.client.create_table(TableName=name, **KEYS, **settings,
                                 AttributeDefinitions=[{"AttributeName": a, "AttributeType": "S"} for a in attributes])
        wait_until(lambda: self.client.describe_table(TableName=name)["Table"]["TableStatus"] == "ACTIVE")

    def put(self, *keys, table="table", **more):
        for key in keys:
            self.client.put_item(TableName=table, Item={"pk": {"S": key}, **more})

    def keys(self, table="table", **parameters):
        return sorted(item["pk"]["S"] for item in self.client.scan(TableName=table, **parameters)["Items"])

    def service(self, name):
        client = boto3_client(self.server.endpoint, service=name)
        self.addCleanup(client.close)
        return client

    # ---- reset ----

    def test_everything_is_gone(self):
        port, cloudwatch, iam = self.server.port, self.service("cloudwatch"), self.service("iam")
        self.make(StreamSpecification=STREAM)
        call(port, "UpdateTable", {"TableName": "table", "DeletionProtectionEnabled": True})
        self.client.update_continuous_backups(TableName="table", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        self.client.create_backup(TableName="table", BackupName="backup")
        self.put("a")
        write = [{"Put": {"TableName": "table", "Item": {"pk": {"S": "b"}}}}]
        self.client.transact_write_items(ClientRequestToken="token", TransactItems=write)
        cloudwatch.put_metric_data(Namespace="mine", MetricData=[{"MetricName": "metric", "Value": 1}])
        iam.create_user(UserName="somebody")
        http_request(port, "POST", "/_gramme/faults", JSON, b'{"Operation": "PutItem", "Error": "ThrottlingException", "Count": 9}')
        moved = clock(port, Advance=86400).json["Now"]
        reset(port)
        self.assertEqual(self.client.list_tables()["TableNames"], [])
        self.assertEqual(self.client.list_backups()["BackupSummaries"], [])
        self.assertEqual(call(port, "ListStreams", {}).json["Streams"], [])
        self.assertEqual(cloudwatch.list_metrics(Namespace="mine")["Metrics"], [])
        self.assertEqual(iam.list_users()["Users"], [])
        self.assertLess(clock(port).json["Now"], moved - 80000)
        self.make()
        self.assertEqual(self.keys(), [])
        self.client.transact_write_items(ClientRequestToken="token", TransactItems=write)  # nobody has used it
        self.put("c")  # nothing goes wrong
        self.assertEqual(self.keys(), ["b", "c"])

    def test_what_was_counted_begins_anew(self):
        self.make()
        self.put("a")
        page = http_request(self.server.port, "GET", "/metrics", {}).body
        self.assertIn(b'operation="PutItem"', page)
        reset(self.server.port)
        page = http_request(self.server.port, "GET", "/metrics", {}).body
        self.assertNotIn(b'operation="PutItem"', page)
        self.assertIn(b"gramme_tables 0", page)

    def test_streams_of_before_are_not_found(self):
        self.make(StreamSpecification=STREAM)
        self.put("a")
        arn = self.client.describe_table(TableName="table")["Table"]["LatestStreamArn"]
        streams = self.service("dynamodbstreams")
        shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
        iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        reset(self.server.port)
        self.assertEqual(call(self.server.port, "GetRecords", {"ShardIterator": iterator}).json["__type"].split("#")[1],
                         "ResourceNotFoundException")
        self.make(StreamSpecification=STREAM)  # another one of the name has a stream of its own
        self.assertNotEqual(self.client.describe_table(TableName="table")["Table"]["LatestStreamArn"], arn)

    # ---- snapshots ----

    def test_back_to_what_was_prepared(self):
        port = self.server.port
        self.make(GlobalSecondaryIndexes=[INDEX])
        self.put("a", "b", kind={"S": "letter"})
        keep(port, "letters")
        for _ in range(3):
            self.put("c", kind={"S": "letter"})
            self.client.delete_item(TableName="table", Key={"pk": {"S": "a"}})
            self.make("other")
            self.assertEqual(self.keys(IndexName="by-kind"), ["b", "c"])
            restore(port, "letters")
            self.assertEqual((self.keys(), self.keys(IndexName="by-kind")), (["a", "b"], ["a", "b"]))
            self.assertEqual(self.client.list_tables()["TableNames"], ["table"])
        self.client.delete_table(TableName="table")
        restore(port, "letters")
        self.assertEqual(self.keys(), ["a", "b"])
        described = self.client.describe_table(TableName="table")["Table"]
        self.assertEqual((described["ItemCount"], described["GlobalSecondaryIndexes"][0]["ItemCount"]), (2, 2))

    def test_snapshots_outlive_a_reset_and_each_other(self):
        port = self.server.port
        self.make()
        for number in range(4):
            self.put(str(number))
            keep(port, f"s-{number}")
        reset(port)
        self.assertEqual(names(port), ["s-0", "s-1", "s-2", "s-3"])
        for number in (3, 0, 2):
            restore(port, f"s-{number}")
            self.assertEqual(self.keys(), [str(n) for n in range(number + 1)])
        self.put("more")
        keep(port, "s-1")  # another state under the name of one that is there
        done(http_request(port, "DELETE", "/_gramme/snapshots/s-2", {}))
        reset(port)
        restore(port, "s-1")
        self.assertEqual((self.keys(), sorted(names(port))), (["0", "1", "2", "more"], ["s-0", "s-1", "s-3"]))

    def test_a_stream_goes_on(self):
        self.make(StreamSpecification=STREAM)
        self.put("a")
        arn = self.client.describe_table(TableName="table")["Table"]["LatestStreamArn"]
        streams = self.service("dynamodbstreams")

        def seen(iterator):
            page = streams.get_records(ShardIterator=iterator)
            return [record["dynamodb"]["Keys"]["pk"]["S"] for record in page["Records"]], page.get("NextShardIterator")

        shards = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        first = [streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
                 for shard in shards]
        keep(self.server.port, "stream")
        self.put("lost")
        after = [seen(iterator) for iterator in first]
        self.assertEqual(sorted(key for keys, _ in after for key in keys), ["a", "lost"])
        restore(self.server.port, "stream")
        self.put("b", "c")
        self.assertEqual(sorted(key for _, iterator in after for key in seen(iterator)[0]), ["b", "c"])
        self.assertEqual(sorted(key for iterator in first for key in seen(iterator)[0]), ["a", "b", "c"])

    def test_what_expires_expires_again(self):
        port = self.server.port
        self.make()
        self.client.update_time_to_live(TableName="table", TimeToLiveSpecification={"Enabled": True, "AttributeName": "until"})
        now = int(clock(port).json["Now"])
        self.put("early", until={"N": str(now + 3600)})
        self.put("late", until={"N": str(now + 864000)})
        keep(port, "both")
        for _ in range(2):
            clock(port, Advance=86400)
            wait_until(lambda: self.keys() == ["late"])
            restore(port, "both")
            self.assertEqual(self.keys(), ["early", "late"])

    def test_an_index_that_is_being_filled_is_filled(self):
        self.make()
        for start in range(0, 1000, 25):
            self.client.batch_write_item(RequestItems={"table": [
                {"PutRequest": {"Item": {"pk": {"S": str(start + i)}, "kind": {"S": "n"}, "text": {"S": "x" * 500}}}} for i in range(25)]})
        self.client.update_table(TableName="table", AttributeDefinitions=[{"AttributeName": a, "AttributeType": "S"} for a in ("pk", "kind")],
                                 GlobalSecondaryIndexUpdates=[{"Create": INDEX}])
        keep(self.server.port, "filling")
        restore(self.server.port, "filling")
        wait_until(lambda: self.client.describe_table(TableName="table")["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE")
        counted = self.client.query(TableName="table", IndexName="by-kind", Select="COUNT", KeyConditionExpression="kind = :n",
                                    ExpressionAttributeValues={":n": {"S": "n"}})
        self.assertEqual(counted["Count"], 1000)

    def test_users_are_kept_too(self):
        iam = self.service("iam")
        iam.create_user(UserName="kept")
        key = iam.create_access_key(UserName="kept")["AccessKey"]["AccessKeyId"]
        keep(self.server.port, "users")
        reset(self.server.port)
        restore(self.server.port, "users")
        self.assertEqual([entry["AccessKeyId"] for entry in iam.list_access_keys(UserName="kept")["AccessKeyMetadata"]], [key])

    # ---- under load ----

    def test_each_request_is_before_or_after(self):
        """Writers, readers of all there is and makers of tables, while the server is reset and restored again and again. Whatever
        they hear is one of the two states' answers, and what is answered after a reset is what was written after it."""
        port, ended, wrong = self.server.port, threading.Event(), []
        self.make()
        self.put(*(f"prepared-{number}" for number in range(30)))
        keep(port, "prepared")

        def work(number):
            connection = Connection(port)
            try:
                for turn in range(1000000):
                    if ended.is_set():
                        return
                    answers = [connection.call("PutItem", TableName="table", Item={"pk": {"S": f"{number}-{turn}"}, "text": {"S": "x" * 2000}}),
                               connection.call("Scan", TableName="table", ConsistentRead=True),
                               connection.call("CreateTable", TableName=f"more-{number}", **KEYS,
                                               AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])]
                    wrong.extend(a for a in answers if a.get("error") not in (None, "ResourceNotFoundException", "ResourceInUseException"))
            except Exception as error:  # told by the main thread
                wrong.append(error)
            finally:
                connection.close()

        workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for worker in workers:
            worker.start()
        for turn in range(25):
            reset(port)
            self.assertNotIn("table", self.client.list_tables()["TableNames"])
            restore(port, "prepared")
            found = [key for key in self.keys(ConsistentRead=True) if key.startswith("prepared-")]
            self.assertEqual(len(found), 30)
        ended.set()
        for worker in workers:
            worker.join()
        self.assertEqual(wrong, [])

    # ---- who may ----

    def test_what_it_refuses(self):
        port = self.server.port
        expected = "the body must be a JSON object with a Name"
        form = "a Name is 1 to 64 letters, digits, dots, dashes and underscores, and not . or .."
        for body, message in ((None, expected), ([], expected), ({}, expected), ({"Name": 1}, expected), ({"Name": "a", "Age": 1}, expected),
                              ({"Name": ""}, form), ({"Name": "a/b"}, form), ({"Name": "é"}, form), ({"Name": "."}, form), ({"Name": ".."}, form), ({"Name": "x" * 65}, form)):
            reply = post(port, "snapshots", body)
            self.assertEqual((reply.status, reply.json["message"]), (400, message), body)
        self.assertEqual(post(port, "snapshots/none/restore").json["message"], "there is no snapshot none")
        self.assertEqual(http_request(port, "DELETE", "/_gramme/snapshots/none", {}).json["message"], "there is no snapshot none")
        for method, path in (("GET", "reset"), ("DELETE", "snapshots"), ("POST", "snapshots/"), ("POST", "snapshots/a"),
                             ("GET", "snapshots/a/restore"), ("POST", "snapshots/a%20b/restore"), ("POST", "snapshotsx")):
            self.assertEqual(http_request(port, method, f"/_gramme/{path}", JSON).status, 404, path)

    def test_there_is_an_end_to_snapshots(self):
        for number in range(100):
            keep(self.server.port, f"s{number}")
        self.assertEqual(post(self.server.port, "snapshots", {"Name": "more"}).json["message"],
                         "there are 100 snapshots already, and no more may be kept")
        keep(self.server.port, "s7")  # in the place of another

    def test_pages_do_not_reach_it(self):
        port = self.server.port
        self.make()
        keep(port, "kept")
        own = {**JSON, "Host": "localhost:8000"}
        for headers, status in (({**own, "Origin": "https://page.example"}, 403), ({**own, "Origin": "null"}, 403),
                                ({**own, "Host": "rebound.example"}, 403), ({}, 415), ({"Content-Type": "text/plain"}, 415)):
            for path in ("reset", "snapshots/kept/restore"):
                self.assertEqual(post(port, path, headers=headers).status, status)
        page = {"Host": "localhost:8000", "Origin": "https://page.example"}
        self.assertEqual(http_request(port, "DELETE", "/_gramme/snapshots/kept", page).status, 403)
        self.assertEqual((self.client.list_tables()["TableNames"], names(port)), (["table"], ["kept"]))
        self.assertEqual(post(port, "reset", headers={**own, "Origin": "http://localhost:8000"}).status, 200)  # its own


class Example(WireTest):
    server_arguments = ["--memory", "--test-reset"]

    @unittest.skipUnless(shutil.which("go"), "needs Go")
    def test_that_for_go(self):
        [text] = blocks((ROOT / "docs/TESTING.md").read_text(), "go")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "music_test.go").write_text(text)
            said = subprocess.run(["go", "test", "-count=1", "-v", "."], cwd=folder, text=True, capture_output=True, timeout=300, env={
                **os.environ, "GO111MODULE": "off", "GOFLAGS": "-buildvcs=false", "AWS_ENDPOINT_URL_DYNAMODB": self.server.endpoint})
        self.assertEqual((said.returncode, said.stdout.count("--- PASS")), (0, 4), said.stdout + said.stderr)


class Without(unittest.TestCase):
    def test_it_is_not_there_unless_it_is_asked_for(self):
        with Server("--memory") as server:
            self.assertEqual(post(server.port, "reset").status, 404)

    def test_it_is_not_for_data(self):
        with tempfile.TemporaryDirectory() as folder:
            for arguments, message in ((["--data", f"{folder}/data"], "--test-reset is for servers that keep nothing: it wants --memory"),
                                       (["--memory", "--auth"], "--test-reset and --auth exclude each other")):
                said = subprocess.run([binary(), "serve", "--port", "0", "--test-reset", *arguments], text=True, capture_output=True, timeout=60)
                self.assertEqual((said.returncode, said.stderr), (2, f"gramme serve: {message}; see gramme serve --help\n"))
