"""What run.py makes of suites that end as they should, and as they should not."""

import unittest

import run

KNOWN = "known"
PASSED = "ok 1 - a\nok 2 - b # SKIP not here\n1..2\n"
FAILED = "ok 1 - a\nnot ok 2 - known\nnot ok 3 - known too\n1..3\n"


class Counts(unittest.TestCase):
    def failed(self, output, status):
        return run.counts(output, status, KNOWN)[2]

    def test_what_was_counted(self):
        self.assertEqual(run.counts(PASSED, 0, KNOWN), (1, 0, 0, 1))
        self.assertEqual(run.counts(f"{FAILED}not ok 4 - new\n", 1, KNOWN), (1, 2, 1, 0))

    def test_known_failures_explain_the_status_that_they_lead_to(self):
        for output, status in ((FAILED, 1), (FAILED, 2), ("ok 0 - a\nnot ok 0 - known\n", 1), ("--- PASS: a\n--- FAIL: known\n", 1)):
            self.assertEqual(self.failed(output, status), 0, (output, status))

    def test_they_explain_no_crash(self):
        cut = FAILED.replace("1..3\n", "")
        for output, status in (("", 1), (PASSED, 1), (FAILED, 137), (FAILED, 3), (cut, 1), (cut, 2), (f"1..4\n{cut}", 2), ("not ok 0 - known\n", 2)):
            self.assertEqual(self.failed(output, status), 1, (output, status))


class Run(unittest.TestCase):
    def test_as_many_failures_as_the_status_of_what_cannot_be_had(self):
        tool = run.Tool("tool", lambda: "1", "", ["sh", "-c", "i=0; while [ $i -lt 69 ]; do i=$((i + 1)); echo not ok $i; done; echo 1..69; exit 69"])
        self.assertEqual(run.run(tool)[0][3], "0 passed, 69 failed")
        tool = run.dataclasses.replace(tool, command=["sh", "-c", "echo no network; exit 69"])
        self.assertEqual(run.run(tool)[0][3], "left out: no network")

    def test_a_suite_that_ends_before_it_told_its_version_is_a_row(self):
        [moto] = [tool for tool in run.TOOLS if tool.name == "moto"]
        moto = run.dataclasses.replace(moto, command=["sh", "-c", "echo broken; exit 100"])
        row, trouble = run.run(moto)
        self.assertEqual((row[1], row[3], trouble), ("", "0 passed, 1 failed", "broken\n"))
