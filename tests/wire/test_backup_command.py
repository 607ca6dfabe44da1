"""`gramme backup`: everything, of one moment, while the server goes on."""

import contextlib
import os
import re
import shutil
import socket
import stat
import subprocess
import threading
import unittest

import test_formats
from backup import BackupTest, scan_all
from server import Server, binary
from test_formats import DEFINITIONS, FORMATS, fill, key_options
from waiting import WAIT_S, wait_until
from wire import boto3_client, only

ACCOUNTS, BALANCE = 20, 100
INDEX = {"IndexName": "by-owner", "KeySchema": [{"AttributeName": "owner", "KeyType": "HASH"}],
         "Projection": {"ProjectionType": "ALL"}}


def by_name(items):
    return sorted(items, key=lambda item: item["pk"]["S"])


class Contents(BackupTest):
    def describe(self, server):
        client = boto3_client(server.endpoint)
        answers = [only(client.list_tables())]
        for name in sorted(DEFINITIONS):
            answers += [only(client.describe_table(TableName=name)), only(client.scan(TableName=name))]
        for index in ("by-g", "by-l"):
            answers.append(only(client.scan(TableName="indexed", IndexName=index)))
        client.close()
        return answers

    def test_a_restored_server_answers_the_same(self):
        with self.server() as server:
            fill(boto3_client(server.endpoint))
            answers = self.describe(server)
            self.assertRegex(self.gramme("backup", self.data, self.file),
                             rf"^backed up {self.data} to {self.file}: \d+ records \(15 items\), \d+\.\d MB in \d+\.\d s, "
                             r"\d+ MB/s; taken from the running server\n$")
        self.assertRegex(self.gramme("restore", self.file, self.copy),
                         rf"^restored {self.file} to {self.copy}: \d+ records \(15 items\), .* MB/s; made by "
                         r"gramme \d+\.\d+\.\d+ at 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$")
        with self.server(self.copy) as server:
            self.assertEqual(self.describe(server), answers)
            client = boto3_client(server.endpoint)
            client.put_item(TableName="plain", Item={"pk": {"B": b"new"}})
            client.create_table(TableName="later", **DEFINITIONS["plain"])
            self.assertEqual(client.describe_table(TableName="plain")["Table"]["TableArn"],
                             "arn:aws:dynamodb:us-east-1:000000000000:table/plain")

    def test_the_directory_of_a_stopped_server(self):
        with self.server() as server:
            fill(boto3_client(server.endpoint))
            answers = self.describe(server)
        self.assertRegex(self.gramme("backup", self.data, self.file), r"; no server was running\n$")
        self.gramme("restore", self.file, self.copy)
        with self.server(self.copy) as server:
            self.assertEqual(self.describe(server), answers)
        # Nor does it matter who reads the store: the copy's backup has the same items, beside what the server measured of itself.
        self.gramme("backup", self.copy, self.folder / "again")
        items = [re.search(r"\((\d+) items\)", self.gramme("restore", "--check", file)).group(1) for file in (self.folder / "again", self.file)]
        self.assertEqual(items[0], items[1])

    def test_backups_of_every_format(self):
        """tests/data/formats/N.backup is a backup of format N of what test_formats.py fills in, and never made again."""
        backups = sorted(FORMATS.glob("*.backup"))
        self.assertGreater(len(backups), 0)
        for backup in backups:
            with self.subTest(format=backup.name):
                copy = self.folder / backup.stem
                self.gramme("restore", backup, copy, *key_options(backup))
                with self.server(copy, *key_options(backup)) as server:
                    client = boto3_client(server.endpoint)
                    test_formats.Formats.check(self, client)
                    client.close()

    def test_an_empty_database(self):
        with self.server():
            self.gramme("backup", self.data, self.file)
        self.gramme("restore", self.file, self.copy)
        with self.server(self.copy) as server:
            self.assertEqual(boto3_client(server.endpoint).list_tables()["TableNames"], [])

    def test_through_a_pipe(self):
        with self.server() as server:
            fill(boto3_client(server.endpoint))
            answers = self.describe(server)
            writer = subprocess.Popen([binary(), "backup", self.data, "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True)
            restored = self.gramme("restore", "-", self.copy, stdin=writer.stdout)
            said = writer.communicate(timeout=60)[1]
        self.assertEqual(writer.returncode, 0)
        self.assertIn(f"backed up {self.data} to standard output: ", said)
        self.assertIn(f"restored standard input to {self.copy}: ", restored)
        with self.server(self.copy) as server:
            self.assertEqual(self.describe(server), answers)

    def test_only_the_owner_may_read(self):
        with self.server() as server:
            fill(boto3_client(server.endpoint))
            self.assertEqual(stat.S_IMODE((self.data / "control").stat().st_mode), 0o600)
            self.assertTrue(stat.S_ISSOCK((self.data / "control").stat().st_mode))
            old = os.umask(0)
            try:
                self.gramme("backup", self.data, self.file)
                self.gramme("restore", self.file, self.copy)
            finally:
                os.umask(old)
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.copy.stat().st_mode), 0o700)
        self.assertEqual(sorted(path.name for path in self.copy.iterdir()), ["GRAMME", "store"])

    def test_a_path_longer_than_a_socket_address(self):
        data = self.folder / ("x" * 120) / ("y" * 120)
        with self.server(data) as server:
            fill(boto3_client(server.endpoint))
            self.assertIn("; taken from the running server", self.gramme("backup", data, self.file))


