"""Servers whose data is on the PostgreSQL server of tests/support/postgres, whatever a test says: GRAMME_POSTGRES has its URL.

A data directory becomes a schema of its own there, by its name, so that a server that is started again finds what it wrote;
memory becomes one that nobody finds again.
"""

import glob
import hashlib
import os
import pathlib
import subprocess
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
URL = os.environ.get("GRAMME_POSTGRES")


class Cluster:
    """A PostgreSQL server of a test's own, in the `with` block."""

    def __enter__(self):
        self.process = subprocess.Popen([ROOT / "tests/support/postgres", "sh", "-c", 'echo "$GRAMME_POSTGRES"; exec cat'],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise AssertionError("PostgreSQL did not start")
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


def ask(server, sql):
    """The lines that psql prints for a statement."""
    programs = os.environ.get("GRAMME_POSTGRES_BIN") or max(glob.glob("/usr/lib/postgresql/*/bin"))
    return subprocess.run([f"{programs}/psql", "-qAt", server, "-c", sql], check=True, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.split()


def schema(server, name):
    """The URL of a schema on that server, which is made when it is not there."""
    ask(server, f"CREATE SCHEMA IF NOT EXISTS {name}")
    return f"{server}&options=-csearch_path%3D{name}"


def make(gramme, name, server=URL):
    """The URL of a store in the schema of that name."""
    url = schema(server, name)
    done = subprocess.run([gramme, "store", "init", "--unsafe", url], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise AssertionError(f"gramme store init failed:\n{done.stdout}")
    return url


def arguments(gramme, given):
    """The arguments of `gramme serve` with the store in the place of a directory or memory."""
    if "--memory" in given:
        place, count, name = given.index("--memory"), 1, f"m{uuid.uuid4().hex}"
    elif "--data" in given:
        place, count = given.index("--data"), 2
        name = f"d{hashlib.sha256(given[place + 1].encode()).hexdigest()[:32]}"
    else:
        return given
    return [*given[:place], "--store", make(gramme, name), *given[place + count:]]
