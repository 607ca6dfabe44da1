"""`gramme completion`: what each shell offers."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from server import binary


def run(*command, text=None, cwd=None):
    result = subprocess.run(command, input=text, text=True, capture_output=True, timeout=60, cwd=cwd)
    assert result.returncode == 0, f"{command[0]}: {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


def script(shell):
    return run(binary(), "completion", shell)


BASH = """
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }
_gramme
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Bash(unittest.TestCase):
    def complete(self, *words, cwd=None):
        return run("bash", "-c", script("bash") + BASH, "bash", "gramme", *words, cwd=cwd).split()

    def test_commands(self):
        self.assertEqual(self.complete("ser"), ["serve"])
        self.assertEqual(self.complete("k"), ["key"])
        self.assertEqual(self.complete("key", "cr"), ["create"])
        listed = set(self.complete(""))
        self.assertLessEqual({"serve", "apply", "backup", "healthcheck", "user", "cert", "--version"}, listed)

    def test_options(self):
        self.assertEqual(self.complete("serve", "--dur"), ["--durability"])
        self.assertEqual(self.complete("serve", "--memory", "--tls-c"), ["--tls-cert", "--tls-client-ca"])
        self.assertIn("--user", self.complete("key", "create", "--"))
        self.assertEqual(self.complete("nothing", "--"), [])

    def test_words_of_local_and_of_completion(self):
        self.assertEqual(self.complete("local", "-in"), ["-inMemory"])
        self.assertEqual(self.complete("local", "-sharedDb", "-db"), ["-dbPath"])
        self.assertLessEqual({"-port", "-cors", "--help"}, set(self.complete("local", "-")))
        self.assertEqual(self.complete("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.complete("completion", "z"), ["zsh"])
        self.assertEqual(self.complete("completion", "--"), ["--help"])

    def test_every_option_of_every_command(self):
        for command in (["serve"], ["apply"], ["bench"], ["key", "create"]):
            options = set(self.complete(*command, "--"))
            shown = {word for line in run(binary(), *command, "--help").splitlines()
                     for word in line.split()[:1] if line.startswith("  --")}
            self.assertEqual(options, shown | {"--help"})

    def test_values(self):
        self.assertEqual(self.complete("serve", "--durability", ""), ["sync", "relaxed"])
        self.assertEqual(self.complete("serve", "--port", ""), [])
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "data-folder").mkdir()
            pathlib.Path(folder, "data-file").touch()
            self.assertEqual(self.complete("serve", "--data", "da", cwd=folder), ["data-folder"])


class Others(unittest.TestCase):
    @unittest.skipUnless(shutil.which("fish"), "needs fish")
    def test_fish(self):
        def complete(line):
            with tempfile.NamedTemporaryFile("w", suffix=".fish") as file:
                file.write(script("fish"))
                file.flush()
                out = run("fish", "-c", f"source {file.name}; complete -C '{line}'")
            return [row.split("\t")[0] for row in out.splitlines()]

        self.assertEqual(complete("gramme ser"), ["serve"])
        self.assertEqual(complete("gramme key cr"), ["create"])
        self.assertEqual(complete("gramme serve --dur"), ["--durability"])
        self.assertEqual(complete("gramme serve --durability "), ["relaxed", "sync"])
        self.assertEqual(complete("gramme key create --durab"), [])
        self.assertEqual(complete("gramme local -in"), ["-inMemory"])
        self.assertEqual(complete("gramme completion z"), ["zsh"])

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_zsh_reads_it(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "_gramme")
            file.write_text(script("zsh"))
            run("zsh", "-n", str(file))

    def test_zsh_knows_the_words(self):
        text = script("zsh")
        self.assertIn("'-inMemory[keep data in memory]'", text)
        self.assertIn("':SHELL:(bash zsh fish)'", text)

    def test_what_is_no_shell(self):
        result = subprocess.run([binary(), "completion", "tcsh"], text=True, capture_output=True, timeout=60)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("SHELL is bash, zsh or fish, not 'tcsh'", result.stderr)


if __name__ == "__main__":
    unittest.main()
