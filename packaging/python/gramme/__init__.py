"""A DynamoDB-compatible server for a program or a test.

    import boto3, gramme

    with gramme.start(tables=[...]) as server:
        dynamodb = boto3.resource("dynamodb", **server.boto3)

`start` gives a server that answers. Without `data` everything is in memory, and gone when it stops."""

import copy
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

__all__ = ["Server", "ServerError", "binary", "start"]

#: Under these names a server keeps the tables that it was asked to prepare.
PREPARED = "prepared-"

READY = re.compile(r"listening on (https?://\S+)\n")

#: What a server answers for, as the SDKs' variables name it. AWS_ENDPOINT_URL would bring all other services here, too, in vain.
SERVICES = ("DYNAMODB", "DYNAMODB_STREAMS", "CLOUDWATCH", "APPLICATION_AUTO_SCALING", "STS", "IAM")

#: What the paths below /_gramme/ take.
OPTIONS = {"clock": "--test-clock", "faults": "--test-faults", "reset": "--test-reset", "snapshots": "--test-reset"}

#: A server is on this machine, whatever proxy there is for others.
_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open

#: A server ends when its standard input does, and so with the process that has the other end here, whatever ends that. Until then it
#: is kept, even if nobody else does.
_running = set()

#: Held while a server's process is made, and by whoever forks: no fork comes between the pipe and its entry above.
_making = threading.RLock()


def _let_go():
    """A child of a fork may live longer: it holds no server."""
    for process in _running:
        process.stdin.close()
    _making.release()


os.register_at_fork(before=_making.acquire, after_in_parent=_making.release, after_in_child=_let_go)


