"""gramme serve --auth: who is answered and who is not, in the service's words and order; users, roles and
keys by the command line, on a running server and on a directory at rest."""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import unittest.mock

import signing
from server import ROOT, Server, binary
from wire import ACCOUNT, HEADERS, REGION, WireTest, boto3_client, http_request, target

LONG = ("The request signature we calculated does not match the signature you provided. Check your AWS Secret Access "
        "Key and signing method. Consult the service documentation for details.")
INVALID = "UnrecognizedClientException: The security token included in the request is invalid."
ALLOW_ALL = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
READ_ONLY = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": ["dynamodb:GetItem", "dynamodb:ListTables"], "Resource": "*"}]}


def gramme(*arguments, status=0):
    """Runs a command; returns what it printed."""
    done = subprocess.run([binary(), *map(str, arguments)], text=True, capture_output=True, timeout=60)
    assert done.returncode == status, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout if status == 0 else done.stderr


def key_of(text):
    """Id and secret of a printed credentials section."""
    return re.search(r"^aws_access_key_id = (\S+)$", text, re.M)[1], re.search(r"^aws_secret_access_key = (\S+)$", text, re.M)[1]


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


class Keys(unittest.TestCase):
    """The command line, on a server that runs and on a directory at rest."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.root = pathlib.Path(self.directory.name)
        self.data = self.root / "data"

    def policy(self, document, name="policy.json"):
        path = self.root / name
        path.write_text(json.dumps(document))
        return path

    def serve(self, *arguments):
        return Server("--data", self.data, "--auth", *arguments)

    def tables(self, endpoint, key):
        client = boto3_client(endpoint, key[0], secret=key[1])
        try:
            return client.list_tables()["TableNames"]
        except client.exceptions.ClientError as error:
            return f"{error.response['Error']['Code']}: {error.response['Error']['Message']}"
        finally:
            client.close()

    def test_the_first_start_makes_a_key_and_the_second_does_not(self):
        with self.serve() as server:
            self.assertIn("[gramme]\n", server.output)
            key = key_of(server.output)
            self.assertEqual(self.tables(server.endpoint, key), [])
            self.assertNotIn(key[1], server.error_text())
        with self.serve() as server:
            self.assertNotIn("aws_secret_access_key", server.output)
            self.assertEqual(self.tables(server.endpoint, key), [])
        self.assertEqual((self.data / "SECRETS").stat().st_mode & 0o777, 0o600)

    def test_no_secret_lies_about(self):
        with self.serve() as server:
            key = key_of(server.output)
            self.assertTrue(self.tables(server.endpoint, (key[0], "wrong")).startswith("InvalidSignatureException: "))
            dump = self.root / "dump"
            gramme("backup", self.data, dump)
            log = server.error_text()
        files = [path for path in self.root.rglob("*") if path.is_file()]
        self.assertGreater(len(files), 5)
        for path in files:
            self.assertNotIn(key[1].encode(), path.read_bytes(), path)
        self.assertNotIn(key[1], log)

    def test_a_user_with_a_key_while_the_server_runs(self):
        with self.serve() as server:
            gramme("user", "create", self.data, "alice", "--policy", f"read={self.policy(READ_ONLY)}")
            key = key_of(gramme("key", "create", self.data, "--user", "alice"))
            self.assertEqual(self.tables(server.endpoint, key), [])
            client = boto3_client(server.endpoint, key[0], secret=key[1])
            with self.assertRaises(client.exceptions.ClientError) as caught:
                client.delete_table(TableName="abc")
            client.close()
            self.assertEqual(caught.exception.response["Error"]["Message"],
                             f"User: arn:aws:iam::{ACCOUNT}:user/alice is not authorized to perform: dynamodb:DeleteTable on "
                             f"resource: arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/abc because no identity-based policy allows "
                             "the dynamodb:DeleteTable action")
            gramme("key", "disable", self.data, key[0])
            self.assertEqual(self.tables(server.endpoint, key), INVALID)
            gramme("key", "enable", self.data, key[0])
            self.assertEqual(self.tables(server.endpoint, key), [])
            second = key_of(gramme("key", "rotate", self.data, key[0]))
            self.assertEqual([self.tables(server.endpoint, each) for each in (key, second)], [[], []])
            gramme("key", "delete", self.data, key[0])
            self.assertEqual([self.tables(server.endpoint, each) for each in (key, second)], [INVALID, []])
            gramme("user", "delete", self.data, "alice")
            self.assertEqual(self.tables(server.endpoint, second), INVALID)

    def test_at_rest_and_after_a_crash(self):
        with self.serve() as server:
            root = key_of(server.output)
        gramme("user", "create", self.data, "bob", "--policy", f"all={self.policy(ALLOW_ALL)}")
        key = key_of(gramme("key", "create", self.data, "--user", "bob"))
        self.assertRegex(gramme("key", "list", self.data), rf"(?m)^{key[0]} +bob +active +\d")
        server = self.serve().start()
        self.assertEqual(self.tables(server.endpoint, key), [])
        gramme("key", "disable", self.data, key[0])
        server.kill()
        with self.serve() as server:
            self.assertEqual(self.tables(server.endpoint, key), INVALID)
            self.assertEqual(self.tables(server.endpoint, root), [])

    def test_a_key_is_brought(self):
        path = signing.write_key(self.root / "key")
        with self.serve("--root-key", path) as server:
            self.assertNotIn("aws_secret_access_key", server.output)
            self.assertEqual(self.tables(server.endpoint, (signing.KEY_ID, signing.SECRET)), [])
            gramme("user", "create", self.data, "carol", "--policy", f"all={self.policy(ALLOW_ALL)}")
            brought = signing.write_key(self.root / "other", "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI")
            gramme("key", "import", self.data, brought, "--user", "carol")
            self.assertEqual(self.tables(server.endpoint, ("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI")), [])

    def test_a_key_that_is_not_there(self):
        self.assertEqual(gramme("serve", "--memory", "--port", "0", "--auth", "--root-key", self.root / "nowhere", status=1),
                         f"gramme: {self.root}/nowhere: cannot be read: No such file or directory\n")

    def test_what_commands_say_when_they_cannot(self):
        with Server("--data", self.data):
            self.assertEqual(gramme("key", "create", self.data, status=1),
                             "gramme: the server says: it does not verify signatures: start it with --auth, or stop it first\n")
        self.assertEqual(gramme("user", "show", self.data, "nobody", status=1), "gramme: there is no user 'nobody'\n")
        self.assertEqual(gramme("user", "create", self.data, "dan", "--policy", f"x={self.policy({'Statement': 1})}", status=1),
                         "gramme: policy x: Statement: must be an object or a list of objects\n")
        self.assertIn("see gramme key create --help", gramme("key", "create", status=2))

    def test_an_open_address_wants_a_decision(self):
        done = subprocess.run([binary(), "serve", "--memory", "--port", "0", "--host", "0.0.0.0"], text=True, capture_output=True,
                              timeout=30)
        self.assertEqual((done.returncode, done.stderr), (
            2, "gramme serve: whoever reaches 0.0.0.0 could read and write everything: verify signatures with --auth, or say "
               "--no-auth; see gramme serve --help\n"))
        with Server("--memory", "--host", "0.0.0.0", "--no-auth") as server:
            self.assertIn("signatures are not verified", server.output)

    def test_a_variable_closes_the_container(self):
        """Its image opens the server by a file, over which variables win."""
        text = (ROOT / "packaging/container/Containerfile").read_text()
        [lines] = re.findall(r"printf '([^']*)' >/etc/gramme/container.conf", text)
        self.assertIn("GRAMME_CONFIG=/etc/gramme/container.conf", text)
        config = self.root / "container.conf"
        config.write_text(lines.replace("\\n", "\n"))
        for variables, said in (({}, "signatures are not verified"), ({"GRAMME_AUTH": "yes"}, "by signature: who has no key is refused")):
            with unittest.mock.patch.dict(os.environ, {"GRAMME_CONFIG": str(config), **variables}), Server("--memory") as server:
                self.assertIn("listening on http://0.0.0.0:", server.output)
                self.assertIn(said, server.output)
        with unittest.mock.patch.dict(os.environ, GRAMME_CONFIG=str(config), GRAMME_NO_AUTH="no"):
            self.assertIn("whoever reaches 0.0.0.0 could read and write everything", gramme("serve", "--memory", status=2))
        with unittest.mock.patch.dict(os.environ, GRAMME_AUTH="yes", GRAMME_NO_AUTH="yes"):
            self.assertIn("--no-auth and --auth do not go together", gramme("serve", "--memory", status=2))

    def test_keys_go_with_a_directory_that_is_encrypted_and_back(self):
        master = self.root / "master"
        master.touch(mode=0o600)
        master.write_text("ab" * 32)
        with self.serve() as server:
            key = key_of(server.output)
        plain = (self.data / "SECRETS").read_text()
        gramme("rekey", self.data, "--new-key", master)
        with self.serve("--encrypt-with", master) as server:
            self.assertEqual(self.tables(server.endpoint, key), [])
            self.assertIn("sealed", (self.data / "SECRETS").read_text())
        gramme("key", "list", self.data, "--encrypt-with", master)
        gramme("rekey", self.data, "--encrypt-with", master, "--plain")
        self.assertEqual((self.data / "SECRETS").read_text(), plain)
        with self.serve() as server:
            self.assertEqual(self.tables(server.endpoint, key), [])

    def test_a_moved_directory_without_its_secrets_is_told(self):
        with self.serve() as server:
            key = key_of(server.output)
        (self.data / "SECRETS").unlink()
        with self.serve() as server:
            self.assertEqual(self.tables(server.endpoint, key), INVALID)
            self.assertRegex(gramme("key", "list", self.data), rf"(?m)^{key[0]} +root +sealed elsewhere")
            # Nobody could sign any more: there is a new key.
            self.assertEqual(self.tables(server.endpoint, key_of(server.output)), [])
        (self.data / "SECRETS").write_text("rubbish")
        self.assertIn("SECRETS is damaged", subprocess.run(
            [binary(), "serve", "--data", self.data, "--auth", "--port", "0"], text=True, capture_output=True, timeout=30).stderr)


if __name__ == "__main__":
    unittest.main()
