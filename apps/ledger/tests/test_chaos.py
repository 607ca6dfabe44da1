"""Two copies of the service, and commands beside them, while kill -9 hits the copies, the commands and the server: everything is
made once, and no money comes or goes. The first class shows that the judge notices what is wrong."""

import pathlib
import sys
import threading
import unittest
from decimal import Decimal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from chaos import Chaos
from sums import sums_kept, sums_of
from trail import audited, breaks, changes_of, entries_of, replay, text
from waiting import wait_until

START = Decimal("100000")
ACCOUNTS = ["a1", "a2", "a3", "a4"]
ALWAYS = ["--from", "2020-01-01", "--to", "2099-12-31"]
CASH = "system-cash-USD"


def judge(asked, balances, made):
    """What is wrong. asked: {key: (payer, payee, amount)}; balances: {account: Decimal}; made: the keys of all transactions but
    reversals, which have those that they reverse behind a colon."""
    problems = []
    plain = [key for key in made if ":" not in key]
    if sorted(plain) != sorted(asked) or len(made) != len(set(made)):
        problems.append(f"missing {sorted(set(asked) - set(plain))}, too many {sorted(set(plain) - set(asked))}, "
                        f"twice {len(made) - len(set(made))}")
    expected = {account: Decimal(0) if account == CASH else START for account in balances}
    for key, (payer, payee, amount) in asked.items():
        if f"reverse:{key}" not in made:
            expected[payer] -= Decimal(amount)
            expected[payee] += Decimal(amount)
    return problems + [f"{account} has {balances[account]}, the payments make {expected[account]}"
                       for account in balances if balances[account] != expected[account]]


class Judgement(unittest.TestCase):
    def test_what_is_noticed(self):
        asked = {"k1": ("a1", "a2", "5.50")}
        right = {"a1": START - Decimal("5.5"), "a2": START + Decimal("5.5")}
        self.assertEqual(judge(asked, right, ["k1"]), [])
        self.assertEqual(judge(asked, right, ["k1", "k1"]), ["missing [], too many [], twice 1"])
        self.assertEqual(judge(asked, right, []), ["missing ['k1'], too many [], twice 0"])
        self.assertEqual(judge(asked, {**right, "a1": START}, ["k1"]), ["a1 has 100000, the payments make 99994.50"])
        self.assertEqual(judge(asked, {"a1": START, "a2": START}, ["k1", "reverse:k1"]), [])
        self.assertEqual(judge(asked, right, ["k1", "reverse:k1"])[0], "a1 has 99994.5, the payments make 100000")


