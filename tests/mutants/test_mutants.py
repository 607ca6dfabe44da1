"""Tests `make mutants`: the mutants that it makes, that the copy is restored, and, as its canary, that a test which cannot
fail kills none."""

import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mutants
import mutate

SOURCE = '''\
#define LIMIT(n) ((n) < 3)
enum { SIZE = 7 };

static struct error *check(struct thing *thing, int n) {
    int list[] = {0};
    /* if (n == 1) */
    if (thing->size >= 2 && n << 1 != 8) {
        log_info("n < %d == 1", n);
        note(thing,
             n);
    }
    TRY(look(thing));
    return n > 0 ? error_new(thing, "x == 1; y") : NULL;
}

bool is_fine(int n) {
    return true;
}
'''
ALL = [
    ("check", "comparison", "if (thing->size >= 2 && n << 1 != 8) {", "if (thing->size > 2 && n << 1 != 8) {"),
    ("check", "comparison", "if (thing->size >= 2 && n << 1 != 8) {", "if (thing->size >= 2 && n << 1 == 8) {"),
    ("check", "comparison", 'return n > 0 ? error_new(thing, "x == 1; y") : NULL;', 'return n >= 0 ? error_new(thing, "x == 1; y") : NULL;'),
    ("check", "logic", "if (thing->size >= 2 && n << 1 != 8) {", "if (thing->size >= 2 || n << 1 != 8) {"),
    ("check", "condition", "if (thing->size >= 2 && n << 1 != 8) {", "if (!(thing->size >= 2 && n << 1 != 8)) {"),
    ("check", "call", "note(thing,", ";"),
    ("check", "call", "TRY(look(thing));", ";"),
    ("check", "constant", "if (thing->size >= 2 && n << 1 != 8) {", "if (thing->size >= 3 && n << 1 != 8) {"),
    ("check", "constant", "if (thing->size >= 2 && n << 1 != 8) {", "if (thing->size >= 2 && n << 2 != 8) {"),
    ("check", "constant", "if (thing->size >= 2 && n << 1 != 8) {", "if (thing->size >= 2 && n << 1 != 9) {"),
    ("check", "constant", 'return n > 0 ? error_new(thing, "x == 1; y") : NULL;', 'return n > 1 ? error_new(thing, "x == 1; y") : NULL;'),
    ("check", "return", 'return n > 0 ? error_new(thing, "x == 1; y") : NULL;', "return NULL;"),
    ("is_fine", "return", "return true;", "return false;"),
]


class Making(unittest.TestCase):
    def test_each_operator_changes_each_of_its_places(self):
        made = list(mutate.mutants("src/a.c", SOURCE))
        self.assertEqual([(mutant.function, mutant.operator, *mutant.change) for mutant in made], ALL)
        self.assertEqual({mutant.mutated.count("\n") for mutant in made}, {SOURCE.count("\n")})

    def test_a_mutant_is_shown_as_a_diff(self):
        call = next(mutant for mutant in mutate.mutants("src/a.c", SOURCE) if mutant.change[0] == "note(thing,")
        self.assertEqual(str(call), "src/a.c:9 check: call")
        self.assertEqual(call.diff(), """\
--- src/a.c
+++ src/a.c
@@ -7,6 +7,6 @@
     if (thing->size >= 2 && n << 1 != 8) {
         log_info("n < %d == 1", n);
-        note(thing,
-             n);
+        ;
+
     }
     TRY(look(thing));""")

    def test_every_source_can_be_mutated(self):
        for path in mutants.c_files("HEAD", ["src/base", "lib"]):
            text = (mutants.ROOT / path).read_text()
            for mutant in mutate.mutants(path, text):
                self.assertNotEqual(mutant.mutated, text)
                self.assertEqual(mutant.mutated.count("\n"), text.count("\n"))

    def test_a_seed_chooses_the_same_again(self):
        made = [mutant for path in ("src/a.c", "src/b.c") for mutant in mutate.mutants(path, SOURCE)]
        chosen = mutants.choose(made, 8, 5)
        self.assertEqual(chosen, mutants.choose(list(made), 8, 5))
        self.assertNotEqual(chosen, mutants.choose(made, 8, 6))
        self.assertEqual(len(set(chosen)), 8)
        self.assertCountEqual(mutants.choose(made, 1000, 1), made)


