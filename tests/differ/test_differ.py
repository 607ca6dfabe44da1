"""A gramme in memory beside one on disk; and that the tool finds what differs and makes it small.

GRAMME_SEED runs another seed, GRAMME_OPERATIONS makes it longer.
"""

import io
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from compare import Comparison  # noqa: E402
from differ import Differ  # noqa: E402
from endpoint import Answer, Endpoint, Step, open_endpoint, read_steps  # noqa: E402
from known import known_differences, read_known  # noqa: E402
from operations import Episode  # noqa: E402
from values import Random  # noqa: E402

SEED = int(os.environ.get("GRAMME_SEED", 20120810))
OPERATIONS = int(os.environ.get("GRAMME_OPERATIONS", 3000))
PATIENCE_S = 3600  # of what ends by itself


class MemoryAndDisk(unittest.TestCase):
    """Two engines below one seam: whatever is asked, they answer alike."""

    def test_they_answer_alike(self):
        out = io.StringIO()
        with open_endpoint("memory") as memory, open_endpoint("data") as data:
            differ = Differ(memory, data, out=out)
            differ.explore(SEED, OPERATIONS, PATIENCE_S)
        print(f"# {differ.summary()}")
        self.assertEqual(out.getvalue(), "", f"{out.getvalue()}repeat with GRAMME_SEED={SEED} GRAMME_OPERATIONS={OPERATIONS}")
        self.assertGreaterEqual(differ.asked.total(), OPERATIONS)
        self.assertGreater(differ.accepted.total(), 0)


class Liar(Endpoint):
    """The canary: a server that loses a member of every set of strings it shows."""

    def receive(self):
        answer = super().receive()
        return Answer(answer.status, self.lie(answer.body))

    def lie(self, value):
        if isinstance(value, list):
            return [self.lie(element) for element in value]
        if not isinstance(value, dict):
            return value
        return {name: sorted(content)[1:] if name == "SS" and len(content) > 1 else self.lie(content) for name, content in value.items()}


class Planted(unittest.TestCase):
    def test_it_is_found_shrunk_and_can_be_replayed(self):
        out = io.StringIO()
        with open_endpoint("memory") as honest, open_endpoint("memory") as second:
            liar = Liar("liar", second.host, second.port)
            differ = Differ(honest, liar, out=out)
            # Enough for some dozens of sets; the run ends with the first kind that a read shows.
            for seed in range(100):
                differ.explore(seed, 60, PATIENCE_S)
                found = [steps for kind, steps in differ.found.items() if kind[0] in ("Scan", "Query", "GetItem")]
                if found:
                    break
            self.assertTrue(found, "nothing was found")
            steps = found[0]
            self.assert_small(steps)
            self.assert_replays(honest, liar, steps)
            liar.close()

    def assert_small(self, steps):
        """A table, an item with a set of two, and a read."""
        self.assertEqual([step.operation for step in steps[:1]], ["CreateTable"], steps)
        self.assertEqual(len(steps), 3, steps)
        self.assertEqual(sum(line.count('"SS"') for line in map(Step.line, steps)), 1, steps)
        self.assertLess(len(steps[1].line()), 300)

    def assert_replays(self, honest, liar, steps):
        text = "# a comment\n\n" + "\n".join(step.line() for step in steps)
        again = list(read_steps(text))
        self.assertEqual(again, steps)
        out = io.StringIO()
        self.assertEqual(Differ(honest, liar, out=out).replay(again), 1)
        self.assertIn("# liar: 200", out.getvalue())


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
