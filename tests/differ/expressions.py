"""Random expressions with their placeholders, and the legacy parameters that say the same.

An Expressions gathers the names and values of one request; `add_to` gives them to its body, now and then with a mistake: one too
many, one too few. A text is sometimes broken, by a word left out, doubled or put elsewhere.
"""

import values

COMPARATORS = ["=", "<>", "<", "<=", ">", ">="]
TYPES = ["S", "N", "B", "SS", "NS", "BS", "BOOL", "NULL", "L", "M"]


class Expressions:
    def __init__(self, rng):
        self.rng = rng
        self.names = {}
        self.values = {}
        self.written = set()

    # ---- operands ----

    def name(self, attribute=None):
        attribute = attribute if attribute is not None else values.attribute_name(self.rng)
        plain = attribute.isalnum() and attribute.isascii() and attribute[0].isalpha()
        if plain and self.rng.chance(0.6) and (attribute not in values.RESERVED or self.rng.oddly()):
            return attribute
        placeholder = f"#{len(self.names)}"
        self.names[placeholder] = attribute
        return placeholder

    def path(self):
        rng = self.rng
        text = self.name(rng.choice(["m", "l"]) if rng.chance(0.3) else None)
        return text + self.below() if rng.chance(0.25) else text

    def below(self):
        rng = self.rng
        if rng.oddly():
            return rng.choice(["[-1]", "[99999999999]", "..x", ".#9", ".x" * 31])
        return "".join(rng.choice([".x", ".y", "[0]", "[1]", ".z", "[9]"]) for _ in range(rng.choice([1, 1, 2, 3])))

    def target(self):
        """An attribute to write or to show, and its path: each once, unless it is a mistake."""
        rng = self.rng
        left = [name for name in values.NAMES if name not in self.written]
        attribute = rng.choice(left) if left and not rng.oddly() else values.attribute_name(rng)
        self.written.add(attribute)
        text = self.name(attribute)
        if attribute in ("m", "l") and rng.chance(0.5):
            return None, text + (rng.choice([".x", ".y"] if attribute == "m" else ["[0]", "[1]", "[9]"]) if rng.chance(0.8) else self.below())
        return attribute, text

    def value(self, given=None):
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = given if given is not None else values.value(self.rng)
        return placeholder

    def operand(self, likely=None):
        rng = self.rng
        if rng.chance(0.55):
            return self.value(likely)
        return f"size({self.path()})" if rng.chance(0.15) else self.path()

    # ---- conditions ----

    def comparison(self):
        rng = self.rng
        kind = rng.choice(["compare", "compare", "compare", "between", "in", "exists", "type", "begins", "contains", "size"])
        if kind == "compare":
            return f"{self.operand() if rng.oddly() else self.path()} {rng.choice(COMPARATORS)} {self.operand()}"
        if kind == "between":
            pair = sorted(rng.choices(["1", "2", "5", "10"], k=2), key=float)
            low, high = ({"N": number} for number in (pair if not rng.oddly(3) else pair[::-1]))
            return f"{self.path()} BETWEEN {self.operand(low)} AND {self.operand(high)}"
        if kind == "in":
            count = rng.choice([100, 101]) if rng.oddly(0.3) else rng.randint(1, 4)
            return f"{self.path()} IN ({', '.join(self.operand() for _ in range(count))})"
        if kind == "exists":
            return f"attribute_{rng.choice(['exists', 'not_exists'])}({self.path()})"
        if kind == "type":
            wanted = {"S": rng.choice(TYPES)} if not rng.oddly() else values.value(rng)
            return f"attribute_type({self.path()}, {self.value(wanted)})"
        if kind == "size":
            return f"size({self.path()}) {rng.choice(COMPARATORS)} {self.value({'N': str(rng.randrange(5))})}"
        likely = {"S": rng.choice(values.STRINGS)} if rng.chance(0.7) else None
        return f"{'begins_with' if kind == 'begins' else 'contains'}({self.path()}, {self.operand(likely)})"

    def condition(self, depth=0):
        rng = self.rng
        if depth == 0 and rng.chance(0.2):
            return rng.choice(["attribute_exists(pk)", "attribute_not_exists(pk)", "attribute_not_exists(zz)"])
        if depth > 2 or rng.chance(0.5):
            return self.comparison()
        kind = rng.choice(["AND", "OR", "NOT", "()"])
        if kind == "NOT":
            return f"NOT {self.condition(depth + 1)}"
        if kind == "()":
            return f"({self.condition(depth + 1)})"
        return f"{self.condition(depth + 1)} {kind} {self.condition(depth + 1)}"

    def key_condition(self, table, index):
        rng = self.rng
        hash_key, range_key = (index.hash, index.range) if index else (table.hash, table.range)
        text = f"{self.name(hash_key.name)} = {self.value(values.key_value(rng, hash_key.kind))}"
        if rng.oddly():
            text = text.replace("=", rng.choice(["<", "<>", "IN"]))
        if range_key and rng.chance(0.6):
            text = self.in_order(text, self.range_condition(range_key))
        if rng.oddly(0.5):
            text += f" AND {self.condition(2)}"
        return text

    def in_order(self, first, second):
        return f"{first} AND {second}" if self.rng.chance(0.8) else f"{second} AND {first}"

    def range_condition(self, key):
        rng = self.rng
        kind = rng.choice(["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"] + (["<>", "contains"] if rng.oddly(2) else []))
        name, value = self.name(key.name), self.value(values.key_value(rng, key.kind))
        if kind == "BETWEEN":
            return f"{name} BETWEEN {value} AND {self.value(values.key_value(rng, key.kind))}"
        return f"{kind}({name}, {value})" if kind[-1].isalpha() else f"{name} {kind} {value}"

    # ---- projections and updates ----

    def projection(self):
        paths = [self.target()[1] for _ in range(self.rng.randint(1, 4))]
        if self.rng.chance(0.3):
            paths.append("pk")
        return ", ".join(paths)

    def set_action(self):
        rng = self.rng
        attribute, target = self.target()
        kind = rng.choice(["value", "value", "value", "path", "plus", "minus", "default", "append"])
        number, elements = {"N": rng.choice(values.NUMBERS[:8])}, {"L": [{"S": "x"}]}
        if kind == "value" or (attribute in values.INDEXED and not rng.oddly()):
            return f"{target} = {self.value(values.attribute(rng, attribute) if attribute else None)}"
        if kind == "path":
            return f"{target} = {'pk' if rng.chance(0.5) else self.path()}"
        if kind in ("plus", "minus"):
            left = "n" if rng.chance(0.4) else f"if_not_exists({'n' if rng.chance(0.6) else self.path()}, {self.value(number)})"
            return f"{target} = {left} {'+' if kind == 'plus' else '-'} {self.value(number) if rng.chance(0.8) else self.path()}"
        if kind == "default":
            return f"{target} = if_not_exists({self.path()}, {self.value() if rng.chance(0.8) else self.operand()})"
        first = "l" if rng.chance(0.4) else f"if_not_exists(l, {self.value(elements)})"
        return f"{target} = list_append({first}, {self.value(elements)})"

    def update(self):
        rng = self.rng
        clauses = []
        if rng.for_local or rng.chance(0.75):
            clauses.append("SET " + ", ".join(self.set_action() for _ in range(rng.randint(1, 3))))
        if rng.chance(0.25):
            clauses.append("REMOVE " + ", ".join(self.target()[1] for _ in range(rng.randint(1, 2))))
        if rng.chance(0.25):
            number = {"N": rng.choice(values.NUMBERS[:8])}
            name, given = rng.choice([("n", number), ("s", {"SS": ["a", "q"]}), ("s", {"NS": ["1", "5"]})])
            clauses += self.gathering("ADD", name, given)
        if rng.chance(0.15):
            clauses += self.gathering("DELETE", "s", rng.choice([{"SS": ["a", "ab"]}, {"NS": ["1", "2.0"]}]))
        rng.shuffle(clauses)
        if rng.oddly():
            clauses.append(rng.choice(["SET pk = :v0", "SET sk = sk", "REMOVE pk", "SET a = :v0, a.b = :v0", "ADD", "SET", ""]))
        return " ".join(clauses) or f"SET {self.set_action()}"

    def gathering(self, clause, name, value):
        if name in self.written and not self.rng.oddly():
            return []
        self.written.add(name)
        if self.rng.oddly(3):
            return [f"{clause} {self.path()} {self.value()}"]
        return [f"{clause} {self.name(name)} {self.value(value)}"]

    # ---- the request ----

    def text(self, text):
        """The expression, now and then broken."""
        rng = self.rng
        if not rng.oddly():
            return text
        words = text.split(" ")
        place = rng.randrange(len(words))
        change = rng.choice(["drop", "double", "move", "odd", "long"])
        if change == "drop":
            words.pop(place)
        elif change == "double":
            words.insert(place, words[place])
        elif change == "move":
            words.insert(rng.randrange(len(words)), words.pop(place))
        elif change == "odd":
            words.insert(place, rng.choice(["(", ")", ",", "=", "AND", "a", "#9", ":9", "'", "1", "a[", "size", "NOT", "$"]))
        else:
            words.append("OR a = a " * rng.choice([100, 155, 450]))
        return " ".join(words)

    def add_to(self, body):
        rng = self.rng
        if rng.oddly(0.5):
            self.names[rng.choice(["#unused", "bad", "#", "#a b"])] = "unused"
        if rng.oddly(0.5):
            self.values[rng.choice([":unused", "bad", ":", ":a b"])] = {"S": "unused"}
        for gathered in (self.names, self.values):
            if gathered and rng.oddly(0.5):
                gathered.pop(rng.choice(list(gathered)))
        if self.names or rng.oddly(0.3):
            body["ExpressionAttributeNames"] = self.names
        if self.values or rng.oddly(0.3):
            body["ExpressionAttributeValues"] = self.values


