"""The format of the wire cases under tests/data/wire, and how an answer is compared.

    # A comment. Lines before the first case set the scene for the whole file:
    serve --region eu-west-1              options of the server this file gets (none: in memory, us-east-1)
    > CreateTable {"TableName":"table",   a request: operation and JSON body; indented lines go on
        "KeySchema":[]}

    === what this case shows              cases run in order, on one server, and may build on each other
    > GetItem {"TableName":"table"}
    < 200 {"Item":{}}                     the exact status and the exact JSON, member order aside
    > GetItem {"TableName":"nope"}
    < ResourceNotFoundException: Requested resource not found
                                          an error by name and text: its status, namespace and the
                                          spelling of "message" follow from ERRORS below
    >> POST / HTTP/1.1                    raw HTTP: the lines of the head, then the body after >>|
    >> auth                               stands for a complete set of authentication headers
    >>| {"TableName":"\\xff"}             body bytes, with Python's escapes
    << 400                                status, then headers: `Name: value`, `Name:` (any), `!Name` (absent)
    <<| <UnknownOperationException/>\\n   the exact body

A request without an expectation must answer 200. In a request the string "$Name" stands for the text that
was in the member Name of the last answer that had one. In the expected JSON the string "*" matches any
value, "*uuid" a UUID and "*time" seconds since 1970. {{x*9}} anywhere stands for x nine times. A file
with a line `must fail` is a canary: each of its cases has a line `because TEXT`, and passes only if it
fails for a reason that contains TEXT.
"""

import dataclasses
import json
import re

ERRORS = {
    "ValidationException": (400, "com.amazon.coral.validate", "message"),
    "SerializationException": (400, "com.amazon.coral.service", "Message"),
    "UnknownOperationException": (400, "com.amazon.coral.service", "message"),
    "MissingAuthenticationTokenException": (400, "com.amazon.coral.service", "message"),
    "IncompleteSignatureException": (400, "com.amazon.coral.service", "message"),
    "InvalidSignatureException": (400, "com.amazon.coral.service", "message"),
    "UnrecognizedClientException": (400, "com.amazon.coral.service", "message"),
    "AccessDeniedException": (400, "com.amazon.coral.service", "Message"),
    "ConditionalCheckFailedException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "ResourceNotFoundException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "ResourceInUseException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "LimitExceededException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "ExpiredIteratorException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "TrimmedDataAccessException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "DuplicateItemException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "IdempotentParameterMismatchException": (400, "com.amazonaws.dynamodb.v20120810", "Message"),
    "TableNotFoundException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "TableInUseException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "TableAlreadyExistsException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "GlobalTableNotFoundException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "BackupNotFoundException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "BackupInUseException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "ContinuousBackupsUnavailableException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "PointInTimeRecoveryUnavailableException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "InvalidRestoreTimeException": (400, "com.amazonaws.dynamodb.v20120810", "message"),
    "InternalServerError": (500, "com.amazonaws.dynamodb.v20120810", "message"),
}
REPEAT = re.compile(r"\{\{(.+?)\*(\d+)\}\}")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclasses.dataclass
class Step:
    """One exchange. A raw step has a head and a body, any other an operation and a body."""
    line: int
    operation: str = ""
    head: list = dataclasses.field(default_factory=list)
    body: bytes = b""
    expected: object = None
    raw: bool = False


@dataclasses.dataclass
class RawReply:
    status: int
    headers: list = dataclasses.field(default_factory=list)
    body: bytes = None


@dataclasses.dataclass
class Case:
    name: str
    line: int
    steps: list = dataclasses.field(default_factory=list)
    because: str = ""


@dataclasses.dataclass
class CaseFile:
    setup: Case
    cases: list
    arguments: list
    must_fail: bool = False


# --- Reading --------------------------------------------------------------------------------------


def join_lines(text):
    """Yields (number, line) with comments gone and indented lines joined to the one before."""
    pending = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            continue
        if line[:1] == " " and pending:
            pending = (pending[0], pending[1] + line.strip())
            continue
        if pending:
            yield pending
        pending = (number, line) if line.strip() else None
    if pending:
        yield pending


def unescape(text):
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape").encode("latin-1")


