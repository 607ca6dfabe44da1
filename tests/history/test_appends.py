"""The canaries of appends.py: histories that are right pass, and each kind of damage is found under its name."""

import random
import unittest

from appends import Txn, judge

KEYS = [f"k{n}" for n in range(5)]


class Generator:
    """Histories of a database that does all at one moment, `commit`, and in between what is asked of it."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.now, self.element = 0, 0
        self.lists = {key: [] for key in KEYS}
        self.history = []

    def txn(self, appends=(), reads=(), outcome=True, applied=True, wide=60):
        """Reads, then appends two elements to some keys and one to others."""
        self.now += 10
        txn = Txn(self.now - self.rng.randrange(wide), self.now + self.rng.randrange(wide), outcome)
        txn.reads = {key: list(self.lists[key]) for key in reads}
        for key in appends:
            elements = [self.element + 1 + n for n in range(self.rng.choice([1, 1, 2]))]
            self.element = elements[-1]
            txn.appends[key] = elements
            if applied:
                self.lists[key] += elements
        self.history.append(txn)
        return txn

    def sample(self):
        return self.rng.sample(KEYS, self.rng.randrange(1, 4))

    def some(self, count=60):
        for _ in range(count):
            kind = self.rng.choice("aarrmuf")
            if kind in "am":
                self.txn(self.sample(), self.sample() if kind == "m" else ())
            elif kind == "r":
                self.txn(reads=self.sample())
            elif kind == "u":
                self.txn(self.sample(), outcome=None, applied=self.rng.random() < 0.5)
            else:
                self.txn(self.sample(), outcome=False, applied=False)
        return self

    def end(self):
        self.now += 1000
        return self.txn(reads=KEYS, wide=1)

    def kinds(self):
        return {problem.kind for problem in judge(self.history, set(KEYS))}


class Canaries(unittest.TestCase):
    def each_seed(self, damage, *kinds):
        """Damages twenty histories; in each one of the kinds is found."""
        for seed in range(20):
            with self.subTest(seed=seed):
                generator = Generator(seed)
                generator.some()
                damage(generator)
                self.assertTrue(generator.kinds() & set(kinds), generator.kinds())

    def test_what_is_right_passes(self):
        for seed in range(100):
            generator = Generator(seed).some(200)
            generator.end()
            self.assertEqual(judge(generator.history, set(KEYS)), [])

    def test_an_acknowledged_append_is_lost(self):
        def damage(g):
            txn = g.txn(["k0", "k1"])
            g.lists["k1"] = [n for n in g.lists["k1"] if n not in txn.appends["k1"]]
            g.end()
        self.each_seed(damage, "lost")

    def test_an_append_of_unknown_fate_is_torn(self):
        def damage(g):
            txn = g.txn(["k0", "k1"], outcome=None)
            g.lists["k1"] = [n for n in g.lists["k1"] if n not in txn.appends["k1"]]
            g.end()
        self.each_seed(damage, "torn")

    def test_half_of_an_update_is_lost(self):
        def damage(g):
            txn = g.txn(["k0"])
            txn.appends["k0"] = [*txn.appends["k0"], -1]
            g.end()
        self.each_seed(damage, "torn", "lost")

    def test_an_append_is_done_twice(self):
        def damage(g):
            g.lists["k0"] += g.txn(["k0"]).appends["k0"]
            g.end()
        self.each_seed(damage, "duplicate")

    def test_two_elements_change_places(self):
        def damage(g):
            g.txn(["k0"])
            g.txn(["k0"])
            g.txn(reads=["k0"])
            g.lists["k0"][-2:] = g.lists["k0"][:-3:-1]
            g.end()
        self.each_seed(damage, "incompatible order")

    def test_a_refused_append_is_read(self):
        def damage(g):
            g.txn(["k0"], outcome=False)
            g.end()
        self.each_seed(damage, "G1a")

    def test_an_element_of_nobody(self):
        def damage(g):
            g.lists["k0"].append(-1)
            g.end()
        self.each_seed(damage, "garbage")

    def test_a_part_of_an_update_is_read(self):
        def damage(g):
            txn = g.txn(["k0"])
            txn.appends["k0"] += [-1]
            g.txn(reads=["k0"])
            g.lists["k0"].append(-1)
            g.end()
        self.each_seed(damage, "G1b")

    def test_writes_in_a_circle(self):
        def damage(g):
            a, b = g.txn(["k0", "k1"], wide=1), g.txn(["k0", "k1"], wide=1)
            b.start = a.start
            a.end = b.end
            cut = len(g.lists["k1"]) - len(a.appends["k1"]) - len(b.appends["k1"])
            g.lists["k1"][cut:] = b.appends["k1"] + a.appends["k1"]
            g.end()
        self.each_seed(damage, "G0")

    def test_information_in_a_circle(self):
        def damage(g):
            a = g.txn(["k0"], ["k1"], wide=1)
            b = g.txn(["k1"], ["k0"], wide=1)
            a.reads["k1"] = list(g.lists["k1"])  # each has read what the other appends
            a.end = b.end
            g.end()
        self.each_seed(damage, "G1c")

    def test_a_lost_update(self):
        def damage(g):
            a = g.txn(["k0"], ["k0"])
            b = g.txn(["k0"])
            b.reads["k0"] = a.reads["k0"]
            g.end()
        self.each_seed(damage, "G-single")

    def test_a_torn_read(self):
        def damage(g):
            before = list(g.lists["k1"])
            a = g.txn(["k0", "k1"])
            b = g.txn(reads=["k0", "k1"])
            b.start, b.reads["k1"] = a.start, before
            g.end()
        self.each_seed(damage, "G-single")

    def test_write_skew(self):
        def damage(g):
            a, b = g.txn(["k0"], ["k1"], wide=1), g.txn(["k1"], ["k0"], wide=1)
            a.end, b.start = b.end, a.start
            b.reads["k0"] = g.lists["k0"][:-len(a.appends["k0"])]
            g.end()
        self.each_seed(damage, "G2")

    def test_a_stale_read(self):
        def damage(g):
            before = list(g.lists["k0"])
            g.txn(["k0"])
            g.now += 200
            g.txn(reads=["k0"]).reads["k0"] = before
            g.end()
        self.each_seed(damage, "stale read")

    def test_an_append_that_is_undone_for_a_while(self):
        """Nobody knows of it, a later read does not show it, and then it is there after all."""
        def damage(g):
            txn = g.txn(["k0"], outcome=None, applied=False)
            g.now += 200
            g.txn(reads=["k0"])
            g.lists["k0"] += txn.appends["k0"]
            g.end()
        self.each_seed(damage, "stale read")

    def test_two_reads_that_saw_another_order(self):
        """The long fork: of two appends each reader has seen the other one first."""
        def damage(g):
            before = {key: list(g.lists[key]) for key in KEYS}
            a, b = g.txn(["k0"]), g.txn(["k1"])
            c, d = g.txn(reads=["k0", "k1"]), g.txn(reads=["k0", "k1"])
            c.reads["k1"], d.reads["k0"] = before["k1"], before["k0"]
            for txn in (a, b, c, d):
                txn.start, txn.end = a.start - 100, d.end + 100
            g.end()
        self.each_seed(damage, "G2")


if __name__ == "__main__":
    unittest.main()
