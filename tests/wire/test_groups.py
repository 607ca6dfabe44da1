"""Several servers write to one store, each in groups of keys of its own: nothing is lost or counted twice, whoever dies."""

import http.client
import os
import pathlib
import random
import re
import signal
import tempfile
import threading
import time
import unittest
import unittest.mock

import nodes
import shared_store
import wire
from nodes import Follower, KEY_SCHEMA, create_table, freeze, gauge, gramme, in_threads, keys, post, put
from server import Server, binary
from waiting import WAIT_S, wait_until

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
ADD_INDEX = {"AttributeDefinitions": [*KEY_SCHEMA["AttributeDefinitions"], {"AttributeName": "g", "AttributeType": "S"}],
             "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "by-g", "Projection": {"ProjectionType": "ALL"},
                                                         "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}}]}
CLUSTER = shared_store.Cluster()
setUpModule = CLUSTER.begin


def new_store(groups=4):
    return nodes.new_store(CLUSTER, "--groups", str(groups))


def share_of(server):
    """Which groups it writes, as it told last."""
    told = re.findall(r"this server writes groups (\d+) to (\d+) of (\d+)", server.error_text())
    return tuple(map(int, told[-1])) if told else None


def count_of(port, table):
    return post(port, "DescribeTable", TableName=table).json["Table"]["ItemCount"]


def tables(port):
    found, start = set(), {}
    while True:
        page = post(port, "ListTables", **start).json
        found |= set(page["TableNames"])
        if "LastEvaluatedTableName" not in page:
            return found
        start = {"ExclusiveStartTableName": page["LastEvaluatedTableName"]}


class Stream:
    """What a table's stream has had since, by iterators of one kind."""

    def __init__(self, port, table, kind):
        self.port = port
        arn = post(port, "DescribeTable", TableName=table).json["Table"]["LatestStreamArn"]
        shards = post(port, "DescribeStream", StreamArn=arn).json["StreamDescription"]["Shards"]
        self.iterators = [post(port, "GetShardIterator", StreamArn=arn, ShardId=shard["ShardId"],
                               ShardIteratorType=kind).json["ShardIterator"] for shard in shards]
        self.records = []

    def read(self):
        for at, iterator in enumerate(self.iterators):
            while True:
                page = post(self.port, "GetRecords", ShardIterator=iterator).json
                self.records += page["Records"]
                iterator = page["NextShardIterator"]
                if not page["Records"]:
                    break
            self.iterators[at] = iterator
        return self.records


class Two(unittest.TestCase):
    """A leader and another that writes beside it, for all of these."""

    @classmethod
    def setUpClass(cls):
        cls.store = new_store()
        cls.leader = Server("--store", cls.store).start()
        cls.addClassCleanup(cls.leader.stop)
        cls.member = Follower("--store", cls.store).start()
        cls.addClassCleanup(cls.member.stop)
        cls.ports = (cls.leader.port, cls.member.port)
        wait_until(lambda: share_of(cls.leader) == (1, 2, 4) and share_of(cls.member) == (3, 4, 4), "halves for both")

    def ok(self, reply):
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json

    def test_what_two_servers_write_is_as_if_one_did(self):
        """The two-node experiment: items, records of streams and counts, where both write."""
        self.ok(post(self.ports[1], "CreateTable", TableName="shared", StreamSpecification=STREAM, **KEY_SCHEMA))
        latest = Stream(self.ports[0], "shared", "LATEST")

        def work(n):
            port = self.ports[n % 2]
            for count in range(50):
                self.ok(post(port, "PutItem", TableName="shared", Item={"k": {"S": f"{n}-{count}"}}))
            for count in range(0, 50, 5):
                self.ok(post(port, "DeleteItem", TableName="shared", Key={"k": {"S": f"{(n + 1) % 4}-{count}"}}))

        in_threads(4, work)
        for count in range(0, 50, 5):
            for n in range(4):
                self.ok(post(self.ports[n % 2], "DeleteItem", TableName="shared", Key={"k": {"S": f"{n}-{count}"}}))
        for port in self.ports:
            self.assertEqual(post(port, "Scan", TableName="shared", Select="COUNT", ConsistentRead=True).json["Count"], 160)
            wait_until(lambda port=port: count_of(port, "shared") == 160, "the right count")
        whole = Stream(self.ports[1], "shared", "TRIM_HORIZON")
        for stream in (latest, whole):
            alive, numbers = {}, []
            for record in stream.read():
                change = record["dynamodb"]
                key = change["Keys"]["k"]["S"]
                numbers.append(change["SequenceNumber"])
                self.assertEqual(alive.get(key, False), record["eventName"] != "INSERT", record)
                alive[key] = record["eventName"] != "REMOVE"
            self.assertEqual(sum(alive.values()), 160)
            self.assertEqual(len(alive), 200)
            self.assertEqual(len(set(numbers)), len(numbers))

    def test_counters_lose_nothing(self):
        create_table(self.ports[0])

        def work(n):
            for count in range(40):
                self.ok(post(self.ports[(n + count) % 2], "UpdateItem", TableName="table", Key={"k": {"S": f"c{count % 8}"}},
                             UpdateExpression="ADD v :one", ExpressionAttributeValues={":one": {"N": "1"}}))

        in_threads(6, work)
        for n in range(8):
            item = post(self.ports[n % 2], "GetItem", TableName="table", Key={"k": {"S": f"c{n}"}}, ConsistentRead=True).json["Item"]
            self.assertEqual(item["v"]["N"], "30")
        batch = [{"PutRequest": {"Item": {"k": {"S": f"b{n}"}}}} for n in range(25)]
        for port in self.ports:
            self.assertEqual(self.ok(post(port, "BatchWriteItem", RequestItems={"table": batch}))["UnprocessedItems"], {})
        wait_until(lambda: count_of(self.ports[0], "table") == 33, "the right count")

    def test_transactions_conserve_money(self):
        self.ok(post(self.ports[0], "CreateTable", TableName="money", **KEY_SCHEMA))
        for n in range(12):
            self.ok(post(self.ports[n % 2], "PutItem", TableName="money", Item={"k": {"S": f"a{n}"}, "v": {"N": "100"}}))

        def change(key, by, condition=None):
            update = {"TableName": "money", "Key": {"k": {"S": key}}, "UpdateExpression": "ADD v :by",
                      "ExpressionAttributeValues": {":by": {"N": str(by)}}}
            if condition:
                update |= {"ConditionExpression": "v >= :least"}
                update["ExpressionAttributeValues"][":least"] = {"N": str(-by)}
            return update

        def work(n):
            rng = random.Random(n)
            for count in range(25):
                port = self.ports[(n + count) % 2]
                if n == 0:  # beside them, in groups of their own
                    self.ok(post(port, "UpdateItem", **change(f"a{count % 12}", 1)))
                    continue
                one, other = rng.sample(range(12), 2)
                reply = post(port, "TransactWriteItems", TransactItems=[{"Update": change(f"a{one}", -30, True)},
                                                                        {"Update": change(f"a{other}", 30)}])
                if reply.status != 200:
                    self.assertIn(b"ConditionalCheckFailed", reply.body)

        in_threads(4, work)
        for port in self.ports:
            items = self.ok(post(port, "Scan", TableName="money", ConsistentRead=True))["Items"]
            self.assertEqual(sum(int(item["v"]["N"]) for item in items), 12 * 100 + 25)
            self.assertTrue(all(int(item["v"]["N"]) >= 0 for item in items))

    def test_changes_of_tables_are_seen_by_all_who_write(self):
        """An index that is added while both write has every item; a table that was deleted takes nothing."""
        definition = {**KEY_SCHEMA, "TableName": "changed"}
        self.ok(post(self.ports[1], "CreateTable", **definition))
        ended, written = threading.Event(), [0]

        def add_index():
            self.ok(post(self.ports[1], "UpdateTable", TableName="changed", **ADD_INDEX))
            wait_until(lambda: post(self.ports[0], "DescribeTable", TableName="changed").json["Table"]["GlobalSecondaryIndexes"][0]
                       ["IndexStatus"] == "ACTIVE", "the index")

        def work(n):
            if n == 0:
                wait_until(lambda: written[0] > 100, "writes")
                try:
                    add_index()
                    reached = written[0] + 100
                    wait_until(lambda: written[0] > reached, "more writes")
                finally:
                    ended.set()
                return
            count = 0
            while not ended.is_set():
                self.ok(post(self.ports[n % 2], "PutItem", TableName="changed",
                             Item={"k": {"S": f"{n}-{count % 100}"}, "g": {"S": f"g{count % 3}"}}))
                count += 1
                written[0] += 1

        in_threads(5, work)
        items = self.ok(post(self.ports[1], "Scan", TableName="changed", ConsistentRead=True))["Items"]
        found = []
        for group in range(3):
            found += self.ok(post(self.ports[0], "Query", TableName="changed", IndexName="by-g", KeyConditionExpression="g = :g",
                                  ExpressionAttributeValues={":g": {"S": f"g{group}"}}))["Items"]
        self.assertEqual(sorted(item["k"]["S"] for item in found), sorted(item["k"]["S"] for item in items))
        for port in self.ports * 2:
            self.ok(post(self.ports[0], "DeleteTable", TableName="changed"))
            for n in range(8):
                reply = post(port, "PutItem", TableName="changed", Item={"k": {"S": str(n)}})
                self.assertIn(b"ResourceNotFound", reply.body)
            self.ok(post(self.ports[0], "CreateTable", **definition))
            for n in range(8):
                self.ok(post(port, "PutItem", TableName="changed", Item={"k": {"S": str(n)}}))
            wait_until(lambda: count_of(self.ports[0], "changed") == 8, "the right count")

    def test_tables_go_while_all_write(self):
        """What waits for its turn when its table goes is refused, or went before."""
        self.ok(post(self.ports[0], "CreateTable", TableName="gone", **KEY_SCHEMA))
        ended = threading.Event()

        def work(n):
            if n == 0:
                try:
                    for round in range(10):
                        self.ok(post(self.ports[round % 2], "DeleteTable", TableName="gone"))
                        self.ok(post(self.ports[0], "CreateTable", TableName="gone", **KEY_SCHEMA))
                finally:
                    ended.set()
                return
            count = 0
            while not ended.is_set():
                reply = post(self.ports[n % 2], "PutItem", TableName="gone", Item={"k": {"S": f"{n}-{count}"}})
                if reply.status != 200:
                    self.assertIn(b"ResourceNotFound", reply.body)
                count += 1

        in_threads(9, work)
        for port in self.ports:
            self.ok(post(port, "PutItem", TableName="gone", Item={"k": {"S": "after"}}))

    def test_what_expires_is_deleted_and_what_was_there_is_restored(self):
        """By who leads, whoever wrote it."""
        self.ok(post(self.ports[1], "CreateTable", TableName="kept", StreamSpecification=STREAM, **KEY_SCHEMA))
        self.ok(post(self.ports[0], "UpdateTimeToLive", TableName="kept",
                     TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"}))
        self.ok(post(self.ports[1], "UpdateContinuousBackups", TableName="kept",
                     PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}))
        past = {"N": str(int(time.time()) - 60)}
        for n in range(16):
            self.ok(post(self.ports[n % 2], "PutItem", TableName="kept", Item={"k": {"S": f"e{n}"}, "ttl": past}))
            self.ok(post(self.ports[n % 2], "PutItem", TableName="kept", Item={"k": {"S": f"k{n}"}}))
        wait_until(lambda: post(self.ports[1], "Scan", TableName="kept", ConsistentRead=True).json["Count"] == 16, "the expired to go")
        wait_until(lambda: count_of(self.ports[1], "kept") == 16, "the right count")
        removed = [record for record in Stream(self.ports[0], "kept", "TRIM_HORIZON").read() if record["eventName"] == "REMOVE"]
        self.assertEqual(sorted(record["dynamodb"]["Keys"]["k"]["S"] for record in removed), sorted(f"e{n}" for n in range(16)))
        self.ok(post(self.ports[1], "RestoreTableToPointInTime", SourceTableName="kept", TargetTableName="restored",
                     UseLatestRestorableTime=True))
        for n in range(16):  # after that moment
            self.ok(post(self.ports[n % 2], "PutItem", TableName="kept", Item={"k": {"S": f"later{n}"}}))
        wait_until(lambda: post(self.ports[0], "DescribeTable", TableName="restored").json["Table"]["TableStatus"] == "ACTIVE", "the restore")
        items = self.ok(post(self.ports[1], "Scan", TableName="restored", ConsistentRead=True))["Items"]
        self.assertEqual(sorted(item["k"]["S"] for item in items), sorted(f"k{n}" for n in range(16)))


LOOKUPS = pathlib.Path(binary()).parent / "tests/wire/held_lookups.so"


@unittest.skipUnless(LOOKUPS.exists(), "needs the shim of a checking build")
class Names(unittest.TestCase):
    """Servers that know each other by name, and a name server that does not answer for as long as a test says."""

    def setUp(self):
        self.store = new_store()
        self.held = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()), "held")
        self.addCleanup(self.held.unlink, missing_ok=True)

    def start(self, kind):
        slow = {"LD_PRELOAD": str(LOOKUPS), "GRAMME_LOOKUPS_HELD": str(self.held),
                "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        with unittest.mock.patch.dict(os.environ, slow):
            server = kind("--store", self.store, "--node", "localhost:0").start()
        self.addCleanup(end, server)
        return server

    def lease(self):
        return shared_store.ask(self.store, "SELECT seq FROM gramme_version WHERE grp = 2001")

    def hold(self):
        for waited in self.held.parent.iterdir():
            waited.unlink()
        self.held.touch()

    def wait_for_lookups(self, *servers):
        wait_until(lambda: all(pathlib.Path(f"{self.held}.{server.process.pid}").exists() for server in servers), "lookups that wait")

    def wait_for_changes(self, look, what):
        for _ in range(3):
            before = look()
            wait_until(lambda: look() != before, what)

    def test_a_name_server_that_does_not_answer_costs_nobody_its_place(self):
        """Neither the leader nor who writes beside it: both go on saying that they are there."""
        leader, member = self.start(Server), self.start(Follower)
        wait_until(lambda: share_of(leader) == (1, 2, 4) and share_of(member) == (3, 4, 4), "halves for both")
        create_table(leader.port)
        self.hold()
        with Follower("--store", self.store, "--node", "localhost:0") as third:
            self.wait_for_lookups(leader, member)
            self.wait_for_changes(lambda: gauge(leader.port, "store_contact_timestamp_seconds"), "keeping the lead")
            self.wait_for_changes(self.lease, "keeping the lease")
            self.held.unlink()
            for server in (leader, member, third):
                for count in range(16):
                    self.assertEqual(put(server.port, f"{server.port}-{count}").status, 200)
            self.assertEqual(len(keys(leader.port)), 48)

    def test_servers_end_though_a_name_server_does_not_answer(self):
        leader, member = self.start(Server), self.start(Follower)
        wait_until(lambda: share_of(leader) == (1, 2, 4) and share_of(member) == (3, 4, 4), "halves for both")
        self.hold()
        with Follower("--store", self.store, "--node", "localhost:0"):
            self.wait_for_lookups(leader, member)
            member.stop()
            leader.stop()


def end(server):
    if server.process.returncode is None:
        server.stop()


class Dying(unittest.TestCase):

    def setUp(self):
        store = new_store()
        self.leader = Server("--store", store).start()
        self.addCleanup(end, self.leader)
        self.member = Follower("--store", store).start()
        self.addCleanup(end, self.member)
        wait_until(lambda: share_of(self.leader) == (1, 2, 4) and share_of(self.member) == (3, 4, 4), "halves for both")
        create_table(self.leader.port)
        self.acknowledged, self.stop = set(), threading.Event()
        self.addCleanup(self.stop.set)

    def write(self, ports):
        """Until it is told to stop; what fails is not counted, and tried elsewhere."""
        def work(n):
            count = 0
            while not self.stop.is_set():
                key = f"{n}-{count}"
                try:
                    done = put(ports[(n + count) % len(ports)], key).status == 200
                except OSError:
                    done = False
                if done:
                    self.acknowledged.add(key)
                count += 1

        self.writer = threading.Thread(target=in_threads, args=(6, work))
        self.writer.start()

    def until_more(self, more):
        reached = len(self.acknowledged) + more
        wait_until(lambda: len(self.acknowledged) >= reached, "writes that go on")

    def expect_all(self, port):
        self.stop.set()
        self.writer.join()
        found = keys(port)
        self.assertEqual(self.acknowledged - found, set())
        wait_until(lambda: count_of(port, "table") == len(found), "the right count")

    def test_the_member_is_killed(self):
        self.write((self.leader.port, self.member.port))
        self.until_more(100)
        self.member.kill()
        wait_until(lambda: share_of(self.leader) == (1, 4, 4), "the leader to have all")
        self.until_more(100)
        self.expect_all(self.leader.port)

    def test_the_leader_is_killed(self):
        self.write((self.leader.port, self.member.port))
        self.until_more(100)
        self.leader.kill()
        self.member.wait_for_lead()
        wait_until(lambda: share_of(self.member) == (1, 4, 4), "the other one to have all")
        self.until_more(100)
        self.expect_all(self.member.port)

    def change_tables(self, n):
        """Creates tables with an item, adds an index to each and deletes every other one, until self.stop."""
        port = self.member.port

        def done(operation, **body):
            reply = post(port, operation, **body)
            if reply.status == 400:  # its index is being created
                self.assertIn((operation, reply.json["__type"].rpartition("#")[2]), [("DeleteTable", "ResourceInUseException")])
            return reply.status == 200

        count = 0
        while not self.stop.is_set():
            name = f"t{n}-{count}"
            count += 1
            if not done("CreateTable", TableName=name, **KEY_SCHEMA):
                continue
            self.there.add(name)
            done("PutItem", TableName=name, Item={"k": {"S": name}, "g": {"S": "g"}})
            done("UpdateTable", TableName=name, **ADD_INDEX)
            if count % 2:
                self.there.discard(name)
                if done("DeleteTable", TableName=name):
                    self.gone.add(name)

    def look_at_metrics(self, ports):
        """Scrapes the metrics, which list these tables, until self.stop."""
        while not self.stop.is_set():
            for port in ports:
                try:
                    wire.http_request(port, "GET", "/metrics", {})
                except (OSError, http.client.HTTPException):
                    self.assertEqual(port, self.leader.port)  # only the killed server may fail

    def test_the_leader_is_killed_while_tables_change(self):
        """The job threads/groups runs this under ThreadSanitizer, too."""
        ports = (self.leader.port, self.member.port)
        self.there, self.gone = set(), set()
        self.write(ports)

        def until_more_tables(more):
            reached = len(self.gone) + more
            wait_until(lambda: len(self.gone) >= reached, "tables that come and go")

        def kill():
            try:
                until_more_tables(5)
                self.leader.kill()
                self.member.wait_for_lead()
                until_more_tables(5)
                self.until_more(50)
            finally:
                self.stop.set()

        work = [kill, lambda: self.look_at_metrics(ports), lambda: self.change_tables(0), lambda: self.change_tables(1)]
        in_threads(len(work), lambda n: work[n]())
        self.expect_all(self.member.port)
        found = tables(self.member.port)
        self.assertEqual(self.there - found, set())
        self.assertEqual(self.gone & found, set())

    def test_the_member_is_stopped_and_goes_on(self):
        self.write((self.leader.port,))
        self.until_more(50)
        freeze(self.member)
        wait_until(lambda: share_of(self.leader) == (1, 4, 4), "the leader to have all")
        self.until_more(50)
        self.member.process.send_signal(signal.SIGCONT)
        wait_until(lambda: share_of(self.leader) == (1, 2, 4), "halves for both")
        self.until_more(50)
        self.expect_all(self.member.port)

    def test_the_leader_is_stopped_and_goes_on(self):
        """Until it goes on, the other one has taken over, and all its groups: nothing of the old one's is done any more."""
        self.write((self.member.port,))
        self.until_more(50)
        freeze(self.leader)
        try:
            self.member.wait_for_lead()
            self.until_more(50)
        finally:
            self.leader.process.send_signal(signal.SIGCONT)
        self.assertEqual(self.leader.process.wait(WAIT_S), 1)
        wait_until(lambda: share_of(self.member) == (1, 4, 4), "the other one to have all")
        self.until_more(50)
        self.expect_all(self.member.port)


class Refused(unittest.TestCase):

    def test_what_does_not_go_with_groups(self):
        store = new_store()
        for option in (["--throttle"], ["--audit", "/dev/null"], ["--transaction-conflicts"], ["--test-clock"]):
            refused = gramme("serve", "--port", "0", "--store", store, *option)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("cannot be had there", refused.stderr)

    def test_groups_are_for_good(self):
        store = new_store()
        self.assertEqual(gramme("store", "init", "--single", "--unsafe", store).returncode, 0)
        self.assertEqual(gramme("store", "init", "--single", "--unsafe", "--groups", "4", store).returncode, 0)
        refused = gramme("store", "init", "--single", "--unsafe", "--groups", "8", store)
        self.assertIn("has 4 groups of keys, and not 8", refused.stderr)
        self.assertEqual(refused.returncode, 1)
        self.assertEqual(gramme("store", "init", "--single", "--unsafe", "--groups", "3", store).returncode, 2)
        refused = gramme("store", "init", "--single", "--unsafe", "--groups", "4", nodes.new_store(CLUSTER))
        self.assertIn("has 1 groups of keys, and not 4", refused.stderr)


if __name__ == "__main__":
    unittest.main()
