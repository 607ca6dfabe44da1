"""Runs the console examples of a README as they stand there.

In a ```console block every line that starts with `$ ` is a command (a line that ends in a backslash
goes on), and the lines up to the next one are exactly what it prints. A block whose fence line reads
```console no-test is only for reading. `export` lines stay for the commands after them, as in one
terminal.
"""

import re

import shell

ADDRESS = "http://localhost:8000"


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def commands(block):
    """Yields (command, expected output) of one console block."""
    parts = re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.M)
    for part in parts[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def run_console(test, path, replacements, cwd=None, normal=lambda text: text):
    """Runs every command of the file for a unittest; returns how many there were.

    `replacements` are texts of the commands that are different here: the server's address, the build
    directory. `normal` is applied to what is printed and what is expected, for times and the like.
    """
    exports, ran = "", 0
    for command, expected in (pair for block in blocks(path.read_text(), "console") for pair in commands(block)):
        for text, other in replacements.items():
            command = command.replace(text, other)
        if command.startswith("export "):
            exports += command + "; "
            continue
        status, out, err = shell.run(exports + command, cwd=cwd)
        test.assertEqual((status, err), (0, ""), command)
        test.assertEqual(normal(out), normal(expected), command)
        ran += 1
    return ran
