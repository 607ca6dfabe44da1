"""`gramme top`: plain where there is no terminal, and on one."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import tempfile
import termios
import threading
import unittest
import unittest.mock

from server import Server, binary
from waiting import WAIT_S, wait_until
from wire import Connection, WireTest, call

TABLE = {"TableName": "music", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}


class Load:
    """GetItem and PutItem, until it is left."""

    def __init__(self, port):
        self.port, self.stop = port, threading.Event()

    def __enter__(self):
        call(self.port, "CreateTable", TABLE)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        return self

    def run(self):
        connection, number = Connection(self.port), 0
        while not self.stop.is_set():
            number += 1
            connection.call("GetItem", TableName="music", Key={"pk": {"S": "a"}})
            connection.call("PutItem", TableName="music", Item={"pk": {"S": "a"}, "n": {"N": str(number)}})
        connection.close()

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


def top(*arguments):
    return subprocess.run([binary(), "top", *map(str, arguments)], text=True, capture_output=True, timeout=60)


class Once(WireTest):
    def check(self, run):
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        rows = {line.split()[0]: line.split()[1:] for line in run.stdout.splitlines() if line}
        for name in ("GetItem", "PutItem", "music"):
            self.assertGreater(float(rows[name][0].rstrip("kM")), 0, run.stdout)
        self.assertRegex(run.stdout, r"requests \S+/s  commits \S+/s of 1\.0 writes")
        self.assertRegex(" ".join(rows["GetItem"]), r"\d (us|ms) .*\d (us|ms) .*\d (us|ms)$")
        self.assertNotIn("\033", run.stdout)

    def test_of_a_url(self):
        with Load(self.server.port):
            self.check(top("--once", "--interval", 1, f"http://127.0.0.1:{self.server.port}"))

    def test_of_the_server_that_the_environment_names(self):
        with Load(self.server.port), unittest.mock.patch.dict(os.environ, AWS_ENDPOINT_URL=self.server.endpoint):
            self.check(top("--once", "--interval", 1))

    def test_what_is_wrong(self):
        for source, text in (("http://127.0.0.1:1", "nobody answers at http://127.0.0.1:1"),
                             (f"http://127.0.0.1:{self.server.port}/nothing", "answers with status 404"),
                             ("https://127.0.0.1:1", "nobody answers at https://127.0.0.1:1"), ("ftp://127.0.0.1", "is no http:// or https:// URL"), ("/nowhere/at/all", "cannot open")):
            run = top("--once", source)
            self.assertEqual((run.returncode, run.stdout), (1, ""))
            self.assertIn(text, run.stderr)


class Directory(unittest.TestCase):
    def test_of_a_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server("--data", folder) as server, Load(server.port):
                run = top("--once", "--interval", 1, folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertRegex(run.stdout, r"(?m)^music +[1-9]")
            self.assertRegex(run.stdout, r"sync p50 [\d.]+ [mu]s p99 [\d.]+ [mu]s")
            run = top("--once", folder)
            self.assertEqual((run.returncode, "no server runs on" in run.stderr), (1, True))


class Terminal(WireTest):
    def test_screen(self):
        """It has a screen of its own, follows the size, ends with q and leaves everything as it was."""
        with Load(self.server.port):
            main, side = pty.openpty()
            fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 100, 0, 0))
            before = termios.tcgetattr(side)
            process = subprocess.Popen([binary(), "top", "--interval", "0.2", f"http://127.0.0.1:{self.server.port}"],
                                       stdin=side, stdout=side, stderr=side)
            text = self.read_until(main, b"music")
            self.assertTrue(text.startswith(b"\033[?1049h\033[?25l"), text[:40])
            fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 5, 30, 0, 0))
            wait_until(lambda: self.fits(main, 5, 30), "a picture of the new size")
            os.write(main, b"q")
            self.assertEqual(process.wait(WAIT_S), 0)
            self.assertTrue(self.read_all(main).endswith(b"\033[?25h\033[?1049l"))
            self.assertEqual(termios.tcgetattr(side), before)
            os.close(main)
            os.close(side)

    def read_until(self, fd, wanted):
        text = b""

        def is_there():
            nonlocal text
            if select.select([fd], [], [], 1)[0]:
                text += os.read(fd, 65536)
            return wanted in text

        wait_until(is_there, lambda: text)
        return text

    def fits(self, fd, rows, columns):
        """The next picture that is whole."""
        pictures = [each for each in self.read_until(fd, b"\033[J").split(b"\033[H") if b"\033[J" in each]
        lines = re.sub(rb"\033\[\w", b"", pictures[-1]).replace(b"\r", b"").split(b"\n")
        return len(lines) <= rows and max(len(line.strip()) for line in lines) <= columns

    def read_all(self, fd):
        text = b""
        while select.select([fd], [], [], 0.05)[0]:
            text += os.read(fd, 65536)
        return text


if __name__ == "__main__":
    unittest.main()
