"""The clock that tests of applications move: `gramme serve --test-clock` and /_gramme/clock."""

import email.utils
import re
import subprocess
import tempfile
import time
import unittest

import shell
from readme import ADDRESS, blocks
from server import ROOT, Server
from wire import HEADERS, JSON, WireTest, call, clock, http_request

EXPECTED = ("the body must be a JSON object with Now (seconds since 1970), Advance (seconds) or Running (true or false)")
TABLE = {"TableName": "table", "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}


def error_of(port, body):
    reply = http_request(port, "POST", "/_gramme/clock", JSON, body)
    return reply.status, reply.json["message"]


class Clock(WireTest):
    server_arguments = ["--memory", "--test-clock"]

    def test_it_tells_the_time(self):
        reply = clock(self.server.port)
        self.assertEqual((reply.status, reply.headers["content-type"]), (200, "application/json"))
        self.assertEqual(set(reply.json), {"Now", "Running"})
        self.assertGreater(reply.json["Now"], time.time() - 10)

    def test_it_moves_forward_and_stands_still(self):
        port = self.server.port
        start = clock(port).json["Now"]
        moved = clock(port, Advance=3600, Running=False).json
        self.assertGreaterEqual(moved["Now"], start + 3600)
        self.assertIs(moved["Running"], False)
        self.assertEqual(clock(port).json, moved)
        exact = clock(port, Now=int(moved["Now"]) + 100, Advance=0.25).json
        self.assertEqual(exact, {"Now": int(moved["Now"]) + 100.25, "Running": False})
        self.assertIs(clock(port, Running=True).json["Running"], True)

    def test_tables_are_made_at_its_time(self):
        now = clock(self.server.port, Advance=86400, Running=False).json["Now"]
        self.create()
        made = self.client.describe_table(TableName="table")["Table"]["CreationDateTime"]
        self.assertEqual(made.timestamp(), now)
        clock(self.server.port, Running=True)

    def test_the_date_header_stays_real(self):
        self.advance(10 * 86400)
        date = email.utils.parsedate_to_datetime(clock(self.server.port).headers["date"])
        self.assertLess(abs(date.timestamp() - time.time()), 60)

    def test_what_it_refuses(self):
        port = self.server.port
        now = clock(port, Running=False).json["Now"]
        back = f"time only goes forward; it is {now:.3f} now"
        for body, message in (
                (b"", EXPECTED), (b"[]", EXPECTED), (b"{", EXPECTED), (b"{}x", EXPECTED), (b"\xff", EXPECTED),
                (b'{"Then": 1}', EXPECTED), (b'{"Advance": 1} {}', EXPECTED), (b'{"Advance": 1,}', EXPECTED),
                (b'{"Advance": "1"}', "Advance must be a number of seconds"),
                (b'{"Now": null}', "Now must be a number of seconds"),
                (b'{"Now": 1' + b"0" * 40 + b"}", "Now must be a number of seconds"),
                (b'{"Running": 1}', "Running must be true or false"),
                (b'{"Advance": -1}', back), (b'{"Now": 1000000000}', back), (b'{"Now": 0}', back), (b'{"Now": -5}', back),
                (b'{"Now": 1000000000, "Running": true}', back),
                (b'{"Now": 7258118401}', "the time must be before the year 2200"),
                (b'{"Advance": 7258118000}', "the time must be before the year 2200"),
                (b'{"Advance": 1e300}', "the time must be before the year 2200")):
            with self.subTest(body=body):
                self.assertEqual(error_of(port, body), (400, message))
        self.assertEqual(clock(port).json, {"Now": now, "Running": False})
        clock(port, Running=True)

    def test_only_json_moves_it(self):
        port = self.server.port
        text = b'{"message":"the body must be JSON and come as application/json"}\n'
        before = clock(port, Running=False).json["Now"]
        for headers in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"},
                        {"Content-Type": "text/plain; x=application/json"}, {"Content-Type": ""}):
            reply = http_request(port, "POST", "/_gramme/clock", headers, b'{"Advance": 60}')
            self.assertEqual((reply.status, reply.body), (415, text))
        for kind in ("application/json", "application/JSON;charset=utf-8", "application/x-amz-json-1.0"):
            reply = http_request(port, "POST", "/_gramme/clock", {"Content-Type": kind}, b'{"Running": false}')
            self.assertEqual(reply.json, {"Now": before, "Running": False})
        clock(port, Running=True)

    def test_pages_do_not_reach_it(self):
        port = self.server.port
        own = {**JSON, "Host": "localhost:8000", "Origin": "http://localhost:8000"}
        self.assertEqual(http_request(port, "POST", "/_gramme/clock", own, b"{}").status, 200)
        for origin in ("https://page.example", "http://localhost:3000", "null"):
            for method, body in (("POST", b'{"Advance": 60}'), ("GET", b""), ("OPTIONS", b"")):
                reply = http_request(port, method, "/_gramme/clock", {**own, "Origin": origin}, body)
                self.assertEqual(reply.status, 403)

    def test_other_paths_are_unknown(self):
        reply = http_request(self.server.port, "GET", "/_gramme/calendar", {})
        self.assertEqual((reply.status, reply.body), (404, b"<UnknownOperationException/>\n"))
        reply = http_request(self.server.port, "DELETE", "/_gramme/clock", {})
        self.assertEqual(reply.status, 404)



