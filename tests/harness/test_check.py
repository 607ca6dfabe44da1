"""The canary of `make check`: jobs made to fail must be counted as failed.

Each case runs a fake job through the same code that runs the real ones.
"""

import importlib.machinery
import importlib.util
import io
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree as xml
from contextlib import redirect_stdout

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/wire"))
from waiting import WAIT_S, wait_until  # noqa: E402

_loader = importlib.machinery.SourceFileLoader("check", str(ROOT / "scripts/check"))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", _loader))
sys.modules["check"] = check
_loader.exec_module(check)


def shell(script, format="tap", **options):
    return check.Job("fake", ["sh", "-c", script], format, **options)


class Counting(unittest.TestCase):
    def expect(self, job, passed, failed):
        result = check.run_job(job)
        self.assertEqual((result.passed, result.failed), (passed, failed), result.output)

    def test_tap_all_pass(self):
        self.expect(shell("echo 1..2; echo ok 1; echo ok 2"), 2, 0)

    def test_tap_failure(self):
        self.expect(shell("echo 1..2; echo ok 1; echo not ok 2; exit 1"), 1, 1)

    def test_tap_failure_with_exit_status_zero(self):
        self.expect(shell("echo 1..2; echo ok 1; echo not ok 2"), 1, 1)

    def test_tap_crash_counts_what_never_ran(self):
        self.expect(shell("echo 1..3; echo ok 1; kill -9 $$"), 1, 2)

    def test_tap_short_plan(self):
        self.expect(shell("echo 1..3; echo ok 1; echo ok 2"), 2, 1)

    def test_tap_two_groups(self):
        self.expect(shell("echo 1..1; echo ok 1; echo 1..2; echo ok 1; echo not ok 2"), 2, 1)

    def test_tap_failure_after_the_last_case(self):
        self.expect(shell("echo 1..1; echo ok 1; exit 99"), 1, 1)

    def test_tap_without_cases(self):
        self.expect(shell("true"), 0, 1)

    def skips(self, *lines, format="tap"):
        """What the cases need that a job with this output has skipped."""
        return check.count(check.Job("fake", [], format), "\n".join(lines), 0)[2]

    def test_tap_skipped(self):
        script = "echo 1..3; echo ok 1; echo 'ok 2 - a # SKIP needs a thing'; exit "
        self.expect(shell(script + "0"), 1, 1)  # and the third never ran
        self.expect(shell("echo 1..1; echo 'ok 1 # SKIP needs a thing'"), 0, 0)
        self.expect(shell("echo 1..1; echo 'ok 1 # SKIP needs a thing'; exit 99"), 0, 1)

    def test_skips_say_what_they_need(self):
        self.assertEqual(self.skips("1..2", "ok 1 - a", "ok 2 - b # SKIP needs a thing"), ["a thing"])
        self.assertEqual(self.skips("1..1", "ok 1 - a # SKIP for another reason"), ["for another reason"])
        # cmocka: not ok, and the name in place of the reason, which is in the line before.
        self.assertEqual(self.skips("1..2", "ok 1 - a", "# needs a thing", "not ok 2 # SKIP b"), ["a thing"])
        self.assertEqual(self.skips("1..1", "ok 1 # SKIP b"), ["b"])
        self.assertEqual(self.skips("    a_test.go:7: needs a thing", "--- SKIP: TestA (0.00s)", "--- PASS: TestB (0.00s)",
                                    "--- SKIP: TestC (0.00s)", format="go"), ["a thing", "TestC"])

    def test_skips_of_cmocka_are_no_failures(self):
        self.expect(shell("echo 1..2; echo ok 1; echo 'not ok 2 # SKIP b'"), 1, 0)

    def test_go_skipped(self):
        self.expect(shell("echo '--- PASS: TestA (0.00s)'; echo '--- SKIP: TestB (0.00s)'", "go"), 1, 0)

    def test_a_job_that_lacks_something(self):
        for job, needs in ((shell("false", missing="a thing"), ["a thing"]),
                           (shell("false", needs=["sh", "-c", "echo 'sh: needs a thing' >&2; exit 1"]), ["a thing"])):
            result = check.run_job(job)
            self.assertEqual((result.passed, result.failed, result.skips), (0, 0, needs))
        self.expect(shell("exit 3", "exit", needs=["true"]), 0, 1)

    def test_exit_pass(self):
        self.expect(shell("true", "exit"), 1, 0)

    def test_exit_failure(self):
        self.expect(shell("exit 3", "exit"), 0, 1)

    def test_exit_that_prints_tap_is_counted_by_case(self):
        self.expect(shell("echo 1..2; echo ok 1; echo not ok 2; exit 1", "exit"), 1, 1)

    def test_go_pass_and_failure(self):
        self.expect(shell("echo '--- PASS: TestA'; echo '--- FAIL: TestB'; exit 1", "go"), 1, 1)

    def test_go_that_does_not_compile(self):
        self.expect(shell("echo FAIL; exit 2", "go"), 0, 1)

    def test_a_command_that_is_not_there(self):
        self.expect(check.Job("fake", ["/nowhere/at/all"]), 0, 1)

    def test_time_out(self):
        self.expect(shell("sleep 600", "exit", timeout_s=0.2), 0, 1)
        self.assertEqual(check.count(shell(""), "1..1\nok 1\n", -signal.SIGKILL), (1, 1, []))


