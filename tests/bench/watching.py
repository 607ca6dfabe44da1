"""What it costs that throughput is limited and slow requests are looked for. What is counted is counted always."""

import contextlib

import beside
from rig import BY_KEY, PAYLOAD, SERVER_CORE, Table, call, create_table, get_body

KEYS = 10_000
CONNECTIONS = 64
UNITS = 1_000_000  # more than anybody uses: nothing is refused
ON = ["--throttle", "--slow-ms", 1000, "--log-format", "json"]


def watching(rig, options):
    table = Table("Throttling and slow log", f"GetItem of 300 bytes in memory from a server with --throttle, --slow-ms and --log-format json beside one "
                  f"without, {CONNECTIONS} connections, {beside.RATIOS}", beside.columns("off", "on"))
    load = {"target": "GetItem", "body": get_body("table", BY_KEY), "payload": PAYLOAD, "connections": CONNECTIONS, "keys": KEYS,
            "distribution": "uniform"}
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(rig.gramme("--memory", *more, core=SERVER_CORE)) for more in ([], ON)]
        for server in servers:
            create_table(server.port, "table")
            call(server.port, "UpdateTable", {"TableName": "table", "BillingMode": "PROVISIONED",
                                              "ProvisionedThroughput": {"ReadCapacityUnits": UNITS, "WriteCapacityUnits": UNITS}})
            rig.fill(server.port, "table", BY_KEY, KEYS)
        beside.add_row(rig, table, "GetItem", servers, [load, load])
    yield table
