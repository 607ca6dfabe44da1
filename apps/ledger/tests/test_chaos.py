"""Payments between accounts while the server and the program are killed: every payment is made once, and no money comes or goes."""

import pathlib
import sys
import threading
import unittest
from decimal import Decimal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from chaos import Chaos

SECONDS = 12
START = Decimal("100000")
ACCOUNTS = ["a1", "a2", "a3", "a4"]


def judge(payments, balances, made):
    """What is wrong. payments: {key: (payer, payee, amount)}; balances: {account: Decimal}; made: the keys of all transactions."""
    problems = []
    if sorted(made) != sorted(payments):
        problems.append(f"missing {sorted(set(payments) - set(made))}, too many {sorted(set(made) - set(payments))}, "
                        f"twice {len(made) - len(set(made))}")
    expected = dict.fromkeys(balances, START)
    for payer, payee, amount in payments.values():
        expected[payer] -= Decimal(amount)
        expected[payee] += Decimal(amount)
    problems += [f"{account} has {balances[account]}, the payments make {expected[account]}"
                 for account in balances if balances[account] != expected[account]]
    return problems


class Judgement(unittest.TestCase):
    def test_what_is_noticed(self):
        payments = {"k1": ("a1", "a2", "5.50")}
        right = {"a1": START - Decimal("5.5"), "a2": START + Decimal("5.5")}
        self.assertEqual(judge(payments, right, ["k1"]), [])
        self.assertEqual(judge(payments, right, ["k1", "k1"]), ["missing [], too many [], twice 1"])
        self.assertEqual(judge(payments, right, []), ["missing ['k1'], too many [], twice 0"])
        self.assertEqual(judge(payments, {**right, "a1": START}, ["k1"]), ["a1 has 100000, the payments make 99994.50"])


class Payments(unittest.TestCase):
    def setUp(self):
        self.payments, self.results, self.lock = {}, {}, threading.Lock()

    def prepare(self, chaos):
        self.assertEqual(chaos.run("merchant", "add", "--id", "m1", "--name", "Shop", "--category", "Shop")[0], 0)
        for account in ACCOUNTS:
            self.assertEqual(chaos.run("account", "open", "--id", account, "--user", "u", "--balance", str(START))[0], 0)

    def pay(self, chaos, key, rng=None):
        payer, payee, amount = self.payments[key]
        status, out, _ = chaos.run("pay", "--key", key, "--from", payer, "--to", payee, "--merchant", "m1",
                                   "--amount", amount, rng=rng)
        if status == 0:
            with self.lock:
                if self.results.setdefault(key, out) != out:
                    chaos.problems.append(f"{key} now says: {out}")
        return status == 0

    def work(self, chaos, rng):
        if rng.random() < 0.05:
            # Everything adds up at any moment, also while payments are made.
            out = chaos.run("reconcile", "--from", "2020-01-01", "--to", "2099-12-31", rng=rng)[1]
            if out and not out.endswith(" 0 problems\n"):
                chaos.problems.append(out)
            return
        with self.lock:
            unknown = [key for key in self.payments if key not in self.results]
            key = f"k{len(self.payments)}"
            if unknown and rng.random() < 0.5:
                key = rng.choice(unknown)
            elif self.payments and rng.random() < 0.1:
                key = rng.choice(list(self.payments))
            else:
                self.payments[key] = (*rng.sample(ACCOUNTS, 2), f"{rng.randint(1, 9999) / 100:.2f}")
        self.pay(chaos, key, rng)

    def test_every_payment_is_made_once(self):
        with Chaos("ledger", SECONDS) as chaos:
            chaos.storm(self.prepare, self.work)
            self.assertEqual(chaos.problems, [])
            for key in self.payments:
                self.assertTrue(key in self.results or self.pay(chaos, key), key)
            reconciled = chaos.run("reconcile", "--from", "2020-01-01", "--to", "2099-12-31")
            items = chaos.scan("FinancialTransactions")
        balances = {item["ID"]["S"]: Decimal(item["Balance"]["N"]) for item in items
                    if item["Type"]["S"] == "Account" and item["UserID"]["S"] == "u"}
        made = [item["IdempotencyKey"]["S"] for item in items
                if item["Type"]["S"] == "Transaction" and item["TransactionType"]["S"] == "payment"]
        self.assertEqual(chaos.problems + judge(self.payments, balances, made), [])
        self.assertEqual(reconciled, (0, f"{len(self.payments) + 4} transactions, 5 accounts, 0 problems\n", ""))
        print(f"# {chaos.counts}, {len(self.payments)} payments", flush=True)
        # Less would show little.
        self.assertTrue(all(count for name, count in chaos.counts.items() if name != "program failed"), chaos.counts)


if __name__ == "__main__":
    unittest.main()
