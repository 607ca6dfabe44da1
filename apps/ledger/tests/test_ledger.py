"""ledger: its commands, its README, bad input, a crash at every point, and the AWS CLI on its table."""

import concurrent.futures
import decimal
import json
import re
import socket
import subprocess
import time
import unittest

from ledger import ALWAYS, K1, K2, OPEN_A1, Ledger
from proxies import deaths
from rights import check_policy
from testing import Service, program, settings, shell
from waiting import wait_until


class Commands(Ledger):
    def test_readme(self):
        self.assertGreaterEqual(self.check_readme(), 12)

    def test_merchants_and_accounts(self):
        self.open("1500.00", "0.00")
        self.assertEqual(self.item("MERCHANT#m1"), {
            "PK": {"S": "MERCHANT#m1"}, "SK": {"S": "METADATA"}, "Type": {"S": "Merchant"}, "ID": {"S": "m1"},
            "Name": {"S": "Coffee Shop Inc"}, "Category": {"S": "Restaurant"}})
        self.assertEqual(self.item("ACCOUNT#a1"), {
            "PK": {"S": "ACCOUNT#a1"}, "SK": {"S": "METADATA"}, "GSI1PK": {"S": "USER#u"}, "GSI1SK": {"S": "ACCOUNT#a1"},
            "Type": {"S": "Account"}, "ID": {"S": "a1"}, "UserID": {"S": "u"}, "AccountType": {"S": "checking"},
            "Balance": {"N": "1500"}, "Currency": {"S": "USD"}, "Status": {"S": "active"}})
        self.expect("m1 Coffee Shop Inc, Restaurant\n", "merchant", "show", "m1")
        self.expect("a2 u checking 0.00 USD active\n", "account", "show", "a2")
        self.expect("a1 u checking 1500.00 USD active\na2 u checking 0.00 USD active\n", "accounts", "u")
        self.expect("", "accounts", "nobody")
        status, out, err = self.run_app("account", "open", "--user", "v", "--type", "savings", "--currency", "EUR", "--balance", "1")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12} v savings 1\.00 EUR active\n$")

    def test_what_is_there_already_or_not_at_all(self):
        self.open("1.00", "1.00")
        before = self.everything()
        for message, *arguments in (
                ("there is a merchant m1 already", "merchant", "add", "--id", "m1", "--name", "x", "--category", "y"),
                ("there is an account a1 already", "account", "open", "--id", "a1", "--user", "u", "--balance", "5"),
                ("there is no merchant m9", "merchant", "show", "m9"),
                ("there is no account a9", "account", "show", "a9"),
                ("there is no account a9", "statement", "a9"),
                ("there is no transaction t9", "show", "t9"),
                ("there is no account a9", *self.pay_arguments("k", payee="a9")),
                ("there is no account a9", *self.pay_arguments("k", payer="a9")),
                ("there is no merchant m9", *self.pay_arguments("k", merchant="m9")),
                ("account a1 does not have enough money", *self.pay_arguments("k", amount="1.01"))):
            self.expect("", *arguments, status=1, err=f"gramme-ledger: {message}\n")
        self.assertEqual(self.everything(), before)

    def test_a_payment(self):
        self.open("1500.00", "0.00")
        for _ in range(2):
            self.assertEqual(self.run_app(*self.pay_arguments("k1"), "--description", "Coffee purchase"),
                             (0, f"{K1} completed 5.50 USD\n", ""))
            self.assertEqual((self.balances("a1", "a2"), self.transactions()), (["1494.5", "5.5"], [K1]))
        item = self.item(f"TXN#{K1}")
        time = item["CreatedAt"]["S"]
        self.assertEqual(item, {
            "PK": {"S": f"TXN#{K1}"}, "SK": {"S": "METADATA"}, "GSI1PK": {"S": "STATUS#completed"},
            "GSI1SK": {"S": f"CREATED#{time}"}, "GSI2PK": {"S": "IDEMPOTENCY#k1"}, "GSI2SK": {"S": "TXN"},
            "Type": {"S": "Transaction"}, "ID": {"S": K1}, "IdempotencyKey": {"S": "k1"}, "TransactionType": {"S": "payment"},
            "Status": {"S": "completed"}, "MerchantID": {"S": "m1"}, "Description": {"S": "Coffee purchase"},
            "Amount": {"N": "5.5"}, "Currency": {"S": "USD"}, "CreatedAt": {"S": time}})
        legs = [item for item in self.everything()["FinancialTransactions"]
                if item["Type"]["S"] == "TransactionLeg" and item["PK"]["S"] == f"TXN#{K1}"]
        for leg, (kind, account) in zip(sorted(legs, key=lambda leg: leg["AccountID"]["S"]), (("debit", "a1"), ("credit", "a2"))):
            self.assertEqual(leg, {
                "PK": {"S": f"TXN#{K1}"}, "SK": {"S": f"LEG#{leg['ID']['S']}"}, "GSI1PK": {"S": f"ACCOUNT#{account}"},
                "GSI1SK": {"S": f"LEG#{time}#{leg['ID']['S']}"}, "Type": {"S": "TransactionLeg"}, "ID": leg["ID"],
                "TransactionID": {"S": K1}, "AccountID": {"S": account}, "LegType": {"S": kind}, "Amount": {"N": "5.5"},
                "Currency": {"S": "USD"}, "CreatedAt": {"S": time}})
        status, out, _ = self.run_app("show", K1)
        self.assertEqual((status, out), (0, f"{time} {K1} payment completed 5.50 merchant m1 Coffee purchase\n"
                                            "  debit  5.50 USD account a1\n  credit 5.50 USD account a2\n"))
        self.expect(f"TIME debit  5.50 USD balance 1494.50 transaction {K1}\n"
                    f"TIME credit 1500.00 USD balance 1500.00 transaction {OPEN_A1}\n", "statement", "a1")
        self.expect(f"TIME credit 5.50 USD balance 5.50 transaction {K1}\n", "statement", "a2")
        self.expect(f"TIME {OPEN_A1} opening completed 1500.00\n"
                    f"TIME {K1} payment completed 5.50 merchant m1 Coffee purchase\n", "by-status", "completed")
        self.expect("", "by-status", "completed", "--since", "2099-01-01")
        self.expect("", "by-status", "failed", "--since", "2020-01-01T00:00:00Z")
        self.expect("2 transactions, 3 accounts, 0 problems\n", "reconcile", *ALWAYS)

    def test_a_key_of_another_payment(self):
        self.open("1500.00", "0.00", "0.00")
        self.pay("k1")
        before = self.everything()
        self.run_app("merchant", "add", "--id", "m2", "--name", "x", "--category", "y")
        for options in ({"amount": "5.51"}, {"payee": "a3"}, {"payer": "a2", "payee": "a1"}, {"merchant": "m2"}):
            self.assertEqual(self.pay("k1", **options), (1, "", f"gramme-ledger: the key k1 was used for another payment, {K1}\n"))
        self.assertEqual(self.balances("a1", "a2", "a3"), ["1494.5", "5.5", "0"])
        self.assertEqual(len(self.everything()["FinancialTransactions"]), len(before["FinancialTransactions"]) + 1)

    def test_the_index_is_not_the_guard(self):
        """GSI2 may lag in the service. Here its key is taken off the transaction: the payment is still made once."""
        self.open("1500.00", "0.00")
        self.pay("k1")
        self.client.update_item(TableName="FinancialTransactions", Key={"PK": {"S": f"TXN#{K1}"}, "SK": {"S": "METADATA"}},
                                UpdateExpression="REMOVE GSI2PK")
        self.assertEqual(self.pay("k1"), (0, f"{K1} completed 5.50 USD\n", ""))
        self.assertEqual(self.pay("k1", "7")[2], f"gramme-ledger: the key k1 was used for another payment, {K1}\n")
        self.assertEqual((self.balances("a1", "a2"), self.transactions()), (["1494.5", "5.5"], [K1]))

    def test_accounts_that_may_not_move(self):
        self.open("20.00", "0.00", "9999999999999.99")
        self.run_app("account", "open", "--id", "euro", "--user", "u", "--balance", "5", "--currency", "EUR")
        self.assertEqual(self.pay("k", payee="euro")[2], "gramme-ledger: account a1 has USD and account euro has EUR\n")
        self.assertEqual(self.pay("k", payee="a3")[2], "gramme-ledger: account a3 has too much money\n")
        self.client.update_item(TableName="FinancialTransactions", Key={"PK": {"S": "ACCOUNT#a2"}, "SK": {"S": "METADATA"}},
                                UpdateExpression="SET #s = :c", ExpressionAttributeNames={"#s": "Status"},
                                ExpressionAttributeValues={":c": {"S": "closed"}})
        self.assertEqual(self.pay("k")[2], "gramme-ledger: account a2 is closed\n")
        self.assertEqual(self.transactions(), [])

    def test_pages_of_a_statement(self):
        """Legs of one account, put there directly: 100 a page, the newest first."""
        self.open("0.00")
        for n in range(230):
            time = f"2026-01-02T10:30:{n // 10:02d}.000Z"
            self.client.put_item(TableName="FinancialTransactions", Item={**{name: {"S": value} for name, value in {
                "PK": f"TXN#t{n}", "SK": f"LEG#l{n:03d}", "GSI1PK": "ACCOUNT#a1", "GSI1SK": f"LEG#{time}#l{n:03d}",
                "Type": "TransactionLeg", "TransactionID": f"t{n}", "LegType": "credit", "CreatedAt": time}.items()},
                "Amount": {"N": "2.50"}})
        self.client.update_item(TableName="FinancialTransactions", Key={"PK": {"S": "ACCOUNT#a1"}, "SK": {"S": "METADATA"}},
                                UpdateExpression="SET Balance = :b", ExpressionAttributeValues={":b": {"N": "575"}})
        seen, place = [], []
        for count in (100, 100, 30):
            status, out, err = self.run_app("statement", "a1", *place)
            self.assertEqual((status, err), (0, ""))
            lines = out.splitlines()
            if count == 100:
                more, option, where = lines.pop().split()
                self.assertEqual((more, option), ("more:", "--after"))
                place = ["--after", where]
            self.assertEqual(len(lines), count)
            seen += [(line.split()[-1], line.split()[5]) for line in lines]
        self.assertEqual(seen, [(f"t{n}", f"{2.5 * (n + 1):.2f}") for n in reversed(range(230))])


