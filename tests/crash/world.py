"""The server that is killed and started again, and clients that live through it."""

import http.client
import json
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "wire"))

from rounds import PATIENCE_S, Tally
from server import Server
from wire import HEADERS, target


ANSWERS = (50, 800)  # in the life of a server


class World:
    """The server that is there at the moment, and what all clients share."""

    def __init__(self):
        self.port = None
        self.changed = threading.Condition()
        self.closing = False  # clients come to an end
        self.answered, self.lost = Tally(), Tally()  # requests

    def set_port(self, port):
        with self.changed:
            self.port = port
            self.changed.notify_all()

    def wait_port(self):
        with self.changed:
            if not self.changed.wait_for(lambda: self.port is not None, PATIENCE_S):
                raise AssertionError("the server did not come back")
            return self.port

    def start(self, arguments, at_start):
        server = Server(*arguments).start()
        at_start(server.port)
        self.set_port(server.port)
        return server

    def crash_again_and_again(self, rng, rounds, *arguments, at_start=lambda port: None, before_death=lambda: None):
        """A life and a death of the server for each round; returns a last one, running, and the deaths.

        A server dies after a random number of answers, and stays dead until some client has lost one. When the clients ask
        nothing more, because each has found a problem, it ends early.
        """
        deaths = 0
        for _ in rounds:
            server = self.start(arguments, at_start)
            if not self.answered.wait_more(rng.randint(*ANSWERS)):
                return server, deaths
            before_death()
            server.kill()
            self.lost.wait_more(1)
            self.set_port(None)
            server.errors.close()
            deaths += 1
        return self.start(arguments, at_start), deaths


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
            reply = response.status, json.loads(response.read())
            self.world.answered.add()
            return reply
        except (OSError, http.client.HTTPException, ValueError):
            self.close()
            self.world.lost.add()
            time.sleep(0.01)
            return None

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None