class Equivalents(unittest.TestCase):
    TEXT = ("# How it is written.\n\nsrc/a.c check\n- return n > 0 ? error_new(thing, \"x == 1; y\") : NULL;\n"
            "+ return n > 1 ? error_new(thing, \"x == 1; y\") : NULL;\nn is never 1\n\n"
            "src/a.c is_fine\n- return true;\n+ return false;\nnobody asks,\nor so they say\n")

    def test_they_are_known_by_their_text_wherever_they_stand(self):
        known = mutate.read_equivalents(self.TEXT)
        for text in SOURCE, "int first;\n\n\n" + SOURCE:
            equivalent = [mutant for mutant in mutate.mutants("src/a.c", text) if mutate.is_equivalent(mutant, known)]
            self.assertEqual([mutant.function for mutant in equivalent], ["check", "is_fine"])
        self.assertFalse([mutant for mutant in mutate.mutants("src/b.c", SOURCE) if mutate.is_equivalent(mutant, known)])

    def test_each_has_a_reason(self):
        with self.assertRaisesRegex(ValueError, "a reason"):
            mutate.read_equivalents("src/a.c check\n- a\n+ b\n")

    def test_those_of_the_file_are_there(self):
        known = mutate.read_equivalents((mutants.HERE / "equivalent.txt").read_text())
        for path in sorted({path for path, *_ in known}):
            made = {(mutant.path, mutant.function, *mutant.change) for mutant in mutate.mutants(path, (mutants.ROOT / path).read_text())}
            self.assertLessEqual({each for each in known if each[0] == path}, made)


class Copying(unittest.TestCase):
    def test_the_copy_follows_the_checkout_and_keeps_what_is_the_same(self):
        with tempfile.TemporaryDirectory() as place:
            root, copy = pathlib.Path(place, "root"), pathlib.Path(place, "copy")
            (root / "src").mkdir(parents=True)
            for name in "same", "other", "gone":
                (root / "src" / name).write_text(name)
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            with unittest.mock.patch.object(mutants, "ROOT", root):
                tree = mutants.Tree(copy)
                tree.copy()
                tree.write("src/other", "mutated, and the run was killed")
                (copy / "build-check").mkdir()
                (copy / "build-check/object").write_text("built")
                for name in "same", "other":
                    os.utime(copy / "src" / name, (1, 1))
                (root / "src/gone").unlink()
                tree.copy()
            self.assertEqual({str(path.relative_to(copy)): path.read_text() for path in copy.rglob("*") if path.is_file()},
                             {"src/same": "same", "src/other": "other", "build-check/object": "built"})
            self.assertEqual((copy / "src/same").stat().st_mtime, 1)


PROGRAM = '''\
#include <stdbool.h>

bool is_small(int n) {
    return n < 10;
}

int main(void) {
%s}
'''
CHECKS_ALL = "    return is_small(9) && !is_small(10) ? 0 : 1;\n"
CHECKS_NOTHING = "    is_small(10);\n    return 0;\n"


class FakeTree(mutants.Tree):
    def build(self, targets):
        result = mutants.run(["cc", "-o", "program", "src/small.c"], self.root)
        return result.stdout if result.returncode else None


class FakeSuite(mutants.Suite):
    """Its own job, and a case that nothing makes fail."""

    def __init__(self, tree):
        self.check, self.seconds, self.broken = mutants.load_check(mutants.ROOT), {}, set()
        own = self.check.Job("unit/small", [str(tree.root / "program")], "exit")
        self.jobs = [("unit", [own]), ("cases", [self.check.Job("wire/cases", ["true"], "exit")])]

    def stages(self, path):
        return self.jobs

    def targets(self, stage, jobs):
        return []


