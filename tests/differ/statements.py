"""Random PartiQL statements with their parameters."""

import values

OPERATORS = ["=", "<>", "<", "<=", ">", ">="]


class Statement:
    def __init__(self, rng, table):
        self.rng = rng
        self.table = table
        self.parameters = []

    # ---- values ----

    def literal(self, value):
        """PartiQL's way to write a value; None when it has none."""
        if not isinstance(value, dict) or len(value) != 1:
            return None
        (kind, content), = value.items()
        if kind == "S" and isinstance(content, str):
            return "'" + content.replace("'", "''") + "'"
        if kind == "N" and isinstance(content, str):
            return content
        if kind == "BOOL":
            return "true" if content else "false"
        if kind == "NULL":
            return "NULL"
        if kind in ("SS", "NS") and isinstance(content, list):
            return "<<" + ", ".join(str(self.literal({kind[0]: member})) for member in content) + ">>"
        if kind == "L" and isinstance(content, list):
            members = [self.literal(member) for member in content]
            return None if None in members else "[" + ", ".join(members) + "]"
        if kind == "M" and isinstance(content, dict):
            members = {name: self.literal(member) for name, member in content.items()}
            return None if None in members.values() else "{" + ", ".join(f"'{name}': {text}" for name, text in members.items()) + "}"
        return None

    def value(self, value=None):
        value = values.value(self.rng) if value is None else value
        text = self.literal(value) if self.rng.chance(0.5) else None
        if text is not None:
            return text
        self.parameters.append(value)
        return "?"

    def path(self):
        rng = self.rng
        name = values.attribute_name(rng)
        text = name if name.isalpha() and name.isascii() and rng.chance(0.7) else '"' + name.replace('"', '""') + '"'
        while rng.chance(0.15):
            text += rng.choice([".x", ".y", "[0]", "[1]"])
        return text

    # ---- conditions ----

    def key_equals(self, index=None):
        """The whole key mostly; the partition sometimes."""
        rng = self.rng
        keys = [index.hash, index.range] if index else [self.table.hash, self.table.range]
        if rng.chance(0.15):
            keys = keys[:1]
        return " AND ".join(f"{key.name} = {self.value(values.key_value(rng, key.kind))}" for key in keys if key)

    def comparison(self):
        rng = self.rng
        kind = rng.choice(["compare", "compare", "between", "in", "missing", "function", "null"])
        if kind == "compare":
            return f"{self.path()} {rng.choice(OPERATORS)} {self.value()}"
        if kind == "between":
            return f"{self.path()} BETWEEN {self.value({'N': '1'})} AND {self.value({'N': '5'})}"
        if kind == "in":
            return f"{self.path()} IN [{', '.join(self.value() for _ in range(rng.randint(1, 3)))}]"
        if kind == "missing":
            return f"{self.path()} IS {rng.choice(['', 'NOT '])}MISSING"
        if kind == "null":
            return f"{self.path()} IS {rng.choice(['', 'NOT '])}NULL"
        function = rng.choice(["begins_with", "contains", "attribute_type", "size", "attribute_exists"])
        if function == "attribute_exists":
            return f"{rng.choice(['attribute_exists', 'attribute_not_exists'])}({self.path()})"
        if function == "size":
            return f"size({self.path()}) > {self.value({'N': '1'})}"
        wanted = {"S": "N"} if function == "attribute_type" else {"S": rng.choice(values.STRINGS)}
        return f"{function}({self.path()}, {self.value(wanted)})"

    def condition(self):
        rng = self.rng
        text = self.comparison()
        while rng.chance(0.3):
            text = rng.choice([f"{text} AND {self.comparison()}", f"{text} OR {self.comparison()}", f"NOT {text}", f"({text})"])
        return text

    # ---- statements ----

    def select(self, whole_key=False):
        rng = self.rng
        index = rng.choice(self.table.indexes) if self.table.indexes and not whole_key and rng.chance(0.3) else None
        source = f'"{self.table.name}"' + (f'."{index.name}"' if index else "")
        columns = "*" if rng.chance(0.7) else ", ".join(self.path() for _ in range(rng.randint(1, 3)))
        if whole_key or rng.chance(0.6):
            where = f" WHERE {self.key_equals(index)}"
            if rng.chance(0.2 if whole_key else 0.4):
                where += f" AND {self.comparison()}"
        else:
            where = f" WHERE {self.condition()}" if rng.chance(0.7) else ""
        return f"SELECT {columns} FROM {source}{where}"

    def insert(self):
        item = values.item(self.rng, self.table)
        pairs = (f"'{name}': {self.value(value)}" for name, value in item.items() if isinstance(value, dict))
        return f'INSERT INTO "{self.table.name}" VALUE {{{", ".join(pairs)}}}'

    def update(self, returning=True):
        rng = self.rng
        clauses = []
        for _ in range(rng.randint(1, 2)):
            path = self.path()
            source = rng.choice([self.value, self.value, self.path, lambda: f"{self.path()} + {self.value({'N': '1'})}",
                                 lambda: f"list_append({self.path()}, {self.value({'L': [{'N': '1'}]})})",
                                 lambda: f"set_add({self.path()}, {self.value({'SS': ['q']})})"])
            clauses.append(f"REMOVE {path}" if rng.chance(0.2) else f"SET {path} = {source()}")
        text = f'UPDATE "{self.table.name}" {" ".join(clauses)} WHERE {self.where()}'
        choice = rng.choice(["", "", " RETURNING ALL NEW *", " RETURNING ALL OLD *", " RETURNING MODIFIED NEW *", " RETURNING MODIFIED OLD *"])
        return text + (choice if returning else "")

    def delete(self, returning=True):
        return f'DELETE FROM "{self.table.name}" WHERE {self.where()}' + (" RETURNING ALL OLD *" if returning and self.rng.chance(0.3) else "")

    def where(self):
        text = self.key_equals()
        return text + (f" AND {self.comparison()}" if self.rng.chance(0.3) else "")

    def exists(self):
        return f'EXISTS({self.select(whole_key=True)})'

    def broken(self, text):
        rng = self.rng
        if not rng.oddly():
            return text
        words = text.split(" ")
        place = rng.randrange(len(words))
        if rng.chance(0.4):
            words.pop(place)
        else:
            words.insert(place, rng.choice(["(", "SELECT", "WHERE", "?", "'", "x", ";", "AND", "=", "1", words[place]]))
        return " ".join(words)

    def json(self, text):
        if self.parameters and self.rng.oddly():
            self.parameters.pop()
        return {"Statement": self.broken(text), **({"Parameters": self.parameters} if self.parameters else {})}