class ServerError(Exception):
    """The server's answer to a request that it refused; `code` is as in "ResourceNotFoundException"."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


def binary():
    """The path of the program: $GRAMME_BINARY, or the one of this package."""
    return os.environ.get("GRAMME_BINARY") or str(pathlib.Path(__file__).parent / "bin" / "gramme")


class Server:
    """One that runs, and ends with the `with` block, by stop(), or with the process that started it."""

    def __init__(self, process, endpoint, log, tables, *, resets, apart, keeps=False, key="local", parent=None):
        self._process = process
        self._log = log
        self._tables = tables
        self._resets = resets
        self._key = key
        self._fork = parent is not None
        # Sets of tables, each with its snapshot, which a server and its forks share.
        self._prepared = parent._prepared if parent else []
        # Whose tables it is about, where each access key has its own.
        self._whose = {"AccessKeyId": key, "Region": "us-east-1"} if apart else {}
        #: Whether what it has is on a disk or in a database, and stays when it ends.
        self.keeps_data = keeps
        self.endpoint = endpoint
        self.region = "us-east-1"
        self.port = int(endpoint.rpartition(":")[2])
        #: Arguments of boto3.client and boto3.resource.
        self.boto3 = {"endpoint_url": endpoint, "region_name": self.region, "aws_access_key_id": key, "aws_secret_access_key": "local"}
        #: What boto3 and the AWS CLI read by themselves.
        self.environment = {**{f"AWS_ENDPOINT_URL_{name}": endpoint for name in SERVICES}, "AWS_DEFAULT_REGION": self.region,
                            "AWS_REGION": self.region, "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": "local"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _signed(self):
        scope = f"{self._key}/20260101/{self.region}/dynamodb/aws4_request"
        return {"X-Amz-Date": "20260101T000000Z", "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0"}

    def call(self, operation, **members):
        """A request without a client: call("ListTables")."""
        request = urllib.request.Request(self.endpoint, json.dumps(members).encode(), {
            "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            **self._signed()})
        try:
            with _open(request, timeout=60) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            answer = json.load(error)
            raise ServerError(answer.get("__type", "").rpartition("#")[2], answer.get("message") or answer.get("Message")) from None

    def create_tables(self, tables):
        """Makes tables by inputs of CreateTable, and waits until they are active."""
        for table in tables:
            billing = {} if "ProvisionedThroughput" in table else {"BillingMode": "PAY_PER_REQUEST"}
            self.call("CreateTable", **{**billing, **table})
        for table in tables:
            self._until(lambda name=table["TableName"]: self.call("DescribeTable", TableName=name)["Table"]["TableStatus"] == "ACTIVE")

    def own(self, method, path, body=None):
        """What gramme has besides the API: own("POST", "clock", {"Advance": 3600}). See docs/TESTING.md."""
        data = None if method in ("GET", "DELETE") else b"" if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.endpoint}/_gramme/{path}", data, {"Content-Type": "application/json", **self._signed()}, method=method)
        try:
            with _open(request, timeout=60) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                option = OPTIONS.get(path.split("/")[0], "the option for it")
                raise ServerError("NotFound", f"{method} /_gramme/{path}: the server was started without {option}") from None
            raise ServerError("Refused", json.load(error).get("message")) from None

    def snapshot(self, name):
        """Keeps all that there is now, for restore(); in memory only, as the next three."""
        self.own("POST", "snapshots", {"Name": name, **self._whose})

    def restore(self, name):
        self.own("POST", f"snapshots/{urllib.parse.quote(name, safe='')}/restore", self._whose)

    def fork(self, key, snapshot=None):
        """Another set of tables in the same server, under an access key of its own, that begins with a snapshot, or with the tables
        that the server was started with; with the option --name-spaces. Its stop() leaves it empty."""
        if not self._whose or not self._resets:
            raise RuntimeError('fork() takes a server in memory that was started with args=["--name-spaces"]')
        other = Server(self._process, self.endpoint, self._log, self._tables, resets=True, apart=True, key=key, parent=self)
        if snapshot is None:
            other.reset()
        else:
            other.restore(snapshot)
        return other

    def snapshots(self):
        names = [entry["Name"] for entry in self.own("GET", "snapshots")["Snapshots"]]
        return [name for name in names if not name.startswith(PREPARED)]

    def delete_snapshot(self, name):
        self.own("DELETE", f"snapshots/{urllib.parse.quote(name, safe='')}")

    def clock(self, **move):
        """The time, read or moved: clock(Advance=3600); with the option --test-clock."""
        return self.own("POST", "clock", move) if move else self.own("GET", "clock")

    def faults(self, *wanted):
        """Failures to come: faults({"Operation": "PutItem", "Error": "ThrottlingException"}); with --test-faults."""
        return self.own("POST", "faults", list(wanted))

    def prepare(self, tables):
        """These tables are there, empty, and nothing else. What was prepared once is there again in a millisecond or two."""
        tables = copy.deepcopy(list(tables))  # which are compared with those of later calls
        if self._resets:
            for prepared, name in self._prepared:
                if prepared == tables:
                    self.restore(name)
                    return
            self.own("POST", "reset", self._whose)
        else:
            self._empty()
        self.create_tables(tables)
        if self._resets and len(self._prepared) < 50:
            name = f"{PREPARED}{uuid.uuid4()}"
            self.snapshot(name)
            self._prepared.append((tables, name))

    def reset(self):
        """As it was when it had started: its tables are there and empty, and no others."""
        self.prepare(self._tables)

    def _empty(self):
        """Where data is kept, there is no other way."""
        for name in self._table_names():
            try:
                self.call("UpdateTable", TableName=name, DeletionProtectionEnabled=False)
            except ServerError:
                pass
            self.call("DeleteTable", TableName=name)
        self._until(lambda: not self._table_names())

    def stop(self):
        if self._fork:
            self.own("POST", "reset", self._whose)
            return
        if self._process.poll() is None:
            self._process.terminate()
        _end(self._process, self._log)

    def _table_names(self):
        names, page = [], {"LastEvaluatedTableName": None}
        while "LastEvaluatedTableName" in page:
            last = page["LastEvaluatedTableName"]
            page = self.call("ListTables", **({"ExclusiveStartTableName": last} if last else {}))
            names += page["TableNames"]
        return names

    @staticmethod
    def _until(condition):
        while not condition():
            time.sleep(0.002)


def _make(command, log):
    with _making:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log)
        _running.add(process)
    return process


def _end(process, log):
    process.wait()
    with _making:  # a fork meanwhile would copy the lock that closing takes
        process.stdin.close()
        _running.discard(process)
    log.close()


def _await_address(process, log, timeout):
    """Where it answers, once it says so."""
    deadline = time.monotonic() + timeout
    while True:
        late, ended = time.monotonic() > deadline, process.poll() is not None
        said = os.pread(log.fileno(), 1 << 20, 0).decode(errors="replace")  # which leaves its place in the file alone
        ready = READY.search(said)
        if ready and not ended:
            return ready.group(1)
        if ended:
            raise RuntimeError(f"gramme ended with {process.returncode}: {said.strip()}")
        if late:
            raise RuntimeError(f"gramme did not answer within {timeout} s: {said.strip()}")
        time.sleep(0.001)


def _keeps_data(data, args):
    words = [part for word in args for part in word.split("=", 1)]
    return bool(data) or "--data" in words or any(option == "--store" and place != "memory:" for option, place in zip(words, words[1:]))


def start(*, port=0, data=None, tables=(), args=(), timeout=60):
    """A server that answers: at a free port, unless one is named; with `tables`, inputs of CreateTable, in it; and with more options
    of `gramme serve` in `args`. A RuntimeError says why it did not, or that it took more than `timeout` seconds."""
    tables = copy.deepcopy(list(tables))  # reset() wants them as they are now
    named = {word.partition("=")[0] for word in args}
    # One that keeps data, or wants to know who asks, cannot be reset at once.
    resets = not data and not named & {"--auth", "--data", "--store"}
    place = ["--data", str(data)] if data else [] if named & {"--data", "--store", "--memory"} else ["--memory"]
    command = [binary(), "serve", "--stop-with-stdin", "--port", str(port), *place, *(["--test-reset"] if resets else []), *args]
    log = tempfile.TemporaryFile()
    process = _make(command, log)
    try:
        endpoint = _await_address(process, log, timeout)
    except BaseException:
        process.kill()
        _end(process, log)
        raise
    server = Server(process, endpoint, log, tables, resets=resets, apart="--name-spaces" in args, keeps=_keeps_data(data, args))
    try:
        if resets:
            server.reset()
        elif tables:  # which may be there from the last time
            there = server._table_names()
            server.create_tables([table for table in tables if table["TableName"] not in there])
    except BaseException:
        server.stop()
        raise
    return server
