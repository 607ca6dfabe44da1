"""Backups of a store on a PostgreSQL server, restores to one, and checks of it, while servers go on."""

import pathlib
import subprocess
import tempfile
import threading
import unittest
import uuid

import shared_store
from encryption import files_with, make_key
from recovery import INDEXED, item, key, scan
from server import Server, binary
from waiting import wait_until
from wire import boto3_client

CLUSTER = shared_store.Cluster()
setUpModule = CLUSTER.begin


def gramme(*arguments):
    return subprocess.run([binary(), *map(str, arguments)], text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=120)


class Writing(threading.Thread):
    """In the `with` block pairs of items are put, both or neither, and deleted again."""

    def __init__(self, server):
        super().__init__()
        self.client = boto3_client(server.endpoint)
        self.ends, self.rounds = False, 0

    def run(self):
        while not self.ends:
            number = 1000 + 2 * (self.rounds % 40)
            kind = "Delete" if self.rounds // 40 % 2 else "Put"
            self.client.transact_write_items(TransactItems=[
                {kind: {"TableName": "table", **({"Item": item(n, self.rounds)} if kind == "Put" else {"Key": key(n)})}}
                for n in (number, number + 1)])
            self.rounds += 1

    def __enter__(self):
        self.start()
        wait_until(lambda: self.rounds >= 60, "writes")
        return self

    def __exit__(self, *_):
        self.ends = True
        self.join()


class SharedFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.name = f"f{uuid.uuid4().hex}"
        self.store = shared_store.make(binary(), self.name, CLUSTER.url)

    def done(self, *arguments):
        done = gramme(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def refused(self, text, *arguments, status=1):
        done = gramme(*arguments)
        self.assertEqual((done.returncode, done.stdout), (status, ""))
        self.assertIn(text, done.stderr)

    def fill(self, server):
        client = boto3_client(server.endpoint)
        client.create_table(TableName="table", StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}, **INDEXED)
        for number in range(50):
            client.put_item(TableName="table", Item=item(number, bytes=100))
        return client

    def check_restored(self, *arguments):
        """Of every pair there are both or neither, and all that was there before."""
        with Server(*arguments) as server:
            found = set(scan(boto3_client(server.endpoint), "table"))
        self.assertLessEqual(set(range(50)), found)
        later = found - set(range(50))
        self.assertEqual({number ^ 1 for number in later}, later)
        return len(later)


class Backing(SharedFiles):
    def test_beside_a_server_and_back(self):
        file, other = self.folder / "backup", shared_store.make(binary(), f"f{uuid.uuid4().hex}", CLUSTER.url)
        with Server("--store", self.store) as server:
            self.fill(server)
            with Writing(server):
                told = self.done("backup", self.store, file)
                self.assertRegex(told, r"backed up postgres://.* to .*\(\d+ items\).*; read beside its servers\n")
                self.assertRegex(self.done("check", self.store), r"records: [^\n]*\npostgres://\S+ is sound\n$")
            self.assertRegex(self.done("check", file), "is sound")
            self.refused("is in use: a server leads it", "restore", file, self.store)
        self.refused("is not empty: with --replace", "restore", file, self.store)
        self.done("restore", file, self.folder / "directory")
        self.done("restore", file, other)
        self.done("restore", file, self.store, "--replace")
        counts = {self.check_restored("--data", self.folder / "directory"), self.check_restored("--store", other),
                  self.check_restored("--store", self.store)}
        self.assertEqual(len(counts), 1)
        self.assertIn("is sound", self.done("check", other))

    def test_a_damaged_backup_makes_no_store(self):
        file = self.folder / "backup"
        with Server("--store", self.store) as server:
            self.fill(server)
        self.done("backup", self.store, file)
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
        self.assertEqual(gramme("restore", file, self.store, "--replace").returncode, 1)
        self.refused("is unfinished: gramme restore", "serve", "--port", "0", "--store", self.store)

    def test_with_a_key(self):
        file, key = self.folder / "backup", make_key(self.folder / "key")
        with Server("--store", self.store) as server:
            self.fill(server)
        self.assertIn("encrypted", self.done("backup", self.store, file, "--encrypt-with", key))
        self.assertEqual(files_with(file, "x" * 100), [])
        self.refused("encrypted", "restore", file, self.folder / "directory")
        self.done("restore", file, self.folder / "directory", "--encrypt-with", key)
        self.check_restored("--data", self.folder / "directory", "--encrypt-with", key)
        self.done("restore", file, self.store, "--replace", "--encrypt-with", key)
        self.check_restored("--store", self.store)

    def test_from_a_standby(self):
        with shared_store.Pair() as pair:
            self.done("store", "init", "--unsafe", pair.url)
            standby = f"postgres://gramme@/postgres?host={pair.directory}&port=6002"
            with Server("--store", pair.url) as server:
                self.fill(server)
                self.refused("read-only", "backup", standby, self.folder / "backup")
                with Writing(server):
                    standby += "&target_session_attrs=any"
                    self.done("backup", standby, self.folder / "backup")
                    self.assertIn("is sound", self.done("check", standby))
        self.done("restore", self.folder / "backup", self.folder / "directory")
        self.check_restored("--data", self.folder / "directory")


class Checking(SharedFiles):
    def faults(self, *damages):
        for damage in damages:
            shared_store.ask(CLUSTER.url, damage.replace("gramme_", f"{self.name}.gramme_"))
        done = gramme("check", self.store)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertNotIn("is sound", done.stdout)
        return done.stdout

    def test_faults_are_found(self):
        with Server("--store", self.store) as server:
            self.fill(server)
        self.assertIn("table table: 50 items", self.done("check", self.store))
        self.assertIn("fault: ", self.faults("DELETE FROM gramme_indexes WHERE k = (SELECT k FROM gramme_indexes ORDER BY k DESC LIMIT 1)"))
        self.assertRegex(self.faults("UPDATE gramme_items SET v = set_byte(v, length(v) - 1, 7) WHERE k = (SELECT k FROM gramme_items ORDER BY k ASC LIMIT 1)"),
                         r"(?i)fault: .*(damage|checksum)")
        self.assertRegex(self.faults("DELETE FROM gramme_items WHERE k = (SELECT k FROM gramme_items ORDER BY k DESC LIMIT 1)"), "its statistics say 50")
        self.refused("whose own tools salvage it", "check", self.store, "--salvage", self.folder / "new", status=2)

    def test_a_password_is_told_to_nobody(self):
        for command in (["check"], ["backup"], ["restore"], ["copy-store"]):
            url = "postgres://me:hunter2@127.0.0.1:1/x"
            more = {"backup": [self.folder / "x"], "copy-store": [self.folder / "x"]}.get(command[0], [])
            done = gramme(*command, *([self.folder / "x"] if command[0] == "restore" else []), url, *more)
            self.assertIn(done.returncode, (1, 2))
            self.assertNotIn("hunter2", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
