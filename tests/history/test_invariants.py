"""The canaries of invariants.py."""

import unittest

from appends import Txn
from invariants import Add, Claim, Look, judge_appends_of_stream, judge_counter, judge_index, judge_stream, judge_unique


def item(*elements):
    return {"l": {"L": [{"N": str(element)} for element in elements]}, "g": {"S": "0"}}


class Canaries(unittest.TestCase):
    def assert_found(self, problems, *texts):
        problems = [str(problem) for problem in problems]
        self.assertEqual(len(problems), len(texts), problems)
        for problem, text in zip(problems, texts):
            self.assertIn(text, problem)

    def test_counter(self):
        adds = [Add(0, 10, True, 1), Add(5, 12, None), Add(20, 30, True, 3), Add(40, 50, False)]
        self.assert_found(judge_counter(adds, [Look(13, 14, 2), Look(32, 33, 3)]))
        self.assert_found(judge_counter(adds, [Look(32, 33, 4)]), "it was 4 at 32..33; 2 adds were done, 3 begun")
        self.assert_found(judge_counter(adds, [Look(32, 33, 1)]), "2 adds were done", "it was 1 at 32..33, 3 after 20..30")
        self.assert_found(judge_counter(adds, [Look(32, 33, 2)]), "it was 2 at 32..33, 3 after 20..30")
        self.assert_found(judge_counter([*adds, Add(60, 70, True, 3)], []), "2 adds came to 3")

    def test_unique(self):
        won, lost, unknown = Claim("k", "a", 0, 10, True), Claim("k", "b", 5, 12, False), Claim("k", "c", 6, 20, None)
        self.assert_found(judge_unique([won, lost, unknown], {"k": "a"}))
        self.assert_found(judge_unique([lost, unknown], {"k": "c"}))
        self.assert_found(judge_unique([won, lost], {"k": "b"}), "was given to a and belongs to b")
        self.assert_found(judge_unique([won], {}), "was given to a and belongs to None")
        self.assert_found(judge_unique([lost, unknown], {"k": "b"}), "belongs to b, who was refused")
        self.assert_found(judge_unique([won, Claim("k", "d", 5, 9, True)], {"k": "a"}), "was given to ['a', 'd']")
        self.assert_found(judge_unique([Claim("k", "e", 1, 2, False), unknown], {"k": "c"}), "was refused to e before c asked")
        self.assert_found(judge_unique([], {"k": "a"}), "nobody asked for k")

    def test_index(self):
        self.assert_found(judge_index({"a": item(1), "b": {}}, {"a": item(1)}))
        self.assert_found(judge_index({"a": item(1)}, {}), "and None in the index")
        self.assert_found(judge_index({"a": item(1)}, {"a": item()}), "in the index")
        self.assert_found(judge_index({}, {"a": item(1)}), "a is None in the table")

    def test_stream(self):
        right = [("a", None, item(1)), ("b", None, item(2)), ("a", item(1), item(1, 3))]
        self.assert_found(judge_stream({"a": item(1, 3), "b": item(2)}, right))
        self.assert_found(judge_stream({"a": item(1, 3), "b": item(2)}, right[:2]), "a: the stream ends with")
        self.assert_found(judge_stream({"a": item(1, 3), "b": item(2)}, right[1:]), "a: a record begins with")
        self.assert_found(judge_stream({"a": item(1, 3), "b": item(2)}, [*right, right[2]]), "a: a record begins with")
        self.assert_found(judge_stream({"a": item(1)}, [("a", None, item(1)), ("a", item(1), item(1))]), "a record of no change")

    def test_appends_of_stream(self):
        history = [Txn(0, 1, True, {"a": [1]}), Txn(0, 1, None, {"a": [2, 3]}), Txn(0, 1, False, {"a": [4]})]
        one, two, four = ("a", None, item(1)), ("a", item(1), item(1, 2, 3)), ("a", item(1), item(1, 4))
        self.assert_found(judge_appends_of_stream(history, [one]))
        self.assert_found(judge_appends_of_stream(history, [one, two]))
        self.assert_found(judge_appends_of_stream(history, [one, two, two]), "2 records of a+[2, 3]")
        self.assert_found(judge_appends_of_stream(history, []), "0 records of a+[1]")
        self.assert_found(judge_appends_of_stream(history, [one, four]), "1 records of a+[4]")


if __name__ == "__main__":
    unittest.main()
