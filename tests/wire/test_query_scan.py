"""Query and Scan through boto3: order, pages of Limit and of 1 MB, parallel scans."""

import random
import unittest
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

from wire import WireTest, only


class Order(WireTest):
    """Sort keys of each type come back in their order, forwards and backwards."""

    def put_all(self, kind, values):
        self.create("order", "pk:S", f"sk:{kind}")
        requests = [{"PutRequest": {"Item": {"pk": {"S": "p"}, "sk": {kind: value}}}} for value in values]
        random.Random(1).shuffle(requests)
        for start in range(0, len(requests), 25):
            self.client.batch_write_item(RequestItems={"order": requests[start:start + 25]})

    def query(self, kind, condition="", values=None, **options):
        answer = self.client.query(
            TableName="order", KeyConditionExpression="pk = :p" + condition,
            ExpressionAttributeValues={":p": {"S": "p"}, **(values or {})}, **options)
        return [item["sk"][kind] for item in answer["Items"]]

    def test_strings_by_utf8_bytes(self):
        values = sorted(["a", "B", "aa", "é", "z", "~", "\uffff", "\U0001d11e", "0", " ", "\u0000x", "ab\u0000", "ab"],
                        key=lambda text: text.encode())
        self.put_all("S", values)
        self.assertEqual(self.query("S"), values)
        self.assertEqual(self.query("S", ScanIndexForward=False), values[::-1])
        self.assertEqual(self.query("S", " AND begins_with(sk, :v)", {":v": {"S": "a"}}), ["a", "aa", "ab", "ab\u0000"])
        self.assertEqual(self.query("S", " AND sk > :v", {":v": {"S": "\uffff"}}), ["\U0001d11e"])

    def test_binaries_by_bytes(self):
        values = sorted([b"\x00", b"\x00\x00", b"\x01", b"\x7f", b"\x80", b"\xff", b"\xff\x00", b"a", b"ab"])
        self.put_all("B", values)
        self.assertEqual(self.query("B"), values)
        self.assertEqual(self.query("B", ScanIndexForward=False), values[::-1])
        self.assertEqual(self.query("B", " AND begins_with(sk, :v)", {":v": {"B": b"\xff"}}), [b"\xff", b"\xff\x00"])

    def test_numbers_by_value(self):
        rng = random.Random(3)
        numbers = {Decimal(text) for text in ("0", "1E-130", "-1E-130", "9.9E125", "-9.9E125", "1", "-1", "10", "9")}
        while len(numbers) < 150:
            digits = rng.randint(1, 10 ** rng.randint(1, 38) - 1)
            numbers.add(Decimal(rng.choice([1, -1]) * digits).scaleb(rng.randint(-60, 60)).normalize())
        ordered = sorted(numbers)
        self.put_all("N", [f"{number:E}" for number in ordered])
        self.assertEqual([Decimal(text) for text in self.query("N")], ordered)
        self.assertEqual([Decimal(text) for text in self.query("N", ScanIndexForward=False)], ordered[::-1])
        for low, high in ((0, 149), (40, 80), (75, 76)):
            between = self.query("N", " AND sk BETWEEN :a AND :b", {
                ":a": {"N": f"{ordered[low]:E}"}, ":b": {"N": f"{ordered[high]:E}"}})
            self.assertEqual([Decimal(text) for text in between], ordered[low:high + 1])