class Canary(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.tree = FakeTree(pathlib.Path(place.name))
        (self.tree.root / "src").mkdir()

    def judge(self, main, change=lambda mutant: True):
        """Returns the outcome of each mutant of is_small(), and the output."""
        text = PROGRAM % main
        self.tree.write("src/small.c", text)
        made = [mutant for mutant in mutate.mutants("src/small.c", text) if mutant.function == "is_small" and change(mutant)]
        suite = FakeSuite(self.tree)
        with contextlib.redirect_stdout(io.StringIO()) as output:
            mutants.run_without(self.tree, suite, ["src/small.c"], mutants.STAGES)
            fates = mutants.try_all(self.tree, suite, made, mutants.STAGES, 60)
            status = mutants.score(fates, 97)
        self.assertEqual((self.tree.root / "src/small.c").read_text(), text)
        return [(mutant.operator, fate, why) for mutant, fate, why in fates], status, output.getvalue()

    def test_a_test_that_checks_kills_them(self):
        fates, status, output = self.judge(CHECKS_ALL)
        self.assertEqual(fates, [("comparison", "killed", "unit/small"), ("constant", "killed", "unit/small")])
        self.assertEqual(status, 0)
        self.assertTrue(output.endswith("\n2 of 2 mutants killed, 100.0 %\n"), output)

    def test_a_test_that_cannot_fail_lets_them_live(self):
        fates, status, output = self.judge(CHECKS_NOTHING)
        self.assertEqual(fates, [("comparison", "survived", ""), ("constant", "survived", "")])
        self.assertEqual(status, 1)
        self.assertIn("survived: src/small.c:4 is_small: comparison\n--- src/small.c\n+++ src/small.c\n", output)
        self.assertIn("-    return n < 10;\n+    return n <= 10;\n", output)
        self.assertTrue(output.endswith("\n0 of 2 mutants killed, 0.0 %\n"), output)

    def test_a_program_that_never_ends_is_killed(self):
        loop = "    int n = 0;\n    while (is_small(n))\n        n += 10 - n;\n    return 0;\n"
        with unittest.mock.patch.multiple(mutants, JOB_SECONDS=2, JOB_TIMES=0):
            fates, status, _ = self.judge(loop)
        self.assertEqual(fates, [("comparison", "killed", "unit/small"), ("constant", "killed", "unit/small")])
        self.assertEqual(status, 0)

    def test_what_does_not_compile_does_not_count(self):
        text = PROGRAM % CHECKS_ALL
        self.tree.write("src/small.c", text)
        at = text.index("n < 10")
        broken = mutate.Mutant("src/small.c", text, "is_small", "none", at, at + 1, "no such name")
        with contextlib.redirect_stdout(io.StringIO()) as output:
            fates = mutants.try_all(self.tree, FakeSuite(self.tree), [broken], mutants.STAGES, 60)
            self.assertEqual(mutants.score(fates, 97), 1)
        self.assertEqual(fates[0][1], "invalid")
        self.assertTrue(output.getvalue().endswith("\n0 of 0 mutants killed, 0.0 %, 1 do not compile\n"), output.getvalue())

    def test_a_run_out_of_time_says_so(self):
        text = PROGRAM % CHECKS_ALL
        self.tree.write("src/small.c", text)
        mutant = next(iter(mutate.mutants("src/small.c", text)))
        self.assertEqual(mutants.try_mutant(self.tree, FakeSuite(self.tree), mutant, mutants.STAGES, -1),
                         ("survived", "time limit, 1 jobs of the stage unit did not run"))

    def test_tests_that_fail_without_a_mutant_judge_nothing(self):
        fates, status, output = self.judge("    return 1;\n")
        self.assertEqual(fates, [("comparison", "survived", ""), ("constant", "survived", "")])
        self.assertEqual(status, 1)
        self.assertIn("left out: unit/small fails without a mutant\n", output)

    def test_the_copy_is_whole_again_after_an_interrupt(self):
        text = PROGRAM % CHECKS_ALL
        self.tree.write("src/small.c", text)
        suite = FakeSuite(self.tree)
        with unittest.mock.patch.object(suite, "run", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            mutants.try_mutant(self.tree, suite, next(iter(mutate.mutants("src/small.c", text))), mutants.STAGES, 60)
        self.assertEqual((self.tree.root / "src/small.c").read_text(), text)


if __name__ == "__main__":
    unittest.main()
