"""A table filled by BatchWriteItem from nothing: whether it goes as fast at the end as at the start, and what it takes."""

import pathlib
import threading
import time

from plots import Picture, along
from rig import BATCH, BY_KEY, PAYLOAD, Table, batch_body, create_table, number, percent

PARTS = 10
SAMPLE_S = 0.1


class Watch(threading.Thread):
    """Samples the server's memory: (seconds since the start, MB)."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.samples, self.over = server, [], threading.Event()

    def run(self):
        begin = time.monotonic()
        while not self.over.wait(SAMPLE_S):
            self.samples.append((time.monotonic() - begin, self.server.resident_mb()))

    def most_until(self, seconds):
        return max((mb for at, mb in self.samples if at <= seconds), default=0)

    def stop(self):
        self.over.set()
        self.join()


def part_ends(series, replies):
    """When each tenth of the replies was there: within a second they are spread evenly."""
    ends, seen = [], 0
    for second in series:
        begin = second["at_s"] - second["length_s"]
        while len(ends) < PARTS and seen + second["replies"] >= replies * (len(ends) + 1) // PARTS:
            share = (replies * (len(ends) + 1) // PARTS - seen) / second["replies"]
            ends.append(begin + share * second["length_s"])
        seen += second["replies"]
    return ends


def folder_mb(path):
    return sum(file.stat().st_size for file in pathlib.Path(path).rglob("*") if file.is_file()) / 1e6


def loading(rig, options):
    count = options.load_items
    table = Table(
        "Loading", f"{count:,} items of 300 bytes by BatchWriteItem of {BATCH} from 16 connections into an empty table, "
        "`--data`, durably; server and load share the machine. The memory is the largest seen until then, with the block cache.",
        ["tenth", "items/s", "of the first", "MB resident"])
    folder = rig.fresh()
    with rig.gramme("--data", folder) as server:
        create_table(server.port, "bench")
        watch = Watch(server)
        watch.start()
        result = rig.load(server.port, core=None, target="BatchWriteItem", body=batch_body("bench", BY_KEY), keys=count,
                          count=count // BATCH, payload=PAYLOAD, connections=16)
        watch.stop()
        server.settle()
        on_disk = folder_mb(folder)
    ends = part_ends(result["series"], result["replies"])
    rates = [count / PARTS / (end - begin) for begin, end in zip([0, *ends], ends)]
    for i, (rate, end) in enumerate(zip(rates, ends)):
        table.row(i + 1, number(rate), percent(rate / rates[0]), number(watch.most_until(end)))
    table.row("all", number(result["rate"] * BATCH), "", f"{number(on_disk)} on disk")
    table.picture = Picture("load.svg", f"Items per second along a load of {count:,}", along(
        f"Loading {count:,} items, durably", "items per second, by tenth of the load", rates, lambda i: i + 1))
    yield table
