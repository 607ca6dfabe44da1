"""Two answers, and where they differ.

Compared are status, error type, text and the whole body, capacity included. What may differ is made alike first: the order of sets
and of lists that have none, times and ids, and where a scan's pages end, which is up to each server's order of partitions.
"""

import collections
import contextlib
import decimal
import dataclasses
import json
import re

# Shown or not is compared; what they say is not.
VOLATILE = {"TableId", "CreationDateTime", "CreationRequestDateTime", "LastIncreaseDateTime", "LastDecreaseDateTime", "LatestStreamLabel",
            "LatestStreamArn", "TableArn", "IndexArn", "NextToken", "LastUpdateToPayPerRequestDateTime", "LastUpdateDateTime"}
# How far a new index is, when UpdateTable answers.
PROGRESS = {"IndexSizeBytes", "ItemCount", "IndexStatus", "Backfilling"}
# Members whose elements have no order.
UNORDERED = {"AttributeDefinitions", "GlobalSecondaryIndexes", "LocalSecondaryIndexes", "NonKeyAttributes"}
SETS = {"SS", "NS", "BS"}
READS = {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems", "DescribeTable", "ListTables", "DescribeTimeToLive"}
# Parts of a text that say which attribute or value it is about.
PARTICULAR = re.compile(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\{[^}]*\}|[:#]\w*|-?\d+")


@dataclasses.dataclass(frozen=True)
class Difference:
    operation: str
    path: str
    left: str
    right: str

    @property
    def kind(self):
        """What differences that are probably one have in common."""
        path = re.sub(r"\[\d+\]", "[]", self.path)
        if TEXT_PATH.search(path):
            return self.operation, path, general(self.left), general(self.right)
        # The first members name the place; below are the names and values of a random item.
        return self.operation, ".".join(path.split(".")[:2]), self.left == ABSENT, self.right == ABSENT

    def __str__(self):
        return f"{self.operation} {self.path}\n    {self.left}\n    {self.right}"


ABSENT = "absent"
# Where a text says what is wrong.
TEXT_PATH = re.compile(r"^error$|(^|\.)(Code|Message|CancellationReasons)$")


def general(text):
    return PARTICULAR.sub("*", text)[:160]


def ordered(values):
    return sorted(values, key=lambda value: json.dumps(value, sort_keys=True))


def number(text):
    """The same text for the same number, however it is written."""
    try:
        return str(decimal.Decimal(text).normalize() + 0)
    except (decimal.InvalidOperation, TypeError):
        return text


def normal(value, spelling, name=""):
    """`spelling`: how a number is compared, as its text or as what that means."""
    if isinstance(value, dict):
        return {key: "*" if key in VOLATILE else
                sorted(spelling(key, member) for member in content) if key in SETS and len(value) == 1 and isinstance(content, list) else
                normal(content, spelling, key) for key, content in value.items()}
    if isinstance(value, list):
        elements = [normal(element, spelling) for element in value]
        return ordered(elements) if name in UNORDERED else elements
    return spelling(name, value)


# ---- pages ----

def add_up(pages, name):
    return sum(page.get(name, 0) for page in pages)


def total_capacity(pages):
    """The pages' capacity as one, where they have any."""
    total = collections.Counter()
    for page in pages:
        for path, units in leaves(page.get("ConsumedCapacity", {})):
            if isinstance(units, (int, float)):
                total[path] += units
    return dict(total)


def leaves(tree, path=""):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{path}.{key}")
        else:
            yield f"{path}.{key}", value


def joined(step, pages):
    """What the pages of a read without an order say together. With a Limit their number and cost depend on the order."""
    whole = {"Items": ordered(item for page in pages for item in page.get("Items", []))}
    for name in ("Count", "ScannedCount"):
        if any(name in page for page in pages):
            whole[name] = add_up(pages, name)
    if "Limit" not in step.body:
        whole["ConsumedCapacity"] = total_capacity(pages)
    return whole


# ---- answers ----

class Comparison:
    """`exact`: both are the same program, so that namespaces of errors and the spelling of numbers are one too."""

    def __init__(self, exact):
        self.exact = exact
        self.ranges = {}  # the attributes by which indexes are sorted

    def normal(self, value):
        return normal(value, lambda kind, text: text if self.exact or kind not in ("N", "NS") else number(text))

    def learn(self, step):
        """Remembers by which attribute each index of a table is sorted."""
        body = step.body
        created = [update.get("Create") for update in body.get("GlobalSecondaryIndexUpdates") or [] if isinstance(update, dict)]
        for index in [*(body.get("GlobalSecondaryIndexes") or []), *(body.get("LocalSecondaryIndexes") or []), *created]:
            with contextlib.suppress(AttributeError, TypeError, KeyError):
                self.ranges[body["TableName"], index["IndexName"]] = \
                    next((key["AttributeName"] for key in index["KeySchema"] if key["KeyType"] == "RANGE"), None)

    @staticmethod
    def has_order(step):
        """Items of an index that have the same sort key are in an order of each server's own."""
        return step.operation not in ("Scan", "ExecuteStatement") and (step.operation != "Query" or "IndexName" not in step.body)

    def body(self, step, body):
        if not self.has_order(step) and (step.body.get("TotalSegments", 1) != 1 or "ExclusiveStartKey" in step.body):
            return "*"  # which items are in a segment, or come after a key, is up to the server
        if not step.pages:
            return self.single(step, self.normal(body))
        pages = [self.normal(page) for page in body]
        if not all(isinstance(page, dict) for page in pages):
            return pages
        return pages if self.has_order(step) else {**joined(step, pages), **self.order(step, pages)}

    def order(self, step, pages):
        """By what the items of an index are sorted, in the order in which they came."""
        attribute = self.ranges.get((step.body.get("TableName"), step.body.get("IndexName")))
        if step.operation != "Query" or not attribute:
            return {}
        return {"Order": [item.get(attribute) for page in pages for item in page.get("Items", [])]}

    def single(self, step, body):
        if not isinstance(body, dict):
            return body
        if step.operation == "UpdateTable":
            for index in body.get("TableDescription", {}).get("GlobalSecondaryIndexes", []):
                index.update((name, "*") for name in PROGRESS & set(index))
        if step.operation == "BatchGetItem":
            body["Responses"] = {table: ordered(items) for table, items in body.get("Responses", {}).items()}
        if isinstance(body.get("ConsumedCapacity"), list):
            body["ConsumedCapacity"].sort(key=lambda capacity: capacity["TableName"])
        if not self.has_order(step):
            body.update(self.order(step, [body]))
            for name in ("Items", "LastEvaluatedKey"):
                if name in body:
                    body[name] = ordered(body[name]) if name == "Items" and "Limit" not in step.body else "*"
            if "Limit" in step.body:
                body.pop("Count", None)
                body.pop("ConsumedCapacity", None)
        return body

    def error(self, answer):
        """An error as members: its type and text in one, for they belong together."""
        if answer.ok:
            return {"error": "none"}
        if not isinstance(answer.body, dict):
            return {"error": f"{answer.status} {answer.body}"}
        body = dict(answer.body)
        kind = str(body.pop("__type", ""))
        text = body.pop("message", body.pop("Message", ""))
        return {"error": f"{answer.status} {kind if self.exact else kind.rpartition('#')[2]}: {text}", **self.normal(body)}

    def differences(self, step, left, right):
        if left.ok and right.ok:
            pairs = differing(self.body(step, left.body), self.body(step, right.body), "")
        else:
            pairs = differing(self.error(left), self.error(right), "")
        return [Difference(step.operation, path.lstrip("."), shown(a), shown(b)) for path, a, b in pairs]


def differing(left, right, path):
    if left == right:
        return
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted({*left, *right}):
            yield from differing(left.get(key, ...), right.get(key, ...), f"{path}.{key}")
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for place, (a, b) in enumerate(zip(left, right)):
            yield from differing(a, b, f"{path}[{place}]")
    else:
        yield path, left, right


def shown(value):
    if value is ...:
        return ABSENT
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
