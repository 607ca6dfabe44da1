#!/usr/bin/python3
"""Asks two servers the same random requests and shows where their answers differ.

    differ.py LEFT RIGHT [--seed N] [--operations N] [--seconds N] [--odd SHARE]
    differ.py LEFT RIGHT --replay FILE

LEFT and RIGHT are `memory` and `data`, a gramme server that is started, `local`, DynamoDB Local from npm, or http://host:port of a
server that runs. Whoever is compared loses all its tables. A difference is shrunk, and printed as JSON lines that --replay
asks again. What is known (known.txt) is counted; with anything else the exit status is 1.
"""

import argparse
import collections
import contextlib
import os
import pathlib
import random
import sys
import time

from compare import READS, Comparison
from endpoint import Step, drop_tables, open_endpoint, read_steps, run_step
from known import known_differences
from operations import Episode
from shrink import shrink
from values import Random

ACTIVE_S = 30


class Differ:
    """Two endpoints under the same requests. `found` has each new kind of difference with the steps that show it."""

    def __init__(self, left, right, known=(), out=None):
        self.endpoints = [left, right]
        self.comparison = Comparison(exact="local" not in (left.name, right.name))
        self.known = list(known)
        self.out = out or sys.stdout
        self.found = {}
        self.asked = collections.Counter()
        self.accepted = collections.Counter()

    # ---- steps ----

    def wait(self, step):
        """Until a table that was made or changed is ready, on both."""
        for endpoint in self.endpoints:
            end = time.monotonic() + ACTIVE_S
            while not is_active(endpoint.ask("DescribeTable", {"TableName": step.body["TableName"]})) and time.monotonic() < end:
                time.sleep(0.01)

    def run(self, step):
        """Answers and what is different in them. Tokens are remembered for minutes, so each life has its own."""
        token = step.body.get("ClientRequestToken")
        asked = step
        if isinstance(token, str) and token:
            asked = Step(step.operation, {**step.body, "ClientRequestToken": f"{token}-{self.life}"}, step.pages)
        answers = run_step(self.endpoints, asked)
        if step.operation in ("CreateTable", "UpdateTable") and any(answer.ok for answer in answers):
            self.comparison.learn(step)
            self.wait(step)
        return answers, self.comparison.differences(step, *answers)

    def begin(self):
        self.life = random.getrandbits(40)
        for endpoint in self.endpoints:
            drop_tables(endpoint)

    def reproduces(self, kind, steps):
        self.begin()
        for step in steps[:-1]:
            self.run(step)
        return any(difference.kind == kind for difference in self.run(steps[-1])[1])

    # ---- episodes ----

    def is_known(self, step, difference):
        for known in self.known:
            if known.covers(step, difference):
                known.count += 1
                return True
        return False

    def episode(self, steps, end):
        """Runs steps until the servers no longer hold the same, or the time is over."""
        self.begin()
        done = []
        for step in steps:
            if time.monotonic() > end:
                return
            done.append(step)
            answers, differences = self.run(step)
            self.asked[step.operation] += 1
            self.accepted[step.operation] += answers[0].ok
            new = [difference for difference in differences if not self.is_known(step, difference)]
            if any(self.note(difference, done) for difference in new):
                return  # shrinking has used the servers
            if answers[0].ok != answers[1].ok and step.operation not in READS:
                return

    def note(self, difference, done):
        """True when it is of a kind not seen before, which is shrunk and shown."""
        if difference.kind in self.found:
            return False
        self.found[difference.kind] = None
        steps = shrink(list(done), lambda attempt: self.reproduces(difference.kind, attempt))
        self.found[difference.kind] = steps
        self.show(difference, steps)
        return True

    def show(self, difference, steps):
        self.begin()
        for step in steps[:-1]:
            self.run(step)
        answers, differences = self.run(steps[-1])
        shown = next((d for d in differences if d.kind == difference.kind), difference)
        print(f"# {shown.operation}: {shown.path}", file=self.out)
        for endpoint, text, answer in zip(self.endpoints, (shown.left, shown.right), answers):
            print(f"# {endpoint.name}: {text}", file=self.out)
        for step in steps:
            print(step.line(), file=self.out)
        print(file=self.out, flush=True)

    def explore(self, seed, operations, seconds, odd=Random.odd):
        """Episodes from one seed after another."""
        end = time.monotonic() + seconds
        before = self.asked.total()
        seeds = random.Random(seed)
        while time.monotonic() < end and self.asked.total() - before < operations:
            rng = Random(seeds.getrandbits(64))
            rng.odd = odd
            self.episode(Episode(rng).steps(), end)

    def replay(self, steps):
        """Shows what differs at each step; returns how many do."""
        self.begin()
        count = 0
        for step in steps:
            answers, differences = self.run(step)
            print(step.line(), file=self.out)
            for endpoint, answer in zip(self.endpoints, answers):
                print(f"# {endpoint.name}: {answer.status} {answer.body}", file=self.out)
            count += bool(differences)
        return count

    def summary(self):
        lines = [f"{self.asked.total()} operations, {self.accepted.total()} of them accepted; {len(self.found)} new kinds of difference"]
        lines += [f"known {known.count:6} {known.reason}" for known in self.known if known.count]
        return "\n".join(lines)


def is_active(answer):
    if not answer.ok:
        return True
    table = answer.body["Table"]
    return all(described.get("TableStatus", described.get("IndexStatus")) == "ACTIVE"
               for described in [table, *table.get("GlobalSecondaryIndexes", [])])


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("left", nargs="?", default="memory")
    parser.add_argument("right", nargs="?", default="local")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--operations", type=int, default=20000)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--odd", type=float, default=Random.odd, help="share of choices that try a limit (%(default)s)")
    parser.add_argument("--replay", type=pathlib.Path, help="ask what a run printed")
    return parser.parse_args()


def main():
    options = parse()
    with contextlib.ExitStack() as stack:
        left, right = (stack.enter_context(open_endpoint(word)) for word in (options.left, options.right))
        differ = Differ(left, right, known_differences() if right.name == "local" else ())
        if options.replay:
            return 1 if differ.replay(read_steps(options.replay.read_text())) else 0
        print(f"# seed {options.seed}", flush=True)
        differ.explore(options.seed, options.operations, options.seconds, options.odd)
        print("".join(f"# {line}\n" for line in differ.summary().splitlines()), end="")
        return 1 if differ.found else 0


if __name__ == "__main__":
    os.environ.setdefault("GRAMME_BIN", str(pathlib.Path(__file__).resolve().parents[2] / "build/gramme"))
    sys.exit(main())
