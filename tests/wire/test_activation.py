"""Socket activation: a server that listens at sockets which another process has opened."""

import os
import socket
import subprocess
import tempfile
import unittest

from server import binary
from waiting import WAIT_S
from wire import boto3_client


class Activation(unittest.TestCase):
    def start(self, sockets, *arguments, pid="$$"):
        """As systemd does: descriptors from 3 on, and variables that name the process they are for."""
        def pass_sockets():
            for number, passed in enumerate(copies, 3):
                os.dup2(passed, number)

        # Above those that they become, or one could overwrite another.
        copies = [os.dup(passed.fileno()) for passed in sockets]
        while copies and min(copies) < 3 + len(sockets):
            copies = [os.dup(fd) for fd in copies]
        script = f'export LISTEN_PID={pid} LISTEN_FDS={len(sockets)}; exec "$0" "$@"'
        self.errors = tempfile.TemporaryFile("a+")
        self.addCleanup(self.errors.close)
        process = subprocess.Popen(["sh", "-c", script, binary(), "serve", "--memory", *arguments], text=True, close_fds=False,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors, preexec_fn=pass_sockets)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, WAIT_S)
        self.addCleanup(process.kill)
        return process

    def end(self, process):
        process.terminate()
        self.assertEqual(process.wait(WAIT_S), 0)

    def listen(self, host="127.0.0.1"):
        listener = socket.create_server((host, 0))
        self.addCleanup(listener.close)
        return listener, listener.getsockname()[1]

    def test_a_server_takes_the_sockets_that_it_is_given(self):
        (first, port), (second, other) = self.listen(), self.listen()
        for _ in range(2):  # and leaves them to the next one
            process = self.start([first, second], "--port", "1")
            self.assertIn(f"listening on http://127.0.0.1:{port}\n", process.stdout.readline())
            self.assertEqual(f"  also on     http://127.0.0.1:{other}\n", process.stdout.readline())
            for number in (port, other):
                self.assertEqual(boto3_client(f"http://127.0.0.1:{number}").list_tables()["TableNames"], [])
            self.end(process)

    def test_sockets_of_another_process_are_not_taken(self):
        listener, port = self.listen()
        process = self.start([listener], "--port", "0", pid="1")
        self.assertNotIn(f":{port}\n", process.stdout.readline())
        self.end(process)

    def test_a_socket_that_others_reach_takes_a_decision(self):
        listener, port = self.listen("0.0.0.0")
        process = self.start([listener])
        self.assertEqual((process.wait(WAIT_S), process.stdout.read()), (1, ""))
        self.errors.seek(0)
        self.assertIn(f"whoever reaches 0.0.0.0:{port} could read and write everything", self.errors.read())
        process = self.start([listener], "--no-auth")
        self.assertIn(f"listening on http://0.0.0.0:{port}\n", process.stdout.readline())
        self.end(process)

    def test_what_is_no_listening_socket(self):
        with socket.socket() as deaf:
            process = self.start([deaf])
            self.assertEqual(process.wait(WAIT_S), 1)
        self.errors.seek(0)
        self.assertIn("cannot listen at file descriptor 3, which was passed: it is no listening TCP socket", self.errors.read())


if __name__ == "__main__":
    unittest.main()