class Moves(Ledger):
    """What moves money beside payments, and what keeps it from moving."""

    def setUp(self):
        super().setUp()
        self.open("100.00", "0.00")

    def tearDown(self):
        """Whatever happens: all adds up, and all balances together are zero."""
        out = self.run_app("reconcile", *ALWAYS)[1]
        self.assertRegex(out, r"^\d+ transactions, \d+ accounts, 0 problems\n$")
        balances = [item["Balance"]["N"] for item in self.everything()["FinancialTransactions"] if item["Type"]["S"] == "Account"]
        self.assertEqual(sum(map(decimal.Decimal, balances)), 0)

    def moved(self, *arguments, status="completed"):
        """Runs it twice; gives the id."""
        code, out, err = self.run_app(*arguments)
        self.assertEqual((code, err, out.split()[1]), (0, "", status))
        self.assertEqual(self.run_app(*arguments), (0, out, ""))
        return out.split()[0]

    def test_opening_balances_have_a_counter_leg(self):
        self.expect("system-opening-USD system system -100.00 USD active\n", "accounts", "system")
        self.expect(f"TIME debit  100.00 USD balance -100.00 transaction {OPEN_A1}\n", "statement", "system-opening-USD")
        self.expect("", "account", "open", "--id", "a1", "--user", "u", "--balance", "100.00", status=1,
                    err="gramme-ledger: there is an account a1 already\n")
        self.expect("", "account", "open", "--id", "system-x", "--user", "u", "--balance", "1", status=1,
                    err="gramme-ledger: ids that begin with system- are the ledger's own\n")

    def test_sums_of_more_than_one_amount(self):
        """What comes from outside for several accounts is more than one account can have."""
        most = "10000000000000.00"
        for account, balance in (("rich", "9999999999999.99"), ("poor", "1.00")):
            self.expect(f"{account} v checking {balance} USD active\n",
                        "account", "open", "--id", account, "--user", "v", "--balance", balance)
        self.expect("system-opening-USD system system -10000000000100.99 USD active\n", "account", "show", "system-opening-USD")
        self.assertIn(" debit  9999999999999.99 USD balance -10000000000099.99 transaction ",
                      self.run_app("statement", "system-opening-USD")[1])
        for account in ("rich", "poor"):
            self.expect("", "deposit", "--key", f"d-{account}", "--to", account, "--amount", most, status=1,
                        err=f"gramme-ledger: account {account} has too much money\n")
        self.moved("deposit", "--key", "cent", "--to", "rich", "--amount", "0.01")
        for n in range(3):
            self.moved("withdraw", "--key", f"w{n}", "--from", "rich", "--amount", most)
            self.moved("deposit", "--key", f"d{n}", "--to", "rich", "--amount", most)
        self.expect(f"rich v checking {most} USD active\n", "account", "show", "rich")
        self.expect("5 totals\n", "totals", "rebuild")
        self.assertTrue(self.run_app("totals", "account", "system-cash-USD")[1].endswith(
            " USD debit 4 30000000000000.01 credit 3 30000000000000.00\n"))

    def test_deposits_and_withdrawals(self):
        self.moved("deposit", "--key", "d1", "--to", "a1", "--amount", "20.00", "--description", "Salary")
        self.moved("withdraw", "--key", "w1", "--from", "a1", "--amount", "50.00")
        self.assertEqual(self.balances("a1", "system-cash-USD"), ["70", "30"])
        self.expect("", "withdraw", "--key", "w2", "--from", "a1", "--amount", "70.01", status=1,
                    err="gramme-ledger: account a1 does not have enough money\n")
        self.expect("", "withdraw", "--key", "d1", "--from", "a1", "--amount", "20.00", status=1,
                    err=f"gramme-ledger: the key d1 was used for another deposit, {self.item_of_key('d1')}\n")
        self.expect("", "deposit", "--key", "d2", "--to", "a9", "--amount", "1", status=1, err="gramme-ledger: there is no account a9\n")

    def item_of_key(self, key):
        return self.client.query(TableName="FinancialTransactions", IndexName="GSI2", KeyConditionExpression="GSI2PK = :k",
                                 ExpressionAttributeValues={":k": {"S": f"IDEMPOTENCY#{key}"}})["Items"][0]["ID"]["S"]

    def test_a_pending_payment_that_is_completed(self):
        self.assertEqual(self.moved(*self.pay_arguments("k1"), "--pending", status="pending"), K1)
        self.assertEqual(self.balances("a1", "a2"), ["100", "0"])
        self.expect(f"TIME {K1} payment pending 5.50 merchant m1\n", "by-status", "pending")
        self.assertEqual(self.pay("k1", "5.51")[2], f"gramme-ledger: the key k1 was used for another payment, {K1}\n")
        self.moved("complete", K1)
        self.assertEqual(self.balances("a1", "a2"), ["94.5", "5.5"])
        self.expect("", "by-status", "pending")
        self.assertEqual(self.pay("k1"), (0, f"{K1} completed 5.50 USD\n", ""))
        self.expect("", "fail", K1, "--reason", "x", status=1, err=f"gramme-ledger: {K1} is completed; it can be reversed\n")

    def test_a_pending_payment_that_fails(self):
        self.moved(*self.pay_arguments("k1"), "--pending", status="pending")
        self.moved("fail", K1, "--reason", "no stock", status="failed")
        self.expect(f"TIME {K1} payment failed 5.50 merchant m1 because of: no stock\n", "by-status", "failed")
        self.expect("", "complete", K1, status=1, err=f"gramme-ledger: {K1} is failed\n")
        self.assertEqual(self.pay("k1"), (0, f"{K1} failed 5.50 USD\n", ""))
        self.assertEqual(self.balances("a1", "a2"), ["100", "0"])

    def test_a_pending_payment_waits_for_money(self):
        self.moved(*self.pay_arguments("k1", "150.00"), "--pending", status="pending")
        self.expect("", "complete", K1, status=1, err="gramme-ledger: account a1 does not have enough money\n")
        self.run_app("deposit", "--key", "d1", "--to", "a1", "--amount", "50.00")
        self.moved("complete", K1)
        self.assertEqual(self.balances("a1", "a2"), ["0", "150"])

    def test_completing_at_once_by_many(self):
        self.moved(*self.pay_arguments("k1"), "--pending", status="pending")
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            results = set(pool.map(lambda _: self.run_app("complete", K1), range(6)))
        self.assertEqual(results, {(0, f"{K1} completed 5.50 USD\n", "")})
        self.assertEqual(self.balances("a1", "a2"), ["94.5", "5.5"])

    def test_a_reversal(self):
        self.pay("k1")
        reversal = self.moved("reverse", K1)
        self.assertEqual(self.balances("a1", "a2"), ["100", "0"])
        self.assertIn(f"reversed by {reversal}", self.run_app("show", K1)[1])
        self.expect(f"TIME {reversal} reversal completed 5.50 reverses {K1}\n  debit  5.50 USD account a2\n"
                    "  credit 5.50 USD account a1\n", "show", reversal)
        self.expect("", "reverse", reversal, status=1, err=f"gramme-ledger: {reversal} is a reversal itself\n")
        self.expect("", "reverse", "t9", status=1, err="gramme-ledger: there is no transaction t9\n")

    def test_a_reversal_that_cannot_be(self):
        self.pay("k1")
        self.run_app("withdraw", "--key", "w1", "--from", "a2", "--amount", "1.00")
        self.expect("", "reverse", K1, status=1, err="gramme-ledger: account a2 does not have enough money\n")

    def test_freeze_and_close(self):
        self.expect("a1 u checking 100.00 USD frozen\n", "account", "freeze", "a1")
        for arguments in (self.pay_arguments("k1"), ["deposit", "--key", "d1", "--to", "a1", "--amount", "1"],
                          ["withdraw", "--key", "w1", "--from", "a1", "--amount", "1"]):
            self.expect("", *arguments, status=1, err="gramme-ledger: account a1 is frozen\n")
        self.expect("a1 u checking 100.00 USD active\n", "account", "unfreeze", "a1")
        self.expect("", "account", "close", "a1", status=1, err="gramme-ledger: account a1 is not empty\n")
        for _ in range(2):
            self.expect("a2 u checking 0.00 USD closed\n", "account", "close", "a2")
        self.expect("", "account", "freeze", "a2", status=1, err="gramme-ledger: account a2 is closed\n")
        self.expect("", "account", "unfreeze", "a2", status=1, err="gramme-ledger: account a2 is closed\n")
        self.assertEqual(self.pay("k1")[2], "gramme-ledger: account a2 is closed\n")
        self.expect("", "account", "close", "a9", status=1, err="gramme-ledger: there is no account a9\n")
        self.expect("", "account", "close", "system-opening-USD", status=1,
                    err="gramme-ledger: account system-opening-USD is the ledger's own\n")


