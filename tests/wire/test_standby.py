"""A server that does not lead reads from a standby what may be a moment old, and never by tables as they are not there."""

import unittest

import shared_store
from nodes import Follower, KEY_SCHEMA, create_table, gauge, gramme, metric, post, put
from server import Server, binary
from waiting import wait_until

STANDBY = 6002


class Standby(unittest.TestCase):
    """A primary, a standby, a leader and a follower for all of these."""

    @classmethod
    def setUpClass(cls):
        cls.pair = cls.enterClassContext(shared_store.Pair())
        primary, standby = (f"postgres://gramme@/postgres?host={cls.pair.directory}&port={port}" for port in (6001, STANDBY))
        shared_store.init(binary(), primary)
        cls.leader = cls.enterClassContext(Server("--store", primary))
        create_table(cls.leader.port)
        cls.put("first")
        cls.patient = cls.enterClassContext(Follower("--store", primary, "--read-store", standby, "--read-lag", "10m"))
        cls.hasty = cls.enterClassContext(Follower("--store", primary, "--read-store", standby, "--read-lag", "1s"))

    def setUp(self):
        for follower in (self.patient, self.hasty):
            wait_until(lambda: self.is_read_by(follower), "reading from the standby")

    @classmethod
    def put(cls, value):
        assert put(cls.leader.port, "a", value).status == 200

    def is_read_by(self, follower):
        before = metric(follower.port, "standby_reads")
        self.get(follower)
        return gauge(follower.port, "standby_usable") == 1 and metric(follower.port, "standby_reads") > before

    def get(self, follower, **more):
        reply = post(follower.port, "GetItem", TableName="table", Key={"k": {"S": "a"}}, **more)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json["Item"]["v"]["S"]

    def all_reads(self, follower, consistent):
        """What GetItem, BatchGetItem, Query and Scan find."""
        port, key = follower.port, {"k": {"S": "a"}}
        more = {"ConsistentRead": consistent}
        batch = post(port, "BatchGetItem", RequestItems={"table": {"Keys": [key], **more}}).json["Responses"]["table"]
        query = post(port, "Query", TableName="table", KeyConditionExpression="k = :k", ExpressionAttributeValues={":k": {"S": "a"}}, **more).json["Items"]
        scan = post(port, "Scan", TableName="table", **more).json["Items"]
        return [self.get(follower, **more), *(items[0]["v"]["S"] for items in (batch, query, scan))]

    def held(self):
        """The standby hears of nothing new in the `with` block."""
        test = self

        class Held:
            def __enter__(self):
                test.pair.ask(STANDBY, "SELECT pg_wal_replay_pause()")
                wait_until(lambda: test.pair.ask(STANDBY, "SELECT pg_get_wal_replay_pause_state()") == ["paused"], "the pause")

            def __exit__(self, *_):
                test.pair.ask(STANDBY, "SELECT pg_wal_replay_resume()")

        return Held()

    def test_what_may_be_old_is_read_there(self):
        self.put("old")
        wait_until(lambda: self.get(self.patient) == "old", "the write on the standby")
        with self.held():
            self.put("new")
            before = metric(self.patient.port, "standby_reads")
            self.assertEqual(self.all_reads(self.patient, False), ["old"] * 4)
            self.assertEqual(metric(self.patient.port, "standby_reads"), before + 4)
            self.assertEqual(self.all_reads(self.patient, True), ["new"] * 4)
            found = post(self.patient.port, "TransactGetItems", TransactItems=[{"Get": {"TableName": "table", "Key": {"k": {"S": "a"}}}}])
            self.assertEqual(found.json["Responses"][0]["Item"]["v"]["S"], "new")
            self.assertEqual(metric(self.patient.port, "standby_reads"), before + 4)
        wait_until(lambda: self.get(self.patient) == "new", "the write on the standby")

    def test_one_that_is_too_far_behind_is_not_read(self):
        with self.held():
            self.put("now")
            wait_until(lambda: gauge(self.hasty.port, "standby_usable") == 0, "being too far behind")
            self.assertEqual(self.all_reads(self.hasty, False), ["now"] * 4)
            wait_until(lambda: gauge(self.hasty.port, "standby_lag_seconds") > 1, "being seen as late")
            wait_until(lambda: "s behind: everything is read from the primary" in self.hasty.error_text(), "the line of the log")
        wait_until(lambda: gauge(self.hasty.port, "standby_usable") == 1, "being near enough")

    def test_tables_are_as_the_leader_has_them(self):
        """The standby does not know of one that was made, and still has one that is gone."""
        key = {"k": {"S": "x"}}
        with self.held():
            for count in range(3):
                self.assertEqual(post(self.leader.port, "CreateTable", TableName="young", **KEY_SCHEMA).status, 200)
                self.assertEqual(post(self.leader.port, "PutItem", TableName="young", Item={**key, "n": {"N": str(count)}}).status, 200)
                reply = post(self.patient.port, "GetItem", TableName="young", Key=key)
                self.assertEqual((reply.status, reply.json.get("Item")), (200, {**key, "n": {"N": str(count)}}))
                self.assertEqual(post(self.patient.port, "Scan", TableName="young").json["Count"], 1)
                self.assertEqual(post(self.leader.port, "DeleteTable", TableName="young").status, 200)
                reply = post(self.patient.port, "GetItem", TableName="young", Key=key)
                self.assertEqual((reply.status, reply.error), (400, "ResourceNotFoundException: Requested resource not found"))
            self.assertEqual(gauge(self.patient.port, "standby_usable"), 0)

    def test_under_changes_of_tables(self):
        """While tables come and go no read fails, and none is wrong."""
        self.put("same")
        wait_until(lambda: self.get(self.patient) == "same", "the write on the standby")
        for count in range(6):
            name = f"coming-{count}"
            self.assertEqual(post(self.leader.port, "CreateTable", TableName=name, **KEY_SCHEMA).status, 200)
            for _ in range(30):
                self.assertEqual(self.get(self.patient), "same")
                self.assertEqual(post(self.patient.port, "Scan", TableName=name).json["Count"], 0)


