#!/usr/bin/python3
"""`make ecosystem`: tools of others, in the versions that npm and Debian have, used for real against gramme.

    run.py [--write] [WORD ...]   all, or those whose name contains a word; --write puts the table into docs/ECOSYSTEM.md

Each tool gets a server of its own and is told its address, and nothing else. A suite is what a package itself was published with; a
program is in suite/ here and uses what people use. Needs npm's registry for what is not installed yet."""

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


@dataclasses.dataclass
class Tool:
    name: str
    version: callable
    how: str
    command: list
    env: dict = dataclasses.field(default_factory=dict)
    needs: str = ""  # a program without which it cannot run


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


def tap(file, *words):
    return ["/usr/bin/python3", "tests/tap.py", f"tests/{file}.py", *words]


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


def counts(output, status):
    """Passed and failed, of TAP or of `go test -v`."""
    passed = len(re.findall(r"^ok \d+|^--- PASS", output, re.M))
    failed = len(re.findall(r"^not ok \d+|^--- FAIL", output, re.M))
    return passed, max(failed, int(status != 0 and failed == 0))


def run(tool):
    """A row of the table, and what it said when something failed."""
    if tool.needs and not shutil.which(tool.needs):
        return [tool.name, "", tool.how, f"left out: it takes {tool.needs}"], ""
    done = subprocess.run(tool.command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S,
                          env={**os.environ, "NODE_NO_WARNINGS": "1", "CHROMIUM": shutil.which("chromium") or "", **tool.env})
    passed, failed = counts(done.stdout, done.returncode)
    result = f"{passed} passed" + (f", {failed} failed" if failed else "")
    return [tool.name, tool.version(), tool.how, result], done.stdout if failed or not passed else ""


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
