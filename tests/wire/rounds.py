"""How long a random test goes on, and from which seed: the options that these tests share.

Without options a test runs a fixed number of rounds from a seed that is written here, as `make check` wants it: it tries the same on
every machine. `make torture` and `make crash` give it seconds and random seeds.
"""

import threading
import time

SEED = 1
PATIENCE_S = 60


def add_options(parser, least):
    parser.add_argument("--seed", type=int, default=SEED, help="of all that is random (%(default)s)")
    parser.add_argument("--rounds", type=int, default=least, metavar="N", help="run at least N rounds (%(default)s)")
    parser.add_argument("--seconds", type=float, default=0, help="start further rounds for so long (%(default)s)")


def rounds(least, seconds=0):
    """The numbers of the rounds, from 1: at least so many, and others until the seconds have passed."""
    end, number = time.monotonic() + seconds, 0
    while number < least or time.monotonic() < end:
        number += 1
        yield number


class Tally:
    """Counts what happens in all threads, so that one of them can wait for so much of it, however long that takes."""

    def __init__(self):
        self.changed = threading.Condition()
        self.count = 0

    def add(self):
        with self.changed:
            self.count += 1
            self.changed.notify_all()

    def wait_more(self, number):
        """Whether so many more came before patience ended."""
        with self.changed:
            wanted = self.count + number
            return self.changed.wait_for(lambda: self.count >= wanted, PATIENCE_S)
