"""`make bench` still runs: some tables are measured once, small and for a moment. What the figures are does not matter."""

import os
import subprocess
import unittest

from rig import ROOT

BUILD = os.environ.get("GRAMME_RELEASE", str(ROOT / "build"))
SMALL = ["--rounds", "1", "--seconds", "0.2", "--backfill-items", "2000", "--backup-items", "500",
         "--load-items", "2000", "--encryption-items", "2000"]
SECTIONS = ["start", "size", "reads", "connections", "backfill", "load", "backup", "encryption", "access", "tls", "watching", "shared"]


def run(*arguments):
    return subprocess.run(["/usr/bin/python3", "tests/bench/run.py", "--build", BUILD, *SMALL, *arguments], cwd=ROOT,
                          text=True, capture_output=True, stdin=subprocess.DEVNULL)


class Run(unittest.TestCase):
    def test_tables(self):
        for section in SECTIONS:
            with self.subTest(section=section):
                result = run("--only", section)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertRegex(result.stdout, r"\n\n[A-Z].*\n  .*\S.*\n  \S.*\n", "a title, columns and a row")
                self.assertRegex(result.stdout.splitlines()[-1], r", 1 rounds of 0\.2 s, \d+\.\d minutes; ")

    def test_a_wrong_section(self):
        result = run("--only", "nothing")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("invalid choice: 'nothing'", result.stderr)


if __name__ == "__main__":
    unittest.main()