class Total(unittest.TestCase):
    def test_last_line_and_status(self):
        jobs = [shell("echo 1..2; echo ok 1; echo not ok 2; echo why it failed"), shell("true", "exit")]
        out = io.StringIO()
        with redirect_stdout(out):
            status = check.total(check.run_all(jobs, 2))
        self.assertEqual(out.getvalue().splitlines()[-1], "2 passed, 1 failed, 0 skipped")
        self.assertIn("why it failed", out.getvalue())
        self.assertEqual(status, 1)

    def test_what_runs_alone_runs_last_and_counts(self):
        out, jobs = io.StringIO(), [shell("sleep 0.3; echo 1..1; echo ok 1")]
        with redirect_stdout(out):
            status = check.total(check.run_all(jobs, 2, [check.Job("alone", ["/bin/false"], "exit")]))
        self.assertEqual([line.split()[1] for line in out.getvalue().splitlines() if line.startswith(("ok", "FAIL"))], ["fake", "alone"])
        self.assertEqual((out.getvalue().splitlines()[-1], status), ("1 passed, 1 failed, 0 skipped", 1))

    def test_jobs_that_are_named_are_there(self):
        names = {job.name for job in check.all_jobs()}
        self.assertEqual(check.WAITING - names, set())
        self.assertEqual([word for word in check.LONG if not any(name.startswith(word) for name in names)], [])
        self.assertEqual(check.VERIFIED_SUITES - {name.removeprefix("wire/").removesuffix(" verified") for name in names}, set())

    def test_torture_is_only_for_who_asks(self):
        self.assertEqual(list(check.torture_jobs(0)), [])
        self.assertEqual([job.command[-2:] for job in check.torture_jobs(60)], [["--seconds", "60"]])

    def test_status_of_success(self):
        out = io.StringIO()
        with redirect_stdout(out):
            status = check.total(check.run_all([shell("true", "exit")], 1))
        self.assertEqual((out.getvalue().splitlines()[-1], status), ("1 passed, 0 failed, 0 skipped", 0))

    def test_skips_are_listed(self):
        jobs = [check.Job(name, ["echo", f"1..2\nok 1\nok 2 # SKIP needs {need}"])
                for name, need in (("wire/b", "a thing"), ("wire/a", "a thing"), ("unit/c", "root"))]
        listed = ["skipped 2 for lack of a thing: wire/a, wire/b", "skipped 1 for lack of root: unit/c", "3 passed, 0 failed, 3 skipped"]
        refused = [listed[0].replace("thing:", "thing, which must be here:"), *listed[1:]]
        for allowed, lines, status in ((None, listed, 0), ({"root", "a thing"}, listed, 0), ({"root"}, refused, 1)):
            with redirect_stdout(io.StringIO()) as out:
                self.assertEqual(check.total(check.run_all(jobs, 2), allowed), status)
            self.assertIn(" 1 passed, 1 skipped ", out.getvalue())
            self.assertEqual(out.getvalue().splitlines()[-3:], lines)

    def test_what_may_be_skipped(self):
        for release, may in (("noble", True), ("bookworm", False), (None, False)):
            told = {"VERSION_CODENAME": release} if release else {}
            with unittest.mock.patch("platform.freedesktop_os_release", return_value=told):
                self.assertEqual(("root" in check.may_skip(), "the AWS CLI" in check.may_skip(), "fish" in check.may_skip()), (True, may, False))

    def test_nothing_run_is_a_failure(self):
        out = io.StringIO()
        with redirect_stdout(out):
            status = check.total(check.run_all([], 1))
        self.assertEqual((out.getvalue(), status), ("0 passed, 0 failed, 0 skipped\n", 1))


