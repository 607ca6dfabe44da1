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
import urllib.request

__all__ = ["Server", "ServerError", "binary", "start"]

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

    def __init__(self, process, endpoint, log, tables):
        self._process = process
        self._log = log
        self._tables = tables
        self.endpoint = endpoint
        self.region = "us-east-1"
        self.port = int(endpoint.rpartition(":")[2])
        #: Arguments of boto3.client and boto3.resource.
        self.boto3 = {"endpoint_url": endpoint, "region_name": self.region, "aws_access_key_id": "local", "aws_secret_access_key": "local"}
        #: What boto3 and the AWS CLI read by themselves.
        self.environment = {"AWS_ENDPOINT_URL": endpoint, "AWS_ENDPOINT_URL_DYNAMODB": endpoint, "AWS_DEFAULT_REGION": self.region,
                            "AWS_REGION": self.region, "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def call(self, operation, **members):
        """A request without a client: call("ListTables")."""
        scope = f"local/20260101/{self.region}/dynamodb/aws4_request"
        request = urllib.request.Request(self.endpoint, json.dumps(members).encode(), {
            "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"DynamoDB_20120810.{operation}",
            "X-Amz-Date": "20260101T000000Z",
            "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0"})
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

    def reset(self):
        """As it was when it had started: its tables are there and empty, and no others."""
        for name in self._table_names():
            try:
                self.call("UpdateTable", TableName=name, DeletionProtectionEnabled=False)
            except ServerError:
                pass
            self.call("DeleteTable", TableName=name)
        self._until(lambda: not self._table_names())
        self.create_tables(self._tables)

    def stop(self):
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
    command = [binary(), "serve", "--port", str(port), *(["--data", str(data)] if data else ["--memory"]), *args]
    log = tempfile.TemporaryFile("w+")
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
    ready = READY.search(process.stdout.readline())
    if ready is None:
        process.kill()
        process.wait()
        log.seek(0)
        raise RuntimeError(f"gramme did not start: {log.read().strip()}")
    server = Server(process, ready.group(1), log, list(tables))
    try:
        server.create_tables(tables)
    except BaseException:
        server.stop()
        raise
    return server
