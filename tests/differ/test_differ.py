"""That two answers are compared well."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from compare import Comparison  # noqa: E402
from endpoint import Answer, Step, read_steps  # noqa: E402
from known import known_differences, read_known  # noqa: E402
from operations import Episode  # noqa: E402
from values import Random  # noqa: E402


class Parts(unittest.TestCase):
    def differences(self, operation, left, right, exact=False, **body):
        step = Step(operation, body)
        return [(d.path, d.left, d.right) for d in Comparison(exact).differences(step, Answer(200, left), Answer(200, right))]

    def test_an_episode_follows_from_its_seed(self):
        first, second = (list(Episode(Random(5)).steps()) for _ in range(2))
        self.assertEqual(first, second)
        self.assertNotEqual(first, list(Episode(Random(6)).steps()))

    def test_steps_are_lines(self):
        steps = [Step("GetItem", {"Key": {"pk": {"S": "é"}}}), Step("Scan", {}, True)]
        self.assertEqual(list(read_steps("# a comment\n\n" + "\n".join(step.line() for step in steps))), steps)

    def test_what_has_no_order_is_the_same_in_any(self):
        sets = [{"Item": {"a": {"SS": order}}} for order in (["a", "b"], ["b", "a"])]
        self.assertEqual(self.differences("GetItem", *sets), [])
        lists = [{"Items": order} for order in ([{"a": {"S": "1"}}, {"a": {"S": "2"}}], [{"a": {"S": "2"}}, {"a": {"S": "1"}}])]
        self.assertEqual(self.differences("Scan", *lists), [])
        self.assertEqual(len(self.differences("Query", *lists)), 2)

    def test_spellings_of_numbers(self):
        numbers = [{"Item": {"a": {"N": text}}} for text in ("10", "1e1")]
        self.assertEqual(self.differences("GetItem", *numbers), [])
        self.assertEqual(self.differences("GetItem", *numbers, exact=True), [("Item.a.N", "10", "1e1")])

    def test_what_is_missing(self):
        self.assertEqual(self.differences("GetItem", {"Item": {}}, {}), [("Item", "{}", "absent")])

    def test_an_error_against_none(self):
        refused = Answer(400, {"__type": "x#ValidationException", "message": "No"})
        found, = Comparison(False).differences(Step("PutItem", {}), Answer(200, {}), refused)
        self.assertEqual((found.path, found.left, found.right), ("error", "none", "400 ValidationException: No"))

    def test_known_differences(self):
        known, = read_known("# why\n=== a reason\noperation ^Put\nlocal No\nsame \\.$\n")
        step = Step("PutItem", {})
        found, = Comparison(False).differences(step, Answer(400, {"message": "No."}), Answer(400, {"message": "No"}))
        self.assertTrue(known.covers(step, found))
        self.assertFalse(known.covers(Step("GetItem", {}), type(found)("GetItem", found.path, found.left, found.right)))
        with self.assertRaises(ValueError):
            read_known("=== a reason\noperatoin x\n")

    def test_the_list_can_be_read(self):
        self.assertTrue(all(known.reason and known.patterns for known in known_differences()))
