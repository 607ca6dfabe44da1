"""A store on PostgreSQL beside one in a directory: a primary that waits for one of two standbys, here and half a millisecond away."""

import contextlib
import sys

import beside
from rig import BY_KEY, PAYLOAD, ROOT, Process, Table, create_table, get_body, put_body, spread

sys.path.append(str(ROOT / "tests/wire"))
import shared_store  # noqa: E402

KEYS = 10_000
CONNECTIONS = 64
DELAY_US = 250  # each way
PRIMARY = 6001
DISK = "/var/tmp"  # not /tmp, which may be no disk at all, and where everybody may go, since PostgreSQL does not run as root
NOTE = (f"A server on PostgreSQL that syncs and waits for one of two standbys, beside one with --data; {CONNECTIONS} connections, items of 300 bytes. "
        "All of them, the standbys and the load share the machine: there it is fewer cores for each. "
        "The ratios are of the second to the first in the same round, that of processor time of gramme alone.")


class Quorum(shared_store.Pair):
    """A primary and two standbys, each of which syncs."""

    sync = "on"

    def __enter__(self):
        super().__enter__()
        self.add_standby("second", 6003)
        self.wait_for_standbys("ANY 1 (*)")
        return self


class Relay(Process):
    """The way to the primary, longer."""

    def __init__(self, rig, quorum):
        super().__init__([rig.program("delay_relay"), str(DELAY_US), f"{quorum.directory}/.s.PGSQL.{PRIMARY}"])

    def wait_for_port(self):
        return int(self.process.stdout.readline().split()[-1])


def serve(rig, quorum, name, relay=None):
    url = shared_store.make(rig.program("gramme"), name, f"postgres://gramme@/postgres?host={quorum.directory}&port={PRIMARY}")
    if relay:
        url = url.replace(f"@/postgres?host={quorum.directory}&port={PRIMARY}&", f"@127.0.0.1:{relay.port}/postgres?")
    return rig.gramme("--store", url)


def load_of(target, body, connections):
    return {"target": target, "body": body("table", BY_KEY), "payload": PAYLOAD, "keys": KEYS, "distribution": "uniform",
            "connections": connections, "core": None}


def one_connection(rig, servers):
    table = Table("Shared store, one connection", "The same, p50 in microseconds.", ["", "--data", "shared", "shared, 0.5 ms"])
    for target, body in [("GetItem", get_body), ("PutItem", put_body)]:
        load = load_of(target, body, 1)
        rounds = [[rig.load(server.port, **load)["p50_us"] for server in servers] for _ in range(rig.rounds)]
        table.row(target, *(spread(figures) for figures in zip(*rounds)))
    return table


def shared(rig, options):
    table = Table("Shared store", NOTE, beside.columns("--data", "shared"))
    with contextlib.ExitStack() as stack:
        quorum = stack.enter_context(Quorum(DISK))
        relay = stack.enter_context(Relay(rig, quorum))
        servers = [stack.enter_context(server) for server in
                   [rig.gramme("--data", rig.fresh()), serve(rig, quorum, "near"), serve(rig, quorum, "far", relay)]]
        for server in servers:
            create_table(server.port, "table")
            rig.fill(server.port, "table", BY_KEY, KEYS)
        for target, body in [("GetItem", get_body), ("PutItem", put_body)]:
            load = load_of(target, body, CONNECTIONS)
            beside.add_row(rig, table, target, servers[:2], [load, load])
            beside.add_row(rig, table, f"{target}, 0.5 ms", servers[::2], [load, load])
        yield table
        yield one_connection(rig, servers)
