"""The canary of torture.py: a round that fails is told, with the command that repeats it, and the rest goes on."""

import io
import random
import re
import unittest

from torture import Kind, kinds, torture

SHELL = ["/bin/sh", "-c"]


class Rounds(unittest.TestCase):
    def run_kinds(self, *kinds):
        out = io.StringIO()
        failed = torture(kinds, 0, 1, random.Random(1), out, least=3 * len(kinds))
        return failed, out.getvalue()

    def test_what_passes(self):
        failed, text = self.run_kinds(Kind("good", [*SHELL, 'echo "ok 1 - 12 writes with $SEED"'], {"SEED": "{seed}"}))
        self.assertEqual(failed, 0)
        self.assertRegex(text, r"(?m)^ +\d+ s  ok    good +seed (\d+) +12 writes with \1$")
        self.assertRegex(text, r"(?m)^\d+ rounds, 0 failed: \d+ good$")

    def test_what_fails(self):
        failed, text = self.run_kinds(Kind("good", [*SHELL, "echo ok 1 - fine"]), Kind("bad", [*SHELL, "echo broken; exit 1", "{seed}"], {"A": "{seconds}"}))
        self.assertEqual(failed, 3)
        self.assertIn("      | broken\n", text)
        seed = re.search(r"FAIL  bad +seed (\d+)", text).group(1)
        self.assertIn(f"      repeat: A=1 /bin/sh -c 'echo broken; exit 1' {seed}\n", text)
        self.assertRegex(text.splitlines()[-1], "^repeat: A=")
        self.assertIn(" ok    good", text)

    def test_all_kinds_are_there(self):
        names = {kind.name for kind in kinds()}
        self.assertLessEqual({"history", "simulation", "power loss", "disk faults", "kill", "rot", "time"}, names)


if __name__ == "__main__":
    unittest.main()
