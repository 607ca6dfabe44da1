"""Gramme beside other implementations and beside a server that does nothing, in turns; rival_servers.py starts them.

A rival that answers errors has no rate: they are counted, and the first one is told.
"""

import json
import statistics
import subprocess
import time

from plots import Picture, bars, percentiles
from rig import BY_KEY, Table, get_body, have, number, spread, times
from rival_servers import Contestant, Unavailable, ask, contestants

KEYS = 5_000
GROUP = 100
CONNECTIONS = 64
BARE = "bare server"
TABLES = {"bench-300": 300, "bench-250": 250}
INDEX_WAIT_S = 60
FILL_S = 60  # for the reply to a batch, which is much for a server that syncs for each item
SYNC_S = 1.5
SYNC_KEYS = 500  # strace makes each sync slower, and filling the table with it
TRIES = 3
WARM_TRIES, WARM_GAIN = 12, 1.1


def workload(name, connections=CONNECTIONS, table="bench-300", keys=KEYS):
    return {"workload": name, "table": table, "item_size": TABLES[table], "keys": keys, "connections": connections}


# ---- getting ready ----

def fill(rig, server, table, keys=KEYS):
    result = rig.load(server.port, strict=False, sign=server.signs, count=1, timeout=FILL_S,
                      **workload("get", 1, table, keys))
    if result["errors"] or result["misses"]:
        raise Unavailable(f"the table cannot be filled: {result['first_error']}")


def wait_for_index(rig, server, table):
    """Some update their indexes later, and a Query of nothing is fast."""
    request = {"TableName": table, "IndexName": "by_group", "KeyConditionExpression": "g = :g",
               "ExpressionAttributeValues": {":g": {"S": f"{KEYS // GROUP - 1:08}"}}}
    end = time.monotonic() + INDEX_WAIT_S
    count = 0
    while time.monotonic() < end and count < GROUP:
        status, reply = ask(server.port, server.signs, "Query", request)
        count = json.loads(reply).get("Count", 0) if status == 200 else 0
        time.sleep(0.05)
    if count != GROUP:
        raise Unavailable(f"a Query returns {count} items, not {GROUP}")


def make_ready(rig, contestant, home, steps):
    """A server on which the steps were taken, for each table."""
    server = contestant.start(rig, home=home)
    try:
        for table in TABLES:
            for step in steps:
                step(rig, server, table)
        server.settle()
    except (Unavailable, OSError):
        server.stop()
        raise
    return server


def prepare(rig, contestant):
    """A server with both tables, asleep. One that keeps data is started again, so that it reads what it has kept."""
    home = rig.fresh()
    server = make_ready(rig, contestant, home, [fill, wait_for_index])
    if contestant.durable:
        server.stop()
        server = make_ready(rig, contestant, home, [wait_for_index])
    server.sleep()
    return server


def bare(rig, server):
    """The constant server, with replies as long as those of gramme."""
    with server.awake():
        body = ask(server.port, server.signs, "GetItem", {"TableName": "bench-300", "Key": {"pk": {"S": f"{1:08}"}}})[1]
    contestant = Contestant(BARE, False, lambda port, data: ([rig.program("bare_server"), port, len(body)], {}))
    running = contestant.start(rig)
    running.sleep()
    return contestant, running


class Field:
    """All who take part, and who does not and why."""

    def __init__(self, rig):
        self.rig = rig
        self.contestants, self.servers, self.absent = {}, {}, {}

    def prepare(self):
        found, self.absent = contestants(self.rig)
        for contestant in found:
            try:
                self.servers[contestant.name] = prepare(self.rig, contestant)
                self.contestants[contestant.name] = contestant
            except (Unavailable, OSError) as reason:
                self.absent[contestant.name] = str(reason)
        if "gramme --memory" not in self.servers or "gramme --data" not in self.servers:
            raise SystemExit(f"gramme itself is not ready: {self.absent}")
        limit, running = bare(self.rig, self.servers["gramme --memory"])
        self.contestants = {BARE: limit, **self.contestants}
        self.servers = {BARE: running, **self.servers}

    def of(self, durable):
        return [name for name, contestant in self.contestants.items() if contestant.durable == durable]

    def base(self, name):
        return "gramme --data" if self.contestants[name].durable else "gramme --memory"

    def stop(self):
        for server in self.servers.values():
            server.stop()


