"""What the tests of the five programs share: running a program against a server.

The programs are those beside the server's binary: build-check/apps/<name>/<name>, or beside GRAMME_BIN.
"""

import contextlib
import http.client
import http.server
import json
import os
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/wire"))

import shell
from readme import ADDRESS, run_console
from server import Server, binary
from waiting import WAIT_S, wait_until
from wire import WireTest, boto3_client, clock, drop_tables

BUILD = pathlib.Path(binary()).resolve().parent
TIMEOUT_S = WAIT_S
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
LATENCY = re.compile(r"\b(sum|average|min|p50|p90|p99|max) \d+\.\d\d")


def program(name):
    return BUILD / "apps" / name / f"gramme-{name}"


def word(path):
    """A path as a word of a shell's command: it may have a blank."""
    return shlex.quote(str(path))


def settings(endpoint):
    """The environment of a program: nothing of this machine's user, the sanitizers' options, the server."""
    sanitizers = {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}
    return {**shell.environment(tempfile.gettempdir()), **sanitizers, "AWS_ENDPOINT_URL": endpoint}


def start(name, endpoint, *arguments):
    return subprocess.Popen([program(name), *arguments], env=settings(endpoint), text=True, cwd=ROOT,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(name, endpoint, *arguments):
    """Runs a program to its end; gives its status, its output and what it said on stderr."""
    process = start(name, endpoint, *arguments)
    out, err = process.communicate(timeout=TIMEOUT_S)
    return process.returncode, out, err


def apply(name, endpoint):
    """Makes the tables of a program from its template."""
    result = subprocess.run([binary(), "apply", ROOT / "apps" / name / "template.yaml"], env=settings(endpoint), text=True,
                            capture_output=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
    assert result.returncode == 0, result.stderr


class Service:
    """`<name> serve` on a free port, until the end of the `with` block, where it has to stop in order."""

    def __init__(self, name, endpoint, *arguments, environment=None):
        self.command = [program(name), "serve", "--port", "0", *map(str, arguments)]
        self.environment = {**settings(endpoint), **(environment or {})}

    def __enter__(self):
        self.process = subprocess.Popen(self.command, env=self.environment, text=True, cwd=ROOT, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline()
        assert line.startswith("listening on http://"), line + (self.process.communicate()[1] if not line else "")
        self.host = line.split("//")[1].strip()
        self.address = f"http://{self.host}"
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.output, self.errors = self.process.communicate(timeout=TIMEOUT_S)
        assert self.process.returncode == 0, (self.process.returncode, self.errors)

    def request(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.host, timeout=TIMEOUT_S)
        try:
            given = {} if body is None else {"Content-Type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), {**given, **(headers or {})})
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read())
        finally:
            connection.close()

    def get(self, path):
        return self.request("GET", path)

    def post(self, path, body):
        return self.request("POST", path, body)

    def text(self, path):
        connection = http.client.HTTPConnection(self.host, timeout=TIMEOUT_S)
        connection.request("GET", path)
        text = connection.getresponse().read().decode()
        connection.close()
        return text


class JsonApi:
    """An HTTP server with these answers, {path: (status, JSON)}, for programs that ask one."""

    def __init__(self, answers):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                status, body = answers.get(self.path, (404, {}))
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def closing_client(server):
    client = boto3_client(server.endpoint)
    try:
        yield client
    finally:
        client.close()


class AppTest(WireTest):
    """Tests of the program `app`, each on new tables."""

    app = None

    def setUp(self):
        drop_tables(self.server.port)
        apply(self.app, self.server.endpoint)

    def run_app(self, *arguments):
        return run(self.app, self.server.endpoint, *arguments)

    def expect(self, out, *arguments, status=0, err=""):
        """The program prints exactly this; times are written TIME and latencies N."""
        got = self.run_app(*arguments)
        self.assertEqual((got[0], normal(got[1]), normal(got[2])), (status, out, err), arguments)

    def check_bad_input(self, rows):
        """Rows of (arguments as one text, message): bad usage, and nothing is written."""
        before = self.everything()
        for text, message in rows:
            with self.subTest(text):
                command = text.split()[0] if text.split() else ""
                status, out, err = self.run_app(*shlex.split(text))
                self.assertEqual((status, out), (2, ""), command)
                self.assertEqual(err.split("; see ")[0], f"gramme-{self.app}: {message}")
        self.assertEqual(self.everything(), before)

    def check_bad_files(self, rows, suffix, *arguments):
        """Rows of (text of a file, message): the command with the file fails, and nothing is written."""
        before = self.everything()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"file{suffix}"
            for text, message in rows:
                with self.subTest(text[:80]):
                    path.write_bytes(text if isinstance(text, bytes) else text.encode())
                    status, out, err = self.run_app(*(path if argument == "FILE" else argument for argument in arguments))
                    self.assertEqual((status, out, err.replace(str(path), "FILE")), (1, "", f"gramme-{self.app}: {message}\n"))
        self.assertEqual(self.everything(), before)

    def check_readme(self):
        """The README's examples, on a server that is started as it says; returns how many there were."""
        with tempfile.TemporaryDirectory() as folder, Server(*self.readme_server(False)) as server:
            try:
                # /tmp/ first: the other texts may have it in them.
                return run_console(self, ROOT / "apps" / self.app / "README.md", {
                    "/tmp/": f"{folder}/", ADDRESS: server.endpoint, "$PWD/build/": f"{BUILD}/", "build/gramme": word(binary()),
                    "8080": str(free_port()),
                }, cwd=ROOT, normal=normal)
            finally:
                for path in pathlib.Path(folder).glob("*.pid"):  # of services that an example has left
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(path.read_text()), signal.SIGTERM)

    def readme_server(self, delayed):
        """The arguments of the server that the README starts, to try the program or with a delay."""
        readme = (ROOT / "apps" / self.app / "README.md").read_text()
        lines = [line.split() for line in re.findall(r"^    build/gramme serve (.*) &$", readme, re.M)]
        return next(line for line in lines if ("--ttl-delay" in line) == delayed)

    def check_sample(self, table, item, ttl="ttl"):
        """An item of the design, whose time to live was over years ago: it is gone in a moment, which the server's log tells,
        and stays with --ttl-delay, as the README says."""
        with Server("--memory") as server, closing_client(server) as client:
            apply(self.app, server.endpoint)
            client.put_item(TableName=table, Item=item)
            wait_until(lambda: client.scan(TableName=table)["Count"] == 0)
            wait_until(lambda: f"expired 1 items of table {table}: their time to live is over" in server.output + server.error_text())
        delay_s = 24 * 60 * 60 * int(self.readme_server(True)[self.readme_server(True).index("--ttl-delay") + 1].removesuffix("d"))
        with Server("--test-clock", *self.readme_server(True)) as server, closing_client(server) as client:
            apply(self.app, server.endpoint)
            keys = [key["AttributeName"] for key in client.describe_table(TableName=table)["Table"]["KeySchema"]]
            client.put_item(TableName=table, Item=item)
            # Another one, half an hour older, shows when the server has looked.
            other, over = {key: {"S": "other"} for key in keys}, int(item[ttl]["N"])
            client.put_item(TableName=table, Item={**item, **other, ttl: {"N": str(over - 1800)}})
            clock(server.port, Now=over + delay_s - 900)
            wait_until(lambda: client.scan(TableName=table)["Count"] == 1)
            self.assertEqual(client.get_item(TableName=table, Key={key: item[key] for key in keys})["Item"], item)

    def everything(self):
        """All items of all tables, to see that nothing was written."""
        scan = self.client.get_paginator("scan")
        return {name: [item for page in scan.paginate(TableName=name) for item in page["Items"]]
                for name in self.client.list_tables()["TableNames"]}

    def shapes(self, *members):
        """What every table is like: keys, indexes, TTL, billing, tags, backups and encryption; or some of it."""
        shapes = {}
        for name in self.client.list_tables()["TableNames"]:
            table = self.client.describe_table(TableName=name)["Table"]
            backups = self.client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
            shapes[name] = {
                "attributes": {item["AttributeName"]: item["AttributeType"] for item in table["AttributeDefinitions"]},
                "keys": table["KeySchema"],
                "indexes": [(index["IndexName"], index["KeySchema"], index["Projection"])
                            for index in table.get("GlobalSecondaryIndexes", [])],
                "ttl": self.client.describe_time_to_live(TableName=name)["TimeToLiveDescription"],
                "billing": table["BillingModeSummary"]["BillingMode"],
                "tags": sorted(map(str, self.client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"])),
                "backups": backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"],
                "encryption": table.get("SSEDescription", {}).get("SSEType"),
            }
        return {name: {member: shape[member] for member in members or shape} for name, shape in shapes.items()}

    def aws(self, arguments):
        """Runs the AWS CLI; gives its output."""
        status, out, err = shell.run(f"aws dynamodb --endpoint-url {self.server.endpoint} {arguments}")
        self.assertEqual((status, err), (0, ""), arguments)
        return out


def normal(text):
    """Times and latencies are different in every run."""
    return LATENCY.sub(r"\1 N", TIME.sub("TIME", text))
