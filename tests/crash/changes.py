"""What a stream of new and old images must tell, and the judgement over it.

Of each key the records form a chain: the old image of each is the new image of the one before, and the
first has none. So a record that is missing, repeated or out of order shows. The end of all chains is what
the table holds, and every write that was acknowledged is a link.
"""


def key_of(record):
    return record["dynamodb"]["Keys"]["pk"]["S"]


def judge_chains(records):
    """Follows the chains; returns the items that they end in, and what is wrong."""
    items, problems, number = {}, [], {}
    for record in records:
        key, change = key_of(record), record["dynamodb"]
        before, after = items.get(key), change.get("NewImage")
        event = "INSERT" if before is None else "REMOVE" if after is None else "MODIFY"
        if change.get("OldImage") != before:
            problems.append(f"{key}: the old image is {change.get('OldImage')}, the item was {before}")
        if record["eventName"] != event:
            problems.append(f"{key}: {record['eventName']} where {event} happened")
        if change["SequenceNumber"] <= number.get(key, ""):
            problems.append(f"{key}: number {change['SequenceNumber']} after {number[key]}")
        number[key], items[key] = change["SequenceNumber"], after
    return {key: item for key, item in items.items() if item is not None}, problems


def judge(records, table, acknowledged):
    """`table` has the items by key, `acknowledged` the versions of each key that must have been there."""
    items, problems = judge_chains(records)
    for key in sorted({*items, *table}):
        if items.get(key) != table.get(key):
            problems.append(f"{key}: the stream ends in {items.get(key)}, the table has {table.get(key)}")
    seen = {}
    for record in records:
        image = record["dynamodb"].get("NewImage")
        seen.setdefault(key_of(record), set()).add(int(image["version"]["N"]) if image else 0)
    for key, versions in sorted(acknowledged.items()):
        if not versions <= seen.get(key, set()):
            problems.append(f"{key}: versions {sorted(versions - seen.get(key, set()))} were acknowledged and are not told")
    return problems


def judge_readers(one, other):
    """Two readers of a stream have the same records, shard by shard."""
    for shard in sorted({*one, *other}):
        mine, others = ([record["eventID"] for record in reader.get(shard, [])] for reader in (one, other))
        if mine != others:
            yield f"{shard}: {len(mine)} records, of which {len(set(mine))} are different; another reader saw {len(others)}"
