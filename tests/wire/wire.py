"""What the black-box tests share: a server per test class, a boto3 client, and plain HTTP.

boto3 checks parameters before it sends them and hides what the service really answered, so tests of
bad input use `call`, which posts any JSON there is and gives back the exact reply.
"""

import http.client
import json
import socket
import unittest
import zlib

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

import signing
import tls
from server import Server
from waiting import WAIT_S

REGION = "us-east-1"
STREAM_OPERATIONS = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}
ACCOUNT = "000000000000"
AUTHORIZATION = ("AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, "
                 "SignedHeaders=host;x-amz-date, Signature=0")
HEADERS = {
    "Authorization": AUTHORIZATION,
    "X-Amz-Date": "20260101T000000Z",
    "Content-Type": "application/x-amz-json-1.0",
}


# What clients sign with: where nothing is verified, anything will do.
KEY = (signing.KEY_ID, signing.SECRET) if signing.VERIFIED else ("test", "test")
JSON = {"Content-Type": "application/json"}
WAITER = {"Delay": 0.02, "MaxAttempts": round(WAIT_S / 0.02)}  # of boto3, as patient as wait_until()


def boto3_client(endpoint, access_key_id=signing.KEY[0], service="dynamodb", secret=signing.KEY[1], token=None):
    # No retries: an error is the answer under test, and a dropped connection is a failure.
    return boto3.client(service, endpoint_url=endpoint, region_name=REGION, aws_access_key_id=access_key_id,
                        aws_secret_access_key=secret, aws_session_token=token,
                        config=Config(retries={"max_attempts": 0}, read_timeout=60, max_pool_connections=50))


class Refusals(unittest.TestCase):
    def refused(self, error, function, **parameters):
        """The status of an answer that is exactly this error."""
        with self.assertRaises(ClientError) as caught:
            function(**parameters)
        answer = caught.exception.response
        self.assertEqual(f"{answer['Error']['Code']}: {answer['Error']['Message']}", error)
        return answer["ResponseMetadata"]["HTTPStatusCode"]


class Reply:
    """An HTTP reply: status, headers (names in lower case), body bytes, and the body as JSON."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = {name.lower(): value for name, value in headers}
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        """`Name: text` of an error reply."""
        body = self.json
        name = body["__type"].split("#")[1]
        text = body.get("message", body.get("Message"))
        return name if text is None else f"{name}: {text}"


def http_connection(port, timeout_s=60):
    if tls.ENCRYPTED:
        return http.client.HTTPSConnection("127.0.0.1", port, timeout=timeout_s, context=tls.shared_context())
    return http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)


def http_request(port, method, path, headers, body=b"", timeout_s=60):
    connection = http_connection(port, timeout_s)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return Reply(response.status, response.getheaders(), response.read())
    finally:
        connection.close()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def accepts(port):
    """Whether anybody listens there."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


class HalfRequest:
    """A GET whose head the server has begun to read: it comes in one piece with the end of a request that was answered."""

    def __init__(self, port, path, encrypted=tls.ENCRYPTED):
        kind = http.client.HTTPSConnection if encrypted else http.client.HTTPConnection
        more = {"context": tls.shared_context()} if encrypted else {}
        self.connection = kind("127.0.0.1", port, timeout=60, **more)
        self.connection.connect()
        head = "GET {} HTTP/1.1\r\nHost: localhost\r\n"
        self.connection.sock.sendall((head.format("/health") + "\r\n" + head.format(path)).encode())
        self.read()

    def read(self):
        response = http.client.HTTPResponse(self.connection.sock)
        response.begin()
        return response.read()

    def finish(self):
        """Sends the rest; the body of the answer."""
        try:
            self.connection.sock.sendall(b"\r\n")
            return self.read()
        finally:
            self.connection.close()


def target(operation):
    return f"DynamoDB{'Streams' if operation in STREAM_OPERATIONS else ''}_20120810.{operation}"


def call(port, operation, body, headers=None):
    """Posts one request; the body is bytes or anything JSON can say."""
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    headers = {**HEADERS, "X-Amz-Target": target(operation), **(headers or {})}
    if signing.VERIFIED:
        headers = signing.sign(headers, body, f"127.0.0.1:{port}")
    return http_request(port, "POST", "/", headers, body)


