"""The audit trail of a ledger, judged from outside: whether it is sealed, and whether it is what the stream has told."""

import hashlib
import json

from wire import boto3_client

FIELDS = ("Previous", "Number", "RecordedAt", "ChangedAt", "Event", "Sequence", "Account", "Key", "Old", "New")


def text(item, name):
    return next(iter(item.get(name, {"S": ""}).values()))


def digest(item):
    return hashlib.sha256("".join(f"{text(item, name)}\n" for name in FIELDS).encode()).hexdigest()


def entries_of(items):
    """In their order, without the head."""
    return sorted((item for item in items if item["Day"]["S"] != "HEAD"), key=lambda item: int(item["Number"]["N"]))


def breaks(entries):
    """What is wrong with the chain."""
    wrong, previous = [], "0" * 64
    for number, entry in enumerate(entries, 1):
        if (text(entry, "Number"), text(entry, "Previous"), text(entry, "Digest")) != (str(number), previous, digest(entry)):
            wrong.append(f"entry {number}: {entry}")
        previous = text(entry, "Digest")
    return wrong


def replay(entries):
    """The items that the changes make, {(PK, SK): attributes}; each has to find what it says was there."""
    items = {}
    for entry in entries:
        if text(entry, "Event") in ("BEGIN", "GAP"):
            continue
        key, old, new = (json.loads(text(entry, name)) for name in ("Key", "Old", "New"))
        place = key["PK"]["S"], key["SK"]["S"]
        item = items.pop(place, None)
        assert (item is None) == (text(entry, "Event") == "INSERT"), entry
        assert all((item or {}).get(name) == value for name, value in old.items()), (item, entry)
        if text(entry, "Event") in ("INSERT", "MODIFY"):
            kept = {name: value for name, value in (item or {}).items() if name not in old}
            items[place] = {**key, **kept, **new}
        else:
            assert item == {**key, **old}, (item, entry)
    return items


def audited(items):
    """The items of the table that an audit is about."""
    return {(item["PK"]["S"], item["SK"]["S"]): item for item in items if not item["PK"]["S"].startswith("TOTAL")}


def changes_of(endpoint):
    """The numbers of all changes in the table's stream that an audit is about."""
    client, numbers = boto3_client(endpoint, service="dynamodbstreams"), []
    try:
        streams = client.list_streams(TableName="FinancialTransactions")["Streams"]
        arn = max(streams, key=lambda stream: stream["StreamLabel"])["StreamArn"]  # others are of tables that were before
        for shard in client.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
            iterator = client.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
            while iterator:
                page = client.get_records(ShardIterator=iterator)
                iterator = page.get("NextShardIterator") if page["Records"] else None
                numbers += [record["dynamodb"]["SequenceNumber"] for record in page["Records"]
                            if not record["dynamodb"]["Keys"]["PK"]["S"].startswith("TOTAL")]
        return sorted(numbers)
    finally:
        client.close()
