"""How fast backups and restores of tables are, and how much room point-in-time recovery takes."""

import http.client
import json
import pathlib
import time

from rig import BATCH, BY_KEY, INDEXED, PAYLOAD, Table, batch_body, call, create_table, number, put_body, wait_active

CONNECTIONS = 64
KEYS = 10_000
DAY = 86400


def turn_on(port, table, days=35):
    call(port, "UpdateContinuousBackups", {"TableName": table, "PointInTimeRecoverySpecification": {
        "PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days}})


def recovery(rig, options):
    yield copies(rig, options.recovery_items)
    yield space(rig)


# ---- copies ----

def timed(action):
    begin = time.monotonic()
    action()
    return time.monotonic() - begin


def take_backup(port, table):
    arn = json.loads(call(port, "CreateBackup", {"TableName": table, "BackupName": "bench"}))["BackupDetails"]["BackupArn"]
    while True:
        reply = json.loads(call(port, "DescribeBackup", {"BackupArn": arn}))["BackupDescription"]
        if reply["BackupDetails"]["BackupStatus"] == "AVAILABLE":
            return arn
        time.sleep(0.005)


def restore(port, target, operation, **source):
    call(port, operation, {"TargetTableName": target, **source})
    wait_active(port, target)


def copies(rig, count):
    table = Table("Backup and restore of a table", f"{count:,} items of 300 bytes, `--data`, nobody else on the server. The last row "
                  "undoes a tenth of as many changes, and fills an index.",
                  ["", "seconds", "items/s", "MB/s"])

    def row(name, seconds):
        table.row(name, number(seconds), number(count / seconds), number(count * 300 / seconds / 1e6))

    with rig.gramme("--data", rig.fresh()) as server:
        port = server.port
        create_table(port, "plain")
        rig.fill(port, "plain", BY_KEY, count)
        create_table(port, "indexed", indexes=1)
        rig.fill(port, "indexed", INDEXED, count, group=100, payload=PAYLOAD - 9)
        turn_on(port, "plain")
        turn_on(port, "indexed")
        server.settle()
        arns = []
        row("CreateBackup", timed(lambda: arns.append(take_backup(port, "plain"))))
        row("RestoreTableFromBackup", timed(lambda: restore(port, "from-backup", "RestoreTableFromBackup", BackupArn=arns[0])))
        row("RestoreTableToPointInTime, nothing to undo", timed(lambda: restore(
            port, "latest", "RestoreTableToPointInTime", SourceTableName="plain", UseLatestRestorableTime=True)))
        moment = time.time()
        rig.load(port, core=None, target="PutItem", body=put_body("indexed", INDEXED), keys=count, group=100,
                 payload=PAYLOAD - 9, connections=CONNECTIONS, count=count // 10)
        row("RestoreTableToPointInTime, changes and an index", timed(lambda: restore(
            port, "earlier", "RestoreTableToPointInTime", SourceTableName="indexed", RestoreDateTime=moment)))
    return table


# ---- space ----

def stored_mb(directory):
    return sum(path.stat().st_size for path in pathlib.Path(directory).rglob("*") if path.is_file()) / 1e6


def move_clock(port, seconds):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/_gramme/clock", json.dumps({"Advance": seconds}), {"Content-Type": "application/json"})
    connection.getresponse().read()
    connection.close()


def space(rig):
    """The same items are replaced again and again, so that what grows is the history."""
    writes = 1_000_000
    table = Table("Space of point-in-time recovery", f"{KEYS:,} items of 300 bytes, replaced {writes:,} times; then the recovery "
                  "period passes.", ["", "MB on disk", "bytes per write"])
    directory = rig.fresh()
    with rig.gramme("--data", directory, "--durability", "relaxed", "--test-clock") as server:
        create_table(server.port, "bench")
        rig.fill(server.port, "bench", BY_KEY, KEYS)
        turn_on(server.port, "bench", days=1)
        server.settle()
        before = stored_mb(directory)
        rig.load(server.port, core=None, target="BatchWriteItem", body=batch_body("bench", BY_KEY), keys=KEYS,
                 count=writes // BATCH, payload=PAYLOAD, connections=16)
        server.settle()
        after = stored_mb(directory)
        move_clock(server.port, 2 * DAY)
        time.sleep(3)
        server.settle()
        table.row("before", number(before), "")
        table.row("with history", number(after), number((after - before) * 1e6 / writes))
        table.row("after the period", number(stored_mb(directory)), "")
    return table
