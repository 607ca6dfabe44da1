"""A store that moves: from a directory to a PostgreSQL server and back, with all that is in it, and what is refused."""

import datetime
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

import nodes
import shared_store
from encryption import files_with, make_key
from recovery import INDEXED, item, key, scan, turn_on, wait_active, wait_available
from server import Server, binary
from stream_reader import StreamReader, changes
from waiting import wait_until
from wire import boto3_client, call

CLUSTER = shared_store.Cluster()
setUpModule = CLUSTER.begin
STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}


def gramme(*arguments):
    return subprocess.run([binary(), *map(str, arguments)], text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=120)


def new_store():
    return nodes.new_store(CLUSTER)


def reader_of(server, checkpoints=None):
    arn = boto3_client(server.endpoint).describe_table(TableName="table")["Table"]["LatestStreamArn"]

    def exchange(operation, body):
        reply = call(server.port, operation, body)
        return reply.status, reply.json
    return StreamReader(exchange, arn, checkpoints)


def state_of(server):
    """Everything that a client can see and that time alone does not change."""
    client = boto3_client(server.endpoint)
    found = {}
    for name in client.list_tables()["TableNames"]:
        described = client.describe_table(TableName=name)["Table"]
        tags = client.list_tags_of_resource(ResourceArn=described["TableArn"])["Tags"]
        found[name] = [described, tags, scan(client, name), scan(client, name, IndexName="global"), scan(client, name, IndexName="local"),
                       client.describe_time_to_live(TableName=name)["TimeToLiveDescription"],
                       client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
                       ["PointInTimeRecoveryDescription"].get("EarliestRestorableDateTime")]
    found["backups"] = client.list_backups()["BackupSummaries"]
    found["stream"] = changes(reader_of(server).catch_up())
    return found


def next_second():
    """A whole second that has just passed, with nothing after it yet."""
    second = int(time.time()) + 1
    wait_until(lambda: time.time() > second, "a second")
    return second


class CopyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def copied(self, *arguments):
        done = gramme("copy-store", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, text, *arguments):
        done = gramme("copy-store", *arguments)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(text, done.stderr)


class Moving(CopyTest):
    def begin(self, server):
        client = boto3_client(server.endpoint)
        client.create_table(TableName="table", Tags=[{"Key": "a", "Value": "b"}], **INDEXED, **STREAM)
        client.update_time_to_live(TableName="table", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
        turn_on(client)
        for number in range(60):
            client.put_item(TableName="table", Item={**item(number), "ttl": {"N": str(int(time.time()) + 86400)}})
        self.backup = client.create_backup(TableName="table", BackupName="sixty")["BackupDetails"]["BackupArn"]
        wait_available(client, self.backup)
        self.first = next_second()
        self.change(client, 2)

    @staticmethod
    def change(client, version):
        """Some items are new, some are replaced, some are gone."""
        for number in range(20, 30):
            client.put_item(TableName="table", Item=item(number, version))
        client.transact_write_items(TransactItems=[
            {"Delete": {"TableName": "table", "Key": key(30 + version)}}, {"Put": {"TableName": "table", "Item": item(100 * version)}}])

    def check_restores(self, server, times):
        """Every time that is given has its state, and the backup its own."""
        client = boto3_client(server.endpoint)
        for second, expected in times.items():
            name = f"at-{second}"
            client.restore_table_to_point_in_time(SourceTableName="table", TargetTableName=name, RestoreDateTime=datetime.datetime.fromtimestamp(
                second, datetime.timezone.utc))
            wait_active(client, name)
            self.assertEqual(scan(client, name).keys(), expected)
            client.delete_table(TableName=name)
        client.restore_table_from_backup(TargetTableName="restored", BackupArn=self.backup)
        wait_active(client, "restored")
        self.assertEqual(scan(client, "restored").keys(), set(range(60)))
        client.delete_table(TableName="restored")

    def test_there_and_back(self):
        home, store, again = self.folder / "home", new_store(), self.folder / "again"
        with Server("--data", home) as server:
            self.begin(server)
            reader = reader_of(server).catch_up()
            before = state_of(server)
        told = self.copied(f"rocksdb:{home}", store)
        self.assertRegex(told, r"(?m)^items +\d+ records +\d+ bytes  sha256 [0-9a-f]{64}$")
        self.assertRegex(told, f"copied {home} to postgres://.*read from both and compared")
        self.assertNotIn("\r", told)
        at_first = set(range(60))
        at_second = (at_first - {32}) | {200}
        with Server("--store", store) as server:
            self.assertEqual(state_of(server), before)
            self.check_restores(server, {self.first: at_first})
            second = next_second()
            self.change(boto3_client(server.endpoint), 3)
            there = state_of(server)
            # A reader goes on where it was, and what comes is behind what it has.
            later = changes(reader_of(server, reader.checkpoints).catch_up())
            self.assertEqual(before["stream"] + later, there["stream"])
            self.assertEqual(len(later), 12)
        self.copied(store, again)
        with Server("--data", again) as server:
            self.assertEqual(state_of(server), there)
            self.assertEqual(there["table"][0]["ItemCount"], len(there["table"][2]))
            self.check_restores(server, {self.first: at_first, second: at_second})
            self.change(boto3_client(server.endpoint), 4)
            numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in state_of(server)["stream"]]
            self.assertEqual(numbers, sorted(set(numbers)))
        checked = gramme("check", again)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""), checked.stdout)

    def test_what_was_deleted_stays_behind(self):
        """Rows of a table that is gone are deleted later there; elsewhere nobody would."""
        store, home = new_store(), self.folder / "home"
        with Server("--store", store) as server:
            client = boto3_client(server.endpoint)
            client.create_table(TableName="table", **INDEXED)
            for number in range(30):
                client.put_item(TableName="table", Item=item(number))
            client.delete_table(TableName="table")
            server.kill()
        self.assertRegex(self.copied(store, home), r"(?m)^items +0 records")

    def test_stores_of_one_kind(self):
        home, one, other = self.folder / "home", new_store(), new_store()
        with Server("--data", home) as server:
            boto3_client(server.endpoint).create_table(TableName="table", **INDEXED)
        hashes = [re.findall("sha256 (.*)", self.copied(*places)) for places in (
            (home, self.folder / "second"), (self.folder / "second", one), (one, other), (home, other, "--verify-only"))]
        self.assertEqual(hashes, hashes[:1] * 4)
        with Server("--store", other) as server:
            boto3_client(server.endpoint).put_item(TableName="table", Item=item(1))
        self.refused("differs", home, other, "--verify-only")

    def test_keys_go_along(self):
        home, store, again = self.folder / "home", new_store(), self.folder / "again"
        key, other = make_key(self.folder / "key"), make_key(self.folder / "other")
        with Server("--data", home, "--auth") as server:
            wait_until(lambda: "try" in server.output, "the start")
            made = dict(re.findall(r"aws_(access_key_id|secret_access_key) = (\S+)", server.output))
            self.signed(server, made).create_table(TableName="table", **INDEXED)
            self.signed(server, made).put_item(TableName="table", Item=item(1, bytes=100))
        self.refused("has access keys: give the key", home, store)
        self.copied(home, store, "--new-key", key)
        wrong = gramme("serve", "--port", "0", "--store", store, "--auth", "--encrypt-with", other)
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("encrypted with another key", wrong.stderr)
        with Server("--store", store, "--auth", "--encrypt-with", key) as server:
            self.assertEqual(self.signed(server, made).list_tables()["TableNames"], ["table"])
            self.assertNotIn("There was no access key", server.output)
        self.refused("has access keys: give the key", store, again)
        self.copied(store, again, "--encrypt-with", key, "--new-key", other)
        with Server("--data", again, "--auth", "--encrypt-with", other) as server:
            self.assertEqual(self.signed(server, made).list_tables()["TableNames"], ["table"])
        self.assertEqual(files_with(again, made["secret_access_key"], "x" * 100), [])
        self.refused("--encrypt-with", again, store, "--replace")
        self.refused("--plain says", again, store, "--replace", "--encrypt-with", other, "--new-key", key)
        self.copied(again, store, "--replace", "--encrypt-with", other, "--new-key", key, "--plain")

    @staticmethod
    def signed(server, made):
        return boto3_client(server.endpoint, made["access_key_id"], secret=made["secret_access_key"])


