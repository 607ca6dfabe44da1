"""The examples of README.md, run as they stand there: the console sessions as readme.py tells. In a
```python block every `# -> text` comment tells one printed line. The server is the one the README
starts, on another port.
"""

import pathlib
import re
import subprocess
import tempfile
import unittest

import shell
from readme import ADDRESS, blocks, run_console
from server import ROOT, binary
from wire import WireTest

README = ROOT / "README.md"


class Readme(WireTest):
    def setUp(self):
        pass  # The examples build on each other.

    def test_1_console(self):
        self.assertGreaterEqual(run_console(self, README, {ADDRESS: self.server.endpoint}), 4)

    def test_2_python(self):
        programs = blocks(README.read_text(), "python")
        self.assertGreaterEqual(len(programs), 1, "the README lost its boto3 example")
        for program in programs:
            expected = re.findall(r"# -> (.*)$", program, re.M)
            self.assertGreaterEqual(len(expected), 1, "a program that prints nothing shows nothing")
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "example.py"
                path.write_text(program.replace(ADDRESS, self.server.endpoint))
                result = subprocess.run(["/usr/bin/python3", str(path)], text=True, capture_output=True, timeout=60,
                                        env=shell.environment(folder))
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(result.stdout.splitlines(), expected)

    def test_3_the_number_of_operations(self):
        listed = subprocess.run([binary(), "operations"], text=True, capture_output=True, check=True).stdout
        self.assertIn(f"{listed.count(' yes')} operations", README.read_text())


if __name__ == "__main__":
    unittest.main()
