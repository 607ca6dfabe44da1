"""make demo: gramme and the five systems at work, the page that shows them, and how it comes to its end."""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "apps/common"), str(ROOT / "tests/wire")]
from testing import BUILD, settings  # noqa: E402
from waiting import wait_until

TIMEOUT_S = 60
SYSTEMS = ["payment-saga", "ledger", "stock-cache", "exchange-rates", "lunch-cache"]
PROGRAMS = {"gramme", *(f"gramme-{name}" for name in SYSTEMS)}
HOSTILE = "<img src=x onerror=alert(1)>"


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
        def found():
            state = self.state()
            return state if condition(state) else None

        return wait_until(found, lambda: f"{what}: {json.dumps(self.state())[:2000]}")


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
            "balances that are those of the events": lambda s: (s["systems"]["payment-saga"]["annaChecked"] or {}).get("right"),
            "a reconciliation": lambda s: (s["systems"]["ledger"]["reconciliation"] or {}).get("transactions", 0) > 5,
            "quotes": lambda s: counter(s, "stock-cache", "hits_total") and counter(s, "stock-cache", "misses_total"),
            "rates": lambda s: len((s["systems"]["exchange-rates"]["rates"] or {}).get("rates", [])) == 7,
            "menus": lambda s: counter(s, "lunch-cache", "menus_stored_total") and s["systems"]["lunch-cache"]["stats"]
                     and s["systems"]["lunch-cache"]["stats"]["all"]["menus"],
            "events of all": lambda s: all(len(s["systems"][name]["events"]) >= 3 for name in SYSTEMS),
            "requests of all": lambda s: all(s["systems"][name]["past"][-1][1] > s["systems"][name]["past"][0][1]
                                             for name in ("gramme", *SYSTEMS)),
        }
        for what, condition in conditions.items():
            with self.subTest(what):
                state = self.demo.wait_until(condition, what)
        self.assertEqual(state["systems"]["ledger"]["reconciliation"]["problems"], 0)
        self.assertEqual(set(children(self.demo.process.pid)), PROGRAMS)

    def test_2_the_page_and_its_links(self):
        status, page = self.demo.request("GET", "/")
        self.assertEqual(status, 200)
        for name in SYSTEMS:
            self.assertIn(f'<section class="card{" wide" if name in ("payment-saga", "ledger") else ""}" id="{name}"', page)
            self.assertIn(f"# {name}\n", self.demo.request("GET", f"/systems/{name}/readme")[1])
            described = json.loads(self.demo.request("GET", f"/systems/{name}/openapi.json")[1])
            self.assertEqual(described["info"]["title"], f"gramme-{name}")
            self.assertIn("_requests_total{", self.demo.request("GET", f"/systems/{name}/metrics")[1])
        for path in ("/page.css", "/page.js"):
            self.assertEqual(self.demo.request("GET", path)[0], 200)
        with urllib.request.urlopen(self.demo.state()["systems"]["gramme"]["address"] + "/_gramme/", timeout=TIMEOUT_S) as console:
            self.assertIn(b"<title>gramme</title>", console.read())
        self.assertEqual(self.demo.request("GET", "/systems/other/readme")[0], 404)
        self.assertEqual(self.demo.request("GET", "/", headers={"Host": "evil.example"})[0], 403)

    def test_3_strings_that_are_not_meant_well_are_text(self):
        state = self.demo.wait_until(lambda s: any(HOSTILE in event["what"] for event in s["systems"]["ledger"]["events"][:8]), HOSTILE)
        state["systems"]["lunch-cache"]["stats"]["restaurants"].append(
            {"restaurant": "<b>x</b>", "menus": 1, "lunches": 1, "errors": 0})
        script = ROOT / "apps/demo/page.js"
        result = subprocess.run(["node", ROOT / "apps/demo/tests/page_in_node.js", script], input=json.dumps(state), text=True,
                                capture_output=True, timeout=TIMEOUT_S)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        texts = json.loads(result.stdout)
        self.assertTrue(any(HOSTILE in text for text in texts["#ledger .events"]), texts)
        self.assertIn("<b>x</b>", texts["#menus tbody"])
        self.assertEqual(texts["#lost"], [])
        self.assertEqual(texts["#gramme .links"][:3], ["Console", "README", "Metrics"])

    @unittest.skipUnless(shutil.which("chromium"), "needs Chromium")
    def test_3_they_are_text_in_a_browser(self):
        self.demo.wait_until(lambda s: any(HOSTILE in event["what"] for event in s["systems"]["ledger"]["events"][:8]), HOSTILE)
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}",
                                     "--virtual-time-budget=3000", "--dump-dom", f"http://{self.demo.host}/"],
                                    text=True, capture_output=True, timeout=TIMEOUT_S)
        self.assertIn("<body>", result.stdout, result.stderr)
        body = result.stdout.split("<body>")[1]
        self.assertIn("● up", body)
        self.assertIn("requests a second", body)
        self.assertNotRegex(body, r"<(img|script|b|em)\b")
        self.assertIn(f'href="{self.demo.state()["systems"]["gramme"]["address"]}/_gramme/"', body)

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
            wait_until(lambda: children(demo.process.pid), "a child")
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


class Looks(unittest.TestCase):
    """What can be said of the page without looking at it."""

    def test_text_can_be_read_in_both_themes(self):
        """Contrast of at least 4.5 : 1 (WCAG 2, AA) of each colour of text on each ground that it stands on."""
        style = (ROOT / "apps/demo/page.css").read_text()
        themes = [dict(re.findall(r"--(\w+): (#\w{6})", part)) for part in re.findall(r":root \{(.*?)\}", style, re.S)]
        self.assertEqual(len(themes), 2)
        for theme in themes:
            for ink in ("ink", "soft", "accent", "good", "bad", "waiting"):
                for ground in ("paper", "card", "faint", "flash"):
                    self.assertGreaterEqual(contrast(theme[ink], theme[ground]), 4.5, (ink, ground, theme[ink]))

    def test_nothing_comes_from_elsewhere(self):
        page, script = ((ROOT / "apps/demo" / name).read_text() for name in ("page.html", "page.js"))
        self.assertNotRegex(page + script.replace("http://www.w3.org/2000/svg", ""), r"https?://")
        self.assertNotRegex(page, r"<script(?! src=\"page\.js\")|\son\w+=|\sstyle=")
        self.assertIn("default-src 'none'", page)


def contrast(one, other):
    def light(colour):
        parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


if __name__ == "__main__":
    unittest.main()
