"""Random writes against a table with secondary indexes; every index is compared with what the items say.

The expected content of an index follows from the items alone: an entry for each item that has all its key attributes, with
the attributes it projects, in the order of its sort keys. Indexes are added and deleted on the way, and the server is
stopped or killed, also while an index is being filled. GRAMME_SEED runs another seed, GRAMME_STEPS makes it longer.
"""

import decimal
import os
import pathlib
import random
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))

from server import Server  # noqa: E402
from test_model import canonical_item  # noqa: E402
from wire import Connection  # noqa: E402

SEED = int(os.environ.get("GRAMME_SEED", 1))
STEPS = int(os.environ.get("GRAMME_STEPS", 600))
TABLE = "Indexed"

TYPES = {"pk": "S", "sk": "N", "g": "S", "h": "S", "r": "N", "b": "B", "l": "N"}


class Index:
    def __init__(self, name, hash, range=(), projection="ALL", include=(), local=False):
        self.name, self.hash, self.range = name, tuple(hash), tuple(range)
        self.projection, self.include, self.local = projection, set(include), local

    @property
    def keys(self):
        return self.hash + self.range

    def json(self):
        projection = {"ProjectionType": self.projection}
        if self.include:
            projection["NonKeyAttributes"] = sorted(self.include)
        return {"IndexName": self.name, "Projection": projection,
                "KeySchema": [{"AttributeName": a, "KeyType": "HASH"} for a in self.hash]
                + [{"AttributeName": a, "KeyType": "RANGE"} for a in self.range]}

    def entry(self, item):
        """What the index holds for an item; None when the item is not in it."""
        if any(attribute not in item for attribute in self.keys):
            return None
        if self.projection == "ALL":
            return item
        shown = {"pk", "sk", *self.keys, *self.include}
        return {name: value for name, value in item.items() if name in shown}


LOCAL = [Index("local-keys", ["pk"], ["l"], "KEYS_ONLY", local=True), Index("local-all", ["pk"], ["r"], local=True)]
GLOBAL = [
    Index("by-g", ["g"]),
    Index("by-g-r", ["g"], ["r"], "INCLUDE", ["x"]),
    Index("by-two", ["g", "h"], ["r", "b"], "KEYS_ONLY"),
]
LATER = [Index("later-r", ["r"], ["g"], "INCLUDE", ["y"]), Index("later-b", ["b"])]


def definitions(indexes):
    used = {"pk", "sk"}.union(*(index.keys for index in indexes))
    return [{"AttributeName": name, "AttributeType": TYPES[name]} for name in sorted(used)]


def sort_value(value):
    (kind, content), = value.items()
    return decimal.Decimal(content) if kind == "N" else content.encode() if kind == "S" else decode_binary(content)


def decode_binary(text):
    import base64
    return base64.b64decode(text)


