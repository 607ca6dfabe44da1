"""Random requests to a server with --throttle, by a clock that the test moves, against a plain model of the rule in
docs/THROTTLING.md: every refusal, every reason and what every batch leaves.

The model keeps its units as fractions and knows tables, indexes and items as Python does. GRAMME_SEED runs another seed,
GRAMME_STEPS makes it longer.
"""

import os
import pathlib
import random
import sys
import unittest
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))
from server import Server  # noqa: E402
from wire import ACCOUNT, REGION, Connection, clock  # noqa: E402

SEED = int(os.environ.get("GRAMME_SEED", 1))
STEPS = int(os.environ.get("GRAMME_STEPS", 3000))
HALF = Fraction(1, 2)
KEYS = [str(i) for i in range(12)]


class Bucket:
    """Fills by the time, holds so many seconds, may be in debt by as much."""

    def __init__(self, rate, seconds, now):
        self.rate, self.seconds, self.filled = rate, seconds, now
        self.units = Fraction(min(rate, rate * seconds))

    def change(self, rate):
        self.rate = rate
        cap = Fraction(self.rate * self.seconds)
        self.units = max(-cap, min(cap, self.units))

    def has(self, least, now):
        cap = Fraction(self.rate * self.seconds)
        self.units = min(cap, self.units + self.rate * (now - self.filled))
        self.filled = now
        return self.units >= min(least, cap)

    def take(self, units):
        self.units = max(self.units - units, -Fraction(self.rate * self.seconds))


class Table:
    """A table with one global index, whose entries are the items that have an attribute "i"."""

    def __init__(self, name, rates, index_rates, burst, on_demand, now):
        seconds = 1 if on_demand else burst
        self.name, self.on_demand = name, on_demand
        self.read, self.write = (Bucket(rate, seconds, now) for rate in rates)
        self.index_read, self.index_write = (Bucket(rate, seconds, now) for rate in index_rates)
        self.items = {}

    def reason(self, what, index):
        limit = "MaxOnDemandThroughputExceeded" if self.on_demand else "ProvisionedThroughputExceeded"
        arn = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{self.name}" + ("/index/index" if index else "")
        return {"reason": ("Index" if index else "Table") + what + limit, "resource": arn}


def item_size(item):
    """Of the items here: names and texts."""
    return sum(len(name) + len(value["S"]) for name, value in item.items())


