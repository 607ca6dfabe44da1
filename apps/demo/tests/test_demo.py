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

    def state(self):
        return json.loads(self.request("GET", "/state")[1])

    def wait_until(self, condition, what):
        until = time.monotonic() + TIMEOUT_S
        while time.monotonic() < until:
            state = self.state()
            if condition(state):
                return state
            time.sleep(0.1)
        raise AssertionError(f"not within {TIMEOUT_S} s: {what}: {json.dumps(state)[:2000]}")


def counter(state, system, name):
    match = re.search(rf"^gramme_{system.replace('-', '_')}_{name} (\d+)$", state["systems"][system]["metrics"] or "", re.M)
    return int(match.group(1)) if match else 0


class AtWork(unittest.TestCase):
    """One run for all of these."""

    @classmethod
    def setUpClass(cls):
        cls.demo = Demo()
        cls.demo.__enter__().wait_for_page()

    @classmethod
    def tearDownClass(cls):
        cls.demo.__exit__()

    def test_1_all_five_show_activity(self):
        conditions = {
            "payments": lambda s: counter(s, "payment-saga", "payments_success_total") >= 2 and s["systems"]["payment-saga"]["anna"],
            "balances that are those of the events": lambda s: s["systems"]["payment-saga"]["annaChecked"]["right"],
            "a reconciliation": lambda s: (s["systems"]["ledger"]["reconciliation"] or {}).get("transactions", 0) > 5,
            "quotes": lambda s: counter(s, "stock-cache", "hits_total") and counter(s, "stock-cache", "misses_total"),
            "rates": lambda s: len((s["systems"]["exchange-rates"]["rates"] or {}).get("rates", [])) == 7,
            "menus": lambda s: counter(s, "lunch-cache", "menus_stored_total") and s["systems"]["lunch-cache"]["stats"]["all"]["menus"],
            "events of all": lambda s: all(len(s["systems"][name]["events"]) >= 3 for name in SYSTEMS),
            "requests of all": lambda s: all(s["systems"][name]["past"][-1][1] > s["systems"][name]["past"][0][1]
                                             for name in ("gramme", *SYSTEMS)),
        }
        for what, condition in conditions.items():
            with self.subTest(what):
                state = self.demo.wait_until(condition, what)
        self.assertEqual(state["systems"]["ledger"]["reconciliation"]["problems"], 0)
        self.assertEqual(set(children(self.demo.process.pid)), PROGRAMS)

    def test_2_what_it_passes_on(self):
        for name in SYSTEMS:
            self.assertIn(f"# {name}\n", self.demo.request("GET", f"/systems/{name}/readme")[1])
            described = json.loads(self.demo.request("GET", f"/systems/{name}/openapi.json")[1])
            self.assertEqual(described["info"]["title"], f"gramme-{name}")
            self.assertIn("_requests_total{", self.demo.request("GET", f"/systems/{name}/metrics")[1])
        self.assertEqual(self.demo.request("GET", "/systems/other/readme")[0], 404)
        self.assertEqual(self.demo.request("GET", "/state", headers={"Host": "evil.example"})[0], 403)

    def test_4_the_gateway_fails_when_it_is_told_to(self):
        for body in ({}, {"seconds": 0}, {"seconds": 61}, {"seconds": "8"}):
            self.assertEqual(self.demo.request("POST", "/outages", body)[0], 400, body)
        self.assertEqual(self.demo.request("POST", "/outages", {"seconds": 20}), (200, '{"seconds":20}\n'))
        self.assertTrue(self.demo.state()["gatewayFails"])
        self.demo.wait_until(lambda s: (s["systems"]["payment-saga"]["breaker"] or {}).get("state") == "OPEN", "an open breaker")

    def test_5_it_stops_and_leaves_nothing(self):
        self.assertEqual(self.demo.end(signal.SIGTERM), (0, ""))


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

    def test_what_was_paid_is_there_the_next_time(self):
        with tempfile.TemporaryDirectory() as folder:
            seen = []
            for _ in range(2):
                with Demo("--data", folder) as demo:
                    demo.wait_for_page()
                    state = demo.wait_until(lambda s: s["systems"]["ledger"]["reconciliation"], "a reconciliation")
                    seen.append(state["systems"]["ledger"]["reconciliation"])
                    demo.wait_until(lambda s: len(s["systems"]["ledger"]["events"]) >= 4, "postings")
                    self.assertEqual(demo.end(signal.SIGTERM), (0, ""))
            self.assertEqual([found["problems"] for found in seen], [0, 0])
            self.assertGreater(seen[1]["transactions"], seen[0]["transactions"])
            self.assertIn("gramme-ledger.log", os.listdir(folder))

    def test_a_folder_that_cannot_be(self):
        with Demo("--data", "/dev/null/x") as demo:
            status, errors = demo.end()
        self.assertEqual((status, errors), (1, "gramme-demo: cannot make /dev/null/x: Not a directory\n"))


if __name__ == "__main__":
    unittest.main()
