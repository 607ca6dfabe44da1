"""Random writes on a moving clock; the table is restored to random earlier times and compared with what it was then.

A restore runs while the table is written to, and while the server is killed or stopped; a backup is of the moment at which it
was asked for. The restored table has exactly the items, the index entries, the counts and the settings of that moment
(time_model.py). GRAMME_SEED runs another seed, GRAMME_STEPS makes it longer.
"""

import os
import random
import tempfile
import unittest

from time_model import Machine, State, TimeModel

SEED = int(os.environ.get("GRAMME_SEED", 1))
STEPS = int(os.environ.get("GRAMME_STEPS", 100))


class TimeModelTest(unittest.TestCase):
    maxDiff = None

    def model(self, *arguments):
        rng = random.Random(SEED)
        model = TimeModel(Machine(rng, arguments), rng)
        model.create()
        for _ in range(20):
            model.write()
        model.turn_on()
        return model

    def compare(self, model, name, state):
        difference = model.difference(name, state)
        self.assertIsNone(difference, f"{name} is not as at {state.ms}: {difference}; "
                                      f"repeat with GRAMME_SEED={SEED} GRAMME_STEPS={STEPS}")
        model.call("DeleteTable", TableName=name)

    def test_in_memory(self):
        model = self.model("--memory")
        for round in range(5):
            for _ in range(STEPS // 5):
                model.step()
            if round == 1:
                model.fill(700)
            times = [model.any_time() for _ in range(3)]
            names = [model.restore_to(ms) for ms in times]
            states = [model.at(ms) for ms in times]
            for _ in range(10):  # while they are being restored
                model.step()
            for name, state in zip(names, states):
                self.compare(model, name, state)
        model.machine.end()

    def test_a_backup_is_of_one_moment(self):
        model = self.model("--memory")
        model.fill(700)
        for _ in range(3):
            for _ in range(STEPS // 10):
                model.step()
            arn, state = model.take_backup(), State(model.machine.now_ms, model.items, model.indexes, model.units)
            for _ in range(10):  # while it is being taken
                model.step()
            self.compare(model, model.restore_backup(arn), state)
        name = model.restore_to(model.machine.now_ms)
        model.wait_until_active(name)
        self.assertEqual(model.size(name), model.size(model.name))
        self.compare(model, name, model.states[-1])
        model.machine.end()

    def test_on_disk_with_crashes(self):
        with tempfile.TemporaryDirectory() as directory:
            model = self.model("--data", directory)
            model.fill(1500)
            for _ in range(3):
                for _ in range(STEPS // 10):
                    model.step()
                ms = model.any_time()
                state, name = model.at(ms), model.restore_to(ms)
                arn, then = model.take_backup(), State(model.machine.now_ms, model.items, model.indexes, model.units)
                for _ in range(3):
                    for _ in range(3):
                        model.step()
                    model.machine.restart()
                self.compare(model, name, state)
                self.compare(model, model.restore_backup(arn), then)
            model.machine.end()

    def test_the_comparison_notices(self):
        """The canary: the state of another moment is not taken for the right one."""
        model = self.model("--memory")
        before = model.states[-1]
        model.machine.move(Advance=1)
        model.change(("p0", 1), {"pk": {"S": "p0"}, "sk": {"N": "1"}, "g": {"S": "new"}})
        model.call("PutItem", TableName=model.name, Item=model.items["p0", 1])
        model.note()
        name = model.restore_to(model.machine.now_ms)
        self.assertIsNotNone(model.difference(name, before))
        self.compare(model, name, model.states[-1])
        model.machine.end()


if __name__ == "__main__":
    unittest.main()
