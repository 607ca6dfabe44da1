#!/usr/bin/python3
"""Makes a cluster: three machines with PostgreSQL, Patroni and etcd, and servers of gramme on it.

    /usr/bin/python3 tests/cluster/cluster.py --seconds 300 [--seed N] [--groups N] [WORD ...]

has two servers, and clients that talk to both, while things break at random, one at a time (failures.py; only those whose names
contain a WORD). With --groups both servers write, each in groups of keys of its own. What the clients did and saw is judged as in tests/history: nothing that was acknowledged is lost, nothing happened
twice or in another order. Prints TAP, one case, and how long the pauses were.

    /usr/bin/python3 tests/cluster/cluster.py -- COMMAND [ARGUMENT ...]

runs a command that finds the databases in GRAMME_POSTGRES.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
for folder in ("wire", "crash", "history"):
    sys.path.insert(0, str(HERE.parent / folder))

import databases
import servers
from clients import NEVER, Client, Shared
from failures import Failures
from history import conclude, judge_end, keep, prepare
from net import be_alone, network
from server import Server, binary
from wire import HEADERS, target

CLIENTS = 6
REPLY_S = (3, 40)  # how long a client waits for an answer: some go elsewhere soon, some stay
MEND_S = 180
AGAIN = 20  # answers, after which things go on again


class Everywhere(Shared):
    """What the clients share: where the servers are, and when writes were acknowledged."""

    def __init__(self, places):
        super().__init__()
        self.places = places
        self.acknowledged = []  # times

    def wait_port(self):
        return None


class AnyServer(Client):
    """A client that goes to another server when one has no good answer.

    What it heard no answer to, or an error of the server's, may happen at any time later: its commit may be on its way to the
    database.
    """

    def exchange(self, operation, body):
        reply = self.exchange_once(operation, body)
        if reply is not None and reply[0] < 500 and not reply[1].get("__type", "").endswith("#TransactionInProgressException"):
            if reply[0] == 200 and operation in ("UpdateItem", "PutItem", "TransactWriteItems"):
                self.world.acknowledged.append(time.monotonic())
            return reply
        self.close()
        self.place = self.rng.randrange(len(self.world.places))
        time.sleep(0.02)
        return None

    place = 0

    def exchange_once(self, operation, body):
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(*self.world.places[self.place], timeout=REPLY_S[self.number % 2])
            self.connection.request("POST", "/", json.dumps(body), {**HEADERS, "X-Amz-Target": target(operation)})
            response = self.connection.getresponse()
            return response.status, json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError):
            return None

    def ask(self, operation, body):
        outcome, answer = super().ask(operation, body)
        if outcome is None:
            self.end_ns = NEVER
        return outcome, answer


def pause_since(times, began):
    """The longest time without an acknowledged write, from just before `began` on; None: too few since."""
    later = [when for when in times[-20000:] if when >= began - 1]
    if sum(when > began for when in later) < AGAIN:
        return None
    return max(after - before for before, after in zip([began, *later], later) if after > began)


def wait_again(world, began):
    deadline = time.monotonic() + MEND_S
    while (pause := pause_since(world.acknowledged, began)) is None:
        if time.monotonic() > deadline:
            return None
        time.sleep(0.05)
    return pause


def break_again_and_again(world, failures, databases, seconds, words, rng):
    """Until it is time; returns the pauses of each kind, and what is wrong."""
    end, pauses = time.monotonic() + seconds, {}
    kinds = [kind for kind in failures.kinds() if not words or any(word in kind.__name__ for word in words)]
    waiting = []
    while time.monotonic() < end:
        waiting = waiting or rng.sample(kinds, len(kinds))
        time.sleep(rng.uniform(0.5, 2))
        began = time.monotonic()
        told = waiting.pop()()
        mended = time.monotonic()
        if wait_again(world, mended) is None:
            return pauses, [f"{told}: no writes for {MEND_S} s after it was mended"]
        pause = pause_since(world.acknowledged, began)
        pauses.setdefault(told, []).append(pause)
        print(f"# {told}, for {mended - began:.1f} s: a pause of {pause:.2f} s", flush=True)
        databases.wait_whole(MEND_S)
    return pauses, []


def at_home(url, work):
    """Some work with a server of this process's own, when no other one runs."""
    with Server("--store", url) as server:
        return work(server.port)


def init(cluster, groups):
    """Without any leniency: what the cluster promises is judged."""
    primary = cluster.primary()
    standbys = [word for name in cluster.machines if name != primary.name for word in ("--standby", cluster.url_of(name))]
    done = subprocess.run([binary(), "store", "init", "--groups", str(groups), cluster.url, *standbys], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise AssertionError(done.stdout)


def observe(net, folder, url, rng, work):
    """Two servers and their clients, while `work(world, nodes)` has things break; what it returns, and all that is judged by."""
    at_home(url, prepare)
    with servers.Servers(net, folder, url) as nodes:
        world = Everywhere([(node.address, node.port) for node in nodes.nodes])
        clients = [AnyServer(world, number, random.Random(rng.random())) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        problems = [] if wait_again(world, time.monotonic()) else ["the clients never got on"]
        pauses, more = work(world, nodes)
        world.closing = True
        for client in clients:
            client.join(2 * REPLY_S[1])
    problems += more + [f"{node.name}: {node.complaint()}" for node in nodes.nodes if node.complaint()]
    return pauses, clients, problems + [problem for client in clients for problem in client.problems]


def judge(url, clients):
    """By a server that was not there when it happened."""
    def work(port):
        clients[0].world.places, clients[0].place = [("127.0.0.1", port)], 0
        clients[0].close()
        return judge_end(port, clients)
    return at_home(url, work)


def run(folder, seed, seconds, groups, words):
    rng = random.Random(seed)
    with network(databases.NAMES + servers.NAMES) as net, databases.Databases(net) as cluster:
        init(cluster, groups)
        pauses, clients, problems = observe(net, folder, cluster.url, rng, lambda world, nodes: break_again_and_again(
            world, Failures(rng, net, cluster, nodes), cluster, seconds, words, rng))
        history, found = judge(cluster.url, clients)
    return pauses, history, problems + found, summary(pauses, clients, history)


def summary(pauses, clients, history):
    return f"{sum(map(len, pauses.values()))} failures, {len(clients[0].world.acknowledged)} writes acknowledged, " \
        f"{len(history)} transactions, {sum(client.lost for client in clients)} of unknown fate"


def report(pauses):
    for told, list_of in sorted(pauses.items()):
        print(f"# {told:<40} {len(list_of):3} times, pauses of {min(list_of):.2f} to {max(list_of):.2f} s, median {statistics.median(list_of):.2f}")


def run_command(command):
    with network(databases.NAMES) as net, databases.Databases(net) as cluster:
        return subprocess.run(command, env={**os.environ, "GRAMME_POSTGRES": cluster.url}).returncode


def main():
    be_alone()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and leave nothing behind
    if "--" in sys.argv:
        return run_command(sys.argv[sys.argv.index("--") + 1:])
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="of what fails, and when (a random one)")
    parser.add_argument("--groups", type=int, default=1, help="of keys, that the store is made with")
    parser.add_argument("words", nargs="*", help="only failures whose names contain one of these")
    options = parser.parse_args()
    print(f"1..1\n# seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        pauses, history, problems, done = run(folder, options.seed, options.seconds, options.groups, options.words)
        report(pauses)
        if problems:
            print(f"# kept in {keep(folder, history)}")
    return conclude(done, problems)


if __name__ == "__main__":
    sys.exit(main())
