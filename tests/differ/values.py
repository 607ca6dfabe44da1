"""Random attribute values, tables and items.

Pools are small, so that keys meet, conditions hold about half the time, and sets and lists overlap. Some values are odd: at a
limit, beyond it, or of no type. How odd a run is, is one number, `Random.odd`: the share of choices that try a limit.
"""

import dataclasses
import random

STRINGS = ["a", "b", "ab", "abc", "", "é", "z", "0", "\u0001", "😀"]
NUMBERS = ["0", "1", "-1", "2", "10", "2.50", "-7.25", "1e2", "100", "0.001", "12345678901234567890", "-0", "007", "1E-3",
           "99999999999999999999999999999999999999", "9.9999999999999999999999999999999999999E+125", "1e-130"]
ODD_NUMBERS = ["", " 1", "abc", "1e126", "-1e126", "1e-131", "123456789012345678901234567890123456789", "NaN", "Infinity", "0x1",
               "1e2147483647", "1e-2147483648", "+5", ".5", "5.", "--1", "1_0"]
BINARIES = ["", "YQ==", "YWI=", "AA==", "/w=="]
ODD_BINARIES = ["YQ", "Y", "****", "YQ==YQ=="]
NAMES = ["a", "b", "n", "s", "l", "m", "g", "h", "i"]
RESERVED = ["size", "name", "status", "data", "values"]
ODD_NAMES = ["", "a.b", "with space", "é", "x" * 255, "x" * 256, "#a", ":a", "0"]
# Attributes of index keys, by type.
INDEXED = {"g": "S", "h": "N", "i": "B"}
LARGE = 380_000


class Random(random.Random):
    odd = 0.03
    for_local = False  # leave out what DynamoDB Local does otherwise without saying so: the servers no longer hold the same then

    def chance(self, share):
        return self.random() < share

    def oddly(self, share=1.0):
        """Whether this choice tries a limit; `share` for what would be tried too often."""
        return self.random() < self.odd * share

    def some(self, values, low=0, high=None):
        values = list(values)
        return self.sample(values, self.randint(low, min(len(values), high if high is not None else len(values))))


def scalar(rng, kind):
    if kind == "S":
        return "x" * rng.choice([1023, 1024, 1025, 2048, 2049]) if rng.oddly(0.3) else rng.choice(STRINGS)
    if kind == "N":
        return rng.choice(ODD_NUMBERS) if rng.oddly() else rng.choice(NUMBERS)
    return rng.choice(ODD_BINARIES) if rng.oddly() else rng.choice(BINARIES)


def odd_value(rng):
    nested = {"S": "deep"}
    for _ in range(rng.choice([30, 31, 32, 33, 40])):
        nested = rng.choice([{"L": [nested]}, {"M": {"x": nested}}])
    return rng.choice([{}, {"S": "a", "N": "1"}, {"X": "a"}, {"S": 1}, {"N": 1}, {"BOOL": "true"}, {"NULL": False}, {"SS": []},
                       {"SS": ["a", "a"]}, {"NS": ["1", "1.0"]}, {"NS": ["x"]}, {"BS": ["YQ==", "YQ=="]}, {"SS": [""]}, {"M": {"": {"S": "a"}}},
                       {"L": [{}]}, {"S": None}, None, {"L": "a"}, {"NS": []}, nested, {"S": "x" * LARGE}])


def value(rng, depth=0, kinds=None):
    if rng.oddly(0.5):
        return odd_value(rng)
    kind = rng.choice(kinds or (["S", "N", "S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS"] + ["L", "M"] * (depth < 3)))
    if kind in ("S", "N", "B"):
        return {kind: scalar(rng, kind)}
    if kind == "BOOL":
        return {kind: rng.chance(0.5)}
    if kind == "NULL":
        return {kind: True}
    if kind == "SS":
        return {kind: rng.some(STRINGS, 1, 4)}
    if kind == "NS":
        return {kind: rng.some(["0", "1", "2", "-3.5", "10"], 1, 4)}
    if kind == "BS":
        return {kind: rng.some(BINARIES[1:], 1, 3)}
    if kind == "L":
        return {kind: [value(rng, depth + 1) for _ in range(rng.randrange(4))]}
    return {kind: {name: value(rng, depth + 1) for name in rng.some(["x", "y", "z", "a"], 0, 3)}}


# What each attribute mostly is, so that arithmetic, set operations and paths find something to work on.
USUAL = {"n": ["N"], "s": ["SS", "NS"], "l": ["L"], "m": ["M"]}


def attribute(rng, name):
    if name in INDEXED and not rng.oddly(2):
        return key_value(rng, INDEXED[name])
    return value(rng, kinds=None if rng.chance(0.2) else USUAL.get(name))