class Serve(Ledger):
    """The same over HTTP."""

    def test_accounts_and_payments(self):
        with Service(self.app, self.server.endpoint) as service:
            self.assertEqual(service.post("/merchants", {"id": "m1", "name": "Shop", "category": "Shop"}), (201, {"ID": "m1"}))
            account = {"Type": "Account", "ID": "a1", "UserID": "u", "AccountType": "checking", "Currency": "USD",
                       "Status": "active", "Balance": 100}
            self.assertEqual(service.post("/accounts", {"id": "a1", "user": "u", "balance": 100}), (201, account))
            self.assertEqual(service.post("/accounts", {"id": "a2", "user": "u", "balance": 0})[0], 201)
            payment = {"key": "k1", "from": "a1", "to": "a2", "merchant": "m1", "amount": 5.5}
            for _ in range(2):
                self.assertEqual(service.post("/payments", payment), (200, {
                    "id": K1, "status": "completed", "amount": 5.5, "currency": "USD"}))
            self.assertEqual(service.post("/payments", {**payment, "amount": 6}), (
                409, {"error": f"the key k1 was used for another payment, {K1}"}))
            status, body = service.get(f"/transactions/{K1}")
            self.assertEqual((status, body["Status"], sorted((leg["LegType"], leg["AccountID"]) for leg in body["legs"])), (
                200, "completed", [("credit", "a2"), ("debit", "a1")]))
            self.assertEqual(service.post(f"/transactions/{K1}/reverse", {})[1]["status"], "completed")
            self.assertEqual(service.post("/payments", {**payment, "key": "k2", "pending": True})[1]["status"], "pending")
            self.assertEqual(service.post(f"/transactions/{K2}/complete", {})[1]["status"], "completed")
            self.assertEqual(service.post(f"/transactions/{K2}/fail", {"reason": "x"})[0], 409)
            self.assertEqual(service.post("/deposits", {"key": "d1", "account": "a1", "amount": 1})[1]["status"], "completed")
            self.assertEqual(service.post("/withdrawals", {"key": "w1", "account": "a1", "amount": 1})[1]["status"], "completed")
            self.assertEqual(len(service.get("/transactions?status=completed")[1]["transactions"]), 6)
            self.assertEqual(service.get("/transactions?status=done")[0], 400)
            legs = service.get("/accounts/a1/statement")[1]["legs"]
            self.assertEqual([leg["BalanceAfter"] for leg in legs], [94.5, 95.5, 94.5, 100, 94.5, 100])
            self.assertEqual(service.post("/accounts/a1/freeze", {})[1]["Status"], "frozen")
            self.assertEqual(service.post("/accounts/a1/close", {}), (409, {"error": "account a1 is not empty"}))
            self.assertEqual(service.post("/accounts/a1/unfreeze", {})[1]["Status"], "active")
            self.assertEqual([account["ID"] for account in service.get("/users/u/accounts")[1]["accounts"]], ["a1", "a2"])
            self.assertEqual(service.post("/reconciliations", {"from": "2020-01-01", "to": "2099-12-31"}), (200, {
                "transactions": 6, "accounts": 4, "problems": 0, "findings": []}))
            self.assertEqual(service.get("/accounts/a9"), (404, {"error": "there is no account a9"}))
            self.assertEqual(service.get("/transactions/t9")[0], 404)
            self.assertEqual(service.post("/deposits", {"key": "d2", "account": "system-cash-USD", "amount": 1})[0], 400)
            self.assertEqual(service.get("/health/ready"), (200, {"status": "ok"}))

    def looks(self, service):
        """How often it has looked whether it is time, and done what was to be done."""
        return sum(map(int, re.findall(r'task_runs_total{task="reconcile",outcome="\w+"} (\d+)', service.text("/metrics"))))

    def test_the_day_before_is_reconciled_once_by_several_copies(self):
        self.open("20.00", "0.00")
        self.client.update_item(TableName="FinancialTransactions", Key={"PK": {"S": "ACCOUNT#a2"}, "SK": {"S": "METADATA"}},
                                UpdateExpression="SET Balance = :b", ExpressionAttributeValues={":b": {"N": "7"}})
        now = time.time()
        yesterday = time.strftime("%Y-%m-%d", time.gmtime(now - 86400))
        hour = ["--reconcile-hour", "0", "--reconcile-every", "1s"]
        with Service(self.app, self.server.endpoint, *hour) as one, Service(self.app, self.server.endpoint, *hour) as other:
            wait_until(lambda: "FinishedAt" in one.get(f"/reconciliations/{yesterday}")[1], "the reconciliation")
            status, body = other.get(f"/reconciliations/{yesterday}")
            for service in (one, other):  # no copy does it again when it looks once more
                before = self.looks(service)
                wait_until(lambda: self.looks(service) >= before + 2, "two more looks")
            again = other.get(f"/reconciliations/{yesterday}")[1]
        self.assertEqual((status, body["Problems"], body["Findings"]), (200, 1, ["account a2: balance 7.00, its legs make 0.00"]))
        self.assertEqual(again, body)
        said = [service.errors for service in (one, other)]
        self.assertEqual(sorted(said), ["", f"gramme-ledger: reconcile: the reconciliation of {yesterday} has found 1 problems\n"])

    def test_a_copy_that_died_over_it(self):
        yesterday = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86400))
        for started, done in (("2020-01-01T00:00:00.000Z", True), (time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()), False)):
            self.client.put_item(TableName="FinancialTransactions", Item={
                "PK": {"S": f"RECONCILIATION#{yesterday}"}, "SK": {"S": "METADATA"}, "Type": {"S": "Reconciliation"},
                "StartedAt": {"S": started}})
            with Service(self.app, self.server.endpoint, "--reconcile-hour", "0") as service:
                wait_until(lambda: self.looks(service) > 0, "a look")
                self.assertEqual("FinishedAt" in service.get(f"/reconciliations/{yesterday}")[1], done)


