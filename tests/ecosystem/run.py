#!/usr/bin/python3
"""`make ecosystem`: tools of others, in the versions that npm and Debian have, used for real against gramme.

    run.py [--write] [WORD ...]   all, or those whose name contains a word; --write puts the table into docs/ECOSYSTEM.md

Each tool gets a server of its own and is told its address, and nothing else. A suite is what a package itself was published with; a
program is in suite/ here and uses what people use. Needs npm's registry for what is not installed yet, and root for what runs in a clean
installation of another release of Debian. What cannot be had tells why, and the others go on."""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SERVE = ["/usr/bin/python3", "tests/wire/server.py", "--"]
TIMEOUT_S = 900
UNAVAILABLE = 69  # what a suite ends with that cannot be had here, after a line that says why


@dataclasses.dataclass
class Tool:
    name: str
    version: callable  # of what a suite has not told by a line "# version"
    how: str
    command: list
    env: dict = dataclasses.field(default_factory=dict)
    needs: str = ""  # a program without which it cannot run
    known: str = "^$"  # failures that docs/ECOSYSTEM.md explains, by their names


def npm(name, folder="suite"):
    return lambda: json.loads((HERE / folder / "node_modules" / name / "package.json").read_text())["version"]


def said(pattern, *command):
    def ask():
        text = subprocess.run(command, text=True, capture_output=True, timeout=60)
        return re.search(pattern, text.stdout + text.stderr).group(1)
    return ask


def package(name):
    return said(r"(\S+)", "dpkg-query", "--show", "--showformat=${Version}", name)


def program(name, file=None):
    return Tool(name, npm(name), "a program", [*SERVE, "node", "--test-reporter=tap", f"tests/ecosystem/suite/{file or name}.test.mjs"])


def published(name, package=None, serve=(), how="its own suite", known="^$"):
    return Tool(package or name, npm(package or name, "published"), how, [*serve, "tests/ecosystem/published/run", name], known=known)


def tap(file, *words):
    return ["/usr/bin/python3", "tests/tap.py", f"tests/{file}.py", *words]


SORTED_DEFINITIONS = "should create table with (hash and range key|local secondary index|global index|global and local indexes)"
OLD_DYNAMOOSE = "filter not eq and not lt|Scan with startAt key"
ENVELOPED = ("test_multiple_(add|remove)_clauses|test_delete_and_add_on_same_set|test_update_item_unused_attribute_name|test_put_item_empty_set|"
             "test_update_item_(add_empty_set|with_empty_values|with_empty_expression)")
ORDER_OF_A_SCAN = "test_scan_with_(alternating_hash_keys|numeric_range_key)"

TOOLS = [
    program("@aws-sdk/lib-dynamodb", "lib-dynamodb"),
    program("dynamodb-toolbox"),
    program("electrodb"),
    program("dynamoose"),
    program("dynamodb-onetable"),
    program("@typedorm/core", "typedorm"),
    program("dynamode"),
    program("@aws/dynamodb-data-mapper", "data-mapper"),
    program("@keyv/dynamo", "keyv"),
    program("aws-cdk-lib", "cdk"),
    Tool("connect-dynamodb", npm("connect-dynamodb"), "its own suite", [*SERVE, "tests/ecosystem/suite/connect-dynamodb"]),
    published("onetable", "dynamodb-onetable", how="the suite of its metrics"),
    published("keyv", "@keyv/test-suite", SERVE),
    published("electrodb", serve=SERVE),
    published("dynamoose", known=OLD_DYNAMOOSE),
    published("dynogels", known=SORTED_DEFINITIONS),
    published("dynamodb", known=SORTED_DEFINITIONS),
    Tool("moto", lambda: "", "its tests that are verified on AWS", [*SERVE, "tests/ecosystem/moto"], known=f"{ENVELOPED}|{ORDER_OF_A_SCAN}"),
    Tool("@shelf/jest-dynamodb", lambda: json.loads((ROOT / "tests/packages/js/package.json").read_text())["devDependencies"]["@shelf/jest-dynamodb"],
         "a project with its preset", tap("packages/test_npm", "jest_dynamodb")),
    Tool("dynamodb-admin", npm("dynamodb-admin", "check"), "its form, in Chromium", [*SERVE, "tests/ecosystem/check/run", "admin.pages.mjs"], needs="chromium"),
    Tool("@modelcontextprotocol/sdk", npm("@modelcontextprotocol/sdk", "check"), "its client drives `gramme mcp`", [*SERVE, "tests/ecosystem/check/run", "mcp.test.mjs"]),
    Tool("@aws-sdk/client-dynamodb", lambda: json.loads((ROOT / "tests/wire/js/package.json").read_text())["dependencies"]["@aws-sdk/client-dynamodb"],
         "the tests in tests/wire/js", [*SERVE, "tests/wire/js/run"]),
    Tool("AWS CLI", said(r"aws-cli/(\S+)", "aws", "--version"), "the tests in tests/wire", tap("wire/test_aws_cli"), needs="aws"),
    Tool("boto3", package("python3-boto3"), "the tests in tests/wire", tap("wire/test_published")),
    Tool("JUnit", package("junit5"), "the example of [TESTING.md](TESTING.md#junit)", ["/usr/bin/python3", "tests/ecosystem/junit.py"], needs="javac"),
    Tool("AWS SDK for Go, v2", package("golang-github-aws-aws-sdk-go-v2-dev"), "the tests in tests/wire/go", [*SERVE, "tests/wire/go/run"], needs="go"),
]


