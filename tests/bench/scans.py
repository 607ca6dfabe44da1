"""How fast a table is read from end to end, and what point reads notice of it."""

import json
import statistics

from rig import BY_KEY, LOAD_CORE, PAYLOAD, SERVER_CORE, Table, call, create_table, get_body, number, spread, times

ITEMS = 300_000
ITEM_BYTES = 300
SCANNERS = [1, 4]
GET_RATE = 5_000
GET_CONNECTIONS = 16
BODY = f'{{"TableName":"bench","ExclusiveStartKey":{{{BY_KEY}}}}}'


def mean_page(port):
    """Bytes of items in a page that begins anywhere: full, but where the table ends sooner."""
    page = json.loads(call(port, "Scan", {"TableName": "bench"}))["Count"]
    return (page - page * page / ITEMS / 2) * ITEM_BYTES


def scan_load(scanners):
    return {"target": "Scan", "body": BODY, "keys": ITEMS, "connections": scanners}


def get_load(rig):
    return {"body": get_body("bench", BY_KEY), "keys": ITEMS, "connections": GET_CONNECTIONS, "rate": GET_RATE,
            "seconds": max(rig.seconds, 1)}


def measure(rig, server):
    """Results by name, in rounds."""
    results = {name: [] for name in [*SCANNERS, "alone", "beside", "scan beside"]}
    for _ in range(rig.rounds):
        for scanners in SCANNERS:
            results[scanners].append(rig.load(server.port, **scan_load(scanners)))
        results["alone"].append(rig.load(server.port, **get_load(rig)))
        with rig.beside(server.port, core=LOAD_CORE, before=["nice", "-n", "19"], **scan_load(1)) as scan:
            results["beside"].append(rig.load(server.port, **get_load(rig)))
        results["scan beside"].append(scan)
    return results


def rows(table, name, results, page):
    def megabytes(runs):
        return spread([run["rate"] * page / 1e6 for run in runs])

    def latency(runs, ratio=""):
        return [number(statistics.median(run["p50_us"] for run in runs)), spread([run["p99_us"] for run in runs]), ratio]

    for scanners in SCANNERS:
        table.row(name, f"Scan, {scanners} connection{'s' * (scanners > 1)}", megabytes(results[scanners]), "", "", "")
    alone, beside = results["alone"], results["beside"]
    table.row(name, "GetItem alone", "", *latency(alone))
    ratio = [run["p99_us"] / base["p99_us"] for run, base in zip(beside, alone)]
    table.row(name, "GetItem beside a Scan", megabytes(results["scan beside"]), *latency(beside, spread(ratio, times)))


def scans(rig, options):
    table = Table(
        "Scan", f"Pages of 1 MB that begin anywhere in a table of {ITEMS:,} items of {ITEM_BYTES} bytes; MB of items as DynamoDB "
        f"counts them, which are half as many again in the reply. GetItem at {GET_RATE:,} a second from {GET_CONNECTIONS} "
        "connections, alone and while one connection scans as fast as it can. One core for the server, one for both loads, of "
        "which the one that scans has the lower priority: what is measured is the server.",
        ["server", "", "MB/s of items", "GetItem p50 us", "p99 us", "p99 of that alone"])
    for name, arguments in (("--memory", ["--memory"]), ("--data", ["--data", rig.fresh()])):
        with rig.gramme(*arguments, "--threads", 1, core=SERVER_CORE) as server:
            create_table(server.port, "bench")
            rig.fill(server.port, "bench", BY_KEY, ITEMS, payload=PAYLOAD)
            server.settle()
            results = measure(rig, server)
            rows(table, name, results, mean_page(server.port))
    yield table
