#!/usr/bin/python3
"""Runs clients against a server that is killed again and again, and judges what they did and saw.

    /usr/bin/python3 tests/history/history.py [--rounds 6] [--seconds 20] [--seed N] [--encrypt]

A round is a life of the server. Prints TAP, one case. The seed makes the same clients, though not the same meetings of them. After a failure the data and the
history, as a line for each transaction, stay in the folder that is printed.
"""

import argparse
import pathlib
import random
import shutil
import sys
import tempfile
import time

from appends import Txn, judge
from clients import ACCOUNTS, PAIRS, START, TABLES, Client, Shared, key_of
from invariants import elements_of, judge_appends_of_stream, judge_counter, judge_index, judge_stream, judge_unique

from encryption import make_key
from rounds import add_options, rounds
from stream_reader import StreamReader, changes
from wire import call

CLIENTS = 8
LOOKS_MAX = 1500


def prepare(port):
    """Tables and what is in them before the clients come; nothing the second time."""
    if call(port, "ListTables", {}).json["TableNames"]:
        return
    for name, options in TABLES.items():
        attributes = ["pk"] + (["g"] if "GlobalSecondaryIndexes" in options else [])
        reply = call(port, "CreateTable", {
            "TableName": name, "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": "S"} for attribute in attributes], **options})
        assert reply.status == 200, reply.body
    items = [{**key_of(name), "n": {"N": str(START)}} for name in ACCOUNTS] + [{**key_of("counter"), "n": {"N": "0"}}]
    items += [{**key_of(f"pair{pair}.{me}"), "there": {"BOOL": True}} for pair in range(PAIRS) for me in range(2)]
    for item in items:
        assert call(port, "PutItem", {"TableName": "others", "Item": item}).status == 200


def scan(port, table, **options):
    """All items by their keys."""
    items, start = {}, {}
    while True:
        page = call(port, "Scan", {"TableName": table, **options, **start}).json
        items.update({item["pk"]["S"]: item for item in page["Items"]})
        if "LastEvaluatedKey" not in page:
            return items
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def read_stream(client):
    arn = client.exchange("DescribeTable", {"TableName": "lists"})[1]["Table"]["LatestStreamArn"]
    records = [record["dynamodb"] for record in changes(StreamReader(client.exchange, arn).catch_up())]
    return [(record["Keys"]["pk"]["S"], record.get("OldImage"), record.get("NewImage")) for record in records]


def judge_end(port, clients):
    """All that is judged when the clients have gone."""
    history = [txn for client in clients for txn in client.history]
    start_ns = time.monotonic_ns()
    lists, others = scan(port, "lists", ConsistentRead=True), scan(port, "others", ConsistentRead=True)
    history.append(Txn(start_ns, time.monotonic_ns(), True, {}, {key: elements_of(item) for key, item in lists.items()}, -1))
    everywhere = {key for txn in history for key in txn.appends}
    for key in everywhere - lists.keys():
        history[-1].reads[key] = []
    problems = judge(history, everywhere)
    problems += judge_index(lists, scan(port, "lists", IndexName="by-g"))
    records = read_stream(clients[0])
    problems += [*judge_stream(lists, records), *judge_appends_of_stream(history, records)]
    looks = [look for client in clients for look in client.looks][-LOOKS_MAX:]
    problems += judge_counter([add for client in clients for add in client.adds], looks)
    owners = {key: item["owner"]["S"] for key, item in scan(port, "unique", ConsistentRead=True).items()}
    problems += judge_unique([claim for client in clients for claim in client.claims], owners)
    total = sum(int(others[name]["n"]["N"]) for name in ACCOUNTS)
    if total != START * len(ACCOUNTS):
        problems.append(f"bank: {total} in all accounts")
    return history, problems


def run(folder, options):
    """One history; returns what was done, the transactions and the problems."""
    rng = random.Random(options.seed)
    world = Shared()
    clients = [Client(world, number, random.Random(rng.random())) for number in range(CLIENTS)]
    arguments = ["--data", folder / "data"]
    if options.encrypt:
        arguments += ["--encrypt-with", make_key(folder / "key")]
    for client in clients:
        client.start()
    server, deaths = world.crash_again_and_again(rng, rounds(options.rounds, options.seconds), *arguments, at_start=prepare)
    world.closing = True
    for client in clients:
        client.join(60)
    history, problems = judge_end(server.port, clients)
    server.stop()
    problems = [problem for client in clients for problem in client.problems] + problems
    if deaths < options.rounds or not any(txn.outcome and txn.appends for txn in history):
        problems.append("too little happened, so this shows nothing")
    count = {"transactions": len(history), "deaths": deaths, "of unknown fate": sum(client.lost for client in clients),
             "refused": sum(txn.outcome is False for txn in history), "adds": sum(len(client.adds) for client in clients),
             "names": sum(len(client.claims) for client in clients)}
    return ", ".join(f"{number} {name}" for name, number in count.items()), history, problems


def keep(folder, history):
    """What is left of a failure."""
    kept = pathlib.Path(tempfile.mkdtemp(prefix="gramme-history-"))
    shutil.copytree(folder, kept, dirs_exist_ok=True)
    (kept / "history.txt").write_text("".join(f"{txn}\n" for txn in sorted(history, key=lambda txn: txn.start)))
    return kept


def conclude(done, problems):
    """The line of the one case, and what is wrong with it; the exit status."""
    print(f"{'not ok' if problems else 'ok'} 1 - {done}")
    for problem in problems[:20]:
        print("".join(f"# {line}\n" for line in str(problem).splitlines()), end="")
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser()
    add_options(parser, 6)
    parser.add_argument("--encrypt", action="store_true", help="with encrypted files")
    options = parser.parse_args()
    print(f"1..1\n# seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        done, history, problems = run(pathlib.Path(folder), options)
        if problems:
            print(f"# kept in {keep(folder, history)}")
    return conclude(done, problems)


if __name__ == "__main__":
    sys.exit(main())