class Manual(WireTest):
    server_arguments = ["--memory", "--test-clock"]

    def test_the_example(self):
        manual = (ROOT / "docs/OPERATIONS.md").read_text()
        program, = [block for block in blocks(manual, "python") if "/_gramme/clock" in block]
        expected = re.findall(r"# -> (.*)$", program, re.M)
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(
                ["/usr/bin/python3", "-c", program.replace(ADDRESS, self.server.endpoint)], text=True,
                capture_output=True, timeout=60, env=shell.environment(folder))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.splitlines(), expected)


class WithoutTheFlag(WireTest):
    def test_the_path_is_as_unknown_as_any(self):
        reply = clock(self.server.port)
        self.assertEqual((reply.status, reply.body), (404, b"<UnknownOperationException/>\n"))
        reply = http_request(self.server.port, "POST", "/_gramme/clock",
                             {"Content-Type": "application/x-amz-json-1.0"}, b'{"Advance": 5}')
        other = http_request(self.server.port, "POST", "/_gramme/other",
                             {"Content-Type": "application/x-amz-json-1.0"}, b'{"Advance": 5}')
        self.assertEqual((reply.status, reply.body), (other.status, other.body))


class Restart(unittest.TestCase):
    def test_time_does_not_go_back(self):
        with tempfile.TemporaryDirectory() as data:
            with Server("--data", data, "--test-clock") as server:
                before = clock(server.port, Advance=10 * 86400).json["Now"]
            with Server("--data", data, "--test-clock") as server:
                again = clock(server.port).json
                self.assertGreaterEqual(again["Now"], before)
                self.assertLess(again["Now"], before + 300)
                self.assertIs(again["Running"], True)
                before = clock(server.port, Advance=86400).json["Now"]
                # What was written then must not come to be in the future.
                call(server.port, "CreateTable", TABLE)
                server.kill()
            with Server("--data", data, "--test-clock") as server:
                self.assertGreaterEqual(clock(server.port).json["Now"], before)

    def test_time_that_was_answered_is_there_after_a_crash(self):
        with tempfile.TemporaryDirectory() as data:
            before = 0
            for _ in range(8):
                with Server("--data", data, "--test-clock") as server:
                    self.assertGreaterEqual(clock(server.port).json["Now"], before)
                    before = clock(server.port, Advance=86400).json["Now"]
                    server.kill()

    def test_a_clock_that_stood_still_and_a_server_without_the_flag(self):
        with tempfile.TemporaryDirectory() as data:
            with Server("--data", data, "--test-clock") as server:
                before = clock(server.port, Advance=86400, Running=False).json["Now"]
            with Server("--data", data) as server:
                self.assertEqual(http_request(server.port, "GET", "/", HEADERS).status, 200)
            with Server("--data", data, "--test-clock") as server:
                self.assertGreaterEqual(clock(server.port).json["Now"], before)


if __name__ == "__main__":
    unittest.main()
