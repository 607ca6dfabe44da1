"""Runs shell commands as a user of the AWS CLI types them."""

import os
import subprocess
import tempfile

import signing


def environment(folder):
    """No settings of this machine's user, and Debian's own aws and python3 before any other."""
    return {
        "PATH": f"/usr/bin:/bin:{os.environ.get('PATH', '')}", "HOME": folder, "AWS_PAGER": "", "LANG": "C.UTF-8",
        "AWS_ACCESS_KEY_ID": signing.KEY[0], "AWS_SECRET_ACCESS_KEY": signing.KEY[1], "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def run(command, cwd=None, env=None):
    """Runs a bash command; gives its status, its output and what it said on stderr."""
    with tempfile.TemporaryDirectory() as home:
        result = subprocess.run(["bash", "-c", command], text=True, capture_output=True, timeout=120, cwd=cwd or home,
                                env={**environment(home), **(env or {})}, stdin=subprocess.DEVNULL)
    return result.returncode, result.stdout, result.stderr


