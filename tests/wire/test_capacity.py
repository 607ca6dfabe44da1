"""ConsumedCapacity through boto3: the units of pages and batches add up."""

import unittest
from math import ceil

from wire import WireTest


class Capacity(WireTest):
    def setUp(self):
        super().setUp()
        self.create("table", "pk:S", "sk:N")

    def put(self, number, size):
        """An item of exactly `size` bytes: 2 + 1 for pk, 2 + 2 for a one or two digit sk, 1 for the name d."""
        return self.client.put_item(
            TableName="table", ReturnConsumedCapacity="TOTAL",
            Item={"pk": {"S": "p"}, "sk": {"N": str(number)}, "d": {"S": "x" * (size - 8)}})["ConsumedCapacity"]

    def test_write_units_by_size(self):
        for number, size in enumerate((100, 1024, 1025, 2048, 2049, 102400), 1):
            with self.subTest(size=size):
                self.assertEqual(self.put(number, size), {"TableName": "table", "CapacityUnits": ceil(size / 1024)})

    def test_read_units_by_size(self):
        for number, size in enumerate((100, 4096, 4097, 8192, 8193, 409600), 1):
            with self.subTest(size=size):
                self.put(number, size)
                for consistent, factor in ((True, 1), (False, 0.5)):
                    answer = self.client.get_item(TableName="table", Key={"pk": {"S": "p"}, "sk": {"N": str(number)}},
                                                  ConsistentRead=consistent, ReturnConsumedCapacity="TOTAL")
                    self.assertEqual(answer["ConsumedCapacity"]["CapacityUnits"], ceil(size / 4096) * factor)

    def test_query_adds_up_before_it_rounds(self):
        for number in range(1, 11):
            self.put(number, 1000)
        for limit, units in ((1, 1), (4, 1), (5, 2), (10, 3)):
            answer = self.client.query(
                TableName="table", KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "p"}},
                Limit=limit, ConsistentRead=True, ReturnConsumedCapacity="INDEXES")
            self.assertEqual(answer["ConsumedCapacity"], {
                "TableName": "table", "CapacityUnits": units, "Table": {"CapacityUnits": units}})

    def test_batches_round_each_item(self):
        answer = self.client.batch_write_item(ReturnConsumedCapacity="TOTAL", RequestItems={"table": [
            {"PutRequest": {"Item": {"pk": {"S": "p"}, "sk": {"N": str(n)}, "d": {"S": "x" * 1100}}}} for n in range(1, 6)]})
        self.assertEqual(answer["ConsumedCapacity"], [{"TableName": "table", "CapacityUnits": 10}])
        answer = self.client.batch_get_item(ReturnConsumedCapacity="TOTAL", RequestItems={"table": {
            "Keys": [{"pk": {"S": "p"}, "sk": {"N": str(n)}} for n in range(1, 6)]}})
        self.assertEqual(answer["ConsumedCapacity"], [{"TableName": "table", "CapacityUnits": 2.5}])

    def test_one_entry_per_table(self):
        self.create("other")
        answer = self.client.batch_write_item(ReturnConsumedCapacity="INDEXES", RequestItems={
            "table": [{"PutRequest": {"Item": {"pk": {"S": "p"}, "sk": {"N": "1"}}}}],
            "other": [{"PutRequest": {"Item": {"pk": {"S": "p"}, "d": {"S": "x" * 3000}}}}]})
        units = {entry["TableName"]: entry["CapacityUnits"] for entry in answer["ConsumedCapacity"]}
        self.assertEqual(units, {"table": 1, "other": 3})
        self.assertTrue(all(entry["Table"]["CapacityUnits"] == entry["CapacityUnits"] for entry in answer["ConsumedCapacity"]))

    def test_pages_cost_what_they_read(self):
        for number in range(30):
            self.put(number + 10, 100_000)
        pages = self.client.get_paginator("scan").paginate(
            TableName="table", FilterExpression="attribute_not_exists(d)", ReturnConsumedCapacity="TOTAL")
        total = sum(page["ConsumedCapacity"]["CapacityUnits"] for page in pages)
        # 3,000,000 bytes at half a unit per 4 KB, and at most half a unit lost to rounding per page and per empty partition.
        self.assertGreaterEqual(total, 3_000_000 / 4096 / 2)
        self.assertLessEqual(total, 3_000_000 / 4096 / 2 + 4)

    def test_pages_of_a_scan_ask_the_partitions_on_their_way(self):
        for number in range(50):
            self.client.put_item(TableName="table", Item={"pk": {"S": f"p{number}"}, "sk": {"N": "1"}})
        pages = list(self.client.get_paginator("scan").paginate(
            TableName="table", ConsistentRead=True, ReturnConsumedCapacity="TOTAL", PaginationConfig={"PageSize": 1}))
        self.assertEqual(len(pages), 51)  # the last one is empty
        # A unit for each page, and one more for each of the three times that a page goes on in the next partition.
        self.assertEqual(sum(page["ConsumedCapacity"]["CapacityUnits"] for page in pages), 51 + 3)


if __name__ == "__main__":
    unittest.main()
