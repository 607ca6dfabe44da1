"""gramme serve --auth: who is answered and who is not, in the service's words and order."""

import datetime
import hashlib
import pathlib
import tempfile
import unittest

import signing
from server import Server
from wire import HEADERS, WireTest, boto3_client, http_request, target

LONG = ("The request signature we calculated does not match the signature you provided. Check your AWS Secret Access "
        "Key and signing method. Consult the service documentation for details.")
INVALID = "UnrecognizedClientException: The security token included in the request is invalid."


class Signatures(WireTest):
    """Raw requests, each wrong in one place."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        key = signing.write_key(pathlib.Path(cls.directory.name, "key"))
        cls.server = Server("--memory", "--auth", "--root-key", key).start()
        cls.client = boto3_client(cls.server.endpoint, signing.KEY_ID, secret=signing.SECRET)

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.directory.cleanup()

    def setUp(self):
        self.host = f"127.0.0.1:{self.server.port}"

    def signed(self, body=b"{}", operation="ListTables", **options):
        return signing.sign({**HEADERS, "X-Amz-Target": target(operation)}, body, self.host, **options)

    def send(self, headers, body=b"{}", path="/"):
        reply = http_request(self.server.port, "POST", path, headers, body)
        return "fine" if reply.status == 200 else reply.error

    def assert_mismatch(self, headers, body=b"{}", path="/"):
        error = self.send(headers, body, path)
        self.assertTrue(error.startswith(f"InvalidSignatureException: {LONG}\n\nThe Canonical String"), error)
        return error

    def test_a_signed_request_is_answered(self):
        self.assertEqual(self.client.list_tables()["TableNames"], [])
        self.assertEqual(self.send(self.signed()), "fine")
        self.assertEqual(self.send(self.signed(region="mars-north-1")), "fine")

    def test_streams_are_signed_for_as_the_tables_are(self):
        streams = boto3_client(self.server.endpoint, signing.KEY_ID, "dynamodbstreams", signing.SECRET)
        self.assertEqual(streams.list_streams()["Streams"], [])

    def test_the_words_of_a_mismatch(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        date = now.strftime("%Y%m%dT%H%M%SZ")
        headers = self.signed(secret="another", now=now)
        canonical = (f"POST\n/\n\ncontent-type:application/x-amz-json-1.0\nhost:{self.host}\nx-amz-date:{date}\n"
                     "x-amz-target:DynamoDB_20120810.ListTables\n\ncontent-type;host;x-amz-date;x-amz-target\n"
                     + hashlib.sha256(b"{}").hexdigest())
        text = (f"AWS4-HMAC-SHA256\n{date}\n{date[:8]}/us-east-1/dynamodb/aws4_request\n"
                + hashlib.sha256(canonical.encode()).hexdigest())
        self.assertEqual(self.send(headers), f"InvalidSignatureException: {LONG}\n\nThe Canonical String for this request "
                         f"should have been\n'{canonical}'\n\nThe String-to-Sign should have been\n'{text}'\n")

    def test_one_changed_byte(self):
        self.assert_mismatch(self.signed(), b"{ }")
        for name, change in (("x-amz-target", "DynamoDB_20120810.DescribeLimits"), ("host", "localhost:1"),
                             ("content-type", "application/x-amz-json-1.0;"),
                             ("authorization", None)):
            headers = self.signed()
            text = headers["authorization"]
            headers[name] = change or text[:-1] + ("1" if text[-1] == "0" else "0")
            self.assert_mismatch(headers)
        self.assert_mismatch(self.signed(), path="/?a=b")

    def test_a_secret_is_not_in_the_answer(self):
        self.assertNotIn(signing.SECRET, self.assert_mismatch(self.signed(secret="x")))

    def test_a_shorter_signature_is_a_mismatch(self):
        headers = self.signed()
        headers["authorization"] = headers["authorization"][:-10]
        self.assert_mismatch(headers)

    def at(self, minutes, **options):
        now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
        return self.send(self.signed(now=now, **options))

    def test_times(self):
        self.assertEqual(self.at(-14), "fine")
        self.assertEqual(self.at(14), "fine")
        form = r"InvalidSignatureException: Signature {}: \d{{8}}T\d{{6}}Z is {} \d{{8}}T\d{{6}}Z \(\d{{8}}T\d{{6}}Z {} 15 min\.\)$"
        self.assertRegex(self.at(-16), form.format("expired", "now earlier than", "-"))
        self.assertRegex(self.at(16), form.format("not yet current", "still later than", r"\+"))

    def test_the_order_of_checks(self):
        """Time before scope, scope before key, key before signature; and all of it before the body."""
        self.assertIn("Signature expired", self.at(-16, service="s3", key_id="AKIANOBODY0000000000"))
        self.assertIn("Credential should be scoped to correct service: 'dynamodb'",
                      self.at(0, service="s3", key_id="AKIANOBODY0000000000"))
        self.assertEqual(self.at(0, key_id="AKIANOBODY0000000000", secret="x"), INVALID)
        self.assertEqual(self.send({**HEADERS, "X-Amz-Target": target("ListTables"), "Authorization": "x"}, b"no JSON"),
                         "MissingAuthenticationTokenException: Request is missing Authentication Token")

    def test_the_date_header_is_exact(self):
        reply = http_request(self.server.port, "POST", "/", self.signed(secret="x"), b"{}")
        told = datetime.datetime.strptime(reply.headers["date"], "%a, %d %b %Y %H:%M:%S GMT")
        self.assertLess(abs((datetime.datetime.utcnow() - told).total_seconds()), 2)

    def test_a_token_that_is_none(self):
        no_dot = INVALID[:-1]
        self.assertEqual(self.send(self.signed(token="nonsense")), no_dot)
        self.assertEqual(self.send(self.signed(token="A" * 400)), no_dot)
        self.assertEqual(self.send(self.signed(token="A" * 400, key_id="ASIANOBODY0000000000")), no_dot)

    def test_what_is_hashed_are_the_bytes_that_were_sent(self):
        import gzip
        body = gzip.compress(b"{}")
        headers = signing.sign({**HEADERS, "X-Amz-Target": target("ListTables"), "Content-Encoding": "gzip"}, body, self.host)
        self.assertEqual(self.send(headers, body), "fine")

    def test_health_needs_no_signature(self):
        self.assertEqual(http_request(self.server.port, "GET", "/", {}).status, 200)


if __name__ == "__main__":
    unittest.main()
