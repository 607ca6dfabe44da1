#!/usr/bin/python3
"""Runs the wire cases under tests/data/wire and prints TAP. The format is in cases.py.

    /usr/bin/python3 tests/wire/run_cases.py                            every file
    /usr/bin/python3 tests/wire/run_cases.py tests/data/wire/query.txt  some files
"""

import json
import pathlib
import re
import sys

import cases
import signing
import wire
from server import ROOT, Server

KNOWN = re.compile(rb'"\$([A-Za-z]+)"')
AUTH_HEADERS = ["Authorization: " + wire.AUTHORIZATION, "X-Amz-Date: 20260101T000000Z"]


def raw_headers(step):
    """The headers of a raw step; Host and Content-Length come by themselves."""
    lines = []
    for line in step.head[1:]:
        lines += AUTH_HEADERS if line == "auth" else [line]
    return [tuple(line.split(": ", 1)) if ": " in line else (line.rstrip(":"), "") for line in lines]


def fill_in(body, known):
    """The body with the texts of earlier answers in their places."""
    return KNOWN.sub(lambda match: json.dumps(known[match.group(1).decode()]).encode(), body)


def send(port, step, known):
    if not step.raw:
        return wire.call(port, step.operation, fill_in(step.body, known))
    method, path, *_ = step.head[0].split(" ")
    return wire.http_request(port, method, path, dict(raw_headers(step)), step.body)


def check_raw(expected, reply):
    """What is wrong with a raw reply, or None."""
    if reply.status != expected.status:
        return f"expected status {expected.status}, got {reply.status} {reply.body[:300]!r}"
    for line in expected.headers:
        if line.startswith("!"):
            if line[1:].lower() in reply.headers:
                return f"did not expect the header {line[1:]}: {reply.headers[line[1:].lower()]}"
            continue
        name, _, value = line.partition(":")
        actual = reply.headers.get(name.lower())
        if actual is None or (value.strip() and actual != value.strip()):
            return f"expected the header {line}, got {actual!r}"
    if expected.body is not None and reply.body != expected.body:
        return f"expected the body {expected.body!r}, got {reply.body!r}"
    return None


def check_json(expected, reply):
    status, body = expected
    try:
        actual = cases.parse_json(reply.body or b"{}")
    except ValueError as error:
        return f"{error}: {reply.body[:300]!r}"
    problem = cases.difference(body, actual)
    if problem is None and reply.status == status:
        return wire.check_envelope(reply)
    return f"{problem or 'right body, wrong status'}\n  expected {status} {cases.show(body)}\n" \
           f"  got      {reply.status} {cases.show(actual)}"


def remember(reply, known):
    if reply.body.startswith(b"{"):
        known.update((name, value) for name, value in reply.json.items() if isinstance(value, str))


def run_step(port, step, known):
    try:
        reply = send(port, step, known)
    except OSError as error:
        return f"no answer: {error!r}"
    remember(reply, known)
    if isinstance(step.expected, cases.RawReply):
        return check_raw(step.expected, reply)
    if step.expected is None:
        return None if reply.status == 200 else f"expected 200, got {reply.status} {reply.body[:500]!r}"
    return check_json(step.expected, reply)


def run_case(port, case, known):
    """The first failure of a case as `line N: what`, or None."""
    for step in case.steps:
        problem = run_step(port, step, known)
        if problem:
            return f"line {step.line}: {problem}"
    return None


def judge_canary(case, problem):
    if problem is None:
        return "this case must fail, and it passed"
    if not case.because or case.because not in problem:
        return f"failed, but not because {case.because!r}: {problem}"
    return None


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def report(self, name, problem):
        self.count += 1
        print(f"{'not ok' if problem else 'ok'} {self.count} - {name}")
        if problem:
            self.failed += 1
            print("".join(f"# {line}\n" for line in problem.splitlines()), end="", flush=True)


def run_file(path, file, tap):
    try:
        with Server(*file.arguments) as server:
            if not server.process:
                wire.drop_tables(server.port)
            known = {}
            problem = run_case(server.port, file.setup, known)
            if problem:
                tap.report(f"{path.stem}: set-up", problem)
            for case in file.cases:
                problem = run_case(server.port, case, known)
                if file.must_fail:
                    problem = judge_canary(case, problem)
                tap.report(f"{path.stem}: {case.name}", problem)
    except AssertionError as error:
        tap.report(f"{path.stem}: server", str(error))


def main():
    paths = [pathlib.Path(name) for name in sys.argv[1:]] or sorted((ROOT / "tests/data/wire").glob("*.txt"))
    files = [(path, cases.parse(path)) for path in paths]
    if signing.VERIFIED: # what is raw has no signature to speak of
        files = [(path, file) for path, file in files if not any(step.raw for case in [file.setup, *file.cases]
                                                                 for step in case.steps)]
    print(f"1..{sum(len(file.cases) for _, file in files)}", flush=True)
    tap = Tap()
    for path, file in files:
        run_file(path, file, tap)
    return 1 if tap.failed else 0


if __name__ == "__main__":
    sys.exit(main())
