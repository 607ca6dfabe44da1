"""What it costs writes that they are recorded, in a stream and for point-in-time recovery."""

from recovery import turn_on
from rig import BY_KEY, PAYLOAD, SERVER_CORE, Table, call, create_table, number, put_body, spread, times

CONNECTIONS = 64
KEYS = 10_000
# What a table has: the view of its stream, and whether it can be recovered.
KINDS = {
    "neither": (None, False),
    "stream, KEYS_ONLY": ("KEYS_ONLY", False),
    "stream, NEW_AND_OLD_IMAGES": ("NEW_AND_OLD_IMAGES", False),
    "recovery": (None, True),
    "that stream and recovery": ("NEW_AND_OLD_IMAGES", True),
}


def make_table(rig, server, name, view, recovers):
    create_table(server.port, name)
    if view:
        call(server.port, "UpdateTable", {"TableName": name, "StreamSpecification": {
            "StreamEnabled": True, "StreamViewType": view}})
    rig.fill(server.port, name, BY_KEY, KEYS)
    if recovers:
        turn_on(server.port, name)


def run_all(rig, arguments):
    """Rounds of all kinds of tables on one server: lists of results by kind."""
    results = {kind: [] for kind in KINDS}
    with rig.gramme(*arguments, core=SERVER_CORE) as server:
        for i, (view, recovers) in enumerate(KINDS.values()):
            make_table(rig, server, f"table-{i}", view, recovers)
        for _ in range(rig.rounds):
            for i, kind in enumerate(KINDS):
                results[kind].append(rig.measure(server, target="PutItem", body=put_body(f"table-{i}", BY_KEY), keys=KEYS,
                                                 connections=CONNECTIONS, payload=PAYLOAD))
    return results


def streams(rig, options):
    table = Table("Streams and point-in-time recovery", "PutItem that replaces items of 300 bytes in tables that record their "
                  f"changes, {CONNECTIONS} connections, one core each for server and load; the ratio is to the table that "
                  "records nothing, in the same round.",
                  ["server", "the table has", "PutItem/s", "ratio", "server us per put"])
    for server, arguments in (("--memory", ["--memory"]), ("--data", ["--data", rig.fresh()])):
        results = run_all(rig, arguments)
        for kind, runs in results.items():
            ratio = [run["rate"] / other["rate"] for run, other in zip(runs, results["neither"])]
            table.row(server, kind, spread([run["rate"] for run in runs]), spread(ratio, times),
                      spread([run["cpu_us"] for run in runs], number))
    yield table
