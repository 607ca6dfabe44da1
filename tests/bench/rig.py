"""What the measurements share: servers on cores of their own, the load, medians with their spread, tables.

A figure is taken in rounds. In each round all the things to compare are measured one after the other, so that
whatever else the machine does hits all of them; a ratio is computed within its round, and the median of the rounds
is shown with the smallest and the largest.
"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTENING = re.compile(r"listening on https?://[^\s]*:(\d+)")
BATCH = 25
PAYLOAD = 144
QUERY_PAYLOAD = PAYLOAD - 59  # 250 bytes with the attribute that the index is on
GROUP = 100  # items of a partition that a Query returns
SERVER_CORE, LOAD_CORE = 0, 1
SETTLE_S = 20
WARMUP_S = 0.3

# For servers that check signatures: they are started with the same ones.
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "AKIAGRAMMEBENCH00000", "AWS_SECRET_ACCESS_KEY": "gramme-bench", "AWS_REGION": "us-east-1"}
AUTHORIZATION = ("AWS4-HMAC-SHA256 Credential=bench/20260101/us-east-1/dynamodb/aws4_request, "
                 "SignedHeaders=host;x-amz-date, Signature=0")

LOAD_OPTIONS = {"target": "--operation", "body": "--body", "workload": "--workload", "table": "--table",
                "item_size": "--item-size", "connections": "--connections", "seconds": "--duration", "rate": "--rate",
                "warmup": "--warmup", "count": "--count", "keys": "--keys", "group": "--group",
                "payload": "--payload-size", "timeout": "--timeout", "distribution": "--distribution"}

# 300 bytes as DynamoDB counts them, with a payload of 144.
ATTRIBUTES = ('"customer":{"S":"customer#0000184467"},"ordered":{"S":"2024-05-16T16:00:34.567Z"},'
              '"status":{"S":"SHIPPED"},"total":{"N":"1249.95"},"lines":{"N":"3"},"paid":{"BOOL":true},'
              '"address":{"M":{"street":{"S":"Rue du Moulin 12"},"city":{"S":"Jehay"},"zip":{"N":"4540"}}},'
              '"note":{"S":"%p"}')
BY_KEY = '"pk":{"S":"%n"}'
BY_GROUP = '"sk":{"S":"%n"},"pk":{"S":"%g"}'
INDEXED = BY_KEY + ',"g":{"S":"%g"}'


def item(key):
    return f"{{{key},{ATTRIBUTES}}}"


def put_body(table, key):
    return f'{{"TableName":"{table}","Item":{item(key)}}}'


def get_body(table, key):
    return f'{{"TableName":"{table}","Key":{{{key}}}}}'


def batch_body(table, key):
    requests = ",".join([f'{{"PutRequest":{{"Item":{item(key)}}}}}'] * BATCH)
    return f'{{"RequestItems":{{"{table}":[{requests}]}}}}'


def transaction_body(table, count):
    """Puts of `count` items, each under a key of its own."""
    actions = ",".join(f'{{"Put":{{"TableName":"{table}","Item":{item(BY_KEY.replace("%n", f"%n-{i}"))}}}}}'
                       for i in range(count))
    return f'{{"TransactItems":[{actions}]}}'


def query_body(table, index, attribute):
    index = f'"IndexName":"{index}",' if index else ""
    return (f'{{"TableName":"{table}",{index}"KeyConditionExpression":"{attribute} = :k",'
            '"ExpressionAttributeValues":{":k":{"S":"%n"}}}')


class Rig:
    """The programs to run, and how long."""

    def __init__(self, build, seconds, rounds, folder):
        self.build = pathlib.Path(build).resolve()
        self.seconds = seconds
        self.rounds = rounds
        self.folder = pathlib.Path(folder)
        self.pinned = (os.cpu_count() or 1) >= 2
        self.names = iter(range(10 ** 6))

    def program(self, name):
        return str(self.build / ("gramme" if name == "gramme" else f"tests/bench/{name}"))

    def fresh(self):
        """A path in the folder that is not there yet."""
        return self.folder / f"data{next(self.names)}"

    def gramme(self, *arguments, core=None, before=()):
        """A server; `before` is a command that runs it, as strace does."""
        command = [*before, self.program("gramme"), "serve", "--port", "0", *map(str, arguments)]
        return Process(command, self.cores(core))

    def constant(self, name, body_bytes, core=None):
        """bare_server or connection_server. They take a port, not 0."""
        return Process([self.program(name), str(free_port()), str(body_bytes)], self.cores(core))

    def cores(self, core):
        return {core} if core is not None and self.pinned else None

    def load_command(self, port, sign=False, ca=None, **options):
        """`gramme bench` with the options of LOAD_OPTIONS: a workload, or a request of our own. `ca` is for TLS."""
        command = [self.program("gramme"), "bench", "--endpoint", f"http{'s' if ca else ''}://127.0.0.1:{port}",
                   "--sign" if sign else "--no-sign", "--quiet", "--json", "-"]
        options = {"distribution": "sequential", **options}
        if "workload" in options:
            command.append("--keep")
        else:
            options = {"target": "GetItem", **options}
        for name, value in options.items():
            command += [LOAD_OPTIONS[name], str(value)]
        return command

    def load(self, port, core=LOAD_CORE, strict=True, **options):
        """A load's result. Any error ends the run, unless the load is not strict: then it is told in the result."""
        if "count" not in options:
            options = {"seconds": self.seconds, "warmup": min(WARMUP_S, self.seconds / 4), **options}
        run = subprocess.run(self.load_command(port, **options), text=True, stdout=subprocess.PIPE,
                             stderr=None if strict else subprocess.PIPE, preexec_fn=affinity(self.cores(core)),
                             env={**os.environ, **CREDENTIALS, "AWS_CA_BUNDLE": str(options.get("ca") or "")})
        if not strict:
            return load_figures(json.loads(run.stdout)) if run.stdout else load_failed(run.stderr.strip())
        return load_result(run.stdout, options.get("target") or options.get("workload"))

    @contextlib.contextmanager
    def beside(self, port, core=None, before=(), **options):
        """A load that goes on while something else is done; its result is in the dictionary afterwards."""
        command = [*before, *self.load_command(port, seconds=3600, warmup=0, **options)]
        running = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, preexec_fn=affinity(self.cores(core)))
        result = {}
        try:
            time.sleep(0.2)
            yield result
        finally:
            running.send_signal(signal.SIGTERM)
            text = running.communicate()[0]
        result.update(load_result(text, options.get("target")))

    def fill(self, port, table, key, count, **options):
        """Writes `count` items, each once; returns items per second."""
        result = self.load(port, core=None, target="BatchWriteItem", body=batch_body(table, key), keys=count,
                           count=count // BATCH, **{"payload": PAYLOAD, "connections": 16, **options})
        return result["rate"] * BATCH

    def measure(self, server, **options):
        """A load's result, with `cpu_us`: the server's processor time per request."""
        before = server.cpu_seconds()
        result = self.load(server.port, **options)
        # The warm-up's requests are not among the replies, but took about as long each.
        warmup = options.get("warmup", min(WARMUP_S, self.seconds / 4))
        share = result["seconds"] / max(result["seconds"] + warmup, 1e-9)
        result["cpu_us"] = (server.cpu_seconds() - before) * share / max(result["replies"], 1) * 1e6
        return result

    def sync_rate(self):
        path = self.folder / "sync_rate"
        run = subprocess.run([self.program("sync_rate"), path, str(min(self.seconds, 1))], text=True,
                             stdout=subprocess.PIPE, check=True)
        return json.loads(run.stdout)["rate"]


class Process:
    """A server process: started when it says that it listens, stopped by SIGTERM."""

    def __init__(self, command, cores=None, **options):
        self.errors = tempfile.TemporaryFile("w+")
        options = {"stdout": subprocess.PIPE, "stderr": self.errors, **options}
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, preexec_fn=affinity(cores), **options)
        self.port = self.wait_for_port()
        self.pid = self.server_pid()

    def wait_for_port(self):
        match = LISTENING.search(self.process.stdout.readline())
        if not match:
            raise SystemExit(f"{self.process.args[0]} did not start: {self.kill()}")
        return int(match.group(1))

    def kill(self):
        """Ends a server that did not start; returns what it said on its standard error."""
        self.process.kill()
        self.process.wait()
        self.errors.seek(0)
        return self.errors.read()

    def server_pid(self):
        """Of the server itself, also when another program runs it."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0]) if children else self.process.pid

    def cpu_seconds(self):
        total = 0
        for path in pathlib.Path(f"/proc/{self.pid}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):
                total += int(path.read_text().split()[0])
        return total / 1e9

    def resident_mb(self):
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0

    def settle(self):
        """Waits until the server is idle: after a large load it still compacts what was written."""
        for _ in range(SETTLE_S * 2):
            before = self.cpu_seconds()
            time.sleep(0.5)
            if self.cpu_seconds() - before < 0.01:
                return

    def stop(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        self.errors.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def load_result(text, target=None):
    """The figures that the tables show, of what `gramme bench` prints. Any error ends the run."""
    result = json.loads(text) if text else {"errors": 1}
    if result["errors"]:
        raise SystemExit(f"load failed: {target} {result.get('first_error', '')}")
    return load_figures(result)


def load_figures(result):
    latency = result["latency_us"]
    return {"replies": result["replies"], "seconds": result["seconds"], "rate": result["rate"],
            "p50_us": latency["p50"], "p99_us": latency["p99"], "p999_us": latency["p99.9"], "max_us": latency["max"],
            "errors": result["errors"], "first_error": result.get("first_error", ""), "behind": result["behind"],
            "misses": sum(kind["misses"] for kind in result["operations"]), "series": result["series"],
            "histogram": [pair for kind in result["operations"] for pair in kind["histogram_us"]]}


def load_failed(reason):
    """The result of a load that could not begin."""
    none = dict.fromkeys(["replies", "seconds", "rate", "p50_us", "p99_us", "p999_us", "max_us", "behind", "misses"], 0)
    return {**none, "errors": 1, "first_error": reason, "series": [], "histogram": []}


def affinity(cores):
    return (lambda: os.sched_setaffinity(0, cores)) if cores else None


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def call(port, operation, body):
    """One request; returns the reply's body as bytes. Any error ends the run."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("POST", "/", json.dumps(body), {
        "X-Amz-Target": f"DynamoDB_20120810.{operation}", "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Date": "20260101T000000Z", "Authorization": AUTHORIZATION})
    reply = connection.getresponse()
    text = reply.read()
    connection.close()
    if reply.status != 200:
        raise SystemExit(f"{operation}: {reply.status} {text.decode()}")
    return text


