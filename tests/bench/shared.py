"""A store on PostgreSQL beside one in a directory: a primary that waits for one of two standbys, here and half a millisecond away."""

import concurrent.futures
import contextlib
import pathlib
import re
import sys
import time

import beside
from rig import BY_KEY, PAYLOAD, ROOT, Process, Table, create_table, get_body, put_body, spread, times

sys.path.append(str(ROOT / "tests/wire"))
import shared_store  # noqa: E402

KEYS = 10_000
CONNECTIONS = 64
GROUPS = 4
DELAY_US = 250  # each way
PRIMARY = 6001
DISK = "/var/tmp"  # not /tmp, which may be no disk at all, and where everybody may go, since PostgreSQL does not run as root
NOTE = (f"A server on PostgreSQL that syncs and waits for one of two standbys, beside one with --data; {CONNECTIONS} connections, items of 300 bytes. "
        "All of them, the standbys and the load share the machine: there it is fewer cores for each. "
        "The ratios are of the second to the first in the same round, that of processor time of gramme alone.")
SEVERAL = (f"The same PostgreSQL, with one server of gramme and with two, which share the {CONNECTIONS} connections; of a store without groups of keys, and of one with "
           f"{GROUPS}, where both write. The ratios are to the first in the same round; processor time is that of all servers of gramme, for a request, in microseconds.")


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


class Follower(Process):
    """A server on a store that another one leads."""

    def wait_for_port(self):
        for line in self.process.stdout:
            if match := re.search(r"endpoint +https?://\S*:(\d+)", line):
                return int(match.group(1))
        raise SystemExit(f"{self.process.args[0]} did not start: {self.kill()}")


def make(rig, quorum, name, *options):
    return shared_store.make(rig.program("gramme"), name, f"postgres://gramme@/postgres?host={quorum.directory}&port={PRIMARY}", *options)


def serve(rig, quorum, name, relay=None):
    url = make(rig, quorum, name)
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


def wait_for_shares(servers):
    """Until all of them know of each other."""
    for server in servers:
        while f"and {len(servers) - 1} others" not in pathlib.Path(f"/proc/{server.pid}/fd/2").read_text():
            time.sleep(0.1)


def several(rig, quorum, stack):
    """One server and two, on a store without groups and on one with them."""
    setups = []
    for groups in (1, GROUPS):
        for count in (1, 2):
            url = make(rig, quorum, f"groups{groups}of{count}", "--groups", str(groups))
            servers = [stack.enter_context(rig.gramme("--store", url))]
            servers += [stack.enter_context(Follower([rig.program("gramme"), "serve", "--port", "0", "--store", url])) for _ in range(count - 1)]
            if groups > 1:
                wait_for_shares(servers)
            create_table(servers[0].port, "table")
            rig.fill(servers[0].port, "table", BY_KEY, KEYS)
            setups.append(servers)
    return setups


def measure_together(rig, servers, target, body):
    """The rate of all, and their processor time for a request."""
    load = load_of(target, body, CONNECTIONS // len(servers))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        runs = list(pool.map(lambda server: rig.measure(server, **load), servers))
    replies = sum(run["replies"] for run in runs)
    return sum(run["rate"] for run in runs), sum(run["cpu_us"] * run["replies"] for run in runs) / replies


def with_groups(rig, quorum):
    table = Table("Shared store, several servers", SEVERAL,
                  ["", "one", "two", f"one, {GROUPS} groups", f"two, {GROUPS} groups"])
    with contextlib.ExitStack() as stack:
        setups = several(rig, quorum, stack)
        for target, body in [("GetItem", get_body), ("PutItem", put_body)]:
            rounds = [[measure_together(rig, servers, target, body) for servers in setups] for _ in range(rig.rounds + 1)][1:]
            table.row(f"{target}/s", *(spread([rate for rate, _ in runs]) for runs in zip(*rounds)))
            table.row("ratio", *(spread([runs[at][0] / runs[0][0] for runs in rounds], times) for at in range(len(setups))))
            table.row("processor time", *(spread([cpu_us for _, cpu_us in runs]) for runs in zip(*rounds)))
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
        yield with_groups(rig, quorum)
