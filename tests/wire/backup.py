"""What the tests of `gramme backup` and `gramme restore` share."""

import pathlib
import subprocess
import tempfile
import unittest

from server import SANITIZER, Server, binary
from test_formats import fill
from wire import boto3_client


def scan_all(client, table):
    items = []
    for page in client.get_paginator("scan").paginate(TableName=table):
        items += page["Items"]
    return items


class BackupTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data, self.file, self.copy = self.folder / "data", self.folder / "file", self.folder / "copy"

    def server(self, directory=None, *options):
        return Server("--data", directory or self.data, *options)

    def run_gramme(self, *arguments, **options):
        result = subprocess.run([binary(), *map(str, arguments)], text=True, capture_output=True, timeout=120, **options)
        self.assertIsNone(SANITIZER.search(result.stderr), result.stderr)
        return result

    def gramme(self, *arguments, **options):
        """Must succeed without a word on stderr; returns what it printed."""
        result = self.run_gramme(*arguments, **options)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        return result.stdout

    def refused(self, *arguments, **options):
        """Must fail with one line; returns it."""
        result = self.run_gramme(*arguments, **options)
        self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertTrue(result.stderr.startswith("gramme: "))
        return result.stderr[len("gramme: "):-1]

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def start(self, *arguments, **options):
        process = subprocess.Popen([binary(), *map(str, arguments)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def fill_large(self, server, items=12):
        """More than any socket holds."""
        client = boto3_client(server.endpoint)
        client.create_table(TableName="large", BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
        for n in range(items):
            client.put_item(TableName="large", Item={"pk": {"S": str(n)}, "text": {"S": f"{n:02} " * 120_000}})
        client.close()

    def backup_of_formats(self):
        """A small backup, and the database stopped."""
        with self.server() as server:
            fill(boto3_client(server.endpoint))
        self.gramme("backup", self.data, self.file)
