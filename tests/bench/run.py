#!/usr/bin/python3
"""Measures the release build: `make bench`, with options in ARGS.

The default run takes a quarter of an hour and fits any machine; --long takes longer rounds and larger tables.
Figures of a machine that does something else at the same time are noise: the spread beside each of them tells.
What is measured and why is written in docs/PERFORMANCE.md, whose tables --write replaces by those of this run.
"""

import argparse
import datetime
import os
import pathlib
import platform
import re
import subprocess
import tempfile
import time

from figures import SECTIONS
from rig import ROOT, Rig, build_type, installed

DOCUMENT = ROOT / "docs/PERFORMANCE.md"
PICTURES = ROOT / "docs/performance"
MEASURED = re.compile(r"(<!-- measured -->\n)(.*?)(<!-- end of the measured part -->)", re.S)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--long", action="store_true", help="longer rounds, tables up to 10 million items")
    parser.add_argument("--write", action="store_true", help="replace the tables in docs/PERFORMANCE.md; with --only, those")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), help="some of the tables")
    parser.add_argument("--seconds", type=float, help="of each measurement (0.7, with --long 4)")
    parser.add_argument("--rounds", type=int, help="of each table (5, with --long 7)")
    parser.add_argument("--backfill-items", type=int, help="in the table that gets an index (300,000, long 1,000,000)")
    parser.add_argument("--expiry-items", type=int, help="that expire at once (50,000, long 1,000,000)")
    parser.add_argument("--backup-items", type=int, help="of 1,000 bytes in the database that is backed up (50,000, long 500,000)")
    parser.add_argument("--recovery-items", type=int, help="in the table that is backed up and restored (100,000, long 1,000,000)")
    parser.add_argument("--encryption-items", type=int, help="in encrypted and in plain files (300,000, long 1,000,000)")
    parser.add_argument("--load-items", type=int, help="that are loaded in one go (1,000,000, long 10,000,000)")
    parser.add_argument("--growth-items", type=int, nargs="+",
                        help="sizes of tables to compare (10,000 to 1,000,000, long 5,000,000)")
    parser.add_argument("--build", default=str(ROOT / "build"), help="the build directory to measure")
    options = parser.parse_args()
    options.seconds = options.seconds or (4 if options.long else 0.7)
    options.rounds = options.rounds or (7 if options.long else 5)
    options.backfill_items = options.backfill_items or (1_000_000 if options.long else 300_000)
    options.expiry_items = options.expiry_items or (1_000_000 if options.long else 50_000)
    options.backup_items = options.backup_items or (500_000 if options.long else 50_000)
    options.recovery_items = options.recovery_items or (1_000_000 if options.long else 100_000)
    options.encryption_items = options.encryption_items or (1_000_000 if options.long else 300_000)
    options.load_items = options.load_items or (10_000_000 if options.long else 1_000_000)
    options.growth_items = options.growth_items or [10_000, 100_000, 1_000_000] + [5_000_000] * options.long
    return options


def first_line(path, pattern):
    for line in pathlib.Path(path).read_text().splitlines():
        if re.match(pattern, line):
            return line.split(":", 1)[-1].strip()
    return "unknown"


def file_system(path):
    run = subprocess.run(["df", "--output=fstype", path], text=True, capture_output=True)
    return run.stdout.split()[-1] if run.returncode == 0 else "unknown"


def machine(rig):
    """What the figures depend on, as lines of text."""
    system = first_line("/etc/os-release", "PRETTY_NAME=").split("=")[-1].strip('"')
    memory = int(first_line("/proc/meminfo", "MemTotal:").split()[0]) / 1024 / 1024
    version = subprocess.run([rig.program("gramme"), "--version"], text=True, capture_output=True).stdout.strip()
    compiler = first_line_of(["cc", "--version"])
    libraries = [f"{name} {installed(package)}" for name, package in
                 [("RocksDB", "rocksdb"), ("libuv", "libuv"), ("libdeflate", "libdeflate")] if installed(package)]
    return [
        f"{version}, {compiler}, {build_type(rig)}; {', '.join(libraries)}",
        f"{first_line('/proc/cpuinfo', 'model name')}, {os.cpu_count()} cores, {memory:.0f} GB; {system}, "
        f"Linux {platform.release()}, {file_system(rig.folder)}",
    ]


def first_line_of(command):
    run = subprocess.run(command, text=True, capture_output=True)
    return run.stdout.splitlines()[0] if run.returncode == 0 and run.stdout else "unknown compiler"


def busy():
    """Processes that want a core, beside this one."""
    return max(float(pathlib.Path("/proc/loadavg").read_text().split()[0]), 0)


def write(tables, lines, complete):
    """Puts the tables into the document: all of them anew, or each in the place of the one with its title."""
    document = DOCUMENT.read_text()
    if not MEASURED.search(document):
        raise SystemExit(f"{DOCUMENT} has no measured part")
    if complete:
        text = "\n".join(["", *(f"- {line}" for line in lines), "", *(table.markdown() for table in tables), ""])
    else:
        text = MEASURED.search(document).group(2)
        for table in tables:
            text = replace_table(text, table, f"(A run of its own: {lines[-1]}.)")
    DOCUMENT.write_text(MEASURED.sub(lambda match: match.group(1) + text + match.group(3), document))
    for table in tables:
        if table.picture:
            PICTURES.mkdir(exist_ok=True)
            (PICTURES / table.picture.name).write_text(table.picture.svg)
    print(f"{DOCUMENT.relative_to(ROOT)}: written")


def replace_table(text, table, remark):
    """The measured part with this table; one that was not there comes last."""
    there = re.compile(rf"^### {re.escape(table.title)}\n.*?(?=^### |\Z)", re.M | re.S)
    new = f"{table.markdown()}\n{remark}\n\n"
    return there.sub(lambda _: new, text, 1) if there.search(text) else text + new


def main():
    options = parse()
    load_before = busy()
    begin = time.monotonic()
    tables = []
    # Beside the build, not in /tmp, which may be no disk at all.
    with tempfile.TemporaryDirectory(prefix="bench-", dir=options.build) as folder:
        rig = Rig(options.build, options.seconds, options.rounds, folder)
        lines = machine(rig)
        print("\n".join(lines), flush=True)
        for name in options.only:
            for table in SECTIONS[name](rig, options):
                print(table.text(), end="", flush=True)
                tables.append(table)
    minutes = (time.monotonic() - begin) / 60
    lines.append(f"{datetime.date.today()}, {options.rounds} rounds of {options.seconds:g} s, {minutes:.1f} minutes; "
                 f"load average before it {load_before:.1f}")
    print(f"\n{lines[-1]}")
    if options.write:
        write(tables, lines, options.only == list(SECTIONS))


if __name__ == "__main__":
    main()
