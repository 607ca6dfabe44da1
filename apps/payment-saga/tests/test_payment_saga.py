"""payment-saga: its commands and its service, its README, bad input, and the AWS CLI on its tables."""

import concurrent.futures
import json
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from proxies import deaths
from rights import check_policy
from saga import GATEWAY, PaymentSaga
from testing import AppTest, Service, shell
from waiting import wait_until


class Commands(PaymentSaga):
    def test_readme(self):
        self.assertGreaterEqual(self.check_readme(), 12)

    def test_a_payment(self):
        self.wallet()
        result = "pay-789 SUCCESS 100.50 sim-user-123:pay-789\n"
        for _ in range(2):
            self.assertEqual(self.pay("pay-789"), (0, result, ""))
            self.assertEqual((self.balance(), self.charged()), ("899.5", ["pay-789"]))
        self.assertEqual(self.events("pay-789"), ["PAYMENT_INITIATED PENDING", "WALLET_DEBITED SUCCESS",
                                                  "PAYMENT_PROCESSED PENDING", "PAYMENT_PROCESSED SUCCESS"])
        key = self.key("pay-789")
        self.assertEqual(sorted(key), ["createdAt", "expirationTime", "idempotencyKey", "paymentId", "result", "status"])
        self.assertEqual((key["status"]["S"], key["paymentId"]["S"]), ("COMPLETED", "pay-789"))
        self.assertAlmostEqual(int(key["expirationTime"]["N"]), time.time() + 86400, delta=120)
        self.expect("user-123 899.50 USD version 2\n", "wallet", "show", "user-123")
        self.expect("count 1 sum N average N min N p50 N p90 N p99 N max N\n", "metrics", "PAYMENT_LATENCY", time.strftime("%Y-%m-%d", time.gmtime()))

    def test_the_items_of_the_design(self):
        """Every attribute that the design names, in its form; what else there is beside it."""
        second, milli = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$", r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"
        self.wallet()
        self.pay("pay-789")
        self.pay("pay-790", gateway="exit 2; #")
        tables = self.everything()
        wallet, = tables["Wallets"]
        self.assertEqual({**wallet, "updatedAt": 0, "createdAt": 0}, {
            "userId": {"S": "user-123"}, "balance": {"N": "899.5"}, "currency": {"S": "USD"}, "version": {"N": "4"},
            "updatedAt": 0, "createdAt": 0})
        self.assertRegex(wallet["updatedAt"]["S"], second)
        self.assertRegex(wallet["createdAt"]["S"], second)
        event = [item for item in tables["PaymentEvents"] if item["paymentId"]["S"] == "pay-789"][-1]
        self.assertEqual({**event, "timestamp": 0, "correlationId": 0}, {
            "paymentId": {"S": "pay-789"}, "timestamp": 0, "userId": {"S": "user-123"}, "eventType": {"S": "PAYMENT_PROCESSED"},
            "amount": {"N": "100.5"}, "status": {"S": "SUCCESS"}, "correlationId": 0,
            "metadata": {"M": {"detail": {"S": "sim-user-123:pay-789"}}}})
        self.assertRegex(event["timestamp"]["S"], milli)
        self.assertRegex(event["correlationId"]["S"], "^exec-[0-9a-f]{16}$")
        breaker, = tables["CircuitBreakerState"]
        self.assertEqual({**breaker, "resetTime": 0, "lastFailureTime": 0, "lastSuccessTime": 0}, {
            "serviceName": {"S": "payment-gateway"}, "state": {"S": "CLOSED"}, "failureCount": {"N": "1"}, "successCount": {"N": "0"},
            "resetTime": 0, "lastFailureTime": 0, "lastSuccessTime": 0})
        self.assertRegex(breaker["lastFailureTime"]["S"], second)
        self.assertGreater(int(breaker["resetTime"]["N"]), time.time())
        key = self.key("pay-789")
        self.assertEqual((key["idempotencyKey"]["S"], key["paymentId"]["S"], key["status"]["S"], key["result"]["M"]["status"]["S"]),
                         ("user-123:pay-789", "pay-789", "COMPLETED", "SUCCESS"))
        self.assertRegex(key["createdAt"]["S"], second)
        metric = next(item for item in tables["Metrics"] if item["metricType#date"]["S"].startswith("PAYMENT_LATENCY#"))
        self.assertRegex(metric["metricType#date"]["S"], r"^PAYMENT_LATENCY#\d{4}-\d\d-\d\d$")
        self.assertRegex(metric["timestamp"]["S"], milli)
        self.assertEqual(metric["dimensions"], {"M": {"service": {"S": "payments-adapter"}, "operation": {"S": "process_payment"},
                                                      "status": {"S": "success"}}})

    def test_a_declined_payment_is_refunded(self):
        self.wallet()
        for _ in range(2):
            self.assertEqual(self.pay("p1", gateway=f"{self.gateway} --decline 100"),
                             (1, "p1 FAILED 100.50 declined by the simulator\n", ""))
            self.assertEqual((self.balance(), self.charged()), ("1000", []))
        self.assertEqual(self.events("p1")[-2:], ["PAYMENT_PROCESSED FAILED", "REFUND_INITIATED SUCCESS"])
        self.expect("TIME PAYMENT_INITIATED PENDING 100.50\nTIME WALLET_DEBITED SUCCESS 100.50\n"
                    "TIME PAYMENT_PROCESSED PENDING 100.50\nTIME PAYMENT_PROCESSED FAILED 100.50 declined by the simulator\n"
                    "TIME REFUND_INITIATED SUCCESS 100.50\np1 FAILED\n", "status", "p1")
        self.expect("TIME p1 REFUND_INITIATED SUCCESS 100.50\n", "history", "user-123", "--limit", "1")

    def test_not_enough_money(self):
        self.wallet("100.49")
        for _ in range(2):
            self.assertEqual(self.pay("p1"), (1, "p1 FAILED 100.50 not enough money\n", ""))
            self.run_app("wallet", "top-up", "user-123", "--amount", "1000")  # the result stays
        self.assertEqual((self.balance(), self.charged()), ("2100.49", []))
        self.assertEqual(self.pay("p2")[0], 0)

    def test_the_whole_wallet(self):
        self.wallet("100.50")
        self.assertEqual(self.pay("p1")[0], 0)
        self.assertEqual(self.balance(), "0")

    def test_what_does_not_fit(self):
        self.wallet()
        self.pay("p1")
        before = self.everything()
        self.assertEqual(self.pay("p1", "100.51"), (1, "", "gramme-payment-saga: p1 was begun with the amount 100.50\n"))
        self.client.put_item(TableName="Wallets", Item={
            "userId": {"S": "user-124"}, "balance": {"N": "1000"}, "currency": {"S": "USD"}, "version": {"N": "1"}})
        self.assertEqual(self.pay("p1", user="user-124"), (1, "", "gramme-payment-saga: p1 is a payment of another user\n"))
        self.assertEqual(self.pay("p2", user="user-125"), (1, "", "gramme-payment-saga: there is no wallet of user-125\n"))
        for table in ("PaymentEvents", "IdempotencyKeys", "Metrics"):
            self.assertEqual(self.everything()[table], before[table])
        self.expect("", "wallet", "create", "user-123", "--balance", "1", status=1,
                    err="gramme-payment-saga: user-123 has a wallet already\n")
        self.expect("", "wallet", "show", "user-9", status=1, err="gramme-payment-saga: there is no wallet of user-9\n")
        self.expect("", "wallet", "top-up", "user-9", "--amount", "1", status=1,
                    err="gramme-payment-saga: there is no wallet of user-9\n")
        self.expect("", "status", "p9", status=1, err="gramme-payment-saga: there is no payment p9\n")
        self.expect("", "history", "user-9")
        self.expect("count 0\n", "metrics", "PAYMENT_LATENCY", "2024-01-01", "2024-01-31")
        self.assertEqual(self.balance(), "899.5")

    def test_a_gateway_that_does_not_answer(self):
        """Nobody knows whether it has charged, so the money stays where it is until it answers."""
        self.wallet()
        for gateway, why in (("exit 7; #", "it ended with status 7"), ("kill -9 $$;", "it was killed by signal 9"),
                             ("sleep 60;", "no answer within 300 ms"), ("yes;", "its answer has more than 4096 bytes"),
                             ("exit 2; #", "it ended with status 2"),
                             ("/no/such/program 2>/dev/null", "it ended with status 127")):
            with self.subTest(gateway):
                self.assertEqual(self.pay("p1", gateway=gateway, more=["--gateway-timeout", "300" if "sleep" in gateway else "20000", "--breaker-failures", "100"]), (
                    1, "", f"gramme-payment-saga: p1 is pending: nobody knows whether the gateway has charged: {why}\n"))
                self.assertEqual(self.balance(), "899.5")
        self.assertEqual(self.pay("p1")[0], 0)
        self.assertEqual((self.balance(), self.charged()), ("899.5", ["p1"]))

    def test_what_the_gateway_says_is_kept_harmless(self):
        self.wallet()
        status, out, _ = self.pay("p1", gateway="printf 'a\\033[31m\\377b\\nc' ; true")
        self.assertEqual((status, out), (0, "p1 SUCCESS 100.50 a?[31m?b\n"))

    def test_a_key_that_has_expired(self):
        """Its events tell how the payment ended; nothing is paid again."""
        self.wallet()
        first = [self.pay("p1"), self.pay("p2", gateway=f"{self.gateway} --fail 100")]
        for payment in ("p1", "p2"):
            self.client.delete_item(TableName="IdempotencyKeys", Key={"idempotencyKey": {"S": f"user-123:{payment}"}})
        self.assertEqual([self.pay("p1"), self.pay("p2")], first)
        self.assertEqual((self.balance(), self.charged()), ("899.5", ["p1"]))

    def test_a_payment_under_way_never_expires(self):
        self.wallet()
        self.pay("p1", gateway="exit 7; #")
        self.assertNotIn("expirationTime", self.key("p1"))
        self.assertEqual(self.key("p1")["status"]["S"], "PROCESSING")