class Reconcile(Ledger):
    def setUp(self):
        super().setUp()
        self.open("1500.00", "0.00")
        self.pay("k1")
        self.pay("k2", "4.50")

    def change(self, pk, expression, value, sk="METADATA"):
        self.client.update_item(TableName="FinancialTransactions", Key={"PK": {"S": pk}, "SK": {"S": sk}},
                                UpdateExpression=expression, ExpressionAttributeValues={":v": value})

    def test_sums_that_need_more_than_64_bits(self):
        """9,300 legs of the largest amount, of one account."""
        amount, count, time = decimal.Decimal(10) ** 13, 9300, "2020-01-02T10:30:00.123Z"
        with self.resource_table("FinancialTransactions").batch_writer() as batch:
            batch.put_item(Item={"PK": "TXN#many", "SK": "METADATA", "GSI1PK": "STATUS#completed", "GSI1SK": f"CREATED#{time}",
                                 "Type": "Transaction", "ID": "many", "Status": "completed"})
            for n in range(count):
                batch.put_item(Item={"PK": "TXN#many", "SK": f"LEG#{n}", "GSI1PK": "ACCOUNT#system-cash-USD", "GSI1SK": f"LEG#{time}#{n}",
                                     "Type": "TransactionLeg", "TransactionID": "many", "AccountID": "system-cash-USD",
                                     "LegType": "debit", "Amount": amount, "Currency": "USD", "CreatedAt": time})
            batch.put_item(Item={"PK": "ACCOUNT#system-cash-USD", "SK": "METADATA", "Type": "Account", "ID": "system-cash-USD",
                                 "Status": "active", "Currency": "USD", "Balance": -amount * count})
        self.expect("3 transactions, 4 accounts, 0 problems\n", "reconcile", "--from", "2024-01-01", "--to", "2099-12-31")
        self.assertEqual(self.run_app("totals", "rebuild")[::2], (0, ""))
        self.expect("2020-01 USD debit 9300 93000000000000000.00 credit 0 0.00\n", "totals", "account", "system-cash-USD")
        place = self.run_app("statement", "system-cash-USD")[1].split()[-1]
        self.assertTrue(place.endswith("#many#-92000000000000000.00"), place)
        first = self.run_app("statement", "system-cash-USD", "--after", place)[1].splitlines()[0]
        self.assertEqual(first, f"{time} debit  10000000000000.00 USD balance -92000000000000000.00 transaction many")

    def test_an_account_of_the_ledger_at_its_limit(self):
        """A balance has as many digits as a number of DynamoDB."""
        most = "9" * 36 + ".99"
        self.change("ACCOUNT#system-opening-USD", "SET Balance = :v", {"N": f"-{most}"})
        self.expect(f"system-opening-USD system system -{most} USD active\n", "account", "show", "system-opening-USD")
        self.expect("", "account", "open", "--id", "a3", "--user", "u", "--balance", "1", status=1,
                    err="gramme-ledger: the opening is not possible: Number overflow. Attempting to store a number with "
                        "magnitude larger than supported range\n")
        self.expect(f"account system-opening-USD: balance -{most}, its legs make -1500.00\n"
                    "3 transactions, 3 accounts, 1 problems\n", "reconcile", *ALWAYS, status=1)
        self.change("ACCOUNT#system-opening-USD", "SET Balance = :v", {"N": "1" + "0" * 37})
        self.expect("system-opening-USD system system ? USD active\n", "account", "show", "system-opening-USD")
        self.expect("", "reconcile", *ALWAYS, status=1,
                    err="gramme-ledger: the balance of account system-opening-USD is not an amount of money\n")

    def test_a_leg_too_many_by_the_cli(self):
        leg = {"PK": {"S": f"TXN#{K1}"}, "SK": {"S": "LEG#990i2844"}, "GSI1PK": {"S": "ACCOUNT#a1"},
               "GSI1SK": {"S": "LEG#2026-01-02T10:30:00.123Z#990i2844"}, "Type": {"S": "TransactionLeg"},
               "ID": {"S": "990i2844"}, "TransactionID": {"S": K1}, "AccountID": {"S": "a1"}, "LegType": {"S": "debit"},
               "Amount": {"N": "5.50"}, "Currency": {"S": "USD"}, "CreatedAt": {"S": "2026-01-02T10:30:00.123Z"}}
        self.aws(f"put-item --table-name FinancialTransactions --item '{json.dumps(leg)}'")
        self.expect(f"transaction {K1}: amount 5.50, debits 11.00, credits 5.50\n"
                    "account a1: balance 1490.00, its legs make 1484.50\n"
                    "3 transactions, 3 accounts, 2 problems\n", "reconcile", *ALWAYS, status=1)

    def test_a_balance_that_is_wrong(self):
        self.change("ACCOUNT#a2", "SET Balance = :v", {"N": "11"})
        self.expect("account a2: balance 11.00, its legs make 10.00\n3 transactions, 3 accounts, 1 problems\n",
                    "reconcile", *ALWAYS, status=1)

    def test_an_amount_that_is_wrong(self):
        self.change(f"TXN#{K2}", "SET Amount = :v", {"N": "4.51"})
        self.expect(f"transaction {K2}: amount 4.51, debits 4.50, credits 4.50\n3 transactions, 3 accounts, 1 problems\n",
                    "reconcile", *ALWAYS, status=1)

    def test_legs_of_another_kind(self):
        leg = next(item for item in self.everything()["FinancialTransactions"]
                   if item["Type"]["S"] == "TransactionLeg" and item["PK"]["S"] == f"TXN#{K1}")
        for name, value in (("LegType", {"S": "credti"}), ("Amount", {"S": "5.50"}), ("Amount", {"N": "-5.50"}),
                            ("Currency", {"S": "EUR"}), ("Amount", {"N": "1e30"})):
            self.client.put_item(TableName="FinancialTransactions", Item={**leg, name: value})
            self.expect(f"transaction {K1}: a leg has a wrong type, amount or currency\n"
                        f"account {leg['AccountID']['S']}: a leg has a wrong type, amount or currency\n"
                        "3 transactions, 3 accounts, 2 problems\n", "reconcile", *ALWAYS, status=1)

    def test_a_transaction_without_legs_and_an_account_that_is_gone(self):
        self.client.put_item(TableName="FinancialTransactions", Item={name: {"S": value} for name, value in {
            "PK": "TXN#t9", "SK": "METADATA", "GSI1PK": "STATUS#completed", "GSI1SK": "CREATED#2026-01-02T10:30:00.123Z",
            "Status": "completed"}.items()})
        self.client.delete_item(TableName="FinancialTransactions", Key={"PK": {"S": "ACCOUNT#a2"}, "SK": {"S": "METADATA"}})
        self.expect("transaction t9: its item or its legs are missing\naccount a2: it has legs but does not exist\n"
                    "4 transactions, 3 accounts, 2 problems\n", "reconcile", *ALWAYS, status=1)

    def test_a_transaction_that_is_gone_with_its_legs_left(self):
        self.client.delete_item(TableName="FinancialTransactions", Key={"PK": {"S": f"TXN#{K1}"}, "SK": {"S": "METADATA"}})
        self.expect(f"transaction {K1}: it has legs but does not exist\n2 transactions, 3 accounts, 1 problems\n",
                    "reconcile", *ALWAYS, status=1)

    def test_a_balance_of_an_account_without_legs(self):
        self.expect("a3 u checking 0.00 USD active\n", "account", "open", "--id", "a3", "--user", "u", "--balance", "0")
        self.expect("3 transactions, 4 accounts, 0 problems\n", "reconcile", *ALWAYS)
        self.change("ACCOUNT#a3", "SET Balance = :v", {"N": "7"})
        self.expect("account a3: balance 7.00, its legs make 0.00\n3 transactions, 4 accounts, 1 problems\n",
                    "reconcile", *ALWAYS, status=1)

    def test_a_status_that_is_none(self):
        self.client.update_item(TableName="FinancialTransactions", Key={"PK": {"S": f"TXN#{K1}"}, "SK": {"S": "METADATA"}},
                                UpdateExpression="SET #s = :v", ExpressionAttributeNames={"#s": "Status"},
                                ExpressionAttributeValues={":v": {"S": "done"}})
        self.expect(f"transaction {K1}: its status is 'done', which is none\n3 transactions, 3 accounts, 1 problems\n",
                    "reconcile", *ALWAYS, status=1)
        self.change(f"TXN#{K2}", "SET GSI1PK = :v", {"S": "STATUS#pending"})
        out = self.run_app("reconcile", *ALWAYS)[1]
        self.assertIn(f"transaction {K2}: its status is completed, but it is listed as STATUS#pending\n", out)

    def test_accounts_of_older_versions(self):
        """They have an OpeningBalance and no leg for it."""
        self.client.put_item(TableName="FinancialTransactions", Item={
            **{name: {"S": value} for name, value in {
                "PK": "ACCOUNT#old", "SK": "METADATA", "GSI1PK": "USER#u", "GSI1SK": "ACCOUNT#old", "Type": "Account", "ID": "old",
                "UserID": "u", "AccountType": "checking", "Currency": "USD", "Status": "active"}.items()},
            "Balance": {"N": "12"}, "OpeningBalance": {"N": "12"}})
        self.assertEqual(self.pay("k3", "2.00", payer="old", payee="a1")[0], 0)
        self.expect("4 transactions, 4 accounts, 0 problems\n", "reconcile", *ALWAYS)

    def test_the_range(self):
        self.expect("from TIME to TIME: there is no completed transaction\n0 transactions, 3 accounts, 1 problems\n",
                    "reconcile", "--from", "2020-01-01", "--to", "2020-12-31", status=1)
        first = self.item(f"TXN#{K1}")["CreatedAt"]["S"]
        self.expect("1 transactions, 3 accounts, 0 problems\n", "reconcile", "--from", first, "--to", first)
        self.expect("3 transactions, 3 accounts, 0 problems\n", "reconcile", "--from", first[:10], "--to", "2099-01-01")


