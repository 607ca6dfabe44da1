"""Runs `gramme bench` for a test."""

import json
import os
import subprocess

from server import SANITIZER, binary

ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_CONFIG_FILE": "/dev/null",
               "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_EC2_METADATA_DISABLED": "true"}


def environment(more=None):
    """Nothing of this machine's user."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {**kept, **ENVIRONMENT, **(more or {})}


def command(endpoint, *arguments):
    return [binary(), "bench", "--endpoint", endpoint, *map(str, arguments)]


def run(endpoint, *arguments, env=None, timeout_s=120):
    """Status, output and errors."""
    result = subprocess.run(command(endpoint, *arguments), text=True, capture_output=True, timeout=timeout_s,
                            env=environment(env), stdin=subprocess.DEVNULL)
    assert not SANITIZER.search(result.stderr), result.stderr
    return result.returncode, result.stdout, result.stderr


def measure(endpoint, *arguments, env=None):
    """The JSON of a run that must succeed."""
    status, out, err = run(endpoint, *arguments, "--quiet", "--json", "-", env=env)
    assert (status, err) == (0, ""), err
    return json.loads(out)


def own(endpoint, *arguments, operation="GetItem", body='{"k":"%n"}', env=None):
    """A run with a request of our own, as tests with a stub need it."""
    return measure(endpoint, "--operation", operation, "--body", body, *arguments, env=env)