class Serve(PaymentSaga):
    """The same over HTTP."""

    def service(self, *more, gateway=None):
        return Service(self.app, self.server.endpoint, "--gateway", gateway or self.gateway, *more)

    def test_payments_and_wallets(self):
        with self.service() as service:
            wallet = {"user": "anna", "balance": 1000.0, "currency": "USD", "version": 1}
            self.assertEqual(service.post("/wallets", {"user": "anna", "balance": 1000}), (201, wallet))
            self.assertEqual(service.post("/wallets", {"user": "anna", "balance": 1000}), (409, {"error": "anna has a wallet already"}))
            paid = {"payment": "p1", "user": "anna", "status": "SUCCESS", "amount": 100.5, "detail": "sim-anna:p1"}
            for _ in range(2):
                self.assertEqual(service.post("/payments", {"user": "anna", "payment": "p1", "amount": 100.50}), (200, paid))
                self.assertEqual(service.post("/wallets/anna/top-ups", {"amount": 0.25, "key": "k1"})[1]["balance"], 899.75)
            status, body = service.get("/payments/p1")
            self.assertEqual((status, body["status"], [event["eventType"] for event in body["events"]]), (
                200, "SUCCESS", ["PAYMENT_INITIATED", "WALLET_DEBITED", "PAYMENT_PROCESSED", "PAYMENT_PROCESSED"]))
            self.assertEqual(service.post("/payments/p1/refund", {})[1]["status"], "REFUNDED")
            self.assertEqual(service.post("/payments/p1/cancel", {})[1]["status"], "REFUNDED")
            self.assertEqual(service.get("/wallets/anna")[1], {**wallet, "balance": 1000.25, "version": 4})
            self.assertEqual(service.get("/wallets/anna/verification")[1]["right"], True)
            self.assertEqual(len(service.get("/wallets/anna/events")[1]["events"]), 8)
            self.assertEqual(service.get("/breakers/payment-gateway")[1]["state"], "CLOSED")
            today = time.strftime("%Y-%m-%d", time.gmtime())
            groups = service.get(f"/measurements/PAYMENT_AMOUNT?from={today}&by=status")[1]["groups"]
            self.assertEqual([(group["name"], group["sum"]) for group in groups], [("refunded", 100.5), ("success", 100.5)])
            self.assertIn("gramme_payment_saga_payments_success_total 2\n", service.text("/metrics"))
            self.assertEqual(service.get("/health/ready"), (200, {"status": "ok"}))

    def test_what_is_refused(self):
        self.wallet()
        with self.service() as service:
            for path, body, status, error in (
                    ("/payments", {"user": "a b", "payment": "p", "amount": 1}, 400,
                     "user is 1 to 64 letters, digits, '.', '_' or '-', not 'a b'"),
                    ("/payments", {"user": "user-123", "payment": "p", "amount": 1.001}, 400,
                     "amount is an amount from 0.01 on, with at most two decimals, not '1.001'"),
                    ("/payments", {"user": "user-123", "payment": "p"}, 400, "amount is missing"),
                    ("/payments", {"user": "nobody", "payment": "p", "amount": 1}, 409, "there is no wallet of nobody"),
                    ("/payments/p9/cancel", {}, 409, "there is no payment p9"),
                    ("/wallets/nobody/top-ups", {"amount": 1, "key": "k"}, 409, "there is no wallet of nobody")):
                self.assertEqual(service.post(path, body), (status, {"error": error}), (path, body))
            self.assertEqual(service.get("/payments/p9"), (404, {"error": "there is no payment p9"}))
            self.assertEqual(service.get("/wallets/nobody"), (404, {"error": "there is no wallet nobody"}))
            self.client.delete_table(TableName="Wallets")
            self.assertEqual(service.get("/wallets/user-123")[0], 503)
            self.assertEqual(service.get("/health/ready")[0], 503)

    def test_a_payment_that_is_pending_goes_on_by_itself(self):
        self.wallet()
        switch = self.book.parent / "up"
        gateway = f'if [ -e {switch} ]; then {self.gateway} "$@"; else exit 7; fi; exit $?; #'
        with self.service("--work-every", "1s", gateway=gateway) as service:
            status, body = service.post("/payments", {"user": "user-123", "payment": "p1", "amount": 100.5})
            self.assertEqual((status, body["status"], body["step"]), (202, "PENDING", "CHARGING"))
            self.assertEqual([payment["payment"] for payment in service.get("/payments")[1]["payments"]], ["p1"])
            switch.touch()
            wait_until(lambda: service.get("/payments/p1")[1]["status"] != "PENDING", "the end of the payment")
            self.assertEqual(service.get("/payments/p1")[1]["status"], "SUCCESS")
            self.assertEqual(service.get("/payments")[1], {"payments": []})
        self.assertEqual((self.balance(), self.charged()), ("899.5", ["p1"]))


