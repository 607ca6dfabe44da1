"""The packages for npm, installed in a project that runs its tests with jest, vitest and mocha; and the tools for DynamoDB Local that
find gramme in its place."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

import package

HERE = package.ROOT / "tests/packages/js"
AT_PORT = """
const { equal } = require('node:assert');
test(process.env.WANTED, () => equal(gramme.port === Number(process.env.PORT), process.env.WANTED === 'used'));
"""
TOLD = """
test('other services are left where they are', () => {
  const names = Object.keys(process.env).filter((name) => process.env[name] === gramme.endpoint).sort();
  const services = ['APPLICATION_AUTO_SCALING', 'CLOUDWATCH', 'DYNAMODB', 'DYNAMODB_STREAMS', 'IAM', 'STS'];
  expect(names).toEqual([...services.map((name) => `AWS_ENDPOINT_URL_${name}`), 'MOCK_DYNAMODB_ENDPOINT']);
  expect(process.env.AWS_SESSION_TOKEN).toBeUndefined();
});
"""


def run(*command, env=None, **options):
    """With all that it said, wherever: each runner has its own opinion."""
    return package.run(*command, stderr=subprocess.STDOUT, env={**os.environ, **package.SHELL, "CI": "1", **(env or {})}, **options)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])


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
        package.wait_until_gone(run("node", "program.mjs", cwd=self.project).strip())  # the one that was left ends with the program

    def test_a_server_ends_with_the_program_that_started_it(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(signal=number):
                package.end_by(number, "node", "left.cjs", cwd=self.project)

    def test_a_program_is_told_why_a_server_does_not_start(self):
        with tempfile.TemporaryDirectory() as folder:
            for script, timeout, said in (("echo out; echo err >&2; exit 3", 60000, r"^gramme ended with 3: (out\nerr|err\nout)\n$"),
                                          ("exec sleep 600", 200, r"^gramme did not answer within 0\.2 s: \n$")):
                program = package.fake_program(folder, script)
                self.assertRegex(run("node", "-e", f"require('gramme').start({{ timeout: {timeout} }}).catch(({{ message }}) => console.log(message))",
                                     cwd=self.project, env={"GRAMME_BINARY": program}), said)

    def test_a_server_ends_with_the_thread_that_started_it(self):
        process = subprocess.Popen(["node", "thread.cjs"], cwd=self.project, text=True, stdout=subprocess.PIPE)
        self.addCleanup(process.__exit__, None, None, None)
        self.addCleanup(process.kill)
        package.wait_until_gone(process.stdout.readline().strip())

    def test_jest(self):
        self.assertIn("4 passed, 4 total", self.npx("jest/bin/jest.js", "--config", '{"preset": "gramme", "testMatch": ["**/*.jest.cjs"]}'))

    def test_what_the_code_under_test_is_told(self):
        with tempfile.TemporaryDirectory(dir=HERE) as folder:
            place = pathlib.Path(folder)
            (place / "told.test.cjs").write_text(TOLD)
            self.assertIn("1 passed, 1 total", run("node", HERE / "node_modules/jest/bin/jest.js", "--config",
                                                   '{"preset": "gramme", "testMatch": ["**/*.test.cjs"]}', cwd=place))

    def test_a_port_is_one_servers(self):
        """Each runner with files one after the other, which have the port, and side by side, which hear that they have not."""
        runners = ((["jest/bin/jest.js", "--config", '{"preset": "gramme", "testMatch": ["**/*.cjs"], "testPathIgnorePatterns": ["config"]}'], ["--runInBand"], ["--maxWorkers=2"]),
                   (["mocha/bin/mocha.js", "--ui", "tdd", "--require", "gramme/mocha", "one.cjs", "two.cjs"], [], ["--parallel"]),
                   (["vitest/vitest.mjs", "run", "--globals"], ["--poolOptions.forks.singleFork"], []))
        with tempfile.TemporaryDirectory(dir=HERE) as folder:
            place = pathlib.Path(folder)
            (place / "gramme.config.cjs").write_text("module.exports = { port: Number(process.env.PORT) };\n")
            (place / "vitest.config.mjs").write_text("export default { test: { include: ['one.cjs', 'two.cjs'], setupFiles: ['gramme/vitest'] } };\n")
            for name in ("one.cjs", "two.cjs"):
                (place / name).write_text(AT_PORT)
            for command, alone, beside in runners:
                for words, wanted in ((alone, "used"), (beside, "not used")):
                    with self.subTest(command=command, wanted=wanted):
                        said = run("node", HERE / "node_modules" / command[0], *command[1:], *words, cwd=place,
                                   env={"PORT": free_port(), "WANTED": wanted, "NO_COLOR": "1"})
                        self.assertRegex(said, r"2 pass(ed|ing)")
                        self.assertEqual("of gramme.config.cjs is not used" in said, wanted == "not used", said)

    def test_what_vitest_shows_a_worker(self):
        """In version 3.2.7 and 4.1.12, the second of which takes a later Node than this test."""
        pools = '"forks":{{"singleFork":{},"isolate":true}},"threads":{{"singleThread":{},"isolate":true}}'
        for config, alone in ((f'{{"poolOptions":{{{pools.format("false", "false")}}}}}', "false"), (f'{{"poolOptions":{{{pools.format("true", "false")}}}}}', "true"),
                              (f'{{"poolOptions":{{{pools.format("false", "true")}}}}}', "true"), ('{"pool":"forks"}', "false"),
                              ('{"pool":"forks","maxWorkers":2}', "false"), ('{"pool":"forks","maxWorkers":1}', "true"), ("undefined", "false")):
            with self.subTest(config=config):
                self.assertEqual(run("node", "-p", f"require('{HERE}/node_modules/gramme/settings.cjs').isOnlyWorker({config})").strip(), alone)

    def test_what_typescript_knows(self):
        self.npx("typescript/bin/tsc", "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,esnext.disposable",
                 "--types", "gramme", "typed.mts")

    def test_jest_dynamodb_finds_it_in_the_place_of_local(self):
        """The preset starts `java -jar DynamoDBLocal.jar`, and polls until a GET of / is answered by 400."""
        shim = next((HERE / "node_modules").glob("gramme-linux-*")) / "share/gramme/java"
        port = free_port()
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

    def test_mocha_does_not_empty_data_that_is_kept(self):
        with tempfile.TemporaryDirectory(dir=HERE) as folder:
            place = pathlib.Path(folder)
            words = package.PROGRAM, "serve", "--port", "0", "--data", place / "data"
            process, address = package.start(*words)
            with process:
                package.put_item(address)
                process.terminate()
            (place / "one.cjs").write_text("test('nothing', () => {});\n")
            command = ["node", HERE / "node_modules/mocha/bin/mocha.js", "--ui", "tdd", "--require", "gramme/mocha", "one.cjs"]
            data = str(place / "data")
            for config in ({"data": data}, {"args": ["--data", data]}, {"args": [f"--store=rocksdb:{data}"]}):
                (place / "gramme.config.json").write_text(json.dumps(config))
                self.assertIn("gramme.config.json names data that is kept", run(*command, cwd=place, status=1))
            (place / "gramme.config.json").write_text(json.dumps({"args": ["--store", "memory:"]}))
            self.assertIn("1 passing", run(*command, cwd=place))
            process, address = package.start(*words)
            with process:
                self.assertEqual(package.get_item(address), package.ITEM)
                process.terminate()
