"""Bad input of every kind gets the service's error, and the server is none the worse for it.

Requests are made by rule (a wrong type in every member) and at random from a printed seed. What each
of them should answer in detail is the business of tests/data/wire; here no answer may be a 500, none
may be missing, and each must be one of the errors the service has for bad input.
"""

import copy
import json
import os
import random
import subprocess
import unittest

from server import binary
from wire import WireTest

EXPECTED_ERRORS = {"ValidationException", "SerializationException", "ResourceNotFoundException",
                   "ConditionalCheckFailedException", "ResourceInUseException", "LimitExceededException",
                   "UnknownOperationException"}
KEY = {"pk": {"S": "a"}}
REQUESTS = {
    "CreateTable": {"TableName": "another", "BillingMode": "PROVISIONED", "TableClass": "STANDARD",
                    "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
                    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "DeletionProtectionEnabled": False,
                    "SSESpecification": {"Enabled": False}, "Tags": [{"Key": "k", "Value": "v"}],
                    "OnDemandThroughput": {}, "WarmThroughput": {"ReadUnitsPerSecond": 1}},
    "DescribeTable": {"TableName": "table"},
    "ListTables": {"ExclusiveStartTableName": "aaa", "Limit": 10},
    "UpdateTable": {"TableName": "table", "BillingMode": "PAY_PER_REQUEST", "DeletionProtectionEnabled": False,
                    "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}},
    "DeleteTable": {"TableName": "missing"},
    "DescribeLimits": {},
    "DescribeEndpoints": {},
    "PutItem": {"TableName": "table", "Item": {**KEY, "v": {"M": {"l": {"L": [{"NS": ["1"]}]}}}}, "ReturnValues": "ALL_OLD",
                "ConditionExpression": "#v <> :v", "ExpressionAttributeNames": {"#v": "v"},
                "ExpressionAttributeValues": {":v": {"S": "x"}}, "ReturnConsumedCapacity": "TOTAL",
                "ReturnItemCollectionMetrics": "NONE", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
    "GetItem": {"TableName": "table", "Key": KEY, "ConsistentRead": True, "ProjectionExpression": "#v",
                "ExpressionAttributeNames": {"#v": "v"}, "ReturnConsumedCapacity": "INDEXES"},
    "UpdateItem": {"TableName": "table", "Key": KEY, "UpdateExpression": "SET a = :a ADD n :n", "ReturnValues": "ALL_NEW",
                   "ExpressionAttributeValues": {":a": {"B": "AAEC"}, ":n": {"N": "1"}}},
    "DeleteItem": {"TableName": "table", "Key": KEY, "ReturnValues": "ALL_OLD", "ConditionExpression": "attribute_exists(pk)"},
    "Query": {"TableName": "sorted", "KeyConditionExpression": "pk = :p", "FilterExpression": "v = :v", "Limit": 5,
              "ExpressionAttributeValues": {":p": {"S": "a"}, ":v": {"S": "x"}}, "ScanIndexForward": False,
              "ExclusiveStartKey": {**KEY, "sk": {"S": "m"}}, "Select": "COUNT", "ConsistentRead": True},
    "Scan": {"TableName": "table", "FilterExpression": "size(v) > :n", "ExpressionAttributeValues": {":n": {"N": "1"}},
             "Segment": 0, "TotalSegments": 2, "Limit": 5, "Select": "ALL_ATTRIBUTES"},
    "BatchGetItem": {"RequestItems": {"table": {"Keys": [KEY], "ConsistentRead": True, "ProjectionExpression": "pk"}}},
    "BatchWriteItem": {"RequestItems": {"table": [{"PutRequest": {"Item": KEY}}, {"DeleteRequest": {"Key": {"pk": {"S": "b"}}}}]}},
}
WRONG = [None, True, False, 0, -1, 1.5, 1e300, 10 ** 40, "", "x", "\u0000", "é" * 300, [], {}, [[]], [None], [{}], {"": {}},
         {"S": "x"}, {"a": {"a": {"a": {}}}}, "a" * 5000]


def places(value, path=()):
    """Every place in a JSON value, the containers included."""
    if path:
        yield path
    if isinstance(value, dict):
        for name in value:
            yield from places(value[name], (*path, name))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield from places(value[index], (*path, index))


def replaced(value, path, new):
    value = copy.deepcopy(value)
    inner = value
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = new
    return value


def without(value, path):
    value = copy.deepcopy(value)
    inner = value
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return value


class BadInput(WireTest):
    def setUp(self):
        super().setUp()
        self.create()
        self.create("sorted", range="sk:S")

    def check(self, operation, body):
        reply = self.call(operation, body)
        shown = f"{operation} {body if isinstance(body, bytes) else json.dumps(body)}"[:1500]
        if reply.status == 200:
            return reply.status
        self.assertEqual(reply.status, 400, f"{shown}\n{reply.body[:500]}")
        self.assertIn(reply.json["__type"].split("#")[1], EXPECTED_ERRORS, f"{shown}\n{reply.body[:500]}")
        return reply.status

    def test_the_requests_themselves_are_good(self):
        for operation in ("PutItem", "GetItem", "UpdateItem", "DeleteItem", "Query", "Scan", "BatchGetItem", "BatchWriteItem"):
            with self.subTest(operation=operation):
                reply = self.call(operation, REQUESTS[operation])
                self.assertEqual(reply.status, 200, reply.body)

    def test_a_wrong_value_in_every_member(self):
        refused = 0
        for operation, request in REQUESTS.items():
            for path in places(request):
                for wrong in WRONG:
                    refused += self.check(operation, replaced(request, path, wrong)) == 400
                refused += self.check(operation, without(request, path)) == 400
        self.assertGreater(refused, 1000)

    def test_an_operation_that_is_missing_is_named(self):
        listed = subprocess.run([binary(), "operations"], text=True, capture_output=True, check=True).stdout
        names = dict(line.split() for line in listed.splitlines())
        for name in (name for name, state in names.items() if state == "missing"):
            self.assertEqual(self.call(name, {}).error, f"UnknownOperationException: gramme does not have the operation {name}")
        # What nobody has gets no text, as in the service.
        for name in ("NoSuchOperation", "ImportTabl", "ImportTable2"):
            self.assertEqual(self.call(name, {}).error, "UnknownOperationException")

    def test_cut_off_bodies(self):
        body = json.dumps(REQUESTS["PutItem"]).encode()
        for length in range(1, len(body), 3):
            self.assertEqual(self.check("PutItem", body[:length]), 400)

    def test_random_bytes_in_a_body(self):
        seed = int(os.environ.get("GRAMME_SEED", 1))
        print(f"# repeat with GRAMME_SEED={seed}", flush=True)
        rng = random.Random(seed)
        bodies = {operation: json.dumps(request).encode() for operation, request in REQUESTS.items()}
        for _ in range(1500):
            operation = rng.choice(list(bodies))
            body = bytearray(bodies[operation])
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(body) + 1)
                body[at:at + rng.randint(0, 3)] = rng.choice([
                    bytes([rng.randrange(256)]), b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\u12", b"null",
                    b"1e999", b"\xff", b"\xed\xa0\x80", b"-", b"0"])
            self.check(operation, bytes(body))

    def test_broken_utf8(self):
        for broken in (b"\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80"):
            with self.subTest(broken=broken):
                body = b'{"TableName":"table","Item":{"pk":{"S":"a' + broken + b'"}}}'
                self.assertEqual(self.check("PutItem", body), 400)
        # A lone surrogate in an escape is no Unicode text either, whether it is refused or replaced.
        self.check("PutItem", b'{"TableName":"table","Item":{"pk":{"S":"\\ud800"}}}')

    def test_deep_json(self):
        for depth in (33, 64, 65, 1000, 100_000):
            for opening, closing in ((b"[", b"]"), (b'{"a":', b"}"), (b'{"L":[', b"]}"), (b'{"M":{"k":', b"}}")):
                body = b'{"TableName":"table","Item":{"pk":{"S":"a"},"x":' + opening * depth + closing * depth + b"}}"
                self.assertEqual(self.check("PutItem", body), 400)

    def test_huge_numbers(self):
        for number in ("9" * 100_000, "0." + "0" * 100_000 + "1", "1e" + "9" * 1000, "-" + "1" * 39):
            self.assertEqual(self.check("PutItem", {"TableName": "table", "Item": {**KEY, "n": {"N": number}}}), 400)
            self.check("ListTables", b'{"Limit":' + number.encode() + b"}")

    def test_long_expressions(self):
        for expression in ("(" * 4000, "NOT " * 1000 + "a = b", "a" + ".a" * 2000, "a" + "[0]" * 1300, "a = b OR " * 450,
                           "size(" * 800, "a IN (" + ",".join(["a"] * 1500) + ")", "#" * 4000, ":" * 4000):
            for member in ("FilterExpression", "ProjectionExpression"):
                self.assertEqual(self.check("Scan", {"TableName": "table", member: expression}), 400, expression[:40])
            self.assertEqual(self.check("UpdateItem", {"TableName": "table", "Key": KEY, "UpdateExpression": expression}), 400)
            self.assertEqual(self.check("UpdateItem", {
                "TableName": "table", "Key": KEY, "UpdateExpression": "SET a = " + expression}), 400)

    def test_the_server_still_works(self):
        # Runs last by its name being last in the alphabet of this class; every test shares the server.
        self.client.put_item(TableName="table", Item=KEY)
        self.assertEqual(self.client.scan(TableName="table")["Items"], [KEY])


if __name__ == "__main__":
    unittest.main()
