"""The server that is killed and started again, and clients that live through it."""

import http.client
import json
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "wire"))

from server import Server
from wire import HEADERS, target


class World:
    """The server that is there at the moment, and what all clients share."""

    def __init__(self):
        self.port = None
        self.changed = threading.Condition()
        self.closing = False  # clients come to an end

    def set_port(self, port):
        with self.changed:
            self.port = port
            self.changed.notify_all()

    def wait_port(self):
        with self.changed:
            if not self.changed.wait_for(lambda: self.port is not None, timeout=60):
                raise AssertionError("the server did not come back")
            return self.port

    def crash_again_and_again(self, rng, seconds, *arguments, at_start=lambda port: None):
        """Lives and deaths of the server until it is time; returns the last one, running, and the deaths."""
        end, deaths = time.monotonic() + seconds, 0
        while True:
            server = Server(*arguments).start()
            at_start(server.port)
            self.set_port(server.port)
            if time.monotonic() > end:
                return server, deaths
            time.sleep(rng.uniform(0.3, 1.5))
            self.set_port(None)
            server.kill()
            server.errors.close()
            deaths += 1


class Link:
    """One client's connection to whatever server there is."""

    def __init__(self, world):
        self.world = world
        self.connection = None

    def exchange(self, operation, body):
        """The reply's status and JSON; None when the server was lost meanwhile."""
        port = self.world.wait_port()
        try:
            if self.connection is None or self.connection.port != port:
                self.close()
                self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            self.connection.request("POST", "/", json.dumps(body), {**HEADERS, "X-Amz-Target": target(operation)})
            response = self.connection.getresponse()
            return response.status, json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError):
            self.close()
            time.sleep(0.01)
            return None

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None
