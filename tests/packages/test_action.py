"""The action for GitHub, run as a runner runs it."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tests/wire"))
import aws_cli  # noqa: E402

TEMPLATE = """
Resources:
  Music:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: music
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: artist, AttributeType: S}]
      KeySchema: [{AttributeName: artist, KeyType: HASH}]
"""


class Action(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(self.end_servers)
        self.place = pathlib.Path(self.folder.name)
        (self.place / "gramme-0/bin").mkdir(parents=True)
        shutil.copy(ROOT / "build/gramme", self.place / "gramme-0/bin")
        subprocess.run(["tar", "--create", "--gzip", "--file", self.place / "archive.tar.gz", "--directory", self.place, "gramme-0"], check=True)
        (self.place / "template.yaml").write_text(TEMPLATE)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.port = taken.getsockname()[1]

    def end_servers(self):
        for process in subprocess.run(["pgrep", "--full", f"^{self.place}/gramme/bin/gramme"], text=True, capture_output=True).stdout.split():
            os.kill(int(process), signal.SIGKILL)

    def start(self, path=os.environ["PATH"], **inputs):
        """The variables are those that action.yml hands over, so that neither has one that the other does not know."""
        text = (ROOT / "packaging/action/action.yml").read_text()
        values = {"port": str(self.port), "archive": str(self.place / "archive.tar.gz"), "checksum": "", "template": "", "options": "", **inputs}
        handed = {name: values[value] for name, value in re.findall(r"^ +(GRAMME_ACTION_\w+): \$\{\{ inputs\.(\w+) \}\}", text, re.M)}
        files = {name: str(self.place / name) for name in ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH")}
        return subprocess.run([ROOT / "packaging/action/start"], text=True, capture_output=True, timeout=120,
                              env={"PATH": path, "HOME": str(self.place), "RUNNER_TEMP": str(self.place), **files, **handed})

    def test_a_server_for_the_steps_that_follow(self):
        aws_cli.need()
        result = self.start(template=str(self.place / "template.yaml"), options="--test-clock")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        told = dict(line.split("=", 1) for line in (self.place / "GITHUB_ENV").read_text().splitlines())
        endpoint = f"http://127.0.0.1:{self.port}"
        self.assertEqual((told["AWS_ENDPOINT_URL_DYNAMODB"], (self.place / "GITHUB_OUTPUT").read_text()), (endpoint, f"endpoint={endpoint}\n"))
        listing = subprocess.run(["aws", "dynamodb", "list-tables", "--endpoint-url", endpoint, "--output", "text"], text=True, capture_output=True,
                                 timeout=120, env={**os.environ, **told})
        self.assertEqual(listing.stdout, "TABLENAMES\tmusic\n", listing.stderr)
        self.assertIn(b"Now", urllib.request.urlopen(f"{endpoint}/_gramme/clock", timeout=30).read())
        self.assertEqual([told.get(name) for name in ("AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")], [endpoint, None, None])

    def test_another_server_is_not_taken_for_the_one_that_did_not_start(self):
        result = self.start()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for options, reason in (("--nonsense", "--nonsense"), ("", "Address already in use")):
            result = self.start(options=options)
            self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
            self.assertIn(reason, result.stderr)
            self.assertIn("the server did not start", result.stderr)

    def test_a_runner_that_has_no_linux(self):
        (self.place / "uname").write_text("#!/bin/sh\necho Darwin\n")
        (self.place / "uname").chmod(0o755)
        result = self.start(path=f"{self.place}:{os.environ['PATH']}")
        self.assertEqual(result.returncode, 1)
        self.assertIn("this runner has Darwin: take one as ubuntu-latest", result.stderr)

    def test_another_archive_than_the_one_that_was_meant(self):
        result = self.start(checksum="0" * 64)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("FAILED", result.stdout + result.stderr)
        self.assertFalse((self.place / "gramme/bin").exists())
