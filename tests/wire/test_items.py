"""Items through boto3's client and its resource interface: all types, there and back."""

import random
import unittest
from decimal import Decimal

from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary

from wire import WireTest, only


class Items(WireTest):
    def setUp(self):
        super().setUp()
        self.create()

    def put(self, **attributes):
        self.client.put_item(TableName="table", Item={"pk": {"S": "a"}, **attributes})

    def get(self, **options):
        return self.client.get_item(TableName="table", Key={"pk": {"S": "a"}}, **options).get("Item")

    def test_put_get_delete(self):
        self.assertIsNone(self.get())
        self.put(v={"N": "1"})
        self.assertEqual(self.get(), {"pk": {"S": "a"}, "v": {"N": "1"}})
        self.client.delete_item(TableName="table", Key={"pk": {"S": "a"}})
        self.assertIsNone(self.get())

    def test_every_key_type(self):
        keys = {"S": ["a", "é", "\U0001d11e", "x" * 2048], "N": ["0", "-1", "1.5", "9" * 38, "0.001"],
                "B": [b"\x00", b"\xff" * 2048, b"a\x00b"]}
        for kind, values in keys.items():
            with self.subTest(kind=kind):
                name = self.create(f"keys-{kind}", f"k:{kind}")
                for value in values:
                    self.client.put_item(TableName=name, Item={"k": {kind: value}, "is": {kind: value}})
                for value in values:
                    item = self.client.get_item(TableName=name, Key={"k": {kind: value}})["Item"]
                    self.assertEqual(item, {"k": {kind: value}, "is": {kind: value}})
                self.assertEqual(self.client.scan(TableName=name)["Count"], len(values))

    def test_every_byte(self):
        data = bytes(range(256)) * 16
        self.put(b={"B": data}, bs={"BS": [bytes([n]) for n in range(256)]})
        item = self.get()
        self.assertEqual(item["b"], {"B": data})
        self.assertEqual(item["bs"], {"BS": [bytes([n]) for n in range(256)]})

    def test_every_character(self):
        text = "".join(chr(c) for c in (*range(0x20), 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff))
        self.put(**{text: {"S": text}})
        self.assertEqual(self.get()[text], {"S": text})

    def test_many_attributes(self):
        attributes = {f"attribute-{n}": {"N": str(n)} for n in range(3000)}
        self.put(**attributes)
        self.assertEqual(self.get(), {"pk": {"S": "a"}, **attributes})

    def test_a_large_item(self):
        self.put(d={"S": "é" * 200_000})
        self.assertEqual(self.get()["d"]["S"], "é" * 200_000)

    def test_deep_nesting(self):
        value = {"S": "leaf"}
        for n in range(31):
            value = {"L": [value]} if n % 2 else {"M": {"k": value}}
        self.put(deep=value)
        self.assertEqual(self.get()["deep"], value)
        with self.assertRaises(self.client.exceptions.ClientError) as caught:
            self.put(deep={"L": [value]})
        self.assertTrue(caught.exception.response["Error"]["Message"].endswith(
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
            "beyond supported limit"))

    def test_random_numbers_keep_every_digit(self):
        rng = random.Random(20260101)
        numbers = {}
        for n in range(300):
            digits = str(rng.randint(1, 10 ** rng.randint(1, 38) - 1))
            numbers[f"n{n}"] = Decimal(rng.choice("+-") + digits + "E" + str(rng.randint(-120, 87)))
        self.put(**{name: {"N": f"{value:E}"} for name, value in numbers.items()})
        item = self.get()
        for name, value in numbers.items():
            self.assertEqual(Decimal(item[name]["N"]), value)
            self.assertNotIn("E", item[name]["N"])

    def test_return_values_on_condition_check_failure(self):
        self.put(v={"N": "1"})
        for operation, arguments in (
                (self.client.put_item, {"Item": {"pk": {"S": "a"}}}),
                (self.client.update_item, {"Key": {"pk": {"S": "a"}}}),
                (self.client.delete_item, {"Key": {"pk": {"S": "a"}}})):
            response = self.assert_refused(
                "ConditionalCheckFailedException: The conditional request failed", operation, TableName="table",
                ConditionExpression="attribute_not_exists(pk)", **arguments)
            self.assertNotIn("Item", response)

    def test_request_ids_differ(self):
        ids = {self.client.list_tables()["ResponseMetadata"]["RequestId"] for _ in range(50)}
        self.assertEqual(len(ids), 50)
        self.assertTrue(all(len(i) == 52 for i in ids))


class Resource(WireTest):
    """boto3's resource interface, which most Python programs use."""

    def setUp(self):
        super().setUp()
        self.create("music", "artist:S", "year:N")
        self.table = self.resource_table("music")

    def test_python_types(self):
        item = {
            "artist": "Björk", "year": Decimal(1995), "title": "Post", "rating": Decimal("9.5"), "good": True,
            "bad": None, "cover": Binary(b"\x00\x01"), "tags": {"pop", "art"}, "charts": {Decimal(1), Decimal("2.5")},
            "tracks": [{"n": Decimal(1), "name": "Army of Me"}, "Hyperballad"], "more": {"label": {"name": "One Little"}},
        }
        self.table.put_item(Item=item)
        self.assertEqual(self.table.get_item(Key={"artist": "Björk", "year": 1995})["Item"], item)

    def test_conditions_query_and_batch_writer(self):
        with self.table.batch_writer() as batch:
            for year in range(1900, 2000):
                batch.put_item(Item={"artist": "one", "year": year, "even": year % 2 == 0})
        self.assertEqual(self.table.item_count, 100)
        answer = self.table.query(
            KeyConditionExpression=Key("artist").eq("one") & Key("year").between(1950, 1959),
            FilterExpression=Attr("even").eq(True), ProjectionExpression="#y", ExpressionAttributeNames={"#y": "year"})
        self.assertEqual([int(item["year"]) for item in answer["Items"]], [1950, 1952, 1954, 1956, 1958])
        answer = self.table.scan(FilterExpression=Attr("year").lt(1910) & ~Attr("even").eq(True))
        self.assertEqual(answer["Count"], 5)

    def test_update(self):
        key = {"artist": "one", "year": 1}
        answer = self.table.update_item(
            Key=key, UpdateExpression="SET plays = if_not_exists(plays, :zero) + :one, tags = :tags",
            ExpressionAttributeValues={":zero": 0, ":one": 1, ":tags": ["a"]}, ReturnValues="ALL_NEW")
        self.assertEqual(answer["Attributes"], {**key, "plays": 1, "tags": ["a"]})
        answer = self.table.update_item(
            Key=key, UpdateExpression="SET plays = plays + :one, tags = list_append(tags, :tags)",
            ExpressionAttributeValues={":one": 1, ":tags": ["b"]}, ReturnValues="UPDATED_NEW")
        self.assertEqual(answer["Attributes"], {"plays": 2, "tags": ["a", "b"]})
        self.assertEqual(only(self.table.delete_item(Key=key, ReturnValues="ALL_OLD"))["Attributes"]["plays"], 2)


if __name__ == "__main__":
    unittest.main()