class Refusing(CopyTest):
    def test_servers_keep_what_they_have(self):
        home, store, other = self.folder / "home", new_store(), new_store()
        with Server("--data", home), Server("--store", store):
            self.refused("in use by another process", home, other)
            self.refused("is in use: a server leads it", store, self.folder / "new")
        with Server("--store", store):
            self.refused("is in use: a server leads it", home, store)
        self.refused("is not empty: with --replace", home, store)
        self.refused("is not empty", store, home)
        self.refused("There is no store", home, shared_store.schema(CLUSTER.url, "nothing"))
        self.refused("is no place of a store", home, "memory:")
        self.refused("is not a data directory", self.folder, other)
        self.copied(home, store, "--replace")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["home"])

    def test_half_a_copy_is_opened_by_nobody(self):
        home, store = self.folder / "home", new_store()
        name = store.rsplit("D", 1)[1]
        with Server("--data", home) as server:
            client = boto3_client(server.endpoint)
            client.create_table(TableName="table", **INDEXED)
            client.put_item(TableName="table", Item=item(1))
        for statement in (f"CREATE FUNCTION {name}.slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END'",
                          f"CREATE TRIGGER slow BEFORE INSERT ON {name}.gramme_items FOR EACH STATEMENT EXECUTE FUNCTION {name}.slow()"):
            shared_store.ask(CLUSTER.url, statement)
        copying = subprocess.Popen([binary(), "copy-store", home, store], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        note = f"SELECT value FROM {name}.gramme_store WHERE name = 'unfinished'"
        wait_until(lambda: shared_store.ask(CLUSTER.url, note), "filling")
        copying.send_signal(signal.SIGKILL)
        copying.communicate()
        shared_store.ask(CLUSTER.url, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'gramme'")
        shared_store.ask(CLUSTER.url, f"DROP TRIGGER slow ON {name}.gramme_items")
        served = gramme("serve", "--port", "0", "--store", store)
        self.assertEqual(served.returncode, 1)
        self.assertIn("The store is unfinished: gramme copy-store works there, or was cut short", served.stderr)
        self.refused("The store is unfinished", store, self.folder / "new")
        self.assertEqual(gramme("store", "init", "--unsafe", store).returncode, 1)
        self.copied(home, store)
        with Server("--store", store) as server:
            self.assertEqual(scan(boto3_client(server.endpoint), "table"), {1: item(1)})

    def test_a_directory_is_whole_or_not_there(self):
        """What cannot be written is told, and nothing is left but what was there."""
        home = self.folder / "home"
        with Server("--data", home):
            pass
        locked = self.folder / "file"
        locked.write_text("")
        self.refused("file", home, locked / "new")
        os.mkdir(self.folder / "full")
        (self.folder / "full/x").write_text("")
        self.refused("is not empty", home, self.folder / "full")


if __name__ == "__main__":
    unittest.main()
