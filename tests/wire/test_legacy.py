"""The legacy parameters through boto3, as programs written before expressions use them.

Their texts and the meaning of each operator are in tests/data/wire/legacy_*.txt; here they make round trips, agree with
the expressions that replaced them, and follow a small model. GRAMME_SEED=n gives the random tests another seed.
"""

import os
import random
import threading
import unittest
from decimal import Decimal

from botocore.exceptions import ClientError

from wire import WireTest

SEED = int(os.environ.get("GRAMME_SEED", 1))


def condition(operator, *values):
    return {"ComparisonOperator": operator, "AttributeValueList": list(values)}


class Resource(WireTest):
    """boto3's resource interface, which turns Python's types into attribute values and back."""

    def setUp(self):
        super().setUp()
        self.create("music", "artist:S", "year:N")
        self.table = self.resource_table("music")

    def test_updates_of_python_types(self):
        key = {"artist": "Björk", "year": 1995}
        new = {"title": "Post", "rating": Decimal("9.5"), "good": True, "bad": None, "tags": {"pop", "art"},
               "tracks": ["Army of Me", {"n": Decimal(2)}], "more": {"label": {"name": "One Little"}}}
        answer = self.table.update_item(
            Key=key, AttributeUpdates={name: {"Value": value, "Action": "PUT"} for name, value in new.items()},
            ReturnValues="ALL_NEW")
        self.assertEqual(answer["Attributes"], {**key, **new})
        answer = self.table.update_item(Key=key, ReturnValues="UPDATED_NEW", AttributeUpdates={
            "rating": {"Value": Decimal("0.5"), "Action": "ADD"}, "tags": {"Value": {"rock"}, "Action": "ADD"},
            "tracks": {"Value": ["Isobel"], "Action": "ADD"}, "bad": {"Action": "DELETE"}})
        self.assertEqual(answer["Attributes"], {
            "rating": 10, "tags": {"pop", "art", "rock"}, "tracks": ["Army of Me", {"n": 2}, "Isobel"]})
        self.table.update_item(Key=key, AttributeUpdates={"tags": {"Value": {"pop", "rock"}, "Action": "DELETE"}})
        item = self.table.get_item(Key=key)["Item"]
        self.assertEqual(item["tags"], {"art"})
        self.assertNotIn("bad", item)

    def test_expected(self):
        item = {"artist": "one", "year": 1, "plays": 1}
        self.table.put_item(Item=item, Expected={"artist": {"Exists": False}})
        with self.assertRaises(ClientError) as caught:
            self.table.put_item(Item=item, Expected={"artist": {"Exists": False}})
        self.assertEqual(caught.exception.response["Error"]["Code"], "ConditionalCheckFailedException")
        self.table.put_item(Item={**item, "plays": 2}, Expected={"plays": {"Value": 1}})
        key = {"artist": "one", "year": 1}
        with self.assertRaises(ClientError):
            self.table.delete_item(Key=key, Expected={"plays": condition("BETWEEN", 3, 9)})
        self.table.delete_item(Key=key, ConditionalOperator="OR", Expected={
            "plays": condition("BETWEEN", 3, 9), "artist": condition("BEGINS_WITH", "o")})
        self.assertNotIn("Item", self.table.get_item(Key=key))

    def test_query_and_scan(self):
        with self.table.batch_writer() as batch:
            for year in range(1900, 2000):
                batch.put_item(Item={"artist": "one", "year": year, "even": year % 2 == 0, "decade": str(year)[2]})
        years = lambda answer: [int(item["year"]) for item in answer["Items"]]
        answer = self.table.query(
            KeyConditions={"artist": condition("EQ", "one"), "year": condition("BETWEEN", 1950, 1959)},
            QueryFilter={"even": condition("EQ", True)}, AttributesToGet=["year"], ScanIndexForward=False)
        self.assertEqual(years(answer), [1958, 1956, 1954, 1952, 1950])
        self.assertEqual(answer["ScannedCount"], 10)
        answer = self.table.scan(ConditionalOperator="OR", ScanFilter={
            "year": condition("LT", 1903), "decade": condition("IN", "9", "x")})
        self.assertEqual(sorted(years(answer)), [1900, 1901, 1902, *range(1990, 2000)])

    def test_pages(self):
        with self.table.batch_writer() as batch:
            for year in range(25):
                batch.put_item(Item={"artist": "one", "year": year, "third": year % 3})
        paginator = self.table.meta.client.get_paginator("query")
        pages = list(paginator.paginate(
            TableName="music", KeyConditions={"artist": condition("EQ", "one"), "year": condition("GE", 5)},
            QueryFilter={"third": condition("NE", 0)}, PaginationConfig={"PageSize": 4}))
        self.assertEqual([int(item["year"]) for page in pages for item in page["Items"]],
                         [year for year in range(5, 25) if year % 3])
        self.assertEqual(sum(page["ScannedCount"] for page in pages), 20)


