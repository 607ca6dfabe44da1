#!/usr/bin/python3
"""Power losses, again and again on one directory: what was acknowledged is there afterwards. Prints TAP, a case for each part.

    /usr/bin/python3 tests/disk/power_loss.py [--seconds 10] [--seed N]

A writer, or the whole server under load, is killed at a random moment. Then everything goes that was not synced: ends of files, which
are cut, zero or noise instead, and the last changes of names (disk.py). The seed makes the same losses, though not the same moments.
"""

import argparse
import http.client
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time

from disk import Disk
from store import Store

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "crash"))

import crash
from encryption import make_key
from model import Model
from server import Server
from wire import Connection

RELAXED_S = 2  # 100 ms are promised; a machine that is busy gets more


def lose_store(folder, rng, end):
    """The store alone, with small buffers: flushes and compactions."""
    disk = Disk(folder, journal=True)
    store, losses, batches = Store(disk), 0, 0
    while losses < 3 or time.monotonic() < end:
        heard, problem = store.write_and_kill(rng)
        loss = disk.lose_power(rng)
        problems = ([problem] if problem else []) + store.problems()
        losses, batches = losses + 1, batches + heard
        if problems:
            return f"loss {losses} ({loss})", problems
    return f"{batches} batches acknowledged, {losses} power losses", []


def lose_server(folder, rng, end):
    """The server, with everything that it keeps beside its store; now and then encrypted."""
    disk = Disk(folder, journal=True)
    models = [Model(worker) for worker in range(crash.WORKERS)]
    serve = ["--data", disk.data]
    if rng.random() < 0.3:
        serve += ["--encrypt-with", make_key(pathlib.Path(folder) / "key")]
    losses = writes = 0
    with disk.mounted():
        crash.create_table(serve)
        while losses < 2 or time.monotonic() < end:
            written, problems = crash.live_and_die(serve, models, rng)
            loss = disk.lose_power(rng)
            try:
                problems += crash.live_again(serve, models)
            except AssertionError as error:
                problems.append(error)
            losses, writes = losses + 1, writes + written
            if problems:
                return f"loss {losses} ({loss})", problems
    return f"{writes} writes acknowledged, {losses} power losses", []


class Appender(threading.Thread):
    """Puts items with growing numbers until the server is gone, and notes when each was acknowledged."""

    def __init__(self, port, name, first):
        super().__init__()
        self.connection, self.name, self.next = Connection(port), name, first
        self.times = {}

    def run(self):
        try:
            while True:
                answer = self.connection.call("PutItem", TableName="crash", Item={"pk": {"S": self.name}, "sk": {"N": str(self.next)}})
                assert answer == {}, answer
                self.times[self.next] = time.monotonic()
                self.next += 1
        except (OSError, http.client.HTTPException, ValueError):
            self.connection.close()


def judge_relaxed(appender, first, stored, died):
    """What is there is the beginning of what was written, up to a moment that is not long ago."""
    numbers = sorted(int(item["sk"]["N"]) for item in stored)
    if numbers != list(range(1, len(numbers) + 1)):
        return [f"{appender.name} has {len(numbers)} items with gaps"]
    sure = [number for number, when in appender.times.items() if when < died - RELAXED_S]
    if len(numbers) < max([first - 1, *sure]):
        return [f"{appender.name} has {len(numbers)} items, of which {max(sure)} were acknowledged {RELAXED_S} s before"]
    return []


def lose_relaxed(folder, rng, end):
    """With --durability relaxed the last moment may go, and nothing from before it without all that came after it."""
    disk = Disk(folder, journal=True)
    serve = ["--data", disk.data, "--durability", "relaxed"]
    firsts, losses, writes, lost = [1] * 4, 0, 0, 0
    with disk.mounted():
        crash.create_table(serve)
        while losses < 2 or time.monotonic() < end:
            with Server(*serve) as server:
                appenders = [Appender(server.port, f"{n}", first) for n, first in enumerate(firsts)]
                for appender in appenders:
                    appender.start()
                time.sleep(rng.uniform(0.2, 3))
                died = time.monotonic()
                server.kill()
                for appender in appenders:
                    appender.join()
            loss = disk.lose_power(rng)
            losses += 1
            with Server(*serve) as server:
                items = crash.scan_all(server.port)
            problems = [problem for appender, first in zip(appenders, firsts)
                        for problem in judge_relaxed(appender, first, items.get(int(appender.name), []), died)]
            if problems:
                return f"loss {losses} ({loss})", problems
            firsts = [len(items.get(n, [])) + 1 for n in range(4)]
            writes += sum(len(appender.times) for appender in appenders)
            lost += sum(appender.next for appender in appenders) - sum(firsts)
    return f"{writes} writes acknowledged, {losses} power losses, {lost} writes of the last moment lost", []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    rng = random.Random(options.seed)
    print(f"1..3\n# seed {options.seed}", flush=True)
    failed = False
    for number, part in enumerate((lose_store, lose_server, lose_relaxed), 1):
        folder = tempfile.mkdtemp(prefix="gramme-power-")
        done, problems = part(folder, rng, time.monotonic() + options.seconds / 3)
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