class Pages(WireTest):
    def fill(self, count, size=0, partitions=1):
        self.create("pages", "pk:S", "sk:N")
        requests = [{"PutRequest": {"Item": {
            "pk": {"S": f"p{n % partitions}"}, "sk": {"N": str(n)}, "d": {"S": "x" * size}}}} for n in range(count)]
        for start in range(0, count, 25):
            self.client.batch_write_item(RequestItems={"pages": requests[start:start + 25]})

    def pages(self, operation, **options):
        return list(self.client.get_paginator(operation).paginate(TableName="pages", **options))

    def test_query_by_limit(self):
        self.fill(23)
        for limit in (1, 5, 22, 23, 24):
            with self.subTest(limit=limit):
                pages = self.pages("query", KeyConditionExpression="pk = :p", Limit=limit,
                                   ExpressionAttributeValues={":p": {"S": "p0"}})
                self.assertEqual([int(item["sk"]["N"]) for page in pages for item in page["Items"]], list(range(23)))
                self.assertTrue(all(page["ScannedCount"] <= limit for page in pages))

    def test_scan_by_limit(self):
        self.fill(60, partitions=20)
        everything = self.client.scan(TableName="pages")["Items"]
        for limit in (1, 7, 60):
            pages = self.pages("scan", Limit=limit)
            self.assertEqual([item for page in pages for item in page["Items"]], everything)

    def test_query_by_size(self):
        # 40 items of about 100 KB: a page holds about 1 MB, so there are four of them.
        self.fill(40, 100_000)
        pages = self.pages("query", KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": "p0"}})
        self.assertEqual([int(item["sk"]["N"]) for page in pages for item in page["Items"]], list(range(40)))
        sizes = [page["Count"] for page in pages]
        self.assertTrue(all(10 <= size <= 11 for size in sizes[:-1]), sizes)
        backwards = self.pages("query", KeyConditionExpression="pk = :p", ScanIndexForward=False,
                               ExpressionAttributeValues={":p": {"S": "p0"}})
        self.assertEqual([int(item["sk"]["N"]) for page in backwards for item in page["Items"]], list(range(39, -1, -1)))

    def test_size_counts_before_filter_and_projection(self):
        self.fill(40, 100_000)
        pages = self.pages("scan", FilterExpression="sk > :n", ProjectionExpression="sk",
                           ExpressionAttributeValues={":n": {"N": "34"}})
        self.assertEqual(sum(page["Count"] for page in pages), 5)
        self.assertEqual(sum(page["ScannedCount"] for page in pages), 40)
        self.assertGreaterEqual(len(pages), 4)
        self.assertEqual((pages[0]["Items"], pages[0]["Count"]), ([], 0))

    def test_count(self):
        self.fill(50, 50_000)
        pages = self.pages("scan", Select="COUNT")
        self.assertEqual(sum(page["Count"] for page in pages), 50)
        self.assertTrue(all("Items" not in page for page in pages))

    def test_a_page_survives_changes(self):
        """Items that nobody touches are seen once each, whatever happens between the pages."""
        self.fill(30)
        seen, start = [], {}
        while True:
            page = self.client.query(TableName="pages", KeyConditionExpression="pk = :p", Limit=4,
                                     ExpressionAttributeValues={":p": {"S": "p0"}}, **start)
            seen += [int(item["sk"]["N"]) for item in page["Items"]]
            if "LastEvaluatedKey" not in page:
                break
            last = page["LastEvaluatedKey"]
            self.client.delete_item(TableName="pages", Key=last)
            start = {"ExclusiveStartKey": last}
        self.assertEqual(seen, list(range(30)))

    def test_start_keys(self):
        self.fill(10)
        page = self.client.query(TableName="pages", KeyConditionExpression="pk = :p",
                                 ExpressionAttributeValues={":p": {"S": "p0"}},
                                 ExclusiveStartKey={"pk": {"S": "p0"}, "sk": {"N": "6.5"}})
        self.assertEqual([item["sk"]["N"] for item in page["Items"]], ["7", "8", "9"])


class ParallelScan(WireTest):
    def test_segments_share_the_table(self):
        self.create("segments", "pk:S", "sk:N")
        requests = [{"PutRequest": {"Item": {"pk": {"S": f"p{n // 3}"}, "sk": {"N": str(n)}}}} for n in range(600)]
        for start in range(0, 600, 25):
            self.client.batch_write_item(RequestItems={"segments": requests[start:start + 25]})

        def segment(number, total):
            pages = self.client.get_paginator("scan").paginate(
                TableName="segments", Segment=number, TotalSegments=total, PaginationConfig={"PageSize": 17})
            return [item["sk"]["N"] for page in pages for item in page["Items"]]

        for total in (1, 2, 4, 7):
            with self.subTest(total=total), ThreadPoolExecutor(total) as pool:
                parts = list(pool.map(lambda n: segment(n, total), range(total)))
                everything = [number for part in parts for number in part]
                self.assertEqual(sorted(map(int, everything)), list(range(600)))
                # The hash spreads 200 partitions: no segment is far from its share.
                self.assertTrue(all(300 / total < len(part) < 1200 / total for part in parts), [len(p) for p in parts])

    def test_a_start_key_of_another_segment(self):
        self.create("segments")
        for n in range(40):
            self.client.put_item(TableName="segments", Item={"pk": {"S": str(n)}})
        first = self.client.scan(TableName="segments", Segment=0, TotalSegments=2)["Items"][0]
        self.assert_refused(
            "ValidationException: The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
            "ExclusiveStartKey with correct Segment. TotalSegments: 2 Segment: 1", self.client.scan,
            TableName="segments", Segment=1, TotalSegments=2, ExclusiveStartKey=first)

    def test_more_segments_than_items(self):
        self.create("segments")
        self.client.put_item(TableName="segments", Item={"pk": {"S": "only"}})
        counts = [only(self.client.scan(TableName="segments", Segment=n, TotalSegments=50))["Count"] for n in range(50)]
        self.assertEqual(sum(counts), 1)
        last = self.client.scan(TableName="segments", Segment=999999, TotalSegments=1000000)
        self.assertIn(last["Count"], (0, 1))


if __name__ == "__main__":
    unittest.main()
