"""Tables apart by access key and region, as DynamoDB Local has them: `gramme serve --name-spaces`."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest

import boto3
from botocore.config import Config

import exposition
from encryption import make_key
from server import Server, binary
from test_local import TABLE, Local
from test_reset import done, post
from waiting import wait_until
from wire import HEADERS, JSON, WireTest, call, http_request


def signed(key, region="us-east-1"):
    return {"Authorization": f"AWS4-HMAC-SHA256 Credential={key}/20260101/{region}/dynamodb/aws4_request, SignedHeaders=host, Signature=0"}


def ask(port, key, operation, body=None, region="us-east-1"):
    return call(port, operation, body or {}, signed(key, region))


def tables(port, key, region="us-east-1"):
    return ask(port, key, "ListTables", region=region).json["TableNames"]


def make(port, key, name="table", region="us-east-1"):
    reply = ask(port, key, "CreateTable", {**TABLE, "TableName": name}, region)
    assert reply.status == 200, reply.body
    return reply.json["TableDescription"]["TableArn"]


def put(port, key, item):
    assert ask(port, key, "PutItem", {"TableName": "table", "Item": {"pk": {"S": item}}}).status == 200


def items(port, key):
    return sorted(item["pk"]["S"] for item in ask(port, key, "Scan", {"TableName": "table"}).json["Items"])


def stream_keys(port, key, arn):
    """The keys of all that is in a stream."""
    found = []
    for shard in ask(port, key, "DescribeStream", {"StreamArn": arn}).json["StreamDescription"]["Shards"]:
        place = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        start = ask(port, key, "GetShardIterator", place).json["ShardIterator"]
        found += [record["dynamodb"]["Keys"]["pk"]["S"] for record in ask(port, key, "GetRecords", {"ShardIterator": start}).json["Records"]]
    return found


STREAM = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}


UNOPENED = "InternalServerError: The tables of this access key and region cannot be opened: the server's log tells why"


FULL = "LimitExceededException: This server has 24 name spaces in use, each for an access key in a region, and takes no more: --name-spaces-max allows up to 1000"


class Apart(WireTest):
    server_arguments = ["--memory", "--name-spaces", "--test-reset", "--test-clock", "--threads", "2"]

    def setUp(self):
        done(post(self.server.port, "reset"))

    def test_each_key_and_region_has_its_own(self):
        port = self.server.port
        self.assertEqual(make(port, "one"), "arn:aws:dynamodb:us-east-1:000000000000:table/table")
        self.assertEqual(make(port, "one", region="eu-west-3"), "arn:aws:dynamodb:eu-west-3:000000000000:table/table")
        make(port, "two", "other")
        self.assertEqual((tables(port, "one"), tables(port, "one", "eu-west-3"), tables(port, "two"), tables(port, "three")),
                         (["table"], ["table"], ["other"], []))
        put(port, "one", "a")
        self.assertEqual(ask(port, "one", "Scan", {"TableName": "table"}, "eu-west-3").json["Count"], 0)
        self.assertIn("ResourceNotFoundException", ask(port, "two", "DescribeTable", {"TableName": "table"}).error)
        arn = "arn:aws:dynamodb:eu-west-3:000000000000:table/table"
        self.assertEqual(ask(port, "one", "DescribeTable", {"TableName": arn}, "eu-west-3").status, 200)
        self.assertIn("region", ask(port, "one", "DescribeTable", {"TableName": arn}).error)

    def test_what_goes_with_tables_is_apart_too(self):
        port = self.server.port
        make(port, "one")
        ask(port, "one", "UpdateTable", {"TableName": "table", "StreamSpecification": STREAM})
        ask(port, "one", "CreateBackup", {"TableName": "table", "BackupName": "backup"})
        told = {key: (len(ask(port, key, "ListStreams").json["Streams"]), len(ask(port, key, "ListBackups").json["BackupSummaries"]))
                for key in ("one", "two")}
        self.assertEqual(told, {"one": (1, 1), "two": (0, 0)})
        watch = {key: boto3.client("cloudwatch", endpoint_url=self.server.endpoint, region_name="us-east-1", aws_access_key_id=key,
                                   aws_secret_access_key="x", config=Config(retries={"max_attempts": 0})) for key in ("one", "two")}
        watch["one"].put_metric_data(Namespace="mine", MetricData=[{"MetricName": "metric", "Value": 1}])
        self.assertEqual([len(watch[key].list_metrics(Namespace="mine")["Metrics"]) for key in ("one", "two")], [1, 0])

    def test_metrics_tell_them_apart(self):
        port = self.server.port

        def told():
            return exposition.parse(http_request(port, "GET", "/metrics", {}).body.decode())

        self.assertEqual(told()["gramme_name_spaces", ()], 0)
        make(port, "one")
        make(port, "one", region="eu-west-3")
        make(port, "two", "other")
        for item in "abc":
            put(port, "one", item)
        tables(port, 'three"}')
        samples = told()
        one, west, two = (("name_space", name) for name in ("one_us-east-1", "one_eu-west-3", "two_us-east-1"))
        self.assertEqual(samples["gramme_name_spaces", ()], 4)
        self.assertEqual([samples["gramme_tables", labels] for labels in ((), (one,), (west,), (two,), (("name_space", "three%22%7d_us-east-1"),))],
                         [0, 1, 1, 1, 0])
        self.assertEqual(samples["gramme_table_items", (one, ("table", "table"))], 3)
        self.assertEqual(samples["gramme_table_items", (west, ("table", "table"))], 0)
        self.assertEqual(samples["gramme_consumed_write_units_total", (one, ("table", "table"))], 3)
        self.assertNotIn(("gramme_consumed_write_units_total", (west, ("table", "table"))), samples)
        asked = {labels: value for (name, labels), value in samples.items() if name == "gramme_requests_total"}
        self.assertEqual(asked[one, ("table", "table"), ("operation", "PutItem"), ("code", "ok")], 3)
        self.assertEqual(samples["gramme_commit_group_size_count", ()], 3)
        # Times are of all together, and counted a moment after the reply.
        for operation in ("PutItem", "CreateTable"):
            wait_until(lambda: told()["gramme_request_duration_seconds_count", (("operation", operation),)] == 3, f"times of {operation}")

    def test_each_has_its_own_time(self):
        port = self.server.port

        def now(key, **move):
            method, body = ("POST", json.dumps(move).encode()) if move else ("GET", b"")
            return http_request(port, method, "/_gramme/clock", {**HEADERS, **JSON, **signed(key)}, body).json["Now"]

        moved = now("one", Advance=86400)
        self.assertGreaterEqual(now("one"), moved)
        self.assertLess(now("two"), moved - 80000)

    def test_one_is_reset_and_the_others_stay(self):
        port = self.server.port
        for key in ("one", "two"):
            make(port, key)
        done(post(port, "reset", {"AccessKeyId": "one"}))
        self.assertEqual((tables(port, "one"), tables(port, "two")), ([], ["table"]))
        done(post(port, "reset", {"AccessKeyId": "two", "Region": "eu-west-3"}))
        self.assertEqual(tables(port, "two"), ["table"])
        done(post(port, "reset"))
        self.assertEqual(tables(port, "two"), [])

    def test_a_fork(self):
        """What one prepared is where others begin, each for itself."""
        port = self.server.port
        make(port, "first")
        put(port, "first", "seed")
        done(post(port, "snapshots", {"Name": "seeded", "AccessKeyId": "first"}))
        for key in ("second", "third"):
            done(post(port, "snapshots/seeded/restore", {"AccessKeyId": key}))
            put(port, key, key)
        done(post(port, "snapshots/seeded/restore", {"AccessKeyId": "second", "Region": "eu-west-3"}))
        put(port, "first", "first")
        self.assertEqual({key: items(port, key) for key in ("first", "second", "third")},
                         {"first": ["first", "seed"], "second": ["second", "seed"], "third": ["seed", "third"]})
        described = ask(port, "second", "DescribeTable", {"TableName": "table"}, "eu-west-3").json["Table"]
        self.assertEqual((described["TableArn"], described["ItemCount"]), ("arn:aws:dynamodb:eu-west-3:000000000000:table/table", 1))

    def test_a_snapshot_of_one_that_nobody_has_used(self):
        port = self.server.port
        make(port, "one")
        done(post(port, "snapshots", {"Name": "nothing", "AccessKeyId": "never"}))
        done(post(port, "snapshots/nothing/restore", {"AccessKeyId": "one"}))
        self.assertEqual(tables(port, "one"), [])

    def test_what_it_refuses(self):
        port = self.server.port
        for path, body, message in (
                ("snapshots", {"Name": "name"}, "with --name-spaces the body must have an AccessKeyId"),
                ("snapshots/name/restore", None, "with --name-spaces the body must have an AccessKeyId"),
                ("reset", {"Region": "us-east-1"}, "a Region goes with an AccessKeyId"),
                ("reset", {"Key": "one"}, "the body must be empty, or a JSON object with AccessKeyId and Region"),
                ("reset", {"AccessKeyId": "one", "Region": "Ü"},
                 "an AccessKeyId has 1 to 128 bytes, and a Region 1 to 64 small letters, digits and dashes")):
            reply = post(port, path, body)
            self.assertEqual((reply.status, reply.json["message"]), (400, message), path)
        self.assertEqual(ask(port, "k" * 128, "ListTables").status, 200)
        reply = ask(port, "k" * 129, "ListTables")
        self.assertEqual((reply.status, reply.error), (400, "ValidationException: An access key has at most 128 bytes here"))
        headers = {name: value for name, value in HEADERS.items() if name != "Authorization"}
        reply = http_request(port, "POST", "/", {**headers, "X-Amz-Target": "DynamoDB_20120810.ListTables"}, b"{}")
        self.assertEqual(reply.error.split(":")[0], "MissingAuthenticationTokenException")

    def test_first_requests_at_once(self):
        """Of all that make the same table one does: they are in one database."""
        port = self.server.port
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for number in range(12):
                answers = list(pool.map(lambda _: ask(port, f"key-{number}", "CreateTable", TABLE).status, range(16)))
                self.assertEqual(sorted(answers), [200] + [400] * 15)

    def test_many_at_once(self):
        """Each worker with a key of its own, from its first request on; one of them is reset all the time."""
        port, wrong = self.server.port, []

        def work(number):
            try:
                for turn in range(15):
                    key = f"worker-{number}"
                    make(port, key)
                    put(port, key, f"{number}-{turn}")
                    if items(port, key) != [f"{number}-{turn}"]:
                        wrong.append((number, turn))
                    done(post(port, "reset", {"AccessKeyId": key}))
            except Exception as error:  # told by the main thread
                wrong.append(error)

        workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(wrong, [])


class Room(WireTest):
    """Where more keys come than may have a database at a time."""

    server_arguments = ["--memory", "--name-spaces", "--name-spaces-max", "24", "--test-reset", "--threads", "2"]

    def setUp(self):
        done(post(self.server.port, "reset"))

    def test_there_is_an_end_to_them(self):
        port = self.server.port
        for number in range(24):
            make(port, f"key-{number}")
        for attempt in ("more", "other"):
            reply = ask(port, attempt, "ListTables")
            self.assertEqual((reply.status, reply.error), (400, FULL))
        self.assertEqual(post(port, "snapshots", {"Name": "name", "AccessKeyId": "key-1"}).status, 200)
        self.assertEqual(post(port, "snapshots/name/restore", {"AccessKeyId": "more"}).json["message"], FULL.partition(": ")[2])
        done(post(port, "reset", {"AccessKeyId": "key-3"}))
        make(port, "more")
        self.assertEqual(ask(port, "key-3", "ListTables").error, FULL)
        self.assertEqual(ask(port, "key-5", "DeleteTable", {"TableName": "table"}).status, 200)
        wait_until(lambda: tables(port, "key-5") == [], "the end of a table")
        done(post(port, "snapshots/name/restore", {"AccessKeyId": "key-3"}))
        self.assertEqual([tables(port, key) for key in ("more", "key-3", "key-7")], [["table"]] * 3)
        self.assertEqual(ask(port, "key-5", "ListTables").error, FULL)

    def test_a_key_for_each_of_many_tests(self):
        """What is empty makes room, the one that was not used for the longest time first. What somebody made stays."""
        port = self.server.port
        make(port, "with-table")
        make(port, "with-backup")
        self.assertEqual(ask(port, "with-backup", "CreateBackup", {"TableName": "table", "BackupName": "backup"}).status, 200)
        stream = ask(port, "with-stream", "CreateTable", {**TABLE, "TableName": "table", "StreamSpecification": STREAM}).json["TableDescription"]
        put(port, "with-stream", "a")
        for key in ("with-backup", "with-stream"):
            self.assertEqual(ask(port, key, "DeleteTable", {"TableName": "table"}).status, 200)
        watch, users = (boto3.client(service, endpoint_url=self.server.endpoint, region_name="us-east-1", aws_access_key_id=f"with-{service}",
                                     aws_secret_access_key="x", config=Config(retries={"max_attempts": 0})) for service in ("cloudwatch", "iam"))
        watch.put_metric_alarm(AlarmName="alarm", Namespace="mine", MetricName="metric", Period=60, EvaluationPeriods=1, Threshold=1,
                               Statistic="Sum", ComparisonOperator="GreaterThanThreshold")
        users.create_user(UserName="user")
        for number in range(100):
            make(port, f"key-{number}")
            self.assertEqual(ask(port, f"key-{number}", "DeleteTable", {"TableName": "table"}).status, 200)
        self.assertEqual(tables(port, "with-table"), ["table"])
        self.assertEqual(len(ask(port, "with-backup", "ListBackups").json["BackupSummaries"]), 1)
        self.assertEqual(stream_keys(port, "with-stream", stream["LatestStreamArn"]), ["a"])
        self.assertEqual(len(watch.describe_alarms()["MetricAlarms"]), 1)
        self.assertEqual([user["UserName"] for user in users.list_users()["Users"]], ["user"])


class RoomForFew(WireTest):
    server_arguments = ["--memory", "--name-spaces", "--name-spaces-max", "4", "--threads", "4"]

    def test_a_table_is_never_in_one_that_made_room(self):
        """Twice as many keys as places, asked for by all threads: who was told that there is a table finds it."""
        port = self.server.port

        def make_when_there_is_room(key, name):
            reply = None
            while reply is None or (reply.status == 400 and reply.error.startswith("LimitExceededException")):
                reply = ask(port, key, "CreateTable", {**TABLE, "TableName": name})
            return reply

        def work(number):
            for turn in range(20):
                key, table = f"key-{number}", {"TableName": f"table-{turn}"}
                ask(port, f"key-{(number + turn) % 8}", "ListTables")
                replies = [make_when_there_is_room(key, table["TableName"]), ask(port, key, "DescribeTable", table), ask(port, key, "DeleteTable", table)]
                self.assertEqual([reply.status for reply in replies], [200] * 3, [reply.body for reply in replies])

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))


class OnDisk(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def start(self, *arguments):
        server = Server("--data", str(self.path / "data"), "--name-spaces", *arguments).start()
        self.addCleanup(server.process.kill)
        return server

    def expect_apart(self, port):
        self.assertEqual((items(port, "one"), items(port, "two"), tables(port, "three")), (["a", "b"], ["c"], []))
        self.assertEqual(ask(port, "one", "Scan", {"TableName": "table"}, "eu-west-3").json["Count"], 0)

    def test_they_are_there_after_a_stop_and_a_crash(self):
        server = self.start()
        for key, region in (("one", "us-east-1"), ("one", "eu-west-3"), ("two", "us-east-1")):
            make(server.port, key, region=region)
        for key, item in (("one", "a"), ("one", "b"), ("two", "c")):
            put(server.port, key, item)
        self.expect_apart(server.port)
        server.stop()
        server = self.start()
        self.expect_apart(server.port)
        put(server.port, "two", "d")
        server.kill()
        server = self.start()
        self.assertEqual(items(server.port, "two"), ["c", "d"])
        server.stop()

    def test_each_is_a_data_directory(self):
        server = self.start()
        for key in ("one", "..", "a_b", "a%5fb"):
            make(server.port, key, f"of-{len(key)}")
        server.stop()
        folder = self.path / "data" / "name-spaces"
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["%2e%2e_us-east-1", "a%255fb_us-east-1", "a%5fb_us-east-1", "one_us-east-1"])
        self.assertEqual(sorted(path.name for path in self.path.iterdir()), ["data"])
        with Server("--data", str(folder / "one_us-east-1")) as server:
            self.assertEqual(call(server.port, "ListTables", {}).json["TableNames"], ["of-3"])
        self.assertEqual(subprocess.run([binary(), "check", folder / "a%5fb_us-east-1"], capture_output=True, timeout=60).returncode, 0)

    def test_they_are_encrypted_as_the_rest(self):
        key = self.path / "key"
        key.write_text("ab" * 32)
        key.chmod(0o600)
        server = self.start("--encrypt-with", str(key))
        make(server.port, "one")
        put(server.port, "one", "a-secret-item")
        server.kill()
        for path in (self.path / "data").rglob("*"):
            self.assertFalse(path.is_file() and b"a-secret-item" in path.read_bytes(), path)
        server = self.start("--encrypt-with", str(key))
        self.assertEqual(items(server.port, "one"), ["a-secret-item"])
        server.stop()

    def test_what_commands_leave_out_is_told(self):
        data, key = self.path / "data", make_key(self.path / "key")
        named = data / "name-spaces"
        server = self.start()
        for name in ("one", "two"):
            make(server.port, name)
        server.stop()
        (named / "half_us-east-1/store").mkdir(parents=True)  # a crash came before anything was in it
        (named / "file").touch()

        def run(*arguments, status=0):
            done = subprocess.run([binary(), *map(str, arguments)], text=True, capture_output=True, timeout=60)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            return done.stderr

        left = f"left out: 2 name spaces, which are data directories of their own, below {named}; each by itself: gramme"
        self.assertEqual(run("backup", data, self.path / "backup"), f"gramme: {left} backup {named}/one_us-east-1\n")
        self.assertEqual(run("check", data), f"gramme: {left} check {named}/one_us-east-1\n")
        self.assertEqual(run("check", self.path / "backup"), "")
        for number, name in enumerate(("one_us-east-1", "two_us-east-1")):
            self.assertEqual(run("rekey", data, "--new-key", key, status=1),
                             f"gramme: {named}/{name} is a data directory of its own, of a name space, and is plain: rekey it first\n")
            self.assertEqual(run("rekey", named / name, "--new-key", key), "")
        self.assertEqual(run("rekey", data, "--new-key", key), "")
        server = self.start("--encrypt-with", key)
        self.assertEqual([tables(server.port, name) for name in ("one", "two")], [["table"]] * 2)
        server.stop()
        with Server("--data", data, "--encrypt-with", key) as server:
            self.assertIn(f"2 name spaces in {named} are not served: that takes --name-spaces", server.error_text())

    def test_those_that_were_not_used_for_a_while_are_closed(self):
        server = self.start("--name-spaces-max", "6")

        def ask_until_there_is_room(key):
            """Somebody who comes while all are in use waits for the one that is idle first."""
            wait_until(lambda: ask(server.port, key, "ListTables").status == 200, "room for another")
            return tables(server.port, key)

        for number in range(8):
            self.assertEqual(ask_until_there_is_room(f"key-{number}"), [])
            make(server.port, f"key-{number}")
        told = exposition.parse(http_request(server.port, "GET", "/metrics", {}).body.decode())
        self.assertEqual(told["gramme_name_spaces", ()], 6)
        for key in ("key-0", "key-7", "key-1"):
            self.assertEqual(ask_until_there_is_room(key), ["table"])
        server.stop()

    def test_one_that_is_closed_is_opened_by_many(self):
        """All keys at once, from many threads, while somebody watches: whoever is answered sees the table."""
        server = self.start()
        for number in range(4):
            make(server.port, f"key-{number}")
        server.stop()
        server, heard = self.start("--name-spaces-max", "2"), set()

        def work(number):
            def answered():
                reply = ask(server.port, f"key-{number % 4}", "ListTables")
                heard.add(str(reply.json["TableNames"]) if reply.status == 200 else reply.error)
                return reply.status == 200

            wait_until(answered, "an answer")

        def watch():
            while not done.is_set():
                self.assertEqual(http_request(server.port, "GET", "/metrics", {}).status, 200)

        done = threading.Event()
        with concurrent.futures.ThreadPoolExecutor(9) as pool:
            watching = pool.submit(watch)
            workers = [pool.submit(work, number) for number in range(8)]
            concurrent.futures.wait(workers)
            done.set()
            for each in (watching, *workers):
                each.result()
        self.assertLessEqual(heard, {FULL.replace("24", "2"), "['table']"})
        server.stop()

    def test_one_that_cannot_be_opened_is_an_error_of_its_own(self):
        folder = self.path / "data" / "name-spaces"
        server = self.start()
        make(server.port, "one")
        (folder / "two_us-east-1").write_text("in the way")
        reply = ask(server.port, "two", "ListTables")
        self.assertEqual((reply.status, reply.error), (500, UNOPENED))
        self.assertEqual(ask(server.port, "." * 100, "ListTables").status, 400)
        (folder / "two_us-east-1").unlink()
        self.assertEqual((tables(server.port, "two"), tables(server.port, "one")), ([], ["table"]))
        server.stop()


class SlowOpening(unittest.TestCase):
    """A name space whose opening waits for the test: the file that its data directory begins with is a pipe."""

    FIRST = 20

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = pathlib.Path(folder.name, "data")
        with Server("--data", self.data, "--name-spaces") as server:
            make(server.port, "slow")
        self.marker = self.data / "name-spaces" / "slow_us-east-1" / "GRAMME"
        self.text = self.marker.read_text()
        self.marker.unlink()
        os.mkfifo(self.marker)

    def requests(self, port):
        page = http_request(port, "GET", "/metrics", {}).body.decode()
        return int(re.search(r"^gramme_http_requests_total (\d+)", page, re.M).group(1))

    @contextlib.contextmanager
    def opening(self, threads=2, told=None):
        """First requests of the name space, all under way while the block runs; it opens with what the pipe tells then."""
        with Server("--data", self.data, "--name-spaces", "--threads", str(threads)) as server:
            make(server.port, "open")
            before = self.requests(server.port)
            with concurrent.futures.ThreadPoolExecutor(self.FIRST + 1) as pool:
                pipe = pool.submit(open, self.marker, "w")
                answers = [pool.submit(ask, server.port, "slow", "ListTables") for _ in range(self.FIRST)]
                with pipe.result(60) as pipe:  # the server is at it
                    asked = 0
                    while threads > 1 and self.requests(server.port) - before - asked <= self.FIRST:  # a worker writes that page
                        asked += 1
                    yield server, answers
                    self.assertFalse(any(answer.done() for answer in answers))
                    self.marker.unlink()
                    self.marker.write_text(self.text)
                    pipe.write(told or self.text)

    def test_others_are_answered_meanwhile(self):
        """Also by the one I/O thread that has the requests which wait."""
        with self.opening(threads=1) as (server, answers):
            put(server.port, "open", "a")
            self.assertEqual(items(server.port, "open"), ["a"])
        self.assertEqual([answer.result().json for answer in answers], [{"TableNames": ["table"]}] * self.FIRST)

    def test_others_are_opened_meanwhile(self):
        with self.opening() as (server, answers):
            self.assertEqual([tables(server.port, f"fresh-{number}") for number in range(3)], [[], [], []])
        self.assertEqual([answer.result().json for answer in answers], [{"TableNames": ["table"]}] * self.FIRST)

    def test_all_who_wait_hear_that_it_cannot_be_opened(self):
        with self.opening(told="something else") as (server, answers):
            heard = answers
        self.assertEqual([(answer.result().status, answer.result().error) for answer in heard], [(500, UNOPENED)] * self.FIRST)
        self.assertEqual(server.error_text().count("GRAMME cannot be read"), 1)  # and was tried once
        with Server("--data", self.data, "--name-spaces") as again:
            self.assertEqual(tables(again.port, "slow"), ["table"])

    def test_a_server_that_stops_ends_well(self):
        """With an answer for all that wait, unless a busy machine takes longer for it than the server gives connections."""
        with self.opening() as (server, answers):
            server.process.terminate()
        for answer in answers:
            if answer.exception() is None:
                self.assertEqual(answer.result().json, {"TableNames": ["table"]})
            else:
                self.assertIsInstance(answer.exception(), (OSError, http.client.HTTPException))


class InThePlaceOfLocal(unittest.TestCase):
    def test_unless_they_share(self):
        for arguments, other in (([], []), (["-sharedDb"], ["table"])):
            with tempfile.TemporaryDirectory() as folder:
                for where in (["-inMemory"], ["-dbPath", folder]):
                    with Local(*where, "-port", "0", *arguments) as local:
                        make(local.port, "one")
                        self.assertEqual((tables(local.port, "one"), tables(local.port, "two"), tables(local.port, "one", "eu-west-3")),
                                         (["table"], other, other))


class Without(unittest.TestCase):
    def test_a_plain_server_has_one_set_of_tables(self):
        with Server("--memory", "--test-reset") as server:
            make(server.port, "one")
            self.assertEqual(tables(server.port, "two", "eu-west-3"), ["table"])
            self.assertEqual(post(server.port, "reset", {"AccessKeyId": "one"}).json["message"],
                             "access keys share all tables: the server has no --name-spaces")
