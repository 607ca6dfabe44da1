"""`gramme check`: what is sound is said to be, damage is told with its place, and nothing is changed."""

import hashlib
import pathlib
import re
import shutil
import tarfile
import unittest

from backup import BackupTest
from encryption import make_key
from test_formats import FORMATS, fill, key_options
from wire import boto3_client


def fingerprint(folder):
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 4
    path.write_bytes(data)


class CheckTest(BackupTest):
    def check(self, path, *options, status=0):
        """What it printed; the directory stays as it is."""
        before = fingerprint(self.folder)
        result = self.run_gramme("check", path, *options)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        self.assertEqual(fingerprint(self.folder), before)
        self.assertEqual(result.stderr == "", status != 2)
        return result.stderr if status == 2 else result.stdout

    def filled(self, *options, kill=False):
        """A database in tables and, when its server was killed, in its log."""
        with self.server(None, *options) as server:
            fill(boto3_client(server.endpoint))
        with self.server(None, *options) as server:
            client = boto3_client(server.endpoint)
            client.put_item(TableName="plain", Item={"pk": {"B": b"one more"}})
            if kill:
                server.kill()
        return self.data / ("encrypted" if options else "store")


class Sound(CheckTest):
    def test_a_directory_whose_server_was_stopped_or_killed(self):
        for kill in (False, True):
            if kill:
                with self.server() as server:
                    boto3_client(server.endpoint).put_item(TableName="plain", Item={"pk": {"B": b"and one"}})
                    server.kill()
            else:
                self.filled()
            told = self.check(self.data)
            self.assertRegex(told, r"^files: \d+ tables and logs, .* MB; \d+ commits are only in the log\n")
            self.assertIn(f"table plain: {4 if kill else 3} items, ", told)
            self.assertIn("\nindex indexed, by-g: 12 entries, ", told)
            self.assertTrue(told.endswith(f"\n{self.data} is sound\n"), told)

    def test_an_encrypted_directory(self):
        key = make_key(self.folder / "key")
        self.filled("--encrypt-with", key, kill=True)
        self.assertIn("is sound\n", self.check(self.data, "--encrypt-with", key))
        self.assertIn("is encrypted: give its key", self.check(self.data, status=2))
        other = make_key(self.folder / "other")
        self.check(self.data, "--encrypt-with", other, status=2)

    def test_directories_and_backups_of_earlier_versions(self):
        for path in sorted(FORMATS.iterdir()):
            if path.name.endswith(".tar.gz"):
                folder = self.folder / path.name
                with tarfile.open(path) as archive:
                    archive.extractall(folder)
                folder = next(marker.parent for marker in folder.rglob("GRAMME"))
                told = self.check(folder, *key_options(path))
            else:
                told = self.check(path, *key_options(path))
            self.assertIn("is sound\n", told)