class Concurrency(Ledger):
    def test_one_payment_run_by_many_at_once(self):
        self.open("1500.00", "0.00")
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            results = set(pool.map(lambda _: self.pay("k1"), range(12)))
        self.assertEqual(results, {(0, f"{K1} completed 5.50 USD\n", "")})
        self.assertEqual((self.balances("a1", "a2"), self.transactions()), (["1494.5", "5.5"], [K1]))

    def test_no_account_drops_below_zero(self):
        self.open("20.00", "0.00")
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            results = [result[0] for result in pool.map(lambda n: self.pay(f"q{n}", "9.00"), range(6))]
        self.assertEqual((sorted(results), self.balances("a1", "a2")), ([0, 0, 1, 1, 1, 1], ["2", "18"]))

    def test_messages_of_many_runs_do_not_mix(self):
        """Every line, of messages and of results, is one write: a socket that keeps writes apart shows it."""
        self.open("1.00", "2.00")
        for arguments, lines in ((("show", "t9"), ["gramme-ledger: there is no transaction t9\n"]),
                                 (("show",), ["gramme-ledger: TXN is missing; see gramme-ledger show --help\n"]),
                                 (("accounts", "u"), ["a1 u checking 1.00 USD active\n", "a2 u checking 2.00 USD active\n"])):
            here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            with here, there:
                subprocess.run([program("ledger"), *arguments], env=settings(self.server.endpoint), stdout=there, stderr=there)
                there.send(b"end")
                self.assertEqual(list(iter(lambda: here.recv(5000).decode(), "end")), lines)


