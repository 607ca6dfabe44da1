"""Random operations against a small naive oracle, over the wire.

The oracle is a Python dictionary. Every answer of the server is compared with what the oracle says, and every few hundred
steps the whole table is; in between the server is stopped and started, or killed. GRAMME_SEED runs another seed, GRAMME_STEPS
makes it longer.
"""

import decimal
import os
import pathlib
import random
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))

from server import Server  # noqa: E402
from wire import Connection  # noqa: E402

SEED = int(os.environ.get("GRAMME_SEED", 1))
STEPS = int(os.environ.get("GRAMME_STEPS", 1500))
decimal.getcontext().prec = 60

FAILED = "ConditionalCheckFailedException"


def canonical(value):
    """A value in a form that compares: sets as frozen sets, numbers as decimals."""
    (kind, content), = value.items()
    if kind == "N":
        return kind, decimal.Decimal(content)
    if kind == "NS":
        return kind, frozenset(decimal.Decimal(member) for member in content)
    if kind in ("SS", "BS"):
        return kind, frozenset(content)
    if kind == "L":
        return kind, tuple(canonical(element) for element in content)
    if kind == "M":
        return kind, frozenset((name, canonical(element)) for name, element in content.items())
    return kind, content


def canonical_item(item):
    return {name: canonical(value) for name, value in item.items()}


def number_text(number):
    return format(number.normalize(), "f") if number else "0"


class Oracle:
    """What the table should hold: (partition key, sort key) -> item."""

    def __init__(self, rng):
        self.rng = rng
        self.items = {}

    def key(self):
        return f"p{self.rng.randrange(12)}", decimal.Decimal(self.rng.randrange(-40, 40)) / 4

    @staticmethod
    def key_json(key):
        return {"pk": {"S": key[0]}, "sk": {"N": number_text(key[1])}}

    def value(self, depth=0):
        rng = self.rng
        kind = rng.choice(["S", "S", "N", "N", "B", "BOOL", "NULL", "SS", "NS"] + (["L", "M"] if depth < 3 else []))
        if kind == "S":
            return {"S": "".join(rng.choice("abc é☃\"\\\n\u0001😀") for _ in range(rng.randrange(20)))}
        if kind == "N":
            digits = rng.choice([1, 3, 18, 38])
            number = decimal.Decimal(rng.randrange(-10**digits + 1, 10**digits)).scaleb(rng.randrange(-30, 30))
            return {"N": f"{number:E}" if rng.random() < 0.3 else number_text(number)}
        if kind == "B":
            return {"B": rng.choice(["", "AA==", "AAEC", "/w=="])}
        if kind == "BOOL":
            return {"BOOL": rng.random() < 0.5}
        if kind == "NULL":
            return {"NULL": True}
        if kind == "SS":
            return {"SS": rng.sample(["", "a", "b", "ab", "é"], rng.randrange(1, 5))}
        if kind == "NS":
            return {"NS": [str(n) for n in rng.sample(range(-50, 50), rng.randrange(1, 5))]}
        if kind == "L":
            return {"L": [self.value(depth + 1) for _ in range(rng.randrange(4))]}
        return {"M": {f"m{i}": self.value(depth + 1) for i in range(rng.randrange(4))}}

    def new_item(self, key):
        item = self.key_json(key)
        for i in range(self.rng.randrange(6)):
            item[f"a{i}"] = self.value()
        item["version"] = {"N": str(self.rng.randrange(5))}
        return item


