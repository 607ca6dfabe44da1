"""Runs shell commands as a user of the AWS CLI types them."""

import functools
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import aws_cli
import signing

STAND_IN = pathlib.Path(__file__).resolve().parent / "stand_in"


def environment(folder):
    """No settings of this machine's user, and Debian's own aws and python3 before any other."""
    return {
        "PATH": f"/usr/bin:/bin:{os.environ.get('PATH', '')}", "HOME": folder, "AWS_PAGER": "", "LANG": "C.UTF-8",
        "AWS_ACCESS_KEY_ID": signing.KEY[0], "AWS_SECRET_ACCESS_KEY": signing.KEY[1], "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


cli = functools.cache(aws_cli.start)


def with_cli(command, settings):
    """The settings of a command, with an `aws` that is held ready when it calls one."""
    if not re.search(r"(^|[\s;|&(])aws\s", command):
        return settings
    aws_cli.need()
    ready = cli()
    return {**settings, "PATH": f"{STAND_IN}:{settings['PATH']}", **ready.environment} if ready else settings


def run(command, cwd=None, env=None):
    """Runs a bash command; gives its status, its output and what it said on stderr."""
    with tempfile.TemporaryDirectory() as home:
        result = subprocess.run(["bash", "-c", command], text=True, capture_output=True, timeout=120, cwd=cwd or home,
                                env=with_cli(command, {**environment(home), **(env or {})}), stdin=subprocess.DEVNULL)
    if result.stderr == aws_cli.BROKEN:
        raise unittest.SkipTest("needs an AWS CLI with put-metric-alarm")
    return result.returncode, result.stdout, result.stderr