class Damaged(CheckTest):
    def test_a_bit_of_a_table(self):
        table = max(self.filled().glob("*.sst"), key=lambda path: path.stat().st_size)
        flip(table, 100)
        told = self.check(self.data, status=1)
        self.assertIn(f"fault: table file {table.name}: Corruption: ", told)
        self.assertRegex(told, rf"\n{self.data} has \d+ faults?\n$")

    def test_a_bit_of_the_log(self):
        log = max(self.filled(kill=True).glob("*.log"))
        with self.server() as server:
            client = boto3_client(server.endpoint)
            for n in range(20):
                client.put_item(TableName="plain", Item={"pk": {"B": b"number %d" % n}})
            server.kill()
        log = max(log.parent.glob("*.log"))
        flip(log, 200)
        told = self.check(self.data, status=1)
        self.assertIn(f"its log {log.name} cannot be read at byte ", told)
        self.assertIn("records: not checked, since the database cannot be opened\n", told)

    def test_the_manifest(self):
        manifest = max(self.filled().glob("MANIFEST-*"))
        manifest.write_bytes(manifest.read_bytes()[:manifest.stat().st_size // 2])
        self.assertRegex(self.check(self.data, status=1), rf"^fault: The database in {manifest.parent} is damaged: .*{manifest.name}")

    def test_a_manifest_that_a_crash_cut_short(self):
        """A start leaves out what it did not sync; the check changes nothing, and says so."""
        manifest = max(self.filled().glob("MANIFEST-*"))
        whole = manifest.read_bytes()
        manifest.write_bytes(whole + bytes([1, 2, 3, 4, 9, 0, 1]) + bytes(range(9)))
        self.assertRegex(self.check(self.data, status=1), rf"^fault: .*; what cannot be read there, from byte {len(whole)} on, is what a crash cut short, "
                                                          "and a start leaves it out: check again after one")
        with self.server() as server:
            self.assertRegex(server.error_text(), rf"warning the store's {manifest.name} ends at byte {len(whole)} in what a crash cut short")
        self.check(self.data)

    def test_an_encrypted_table(self):
        key = make_key(self.folder / "key")
        table = max(self.filled("--encrypt-with", key).glob("*.sst"), key=lambda path: path.stat().st_size)
        flip(table, 4096 + 100)
        self.assertIn(f"fault: table file {table.name}: ", self.check(self.data, "--encrypt-with", key, status=1))

    def test_a_backup(self):
        self.backup_of_formats()
        self.assertIn(f"{self.file} is sound\n", self.check(self.file))
        flip(self.file, 2000)
        self.assertIn("fault: the backup is damaged", self.check(self.file, status=1))


class Salvaged(CheckTest):
    def salvage(self, *options, status=1):
        """What it printed; what it made is sound, and is served."""
        before = fingerprint(self.data)
        result = self.run_gramme("check", self.data, "--salvage", self.copy, *options)
        self.assertEqual((result.returncode, result.stderr), (status, ""), result.stdout)
        self.assertEqual(fingerprint(self.data), before)
        self.assertFalse(self.copy.with_name("copy.partial").exists())
        self.assertIn("is sound\n", self.check(self.copy, *options))
        return result.stdout

    def items(self, table, *options):
        with self.server(self.copy, *options) as server:
            return len(boto3_client(server.endpoint).scan(TableName=table)["Items"])

    def test_a_sound_directory_is_copied(self):
        self.filled(kill=True)
        told = self.salvage(status=0)
        self.assertEqual(told, f"salvaged {self.data} to {self.copy}: 2 tables, 16 items, 0 records of changes; nothing is lost\n")
        self.assertEqual((self.items("plain"), self.items("indexed")), (3, 13))

    def test_what_a_job_that_was_cut_off_left_is_nobodys_loss(self):
        """Tables that the manifest does not name: the next number, empty, and one that is damaged."""
        key = make_key(self.folder / "key")
        for options in ((), ("--encrypt-with", key)):
            store = self.filled(*options, kill=True)
            table = max(store.glob("*.sst"), key=lambda path: path.stat().st_size)
            left = store / f"{max(int(path.stem.rpartition('-')[2]) for path in store.iterdir() if path.stem[-1].isdigit()) + 1:06}.sst"
            left.touch()
            shutil.copy(table, store / "900001.sst")
            flip(store / "900001.sst", table.stat().st_size // 2)
            self.assertIn("is sound\n", self.check(self.data, *options))
            self.assertIn("; nothing is lost\n", self.salvage(*options, status=0))
            self.assertEqual((self.items("plain", *options), self.items("indexed", *options)), (3, 13))
            shutil.rmtree(self.copy)
            flip(store / "900001.sst", table.stat().st_size // 2)  # whole again, and not in use all the same
            lost = min(set(store.glob("*.sst")) - {left}, key=lambda path: path.stat().st_size)
            lost.write_bytes(b"")
            result = self.run_gramme("check", self.data, "--salvage", self.copy, *options)
            self.assertIn(result.returncode, (1, 2), result.stderr)
            self.assertRegex(result.stdout, f"^fault: table file {lost.name}: .*; nothing in it can be read\n")
            shutil.rmtree(self.data)
            shutil.rmtree(self.copy, ignore_errors=True)

    def test_a_manifest_that_is_older_than_the_tables(self):
        """As in a copy of a server that ran: what it names is gone, and what took its place it does not name."""
        store = self.filled(kill=True)
        table = max(store.glob("*.sst"), key=lambda path: path.stat().st_size)
        table.rename(store / "900001.sst")
        self.assertIn("fault: the database is put together anew", self.salvage())
        self.assertEqual((self.items("plain"), self.items("indexed")), (3, 13))

    def test_what_another_left_is_removed(self):
        """As of one that was killed, before a restore to the same name."""
        self.backup_of_formats()
        left = self.folder / "copy.partial/salvage/view"
        left.mkdir(parents=True)
        (left / "000001.sst").touch()
        (self.folder / "copy.partial/RESTORING").touch()
        self.gramme("restore", self.file, self.copy)
        self.assertEqual(sorted(path.name for path in self.copy.iterdir()), ["GRAMME", "store"])

    def flip_in_table(self, text):
        """A bit of a text that one table has, and not two, as may be when there was a compaction."""
        tables = []
        while len(tables) != 1:
            shutil.rmtree(self.data, ignore_errors=True)
            tables = [table for table in self.filled().glob("*.sst") if text in table.read_bytes()]
        flip(tables[0], tables[0].read_bytes().index(text))

    def test_a_bit_costs_one_item(self):
        self.flip_in_table(b"nested")
        told = self.salvage()
        self.assertRegex(told, r"keyspace items: .* around them \d+ are right by their own word, and 0 of older files")
        self.assertEqual((self.items("plain"), self.items("indexed")), (2, 13))

    def test_a_bit_of_a_definition_is_told(self):
        self.flip_in_table(b"storage")  # a tag
        self.assertIn("fault: catalog, record T plain: taken from a damaged block", self.salvage())
        self.assertEqual((self.items("plain"), self.items("indexed")), (3, 13))

    def test_tables_that_cannot_be_read(self):
        tables = sorted(self.filled().glob("*.sst"))
        for table in tables:
            # One of these has the format record. Whatever the others lose, the rest is there.
            if b"indexed" not in table.read_bytes():
                table.write_bytes(b"not a table")
        told = self.salvage()
        self.assertIn("; nothing in it can be read\n", told)
        self.assertEqual(self.items("plain"), 1)  # of the log

    def test_a_manifest_that_is_gone(self):
        for manifest in self.filled(kill=True).glob("MANIFEST-*"):
            manifest.unlink()
        self.assertIn("fault: the database is put together anew", self.salvage())
        self.assertEqual((self.items("plain"), self.items("indexed")), (3, 13))

    def test_everything_in_the_log_without_a_manifest(self):
        with self.server() as server:
            fill(boto3_client(server.endpoint))
            server.kill()
        self.assertEqual([*self.data.glob("store/*.sst")], [])
        (self.data / "store/CURRENT").unlink()
        self.salvage()
        self.assertEqual((self.items("plain"), self.items("indexed")), (2, 13))

    def test_an_encrypted_directory_with_secrets(self):
        key = make_key(self.folder / "key")
        options = ("--encrypt-with", key)
        self.filled(*options)
        made = self.gramme("key", "create", self.data, *options)
        flip(self.data / "GRAMME", 3)
        told = self.run_gramme("check", self.data, "--salvage", self.copy, *options)
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
        self.assertEqual(self.items("plain", *options), 3)
        self.assertTrue((self.copy / "SECRETS").exists())
        key_id = re.search(r"aws_access_key_id *= *(\S+)", made)[1]
        secret = re.search(r"aws_secret_access_key *= *(\S+)", made)[1]
        with self.server(self.copy, "--auth", *options) as server:
            client = boto3_client(server.endpoint, key_id, secret=secret)
            self.assertEqual(client.list_tables()["TableNames"], ["indexed", "plain"])

    def test_a_backup(self):
        self.backup_of_formats()
        data = self.file.read_bytes()
        self.file.write_bytes(data[:-30])
        told = self.run_gramme("check", self.file, "--salvage", self.copy)
        self.assertEqual(told.returncode, 1, told.stderr)
        self.assertIn("fault: the backup ", told.stdout)
        self.assertIn("is sound\n", self.check(self.copy))
        self.assertEqual((self.items("plain"), self.items("indexed")), (2, 13))

    def test_what_cannot_be_salvaged(self):
        store = self.filled()
        self.copy.mkdir()
        (self.copy / "file").write_text("mine")
        told = self.run_gramme("check", self.data, "--salvage", self.copy)
        self.assertEqual((told.returncode, told.stdout), (2, ""))
        self.assertIn("is not empty", told.stderr)
        (self.copy / "file").unlink()
        for path in (*store.glob("*.sst"), *store.glob("*.log")):
            path.write_bytes(b"")
        told = self.run_gramme("check", self.data, "--salvage", self.copy)
        self.assertEqual(told.returncode, 2)
        self.assertIn("the format record is lost", told.stderr)
        self.assertEqual(self.names(), ["copy", "data"])


class Unchecked(CheckTest):
    def test_what_cannot_be_checked(self):
        self.assertIn("cannot read", self.check(self.folder / "nothing", status=2))
        self.assertIn("is not a data directory of gramme", self.check(self.folder, status=2))
        with self.server() as server:
            fill(boto3_client(server.endpoint))
            result = self.run_gramme("check", self.data)
            self.assertEqual(result.returncode, 2)
            self.assertIn("is in use: stop its server first\n", result.stderr)
        self.check(self.data)

    def test_a_directory_that_cannot_be_written(self):
        store = self.filled()
        for folder in (store, self.data):
            folder.chmod(0o500)
        self.addCleanup(lambda: [pathlib.Path(folder).chmod(0o700) for folder in (self.data, store)])
        self.assertIn("is sound\n", self.check(self.data))


if __name__ == "__main__":
    unittest.main()
