"""The log: levels, lines of JSON, and requests that are slow."""

import json
import re
import tempfile
import unittest

from server import Server
from wire import call

TABLE = {"TableName": "slow", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}
LARGE = {"RequestItems": {"slow": [{"PutRequest": {"Item": {"pk": {"S": str(n)}, "b": {"S": "v" * 300000}}}} for n in range(25)]}}


class Slow(unittest.TestCase):
    def test_where_the_time_went(self):
        with tempfile.TemporaryDirectory() as folder, \
                Server("--data", folder, "--slow-ms", 1, "--log-format", "json") as server:
            call(server.port, "CreateTable", TABLE)
            reply = call(server.port, "BatchWriteItem", LARGE)
            scan = call(server.port, "Scan", {"TableName": "slow", "FilterExpression": "size(b) > :n",
                                              "ExpressionAttributeValues": {":n": {"N": "300000"}}})
            self.assertEqual((reply.status, scan.status), (200, 200))
        lines = [json.loads(line) for line in server.error_text().splitlines()]  # all of them, as it has stopped
        slow = {line["operation"]: line for line in lines if line["message"] == "slow request"}
        line = slow["BatchWriteItem"]
        self.assertEqual((line["requestId"], line["table"], line["items"], line["level"]),
                         (reply.headers["x-amzn-requestid"], "slow", 25, "warning"))
        self.assertGreater(line["bytes"], 25 * 300000)
        parts = sum(line[name] for name in ("decodeMs", "runMs", "commitMs", "replyMs"))
        self.assertAlmostEqual(parts, line["totalMs"], delta=1)
        self.assertTrue(0 < line["syncMs"] <= line["commitMs"], line)
        self.assertNotIn("workerMs", line)

    def test_as_text(self):
        with Server("--memory", "--slow-ms", 1) as server:
            call(server.port, "CreateTable", TABLE)
            call(server.port, "BatchWriteItem", LARGE)
        self.assertRegex(server.error_text(), r"\dZ warning slow request requestId=[0-9A-V]{52} operation=BatchWriteItem table=slow items=25 "
                               r"bytes=\d+ totalMs=[\d.]+ decodeMs=")

    def test_no_more_than_ten_in_a_second(self):
        with Server("--memory", "--slow-ms", 1) as server:
            call(server.port, "CreateTable", TABLE)
            for _ in range(30):
                call(server.port, "BatchWriteItem", LARGE)
        text, seconds = server.error_text(), {}
        for second in re.findall(r"^(\S+)\.\d+Z warning slow request", text, re.M):
            seconds[second] = seconds.get(second, 0) + 1
        self.assertLessEqual(max(seconds.values()), 20)  # seconds of two clocks overlap

    def test_nothing_is_slow_unless_it_is_said(self):
        with Server("--memory") as server:
            call(server.port, "CreateTable", TABLE)
            call(server.port, "BatchWriteItem", LARGE)
        self.assertNotIn("slow request", server.error_text())

    def test_levels(self):
        with Server("--memory", "--slow-ms", 1, "--log-level", "error") as server:
            call(server.port, "CreateTable", TABLE)
            call(server.port, "BatchWriteItem", LARGE)
        self.assertEqual(server.error_text(), "")


if __name__ == "__main__":
    unittest.main()
