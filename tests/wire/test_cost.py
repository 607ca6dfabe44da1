"""`gramme cost`: figures from the metrics that the server keeps."""

import json
import subprocess
import unittest

from server import binary
from wire import WireTest


class Cost(WireTest):
    def cost(self, *options):
        result = subprocess.run([binary(), "cost", "--endpoint", self.server.endpoint, *options], text=True, capture_output=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def test_what_was_used(self):
        self.create("orders", GlobalSecondaryIndexes=[{
            "IndexName": "by-day", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}])
        self.create("empty")
        writes = reads = 0.0
        for n in range(40):
            reply = self.client.put_item(TableName="orders", Item={"pk": {"S": str(n)}, "text": {"S": "x" * 100 * n}}, ReturnConsumedCapacity="TOTAL")
            writes += reply["ConsumedCapacity"]["CapacityUnits"]
        for _ in range(10):
            reply = self.client.scan(TableName="orders", ReturnConsumedCapacity="TOTAL")
            reads += reply["ConsumedCapacity"]["CapacityUnits"]
        tables = {table["table"]: table for table in json.loads(self.cost("--json"))}
        orders, month = tables["orders"], tables["orders"]["month"]
        self.assertEqual((orders["writeUnits"], orders["readUnits"], orders["requests"]), (writes, reads, 50))
        self.assertAlmostEqual(month["writeUnits"], writes * 730 / 24)
        self.assertAlmostEqual(month["onDemandCost"], month["storageCost"] + month["writeUnits"] / 1e6 * 0.625 + month["readUnits"] / 1e6 * 0.125)
        self.assertEqual((tables["empty"]["requests"], tables["empty"]["month"]["onDemandCost"]), (0, 0))
        self.assertAlmostEqual(json.loads(self.cost("--json", "--table", "orders", "--write-million", "1000000", "--read-million", "0",
                                                    "--storage", "0"))[0]["month"]["onDemandCost"], writes * 730 / 24)
        text = self.cost()
        self.assertIn("\nall tables\n", text)
        self.assertRegex(text, r"  requests +50 +1521\n")

    def test_what_is_wrong(self):
        result = subprocess.run([binary(), "cost", "--endpoint", self.server.endpoint, "--table", "none"], text=True, capture_output=True, timeout=60)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("ResourceNotFoundException", result.stderr)


if __name__ == "__main__":
    unittest.main()