class Payments(unittest.TestCase):
    def setUp(self):
        self.asked, self.results, self.lock = {}, {}, threading.Lock()

    def prepare(self, chaos):
        self.assertEqual(chaos.run("merchant", "add", "--id", "m1", "--name", "Shop", "--category", "Shop")[0], 0)
        for account in ACCOUNTS:
            self.assertEqual(chaos.run("account", "open", "--id", account, "--user", "u", "--balance", str(START))[0], 0)
        # From here on they follow the stream.
        self.assertEqual(chaos.run("totals", "rebuild")[0], 0)
        self.rebuilt = self.rebuilt_at(chaos)

    @staticmethod
    def rebuilt_at(chaos):
        return next(item["RebuiltAt"] for item in chaos.scan("FinancialTransactions") if item["PK"]["S"] == "TOTALS#PLACE")

    @staticmethod
    def totals_agree(chaos):
        items = chaos.scan("FinancialTransactions")
        return sums_kept(items) == sums_of(items)

    @staticmethod
    def trail_agrees(chaos):
        entries = entries_of(chaos.scan("FinancialTransactionsAudit"))
        return replay(entries) == audited(chaos.scan("FinancialTransactions"))

    def check_trail(self, chaos):
        """Every change has one entry, and nothing else has."""
        entries = entries_of(chaos.scan("FinancialTransactionsAudit"))
        self.assertEqual(breaks(entries), [])
        self.assertEqual(sorted(text(entry, "Sequence") for entry in entries[1:]), changes_of(chaos.endpoint))
        status, out, err = chaos.run("audit", "verify")
        self.assertEqual((status, out.split(";")[0], err), (0, f"{len(entries)} entries are right, 0 gaps", ""))

    def hear(self, chaos, key, result):
        """What was said once is so for ever."""
        with self.lock:
            if self.results.setdefault(key, result) != result:
                chaos.problems.append(f"{key} was {self.results[key]} and is {result}")

    def by_command(self, chaos, key, rng=None):
        payer, payee, amount = self.asked[key]
        arguments = (["deposit", "--to", payee] if payer == CASH else ["withdraw", "--from", payer] if payee == CASH else
                     ["pay", "--from", payer, "--to", payee, "--merchant", "m1"])
        status, out, _ = chaos.run(*arguments, "--key", key, "--amount", amount, rng=rng)
        if status == 0:
            self.hear(chaos, key, out.split()[0])
        return status == 0

    def by_service(self, chaos, key, rng):
        payer, payee, amount = self.asked[key]
        body = {"key": key, "amount": float(amount)}
        if CASH in (payer, payee):
            path, body["account"] = ("/deposits", payee) if payer == CASH else ("/withdrawals", payer)
        else:
            path, body = "/payments", {**body, "from": payer, "to": payee, "merchant": "m1"}
        answer = chaos.ask("POST", path, body, rng)
        if answer and answer[0] == 200:
            self.hear(chaos, key, answer[1]["id"])

    def check(self, chaos, rng):
        """Everything adds up at any moment, also while payments are made."""
        out = chaos.run("reconcile", *ALWAYS, rng=rng)[1]
        if out.splitlines() and not out.endswith(" 0 problems\n"):
            chaos.problems.append(out)

    def work(self, chaos, rng):
        dice = rng.random()
        with self.lock:
            unknown = [key for key in self.asked if key not in self.results]
            known = list(self.results.items())
        if dice < 0.05:
            self.check(chaos, rng)
        elif dice < 0.15 and known:
            key, transaction = rng.choice(known)
            answer = chaos.ask("POST", f"/transactions/{transaction}/reverse", {}, rng)
            if answer and answer[0] == 200:
                self.hear(chaos, f"reverse:{key}", answer[1]["id"])
        else:
            with self.lock:
                key = f"k{len(self.asked)}"
                if unknown and rng.random() < 0.5:
                    key = rng.choice(unknown)
                else:
                    self.asked[key] = (*rng.sample([*ACCOUNTS, CASH], 2), f"{rng.randint(1, 9999) / 100:.2f}")
            self.by_command(chaos, key, rng) if rng.random() < 0.3 else self.by_service(chaos, key, rng)

    def reversed(self):
        with self.lock:
            return any(key.startswith("reverse:") for key in self.results)

    def test_everything_is_made_once(self):
        with Chaos("ledger", "--reconcile-hour", "0", "--totals-every", "1s", "--audit-every", "1s") as chaos:
            chaos.storm(self.prepare, self.work, lambda: chaos.counts["command killed"] and self.reversed())
            self.assertEqual(chaos.problems, [])
            plain = [key for key in self.asked if key not in self.results]
            for key in plain:
                self.assertTrue(self.by_command(chaos, key), key)
            reconciled = chaos.run("reconcile", *ALWAYS)
            wait_until(lambda: self.totals_agree(chaos))
            wait_until(lambda: self.trail_agrees(chaos))
            self.check_trail(chaos)
            self.assertEqual(self.rebuilt_at(chaos), self.rebuilt)
            items = chaos.scan("FinancialTransactions")
            chaos.end()
        balances = {item["ID"]["S"]: Decimal(item["Balance"]["N"]) for item in items if item["Type"]["S"] == "Account"}
        ids = {item["ID"]["S"]: item["IdempotencyKey"]["S"] for item in items if item["Type"]["S"] == "Transaction"}
        made = [f"reverse:{ids[key.split(':')[1]]}" if key.startswith("reverse:") else key
                for key in ids.values() if not key.startswith("open:")]
        self.assertEqual(sum(balances.values()), 0)
        balances.pop("system-opening-USD")
        self.assertEqual(chaos.problems + judge(self.asked, balances, made), [])
        self.assertLessEqual(set(self.results), set(made))
        self.assertEqual(reconciled, (0, f"{len(made) + 4} transactions, 6 accounts, 0 problems\n", ""))
        counts = {**chaos.counts, "made": len(made), "reversed": len(made) - len(self.asked)}
        print(f"# {counts}", flush=True)
        # Less would show little.
        self.assertTrue(all(count for name, count in counts.items() if name not in ("command failed", "no answer")), counts)


if __name__ == "__main__":
    unittest.main()