class ConcurrencyWithConflicts(Concurrency):
    """As in the service: transactions that meet on an item are cancelled with TransactionConflict."""

    server_arguments = ["--memory", "--transaction-conflicts"]


class Policy(Ledger):
    def test_every_action_of_the_policy_is_needed_and_no_other(self):
        def scenario(run):
            run("merchant", "add", "--id", "m1", "--name", "x", "--category", "y")
            for account in ("a1", "a2"):
                run("account", "open", "--id", account, "--user", "u", "--balance", "10")
            run(*self.pay_arguments("k1"))
            run("account", "freeze", "a1")
            for command in ("merchant show m1", "account show a1", "accounts u", f"show {K1}", "statement a1",
                            "by-status completed", "reconcile --from 2020-01-01 --to 2099-12-31", "totals rebuild", "totals account a1",
                            "audit record", "audit list", "audit list --account a1", "audit verify"):
                run(*command.split())

        check_policy(self, scenario)


class CrashAtEveryPoint(Ledger):
    """The program is killed at each of its requests in turn. Run again, it has paid once."""

    def test_a_payment(self):
        self.open("1500.00", "0.00")
        died = 0
        for key in deaths(self.server.port, self.app, self.pay_arguments):
            status, out, err = self.pay(key)
            self.assertEqual((status, err, out.split(" ", 1)[1]), (0, "", "completed 5.50 USD\n"))
            died += 1
        self.assertGreaterEqual(died, 10)
        payments = died + 2  # the last run before and the last run after lived
        self.assertEqual(len(self.transactions()), payments)
        self.expect(f"a2 u checking {5.5 * payments:.2f} USD active\n", "account", "show", "a2")
        self.expect(f"{payments + 1} transactions, 3 accounts, 0 problems\n", "reconcile", *ALWAYS)


    def check(self, arguments, died_at_least=4, again=(0,)):
        died = 0
        for key in deaths(self.server.port, self.app, arguments):
            status, _, err = self.run_app(*self.last)
            self.assertIn(status, again, err)
            died += 1
        self.assertGreaterEqual(died, died_at_least)
        self.assertRegex(self.run_app("reconcile", *ALWAYS)[1], r"^\d+ transactions, \d+ accounts, 0 problems\n$")

    def test_all_other_moves(self):
        self.open("1500.00", "0.00")

        def kept(*arguments):
            self.last = arguments
            return arguments

        def pending(key):
            return self.pay(key, "1.00", payer="a1", payee="a2")[1].split()[0] if key.startswith("r-") else self.run_app(
                *self.pay_arguments(key, "1.00"), "--pending")[1].split()[0]

        self.check(lambda key: kept("deposit", "--key", f"d-{key}", "--to", "a1", "--amount", "1.00"))
        self.check(lambda key: kept("withdraw", "--key", f"w-{key}", "--from", "a1", "--amount", "1.00"))
        self.check(lambda key: kept("complete", pending(f"c-{key}")))
        self.check(lambda key: kept("fail", pending(f"f-{key}"), "--reason", "x"))
        self.check(lambda key: kept("reverse", pending(f"r-{key}")))
        # An account that was opened before the crash is there: the second run says so.
        self.check(lambda key: kept("account", "open", "--id", f"o-{key}", "--user", "v", "--balance", "3.00"), again=(0, 1))
        self.check(lambda key: kept("account", "freeze", "a2"))


