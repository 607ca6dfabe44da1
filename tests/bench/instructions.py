#!/usr/bin/python3
"""Instructions of the server for one request, counted by callgrind: a table of `make bench`, and what
test_instructions.py holds against instructions.txt. `make instructions` writes that file anew.

One connection sends the requests, so that nothing depends on how they fall together: with more of them a write costs
the less the more of them share a commit, which is different in every run. Even so a thread that waits for another one
spins now and then; it is the least of a few runs that is taken.
"""

import argparse
import dataclasses
import platform
import re
import statistics
import subprocess
import tempfile

from rig import (BATCH, BY_KEY, GROUP, INDEXED, PAYLOAD, QUERY_PAYLOAD, ROOT, Rig, Table, batch_body, build_type, call,
                 create_table, get_body, have, installed, put_body, query_body, transaction_body)

RECORD = ROOT / "tests/bench/instructions.txt"
HEADER = """\
# Instructions of the server for one request: store, request, count. `make instructions` writes this file.
"""
KEYS = 1000
ACTIONS = 5
RUNS = 5
SERVERS = 3  # of which the median is recorded
# callgrind writes what it has counted when this function is called, as a DescribeTable does, and begins anew. Nothing
# has to attach to the server for that.
MARK = "table_description_write"
# A write waits for another thread, and RocksDB has threads of its own: these counts differ by some per cent.
WRITE, STORED = 0.15, 0.2
TOTALS = re.compile(r"^totals: (\d+)$", re.M)


@dataclasses.dataclass
class Request:
    name: str
    target: str
    body: str
    count: int = 100  # in a run
    keys: int = KEYS
    store: str = "--memory"
    tolerance: float = 0.05  # what a count may differ from the recorded one
    refill: bool = False  # before each run, since a run takes items away


def update_body(condition=""):
    return (f'{{"TableName":"plain","Key":{{{BY_KEY}}},{condition}"UpdateExpression":"SET #s = :s ADD #l :n",'
            '"ExpressionAttributeNames":{"#l":"lines","#s":"status"},'
            '"ExpressionAttributeValues":{":s":{"S":"RETURNED"},":n":{"N":"1"}}}')


def batch_get_body():
    keys = ",".join([f"{{{BY_KEY}}}"] * BATCH)
    return f'{{"RequestItems":{{"plain":{{"Keys":[{keys}]}}}}}}'


