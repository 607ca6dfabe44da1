"""Many connections: what a thousand of them do to the latency, in a closed loop and at a fixed rate."""

import statistics

from rig import BY_KEY, PAYLOAD, SERVER_CORE, Table, create_table, get_body, number, spread, times

COUNTS = [64, 1000]
KEYS = 10_000
RATE_SHARE = 0.5
# A thousand connections are opened during the warm-up, and one pause of the machine is not to be a per cent of a round.
OPEN_SECONDS, OPEN_WARMUP_S = 2, 0.5


def server_with_items(rig, arguments):
    server = rig.gramme(*arguments, "--threads", 1, core=SERVER_CORE)
    create_table(server.port, "bench")
    rig.fill(server.port, "bench", BY_KEY, KEYS, payload=PAYLOAD)
    server.settle()
    return server


def rounds(rig, server):
    """Results by loop and connections. The fixed rate is half of what the closed loop of the fewest reached first."""
    results = {(loop, count): [] for loop in ("closed", "open") for count in COUNTS}
    rate = None
    for _ in range(rig.rounds):
        for (loop, count), runs in results.items():
            fixed = {} if loop == "closed" else {"rate": rate, "seconds": max(rig.seconds, OPEN_SECONDS), "warmup": OPEN_WARMUP_S}
            runs.append(rig.load(server.port, strict=False, body=get_body("bench", BY_KEY), keys=KEYS, connections=count,
                                 **fixed))
            rate = rate or round(runs[0]["rate"] * RATE_SHARE)
    return results


def connections(rig, options):
    table = Table(
        "Many connections", f"GetItem from {COUNTS[0]} and from {COUNTS[1]:,} connections; one core each for server and load. "
        "In a closed loop every connection always has a request under way, so the latency grows with their number whatever "
        "the server does. At a fixed rate, half of what the closed loop reached, it tells what the connections themselves cost. "
        "Not sent are requests that were due when all connections still waited, which a pause of the machine makes.",
        ["server", "loop", "connections", "requests/s", "p50 us", "p99 us", f"p99 of that at {COUNTS[0]}", "errors",
         "not sent"])
    for name, arguments in (("--memory", ["--memory"]), ("--data", ["--data", rig.fresh()])):
        with server_with_items(rig, arguments) as server:
            results = rounds(rig, server)
        for (loop, count), runs in results.items():
            ratio = [run["p99_us"] / base["p99_us"] for run, base in zip(runs, results[loop, COUNTS[0]])]
            table.row(name, loop, f"{count:,}", spread([run["rate"] for run in runs]),
                      number(statistics.median(run["p50_us"] for run in runs)), spread([run["p99_us"] for run in runs]),
                      spread(ratio, times), sum(run["errors"] for run in runs), sum(run["behind"] for run in runs))
    yield table
