"""The differences that are known and who is wrong, as data: known.txt.

    === Local says it in older words              the reason, a line
    operation UpdateItem|PutItem                  regular expressions, searched for; of several lines one must match
    path      error
    gramme    Value at 'x'
    local     Value 'x'
    request   "ReturnValues": "XX"                in the JSON of the request
    same      \\d errors: |\\.$                    the texts are the same without what this matches
"""

import dataclasses
import json
import pathlib
import re

FILE = pathlib.Path(__file__).with_name("known.txt")
FIELDS = {"operation", "path", "gramme", "local", "request", "same"}


@dataclasses.dataclass
class Known:
    reason: str
    patterns: dict  # by field: all of its patterns
    count: int = 0

    def covers(self, step, difference):
        texts = {"operation": difference.operation, "path": difference.path, "gramme": difference.left, "local": difference.right,
                 "request": json.dumps(step.body, ensure_ascii=False) if "request" in self.patterns else ""}
        return all(any(pattern.sub("", difference.left) == pattern.sub("", difference.right) if field == "same" else
                       pattern.search(texts[field]) for pattern in patterns) for field, patterns in self.patterns.items())


def read_known(text):
    known = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("==="):
            known.append(Known(line[3:].strip(), {}))
        elif line.strip() and not line.startswith("#"):
            field, _, pattern = line.partition(" ")
            if field not in FIELDS or not known:
                raise ValueError(f"line {number}: {line}")
            known[-1].patterns.setdefault(field, []).append(re.compile(pattern.strip()))
    return known


def known_differences():
    return read_known(FILE.read_text())