class Rounds(unittest.TestCase):
    """A test that fails by chance, planted on purpose: here every third time."""

    FLAKY = 'n=$(cat "$0" 2>/dev/null || echo 0); echo $((n + 1)) >"$0"; echo 1..1; [ $((n % 3)) = 2 ] && echo not ok 1 - planted || echo ok 1 - planted'

    def run_rounds(self, rounds):
        with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()) as out:
            flaky = check.Job("flaky", ["sh", "-c", self.FLAKY, f"{folder}/count"])
            ended = check.run_all([flaky, shell("true", "exit")], 1, rounds=rounds)
        return ended, out.getvalue()

    def test_one_round_may_miss_it(self):
        ended, _ = self.run_rounds(1)
        self.assertEqual(list(check.report.failures_table(ended, 1)), [])

    def test_repeat_finds_it(self):
        ended, out = self.run_rounds(5)
        self.assertEqual(list(check.report.failures_table(ended, 5)), ["flaky failed in 1 of 5 rounds: by chance"])
        self.assertIn("round 5 of 5\n", out)
        with redirect_stdout(io.StringIO()) as out:
            self.assertEqual(check.total(ended), 1)
        self.assertEqual(out.getvalue().splitlines()[-1], "9 passed, 1 failed, 0 skipped")

    def test_what_always_fails_is_no_chance(self):
        with redirect_stdout(io.StringIO()):
            ended = check.run_all([shell("false", "exit")], 1, rounds=2)
        self.assertEqual(list(check.report.failures_table(ended, 2)), ["fake failed in 2 of 2 rounds"])

    def test_load_ends_with_its_block(self):
        with check.load(2) as busy:
            self.assertEqual([process.poll() for process in busy], [None, None])
        self.assertEqual([process.poll() for process in busy], [-signal.SIGKILL] * 2)


class Ended(unittest.TestCase):
    """A check that is ended takes its jobs with it."""

    SCRIPT = """
import sys
sys.argv[0] = sys.argv[1]
import importlib.machinery, importlib.util
loader = importlib.machinery.SourceFileLoader("check", sys.argv[1])
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
sys.modules["check"] = check
loader.exec_module(check)
check.signal.signal(check.signal.SIGTERM, lambda *_: sys.exit(143))
check.run_all([check.Job("fake", ["sh", "-c", "echo $$ >" + sys.argv[2] + "; sleep 600"])] * 3, 1)
"""

    def test_jobs_end_with_the_check(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number), tempfile.TemporaryDirectory() as folder:
                place = pathlib.Path(folder) / "pid"
                run = subprocess.Popen([check.PYTHON, "-c", self.SCRIPT, str(ROOT / "scripts/check"), str(place)], stderr=subprocess.DEVNULL)
                pid = int(wait_until(lambda: place.exists() and place.read_text().strip(), "the job's start"))
                run.send_signal(number)
                self.assertNotEqual(run.wait(timeout=WAIT_S), 0)
                wait_until(lambda: not pathlib.Path(f"/proc/{pid}").exists(), "the end of the job")


