#!/usr/bin/python3
"""Power losses, again and again on one directory: what was acknowledged is there afterwards. Prints TAP, a case for each part.

    /usr/bin/python3 tests/disk/power_loss.py [--rounds 3] [--seconds 10] [--seed N]

A writer, or the whole server under load, is killed after a random number of writes. Then everything goes that was not synced: ends of
files, which are cut, zero or noise instead, and the last changes of names (disk.py). The seed makes the same losses, though the same
requests do not meet.
"""

import argparse
import http.client
import pathlib
import random
import shutil
import sys
import tempfile
import threading

from disk import Disk
from store import Store

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "crash"))

import crash
from encryption import make_key
from model import Model
from rounds import Tally, add_options, rounds
from server import Server
from wire import Connection

WRITES = (1, 300)  # of the life of a server with --durability relaxed, before what is surely kept and after it


def lose_store(folder, rng, lives):
    """The store alone, with small buffers: flushes and compactions."""
    disk = Disk(folder, journal=True)
    store, losses, batches = Store(disk), 0, 0
    for losses in lives:
        heard, problem = store.write_and_kill(rng)
        loss = disk.lose_power(rng)
        problems = ([problem] if problem else []) + store.problems()
        batches += heard
        if problems:
            return f"loss {losses} ({loss})", problems
    return f"{batches} batches acknowledged, {losses} power losses", []


def lose_server(folder, rng, lives):
    """The server, with everything that it keeps beside its store; now and then encrypted."""
    disk = Disk(folder, journal=True)
    models = [Model(worker) for worker in range(crash.WORKERS)]
    serve = ["--data", disk.data]
    if rng.random() < 0.3:
        serve += ["--encrypt-with", make_key(pathlib.Path(folder) / "key")]
    losses = writes = 0
    with disk.mounted():
        crash.create_table(serve)
        for losses in lives:
            written, problems = crash.live_and_die(serve, models, rng)
            loss = disk.lose_power(rng)
            try:
                problems += crash.live_again(serve, models)
            except AssertionError as error:
                problems.append(error)
            writes += written
            if problems:
                return f"loss {losses} ({loss})", problems
    return f"{writes} writes acknowledged, {losses} power losses", []


class Appender(threading.Thread):
    """Puts items with growing numbers until the server is gone."""

    def __init__(self, port, name, first, acknowledged):
        super().__init__()
        self.connection, self.name, self.next = Connection(port), name, first
        self.acknowledged = acknowledged

    def run(self):
        try:
            while True:
                answer = self.connection.call("PutItem", TableName="crash", Item={"pk": {"S": self.name}, "sk": {"N": str(self.next)}})
                assert answer == {}, answer
                self.next += 1
                self.acknowledged.add()
        except (OSError, http.client.HTTPException, ValueError):
            self.connection.close()


def judge_relaxed(name, sure, stored):
    """The log that is left is a prefix of the records that were written, and has every synced one."""
    numbers = sorted(int(item["sk"]["N"]) for item in stored)
    if numbers != list(range(1, len(numbers) + 1)):
        return [f"{name} has {len(numbers)} items with gaps"]
    if len(numbers) < sure:
        return [f"{name} has {len(numbers)} items; {sure} were acknowledged when the log was synced"]
    return []


def append_and_die(serve, disk, rng, firsts):
    """Writers and their server, which is killed; how many items of each are surely kept, how many were acknowledged, and the problems."""
    acknowledged = Tally()
    with Server(*serve) as server:
        appenders = [Appender(server.port, f"{n}", first, acknowledged) for n, first in enumerate(firsts)]
        for appender in appenders:
            appender.start()
        came = acknowledged.wait_more(rng.randint(*WRITES))
        sure = [appender.next - 1 for appender in appenders]
        synced = disk.wait_synced(max((disk.data / "store").glob("*.log")))
        came = acknowledged.wait_more(rng.randint(*WRITES)) and came
        server.kill()
        for appender in appenders:
            appender.join()
    problems = [] if came else ["writes are not acknowledged"]
    return sure, [appender.next - 1 for appender in appenders], problems if synced else [*problems, "the log is not synced"]


def lose_relaxed(folder, rng, lives):
    """With --durability relaxed the last moment may go, and nothing from before it without all that came after it."""
    disk = Disk(folder, journal=True)
    serve = ["--data", disk.data, "--durability", "relaxed"]
    firsts, losses, writes, lost = [1] * 4, 0, 0, 0
    with disk.mounted():
        crash.create_table(serve)
        for losses in lives:
            sure, done, problems = append_and_die(serve, disk, rng, firsts)
            loss = disk.lose_power(rng)
            with Server(*serve) as server:
                items = crash.scan_all(server.port)
            problems += [problem for n in range(len(firsts)) for problem in judge_relaxed(n, sure[n], items.get(n, []))]
            if problems:
                return f"loss {losses} ({loss})", problems
            writes += sum(done) - sum(first - 1 for first in firsts)
            firsts = [len(items.get(n, [])) + 1 for n in range(4)]
            lost += sum(done) - sum(first - 1 for first in firsts)
    return f"{writes} writes acknowledged, {losses} power losses, {lost} writes of the last moment lost", []


def main():
    parser = argparse.ArgumentParser()
    add_options(parser, 3)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    print(f"1..3\n# seed {options.seed}", flush=True)
    failed = False
    for number, part in enumerate((lose_store, lose_server, lose_relaxed), 1):
        folder = tempfile.mkdtemp(prefix="gramme-power-")
        done, problems = part(folder, rng, rounds(options.rounds, options.seconds / 3))
        print(f"{'not ok' if problems else 'ok'} {number} - {part.__name__}: {done}", flush=True)
        for problem in problems[:20]:
            print("".join(f"# {line}\n" for line in str(problem).splitlines()), end="")
        if problems:
            print(f"# kept in {folder}")
        else:
            shutil.rmtree(folder)
        failed = failed or bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