GET = Request("GetItem, 300 bytes", "GetItem", get_body("plain", BY_KEY))
PUT = Request("PutItem, 300 bytes", "PutItem", put_body("plain", BY_KEY), tolerance=WRITE)
REQUESTS = [
    GET, PUT,
    Request("PutItem with an index", "PutItem", put_body("indexed", INDEXED), tolerance=WRITE),
    Request("UpdateItem", "UpdateItem", update_body(), tolerance=WRITE),
    Request("UpdateItem with a condition", "UpdateItem",
            update_body('"ConditionExpression":"attribute_exists(pk) AND #l >= :n",'), tolerance=WRITE),
    Request("DeleteItem", "DeleteItem", get_body("plain", BY_KEY), keys=100, tolerance=WRITE, refill=True),
    Request(f"Query, {GROUP} items through an index", "Query", query_body("indexed", "by_g0", "g"), 20, KEYS // GROUP),
    Request(f"Scan, {GROUP} items", "Scan", f'{{"TableName":"plain","Limit":{GROUP}}}', 20),
    Request(f"BatchGetItem of {BATCH}", "BatchGetItem", batch_get_body(), 20),
    Request(f"BatchWriteItem of {BATCH}", "BatchWriteItem", batch_body("plain", BY_KEY), 20),
    Request(f"TransactWriteItems of {ACTIONS}", "TransactWriteItems", transaction_body("plain", ACTIONS), 50),
    dataclasses.replace(GET, store="--data", tolerance=STORED), dataclasses.replace(PUT, store="--data", tolerance=STORED),
]


class Counter:
    """A server under callgrind, with a table `plain` and a table `indexed` of KEYS items each."""

    def __init__(self, rig, store):
        self.rig = rig
        self.out = rig.fresh()
        before = ["valgrind", "--tool=callgrind", "--vgdb=no", "--fair-sched=try", f"--dump-before={MARK}",
                  f"--callgrind-out-file={self.out}"]
        arguments = ["--data", rig.fresh()] if store == "--data" else [store]
        self.server = rig.gramme(*arguments, "--threads", 1, before=before)
        self.port = self.server.port
        create_table(self.port, "plain")
        self.fill(KEYS)
        create_table(self.port, "indexed", indexes=1)
        rig.fill(self.port, "indexed", INDEXED, KEYS, group=GROUP, payload=QUERY_PAYLOAD, connections=1)

    def fill(self, count):
        self.rig.fill(self.port, "plain", BY_KEY, count, connections=1)

    def mark(self):
        """Instructions since the last mark."""
        call(self.port, "DescribeTable", {"TableName": "plain"})
        parts = sorted(self.out.parent.glob(f"{self.out.name}.*"), key=lambda path: int(path.suffix[1:]))
        return int(TOTALS.search(parts[-1].read_text()).group(1))

    def run(self, request):
        if request.refill:
            self.fill(request.keys)
        self.mark()
        self.rig.load(self.port, core=None, target=request.target, body=request.body, keys=request.keys,
                      count=request.count, group=GROUP, connections=1,
                      payload=QUERY_PAYLOAD if "indexed" in request.body else PAYLOAD)
        return self.mark()

    def count(self, request):
        """For one such request."""
        self.run(request)  # caches and buffers are filled, and items that it adds are there
        return round(min(self.run(request) for _ in range(RUNS)) / request.count)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop()


def count_all(rig):
    """Each of REQUESTS with its count, one after the other."""
    for store in ("--memory", "--data"):
        with Counter(rig, store) as counter:
            for request in REQUESTS:
                if request.store == store:
                    yield request, counter.count(request)


def instructions(rig, options):
    if not have("valgrind"):
        return
    table = Table("Instructions", "Of the server outside the kernel, for one request of one connection, counted by "
                  "callgrind: nearly the same in every run, whatever the machine does.",
                  ["store", "request", "instructions"])
    for request, number in count_all(rig):
        table.row(request.store, request.name, f"{number:,}")
    yield table


# ---- what is recorded ----

def toolchain(rig):
    """What the counts depend on, beside our code."""
    run = subprocess.run(["readelf", "-p", ".comment", rig.program("gramme")], text=True, capture_output=True)
    return ", ".join([*re.findall(r"\] +(\S.*)", run.stdout), platform.machine(), build_type(rig),
                      " ".join(platform.libc_ver()), *(f"{name} {installed(name)}" for name in ("libuv", "rocksdb"))])


def read_record(text):
    """The toolchain, and the counts by store and name."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    counts = {}
    for line in lines[1:]:
        store, rest = line.split(" ", 1)
        name, number = rest.rsplit(" ", 1)
        counts[store, name.strip()] = int(number.replace(",", ""))
    return lines[0], counts


def write_record(built_by, counts):
    width = max(len(name) for _, name in counts)
    rows = [f"{store:<8} {name:<{width}} {number:>9,}\n" for (store, name), number in counts.items()]
    return HEADER + built_by + "\n" + "".join(rows)


def main():
    parser = argparse.ArgumentParser(description="Records the instructions of each request in tests/bench/instructions.txt.")
    parser.add_argument("--build", default=str(ROOT / "build"), help="the build directory to measure")
    options = parser.parse_args()
    if not have("valgrind"):
        raise SystemExit("valgrind is not installed")
    with tempfile.TemporaryDirectory(prefix="instructions-", dir=options.build) as folder:
        rig = Rig(options.build, 1, 1, folder)
        counts = {}
        for _ in range(SERVERS):
            for request, number in count_all(rig):
                counts.setdefault((request.store, request.name), []).append(number)
        counts = {name: statistics.median(numbers) for name, numbers in counts.items()}
        RECORD.write_text(write_record(toolchain(rig), counts))
    print(f"{RECORD.read_text()}{RECORD.relative_to(ROOT)}: written")


if __name__ == "__main__":
    main()
