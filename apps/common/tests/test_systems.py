"""docs/SYSTEMS.md: every test that it names is there, and every row names one."""

import ast
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
NAME = re.compile(r"`(\w+\.test_\w+)`")


def tests_of(program):
    """Class.test for all tests of a program, inherited ones included."""
    classes = {}
    for path in sorted((ROOT / "apps" / program / "tests").glob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                classes[node.name] = ([base.id for base in node.bases if isinstance(base, ast.Name)],
                                      {item.name for item in node.body if isinstance(item, ast.FunctionDef)})

    def names(name):
        bases, own = classes.get(name, ([], set()))
        return own.union(*map(names, bases))

    return {f"{name}.{test}" for name in classes for test in names(name)}


def rows():
    """(program, row) for all rows below a heading of a program, without the heads of tables."""
    program, lines = None, (ROOT / "docs/SYSTEMS.md").read_text().splitlines()
    for line, following in zip(lines, [*lines[1:], ""]):
        if line.startswith("## "):
            program = line.removeprefix("## ").strip()
        elif line.startswith("|") and not line.startswith("|---") and not following.startswith("|---"):
            yield program, line


class Systems(unittest.TestCase):
    def test_every_row_names_tests_that_are_there(self):
        known, count = {program: tests_of(program) for program in {program for program, _ in rows()}}, 0
        for program, row in rows():
            with self.subTest(row):
                names = set(NAME.findall(row.rsplit("|", 2)[1]))
                self.assertTrue(names)
                self.assertLessEqual(names, known[program])
                count += 1
        self.assertGreater(count, 150)

    def test_every_system_is_there(self):
        folders = {path.parent.name for path in (ROOT / "apps").glob("*/main.c")}
        self.assertEqual({program for program, _ in rows()}, folders)


if __name__ == "__main__":
    unittest.main()
