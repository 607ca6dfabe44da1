"""Random writes on a moving clock; the table is restored to random earlier times and compared with what it was then.

The oracle keeps a copy of the items, the indexes and the throughput for every moment at which something changed. The clock
stands still while requests are made, so the server and the oracle agree on when each change was. A restore runs while
the table is written to, and while the server is killed or stopped; a backup is of the moment at which it was asked for.
The restored table has exactly the items, the index entries, the counts and the settings of that moment.

GRAMME_SEED repeats a run, GRAMME_STEPS makes it longer.
"""

import os
import pathlib
import random
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))

from server import Server  # noqa: E402
from test_index_model import GLOBAL, LATER, LOCAL, definitions  # noqa: E402
from test_model import canonical_item  # noqa: E402
from wire import Connection, clock  # noqa: E402

SEED = int(os.environ.get("GRAMME_SEED", random.SystemRandom().randrange(1 << 32)))
STEPS = int(os.environ.get("GRAMME_STEPS", 100))
TABLE = "Moving"
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}


class State:
    """The table at one moment."""

    def __init__(self, ms, items, indexes, units):
        self.ms, self.items, self.indexes, self.units = ms, dict(items), list(indexes), units


class TimeModel:
    """A table on a server, and everything that it ever was."""

    def __init__(self, rng, arguments):
        self.rng, self.arguments = rng, arguments
        self.items, self.indexes, self.units = {}, LOCAL + GLOBAL, 5
        self.states = []
        self.restores = 0
        self.filled = 0
        self.server = None
        self.start()

    # --- the server and its clock ---

    def start(self):
        self.server = Server("--test-clock", *self.arguments).start()
        self.client = Connection(self.server.port)
        self.move(Running=False)

    def move(self, **move):
        reply = clock(self.server.port, **move)
        assert reply.status == 200, reply.body
        self.now_ms = round(reply.json["Now"] * 1000)

    def restart(self):
        self.client.close()
        if self.rng.random() < 0.7:
            self.server.kill()
        else:
            self.server.stop()
        self.start()

    def stop(self):
        self.client.close()
        self.server.stop()

    def call(self, operation, **body):
        answer = self.client.call(operation, **body)
        assert "error" not in answer, f"{operation}: {answer}"
        return answer

    # --- changes ---

    def create(self):
        self.call("CreateTable", TableName=TABLE, ProvisionedThroughput=UNITS,
                  AttributeDefinitions=definitions(self.indexes),
                  KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
                  LocalSecondaryIndexes=[index.json() for index in LOCAL],
                  GlobalSecondaryIndexes=[{**index.json(), "ProvisionedThroughput": UNITS} for index in GLOBAL])

    def turn_on(self):
        self.call("UpdateContinuousBackups", TableName=TABLE,
                  PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        self.note()

    def note(self):
        """The table is now as the oracle has it."""
        self.states.append(State(self.now_ms, self.items, self.indexes, self.units))

    def new_item(self, key):
        rng = self.rng
        item = {"pk": {"S": key[0]}, "sk": {"N": str(key[1])}}
        for name, make in {
            "g": lambda: {"S": rng.choice(["a", "b", "c"])},
            "h": lambda: {"S": rng.choice(["x", "y"])},
            "r": lambda: {"N": str(rng.choice([-3, 0, 1, 20.5]))},
            "b": lambda: {"B": rng.choice(["AA==", "AAE=", "/w=="])},
            "l": lambda: {"N": str(rng.randrange(4))},
            "x": lambda: {"S": "x" * rng.randrange(300)},
            "y": lambda: {"L": [{"N": str(rng.randrange(100))}]},
        }.items():
            if rng.random() < 0.75:
                item[name] = make()
        return item

    def key(self):
        if self.filled > 0 and self.rng.random() < 0.5:
            n = self.rng.randrange(self.filled)
            return f"fill{n % 7}", n
        return f"p{self.rng.randrange(5)}", self.rng.randrange(40)

    @staticmethod
    def key_json(key):
        return {"pk": {"S": key[0]}, "sk": {"N": str(key[1])}}

    def put(self):
        key = self.key()
        self.items[key] = self.new_item(key)
        self.call("PutItem", TableName=TABLE, Item=self.items[key])

    def update(self):
        key, value = self.key(), {"N": str(self.rng.randrange(10))}
        self.items[key] = {**self.items.get(key, self.key_json(key)), "r": value}
        self.call("UpdateItem", TableName=TABLE, Key=self.key_json(key), UpdateExpression="SET r = :r",
                  ExpressionAttributeValues={":r": value})

    def delete(self):
        key = self.key()
        self.items.pop(key, None)
        self.call("DeleteItem", TableName=TABLE, Key=self.key_json(key))

    def batch(self, count=20):
        keys = {self.key() for _ in range(count)}
        requests = []
        for key in keys:
            if self.rng.random() < 0.6:
                self.items[key] = self.new_item(key)
                requests.append({"PutRequest": {"Item": self.items[key]}})
            else:
                self.items.pop(key, None)
                requests.append({"DeleteRequest": {"Key": self.key_json(key)}})
        self.call("BatchWriteItem", RequestItems={TABLE: requests})

    def transaction(self):
        put, delete = self.key(), self.key()
        if put == delete:
            return
        self.items[put] = self.new_item(put)
        self.items.pop(delete, None)
        self.call("TransactWriteItems", TransactItems=[
            {"Put": {"TableName": TABLE, "Item": self.items[put]}},
            {"Delete": {"TableName": TABLE, "Key": self.key_json(delete)}}])

    def fill(self, count):
        """Many items of some size, so that copying them takes many steps."""
        for start in range(0, count, 25):
            keys = [(f"fill{n % 7}", n) for n in range(start, min(start + 25, count))]
            for key in keys:
                self.items[key] = {**self.new_item(key), "z": {"S": str(key[1]) * 2000}}
            self.call("BatchWriteItem",
                      RequestItems={TABLE: [{"PutRequest": {"Item": self.items[key]}} for key in keys]})
        self.filled = count
        self.note()

    def write(self):
        self.rng.choice([self.put, self.put, self.update, self.delete, self.batch, self.transaction])()
        self.note()

    def more_units(self):
        self.units += 1
        self.call("UpdateTable", TableName=TABLE,
                  ProvisionedThroughput={"ReadCapacityUnits": self.units, "WriteCapacityUnits": 5})
        self.note()

    def change_indexes(self):
        present = [index for index in self.indexes if index in LATER]
        index = self.rng.choice(LATER)
        if index in present:
            self.call("UpdateTable", TableName=TABLE,
                      GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": index.name}}])
            self.indexes = [i for i in self.indexes if i is not index]
        else:
            self.call("UpdateTable", TableName=TABLE, AttributeDefinitions=definitions([index]),
                      GlobalSecondaryIndexUpdates=[{"Create": {**index.json(), "ProvisionedThroughput": UNITS}}])
            self.indexes = self.indexes + [index]
        self.note()
        self.wait_until_active(TABLE)

    def step(self):
        if self.rng.random() < 0.5:
            self.move(Advance=self.rng.choice([0.001, 0.02, 0.7, 1, 3.5]))
        choice = self.rng.random()
        if choice < 0.04:
            self.more_units()
        elif choice < 0.08:
            self.change_indexes()
        else:
            self.write()

    # --- earlier times ---

    def at(self, ms):
        return [state for state in self.states if state.ms <= ms][-1]

    def any_time(self):
        first, last = self.states[0].ms, self.now_ms
        ms = self.rng.choice([self.rng.choice(self.states).ms, self.rng.randint(first, last), last])
        if self.rng.random() < 0.5:
            ms = max(first, ms // 1000 * 1000)
        return ms

    def restore_to(self, ms):
        self.restores += 1
        name = f"Restored{self.restores}"
        self.call("RestoreTableToPointInTime", SourceTableName=TABLE, TargetTableName=name, RestoreDateTime=ms / 1000)
        return name

    def take_backup(self):
        return self.call("CreateBackup", TableName=TABLE, BackupName="some")["BackupDetails"]["BackupArn"]

    def restore_backup(self, arn):
        for _ in range(3000):
            if self.call("DescribeBackup", BackupArn=arn)["BackupDescription"]["BackupDetails"]["BackupStatus"] == "AVAILABLE":
                break
            time.sleep(0.01)
        self.restores += 1
        name = f"Restored{self.restores}"
        self.call("RestoreTableFromBackup", BackupArn=arn, TargetTableName=name)
        return name

    def wait_until_active(self, name):
        for _ in range(3000):
            table = self.call("DescribeTable", TableName=name)["Table"]
            if table["TableStatus"] == "ACTIVE" and \
                    all(i["IndexStatus"] == "ACTIVE" for i in table.get("GlobalSecondaryIndexes", [])):
                return table
            time.sleep(0.01)
        raise AssertionError(f"{name} never became ACTIVE")

    # --- comparing ---

    def scan(self, name, **body):
        items = []
        while True:
            answer = self.call("Scan", TableName=name, **body)
            items += answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return items
            body["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def difference(self, name, state):
        """What the restored table has that the state had not, or the other way round; None: nothing."""
        table = self.wait_until_active(name)
        found = by_key(self.scan(name))
        expected = {key: canonical_item(item) for key, item in state.items.items()}
        if found != expected:
            keys = {key for key in {*found, *expected} if found.get(key) != expected.get(key)}
            return f"{len(keys)} items differ, e.g. {sorted(keys)[0]}"
        if table["ItemCount"] != len(expected):
            return f"ItemCount is {table['ItemCount']}"
        described = {i["IndexName"]: i for family in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
                     for i in table.get(family, [])}
        if set(described) != {index.name for index in state.indexes}:
            return f"the indexes are {sorted(described)}"
        if table["ProvisionedThroughput"]["ReadCapacityUnits"] != state.units:
            return f"ReadCapacityUnits are {table['ProvisionedThroughput']['ReadCapacityUnits']}"
        for index in state.indexes:
            entries = {key: index.entry(item) for key, item in state.items.items()}
            entries = {key: canonical_item(entry) for key, entry in entries.items() if entry is not None}
            scanned = self.scan(name, IndexName=index.name)
            if by_key(scanned) != entries or len(scanned) != len(entries):
                return f"index {index.name} differs"
            if described[index.name]["ItemCount"] != len(entries):
                return f"ItemCount of {index.name} is {described[index.name]['ItemCount']}"
        return None

    def size(self, name):
        """TableSizeBytes and the sizes of the indexes, which the server counts by itself."""
        table = self.call("DescribeTable", TableName=name)["Table"]
        return [table["TableSizeBytes"], *(i["IndexSizeBytes"] for i in table["LocalSecondaryIndexes"]),
                *(i["IndexSizeBytes"] for i in table["GlobalSecondaryIndexes"])]


def by_key(items):
    return {(item["pk"]["S"], int(item["sk"]["N"])): canonical_item(item) for item in items}


class TimeModelTest(unittest.TestCase):
    maxDiff = None

    def model(self, *arguments):
        model = TimeModel(random.Random(SEED), arguments)
        model.create()
        for _ in range(20):
            model.write()
        model.turn_on()
        return model

    def compare(self, model, name, state):
        difference = model.difference(name, state)
        self.assertIsNone(difference, f"{name} is not as at {state.ms}: {difference}; "
                                      f"repeat with GRAMME_SEED={SEED} GRAMME_STEPS={STEPS}")
        model.call("DeleteTable", TableName=name)

    def test_in_memory(self):
        model = self.model("--memory")
        for round in range(5):
            for _ in range(STEPS // 5):
                model.step()
            if round == 1:
                model.fill(700)
            times = [model.any_time() for _ in range(3)]
            names = [model.restore_to(ms) for ms in times]
            states = [model.at(ms) for ms in times]
            for _ in range(10):  # while they are being restored
                model.step()
            for name, state in zip(names, states):
                self.compare(model, name, state)
        model.stop()

    def test_a_backup_is_of_one_moment(self):
        model = self.model("--memory")
        model.fill(700)
        for _ in range(3):
            for _ in range(STEPS // 10):
                model.step()
            arn, state = model.take_backup(), State(model.now_ms, model.items, model.indexes, model.units)
            for _ in range(10):  # while it is being taken
                model.step()
            self.compare(model, model.restore_backup(arn), state)
        name = model.restore_to(model.now_ms)
        model.wait_until_active(name)
        self.assertEqual(model.size(name), model.size(TABLE))
        self.compare(model, name, model.states[-1])
        model.stop()

    def test_on_disk_with_crashes(self):
        with tempfile.TemporaryDirectory() as directory:
            model = self.model("--data", directory)
            model.fill(1500)
            for _ in range(3):
                for _ in range(STEPS // 10):
                    model.step()
                ms = model.any_time()
                state, name = model.at(ms), model.restore_to(ms)
                arn, then = model.take_backup(), State(model.now_ms, model.items, model.indexes, model.units)
                for _ in range(3):
                    for _ in range(3):
                        model.step()
                    model.restart()
                self.compare(model, name, state)
                self.compare(model, model.restore_backup(arn), then)
            model.stop()

    def test_the_comparison_notices(self):
        """The canary: the state of another moment is not taken for the right one."""
        model = self.model("--memory")
        before = model.states[-1]
        model.move(Advance=1)
        model.items["p0", 1] = {"pk": {"S": "p0"}, "sk": {"N": "1"}, "g": {"S": "new"}}
        model.call("PutItem", TableName=TABLE, Item=model.items["p0", 1])
        model.note()
        name = model.restore_to(model.now_ms)
        self.assertIsNotNone(model.difference(name, before))
        self.compare(model, name, model.states[-1])
        model.stop()


if __name__ == "__main__":
    unittest.main()
