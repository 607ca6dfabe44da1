"""The measurements, a function for each table. What they share is in rig.py."""

import os
import statistics
import subprocess
import tempfile
import time

from access import access
from backup import backup
from connections import connections
from encryption import encryption
from expiry import expiry
from instructions import instructions
from loading import loading
from onboarding import onboarding
from recovery import recovery
from rig import (BY_GROUP, BY_KEY, GROUP, INDEXED, PAYLOAD, QUERY_PAYLOAD, SERVER_CORE, Table, call, create_table, get_body,
                 gsi, have, number, percent, put_body, query_body, spread, times, transaction_body, wait_active)
from rivals import rivals
from scans import scans
from shared import shared
from streams import streams
from tls import tls
from watching import watching

CONNECTIONS = 64
READ_KEYS = 10_000


def column(results, name):
    return [result[name] for result in results]


def ratios(results, base, name="rate"):
    return [result[name] / other[name] for result, other in zip(results, base)]


# ---- start-up, size ----

def start_once(rig, arguments):
    begin = time.monotonic()
    with rig.gramme(*arguments) as server:
        call(server.port, "ListTables", {})
        elapsed = (time.monotonic() - begin) * 1000
        time.sleep(0.1)
        return {"ms": elapsed, "mb": server.resident_mb()}


def start(rig, options):
    table = Table("Start-up", "From exec to the first answer, and resident memory of the idle server after it.",
                  ["server", "ms to the first answer", "MB resident"])
    there = rig.fresh()
    start_once(rig, ["--data", there])
    kinds = {"--memory": lambda: ["--memory"], "--data, fresh": lambda: ["--data", rig.fresh()],
             "--data, there already": lambda: ["--data", there]}
    results = {name: [] for name in kinds}
    for _ in range(2 * rig.rounds + 1):
        for name, arguments in kinds.items():
            results[name].append(start_once(rig, arguments()))
    for name, runs in results.items():
        table.row(name, spread(column(runs, "ms")), spread(column(runs, "mb")))
    yield table


def size(rig, options):
    table = Table("Size", "", ["binary", "KB"])
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "-o", stripped.name, rig.program("gramme")], check=True)
        table.row("stripped, as `make install` can leave it", number(os.path.getsize(stripped.name) / 1024))
    table.row("as built, with debug information", number(os.path.getsize(rig.program("gramme")) / 1024))
    yield table


# ---- point reads beside a server that does nothing ----

def filled_server(rig, kind, count, core=None, threads=None, **table_options):
    """A server with one table that has `count` items. A persistent one is started again, so that it reads files
    and not what it has just written."""
    key = INDEXED if table_options.get("indexes") else BY_KEY
    arguments = ["--memory"] if kind == "--memory" else ["--data", rig.fresh()]
    arguments += ["--threads", threads] if threads else []
    server = rig.gramme(*arguments, core=core)
    create_table(server.port, "bench", **table_options)
    rig.fill(server.port, "bench", key, count, group=GROUP,
             payload=QUERY_PAYLOAD if table_options.get("indexes") else PAYLOAD)
    if kind != "--memory":
        server.stop()
        server = rig.gramme(*arguments, core=core)
        server.settle()
    return server


def reads(rig, options):
    table = Table(
        "GetItem", f"One I/O thread of the server on one core, one thread of {CONNECTIONS} connections on another; items "
        f"of 300 bytes, {READ_KEYS:,} keys. `bare_server` is libuv and the HTTP parser with a constant reply of the same "
        "size, `connection_server` a constant reply through gramme's own connections. Processor time is that of the "
        "server, in the kernel too.",
        ["server", "requests/s", "share of bare_server", "CPU us/request", "share by CPU", "p50 us", "p99 us"])
    memory = filled_server(rig, "--memory", READ_KEYS, SERVER_CORE, 1)
    data = filled_server(rig, "--data", READ_KEYS, SERVER_CORE, 1)
    body_bytes = len(call(memory.port, "GetItem", {"TableName": "bench", "Key": {"pk": {"S": "00000001"}}}))
    servers = {"bare_server": rig.constant("bare_server", body_bytes, SERVER_CORE),
               "connection_server": rig.constant("connection_server", body_bytes, SERVER_CORE),
               "gramme --memory": memory, "gramme --data": data}
    results = {name: [] for name in servers}
    for _ in range(rig.rounds):
        for name, server in servers.items():
            results[name].append(rig.measure(server, body=get_body("bench", BY_KEY), keys=READ_KEYS,
                                             connections=CONNECTIONS))
    for server in servers.values():
        server.stop()
    for name, runs in results.items():
        table.row(name, spread(column(runs, "rate")), spread(ratios(runs, results["bare_server"]), percent),
                  spread(column(runs, "cpu_us")), spread(ratios(results["bare_server"], runs, "cpu_us"), percent),
                  number(statistics.median(column(runs, "p50_us"))), number(statistics.median(column(runs, "p99_us"))))
    yield table


