"""Packages as they are built, and clean systems to install them in (scripts/release-root); packaging/tests/ uses it as well."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tests/wire"))

from waiting import WAIT_S, wait_until

PROGRAM = ROOT / "build/gramme"
# Building a package takes a minute of a quiet machine, installing one a download.
TIMEOUT_S = 1800
KEPT = {"TableName": "kept", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}]}
ITEM = {"k": {"S": "a"}}
# What a developer's shell may have, of which no test is to hear.
SHELL = {"AWS_PROFILE": "no-such-profile", "AWS_SESSION_TOKEN": "expired", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}


def run(*command, status=0, **options):
    """What a command printed; unless it is told that stderr belongs to it, that is seen only when it ends otherwise than it should."""
    result = subprocess.run([str(word) for word in command], text=True, timeout=TIMEOUT_S,
                            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})
    assert result.returncode == status, f"{command}: {result.returncode}\n{result.stdout}{result.stderr or ''}"
    return result.stdout


def examples(language):
    """Those of docs/TESTING.md, in their order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / "docs/TESTING.md").read_text(), re.M | re.S)


def build(kind, output, *program, **variables):
    """Builds a package into a folder, for a quick test with a program that is there already, and gives the files that were made."""
    run(ROOT / "packaging" / kind / "build", output, *program, env={**os.environ, **variables})
    return sorted(pathlib.Path(output).iterdir())


class CleanSystem:
    """A fresh root of the release that runs here, in which nothing of gramme's was ever installed."""

    def __init__(self):
        self.name = f"clean-{os.getpid()}"
        self.root = pathlib.Path(run(ROOT / "scripts/release-root", "make", "here", self.name).strip())

    def remove(self):
        run(ROOT / "scripts/release-root", "remove", self.name)

    def command(self, *words):
        return [str(ROOT / "scripts/release-root"), "run", self.name, *words]

    def run(self, *words):
        return run(*self.command(*words))

    def install(self, *files, options=()):
        """Installs packages that were built here by apt, with what they depend on; or upgrades to them."""
        for file in files:
            run("cp", file, self.root / "tmp")
        self.run("apt-get", "install", "-y", "-q", "--no-install-recommends", *options, *(f"/tmp/{file.name}" for file in files))

    def ask_systemd(self):
        """As if systemd ran there, from now on: gives the file with what the scripts of packages ask it to do."""
        (self.root / "run/systemd/system").mkdir(parents=True)
        (self.root / "usr/bin/deb-systemd-invoke").write_text('#!/bin/sh\necho "$@" >>/tmp/asked\n')
        return self.root / "tmp/asked"

    def start(self, *words):
        """Starts a server there that names its address, and gives the process and that address."""
        return start(*self.command(*words))


def start(*command, **options):
    process = subprocess.Popen([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    said = ""
    for line in process.stdout:
        said += line
        if "listening on http://" in line:
            return process, line.split("listening on ")[1].strip()
    raise AssertionError(said)


def wait_until_gone(address):
    """Until nobody listens there: a server that ends by itself takes a moment."""
    host, port = re.fullmatch(r"http://(.*):(\d+)", address).groups()

    def is_gone():
        try:
            socket.create_connection((host, int(port)), timeout=WAIT_S).close()
        except ConnectionError:  # refused, or reset while the server closes its socket
            return True
        return False

    wait_until(is_gone, f"the end of the server at {address}")


def end_by(number, *command, **options):
    """Starts a program that prints the address of a server it started and the ids of processes that outlive it, ends it by a signal,
    and waits for the server to follow."""
    process = subprocess.Popen([str(word) for word in command], text=True, stdout=subprocess.PIPE, **options)
    said = process.stdout.readline()
    process.send_signal(number)
    process.wait()
    process.stdout.close()
    address, *left = said.split()
    try:
        wait_until_gone(address)
    finally:
        for pid in left:
            os.kill(int(pid), signal.SIGKILL)


def fake_program(folder, script):
    """A file to name in GRAMME_BINARY."""
    file = pathlib.Path(folder) / "fake"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return str(file)


def call(address, operation, body):
    request = urllib.request.Request(address, json.dumps(body).encode(), {
        "X-Amz-Target": f"DynamoDB_20120810.{operation}", "X-Amz-Date": "20260101T000000Z", "Content-Type": "application/x-amz-json-1.0",
        "Authorization": "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"})
    with urllib.request.urlopen(request, timeout=120) as reply:
        return json.load(reply)


def put_item(address):
    call(address, "CreateTable", KEPT)
    call(address, "PutItem", {"TableName": "kept", "Item": ITEM})


def get_item(address):
    return call(address, "GetItem", {"TableName": "kept", "Key": ITEM})["Item"]


def descendants(pid):
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    for child in children.read_text().split() if children.exists() else ():
        yield int(child)
        yield from descendants(child)


def stop(process, name, number=signal.SIGTERM):
    """The signal goes to the server itself, which is in a namespace of its own; the rest ends with it."""
    deadline = time.monotonic() + WAIT_S
    while process.poll() is None and time.monotonic() < deadline:
        for pid in descendants(process.pid):
            try:
                if pathlib.Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").startswith(name):
                    os.kill(pid, number)
            except OSError:  # it has ended
                continue
        try:
            process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            continue
    return process.returncode