class Wallets(PaymentSaga):
    def test_balances_are_what_the_events_make(self):
        self.wallet()
        self.wallet("0.00", "user-124")
        self.run_app("wallet", "top-up", "user-123", "--amount", "5.25")
        self.pay("p1")
        self.pay("p2", gateway=f"{self.gateway} --decline 100")
        self.run_app("refund", "p1", "--gateway", self.gateway)
        self.pay("p3")
        self.expect("user-123 904.75 USD version 7\n", "wallet", "show", "user-123")
        self.expect("2 wallets, 0 problems\n", "wallet", "verify")
        self.expect("1 wallets, 0 problems\n", "wallet", "verify", "user-123")
        self.client.update_item(TableName="Wallets", Key={"userId": {"S": "user-123"}}, UpdateExpression="SET balance = :b",
                                ExpressionAttributeValues={":b": {"N": "904.76"}})
        problem = "user-123: balance 904.76 version 7, its events make 904.75 version 7\n"
        self.expect(f"{problem}2 wallets, 1 problems\n", "wallet", "verify", status=1)
        self.expect(f"{problem}1 wallets, 1 problems\n", "wallet", "verify", "user-123", status=1)
        self.expect("1 wallets, 0 problems\n", "wallet", "verify", "user-124")

    def test_a_refund_to_a_wallet_that_is_full(self):
        """It may have more than one amount then, and goes on."""
        self.wallet("10000000000000.00")
        self.pay("p1")
        self.expect("user-123 10000000000000.00 USD version 3\n", "wallet", "top-up", "user-123", "--amount", "100.50")
        self.assertEqual(self.run_app("refund", "p1", "--gateway", self.gateway)[0], 0)
        self.expect("user-123 10000000000100.50 USD version 4\n", "wallet", "show", "user-123")
        self.expect("1 wallets, 0 problems\n", "wallet", "verify", "user-123")
        self.expect("", "wallet", "top-up", "user-123", "--amount", "0.01", status=1,
                    err="gramme-payment-saga: the wallet of user-123 has too much money\n")
        self.assertEqual(self.pay("p2", "10000000000000.00")[0], 0)
        self.expect("user-123 100.50 USD version 5\n", "wallet", "show", "user-123")

    def test_events_of_a_wallet(self):
        self.wallet()
        self.run_app("wallet", "top-up", "user-123", "--amount", "5.25", "--key", "k1")
        self.expect("TIME top-up:user-123:k1 WALLET_TOPPED_UP SUCCESS 5.25\nTIME wallet:user-123 WALLET_CREATED SUCCESS 1000.00\n",
                    "history", "user-123")

    def test_a_top_up_with_a_key_happens_once(self):
        self.wallet()
        for _ in range(2):
            self.expect("user-123 1005.25 USD version 2\n", "wallet", "top-up", "user-123", "--amount", "5.25", "--key", "k1")
            self.client.delete_item(TableName="IdempotencyKeys", Key={"idempotencyKey": {"S": "top-up:user-123:k1"}})
        self.expect("", "wallet", "top-up", "user-123", "--amount", "6", "--key", "k1", status=1,
                    err="gramme-payment-saga: the top-up k1 was of 5.25\n")
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda _: self.run_app("wallet", "top-up", "user-123", "--amount", "1", "--key", "k2"), range(6)))
        self.assertEqual(self.balance(), "1006.25")

    def test_a_crash_at_every_point(self):
        self.wallet()
        died = 0
        for key in deaths(self.server.port, self.app, lambda key: ["wallet", "top-up", "user-123", "--amount", "1", "--key", key]):
            self.assertEqual(self.run_app("wallet", "top-up", "user-123", "--amount", "1", "--key", key)[0], 0)
            died += 1
        self.assertGreaterEqual(died, 6)
        self.assertEqual(self.balance(), str(1000 + died + 2))
        self.expect("1 wallets, 0 problems\n", "wallet", "verify")


