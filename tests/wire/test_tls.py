"""TLS: versions, protocols, tickets, certificates that change, clients that need one, clients that are up to no good."""

import http.client
import operator
import os
import pathlib
import random
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

import boto3
import botocore.exceptions
from botocore.config import Config

import aws_cli
import signing
import tls
from server import Server, binary
from waiting import WAIT_S, wait_until
from wire import HEADERS, REGION, target

LIST_TABLES = {**HEADERS, "X-Amz-Target": target("ListTables")}


class TlsTest(unittest.TestCase):
    """A server of its own for each test class, whose certificates are in `directory`."""

    client_certificates = False

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.directory = tls.create(binary(), pathlib.Path(cls.place.name, "certs"))
        arguments = tls.arguments(cls.directory)
        if cls.client_certificates:
            arguments += ["--tls-client-ca", cls.directory / "ca.pem"]
        cls.server = Server("--memory", "--threads", "3", *arguments).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.place.cleanup()

    def context(self, ca=None, minimum=None, maximum=None, certificate=None, alpn=None):
        context = ssl.create_default_context(cafile=ca or self.directory / "ca.pem")
        context.minimum_version = minimum or context.minimum_version
        context.maximum_version = maximum or context.maximum_version
        if certificate:
            context.load_cert_chain(f"{certificate}.pem", f"{certificate}.key")
        if alpn:
            context.set_alpn_protocols(alpn)
        return context

    def connect(self, context=None, session=None):
        connected = socket.create_connection(("127.0.0.1", self.server.port), WAIT_S)
        return (context or self.context()).wrap_socket(connected, server_hostname="127.0.0.1", session=session,
                                                       suppress_ragged_eofs=False)

    def ask(self, connection):
        """One request on an open connection; the status."""
        lines = ["POST / HTTP/1.1", f"Host: 127.0.0.1:{self.server.port}", "Content-Length: 2",
                 *(f"{name}: {value}" for name, value in LIST_TABLES.items()), "", "{}"]
        connection.sendall("\r\n".join(lines).encode())
        response = http.client.HTTPResponse(connection)
        response.begin()
        response.read()
        return response.status

    def assert_well(self):
        with self.connect() as connection:
            self.assertEqual(self.ask(connection), 200)

    def log_has(self, text, cause=None):
        """Of what is logged once a second, and may have been left out: after another `cause`."""
        def is_there():
            if cause and text not in self.server.error_text():
                cause()
            return text in self.server.error_text()

        wait_until(is_there, f"{text!r} in the log")


