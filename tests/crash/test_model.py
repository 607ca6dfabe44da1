"""The canary of crash.py: a lost, a torn and an invented write must each be noticed."""

import unittest

from model import Model, item


class Judgement(unittest.TestCase):
    def setUp(self):
        self.model = Model(1)
        self.model.begin({1: 5, 2: 7})
        self.model.acknowledge()
        self.model.begin({2: 8, 3: 1})

    def judge(self, *items):
        return self.model.judge(items)

    def test_what_was_acknowledged_is_right(self):
        self.assertEqual(self.judge(item(1, 1, 5), item(1, 2, 7)), [])

    def test_what_was_under_way_is_right_too(self):
        self.assertEqual(self.judge(item(1, 1, 5), item(1, 2, 8), item(1, 3, 1)), [])

    def test_a_lost_write(self):
        self.assertEqual(self.judge(item(1, 2, 7)), ["worker 1 key 1: version 0, allowed [5]"])

    def test_an_old_version(self):
        self.assertEqual(self.judge(item(1, 1, 4), item(1, 2, 7)), ["worker 1 key 1: version 4, allowed [5]"])

    def test_an_invented_item(self):
        self.assertEqual(self.judge(item(1, 1, 5), item(1, 2, 7), item(1, 9, 1)),
                         ["worker 1 key 9: version 1, allowed [0]"])

    def test_half_a_write(self):
        torn = {**item(1, 1, 5), "check": item(1, 1, 4)["check"]}
        self.assertEqual(self.judge(torn, item(1, 2, 7)), [f"worker 1 key 1: a broken item {torn}"])

    def test_an_undone_delete(self):
        self.model.acknowledge()
        self.model.begin({1: 0})
        self.model.acknowledge()
        self.assertEqual(self.judge(item(1, 1, 5), item(1, 2, 8), item(1, 3, 1)),
                         ["worker 1 key 1: version 5, allowed [0]"])


if __name__ == "__main__":
    unittest.main()
