"""What it costs that everything on the wire is encrypted."""

import contextlib
import socket
import ssl
import subprocess
import time

import beside
from encryption import fill
from rig import BY_KEY, PAYLOAD, SERVER_CORE, Table, get_body, number, spread

KEYS = 10_000
CONNECTIONS = 64
HANDSHAKES = 100
REQUEST = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def certificates(rig):
    directory = rig.fresh()
    subprocess.run([rig.program("gramme"), "cert", "create", str(directory)], check=True, stdout=subprocess.DEVNULL)
    return directory


def tls(rig, options):
    directory = certificates(rig)
    encrypted = ["--tls-cert", directory / "server.pem", "--tls-key", directory / "server.key"]
    table = Table("TLS", f"GetItem of 300 bytes from a server with --tls-cert beside one without, {CONNECTIONS} connections, TLS 1.3, AES-128-GCM; "
                  f"{beside.RATIOS}", beside.columns("plain", "TLS"))
    stores = [["--data", rig.fresh()], ["--data", rig.fresh()]]
    for store in stores:
        fill(rig, store, KEYS)
    by_key = {"target": "GetItem", "body": get_body("table", BY_KEY), "payload": PAYLOAD, "distribution": "uniform"}
    for name, stores, load in (("in memory", [["--memory"]] * 2, {"workload": "get"}), ("from files", stores, by_key)):
        with contextlib.ExitStack() as stack:
            servers = [stack.enter_context(rig.gramme(*store, *more, core=SERVER_CORE)) for store, more in zip(stores, ([], encrypted))]
            load = {"connections": CONNECTIONS, "keys": KEYS, **load}
            beside.add_row(rig, table, name, servers, [load, {**load, "ca": directory / "ca.pem"}])
    yield table
    with rig.gramme("--memory", *encrypted, core=SERVER_CORE) as server:
        yield handshakes(rig, server, directory / "ca.pem")


def connect(port, context, session):
    """A connection, one request and the end; returns the session, whose ticket may come with the answer."""
    with socket.create_connection(("127.0.0.1", port)) as connected, \
            context.wrap_socket(connected, server_hostname="127.0.0.1", session=session) as connection:
        connection.sendall(REQUEST)
        connection.recv(4096)
        return connection.session


def cpu_per_connection(server, context, resumed):
    session = connect(server.port, context, None) if resumed else None
    time.sleep(0.05)
    before = server.cpu_seconds()
    for _ in range(HANDSHAKES):
        last = connect(server.port, context, session)
        session = last if resumed else None
    return (server.cpu_seconds() - before) / HANDSHAKES * 1e6


def handshakes(rig, server, ca):
    table = Table("TLS handshakes", "A connection with one request (GET /), by a certificate with a key on P-256: the processor time of the server for all of "
                  "it, and how many one core can take in a second. Resumed: by the ticket of the connection before.",
                  ["", "us", "connections per processor second"])
    for name, version in (("TLS 1.3", ssl.TLSVersion.TLSv1_3), ("TLS 1.2", ssl.TLSVersion.TLSv1_2)):
        context = ssl.create_default_context(cafile=ca)
        context.minimum_version = context.maximum_version = version
        for kind in ("full", "resumed"):
            costs = [cpu_per_connection(server, context, kind == "resumed") for _ in range(rig.rounds)]
            table.row(f"{name}, {kind}", spread(costs, number), spread([1e6 / cost for cost in costs]))
    return table