class Metrics(PaymentSaga):
    def metrics(self, *arguments):
        status, out, err = self.run_app("metrics", *arguments)
        self.assertEqual((status, err), (0, ""))
        return out

    def test_by_dimension(self):
        day = "2024-01-01"
        for n in range(1, 101):
            self.client.put_item(TableName="Metrics", Item={
                "metricType#date": {"S": f"PAYMENT_LATENCY#{day}"}, "timestamp": {"S": f"{day}T10:00:00.{n:03d}Z"},
                "value": {"N": str(n)}, "dimensions": {"M": {"status": {"S": "success" if n <= 60 else "failed"}}}})
        self.assertEqual(self.metrics("PAYMENT_LATENCY", day), "count 100 sum 5050.00 average 50.50 min 1.00 p50 50.00 p90 90.00 "
                                                               "p99 99.00 max 100.00\n")
        self.assertEqual(self.metrics("PAYMENT_LATENCY", day, "2024-01-03", "--by", "status"),
                         "failed count 40 sum 3220.00 average 80.50 min 61.00 p50 80.00 p90 96.00 p99 100.00 max 100.00\n"
                         "success count 60 sum 1830.00 average 30.50 min 1.00 p50 30.00 p90 54.00 p99 60.00 max 60.00\n")
        self.assertRegex(self.metrics("PAYMENT_LATENCY", day, "--by", "colour"), "^- count 100 ")

    def test_all_kinds(self):
        self.wallet()
        today = time.strftime("%Y-%m-%d", time.gmtime())
        self.run_app("wallet", "top-up", "user-123", "--amount", "5.25")
        self.pay("p1")
        self.pay("p2", "7.00", gateway=f"{self.gateway} --decline 100")
        self.pay("p3", "8.00", gateway=f"{self.gateway} --fail 100")
        self.pay("p4", "9.00", gateway=f"{self.gateway} --lose 100")
        self.run_app("refund", "p1", "--gateway", self.gateway)

        def counts(kind, by):
            lines = self.metrics(kind, today, "--by", by).splitlines()
            return {line.split()[0]: (int(line.split()[2]), line.split()[4]) for line in lines}

        self.assertEqual(counts("PAYMENT_AMOUNT", "status"), {
            "success": (1, "100.50"), "failed": (2, "15.00"), "refunded": (1, "100.50")})
        self.assertEqual({name: count for name, (count, _) in counts("PAYMENT_LATENCY", "operation").items()},
                         {"process_payment": 3, "refund_payment": 1})
        self.assertEqual({name: count for name, (count, _) in counts("GATEWAY_LATENCY", "status").items()},
                         {"done": 2, "declined": 1, "failed": 1, "unknown": 1})
        self.assertEqual(counts("TOP_UP_AMOUNT", "service"), {"payments-adapter": (1, "5.25")})


