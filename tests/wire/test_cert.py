"""`gramme cert create`: what it makes, who may read it, what it refuses."""

import os
import pathlib
import re
import socket
import stat
import subprocess
import tempfile
import unittest

from server import binary


def create(*arguments):
    result = subprocess.run([binary(), "cert", "create", *map(str, arguments)], text=True, capture_output=True, timeout=60)
    return result.returncode, result.stdout, result.stderr


def openssl(*arguments):
    return subprocess.run(["openssl", *map(str, arguments)], text=True, capture_output=True, check=True).stdout


class Certificates(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)
        self.directory = self.place / "certs"

    def create(self, *options):
        status, out, err = create(self.directory, *options)
        self.assertEqual((status, err), (0, ""))
        return out

    def assert_refused(self, text, *arguments):
        status, out, err = create(*arguments)
        self.assertEqual((status, out), (1, ""))
        self.assertIn(text, err)

    def text(self, name):
        return openssl("x509", "-noout", "-text", "-in", self.directory / name)

    def files(self):
        return {path.name: path.read_bytes() for path in self.directory.iterdir()}

    def test_a_server(self):
        out = self.create("--name", "db.example.com", "--name", "10.0.0.7", "--name", "localhost")
        self.assertEqual(sorted(self.files()), ["ca.key", "ca.pem", "server.key", "server.pem"])
        names = re.search(r"Subject Alternative Name: \n *(.*)\n", self.text("server.pem")).group(1).split(", ")
        self.assertEqual(names, ["DNS:localhost", "IP Address:127.0.0.1", "IP Address:0:0:0:0:0:0:0:1",
                                 f"DNS:{socket.gethostname()}", "DNS:db.example.com", "IP Address:10.0.0.7"])
        self.assertIn("TLS Web Server Authentication\n", self.text("server.pem"))
        for variable in ("AWS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"):
            self.assertIn(f"export {variable}={self.directory}/ca.pem ", out)
        self.assertIn(f"gramme serve --tls-cert {self.directory}/server.pem --tls-key {self.directory}/server.key\n", out)

    def test_strict_clients_take_them(self):
        self.create()
        self.create("--client", "alice")
        for name in ("server", "client-alice"):
            openssl("verify", "-x509_strict", "-purpose", "sslserver" if name == "server" else "sslclient",
                    "-CAfile", self.directory / "ca.pem", self.directory / f"{name}.pem")
        self.assertRegex(self.text("client-alice.pem"), "Subject: CN ?= ?alice\n")  # as the version of openssl writes it

    def test_keys_are_their_owners(self):
        old = os.umask(0)
        try:
            self.create()
            self.create("--client", "a")
        finally:
            os.umask(old)
        for path in self.directory.glob("*.key"):
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)

    def test_how_long_they_hold(self):
        self.create("--days", "3")
        openssl("x509", "-noout", "-checkend", 3 * 86400 - 600, "-in", self.directory / "server.pem")
        with self.assertRaises(subprocess.CalledProcessError):
            openssl("x509", "-noout", "-checkend", 3 * 86400 + 600, "-in", self.directory / "server.pem")

    def test_nothing_is_written_over(self):
        self.create()
        self.create("--client", "alice")
        before = self.files()
        self.assert_refused("server.pem is there already", self.directory)
        self.assert_refused("client-alice.pem is there already", self.directory, "--client", "alice")
        (self.directory / "server.pem").unlink()
        self.assert_refused("server.key is there already", self.directory)
        del before["server.pem"]
        self.assertEqual(self.files(), before)
        (self.directory / "server.key").unlink()
        self.assertNotIn("ca.pem  the", self.create())
        self.assertEqual(self.files()["ca.pem"], before["ca.pem"])

    def test_an_authority_that_is_of_no_use(self):
        self.create()
        for name, text in (("ca.key", "cannot read"), ("ca.pem", "cannot read")):
            kept = (self.directory / name).read_bytes()
            (self.directory / name).unlink()
            self.assert_refused(text, self.directory, "--client", "a")
            (self.directory / name).write_bytes(b"x")
            self.assert_refused("do not belong together", self.directory, "--client", "a")
            (self.directory / name).write_bytes(kept)
        (self.directory / "ca.key").write_bytes((self.directory / "server.key").read_bytes())
        self.assert_refused("do not belong together", self.directory, "--client", "a")
        self.assertEqual(list(self.directory.glob("client-*")), [])

    def test_places_where_it_cannot_be(self):
        (self.place / "file").write_text("")
        self.assert_refused("Not a directory", self.place / "file")
        self.assert_refused("No such file or directory", self.place / "no" / "where")

    def test_wrong_arguments(self):
        for arguments in (["--name", "a,DNS:b"], ["--name", "a b"], ["--client", "../x"], ["--client", "a" * 65],
                          ["--client", "a", "--name", "b"], ["--days", "0"], ["--days", "3651"]):
            with self.subTest(arguments=arguments):
                status, out, err = create(self.directory, *arguments)
                self.assertEqual((status, out), (2, ""))
                self.assertIn("gramme cert create --help", err)
                self.assertFalse(self.directory.exists())


if __name__ == "__main__":
    unittest.main()
