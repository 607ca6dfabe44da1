"""Commands on a store that several servers write: copies, backups, checks, keys. What comes out of it is what one server would have made,
and goes anywhere."""

import contextlib
import datetime
import pathlib
import re
import tempfile
import threading
import unittest

import nodes
import shared_store
from encryption import make_key
from nodes import Follower, in_threads
from recovery import INDEXED, item, scan, turn_on, wait_active
from server import Server, binary
from stream_reader import changes
from test_copy_store import next_second, reader_of, state_of
from test_groups import share_of
from waiting import wait_until
from wire import boto3_client

CLUSTER = shared_store.Cluster()
setUpModule = CLUSTER.begin
STREAM = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}


def spread(number, version=1):
    """An item with a partition key of its own."""
    return {**item(number, version), "pk": {"S": f"p{number}"}}


def key_of(number):
    return {"pk": {"S": f"p{number}"}, "sk": {"N": str(number)}}


def count_once(server):
    """Whoever asks, and wherever the data is by then: a transaction with a token."""
    boto3_client(server.endpoint).transact_write_items(ClientRequestToken="once", TransactItems=[{"Update": {
        "TableName": "table", "Key": key_of(8000), "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}])


@contextlib.contextmanager
def two_servers(store, *arguments):
    """The one that leads, and one that writes beside it."""
    with Server("--store", store, *arguments) as leader, Follower("--store", store, *arguments) as member:
        wait_until(lambda: share_of(leader) == (1, 2, 4) and share_of(member) == (3, 4, 4), "halves for both")
        yield leader, member


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def new_store(self, groups):
        return nodes.new_store(CLUSTER, "--groups", str(groups))

    def done(self, *arguments):
        done = nodes.gramme(*map(str, arguments))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def refused(self, text, *arguments):
        done = nodes.gramme(*map(str, arguments))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(text, done.stderr)

    def assert_sound(self, place):
        self.assertRegex(self.done("check", place), "is sound")


class Moving(CommandTest):
    def begin(self, home):
        """A directory with a table whose stream has one shard, and a reader who has seen its beginning."""
        with Server("--data", home) as server:
            client = boto3_client(server.endpoint)
            client.create_table(TableName="table", **INDEXED, **STREAM)
            client.update_time_to_live(TableName="table", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
            turn_on(client)
            for number in range(20):
                client.put_item(TableName="table", Item=spread(number))
            reader = reader_of(server).catch_up()
            self.first = next_second()
            return {"checkpoints": reader.checkpoints, "records": changes(reader)}

    def write(self, servers, beside):
        """All servers put and delete at once, alone and in pairs that are there together, until `beside` has returned."""
        clients, ended, written = [boto3_client(server.endpoint) for server in servers], threading.Event(), [0] * 5

        def work(n):
            if n == 0:
                try:
                    wait_until(lambda: min(written[1:]) > 10, "writes")
                    beside()
                finally:
                    ended.set()
                return
            while not ended.is_set():
                client, base = clients[(n + written[n]) % 2], 1000 * n + written[n] % 20
                pair = (base, base + 500)
                if written[n] // 20 % 2 == 0:
                    client.transact_write_items(TransactItems=[{"Put": {"TableName": "table", "Item": spread(m, 2)}} for m in pair])
                    client.put_item(TableName="table", Item=spread(base + 100, 3))
                else:
                    client.transact_write_items(TransactItems=[{"Delete": {"TableName": "table", "Key": key_of(m)}} for m in pair])
                    client.delete_item(TableName="table", Key=key_of(base + 100))
                written[n] += 1

        in_threads(5, work)

    def assert_pairs(self, place):
        """Of every pair there are both or neither; counts and indexes agree with the items."""
        self.assert_sound(place)
        with Server(*(("--data", place) if isinstance(place, pathlib.Path) else ("--store", place))) as server:
            state = state_of(server)
        table, _, items, by_index, *_ = state["table"]
        self.assertEqual(table["ItemCount"], len(items))
        self.assertEqual(table["GlobalSecondaryIndexes"][0]["ItemCount"], len(by_index))
        self.assertEqual(by_index, {number: found for number, found in items.items() if "g" in found})
        for number in items:
            if 1000 <= number < 8000 and number % 1000 // 100 != 1:
                self.assertIn(number + 500 if number % 1000 < 500 else number - 500, items)
        return state

    def test_through_stores_of_all_kinds(self):
        home, store, early, late = self.folder / "home", self.new_store(4), self.folder / "early", self.folder / "late"
        before = self.begin(home)
        self.done("copy-store", home, store)
        self.assert_sound(store)
        with two_servers(store) as servers:
            reader = reader_of(servers[1], before["checkpoints"])

            def beside():
                """Who reads a shard over several groups while both write to it misses nothing."""
                self.done("backup", store, early)
                self.assert_sound(store)
                for _ in range(20):
                    reader.read_all()

            self.write(servers, beside)
            count_once(servers[1])
            reader.catch_up()
            self.refused("is in use: a server leads it or writes to it", "copy-store", store, self.folder / "new")
            self.refused("is in use", "restore", early, store, "--replace")
            whole = changes(reader_of(servers[0]).catch_up())
            self.assertEqual(before["records"] + changes(reader), whole)
            wait_until(lambda: boto3_client(servers[0].endpoint).describe_table(TableName="table")["Table"]["ItemCount"] == len(
                scan(boto3_client(servers[0].endpoint), "table")), "the right count")
            state = state_of(servers[0])
        self.assert_sound(store)
        self.done("backup", store, late)
        places = [self.folder / "directory", nodes.new_store(CLUSTER, "--single"), self.new_store(2), self.new_store(16)]
        for place in places:
            self.done("restore", late, place)
            self.assertEqual(self.assert_pairs(place), state)
        self.done("restore", early, self.folder / "early-directory")
        self.assert_pairs(self.folder / "early-directory")
        self.go_on(places, state)

    def go_on(self, places, state):
        """What is written there comes behind all that was; and the parts of a store are compared as the whole that they are."""
        numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in state["stream"]]
        for place in (places[0], places[3]):
            with Server(*(("--data", place) if place is places[0] else ("--store", place))) as server:
                count_once(server)
                client = boto3_client(server.endpoint)
                for number in range(5):
                    client.put_item(TableName="table", Item=spread(9000 + number))
                self.check_restore(client)
                stream = changes(reader_of(server).catch_up())
            self.assertEqual(stream[:len(numbers)], state["stream"])
            later = [int(record["dynamodb"]["SequenceNumber"]) for record in stream[len(numbers):]]
            self.assertEqual((later, len(later)), (sorted(set(later)), 5))
            self.assertGreater(later[0], max(numbers))
            self.assert_sound(place)

    def check_restore(self, client):
        """What the servers have changed since a moment, each for itself, is undone in the order that it happened in."""
        client.restore_table_to_point_in_time(SourceTableName="table", TargetTableName="restored", RestoreDateTime=datetime.datetime.fromtimestamp(
            self.first, datetime.timezone.utc))
        wait_active(client, "restored")
        self.assertEqual(scan(client, "restored"), {number: spread(number) for number in range(20)})

    def test_copies_of_parts_are_whole(self):
        store, home, again = self.new_store(4), self.folder / "home", self.new_store(8)
        with two_servers(store) as servers:
            clients = [boto3_client(server.endpoint) for server in servers]
            clients[1].create_table(TableName="table", **INDEXED, **STREAM)
            for number in range(40):
                clients[number % 2].put_item(TableName="table", Item=spread(number))
            for number in range(0, 40, 3):
                clients[number // 3 % 2].delete_item(TableName="table", Key=key_of(number))
            found = scan(clients[0], "table")
        hashes = [re.findall("sha256 (.*)", self.done("copy-store", *places)) for places in (
            (store, home), (home, again), (store, again, "--verify-only"), (again, nodes.new_store(CLUSTER, "--single")))]
        self.assertEqual(hashes, hashes[:1] * 4)
        for arguments in (("--data", home), ("--store", again)):
            with Server(*arguments) as server:
                client = boto3_client(server.endpoint)
                self.assertEqual(client.describe_table(TableName="table")["Table"]["ItemCount"], len(found))
                self.assertEqual(scan(client, "table"), found)
        self.done("copy-store", home, store, "--replace")
        self.assert_sound(store)


class Checking(CommandTest):
    def test_wrong_parts_are_found(self):
        name = "p" + self.folder.name.lower().replace("_", "")
        store = shared_store.make(binary(), name, CLUSTER.url, "--groups", "4")
        with two_servers(store) as servers:
            clients = [boto3_client(server.endpoint) for server in servers]
            clients[0].create_table(TableName="table", **INDEXED)
            for number in range(40):
                clients[number % 2].put_item(TableName="table", Item=spread(number))
            self.assertIn("table table: 40 items", self.done("check", store))
            # Of the table, which has the first id: one item more than the other server has put.
            changed = shared_store.ask(CLUSTER.url, f"UPDATE {name}.gramme_catalog SET v = set_byte(v, 1, get_byte(v, 1) + 1) WHERE k = "
                                                    f"(SELECT k FROM {name}.gramme_catalog WHERE get_byte(k, 0) = ascii('P') ORDER BY k LIMIT 1) RETURNING 1")
            self.assertEqual(changed, ["1"])
            checked = nodes.gramme("check", store)
        self.assertEqual(checked.returncode, 1)
        self.assertRegex(checked.stdout, "its statistics say 41 of .* and there are 40")


class Keys(CommandTest):
    def test_keys_are_made_and_known_to_all(self):
        store, key = self.new_store(4), make_key(self.folder / "key")

        def create():
            made = self.done("key", "create", store, "--encrypt-with", key)
            return dict(re.findall(r"aws_(access_key_id|secret_access_key) = (\S+)", made))

        made = create()
        with two_servers(store, "--auth", "--encrypt-with", key) as servers:
            clients = [boto3_client(server.endpoint, made["access_key_id"], secret=made["secret_access_key"]) for server in servers]
            clients[1].create_table(TableName="table", **INDEXED)
            for number in range(12):
                clients[number % 2].put_item(TableName="table", Item=spread(number))
            self.assertIn(made["access_key_id"], self.done("key", "list", store, "--encrypt-with", key))
            self.refused("is in use: a server leads it or writes to it", "key", "create", store, "--encrypt-with", key)
        made = create()
        with two_servers(store, "--auth", "--encrypt-with", key) as servers:
            for server in servers:
                client = boto3_client(server.endpoint, made["access_key_id"], secret=made["secret_access_key"])
                self.assertEqual(len(scan(client, "table")), 12)
        self.assert_sound(store)


if __name__ == "__main__":
    unittest.main()
