"""Makes mutants of C source text: one small change each, which a test should notice.

Mutants change functions only, and no comments, strings or directives. A mutant has as many lines as the original.
"""

import dataclasses
import difflib
import re

# clang-format puts the first line of a function and its closing brace at the beginning of a line.
FUNCTION = re.compile(r"^(?=\w)([^;{}=]*?(\w+) ?\([^;{}]*\)) (\{\n(?:(?:[ #].*|\w+:)?\n)*?\})$", re.M)
MASKED = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^\#(?:[^\n]*\\\n)*[^\n]*""", re.S | re.M)

COMPARISON = re.compile(r"(?<![-<>=!])(==|!=|<=|>=|<|>)(?![<>=])")
FLIPPED = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
LOGIC = re.compile(r"&&|\|\|")
CONDITION = re.compile(r"\bif (?=\()")
CALL = re.compile(r"^ +(\w+)(?=\()", re.M)
CONSTANT = re.compile(r"(?<![\w.{])(?<!\W-)(0|[1-9]\d*)(?![\w.])")  # not of -1: -2 is as negative
RETURN = re.compile(r"\breturn ([^;]*);")
# Not dropped: what is no call, log lines, and checks of the program by itself.
NO_CALLS = re.compile(r"(if|for|while|switch|return|sizeof|assert|CHECK|_Static_assert|log_\w+)$")


@dataclasses.dataclass(frozen=True)
class Mutant:
    path: str
    text: str = dataclasses.field(repr=False)  # the whole file
    function: str
    operator: str
    start: int
    end: int
    replacement: str

    @property
    def mutated(self):
        lost = self.text.count("\n", self.start, self.end) - self.replacement.count("\n")
        return self.text[:self.start] + self.replacement + "\n" * lost + self.text[self.end:]

    @property
    def line(self):
        return self.text.count("\n", 0, self.start) + 1

    @property
    def change(self):
        """The first line that differs, of the original and of the mutant."""
        pairs = zip(self.text.splitlines(), self.mutated.splitlines())
        return next((before.strip(), after.strip()) for before, after in pairs if before != after)

    def diff(self):
        lines = difflib.unified_diff(self.text.splitlines(), self.mutated.splitlines(), self.path, self.path, lineterm="", n=2)
        return "\n".join(lines)

    def __str__(self):
        return f"{self.path}:{self.line} {self.function}: {self.operator}"


def masked(text):
    return MASKED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def end_of_parenthesis(code, at):
    """Returns the place behind the parenthesis that closes the one at `at`."""
    depth = 0
    for place in range(at, len(code)):
        depth += (code[place] == "(") - (code[place] == ")")
        if depth == 0:
            return place + 1
    raise ValueError(f"nothing closes the parenthesis at {at}")


def changes(code, text, head):
    """Yields (operator, start, end, replacement) for a body. `code` is its text without comments and strings."""
    for match in COMPARISON.finditer(code):
        yield "comparison", *match.span(), FLIPPED[match.group()]
    for match in LOGIC.finditer(code):
        yield "logic", *match.span(), "||" if match.group() == "&&" else "&&"
    for match in CONDITION.finditer(code):
        end = end_of_parenthesis(code, match.end())
        yield "condition", match.end(), end, f"(!{text[match.end():end]})"
    for match in CALL.finditer(code):
        end = end_of_parenthesis(code, match.end())
        if code[end:end + 1] == ";" and not NO_CALLS.match(match.group(1)):
            yield "call", match.start(1), end + 1, ";"
    for match in CONSTANT.finditer(code):
        yield "constant", *match.span(), str(int(match.group()) + 1)
    for match in RETURN.finditer(code):
        value = text[match.start(1):match.end(1)]
        if value in ("true", "false"):
            yield "return", *match.span(1), "false" if value == "true" else "true"
        elif "struct error *" in head and value != "NULL":
            yield "return", *match.span(1), "NULL"


def mutants(path, text):
    """Yields all mutants of a file."""
    code = masked(text)
    for function in FUNCTION.finditer(code):
        begin, end = function.span(3)
        for operator, start, stop, replacement in changes(code[begin:end], text[begin:end], function.group(1)):
            yield Mutant(path, text, function.group(2), operator, begin + start, begin + stop, replacement)


# --- Equivalent mutants ---------------------------------------------------------------------------


def read_equivalents(text):
    """Returns {(path, function, original line, mutant line)}. The head of equivalent.txt describes the format."""
    known = set()
    paragraphs = re.split(r"\n\s*\n", re.sub(r"^#.*\n", "", text, flags=re.M).strip())
    for paragraph in filter(None, paragraphs):
        match = re.match(r"(\S+) (\w+)\n- (.*)\n\+ (.*)\n(\S.*)", paragraph)
        if not match:
            raise ValueError(f"an equivalent mutant needs a file, a function, two lines and a reason:\n{paragraph}")
        known.add(match.group(1, 2, 3, 4))
    return known


def is_equivalent(mutant, known):
    return (mutant.path, mutant.function, *mutant.change) in known