class Reports(unittest.TestCase):
    def results(self):
        script = "echo 1..3; echo 'ok 1 - one'; echo 'not ok 2 - two & <three>'; echo '# why'; echo 'ok 3 - four # SKIP no'; exit 1"
        return [check.run_job(check.Job("folder/tap", ["sh", "-c", script])), check.run_job(check.Job("folder/exit", ["sh", "-c", "echo gone; exit 3"], "exit"))]

    def test_junit(self):
        with tempfile.NamedTemporaryFile() as file:
            check.report.junit(self.results(), file.name)
            suites = list(xml.parse(file.name).getroot())
        self.assertEqual([(suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("skipped")) for suite in suites],
                         [("folder/tap", "3", "1", "1"), ("folder/exit", "1", "1", "0")])
        self.assertEqual([(case.get("classname"), case.get("name"), [child.tag for child in case]) for case in suites[0]],
                         [("folder.tap", "one", []), ("folder.tap", "two & <three>", ["failure"]), ("folder.tap", "four", ["skipped"])])
        self.assertEqual(suites[0][1][0].text, "why")
        self.assertIn("gone", suites[1][0][0].text)

    def test_times(self):
        burn = check.run_job(shell("i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done", "exit"))
        self.assertGreater(burn.cpu_s, 0)
        lines = list(check.report.times_table([burn], [("build of build", 2.0, 3.0)], 4.0))
        self.assertEqual(lines[1].split(), ["build", "1", "2.0", "3.0"])
        self.assertTrue(any(line.startswith("in all") for line in lines))

    def test_processor_time_counts_what_a_job_waited_for(self):
        burn = 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
        self.assertGreater(check.run_job(shell(f"sh -c '{burn}'; true", "exit")).cpu_s, 0.005)


class Style(unittest.TestCase):
    def run_script(self, script, files):
        """What a script says of a tree made of these files."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            run = subprocess.run([ROOT / "scripts" / script, root], text=True, capture_output=True)
            return run.returncode, run.stdout.replace(f"{root}/", "")

    def run_layers(self, layers, files):
        return self.run_script("check-layers", {"LAYERS": layers, **files})

    def test_layers_upward_include(self):
        self.assertEqual(
            self.run_layers("low :\nhigh : low\n", {"src/low/a.c": '#include "high/b.h"\n',
                                                   "src/high/b.h": '#include "low/a.h"\n'}),
            (1, "src/low/a.c:1: low may not include high (see LAYERS)\n"))

    def test_layers_bare_include(self):
        self.assertEqual(self.run_layers("low :\n", {"lib/low/a.c": '#include <stdio.h>\n#include "a.h"\n'}),
                         (1, 'lib/low/a.c:2: write "low/a.h": includes name their folder\n'))

    def test_layers_unknown_folder(self):
        self.assertEqual(self.run_layers("low :\n", {"tools/new/a.c": ""}),
                         (1, "tools/new/a.c: folder new has no row in LAYERS\n"))

    def test_layers_cycle(self):
        self.assertEqual(self.run_layers("low : high\nhigh : low\n", {"src/low/a.c": '#include "high/a.h"\n',
                                                                     "src/high/a.h": '#include "low/a.h"\n'}),
                         (1, "LAYERS:1: low names high, which has no row above\n"))

    def test_layers_downward_include(self):
        self.assertEqual(
            self.run_layers("low :\nhigh : low\n", {"tools/high/a.c": '#include "low/b.h"\n',
                                                   "src/low/b.h": ""}),
            (0, "layers: every include points down\n"))

    def test_layers_ring(self):
        files = {"src/low/a.h": '#include "low/b.h"\n', "src/low/b.c": '#include "low/b.h"\n#include "low/c.h"\n',
                 "src/low/b.h": "", "src/low/c.h": '#include "low/a.h"\n', "src/low/d.c": '#include "low/a.h"\n'}
        self.assertEqual(self.run_layers("low :\n", files), (1, "these include each other: low/a low/b low/c\n"))
        self.assertEqual(self.run_layers("low :\nring : low/a low/b low/c\n", files),
                         (0, "layers: every include points down\n"))

    def test_layers_ring_that_is_gone(self):
        self.assertEqual(
            self.run_layers("low :\nring : low/a low/b\n", {"src/low/a.c": '#include "low/b.h"\n', "src/low/b.h": ""}),
            (1, "LAYERS: these do not include each other: low/a low/b\n"))

    def test_layers_header_and_source_are_no_ring(self):
        self.assertEqual(
            self.run_layers("low :\n", {"src/low/a.c": '#include "low/a.h"\n#include "low/b.h"\n',
                                        "src/low/a.h": "", "src/low/b.c": '#include "low/b.h"\n', "src/low/b.h": ""}),
            (0, "layers: every include points down\n"))

    def test_layers_unused_grant(self):
        self.assertEqual(self.run_layers("low :\nhigh : low\n", {"src/high/a.c": "", "src/low/b.h": ""}),
                         (1, "LAYERS: high may include low, but nothing there does\n"))

    def test_functions_of_71_lines(self):
        for part in ("src", "lib", "tools", "apps"):
            for head, tail, name in (("int f(void) {", "", "f"), ("static struct a *g(int a,\n         int b) {", "", "g"),
                                     ("int *\nh(void) {", "", "h"), ("int i(void) {", "#if 1\nout:\n#endif\n\n", "i")):
                def with_lines(count):
                    body = "    f();\n" * (count - 2 - (head + tail).count("\n"))
                    return f"struct a {{\n    int b;\n}};\n\n/* Text. */\n{head}\n{body}{tail}}}\n\nint z(void) {{\n    return 0;\n}}\n"
                with self.subTest(part=part, head=head):
                    self.assertEqual(self.run_script("check-functions", {f"{part}/a/b.c": with_lines(71)}),
                                     (1, f"{part}/a/b.c:6: {name} has 71 lines, at most 70 are allowed\n"))
                    self.assertEqual(self.run_script("check-functions", {f"{part}/a/b.c": with_lines(70)}),
                                     (0, "functions: 2, none longer than 70 lines\n"))

    def test_format_only_by_our_formatter(self):
        for version, missing in ((check.FORMATTER, ""), (check.FORMATTER + 5, "clang-format 14"), (None, "clang-format 14")):
            with unittest.mock.patch.object(check, "formatter", lambda: version):
                self.assertEqual({job.name: job.missing for job in check.style_jobs()}["style/format"], missing)

    def test_the_sources_need_no_repository(self):
        with unittest.mock.patch.dict("os.environ", GIT_DIR="/nowhere"):
            [job] = [job for job in check.style_jobs() if job.name == "style/format"]
        self.assertLessEqual({"src/base/log.c", "tests/support/skip.h"}, set(job.command))
        self.assertFalse([word for word in job.command if "node_modules" in word])

    def test_format_notices(self):
        run = subprocess.run(["clang-format", "--dry-run", "-Werror", "--assume-filename=src/a.c"],
                             cwd=ROOT, input="int  a ;\n", text=True, capture_output=True)
        self.assertNotEqual(run.returncode, 0)


CALLER = """
import os, signal, sys
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGTSTP):
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGUSR1, signal.SIGALRM))
os.umask(0o077)
os.close(0)
os.environ.clear()
os.environ.update(HOME="/nonexistent", LANG="tr_TR.UTF-8", LC_ALL="tr_TR.UTF-8", TZ="Asia/Kathmandu", TMPDIR="/tmp/a folder", PYTHONOPTIMIZE="1",
                  AWS_PROFILE="a", AWS_ENDPOINT_URL="http://a", GRAMME_PORT="1", GRAMME_SEED="7", GRAMME_POSTGRES="a", PGHOST="a",
                  GIT_DIR="/nowhere", http_proxy="http://a:1", HTTPS_PROXY="http://b:2", NOTIFY_SOCKET="/a", MAKEFLAGS="-n", PATH="/usr/bin")
