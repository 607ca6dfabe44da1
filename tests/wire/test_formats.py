"""Data that earlier versions wrote opens in this one.

tests/data/formats/N.tar.gz is a data directory of format N, made by

    /usr/bin/python3 tests/wire/test_formats.py --make tests/data/formats/N.tar.gz

with the first version that wrote that format, and never made again. The test opens a copy of each and compares what is in it.
Those from 2 on are encrypted, with a key that is no secret. 1.sums is of format 1 with records of version 2, which have checksums.
"""

import pathlib
import sys
import tarfile
import tempfile
import unittest

from server import ROOT, Server
from wire import boto3_client, only

FORMATS = ROOT / "tests/data/formats"


def key_options(path):
    """For what the file has in it."""
    return [] if path.name.startswith("1.") else ["--encrypt-with", f"command:echo {'no secret: ' * 4}| head -c 32"]


DEFINITIONS = {
    "plain": dict(AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "B"}],
                  KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                  ProvisionedThroughput={"ReadCapacityUnits": 7, "WriteCapacityUnits": 3},
                  Tags=[{"Key": "team", "Value": "storage"}]),
    "indexed": dict(
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": t}
                              for n, t in (("pk", "S"), ("sk", "N"), ("g", "S"), ("l", "N"))],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        BillingMode="PAY_PER_REQUEST", TableClass="STANDARD_INFREQUENT_ACCESS",
        LocalSecondaryIndexes=[{"IndexName": "by-l", "Projection": {"ProjectionType": "KEYS_ONLY"},
                                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"},
                                              {"AttributeName": "l", "KeyType": "RANGE"}]}],
        GlobalSecondaryIndexes=[{"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                                 "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text"]}}]),
}

EVERY_TYPE = {
    "S": {"S": "é☃\0"}, "N": {"N": "-12345.678900000000000000000000000000001"}, "B": {"B": b"\x00\xff"}, "BOOL": {"BOOL": False},
    "NULL": {"NULL": True}, "SS": {"SS": ["", "a", "b"]}, "NS": {"NS": ["-1", "0", "2.5"]}, "BS": {"BS": [b"", b"x"]},
    "L": {"L": [{"S": ""}, {"L": []}]}, "M": {"M": {"nested": {"M": {"n": {"N": "1"}}}}},
}

ITEMS = {
    "plain": [{"pk": {"B": b"\x00"}, **EVERY_TYPE}, {"pk": {"B": b"\x00\x01"}}],
    "indexed": [{"pk": {"S": f"p{n % 3}"}, "sk": {"N": str(n - 5)}, "g": {"S": f"g{n % 2}"}, "l": {"N": str(n % 4)},
                 "text": {"S": "x" * n}, "more": {"BOOL": True}} for n in range(12)] + [{"pk": {"S": "p0"}, "sk": {"N": "0.5"}}],
}


def fill(client):
    for name, definition in DEFINITIONS.items():
        client.create_table(TableName=name, **definition)
        for item in ITEMS[name]:
            client.put_item(TableName=name, Item=item)


def by_key(items):
    return sorted(items, key=lambda item: (str(item["pk"]), float(item.get("sk", {"N": 0})["N"])))


class Formats(unittest.TestCase):
    maxDiff = None

    def check(self, client):
        self.assertEqual(client.list_tables()["TableNames"], sorted(DEFINITIONS))
        for name in DEFINITIONS:
            self.assertEqual(by_key(client.scan(TableName=name)["Items"]), by_key(ITEMS[name]))
            self.assertEqual(client.describe_table(TableName=name)["Table"]["ItemCount"], len(ITEMS[name]))
        plain = client.describe_table(TableName="plain")["Table"]
        self.assertEqual(plain["ProvisionedThroughput"]["ReadCapacityUnits"], 7)
        entries = client.query(TableName="indexed", IndexName="by-g", KeyConditionExpression="g = :g",
                               ExpressionAttributeValues={":g": {"S": "g1"}})["Items"]
        self.assertEqual(by_key(entries), by_key(
            {n: item[n] for n in ("pk", "sk", "g", "text")} for item in ITEMS["indexed"] if item.get("g") == {"S": "g1"}))
        local = client.query(TableName="indexed", IndexName="by-l", KeyConditionExpression="pk = :p AND l >= :l",
                             ExpressionAttributeValues={":p": {"S": "p1"}, ":l": {"N": "2"}})["Items"]
        self.assertEqual([item["l"]["N"] for item in local], sorted(
            item["l"]["N"] for item in ITEMS["indexed"] if item["pk"] == {"S": "p1"} and int(item["l"]["N"]) >= 2))
        client.put_item(TableName="indexed", Item={"pk": {"S": "new"}, "sk": {"N": "1"}, "g": {"S": "g9"}})
        self.assertEqual(only(client.get_item(TableName="indexed", Key={"pk": {"S": "new"}, "sk": {"N": "1"}})),
                         {"Item": {"pk": {"S": "new"}, "sk": {"N": "1"}, "g": {"S": "g9"}}})

    def test_every_format_opens(self):
        archives = sorted(FORMATS.glob("*.tar.gz"))
        self.assertGreater(len(archives), 0)
        for archive in archives:
            with self.subTest(format=archive.name), tempfile.TemporaryDirectory() as directory:
                with tarfile.open(archive) as tar:
                    tar.extractall(directory)
                with Server("--data", pathlib.Path(directory) / "data", *key_options(archive)) as server:
                    client = boto3_client(server.endpoint)
                    self.check(client)
                    client.close()


def make(archive):
    with tempfile.TemporaryDirectory() as directory:
        data = pathlib.Path(directory) / "data"
        with Server("--data", data, *key_options(archive)) as server:
            client = boto3_client(server.endpoint)
            fill(client)
            client.close()
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(data, "data", filter=lambda member:
                    None if pathlib.Path(member.name).name.startswith(("LOG", "OPTIONS", "RESERVE")) else member)


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[2]))
