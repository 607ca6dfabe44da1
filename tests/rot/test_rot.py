"""The canary of rot.py: what is wrong is noticed, and what is right is not."""

import pathlib
import shutil
import tempfile
import unittest

import rot


class Rot(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.base = rot.build(self.folder, [], killed=False)
        self.path = self.folder / "case"
        shutil.copytree(self.base.path, self.path)

    def test_the_rule_holds_and_is_held(self):
        self.assertEqual(rot.judge(self.base, self.path, []), "served")
        other = self.base._replace(answers=[None if text is None else text + " " for text in self.base.answers])
        with self.assertRaisesRegex(AssertionError, "wrong answers"):
            rot.judge(other, self.path, [])
        for manifest in (self.path / "store").glob("MANIFEST-*"):
            manifest.write_bytes(manifest.read_bytes()[:-1])
        self.assertRegex(rot.judge(self.base, self.path, []), r"refused: .* MANIFEST-\d+ ends at byte \d+")
        self.assertRegex(rot.salvage(self.base, self.path, []), r"^180 of 180 items")
        fewer = [self.base.answers[0].replace('"round": {"N": "2"}', '"round": {"N": "3"}'), *self.base.answers[1:]]
        with self.assertRaisesRegex(AssertionError, "what was salvaged is wrong"):
            rot.salvage(self.base._replace(answers=fewer), self.path, [])
        fingerprint, marks = rot.fingerprint, iter(({}, {}, {"file": "before"}, {"file": "after"}))
        self.addCleanup(setattr, rot, "fingerprint", fingerprint)
        rot.fingerprint = lambda path: next(marks)
        with self.assertRaisesRegex(AssertionError, "the refusal changed"):
            rot.judge(self.base, self.path, [])


if __name__ == "__main__":
    unittest.main()
