"""The packages for npm, installed in a project that runs its tests with jest, vitest and mocha; and the tools for DynamoDB Local that
find gramme in its place."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import unittest
import urllib.request

import package

HERE = package.ROOT / "tests/packages/js"


def run(*command, env=None, **options):
    """With all that it said, wherever: each runner has its own opinion."""
    return package.run(*command, stderr=subprocess.STDOUT, env={**os.environ, "CI": "1", **(env or {})}, **options)


class Npm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The runners are installed once; gramme's own packages are unpacked beside them, as npm does it."""
        wanted, stamp = HERE / "package.json", HERE / "node_modules/.gramme-wanted"
        if not stamp.exists() or stamp.read_bytes() != wanted.read_bytes():
            run("npm", "install", "--no-package-lock", "--no-audit", "--no-fund", cwd=HERE)
            shutil.copy(wanted, stamp)
        cls.folder = tempfile.TemporaryDirectory()
        for file in package.build("npm", cls.folder.name, package.PROGRAM):
            place = HERE / "node_modules" / file.name.rpartition("-")[0]
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            run("tar", "--extract", "--file", file, "--directory", place, "--strip-components=1")
        cls.project = HERE / "project"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def npx(self, *words, **options):
        return run("node", HERE / "node_modules" / words[0], *words[1:], cwd=self.project, **options)

    def test_the_command_is_the_program(self):
        self.assertEqual(self.npx("gramme/gramme.cjs", "--version"), run(package.PROGRAM, "--version"))
        self.npx("gramme/gramme.cjs", "no-such-command", status=2)

    def test_an_archive_of_other_sources_is_not_taken(self):
        common = ["bash", "-c", 'source "$0/packaging/common.sh" "$1"; "${@:2}"', package.ROOT]
        with tempfile.TemporaryDirectory() as folder:
            document, archive = pathlib.Path(folder) / "a/gramme.cdx.json", pathlib.Path(folder) / "a.tar.gz"
            document.parent.mkdir()
            for sources, status in ((run(*common, folder, "fingerprint").strip(), 0), ("0" * 64, 1)):
                document.write_text(sources)
                run("tar", "--create", "--gzip", "--file", archive, "--directory", folder, "a")
                run(*common, folder, "is_of_these_sources", archive, status=status)

    def test_a_program_starts_and_stops_servers(self):
        endpoint = run("node", "program.mjs", cwd=self.project).strip()
        with self.assertRaises(OSError):  # the one that was left ended with the program
            urllib.request.urlopen(endpoint, timeout=10)

    def test_jest(self):
        self.assertIn("4 passed, 4 total", self.npx("jest/bin/jest.js", "--config", '{"preset": "gramme", "testMatch": ["**/*.jest.cjs"]}'))

    def test_jest_dynamodb_finds_it_in_the_place_of_local(self):
        """The preset starts `java -jar DynamoDBLocal.jar`, and polls until a GET of / is answered by 400."""
        shim = next((HERE / "node_modules").glob("gramme-linux-*")) / "share/gramme/java"
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = str(taken.getsockname()[1])
        said = run("node", HERE / "node_modules/jest/bin/jest.js", cwd=HERE / "local-project",
                   env={"PATH": f"{shim}:{os.environ['PATH']}", "INSTALLED": str(shim), "LOCAL_PORT": port})
        self.assertIn("1 passed, 1 total", said)

    def test_another_call_of_java_is_one_of_java(self):
        with tempfile.TemporaryDirectory() as folder:
            java = pathlib.Path(folder) / "java"
            java.write_text("#!/bin/sh\necho real \"$@\"\n")
            java.chmod(0o755)
            shim = package.ROOT / "packaging/java"
            self.assertEqual(run(shim / "java", "-version", env={"PATH": f"{shim}:{folder}:{os.environ['PATH']}"}), "real -version\n")

    def test_vitest(self):
        self.assertRegex(self.npx("vitest/vitest.mjs", "run", "--config", "vitest.config.mjs", env={"NO_COLOR": "1"}), r"Tests +2 passed")

    def test_the_examples_of_the_documentation(self):
        jest, vitest = package.examples("js")
        with tempfile.TemporaryDirectory(dir=HERE) as folder:
            place = pathlib.Path(folder)
            (place / "gramme.config.cjs").write_text(
                f"module.exports = {{ ...require('{self.project}/gramme.config.cjs'), args: ['--test-clock', '--test-faults'] }};\n")
            (place / "songs.test.cjs").write_text(jest)
            (place / "sessions.test.mjs").write_text(vitest)
            (place / "vitest.config.mjs").write_text("export default { test: { include: ['*.test.mjs'], setupFiles: ['gramme/vitest'] } };\n")
            self.assertIn("3 passed, 3 total", run("node", HERE / "node_modules/jest/bin/jest.js", "--config",
                                                   '{"preset": "gramme", "testMatch": ["**/*.test.cjs"]}', cwd=place))
            self.assertRegex(run("node", HERE / "node_modules/vitest/vitest.mjs", "run", cwd=place, env={"NO_COLOR": "1"}), r"Tests +1 passed")

    def test_mocha(self):
        self.assertIn("2 passing", self.npx("mocha/bin/mocha.js", "--require", "gramme/mocha", "songs.mocha.cjs"))
