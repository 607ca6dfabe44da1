"""Batches of writer.c on a disk (disk.py): what was acknowledged is there, and nothing is there in part."""

import os
import re
import signal
import subprocess

from disk import WRITER

KEPT = 50
KEYS = 12
SANITIZER = re.compile(r"Sanitizer|runtime error:")


class Store:
    """A store, and what its writer heard of each batch."""

    def __init__(self, disk):
        self.disk = disk
        disk.data.mkdir(exist_ok=True)
        self.done, self.failed = set(), set()
        self.next = 1

    @classmethod
    def again(cls, disk, done, next):
        """A copy of one that has these batches."""
        store = cls(disk)
        store.done, store.next = set(done), next
        return store

    def start(self, count):
        return subprocess.Popen([WRITER, "write", self.disk.data, str(self.next), str(count)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env={**os.environ, **self.disk.env()})

    def hear(self, line):
        kind, number = line.split(":")[0].split(" ")[:2]
        (self.done if kind == "done" else self.failed).add(int(number))

    def write(self, count):
        """Writes so many batches; returns what the program said that does not belong to a batch, and how it ended."""
        process = self.start(count)
        output, errors = process.communicate(timeout=120)
        told = [line for line in output.splitlines() if not line.startswith(("done ", "failed "))]
        for line in output.splitlines():
            if line.startswith(("done ", "failed ")):
                self.hear(line)
        first, self.next = self.next, self.next + count
        if process.returncode:
            self.failed.update(number for number in range(first, self.next) if number not in self.done)
        if process.returncode not in (0, 3) or SANITIZER.search(errors):
            told.append(f"ended with {process.returncode}: {errors[-3000:]}")
        return told, process.returncode

    def write_and_kill(self, rng):
        """Kills the writer after a random batch."""
        process, wanted, heard = self.start(100000), rng.randint(1, 90), 0
        for line in process.stdout:
            self.hear(line)
            heard += 1
            if heard == wanted:
                process.send_signal(signal.SIGKILL)
        errors = process.stderr.read()
        process.wait()
        process.stdout.close()
        process.stderr.close()
        self.next = max([0, *self.done]) + 1
        self.failed.add(self.next)  # it may be under way
        self.next += 1
        return heard, f"the writer ended with {process.returncode}: {errors[-2000:]}" if process.returncode != -signal.SIGKILL else None

    def problems(self):
        """Looks at what is there, on a disk that works."""
        self.disk.arm()
        run = subprocess.run([WRITER, "check", self.disk.data, str(self.next)], capture_output=True, text=True, timeout=120,
                             env={**os.environ, **self.disk.env()})
        if run.returncode or SANITIZER.search(run.stderr):
            return [f"it does not open: {run.stdout[-300:]}{run.stderr[-2000:]}"]
        found = {int(line.split()[0]): int(line.split()[1]) for line in run.stdout.splitlines()}
        problems = [f"batch {number} is there in part: {keys} keys" for number, keys in found.items() if keys != KEYS]
        # A batch is deleted by the one that comes KEPT later.
        for number in self.done:
            gone = number + KEPT
            if gone in self.done and number in found:
                problems.append(f"batch {number} is there again")
            elif gone not in self.done and gone not in self.failed and number not in found:
                problems.append(f"batch {number} is lost")
        unknown = found.keys() - self.done - self.failed
        return problems + [f"batch {number} was never written" for number in unknown]