def measure(rig, server, name, load):
    if name == BARE:
        load = {"body": get_body("bench-300", BY_KEY), "keys": KEYS, "connections": load["connections"]}
    with server.awake():
        for _ in range(TRIES):
            run = rig.measure(server, strict=False, sign=server.signs, **load)
            if run["replies"] or run["errors"]:
                break  # neither: the machine stood still for longer than the measurement took
    return run


def warm(rig, server, name, load):
    """Loads the server until it gets no faster: some compile their hot paths while they run."""
    best = 0
    for _ in range(WARM_TRIES):
        run = measure(rig, server, name, load)
        if run["rate"] < best * WARM_GAIN or not run["replies"]:
            break
        best = run["rate"]
    return run


def turns(field, names, load):
    """Results of each, in rounds, after all are warm. Whoever answers only errors is asked no further."""
    results = {name: [] for name in names}
    for name in names:
        run = warm(field.rig, field.servers[name], name, load)
        results[name] += [] if run["replies"] else [run]
    for _ in range(field.rig.rounds):
        for name, runs in results.items():
            if not runs or runs[-1]["replies"]:
                runs.append(measure(field.rig, field.servers[name], name, load))
    return results


# ---- tables ----

def faults(runs):
    """Errors in words, for a cell."""
    errors = sum(run["errors"] for run in runs) + sum(run["misses"] for run in runs)
    if not errors:
        return "0"
    first = next((run["first_error"] for run in runs if run["first_error"]), "items are missing")
    return f"{errors:,}: {' '.join(first.replace('|', '/').split())[:80]}"


def median(runs, name):
    return statistics.median(run[name] for run in runs)


def cells(field, results, name):
    """Rate, gramme against it, processor time, latencies, errors."""
    runs = results[name]
    if not all(run["replies"] for run in runs):
        return ["none", "", "", "", "", faults(runs)]
    ours = results[field.base(name)]
    ratio = [our["rate"] / run["rate"] for our, run in zip(ours, runs)]
    return [spread([run["rate"] for run in runs]), spread(ratio, times), number(median(runs, "cpu_us")),
            number(median(runs, "p50_us")), number(median(runs, "p99_us")), faults(runs)]


def panel(field, title, results, writes=False):
    """The bars of one table."""
    rows = []
    for name, runs in results.items():
        if all(run["replies"] for run in runs):
            rate = median(runs, "rate")
            ratio = statistics.median(our["rate"] / run["rate"] for our, run in zip(results[field.base(name)], runs))
            label = number(rate) + (" (does not sync)" if writes and not field.contestants[name].syncs else "")
            rows.append((name, rate, label, "" if name.startswith("gramme") else f"{ratio:.3g} x"))
    return title, "requests/s; gramme against it", rows


RATES = ["server", "requests/s", "gramme against it", "CPU us/request", "p50 us", "p99 us", "errors"]


def rate_table(field, title, note, results):
    table = Table(title, note, RATES)
    for name in results:
        table.row(name, *cells(field, results, name))
    return table


def participants(field):
    table = Table("The servers compared", "Each is started on a free port and has one core to itself; those that are not "
                  "measured at the moment are stopped. ExtendDB checks signatures, so its requests are signed; the others "
                  f"get a constant. {runtimes()}", ["server", "npm package", "command"])
    for name, contestant in field.contestants.items():
        table.row(name, contestant.package, f"`{contestant.shown()}`")
    for name, reason in field.absent.items():
        table.row(name, "", f"took no part: {reason}")
    return table


def runtimes():
    """The programs that run some of them."""
    found = []
    for name, command in (("Java", ["java", "-version"]), ("Node.js", ["node", "--version"])):
        if have(command[0]):
            run = subprocess.run(command, text=True, capture_output=True)
            found.append(f"{name}: {(run.stdout or run.stderr).splitlines()[0]}")
    return "; ".join(found) + "." if found else ""


def one_connection(field):
    table = Table("GetItem from one connection, beside others", "A request at a time: what one costs from end to end. The "
                  "difference is to the bare server, in the same round.",
                  ["server", "p50 us", "more than the bare server, us", "p99 us", "errors"])
    results = turns(field, field.of(False), workload("get", 1))
    for name, runs in results.items():
        more = [run["p50_us"] - limit["p50_us"] for run, limit in zip(runs, results[BARE])]
        table.row(name, spread([run["p50_us"] for run in runs]), spread(more, signed), number(median(runs, "p99_us")),
                  faults(runs))
    return table


def signed(n):
    return f"{n:+.1f}"


