"""Packages as they are built, and clean systems to install them in (scripts/release-root)."""

import json
import os
import pathlib
import subprocess
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Building a package takes a minute of a quiet machine, installing one a download.
TIMEOUT_S = 1800


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=TIMEOUT_S, **options)
    assert result.returncode == 0, f"{command}: {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


def build(kind, output):
    """Builds a package into a folder, and gives the files that were made."""
    run(ROOT / "packaging" / kind / "build", output)
    return sorted(pathlib.Path(output).iterdir())


def release_here():
    return dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines())["VERSION_CODENAME"]


class CleanSystem:
    """A fresh root of the release that runs here, in which nothing of gramme's was ever installed."""

    def __init__(self):
        self.release = release_here()
        self.root = pathlib.Path(run(ROOT / "scripts/release-root", "make", self.release).strip())

    def command(self, *words):
        return [str(ROOT / "scripts/release-root"), "run", self.release, *words]

    def run(self, *words):
        return run(*self.command(*words))

    def start(self, *words):
        """Starts a server there that names its address, and gives the process and that address."""
        process = subprocess.Popen(self.command(*words), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = ""
        for line in process.stdout:
            said += line
            if "listening on http://" in line:
                return process, line.split("listening on ")[1].strip()
        raise AssertionError(said)


def call(address, operation, body):
    request = urllib.request.Request(address, json.dumps(body).encode(), {
        "X-Amz-Target": f"DynamoDB_20120810.{operation}", "X-Amz-Date": "20260101T000000Z", "Content-Type": "application/x-amz-json-1.0",
        "Authorization": "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"})
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)


def stop(process, name):
    """The signal goes to the server itself, which is in a namespace of its own; the rest ends with it."""
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        subprocess.run(["pkill", "--session", str(os.getsid(process.pid)), "--full", f"^{name}"], check=False)
        try:
            process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            continue
    return process.returncode
