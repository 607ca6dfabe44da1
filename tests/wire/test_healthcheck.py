"""`gramme healthcheck`: what a container asks, by the exit status."""

import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import unittest
import unittest.mock

import tls
from server import Server, binary


def healthcheck(*arguments):
    run = subprocess.run([binary(), "healthcheck", *map(str, arguments)], text=True, capture_output=True, timeout=60)
    return run.returncode, run.stdout, run.stderr


class Healthcheck(unittest.TestCase):
    def test_a_server_that_serves(self):
        with tempfile.TemporaryDirectory() as data, Server("--data", data) as server:
            self.assertEqual(healthcheck(server.endpoint), (0, "", ""))
            self.assertEqual(healthcheck(f"{server.endpoint}/health/live"), (0, "", ""))
            self.assertEqual(healthcheck(data), (0, "", ""))
            with unittest.mock.patch.dict(os.environ, AWS_ENDPOINT_URL=server.endpoint):
                self.assertEqual(healthcheck(), (0, "", ""))
            endpoint = server.endpoint
            server.stop()
            self.assertEqual(healthcheck(endpoint), (1, "", f"gramme: nobody answers at {endpoint}\n"))
            self.assertEqual(healthcheck(data), (1, "", f"gramme: no server runs on {data}\n"))

    def test_with_tls_and_signatures(self):
        with tempfile.TemporaryDirectory() as data, tempfile.TemporaryDirectory() as keys, \
                Server("--data", data, "--auth", *tls.arguments(tls.create(binary(), keys))) as server:
            self.assertEqual(healthcheck(data), (0, "", ""))
            self.assertEqual(healthcheck(f"https://127.0.0.1:{server.port}"), (0, "", ""))
            status, _, text = healthcheck(f"http://127.0.0.1:{server.port}")
            self.assertEqual(status, 1, text)
            # What looks like this machine at first is another one, whose certificate is verified.
            self.assertIn("certificate", healthcheck(f"https://127.0.0.1@127.0.0.1:{server.port}")[2])

    def test_the_server_of_the_same_variables(self):
        """As in a container: where nothing is said it is the one that would be started there."""
        def said(**variables):
            with unittest.mock.patch.dict(os.environ, {name: str(value) for name, value in variables.items()}):
                return healthcheck()

        with tempfile.TemporaryDirectory() as data, tempfile.TemporaryDirectory() as keys, Server("--data", data) as plain, \
                Server("--memory", *tls.arguments(tls.create(binary(), keys))) as secure:
            here = {"GRAMME_TLS_CERT": f"{keys}/server.pem", "GRAMME_TLS_KEY": f"{keys}/server.key", "GRAMME_PORT": secure.port}
            self.assertEqual(said(GRAMME_PORT=plain.port), (0, "", ""))
            self.assertEqual(said(GRAMME_PORT=plain.port, GRAMME_HOST="0.0.0.0", GRAMME_DATA=keys), (0, "", ""))
            self.assertEqual(said(GRAMME_DATA=data, GRAMME_PORT="1"), (0, "", ""))
            self.assertEqual(said(**here), (0, "", ""))
            config = pathlib.Path(keys, "config")
            config.write_text(f"port = {plain.port}\n")
            self.assertEqual(said(GRAMME_CONFIG=config), (0, "", ""))
            self.assertEqual(said(GRAMME_PORT=1), (1, "", "gramme: nobody answers at http://127.0.0.1:1\n"))
            self.assertEqual(said(GRAMME_PORT="x")[0], 1)
            for variables in ({"GRAMME_HOST": "127.0.0.2"}, {"GRAMME_DATA": keys}):
                self.assertNotIn("127.0.0.1:1\n", said(**variables, AWS_ENDPOINT_URL="http://127.0.0.1:1")[2])

    def test_what_is_no_server(self):
        self.assertEqual(healthcheck("127.0.0.1:8000"), (1, "", "gramme: 127.0.0.1:8000 is neither a URL, as http://127.0.0.1:8000, nor a directory\n"))

    def test_without_libcurl(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, LD_LIBRARY_PATH=folder):
            pathlib.Path(folder, "libcurl.so.4").touch()
            self.assertEqual(healthcheck("https://127.0.0.1:1"), (
                1, "", "gramme: libcurl is not there, which https:// URLs take: name the data directory instead\n"))

    def answer(self, reply):
        """A server of one answer, or of none; its URL."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve():
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(reply)
                if not reply:
                    connection.recv(1)  # until the other side goes

        thread = threading.Thread(target=serve)
        thread.start()
        self.addCleanup(thread.join)
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    def test_a_server_that_waits(self):
        url = self.answer(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n{}")
        self.assertEqual(healthcheck(url), (1, "", f"gramme: {url} answers with status 503\n"))

    def test_a_server_that_does_not_answer(self):
        self.assertEqual(healthcheck("--timeout", "0.2", self.answer(b"")), (1, "", "gramme: no answer in time\n"))

    def test_wrong_arguments(self):
        for arguments in (["--timeout", "0"], ["--timeout", "11"], ["a", "b"]):
            self.assertEqual(healthcheck(*arguments)[0], 2)


if __name__ == "__main__":
    unittest.main()
