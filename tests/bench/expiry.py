"""How fast items expire, and what the other clients notice of it."""

import http.client
import json
import time

from rig import BY_KEY, LOAD_CORE, PAYLOAD, SERVER_CORE, Table, call, create_table, get_body, number, put_body

KEYS = 10_000
CONNECTIONS = 16
LOOK_S = 0.2  # a look takes a millisecond of a core that the load needs


def move_clock(port, seconds):
    """Moves the server's time forward; returns the new time."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("POST", "/_gramme/clock", json.dumps({"Advance": seconds}), {"Content-Type": "application/json"})
    reply = connection.getresponse().read()
    connection.close()
    return json.loads(reply)["Now"]


def items_left(port, table):
    return json.loads(call(port, "DescribeTable", {"TableName": table}))["Table"]["ItemCount"]


def expire(port, table):
    """Moves the time past the items of the table; returns the seconds until all are gone."""
    begin = time.monotonic()
    move_clock(port, 1000)
    while items_left(port, table) > 0:
        time.sleep(LOOK_S)
    return time.monotonic() - begin


def expire_under_load(rig, port, table, load):
    with rig.beside(port, core=LOAD_CORE, **load) as result:
        seconds = expire(port, table)
    return seconds, result


def fill(rig, port, table, count, ends):
    """A table whose items all expire in the same second."""
    create_table(port, table)
    call(port, "UpdateTimeToLive",
         {"TableName": table, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ends"}})
    rig.fill(port, table, f'{BY_KEY},"ends":{{"N":"{ends}"}}', count, payload=PAYLOAD - 10)


def expiry(rig, options):
    count = options.expiry_items
    table = Table(
        "Expiry", f"{count:,} items of 300 bytes expire in one second: alone, and while {CONNECTIONS} connections read or "
        "durably replace items of another table as fast as they can. `--data`, one core each for server and load.",
        ["", "seconds", "expired, items/s", "requests/s", "p50 us", "p99 us", "max us"])

    def row(name, seconds, load):
        table.row(name, *([number(seconds), number(count / seconds)] if seconds else ["", ""]),
                  *([number(load[key]) for key in ["rate", "p50_us", "p99_us", "max_us"]] if load else [""] * 4))

    loads = {"GetItem": {"body": get_body("bench", BY_KEY), "keys": KEYS, "connections": CONNECTIONS},
             "PutItem": {"target": "PutItem", "body": put_body("bench", BY_KEY), "keys": KEYS, "payload": PAYLOAD,
                         "connections": CONNECTIONS}}
    with rig.gramme("--data", rig.fresh(), "--test-clock", "--threads", 1, core=SERVER_CORE) as server:
        port = server.port
        create_table(port, "bench")
        rig.fill(port, "bench", BY_KEY, KEYS)
        now = int(move_clock(port, 0))
        for number_of_table, name in enumerate(["alone", *loads], 1):
            fill(rig, port, name, count, now + number_of_table * 1000 - 100)
        server.settle()
        row("expiry alone", expire(port, "alone"), None)
        for name, load in loads.items():
            server.settle()
            row(f"{name} alone", None, rig.load(port, **load))
            row(f"{name} while items expire", *expire_under_load(rig, port, name, load))
    yield table
