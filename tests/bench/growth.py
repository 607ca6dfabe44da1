#!/usr/bin/python3
"""How a store in groups of partitions would grow on a database that scales out: the table of docs/CLUSTER.md, on paper.

    /usr/bin/python3 tests/bench/growth.py [--cores 16] [--engine-factor 4] [--round-trip 0.5] ...

What one machine does was measured (docs/CLUSTER.md, docs/PERFORMANCE.md); what many do is reckoned from it: nothing here was run on
ten machines. Every figure that is not measured is an option, so that it can be put right by whoever has measured it.

The model. A machine has a server of gramme and a node of the database, which share its cores. A read takes work of a server and of
one node; a write takes work of a server and of as many nodes as there are copies, and its group's commits come one after
the other: a round trip to the node, and one among the copies with a sync. Groups are as many as keep commits from being the limit. A
transaction over several groups claims a row in each of them, and waits for the slowest.
"""

import argparse
import math

MACHINES = (3, 10, 100, 1000)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    number = {"type": float, "metavar": "N"}
    parser.add_argument("--cores", default=16, help="of a machine", **number)
    parser.add_argument("--used", default=0.6, help="how much of them is used, for room when machines fail", **number)
    # Measured: 64 connections, server, database and clients on two cores.
    parser.add_argument("--server-get-us", default=13, help="time of a core that a GetItem takes in gramme", **number)
    parser.add_argument("--server-put-us", default=26, help="time of a core that a PutItem takes in gramme", **number)
    parser.add_argument("--row-read-us", default=7, help="time of a core that PostgreSQL takes for a row of `= ANY`", **number)
    parser.add_argument("--row-write-us", default=18, help="time of a core that PostgreSQL takes for a row of a commit of 64", **number)
    parser.add_argument("--group-writes", default=64, help="writes in a commit", **number)
    # Not measured.
    parser.add_argument("--engine-factor", default=4, help="what a scaling engine takes where PostgreSQL takes 1", **number)
    parser.add_argument("--copies", default=3, **number)
    parser.add_argument("--round-trip", default=0.5, help="between machines, in ms", **number)
    parser.add_argument("--sync", default=1.0, help="of a disk, in ms", **number)
    parser.add_argument("--disk-tb", default=2, help="of a machine, to be filled", **number)
    parser.add_argument("--reads", default=0.8, help="share of requests that read", **number)
    parser.add_argument("--lease-s", default=10, help="a group's lease, renewed three times in its life", **number)
    parser.add_argument("--machine-years", default=3, help="years until a machine fails", **number)
    return parser.parse_args()


def commit_ms(given):
    """To the node that has the rows, and from there to the others, which sync."""
    return 2 * given.round_trip + given.sync


def per_core(given):
    """What one core does in a second of the mix, with its share of the database's work."""
    read = given.server_get_us + given.row_read_us * given.engine_factor
    write = given.server_put_us + given.row_write_us * given.engine_factor * given.copies
    return 1e6 / (given.reads * read + (1 - given.reads) * write)


def row(given, machines):
    requests = per_core(given) * given.cores * given.used * machines
    writes = requests * (1 - given.reads)
    group_rate = given.group_writes * 1000 / commit_ms(given)
    # A group does not fill its commits by itself; a quarter of what it could do leaves room for what comes unevenly.
    groups = max(machines, 2 ** math.ceil(math.log2(max(writes / (group_rate / 4), machines))))
    leases = groups * 3 / given.lease_s
    return {
        "machines": machines,
        "requests/s": requests,
        "of them writes/s": writes,
        "data, TB": machines * given.disk_tb / given.copies,
        "groups": groups,
        "lease writes/s": leases,
        "machines that fail in a year": machines / given.machine_years,
        "groups that move then": groups / machines,
    }


def text(value):
    """Two digits: a model knows no more."""
    return f"{float(f'{value:.2g}'):,.0f}" if value >= 10 else f"{value:.2g}"


def main():
    given = arguments()
    rows = [row(given, machines) for machines in MACHINES]
    print("| " + " | ".join(rows[0]) + " |")
    print("|" + "---:|" * len(rows[0]))
    for each in rows:
        print("| " + " | ".join(f"{value:,}" if name in ("machines", "groups") else text(value) for name, value in each.items()) + " |")
    print(f"\na write: {commit_ms(given):.1f} ms of waiting for its commit; a transaction over two groups as long, over two machines a round trip more; "
          f"a machine's share: {text(per_core(given) * given.cores * given.used)} requests/s")


if __name__ == "__main__":
    main()
