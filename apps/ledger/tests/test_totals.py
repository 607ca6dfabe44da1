"""The ledger's totals: kept by the table's stream, and built anew."""

import concurrent.futures
import decimal
import random
import threading
import time
import unittest

from ledger import ALWAYS, K1, K2, Ledger
from sums import sums_kept, sums_of
from testing import Server, Service, apply, closing_client, run
from waiting import wait_until
from wire import advance


class Totals(Ledger):
    """Sums that follow the table's stream, beside the sums of what is in the table."""

    def setUp(self):
        super().setUp()
        self.expect("0 totals\n", "totals", "rebuild")

    def kept(self):
        return sums_kept(self.everything()["FinancialTransactions"])

    def right(self):
        return sums_of(self.everything()["FinancialTransactions"])

    def agree(self):
        items = self.everything()["FinancialTransactions"]
        return sums_kept(items) == sums_of(items)

    def mix(self):
        """Payments of all statuses, cash and a reversal."""
        self.open("1500.00", "0.00")
        self.pay("k1")
        self.pay("k2", "4.50")
        self.run_app("reverse", K1)
        self.run_app("deposit", "--key", "d1", "--to", "a1", "--amount", "0.01")
        made = [self.run_app(*self.pay_arguments(key, "7.00"), "--pending")[1].split()[0] for key in ("p1", "p2", "p3")]
        self.run_app("complete", made[0])
        self.run_app("fail", made[1], "--reason", "x")

    def test_what_is_kept(self):
        today = time.strftime("%Y-%m-%d", time.gmtime())
        with Service(self.app, self.server.endpoint) as service:
            self.mix()
            wait_until(self.agree)
            merchant = service.get("/merchants/m1/totals")[1]["totals"]
            account = service.get("/accounts/a1/totals?from=2020-01")[1]["totals"]
            self.assertEqual(service.get("/merchants/m1/totals?to=2020-12-31"), (200, {"totals": []}))
            self.assertEqual(service.get("/merchants/m1/totals?from=x")[0], 400)
            self.assertIn("gramme_ledger_totals_changes_total", service.text("/metrics"))
            self.assertRegex(service.text("/metrics"), r"(?m)^gramme_ledger_totals_lag_seconds \d{1,2}$")
            self.assertIn("/accounts/{account}/totals", service.get("/openapi.json")[1]["paths"])
        if len(merchant) == len(account) == 1 and today == time.strftime("%Y-%m-%d", time.gmtime()):  # not over midnight
            self.assertEqual({name: merchant[0][name] for name in ("ID", "Period", "Currency")},
                             {"ID": "m1", "Period": today, "Currency": "USD"})
            self.expect(f"{today} USD completed 3 17.00 reversed 1 5.50 pending 1 7.00 failed 1 7.00\n", "totals", "merchant", "m1")
            self.expect(f"{today[:7]} USD debit 3 17.00 credit 3 1505.51\n", "totals", "account", "a1", "--from", today, "--to", today)
        self.assertEqual(service.errors, "")
        self.assertRegex(self.run_app("reconcile", *ALWAYS)[1], " 0 problems\n$")

    def test_what_is_removed_by_hand_counts_no_more(self):
        with Service(self.app, self.server.endpoint):
            self.mix()
            for item in self.everything()["FinancialTransactions"]:
                if item["PK"]["S"] == f"TXN#{K2}":
                    self.client.delete_item(TableName="FinancialTransactions", Key={"PK": item["PK"], "SK": item["SK"]})
            wait_until(self.agree)

    def test_rebuilding(self):
        self.mix()
        self.client.put_item(TableName="FinancialTransactions", Item={
            "PK": {"S": "TOTAL#MERCHANT#m9"}, "SK": {"S": "DAY#2024-01-01#USD"}, "Type": {"S": "Total"}, "Currency": {"S": "USD"},
            "Period": {"S": "2024-01-01"}, "CompletedCount": {"N": "7"}, "CompletedSum": {"N": "7"}})
        self.assertEqual(self.run_app("totals", "rebuild")[0], 0)
        self.assertEqual(self.kept(), self.right())
        self.assertTrue(self.right())
        with Service(self.app, self.server.endpoint):
            self.pay("k9")
            wait_until(self.agree)

    def test_rebuilding_while_payments_are_made(self):
        """In a table of several pages, where transactions also change and are removed."""
        self.open("100000.00", "100000.00")
        self.pay("k1")
        leg = next(item for item in self.everything()["FinancialTransactions"] if item["PK"]["S"] == f"TXN#{K1}" and "AccountID" in item)
        table = self.resource_table("FinancialTransactions")
        with table.batch_writer() as batch:
            for n in range(2500):
                batch.put_item(Item={**{name: next(iter(value.values())) for name, value in leg.items()},
                                     "PK": f"TXN#old{n}", "AccountID": f"o{n % 50}", "Amount": decimal.Decimal("1.25")})
        over, made = threading.Event(), []

        def work(worker):
            rng = random.Random(worker)
            with closing_client(self.server) as client:
                while not over.is_set():
                    n = rng.randrange(2500)
                    old = {"PK": {"S": f"TXN#old{n}"}, "SK": leg["SK"]}
                    made.append(service.post("/payments", {"key": f"w{worker}-{len(made)}", "from": "a1", "to": "a2", "merchant": "m1",
                                                           "amount": 0.01})[1]["id"])
                    if rng.random() < 0.3:
                        service.post(f"/transactions/{rng.choice(made)}/reverse", {})
                    elif rng.random() < 0.3:
                        client.update_item(TableName="FinancialTransactions", Key=old, UpdateExpression="SET Amount = :a",
                                           ConditionExpression="attribute_exists(PK)",
                                           ExpressionAttributeValues={":a": {"N": str(rng.randrange(1, 100))}})
                    elif rng.random() < 0.02 * (worker == 0):
                        client.put_item(TableName="FinancialTransactions", Item={**leg, **old, "PK": {"S": f"TXN#new{n}"}})

        with Service(self.app, self.server.endpoint) as service, concurrent.futures.ThreadPoolExecutor(3) as pool:
            workers = [pool.submit(work, worker) for worker in range(3)]
            try:
                wait_until(lambda: len(made) > 10)
                before = len(made)
                self.expect_built()
                self.assertGreater(len(made), before)
                self.client.delete_item(TableName="FinancialTransactions", Key={"PK": {"S": "TXN#old7"}, "SK": leg["SK"]})
            finally:
                over.set()
            for worker in workers:
                worker.result()
            wait_until(self.agree)
        self.assertNotIn("totals:", service.errors)

    def expect_built(self):
        status, out, err = self.run_app("totals", "rebuild")
        self.assertEqual((status, out.split()[1:], err), (0, ["totals"], ""))

    def test_the_first_start_builds_them(self):
        super().setUp()  # a new table, without a place
        self.expect("", "totals", "merchant", "m1", status=1,
                    err="gramme-ledger: there are no totals yet; `gramme-ledger serve` keeps them\n")
        self.mix()
        with Service(self.app, self.server.endpoint), Service(self.app, self.server.endpoint):
            wait_until(self.agree)
            self.pay("k9")
            wait_until(self.agree)

    def test_a_builder_that_died(self):
        self.mix()
        place = {"PK": {"S": "TOTALS#PLACE"}, "SK": {"S": "METADATA"}, "Type": {"S": "TotalsPlace"}, "Builder": {"S": "somebody"}}
        self.client.put_item(TableName="FinancialTransactions", Item={**place, "SavedAt": {"S": "2020-01-01T00:00:00.000Z"}})
        self.expect("", "totals", "merchant", "m1", status=1, err="gramme-ledger: the totals are being built\n")
        with Service(self.app, self.server.endpoint):
            wait_until(self.agree)

    def test_changes_that_are_gone(self):
        """No copy ran for more than 24 hours: they are built anew."""
        with Server("--memory", "--test-clock") as server, closing_client(server) as client:
            apply(self.app, server.endpoint)
            run(self.app, server.endpoint, "account", "open", "--id", "a1", "--user", "u", "--balance", "5")
            run(self.app, server.endpoint, "totals", "rebuild")
            run(self.app, server.endpoint, "deposit", "--key", "d1", "--to", "a1", "--amount", "1")
            advance(server.port, 30 * 3600)
            run(self.app, server.endpoint, "deposit", "--key", "d2", "--to", "a1", "--amount", "1")

            def agree():
                items = client.scan(TableName="FinancialTransactions")["Items"]
                return sums_kept(items) == sums_of(items)

            with Service(self.app, server.endpoint, "--totals-every", "1s") as service:
                wait_until(agree)
                run(self.app, server.endpoint, "deposit", "--key", "d3", "--to", "a1", "--amount", "1")
                wait_until(agree)
        self.assertNotIn("totals:", service.errors)

    def test_a_place_that_is_too_old(self):
        """Changes may have come and gone unseen: they are built anew."""
        self.mix()
        self.assertEqual(self.run_app("totals", "rebuild")[0], 0)
        self.client.update_item(TableName="FinancialTransactions", Key={"PK": {"S": "TOTALS#PLACE"}, "SK": {"S": "METADATA"}},
                                UpdateExpression="SET SavedAt = :t REMOVE RebuiltAt",
                                ExpressionAttributeValues={":t": {"S": "2026-01-01T00:00:00.000Z"}})
        with Service(self.app, self.server.endpoint):
            wait_until(lambda: "RebuiltAt" in self.item("TOTALS#PLACE"))
            wait_until(self.agree)

    def test_a_stream_that_is_off(self):
        def switch(**specification):
            self.client.update_table(TableName="FinancialTransactions", StreamSpecification=specification)

        def says(text):
            with Service(self.app, self.server.endpoint, "--totals-every", "1s") as service:
                wait_until(lambda: 'task="totals",outcome="failed"} 0' not in service.text("/metrics"))
            self.assertIn(text, service.errors)

        switch(StreamEnabled=False)
        says("totals: the stream of table FinancialTransactions is off; totals need one with NEW_AND_OLD_IMAGES")
        self.mix()
        switch(StreamEnabled=True, StreamViewType="NEW_AND_OLD_IMAGES")
        with Service(self.app, self.server.endpoint):
            wait_until(self.agree)  # what was changed meanwhile is not in the new one
        self.assertTrue(self.right())


if __name__ == "__main__":
    unittest.main()
