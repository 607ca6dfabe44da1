"""A random mix of everything that depends on time, with crashes (time_mix.py), one round of it.

GRAMME_SEED runs another seed, GRAMME_SECONDS adds rounds for so long. After a failure the data, the server's log, the
last requests and all changes of the items are in the folder that is printed.
"""

import os
import random
import shutil
import tempfile
import unittest

from time_mix import Mix

from rounds import rounds

SEED = int(os.environ.get("GRAMME_SEED", 1))
SECONDS = float(os.environ.get("GRAMME_SECONDS", 0))


class TimeMixTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gramme-mix-")
        print(f"# repeat with GRAMME_SEED={SEED}", flush=True)

    def run_mix(self, seconds, *options):
        """The folder goes when all was well."""
        mix = Mix(random.Random(SEED), self.folder, *options)
        try:
            for _ in rounds(1, seconds):
                mix.round()
            mix.read_stream()
        except BaseException:
            print(f"# {self.folder} has the evidence; repeat with GRAMME_SEED={SEED}", flush=True)
            mix.keep_evidence()
            mix.end(kill=True)
            raise
        return mix

    def end_mix(self, mix):
        mix.end()
        shutil.rmtree(self.folder)

    def test_with_crashes(self):
        mix = self.run_mix(SECONDS / 2)
        self.end_mix(mix)
        print(f"# {dict(mix.count)}", flush=True)
        for what in ("killed", "restores compared", "streams compared", "expiry switched", "expired"):
            self.assertGreater(mix.count[what], 0, f"a run without {what} shows little")

    def test_with_crashes_and_relaxed_durability(self):
        """What a killed process has handed to the operating system is there, synced or not."""
        self.end_mix(self.run_mix(SECONDS / 2, "--durability", "relaxed"))

    def test_the_oracle_notices(self):
        """The canary: one item too few in a state, and one change too few in a stream."""
        mix = Mix(random.Random(SEED), self.folder)
        table = mix.tables[0]
        table.switch_recovery()
        table.put()
        mix.advance(1)
        name = table.restore_to(mix.now_ms)
        self.assertIsNone(table.difference(name, table.states[-1]))
        self.assertIsNone(table.stream_problem())
        table.states[-1].items.popitem()
        del table.changes[-1]
        self.assertIn("1 items differ", table.difference(name, table.states[-1]))
        self.assertIn("the stream tells 1 changes", table.stream_problem())
        self.end_mix(mix)


if __name__ == "__main__":
    unittest.main()