class Locking(WireTest):
    def test_a_version_keeps_writers_apart(self):
        """Read, add one, write if nobody else has: no increment is lost."""
        self.create()
        key = {"pk": {"S": "a"}}
        self.client.put_item(TableName="table", Item={**key, "version": {"N": "0"}})

        def increment(times):
            while times > 0:
                version = self.client.get_item(TableName="table", Key=key, ConsistentRead=True)["Item"]["version"]
                try:
                    self.client.update_item(
                        TableName="table", Key=key, Expected={"version": {"Value": version}},
                        AttributeUpdates={"version": {"Value": {"N": str(int(version["N"]) + 1)}}})
                    times -= 1
                except self.client.exceptions.ConditionalCheckFailedException:
                    pass

        threads = [threading.Thread(target=increment, args=(25,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.client.get_item(TableName="table", Key=key)["Item"]["version"], {"N": "100"})


SCALARS = [{"S": text} for text in ("", "a", "ab", "b")] + [{"N": text} for text in ("-1", "0", "1", "10")] + \
          [{"B": data} for data in (b"\x00", b"a", b"ab")]
OTHERS = [{"BOOL": True}, {"BOOL": False}, {"NULL": True}, {"SS": ["a", "ab"]}, {"NS": ["1", "10"]}, {"BS": [b"a"]},
          {"L": [{"S": "a"}, {"N": "1"}]}, {"L": []}, {"M": {"a": {"S": "a"}}}]
EXPRESSIONS = {
    "EQ": "#a = :0", "NE": "#a <> :0", "LT": "#a < :0", "LE": "#a <= :0", "GT": "#a > :0", "GE": "#a >= :0",
    "BETWEEN": "#a BETWEEN :0 AND :1", "IN": "#a IN (:0, :1, :2)", "BEGINS_WITH": "begins_with(#a, :0)",
    "CONTAINS": "contains(#a, :0)", "NOT_CONTAINS": "attribute_exists(#a) AND NOT contains(#a, :0)",
    "NULL": "attribute_not_exists(#a)", "NOT_NULL": "attribute_exists(#a)",
}


class Agreement(WireTest):
    """A condition and the expression that replaced it choose the same items."""

    def setUp(self):
        super().setUp()
        self.create()
        for n, value in enumerate(SCALARS + OTHERS):
            self.client.put_item(TableName="table", Item={"pk": {"S": str(n)}, "a": value})
        self.client.put_item(TableName="table", Item={"pk": {"S": "without"}})

    def operands(self, rng, operator):
        if operator in ("NULL", "NOT_NULL"):
            return []
        if operator in ("EQ", "NE"):
            return [rng.choice(SCALARS + OTHERS)]
        kind = rng.choice("SB" if operator == "BEGINS_WITH" else "SNB")
        values = [value for value in SCALARS if kind in value]
        if operator == "BETWEEN":
            first, second = sorted((rng.randrange(len(values)), rng.randrange(len(values))))
            return [values[first], values[second]]
        return [rng.choice(values) for _ in range(3 if operator == "IN" else 1)]

    def chosen(self, **arguments):
        return sorted(item["pk"]["S"] for item in self.client.scan(TableName="table", **arguments)["Items"])

    def test_single_conditions(self):
        rng = random.Random(SEED)
        matched = 0
        for operator in list(EXPRESSIONS) * 12:
            values = self.operands(rng, operator)
            with self.subTest(seed=SEED, operator=operator, values=values):
                expression = {"FilterExpression": EXPRESSIONS[operator], "ExpressionAttributeNames": {"#a": "a"}}
                if values:
                    expression["ExpressionAttributeValues"] = {f":{n}": value for n, value in enumerate(values)}
                items = self.chosen(ScanFilter={"a": condition(operator, *values)})
                self.assertEqual(items, self.chosen(**expression))
                matched += len(items)
        self.assertGreater(matched, 200, "the conditions should choose something")

    def test_joined_conditions(self):
        rng = random.Random(SEED + 1)
        everything = self.chosen()
        for _ in range(40):
            joined = rng.choice(["AND", "OR"])
            filters = {name: condition(operator, *self.operands(rng, operator))
                       for name, operator in zip(["a", "pk", "absent"], rng.sample(list(EXPRESSIONS), 3))}
            with self.subTest(seed=SEED, joined=joined, filters=filters):
                single = [set(self.chosen(ScanFilter={name: one})) for name, one in filters.items()]
                expected = set.intersection(*single) if joined == "AND" else set.union(*single)
                self.assertEqual(self.chosen(ScanFilter=filters, ConditionalOperator=joined),
                                 [key for key in everything if key in expected])


class Model(WireTest):
    """Random updates against a dictionary."""

    MISMATCH = "ValidationException: Type mismatch for attribute to update"

    @staticmethod
    def apply(item, updates):
        """The new attributes, None where no item comes of it, or the error."""
        new = dict(item or {})
        for name, update in updates.items():
            action, value = update.get("Action", "PUT"), update.get("Value")
            if action == "PUT" or (action == "ADD" and name not in new):
                new[name] = value
            elif value is None:
                new.pop(name, None)
            elif name in new:
                (kind, old), (other, operand) = *new[name].items(), *value.items()
                if kind != other:
                    return Model.MISMATCH
                result = str(int(old) + int(operand)) if kind == "N" else old + operand if kind == "L" else \
                    sorted(set(old) | set(operand) if action == "ADD" else set(old) - set(operand))
                new[name] = {kind: result}
                if kind in ("SS", "L") and result == [] and action == "DELETE":
                    del new[name]
        takes = bool(updates) and all(update.get("Action") == "DELETE" for update in updates.values())
        return None if item is None and takes else new

    @staticmethod
    def random_update(rng):
        values = [{"N": str(rng.randint(-9, 9))}, {"SS": sorted(rng.sample("abcd", rng.randint(1, 3)))},
                  {"L": [{"N": str(rng.randint(0, 9))}]}]
        return rng.choice([
            {"Action": "PUT", "Value": rng.choice(values)}, {"Value": rng.choice(values)},
            {"Action": "ADD", "Value": rng.choice(values)}, {"Action": "ADD", "Value": rng.choice(values)},
            {"Action": "DELETE"}, {"Action": "DELETE", "Value": values[1]}])

    def test_random_updates(self):
        self.create()
        rng = random.Random(SEED + 2)
        items, errors = {}, 0
        for step in range(600):
            key = rng.choice("xyz")
            updates = {name: self.random_update(rng) for name in rng.sample("abc", rng.randint(0, 3))}
            if rng.random() < 0.05:
                self.client.delete_item(TableName="table", Key={"pk": {"S": key}})
                items.pop(key, None)
            expected = self.apply(items.get(key), updates)
            arguments = {"TableName": "table", "Key": {"pk": {"S": key}}, "AttributeUpdates": updates}
            with self.subTest(seed=SEED, step=step, updates=updates, item=items.get(key)):
                if expected == self.MISMATCH:
                    self.assert_refused(expected, self.client.update_item, **arguments)
                    errors += 1
                    continue
                answer = self.client.update_item(**arguments, ReturnValues="ALL_NEW").get("Attributes")
                self.assertEqual(answer, expected if expected is None else {"pk": {"S": key}, **expected})
                if expected is not None:
                    items[key] = expected
        self.assertGreater(errors, 30)
        self.assertEqual(self.client.scan(TableName="table")["Count"], len(items))


class Large(WireTest):
    def setUp(self):
        super().setUp()
        self.create()

    def test_thousands_of_updates(self):
        updates = {f"attribute-{n}": {"Value": {"N": str(n)}, "Action": "PUT"} for n in range(5000)}
        self.client.update_item(TableName="table", Key={"pk": {"S": "a"}}, AttributeUpdates=updates)
        item = self.client.get_item(TableName="table", Key={"pk": {"S": "a"}})["Item"]
        self.assertEqual(item, {"pk": {"S": "a"}, **{name: update["Value"] for name, update in updates.items()}})

    def test_thousands_of_conditions(self):
        expected = {f"attribute-{n}": {"Exists": False} for n in range(3000)}
        put = lambda: self.client.put_item(TableName="table", Item={"pk": {"S": "a"}, "attribute-2999": {"N": "1"}},
                                           Expected=expected)
        put()
        self.assert_refused("ConditionalCheckFailedException: The conditional request failed", put)

    def test_tens_of_thousands_of_attributes_to_get(self):
        names = [f"attribute-{n}" for n in range(65000, 0, -1)]
        items = [{"pk": {"S": str(n)}, f"attribute-{n}": {"N": "1"}, "other": {"N": "2"}} for n in range(1, 201)]
        for item in items:
            self.client.put_item(TableName="table", Item=item)
        shown = [{name: item[name] for name in item if name.startswith("attribute-")} for item in items]
        read = self.call("GetItem", {"TableName": "table", "Key": {"pk": {"S": "7"}}, "AttributesToGet": names}).json
        self.assertEqual(read["Item"], shown[6])
        page = self.call("Scan", {"TableName": "table", "AttributesToGet": names}).json
        self.assertEqual(sorted(map(str, page["Items"])), sorted(map(str, shown)))
        keys = [{"pk": item["pk"]} for item in items[:100]]
        batch = self.call("BatchGetItem", {"RequestItems": {"table": {"Keys": keys, "AttributesToGet": names}}}).json
        self.assertEqual(sorted(map(str, batch["Responses"]["table"])), sorted(map(str, shown[:100])))
        reply = self.call("Scan", {"TableName": "table", "AttributesToGet": names + ["attribute-3", "attribute-9"]})
        self.assertEqual(reply.error, "ValidationException: One or more parameter values were invalid: Duplicate value in "
                                      "attribute name: attribute-3")

    def test_too_many_are_refused(self):
        for member, entry in (("AttributeUpdates", {"Value": {"N": "1"}}), ("Expected", {"Exists": False})):
            with self.subTest(member=member):
                reply = self.call("UpdateItem", {"TableName": "table", "Key": {"pk": {"S": "a"}},
                                                 member: {f"a{n}": entry for n in range(20000)}})
                self.assertEqual(reply.error, "ValidationException: 1 validation error detected: The request has too many "
                                              "conditions, updates and values outside of expressions")


if __name__ == "__main__":
    unittest.main()
