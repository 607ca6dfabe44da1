#!/usr/bin/python3
"""Asks two servers the same random requests and shows where their answers differ.

    differ.py LEFT RIGHT [--seed N] [--operations N] [--seconds N] [--odd SHARE] [--order]
    differ.py LEFT RIGHT --replay FILE

LEFT and RIGHT are `memory` and `data`, a gramme server that is started, `local`, DynamoDB Local from npm, or http://host:port of a
server that runs. Whoever is compared loses all its tables. A difference is shrunk, and printed as JSON lines that --replay
asks again. What is known (known.txt) is counted, and so is, unless there is --order, a request with two mistakes of which each
server tells another one first; with anything else the exit status is 1.
"""

import argparse
import collections
import contextlib
import itertools
import os
import pathlib
import random
import re
import sys
import time

from compare import READS, Comparison, general
from endpoint import Gone, Step, drop_tables, open_endpoint, read_steps, run_step
from known import known_differences
from operations import Episode
from shrink import shrink, simpler, tidied
from values import Random

ACTIVE_S = 30


class Differ:
    """Two endpoints under the same requests. `found` has each new kind of difference with the steps that show it."""

    def __init__(self, left, right, known=(), out=None, order=True):
        self.endpoints = [left, right]
        self.comparison = Comparison(exact="local" not in (left.name, right.name))
        self.known = list(known)
        self.out = out or sys.stdout
        self.found = {}
        self.order = order  # whether it matters which of two mistakes is told
        self.order_only = set()
        self.asked = collections.Counter()
        self.accepted = collections.Counter()

    # ---- steps ----

    def wait(self, step):
        """Until a table that was made or changed is ready, on both."""
        for endpoint in self.endpoints:
            end = time.monotonic() + ACTIVE_S
            while not is_settled(endpoint, {"TableName": step.body["TableName"]}) and time.monotonic() < end:
                time.sleep(0.01)

    def run(self, step):
        """Answers and what is different in them. Tokens are remembered for minutes, so each life has its own."""
        token = step.body.get("ClientRequestToken")
        asked = step
        if isinstance(token, str) and token:
            asked = Step(step.operation, {**step.body, "ClientRequestToken": f"{token}-{self.life}"}, step.pages)
        answers = run_step(self.endpoints, asked)
        if step.operation in ("CreateTable", "UpdateTable", "UpdateTimeToLive") and any(answer.ok for answer in answers):
            self.comparison.learn(step)
            self.wait(step)
        return answers, self.comparison.differences(step, *answers)

    def begin(self):
        self.life = random.getrandbits(40)
        for endpoint in self.endpoints:
            drop_tables(endpoint)

    def reproduces(self, kind, steps):
        """Whether the last step differs in this way, and no write before it that only one server took is to blame."""
        self.begin()
        for step in steps[:-1]:
            if diverges(step, self.run(step)[0]):
                return False
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
            try:
                answers, differences = self.run(step)
            except Gone as gone:
                self.found["gone"] = done
                print(f"# {gone} no longer answers", *map(Step.line, done), sep="\n", file=self.out)
                raise
            self.asked[step.operation] += 1
            self.accepted[step.operation] += answers[0].ok
            new = [difference for difference in differences if not self.is_known(step, difference)]
            if any(self.note(difference, done) for difference in new):
                return  # shrinking has used the servers
            if diverges(step, answers):
                return

    def note(self, difference, done):
        """True when it is of a kind not seen before, which is shrunk and shown."""
        if difference.kind in self.found or difference.kind in self.order_only:
            return False
        if not self.order and self.is_order(difference, done[-1]):
            self.order_only.add(difference.kind)
            return True
        self.found[difference.kind] = None
        steps = shrink(list(done), lambda attempt: self.reproduces(difference.kind, attempt))
        self.found[difference.kind] = steps
        self.show(difference, steps)
        return True

    def is_order(self, difference, step):
        """Whether the left one has the right one's text too, for a request that lacks something."""
        if difference.path != "error" or "none" in (difference.left, difference.right):
            return False
        pairs = ({name: value for name, value in step.body.items() if name not in pair} for pair in itertools.combinations(step.body, 2))
        for body in itertools.chain(simpler(step.body), pairs):
            for candidate in (tidied(body), body):
                answer = self.endpoints[0].ask(step.operation, candidate)
                if not answer.ok and bare(self.comparison.error(answer)["error"]) == bare(difference.right):
                    return True
        return False

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
        with contextlib.suppress(Gone):
            while time.monotonic() < end and self.asked.total() - before < operations:
                rng = Random(seeds.getrandbits(64))
                rng.odd, rng.for_local = odd, not self.comparison.exact
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
        if self.order_only:
            lines.append(f"known {len(self.order_only):6} kinds of requests with two mistakes, of which each tells another one")
        lines += [f"known {known.count:6} {known.reason}" for known in self.known if known.count]
        return "\n".join(lines)


def diverges(step, answers):
    """Whether a write was taken by one server only: of a batch, some of its statements, and Local has run some of one it refuses."""
    if step.operation == "BatchExecuteStatement":
        return not all(answer.ok for answer in answers) or answers[0].body["Responses"] != answers[1].body["Responses"]
    return step.operation not in READS and answers[0].ok != answers[1].ok


def bare(text):
    """A text without what is particular, and without what Local leaves out: a count in front, a place at the end."""
    return general(re.sub(r"\d validation errors? detected: |\.$| at \d+:\d+:\d+$", "", text))


def is_settled(endpoint, table):
    """Whether a table and its indexes can be used, and its time to live is not being turned on any more."""
    expiry = endpoint.ask("DescribeTimeToLive", table)
    return is_active(endpoint.ask("DescribeTable", table)) and not (
        expiry.ok and expiry.body["TimeToLiveDescription"]["TimeToLiveStatus"] == "ENABLING")


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
    parser.add_argument("--order", action="store_true", help="also what differs only in which of two mistakes is told")
    parser.add_argument("--replay", type=pathlib.Path, help="ask what a run printed")
    return parser.parse_args()


def main():
    options = parse()
    with contextlib.ExitStack() as stack:
        left, right = (stack.enter_context(open_endpoint(word)) for word in (options.left, options.right))
        local = right.name == "local"
        differ = Differ(left, right, known_differences() if local else (), order=options.order or not local)
        if options.replay:
            return 1 if differ.replay(read_steps(options.replay.read_text())) else 0
        print(f"# seed {options.seed}", flush=True)
        differ.explore(options.seed, options.operations, options.seconds, options.odd)
        print("".join(f"# {line}\n" for line in differ.summary().splitlines()), end="")
        return 1 if differ.found else 0


if __name__ == "__main__":
    os.environ.setdefault("GRAMME_BIN", str(pathlib.Path(__file__).resolve().parents[2] / "build/gramme"))
    sys.exit(main())