class Protocols(TlsTest):
    def test_versions(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with self.connect(self.context(minimum=version, maximum=version)) as connection:
                self.assertEqual(self.ask(connection), 200)
                self.assertEqual(connection.version(), version.name.replace("_", "."))
                self.assertIn(connection.cipher()[0], ("ECDHE-ECDSA-AES128-GCM-SHA256", "TLS_AES_128_GCM_SHA256"))

    def s_client(self, *arguments):
        return subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{self.server.port}", "-CAfile", self.directory / "ca.pem",
                               *arguments], input="", text=True, capture_output=True, timeout=60)

    def test_older_versions_are_refused(self):
        def try_old(version="-tls1_1"):
            result = self.s_client(version, "-cipher", "DEFAULT:@SECLEVEL=0")
            self.assertIn("alert protocol version", result.stderr)
            self.assertIn("Cipher is (NONE)", result.stdout)

        try_old("-tls1")
        self.log_has("a TLS handshake with 127.0.0.1 failed: unsupported protocol", try_old)

    def test_weak_ciphers_are_refused(self):
        for cipher in ("AES128-SHA", "ECDHE-ECDSA-AES128-SHA", "AES128-GCM-SHA256"):
            result = self.s_client("-tls1_2", "-cipher", cipher)
            self.assertIn("alert handshake failure", result.stderr)

    def test_chacha_for_who_prefers_it(self):
        result = self.s_client("-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256")
        self.assertIn("Cipher is TLS_CHACHA20_POLY1305_SHA256", result.stdout)

    def test_no_renegotiation(self):
        process = subprocess.Popen(["openssl", "s_client", "-connect", f"127.0.0.1:{self.server.port}", "-tls1_2"], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        out, _ = process.communicate("R\n", timeout=60)
        self.assertIn("no renegotiation", out)
        self.assert_well()

    def test_keys_of_a_connection_are_changed(self):
        """K has s_client change its keys and ask for new ones of ours."""
        process = subprocess.Popen(["openssl", "s_client", "-connect", f"127.0.0.1:{self.server.port}", "-tls1_3"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(process.communicate, timeout=WAIT_S)
        for text, answer in ((b"K\n", b"KEYUPDATE"), (b"K\n", b"KEYUPDATE"), (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"healthy: localhost "),
                             (b"K\n", b"KEYUPDATE"), (b"k\n", b"KEYUPDATE"),
                             (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", b"healthy: 127.0.0.1 ")):
            process.stdin.write(text)
            process.stdin.flush()
            said = b""
            while answer not in said:
                said += (part := os.read(process.stdout.fileno(), 4096))
                self.assertNotEqual(part, b"", said)

    def test_alpn(self):
        for offered, chosen in ((["h2", "http/1.1"], "http/1.1"), (["http/1.1"], "http/1.1"), (None, None)):
            with self.connect(self.context(alpn=offered)) as connection:
                self.assertEqual(connection.selected_alpn_protocol(), chosen)
                self.assertEqual(self.ask(connection), 200)
        with self.assertRaisesRegex(ssl.SSLError, "(?i)no.application.protocol|unknown error"):  # some Pythons do not know its name
            self.connect(self.context(alpn=["h2"]))

    def test_plain_http_is_told_what_to_use(self):
        def try_plain(method="POST"):
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
            connection.request(method, "/", "{}" if method == "POST" else None, LIST_TABLES)
            response = connection.getresponse()
            self.assertEqual((response.status, response.read()), (400, b"This port speaks TLS: use https://\n"))
            connection.close()

        try_plain("GET")
        self.log_has("a TLS handshake with 127.0.0.1 failed: it is plain HTTP", try_plain)

    def test_the_banner(self):
        self.assertRegex(self.server.output, r"listening on https://127\.0\.0\.1:\d+\n")
        self.assertIn(f"with the certificate in {self.directory}/server.pem\n", self.server.output)
        self.assertIn(f"--endpoint-url https://127.0.0.1:{self.server.port} ", self.server.output)

    def test_the_end_is_said(self):
        """Without close_notify this would be an SSLEOFError, as suppress_ragged_eofs is off."""
        with self.connect() as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            data = b""
            while more := connection.recv(65536):
                data += more
            self.assertTrue(data.endswith(b"healthy: 127.0.0.1 "))

    def test_policies_know_that_it_is_secure(self):
        policy = pathlib.Path(self.place.name, "policy.json")
        policy.write_text('{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*", '
                          '"Condition": {"Bool": {"aws:SecureTransport": "true"}}}]}')
        with Server("--memory", "--policy", policy, *tls.arguments(self.directory)) as secure:
            connection = http.client.HTTPSConnection("127.0.0.1", secure.port, context=self.context())
            connection.request("POST", "/", "{}", LIST_TABLES)
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()
        if not tls.ENCRYPTED:
            with Server("--memory", "--policy", policy) as plain:
                connection = http.client.HTTPConnection("127.0.0.1", plain.port)
                connection.request("POST", "/", "{}", LIST_TABLES)
                self.assertEqual(connection.getresponse().status, 400)
                connection.close()


class Tickets(TlsTest):
    def test_sessions_are_taken_up_again(self):
        """On whichever thread the next connection is: they share the keys."""
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = self.context(minimum=version, maximum=version)
            session = None
            for i in range(8):
                with self.subTest(version=version.name, connection=i), self.connect(context, session) as connection:
                    self.assertEqual(self.ask(connection), 200)  # the ticket of 1.3 comes with it
                    self.assertEqual(connection.session_reused, i > 0)
                    session = connection.session
                    self.assertTrue(session.has_ticket)
                    self.assertEqual(session.ticket_lifetime_hint, 3600)

    def test_nobody_waits_for_an_acknowledgement(self):
        """Of who does not switch Nagle's algorithm off, as Python's sockets do not: 40 ms for each connection."""
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = self.context(minimum=version, maximum=version)
            session = None

            def is_quick():
                nonlocal session
                with self.connect(context, session) as connection:
                    start = time.monotonic()
                    self.ask(connection)
                    session, resumed = connection.session, session is not None
                    return resumed and time.monotonic() - start < 0.035

            wait_until(is_quick, f"an answer without the 40 ms, by {version.name}")  # on a busy machine many take longer

    def test_not_after_another_certificate(self):
        context = self.context()
        with self.connect(context) as connection:
            self.ask(connection)
            session = connection.session
        self.server.process.send_signal(signal.SIGHUP)
        self.log_has("was read again")
        with self.connect(context, session) as connection:
            self.assertEqual(self.ask(connection), 200)
            self.assertFalse(connection.session_reused)


class Reload(TlsTest):
    def setUp(self):
        self.renewals = tempfile.TemporaryDirectory()
        self.addCleanup(self.renewals.cleanup)

    def serial(self):
        with self.connect() as connection:
            return connection.getpeercert()["serialNumber"]

    def renewed(self):
        """Another certificate of the same authority; its two files."""
        place = pathlib.Path(tempfile.mkdtemp(dir=self.renewals.name))
        for name in ("ca.pem", "ca.key"):
            shutil.copy(self.directory / name, place)
        tls.create(binary(), place)
        return place / "server.pem", place / "server.key"

    def install(self, certificate, key):
        # As certbot does it: each file appears whole.
        os.replace(certificate, self.directory / "server.pem")
        os.replace(key, self.directory / "server.key")

    def test_by_signal(self):
        before = self.serial()
        with self.connect() as old:
            self.assertEqual(self.ask(old), 200)
            self.install(*self.renewed())
            self.server.process.send_signal(signal.SIGHUP)
            wait_until(lambda: self.serial() != before, "the new certificate")
            self.assertEqual(self.ask(old), 200)
        self.log_has(f"the certificate in {self.directory}/server.pem was read again; it expires on ")

    def test_by_itself(self):
        before = self.serial()
        self.install(*self.renewed())
        wait_until(lambda: self.serial() != before, "the new certificate")

    def test_a_bad_file_is_told_and_the_old_one_stays(self):
        before = self.serial()
        good = [(path, path.read_bytes()) for path in (self.directory / "server.pem", self.directory / "server.key")]
        other = self.renewed()
        for number, (path, content) in enumerate(((good[0][0], None), (good[1][0], b""), (good[1][0], other[1].read_bytes()),
                                                     (good[0][0], b"nonsense"))):
            told = self.server.error_text().count("the certificate stays as it was: ")
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content)
            if number < 3:  # the last is noticed without
                self.server.process.send_signal(signal.SIGHUP)
            wait_until(lambda: self.server.error_text().count("the certificate stays as it was: ") > told, "a complaint")
            self.assertEqual(self.serial(), before)
            for name, text in good:
                name.write_bytes(text)
            done = self.server.error_text().count("was read again;")
            self.server.process.send_signal(signal.SIGHUP)
            wait_until(lambda: self.server.error_text().count("was read again;") > done, "the good one")
        self.assertEqual(self.serial(), before)

    def test_under_load(self):
        """New connections and old ones, while the certificate changes and changes: nobody notices."""
        stop, failures, counts = threading.Event(), [], [0] * 6

        def load(number):
            try:
                context = self.context()
                kept = self.connect(context) if number % 2 else None
                while not stop.is_set():
                    connection = kept or self.connect(context)
                    if self.ask(connection) != 200:
                        raise AssertionError("not 200")
                    counts[number] += 1
                    if not kept:
                        connection.close()
                if kept:
                    kept.close()
            except Exception as error:
                failures.append(repr(error))

        threads = [threading.Thread(target=load, args=(number,)) for number in range(len(counts))]
        for thread in threads:
            thread.start()
        for _ in range(15):
            self.install(*self.renewed())
            self.server.process.send_signal(signal.SIGHUP)
            before = list(counts)
            wait_until(lambda: failures or all(map(operator.gt, counts, before)), "requests of all")
        stop.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class Mutual(TlsTest):
    client_certificates = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tls.create(binary(), cls.directory, "--client", "alice")
        cls.others = tls.create(binary(), pathlib.Path(cls.place.name, "others"), "--client", "mallory")

    def assert_refused(self, context):
        # With TLS 1.3 a client hears of it with its first answer.
        with self.assertRaises((ssl.SSLError, ConnectionResetError)), self.connect(context) as connection:
            self.ask(connection)

    def assert_well(self):
        with self.connect(self.context(certificate=self.directory / "client-alice")) as connection:
            self.assertEqual(self.ask(connection), 200)

    def test_who_has_a_certificate(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = self.context(certificate=self.directory / "client-alice", minimum=version, maximum=version)
            session = None
            for i in range(4):
                with self.connect(context, session) as connection:
                    self.assertEqual(self.ask(connection), 200)
                    self.assertEqual(connection.session_reused, i > 0)
                    session = connection.session

    def test_who_has_none(self):
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            self.assert_refused(self.context(minimum=version, maximum=version))
        self.log_has("failed: peer did not return a certificate", lambda: self.assert_refused(self.context()))
        self.assert_well()

    def test_who_has_one_of_somebody_else(self):
        context = self.context(certificate=self.others / "client-mallory")
        self.log_has("failed: the client's certificate is refused: ", lambda: self.assert_refused(context))
        self.assert_well()

    def test_who_has_one_for_servers(self):
        self.assert_refused(self.context(certificate=self.directory / "server"))
        self.assert_well()

    def test_boto3(self):
        client = boto3.client("dynamodb", endpoint_url=self.server.endpoint, region_name=REGION, aws_access_key_id="a",
                              aws_secret_access_key="b", verify=str(self.directory / "ca.pem"),
                              config=Config(client_cert=(str(self.directory / "client-alice.pem"), str(self.directory / "client-alice.key"))))
        self.assertEqual(client.list_tables()["TableNames"], [])
        client.close()

    def test_an_authority_that_is_welcome_no_more(self):
        """Not by a ticket either, that was given while it was."""
        ca = self.directory / "ca.pem"
        context = self.context(certificate=self.directory / "client-alice")
        with self.connect(context) as connection:
            self.ask(connection)
            session = connection.session
        kept = ca.read_bytes()
        try:
            shutil.copy(self.others / "ca.pem", ca)
            self.server.process.send_signal(signal.SIGHUP)
            self.log_has("was read again")
            wait_until(lambda: self.is_refused(context, session), "the refusal")
            with self.connect(self.trusting(kept, self.others / "client-mallory")) as connection:
                self.assertEqual(self.ask(connection), 200)
        finally:
            ca.write_bytes(kept)
            self.server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: not self.is_refused(context, None), "alice")

    def trusting(self, authority, certificate):
        context = ssl.create_default_context(cadata=authority.decode())
        context.load_cert_chain(f"{certificate}.pem", f"{certificate}.key")
        return context

    def is_refused(self, context, session):
        try:
            with self.connect(context, session) as connection:
                return self.ask(connection) != 200
        except (ssl.SSLError, ConnectionResetError):
            return True


class Users(TlsTest):
    """With --auth a certificate is as good as a signature, where there is none."""

    HEADERS = {"content-type": "application/x-amz-json-1.0", "x-amz-target": target("ListTables")}

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.place.name)
        cls.directory = tls.create(binary(), cls.root / "certs")
        for name in ("alice", "bob", "nobody", "root"):
            tls.create(binary(), cls.directory, "--client", name)
        key = signing.write_key(cls.root / "key")
        cls.server = Server("--data", cls.root / "data", "--auth", "--root-key", key, "--test-clock", *tls.arguments(cls.directory),
                            "--tls-client-ca", cls.directory / "ca.pem").start()
        for name, actions in (("alice", '"dynamodb:ListTables"'), ("bob", '"dynamodb:GetItem"')):
            policy = cls.root / f"{name}.json"
            policy.write_text(f'{{"Version": "2012-10-17", "Statement": [{{"Effect": "Allow", "Action": {actions}, "Resource": "*"}}]}}')
            cls.gramme("user", "create", cls.root / "data", name, "--policy", f"own={policy}")

    @staticmethod
    def gramme(*arguments):
        subprocess.run([binary(), *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    def send(self, name, headers=None, path="/", body=b"{}"):
        context = self.context(certificate=self.directory / f"client-{name}")
        connection = http.client.HTTPSConnection("127.0.0.1", self.server.port, context=context)
        connection.request("POST", path, body, {**self.HEADERS, **(headers or {})})
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, text.decode()

    def assert_unknown(self, answer):
        status, text = answer
        self.assertEqual(status, 400)
        self.assertIn("MissingAuthenticationToken", text)

    def test_the_user_of_this_name(self):
        self.assertEqual(self.send("alice"), (200, '{"TableNames":[]}'))
        status, text = self.send("bob")
        self.assertEqual(status, 400)
        self.assertIn("User: arn:aws:iam::000000000000:user/bob is not authorized to perform: dynamodb:ListTables", text)

    def test_who_i_am(self):
        status, text = self.send("alice", {"content-type": "application/x-www-form-urlencoded"},
                                 body=b"Action=GetCallerIdentity&Version=2011-06-15")
        self.assertEqual(status, 200)
        self.assertIn("<Arn>arn:aws:iam::000000000000:user/alice</Arn>", text)

    def test_nobody(self):
        self.assert_unknown(self.send("nobody"))
        self.assert_unknown(self.send("root"))  # the owner is no user

    def test_a_signature_counts_more(self):
        host = f"127.0.0.1:{self.server.port}"
        self.assertEqual(self.send("bob", signing.sign(self.HEADERS, b"{}", host))[0], 200)
        status, text = self.send("alice", signing.sign(self.HEADERS, b"{}", host, secret="wrong"))
        self.assertEqual(status, 400)
        self.assertIn("The request signature we calculated does not match", text)

    def test_what_is_no_signature_is_none(self):
        for authorization in ("Bearer x", "Basic eDp5", "x", ""):
            self.assert_unknown(self.send("alice", {"Authorization": authorization}))
        self.assertEqual(self.send("alice", path="/?X-Amz-Algorithm=AWS4-HMAC-SHA256")[0], 400)

    def test_paths_of_the_owner(self):
        self.assertEqual(self.send("alice", {"content-type": "application/json"}, "/_gramme/clock", b'{"Advance": 1}')[0], 403)

    def test_a_user_that_is_deleted(self):
        tls.create(binary(), self.directory, "--client", "carol")
        self.gramme("user", "create", self.root / "data", "carol", "--policy", f"own={self.root / 'alice.json'}")
        context = self.context(certificate=self.directory / "client-carol")
        connection = http.client.HTTPSConnection("127.0.0.1", self.server.port, context=context)
        for status in (200, 400):
            connection.request("POST", "/", b"{}", self.HEADERS)
            response = connection.getresponse()
            response.read()
            self.assertEqual(response.status, status)
            if status == 200:
                self.gramme("user", "delete", self.root / "data", "carol")
        connection.close()


class BadClients(TlsTest):
    def raw(self):
        return socket.create_connection(("127.0.0.1", self.server.port), WAIT_S)

    def hello(self):
        """The first flight of a client."""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = self.context().wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
        with self.assertRaises(ssl.SSLWantReadError):
            client.do_handshake()
        return outgoing.read()

    def test_garbage(self):
        generator = random.Random(7)
        hello = self.hello()
        for i in range(300):
            data = bytearray(hello)
            if i % 3 == 0:
                data = bytearray(generator.randbytes(generator.randrange(1, 2000)))
            for _ in range(generator.randrange(1, 8)):
                data[generator.randrange(len(data))] = generator.randrange(256)
            with self.raw() as connection:
                connection.sendall(data[:generator.randrange(1, len(data) + 1)])
                if i % 2 == 0:
                    connection.shutdown(socket.SHUT_WR)
                    try:
                        while connection.recv(65536):
                            pass
                    except ConnectionResetError:
                        pass
        self.assert_well()

    def test_the_log_does_not_grow_with_them(self):
        before, start = len(self.server.error_text().splitlines()), time.monotonic()
        for _ in range(500):
            with self.raw() as connection:
                connection.sendall(b"\x16\x03\x01\xff\xff\xff")
        lines = len(self.server.error_text().splitlines()) - before
        self.assertLessEqual(lines, time.monotonic() - start + 10)  # some may be of the test before
        self.assert_well()

    def test_garbage_behind_a_handshake(self):
        for garbage in (b"POST / HTTP/1.1\r\n\r\n", b"\x17\x03\x03\x00\x20" + bytes(32), b"\x15\x03\x03\x00\x02\x01\x00"):
            connection = self.connect()
            self.assertEqual(self.ask(connection), 200)
            raw = socket.socket(fileno=connection.detach())
            raw.settimeout(WAIT_S)
            raw.sendall(garbage)
            try:
                while raw.recv(65536):
                    pass
            except ConnectionResetError:
                pass
            raw.close()
        self.assert_well()

    def test_slow_handshakes_harm_nobody(self):
        hello = self.hello()
        slow = [self.raw() for _ in range(100)]
        for i, connection in enumerate(slow):
            connection.sendall(hello[:i * 5])
        self.assert_well()
        slow[1].setblocking(False)
        with self.assertRaises(BlockingIOError):  # the server still waits for them
            slow[1].recv(1)
        for _ in range(20):
            self.assert_well()
        for connection in slow:
            connection.close()

    def test_many_connections_at_once(self):
        context = self.context()
        connections = [self.connect(context) for _ in range(300)]
        for connection in connections:
            self.assertEqual(self.ask(connection), 200)
        for connection in connections:
            connection.close()


class Clients(TlsTest):
    """Each finds the authority where its users put it. JavaScript and Go are jobs of their own."""

    def client(self, verify):
        return boto3.client("dynamodb", endpoint_url=self.server.endpoint, region_name=REGION, aws_access_key_id="a",
                            aws_secret_access_key="b", verify=verify, config=Config(retries={"max_attempts": 0}))

    def test_boto3(self):
        client = self.client(str(self.directory / "ca.pem"))
        client.create_table(TableName="table", AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}], BillingMode="PAY_PER_REQUEST")
        for i in range(10):
            client.put_item(TableName="table", Item={"pk": {"S": str(i)}, "v": {"B": os.urandom(390_000)}})
        page = client.scan(TableName="table")
        self.assertEqual(len(page["Items"]), 3)
        client.close()

    def test_boto3_without_the_authority(self):
        client = self.client(True)
        def try_it():
            with self.assertRaises(botocore.exceptions.SSLError):
                client.list_tables()

        self.log_has("failed: tlsv1 alert unknown ca", try_it)
        client.close()

    def run_with(self, command, **environment):
        return subprocess.run(command, text=True, capture_output=True, timeout=120, env={
            **os.environ, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": REGION, **environment})

    def test_aws_cli(self):
        aws_cli.need()
        command = ["aws", "dynamodb", "describe-limits", "--endpoint-url", self.server.endpoint, "--region", REGION]
        result = self.run_with(command, AWS_CA_BUNDLE=str(self.directory / "ca.pem"))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("AccountMaxReadCapacityUnits", result.stdout)

    def test_gramme_bench(self):
        """Whose side of TLS is our own."""
        result = self.run_with([binary(), "bench", "--workload", "get", "--endpoint", self.server.endpoint, "--keys", "100",
                                "--connections", "8", "--duration", "1", "--no-sign"], AWS_CA_BUNDLE=str(self.directory / "ca.pem"))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_gramme_apply(self):
        """By the client library, which is C and libcurl."""
        template = pathlib.Path(self.place.name, "template.yaml")
        template.write_text("Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n      TableName: applied\n"
                            "      BillingMode: PAY_PER_REQUEST\n"
                            "      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]\n"
                            "      KeySchema: [{AttributeName: pk, KeyType: HASH}]\n")
        command = [binary(), "apply", str(template), "--endpoint", self.server.endpoint]
        result = self.run_with(command, AWS_CA_BUNDLE=str(self.directory / "ca.pem"))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("applied", self.client(str(self.directory / "ca.pem")).list_tables()["TableNames"])
        self.assertNotEqual(self.run_with(command, AWS_CA_BUNDLE="").returncode, 0)


class WrongFiles(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.directory = tls.create(binary(), pathlib.Path(place.name, "certs"))

    def assert_fails(self, status, text, *arguments):
        result = subprocess.run([binary(), "serve", "--memory", "--port", "0", *map(str, arguments)], text=True,
                                capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
        self.assertEqual((result.returncode, result.stdout), (status, ""))
        self.assertIn(text, result.stderr)

    def test_options_that_need_each_other(self):
        self.assert_fails(2, "--tls-key", "--tls-cert", self.directory / "server.pem")
        self.assert_fails(2, "--tls-cert", "--tls-key", self.directory / "server.key")
        self.assert_fails(2, "--tls-cert", "--tls-client-ca", self.directory / "ca.pem")

    def test_files_that_are_of_no_use(self):
        certificate, key, ca = (self.directory / name for name in ("server.pem", "server.key", "ca.pem"))
        self.assert_fails(1, "cannot read the certificate from /nowhere: No such file", "--tls-cert", "/nowhere", "--tls-key", key)
        self.assert_fails(1, "cannot read the certificate from", "--tls-cert", key, "--tls-key", key)
        self.assert_fails(1, "cannot read the key", "--tls-cert", certificate, "--tls-key", certificate)
        self.assert_fails(1, "key", "--tls-cert", certificate, "--tls-key", self.directory / "ca.key")
        self.assert_fails(1, "cannot read the authority of clients from", *tls.arguments(self.directory), "--tls-client-ca", key)
        self.assert_fails(1, "cannot read the certificate", "--tls-cert", self.directory, "--tls-key", key)

    def test_a_key_with_a_passphrase(self):
        """Nobody is asked for it."""
        sealed = self.directory / "sealed.key"
        subprocess.run(["openssl", "pkey", "-in", self.directory / "server.key", "-aes256", "-passout", "pass:secret", "-out", sealed],
                       check=True, capture_output=True)
        self.assert_fails(1, "cannot read the key of the certificate from", "--tls-cert", self.directory / "server.pem", "--tls-key", sealed)

    def test_a_certificate_that_ends_soon(self):
        for path in self.directory.glob("server.*"):
            path.unlink()
        tls.create(binary(), self.directory, "--days", "3")
        with Server("--memory", *tls.arguments(self.directory)) as server:
            self.assertRegex(server.error_text(), rf"warning the certificate in {self.directory}/server.pem expires on \d{{4}}-\d\d-\d\d\n")


if __name__ == "__main__":
    unittest.main()
