"""Clients that do everything at once to a server that is killed meanwhile, and note when they asked, when they heard, and what.

Each has a connection of its own and does one thing after the other; a request that was under way when the server died has an
outcome that nobody knows. The lists that are appended to are few at a time, so that clients meet; a list that has become long is
left for a new one.
"""

import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "crash"))

from appends import Txn
from invariants import Add, Claim, Look, elements_of
from world import Link, World

NEVER = 1 << 62
LISTS = 6
LIST_LENGTH_MAX = 60
ACCOUNTS = [f"account{n}" for n in range(5)]
START = 100
PAIRS = 4
TABLES = {"lists": {"GlobalSecondaryIndexes": [{"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                                                "Projection": {"ProjectionType": "ALL"}}],
                    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}},
          "others": {}, "unique": {}}


class Shared(World):
    """What all clients share."""

    def __init__(self):
        super().__init__()
        self.generations = [0] * LISTS
        self.names = 0  # of unique keys

    def list_key(self, place):
        return f"{place}.{self.generations[place]}"

    def saw(self, key, elements):
        place, generation = map(int, key.split("."))
        if len(elements) > LIST_LENGTH_MAX:
            self.generations[place] = max(self.generations[place], generation + 1)


def key_of(name):
    return {"pk": {"S": name}}


def numbers(values):
    return {"L": [{"N": str(value)} for value in values]}


def append_update(key, elements):
    return {"TableName": "lists", "Key": key_of(key), "UpdateExpression": "SET l = list_append(if_not_exists(l, :none), :e), g = :g",
            "ExpressionAttributeValues": {":none": numbers([]), ":e": numbers(elements), ":g": {"S": key.split(".")[0]}}}


def unchanged(key, elements):
    """The condition that a list is as it was read: they only grow."""
    if not elements:
        return {"ConditionExpression": "attribute_not_exists(pk)"}, {}
    return {"ConditionExpression": "size(l) = :n"}, {":n": {"N": str(len(elements))}}


class Client(Link, threading.Thread):
    def __init__(self, world, number, rng):
        Link.__init__(self, world)
        threading.Thread.__init__(self, name=f"client {number}", daemon=True)
        self.number, self.rng = number, rng
        self.elements = 0
        self.history, self.adds, self.looks, self.claims = [], [], [], []
        self.problems = []
        self.lost = 0
        self.tokens = 0

    # --- asking ---

    def ask(self, operation, body):
        """The outcome and the reply's JSON; when it was is in `start` and `end`."""
        self.world.wait_port()
        self.start_ns = time.monotonic_ns()
        reply = self.exchange(operation, body)
        self.end_ns = time.monotonic_ns()
        if reply is None:
            self.lost += 1
            if self.end_ns - self.start_ns > 25 * 10 ** 9:
                self.end_ns = NEVER  # it gave up waiting, and the server may be alive
            return None, None
        status, answer = reply
        if status == 200:
            return True, answer
        kind = answer["__type"].split("#")[1]
        if kind not in ("ConditionalCheckFailedException", "TransactionCanceledException"):
            self.problems.append(f"{operation} answered {status} {answer}")
        return False, answer

    def transact(self, actions):
        """One that nobody knows of is sometimes asked again with its token until somebody does."""
        self.tokens += 1
        body = {"TransactItems": actions, "ClientRequestToken": f"{self.number}-{self.tokens}"}
        outcome, _ = self.ask("TransactWriteItems", body)
        first_ns, asks_again = self.start_ns, self.rng.random() < 0.5
        while outcome is None and asks_again and not self.problems:
            outcome, _ = self.ask("TransactWriteItems", body)
        self.start_ns = first_ns
        return outcome

    def read(self, table, names):
        """Items at one moment; None: no answer."""
        _, answer = self.ask("TransactGetItems", {"TransactItems": [{"Get": {"TableName": table, "Key": key_of(name)}} for name in names]})
        return answer and [response.get("Item") for response in answer["Responses"]]

    def note(self, outcome, appends, reads):
        txn = Txn(self.start_ns, self.end_ns, outcome, appends, reads, self.number)
        self.history.append(txn)
        for key, elements in reads.items():
            self.world.saw(key, elements)

    # --- lists ---

    def some_lists(self):
        return [self.world.list_key(place) for place in self.rng.sample(range(LISTS), self.rng.randrange(1, 4))]

    def new_elements(self):
        count = self.rng.choice([1, 1, 2])
        self.elements += count
        return [self.number * 10 ** 7 + self.elements - n for n in range(count)]

    def append_one(self):
        key, elements = self.world.list_key(self.rng.randrange(LISTS)), self.new_elements()
        outcome, answer = self.ask("UpdateItem", {**append_update(key, elements), "ReturnValues": "ALL_NEW"})
        reads = {}
        if outcome:
            after = elements_of(answer["Attributes"])
            if after[-len(elements):] != elements:
                self.problems.append(f"an append of {elements} to {key} made {after}")
            reads[key] = after[:-len(elements)]
        self.note(outcome, {key: elements}, reads)

    def append_many(self):
        appends = {key: self.new_elements() for key in self.some_lists()}
        outcome = self.transact([{"Update": append_update(key, elements)} for key, elements in appends.items()])
        self.note(outcome, appends, {})

    def read_lists(self):
        keys = self.some_lists()
        items = self.read("lists", keys)
        if items is None:
            return None
        reads = {key: elements_of(item) for key, item in zip(keys, items)}
        self.note(True, {}, reads)
        return reads

    def read_one(self):
        key = self.world.list_key(self.rng.randrange(LISTS))
        _, answer = self.ask("GetItem", {"TableName": "lists", "Key": key_of(key), "ConsistentRead": True})
        if answer is not None:
            self.note(True, {}, {key: elements_of(answer.get("Item"))})

    def read_and_append(self):
        """Appends on the condition that all lists are as they were read."""
        reads = self.read_lists()
        if reads is None:
            return
        changed = set(self.rng.sample(sorted(reads), self.rng.randrange(1, len(reads) + 1)))
        appends, actions = {}, []
        for key, elements in reads.items():
            condition, values = unchanged(key, elements)
            if key in changed:
                appends[key] = self.new_elements()
                action = append_update(key, appends[key])
                action["ExpressionAttributeValues"].update(values)
                actions.append({"Update": {**action, **condition}})
            else:
                check = {"TableName": "lists", "Key": key_of(key), **condition}
                actions.append({"ConditionCheck": {**check, "ExpressionAttributeValues": values} if values else check})
        self.note(self.transact(actions), appends, reads)

    # --- the rest ---

    def pay(self):
        payer, payee = self.rng.sample(ACCOUNTS, 2)
        amount = {":a": {"N": str(self.rng.randrange(1, 30))}}
        self.transact([
            {"Update": {"TableName": "others", "Key": key_of(payer), "UpdateExpression": "SET n = n - :a", "ConditionExpression": "n >= :a",
                        "ExpressionAttributeValues": amount}},
            {"Update": {"TableName": "others", "Key": key_of(payee), "UpdateExpression": "SET n = n + :a", "ExpressionAttributeValues": amount}}])

    def read_accounts(self):
        items = self.read("others", ACCOUNTS)
        balances = items and [int(item["n"]["N"]) for item in items]
        if balances and (sum(balances) != START * len(ACCOUNTS) or min(balances) < 0):
            self.problems.append(f"bank: the accounts have {balances}")

    def leave(self):
        """One of two goes only while the other is there."""
        pair, me = self.rng.randrange(PAIRS), self.rng.randrange(2)
        values = {":f": {"BOOL": False}}
        self.transact([
            {"Update": {"TableName": "others", "Key": key_of(f"pair{pair}.{me}"), "UpdateExpression": "SET there = :f", "ExpressionAttributeValues": values}},
            {"ConditionCheck": {"TableName": "others", "Key": key_of(f"pair{pair}.{1 - me}"), "ConditionExpression": "there = :t",
                                "ExpressionAttributeValues": {":t": {"BOOL": True}}}}])

    def come(self):
        self.ask("UpdateItem", {"TableName": "others", "Key": key_of(f"pair{self.rng.randrange(PAIRS)}.{self.rng.randrange(2)}"),
                                "UpdateExpression": "SET there = :t", "ExpressionAttributeValues": {":t": {"BOOL": True}}})

    def read_pair(self):
        pair = self.rng.randrange(PAIRS)
        items = self.read("others", [f"pair{pair}.0", f"pair{pair}.1"])
        if items and not any(item["there"]["BOOL"] for item in items):
            self.problems.append(f"write skew: nobody of pair {pair} is there")

    def count(self):
        outcome, answer = self.ask("UpdateItem", {
            "TableName": "others", "Key": key_of("counter"), "UpdateExpression": "ADD n :one", "ReturnValues": "UPDATED_NEW",
            "ExpressionAttributeValues": {":one": {"N": "1"}}})
        self.adds.append(Add(self.start_ns, self.end_ns, outcome, int(answer["Attributes"]["n"]["N"]) if outcome else None))

    def read_count(self):
        _, answer = self.ask("GetItem", {"TableName": "others", "Key": key_of("counter"), "ConsistentRead": True})
        if answer is not None:
            self.looks.append(Look(self.start_ns, self.end_ns, int(answer["Item"]["n"]["N"])))

    def claim(self):
        """A name that others want too."""
        name = f"name{self.world.names + self.rng.randrange(3)}"
        self.world.names += self.rng.random() < 0.3
        owner = f"{self.number}-{len(self.claims)}"
        outcome, _ = self.ask("PutItem", {"TableName": "unique", "Item": {**key_of(name), "owner": {"S": owner}},
                                          "ConditionExpression": "attribute_not_exists(pk)"})
        self.claims.append(Claim(name, owner, self.start_ns, self.end_ns, outcome))

    def run(self):
        kinds = [self.append_one] * 3 + [self.append_many] * 3 + [self.read_lists] * 3 + [self.read_one] * 2 + [self.read_and_append] * 4 + [
            self.pay, self.read_accounts, self.leave, self.come, self.read_pair, self.count, self.read_count, self.claim]
        try:
            while not self.world.closing and not self.problems:
                self.rng.choice(kinds)()
        except Exception as error:
            self.problems.append(f"the client failed: {error!r}")
            raise
        finally:
            self.close()
