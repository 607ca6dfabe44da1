"""The scrub: the files of a running server are read through again and again, and damage to them is told in the log and the metrics."""

import contextlib
import re
import unittest

import exposition
from backup import BackupTest
from encryption import make_key
from test_formats import fill
from waiting import wait_until
from wire import boto3_client, http_request


def sample(server, name):
    """Of the store; None: there is none."""
    page = http_request(server.port, "GET", "/metrics", {}, "").body.decode()
    return exposition.parse(page).get((f"gramme_store_scrub_{name}", ()))


class Scrub(BackupTest):
    def filled(self, *options):
        """A database with tables; the path of them."""
        with self.server(None, *options) as server:
            fill(boto3_client(server.endpoint))
        with self.server(None, *options):
            return self.data / ("encrypted" if options else "store")

    def scrubbed(self, server, times=1):
        for _ in range(times):
            before = sample(server, "ended_timestamp_seconds")
            wait_until(lambda: sample(server, "ended_timestamp_seconds") > before)

    def test_a_sound_directory(self):
        key = make_key(self.folder / "key")
        for options in ((), ("--encrypt-with", key)):
            self.data = self.folder / f"data{len(options)}"
            store, header = self.filled(*options), 4096 if options else 0
            with self.server(None, "--scrub", "1s", *options) as server:
                self.scrubbed(server, 2)
                self.assertEqual(sample(server, "faults"), 0)
                self.assertGreater(sample(server, "bytes"), sum(table.stat().st_size - header for table in store.glob("*.sst")))
            self.assertRegex((store / "SCRUBBED").read_text(), r"^gramme scrubbed, format 1: table \d+, .*, checksum [0-9a-f]{8}\n$")
            self.assertRegex(server.error_text(), r" info the store's files were read through: \d+ bytes, 0 files damaged\n")
            with self.server(None, *options) as server:
                self.assertEqual(sample(server, "bytes"), 0)
            (store / "SCRUBBED").write_bytes(b"no mark")
            with self.server(None, "--scrub", "1s", *options) as server:
                self.scrubbed(server)

    def test_a_damaged_file_is_told_and_the_server_goes_on(self):
        store, damaged = self.filled(), set()
        with self.server(None, "--scrub", "1s") as server:
            def found():
                # A compaction may replace a table at any time, and another is damaged then.
                if not any(table.exists() for table in damaged):
                    table = max(store.glob("*.sst"))
                    with contextlib.suppress(FileNotFoundError), open(table, "r+b") as file:
                        byte = file.read(1)[0]
                        file.seek(0)
                        file.write(bytes([byte ^ 1]))
                    damaged.add(table)
                return sample(server, "faults") >= 1
            wait_until(found)
            wait_until(lambda: re.search(rf" error the store's file {store}/\d+.sst is damaged: Corruption: ", server.error_text()), "the line of the log")
            self.assertEqual(boto3_client(server.endpoint).list_tables()["TableNames"], ["indexed", "plain"])

    def test_none(self):
        self.filled()
        with self.server(None, "--scrub", "0") as server:
            self.assertIsNone(sample(server, "bytes"))
        self.assertFalse((self.data / "store/SCRUBBED").exists())


if __name__ == "__main__":
    unittest.main()
