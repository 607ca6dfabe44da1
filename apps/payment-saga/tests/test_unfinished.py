"""payment-saga: payments that were left, that many run at once, and that die at every point."""

import concurrent.futures
import decimal
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from proxies import HoldingProxy, deaths
from saga import PaymentSaga


class Unfinished(PaymentSaga):
    """Payments that were left, and how they end."""

    def setUp(self):
        super().setUp()
        self.wallet()

    def leave(self, payment, gateway="exit 7; #"):
        """A payment of which nobody knows whether the gateway has charged."""
        self.assertEqual(self.pay(payment, gateway=gateway)[:2], (1, ""))
        self.assertEqual(self.balance(), "899.5")

    def set_times(self, began_s, deadline_s):
        """Of the only payment that is left, in seconds from now."""
        item, = self.index()
        times = {name: {"S": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + seconds))}
                 for name, seconds in ((":b", began_s), (":d", deadline_s))}
        self.client.update_item(TableName="IdempotencyKeys", Key={"idempotencyKey": item["idempotencyKey"]}, ExpressionAttributeValues=times,
                                UpdateExpression="SET #r.began = :b, #r.deadline = :d", ExpressionAttributeNames={"#r": "result"})

    def work(self, gateway=None):
        """A pass, when the payments are due."""
        self.set_next_try("2020-01-01T00:00:00.000Z")
        return self.run_app("work", "--gateway", gateway or self.gateway)

    def set_next_try(self, when):
        for item in self.index():
            self.client.update_item(TableName="IdempotencyKeys", Key={"idempotencyKey": item["idempotencyKey"]},
                                    UpdateExpression="SET nextTry = :t", ExpressionAttributeValues={":t": {"S": when}})

    def index(self):
        return self.client.scan(TableName="IdempotencyKeys", IndexName="Unfinished")["Items"]

    def test_a_gateway_that_cannot_be_run(self):
        """It has not charged for sure, so the money is back at once."""
        for payment, gateway, why in (("p1", "/no/such/program 2>/dev/null", "it ended with status 127"),
                                      ("p2", "/etc/passwd 2>/dev/null", "it ended with status 126"),
                                      ("p3", "echo too busy; exit 2; #", "too busy")):
            self.assertEqual(self.pay(payment, gateway=gateway), (1, f"{payment} FAILED 100.50 {why}\n", ""))
        self.assertEqual((self.balance(), self.index()), ("1000", []))

    def test_it_is_found_and_finished(self):
        self.leave("p1")
        self.expect("p1 user-123 CHARGING 100.50 since TIME until TIME\n", "pending")
        self.assertEqual(self.work(), (0, "p1 SUCCESS 100.50 sim-user-123:p1\n1 ended, 0 pending, 0 overdue\n", ""))
        self.assertEqual((self.balance(), self.charged(), self.index()), ("899.5", ["p1"], []))
        self.expect("", "pending")
        self.expect("0 ended, 0 pending, 0 overdue\n", "work", "--gateway", self.gateway)

    def test_an_answer_lost_after_the_charge(self):
        self.leave("p1", gateway=f'{self.gateway} "$@" >/dev/null; exit 7; #')
        self.assertEqual(self.charged(), ["p1"])
        self.assertEqual(self.work()[1], "p1 SUCCESS 100.50 sim-user-123:p1\n1 ended, 0 pending, 0 overdue\n")
        self.assertEqual((self.balance(), self.charged()), ("899.5", ["p1"]))

    def test_it_waits_its_turn(self):
        before = time.time()
        self.leave("p1")
        soonest = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(before + 1))
        self.assertGreaterEqual(self.index()[0]["nextTry"]["S"], soonest)  # not at once
        self.set_next_try("2099-01-01T00:00:00.000Z")
        self.expect("0 ended, 0 pending, 0 overdue\n", "work", "--gateway", self.gateway)

    def test_without_an_answer_in_time_it_is_undone(self):
        self.leave("p1")
        self.set_times(-600, 300)  # half of its time is over
        self.assertEqual(self.work(), (0, "p1 FAILED 100.50 not paid in time\n1 ended, 0 pending, 0 overdue\n", ""))
        self.assertEqual((self.balance(), self.charged(), self.index()), ("1000", ["p1"], []))
        self.assertEqual(self.book.read_text(), "user-123:p1 refunded\n")
        self.assertEqual(self.pay("p1"), (1, "p1 FAILED 100.50 not paid in time\n", ""))
        self.assertEqual(self.run_app("simulate-gateway", "charge", "user-123:p1", "100.50", "USD", "--book", str(self.book))[0], 1)

    def test_a_gateway_that_stays_away_is_told_of(self):
        self.leave("p1")
        self.set_times(-1000, -100)
        status, out, err = self.work(gateway="exit 7; #")
        self.assertEqual((status, out), (1, "0 ended, 1 pending, 1 overdue\n"))
        self.assertEqual(err, "gramme-payment-saga: p1 is pending: nobody knows whether the gateway has refunded: it ended with status 7\n")
        self.expect("p1 user-123 UNDOING 100.50 since TIME overdue since TIME\n", "pending")
        self.expect("p1 FAILED 100.50 not charged, as the gateway's books show\n", "resolve", "p1", "--not-charged")
        self.assertEqual((self.balance(), self.index()), ("1000", []))

    def test_a_person_says_that_it_was_charged(self):
        self.leave("p1")
        self.expect("p1 SUCCESS 100.50 ref 17\n", "resolve", "p1", "--charged", "ref 17")
        self.expect("p1 SUCCESS 100.50 ref 17\n", "resolve", "p1", "--not-charged", status=1)
        self.assertEqual((self.balance(), self.index()), ("899.5", []))

    def test_cancel(self):
        self.leave("p1")
        undo = ["--gateway", self.gateway]
        for _ in range(2):
            self.expect("p1 FAILED 100.50 cancelled\n", "cancel", "p1", *undo)
        self.assertEqual((self.balance(), self.charged(), self.index()), ("1000", ["p1"], []))
        self.pay("p2")
        self.expect("p2 SUCCESS 100.50 sim-user-123:p2\n", "cancel", "p2", *undo, status=1)
        self.expect("", "cancel", "p9", *undo, status=1, err="gramme-payment-saga: there is no payment p9\n")
        self.assertEqual(self.balance(), "899.5")

    def test_cancel_when_it_was_charged_for_good(self):
        """The gateway says that it cannot be undone: then it is paid."""
        self.leave("p1")
        self.expect("p1 SUCCESS 100.50 too late\n", "cancel", "p1", "--gateway", "echo too late; exit 1; #", status=1)
        self.assertEqual(self.balance(), "899.5")

    def test_refund(self):
        undo = ["--gateway", self.gateway]
        self.pay("p1")
        self.assertEqual(self.pay("p2", gateway=f"{self.gateway} --decline 100")[0], 1)
        for _ in range(2):
            self.expect("p1 REFUNDED 100.50 sim-user-123:p1\n", "refund", "p1", *undo)
        self.assertEqual(self.balance(), "1000")
        self.assertEqual(self.pay("p1"), (1, "p1 REFUNDED 100.50 sim-user-123:p1\n", ""))
        self.assertEqual(self.events("p1")[-2:], ["REFUND_INITIATED PENDING", "REFUND_INITIATED SUCCESS"])
        self.assertIn("p1 REFUNDED\n", self.run_app("status", "p1")[1])
        self.expect("p2 FAILED 100.50 declined by the simulator\n", "refund", "p2", *undo, status=1)
        self.assertEqual(self.book.read_text(), "user-123:p1 100.50 USD\nuser-123:p1 refunded\n")

    def test_two_refunds_at_once(self):
        """One is held back at each of its requests in turn, while the other does all of it."""
        for at in range(1, 12):
            payment, done = f"p{at}", []
            self.pay(payment, "1.00")
            refund = ["refund", payment, "--gateway", self.gateway]
            HoldingProxy(self.server.port, at, lambda: done.append(self.run_app(*refund)[0])).run(self.app, *refund)
            self.assertEqual((done, self.balance()), ([0], "1000"), at)
        self.expect("1 wallets, 0 problems\n", "wallet", "verify")

    def test_a_refund_that_the_gateway_declines_or_loses(self):
        self.pay("p1")
        for _ in range(2):
            self.expect("p1 SUCCESS 100.50 sim-user-123:p1\n", "refund", "p1", "--gateway", "exit 1; #", status=1)
        self.assertEqual(self.balance(), "899.5")
        self.expect("", "refund", "p1", "--gateway", "exit 7; #", status=1, err="gramme-payment-saga: p1 is pending: nobody knows "
                    "whether the gateway has refunded: it ended with status 7\n")
        self.assertEqual(self.work()[1], "p1 REFUNDED 100.50 sim-user-123:p1\n1 ended, 0 pending, 0 overdue\n")
        self.assertEqual(self.balance(), "1000")

    def test_a_refund_long_after(self):
        self.pay("p1")
        self.client.delete_item(TableName="IdempotencyKeys", Key={"idempotencyKey": {"S": "user-123:p1"}})
        for _ in range(2):
            self.expect("p1 REFUNDED 100.50 sim-user-123:p1\n", "refund", "p1", "--gateway", self.gateway)
            self.client.delete_item(TableName="IdempotencyKeys", Key={"idempotencyKey": {"S": "user-123:p1"}})
        self.assertEqual(self.balance(), "1000")

    def test_what_does_not_fit(self):
        self.leave("p1")
        undo = ["--gateway", self.gateway]
        self.expect("", "refund", "p1", *undo, status=1, err="gramme-payment-saga: p1 has not ended; cancel it\n")
        self.expect("", "refund", "p9", *undo, status=1, err="gramme-payment-saga: there is no payment p9\n")

    def test_two_at_work_take_up_each_payment_once(self):
        for n in range(6):
            self.pay(f"p{n}", "1.00", gateway="exit 7; #", more=["--breaker-failures", "100"])
        self.set_next_try("2020-01-01T00:00:00.000Z")
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            outs = [result[1] for result in pool.map(lambda _: self.run_app("work", "--gateway", self.gateway), range(3))]
        ended = sorted(line.split()[0] for out in outs for line in out.splitlines() if "SUCCESS" in line)
        self.assertEqual((ended, self.charged()), ([f"p{n}" for n in range(6)],) * 2)


