"""A disk that is full: writers get InternalServerError, readers go on, nothing is half done.

The disk is made full with a limit on the size of files, which fails the write calls of the running
server as a full disk does, and needs no privileges. Lifting the limit makes room again.
"""

import pathlib
import resource
import signal
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "wire"))

from server import Server
from wire import call, check_envelope


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


if __name__ == "__main__":
    unittest.main()
