"""gramme-demo: gramme and the five systems at work, and how it comes to its end."""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "apps/common"), str(ROOT / "tests/wire")]
from testing import BUILD, settings  # noqa: E402

TIMEOUT_S = 60
SYSTEMS = ["payment-saga", "ledger", "stock-cache", "exchange-rates", "lunch-cache"]
PROGRAMS = {"gramme", *(f"gramme-{name}" for name in SYSTEMS)}


def children(pid):
    """{name: pid} of the children of a process."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = re.search(r"\((.*)\) . (\d+)", path.read_text()).groups()
            if int(rest) == pid:
                found[pathlib.Path(os.readlink(path.parent / "exe")).name] = int(path.parent.name)
        except (OSError, AttributeError):
            continue  # gone meanwhile
    return found


class Demo:
    """The program in a temporary folder of its own, until the end of the `with` block."""

    def __init__(self, *arguments):
        self.arguments, self.folder = arguments, tempfile.TemporaryDirectory()

    def __enter__(self):
        self.process = subprocess.Popen(
            [BUILD / "apps/demo/gramme-demo", "run", *self.arguments], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**settings("http://nobody.invalid"), "TMPDIR": self.folder.name})
        return self

    def wait_for_page(self):
        for line in self.process.stdout:
            if line.startswith("listening on http://"):
                self.host = line.split("//")[1].strip()
                return self
        raise AssertionError(self.process.communicate()[1])

    def end(self, sent=None):
        """(status, what it said on stderr); nothing of it is left then."""
        pids = children(self.process.pid)
        if sent:
            self.process.send_signal(sent)
        _, errors = self.process.communicate(timeout=TIMEOUT_S)
        left = [name for name, pid in pids.items() if pathlib.Path(f"/proc/{pid}").exists()]
        assert left == [] and os.listdir(self.folder.name) == [], (left, os.listdir(self.folder.name))
        return self.process.returncode, errors

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.communicate(timeout=TIMEOUT_S)
        self.folder.cleanup()

    def request(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(self.host, timeout=TIMEOUT_S)
        given = {} if body is None else {"Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), {**given, **(headers or {})})
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        return reply.status, text


class AtWork(unittest.TestCase):
    def test_it_tells_of_all_and_leaves_nothing(self):
        with Demo() as demo:
            demo.wait_for_page()
            self.assertEqual(set(children(demo.process.pid)), PROGRAMS)
            for name in SYSTEMS:
                self.assertIn(f"# {name}\n", demo.request("GET", f"/systems/{name}/readme")[1])
                described = json.loads(demo.request("GET", f"/systems/{name}/openapi.json")[1])
                self.assertEqual(described["info"]["title"], f"gramme-{name}")
            self.assertEqual(demo.request("GET", "/systems/other/readme")[0], 404)
            self.assertEqual(demo.end(signal.SIGTERM), (0, ""))


class Ends(unittest.TestCase):
    def test_a_part_that_dies_is_named_and_ends_all(self):
        with Demo() as demo:
            demo.wait_for_page()
            os.kill(children(demo.process.pid)["gramme-ledger"], signal.SIGKILL)
            status, errors = demo.end()
        self.assertEqual(status, 1)
        self.assertIn("gramme-demo: watch: gramme-ledger was killed by signal 9\n", errors)

    def test_a_signal_while_it_starts(self):
        with Demo() as demo:
            until = time.monotonic() + TIMEOUT_S
            while not children(demo.process.pid) and time.monotonic() < until:
                time.sleep(0.005)
            self.assertEqual(demo.end(signal.SIGINT), (0, ""))

    def test_a_folder_that_cannot_be(self):
        with Demo("--data", "/dev/null/x") as demo:
            status, errors = demo.end()
        self.assertEqual((status, errors), (1, "gramme-demo: cannot make /dev/null/x: Not a directory\n"))


if __name__ == "__main__":
    unittest.main()