class Concurrency(PaymentSaga):
    def test_one_payment_run_by_many_at_once(self):
        self.wallet()
        arguments = self.pay_arguments("p1", gateway=f"{self.gateway} --delay 50")
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            results = set(pool.map(lambda _: self.run_app(*arguments), range(12)))
        self.assertEqual(results, {(0, "p1 SUCCESS 100.50 sim-user-123:p1\n", "")})
        self.assertEqual((self.balance(), self.charged()), ("899.5", ["p1"]))
        self.assertEqual(len(self.events("p1")), 4)

    def test_many_payments_from_one_wallet(self):
        """More than it has: what is paid is paid in full, and the balance never drops below zero."""
        self.wallet("500.00")
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            results = list(pool.map(lambda n: self.pay(f"p{n}", "90.00")[:2], range(10)))
        self.assertEqual(sorted(status for status, _ in results), [0] * 5 + [1] * 5)
        self.assertEqual(sum("not enough money" in out for _, out in results), 5)
        self.assertEqual((self.balance(), len(self.charged())), ("50", 5))


class ConcurrencyWithConflicts(Concurrency):
    """As in the service: transactions that meet on an item are cancelled with TransactionConflict."""

    server_arguments = ["--memory", "--transaction-conflicts"]


class CrashAtEveryPoint(PaymentSaga):
    """The program is killed at each of its requests in turn. Run again, it ends as if nothing had been."""

    def check(self, result, charged, more=(), gateway="", balance="1000000"):
        def arguments(payment):
            return self.pay_arguments(payment, gateway=f"{self.gateway} {gateway}", more=more)

        self.wallet(balance)
        payments = []
        for payment in deaths(self.server.port, self.app, arguments):
            self.assertEqual(self.run_app(*arguments(payment)),
                             (0 if charged else 1, f"{payment} {result.replace('ID', payment)}\n", ""))
            payments.append(payment)
        count = len(payments) + 2  # the last run before and the last run after lived
        self.assertGreater(count, 10)
        self.assertEqual(len(set(self.charged())), count if charged else 0)
        self.assertEqual(len(self.charged()), len(set(self.charged())))
        self.assertEqual(decimal.Decimal(self.balance()),
                         decimal.Decimal(balance) - (count * decimal.Decimal("100.50") if charged else 0))

    def test_a_payment(self):
        self.check("SUCCESS 100.50 sim-user-123:ID", True)

    def test_a_declined_payment(self):
        self.check("FAILED 100.50 declined by the simulator", False, gateway="--decline 100")

    def test_not_enough_money(self):
        self.check("FAILED 100.50 not enough money", False, balance="100.49")

    def test_an_open_breaker(self):
        self.open_breaker()
        self.check("FAILED 100.50 the circuit breaker is open", False)


    def check_undone(self, command, prepare, result):
        """A command that gives the money back, killed at each of its requests."""
        self.wallet()
        undo = ["--gateway", self.gateway]

        def arguments(payment):
            prepare(payment)
            return [command, payment, *undo]

        count = 0
        for payment in deaths(self.server.port, self.app, arguments):
            self.assertEqual(self.run_app(command, payment, *undo), (0, f"{payment} {result.replace('ID', payment)}\n", ""))
            count += 1
        self.assertGreater(count, 10)
        self.assertEqual(self.balance(), "1000")
        self.expect("1 wallets, 0 problems\n", "wallet", "verify")

    def test_a_refund(self):
        self.check_undone("refund", lambda payment: self.pay(payment, "1.00"), "REFUNDED 1.00 sim-user-123:ID")

    def test_a_cancelled_payment(self):
        self.check_undone("cancel", lambda payment: self.pay(payment, "1.00", gateway="exit 7; #", more=["--breaker-failures", "1000"]),
                          "FAILED 1.00 cancelled")


if __name__ == "__main__":
    unittest.main()
