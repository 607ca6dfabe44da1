"""Random requests: an episode is the life of a few tables, from CreateTable to the last write.

An episode follows from its seed alone, never from an answer, so that any part of it can be asked again. `Episode.steps` is
the whole of it; KINDS says which requests there are, and how often each is made.
"""

import copy

import values
from endpoint import Step
from expressions import Expressions, legacy_expected, legacy_filter, legacy_key_conditions, legacy_updates
from statements import Statement

# A table is called after what it has seen; nothing else may live at an endpoint that is compared.
NAMES = ["music", "plays", "users"]


class Episode:
    def __init__(self, rng, length=60):
        self.rng = rng
        self.tables = [values.table(rng, name) for name in NAMES[:rng.choice([1, 1, 2, 3])]]
        self.tokens = []
        self.length = length

    def steps(self):
        rng = self.rng
        for table in self.tables:
            yield Step("CreateTable", values.create_table(rng, table))
        for table in self.tables:
            for _ in range(rng.randrange(8)):
                yield Step("PutItem", {"TableName": table.name, "Item": values.item(rng, table)})
        kinds, weights = zip(*KINDS.items())
        for kind in rng.choices(kinds, weights, k=self.length):
            step = kind(self)
            yield Step(step.operation, mutated(rng, step.body), step.pages) if rng.oddly(2) else step

    # ---- parts ----

    def table(self):
        return self.rng.choice(self.tables)

    def named(self, table):
        rng = self.rng
        return {"TableName": table.name if not rng.oddly(0.3) else rng.choice(["nothing", "ab", "", "a b", "x" * 256])}

    def capacity(self, body):
        if self.rng.chance(0.4):
            body["ReturnConsumedCapacity"] = self.rng.choice(["TOTAL", "INDEXES", "INDEXES", "NONE"])
        return body

    def conditional(self, body):
        """Gives a write a condition, of either kind, and returns its expressions."""
        rng = self.rng
        expressions = Expressions(rng)
        if rng.chance(0.35):
            body["ConditionExpression"] = expressions.text(expressions.condition())
            if rng.chance(0.3):
                body["ReturnValuesOnConditionCheckFailure"] = rng.choice(["ALL_OLD", "NONE"])
        elif rng.chance(0.1) or (rng.oddly() and "ConditionExpression" in body):
            body["Expected"] = legacy_expected(rng)
            if rng.chance(0.4):
                body["ConditionalOperator"] = rng.choice(["AND", "OR"])
        return expressions

    def finish(self, operation, body, expressions, values_returned):
        rng = self.rng
        if rng.chance(0.5):
            body["ReturnValues"] = rng.choice(values_returned if not rng.oddly() else ["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
        if rng.chance(0.15):
            body["ReturnItemCollectionMetrics"] = rng.choice(["SIZE", "NONE"])
        expressions.add_to(body)
        return Step(operation, self.capacity(body))

    # ---- items ----

    def put(self):
        table = self.table()
        body = {**self.named(table), "Item": values.item(self.rng, table)}
        return self.finish("PutItem", body, self.conditional(body), ["NONE", "ALL_OLD"])

    def delete(self):
        table = self.table()
        body = {**self.named(table), "Key": values.primary_key(self.rng, table)}
        return self.finish("DeleteItem", body, self.conditional(body), ["NONE", "ALL_OLD"])

    def update(self):
        rng, table = self.rng, self.table()
        body = {**self.named(table), "Key": values.primary_key(rng, table)}
        expressions = self.conditional(body)
        legacy = "Expected" in body or (rng.chance(0.12) and "ConditionExpression" not in body)
        if legacy != rng.oddly():
            body["AttributeUpdates"] = legacy_updates(rng)
        elif rng.chance(0.97):
            body["UpdateExpression"] = expressions.text(expressions.update())
        return self.finish("UpdateItem", body, expressions, ["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])

    def projected(self, body, expressions, legacy=False):
        rng = self.rng
        if legacy != rng.oddly():
            if rng.chance(0.4):
                body["AttributesToGet"] = rng.some(values.NAMES, 1, 3) if not rng.oddly(2) else [values.attribute_name(rng) for _ in range(3)]
        elif rng.chance(0.25):
            body["ProjectionExpression"] = expressions.text(expressions.projection())
        if rng.chance(0.3):
            body["ConsistentRead"] = rng.chance(0.5)

    def get(self):
        table, expressions = self.table(), Expressions(self.rng)
        body = {**self.named(table), "Key": values.primary_key(self.rng, table)}
        self.projected(body, expressions, self.rng.chance(0.15))
        expressions.add_to(body)
        return Step("GetItem", self.capacity(body))

    # ---- pages ----

    def read(self, table, legacy):
        """What Query and Scan have in common."""
        rng, expressions = self.rng, Expressions(self.rng)
        index = rng.choice(table.indexes) if table.indexes and rng.chance(0.4) else None
        body = self.named(table)
        if index or rng.oddly(0.3):
            body["IndexName"] = index.name if index else "nothing"
        self.projected(body, expressions, legacy)
        if body.get("ConsistentRead") and index and not index.local and not rng.oddly():
            del body["ConsistentRead"]
        if rng.oddly(3):
            body["Select"] = rng.choice(["COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES"])
        elif rng.chance(0.15):
            shows = "AttributesToGet" in body or "ProjectionExpression" in body
            body["Select"] = "SPECIFIC_ATTRIBUTES" if shows else "ALL_PROJECTED_ATTRIBUTES" if index and rng.chance(0.4) else "COUNT"
        if rng.chance(0.3):
            body["Limit"] = rng.choice([1, 2, 3, 100]) if not rng.oddly() else rng.choice([0, -1])
        return index, body, expressions

    def query(self):
        rng, table = self.rng, self.table()
        legacy = rng.chance(0.12)
        index, body, expressions = self.read(table, legacy)
        if legacy:
            body["KeyConditions"] = legacy_key_conditions(rng, table, index)
        else:
            body["KeyConditionExpression"] = expressions.text(expressions.key_condition(table, index))
        if rng.chance(0.3):
            body.update({"QueryFilter": legacy_filter(rng)} if legacy else {"FilterExpression": expressions.text(expressions.condition())})
        if rng.chance(0.4):
            body["ScanIndexForward"] = rng.chance(0.5)
        if rng.chance(0.12):
            body["ExclusiveStartKey"] = values.primary_key(rng, table, index)
        expressions.add_to(body)
        return Step("Query", self.capacity(body), rng.chance(0.5) and body.get("Limit", 1) > 0)

    def scan(self):
        rng, table = self.rng, self.table()
        legacy = rng.chance(0.12)
        index, body, expressions = self.read(table, legacy)
        if rng.chance(0.3):
            body.update({"ScanFilter": legacy_filter(rng)} if legacy else {"FilterExpression": expressions.text(expressions.condition())})
        if rng.chance(0.1):
            body["TotalSegments"] = rng.randint(1, 3) if not rng.oddly() else rng.choice([0, 1000001])
            body["Segment"] = 0 if not rng.oddly() else rng.choice([-1, 3, 1000000])
        elif rng.oddly():
            body["ExclusiveStartKey"] = values.primary_key(rng, table, index)
        expressions.add_to(body)
        return Step("Scan", self.capacity(body), body.get("Limit", 1) > 0)

    # ---- batches and transactions ----

    def count(self, usual, limit):
        """How many parts a request has: a few, or about as many as it may have."""
        return self.rng.choice([0, limit, limit + 1]) if self.rng.oddly(0.5) else self.rng.randint(1, usual)

    def batch_get(self):
        rng, body = self.rng, {"RequestItems": {}}
        for table in rng.some(self.tables, 1):
            expressions, entry = Expressions(rng), {}
            self.projected(entry, expressions, rng.chance(0.1))
            expressions.add_to(entry)
            keys = [values.primary_key(rng, table) for _ in range(self.count(5, 100))]
            entry["Keys"] = keys if rng.oddly(3) else distinct(keys)
            body["RequestItems"][self.named(table)["TableName"]] = entry
        return Step("BatchGetItem", self.capacity(body))

    def batch_write(self):
        rng, body = self.rng, {"RequestItems": {}}
        for table in rng.some(self.tables, 1):
            keys = [values.primary_key(rng, table) for _ in range(self.count(5, 25))]
            requests = [{"DeleteRequest": {"Key": key}} if rng.chance(0.4) else {"PutRequest": {"Item": {**values.item(rng, table), **key}}}
                        for key in (keys if rng.oddly(3) else distinct(keys))]
            body["RequestItems"][self.named(table)["TableName"]] = requests
        if rng.chance(0.1):
            body["ReturnItemCollectionMetrics"] = "SIZE"
        return Step("BatchWriteItem", self.capacity(body))

    def action(self, table, key):
        rng = self.rng
        kind = rng.choice(["Put", "Delete", "Update", "ConditionCheck"])
        body, expressions = self.named(table), Expressions(rng)
        body.update({"Item": {**values.item(rng, table), **key}} if kind == "Put" else {"Key": key})
        if kind == "Update":
            body["UpdateExpression"] = expressions.text(expressions.update())
        if kind == "ConditionCheck" or rng.chance(0.3):
            body["ConditionExpression"] = expressions.text(expressions.condition())
            if rng.chance(0.3):
                body["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        expressions.add_to(body)
        return {kind: body}

    def targets(self, usual, limit):
        """Tables and keys, mostly each once."""
        pairs = [(table, values.primary_key(self.rng, table)) for table in self.rng.choices(self.tables, k=self.count(usual, limit))]
        return pairs if self.rng.oddly(3) else distinct(pairs, lambda pair: (pair[0].name, repr(pair[1])))

    def transact_write(self):
        body = {"TransactItems": [self.action(*target) for target in self.targets(4, 100)]}
        if self.rng.chance(0.1):
            self.tokens.append(f"token-{len(self.tokens)}")
            body["ClientRequestToken"] = self.rng.choice(self.tokens)
        return Step("TransactWriteItems", self.capacity(body))

    def transact_get(self):
        rng, body = self.rng, {"TransactItems": []}
        for table, key in self.targets(4, 100):
            get, expressions = {**self.named(table), "Key": key}, Expressions(rng)
            if rng.chance(0.25):
                get["ProjectionExpression"] = expressions.text(expressions.projection())
            expressions.add_to(get)
            body["TransactItems"].append({"Get": get})
        return Step("TransactGetItems", self.capacity(body))

    # ---- PartiQL ----

    def execute(self):
        rng, statement = self.rng, Statement(self.rng, self.table())
        text = rng.choice([statement.select, statement.select, statement.insert, statement.update, statement.delete])()
        body = statement.json(text)
        if rng.chance(0.15):
            body["ConsistentRead"] = rng.chance(0.5)
        if text.startswith("SELECT") and rng.chance(0.2):
            body["Limit"] = rng.choice([1, 2, 10])
        if rng.chance(0.1):
            body["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        return Step("ExecuteStatement", self.capacity(body), text.startswith("SELECT"))

    def execute_batch(self):
        rng, statements, reads = self.rng, [], self.rng.chance(0.5)
        for _ in range(self.count(3, 25)):
            statement = Statement(rng, self.table())
            writes = [lambda s=statement: s.insert(), lambda s=statement: s.update(False), lambda s=statement: s.delete(False)]
            text = statement.select(whole_key=True) if reads != rng.oddly() else rng.choice(writes)()
            statements.append(statement.json(text))
        return Step("BatchExecuteStatement", self.capacity({"Statements": statements}))

    def execute_transaction(self):
        rng, statements, reads = self.rng, [], self.rng.chance(0.4)
        for _ in range(self.count(3, 100)):
            statement = Statement(rng, self.table())
            writes = [lambda s=statement: s.insert(), lambda s=statement: s.update(False), lambda s=statement: s.delete(False),
                      lambda s=statement: s.exists()]
            text = statement.select(whole_key=True) if reads != rng.oddly() else rng.choice(writes)()
            statements.append(statement.json(text))
        return Step("ExecuteTransaction", self.capacity({"TransactStatements": statements}))

    # ---- tables ----

    def describe(self):
        return Step("DescribeTable", self.named(self.table()))

    def list_tables(self):
        rng, body = self.rng, {}
        if rng.chance(0.5):
            body["Limit"] = rng.choice([1, 2, 100]) if not rng.oddly() else rng.choice([0, 101])
        if rng.chance(0.3):
            body["ExclusiveStartTableName"] = rng.choice([*NAMES, "n", "zzz"])
        return Step("ListTables", body, body.get("Limit", 1) > 0)

    def create(self):
        """A table that is wrong mostly, or there already."""
        rng = self.rng
        made = values.table(rng, rng.choice([*NAMES, "other"]))
        body = values.create_table(rng, made)
        return Step("CreateTable", mutated(rng, body) if made.name == "other" else body)

    def update_table(self):
        rng, table = self.rng, self.table()
        body = self.named(table)
        kind = rng.choice(["throughput", "index", "protection", "drop", "drop"])
        if kind == "throughput":
            body["ProvisionedThroughput"] = {"ReadCapacityUnits": rng.randint(0, 9), "WriteCapacityUnits": rng.randint(1, 9)}
        elif kind == "protection":
            body["DeletionProtectionEnabled"] = rng.chance(0.5)
        elif kind == "index":
            made = values.index(rng, rng.choice(["global0", "global9"]), table.hash, False)
            body["AttributeDefinitions"] = [{"AttributeName": key.name, "AttributeType": key.kind} for key in (made.hash, made.range) if key]
            body["GlobalSecondaryIndexUpdates"] = [{"Create": made.json()}]
        else:
            body["GlobalSecondaryIndexUpdates"] = [{"Delete": {"IndexName": "nothing"}}]
        return Step("UpdateTable", body)

    def time_to_live(self):
        rng, body = self.rng, self.named(self.table())
        if rng.chance(0.5):
            return Step("DescribeTimeToLive", body)
        return Step("UpdateTimeToLive", {**body, "TimeToLiveSpecification": {"Enabled": rng.chance(0.7), "AttributeName": "expires"}})

    def delete_other(self):
        return Step("DeleteTable", {"TableName": "other"})


KINDS = {
    Episode.put: 14, Episode.update: 20, Episode.delete: 5, Episode.get: 6, Episode.query: 16, Episode.scan: 7, Episode.batch_get: 4,
    Episode.batch_write: 4, Episode.transact_write: 6, Episode.transact_get: 3, Episode.execute: 12, Episode.execute_batch: 3,
    Episode.execute_transaction: 4, Episode.describe: 1, Episode.list_tables: 1, Episode.create: 1, Episode.update_table: 1,
    Episode.time_to_live: 1, Episode.delete_other: 1,
}


def distinct(values_given, key=repr):
    return list({key(value): value for value in values_given}.values())


# ---- mistakes ----

def places(tree, path=()):
    """Every member and element below a tree, as paths."""
    for key in (tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()):
        yield (*path, key)
        yield from places(tree[key], (*path, key))


def mutated(rng, body):
    """The request with one member gone, of another type, of another value, or too many."""
    body = copy.deepcopy(body)
    found = list(places(body))
    if not found:
        return body
    *path, last = rng.choice(found)
    parent = body
    for key in path:
        parent = parent[key]
    change = rng.choice(["drop", "type", "value", "extra"])
    if change == "drop":
        del parent[last]
    elif change == "type":
        parent[last] = rng.choice([1, "a", [], {}, None, True, 1.5, ["a"], {"S": "a"}])
    elif change == "value":
        parent[last] = rng.choice(["", "XX", "x" * 300, 0, -1, 1 << 40, "1", False]) if not isinstance(parent[last], (dict, list)) else \
            type(parent[last])()
    else:
        body[rng.choice(["Extra", "Expected", "ConditionalOperator", "AttributesToGet", "KeyConditions", "Limit", "ReturnValues"])] = \
            rng.choice(["AND", ["a"], {}, 1, "NONE", "ALL_OLD", {"a": {"Value": {"S": "a"}}}])
    return body
