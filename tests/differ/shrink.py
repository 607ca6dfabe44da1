"""From the steps that led to a difference to the few that do.

First steps are left out, halves before single ones; then the last step and those before it lose what they can, member by member.
A change is kept when the last step still has a difference of the same kind. Both servers begin each attempt without tables.
"""

import copy
import json

from endpoint import Step
from operations import places

TEXTS = ("ConditionExpression", "FilterExpression", "KeyConditionExpression", "ProjectionExpression", "UpdateExpression")


def without(steps, start, count):
    return steps[:start] + steps[start + count:]


def drop_steps(steps, reproduces):
    """The last step stays."""
    count = max(1, len(steps) // 2)
    while True:
        start = 0
        while start + count < len(steps):
            fewer = without(steps, start, count)
            if reproduces(fewer):
                steps = fewer
            else:
                start += count
        if count == 1:
            return steps
        count //= 2


# ---- a request with less in it ----

def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def shorter_texts(text):
    """Texts with a part less: of an expression its words, of any other text all but its beginning."""
    for separator in (" AND ", " OR ", ", ", " "):
        parts = text.split(separator)
        if len(parts) > 1:
            for place in range(len(parts)):
                yield separator.join(parts[:place] + parts[place + 1:])
    if text.startswith("(") and text.endswith(")"):
        yield text[1:-1]
    if " " not in text and len(text) > 1:
        yield text[:len(text) // 2]


def simpler(body):
    """Requests that have a little less, those with much less first."""
    found = sorted(places(body), key=lambda path: -len(json.dumps(at(body, path))))
    for path in found:
        *above, last = path
        smaller = copy.deepcopy(body)
        del at(smaller, above)[last]
        yield smaller
    for path in found:
        value = at(body, path)
        if isinstance(value, str):
            for text in shorter_texts(value):
                yield replaced(body, path, text)
        elif isinstance(value, dict) and len(value) == 1 and value not in ({"S": "a"}, {"N": "1"}):
            yield replaced(body, path, {"S": "a"})
            yield replaced(body, path, {"N": "1"})


def replaced(body, path, value):
    *above, last = path
    changed = copy.deepcopy(body)
    at(changed, above)[last] = value
    return changed


def tidied(tree):
    """Without the placeholders that no expression beside them uses."""
    if isinstance(tree, list):
        return [tidied(element) for element in tree]
    if not isinstance(tree, dict):
        return tree
    tree = {key: tidied(value) for key, value in tree.items()}
    text = " ".join(str(tree[name]) for name in TEXTS if name in tree) + " "
    for name in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
        if isinstance(tree.get(name), dict):
            used = {key: value for key, value in tree[name].items() if any(key + end in text for end in " ,).[")}
            tree.pop(name)
            if used:
                tree[name] = used
    return tree


def simplify(steps, place, reproduces):
    """The steps with the one at this place as small as it gets."""
    size = len(json.dumps(steps[place].body))
    going = True
    while going:
        going = False
        for body in simpler(steps[place].body):
            for candidate in (tidied(body), body):
                smaller = len(json.dumps(candidate))
                changed = steps[:place] + [Step(steps[place].operation, candidate, steps[place].pages)] + steps[place + 1:]
                if smaller < size and reproduces(changed):
                    steps, size, going = changed, smaller, True
                    break
            if going:
                break
    return steps


def shrink(steps, reproduces, attempts=2000):
    """`reproduces` runs steps and says whether the last still differs in the same way. After so many attempts: as small as it is."""
    numbers = iter(range(attempts))

    def limited(attempt):
        return next(numbers, None) is not None and reproduces(attempt)

    steps = drop_steps(steps, limited)
    for place in reversed(range(len(steps))):
        steps = simplify(steps, place, limited)
    return drop_steps(steps, limited)
