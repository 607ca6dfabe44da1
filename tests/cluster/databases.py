"""Three machines with PostgreSQL, Patroni and etcd each, in the `with` block: a primary, and standbys of which a commit waits for one.

Patroni's settings are those that docs/CLUSTER.md tells people to copy, with TLS and passwords. Everything is in a directory that goes
at the end.
"""

import glob
import json
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))

from server import binary

PROGRAMS = os.environ.get("GRAMME_POSTGRES_BIN") or max(glob.glob("/usr/lib/postgresql/*/bin"), default="")
NAMES = ["n1", "n2", "n3"]
START_S = 120
POSTGRES, PATRONI, ETCD, ETCD_PEERS = 5432, 8008, 2379, 2380

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = ROOT / "docs/cluster/patroni.yml"
SECRET = "a-secret"


class Machine:
    """One of them: its three programs, which can be killed, stopped and started again."""

    def __init__(self, name, network, folder, identity):
        self.name, self.network, self.folder, self.identity = name, network, folder, identity
        self.address = network.addresses[name]
        self.processes = []

    def write(self):
        self.folder.mkdir()
        members = ",".join(f"{self.network.addresses[name]}:{ETCD}" for name in NAMES)
        text = CONFIG.read_text()
        for word, value in (("/etc/gramme/tls", f"{self.folder}/tls"), ("/var/lib/postgresql/.pgpass-patroni", f"{self.folder}/pgpass"),
                            ("/var/lib/postgresql/gramme", f"{self.folder}/data"), ("NAME", self.name), ("ADDRESS", self.address),
                            ("MEMBERS", members), ("BIN", PROGRAMS), ("SECRET", SECRET)):
            assert word in text, word
            text = text.replace(word, value)
        (self.folder / "patroni.yml").write_text(f"{text}    unix_socket_directories: {self.folder}\n")
        self.certify()
        if self.identity:
            for path in (self.folder, *self.folder.rglob("*")):
                shutil.chown(path, "nobody")

    def certify(self):
        """By one authority for all of them."""
        authority = self.folder.parent / "tls"
        made = subprocess.run([binary(), "cert", "create", authority, "--name", self.address], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode:
            raise AssertionError(made.stdout)
        shutil.copytree(authority, self.folder / "tls", ignore=shutil.ignore_patterns("ca.key"))
        for name in ("server.pem", "server.key"):
            (authority / name).unlink()

    def spawn(self, name, *command):
        with open(self.folder / f"{name}.log", "a") as log:
            self.processes.append(subprocess.Popen(
                [*self.network.within(self.name), *self.identity, *command], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True, env={**os.environ, "HOME": str(self.folder)}))

    def start(self):
        addresses = self.network.addresses
        peers = ",".join(f"{name}=http://{addresses[name]}:{ETCD_PEERS}" for name in NAMES)
        self.spawn("etcd", "etcd", "--name", self.name, "--data-dir", f"{self.folder}/etcd", "--initial-cluster", peers,
                   "--listen-peer-urls", f"http://{self.address}:{ETCD_PEERS}", "--initial-advertise-peer-urls", f"http://{self.address}:{ETCD_PEERS}",
                   "--listen-client-urls", f"http://{self.address}:{ETCD}", "--advertise-client-urls", f"http://{self.address}:{ETCD}",
                   "--heartbeat-interval", "200", "--election-timeout", "2000", "--enable-v2")
        self.spawn("patroni", "patroni", f"{self.folder}/patroni.yml")

    def postmaster(self):
        try:
            return int((self.folder / "data/postmaster.pid").read_text().split()[0])
        except (FileNotFoundError, IndexError, ValueError):
            return None

    def everything(self):
        """The ids of all its processes: those that were started, PostgreSQL's, and what came of them."""
        found, parents = {process.pid for process in self.processes} | {self.postmaster()}, {}
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                pid, rest = pathlib.Path(path).read_text().split(" ", 1)
            except OSError:
                continue
            parents[int(pid)] = int(rest.rsplit(")", 1)[1].split()[1])
        size = 0
        while len(found) > size:
            size = len(found)
            found |= {pid for pid, parent in parents.items() if parent in found}
        return sorted(pid for pid in found if pid in parents)

    def signal(self, number, pids=None):
        for pid in self.everything() if pids is None else pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def kill(self):
        """All of it at one instant, as when the power goes: nobody there sees the others go."""
        self.signal(signal.SIGSTOP)
        self.signal(signal.SIGKILL)
        for process in self.processes:
            process.wait()
        self.processes = []

    def kill_postgres(self):
        pid = self.postmaster()
        if pid:
            self.signal(signal.SIGKILL, [pid])

    def log(self):
        return "".join(f"--- {self.name} {path.name}\n{path.read_text(errors='replace')[-3000:]}" for path in sorted(self.folder.glob("*.log")))


def ask(url, sql):
    """What psql prints; None when nobody answers."""
    done = subprocess.run([f"{PROGRAMS}/psql", "-qAt", url, "-c", sql], text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.strip() if done.returncode == 0 else None


def wait_until(condition, seconds, otherwise):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(otherwise)
        time.sleep(0.3)


class Databases:
    def __init__(self, network):
        self.network = network
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gramme-cluster-"))
        identity = []
        if os.getuid() == 0:
            shutil.chown(self.folder, "nobody")
            identity = ["setpriv", "--reuid=nobody", f"--regid={pwd.getpwnam('nobody').pw_gid}", "--clear-groups"]
        self.machines = {name: Machine(name, network, self.folder / name, identity) for name in NAMES}
        self.url = f"{self.url_of(*NAMES)}&target_session_attrs=read-write"
        self.root_url = f"{self.url_of(*NAMES, user='postgres', database='postgres')}&target_session_attrs=read-write"

    def url_of(self, *names, user="gramme", database="gramme"):
        hosts = ",".join(f"{self.network.addresses[name]}:{POSTGRES}" for name in names)
        return f"postgres://{user}:{SECRET}@{hosts}/{database}?connect_timeout=3&sslmode=verify-full&sslrootcert={self.folder}/tls/ca.pem"

    def __enter__(self):
        for machine in self.machines.values():
            machine.write()
            machine.start()
        try:
            self.wait_whole(START_S)
            for statement in (f"CREATE ROLE gramme LOGIN PASSWORD '{SECRET}'", "GRANT pg_monitor TO gramme", "CREATE DATABASE gramme OWNER gramme"):
                if self.ask(statement) is None:
                    raise AssertionError(f"{statement} failed")
            # Whoever comes to a standby first, by a URL with all of them, is not sent on when it lacks the database.
            wait_until(lambda: all(ask(self.url_of(name), "SELECT 1") == "1" for name in NAMES), START_S, "the database is not on all machines")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for machine in self.machines.values():
            machine.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, sql):
        return ask(self.root_url, sql)

    def primary(self):
        """The machine whose Patroni says that it leads; None: nobody does."""
        for machine in self.machines.values():
            try:
                with urllib.request.urlopen(f"http://{machine.address}:{PATRONI}/primary", timeout=2) as reply:
                    if json.load(reply)["state"] == "running":
                        return machine
            except (OSError, ValueError, KeyError):
                continue
        return None

    def is_whole(self):
        """A primary that takes writes, and two standbys that follow it, of which it waits for one."""
        return self.ask("SELECT count(*) FILTER (WHERE state = 'streaming'), count(*) FILTER (WHERE sync_state = 'sync') "
                        "FROM pg_stat_replication WHERE application_name LIKE 'n_'") == "2|1"

    def wait_whole(self, seconds):
        try:
            wait_until(self.is_whole, seconds, "the databases did not come together")
        except AssertionError as error:
            raise AssertionError(f"{error}:\n" + "".join(machine.log() for machine in self.machines.values())) from None
