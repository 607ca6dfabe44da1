"""Text that comes from files, servers and the machine itself: no terminal acts on it, and no client learns of paths."""

import pathlib
import resource
import signal
import subprocess
import tempfile
import unittest

from server import Server, binary
from waiting import wait_until
from wire import call

ESCAPE = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e"


def limit_files():
    """Files may not grow beyond 1 MB: from some moment on nothing can be written."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))


class Terminals(unittest.TestCase):
    def assert_harmless(self, *arguments):
        done = subprocess.run([binary(), *arguments], capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        text = (done.stdout + done.stderr).decode()
        self.assertNotEqual(done.returncode, 0)
        self.assertNotEqual(text, "")
        for wrong in "\x1b\x07\u009b\u202e\r":
            self.assertNotIn(wrong, text)
        return text

    def test_templates(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "template.json")
            escaped = ESCAPE.encode("unicode_escape").decode().replace("\\x", "\\u00")
            for text in (f'{{"Resources":{{"A{escaped}":{{"Type":"AWS::DynamoDB::Table"}}}}}}',
                         f'{{"Resources":{{"A":{{"Type":"AWS::{escaped}"}}}}}}',
                         f'{{"Resources":{{"A":{{"Type":"AWS::DynamoDB::Table","Properties":{{"{escaped}":1}}}}}}}}',
                         f'{{"Parameters":{{"P{escaped}":{{"Type":"{escaped}"}}}},"Resources":{{}}}}'):
                path.write_text(text)
                self.assert_harmless("apply", str(path), "--endpoint-url", "http://127.0.0.1:1")

    def test_arguments(self):
        self.assertIn("?]0;owned?", self.assert_harmless(ESCAPE))
        self.assert_harmless("serve", "--" + ESCAPE)
        self.assert_harmless("restore", ESCAPE, "/nonexistent")


class Clients(unittest.TestCase):
    def test_no_path_is_told(self):
        """Of what the disk says a client hears that something is wrong; the log has the rest."""
        with tempfile.TemporaryDirectory() as folder:
            directory = pathlib.Path(folder, "some-secret-place")
            with Server("--data", directory, preexec=limit_files) as server:
                made = call(server.port, "CreateTable", {
                    "TableName": "things", "BillingMode": "PAY_PER_REQUEST",
                    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
                self.assertEqual(made.status, 200)
                texts = set()
                for i in range(40):
                    item = {"pk": {"S": str(i)}, "v": {"S": "x" * 100_000}}
                    reply = call(server.port, "PutItem", {"TableName": "things", "Item": item})
                    if reply.status != 200:
                        self.assertEqual(reply.status, 500)
                        texts.add(reply.body)
                for operation in ("CreateBackup", "DeleteTable", "UpdateTimeToLive"):
                    reply = call(server.port, operation, {
                        "TableName": "things", "BackupName": "one",
                        "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "t"}})
                    if reply.status == 500:
                        texts.add(reply.body)
                self.assertTrue(texts)
                for text in texts:
                    self.assertNotIn(b"secret", text)
                    self.assertNotIn(b"/", text)
                wait_until(lambda: "some-secret-place" in server.error_text(), "the line of the log")


if __name__ == "__main__":
    unittest.main()
