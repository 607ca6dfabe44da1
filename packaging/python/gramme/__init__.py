"""A DynamoDB-compatible server for a program or a test.

    import boto3, gramme

    with gramme.start(tables=[...]) as server:
        dynamodb = boto3.resource("dynamodb", **server.boto3)

`start` gives a server that answers. Without `data` everything is in memory, and gone when it stops."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

__all__ = ["Server", "ServerError", "binary", "start"]

#: Under these names a server keeps the tables that it was asked to prepare.
PREPARED = "prepared-"

READY = re.compile(r"listening on (https?://\S+)")


class ServerError(Exception):
    """The server's answer to a request that it refused; `code` is as in "ResourceNotFoundException"."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


def binary():
    """The path of the program: $GRAMME_BINARY, or the one of this package."""
    return os.environ.get("GRAMME_BINARY") or str(pathlib.Path(__file__).parent / "bin" / "gramme")


class Server:
    """One that runs, and ends with the `with` block or by stop()."""

    def __init__(self, process, endpoint, log, tables, *, resets, apart, key="local", fork=False):
        self._process = process
        self._log = log
        self._tables = tables
        self._resets = resets
        self._key = key
        self._fork = fork
        self._prepared = []
        # Whose tables it is about, where each access key has its own.
        self._whose = {"AccessKeyId": key, "Region": "us-east-1"} if apart else {}
        self.endpoint = endpoint
        self.region = "us-east-1"
        self.port = int(endpoint.rpartition(":")[2])
        #: Arguments of boto3.client and boto3.resource.
        self.boto3 = {"endpoint_url": endpoint, "region_name": self.region, "aws_access_key_id": key, "aws_secret_access_key": "local"}
        #: What boto3 and the AWS CLI read by themselves.
        self.environment = {"AWS_ENDPOINT_URL": endpoint, "AWS_ENDPOINT_URL_DYNAMODB": endpoint, "AWS_DEFAULT_REGION": self.region,
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
            with urllib.request.urlopen(request, timeout=60) as reply:
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
            with urllib.request.urlopen(request, timeout=60) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                raise ServerError("NotFound", f"{method} /_gramme/{path}: the server was started without the option for it") from None
            raise ServerError("Refused", json.load(error).get("message")) from None

    def snapshot(self, name):
        """Keeps all that there is now, for restore(); in memory only, as the next three."""
        self.own("POST", "snapshots", {"Name": name, **self._whose})

    def restore(self, name):
        self.own("POST", f"snapshots/{urllib.parse.quote(name, safe='')}/restore", self._whose)

    def fork(self, key, snapshot=None):
        """Another set of tables in the same server, under an access key of its own, that begins with a snapshot, or empty; with the
        option --name-spaces. Its stop() leaves it empty."""
        other = Server(self._process, self.endpoint, self._log, self._tables, resets=self._resets, apart=bool(self._whose), key=key, fork=True)
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
        tables = list(tables)
        if self._resets and tables in self._prepared:
            self.restore(self._prepared_name(self._prepared.index(tables)))
            return
        if self._resets:
            self.own("POST", "reset", self._whose)
        else:
            self._empty()
        self.create_tables(tables)
        if self._resets and len(self._prepared) < 50:
            self.snapshot(self._prepared_name(len(self._prepared)))
            self._prepared.append(tables)

    def _prepared_name(self, number):
        return f"{PREPARED}{number}" + (f"-{self._key}" if self._fork else "")

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
        self._process.wait()
        self._process.stdout.close()
        self._log.close()

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


def start(*, port=0, data=None, tables=(), args=()):
    """A server that answers: at a free port, unless one is named; with `tables`, inputs of CreateTable, in it; and with more options
    of `gramme serve` in `args`."""
    # One that keeps data, or wants to know who asks, cannot be reset at once.
    resets = not data and not any(word.partition("=")[0] in ("--auth", "--data", "--store") for word in args)
    command = [binary(), "serve", "--port", str(port), *(["--data", str(data)] if data else ["--memory"]),
               *(["--test-reset"] if resets else []), *args]
    log = tempfile.TemporaryFile("w+")
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
    ready = READY.search(process.stdout.readline())
    if ready is None:
        process.kill()
        process.wait()
        log.seek(0)
        raise RuntimeError(f"gramme did not start: {log.read().strip()}")
    server = Server(process, ready.group(1), log, list(tables), resets=resets, apart="--name-spaces" in args)
    try:
        if resets:
            server.reset()
        else:
            server.create_tables(tables)
    except BaseException:
        server.stop()
        raise
    return server
