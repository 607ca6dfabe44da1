"""The release build, as the tests of this folder see it: what it has resident, and how long each of its threads works.

A sanitizer changes both, so these tests want the build that people run: in build/, or where GRAMME_RELEASE says.
"""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("GRAMME_RELEASE", ROOT / "build")) / "gramme"
LISTENING = re.compile(r"listening on https?://[^\s]*:(\d+)")
HEADERS = {
    "Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, "
                     "SignedHeaders=host;x-amz-date, Signature=0",
    "X-Amz-Date": "20260101T000000Z",
    "Content-Type": "application/x-amz-json-1.0",
}
MB = 1 << 20


class Server:
    """One server in memory, in a `with` block that fails when it ends badly."""

    def __init__(self, *arguments, before=()):
        command = [*before, str(PROGRAM), "serve", "--memory", "--port", "0", *map(str, arguments)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.port = int(LISTENING.search(self.process.stdout.readline()).group(1))
        self.proc = pathlib.Path("/proc", str(self.process.pid))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=300)
        if kind is None and self.process.returncode != 0:
            raise AssertionError(f"the server ended with {self.process.returncode}")

    def resident(self, peak=False):
        """Bytes."""
        text = (self.proc / "status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)" if peak else r"VmRSS:\s+(\d+)", text).group(1)) * 1024

    def forget_peak(self):
        (self.proc / "clear_refs").write_text("5")

    def thread_times(self):
        """Seconds that each thread was on a processor."""
        return {task.name: int((task / "schedstat").read_text().split()[0]) / 1e9
                for task in (self.proc / "task").iterdir()}

    def io_thread(self):
        """Of a server with --threads 1: the one that answers what never leaves it."""
        before = self.thread_times()
        for _ in range(300):
            self.call("ListTables", "{}")
        after = self.thread_times()
        return max(after, key=lambda task: after[task] - before.get(task, 0))

    def connect(self, timeout_s=300):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)

    def call(self, operation, body, connection=None):
        """The status and the body of the reply."""
        connection = connection or self.connect()
        body = body if isinstance(body, (str, bytes)) else json.dumps(body)
        connection.request("POST", "/", body, {**HEADERS, "X-Amz-Target": f"DynamoDB_20120810.{operation}"})
        response = connection.getresponse()
        return response.status, response.read()

    def make_table(self, name="ttt", **more):
        status, reply = self.call("CreateTable", {
            "TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"},
                                     {"AttributeName": "sk", "AttributeType": "S"}], **more})
        assert status == 200, reply