# ---- durable writes beside the disk ----

WRITE_CONNECTIONS = [1, 16, 64, 256]


def count_syncs(rig):
    """Writes per sync at each number of connections, from a run under strace."""
    if not have("strace"):
        return {}
    log = rig.folder / "strace"
    before = ["strace", "-f", "--seccomp-bpf", "-e", "trace=fdatasync,fsync", "-o", str(log)]
    counted = {}
    with rig.gramme("--data", rig.fresh(), before=before) as server:
        create_table(server.port, "bench")
        for connections in WRITE_CONNECTIONS:
            syncs = log.read_text().count("sync(")
            count = 200 * connections if connections < 16 else 100 * connections
            rig.load(server.port, core=None, target="PutItem", body=put_body("bench", BY_KEY), keys=READ_KEYS,
                     payload=PAYLOAD, connections=connections, count=count)
            counted[connections] = count / max(log.read_text().count("sync(") - syncs, 1)
    return counted


def writes(rig, options):
    table = Table(
        "Durable PutItem", "Items of 300 bytes; a write is answered when it is on disk. Beside it the rate at which one "
        "thread appends 400 bytes to a file of the same file system and calls fdatasync. Server and load share the "
        "machine. Writes per sync are counted by strace in a run of its own, which makes each sync a little slower.",
        ["connections", "PutItem/s", "times the fdatasync rate", "p50 us", "p99 us", "writes per sync"])
    per_sync = count_syncs(rig)
    syncs, results = [], {connections: [] for connections in WRITE_CONNECTIONS}
    with rig.gramme("--data", rig.fresh()) as server:
        create_table(server.port, "bench")
        for _ in range(rig.rounds):
            syncs.append({"rate": rig.sync_rate()})
            for connections, runs in results.items():
                runs.append(rig.load(server.port, core=None, target="PutItem", body=put_body("bench", BY_KEY),
                                     keys=READ_KEYS, payload=PAYLOAD, connections=connections))
    table.row("fdatasync alone", spread(column(syncs, "rate")), times(1), "", "", "1")
    for connections, runs in results.items():
        table.row(connections, spread(column(runs, "rate")), spread(ratios(runs, syncs), times),
                  number(statistics.median(column(runs, "p50_us"))), number(statistics.median(column(runs, "p99_us"))),
                  number(per_sync[connections]) if per_sync else "no strace")
    yield table


# ---- transactions ----

def transactions(rig, options):
    actions = 5
    table = Table(
        "Transactions", f"TransactWriteItems of {actions} items of 300 bytes, durable, beside PutItem. Server and load share "
        "the machine.",
        ["connections", "PutItem/s", "TransactWriteItems/s", "items/s", "p50 us", "p99 us"])
    counts = [1, 16, 64]
    puts, transacts = {n: [] for n in counts}, {n: [] for n in counts}
    with rig.gramme("--data", rig.fresh()) as server:
        create_table(server.port, "bench")
        for _ in range(rig.rounds):
            for n in counts:
                puts[n].append(rig.load(server.port, core=None, target="PutItem", body=put_body("bench", BY_KEY),
                                        keys=READ_KEYS, payload=PAYLOAD, connections=n))
                transacts[n].append(rig.load(server.port, core=None, target="TransactWriteItems",
                                             body=transaction_body("bench", actions), keys=READ_KEYS, payload=PAYLOAD,
                                             connections=n))
    for n in counts:
        table.row(n, spread(column(puts[n], "rate")), spread(column(transacts[n], "rate")),
                  number(statistics.median(column(transacts[n], "rate")) * actions),
                  number(statistics.median(column(transacts[n], "p50_us"))),
                  number(statistics.median(column(transacts[n], "p99_us"))))
    yield table


# ---- secondary indexes ----

def indexes(rig, options):
    yield query_beside_get(rig)
    yield puts_with_indexes(rig)


