"""The examples of README.md, run as they stand there.

In a ```console block every line that starts with `$ ` is a command (a line that ends in a backslash
goes on), and the lines up to the next one are exactly what it prints. In a ```python block every
`# -> text` comment tells one printed line. A block whose fence line reads ```console no-test is only
for reading. The server is the one the README starts, on another port.
"""

import pathlib
import re
import subprocess
import tempfile
import unittest

import shell
from server import ROOT
from wire import WireTest

README = ROOT / "README.md"
ADDRESS = "http://localhost:8000"


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def commands(block):
    """Yields (command, expected output) of one console block."""
    parts = re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.M)
    for part in parts[1:]:
        command, _, output = part.partition("\n")
        yield command, output


class Readme(WireTest):
    def setUp(self):
        pass  # The examples build on each other.

    def test_1_console(self):
        text = README.read_text()
        sessions = blocks(text, "console")
        self.assertGreaterEqual(len(sessions), 1, "the README lost its first session")
        exports = ""
        ran = 0
        for command, expected in (pair for block in sessions for pair in commands(block)):
            # Settings stay for the commands after them, as in one terminal.
            if command.startswith("export "):
                exports += command + "; "
                continue
            status, out, err = shell.run(exports + command.replace(ADDRESS, self.server.endpoint))
            self.assertEqual((status, err), (0, ""), command)
            self.assertEqual(out, expected, command)
            ran += 1
        self.assertGreaterEqual(ran, 4)

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


if __name__ == "__main__":
    unittest.main()
