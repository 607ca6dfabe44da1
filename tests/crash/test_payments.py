"""Payments in transactions while the server is killed and started again: every one that was acknowledged was
made exactly once, and no money came or went. payments.py says what is judged; the first class is its canary.

GRAMME_SEED runs another seed; GRAMME_SECONDS adds lives for so long."""

import os
import pathlib
import random
import tempfile
import threading
import unittest
import uuid

from payments import START, Bank, Payment, judge
from world import Link, Server, World
from rounds import rounds
from wire import call

SEED = int(os.environ.get("GRAMME_SEED", 1))
SECONDS = float(os.environ.get("GRAMME_SECONDS", 0))
DEATHS = 6
CLIENTS = 8
CAREFUL = [f"careful{n}" for n in range(5)]
PLAIN = [f"plain{n}" for n in range(5)]


class Judgement(unittest.TestCase):
    """What the judge must notice."""

    def setUp(self):
        self.payments = [
            Payment("p1", "a", "b", 10, (0, 0), (START, START), True),
            Payment("p2", "b", "a", 5, (1, 1), (START + 10, START - 10), True),
            Payment("p3", "a", "b", 1, (0, 0), (START, START), False),
            Payment("p4", "x", "y", 7, None, None, True)]
        entries = [payment.entry() for payment in self.payments if payment.paid]
        self.bank = Bank({"a": (START - 5, 2), "b": (START + 5, 2), "x": (START - 7, 1), "y": (START + 7, 1)},
                         list(entries), list(entries), {"p1", "p2", "p4"})

    def assert_noticed(self, *texts):
        problems = judge(self.bank, self.payments)
        self.assertEqual(len(problems), len(texts), problems)
        for text, problem in zip(texts, problems):
            self.assertIn(text, problem)

    def test_what_is_right(self):
        self.assert_noticed()

    def test_a_payment_made_twice(self):
        self.bank.accounts.update(x=(START - 14, 2), y=(START + 14, 2))
        self.assert_noticed("x has 986 after 2 payments", "y has 1014 after 2 payments")

    def test_half_a_payment(self):
        self.bank.accounts.update(y=(START, 0))
        self.assert_noticed("there are 3993 in all accounts, not 4000", "y has 1000 after 0 payments")

    def test_a_lost_payment(self):
        self.bank.ledger.pop()
        self.bank.by_payer.pop()
        self.bank.markers.remove("p4")
        self.bank.accounts.update(x=(START, 0), y=(START, 0))
        self.assert_noticed("the ledger lacks {'p4'}", "2 markers for 3 payments", "x has 1000", "y has 1000")

    def test_a_cancelled_payment_that_was_made(self):
        self.payments[3].paid = False
        self.assert_noticed("has {'p4'} too many", "3 markers for 2 payments", "x has 993", "y has 1007")

    def test_an_index_without_an_entry(self):
        self.bank.by_payer.pop()
        self.assert_noticed("the index has 2 entries, the ledger 3")

    def test_two_that_saw_the_same_version(self):
        self.payments[1].versions = (0, 1)
        self.assert_noticed("b: payment 1 saw version 0 with 1010; there were 1010")

    def test_one_that_saw_an_old_balance(self):
        self.payments[1].balances = (START + 10, START)
        self.assert_noticed("a: payment 1 saw version 1 with 1000; there were 990")


class Client(Link, threading.Thread):
    """Pays until the bank closes. A payment whose fate is not known is sent again until it is."""

    def __init__(self, world, rng):
        Link.__init__(self, world)
        threading.Thread.__init__(self)
        self.rng = rng
        self.payments, self.problems = [], []
        self.resent = self.totals = 0

    def send(self, payment):
        """One try: True, False, or None when nobody knows."""
        reply = self.exchange("TransactWriteItems", payment.request())
        if reply is None:
            return None
        status, body = reply
        if status == 200:
            return True
        if body["__type"].endswith("#TransactionCanceledException"):
            codes = {reason["Code"] for reason in body["CancellationReasons"]}
            if codes != {"None", "ConditionalCheckFailed"}:
                self.problems.append(f"cancelled for {codes}")
            return False
        self.problems.append(f"answered {status} {body}")
        return None if status >= 500 else False

    def settle(self, payment):
        while payment.paid is None and not self.problems:
            payment.paid = self.send(payment)
            self.resent += payment.paid is None
        # An impatient client sends what was acknowledged once more.
        if payment.paid and self.rng.random() < 0.2 and self.send(payment) is False:
            self.problems.append(f"{payment.id} was acknowledged, then cancelled")

    def read(self, names):
        """Balances and versions of accounts at one moment, or None."""
        reply = self.exchange("TransactGetItems", {"TransactItems": [
            {"Get": {"TableName": "accounts", "Key": {"pk": {"S": name}}}} for name in names]})
        if reply is None or reply[0] != 200:
            return None
        items = [response["Item"] for response in reply[1]["Responses"]]
        return [(int(item["balance"]["N"]), int(item["version"]["N"])) for item in items]

    def check_total(self):
        for names in (CAREFUL, PLAIN):
            states = self.read(names)
            total = states and sum(balance for balance, _ in states)
            if total not in (None, START * len(names)):
                self.problems.append(f"a reader saw {total} in {names}")
            self.totals += total is not None

    def pay(self):
        accounts = self.rng.choice((CAREFUL, PLAIN))
        payer, payee = self.rng.sample(accounts, 2)
        payment = Payment(str(uuid.UUID(int=self.rng.getrandbits(128))), payer, payee, self.rng.randint(1, 50))
        if accounts is CAREFUL:
            states = self.read([payer, payee])
            if states is None:
                return
            payment.balances, payment.versions = zip(*states)
        self.payments.append(payment)
        self.settle(payment)

    def run(self):
        try:
            while not self.world.closing and not self.problems:
                self.pay()
                if self.rng.random() < 0.1:
                    self.check_total()
        except Exception as error:  # A thread's failure is the test's.
            self.problems.append(repr(error))
        finally:
            self.close()