class BadInput(Ledger):
    ID = "is 1 to 64 letters, digits, '.', '_' or '-', not "
    TEXT = "is 1 to 200 bytes of text without control characters"

    def test_bad_input(self):
        self.open("20.00", "0.00")
        pay = "pay --key k --from a1 --to a2 --merchant m1"
        self.check_bad_input([
            ("nothing", "there is no command 'nothing'"),
            ("merchant", "there is no command 'merchant'"),
            ("merchant remove", "there is no command 'merchant'"),
            ("merchant add", "--name is missing"),
            ("merchant add --name x", "--category is missing"),
            (f"merchant add --name {'x' * 201} --category y", f"--name {self.TEXT}"),
            ("merchant add --name 'a\nb' --category y", f"--name {self.TEXT}"),
            ("merchant add --name x --category y --id 'a#b'", f"--id {self.ID}'a#b'"),
            ("account open --user u", "--balance is missing"),
            ("account open --user 'u v' --balance 1", f"--user {self.ID}'u v'"),
            ("account open --user u --balance x", "--balance takes an amount from 0.00 on, with at most two decimals, not 'x'"),
            ("account open --user u --balance 1 --currency EURO", "--currency takes three capital letters, not 'EURO'"),
            ("account open --user u --balance 1 --type 'a b'", f"--type {self.ID}'a b'"),
            ("accounts", "USER is missing"),
            ("pay", "--key is missing"),
            (pay, "--amount is missing"),
            *[(f"{pay} --amount '{amount}'", f"--amount takes an amount from 0.01 on, with at most two decimals, not '{amount}'")
              for amount in ("0", "-1", "1.999", "1e2", "ten", "1 000", "10000000000000.01", "9" * 400)],
            (f"{pay} --amount 5 --description ''", "--description needs a value, TEXT"),
            (f"{pay} --amount 5 --description '\t'", f"--description {self.TEXT}"),
            ("pay --key k --from a1 --to a1 --merchant m1 --amount 5", "--from and --to are the same account"),
            ("pay --key 'k#1' --from a1 --to a2 --merchant m1 --amount 5", f"--key {self.ID}'k#1'"),
            ("show", "TXN is missing"),
            ("show a b", "unexpected operand 'b'"),
            ("show 'TXN#a'", f"TXN {self.ID}'TXN#a'"),
            ("statement", "ACCOUNT is missing"),
            *[(f"statement a1 --after '{place}'", f"--after takes what a page ended with, not '{place}'") for place in (
                "x", "2026-01-01#a", "2026-01-01#a#b", "2026-01-01#a#b#c", "2026-13-01#a#b#1.00", "###", "2026-01-01#a#b#1.00#d",
                f"2026-01-01#{'a' * 70}#b#1.00")],
            ("by-status", "STATUS is missing"),
            ("by-status completed --since yesterday", "--since takes a time like 2026-01-01T10:30:00.000Z, not 'yesterday'"),
            *[(f"by-status '{status}'", f"STATUS is completed, pending or failed, not '{status}'") for status in (
                "a b", "complete", "Completed", "cancelled")],
            ("account freeze 'a b'", f"ACCOUNT {self.ID}'a b'"),
            ("account close", "ACCOUNT is missing"),
            ("deposit --key k --to a1", "--amount is missing"),
            ("deposit --key k --to a1 --amount 0", "--amount takes an amount from 0.01 on, with at most two decimals, not '0'"),
            ("deposit --key k --to system-cash-USD --amount 1", "ACCOUNT is an account of the ledger's own, 'system-cash-USD'"),
            ("withdraw --key open:a1 --from a1 --amount 1", f"--key {self.ID}'open:a1'"),
            ("pay --key k --from system-cash-USD --to a2 --merchant m1 --amount 5",
             "--from is an account of the ledger's own, 'system-cash-USD'"),
            ("complete", "TXN is missing"),
            ("fail t9", "--reason is missing"),
            ("reverse 'a b'", f"TXN {self.ID}'a b'"),
            ("serve --reconcile-hour 24", "--reconcile-hour takes a number from 0 to 23, not '24'"),
            ("reconcile --from 2026-01-01", "--to is missing"),
            ("reconcile --from 2026-01-01 --to 2026-02-30", "--to takes a day or a time, not '2026-02-30'"),
            ("reconcile --from x --to 2026-02-01", "--from takes a day or a time, not 'x'"),
            ("reconcile --from 2026-01-02 --to 2026-01-01", "--to is before --from"),
        ])

    def test_text_that_is_not_utf8(self):
        before = self.everything()
        status, out, err = self.run_app("merchant", "add", "--id", "m", "--name", b"a\xffb", "--category", "y")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("gramme-ledger: cannot add a merchant m: ", err)
        self.assertEqual(self.everything(), before)

    def test_no_server(self):
        status, out, err = self.run_app("show", "t", "--endpoint", "http://127.0.0.1:1")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(err, r"^gramme-ledger: cannot read transaction t: .+\n$")


