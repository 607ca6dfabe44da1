"""How fast a database goes into a file and comes back, beside plain writing of as many bytes."""

import os
import shutil
import subprocess
import time

from rig import BY_KEY, PAYLOAD, Table, create_table, number, spread

ITEM_PAYLOAD = PAYLOAD + 700  # 1,000 bytes as DynamoDB counts them


def timed(function):
    begin = time.monotonic()
    function()
    return time.monotonic() - begin


def write_file(path, source):
    """A copy and its sync: what the disk and the page cache give."""
    with open(source, "rb") as reader, open(path, "wb") as writer:
        shutil.copyfileobj(reader, writer, 1 << 20)
        writer.flush()
        os.fsync(writer.fileno())


def once(rig, data):
    """Seconds of each step, and the size of the backup; what it made is removed again."""
    file, copy, restored = rig.fresh(), rig.fresh(), rig.fresh()

    def gramme(*arguments):
        subprocess.run([rig.program("gramme"), *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    seconds = {"backup of the running server": timed(lambda: gramme("backup", data, file)),
               "verification": timed(lambda: gramme("restore", "--check", file)),
               "restore": timed(lambda: gramme("restore", file, restored)),
               "a copy of the file, synced": timed(lambda: write_file(copy, file))}
    size = file.stat().st_size
    file.unlink()
    copy.unlink()
    shutil.rmtree(restored)
    return size, seconds


def backup(rig, options):
    count = options.backup_items
    table = Table("Backup and restore", f"{count:,} items of 1,000 bytes; MB of the backup's file per second, with all syncs. The "
                  "server is idle otherwise and has the machine to itself with the command.",
                  ["step", "MB/s", "items/s", "seconds"])
    data = rig.fresh()
    with rig.gramme("--data", data, "--durability", "relaxed") as server:
        create_table(server.port, "bench")
        rig.fill(server.port, "bench", BY_KEY, count, payload=ITEM_PAYLOAD)
        server.settle()
        runs = [once(rig, data) for _ in range(rig.rounds)]
    shutil.rmtree(data)
    for step in runs[0][1]:
        taken = [seconds[step] for _, seconds in runs]
        table.row(step, spread([size / 1e6 / seconds[step] for size, seconds in runs]),
                  number(count / sorted(taken)[len(taken) // 2]), spread(taken))
    yield table
