"""Runs copies of a program's service, and its commands, many at once, while the server and they themselves are killed.

    with Chaos("ledger", "--some-option-of-serve") as chaos:
        chaos.storm(prepare, work, shown)

`prepare(chaos)` is called once, with a server that is well. `work(chaos, rng)` is called over and over by several
threads until the storm is over; it runs a command with chaos.run() or asks a copy with chaos.ask(). The storm has a
fixed number of deaths, each after a random number of answers, and goes on until `shown()` says that all has happened
that it is to show. After it the server and the copies stay as they are, until the end of the `with` block.
GRAMME_SEED=n takes other dice; how long things take is another matter. GRAMME_SECONDS=n adds deaths for so long.
"""

import http.client
import os
import pathlib
import random
import tempfile
import threading
import time

import testing
from rounds import Tally, rounds
from server import SANITIZER, Server
from waiting import wait_until

SEED = int(os.environ.get("GRAMME_SEED", 1))
SECONDS = float(os.environ.get("GRAMME_SECONDS", 0))
DEATHS = 5
ANSWERS = (5, 30)  # in the life of a server
WORKERS = 4
COPIES = 2


class Chaos:
    def __init__(self, app, *serve):
        self.app, self.serve = app, serve
        print(f"# repeat with GRAMME_SEED={SEED}", flush=True)
        self.rng = random.Random(SEED)
        self.folder = tempfile.TemporaryDirectory()
        self.data = pathlib.Path(self.folder.name) / "data"
        self.server, self.up, self.port = None, threading.Event(), 0
        self.over, self.ended = threading.Event(), threading.Event()
        self.doomed = [threading.Event() for _ in range(COPIES)]
        self.answered, self.copies_killed = Tally(), Tally()
        self.problems, self.lock = [], threading.Lock()
        self.copies, self.threads = [None] * COPIES, []
        self.counts = dict.fromkeys(("server killed", "copy killed", "command killed", "command failed", "command fine",
                                     "answer", "no answer"), 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        self.up.set()
        if self.server:
            self.server.stop()
            self.server.errors.close()
        self.folder.cleanup()

    def end(self):
        """Stops the copies, which have to end in order."""
        self.over.set()
        self.ended.set()
        for doomed in self.doomed:
            doomed.set()
        for thread in self.threads:
            thread.join()
        self.threads = []

    def count(self, name):
        with self.lock:
            self.counts[name] += 1
        if name in ("answer", "command fine"):
            self.answered.add()

    def start_server(self):
        """Always on one port: the copies know it."""
        for tries in range(5):
            server = Server("--data", self.data, port=self.port)
            try:
                self.server = server.start()
                break
            except AssertionError:
                if tries == 4:
                    raise
                time.sleep(0.5)
        self.port, self.endpoint = self.server.port, self.server.endpoint
        self.up.set()

    # --- the copies ---

    def keep_copy(self, number, rng):
        """A copy that is killed and started again, and stays after the storm."""
        try:
            while not self.ended.is_set():
                service = testing.Service(self.app, self.endpoint, *self.serve)
                with service:
                    self.copies[number] = service
                    self.doomed[number].wait()
                    if self.ended.is_set():
                        continue
                    self.doomed[number].clear()
                    self.copies[number] = None
                    service.process.kill()
                    errors = service.process.communicate()[1]
                    service.process.returncode = 0  # as intended
                self.count("copy killed")
                self.copies_killed.add()
                if SANITIZER.search(errors):
                    self.problems.append(errors)
                time.sleep(rng.uniform(0, 0.3))
        except Exception as error:  # A thread's failure is the test's.
            self.problems.append(f"copy {number}: {error!r}")

    def ask(self, method, path, body=None, rng=random):
        """Asks one of the copies; gives its status and reply, or None when there is no answer."""
        self.up.wait()
        service = rng.choice(self.copies)
        try:
            answer = service and service.request(method, path, body)
        except (OSError, http.client.HTTPException, ValueError):
            answer = None
        self.count("answer" if answer else "no answer")
        return answer

    # --- the commands ---

    def run(self, *arguments, rng=None):
        """Runs a command once, to its end, or with `rng` perhaps only until it is killed. Gives its status, output and
        messages; waits for a server first, which may be gone again a moment later."""
        self.up.wait()
        process = testing.start(self.app, self.endpoint, *arguments)
        timer = None
        if rng and rng.random() < 0.4:
            timer = threading.Timer(rng.uniform(0, 0.2), process.kill)
            timer.start()
        out, err = process.communicate(timeout=testing.TIMEOUT_S)
        if timer:
            timer.cancel()
        status = process.returncode
        name = {0: "fine", 1: "failed", -9: "killed"}.get(status)
        if name is None or SANITIZER.search(err):
            self.problems.append(f"{arguments} ended with {status}: {err}")
        else:
            self.count(f"command {name}")
        return status, out, err

    # --- the storm ---

    def worker(self, work, rng):
        try:
            while not self.over.is_set() and not self.problems:
                work(self, rng)
        except Exception as error:
            self.problems.append(repr(error))

    def kill_copy(self):
        self.doomed[self.rng.randrange(COPIES)].set()
        if not self.copies_killed.wait_more(1):
            self.problems.append("no copy was killed")

    def kill_server(self):
        self.up.clear()
        self.server.kill()
        self.server.errors.close()
        self.count("server killed")
        time.sleep(self.rng.uniform(0, 0.5))
        self.start_server()

    def live(self):
        """Deaths of copies and of the server, each after some answers."""
        for _ in rounds(DEATHS, SECONDS):
            for kill in (self.kill_copy, self.kill_server):
                if not self.answered.wait_more(self.rng.randint(*ANSWERS)) or self.problems:
                    return
                kill()

    def storm(self, prepare, work, shown):
        self.start_server()
        testing.apply(self.app, self.endpoint)
        prepare(self)
        dice = [random.Random(self.rng.random()) for _ in range(COPIES + WORKERS)]
        self.threads = [threading.Thread(target=self.keep_copy, args=(n, dice[n])) for n in range(COPIES)]
        workers = [threading.Thread(target=self.worker, args=(work, rng)) for rng in dice[COPIES:]]
        for thread in self.threads + workers:
            thread.start()
        self.live()
        wait_until(lambda: shown() or self.problems, "all that the storm is to show")
        self.over.set()
        for thread in workers:
            thread.join()
        wait_until(lambda: self.problems or all(self.copies), "the copies")

    def scan(self, table):
        client = testing.boto3_client(self.endpoint)
        try:
            pages = client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
            return [item for page in pages for item in page["Items"]]
        finally:
            client.close()