class Policy(PaymentSaga):
    def test_every_action_of_the_policy_is_needed_and_no_other(self):
        def scenario(run):
            run("wallet", "create", "user-123", "--balance", "1000")
            run("wallet", "top-up", "user-123", "--amount", "1")
            run(*self.pay_arguments("p1"))
            run(*self.pay_arguments("p2", gateway=f"{self.gateway} --fail 100"))
            run("work", "--gateway", self.gateway)
            for command in ("wallet show user-123", "wallet verify", "pending", "status p1", "history user-123", "breaker payment-gateway",
                            "metrics PAYMENT_LATENCY 2026-01-01"):
                run(*command.split())

        check_policy(self, scenario)


class Breaker(PaymentSaga):
    OPENS = [*["p%d FAILED 100.50 the simulator is out of order\n" % n for n in range(3)],
             "p3 FAILED 100.50 the circuit breaker is open\n"]

    def setUp(self):
        super().setUp()
        self.wallet()

    def state(self):
        status, out, err = self.run_app("breaker", "payment-gateway")
        self.assertEqual((status, err), (0, ""))
        return out.removeprefix("payment-gateway ").split(" no calls")[0].split(" on trial")[0].strip()

    def try_to_pay(self, payment, gateway=""):
        return self.pay(payment, gateway=f"{self.gateway} {gateway}", more=["--breaker-failures", "3", "--breaker-reset", "1000"])[1]

    def open(self):
        self.assertEqual(self.state(), "CLOSED failures 0 successes 0")
        self.assertEqual([self.try_to_pay(f"p{n}", "--fail 100") for n in range(4)], self.OPENS)
        self.assertEqual(self.state(), "OPEN failures 3 successes 0")

    def without_ttl(self):
        """As in the service, where an item stays for a while after its resetTime."""
        self.client.delete_table(TableName="CircuitBreakerState")
        self.create("CircuitBreakerState", "serviceName:S")

    def end_the_time(self):
        """Its resetTime is over, a second ago."""
        self.client.update_item(TableName="CircuitBreakerState", Key={"serviceName": {"S": "payment-gateway"}},
                                UpdateExpression="SET resetTime = :t", ExpressionAttributeValues={":t": {"N": str(int(time.time()) - 1)}})

    def test_opens_after_failures_in_a_row(self):
        for n in range(2):
            self.try_to_pay(f"a{n}", "--fail 100")
        self.assertEqual(self.state(), "CLOSED failures 2 successes 0")
        self.try_to_pay("a2")
        self.assertEqual(self.state(), "CLOSED failures 0 successes 1")
        for n in range(3, 6):
            self.try_to_pay(f"a{n}", "--fail 100")
        self.assertEqual(self.state(), "OPEN failures 3 successes 0")
        self.assertEqual(self.try_to_pay("a6"), "a6 FAILED 100.50 the circuit breaker is open\n")
        self.assertEqual((self.charged(), self.balance()), (["a2"], "899.5"))

    def test_a_declined_card_is_a_gateway_that_works(self):
        for n in range(5):
            self.assertEqual(self.try_to_pay(f"a{n}", "--decline 100"), f"a{n} FAILED 100.50 declined by the simulator\n")
        self.assertEqual(self.state(), "CLOSED failures 0 successes 5")

    def test_answers_that_nobody_knows_are_failures(self):
        for n in range(3):
            self.try_to_pay(f"a{n}", "--lose 100")
        self.assertEqual(self.state(), "OPEN failures 3 successes 0")

    def test_no_call_before_the_reset_time_of_an_item_by_hand(self):
        """{OPEN, resetTime: now + 1000}: not one call until then, and at that time the TTL closes the breaker."""
        self.open_breaker()
        for n in range(5):
            self.assertIn("FAILED 100.50 the circuit breaker is open\n", self.try_to_pay(f"a{n}"))
        self.assertEqual((self.charged(), self.state()), ([], "OPEN failures 5 successes 0"))
        self.end_the_time()
        wait_until(lambda: not self.client.scan(TableName="CircuitBreakerState")["Items"])
        self.assertEqual(self.state(), "CLOSED failures 0 successes 0")
        self.assertEqual(self.try_to_pay("p9"), "p9 SUCCESS 100.50 sim-user-123:p9\n")

    def test_closes_after_successes(self):
        self.without_ttl()
        self.open()
        self.end_the_time()
        self.assertEqual(self.try_to_pay("p5"), "p5 SUCCESS 100.50 sim-user-123:p5\n")
        self.assertEqual(self.state(), "HALF_OPEN failures 0 successes 1")
        self.assertEqual(self.try_to_pay("p6"), "p6 SUCCESS 100.50 sim-user-123:p6\n")
        self.assertEqual(self.state(), "CLOSED failures 0 successes 2")

    def test_opens_again_when_the_trial_fails(self):
        self.without_ttl()
        self.open()
        self.end_the_time()
        self.assertEqual(self.try_to_pay("p5", "--fail 100"), "p5 FAILED 100.50 the simulator is out of order\n")
        self.assertEqual(self.state(), "OPEN failures 4 successes 0")

    def test_one_call_at_a_time_on_trial(self):
        self.without_ttl()
        self.open_breaker(-5)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda n: self.try_to_pay(f"p{n}", "--delay 1500"), range(4)))
        self.assertEqual(sum("SUCCESS" in result for result in results), 1, results)
        self.assertEqual(self.state(), "HALF_OPEN failures 0 successes 1")

    def test_a_payment_that_the_gateway_may_know_waits(self):
        self.pay("p9", gateway="exit 7; #")
        self.open_breaker()
        self.assertEqual(self.pay("p9"), (1, "", "gramme-payment-saga: p9 is pending: the gateway may have charged, and its circuit "
                                                 "breaker is open\n"))
        self.assertEqual(self.balance(), "899.5")


