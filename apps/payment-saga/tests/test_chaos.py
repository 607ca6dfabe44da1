"""Payments while the server, the program and the gateway's answers come and go: nobody pays twice, nobody pays for nothing,
and every payment ends once it is run again. The first class shows that the judge notices what is wrong."""

import collections
import pathlib
import sys
import threading
import unittest
from decimal import Decimal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from testing import program
from chaos import Chaos

SECONDS = 15
START = Decimal("100000")
USERS = ["anna", "ben"]


def judge(results, wallets, charged, events):
    """What is wrong. results: {(user, payment): (ending, amount)}; wallets: {user: (balance, version)}; charged: the lines of
    the gateway's book; events: {payment: [type and status]}."""
    problems = []
    good = {f"{user}:{payment} {amount} USD" for (user, payment), (ending, amount) in results.items() if ending == "SUCCESS"}
    if sorted(charged) != sorted(good):
        problems.append(f"charged without success: {sorted(set(charged) - good)}, success without charge: "
                        f"{sorted(good - set(charged))}, charged twice: {len(charged) - len(set(charged))}")
    for user, (balance, version) in wallets.items():
        mine = {payment: result for (owner, payment), result in results.items() if owner == user}
        left = START - sum(Decimal(amount) for ending, amount in mine.values() if ending == "SUCCESS")
        if balance != left:
            problems.append(f"{user} has {balance}, the payments leave {left}")
        changes = sum(event in ("WALLET_DEBITED SUCCESS", "REFUND_INITIATED SUCCESS")
                      for payment in mine for event in events[payment])
        if version != 1 + changes:
            problems.append(f"the wallet of {user} has version {version} after {changes} changes")
    for (_, payment), (ending, _) in results.items():
        counts = collections.Counter(events[payment])
        debits, refunds = counts["WALLET_DEBITED SUCCESS"], counts["REFUND_INITIATED SUCCESS"]
        if (debits, refunds) not in ({"SUCCESS": [(1, 0)], "FAILED": [(0, 0), (1, 1)]}[ending]):
            problems.append(f"{payment} {ending}: {debits} debits, {refunds} refunds")
    return problems


class Judgement(unittest.TestCase):
    def setUp(self):
        self.results = {("anna", "p1"): ("SUCCESS", "10.00"), ("anna", "p2"): ("FAILED", "5.00")}
        self.wallets = {"anna": (START - 10, 4)}
        self.charged = ["anna:p1 10.00 USD"]
        self.events = {"p1": ["PAYMENT_INITIATED PENDING", "WALLET_DEBITED SUCCESS", "PAYMENT_PROCESSED SUCCESS"],
                       "p2": ["PAYMENT_INITIATED PENDING", "WALLET_DEBITED SUCCESS", "REFUND_INITIATED SUCCESS"]}

    def assert_noticed(self, *texts):
        problems = judge(self.results, self.wallets, self.charged, self.events)
        self.assertEqual(len(problems), len(texts), problems)
        for text, problem in zip(texts, problems):
            self.assertIn(text, problem)

    def test_what_is_right(self):
        self.assert_noticed()

    def test_a_debit_made_twice(self):
        self.wallets["anna"] = (START - 20, 5)
        self.assert_noticed("anna has 99980, the payments leave 99990", "version 5 after 3 changes")

    def test_a_charge_that_was_refunded(self):
        self.charged.append("anna:p2 5.00 USD")
        self.assert_noticed("charged without success: ['anna:p2 5.00 USD']")

    def test_a_charge_made_twice(self):
        self.charged *= 2
        self.assert_noticed("charged twice: 1")

    def test_a_refund_that_is_missing(self):
        self.events["p2"].pop()
        self.assert_noticed("version 4 after 2 changes", "p2 FAILED: 1 debits, 0 refunds")


class Payments(unittest.TestCase):
    def setUp(self):
        self.payments, self.results, self.lock = {}, {}, threading.Lock()

    def prepare(self, chaos):
        self.book = pathlib.Path(chaos.folder.name) / "book"
        for user in USERS:
            self.assertEqual(chaos.run("wallet", "create", user, "--balance", str(START))[0], 0)

    def pay(self, chaos, payment, lose, rng=None):
        user, amount = self.payments[payment]
        gateway = f"{program('payment-saga')} simulate-gateway --book {self.book} --decline 25 --lose {lose}"
        status, out, _ = chaos.run("pay", "--user", user, "--payment", payment, "--amount", amount, "--gateway", gateway,
                                   "--breaker-reset", "1", "--breaker-failures", "6", rng=rng)
        if status in (0, 1) and out:
            name, ending, paid, _ = out.split(" ", 3)
            with self.lock:
                # A result that was given once is the result for ever.
                if (name, paid) != (payment, amount) or self.results.setdefault((user, payment), (ending, amount))[0] != ending:
                    chaos.problems.append(f"{payment} of {amount} now says: {out}")
            return True
        return False

    def work(self, chaos, rng):
        with self.lock:
            open_payments = [payment for payment, (user, _) in self.payments.items() if (user, payment) not in self.results]
            payment = f"p{len(self.payments)}"
            # Often one that is under way, perhaps in another thread at this moment; seldom one that has ended.
            if open_payments and rng.random() < 0.6:
                payment = rng.choice(open_payments)
            elif self.payments and rng.random() < 0.1:
                payment = rng.choice(list(self.payments))
            else:
                self.payments[payment] = (rng.choice(USERS), f"{rng.randint(1, 9999) / 100:.2f}")
        self.pay(chaos, payment, lose=20, rng=rng)

    def finish(self, chaos):
        """After the storm a run or two end every payment."""
        for payment, (user, _) in self.payments.items():
            for _ in range(4):
                if (user, payment) in self.results or self.pay(chaos, payment, lose=0):
                    break
                threading.Event().wait(1.1)  # until the breaker lets one through
            self.assertIn((user, payment), self.results)

    def test_everybody_pays_once(self):
        with Chaos("payment-saga", SECONDS) as chaos:
            chaos.storm(self.prepare, self.work)
            self.assertEqual(chaos.problems, [])
            self.finish(chaos)
            events = collections.defaultdict(list)
            for item in chaos.scan("PaymentEvents"):
                events[item["paymentId"]["S"]].append(f"{item['eventType']['S']} {item['status']['S']}")
            wallets = {item["userId"]["S"]: (Decimal(item["balance"]["N"]), int(item["version"]["N"]))
                       for item in chaos.scan("Wallets")}
            keys = {item["status"]["S"] for item in chaos.scan("IdempotencyKeys")}
            charged = self.book.read_text().splitlines()
        self.assertEqual(chaos.problems + judge(self.results, wallets, charged, events), [])
        self.assertEqual((keys, set(events)), ({"COMPLETED"}, {*self.payments, *(f"wallet:{user}" for user in USERS)}))
        endings = collections.Counter(ending for ending, _ in self.results.values())
        counts = {**chaos.counts, "SUCCESS": endings["SUCCESS"], "FAILED": endings["FAILED"]}
        print(f"# {counts}", flush=True)
        self.assertTrue(all(counts.values()), counts)  # less would show little


if __name__ == "__main__":
    unittest.main()
