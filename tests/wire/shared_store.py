"""Servers whose data is on the PostgreSQL server of tests/support/postgres, whatever a test says: GRAMME_POSTGRES has its URL.

A data directory becomes a schema of its own there, by its name, so that a server that is started again finds what it wrote;
memory becomes one that nobody finds again.
"""

import glob
import hashlib
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import unittest
import uuid

from waiting import WAIT_S, wait_until

PROGRAMS = os.environ.get("GRAMME_POSTGRES_BIN") or max(glob.glob("/usr/lib/postgresql/*/bin"), default="")
ROOT = pathlib.Path(__file__).resolve().parents[2]
URL = os.environ.get("GRAMME_POSTGRES")
GROUPS = os.environ.get("GRAMME_GROUPS")  # of keys, that stores are made with


class Cluster:
    """A PostgreSQL server of a test's own, in the `with` block."""

    def __enter__(self):
        self.process = subprocess.Popen([ROOT / "tests/support/postgres", "sh", "-c", 'echo "$GRAMME_POSTGRES"; exec cat'],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise AssertionError("PostgreSQL did not start")
        return self

    def begin(self):
        """As setUpModule: for all tests of a file."""
        unittest.addModuleCleanup(self.__exit__)
        self.__enter__()

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(WAIT_S)
        self.process.stdout.close()


class Pair:
    """A primary and a standby that it waits for, in the `with` block; `url` names both, and means whichever takes writes."""

    sync = "off"

    def __init__(self, folder=None):
        self.directory = tempfile.mkdtemp(prefix="gramme-pair-", dir=folder)
        self.identity = []
        if os.getuid() == 0:
            shutil.chown(self.directory, "nobody")
            self.identity = ["setpriv", "--reuid=nobody", f"--regid={pwd.getpwnam('nobody').pw_gid}", "--clear-groups"]
        self.url = f"postgres://gramme@/postgres?host={self.directory},{self.directory}&port=6001,6002"
        self.servers = []

    def run(self, program, *arguments):
        done = subprocess.run([*self.identity, program, *arguments], cwd=self.directory, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise AssertionError(f"{program} failed:\n{done.stdout}")

    def configure(self, name, *lines):
        with open(f"{self.directory}/{name}/postgresql.conf", "a") as settings:
            settings.write("".join(f"\n{line}\n" for line in lines))

    def ask(self, port, sql):
        return ask(f"postgres://gramme@/postgres?host={self.directory}&port={port}", sql)

    def set(self, port, name, value):
        """A setting of one of the servers, from now on."""
        self.ask(port, f"ALTER SYSTEM SET {name} = '{value}'")
        self.ask(port, "SELECT pg_reload_conf()")
        wait_until(lambda: self.ask(port, f"SHOW {name}") == value.split(), f"{name} = {value}")

    def serve(self, name, port):
        self.configure(name, "listen_addresses = ''", f"unix_socket_directories = '{self.directory}'", f"port = {port}", f"fsync = {self.sync}")
        with open(f"{self.directory}/{name}.log", "w") as log:
            self.servers.append(subprocess.Popen([*self.identity, f"{PROGRAMS}/postgres", "-D", f"{self.directory}/{name}"],
                                                 cwd=self.directory, stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        ready = [f"{PROGRAMS}/pg_isready", "-q", "-h", self.directory, "-p", str(port)]
        wait_until(lambda: subprocess.run(ready).returncode == 0, f"the start of {name}")

    def __enter__(self):
        self.run(f"{PROGRAMS}/initdb", "-D", "primary", "-U", "gramme", "--auth=trust", "--no-sync", "--locale=C")
        self.configure("primary", "wal_keep_size = '1GB'")
        self.run("cp", "-a", "primary", "beginning")
        self.serve("primary", 6001)
        self.add_standby("standby", 6002)
        self.wait_for_standbys("*")
        return self

    def add_standby(self, name, port):
        """From the primary as it was before its start, whose log holds all that came since: not every version brings pg_basebackup."""
        self.run("cp", "-a", "beginning", name)
        self.run("touch", f"{name}/standby.signal")
        self.configure(name, f"primary_conninfo = 'host={self.directory} port=6001 user=gramme application_name={name}'")
        self.serve(name, port)

    def wait_for_standbys(self, names):
        self.ask(6001, f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        self.ask(6001, "SELECT pg_reload_conf()")

    def fail_over(self):
        """The primary is killed, with all its sessions, and the standby promoted, which then waits for nobody."""
        self.end_primary()
        self.run(f"{PROGRAMS}/pg_ctl", "-D", "standby", "promote", "-w")

    def cut_standby(self):
        """The standby hears of no commit any more: those that wait for it go on waiting."""
        self.set(6002, "primary_conninfo", "")
        wait_until(lambda: not self.ask(6001, "SELECT pid FROM pg_stat_replication"), "the end of the standby's connection")

    def primary(self):
        """Its processes: the postmaster, then the children that it has by then."""
        pid = self.servers[0].pid
        yield pid
        yield from map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())

    def signal_primary(self, number):
        """To all its processes: SIGSTOP and SIGCONT do not pass from one to the others."""
        for pid in self.primary():
            os.kill(pid, number)

    def end_primary(self):
        """All of it at one instant, as a machine is lost. Sessions that outlive their postmaster give up to wait for the standby,
        and while they live, others read of them what it never got."""
        self.signal_primary(signal.SIGSTOP)
        for pid in reversed([*self.primary()]):
            os.kill(pid, signal.SIGKILL)
        self.servers[0].wait()

    def fail_over_from_frozen(self):
        """The primary is stopped, until signal_primary(SIGCONT), and does not know of its successor then."""
        self.signal_primary(signal.SIGSTOP)
        self.run(f"{PROGRAMS}/pg_ctl", "-D", "standby", "promote", "-w")

    def __exit__(self, *_):
        for server in self.servers:
            server.send_signal(signal.SIGCONT)
            server.send_signal(signal.SIGQUIT)
            server.wait(30)
        shutil.rmtree(self.directory, ignore_errors=True)


class Locked:
    """A table that nobody writes to, in the `with` block; reads go on."""

    def __init__(self, server, table):
        self.server, self.table = server, table

    def __enter__(self):
        self.psql = subprocess.Popen([f"{PROGRAMS}/psql", "-qAt", self.server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.psql.stdin.write(f"BEGIN;\nLOCK TABLE {self.table} IN SHARE MODE;\nSELECT 'locked';\n")
        self.psql.stdin.flush()
        if self.psql.stdout.readline() != "locked\n":
            raise AssertionError(f"{self.table} is not locked")
        return self

    def __exit__(self, *_):
        self.psql.communicate("COMMIT;\n")


def ask(server, sql):
    """The lines that psql prints for a statement."""
    return subprocess.run([f"{PROGRAMS}/psql", "-qAt", server, "-c", sql], check=True, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.split()


def schema(server, name):
    """The URL of a schema on that server, which is made when it is not there."""
    ask(server, f"CREATE SCHEMA IF NOT EXISTS {name}")
    return f"{server}&options=-csearch_path%3D{name}"


def init(gramme, url, *options):
    if GROUPS and not options:
        options = ("--groups", GROUPS)
    done = subprocess.run([gramme, "store", "init", "--unsafe", *options, url], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise AssertionError(f"gramme store init failed:\n{done.stdout}")


def make(gramme, name, server=URL, *options):
    """The URL of a store in the schema of that name."""
    url = schema(server, name)
    init(gramme, url, *options)
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
