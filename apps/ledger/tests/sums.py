"""What the totals of a ledger are, by its items: those that are kept, and those that the transactions and legs make. Zeros are left out."""

import collections
from decimal import Decimal


def sums_kept(items):
    kept = {}
    for item in items:
        if item["PK"]["S"].startswith("TOTAL#"):
            figures = {name: Decimal(value["N"]) for name, value in item.items() if "N" in value and Decimal(value["N"])}
            if figures:
                kept[item["PK"]["S"], item["SK"]["S"]] = figures
    return kept


def sums_of(items):
    sums = collections.defaultdict(lambda: collections.defaultdict(Decimal))

    def add(pk, sk, figure, item):
        sums[pk, sk][f"{figure}Count"] += 1
        sums[pk, sk][f"{figure}Sum"] += Decimal(item["Amount"]["N"])

    for item in items:
        kind, time = item["Type"]["S"], item.get("CreatedAt", {}).get("S", "")
        if kind == "Transaction" and "MerchantID" in item:
            names = f"TOTAL#MERCHANT#{item['MerchantID']['S']}", f"DAY#{time[:10]}#{item['Currency']['S']}"
            add(*names, item["Status"]["S"].capitalize(), item)
            if "ReversedBy" in item:
                add(*names, "Reversed", item)
        elif kind == "TransactionLeg":
            add(f"TOTAL#ACCOUNT#{item['AccountID']['S']}", f"MONTH#{time[:7]}#{item['Currency']['S']}",
                item["LegType"]["S"].capitalize(), item)
    return {names: dict(figures) for names, figures in sums.items()}
