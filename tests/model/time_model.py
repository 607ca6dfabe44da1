"""What the tests of earlier times share: a server that is killed and started again on a clock that stands still, and a table
of which the oracle remembers what it was at every moment.

The oracle keeps a copy of the items, the indexes and the throughput for every moment at which something changed. The clock
stands still while requests are made, so the server and the oracle agree on when each change was.
"""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))

from server import Server  # noqa: E402
from test_index_model import GLOBAL, LATER, LOCAL, definitions  # noqa: E402
from test_model import canonical_item  # noqa: E402
from wire import Connection, clock  # noqa: E402

UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}


class Machine:
    """A server, its clock, and one client."""

    def __init__(self, rng, arguments):
        self.rng, self.arguments = rng, arguments
        self.last_number = 0
        self.now_ms = 0
        self.start()

    def start(self):
        self.server = Server("--test-clock", *self.arguments).start()
        self.client = Connection(self.server.port)
        self.move(Running=False)

    def move(self, **move):
        reply = clock(self.server.port, **move)
        assert reply.status == 200, reply.body
        self.now_ms = round(reply.json["Now"] * 1000)

    def end(self, kill=False):
        self.client.close()
        if kill:
            self.server.kill()
        else:
            self.server.stop()

    def restart(self):
        self.end(self.rng.random() < 0.7)
        self.start()

    def ask(self, operation, **body):
        """The answer, with the error's name as `error`."""
        return self.client.call(operation, **body)

    def call(self, operation, **body):
        answer = self.ask(operation, **body)
        assert "error" not in answer, f"{operation}: {answer}"
        return answer

    def new_name(self, what):
        self.last_number += 1
        return f"{what}{self.last_number}"


class State:
    """The table at one moment."""

    def __init__(self, ms, items, indexes, units):
        self.ms, self.items, self.indexes, self.units = ms, dict(items), list(indexes), units


class TimeModel:
    """A table, and everything that it ever was."""

    def __init__(self, machine, rng, name="Moving"):
        self.machine, self.rng, self.name = machine, rng, name
        self.call = machine.call
        self.items, self.indexes, self.units = {}, LOCAL + GLOBAL, 5
        self.states = []
        self.filled = 0

    # --- changes ---

    def create(self, **options):
        return self.call("CreateTable", TableName=self.name, ProvisionedThroughput=UNITS, **options,
                         AttributeDefinitions=definitions(self.indexes),
                         KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
                         LocalSecondaryIndexes=[index.json() for index in LOCAL],
                         GlobalSecondaryIndexes=[{**index.json(), "ProvisionedThroughput": UNITS} for index in GLOBAL])

    def turn_on(self):
        self.call("UpdateContinuousBackups", TableName=self.name,
                  PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        self.note()

    def note(self):
        """The table is now as the oracle has it."""
        self.states.append(State(self.machine.now_ms, self.items, self.indexes, self.units))

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

    def change(self, key, item):
        """Tells the oracle what an item is now; None: it is gone."""
        if item is None:
            self.items.pop(key, None)
        else:
            self.items[key] = item

    def put(self):
        key = self.key()
        item = self.new_item(key)
        self.call("PutItem", TableName=self.name, Item=item)
        self.change(key, item)

    def update(self):
        key, value = self.key(), {"N": str(self.rng.randrange(10))}
        self.call("UpdateItem", TableName=self.name, Key=self.key_json(key), UpdateExpression="SET r = :r",
                  ExpressionAttributeValues={":r": value})
        self.change(key, {**self.items.get(key, self.key_json(key)), "r": value})

    def delete(self):
        key = self.key()
        self.call("DeleteItem", TableName=self.name, Key=self.key_json(key))
        self.change(key, None)

    def batch(self, count=20):
        keys = sorted({self.key() for _ in range(count)})
        items = {key: self.new_item(key) if self.rng.random() < 0.6 else None for key in keys}
        self.call("BatchWriteItem", RequestItems={self.name: [
            {"PutRequest": {"Item": item}} if item else {"DeleteRequest": {"Key": self.key_json(key)}}
            for key, item in items.items()]})
        for key, item in items.items():
            self.change(key, item)

    def transaction(self):
        """Returns the request, which may be repeated."""
        put, delete = self.key(), self.key()
        item = self.new_item(put)
        actions = [{"Put": {"TableName": self.name, "Item": item}},
                   {"Delete": {"TableName": self.name, "Key": self.key_json(delete)}}]
        request = {"TransactItems": actions[:1] if put == delete else actions,
                   "ClientRequestToken": self.machine.new_name("token")}
        self.call("TransactWriteItems", **request)
        if put != delete:
            self.change(delete, None)
        self.change(put, item)
        return request

    def fill(self, count):
        """Many items of some size, so that copying them takes many steps."""
        for start in range(0, count, 25):
            keys = [(f"fill{n % 7}", n) for n in range(start, min(start + 25, count))]
            for key in keys:
                self.change(key, {**self.new_item(key), "z": {"S": str(key[1]) * 2000}})
            self.call("BatchWriteItem",
                      RequestItems={self.name: [{"PutRequest": {"Item": self.items[key]}} for key in keys]})
        self.filled = count
        self.note()

    def write(self):
        self.rng.choice([self.put, self.put, self.update, self.delete, self.batch, self.transaction])()
        self.note()

    def more_units(self):
        self.units += 1
        self.call("UpdateTable", TableName=self.name,
                  ProvisionedThroughput={"ReadCapacityUnits": self.units, "WriteCapacityUnits": 5})
        self.note()

    def change_indexes(self):
        present = [index for index in self.indexes if index in LATER]
        index = self.rng.choice(LATER)
        if index in present:
            self.call("UpdateTable", TableName=self.name,
                      GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": index.name}}])
            self.indexes = [i for i in self.indexes if i is not index]
        else:
            self.call("UpdateTable", TableName=self.name, AttributeDefinitions=definitions([index]),
                      GlobalSecondaryIndexUpdates=[{"Create": {**index.json(), "ProvisionedThroughput": UNITS}}])
            self.indexes = self.indexes + [index]
        self.note()
        self.wait_until_active(self.name)

    def step(self):
        if self.rng.random() < 0.5:
            self.machine.move(Advance=self.rng.choice([0.001, 0.02, 0.7, 1, 3.5]))
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

    def first_ms(self):
        """The earliest time that can be asked for."""
        return self.states[0].ms

    def any_time(self):
        first, last = self.first_ms(), self.machine.now_ms
        ms = self.rng.choice([self.rng.choice(self.states).ms, self.rng.randint(first, last), last])
        if self.rng.random() < 0.5:
            ms = max(first, ms // 1000 * 1000)
        return ms

    def restore_to(self, ms):
        name = self.machine.new_name("Restored")
        self.call("RestoreTableToPointInTime", SourceTableName=self.name, TargetTableName=name, RestoreDateTime=ms / 1000)
        return name

    def take_backup(self):
        return self.call("CreateBackup", TableName=self.name, BackupName="some")["BackupDetails"]["BackupArn"]

    def restore_backup(self, arn):
        for _ in range(3000):
            if self.call("DescribeBackup", BackupArn=arn)["BackupDescription"]["BackupDetails"]["BackupStatus"] == "AVAILABLE":
                break
            time.sleep(0.01)
        name = self.machine.new_name("Restored")
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
            keys = sorted(key for key in {*found, *expected} if found.get(key) != expected.get(key))
            what = "was not there" if keys[0] not in expected else "is missing" if keys[0] not in found else "was different"
            return f"{len(keys)} items differ, e.g. {keys[0]} {what}"
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