class OneMoment(BackupTest):
    def transfer(self, endpoint, worker, stop):
        client = boto3_client(endpoint)
        move = "SET balance = balance + :n"
        try:
            n = worker
            while not stop.is_set():
                n += 1
                giver, taker = f"account{n % ACCOUNTS:02}", f"account{(n * 7 + 3) % ACCOUNTS:02}"
                if giver == taker:
                    continue
                client.transact_write_items(TransactItems=[
                    {"Update": {"TableName": "accounts", "Key": {"pk": {"S": name}}, "UpdateExpression": move,
                                "ExpressionAttributeValues": {":n": {"N": amount}}}}
                    for name, amount in ((giver, "-1"), (taker, "1"))])
        except Exception as error:  # Any error is one too many: told by the test.
            self.errors.append(error)
        client.close()

    def append(self, endpoint, stop):
        """Writes one after another; `acknowledged` counts them."""
        client = boto3_client(endpoint)
        try:
            while not stop.is_set():
                number = f"{self.acknowledged:06}"
                client.put_item(TableName="log", Item={"pk": {"S": number}, "owner": {"S": number[-1]}, "text": {"S": "x" * 500}})
                self.acknowledged += 1
        except Exception as error:
            self.errors.append(error)
        client.close()

    def create(self, client):
        for name in ("accounts", "log"):
            client.create_table(
                TableName=name, BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": a, "AttributeType": "S"} for a in ("pk", "owner")],
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}], GlobalSecondaryIndexes=[INDEX])
        for n in range(ACCOUNTS):
            client.put_item(TableName="accounts", Item={"pk": {"S": f"account{n:02}"}, "owner": {"S": f"o{n % 3}"},
                                                        "balance": {"N": str(BALANCE)}, "text": {"S": "x" * 5000}})

    def check(self, file, written_before, written_after):
        directory = file.with_suffix(".restored")
        self.gramme("restore", file, directory)
        with self.server(directory) as server:
            client = boto3_client(server.endpoint)
            accounts = scan_all(client, "accounts")
            self.assertEqual(len(accounts), ACCOUNTS)
            self.assertEqual(sum(int(item["balance"]["N"]) for item in accounts), ACCOUNTS * BALANCE)
            numbers = sorted(int(item["pk"]["S"]) for item in scan_all(client, "log"))
            self.assertEqual(numbers, list(range(len(numbers))), "a prefix of what was written, without holes")
            self.assertLessEqual(written_before, len(numbers))
            self.assertLessEqual(len(numbers), written_after + 1)
            for table in ("accounts", "log"):
                entries = []
                for page in client.get_paginator("scan").paginate(TableName=table, IndexName="by-owner"):
                    entries += page["Items"]
                self.assertEqual(by_name(entries), by_name(scan_all(client, table)))
                self.assertEqual(client.describe_table(TableName=table)["Table"]["ItemCount"], len(entries))
            client.close()
        return {item["pk"]["S"]: item["balance"]["N"] for item in accounts}

    def test_money_is_conserved_while_it_moves(self):
        self.errors, self.acknowledged, stop = [], 0, threading.Event()
        with self.server() as server:
            self.create(boto3_client(server.endpoint))
            threads = [threading.Thread(target=self.transfer, args=[server.endpoint, n, stop]) for n in range(3)]
            threads.append(threading.Thread(target=self.append, args=[server.endpoint, stop]))
            for thread in threads:
                thread.start()
            wait_until(lambda: self.acknowledged >= 50 or self.errors)
            backups = []
            for n in range(4):
                file, before = self.folder / f"backup{n}", self.acknowledged
                self.gramme("backup", self.data, file)
                backups.append((file, before, self.acknowledged))
                wait_until(lambda: self.acknowledged >= backups[-1][2] + 20 or self.errors)
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual(self.errors, [])
        states = [self.check(*backup) for backup in backups]
        # The canary: money did move between the backups, so the sums are no accident. Between two of them it may have come round again.
        self.assertGreater(len({str(state) for state in states}), 1)


