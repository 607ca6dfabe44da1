"""The AWS CLI, held ready: starting it takes half a second of a processor, nearly all of it to import itself, and the tests start
it hundreds of times.

start() runs this file with the CLI's own interpreter. There it has imported the CLI, and forks for each call that
stand_in/aws brings: the same program, with the caller's arguments, environment, folder and open files. It ends when the process
that has started it does. Where the CLI is not a Python script, start() gives None, and `aws` is what it always was.

A test that is about to run `aws` calls need(), which skips it where there is none.
"""

import json
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

BROKEN = "\nbadly formed help string\n"  # what Ubuntu 26.04's says to put-metric-alarm before it asks anybody
HERE = pathlib.Path(__file__).resolve().parent


def find():
    return shutil.which("aws", path=f"/usr/bin:/bin:{os.environ.get('PATH', '')}")


def need():
    if not find():
        raise unittest.SkipTest("needs the AWS CLI")


def interpreter():
    """The one that runs `aws`, or None."""
    path = find()
    if path and "/shims/" in path:  # of pyenv: a shell script that finds the real one
        path = subprocess.run(["pyenv", "which", "aws"], text=True, capture_output=True,
                              env={**os.environ, "PYENV_ROOT": path.split("/shims/")[0]}).stdout.strip()
    if not path:
        return None
    with open(path, "rb") as script:
        line = script.readline().decode(errors="replace").strip()
    return line[2:] if line.startswith("#!/") and "python" in line and " " not in line else None


class Ready:
    """A running one; `environment` is what stand_in/aws needs to find it."""

    def __init__(self, python):
        self.folder = tempfile.TemporaryDirectory()
        path = f"{self.folder.name}/socket"
        self.process = subprocess.Popen([python, __file__, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.works = self.process.stdout.readline() == "ready\n"
        self.environment = {"GRAMME_TEST_AWS": path}


def start():
    python = interpreter()
    ready = python and Ready(python)
    return ready if ready and ready.works else None


# --- In the CLI's interpreter -------------------------------------------------------------------


def take_call(connection):
    """The call's parts, with its three files opened as the process's own."""
    size, files, _, _ = socket.recv_fds(connection, 8, 3)
    request = b""
    while len(request) < int.from_bytes(size, "big"):
        request += connection.recv(1 << 20)
    for number, file in enumerate(files):
        os.dup2(file, number)
    return json.loads(request)


def answer(connection):
    """In a child: is the CLI."""
    import awscli.clidriver
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    call, status = take_call(connection), 255
    imported = {name: value for name, value in os.environ.items() if name == "AWS_DATA_PATH"}  # which the CLI has set
    os.environ.clear()
    os.environ.update({**imported, **call["environment"]})
    os.chdir(call["folder"])
    sys.argv[:] = ["aws", *call["arguments"]]
    try:
        status = awscli.clidriver.main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        pass
    connection.send(bytes([status & 255]))
    os._exit(0)


def serve(path):
    import awscli.clidriver
    import botocore.httpsession  # noqa: F401, what a call needs, too
    awscli.clidriver.create_clidriver()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        print("ready", flush=True)
        while listener in select.select([listener, sys.stdin], [], [])[0]:
            connection = listener.accept()[0]
            if os.fork() == 0:
                listener.close()
                answer(connection)
            connection.close()


if __name__ == "__main__":
    serve(sys.argv[1])
