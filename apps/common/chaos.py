"""Runs a program many times at once while the server is killed and started again, and while the runs themselves are killed.

    with Chaos("ledger", seconds) as chaos:
        chaos.storm(prepare, work)

`prepare(chaos)` is called once, with a server that is well. `work(chaos, rng)` is called over and over by several
threads until the time is over; it runs the program with chaos.run(). After the storm a server is there that stays.
"""

import pathlib
import random
import tempfile
import threading
import time

import testing
from server import SANITIZER, Server

WORKERS = 4


class Chaos:
    def __init__(self, app, seconds):
        self.app, self.seconds = app, seconds
        self.seed = random.randrange(1 << 32)
        print(f"# seed {self.seed}", flush=True)
        self.rng = random.Random(self.seed)
        self.folder = tempfile.TemporaryDirectory()
        self.data = pathlib.Path(self.folder.name) / "data"
        self.server, self.up = None, threading.Event()
        self.over = False
        self.problems, self.lock = [], threading.Lock()
        self.counts = {"server killed": 0, "program killed": 0, "program failed": 0, "program fine": 0}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over = True
        self.up.set()
        if self.server:
            self.server.stop()
            self.server.errors.close()
        self.folder.cleanup()

    def start_server(self):
        self.server = Server("--data", self.data).start()
        self.up.set()

    def run(self, *arguments, rng=None):
        """Runs the program once, to its end, or with `rng` perhaps only until it is killed. Gives its status, output and
        messages; waits for a server first, which may be gone again a moment later."""
        self.up.wait()
        process = testing.start(self.app, self.server.endpoint, *arguments)
        timer = None
        if rng and rng.random() < 0.4:
            timer = threading.Timer(rng.uniform(0, 0.2), process.kill)
            timer.start()
        out, err = process.communicate(timeout=testing.TIMEOUT_S)
        if timer:
            timer.cancel()
        status = process.returncode
        with self.lock:
            name = {0: "fine", 1: "failed", -9: "killed"}.get(status)
            if name is None or SANITIZER.search(err):
                self.problems.append(f"{arguments} ended with {status}: {err}")
            else:
                self.counts[f"program {name}"] += 1
        return status, out, err

    def worker(self, work, rng):
        try:
            while not self.over and not self.problems:
                work(self, rng)
        except Exception as error:  # A thread's failure is the test's.
            self.problems.append(repr(error))

    def storm(self, prepare, work):
        self.start_server()
        testing.apply(self.app, self.server.endpoint)
        prepare(self)
        threads = [threading.Thread(target=self.worker, args=(work, random.Random(self.rng.random()))) for _ in range(WORKERS)]
        for thread in threads:
            thread.start()
        end = time.monotonic() + self.seconds
        while time.monotonic() < end and not self.problems:
            time.sleep(self.rng.uniform(0.5, 2))
            self.up.clear()
            self.server.kill()
            self.server.errors.close()
            self.counts["server killed"] += 1
            time.sleep(self.rng.uniform(0, 0.5))
            self.start_server()
        self.over = True
        for thread in threads:
            thread.join()

    def scan(self, table):
        client = testing.boto3_client(self.server.endpoint)
        try:
            pages = client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
            return [item for page in pages for item in page["Items"]]
        finally:
            client.close()
