"""BatchGetItem and BatchWriteItem through boto3: their limits by count and by size."""

import unittest

from wire import WireTest, only


class BatchWrite(WireTest):
    def setUp(self):
        super().setUp()
        self.create()

    @staticmethod
    def puts(count, size=0, prefix=""):
        return [{"PutRequest": {"Item": {"pk": {"S": f"{prefix}{n}"}, "d": {"S": "x" * size}}}} for n in range(count)]

    def test_twenty_five_and_no_more(self):
        answer = self.client.batch_write_item(RequestItems={"table": self.puts(25)})
        self.assertEqual(answer["UnprocessedItems"], {})
        self.assertEqual(self.client.scan(TableName="table")["Count"], 25)

    def test_twenty_six_over_two_tables(self):
        self.create("other")
        self.assert_refused(
            "ValidationException: Too many items requested for the BatchWriteItem call", self.client.batch_write_item,
            RequestItems={"table": self.puts(13), "other": self.puts(13)})
        self.assertEqual(self.client.scan(TableName="table")["Count"], 0)

    def test_twenty_six_in_one_table(self):
        reply = self.call("BatchWriteItem", {"RequestItems": {"table": [
            {"DeleteRequest": {"Key": {"pk": {"S": str(n)}}}} for n in range(26)]}})
        self.assertEqual(reply.status, 400)
        self.assertTrue(reply.error.startswith("ValidationException: 1 validation error detected: Value '{table=["), reply.error)
        self.assertTrue(reply.error.endswith(
            "' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member must have "
            "length less than or equal to 25, Member must have length greater than or equal to 1]"), reply.error)

    def test_a_large_batch(self):
        # 25 items of 400 KB are below the 16 MB of a request.
        answer = self.client.batch_write_item(RequestItems={"table": self.puts(25, 400_000)})
        self.assertEqual(answer["UnprocessedItems"], {})
        pages = self.client.get_paginator("scan").paginate(TableName="table", Select="COUNT")
        self.assertEqual(sum(page["Count"] for page in pages), 25)

    def test_put_replaces_and_delete_removes(self):
        self.client.batch_write_item(RequestItems={"table": self.puts(4)})
        self.client.batch_write_item(RequestItems={"table": [
            {"PutRequest": {"Item": {"pk": {"S": "0"}, "new": {"BOOL": True}}}},
            {"DeleteRequest": {"Key": {"pk": {"S": "1"}}}}]})
        items = {item["pk"]["S"]: item for item in self.client.scan(TableName="table")["Items"]}
        self.assertEqual(sorted(items), ["0", "2", "3"])
        self.assertEqual(items["0"], {"pk": {"S": "0"}, "new": {"BOOL": True}})


class BatchGet(WireTest):
    def setUp(self):
        super().setUp()
        self.create()

    def fill(self, count, size):
        for start in range(0, count, 25):
            self.client.batch_write_item(RequestItems={"table": [
                {"PutRequest": {"Item": {"pk": {"S": str(n)}, "d": {"S": "x" * size}}}}
                for n in range(start, min(start + 25, count))]})

    def keys(self, count):
        return [{"pk": {"S": str(n)}} for n in range(count)]

    def test_a_hundred_keys(self):
        self.fill(100, 10)
        answer = self.client.batch_get_item(RequestItems={"table": {"Keys": self.keys(100)}})
        self.assertEqual(sorted(int(item["pk"]["S"]) for item in answer["Responses"]["table"]), list(range(100)))
        self.assertEqual(answer["UnprocessedKeys"], {})

    def test_a_hundred_and_one_keys(self):
        self.assert_refused(
            "ValidationException: 1 validation error detected: Value at 'RequestItems.table.member.Keys' failed to satisfy "
            "constraint: Member must have length less than or equal to 100", self.client.batch_get_item,
            RequestItems={"table": {"Keys": self.keys(101)}})

    def test_too_many_keys_over_two_tables(self):
        self.create("other")
        self.assert_refused(
            "ValidationException: Too many items requested for the BatchGetItem call", self.client.batch_get_item,
            RequestItems={"table": {"Keys": self.keys(60)}, "other": {"Keys": self.keys(60)}})

    def test_an_answer_of_16_mb_leaves_keys_for_later(self):
        # 60 items of 390 KB are 23 MB: what does not fit comes back as keys, in the form of the request.
        self.fill(60, 390_000)
        request = {"table": {"Keys": self.keys(60), "ConsistentRead": True, "ProjectionExpression": "pk, #d",
                             "ExpressionAttributeNames": {"#d": "d"}}}
        seen, rounds = set(), 0
        while request:
            answer = self.client.batch_get_item(RequestItems=request)
            got = {item["pk"]["S"] for item in answer["Responses"].get("table", [])}
            self.assertFalse(seen & got)
            self.assertLessEqual(len(got) * 390_000, 17_200_000)
            seen |= got
            request = answer["UnprocessedKeys"]
            if request:
                self.assertEqual(request["table"]["ConsistentRead"], True)
                self.assertEqual(request["table"]["ProjectionExpression"], "pk, #d")
                self.assertEqual(request["table"]["ExpressionAttributeNames"], {"#d": "d"})
            rounds += 1
        self.assertEqual((len(seen), rounds), (60, 2))

    def test_two_tables(self):
        self.create("other", "id:N")
        self.fill(3, 1)
        self.client.put_item(TableName="other", Item={"id": {"N": "1"}})
        answer = only(self.client.batch_get_item(RequestItems={
            "table": {"Keys": self.keys(2), "ProjectionExpression": "pk"}, "other": {"Keys": [{"id": {"N": "1"}}]}}))
        self.assertEqual(sorted(item["pk"]["S"] for item in answer["Responses"]["table"]), ["0", "1"])
        self.assertEqual(answer["Responses"]["other"], [{"id": {"N": "1"}}])


if __name__ == "__main__":
    unittest.main()