# ---- legacy parameters ----

OPERATORS = {"EQ": 1, "NE": 1, "LE": 1, "LT": 1, "GE": 1, "GT": 1, "NOT_NULL": 0, "NULL": 0, "CONTAINS": 1, "NOT_CONTAINS": 1, "BEGINS_WITH": 1,
             "IN": None, "BETWEEN": 2}


def operands(rng, count, kind=None):
    if count is None:
        count = rng.randint(1, 3)
    if rng.oddly():
        count = rng.choice([0, 1, 2, 3])
    return [values.key_value(rng, kind) if kind else values.value(rng, kinds=["S", "N", "B", "S", "N", "SS"]) for _ in range(count)]


def legacy_condition(rng, kind=None, names=OPERATORS):
    name = rng.choice(list(names)) if not rng.oddly() else rng.choice([*OPERATORS, "XX"])
    condition = {"ComparisonOperator": name}
    given = operands(rng, OPERATORS.get(name, 1), kind)
    if given or rng.oddly():
        condition["AttributeValueList"] = given
    return condition


def legacy_filter(rng):
    return {values.attribute_name(rng): legacy_condition(rng) for _ in range(rng.randint(1, 3))}


def legacy_expected(rng):
    made = {}
    for name in rng.some(values.NAMES, 1, 2):
        kind = rng.choice(["value", "exists", "operator"])
        made[name] = legacy_condition(rng) if kind == "operator" else \
            {"Value": values.attribute(rng, name), **({"Exists": True} if rng.chance(0.3) else {})} if kind == "value" else {"Exists": rng.oddly()}
    return made


def legacy_updates(rng):
    made = {}
    for name in rng.some(values.NAMES, 1, 3):
        usual = ["PUT", "PUT", "ADD"] + ([] if rng.for_local else ["DELETE", None])
        action = rng.choice(usual) if not rng.oddly() else "XX"
        made[name] = {**({"Action": action} if action else {}), **({} if action == "DELETE" and rng.chance(0.5) else
                                                                  {"Value": values.attribute(rng, name)})}
    if rng.oddly():
        made[rng.choice(["pk", "sk", ""])] = {"Value": {"S": "a"}}
    return made


def legacy_key_conditions(rng, table, index):
    hash_key, range_key = (index.hash, index.range) if index else (table.hash, table.range)
    made = {hash_key.name: legacy_condition(rng, hash_key.kind, ["EQ"])}
    if range_key and rng.chance(0.6):
        made[range_key.name] = legacy_condition(rng, range_key.kind, ["EQ", "LE", "LT", "GE", "GT", "BEGINS_WITH", "BETWEEN"])
    if rng.oddly():
        made.update(legacy_filter(rng))
    return made
