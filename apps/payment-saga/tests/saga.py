"""What the tests of payment-saga share: wallets, payments, the gateway's book."""

import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from testing import AppTest, program, word

GATEWAY = f"{word(program('payment-saga'))} simulate-gateway"


class PaymentSaga(AppTest):
    app = "payment-saga"

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.book = pathlib.Path(folder.name) / "book"
        self.gateway = f"{GATEWAY} --book {self.book}"

    def pay_arguments(self, payment, amount="100.50", gateway=None, user="user-123", more=()):
        return ["pay", "--user", user, "--payment", payment, "--amount", amount,
                "--gateway", gateway or self.gateway, *more]

    def pay(self, payment, *arguments, **options):
        return self.run_app(*self.pay_arguments(payment, *arguments, **options))

    def wallet(self, balance="1000.00", user="user-123"):
        self.assertEqual(self.run_app("wallet", "create", user, "--balance", balance)[0], 0)

    def balance(self, user="user-123"):
        return self.client.get_item(TableName="Wallets", Key={"userId": {"S": user}})["Item"]["balance"]["N"]

    def open_breaker(self, reset_s=1000):
        self.client.put_item(TableName="CircuitBreakerState", Item={
            "serviceName": {"S": "payment-gateway"}, "state": {"S": "OPEN"}, "failureCount": {"N": "5"},
            "resetTime": {"N": str(int(time.time()) + reset_s)}})

    def charged(self):
        """The payments that the gateway has charged, once for each time."""
        lines = self.book.read_text().splitlines() if self.book.exists() else []
        return sorted(line.split()[0].split(":")[1] for line in lines)

    def events(self, payment):
        items = self.client.query(TableName="PaymentEvents", KeyConditionExpression="paymentId = :p",
                                  ExpressionAttributeValues={":p": {"S": payment}})["Items"]
        return [f"{item['eventType']['S']} {item['status']['S']}" for item in items]

    def key(self, payment, user="user-123"):
        return self.client.get_item(TableName="IdempotencyKeys",
                                    Key={"idempotencyKey": {"S": f"{user}:{payment}"}})["Item"]