sys.path.insert(0, sys.argv[1])
import test_check
test_check.check.isolation.isolate("/cache")
result = test_check.check.run_job(test_check.check.Job("fake", ["/usr/bin/python3", "-c", test_check.REPORT], "exit"))
print(result.output, end="")
print(test_check.check.run_job(test_check.check.Job("fake", ["/bin/false"], "exit")).failed)
os.kill(os.getpid(), signal.SIGHUP)  # which nohup keeps from this process, and not from its jobs
print(os.path.isdir(test_check.json.loads(result.output)["environment"]["HOME"]))
"""
REPORT = """
import json, os, re, signal
status = dict(re.findall(r"^(Sig(?:Blk|Ign)):\\s*(\\S+)", open("/proc/self/status").read(), re.M))
umask = os.umask(0)
# But for SIGPIPE and SIGXFSZ, which Python ignores, and for two of the C library's own, which posix_spawn() ignores and no program can set.
print(json.dumps({"ignored": int(status["SigIgn"], 16) & ~(1 << 12 | 1 << 24 | 1 << 31 | 1 << 32), "blocked": int(status["SigBlk"], 16), "umask": umask,
                  "stdin": os.readlink("/proc/self/fd/0"), "home mode": os.stat(os.environ["HOME"]).st_mode & 0o777,
                  "session": os.getsid(0) == os.getpid(), "environment": dict(os.environ)}))
