"""A system call on the disk fails: of a start, of flushes and compactions, of a backup and of a restore. Whatever is told then, it is told
clearly; nothing that was acknowledged is lost; and when the disk works again, everything opens.

The first of the calls, and some others that follow from a seed; GRAMME_SEED=n takes others, GRAMME_ALL=1 every one.
"""

import contextlib
import errno
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from disk import ALL_KINDS, ERRORS, KINDS, Disk
from power_loss import judge_relaxed
from server import Server, binary
from store import SANITIZER, Store
from wire import call

SEED = int(os.environ.get("GRAMME_SEED", 1))
EVERY = bool(os.environ.get("GRAMME_ALL"))
print(f"# repeat with GRAMME_SEED={SEED}", flush=True)


def faults(rng, calls, some):
    """Which call fails, of which kinds they are counted, with which error, and how many after it fail, too."""
    if EVERY:
        return [(n, ALL_KINDS, error, 1) for n in range(1, calls + 1) for error in (errno.EIO, errno.ENOSPC)]
    picked = [(1, ALL_KINDS, errno.EIO, 1)]  # a call that every run makes
    for _ in range(some - 1):
        kind = rng.randrange(len(KINDS))
        if rng.random() < 0.5:
            picked.append((rng.randint(1, calls), ALL_KINDS, rng.choice([errno.EIO, errno.ENOSPC, errno.EMFILE]), rng.choice([1, 1, 3, 1 << 40])))
        else:
            picked.append((rng.randint(1, max(1, calls // 10)), 1 << kind, rng.choice(ERRORS[KINDS[kind]]), rng.choice([1, 1, 3])))
    return picked


class FaultTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.rng = random.Random(SEED)

    def disk(self, name, like=None):
        """A disk of its own; its data is a copy of another's."""
        folder = self.folder / name
        folder.mkdir()
        disk = Disk(folder)
        if like is not None:
            shutil.rmtree(disk.root)
            shutil.copytree(like.root, disk.root, ignore=lambda folder, names: [name for name in names if name.endswith("socket")])
        return disk

    def fault(self, disk, fault):
        n, kinds, error, times = fault
        disk.arm(n, error, kinds, times)
        return self.subTest(call=n, kinds=[name for bit, name in enumerate(KINDS) if kinds >> bit & 1], error=errno.errorcode[error], times=times)


class StoreFaults(FaultTest):
    """The store alone, which is flushed and compacted all the time."""

    def run_faults(self, before, count, some):
        pristine = self.disk("pristine")
        store = Store(pristine)
        store.write(before)
        done = set(store.done)
        pristine.arm()
        counting = Store.again(self.disk("counting", pristine), done, before + 1)
        self.assertEqual(counting.write(count), ([], 0))
        # How many calls there are differs a little, by what threads do: some are not made.
        fired = [self.try_fault(fault, pristine, done, before + 1, count) for fault in faults(self.rng, counting.disk.calls(), some)]
        print(f"# {sum(fired)} of {len(fired)} calls failed", flush=True)
        self.assertTrue(fired[0])

    def try_fault(self, fault, pristine, done, first, count):
        """Whether the call was made, and failed."""
        disk, fired = self.disk("faulty", pristine), False
        with self.fault(disk, fault):
            store = Store.again(disk, done, first)
            told, status = store.write(count)
            fired = disk.failed() > 0
            if status == 3:
                self.assertRegex(" ".join(told), "^refused: The database in ")
            else:
                self.assertEqual(told, [])
            self.assertEqual(store.problems(), [])
            disk.arm()
            self.assertEqual(store.write(5), ([], 0))
            self.assertEqual(store.problems(), [])
        shutil.rmtree(disk.folder)
        return fired

    def test_starting(self):
        self.run_faults(70, 1, 5)

    def test_flushing_and_compacting(self):
        self.run_faults(60, 120, 4)


ITEMS = {f"item{n}": {"pk": {"S": f"item{n}"}, "x": {"S": "x" * n}} for n in range(40)}


def fill(port):
    call(port, "CreateTable", {"TableName": "things", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                               "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
    for item in ITEMS.values():
        reply = call(port, "PutItem", {"TableName": "things", "Item": item})
        assert reply.status == 200, reply.body


def read(port):
    reply = call(port, "Scan", {"TableName": "things", "ConsistentRead": True})
    assert reply.status == 200, reply.body
    return {item["pk"]["S"]: item for item in reply.json["Items"]}


class ServerFaults(FaultTest):
    def start(self, disk):
        """The server, or what it said when it did not start."""
        server = Server("--data", disk.data)
        try:
            with disk.mounted():
                return server.start(), None
        except AssertionError:
            text = server.error_text()
            self.assertIsNone(SANITIZER.search(text), text)
            self.assertGreater(server.process.wait(), 0, "it ended by a signal")
            self.assertIn("gramme: ", text)
            return None, text

    @contextlib.contextmanager
    def running(self, disk):
        """A server on a disk that works."""
        disk.arm()
        server, text = self.start(disk)
        self.assertIsNotNone(server, text)
        try:
            yield server
        finally:
            server.stop()

    def assert_works(self, disk):
        """All is there."""
        with self.running(disk) as server:
            self.assertEqual({key: item for key, item in read(server.port).items() if key in ITEMS}, ITEMS)
            self.assertEqual(call(server.port, "PutItem", {"TableName": "things", "Item": ITEMS["item1"]}).status, 200)

    def filled(self):
        disk = self.disk("pristine")
        with self.running(disk) as server:
            fill(server.port)
        return disk

    def test_starting(self):
        pristine = self.filled()
        disk = self.disk("counting", pristine)
        with self.running(disk):
            calls = disk.calls()
        for fault in faults(self.rng, calls, 4):
            disk = self.disk("faulty", pristine)
            with self.fault(disk, fault):
                server, _ = self.start(disk)
                if server is not None:
                    self.live_with_it(server)
                self.assert_works(disk)
            shutil.rmtree(disk.folder)

    def live_with_it(self, server):
        """It answers, or says that it cannot; and it ends by itself, whatever it says of that."""
        reply = call(server.port, "PutItem", {"TableName": "things", "Item": {"pk": {"S": "new"}}})
        self.assertIn(reply.status, (200, 500, 503))
        server.process.terminate()
        self.assertGreaterEqual(server.process.wait(60), 0, "it ended by a signal")
        self.assertIsNone(SANITIZER.search(server.error_text()), server.error_text())

    # --- whole backups ---

    def command(self, disk, *arguments):
        """A command whose disk it is; its status and what it said."""
        run = subprocess.run([binary(), *map(str, arguments)], capture_output=True, text=True, timeout=120, env={**os.environ, **disk.env()})
        self.assertGreaterEqual(run.returncode, 0, run.stderr)
        self.assertIsNone(SANITIZER.search(run.stderr), run.stderr)
        return run.returncode, run.stdout + run.stderr

    def run_commands(self, some, command, judge):
        """Once to count, then with faults."""
        counting = self.disk("counting")
        status, text = self.command(counting, *command(counting))
        self.assertEqual(status, 0, text)
        for fault in faults(self.rng, counting.calls(), some):
            disk = self.disk("faulty")
            with self.fault(disk, fault):
                status, text = self.command(disk, *command(disk))
                if status != 0:
                    self.assertIn("gramme: ", text)
                disk.arm()
                judge(disk, status)
            shutil.rmtree(disk.folder)

    def test_backup(self):
        """One that ended well is whole; after one that did not the next succeeds."""
        source = self.filled()

        def judge(disk, status):
            if status != 0:
                self.assertEqual(self.command(disk, "backup", "--force", source.data, disk.root / "dump")[0], 0)
            status, text = self.command(disk, "restore", "--check", disk.root / "dump")
            self.assertEqual(status, 0, text)

        with self.running(source):
            self.run_commands(4, lambda disk: ["backup", source.data, disk.root / "dump"], judge)

    def test_restore(self):
        """A restore that failed leaves nothing that starts as if it were whole."""
        source = self.filled()
        dump = self.folder / "dump"
        self.assertEqual(self.command(source, "backup", source.data, dump)[0], 0)

        def judge(disk, status):
            if status != 0:
                server, _ = self.start(disk)
                if server is not None:
                    tables = call(server.port, "ListTables", {}).json["TableNames"]
                    self.assertIn(tables, ([], ["things"]))
                    self.assertEqual(read(server.port) if tables else ITEMS, ITEMS)
                    server.stop()
                shutil.rmtree(disk.root)
                disk.root.mkdir()
                status, text = self.command(disk, "restore", dump, disk.data)
                self.assertEqual(status, 0, text)
            self.assert_works(disk)

        self.run_commands(4, lambda disk: ["restore", dump, disk.data], judge)


class Worst(random.Random):
    """Of what may be lost everything is."""

    def choice(self, options):
        return options[0]


class PowerCanary(FaultTest):
    def test_a_disk_that_lies(self):
        """A disk that says it has synced, and has not, is found out."""
        for lied in (False, True):
            folder = self.folder / f"lied-{lied}"
            folder.mkdir()
            disk = Disk(folder, journal=True)
            store, rng = Store(disk), Worst(SEED)
            store.write_and_kill(rng)
            disk.lose_power(rng, lied)
            self.assertRegex(str(store.problems()), "does not open" if lied else r"^\[\]$")

    def test_what_relaxed_durability_must_keep(self):
        def judge(sure, *numbers):
            return judge_relaxed("0", sure, [{"sk": {"N": str(number)}} for number in numbers])

        self.assertEqual(judge(2, 3, 1, 2), [])
        self.assertEqual(judge(4, 3, 1, 2), ["0 has 3 items; 4 were acknowledged when the log was synced"])
        self.assertEqual(judge(0, 1, 3), ["0 has 2 items with gaps"])


if __name__ == "__main__":
    unittest.main()
