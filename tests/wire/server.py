#!/usr/bin/python3
"""Starts and stops a gramme server for a test.

In Python:

    with Server("--memory") as server:
        ... server.endpoint, server.port ...

As a command, a server around another program, which finds it in GRAMME_ENDPOINT:

    /usr/bin/python3 tests/wire/server.py -- node some-test.mjs

with a key that it may sign with in GRAMME_KEY_ID and GRAMME_SECRET; with `--port 8000` before the `--` it listens there.

Leaving the `with` block sends SIGTERM and fails unless the server ends with status 0, in time, and
without a word from a sanitizer. GRAMME_BIN chooses another binary. GRAMME_ENDPOINT names a server
that runs already, to try the tests on another implementation; nothing is started or stopped then.
With GRAMME_POSTGRES the data of every server is on that PostgreSQL server (shared_store.py); with
GRAMME_TEST_FOLLOWER, too, another server leads there, and the tests talk to one that follows it.
With GRAMME_GROUPS, too, both write, and stores have so many groups of keys.
"""

import fcntl
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

import shared_store
import signing
import tls
from waiting import WAIT_S

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTENING = re.compile(r"listening on (https?://([^\s:]+|\[[^\]]+\]):(\d+))")
FOLLOWING = re.compile(r"following: .*\n  endpoint    (https?://([^\s:]+|\[[^\]]+\]):(\d+))")
FOLLOWS = "GRAMME_TEST_FOLLOWER" in os.environ
SANITIZER = re.compile(r"(Address|Leak|Thread|Memory|UndefinedBehavior)Sanitizer|runtime error:")


def binary():
    return os.environ.get("GRAMME_BIN", str(ROOT / "build-check/gramme"))


def log_file():
    """For what a server says. The place where we read is also that where it writes: it has to append, which no mode of tempfile says."""
    file = tempfile.TemporaryFile("a+", errors="replace")
    fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_APPEND)
    return file


class Server:
    """One server process. Its arguments follow `gramme serve --port N`; 0 is any free port."""

    def __init__(self, *arguments, preexec=None, port=0):
        self.arguments = [str(argument) for argument in arguments]
        self.preexec = preexec
        self.wanted_port = port
        self.process = None
        self.leader = None
        self.output = ""
        self.endpoint = os.environ.get("GRAMME_ENDPOINT")

    def start(self):
        if self.endpoint and not self.process:
            self.port = int(self.endpoint.rsplit(":", 1)[1])
            return self
        self.errors = log_file()
        arguments = list(self.arguments)
        if signing.VERIFIED:
            self.directory = tempfile.TemporaryDirectory()
            arguments += ["--auth", "--root-key", signing.write_key(pathlib.Path(self.directory.name, "key"))]
        if shared_store.URL:
            arguments = shared_store.arguments(binary(), arguments)
        if FOLLOWS and "--store" in arguments:
            self.leader = Leader(*arguments).start()
        if tls.ENCRYPTED:
            arguments += tls.arguments(tls.shared_directory(binary()))
        return self.launch(arguments)

    def launch(self, arguments):
        self.process = subprocess.Popen(
            [binary(), "serve", "--port", str(self.wanted_port), *arguments], stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=self.errors, preexec_fn=self.preexec)
        self.started = threading.Event()
        self.reader = threading.Thread(target=self._read_output, daemon=True)
        self.reader.start()
        self.started.wait(WAIT_S)
        match = (FOLLOWING if self.leader else LISTENING).search(self.output)
        if not match:
            self.process.kill()
            raise AssertionError(f"the server did not start:\n{self.output}\n{self.error_text()}")
        self.endpoint, self.port = match.group(1), int(match.group(3))
        return self

    def _read_output(self):
        # Reads to the end, so that the server never waits for a full pipe.
        for line in self.process.stdout:
            self.output += line
            if LISTENING.search(line) or FOLLOWING.search(self.output):
                self.started.set()
        self.started.set()

    def error_text(self):
        self.errors.seek(0)
        return self.errors.read()

    def stop(self):
        """Asks the server to end and checks that it ends well."""
        if not self.process:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = f"still running {WAIT_S} s after SIGTERM"
        self.reader.join()
        self.process.stdout.close()
        errors = self.error_text()
        if self.leader:
            self.leader.stop()
        if status != 0 or SANITIZER.search(errors):
            raise AssertionError(f"the server ended badly: {status}\n{errors}")

    def kill(self):
        """kill -9: what a crash does."""
        if self.leader:
            self.leader.kill()
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        errors = self.error_text()
        if SANITIZER.search(errors):
            raise AssertionError(f"the server was not well before it was killed:\n{errors}")

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, value, trace):
        if not self.process or self.process.returncode is not None:
            return
        try:
            self.stop()
        except AssertionError:
            # The first failure is the one to report; the server's end is told beside it.
            if not kind:
                raise
            print(f"# {self.error_text()}", file=sys.stderr)


class Leader(Server):
    """One whose arguments are taken as they are, before a server that follows it."""

    def start(self):
        self.errors = log_file()
        return self.launch(self.arguments)


def main():
    words, port = sys.argv[1:], 0
    if words[:1] == ["--port"] and len(words) > 1:
        port, words = int(words[1]), words[2:]
    if len(words) < 2 or words[0] != "--":
        sys.exit("usage: server.py [--port N] -- COMMAND [ARGUMENT ...]")
    with Server("--memory", "--test-faults", port=port) as server:
        known = (signing.KEY_ID, signing.SECRET) if signing.VERIFIED else ("test", "test")
        status = subprocess.run(words[1:], env={
            **os.environ, "GRAMME_ENDPOINT": server.endpoint, "GRAMME_KEY_ID": known[0], "GRAMME_SECRET": known[1],
        }).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