def gsi(name, attribute):
    return {"IndexName": name, "KeySchema": [{"AttributeName": attribute, "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"}}


def create_table(port, name, sort_key=False, indexes=0):
    attributes = ["pk"] + ["sk"] * sort_key + ["g"] * (indexes > 0)
    body = {
        "TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]
                     + [{"AttributeName": "sk", "KeyType": "RANGE"}] * sort_key,
        "AttributeDefinitions": [{"AttributeName": a, "AttributeType": "S"} for a in attributes]}
    if indexes:
        body["GlobalSecondaryIndexes"] = [gsi(f"by_g{i}", "g") for i in range(indexes)]
    call(port, "CreateTable", body)
    wait_active(port, name)


def wait_active(port, table):
    """Until the table and all its indexes can be used."""
    while True:
        description = json.loads(call(port, "DescribeTable", {"TableName": table}))["Table"]
        states = [description["TableStatus"]]
        states += [index["IndexStatus"] for index in description.get("GlobalSecondaryIndexes", [])]
        if set(states) == {"ACTIVE"}:
            return
        time.sleep(0.01)


# ---- figures ----

def number(n):
    """Three digits are more than the noise leaves."""
    if n >= 100:
        return f"{float(f'{n:.3g}'):,.0f}"
    return f"{n:.1f}" if n >= 10 else f"{n:.2f}"


def spread(values, form=number):
    """The median, and the smallest and the largest."""
    return f"{form(statistics.median(values))} ({form(min(values))} - {form(max(values))})"


def percent(n):
    return f"{n * 100:.0f} %"


def times(n):
    return f"{n:.2f} x"


class Table:
    """One table of results, printed when it is complete."""

    def __init__(self, title, note, columns):
        self.title, self.note, self.columns, self.rows = title, note, columns, []
        self.picture = None

    def row(self, *cells):
        self.rows.append([str(cell) for cell in cells])

    def text(self):
        widths = [max(len(row[i]) for row in [self.columns, *self.rows]) for i in range(len(self.columns))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                 for row in [self.columns, *self.rows]]
        return f"\n{self.title}\n" + "\n".join(f"  {line}" for line in lines) + "\n"

    def markdown(self):
        def line(cells):
            return "| " + " | ".join(cells) + " |"
        head = [line(self.columns), "|" + "---|" * len(self.columns)]
        note = f"{self.note}\n\n" if self.note else ""
        picture = f"\n![{self.picture.title}](performance/{self.picture.name})\n" if self.picture else ""
        return f"### {self.title}\n\n{note}" + "\n".join(head + [line(row) for row in self.rows]) + "\n" + picture


# ---- what is there ----

def have(program):
    return shutil.which(program) is not None


def installed(package):
    run = subprocess.run(["pkg-config", "--modversion", package], text=True, capture_output=True)
    return run.stdout.strip() if run.returncode == 0 else None


def build_type(rig):
    run = subprocess.run(["meson", "introspect", "--buildoptions", rig.build], text=True, capture_output=True)
    match = re.search(r'"name": "buildtype", "value": "(\w+)"', run.stdout)
    return f"buildtype {match.group(1)}" if match else "unknown buildtype"