class BadInput(PaymentSaga):
    ID = "is 1 to 64 letters, digits, '.', '_' or '-', not "
    AMOUNT = "takes an amount from 0.01 on, with at most two decimals, not "

    def test_bad_input(self):
        pay = "pay --user u --payment p --gateway true"
        self.wallet()
        self.check_bad_input([
            ("nothing", "there is no command 'nothing'"),
            ("wallet", "there is no command 'wallet'"),
            ("pay", "--user is missing"),
            ("pay --user", "--user needs a value, USER"),
            ("pay --user=", "--user needs a value, USER"),
            ("pay --user u --user v", "--user is given twice"),
            ("pay --colour red", "there is no option --colour"),
            ("pay --user u --payment p --amount 5", "--gateway is missing"),
            (f"{pay} --amount 5 more", "unexpected operand 'more'"),
            *[(f"{pay} --amount '{amount}'", f"--amount {self.AMOUNT}'{amount}'") for amount in (
                "0", "0.00", "-5", "5.001", "5.", ".5", "1e3", "0x10", "+5", " 5", "5 ", "5,00", "five", "NaN", "inf",
                "99999999999999999999", "10000000000000.01")],
            ("pay --user a:b --payment p --amount 5 --gateway true", f"--user {self.ID}'a:b'"),
            ("pay --user u --payment 'a b' --amount 5 --gateway true", f"--payment {self.ID}'a b'"),
            (f"pay --user {'u' * 65} --payment p --amount 5 --gateway true", f"--user {self.ID}'{'u' * 65}'"),
            (f"{pay} --amount 5 --service ''", "--service needs a value, NAME"),
            (f"{pay} --amount 5 --service é", f"--service {self.ID}'é'"),
            (f"{pay} --amount 5 --gateway-timeout 0", "--gateway-timeout takes a number from 1 to 600000, not '0'"),
            (f"{pay} --amount 5 --breaker-reset x", "--breaker-reset takes a number from 1 to 86400, not 'x'"),
            (f"{pay} --amount 5 --breaker-failures 99999999999999999999",
             "--breaker-failures takes a number from 1 to 1000000, not '99999999999999999999'"),
            ("wallet create", "USER is missing"),
            ("wallet create ''", "USER is missing"),
            ("wallet create u", "--balance is missing"),
            ("wallet create u v --balance 5", "unexpected operand 'v'"),
            ("wallet create u --balance -1", "--balance takes an amount from 0.00 on, with at most two decimals, not '-1'"),
            ("wallet create u --balance 1 --currency usd", "--currency takes three capital letters, not 'usd'"),
            ("wallet create u --balance 1 --currency USDX", "--currency takes three capital letters, not 'USDX'"),
            ("wallet show 'u#'", f"USER {self.ID}'u#'"),
            ("wallet top-up user-123 --amount 0", f"--amount {self.AMOUNT}'0'"),
            ("status", "PAYMENT is missing"),
            ("status a/b", f"PAYMENT {self.ID}'a/b'"),
            ("history", "USER is missing"),
            ("history u --limit 0", "--limit takes a number from 1 to 1000000, not '0'"),
            ("breaker", "SERVICE is missing"),
            ("breaker 'x y'", f"SERVICE {self.ID}'x y'"),
            ("metrics PAYMENT_LATENCY", "DATE is missing"),
            *[(f"metrics PAYMENT_LATENCY '{day}'", f"DATE is a day like 2024-01-01, not '{day}'") for day in (
                "today", "2024-02-30", "2024-13-01", "24-01-01", "2024-01-01T00:00:00Z", "1969-12-31", "2024-01-01 ")],
            ("metrics PAYMENT_LATENCY 2024-01-02 2024-01-01",
             "TO is a day from DATE on, at most 366 days in all, not '2024-01-01'"),
            ("metrics PAYMENT_LATENCY 2024-01-01 2025-01-01",
             "TO is a day from DATE on, at most 366 days in all, not '2025-01-01'"),
            ("wallet verify 'a b'", f"USER {self.ID}'a b'"),
            ("wallet top-up user-123 --amount 1 --key a:b", f"--key {self.ID}'a:b'"),
            ("cancel p", "--gateway is missing"),
            ("refund 'a b' --gateway true", f"PAYMENT {self.ID}'a b'"),
            ("resolve p", "either --charged or --not-charged is needed"),
            ("resolve p --not-charged --charged x", "either --charged or --not-charged is needed"),
            (f"{pay} --amount 5 --deadline 0", "--deadline takes a number from 1 to 86400, not '0'"),
            ("work", "--gateway is missing"),
            ("serve", "--gateway is missing"),
            ("serve --gateway true --deadline x", "--deadline takes a number from 1 to 86400, not 'x'"),
            ("work --gateway true --every 0", "--every takes a number from 1 to 86400, not '0'"),
            ("pending --limit 0", "--limit takes a number from 1 to 10000, not '0'"),
            ("metrics 'a#b' 2024-01-01", f"TYPE {self.ID}'a#b'"),
            ("simulate-gateway pay k 1 USD", "the gateway can charge and refund, not 'pay'"),
            ("simulate-gateway charge k 1 USD --fail 101", "--fail takes a number from 0 to 100, not '101'"),
        ])

    def test_help(self):
        for arguments in (["--help"], ["-h"], ["pay", "--help"], ["wallet", "create", "-h"]):
            status, out, err = self.run_app(*arguments)
            self.assertEqual((status, err), (0, ""))
            self.assertIn("Usage: gramme-payment-saga ", out)
        status, out, err = self.run_app()
        self.assertEqual((status, out), (2, ""))
        self.assertIn("Usage: gramme-payment-saga ", err)

    def test_no_server_and_no_table(self):
        status, out, err = self.run_app("wallet", "show", "u", "--endpoint", "http://127.0.0.1:1")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(err, r"^gramme-payment-saga: cannot read the wallet of u: .+\n$")
        self.client.delete_table(TableName="Wallets")
        self.expect("", "wallet", "show", "u", status=1, err="gramme-payment-saga: cannot read the wallet of u: "
                    "ResourceNotFoundException: Requested resource not found\n")

    def test_items_of_another_shape(self):
        """What others have written does not crash it."""
        for wallet in ({"balance": {"S": "12"}, "version": {"N": "1"}}, {"balance": {"N": "1"}},
                       {"balance": {"N": "0.001"}, "version": {"N": "1"}}, {"balance": {"N": "1"}, "version": {"N": "1.5"}}):
            self.client.put_item(TableName="Wallets", Item={"userId": {"S": "odd"}, **wallet})
            self.expect("", "wallet", "show", "odd", status=1, err="gramme-payment-saga: the wallet of odd has no balance or no "
                        "version that this program knows\n")
        self.wallet()
        for result in ({}, {"result": {"S": "x"}}, {"result": {"M": {}}}, {"result": {"M": {"step": {"S": "COMPLETED"}}}}):
            self.client.put_item(TableName="IdempotencyKeys", Item={"idempotencyKey": {"S": "user-123:p"}, **result})
            self.assertEqual(self.pay("p"), (1, "", "gramme-payment-saga: the idempotency key of p has a result that this program "
                                                    "does not know\n"))
        for reset, calls in (("9" * 18, "9999-12-31T23:59:59Z"), ("1.5", "1970-01-01T00:00:00Z")):
            self.client.put_item(TableName="CircuitBreakerState", Item={
                "serviceName": {"S": "odd"}, "state": {"S": "OPEN"}, "resetTime": {"N": reset}})
            self.assertEqual(self.run_app("breaker", "odd"), (
                0, f"odd OPEN failures 0 successes 0 no calls until {calls}\n", ""))
        self.client.put_item(TableName="PaymentEvents", Item={"paymentId": {"S": "odd"}, "timestamp": {"S": "x"}})
        self.expect("x ? ? 0.00\nodd PENDING\n", "status", "odd")
        self.assertEqual(self.balance(), "1000")


