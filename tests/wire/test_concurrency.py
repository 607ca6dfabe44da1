"""Many clients at once: counters that must add up, reads that must not tear, tables that come and go meanwhile.

`make check` runs this on the build with AddressSanitizer and again, in memory, on one with ThreadSanitizer.
"""

import http.client
import random
import threading
import unittest

from server import Server
from wire import Connection

THREADS = 8
ROUNDS = 150


def create(client, name, **more):
    return client.call(
        "CreateTable", TableName=name, BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in (("pk", "S"), ("sk", "N"), ("g", "S"))],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        GlobalSecondaryIndexes=[{"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                                 "Projection": {"ProjectionType": "ALL"}}], **more)


class Concurrency(unittest.TestCase):
    def setUp(self):
        self.failures = []

    def in_threads(self, port, *functions):
        """Runs each function on THREADS threads, each with a connection of its own."""

        def run(function, number):
            try:
                function(Connection(port), number)
            except BaseException as error:  # noqa: B902 - told by the main thread
                self.failures.append(error)

        threads = [threading.Thread(target=run, args=(function, number))
                   for function in functions for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failures:
            raise self.failures[0]

    def count(self, client, number):
        """Adds to one counter, and moves an item of its own through the index."""
        for n in range(ROUNDS):
            answer = client.call("UpdateItem", TableName="shared", Key={"pk": {"S": "counter"}, "sk": {"N": "0"}},
                                 UpdateExpression="ADD n :one", ExpressionAttributeValues={":one": {"N": "1"}})
            self.assertNotIn("error", answer, answer)
            client.call("PutItem", TableName="shared", Item={
                "pk": {"S": "mine"}, "sk": {"N": str(number)}, "g": {"S": f"g{n % 3}"}, "a": {"N": str(n)}, "b": {"N": str(n)}})

    def claim(self, client, number):
        """Only one thread may create each item."""
        for n in range(ROUNDS):
            answer = client.call("PutItem", TableName="shared", ConditionExpression="attribute_not_exists(pk)",
                                 Item={"pk": {"S": "claim"}, "sk": {"N": str(n)}, "owner": {"N": str(number)}})
            if "error" not in answer:
                self.claimed[n].append(number)
            else:
                self.assertEqual(answer["error"], "ConditionalCheckFailedException")

    def read(self, client, number):
        """An item is never seen half written."""
        for n in range(ROUNDS):
            answer = client.call("Query", TableName="shared", IndexName="by-g", KeyConditionExpression="g = :g",
                                 ExpressionAttributeValues={":g": {"S": f"g{n % 3}"}})
            self.assertNotIn("error", answer, answer)
            for item in answer["Items"]:
                self.assertEqual(item["a"], item["b"])
            self.assertNotIn("error", client.call("Scan", TableName="shared", Segment=number, TotalSegments=THREADS))

    def churn(self, client, number):
        """Tables that others use may go at any moment; the answer is then ResourceNotFoundException and nothing else."""
        name = f"churn{number % 2}"
        rng = random.Random(number)
        for n in range(ROUNDS // 3):
            operation = rng.choice(["create", "delete", "put", "put", "put", "scan"])
            if operation == "create":
                answer = create(client, name)
            elif operation == "delete":
                answer = client.call("DeleteTable", TableName=name)
            elif operation == "put":
                answer = client.call("PutItem", TableName=name,
                                     Item={"pk": {"S": str(n)}, "sk": {"N": "1"}, "g": {"S": "x"}})
            else:
                answer = client.call("Scan", TableName=name)
            self.assertIn(answer.get("error"), (None, "ResourceNotFoundException", "ResourceInUseException"), answer)

    def run_all(self, *arguments):
        self.claimed = [[] for _ in range(ROUNDS)]
        with Server("--threads", "3", *arguments) as server:
            client = Connection(server.port)
            create(client, "shared")
            self.in_threads(server.port, self.count, self.claim, self.read, self.churn)
            counter = client.call("GetItem", TableName="shared", Key={"pk": {"S": "counter"}, "sk": {"N": "0"}})
            self.assertEqual(counter["Item"]["n"]["N"], str(THREADS * ROUNDS))
            for n, owners in enumerate(self.claimed):
                self.assertEqual(len(owners), 1, f"item {n} was created by {owners}")
            table = client.call("DescribeTable", TableName="shared")["Table"]
            self.assertEqual(table["ItemCount"], 1 + THREADS + ROUNDS)
            self.assertEqual(table["GlobalSecondaryIndexes"][0]["ItemCount"], THREADS)

    def test_in_memory(self):
        self.run_all("--memory")

    def test_on_disk(self):
        import tempfile
        with tempfile.TemporaryDirectory() as directory:
            self.run_all("--data", directory)

    def test_stops_cleanly_under_load(self):
        with Server("--memory") as server:
            client = Connection(server.port)
            create(client, "shared")
            acknowledged = []

            def write(client, number):
                try:
                    for n in range(100000):
                        client.call("PutItem", TableName="shared", Item={"pk": {"S": str(number)}, "sk": {"N": str(n)}})
                        acknowledged.append(n)
                except (ConnectionError, http.client.HTTPException, OSError):
                    pass

            timer = threading.Timer(0.5, server.stop)
            timer.start()
            self.in_threads(server.port, write)
            timer.join()
            self.assertGreater(len(acknowledged), 0)
