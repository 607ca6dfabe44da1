"""`gramme backup` and `gramme restore` cut short, with damaged files and with names in the way: nothing half under a final name."""

import signal
import subprocess
import unittest
import zlib

from backup import BackupTest, scan_all
from server import binary
from test_formats import DEFINITIONS
from waiting import wait_until
from wire import boto3_client


def sealed(dump):
    """A backup with the checksums that its bytes ask for."""
    dump = bytearray(dump)
    crc, at = zlib.crc32(dump[:16]), 16
    while at < len(dump):
        end = at + 16 + int.from_bytes(dump[at + 4:at + 8], "little")
        crc = zlib.crc32(dump[at + 16:end], zlib.crc32(dump[at:at + 12], crc))
        dump[at + 12:at + 16] = crc.to_bytes(4, "little")
        at = end
    return bytes(dump)


class Cut(BackupTest):
    def test_a_backup_that_is_killed_leaves_no_file(self):
        with self.server() as server:
            self.fill_large(server)
            server.process.send_signal(signal.SIGSTOP)
            try:
                backup = self.start("backup", self.data, self.file)
                partial = self.folder / "file.partial"
                wait_until(partial.exists)
                self.assertIn("another backup is writing", self.refused("backup", self.data, self.file))
                backup.kill()
                backup.wait()
            finally:
                server.process.send_signal(signal.SIGCONT)
            self.assertEqual(self.names(), ["data", "file.partial"])
            self.gramme("backup", self.data, self.file)
            self.assertEqual(self.names(), ["data", "file"])
        self.gramme("restore", "--check", self.file)

    def test_a_server_that_is_killed_during_a_backup(self):
        with self.server() as server:
            self.fill_large(server)
            server.process.send_signal(signal.SIGSTOP)
            backup = subprocess.Popen([binary(), "backup", self.data, self.file], stderr=subprocess.PIPE, text=True)
            wait_until((self.folder / "file.partial").exists)
            server.kill()
            said = backup.communicate(timeout=60)[1]
        self.assertEqual((backup.returncode, said), (1, "gramme: the server went away before it answered\n"))
        self.assertEqual(self.names(), ["data"])
        # Its socket is still there, and nobody listens.
        self.assertTrue((self.data / "control").exists())
        self.assertIn("; no server was running", self.gramme("backup", self.data, self.file))
        with self.server():
            self.assertIn("; taken from the running server", self.gramme("backup", "--force", self.data, self.file))
        self.assertFalse((self.data / "control").exists())

    def half_restored(self):
        """A restore that waits for the second half of its file."""
        with self.server() as server:
            self.fill_large(server)
        self.gramme("backup", self.data, self.file)
        restore = self.start("restore", "-", self.copy, stdin=subprocess.PIPE)
        dump = self.file.read_bytes()
        restore.stdin.write(dump[:len(dump) // 2])
        restore.stdin.flush()
        self.partial = self.folder / "copy.partial"
        wait_until(lambda: (self.partial / "store/CURRENT").exists())
        return restore

    def test_a_restore_that_is_killed_leaves_no_directory(self):
        restore = self.half_restored()
        self.assertIn("another restore is working", self.refused("restore", self.file, self.copy))
        restore.kill()
        restore.wait()
        restore.stdin.close()
        self.assertEqual(self.names(), ["copy.partial", "data", "file"])
        # What is left is not taken for a database, and is out of the way of the next one.
        self.assertIn("not a data directory of gramme", self.refused("serve", "--port", "0", "--data", self.partial))
        self.assertIn("not a data directory of gramme", self.refused("backup", self.partial, self.folder / "other"))
        self.gramme("restore", self.file, self.copy)
        self.assertEqual(self.names(), ["copy", "data", "file"])
        with self.server(self.copy) as server:
            self.assertEqual(len(scan_all(boto3_client(server.endpoint), "large")), 12)

    def test_a_restore_whose_input_ends_early_leaves_nothing(self):
        restore = self.half_restored()
        restore.stdin.close()
        self.assertEqual(restore.wait(60), 1)
        self.assertEqual(self.names(), ["data", "file"])

    def test_a_full_disk_leaves_nothing(self):
        with self.server() as server:
            self.fill_large(server)
            limited = ["prlimit", "--fsize=1000000", binary()]
            for directory in ("the running one", None):
                result = subprocess.run([*limited, "backup", self.data, self.file], text=True, capture_output=True, timeout=60)
                self.assertEqual((result.returncode, result.stderr),
                                 (1, f"gramme: cannot write {self.file}: File too large\n"))
                self.assertEqual(self.names(), ["data"])
                if directory:
                    server.stop()
                    self.gramme("backup", self.data, self.file)  # Opens the database, whose log then becomes a table.
                    self.file.unlink()
        self.gramme("backup", self.data, self.file)
        result = subprocess.run([*limited, "restore", self.file, self.copy], text=True, capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn("File too large", result.stderr)
        self.assertEqual(self.names(), ["data", "file"])


class Damage(BackupTest):
    def test_damage_is_found_and_leaves_nothing(self):
        self.backup_of_formats()
        dump = self.file.read_bytes()
        damaged = self.folder / "damaged"
        cases = [dump[:n] + bytes([dump[n] ^ 4]) + dump[n + 1:] for n in (20, 40, len(dump) // 2, len(dump) - 1)]
        cases += [dump[:-1], dump + b"\n", dump[:16], b"", b"PK\x03\x04 and so on", dump[:12] + b"\x02" + dump[13:]]
        for case in cases:
            with self.subTest(bytes=len(case)):
                damaged.write_bytes(case)
                told = self.refused("restore", damaged, self.copy)
                self.assertEqual(self.refused("restore", "--check", damaged), told)
                self.assertRegex(told, r"^(the backup is (damaged at byte \d+: .*|cut off: .*|empty)"
                                       r"|this is not a backup of gramme: .*|.*: use a newer gramme)$")
                self.assertEqual(self.names(), ["damaged", "data", "file"])
        self.assertRegex(self.gramme("restore", "--check", self.file), rf"^verified {self.file}: ")

    def test_records_are_checked_and_not_only_checksums(self):
        """Whoever makes a backup can give it any checksum."""
        self.backup_of_formats()
        whole = self.file.read_bytes()
        at = whole.index(b"\x02pk\x01") + 3  # the tag of an item's key: S becomes N
        self.file.write_bytes(sealed(whole[:at] + b"\x02" + whole[at + 1:]))
        for arguments in (["--check", self.file], [self.file, self.copy]):
            text = self.refused("restore", *arguments)
            self.assertRegex(text, r"the backup is damaged: record \d+, in '(items|indexes|changes)': it")
        self.assertFalse(self.copy.exists())
        self.file.write_bytes(sealed(whole))
        self.gramme("restore", "--check", self.file)

    def test_names_in_the_way(self):
        self.backup_of_formats()
        before = self.file.read_bytes()
        self.assertEqual(self.refused("backup", self.data, self.file),
                         f"{self.file} is there already: choose another name, or replace it with --force")
        self.assertEqual(self.file.read_bytes(), before)
        self.gramme("backup", "--force", self.data, self.file)
        self.assertNotEqual(self.file.read_bytes(), before)  # its time is another
        (self.folder / "folder").mkdir()
        self.assertEqual(self.refused("backup", "--force", self.data, self.folder / "folder"),
                         f"{self.folder}/folder is there and not a file")
        self.assertEqual(self.refused("backup", self.data, self.folder / "none/file"),
                         f"cannot write {self.folder}/none/file.partial: No such file or directory")
        self.assertEqual(self.refused("restore", self.file, self.data),
                         f"{self.data} is not empty: this goes to a new directory only")
        self.assertEqual(self.refused("restore", self.file, self.file), f"{self.file} is there and not a directory")
        self.assertEqual(self.refused("restore", self.folder / "none", self.copy),
                         f"cannot read {self.folder}/none: No such file or directory")
        (self.folder / "copy.partial").mkdir()
        (self.folder / "copy.partial/photos").mkdir()
        self.assertIn("is in the way", self.refused("restore", self.file, self.copy))
        self.assertTrue((self.folder / "copy.partial/photos").exists())

    def test_directories_that_are_fine(self):
        self.backup_of_formats()
        empty = self.folder / "empty"
        empty.mkdir()
        self.gramme("restore", self.file, empty)
        (self.folder / "link").symlink_to(self.folder / "linked")
        (self.folder / "linked").mkdir()
        self.gramme("restore", self.file, f"{self.folder}/link/")
        self.gramme("restore", self.file, self.folder / "not/there/yet")
        for directory in (empty, self.folder / "linked", self.folder / "not/there/yet"):
            with self.server(directory) as server:
                self.assertEqual(boto3_client(server.endpoint).list_tables()["TableNames"], sorted(DEFINITIONS))

    def test_what_is_not_a_data_directory(self):
        self.assertEqual(self.refused("backup", self.data, self.file), f"cannot open {self.data}: No such file or directory")
        self.data.mkdir()
        self.assertEqual(self.refused("backup", self.data, self.file),
                         f"{self.data} is not a data directory of gramme: it has no file GRAMME")
        self.assertEqual(self.names(), ["data"])
        self.assertEqual(list(self.data.iterdir()), [])

    def test_wrong_arguments_get_one_helpful_line(self):
        for arguments, text in (
                (["backup"], "backup: it takes STORE and FILE; see gramme backup --help"),
                (["backup", "a"], "backup: it takes STORE and FILE; see gramme backup --help"),
                (["backup", "a", "b", "c"], "backup: unexpected argument 'c'; see gramme backup --help"),
                (["backup", "--check", "a", "b"], "backup: there is no option '--check'; see gramme backup --help"),
                (["backup", "a", ""], "backup: FILE is empty: ''; see gramme backup --help"),
                (["restore", "a"], "restore: it takes FILE and STORE; see gramme restore --help"),
                (["restore", "--check", "a", "b"], "restore: --check and STORE do not go together; see gramme restore --help"),
                (["restore", "--force", "a"], "restore: there is no option '--force'; see gramme restore --help")):
            with self.subTest(arguments=arguments):
                result = self.run_gramme(*arguments)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (2, "", f"gramme {text}\n"))
        for command in ("backup", "restore"):
            self.assertTrue(self.gramme(command, "--help").startswith(f"Usage: gramme {command} "))
            self.assertIn(f"\n  {command} ", self.gramme("--help"))


if __name__ == "__main__":
    unittest.main()
