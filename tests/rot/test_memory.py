"""Bits that flip in the memory of a running server: every answer is right, or an error that the log and the metrics tell.

Each copy of an item's text in the server's memory gets one wrong bit, by /proc/PID/mem: in the store in memory or RocksDB's, and in
whatever is left of requests.
"""

import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))

import exposition
from server import Server
from wire import call, http_request

REGION_MAX = 256 << 20  # what a sanitizer reserves is larger
TEXT = "a text that nobody else has in memory 4711"
TABLE = {"TableName": "kept", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")],
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
         "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
         "GlobalSecondaryIndexes": [
             {"IndexName": name, "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": projection}
             for name, projection in (("all", {"ProjectionType": "ALL"}),
                                      ("some", {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text"]}))]}
ITEM = {"pk": {"S": "a"}, "g": {"S": "g"}, "text": {"S": TEXT}, "n": {"N": "1"}}
KEY = {"TableName": "kept", "Key": {"pk": {"S": "a"}}}
SCAN_INDEX = [("Scan", {"TableName": "kept", "IndexName": index}) for index in ("all", "some")]
READS = [("GetItem", KEY), ("Scan", {"TableName": "kept"}), *SCAN_INDEX, ("BatchGetItem", {"RequestItems": {"kept": {"Keys": [KEY["Key"]]}}}),
         ("Scan", {"TableName": "kept", "ProjectionExpression": "pk"}),
         ("Query", {"TableName": "kept", "KeyConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": {"S": "a"}, ":n": {"N": "1"}},
                    "FilterExpression": "n = :n"})]
WRITES = [("UpdateItem", {**KEY, "UpdateExpression": "SET x = n"}), ("DeleteItem", {**KEY, "ReturnValues": "ALL_OLD"}),
          ("PutItem", {"TableName": "kept", "Item": {"pk": {"S": "a"}}, "ConditionExpression": "attribute_exists(pk)"})]


def flip(pid, text):
    """One bit of every place that has the text; returns how many there are."""
    flipped = 0
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
            start, end = (int(number, 16) for number in line.split()[0].split("-"))
            if " rw" not in line or end - start > REGION_MAX:
                continue
            try:
                memory.seek(start)
                content = memory.read(end - start)
            except OSError:
                continue  # it is gone, or nobody may read it
            for match in re.finditer(re.escape(text.encode()), content):
                memory.seek(start + match.start() + 7)
                memory.write(bytes([content[match.start() + 7] ^ 4]))
                flipped += 1
    return flipped


class Memory(unittest.TestCase):
    def records(self, server, arn):
        """The reply of the shard that has the item, or an error."""
        for shard in call(server.port, "DescribeStream", {"StreamArn": arn}).json["StreamDescription"]["Shards"]:
            start = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
            iterator = call(server.port, "GetShardIterator", start).json["ShardIterator"]
            reply = call(server.port, "GetRecords", {"ShardIterator": iterator})
            if reply.status != 200 or TEXT in reply.body.decode():
                return reply
        return self.fail("no shard has the item")

    def check(self, *arguments):
        with Server(*arguments) as server:
            arn = call(server.port, "CreateTable", TABLE).json["TableDescription"]["LatestStreamArn"]
            call(server.port, "PutItem", {"TableName": "kept", "Item": ITEM})
            call(server.port, "PutItem", {"TableName": "kept", "Item": {"pk": {"S": "other"}}})
            for operation, request in READS:
                self.assertEqual(call(server.port, operation, request).status, 200, operation)
            self.assertEqual(self.records(server, arn).status, 200)
            try:
                self.assertGreaterEqual(flip(server.process.pid, TEXT), 4)  # item, entries, record of the stream
            except PermissionError:
                self.skipTest("needs the memory of other processes")
            for operation, request in [*READS, *WRITES]:
                reply = call(server.port, operation, request)
                self.assertEqual((operation, reply.status, reply.json["__type"].split("#")[1]), (operation, 500, "InternalServerError"))
                self.assertNotIn("damage", reply.body.decode())
            self.assertEqual(self.records(server, arn).status, 500)
            self.assertEqual(call(server.port, "GetItem", {"TableName": "kept", "Key": {"pk": {"S": "other"}}}).json,
                             {"Item": {"pk": {"S": "other"}}})
            page = exposition.parse(http_request(server.port, "GET", "/metrics", {}).body.decode())
            self.assertEqual(page["gramme_damaged_reads_total", ()], len(READS) + len(WRITES) + 1)
            self.assertRegex(server.error_text(), r" error GetItem: data is damaged: table kept at [0-9a-f]{40}: its checksum is wrong")
            self.assertNotIn(TEXT[10:], server.error_text())

    def test_of_the_store_in_memory(self):
        self.check("--memory")

    def test_of_rocksdb(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check("--data", folder)


if __name__ == "__main__":
    unittest.main()