def writes_per_sync(rig, contestant):
    """Acknowledged writes for each sync, with strace, in a server of its own."""
    if not have("strace"):
        return "no strace"
    log = rig.fresh()
    before = ["strace", "-f", "--seccomp-bpf", "-e", "trace=fdatasync,fsync,msync", "-o", log]
    try:
        with contestant.start(rig, before) as server:
            fill(rig, server, "bench-300", SYNC_KEYS)
            server.settle()
            syncs = log.read_text().count("sync(")
            run = rig.load(server.port, strict=False, sign=server.signs, seconds=SYNC_S, warmup=0,
                           **workload("put", keys=SYNC_KEYS))
            syncs = log.read_text().count("sync(") - syncs
    except (Unavailable, OSError) as reason:
        return str(reason)
    return f"no sync in {run['replies']:,}" if syncs == 0 else number(run["replies"] / syncs)


def durable_puts(field):
    table = Table("Durable PutItem beside others", f"Replacing items of 300 bytes from {CONNECTIONS} connections in a table with "
                  "one global secondary index. Writes per sync are counted by strace in a run of its own. Who waits for a sync "
                  "has each write on disk when it is answered; who does not syncs a log when it is full, or never, and a "
                  "power failure takes back what was acknowledged.",
                  [*RATES[:3], "waits for a sync", "writes per sync", *RATES[3:]])
    results = turns(field, field.of(True), workload("put"))
    for name in results:
        rate, ratio, *rest = cells(field, results, name)
        contestant = field.contestants[name]
        table.row(name, rate, ratio, "yes" if contestant.syncs else "no", writes_per_sync(field.rig, contestant), *rest)
    return table, results


def starts(field):
    table = Table("Start beside others", "From the making of the process to the first answer, with the machine to itself and "
                  "nothing stored yet, and resident memory half a second later.",
                  ["server", "ms to the first answer", "of gramme's", "MB resident", "of gramme's"])
    results = {name: [] for name in field.contestants}
    for _ in range(field.rig.rounds):
        for name, runs in results.items():
            with field.contestants[name].start(field.rig, core=None) as server:
                time.sleep(0.5)
                runs.append({"ms": server.ms_to_answer, "mb": server.resident_mb()})
    for name, runs in results.items():
        row = [name]
        for what in ("ms", "mb"):
            ratio = [run[what] / our[what] for run, our in zip(runs, results[field.base(name)])]
            row += [spread([run[what] for run in runs]), spread(ratio, times)]
        table.row(*row)
    return table


def in_memory_and_on_disk(field):
    """GetItem of everybody, with a picture of the latencies."""
    results = turns(field, field.of(False) + field.of(True), workload("get"))
    table = rate_table(field, "GetItem beside others", f"{CONNECTIONS} connections, {KEYS:,} items of 300 bytes. Ratios are to "
                       "`gramme --memory` for servers in memory, to `gramme --data` for those that keep data.", results)
    table.picture = Picture("latency.svg", f"GetItem: latency by percentile, {CONNECTIONS} connections", percentiles(
        f"GetItem: latency by percentile, {CONNECTIONS} connections in a closed loop",
        {name: [pair for run in runs for pair in run["histogram"]] for name, runs in results.items()}))
    return table, results


def transactions(field):
    results = turns(field, field.of(True), workload("transact-write"))
    table = rate_table(field, "TransactWriteItems beside others", "5 items of 300 bytes, in a table with one global secondary "
                       f"index, from {CONNECTIONS} connections; durability as for PutItem. dynalite has no transactions.",
                       results)
    return table, results


def rivals(rig, options):
    field = Field(rig)
    try:
        field.prepare()
        yield participants(field)
        table, gets = in_memory_and_on_disk(field)
        yield table
        yield one_connection(field)
        table, puts = durable_puts(field)
        yield table
        queries = turns(field, [name for name in field.contestants if name != BARE], workload("query100", 16, "bench-250"))
        yield rate_table(field, "Query beside others", f"{GROUP} items of 250 bytes through a global secondary index with all "
                         "attributes, 16 connections.", queries)
        table, transacts = transactions(field)
        table.picture = Picture("rates.svg", "Requests per second of gramme and others", bars([
            panel(field, f"GetItem, {CONNECTIONS} connections", gets),
            panel(field, "PutItem on disk, one index", puts, True),
            panel(field, f"Query of {GROUP} items through an index", queries),
            panel(field, "TransactWriteItems of 5, on disk", transacts, True)]))
        yield table
    finally:
        field.stop()
    yield starts(field)