class Away(unittest.TestCase):
    def test_a_standby_that_is_gone(self):
        with shared_store.Pair() as pair:
            pair.wait_for_standbys("")
            primary, standby = (f"postgres://gramme@/postgres?host={pair.directory}&port={port}" for port in (6001, STANDBY))
            shared_store.init(binary(), primary)
            with Server("--store", primary) as leader, Follower("--store", primary, "--read-store", standby) as follower:
                create_table(leader.port)
                self.assertEqual(put(leader.port, "a").status, 200)

                def read():
                    reply = post(follower.port, "GetItem", TableName="table", Key={"k": {"S": "a"}})
                    self.assertEqual((reply.status, reply.json["Item"]["v"]["S"]), (200, "1"))
                    return metric(follower.port, "standby_reads")

                wait_until(lambda: read() > 0, "reading from the standby")
                pair.servers[1].kill()
                pair.servers[1].wait()
                for _ in range(20):
                    read()
                wait_until(lambda: gauge(follower.port, "standby_usable") == 0, "noticing")
                wait_until(lambda: "the standby is not read" in follower.error_text(), "telling")
                self.assertEqual(put(leader.port, "b").status, 200)

    def test_it_goes_with_a_store(self):
        for arguments, text in ((["--read-store", "postgres://x/"], "--store"), (["--store", "postgres://x/", "--read-store", "y"], "postgres://"),
                                (["--store", "postgres://x/", "--read-lag", "1s"], "--read-store"), (["--store", "memory:", "--read-store", "postgres://x/"], "--read-store")):
            with self.subTest(arguments=arguments):
                done = gramme("serve", *arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(text, done.stderr)