"""


class Caller(unittest.TestCase):
    """Whoever runs the check, a job finds the same around it."""

    def test_a_job_is_independent_of_its_caller(self):
        done = subprocess.run([check.PYTHON, "-c", CALLER, pathlib.Path(__file__).parent], text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found, failed, there = done.stdout.strip().splitlines()
        found = json.loads(found)
        environment = found.pop("environment")
        self.assertEqual(found, {"ignored": 0, "blocked": 0, "umask": 0o022, "stdin": "/dev/null", "home mode": 0o700, "session": True})
        self.assertEqual((failed, there), ("1", "True"))
        home = environment.pop("HOME")
        self.assertFalse(pathlib.Path(home).exists())
        for name in (*check.SANITIZERS, "LC_CTYPE"):  # the last is Python's own doing
            environment.pop(name, None)
        self.assertEqual(environment, {
            "GRAMME_SEED": "7", "LANG": "C.UTF-8", "TZ": "UTC", "PATH": "/usr/bin:/usr/sbin:/sbin:/bin", "XDG_CACHE_HOME": "/cache",
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*", "npm_config_cache": "/cache/npm",
            "npm_config_userconfig": "/nonexistent/.npmrc", "npm_config_proxy": "http://a:1", "npm_config_https_proxy": "http://b:2"})

    def test_folders_for_temporary_files(self):
        for folder, usable in (("/tmp", True), ("/tmp/a folder", False), ("/tmp/" + 50 * "a", False), ("", False), ("/nonexistent", False), ("tmp", False)):
            with self.subTest(folder):
                self.assertEqual(check.isolation.is_usable(folder), usable)
        with tempfile.TemporaryDirectory() as folder:
            self.assertFalse(check.isolation.is_usable(folder))  # only its owner may enter
            pathlib.Path(folder).chmod(0o711)
            self.assertTrue(check.isolation.is_usable(folder))


class Tap(unittest.TestCase):
    """tests/tap.py itself, on a file of tests made to fail."""

    SOURCE = """
import unittest
class A(unittest.TestCase):
    def test_1_ok(self): pass
    def test_2_fails(self): self.fail("as it should")
    def test_3_raises(self): raise OSError("as it should")
    def test_4_parts(self):
        for n in range(3):
            with self.subTest(n=n): self.assertEqual(n, 0)
    def test_5_skips(self): self.skipTest("needs a thing")
class B(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): raise OSError("late")
    def test_ok(self): pass
"""

    WHOLE = """
import unittest
class A(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("needs a thing")
    def test_1(self): pass
    def test_2(self): pass
class AB(unittest.TestCase):
    def test_ok(self): pass
"""

    BY_HAND = """
import os, unittest
class A(unittest.TestCase):
    def test_a(self): self.assertEqual((os.readlink("/proc/self/fd/0"), [name for name in os.environ if name.startswith("AWS_")]), ("/dev/null", []))
"""

    def run_sample(self, source, script='exec "$0" "$@"'):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "sample.py"
            path.write_text(source)
            return check.run_job(check.Job("tap", ["sh", "-c", script, check.PYTHON, str(ROOT / "tests/tap.py"), str(path)]))

    def test_by_hand_the_caller_matters_little(self):
        result = self.run_sample(self.BY_HAND, 'AWS_PROFILE=a exec "$0" "$@" <&-')
        self.assertEqual((result.passed, result.failed), (1, 0), result.output)

    def test_every_kind_of_failure(self):
        result = self.run_sample(self.SOURCE)
        self.assertEqual((result.passed, result.failed, result.skips), (2, 4, ["a thing"]), result.output)

    def test_a_class_that_is_skipped(self):
        result = self.run_sample(self.WHOLE)
        self.assertEqual((result.passed, result.failed, result.skips), (1, 0, ["a thing", "a thing"]), result.output)

    def test_a_module_that_is_skipped(self):
        result = self.run_sample(f"{self.WHOLE}\ndef setUpModule(): raise unittest.SkipTest('needs a thing')")
        self.assertEqual((result.passed, result.failed, result.skips), (0, 0, 3 * ["a thing"]), result.output)


if __name__ == "__main__":
    unittest.main()