class SampleItems(PaymentSaga):
    """Those of the design that have a time to live."""

    def test_a_breaker(self):
        self.check_sample("CircuitBreakerState", {
            "serviceName": {"S": "payment-gateway"}, "state": {"S": "CLOSED"}, "failureCount": {"N": "0"}, "successCount": {"N": "10"},
            "lastFailureTime": {"S": "2024-01-01T09:30:00Z"}, "lastSuccessTime": {"S": "2024-01-01T10:00:00Z"},
            "resetTime": {"N": "1704110400"}}, "resetTime")

    def test_a_key(self):
        self.check_sample("IdempotencyKeys", {
            "idempotencyKey": {"S": "user-123:pay-789"}, "status": {"S": "COMPLETED"}, "expirationTime": {"N": "1704196800"}},
            "expirationTime")


class AwsCli(AppTest):
    """The tables by the AWS CLI, as people make and read them."""

    app = "payment-saga"
    TABLES = {
        "Wallets": "AttributeName=userId,AttributeType=S --key-schema AttributeName=userId,KeyType=HASH",
        "PaymentEvents": "AttributeName=paymentId,AttributeType=S AttributeName=timestamp,AttributeType=S"
                         " AttributeName=userId,AttributeType=S"
                         " --key-schema AttributeName=paymentId,KeyType=HASH AttributeName=timestamp,KeyType=RANGE"
                         " --global-secondary-indexes 'IndexName=GSI1,KeySchema=[{AttributeName=userId,KeyType=HASH},"
                         "{AttributeName=timestamp,KeyType=RANGE}],Projection={ProjectionType=ALL}'",
        "CircuitBreakerState": "AttributeName=serviceName,AttributeType=S"
                               " --key-schema AttributeName=serviceName,KeyType=HASH",
        "IdempotencyKeys": "AttributeName=idempotencyKey,AttributeType=S AttributeName=unfinished,AttributeType=S"
                           " AttributeName=nextTry,AttributeType=S"
                           " --key-schema AttributeName=idempotencyKey,KeyType=HASH"
                           " --global-secondary-indexes 'IndexName=Unfinished,KeySchema=[{AttributeName=unfinished,KeyType=HASH},"
                           "{AttributeName=nextTry,KeyType=RANGE}],Projection={ProjectionType=ALL}'",
        "Metrics": "'AttributeName=metricType#date,AttributeType=S' AttributeName=timestamp,AttributeType=S"
                   " --key-schema 'AttributeName=metricType#date,KeyType=HASH' AttributeName=timestamp,KeyType=RANGE",
    }

    MEMBERS = ("attributes", "keys", "indexes", "ttl", "billing")  # What the commands say.

    def setUp(self):
        shell.aws_cli.need()  # One session, told in the order of the names of its tests.

    def test_1_create_table(self):
        super().setUp()
        by_template = self.shapes(*self.MEMBERS)
        self.assertEqual(sorted(by_template), sorted(self.TABLES))
        for name in self.TABLES:
            self.aws(f"delete-table --table-name {name}")
        for name, definition in self.TABLES.items():
            self.aws(f"create-table --table-name {name} --billing-mode PAY_PER_REQUEST --attribute-definitions {definition}")
        self.aws("update-time-to-live --table-name CircuitBreakerState"
                 " --time-to-live-specification 'Enabled=true, AttributeName=resetTime'")
        self.aws("update-time-to-live --table-name IdempotencyKeys"
                 " --time-to-live-specification 'Enabled=true, AttributeName=expirationTime'")
        self.assertEqual(self.shapes(*self.MEMBERS), by_template)

    def test_2_items(self):
        wallet = {"userId": {"S": "user-123"}, "balance": {"N": "1000.00"}, "currency": {"S": "USD"}, "version": {"N": "1"},
                  "updatedAt": {"S": "2024-01-01T10:00:00Z"}, "createdAt": {"S": "2024-01-01T09:00:00Z"}}
        self.aws(f"put-item --table-name Wallets --item '{json.dumps(wallet)}'")
        self.expect("user-123 1000.00 USD version 1\n", "wallet", "show", "user-123")
        out = self.aws("""query --table-name Wallets --key-condition-expression 'userId = :u' --output text"""
                       """ --expression-attribute-values '{":u":{"S":"user-123"}}' --query 'Items[0].balance.N'""")
        self.assertEqual(out, "1000\n")
        metric = {"metricType#date": {"S": "PAYMENT_LATENCY#2024-01-01"}, "timestamp": {"S": "2024-01-01T10:00:00.123Z"},
                  "value": {"N": "234.56"}, "dimensions": {"M": {"service": {"S": "payments-adapter"}}}}
        self.aws(f"put-item --table-name Metrics --item '{json.dumps(metric)}'")
        self.assertEqual(self.run_app("metrics", "PAYMENT_LATENCY", "2024-01-01"), (0, 
            "count 1 sum 234.56 average 234.56 min 234.56 p50 234.56 p90 234.56 p99 234.56 max 234.56\n", ""))

    def test_3_the_program_reads_what_the_cli_wrote_and_back(self):
        self.assertEqual(self.run_app("pay", "--user", "user-123", "--payment", "pay-789", "--amount", "100.50",
                                      "--gateway", GATEWAY)[0], 0)
        out = self.aws("""get-item --table-name IdempotencyKeys --key '{"idempotencyKey":{"S":"user-123:pay-789"}}'"""
                       """ --query 'Item.[status.S,paymentId.S,result.M.status.S]' --output text""")
        self.assertEqual(out, "COMPLETED\tpay-789\tSUCCESS\n")
        out = self.aws("""query --table-name PaymentEvents --index-name GSI1 --key-condition-expression 'userId = :u'"""
                       """ --expression-attribute-values '{":u":{"S":"user-123"}}'"""
                       """ --query 'Items[].[eventType.S,status.S,amount.N]' --output text""")
        self.assertEqual(out, "PAYMENT_INITIATED\tPENDING\t100.5\nWALLET_DEBITED\tSUCCESS\t100.5\n"
                              "PAYMENT_PROCESSED\tPENDING\t100.5\nPAYMENT_PROCESSED\tSUCCESS\t100.5\n")
        out = self.aws("""get-item --table-name CircuitBreakerState --key '{"serviceName":{"S":"payment-gateway"}}'"""
                       """ --query 'Item.[state.S,failureCount.N,successCount.N]' --output text""")
        self.assertEqual(out, "CLOSED\t0\t1\n")

    def test_4_a_debit_by_hand(self):
        """What the saga's transaction does to a wallet, typed by a person; a stale version is refused."""
        actions = [{"Update": {
            "TableName": "Wallets", "Key": {"userId": {"S": "user-123"}},
            "UpdateExpression": "SET balance = balance - :a, version = version + :one",
            "ConditionExpression": "version = :v AND balance >= :a",
            "ExpressionAttributeValues": {":a": {"N": "99.50"}, ":one": {"N": "1"}, ":v": {"N": "2"}}}}]
        self.aws(f"transact-write-items --transact-items '{json.dumps(actions)}'")
        self.expect("user-123 800.00 USD version 3\n", "wallet", "show", "user-123")
        status, _, err = shell.run(f"aws dynamodb --endpoint-url {self.server.endpoint} transact-write-items"
                                   f" --transact-items '{json.dumps(actions)}'")
        self.assertNotEqual(status, 0)
        self.assertIn("[ConditionalCheckFailed]", err)


if __name__ == "__main__":
    unittest.main()
