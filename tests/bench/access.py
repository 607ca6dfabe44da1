"""What it costs that every signature is verified."""

import contextlib

import beside
from encryption import fill
from rig import BY_KEY, CREDENTIALS, PAYLOAD, SERVER_CORE, Table, get_body

KEYS = 10_000
CONNECTIONS = 64


def root_key(rig):
    path = rig.folder / "credentials"
    path.write_text(f"[default]\naws_access_key_id = {CREDENTIALS['AWS_ACCESS_KEY_ID']}\n"
                    f"aws_secret_access_key = {CREDENTIALS['AWS_SECRET_ACCESS_KEY']}\n")
    return path


def access(rig, options):
    table = Table("Signatures", f"GetItem of 300 bytes from a server with --auth beside one without; both get signed requests, {CONNECTIONS} connections, "
                  f"{beside.RATIOS}", beside.columns("not verified", "verified"))
    plain, other = ["--data", rig.fresh()], ["--data", rig.fresh()]
    for arguments in (plain, other):
        fill(rig, arguments, KEYS)
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(rig.gramme(*arguments, core=SERVER_CORE))
                   for arguments in (plain, [*other, "--auth", "--root-key", root_key(rig)])]
        load = {"target": "GetItem", "body": get_body("table", BY_KEY), "payload": PAYLOAD, "connections": CONNECTIONS, "keys": KEYS,
                "distribution": "uniform", "sign": True}
        beside.add_row(rig, table, "GetItem", servers, [load, load])
    yield table