def whole(size, unit):
    return max(1, -(-size // unit))


def write_cost(old, new):
    return whole(max(item_size(old or {}), item_size(new or {})), 1024)


def entry(item):
    return {name: item[name] for name in ("pk", "i")} if item and "i" in item else None


def index_cost(old, new):
    old, new = entry(old), entry(new)
    before, after = (0 if image is None else whole(item_size(image), 1024) for image in (old, new))
    if old == new:
        return 0
    return before + after


class Model:
    def __init__(self, now):
        self.now, self.tables = now, {}

    def refusal(self, table, old, new, holds, base_least, index_least):
        """The reasons, or None: first the table, then, when the condition holds, the index."""
        if not table.write.has(base_least, self.now):
            return [table.reason("Write", False)]
        if holds and index_cost(old, new) and not table.index_write.has(index_least, self.now):
            return [table.reason("Write", True)]
        return None

    def write(self, table, key, new, condition=None):
        """What becomes of one write: "done", "false" for its condition, or reasons."""
        old = table.items.get(key)
        holds = condition is None or condition == (old is None)
        reasons = self.refusal(table, old, new, holds, 1, 1)
        if reasons:
            return reasons
        # A put that fails is charged for what it would have put, too.
        table.write.take(write_cost(old, new))
        if not holds:
            return "false"
        table.index_write.take(index_cost(old, new))
        self.store(table, key, new)
        return "done"

    def store(self, table, key, new):
        if new is None:
            table.items.pop(key, None)
        else:
            table.items[key] = new

    def transact(self, table, writes):
        """True: done. Otherwise which of the writes found nothing left."""
        refused, entries = [], 0
        for i, (key, new) in enumerate(writes):
            old = table.items.get(key)
            reasons = self.refusal(table, old, new, True, 2 * (i + 1), 1 + entries)
            refused.append(reasons is not None)
            entries += reasons is None and index_cost(old, new) > 0
        if any(refused):
            return refused
        for key, new in writes:
            old = table.items.get(key)
            table.write.take(2 * write_cost(old, new))
            table.index_write.take(index_cost(old, new))
            self.store(table, key, new)
        return True

    def get(self, table, key, consistent):
        """Reasons, or None."""
        least = HALF * (2 if consistent else 1)
        if not table.read.has(least, self.now):
            return [table.reason("Read", False)]
        table.read.take(least * whole(item_size(table.items.get(key) or {}), 4096))
        return None

    def query_index(self, table, value):
        if not table.index_read.has(HALF, self.now):
            return [table.reason("Read", True)]
        size = sum(item_size(entry(item)) for item in table.items.values() if item.get("i") == {"S": value})
        table.index_read.take(HALF * whole(size, 4096))
        return None


class Run:
    def __init__(self, seed, server, burst):
        self.random, self.port, self.burst = random.Random(seed), server.port, burst
        self.connection = Connection(server.port)
        self.model = Model(self.time(Running=False))
        self.count = {"requests": 0, "refused": 0, "by the index": 0, "unprocessed": 0}
        for name, on_demand in (("provisioned", False), ("small", False), ("demand", True)):
            self.create(name, on_demand)

    def time(self, **move):
        return Fraction(str(clock(self.port, **move).json["Now"]))

    def create(self, name, on_demand):
        low = 3 if name == "small" else 20
        rates, index_rates = ([self.random.randint(1, most) for _ in range(2)] for most in (low, 3))

        def settings(rates):
            if on_demand:
                return {"OnDemandThroughput": dict(zip(("MaxReadRequestUnits", "MaxWriteRequestUnits"), rates))}
            return {"ProvisionedThroughput": dict(zip(("ReadCapacityUnits", "WriteCapacityUnits"), rates))}
        answer = self.connection.call(
            "CreateTable", TableName=name, BillingMode="PAY_PER_REQUEST" if on_demand else "PROVISIONED", **settings(rates),
            AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in ("pk", "i")],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            GlobalSecondaryIndexes=[{"IndexName": "index", "Projection": {"ProjectionType": "KEYS_ONLY"},
                                     "KeySchema": [{"AttributeName": "i", "KeyType": "HASH"}], **settings(index_rates)}])
        assert "error" not in answer, answer
        self.model.tables[name] = Table(name, rates, index_rates, self.burst, on_demand, self.model.now)

    # ---- what is asked ----

    def item(self, key):
        item = {"pk": {"S": key}}
        if self.random.random() < 0.6:
            item["i"] = {"S": self.random.choice("xyz")}
        if self.random.random() < 0.4:
            item["text"] = {"S": "t" * self.random.randrange(1, 9000)}
        return item

    def call(self, operation, **body):
        self.count["requests"] += 1
        return self.connection.call(operation, **body)

    def expect(self, answer, reasons, table, what):
        """An answer that was refused for these reasons, or not refused at all."""
        code = "ThrottlingException" if table.on_demand else "ProvisionedThroughputExceededException"
        got = answer.get("throttlingReasons" if table.on_demand else "ThrottlingReasons")
        if reasons is None:
            assert answer.get("error") != code, f"{what}: refused, though the model has units: {answer}"
            return
        self.count["refused"] += 1
        self.count["by the index"] += reasons[0]["reason"].startswith("Index")
        assert (answer.get("error"), got) == (code, reasons), f"{what}: expected {reasons}, got {answer}"

    def put(self, table):
        key = self.random.choice(KEYS)
        item, condition = self.item(key), self.random.choice([None, None, True, False])
        outcome = self.model.write(table, key, item, condition)
        more = {} if condition is None else {
            "ConditionExpression": f"attribute_{'not_' if condition else ''}exists(pk)"}
        answer = self.call("PutItem", TableName=table.name, Item=item, **more)
        self.expect(answer, outcome if isinstance(outcome, list) else None, table, "PutItem")
        if not isinstance(outcome, list):
            assert answer.get("error") == (None if outcome == "done" else "ConditionalCheckFailedException"), answer

    def delete(self, table):
        key = self.random.choice(KEYS)
        outcome = self.model.write(table, key, None)
        answer = self.call("DeleteItem", TableName=table.name, Key={"pk": {"S": key}})
        self.expect(answer, outcome if isinstance(outcome, list) else None, table, "DeleteItem")

    def get(self, table):
        self.read(table, self.random.choice(KEYS), self.random.random() < 0.5)

    def read(self, table, key, consistent):
        reasons = self.model.get(table, key, consistent)
        answer = self.call("GetItem", TableName=table.name, Key={"pk": {"S": key}}, ConsistentRead=consistent)
        self.expect(answer, reasons, table, "GetItem")
        if reasons is None:
            assert answer.get("Item") == table.items.get(key), (answer, table.items.get(key))

    def query(self, table):
        value = self.random.choice("xyz")
        reasons = self.model.query_index(table, value)
        answer = self.call("Query", TableName=table.name, IndexName="index", KeyConditionExpression="i = :i",
                           ExpressionAttributeValues={":i": {"S": value}}, Select="COUNT")
        self.expect(answer, reasons, table, "Query")

    def batch_write(self, table):
        keys = self.random.sample(KEYS, self.random.randint(1, len(KEYS)))
        writes = [(key, self.item(key) if self.random.random() < 0.7 else None) for key in keys]
        outcomes = [self.model.write(table, key, new) for key, new in writes]
        requests = [{"DeleteRequest": {"Key": {"pk": {"S": key}}}} if new is None else {"PutRequest": {"Item": new}}
                    for key, new in writes]
        answer = self.call("BatchWriteItem", RequestItems={table.name: requests})
        left = [request for request, outcome in zip(requests, outcomes) if outcome != "done"]
        if len(left) == len(requests):
            reasons = []
            for outcome in outcomes:
                reasons += [reason for reason in outcome if reason not in reasons]
            self.expect(answer, reasons, table, "BatchWriteItem")
            return
        self.count["unprocessed"] += len(left)
        assert answer["UnprocessedItems"] == ({table.name: left} if left else {}), (answer, left)

    def batch_get(self, table):
        keys = self.random.sample(KEYS, self.random.randint(1, len(KEYS)))
        done = 0
        while done < len(keys) and self.model.get(table, keys[done], False) is None:
            done += 1
        answer = self.call("BatchGetItem", RequestItems={table.name: {"Keys": [{"pk": {"S": key}} for key in keys]}})
        if done == 0:
            self.expect(answer, [table.reason("Read", False)], table, "BatchGetItem")
            return
        left = [{"pk": {"S": key}} for key in keys[done:]]
        self.count["unprocessed"] += len(left)
        assert answer["UnprocessedKeys"] == ({table.name: {"Keys": left}} if left else {}), (answer, left)

    def transact(self, table):
        keys = self.random.sample(KEYS, self.random.randint(1, 5))
        writes = [(key, self.item(key)) for key in keys]
        outcome = self.model.transact(table, writes)
        answer = self.call("TransactWriteItems", TransactItems=[
            {"Put": {"TableName": table.name, "Item": item}} for _, item in writes])
        if outcome is True:
            assert "error" not in answer, answer
            return
        self.count["refused"] += 1
        code = "ThrottlingError" if table.on_demand else "ProvisionedThroughputExceeded"
        assert answer.get("error") == "TransactionCanceledException", answer
        assert [reason["Code"] for reason in answer["CancellationReasons"]] == \
            [code if refused else "None" for refused in outcome], (answer, outcome)

    def update(self, table):
        """Other units for the table; UpdateTable may refuse them, as the same ones or one decrease too many."""
        rates = [self.random.randint(1, 20) for _ in range(2)]
        if table.on_demand:
            settings = {"OnDemandThroughput": dict(zip(("MaxReadRequestUnits", "MaxWriteRequestUnits"), rates))}
        else:
            settings = {"ProvisionedThroughput": dict(zip(("ReadCapacityUnits", "WriteCapacityUnits"), rates))}
        answer = self.call("UpdateTable", TableName=table.name, **settings)
        if "error" not in answer:
            # A bucket fills when it is looked at: what was not looked at is earned at the new rate.
            table.read.change(rates[0])
            table.write.change(rates[1])

    def step(self):
        if self.random.random() < 0.25:
            self.model.now = self.time(Advance=self.random.choice([0.001, 0.05, 0.2, 0.5, 1, 1, 3, 40]))
        table = self.random.choice(list(self.model.tables.values()))
        action = self.random.choices(
            [self.put, self.delete, self.get, self.query, self.batch_write, self.batch_get, self.transact, self.update],
            [8, 3, 8, 4, 3, 3, 4, 0.3])[0]
        action(table)


class ThrottleModel(unittest.TestCase):
    def run_with(self, burst):
        print(f"# repeat with GRAMME_SEED={SEED} GRAMME_STEPS={STEPS}; burst {burst}", flush=True)
        with Server("--memory", "--throttle", "--burst", burst, "--test-clock") as server:
            run = Run(SEED, server, burst)
            for _ in range(STEPS):
                run.step()
            run.connection.close()
        print(f"# {run.count}", flush=True)
        for what, count in run.count.items():
            self.assertGreater(count, 0, f"a run without {what} shows little")

    def test_without_bursts(self):
        self.run_with(1)

    def test_with_bursts(self):
        self.run_with(20)

    def read_all_units(self, missing):
        """Reads as many units as the table has, and one more; the model has so many less."""
        with Server("--memory", "--throttle", "--burst", "1", "--test-clock") as server:
            run = Run(SEED, server, 1)
            table = run.model.tables["provisioned"]
            table.read.units -= missing
            try:
                for _ in range(table.read.rate + 1):
                    run.read(table, KEYS[0], True)
            finally:
                run.connection.close()
            return run.count["refused"]

    def test_the_model_notices(self):
        """The canary: a model whose table has a unit less than the server's."""
        self.assertEqual(self.read_all_units(0), 1)
        with self.assertRaisesRegex(AssertionError, "GetItem: expected .*TableReadProvisionedThroughputExceeded"):
            self.read_all_units(1)
