"""What tests of several servers on one PostgreSQL store share."""

import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import uuid

import shared_store
import wire
from server import FOLLOWING, LISTENING, Server, binary, log_file
from waiting import wait_until

KEY_SCHEMA = {"AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
              "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST"}


def in_threads(count, work):
    """Calls it with 0 and so on, all at once. The first failure is the caller's."""
    failures = []

    def guarded(n):
        try:
            work(n)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def freeze(server):
    """Stops it until SIGCONT. On a busy machine some of its threads go on for a while after the signal: waits for the last of them."""
    os.kill(server.process.pid, signal.SIGSTOP)
    tasks = pathlib.Path(f"/proc/{server.process.pid}/task")
    wait_until(lambda: all((task / "stat").read_text().rpartition(")")[2].split()[0] == "T" for task in tasks.iterdir()), "stopping")


def gramme(*arguments):
    return subprocess.run([binary(), *arguments], text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)


def new_store(cluster, *options):
    return shared_store.make(binary(), f"s{uuid.uuid4().hex}", cluster.url, *options)


def post(port, operation, **body):
    return wire.call(port, operation, json.dumps(body).encode())


def put(port, key, value="1"):
    return post(port, "PutItem", TableName="table", Item={"k": {"S": key}, "v": {"S": value}})


def create_table(port):
    reply = post(port, "CreateTable", TableName="table", **KEY_SCHEMA)
    assert reply.status == 200, reply.body


def keys(port):
    found, start = set(), {}
    while True:
        page = post(port, "Scan", TableName="table", ConsistentRead=True, **start).json
        found |= {item["k"]["S"] for item in page["Items"]}
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def ready(port):
    reply = wire.http_request(port, "GET", "/health/ready", {})
    return reply.status, reply.json


def metric(port, name):
    """A counter of the server; 0 when it has none of that name."""
    found = re.search(rf"(?m)^gramme_{name}_total (\d+)$", wire.http_request(port, "GET", "/metrics", {}).body.decode())
    return int(found.group(1)) if found else 0


def gauge(port, name):
    """A number of the server; None when it has none of that name."""
    found = re.search(rf"(?m)^gramme_{name} (\S+)$", wire.http_request(port, "GET", "/metrics", {}).body.decode())
    return float(found.group(1)) if found else None


class Follower(Server):
    """A server on a store that another one leads."""

    def start(self):
        self.errors = log_file()
        self.process = subprocess.Popen([binary(), "serve", "--port", "0", *self.arguments], stdin=subprocess.DEVNULL,
                                        text=True, stdout=subprocess.PIPE, stderr=self.errors)
        self.started = threading.Event()
        self.reader = threading.Thread(target=self._read_output, daemon=True)
        self.reader.start()
        wait_until(lambda: FOLLOWING.search(self.output) or self.process.poll() is not None, "following")
        match = FOLLOWING.search(self.output)
        self.endpoint, self.port = match.group(1), int(match.group(3))
        return self

    def wait_for_lead(self):
        wait_until(lambda: LISTENING.search(self.output), "taking over")
        match = LISTENING.search(self.output)
        assert int(match.group(3)) == self.port, self.output
        wait_until(lambda: ready(self.port)[1]["role"] == "leading", "being ready")
