"""What payments between accounts may leave behind: the request that pays, and the judgement over all of them.

A payment is one TransactWriteItems of five items: two accounts change, an entry goes to the ledger, a
marker says that this payment was made, and a check sees that the bank is open. Its id is its token.

There are two kinds of accounts. Payments between careful ones tell the versions of both accounts that
they have read, so whoever pays has seen exactly what they change: the versions of an account are then
one order without gaps or repeats, and the balances that were seen can be computed again in that order.
Payments between plain accounts have no condition that a second run would fail, so only the token keeps
them from being made twice.
"""

import dataclasses

START = 1000


@dataclasses.dataclass
class Payment:
    id: str
    payer: str
    payee: str
    amount: int
    versions: tuple = None  # of payer and payee as they were read; None: between plain accounts
    balances: tuple = None  # likewise
    paid: bool = None  # None: not known

    def entry(self):
        """Its entry in the ledger."""
        return {"pk": {"S": self.id}, "payer": {"S": self.payer}, "payee": {"S": self.payee}, "amount": {"N": str(self.amount)}}

    def change(self, account, sign, version):
        conditions, values = [], {":a": {"N": str(self.amount)}, ":one": {"N": "1"}}
        if sign == "-":
            conditions.append("balance >= :a")
        if version is not None:
            conditions.append("version = :v")
            values[":v"] = {"N": str(version)}
        condition = {"ConditionExpression": " AND ".join(conditions)} if conditions else {}
        return {"Update": {"TableName": "accounts", "Key": {"pk": {"S": account}}, "ExpressionAttributeValues": values,
                           "UpdateExpression": f"SET balance = balance {sign} :a, version = version + :one", **condition}}

    def request(self):
        payer_version, payee_version = self.versions or (None, None)
        only_once = {"ConditionExpression": "attribute_not_exists(pk)"} if self.versions else {}
        return {"ClientRequestToken": self.id, "TransactItems": [
            self.change(self.payer, "-", payer_version),
            self.change(self.payee, "+", payee_version),
            {"Put": {"TableName": "ledger", "Item": self.entry(), **only_once}},
            {"Put": {"TableName": "markers", "Item": {"pk": {"S": self.id}}, **only_once}},
            {"ConditionCheck": {"TableName": "markers", "Key": {"pk": {"S": "bank"}}, "ConditionExpression": "is_open = :t",
                                "ExpressionAttributeValues": {":t": {"BOOL": True}}}}]}


@dataclasses.dataclass
class Bank:
    """What the database holds in the end."""
    accounts: dict  # name: (balance, version)
    ledger: list  # entries
    by_payer: list  # the same, from the index
    markers: set


def by_id(entries):
    return sorted(entries, key=lambda entry: entry["pk"]["S"])


def judge_ledger(bank, payments):
    made = [payment for payment in payments if payment.paid]
    if any(payment.paid is None for payment in payments):
        yield "there are payments of which nobody knows"
    if by_id(bank.ledger) != by_id(payment.entry() for payment in made):
        known, entered = {payment.id for payment in made}, {entry["pk"]["S"] for entry in bank.ledger}
        yield f"the ledger lacks {known - entered}, has {entered - known} too many, or its entries are wrong"
    if by_id(bank.by_payer) != by_id(bank.ledger):
        yield f"the index has {len(bank.by_payer)} entries, the ledger {len(bank.ledger)}, or they differ"
    if bank.markers != {payment.id for payment in made}:
        yield f"{len(bank.markers)} markers for {len(made)} payments"


def judge_accounts(bank, payments):
    balances, versions = dict.fromkeys(bank.accounts, START), dict.fromkeys(bank.accounts, 0)
    for payment in payments:
        if payment.paid:
            balances[payment.payer] -= payment.amount
            balances[payment.payee] += payment.amount
            versions[payment.payer] += 1
            versions[payment.payee] += 1
    total = sum(balance for balance, _ in bank.accounts.values())
    if total != START * len(bank.accounts):
        yield f"there are {total} in all accounts, not {START * len(bank.accounts)}"
    for name, (balance, version) in sorted(bank.accounts.items()):
        if (balance, version) != (balances[name], versions[name]):
            yield f"{name} has {balance} after {version} payments; the payments make {balances[name]} after {versions[name]}"


def judge_order(payments):
    """Every account's careful payments are one order, in which each saw what the ones before it left."""
    seen = {}
    for payment in payments:
        if payment.paid and payment.versions:
            for side, (name, change) in enumerate(((payment.payer, -payment.amount), (payment.payee, payment.amount))):
                seen.setdefault(name, []).append((payment.versions[side], payment.balances[side], change))
    for name, touches in sorted(seen.items()):
        balance = START
        for place, (version, was, change) in enumerate(sorted(touches)):
            if (version, was) != (place, balance):
                yield f"{name}: payment {place} saw version {version} with {was}; there were {balance}"
                break
            balance += change


def judge(bank, payments):
    return [*judge_ledger(bank, payments), *judge_accounts(bank, payments), *judge_order(payments)]
