"""A disk that is full: writers get InternalServerError, readers go on, nothing is half done.

The disk is made full with a limit on the size of files, which fails the write calls of the running
server as a full disk does, and needs no privileges. Lifting the limit makes room again.
"""

import errno
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "wire"))

from server import Server, binary
from wire import call, check_envelope, http_request


def survive_the_limit():
    # The kernel also sends a signal at the limit, which would end the server; a full disk sends none.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def set_limit(server, size):
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


class DiskFull(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = pathlib.Path(folder.name) / "data"

    def put(self, server, name):
        return call(server.port, "PutItem", {"TableName": "table", "Item": {"pk": {"S": name}, "d": {"S": "x" * 2000}}})

    def names(self, server):
        page = call(server.port, "Scan", {"TableName": "table", "ProjectionExpression": "pk"})
        self.assertEqual(page.status, 200, page.body)
        return {item["pk"]["S"] for item in page.json["Items"]}

    def test_writers_fail_and_readers_go_on(self):
        before = {f"before-{n}" for n in range(40)}
        with Server("--data", self.data, preexec=survive_the_limit) as server:
            call(server.port, "CreateTable", {
                "TableName": "table", "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]})
            for name in before:
                self.assertEqual(self.put(server, name).status, 200)
            set_limit(server, 4096)
            during = {f"during-{n}" for n in range(10)}
            for name in during:
                reply = self.put(server, name)
                self.assertEqual((reply.status, reply.json["__type"]),
                                 (500, "com.amazonaws.dynamodb.v20120810#InternalServerError"), reply.body)
                self.assertIsNone(check_envelope(reply))
            for operation, body in (
                    ("UpdateItem", {"TableName": "table", "Key": {"pk": {"S": "before-1"}}, "UpdateExpression": "REMOVE d"}),
                    ("DeleteItem", {"TableName": "table", "Key": {"pk": {"S": "before-1"}}}),
                    ("BatchWriteItem", {"RequestItems": {"table": [{"PutRequest": {"Item": {"pk": {"S": "during-0"}}}}]}})):
                self.assertEqual(call(server.port, operation, body).status, 500, operation)
            self.assertEqual(self.names(server), before, "a refused write is not to be seen")
            got = call(server.port, "GetItem", {"TableName": "table", "Key": {"pk": {"S": "before-1"}}}).json
            self.assertEqual(len(got["Item"]["d"]["S"]), 2000)
            set_limit(server, resource.RLIM_INFINITY)
        with Server("--data", self.data) as server:
            self.assertEqual(self.names(server), before)
            self.assertEqual(self.put(server, "after").status, 200)
            self.assertEqual(self.names(server), {*before, "after"})
            described = call(server.port, "DescribeTable", {"TableName": "table"}).json["Table"]
            self.assertEqual(described["ItemCount"], len(before) + 1)


@unittest.skipUnless(os.geteuid() == 0, "needs root")
class SmallDisk(unittest.TestCase):
    """A server that is killed on a disk that is full starts by its reserve, and what is deleted is gone."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.disk = pathlib.Path(folder.name)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", self.disk], stderr=subprocess.PIPE, text=True)
        if mounted.returncode != 0:
            self.skipTest("needs mounts")
        self.addCleanup(subprocess.run, ["umount", self.disk], check=True)

    def fill(self):
        with open(self.disk / "filling", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
            except OSError as error:
                self.assertEqual(error.errno, errno.ENOSPC)

    def put_items(self, server):
        call(server.port, "CreateTable", {
            "TableName": "table", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
        for n in range(20):
            self.assertEqual(call(server.port, "PutItem", {"TableName": "table", "Item": {"pk": {"S": str(n)}}}).status, 200)

    def test_a_start_by_the_reserve(self):
        data, reserve = self.disk / "data", self.disk / "data/RESERVE"
        key = {"TableName": "table", "Key": {"pk": {"S": "1"}}}
        server = Server("--data", data).start()
        self.assertEqual(reserve.stat().st_blocks * 512, 16 << 20)
        self.put_items(server)
        self.fill()
        self.assertEqual(call(server.port, "PutItem", {"TableName": "table", "Item": {"pk": {"S": "x" * 2000}, "d": {"S": "x" * 300000}}}).status, 500)
        server.kill()
        with Server("--data", data) as server:
            self.assertIn("warning the disk is full: a reserve of 16 MB is given up to start with; make room", server.error_text())
            self.assertFalse(reserve.exists())
            self.assertEqual(call(server.port, "GetItem", key).json, {"Item": {"pk": {"S": "1"}}})
            self.assertEqual(call(server.port, "DeleteItem", key).status, 200)
            page = http_request(server.port, "GET", "/metrics", {}).body.decode()
            self.assertIn("\ngramme_store_reserve_bytes 0\n", page)
        (self.disk / "filling").unlink()
        with Server("--data", data) as server:
            self.assertEqual(reserve.stat().st_blocks * 512, 16 << 20)
            self.assertEqual(call(server.port, "GetItem", key).json, {})
        with Server("--data", data, "--reserve", 0):
            self.assertFalse(reserve.exists())

    def test_a_log_that_has_to_be_cut(self):
        """Its end is noise that RocksDB 9 would read forever. Cutting it takes room, of the reserve if there is no other."""
        data, key = self.disk / "data", {"TableName": "table", "Key": {"pk": {"S": "19"}}}
        for options in ((), ("--reserve", "0")):
            server = Server("--data", data, *options).start()
            self.put_items(server)
            server.kill()
            with open(max((data / "store").glob("*.log")), "ab") as log:
                log.write(bytes([5]) * 64)
            self.fill()
            if options:
                said = subprocess.run([binary(), "serve", "--port", "0", "--data", data, *options], text=True, capture_output=True, timeout=60)
                self.assertEqual(said.returncode, 1)
                self.assertRegex(said.stderr, r"The log \d+.log of the database in .* cannot be cut at byte \d+, .*: No space left on device\n$")
                (self.disk / "filling").unlink()
            with Server("--data", data, *options) as server:
                self.assertEqual(call(server.port, "GetItem", key).json, {"Item": {"pk": {"S": "19"}}})
                self.assertEqual("a reserve of 16 MB is given up" in server.error_text(), not options)
            if not options:
                (self.disk / "filling").unlink()
            shutil.rmtree(data)


if __name__ == "__main__":
    unittest.main()
