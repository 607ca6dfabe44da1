#!/usr/bin/python3
"""Everything that tries to break gramme, at random, until the time is over: `make torture SECONDS=3600`.

A round is one of the tests below with a seed of its own. It has a line: when, what, with which seed, what was tried. After a failure
comes what the test said, and the command that repeats it; the rounds go on. The last lines add up what there was.
"""

import argparse
import collections
import dataclasses
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/wire"))

from rounds import rounds  # noqa: E402

BUILD = os.environ.get("GRAMME_BUILD", "build-check")
PYTHON = "/usr/bin/python3"
GRACE_S = 300  # beyond the time that a round was given
SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=1:exitcode=99:detect_stack_use_after_return=1",
              "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1:exitcode=99", "PYTHONDONTWRITEBYTECODE": "1", "CMOCKA_MESSAGE_OUTPUT": "TAP"}


@dataclasses.dataclass
class Kind:
    """A test: its command, in which {seed} and {seconds} are filled in, and what is in its environment."""
    name: str
    command: list
    env: dict = dataclasses.field(default_factory=dict)


def tap(path, *words, **env):
    return [PYTHON, "tests/tap.py", path, *words], {"GRAMME_SEED": "{seed}", **env}


def seeded(path, *options):
    return [PYTHON, path, "--seconds", "{seconds}", "--seed", "{seed}", *options], {}


def kinds():
    yield Kind("history", *seeded("tests/history/history.py"))
    yield Kind("history, encrypted", *seeded("tests/history/history.py", "--encrypt"))
    yield Kind("simulation", [f"{BUILD}/tests/simulation/simulate"], {"GRAMME_FIRST_SEED": "{seed}", "GRAMME_SECONDS": "{seconds}"})
    yield Kind("power loss", *seeded("tests/disk/power_loss.py"))
    yield Kind("disk faults", *tap("tests/disk/test_faults.py"))
    yield Kind("kill", *seeded("tests/crash/crash.py"))
    yield Kind("kill, encrypted", *seeded("tests/crash/crash.py", "--encrypt"))
    yield Kind("payments", *tap("tests/crash/test_payments.py", "Payments", GRAMME_SECONDS="{seconds}"))
    yield Kind("streams", *tap("tests/crash/test_streams.py", "Streams", GRAMME_SECONDS="{seconds}"))
    yield Kind("time, mixed", *tap("tests/model/test_time_mix.py", GRAMME_SECONDS="{seconds}"))
    yield Kind("time", *tap("tests/model/test_time_model.py"))
    yield Kind("model", *tap("tests/model/test_model.py"))
    yield Kind("indexes", *tap("tests/model/test_index_model.py"))
    yield Kind("throttling", *tap("tests/model/test_throttle_model.py", GRAMME_STEPS="10000"))
    yield Kind("two engines", *tap("tests/differ/test_differ.py", "MemoryAndDisk", GRAMME_OPERATIONS="20000"))
    yield Kind("legacy", *tap("tests/wire/test_legacy.py"))
    yield Kind("validation", *tap("tests/wire/test_validation.py"))
    yield Kind("partiql", *tap("tests/wire/test_partiql.py"))
    for name in ("ledger", "payment-saga"):
        yield Kind(f"chaos, {name}", *tap(f"apps/{name}/tests/test_chaos.py", "Payments", GRAMME_SECONDS="{seconds}"))
    for name in ("rocksdb", "memory"):
        yield Kind(f"store in {name}", [f"{BUILD}/tests/store_contract/test_contract", name], {"GRAMME_SEED": "{seed}"})
    for name in ("crash", "judge"):
        yield Kind(f"store, {name}", [f"{BUILD}/tests/store_contract/test_rocksdb_{name}"], {"GRAMME_SEED": "{seed}", "GRAMME_LOSSES": "60"})
    for name, options in (("rot", []), ("rot, encrypted", ["--encrypt"])):
        yield Kind(name, [PYTHON, "tests/rot/rot.py", "--cases", "30", "--seed", "{seed}", *options])


def fill(text, seed, seconds):
    return text.replace("{seed}", str(seed)).replace("{seconds}", str(seconds))


# What a test tells of itself: the cases of TAP, but for those that only say that they passed.
TOLD = re.compile(r"^(?:not )?ok \d+ - (.*\d.*)$", re.M)


@dataclasses.dataclass
class Round:
    kind: Kind
    seed: int
    seconds: int

    def run(self):
        """Whether it passed, what it tried, and its output."""
        env = {name: fill(value, self.seed, self.seconds) for name, value in self.kind.env.items()}
        command = [fill(word, self.seed, self.seconds) for word in self.kind.command]
        self.repeat = " ".join([*(f"{name}={value}" for name, value in env.items()), shlex.join(command)])
        try:
            run = subprocess.run(command, cwd=ROOT, env={**os.environ, **SANITIZERS, **env}, text=True, errors="replace", stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=self.seconds + GRACE_S)
        except subprocess.TimeoutExpired as error:
            return False, "it did not end", error.stdout.decode(errors="replace") if error.stdout else ""
        told, cases = TOLD.findall(run.stdout), len(re.findall(r"^ok\b", run.stdout, re.M))
        if len(told) not in (1, 2):
            told = [f"{cases} cases", *(f"the last: {last}" for last in told[-1:])]
        return run.returncode == 0, "; ".join(told), run.stdout


def torture(kinds, seconds, round_seconds, rng, out=sys.stdout, least=1):
    """Runs rounds until the time is over, and at least so many, each kind as often as the others; returns how many failed."""
    begin, tried, failures = time.monotonic(), collections.Counter(), []
    waiting = []
    for number in rounds(least, seconds):
        if not waiting:
            waiting = rng.sample(kinds, len(kinds))
        left = seconds - (time.monotonic() - begin)
        length = round_seconds if number <= least else min(round_seconds, max(left, 5))
        a_round = Round(waiting.pop(), rng.randrange(1, 1 << 31), int(length))
        passed, told, output = a_round.run()
        tried[a_round.kind.name] += 1
        print(f"{time.monotonic() - begin:6.0f} s  {'ok  ' if passed else 'FAIL'}  {a_round.kind.name:<20} seed {a_round.seed:<11} {told}", file=out, flush=True)
        if not passed:
            failures.append(a_round)
            print("".join(f"      | {line}\n" for line in output.splitlines()[-60:]), f"      repeat: {a_round.repeat}", sep="", file=out, flush=True)
    print(f"{sum(tried.values())} rounds, {len(failures)} failed: {', '.join(f'{count} {name}' for name, count in sorted(tried.items()))}", file=out)
    for a_round in failures:
        print(f"repeat: {a_round.repeat}", file=out)
    return len(failures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--rounds", type=int, default=1, help="at least so many (%(default)s)")
    parser.add_argument("--round", type=float, default=20, help="seconds of a round")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="of the seeds of all rounds")
    parser.add_argument("words", nargs="*", help="only kinds that contain one of these words")
    options = parser.parse_args()
    chosen = [kind for kind in kinds() if not options.words or any(word in kind.name for word in options.words)]
    print(f"seed {options.seed}", flush=True)
    return 1 if torture(chosen, options.seconds, options.round, random.Random(options.seed), least=options.rounds) else 0


if __name__ == "__main__":
    sys.exit(main())
