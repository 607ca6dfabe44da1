"""How a test waits: for a condition, never for a time."""

import json
import time

WAIT_S = 120  # On a busy machine everything takes long; only a test that fails waits to the end.


def wait_until(condition, what="the condition"):
    """Returns the first true value of the condition. `what` names the condition, as a text or as a function that also describes the present state."""
    deadline = time.monotonic() + WAIT_S
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"after {WAIT_S} s: {what()}" if callable(what) else f"{what} did not happen in {WAIT_S} s")
        time.sleep(0.01)
    return value


def audit_lines(path, count, wanted=lambda line: True):
    """So many lines of an audit log, or more. The server writes a line when it has answered the request, so they may come later."""
    def found():
        whole = path.read_text().rpartition("\n")[0].splitlines() if path.exists() else []
        lines = [line for line in map(json.loads, whole) if wanted(line)]
        return lines if len(lines) >= count else None

    return wait_until(found, f"{count} lines of the audit log")