def create_tables(port):
    for name, index in (("accounts", None), ("markers", None), ("ledger", "payer")):
        attributes = [{"AttributeName": attribute, "AttributeType": "S"} for attribute in ("pk", index) if attribute]
        indexes = {"GlobalSecondaryIndexes": [{
            "IndexName": "by-payer", "KeySchema": [{"AttributeName": index, "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"}}]} if index else {}
        reply = call(port, "CreateTable", {
            "TableName": name, "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": attributes,
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], **indexes})
        assert reply.status == 200, reply.body
    for name in CAREFUL + PLAIN:
        call(port, "PutItem", {"TableName": "accounts", "Item": {
            "pk": {"S": name}, "balance": {"N": str(START)}, "version": {"N": "0"}}})
    call(port, "PutItem", {"TableName": "markers", "Item": {"pk": {"S": "bank"}, "is_open": {"BOOL": True}}})


def scan(port, table, **parameters):
    items, start = [], {}
    while True:
        page = call(port, "Scan", {"TableName": table, **parameters, **start}).json
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def look(port):
    """What the database holds, and whether its counts agree."""
    accounts, ledger, markers = scan(port, "accounts"), scan(port, "ledger"), scan(port, "markers")
    bank = Bank({item["pk"]["S"]: (int(item["balance"]["N"]), int(item["version"]["N"])) for item in accounts},
                ledger, scan(port, "ledger", IndexName="by-payer"), {item["pk"]["S"] for item in markers} - {"bank"})
    table = call(port, "DescribeTable", {"TableName": "ledger"}).json["Table"]
    counts = (table["ItemCount"], table["GlobalSecondaryIndexes"][0]["ItemCount"])
    return bank, [] if counts == (len(ledger), len(ledger)) else [f"ItemCount of ledger and index: {counts}, entries: {len(ledger)}"]


class Payments(unittest.TestCase):
    def test_money_neither_comes_nor_goes(self):
        print(f"# repeat with GRAMME_SEED={SEED}", flush=True)
        rng, world = random.Random(SEED), World()
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder) / "data"
            with Server("--data", data) as server:
                create_tables(server.port)
            clients = [Client(world, random.Random(rng.random())) for _ in range(CLIENTS)]
            for client in clients:
                client.start()
            server, deaths = world.crash_again_and_again(rng, rounds(DEATHS, SECONDS), "--data", data)
            world.closing = True
            for client in clients:
                client.join()
            bank, problems = look(server.port)
            server.stop()
            server.errors.close()
        payments = [payment for client in clients for payment in client.payments]
        problems += [problem for client in clients for problem in client.problems] + judge(bank, payments)
        self.assertEqual(problems, [])
        self.show_that_it_shows(deaths, clients, payments)

    def show_that_it_shows(self, deaths, clients, payments):
        """A run without crashes, payments of both kinds, lost answers and cancellations would prove little."""
        counts = {
            "deaths": deaths, "answers lost": sum(client.resent for client in clients),
            "careful": sum(bool(payment.paid and payment.versions) for payment in payments),
            "plain": sum(bool(payment.paid and not payment.versions) for payment in payments),
            "cancelled": sum(payment.paid is False for payment in payments),
            "totals": sum(client.totals for client in clients)}
        print(f"# {counts}", flush=True)
        self.assertTrue(all(counts.values()), counts)


if __name__ == "__main__":
    unittest.main()