def parse_expected(text):
    """`200 {json}` or `Name: text` or `Name`."""
    first, _, rest = text.partition(" ")
    if first.isdigit():
        return int(first), parse_json(rest or "{}")
    name, colon, message = text.partition(": ")
    status, namespace, member = ERRORS[name]
    body = {"__type": f"{namespace}#{name}"}
    if colon:
        body[member] = message
    return status, body


class Parser:
    def __init__(self, path):
        self.path = path
        self.file = CaseFile(Case("set-up", 1), [], ["--memory"])
        self.case = self.file.setup
        self.step = None

    def parse(self):
        for number, line in join_lines(self.path.read_text()):
            line = REPEAT.sub(lambda match: match.group(1) * int(match.group(2)), line)
            try:
                self.parse_line(number, line)
            except (ValueError, KeyError, AttributeError) as error:
                raise ValueError(f"{self.path}:{number}: {error!r} in {line[:200]}") from error
        return self.file

    def parse_line(self, number, line):
        mark, _, rest = line.partition(" ")
        if mark == "===":
            self.case = Case(rest, number)
            self.file.cases.append(self.case)
        elif mark == "serve":
            self.file.arguments += rest.split()
        elif line == "must fail":
            self.file.must_fail = True
        elif mark == "because":
            self.case.because = rest
        elif mark in (">", ">>", ">>|"):
            self.parse_request(number, mark, rest)
        elif mark == "<":
            self.step.expected = parse_expected(rest)
        elif mark == "<<" and rest.isdigit():
            self.step.expected = RawReply(int(rest))
        elif mark == "<<":
            self.step.expected.headers.append(rest)
        elif mark == "<<|":
            self.step.expected.body = unescape(rest)
        else:
            raise ValueError("no such line")

    def parse_request(self, number, mark, rest):
        if mark == ">>|":
            self.step.body += unescape(rest)
            return
        if mark == ">>" and self.step and self.step.raw and not self.step.expected:
            self.step.head.append(rest)
            return
        if mark == ">>":
            self.step = Step(number, head=[rest], raw=True)
        else:
            operation, _, body = rest.partition(" ")
            self.step = Step(number, operation, body=(body or "{}").encode())
        self.case.steps.append(self.step)


def parse(path):
    return Parser(path).parse()


# --- Comparing ------------------------------------------------------------------------------------


class Number(str):
    """A JSON number by its spelling: 1 and 1.0 are different answers."""


def unique(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise ValueError(f"a member appears twice among {names}")
    return dict(pairs)


def parse_json(text):
    return json.loads(text, object_pairs_hook=unique, parse_float=Number, parse_int=Number)


def matches_wildcard(expected, actual):
    if expected == "*uuid":
        return isinstance(actual, str) and UUID.fullmatch(actual)
    if expected == "*time":
        return isinstance(actual, Number) and 1.6e9 < float(actual) < 1e11
    return True


def difference(expected, actual, path="$"):
    """The first place where two JSON values differ, as text, or None."""
    if expected in ("*", "*uuid", "*time") and not isinstance(expected, Number):
        if not matches_wildcard(expected, actual):
            return f"{path}: expected {expected}, got {actual!r}"
        return None
    if type(expected) is not type(actual):
        return f"{path}: expected {show(expected)}, got {show(actual)}"
    if isinstance(expected, dict):
        if expected.keys() != actual.keys():
            return f"{path}: expected members {sorted(expected)}, got {sorted(actual)}"
        return first(difference(expected[name], actual[name], f"{path}.{name}") for name in expected)
    if isinstance(expected, list):
        if len(expected) != len(actual):
            return f"{path}: expected {len(expected)} elements, got {len(actual)}"
        return first(difference(a, b, f"{path}[{n}]") for n, (a, b) in enumerate(zip(expected, actual)))
    return None if expected == actual else f"{path}: expected {show(expected)}, got {show(actual)}"


def first(problems):
    return next((problem for problem in problems if problem), None)


def show(value):
    text = json.dumps(value) if not isinstance(value, Number) else str(value)
    return text if len(text) < 2000 else f"{text[:2000]}... ({len(text)} characters)"