def ended_early(output, status, failures):
    """Whether it failed otherwise than by tests that did: without any, by another status than 1 and, as mocha has it, their number, or
    without all that TAP's plan has. What is not numbered, as by pytest and Go, has none."""
    last = max((int(number) for number in re.findall(r"^(?:not )?ok (\d+)", output, re.M)), default=0)
    plan = re.search(r"^1\.\.(\d+)", output, re.M)
    return status != 0 and (not failures or status not in (1, min(failures, 255)) or last != int(plan.group(1) if plan else 0))


def counts(output, status, known):
    """Passed, failed as the documentation explains, failed otherwise, and left out, of TAP or of `go test -v`."""
    skipped = len(re.findall(r"^ok \d+.*# SKIP", output, re.M))
    passed = len(re.findall(r"^ok \d+|^--- PASS", output, re.M)) - skipped
    failures = re.findall(r"^(?:not ok \d+|--- FAIL).*", output, re.M)
    explained = sum(bool(re.search(known, failure)) for failure in failures)
    return passed, explained, len(failures) - explained or int(ended_early(output, status, len(failures))), skipped


def run(tool):
    """A row of the table, and what it said when something failed."""
    if tool.needs and not shutil.which(tool.needs):
        return [tool.name, "", tool.how, f"left out: it takes {tool.needs}"], ""
    try:
        done = subprocess.run(tool.command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S,
                              env={**os.environ, "NODE_NO_WARNINGS": "1", "CHROMIUM": shutil.which("chromium") or "", **tool.env})
    except subprocess.TimeoutExpired as expired:
        return [tool.name, "", tool.how, f"failed: no end in {TIMEOUT_S} s"], (expired.stdout or b"").decode(errors="replace") or "nothing"
    if done.returncode == UNAVAILABLE and not re.search(r"^(not )?ok ", done.stdout, re.M):  # mocha ends with how many failed
        return [tool.name, "", tool.how, f"left out: {done.stdout.strip().splitlines()[-1]}"], ""
    passed, explained, failed, skipped = counts(done.stdout, done.returncode, tool.known)
    result = f"{passed} passed" + "".join(f", {number} {what}" for number, what in (
        (explained, "failed as told below"), (failed, "failed"), (skipped, "left out")) if number)
    told = re.search(r"^# version (\S+)", done.stdout, re.M)
    return [tool.name, told.group(1) if told else tool.version(), tool.how, result], done.stdout if failed or not passed else ""


def gramme():
    return said(r"gramme (\S+)", os.environ.get("GRAMME_BIN", str(ROOT / "build-check/gramme")), "--version")()


def write(rows):
    path = ROOT / "docs/ECOSYSTEM.md"
    before, _, rest = path.read_text().partition("<!-- from here on by `make ecosystem` -->\n")
    _, _, after = rest.partition("<!-- up to here -->\n")
    table = ["| tool | version | what was run | result |", "|---|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    path.write_text(f"{before}<!-- from here on by `make ecosystem` -->\ngramme {gramme()}, Node {said('v(.+)', 'node', '--version')()}, {day}:\n\n" +
                    "\n".join(table) + f"\n<!-- up to here -->\n{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    for folder in ("suite", "check"):
        subprocess.run([HERE / "install", HERE / folder], check=True)
    rows, bad = [], 0
    for tool in TOOLS:
        if options.words and not any(word in tool.name for word in options.words):
            continue
        began = time.monotonic()
        row, trouble = run(tool)
        rows.append(row)
        bad += bool(trouble)
        print(f"{row[0]:28} {row[1]:20} {row[2]:34} {row[3]:24} {time.monotonic() - began:6.1f} s", flush=True)
        if trouble:
            print("".join(f"    | {line}\n" for line in trouble.splitlines()[-60:]), flush=True)
    if options.write:
        write(rows)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
