"""Certificates for tests, and whole suites over TLS.

With GRAMME_TEST_TLS in the environment every server that a test starts speaks TLS, and every client
finds its authority in the variable that it looks at, so that a suite runs once more encrypted.
"""

import atexit
import functools
import os
import pathlib
import ssl
import subprocess
import tempfile

ENCRYPTED = bool(os.environ.get("GRAMME_TEST_TLS"))


def create(program, directory, *options):
    """`gramme cert create`; returns the directory."""
    subprocess.run([program, "cert", "create", str(directory), *options], check=True, stdout=subprocess.DEVNULL)
    return pathlib.Path(directory)


def arguments(directory):
    """What `gramme serve` takes to speak TLS with what is there."""
    return ["--tls-cert", f"{directory}/server.pem", "--tls-key", f"{directory}/server.key"]


@functools.cache
def shared_directory(program):
    """The certificates of all servers of this process, which its clients trust from now on."""
    place = tempfile.TemporaryDirectory()
    atexit.register(place.cleanup)
    directory = create(program, place.name)
    for name in ("AWS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"):
        os.environ[name] = str(directory / "ca.pem")
    return directory


@functools.cache
def shared_context():
    return ssl.create_default_context(cafile=os.environ["AWS_CA_BUNDLE"])


def wrap(connected):
    """A socket that is connected to a server of the shared certificates."""
    return shared_context().wrap_socket(connected, server_hostname="127.0.0.1")
