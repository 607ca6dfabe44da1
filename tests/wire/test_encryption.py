"""`--encrypt-with`: nothing readable on the disk, refusals that touch nothing, backups that are encrypted too."""

import os
import signal
import subprocess
import time
import unittest

from backup import BackupTest, scan_all
from encryption import files_with, fingerprint, make_key
from server import Server, binary
from test_auth import key_of
from wire import boto3_client

TABLE, ATTRIBUTE, KEY, VALUE, INDEX = "haystack-table", "needle-attribute", "needle-key", "needle-value", "needle-index"
WORDS = (TABLE, "haystack", "needle")


class EncryptionTest(BackupTest):
    def setUp(self):
        super().setUp()
        self.key = make_key(self.folder / "key")

    def encrypted(self, *options, data=None, key=None):
        return self.server(data, "--encrypt-with", key or self.key, *options)

    def fill(self, server, items=300):
        client = boto3_client(server.endpoint)
        client.create_table(
            TableName=TABLE, BillingMode="PAY_PER_REQUEST", StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", ATTRIBUTE)],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            GlobalSecondaryIndexes=[{"IndexName": INDEX, "KeySchema": [{"AttributeName": ATTRIBUTE, "KeyType": "HASH"}],
                                     "Projection": {"ProjectionType": "ALL"}}])
        client.update_continuous_backups(TableName=TABLE, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        self.put(client, items)
        client.close()

    def put(self, client, items, first=0):
        for n in range(first, first + items):
            client.put_item(TableName=TABLE, Item={"pk": {"S": f"{KEY}-{n}"}, ATTRIBUTE: {"S": f"{VALUE}-{n}"},
                                                   "text": {"S": f"{n} needle in a hay" * 100}})

    def items(self, server):
        client = boto3_client(server.endpoint)
        items = sorted((item["pk"]["S"], item[ATTRIBUTE]["S"]) for item in scan_all(client, TABLE))
        client.close()
        return items

    def assert_nothing_readable(self, *places):
        for place in places or (self.data,):
            self.assertEqual(files_with(place, *WORDS), [])


class OnDisk(EncryptionTest):
    def test_nothing_that_was_written_can_be_read(self):
        with self.encrypted() as server:
            self.fill(server)
            self.assertIn("  encryption  AES-256", server.output)
            self.assert_nothing_readable()  # the log
            items = self.items(server)
            server.kill()
        self.assert_nothing_readable()
        for _ in range(3):
            with self.encrypted() as server:  # the log becomes tables, and those one
                self.assertEqual(self.items(server), items)
                self.assert_nothing_readable()
            self.assert_nothing_readable()
        self.assertGreater(sum(path.stat().st_size for path in (self.data / "encrypted").iterdir()), 100_000)
        self.assertEqual(sorted(path.name for path in self.data.iterdir()), ["GRAMME", "KEY", "RESERVE", "encrypted"])

    def test_without_a_key_all_of_it_is_found(self):
        """The canary: the search finds what is there."""
        with self.server() as server:
            self.fill(server, 20)
            for word in (TABLE, INDEX, KEY, VALUE, ATTRIBUTE, "needle in a hay"):
                self.assertNotEqual(files_with(self.data, word), [], word)

    def test_a_kill_loses_nothing(self):
        count = 0
        for _ in range(6):
            with self.encrypted() as server:
                if count == 0:
                    self.fill(server, 0)
                self.assertEqual(len(self.items(server)), count)
                self.put(boto3_client(server.endpoint), 25, count)
                count += 25
                server.kill()
            self.assert_nothing_readable()


class Keys(EncryptionTest):
    def refused_to_serve(self, *options):
        before = fingerprint(self.data)
        refusal = self.refused("serve", "--port", "0", "--data", self.data, *options)
        self.assertEqual(fingerprint(self.data), before, "something was touched")
        return refusal

    def test_a_directory_that_lost_its_marker_keeps_its_key(self):
        with self.encrypted() as server:
            self.fill(server, 1)
        marker = self.data / "GRAMME"
        text = marker.read_text()
        marker.unlink()
        for options in (["--encrypt-with", self.key], []):
            self.assertEqual(self.refused_to_serve(*options),
                             f"{self.data} is damaged: it has a store, {self.data}/encrypted, but not its file GRAMME")
        marker.write_text(text)
        with self.encrypted() as server:
            self.assertEqual(len(self.items(server)), 1)

    def test_where_a_key_comes_from(self):
        raw = make_key(self.folder / "raw", "raw")
        with self.encrypted(key=raw) as server:
            self.fill(server, 1)
        for source in (f"command:cat {raw}", f"command:od -An -v -tx1 {raw} | tr -d ' \\n'", f"command:base64 -w0 < {raw}"):
            with self.encrypted(key=source) as server:
                self.assertEqual(len(self.items(server)), 1)
        raw.chmod(0o444)
        self.assertEqual(self.refused_to_serve("--encrypt-with", raw),
                         f"the key {raw} may be read by others than its owner: chmod 600 {raw}")
        os.environ["CREDENTIALS_DIRECTORY"] = str(self.folder)
        self.addCleanup(os.environ.pop, "CREDENTIALS_DIRECTORY")
        with self.encrypted(key="credential:raw") as server:
            self.assertEqual(len(self.items(server)), 1)

    def test_a_wrong_or_missing_key(self):
        other = make_key(self.folder / "other")
        with self.encrypted() as server:
            self.fill(server, 5)
        self.assertRegex(self.refused_to_serve("--encrypt-with", other),
                         rf"^{self.data} is encrypted with another key than {other}: it needs the key with the id "
                         "[0-9a-f]{16}, and this one has [0-9a-f]{16}$")
        self.assertEqual(self.refused_to_serve(), f"{self.data} is encrypted: give its key with --encrypt-with")
        self.assertEqual(self.refused("backup", self.data, self.file), f"{self.data} is encrypted: give its key with --encrypt-with")
        (self.data / "KEY").rename(self.folder / "KEY")
        self.assertRegex(self.refused_to_serve("--encrypt-with", self.key), "its file KEY, .* is missing$")
        (self.folder / "KEY").rename(self.data / "KEY")
        with self.encrypted() as server:
            self.assertEqual(len(self.items(server)), 5)

    def test_a_plain_directory_with_a_key(self):
        with self.server() as server:
            self.fill(server, 5)
        self.assertEqual(self.refused_to_serve("--encrypt-with", self.key),
                         f"{self.data} is not encrypted, and a key was given: gramme rekey {self.data} --new-key KEY encrypts it; "
                         "without --encrypt-with it is opened as it is")
        with self.server() as server:
            self.assertEqual(len(self.items(server)), 5)

    def test_no_key_without_a_directory(self):
        result = self.run_gramme("serve", "--memory", "--encrypt-with", self.key)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--encrypt-with", result.stderr)

    def test_no_key_in_what_is_said(self):
        """Whatever goes wrong, the key stands in no message."""
        text = self.key.read_text().strip()
        for source in (f"command:echo {text}00", f"command:echo {text} && false"):
            refusal = self.refused("serve", "--port", "0", "--data", self.data, "--encrypt-with", source)
            self.assertNotIn(text[:8], refusal)

    def test_a_creation_that_was_cut_short(self):
        """Killed at any moment of its first start, the directory is new or whole."""
        for milliseconds in range(0, 120, 8):
            process = subprocess.Popen([binary(), "serve", "--port", "0", "--data", self.data, "--encrypt-with", self.key],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(milliseconds / 1000)
            process.send_signal(signal.SIGKILL)
            process.wait()
        with self.encrypted() as server:
            self.fill(server, 1)


class Backups(EncryptionTest):
    def test_a_backup_of_a_running_server_needs_no_key(self):
        with self.encrypted() as server:
            self.fill(server)
            items = self.items(server)
            self.assertRegex(self.gramme("backup", self.data, self.file),
                             rf"^backed up {self.data} to {self.file}: \d+\.\d MB, encrypted, in .*; taken from the running server\n$")
            self.assertRegex(self.gramme("backup", self.data, self.folder / "counted", "--encrypt-with", self.key),
                             r": \d+ records \(300 items\), \d+\.\d MB, encrypted, in ")
        self.assert_nothing_readable(self.file, self.folder / "counted")
        self.check_restore(items)

    def test_a_backup_of_a_directory(self):
        with self.encrypted() as server:
            self.fill(server)
            items = self.items(server)
        self.assertRegex(self.gramme("backup", self.data, self.file, "--encrypt-with", self.key),
                         r": \d+ records \(300 items\), \d+\.\d MB, encrypted, in .*; no server was running\n$")
        self.assert_nothing_readable(self.file)
        self.check_restore(items)

    def check_restore(self, items):
        other = make_key(self.folder / "other")
        self.assertEqual(self.refused("restore", self.file, self.copy), "the backup is encrypted: give its key with --encrypt-with")
        self.assertIn("is encrypted with another key", self.refused("restore", self.file, self.copy, "--encrypt-with", other))
        self.assertFalse(self.copy.exists())
        self.assertRegex(self.gramme("restore", "--check", self.file, "--encrypt-with", self.key), r"\(300 items\)")
        self.gramme("restore", self.file, self.copy, "--encrypt-with", self.key)
        self.assert_nothing_readable(self.copy)
        with self.encrypted(data=self.copy) as server:
            self.assertEqual(self.items(server), items)

    def test_one_that_is_cut_off_or_changed(self):
        with self.encrypted() as server:
            self.fill(server)
            self.gramme("backup", self.data, self.file)
        backup = self.file.read_bytes()
        for name, content in (("cut", backup[:-1]), ("changed", backup[:-100] + b"!" + backup[-99:]), ("more", backup + b"!")):
            bad = self.folder / name
            bad.write_bytes(content)
            refusal = self.refused("restore", bad, self.copy, "--encrypt-with", self.key)
            self.assertRegex(refusal, "^the backup is (cut off|damaged): ")
            self.assertFalse(self.copy.exists())

    def test_a_plain_backup_becomes_an_encrypted_directory(self):
        self.backup_of_formats()
        self.gramme("restore", self.file, self.copy, "--encrypt-with", self.key)
        self.assertEqual(files_with(self.copy, "indexed", "by-g"), [])
        with self.encrypted(data=self.copy) as server:
            client = boto3_client(server.endpoint)
            self.assertIn("indexed", client.list_tables()["TableNames"])

    def test_a_server_that_stops_gives_the_backup_up(self):
        with self.encrypted() as server:
            self.fill_large(server)
            process = subprocess.Popen([binary(), "backup", str(self.data), "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=False)
            process.stdout.read(1000)
            server.stop()
            process.stdout.read()
            self.assertEqual(process.wait(), 1)
            self.assertRegex(process.stderr.read().decode(), "given up|cut off|went away")


class Rekey(EncryptionTest):
    """`gramme rekey`. What it does when it dies on the way is tested in tests/unit/admin/test_rekey.c."""

    def setUp(self):
        super().setUp()
        self.other = make_key(self.folder / "other")

    def test_another_key_while_a_server_runs(self):
        with self.encrypted() as server:
            self.fill(server, 10)
            before = fingerprint(self.data / "encrypted")
            self.assertEqual(self.gramme("rekey", self.data, "--encrypt-with", self.key, "--new-key", self.other),
                             f"rekeyed {self.data}: the new key opens it, and no other\n")
            self.assertEqual(fingerprint(self.data / "encrypted"), before)
            self.put(boto3_client(server.endpoint), 10, 10)
            self.gramme("backup", self.data, self.file)  # of the new key, though nobody told the server
        self.assertIn("is encrypted with another key", self.refused("serve", "--port", "0", "--data", self.data, "--encrypt-with", self.key))
        with self.encrypted(key=self.other) as server:
            self.assertEqual(len(self.items(server)), 20)
        self.gramme("restore", "--check", self.file, "--encrypt-with", self.other)
        self.assertIn("is encrypted with another key", self.refused("restore", "--check", self.file, "--encrypt-with", self.key))

    def test_a_plain_directory_is_encrypted_and_plain_again(self):
        with self.server() as server:
            self.fill(server)
            items = self.items(server)
            self.assertEqual(self.refused("rekey", self.data, "--new-key", self.key),
                             f"a server runs on {self.data}: stop it first. Only a change from one key to another can be made while it runs")
        self.assertRegex(self.gramme("rekey", self.data, "--new-key", self.key),
                         rf"^encrypted {self.data}: \d+ records, \d+\.\d MB in .* MB/s; copied and compared\n$")
        self.assert_nothing_readable()
        self.assertEqual(sorted(path.name for path in self.data.iterdir()), ["GRAMME", "KEY", "RESERVE", "encrypted"])
        with self.encrypted() as server:
            self.assertEqual(self.items(server), items)
            self.put(boto3_client(server.endpoint), 1, len(items))
            items = self.items(server)
        # Again it is done already, with another key it is not.
        self.gramme("rekey", self.data, "--new-key", self.key)
        self.assertIn("is encrypted with another key", self.refused("rekey", self.data, "--new-key", self.other))
        self.assertRegex(self.gramme("rekey", self.data, "--encrypt-with", self.key, "--plain"), rf"^decrypted {self.data}: ")
        self.assertEqual(sorted(path.name for path in self.data.iterdir()), ["GRAMME", "RESERVE", "store"])
        with self.server() as server:
            self.assertEqual(self.items(server), items)

    def test_access_keys_stay_good(self):
        def works(*options):
            with self.server(None, "--auth", *options) as server:
                self.assertEqual(boto3_client(server.endpoint, identifier, secret=secret).list_tables()["TableNames"], [])

        with self.server(None, "--auth") as server:
            identifier, secret = key_of(server.output)
        self.gramme("rekey", self.data, "--new-key", self.key)
        self.assertIn("sealed", (self.data / "SECRETS").read_text())
        works("--encrypt-with", self.key)
        self.gramme("rekey", self.data, "--encrypt-with", self.key, "--new-key", self.other)
        works("--encrypt-with", self.other)
        self.gramme("rekey", self.data, "--encrypt-with", self.other, "--plain")
        works()
        self.assertEqual((self.data / "SECRETS").stat().st_mode & 0o777, 0o600)

    def test_what_is_refused(self):
        with self.encrypted() as server:
            self.fill(server, 1)
        before = fingerprint(self.data)
        self.assertIn("is encrypted with another key", self.refused("rekey", self.data, "--encrypt-with", self.other, "--new-key", self.key))
        self.assertEqual(self.refused("rekey", self.data, "--plain"), f"{self.data} is encrypted: give its key with --encrypt-with")
        self.assertIn("No such file", self.refused("rekey", self.folder / "nowhere", "--new-key", self.key))
        self.assertEqual(self.refused("rekey", self.folder, "--new-key", self.key),
                         f"{self.folder} is not a data directory of gramme: it has no file GRAMME")
        for arguments in ((), ("--new-key", self.key, "--plain")):
            self.assertEqual(self.run_gramme("rekey", self.data, *arguments).returncode, 2)
        self.assertEqual(fingerprint(self.data), before)

    def test_a_plain_store_that_a_crash_left_is_removed(self):
        with self.server() as server:
            self.fill(server, 1)
        self.gramme("rekey", self.data, "--new-key", self.key)
        for finish in (lambda: self.gramme("rekey", self.data, "--new-key", self.key), lambda: self.encrypted().start().stop()):
            (self.data / "store").mkdir()
            (self.data / "store" / "000001.log").write_text(TABLE)
            finish()
            self.assert_nothing_readable()
            self.assertFalse((self.data / "store").exists())


class Described(EncryptionTest):
    """SSESpecification is answered as the service does; the log tells what is true."""

    WARNING = "asks for encryption, and this server has no key"

    def create(self, client, name, **more):
        return client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", **more,
                                   AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                                   KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])["TableDescription"]

    def ask(self, server):
        client = boto3_client(server.endpoint)
        self.create(client, "careless")
        described = self.create(client, "careful", SSESpecification={"SSEType": "KMS"})["SSEDescription"]
        self.assertEqual((described["Status"], described["SSEType"]), ("ENABLED", "KMS"))
        client.update_table(TableName="careless", SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/mine"})
        client.update_table(TableName="careless", TableClass="STANDARD_INFREQUENT_ACCESS")
        client.close()

    def test_without_a_key_each_table_is_warned_of_once(self):
        with self.server() as server:
            self.ask(server)
        warnings = [line for line in server.error_text().splitlines() if self.WARNING in line]
        self.assertEqual([line.split("table ")[1].split()[0] for line in warnings], ["careful", "careless"])
        self.assertTrue(all(" warning " in line for line in warnings))
        self.assertNotIn("encryption", server.output)
        with self.server() as server:
            self.assertRegex(server.error_text(), "warning 2 tables ask for encryption, careful first, and this server has no key")
            self.assertIn("  encryption  none, though tables ask for it: 2\n", server.output)

    def test_with_a_key_or_in_memory_there_is_nothing_to_warn_of(self):
        with self.encrypted() as server:
            self.ask(server)
            self.assertEqual(server.error_text(), "")
        with self.encrypted() as server:
            self.assertNotIn("warning", server.error_text())
        with Server("--memory") as server:
            self.ask(server)
            self.assertEqual(server.error_text(), "")


if __name__ == "__main__":
    unittest.main()
