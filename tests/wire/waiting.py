"""How a test waits: for a condition, never for a time."""

import time

WAIT_S = 120  # On a busy machine everything takes long; only a test that fails waits to the end.


def wait_until(condition, what="the condition"):
    """Returns the first true value of the condition."""
    deadline = time.monotonic() + WAIT_S
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not happen in {WAIT_S} s")
        time.sleep(0.01)
    return value
