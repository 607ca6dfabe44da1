"""What must hold of counters, unique keys, indexes and streams: the judgement over what clients did and saw.

`outcome` is as in appends.py: True: done; False: refused; None: not known.
"""

import collections
import dataclasses

from appends import Problem


@dataclasses.dataclass
class Add:
    """An ADD of 1 to a counter; `after` is what it came to, when that was told."""
    start: int
    end: int
    outcome: bool
    after: int = None


@dataclasses.dataclass
class Look:
    """A strongly consistent read of the counter."""
    start: int
    end: int
    count: int


def judge_counter(adds, looks):
    """Every count is between what was surely there and what may have been there; what adds came to is told once."""
    for look in looks:
        sure = sum(add.outcome is True and add.end < look.start for add in adds)
        possible = sum(add.outcome is not False and add.start < look.end for add in adds)
        if not sure <= look.count <= possible:
            yield Problem("counter", f"it was {look.count} at {look.start}..{look.end}; {sure} adds were done, {possible} begun")
    for after, count in collections.Counter(add.after for add in adds if add.outcome).items():
        if count > 1:
            yield Problem("counter", f"{count} adds came to {after}")
    for add in adds:
        if add.outcome:
            for look in looks:
                if (look.end < add.start and look.count >= add.after) or (add.end < look.start and look.count < add.after):
                    yield Problem("counter", f"it was {look.count} at {look.start}..{look.end}, {add.after} after {add.start}..{add.end}")


@dataclasses.dataclass
class Claim:
    """A put of a key on the condition that there is none."""
    key: str
    owner: str
    start: int
    end: int
    outcome: bool


def judge_unique(claims, owners):
    """`owners`: who has which key in the end."""
    by_key = collections.defaultdict(list)
    for claim in claims:
        by_key[claim.key].append(claim)
    for key, tries in by_key.items():
        won = [claim.owner for claim in tries if claim.outcome]
        possible = {claim.owner for claim in tries if claim.outcome is not False}
        owner = owners.get(key)
        if len(won) > 1:
            yield Problem("unique", f"{key} was given to {won}")
        elif won and owner != won[0]:
            yield Problem("unique", f"{key} was given to {won[0]} and belongs to {owner}")
        elif owner is not None and owner not in possible:
            yield Problem("unique", f"{key} belongs to {owner}, who was refused or never asked")
        for claim in tries:
            if claim.outcome is False and not any(other.owner == owner and other.start < claim.end for other in tries):
                yield Problem("unique", f"{key} was refused to {claim.owner} before {owner} asked for it")
    for key in owners.keys() - by_key.keys():
        yield Problem("unique", f"nobody asked for {key}")


def judge_index(items, entries):
    """An index that projects all has the items that have its key, and nothing else."""
    wanted = {key: item for key, item in items.items() if "g" in item}
    for key in wanted.keys() | entries.keys():
        if wanted.get(key) != entries.get(key):
            yield Problem("index", f"{key} is {wanted.get(key)} in the table and {entries.get(key)} in the index")


def judge_stream(items, records):
    """The records of each item are a chain from nothing to what it is now. `records`: key, old and new image, in the stream's order."""
    now = {}
    for key, old, new in records:
        if old != now.get(key):
            yield Problem("stream", f"{key}: a record begins with {old}; the one before ended with {now.get(key)}")
        if old == new:
            yield Problem("stream", f"{key}: a record of no change, {new}")
        now[key] = new
    for key in items.keys() | now.keys():
        if items.get(key) != now.get(key):
            yield Problem("stream", f"{key}: the stream ends with {now.get(key)}; the table has {items.get(key)}")


def judge_appends_of_stream(history, records):
    """One record for each update that was done: so none is told twice, or not at all."""
    told = collections.Counter(tuple(elements_added(old, new)) for _, old, new in records)
    for txn in history:
        for key, elements in txn.appends.items():
            count = told[tuple(elements)]
            if count > 1 or (txn.outcome is not None and count != txn.outcome):
                yield Problem("stream", f"{count} records of {key}+{elements} of {txn}")


def elements_of(image):
    return [int(element["N"]) for element in image["l"]["L"]] if image else []


def elements_added(old, new):
    before, after = elements_of(old), elements_of(new)
    return after[len(before):] if after[:len(before)] == before else after