def query_beside_get(rig):
    count = 20_000
    table = Table(
        "Query through an index", f"{GROUP} items of 250 bytes through a global secondary index with all attributes "
        f"projected, beside GetItem of one; {count:,} items, `--data`, one core each for server and load.",
        ["request", "requests/s", "items/s", "CPU us/request", "CPU of a GetItem", "p50 us", "p99 us"])
    requests = {"GetItem": {"body": get_body("bench", BY_KEY), "keys": count},
                f"Query, {GROUP} items": {"target": "Query", "body": query_body("bench", "by_g0", "g"),
                                          "keys": count // GROUP}}
    results = {name: [] for name in requests}
    with filled_server(rig, "--data", count, SERVER_CORE, 1, indexes=1) as server:
        for _ in range(rig.rounds):
            for name, request in requests.items():
                results[name].append(rig.measure(server, connections=16, **request))
    for name, runs in results.items():
        items = GROUP if "Query" in name else 1
        table.row(name, spread(column(runs, "rate")), number(statistics.median(column(runs, "rate")) * items),
                  spread(column(runs, "cpu_us")), spread(ratios(runs, results["GetItem"], "cpu_us"), times),
                  number(statistics.median(column(runs, "p50_us"))), number(statistics.median(column(runs, "p99_us"))))
    return table


def puts_with_indexes(rig):
    table = Table(
        "PutItem with indexes", f"Replacing items of 300 bytes, durably, {CONNECTIONS} connections; every index projects "
        "all attributes, so every write changes every index.",
        ["indexes", "PutItem/s", "of none", "CPU us/request", "CPU of none", "p50 us", "p99 us"])
    counts = [0, 1, 5, 20]
    results = {count: [] for count in counts}
    with rig.gramme("--data", rig.fresh()) as server:
        for count in counts:
            create_table(server.port, f"with{count}", indexes=count)
        for _ in range(rig.rounds):
            for count in counts:
                results[count].append(rig.measure(
                    server, core=None, target="PutItem", body=put_body(f"with{count}", INDEXED), keys=READ_KEYS,
                    group=GROUP, payload=PAYLOAD - 9, connections=CONNECTIONS))
    for count, runs in results.items():
        table.row(count, spread(column(runs, "rate")), spread(ratios(runs, results[0]), percent),
                  spread(column(runs, "cpu_us")), spread(ratios(runs, results[0], "cpu_us"), times),
                  number(statistics.median(column(runs, "p50_us"))), number(statistics.median(column(runs, "p99_us"))))
    return table


# ---- backfill ----

BACKFILL_LOAD = 16


def add_index(port, name):
    """Creates an index on the full table; returns the seconds until it can be used."""
    begin = time.monotonic()
    call(port, "UpdateTable", {
        "TableName": "bench", "AttributeDefinitions": [{"AttributeName": a, "AttributeType": "S"} for a in ["pk", "g"]],
        "GlobalSecondaryIndexUpdates": [{"Create": gsi(name, "g")}]})
    wait_active(port, "bench")
    return time.monotonic() - begin


def add_index_under_load(rig, port, name, load):
    with rig.beside(port, **load) as result:
        seconds = add_index(port, name)
    return seconds, result


def backfill(rig, options):
    count = options.backfill_items
    table = Table(
        "Backfill", f"A global secondary index with all attributes is added to a table of {count:,} items of 300 bytes, "
        f"alone and while {BACKFILL_LOAD} connections replace items as fast as they can (after it, the same with one "
        "index already there).",
        ["", "seconds", "seconds per million items", "PutItem/s", "p50 us", "p99 us", "max us"])

    def row(name, seconds, load):
        table.row(name, *([number(seconds), number(seconds / count * 1e6)] if seconds else ["", ""]),
                  *([number(load[key]) for key in ["rate", "p50_us", "p99_us", "max_us"]] if load else [""] * 4))

    load = {"target": "PutItem", "body": put_body("bench", INDEXED), "keys": count, "group": GROUP,
            "payload": PAYLOAD - 9, "connections": BACKFILL_LOAD}
    with rig.gramme("--data", rig.fresh()) as server:
        create_table(server.port, "bench")
        rig.fill(server.port, "bench", INDEXED, count, group=GROUP, payload=PAYLOAD - 9)
        server.settle()
        row("PutItem alone", None, rig.load(server.port, core=None, **load))
        row("backfill alone", add_index(server.port, "first"), None)
        row("PutItem with that index", None, rig.load(server.port, core=None, **load))
        row("backfill and PutItem", *add_index_under_load(rig, server.port, "second", load))
        row("PutItem with both indexes", None, rig.load(server.port, core=None, **load))
    yield table


# ---- growth ----

def growth(rig, options):
    for kind in ["--data", "--memory"] if options.long else ["--data"]:
        yield growth_of(rig, kind, options.growth_items)
    yield growth_with_index(rig, options.growth_items)


def growth_with_index(rig, counts):
    """One table after another, each in a server of its own: filled, measured, and given a second index."""
    table = Table(
        "Growth with an index, --data", f"Tables with one global secondary index, items of 250 bytes, {GROUP} under an index "
        f"key: a durable PutItem ({CONNECTIONS} connections), a Query of {GROUP} items through the index, and adding a second "
        "index.",
        ["items", "loaded, items/s", "PutItem/s", "p99 us", "Query/s", "p99 us", "backfill, s", "s per million"])
    for count in counts:
        with rig.gramme("--data", rig.fresh()) as server:
            create_table(server.port, "bench", indexes=1)
            loaded = rig.fill(server.port, "bench", INDEXED, count, group=GROUP, payload=QUERY_PAYLOAD)
            server.settle()
            put = rig.load(server.port, core=None, target="PutItem", body=put_body("bench", INDEXED), keys=count,
                           group=GROUP, payload=QUERY_PAYLOAD, connections=CONNECTIONS)
            query = rig.load(server.port, target="Query", body=query_body("bench", "by_g0", "g"), keys=count // GROUP,
                             connections=16)
            seconds = add_index(server.port, "second")
        table.row(f"{count:,}", number(loaded), number(put["rate"]), number(put["p99_us"]), number(query["rate"]),
                  number(query["p99_us"]), number(seconds), number(seconds / count * 1e6))
    return table


def warm_up(port, name, count):
    """Reads the whole table once, so that what fits in the cache is there."""
    segments = max(1, count // 2000)
    for segment in range(segments):
        call(port, "Scan", {"TableName": name, "Select": "COUNT", "Segment": segment, "TotalSegments": segments})


def growth_of(rig, kind, counts):
    table = Table(
        f"Growth, {kind}", f"Tables of different sizes in one server, items of 300 bytes, {GROUP} in a partition; "
        "GetItem and Query of a whole partition, uniformly random, after each table was read once; one core each for server "
        "and load.",
        ["items", "loaded, items/s", "GetItem/s", "of the smallest", "CPU us", "Query/s", "of the smallest", "CPU us"])
    arguments = (["--memory"] if kind == "--memory" else ["--data", rig.fresh()]) + ["--threads", 1]
    server = rig.gramme(*arguments)
    loaded = {}
    for count in counts:
        create_table(server.port, f"items{count}", sort_key=True)
        loaded[count] = rig.fill(server.port, f"items{count}", BY_GROUP, count, group=GROUP)
    if kind == "--data":
        server.stop()
        server = rig.gramme(*arguments, core=SERVER_CORE)
        server.settle()
    gets, queries = {count: [] for count in counts}, {count: [] for count in counts}
    with server:
        for count in counts:
            warm_up(server.port, f"items{count}", count)
        for _ in range(rig.rounds):
            for count in counts:
                name = f"items{count}"
                gets[count].append(rig.measure(server, body=get_body(name, BY_GROUP), keys=count, group=GROUP,
                                               connections=CONNECTIONS, distribution="uniform"))
                queries[count].append(rig.measure(server, target="Query", body=query_body(name, None, "pk"),
                                                  keys=count // GROUP, connections=16, distribution="uniform"))
    for count in counts:
        cells = []
        for runs, base in [(gets[count], gets[counts[0]]), (queries[count], queries[counts[0]])]:
            cells += [spread(column(runs, "rate")), spread(ratios(runs, base), percent), spread(column(runs, "cpu_us"))]
        table.row(f"{count:,}", number(loaded[count]), *cells)
    return table


SECTIONS = {"rivals": rivals, "start": start, "size": size, "onboarding": onboarding, "instructions": instructions,
            "reads": reads, "connections": connections,
            "scan": scans, "writes": writes, "transactions": transactions, "indexes": indexes, "backfill": backfill,
            "growth": growth, "load": loading, "expiry": expiry, "backup": backup, "streams": streams, "recovery": recovery,
            "encryption": encryption, "access": access, "tls": tls, "watching": watching, "shared": shared}