class IndexModelTest(unittest.TestCase):
    def setUp(self):
        self.rng = random.Random(SEED)
        self.items = {}
        self.indexes = LOCAL + GLOBAL

    def fail_with_seed(self, what):
        return f"{what}; repeat with GRAMME_SEED={SEED} GRAMME_STEPS={STEPS}"

    # --- items ---

    def new_item(self, key):
        rng = self.rng
        item = {"pk": {"S": key[0]}, "sk": {"N": str(key[1])}}
        for name, make in {
            "g": lambda: {"S": rng.choice(["a", "b", "\0", "a\0b"])},
            "h": lambda: {"S": rng.choice(["x", "y"])},
            "r": lambda: {"N": str(rng.choice([-3, -2.5, 0, 1, 1, 1, 20]))},
            "b": lambda: {"B": rng.choice(["AA==", "AAA=", "AAE=", "/w=="])},
            "l": lambda: {"N": str(rng.randrange(4))},
            "x": lambda: {"S": "x" * rng.randrange(5)},
            "y": lambda: {"L": [{"N": "1"}]},
            "z": lambda: {"BOOL": True},
        }.items():
            if rng.random() < 0.75:
                item[name] = make()
        return item

    def key(self):
        return f"p{self.rng.randrange(4)}", self.rng.randrange(30)

    def write(self, client):
        key = self.key()
        choice = self.rng.randrange(10)
        key_json = {"pk": {"S": key[0]}, "sk": {"N": str(key[1])}}
        if choice < 5:
            item = self.new_item(key)
            answer = client.call("PutItem", TableName=TABLE, Item=item)
            self.items[key] = item
        elif choice < 8:
            # Moves, adds and removes index keys.
            item = dict(self.items.get(key, key_json))
            fresh = self.new_item(key)
            sets = {n: fresh[n] for n in self.rng.sample(["g", "r", "x", "b"], 2) if n in fresh}
            removes = [n for n in ["h", "l", "y"] if n not in fresh]
            item.update(sets)
            for name in removes:
                item.pop(name, None)
            clauses = []
            if sets:
                clauses.append("SET " + ", ".join(f"#{n} = :{n}" for n in sets))
            if removes:
                clauses.append("REMOVE " + ", ".join(f"#{n}" for n in removes))
            body = {}
            if clauses:
                body = {"UpdateExpression": " ".join(clauses),
                        "ExpressionAttributeNames": {f"#{n}": n for n in [*sets, *removes]}}
            if sets:
                body["ExpressionAttributeValues"] = {f":{n}": v for n, v in sets.items()}
            answer = client.call("UpdateItem", TableName=TABLE, Key=key_json, **body)
            if key in self.items or sets or not removes:  # an update that only takes makes no item
                self.items[key] = item
        else:
            answer = client.call("DeleteItem", TableName=TABLE, Key=key_json)
            self.items.pop(key, None)
        self.assertNotIn("error", answer, self.fail_with_seed(answer))

    def batch(self, client, count):
        """Many items at once, so that filling an index takes several steps."""
        for start in range(0, count, 25):
            requests = []
            for n in range(start, min(start + 25, count)):
                key = f"bulk{n % 7}", n
                self.items[key] = self.new_item(key)
                requests.append({"PutRequest": {"Item": self.items[key]}})
            self.assertEqual(client.call("BatchWriteItem", RequestItems={TABLE: requests}), {"UnprocessedItems": {}})

    # --- comparing ---

    def pages(self, client, operation, **body):
        items = []
        while True:
            answer = client.call(operation, TableName=TABLE, **body)
            self.assertNotIn("error", answer, self.fail_with_seed(answer))
            items += answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return items
            body["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def expected(self, index):
        entries = {key: index.entry(item) for key, item in self.items.items()}
        return {key: entry for key, entry in entries.items() if entry is not None}

    @staticmethod
    def by_key(items):
        return {(item["pk"]["S"], int(item["sk"]["N"])): canonical_item(item) for item in items}

    def compare_index(self, client, index):
        expected = self.expected(index)
        limit = self.rng.choice([None, 1, 3, 50])
        body = {"IndexName": index.name, **({"Limit": limit} if limit else {})}
        found = self.pages(client, "Scan", **body)
        self.assertEqual(len(found), len(expected), self.fail_with_seed(f"entries of {index.name}"))
        self.assertEqual(self.by_key(found), {k: canonical_item(e) for k, e in expected.items()},
                         self.fail_with_seed(f"scan of {index.name}"))
        for values in sorted({tuple(str(e[a]) for a in index.hash) for e in expected.values()}):
            self.compare_partition(client, index, values, expected, body)

    def compare_partition(self, client, index, values, expected, body):
        """One partition of an index, in order, forward or backward."""
        wanted = [e for e in expected.values() if tuple(str(e[a]) for a in index.hash) == values]
        forward = self.rng.random() < 0.5
        names = {f"#h{i}": a for i, a in enumerate(index.hash)}
        found = self.pages(
            client, "Query", **body, ScanIndexForward=forward, ExpressionAttributeNames=names,
            KeyConditionExpression=" AND ".join(f"#h{i} = :h{i}" for i in range(len(index.hash))),
            ExpressionAttributeValues={f":h{i}": wanted[0][a] for i, a in enumerate(index.hash)})
        self.assertEqual(self.by_key(found), self.by_key(wanted), self.fail_with_seed(f"query of {index.name} {values}"))
        self.assertEqual(len(found), len(wanted), self.fail_with_seed("an entry came twice"))
        order = [tuple(sort_value(item[a]) for a in index.range) for item in found]
        self.assertEqual(order, sorted(order, reverse=not forward), self.fail_with_seed(f"order of {index.name}"))

    def compare_all(self, client):
        for index in self.indexes:
            self.compare_index(client, index)
        self.assertEqual(self.by_key(self.pages(client, "Scan")),
                         {k: canonical_item(i) for k, i in self.items.items()}, self.fail_with_seed("the table"))
        table = client.call("DescribeTable", TableName=TABLE)["Table"]
        self.assertEqual(table["ItemCount"], len(self.items), self.fail_with_seed("ItemCount"))
        described = {i["IndexName"]: i for i in table["LocalSecondaryIndexes"] + table["GlobalSecondaryIndexes"]}
        self.assertEqual(set(described), {index.name for index in self.indexes})
        for index in self.indexes:
            self.assertEqual(described[index.name]["ItemCount"], len(self.expected(index)),
                             self.fail_with_seed(f"ItemCount of {index.name}"))

    # --- tables ---

    def create(self, client):
        answer = client.call("CreateTable", TableName=TABLE, BillingMode="PAY_PER_REQUEST",
                             AttributeDefinitions=definitions(self.indexes),
                             KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"},
                                        {"AttributeName": "sk", "KeyType": "RANGE"}],
                             LocalSecondaryIndexes=[i.json() for i in LOCAL],
                             GlobalSecondaryIndexes=[i.json() for i in GLOBAL])
        self.assertNotIn("error", answer)

    def add_index(self, client, index):
        answer = client.call("UpdateTable", TableName=TABLE, AttributeDefinitions=definitions([index]),
                             GlobalSecondaryIndexUpdates=[{"Create": index.json()}])
        self.assertNotIn("error", answer, self.fail_with_seed(answer))
        self.indexes = self.indexes + [index]

    def delete_index(self, client, index):
        answer = client.call("UpdateTable", TableName=TABLE,
                             GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": index.name}}])
        self.assertNotIn("error", answer, self.fail_with_seed(answer))
        self.indexes = [i for i in self.indexes if i is not index]

    def wait_until_active(self, client):
        for _ in range(2000):
            table = client.call("DescribeTable", TableName=TABLE)["Table"]
            if all(i["IndexStatus"] == "ACTIVE" for i in table["GlobalSecondaryIndexes"]):
                return
            time.sleep(0.01)
        self.fail("an index never became ACTIVE")

    # --- runs ---

    def test_in_memory(self):
        with Server("--memory") as server:
            client = Connection(server.port)
            self.create(client)
            for _ in range(STEPS):
                self.write(client)
            self.compare_all(client)
            self.batch(client, 1500)
            for index in LATER:
                self.add_index(client, index)
                for _ in range(50):  # while it is being filled
                    self.write(client)
                self.wait_until_active(client)
                self.compare_all(client)
            self.delete_index(client, LATER[0])
            self.delete_index(client, GLOBAL[1])
            for _ in range(50):
                self.write(client)
            self.compare_all(client)
            self.add_index(client, GLOBAL[1])
            self.wait_until_active(client)
            self.compare_all(client)
            client.close()

    def test_on_disk_with_crashes_while_an_index_is_filled(self):
        with tempfile.TemporaryDirectory() as directory:
            server = Server("--data", directory).start()
            client = Connection(server.port)
            self.create(client)
            self.batch(client, 3000)
            for index in LATER:
                self.add_index(client, index)
                for _ in range(3):
                    for _ in range(10):
                        self.write(client)
                    client.close()
                    if self.rng.random() < 0.7:
                        server.kill()
                    else:
                        server.stop()
                    server = Server("--data", directory).start()
                    client = Connection(server.port)
                self.wait_until_active(client)
                self.compare_all(client)
            client.close()
            server.stop()

    def test_the_comparison_notices_a_missing_entry(self):
        """The canary: an item that the oracle alone knows must be missed in the indexes."""
        with Server("--memory") as server:
            client = Connection(server.port)
            self.create(client)
            self.items["p0", 1] = {"pk": {"S": "p0"}, "sk": {"N": "1"}, "g": {"S": "a"}}
            with self.assertRaises(AssertionError):
                self.compare_all(client)
            client.close()