class Connection:
    """One keep-alive connection; an answer is the reply's JSON, with the error's name as `error`. Its id is `request_id`."""

    def __init__(self, port):
        self.host = f"127.0.0.1:{port}"
        self.connection = http_connection(port)

    def call(self, operation, **body):
        body, headers = json.dumps(body).encode(), {**HEADERS, "X-Amz-Target": target(operation)}
        if signing.VERIFIED:
            headers = signing.sign(headers, body, self.host)
        self.connection.request("POST", "/", body, headers)
        response = self.connection.getresponse()
        answer = json.loads(response.read())
        self.request_id = response.getheader("x-amzn-RequestId")
        if response.status != 200:
            answer["error"] = answer["__type"].split("#")[1]
        return answer

    def close(self):
        self.connection.close()


def clock(port, **move):
    """Reads the time of a server with --test-clock, or moves it: Now, Advance, Running."""
    method, headers, body = ("POST", JSON, json.dumps(move).encode()) if move else ("GET", {}, b"")
    if signing.VERIFIED:
        headers = signing.sign(headers, body, f"127.0.0.1:{port}", method=method, path="/_gramme/clock")
    return http_request(port, method, "/_gramme/clock", headers, body)


def advance(port, seconds):
    """Moves time forward; returns what time it is then, in seconds."""
    reply = clock(port, Advance=seconds)
    assert reply.status == 200, reply.body
    return reply.json["Now"]


def drop_tables(port):
    """Leaves a server without tables, protected ones included."""
    while True:
        names = call(port, "ListTables", {}).json["TableNames"]
        if not names:
            return
        for name in names:
            if call(port, "DeleteTable", {"TableName": name}).status != 200:
                call(port, "UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False})


def check_envelope(reply):
    """What every API reply carries; returns what is wrong with it, or None."""
    request_id = reply.headers.get("x-amzn-requestid", "")
    if len(request_id) != 52 or not set(request_id) <= set("0123456789ABCDEFGHIJKLMNOPQRSTUV"):
        return f"x-amzn-RequestId is {request_id!r}"
    if reply.headers.get("x-amz-crc32") != str(zlib.crc32(reply.body)):
        return f"x-amz-crc32 is {reply.headers.get('x-amz-crc32')}, the body's is {zlib.crc32(reply.body)}"
    return None


class WireTest(unittest.TestCase):
    """A test class with a server of its own, in memory unless `server_arguments` says otherwise."""

    server_arguments = ["--memory"]
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.server_arguments).start()
        cls.client = boto3_client(cls.server.endpoint)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.server.stop()

    def setUp(self):
        # Tests of a class share its server and start without tables.
        drop_tables(self.server.port)

    def call(self, operation, body, headers=None):
        reply = call(self.server.port, operation, body, headers)
        self.assertIsNone(check_envelope(reply))
        return reply

    def resource_table(self, name):
        """By boto3's resource interface, which turns Python's types into attribute values and back."""
        session = boto3.Session(aws_access_key_id=signing.KEY[0], aws_secret_access_key=signing.KEY[1], region_name=REGION)
        return session.resource("dynamodb", endpoint_url=self.server.endpoint).Table(name)

    def advance(self, seconds):
        return advance(self.server.port, seconds)

    def create(self, name="table", hash="pk:S", range=None, **options):
        """Creates a table and waits for it; a key is written name:type."""
        keys = [hash.split(":")] + ([range.split(":")] if range else [])
        options.setdefault("BillingMode", "PAY_PER_REQUEST")
        self.client.create_table(
            TableName=name,
            AttributeDefinitions=[{"AttributeName": key, "AttributeType": kind} for key, kind in keys],
            KeySchema=[{"AttributeName": key[0], "KeyType": kind} for key, kind in zip(keys, ["HASH", "RANGE"])],
            **options)
        self.client.get_waiter("table_exists").wait(TableName=name, WaiterConfig=WAITER)
        return name

    def assert_refused(self, error, function, **parameters):
        """The call fails with exactly `Name: text`."""
        with self.assertRaises(ClientError) as caught:
            function(**parameters)
        answer = caught.exception.response["Error"]
        self.assertEqual(f"{answer['Code']}: {answer['Message']}", error)
        return caught.exception.response

    def assert_error(self, operation, body, error, status=400):
        """The raw request fails with exactly `Name: text`."""
        reply = self.call(operation, body)
        self.assertEqual((reply.status, reply.error), (status, error))
        return reply


def only(reply):
    """A boto3 answer without its transport metadata."""
    return {name: value for name, value in reply.items() if name != "ResponseMetadata"}
