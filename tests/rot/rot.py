#!/usr/bin/python3
"""What a disk may do to a data directory, and what a server then may do.

A directory with known content is built: a table with indexes and a stream, in several tables of the store and in its
log; one that was stopped, one whose server was killed; plain or encrypted. Then, again and again, something happens to
one of its files: bits are flipped, it is cut, missing, zeros, swapped with a neighbour, replaced by an older copy; or an
older file that had gone is back. One rule: the server refuses to start with a line that names the place, and the
directory is byte for byte as it was; or it starts, and every answer is right, or an error.

    tests/rot/rot.py [--cases 12] [--seed N] [--encrypt]     prints a line for each case; GRAMME_ROT=1000 for more of them
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "wire"))

from encryption import make_key
from rounds import SEED
from server import SANITIZER, Server, binary
from wire import call

TABLE = "rot"
ITEMS = 60
ROUNDS = 3
SALVAGED = 0.4  # of the cases
MARK_S = 1.6  # the server says about once a second how far it is durable


# ---- a directory with known content ----

def create(port):
    keys = lambda *names: [{"AttributeName": n, "KeyType": kind} for n, kind in zip(names, ("HASH", "RANGE"))]
    made = call(port, "CreateTable", {
        "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST", "KeySchema": keys("pk", "sk"),
        "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for n, t in (("pk", "S"), ("sk", "N"), ("g", "S"), ("l", "S"))],
        "GlobalSecondaryIndexes": [{"IndexName": "by-g", "KeySchema": keys("g"), "Projection": {"ProjectionType": "ALL"}}],
        "LocalSecondaryIndexes": [{"IndexName": "by-l", "KeySchema": keys("pk", "l"), "Projection": {"ProjectionType": "KEYS_ONLY"}}],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}})
    assert made.status == 200, made.body


def put(port, round_, n):
    item = {"pk": {"S": f"p{n % 7}"}, "sk": {"N": str(n)}, "g": {"S": f"g{n % 3}"}, "l": {"S": f"l{n}"},
            "round": {"N": str(round_)}, "d": {"B": hashlib.sha256(b"%d" % n).hexdigest() * 4}}
    reply = call(port, "PutItem", {"TableName": TABLE, "Item": item})
    assert reply.status == 200, reply.body


def questions():
    """Every way to read what is there, as requests."""
    yield "Scan", {"TableName": TABLE, "ConsistentRead": True}
    yield "Scan", {"TableName": TABLE, "IndexName": "by-g"}
    yield "Scan", {"TableName": TABLE, "IndexName": "by-l"}
    for n in range(ROUNDS * ITEMS):
        yield "GetItem", {"TableName": TABLE, "Key": {"pk": {"S": f"p{n % 7}"}, "sk": {"N": str(n)}}}
    for n in range(7):
        yield "Query", {"TableName": TABLE, "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": f"p{n}"}}}


def stream(port):
    """The records of the stream, or None after an error."""
    replies = [call(port, "ListStreams", {})]
    if replies[0].status != 200 or not replies[0].json["Streams"]:
        return None if replies[0].status != 200 else []
    arn = replies[0].json["Streams"][0]["StreamArn"]
    described = call(port, "DescribeStream", {"StreamArn": arn})
    if described.status != 200:
        return None
    records = []
    for shard in described.json["StreamDescription"]["Shards"]:
        reply = call(port, "GetShardIterator", {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"})
        while reply.status == 200:
            iterator = reply.json.get("ShardIterator") or reply.json.get("NextShardIterator")
            if "Records" in reply.json and not reply.json["Records"] or not iterator:
                break
            reply = call(port, "GetRecords", {"ShardIterator": iterator})
            records += [record["dynamodb"] for record in reply.json.get("Records", [])] if reply.status == 200 else []
        if reply.status != 200:
            return None
    return sorted(records, key=lambda record: record["SequenceNumber"])


def answers(port):
    """Each answer as text; None for an error of the server."""
    found = []
    for name, body in questions():
        reply = call(port, name, body)
        if reply.status >= 500:
            found.append(None)
            continue
        if reply.status == 200 and "Items" in reply.json and "ConsistentRead" not in body:
            reply.json["Items"].sort(key=lambda item: int(item["sk"]["N"]))
        found.append(json.dumps(reply.json, sort_keys=True))
    records = stream(port)
    return found + [None if records is None else json.dumps(records, sort_keys=True)]


Base = collections.namedtuple("Base", "path old answers")


def build(folder, options, killed):
    path, old = folder / f"base-{killed}", folder / f"old-{killed}"
    for round_ in range(ROUNDS):
        server = Server("--data", path, *options).start()
        if round_ == 0:
            create(server.port)
        for n in range(ITEMS):
            put(server.port, round_, round_ * ITEMS + n)
        if round_ < ROUNDS - 1:
            server.stop()
        if round_ == 0:
            shutil.copytree(path, old, ignore=shutil.ignore_patterns("control"))
    told = answers(server.port)
    assert None not in told
    if killed:
        time.sleep(MARK_S)
        server.kill()
    else:
        server.stop()
    (path / "control").unlink(missing_ok=True)
    return Base(path, old, told)


# ---- what happens to it ----

def files_of(path):
    return sorted(file.relative_to(path) for file in path.rglob("*") if file.is_file() and file.name not in ("LOG", "LOCK"))


def flip(rng, path, _):
    data = bytearray(path.read_bytes())
    for _ in range(rng.randint(1, 3)):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def cut(rng, path, _):
    os.truncate(path, rng.randrange(path.stat().st_size + 1))


def remove(rng, path, _):
    path.unlink()


def zero(rng, path, _):
    size = path.stat().st_size
    data = bytearray(path.read_bytes())
    start = rng.choice([0, rng.randrange(size + 1)])
    data[start:] = bytes(size - start)
    path.write_bytes(data)


def swap(rng, path, base):
    others = [p for p in path.parent.iterdir() if p.is_file() and p != path and p.suffix == path.suffix]
    if others:
        other = rng.choice(others)
        mine, its = path.read_bytes(), other.read_bytes()
        path.write_bytes(its)
        other.write_bytes(mine)


def age(rng, path, base):
    """An older copy of it, or of another file of its kind that has gone."""
    old = [p for p in base.old.rglob("*") if p.is_file() and p.suffix == path.suffix and p.name not in ("LOG", "LOCK")]
    same = [p for p in old if p.name == path.name]
    if same or old:
        copy = rng.choice(same or old)
        shutil.copy(copy, path.parent / copy.name)


DAMAGES = [flip, flip, flip, cut, remove, zero, swap, age]


# ---- the rule ----

def fingerprint(path):
    return {str(file): hashlib.sha256((path / file).read_bytes()).hexdigest() for file in files_of(path)}


def start(path, options):
    """The server, or the line by which it refused."""
    server = Server("--data", path, *options)
    try:
        return server.start(), None
    except AssertionError as error:
        if SANITIZER.search(str(error)) or server.process.wait() < 0:
            raise
        return None, str(error)


def check(path, options):
    """The exit status of `gramme check`, which changes nothing."""
    before = fingerprint(path)
    told = subprocess.run([binary(), "check", path, *options], capture_output=True, text=True, timeout=120)
    text = told.stdout + told.stderr
    assert told.returncode in (0, 1, 2) and not SANITIZER.search(text), f"gramme check: {told.returncode}, {text}"
    assert told.returncode != 1 or "fault: " in told.stdout, f"gramme check told no fault: {text}"
    assert fingerprint(path) == before, f"gramme check changed something: {text}"
    return told.returncode


def judge(base, path, options):
    """What the server did, or an AssertionError. `gramme check` finds what makes it refuse to start, or answer with errors."""
    status = check(path, options)
    done = judge_start(base, path, options)
    assert status != 0 or done == "served", f"gramme check found nothing, and the server {done}"
    return done


def salvage(base, path, options):
    """`gramme check --salvage`: the new directory is sound and starts, and what is in it is right; what is lost is told. Returns how much it has."""
    new, before = path.with_name("salvaged"), fingerprint(path)
    shutil.rmtree(new, ignore_errors=True)
    told = subprocess.run([binary(), "check", path, "--salvage", new, *options], capture_output=True, text=True, timeout=120)
    text = told.stdout + told.stderr
    assert told.returncode in (0, 1, 2) and not SANITIZER.search(text), f"gramme check --salvage: {told.returncode}, {text}"
    assert fingerprint(path) == before, f"gramme check --salvage changed something: {text}"
    assert not path.with_name("salvaged.partial").exists(), f"something is left over: {text}"
    if told.returncode == 2:
        assert not new.exists() and told.stderr.startswith("gramme: "), text
        return "nothing salvaged"
    assert check(new, options) == 0, f"what was salvaged is not sound: {text}"
    server, refusal = start(new, options)
    assert server is not None, f"what was salvaged does not start: {refusal}"
    reply = call(server.port, "Scan", {"TableName": TABLE, "ConsistentRead": True})
    server.stop()
    found = [json.dumps(item, sort_keys=True) for item in reply.json.get("Items", [])]
    wanted = {json.dumps(item, sort_keys=True) for item in json.loads(base.answers[0])["Items"]}
    assert set(found) <= wanted, f"what was salvaged is wrong: {text}"
    assert told.returncode == 1 or len(found) == len(wanted), f"{len(wanted) - len(found)} items are lost without a word: {text}"
    return f"{len(found)} of {len(wanted)} items salvaged"


def judge_start(base, path, options):
    before = fingerprint(path)
    server, refusal = start(path, options)
    if server is None:
        line = [line for line in refusal.splitlines() if line.startswith("gramme: ")]
        assert line and str(path) in line[-1], f"the refusal names no place: {refusal}"
        after = fingerprint(path)
        changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        assert not changed, f"the refusal changed {changed}: {line[-1]}"
        return "refused: " + line[-1].removeprefix("gramme: ").replace(str(path), "DIR")
    try:
        told = answers(server.port)
    finally:
        try:
            server.stop()
        except AssertionError as error:
            if SANITIZER.search(str(error)) or server.process.returncode not in (0, 1):
                raise
    wrong = [i for i, (got, wanted) in enumerate(zip(told, base.answers)) if got is not None and got != wanted]
    asked = [*questions(), ("the stream", {})]
    assert not wrong, f"{len(wrong)} wrong answers, the first to {asked[wrong[0]]}: {told[wrong[0]]}\n{server.error_text()}"
    errors = told.count(None)
    return f"served, with {errors} errors" if errors else "served"


def run(cases, seed, encrypt):
    rng = random.Random(seed)
    kinds = collections.Counter()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="rot-") as name:
        folder = pathlib.Path(name)
        options = []
        if encrypt:
            options = ["--encrypt-with", make_key(folder / "key")]
        bases = [build(folder, options, killed) for killed in (False, True)]
        print(f"1..{cases}")
        print(f"# seed {seed}")
        for case in range(cases):
            base, damage = rng.choice(bases), rng.choice(DAMAGES)
            path = folder / "case"
            shutil.rmtree(path, ignore_errors=True)
            shutil.copytree(base.path, path)
            file = rng.choice(files_of(path))
            damage(rng, path / file, base)
            what = f"{base.path.name} {file}: {damage.__name__}"
            try:
                salvaged = "; " + salvage(base, path, options) if rng.random() < SALVAGED else ""
                done = judge(base, path, options) + salvaged
                kinds[done.split(":")[0].split(",")[0].split(";")[0]] += 1
                print(f"ok {case + 1} - {what}: {done}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"not ok {case + 1} - {what}", *(f"# {line}" for line in str(error).splitlines()), sep="\n", flush=True)
    print("#", ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=12)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--encrypt", action="store_true")
    options = parser.parse_args()
    cases = int(os.environ.get("GRAMME_ROT", options.cases))
    return 1 if run(cases, options.seed, options.encrypt) else 0


if __name__ == "__main__":
    sys.exit(main())
