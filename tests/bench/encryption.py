"""What it costs that everything on the disk is encrypted."""

import contextlib
import os

from rig import BY_KEY, PAYLOAD, SERVER_CORE, Table, create_table, get_body, number, put_body, spread, times

KEYS = 10_000
CONNECTIONS = 64
# Hardly anything that is read is in the server's memory then: what is read is the kernel's copy of the files.
SMALL_CACHE = ["--cache", "8M"]
LOADS = (("GetItem", "GetItem", []), ("GetItem, --cache 8M", "GetItem", SMALL_CACHE), ("PutItem, durable", "PutItem", []))


def key_file(rig):
    path = rig.folder / "key"
    path.write_bytes(os.urandom(32))
    path.chmod(0o600)
    return path


def fill(rig, arguments, items):
    """Items in tables of the store: opening writes out what a log had."""
    with rig.gramme(*arguments) as server:
        create_table(server.port, "table")
        rig.fill(server.port, "table", BY_KEY, items)
        server.settle()
    with rig.gramme(*arguments) as server:
        server.settle()


def measure(rig, server, operation, items):
    put = operation == "PutItem"
    return rig.measure(server, target=operation, body=(put_body if put else get_body)("table", BY_KEY), payload=PAYLOAD,
                       connections=CONNECTIONS, keys=KEYS if put else items, distribution="uniform")


def run_rounds(rig, servers, operation, items):
    """Both servers, one after the other: pairs of results."""
    for server in servers:  # fills what is cached, and warms up
        measure(rig, server, operation, items)
    return [[measure(rig, server, operation, items) for server in servers] for _ in range(rig.rounds)]


def encryption(rig, options):
    table = Table("Encryption at rest", f"A server with --encrypt-with beside one without; {options.encryption_items:,} items of 300 bytes in files, "
                  f"{CONNECTIONS} connections, one core for the server that is measured and one for the load. The ratios are of the encrypted one to "
                  "the plain one in the same round: of the rates, and of requests per processor second of the server.",
                  ["", "plain/s", "encrypted/s", "ratio", "plain us", "encrypted us", "ratio by processor time"])
    plain = ["--data", rig.fresh()]
    encrypted = ["--data", rig.fresh(), "--encrypt-with", key_file(rig)]
    for arguments in (plain, encrypted):
        fill(rig, arguments, options.encryption_items)
    for name, operation, more in LOADS:
        with contextlib.ExitStack() as stack:
            servers = [stack.enter_context(rig.gramme(*arguments, *more, core=SERVER_CORE)) for arguments in (plain, encrypted)]
            rounds = run_rounds(rig, servers, operation, options.encryption_items)
        figures = [[run[figure] for run in runs] for figure in ("rate", "cpu_us") for runs in zip(*rounds)]
        rates = [other["rate"] / max(one["rate"], 1) for one, other in rounds]
        costs = [one["cpu_us"] / other["cpu_us"] for one, other in rounds]
        table.row(name, spread(figures[0]), spread(figures[1]), spread(rates, times), spread(figures[2], number),
                  spread(figures[3], number), spread(costs, times))
    yield table
