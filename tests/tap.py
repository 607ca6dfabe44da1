#!/usr/bin/python3
"""Runs the unittest classes of one file and prints TAP, which scripts/check counts.

    /usr/bin/python3 tests/tap.py tests/wire/test_items.py            all of its tests
    /usr/bin/python3 tests/tap.py tests/wire/test_items.py put_ size  those whose name contains a word
"""

import importlib.util
import pathlib
import re
import sys
import traceback
import unittest

import isolation


class TapResult(unittest.TestResult):
    """One line per test; the traceback of a failure follows as comments."""

    def __init__(self, tests):
        super().__init__()
        self.tests = tests
        self.lines = 0
        self.sub_failures = []

    def report(self, ok, test, text="", directive=""):
        self.lines += 1
        name = test.id().split(".", 1)[-1] if hasattr(test, "id") else str(test)
        print(f"{'ok' if ok else 'not ok'} {self.lines} - {name}{directive}")
        print("".join(f"# {line}\n" for line in text.splitlines()), end="", flush=True)

    def addSuccess(self, test):
        self.report(True, test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.report(False, test, "".join(traceback.format_exception(*error)))

    def addError(self, test, error):
        super().addError(test, error)
        self.report(False, test, "".join(traceback.format_exception(*error)))

    def addSkip(self, test, reason):
        """The reason says what the test needs; scripts/check counts and lists skips. A class or module may be skipped as a whole."""
        super().addSkip(test, reason)
        whole = re.fullmatch(r"setUp\w+ \((.*)\)", test.id())
        for skipped in [other for other in self.tests if other.id().startswith(f"{whole[1]}.")] if whole else [test]:
            self.report(True, skipped, directive=f" # SKIP {reason}")

    def addSubTest(self, test, subtest, error):
        # unittest reports the whole test only when no part of it failed, so the parts are held
        # back and become one line in stopTest.
        super().addSubTest(test, subtest, error)
        if error:
            text = "".join(traceback.format_exception(*error))
            self.sub_failures.append(f"{subtest._subDescription()}\n{text}")

    def stopTest(self, test):
        if self.sub_failures:
            self.report(False, test, "\n".join(self.sub_failures))
            self.sub_failures = []
        super().stopTest(test)


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def main():
    isolation.isolate_process()
    isolation.drop_client_settings()
    path = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    words = sys.argv[2:]
    tests = [test for test in flatten(unittest.defaultTestLoader.loadTestsFromModule(module))
             if not words or any(word in test.id() for word in words)]
    print(f"1..{len(tests)}", flush=True)
    result = TapResult(tests)
    unittest.TestSuite(tests).run(result)
    return 0 if result.wasSuccessful() and result.lines == len(tests) else 1


if __name__ == "__main__":
    sys.exit(main())
