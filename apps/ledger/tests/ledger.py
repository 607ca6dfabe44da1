"""What the tests of the ledger share: a table with a merchant and accounts, and what there is in it."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from testing import AppTest

# The ids of the payments with keys k1 and k2: they follow from the keys.
K1, K2 = "8916f039-2938-8698-8dbb-70b6e78a5d46", "3f66ef68-45a5-897d-bc5f-2d2eb94fe196"
# What account a1 is opened with.
OPEN_A1 = "92707802-a1ed-8bf8-9c67-25047c20fed7"
ALWAYS = ["--from", "2020-01-01", "--to", "2099-12-31"]


class Ledger(AppTest):
    app = "ledger"

    def open(self, *accounts):
        """A merchant m1, and accounts a1, a2, ... of a user u with these balances."""
        self.expect("m1\n", "merchant", "add", "--id", "m1", "--name", "Coffee Shop Inc", "--category", "Restaurant")
        for n, balance in enumerate(accounts, 1):
            self.expect(f"a{n} u checking {balance} USD active\n",
                        "account", "open", "--id", f"a{n}", "--user", "u", "--balance", balance)

    def pay_arguments(self, key, amount="5.50", payer="a1", payee="a2", merchant="m1"):
        return ["pay", "--key", key, "--from", payer, "--to", payee, "--merchant", merchant, "--amount", amount]

    def pay(self, *arguments, **options):
        return self.run_app(*self.pay_arguments(*arguments, **options))

    def item(self, pk, sk="METADATA"):
        return self.client.get_item(TableName="FinancialTransactions", Key={"PK": {"S": pk}, "SK": {"S": sk}}).get("Item")

    def balances(self, *accounts):
        return [self.item(f"ACCOUNT#{account}")["Balance"]["N"] for account in accounts]

    def transactions(self):
        """The payments; what accounts were opened with is not among them."""
        items = self.everything()["FinancialTransactions"]
        return sorted(item["ID"]["S"] for item in items
                      if item["Type"]["S"] == "Transaction" and item["TransactionType"]["S"] == "payment")
