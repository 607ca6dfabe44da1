#!/usr/bin/python3
"""Power losses, again and again on one directory: what was acknowledged is there afterwards. Prints TAP, a case for each part.

    /usr/bin/python3 tests/disk/power_loss.py [--seconds 10] [--seed N]

A writer, or the whole server under load, is killed at a random moment. Then everything goes that was not synced: ends of files, which
are cut, zero or noise instead, and the last changes of names (disk.py). The seed makes the same losses, though not the same moments.
"""

import argparse
import pathlib
import random
import shutil
import sys
import tempfile
import time

from disk import Disk
from store import Store

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "crash"))

import crash
from model import Model


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
    """The server, with everything that it keeps beside its store."""
    disk = Disk(folder, journal=True)
    models = [Model(worker) for worker in range(crash.WORKERS)]
    serve = ["--data", disk.data]
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    rng = random.Random(options.seed)
    print(f"1..2\n# seed {options.seed}", flush=True)
    failed = False
    for number, part in enumerate((lose_store, lose_server), 1):
        folder = tempfile.mkdtemp(prefix="gramme-power-")
        done, problems = part(folder, rng, time.monotonic() + options.seconds / 2)
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