class ModelTest(unittest.TestCase):
    def setUp(self):
        self.rng = random.Random(SEED)
        self.oracle = Oracle(self.rng)

    def check(self, got, expected, what):
        self.assertEqual(got, expected, f"{what}; repeat with GRAMME_SEED={SEED} GRAMME_STEPS={STEPS}")

    # --- one operation each: does it, and tells the oracle ---

    def step_put(self, client):
        key = self.oracle.key()
        item, old = self.oracle.new_item(key), self.oracle.items.get(key)
        condition = self.rng.choice([None, "absent", "version"])
        body, holds = {}, True
        if condition == "absent":
            body, holds = {"ConditionExpression": "attribute_not_exists(pk)"}, old is None
        elif condition == "version":
            body = {"ConditionExpression": "version = :v AND NOT contains(a0, :x)",
                    "ExpressionAttributeValues": {":v": {"N": "3"}, ":x": {"S": "zz"}}}
            holds = old is not None and old.get("version") == {"N": "3"}
        answer = client.call("PutItem", TableName="T1-m", Item=item, ReturnValues="ALL_OLD",
                             ReturnValuesOnConditionCheckFailure="ALL_OLD", **body)
        self.check(answer.get("error"), None if holds else FAILED, f"put {key}")
        shown = answer.get("Attributes" if holds else "Item", {})
        self.check(canonical_item(shown), canonical_item(old or {}), f"old image of {key}")
        if holds:
            self.oracle.items[key] = item

    def step_update(self, client):
        key = self.oracle.key()
        old = self.oracle.items.get(key, self.oracle.key_json(key))
        new = dict(old)
        value = self.oracle.value()
        count = decimal.Decimal(old.get("count", {"N": "0"})["N"]) + 7
        new.update(a1=value, count={"N": number_text(count)})
        new.pop("a2", None)
        tags = set(old.get("tags", {"SS": []})["SS"]) | {"t1", f"t{self.rng.randrange(9)}"}
        new["tags"] = {"SS": sorted(tags)}
        new["first"] = old.get("first", {"S": "once"})
        answer = client.call(
            "UpdateItem", TableName="T1-m", Key=self.oracle.key_json(key),
            UpdateExpression="SET a1 = :v, #f = if_not_exists(#f, :f) REMOVE a2 ADD #c :n, tags :t",
            ExpressionAttributeNames={"#f": "first", "#c": "count"},
            ExpressionAttributeValues={":v": value, ":n": {"N": "7"}, ":f": {"S": "once"},
                                       ":t": {"SS": sorted({"t1"} | (tags - {"t1"}))}},
            ReturnValues="ALL_NEW")
        self.check(answer.get("error"), None, f"update {key}")
        self.check(canonical_item(answer["Attributes"]), canonical_item(new), f"new image of {key}")
        self.oracle.items[key] = new

    def step_delete(self, client):
        key = self.oracle.key()
        old = self.oracle.items.get(key)
        conditional = self.rng.random() < 0.5
        holds = not conditional or (old is not None and "a0" in old)
        body = {"ConditionExpression": "attribute_exists(a0)"} if conditional else {}
        answer = client.call("DeleteItem", TableName="T1-m", Key=self.oracle.key_json(key), ReturnValues="ALL_OLD",
                             **body)
        self.check(answer.get("error"), None if holds else FAILED, f"delete {key}")
        if holds:
            self.check(canonical_item(answer.get("Attributes", {})), canonical_item(old or {}), f"deleted {key}")
            self.oracle.items.pop(key, None)

    def step_get(self, client):
        key = self.oracle.key()
        answer = client.call("GetItem", TableName="T1-m", Key=self.oracle.key_json(key))
        self.check(canonical_item(answer.get("Item", {})), canonical_item(self.oracle.items.get(key, {})), f"get {key}")

    def step_batch_write(self, client):
        requests, effects = [], {}
        for key in {self.oracle.key() for _ in range(self.rng.randrange(1, 20))}:
            if self.rng.random() < 0.7:
                effects[key] = self.oracle.new_item(key)
                requests.append({"PutRequest": {"Item": effects[key]}})
            else:
                effects[key] = None
                requests.append({"DeleteRequest": {"Key": self.oracle.key_json(key)}})
        answer = client.call("BatchWriteItem", RequestItems={"T1-m": requests})
        self.check(answer, {"UnprocessedItems": {}}, "batch write")
        for key, item in effects.items():
            if item is None:
                self.oracle.items.pop(key, None)
            else:
                self.oracle.items[key] = item

    def step_batch_get(self, client):
        keys = list({self.oracle.key() for _ in range(self.rng.randrange(1, 60))})
        answer = client.call("BatchGetItem", RequestItems={"T1-m": {"Keys": [self.oracle.key_json(k) for k in keys]}})
        got = sorted(map(str, map(sorted, (canonical_item(i).items() for i in answer["Responses"]["T1-m"]))))
        expected = sorted(map(str, map(sorted, (canonical_item(self.oracle.items[k]).items()
                                                for k in keys if k in self.oracle.items))))
        self.assertEqual(len(got), len(expected), f"seed {SEED}")

    def step_query(self, client):
        pk, low = self.oracle.key()
        high = low + self.rng.randrange(0, 6)
        operator, holds = self.rng.choice([
            ("", lambda sk: True),
            (" AND sk = :a", lambda sk: sk == low),
            (" AND sk < :a", lambda sk: sk < low),
            (" AND sk <= :a", lambda sk: sk <= low),
            (" AND sk > :a", lambda sk: sk > low),
            (" AND sk >= :a", lambda sk: sk >= low),
            (" AND sk BETWEEN :a AND :b", lambda sk: low <= sk <= high),
        ])
        forward = self.rng.random() < 0.5
        values = {":pk": {"S": pk}}
        if ":a" in operator:
            values[":a"] = {"N": str(low)}
        if ":b" in operator:
            values[":b"] = {"N": str(high)}
        body = {"KeyConditionExpression": "pk = :pk" + operator, "ExpressionAttributeValues": values,
                "ScanIndexForward": forward, "TableName": "T1-m"}
        wanted = None
        if self.rng.random() < 0.3:
            values[":v"] = {"N": str(self.rng.randrange(5))}
            body["FilterExpression"] = "version < :v"
            wanted = values[":v"]["N"]
        expected = sorted((sk for p, sk in self.oracle.items if p == pk and holds(sk)), reverse=not forward)
        if wanted is not None:
            expected = [sk for sk in expected
                        if int(self.oracle.items[pk, sk].get("version", {"N": "99"})["N"]) < int(wanted)]
        items = self.pages(client, "Query", body, self.rng.choice([None, 1, 2, 7]))
        self.check([decimal.Decimal(item["sk"]["N"]) for item in items], expected, f"query {body}")

    def step_scan(self, client):
        total = self.rng.choice([0, 1, 3, 10])
        found = []
        for segment in range(max(total, 1)):
            body = {"TableName": "T1-m"}
            if total:
                body.update(Segment=segment, TotalSegments=total)
            found += self.pages(client, "Scan", body, self.rng.choice([None, 5, 50]))
        self.compare_all(found)

    def pages(self, client, operation, body, limit):
        items = []
        body = dict(body, **({"Limit": limit} if limit else {}))
        while True:
            answer = client.call(operation, **body)
            self.assertNotIn("error", answer, f"{answer} seed {SEED}")
            self.assertEqual(answer["Count"], len(answer["Items"]))
            items += answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return items
            body["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def compare_all(self, items):
        got = {(item["pk"]["S"], decimal.Decimal(item["sk"]["N"])): canonical_item(item) for item in items}
        self.assertEqual(len(got), len(items), f"an item came twice, seed {SEED}")
        self.check(got, {key: canonical_item(item) for key, item in self.oracle.items.items()}, "whole table")

    def check_count(self, client):
        table = client.call("DescribeTable", TableName="T1-m")["Table"]
        self.check(table["ItemCount"], len(self.oracle.items), "ItemCount")

    # --- runs ---

    STEPS_BY_WEIGHT = ["put"] * 6 + ["update"] * 4 + ["delete"] * 3 + ["get"] * 4 + ["query"] * 4 + [
        "batch_write", "batch_get", "scan"]

    def run_steps(self, client, count):
        for _ in range(count):
            getattr(self, "step_" + self.rng.choice(self.STEPS_BY_WEIGHT))(client)
        self.compare_all(self.pages(client, "Scan", {"TableName": "T1-m"}, None))
        self.check_count(client)

    def create(self, client):
        answer = client.call(
            "CreateTable", TableName="T1-m", BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"},
                                  {"AttributeName": "sk", "AttributeType": "N"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}])
        self.assertNotIn("error", answer)

    def test_in_memory(self):
        with Server("--memory") as server:
            client = Connection(server.port)
            self.create(client)
            self.run_steps(client, STEPS)
            client.close()

    def test_on_disk_with_restarts_and_crashes(self):
        with tempfile.TemporaryDirectory() as directory:
            for round_number in range(5):
                server = Server("--data", directory, "--durability", self.rng.choice(["sync", "relaxed"])).start()
                client = Connection(server.port)
                if round_number == 0:
                    self.create(client)
                else:
                    self.compare_all(self.pages(client, "Scan", {"TableName": "T1-m"}, None))
                self.run_steps(client, STEPS // 10)
                client.close()
                if self.rng.random() < 0.5:
                    server.stop()
                else:
                    server.kill()

    def test_the_comparison_notices_a_difference(self):
        """The canary: an oracle that knows one item too many must fail."""
        with Server("--memory") as server:
            client = Connection(server.port)
            self.create(client)
            self.oracle.items["p0", decimal.Decimal(1)] = self.oracle.new_item(("p0", decimal.Decimal(1)))
            with self.assertRaises(AssertionError):
                self.run_steps(client, 0)
            client.close()
