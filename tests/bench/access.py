"""What it costs that every signature is verified."""

import contextlib

from encryption import fill
from rig import BY_KEY, CREDENTIALS, PAYLOAD, SERVER_CORE, Table, get_body, number, spread, times

KEYS = 10_000
CONNECTIONS = 64


def root_key(rig):
    path = rig.folder / "credentials"
    path.write_text(f"[default]\naws_access_key_id = {CREDENTIALS['AWS_ACCESS_KEY_ID']}\n"
                    f"aws_secret_access_key = {CREDENTIALS['AWS_SECRET_ACCESS_KEY']}\n")
    return path


def access(rig, options):
    table = Table("Signatures", f"GetItem of 300 bytes from a server with --auth beside one without; both get signed requests, {CONNECTIONS} connections, "
                  "one core for the server that is measured and one for the load. The ratios are of the one that verifies to the other in the same "
                  "round: of the rates, and of requests per processor second of the server.",
                  ["", "not verified/s", "verified/s", "ratio", "not verified us", "verified us", "ratio by processor time"])
    plain, other = ["--data", rig.fresh()], ["--data", rig.fresh()]
    for arguments in (plain, other):
        fill(rig, arguments, KEYS)
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(rig.gramme(*arguments, core=SERVER_CORE))
                   for arguments in (plain, [*other, "--auth", "--root-key", root_key(rig)])]
        load = {"target": "GetItem", "body": get_body("table", BY_KEY), "payload": PAYLOAD, "connections": CONNECTIONS, "keys": KEYS,
                "distribution": "uniform", "sign": True}
        for server in servers:
            rig.measure(server, **load)
        rounds = [[rig.measure(server, **load) for server in servers] for _ in range(rig.rounds)]
    figures = [[run[figure] for run in runs] for figure in ("rate", "cpu_us") for runs in zip(*rounds)]
    table.row("GetItem", spread(figures[0]), spread(figures[1]), spread([b["rate"] / max(a["rate"], 1) for a, b in rounds], times),
              spread(figures[2], number), spread(figures[3], number), spread([a["cpu_us"] / b["cpu_us"] for a, b in rounds], times))
    yield table
