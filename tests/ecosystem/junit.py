#!/usr/bin/python3
"""The example of docs/TESTING.md for JUnit, compiled as it stands there and run by JUnit 5 as Debian has it; prints TAP.

Once on a server that can be reset, where its test passes, and once on one that cannot, where JUnit has to tell so."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/wire"), str(ROOT / "tests/packages")]
from package import examples, run  # noqa: E402
from server import Server  # noqa: E402

JARS = ("junit-jupiter-api", "junit-jupiter-engine", "junit-platform-commons", "junit-platform-console", "junit-platform-engine", "junit-platform-launcher",
        "junit-platform-reporting", "apiguardian-api", "opentest4j", "opentest4j-reporting-events", "opentest4j-reporting-schema", "picocli")
PATH = ":".join(f"/usr/share/java/{name}.jar" for name in JARS)


def counts(folder, *options):
    """How many tests JUnit says were successful and failed, on a server with these options; and all that it said."""
    with Server("--memory", *options) as server:
        done = subprocess.run(["java", "-cp", f"{PATH}:{folder}", "org.junit.platform.console.ConsoleLauncher", "--scan-classpath", str(folder), "--disable-banner"],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                              env={**os.environ, "AWS_ENDPOINT_URL_DYNAMODB": server.endpoint})
    found = {f"{kind} {how}": int(number) for number, kind, how in re.findall(r"^\[ +(\d+) (tests|containers) (successful|failed)", done.stdout, re.M)}
    return found, done.stdout


def main():
    [example] = examples("java")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "MusicTest.java"
        source.write_text(example)
        run("javac", "-Xlint:all,-path,-classfile", "-cp", PATH, "-d", f"{folder}/classes", source)
        found, said = counts(f"{folder}/classes", "--test-reset")
        passed = (found.get("tests successful"), found.get("tests failed"), found.get("containers failed")) == (1, 0, 0)
        other, also = counts(f"{folder}/classes")
        told = other.get("tests successful") == 0 and other.get("containers failed") == 1
    print("1..2")
    for number, (ok, name, text) in enumerate(((passed, "the example passes", said), (told, "a server that cannot be reset fails it", also)), 1):
        print(f"{'ok' if ok else 'not ok'} {number} - {name}")
        if not ok:
            print("".join(f"# {line}\n" for line in text.splitlines()), end="")
    return 0 if passed and told else 1


if __name__ == "__main__":
    sys.exit(main())