class AwsCli(Ledger):
    """The table by the AWS CLI, and the queries of its design."""

    CREATE = (
        "create-table --table-name FinancialTransactions --billing-mode PAY_PER_REQUEST --attribute-definitions "
        + " ".join(f"AttributeName={name},AttributeType=S" for name in ("PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK"))
        + " --key-schema AttributeName=PK,KeyType=HASH AttributeName=SK,KeyType=RANGE --global-secondary-indexes "
        + " ".join(f"'IndexName={index},KeySchema=[{{AttributeName={index}PK,KeyType=HASH}},"
                   f"{{AttributeName={index}SK,KeyType=RANGE}}],Projection={{ProjectionType=ALL}}'" for index in ("GSI1", "GSI2")))

    def query(self, arguments, values, output):
        return self.aws(f"query --table-name FinancialTransactions {arguments}"
                        f" --expression-attribute-values '{json.dumps(values)}' --query '{output}' --output text")

    def test_create_table_and_the_queries_of_the_design(self):
        by_template = self.shapes("attributes", "keys", "indexes")
        self.aws("delete-table --table-name FinancialTransactions")
        self.aws(self.CREATE)
        self.assertEqual(self.shapes("attributes", "keys", "indexes"), by_template)
        self.open("1500.00", "0.00")
        self.pay("k1")
        self.pay("k2", "4.50")
        self.assertEqual(self.aws("get-item --table-name FinancialTransactions --query Item.Name.S"
                                  """ --key '{"PK":{"S":"MERCHANT#m1"},"SK":{"S":"METADATA"}}'"""), '"Coffee Shop Inc"\n')
        self.assertEqual(self.query("--index-name GSI1 --key-condition-expression 'GSI1PK = :user'",
                                    {":user": {"S": "USER#u"}}, "Items[].[ID.S,Balance.N]"), "a1\t1490\na2\t10\n")
        self.assertEqual(self.query("--index-name GSI2 --key-condition-expression 'GSI2PK = :key'",
                                    {":key": {"S": "IDEMPOTENCY#k2"}}, "Items[].ID.S"), f"{K2}\n")
        self.assertEqual(self.query("--index-name GSI1 --key-condition-expression 'GSI1PK = :status AND GSI1SK >= :since'",
                                    {":status": {"S": "STATUS#completed"}, ":since": {"S": "CREATED#2026-01-01T10:30:00.000Z"}},
                                    "Items[].ID.S"), f"{OPEN_A1}\t{K1}\t{K2}\n")
        self.assertEqual(self.query("--key-condition-expression 'PK = :txn'", {":txn": {"S": f"TXN#{K1}"}}, "Count"), "3\n")
        self.assertEqual(self.query("--index-name GSI1 --no-scan-index-forward --max-items 100"
                                    " --key-condition-expression 'GSI1PK = :account AND begins_with(GSI1SK, :prefix)'",
                                    {":account": {"S": "ACCOUNT#a1"}, ":prefix": {"S": "LEG#"}},
                                    "Items[].[LegType.S,Amount.N]"), "debit\t4.5\ndebit\t5.5\ncredit\t1500\n")

    def test_units_of_the_design(self):
        """The capacity that the design reckons with, as the server counts it."""
        self.open("1500.00", "0.00")
        self.pay("k1")
        table = {"TableName": "FinancialTransactions", "ReturnConsumedCapacity": "TOTAL"}
        key = {"PK": {"S": f"TXN#{K1}"}, "SK": {"S": "METADATA"}}
        self.assertEqual([self.client.get_item(**table, Key=key, ConsistentRead=strong)["ConsumedCapacity"]["CapacityUnits"]
                          for strong in (False, True)], [0.5, 1])

        def query(index, condition, consistent=False, **values):
            more = {"IndexName": index} if index else {}
            return self.client.query(**table, **more, KeyConditionExpression=condition, ConsistentRead=consistent,
                                     ExpressionAttributeValues={f":{name}": {"S": value} for name, value in values.items()})

        self.assertEqual([query(None, "PK = :p", strong, p=f"TXN#{K1}")["ConsumedCapacity"]["CapacityUnits"]
                          for strong in (False, True)], [0.5, 1])
        self.assertEqual(query("GSI2", "GSI2PK = :k", k="IDEMPOTENCY#k1")["ConsumedCapacity"]["CapacityUnits"], 0.5)
        with self.assertRaisesRegex(self.client.exceptions.ClientError, "Consistent reads are not supported"):
            query("GSI2", "GSI2PK = :k", True, k="IDEMPOTENCY#k1")
        header = self.item(f"TXN#{K1}")
        leg = next(item for item in self.everything()["FinancialTransactions"] if item["SK"]["S"].startswith("LEG#")
                   and item["PK"]["S"] == f"TXN#{K1}" and item["AccountID"]["S"] == "a1")
        account = "660f9511-e29b-41d4-a716-446655440000"
        for n in range(100):  # with ids as long as the design's
            self.client.put_item(TableName="FinancialTransactions", Item={
                **header, "PK": {"S": f"TXN#{n:036}"}, "MerchantID": {"S": account}, "Description": {"S": "Coffee purchase"},
                "IdempotencyKey": {"S": "abc123def456"}, "GSI2PK": {"S": "IDEMPOTENCY#abc123def456"}})
            self.client.put_item(TableName="FinancialTransactions", Item={
                **leg, "PK": {"S": f"TXN#{n:036}"}, "AccountID": {"S": account}, "GSI1PK": {"S": f"ACCOUNT#{account}"}})
        for reply in (query("GSI1", "GSI1PK = :s AND GSI1SK >= :t", s="STATUS#completed", t="CREATED#2020"),
                      query("GSI1", "GSI1PK = :a AND begins_with(GSI1SK, :l)", a=f"ACCOUNT#{account}", l="LEG#")):
            self.assertGreaterEqual(reply["Count"], 100)
            self.assertTrue(5 <= reply["ConsumedCapacity"]["CapacityUnits"] <= 10, reply["ConsumedCapacity"])
        puts = [{"Put": {"TableName": "FinancialTransactions", "Item": {"PK": {"S": f"MERCHANT#x{n}"}, "SK": {"S": "METADATA"}}}}
                for n in range(3)]
        reply = self.client.transact_write_items(TransactItems=puts, ReturnConsumedCapacity="TOTAL")
        self.assertEqual(reply["ConsumedCapacity"][0]["CapacityUnits"], 6)

    def test_a_payment_by_hand(self):
        """The five writes, typed by a person: the program takes them for a payment like its own."""
        self.open("1500.00", "0.00")
        time, table = "2026-01-02T10:30:00.123Z", {"TableName": "FinancialTransactions"}

        def strings(**attributes):
            return {name: {"S": value} for name, value in attributes.items()}

        def leg(leg_id, kind, account):
            return {"Put": {**table, "Item": {**strings(
                PK="TXN#880h1733", SK=f"LEG#{leg_id}", GSI1PK=f"ACCOUNT#{account}", GSI1SK=f"LEG#{time}#{leg_id}",
                Type="TransactionLeg", ID=leg_id, TransactionID="880h1733", AccountID=account, LegType=kind, Currency="USD",
                CreatedAt=time), "Amount": {"N": "5.50"}}}}

        def change(account, sign):
            return {"Update": {**table, "Key": strings(PK=f"ACCOUNT#{account}", SK="METADATA"),
                               "UpdateExpression": f"SET Balance = Balance {sign} :a",
                               "ConditionExpression": "Balance >= :a" if sign == "-" else "attribute_exists(PK)",
                               "ExpressionAttributeValues": {":a": {"N": "5.50"}}}}

        actions = [
            {"Put": {**table, "ConditionExpression": "attribute_not_exists(PK)", "Item": {**strings(
                PK="TXN#880h1733", SK="METADATA", GSI1PK="STATUS#completed", GSI1SK=f"CREATED#{time}",
                GSI2PK="IDEMPOTENCY#abc123def456", GSI2SK="TXN", Type="Transaction", ID="880h1733",
                IdempotencyKey="abc123def456", TransactionType="payment", Status="completed", MerchantID="m1",
                Description="Coffee purchase", CreatedAt=time), "Amount": {"N": "5.50"}}}},
            leg("990i2844", "debit", "a1"), leg("aa1j3955", "credit", "a2"), change("a1", "-"), change("a2", "+")]
        command = f"transact-write-items --transact-items '{json.dumps(actions)}'"
        self.aws(command)
        status, _, err = shell.run(f"aws dynamodb --endpoint-url {self.server.endpoint} {command}")
        self.assertNotEqual(status, 0)
        self.assertIn("[ConditionalCheckFailed, None, None, None, None]", err)
        self.assertEqual(self.run_app("show", "880h1733"), (
            0, f"{time} 880h1733 payment completed 5.50 merchant m1 Coffee purchase\n"
            "  debit  5.50 USD account a1\n  credit 5.50 USD account a2\n", ""))
        self.assertEqual(self.pay("abc123def456"), (0, "880h1733 completed 5.50 USD\n", ""))
        self.assertEqual(self.balances("a1", "a2"), ["1494.5", "5.5"])
        self.expect("2 transactions, 3 accounts, 0 problems\n", "reconcile", *ALWAYS)


if __name__ == "__main__":
    unittest.main()