class Clients(BackupTest):
    """Of the control socket, with a hand of their own."""

    def connect(self, request=b"backup\n"):
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.settimeout(WAIT_S)
        client.connect(str(self.data / "control"))
        client.sendall(request)
        return client

    @staticmethod
    def read_all(client):
        parts = []
        while part := client.recv(1 << 16):
            parts.append(part)
        return b"".join(parts)

    def test_a_stop_does_not_wait_for_a_client_that_does_not_read(self):
        with self.server() as server:
            self.fill_large(server)
            client = self.connect()
            self.assertEqual(client.recv(3), b"ok\n")
            server.stop()
            self.assertIn("backup given up: the server is stopping", server.error_text())
            self.assertFalse((self.data / "control").exists())
            self.file.write_bytes(self.read_all(client))
        self.assertRegex(self.refused("restore", "--check", self.file), r"^the backup (is cut off: |was given up while it was made: the server is stopping$)")

    def test_clients_at_the_same_time_are_limited(self):
        with self.server() as server:
            self.fill_large(server)
            clients = [self.connect() for _ in range(4)]
            for client in clients:
                self.assertEqual(client.recv(3), b"ok\n")
            self.assertEqual(self.refused("backup", self.data, self.file),
                             "the server says: too many backups run at the same time")
            dumps = {self.read_all(client) for client in clients}
            wait_until(lambda: self.run_gramme("backup", "--force", self.data, self.file).returncode == 0)
            for dump in dumps:
                self.assertEqual(len(dump), self.file.stat().st_size)

    def test_a_client_that_goes_away(self):
        with self.server() as server:
            self.fill_large(server)
            for _ in range(10):
                with contextlib.suppress(BrokenPipeError):  # One too many at this moment.
                    self.connect().close()
            wait_until(lambda: self.run_gramme("backup", "--force", self.data, self.file).returncode == 0)

    def test_other_requests(self):
        with self.server():
            for request in (b"\n", b"format c:\n", b"backup \n"):
                self.assertEqual(self.read_all(self.connect(request)), b"error this version of gramme knows no such request\n")
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):  # It does not read so long a line to its end.
                self.assertEqual(self.read_all(self.connect(b"x" * 5000)), b"")
            client = self.connect(b"back")
            client.shutdown(socket.SHUT_WR)
            self.assertEqual(self.read_all(client), b"")

    def test_a_copied_directory_has_its_own_server(self):
        with self.server():
            pass
        shutil.copytree(self.data, self.copy)
        with self.server(), self.server(self.copy):
            self.gramme("backup", self.copy, self.file)

    def test_no_socket_without_a_directory(self):
        with Server("--memory"):
            self.assertEqual(self.names(), [])


if __name__ == "__main__":
    unittest.main()
