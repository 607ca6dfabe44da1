#!/usr/bin/python3
"""kill -9 under load, again and again on one data directory; prints TAP, one case per round.

Every round starts the server, lets writers put, update, delete and batch-write as fast as they can,
kills it after a random number of acknowledged writes, starts it again and compares what it holds
with what it had acknowledged (model.py says what is allowed). The same seed makes the same requests
of each writer, though not the same meetings of them.

    /usr/bin/python3 tests/crash/crash.py [--rounds 4] [--seconds 20] [--seed N] [--encrypt]
"""

import argparse
import http.client
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "wire"))

from encryption import make_key
from model import Model, check_text, item
from rounds import Tally, add_options, rounds
from server import Server, binary
from wire import HEADERS, call

WORKERS = 12
KEYS = 300
WRITES = (1, 1000)  # in the life of a server


class Writer(threading.Thread):
    """Writes the keys of one partition over one connection until the server is gone."""

    def __init__(self, port, model, rng, acknowledged):
        super().__init__()
        self.acknowledged = acknowledged
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.model, self.rng = model, rng
        self.problem = None

    def send(self, operation, body):
        self.connection.request("POST", "/", json.dumps(body), {
            **HEADERS, "X-Amz-Target": f"DynamoDB_20120810.{operation}"})
        response = self.connection.getresponse()
        text = response.read()
        if response.status != 200:
            self.problem = f"{operation} answered {response.status} {text[:300]!r}"
            return False
        return True

    def next_version(self, key):
        return self.model.acknowledged.get(key, 0) + 1

    def request(self):
        """One random request: its operation, its body and the versions it makes."""
        worker, key = self.model.worker, self.rng.randrange(KEYS)
        full_key = {"pk": {"S": str(worker)}, "sk": {"N": str(key)}}
        kind, version = self.rng.choice("pppuud" "bb"), self.next_version(key)
        if kind == "p":
            return "PutItem", {"TableName": "crash", "Item": item(worker, key, version)}, {key: version}
        if kind == "u":
            return "UpdateItem", {
                "TableName": "crash", "Key": full_key, "UpdateExpression": "SET version = :v, #c = :c",
                "ExpressionAttributeNames": {"#c": "check"}, "ExpressionAttributeValues": {
                    ":v": {"N": str(version)}, ":c": {"S": check_text(worker, key, version)}}}, {key: version}
        if kind == "d":
            return "DeleteItem", {"TableName": "crash", "Key": full_key}, {key: 0}
        keys = self.rng.sample(range(KEYS), 10)
        changes = {key: self.next_version(key) for key in keys}
        return "BatchWriteItem", {"RequestItems": {"crash": [
            {"PutRequest": {"Item": item(worker, key, version)}} for key, version in changes.items()]}}, changes

    def run(self):
        try:
            while not self.problem:
                operation, body, changes = self.request()
                self.model.begin(changes)
                if self.send(operation, body):
                    self.model.acknowledge()
                    self.acknowledged.add()
        except (OSError, http.client.HTTPException):
            pass  # The server was killed, as planned.
        finally:
            self.connection.close()


def scan_all(port):
    """All items of the table, by partition."""
    items, start = {}, {}
    while True:
        reply = call(port, "Scan", {"TableName": "crash", "ConsistentRead": True, **start})
        assert reply.status == 200, reply.body
        page = reply.json
        for stored in page["Items"]:
            items.setdefault(int(stored["pk"]["S"]), []).append(stored)
        if "LastEvaluatedKey" not in page:
            return items
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def verify(port, models):
    items = scan_all(port)
    problems = [problem for model in models for problem in model.judge(items.get(model.worker, []))]
    scanned = sum(len(part) for part in items.values())
    described = call(port, "DescribeTable", {"TableName": "crash"}).json["Table"]["ItemCount"]
    if described != scanned:
        problems.append(f"ItemCount is {described}, a scan finds {scanned}")
    return problems


def live_and_die(serve, models, rng):
    """A server under load that is killed; returns the number of acknowledged writes and the problems."""
    acknowledged, wanted = Tally(), rng.randint(*WRITES)
    with Server(*serve) as server:
        writers = [Writer(server.port, model, random.Random(rng.random()), acknowledged) for model in models]
        for writer in writers:
            writer.start()
        came = acknowledged.wait_more(wanted)
        server.kill()
        for writer in writers:
            writer.join()
    problems = [writer.problem for writer in writers if writer.problem]
    return acknowledged.count, problems if came else [f"not even {wanted} writes were acknowledged", *problems]


def check(serve):
    """What is wrong with the directory, as `gramme check` sees it: a crash leaves a sound one."""
    told = subprocess.run([binary(), "check", *serve[1:]], capture_output=True, text=True, timeout=300)
    return [] if told.returncode == 0 else [f"gramme check: {told.returncode}", *told.stdout.splitlines(), told.stderr]


def live_again(serve, models):
    """Checks the directory and starts it once more; returns the problems."""
    problems = check(serve)
    with Server(*serve) as server:
        return problems + verify(server.port, models)


def run_round(serve, models, rng):
    """One life and one death; returns the number of acknowledged writes and the problems."""
    writes, problems = live_and_die(serve, models, rng)
    return writes, problems + live_again(serve, models)


def create_table(serve):
    with Server(*serve) as server:
        reply = call(server.port, "CreateTable", {
            "TableName": "crash", "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]})
        assert reply.status == 200, reply.body


def main():
    parser = argparse.ArgumentParser()
    add_options(parser, 4)
    parser.add_argument("--encrypt", action="store_true", help="with encrypted files")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    print(f"# seed {options.seed}", flush=True)
    models = [Model(worker) for worker in range(WORKERS)]
    failed = number = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        serve = ["--data", folder / "data"]
        if options.encrypt:
            serve += ["--encrypt-with", make_key(folder / "key")]
        create_table(serve)
        for number in rounds(options.rounds, options.seconds):
            writes, problems = run_round(serve, models, rng)
            print(f"{'not ok' if problems else 'ok'} {number} - {writes} acknowledged writes", flush=True)
            for problem in problems[:20]:
                print(f"# {problem}", flush=True)
            failed += bool(problems)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
