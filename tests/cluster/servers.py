"""Two servers of gramme on one store, each on a machine of its own, and started again when it ends, as systemd does."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "wire"))

from server import SANITIZER, binary

NAMES = ["g1", "g2"]
AGAIN_S = 0.3


class Node:
    """One server, whichever process that is."""

    def __init__(self, name, network, folder, url):
        self.name, self.network, self.url = name, network, url
        self.address, self.port = network.addresses[name], network.port(name)
        self.log = pathlib.Path(folder, f"{name}.log")
        self.process = None
        self.ends = False
        self.keeper = threading.Thread(target=self.keep, daemon=True)

    def keep(self):
        while not self.ends:
            with open(self.log, "a") as log:
                self.process = subprocess.Popen(
                    [*self.network.within(self.name), binary(), "serve", "--host", self.address, "--port", str(self.port), "--no-auth",
                     "--store", self.url], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            self.process.wait()
            time.sleep(AGAIN_S)

    def signal(self, number):
        try:
            os.kill(self.process.pid, number)
        except ProcessLookupError:
            pass

    def role(self):
        """What its page says; None: it does not answer."""
        try:
            with urllib.request.urlopen(f"http://{self.address}:{self.port}/health", timeout=1) as reply:
                return json.load(reply).get("role")
        except (OSError, ValueError):
            return None

    def stop(self):
        self.ends = True
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.signal(signal.SIGKILL)
        self.keeper.join(30)

    def complaint(self):
        """What a sanitizer said of it."""
        text = self.log.read_text(errors="replace")
        found = SANITIZER.search(text)
        return text[max(found.start() - 200, 0):found.start() + 2000] if found else None


class Servers:
    def __init__(self, network, folder, url):
        self.nodes = [Node(name, network, folder, url) for name in NAMES]

    def __enter__(self):
        for node in self.nodes:
            node.keeper.start()
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.stop()

    def leader(self):
        return next((node for node in self.nodes if node.role() == "leading"), None)