def attribute_name(rng):
    if rng.oddly():
        return rng.choice(ODD_NAMES)
    return rng.choice(RESERVED) if rng.chance(0.05) else rng.choice(NAMES)


# ---- tables ----

@dataclasses.dataclass
class Key:
    name: str
    kind: str


@dataclasses.dataclass
class Index:
    name: str
    hash: Key
    range: Key
    local: bool
    projection: dict

    def json(self):
        return {"IndexName": self.name, "KeySchema": key_schema(self.hash, self.range), "Projection": self.projection}


@dataclasses.dataclass
class Table:
    name: str
    hash: Key
    range: Key
    indexes: list

    def keys(self, index=None):
        """The keys of the table, and with an index those of the index too, each once."""
        keys = [self.hash, self.range] + ([index.hash, index.range] if index else [])
        return list({key.name: key for key in keys if key}.values())

    def definitions(self):
        keys = {key.name: key for index in [None, *self.indexes] for key in self.keys(index)}
        return [{"AttributeName": key.name, "AttributeType": key.kind} for key in keys.values()]


def key_schema(hash_key, range_key):
    schema = [{"AttributeName": hash_key.name, "KeyType": "HASH"}]
    return schema + ([{"AttributeName": range_key.name, "KeyType": "RANGE"}] if range_key else [])


def projection(rng):
    kind = rng.choice(["ALL", "ALL", "KEYS_ONLY", "INCLUDE"])
    return {"ProjectionType": kind, **({"NonKeyAttributes": rng.some(["a", "b", "n", "s"], 1, 3)} if kind == "INCLUDE" else {})}


def index(rng, name, table_hash, local):
    hash_name, *others = rng.sample(sorted(INDEXED), 2)
    range_key = Key(others[0], INDEXED[others[0]]) if local or rng.chance(0.6) else None
    hash_key = table_hash if local else Key(hash_name, INDEXED[hash_name])
    return Index(name, hash_key, range_key, local, projection(rng))


def table(rng, name):
    hash_key = Key("pk", rng.choice(["S", "S", "N", "B"]))
    range_key = Key("sk", rng.choice(["S", "N", "B"])) if rng.chance(0.7) else None
    indexes = [index(rng, f"global{number}", hash_key, False) for number in range(rng.choice([0, 1, 1, 2]))]
    if range_key:
        indexes += [index(rng, f"local{number}", hash_key, True) for number in range(rng.choice([0, 0, 1, 2]))]
    return Table(name, hash_key, range_key, indexes)


def create_table(rng, made):
    body = {"TableName": made.name, "KeySchema": key_schema(made.hash, made.range), "AttributeDefinitions": made.definitions()}
    provisioned = rng.chance(0.3)
    throughput = {"ProvisionedThroughput": {"ReadCapacityUnits": rng.randint(1, 9), "WriteCapacityUnits": rng.randint(1, 9)}}
    body.update(throughput if provisioned else {"BillingMode": "PAY_PER_REQUEST"})
    for member, local in (("LocalSecondaryIndexes", True), ("GlobalSecondaryIndexes", False)):
        indexes = [{**index.json(), **(throughput if provisioned and not local else {})} for index in made.indexes if index.local == local]
        if indexes:
            body[member] = indexes
    if rng.chance(0.1):
        body["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": rng.choice(["NEW_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES"])}
    if rng.chance(0.1):
        body["DeletionProtectionEnabled"] = rng.chance(0.3)
    return body


# ---- items ----

KEY_STRINGS = ["k1", "k2", "k3", "é"]
KEY_NUMBERS = ["1", "2", "-3.5", "10", "1e1"]
KEY_BINARIES = ["YQ==", "YWI=", "/w=="]


def key_value(rng, kind):
    if rng.oddly():
        return rng.choice([value(rng), {kind: ""}, {"S": "x" * rng.choice([1024, 1025, 2048, 2049])}, {kind: scalar(rng, kind)}])
    return {kind: rng.choice({"S": KEY_STRINGS, "N": KEY_NUMBERS, "B": KEY_BINARIES}[kind])}


def primary_key(rng, of, index=None):
    key = {key.name: key_value(rng, key.kind) for key in of.keys(index)}
    if rng.oddly():
        key.pop(rng.choice(list(key)))
    if rng.oddly():
        key["extra"] = {"S": "a"}
    return key


def item(rng, of):
    made = primary_key(rng, of)
    made.update((name, attribute(rng, name)) for name in rng.some(NAMES, 0, 6))
    if rng.oddly():
        made[attribute_name(rng)] = value(rng)
    return made
