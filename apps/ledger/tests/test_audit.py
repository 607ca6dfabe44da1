"""The ledger's audit trail: an entry for each change of the table, once and in order, and what is wrong with one that was tampered with."""

import concurrent.futures
import json
import re
import unittest

from ledger import K1, Ledger
from proxies import deaths
from testing import Server, Service, apply, closing_client, run
from trail import audited, breaks, changes_of, digest, entries_of, replay, text
from waiting import wait_until
from wire import advance, call

TABLE, TRAIL = "FinancialTransactions", "FinancialTransactionsAudit"
HEAD = {"Day": {"S": "HEAD"}, "Number": {"N": "0"}}


class Audit(Ledger):
    def entries(self, client=None):
        return entries_of((client or self.client).scan(TableName=TRAIL, ConsistentRead=True)["Items"])

    def agrees(self):
        """The trail has come as far as the table, and is right."""
        entries = self.entries()
        self.assertEqual(breaks(entries), [])
        return replay(entries) == audited(self.client.scan(TableName=TABLE)["Items"])

    def record(self, count):
        self.expect(f"{count} entries\n", "audit", "record")

    def verify(self, *arguments):
        """What it prints but for the note, and its status."""
        status, out, err = self.run_app("audit", "verify", *arguments)
        self.assertEqual(err, "")
        return status, re.sub("note .*/.*/.*", "note", out)


class Recording(Audit):
    def test_every_change_has_an_entry(self):
        key = {"PK": {"S": "MERCHANT#m1"}, "SK": {"S": "METADATA"}}
        with Service(self.app, self.server.endpoint) as service:
            self.open("1500.00", "0.00")
            self.pay("k1")
            self.run_app("account", "freeze", "a1")
            self.client.update_item(TableName=TABLE, Key=key, UpdateExpression="SET Tags = :t, Line = :l REMOVE Category",
                                    ExpressionAttributeValues={":t": {"SS": ["b", "a"]}, ":l": {"S": "one\ntwo\\\"\u20ac"}})
            self.client.delete_item(TableName=TABLE, Key=key)
            wait_until(self.agrees)
            entries = self.entries()
            self.assertEqual(sorted(text(entry, "Sequence") for entry in entries[1:]), changes_of(self.server.endpoint))
            self.assertEqual([text(entry, "Event") for entry in entries if '"MERCHANT#m1"' in text(entry, "Key")],
                             ["INSERT", "MODIFY", "REMOVE"])
            metrics = service.text("/metrics")
            self.assertRegex(metrics, r"(?m)^gramme_ledger_audit_lag_seconds \d{1,2}$")
            self.assertNotRegex(metrics, r"(?m)^gramme_ledger_audit_changes_total 0$")
            self.assertEqual({**service.get("/audit/verification")[1], "note": ""},
                             {"entries": len(entries), "gaps": 0, "right": True, "note": ""})
            page = service.get("/audit?account=a1&from=2020-01-01")[1]
            numbers = [entry["number"] for entry in page["entries"]]
            self.assertEqual((sorted(entry["event"] for entry in page["entries"]), numbers),
                             (["INSERT", "INSERT", "INSERT", "MODIFY", "MODIFY"], sorted(numbers)))
            last = [entry for entry in page["entries"] if entry["key"]["PK"] == "ACCOUNT#a1"][-1]
            self.assertEqual((last["old"], last["new"]), ({"Status": "active"}, {"Status": "frozen"}))
            self.assertEqual(service.get(f"/audit?account=a1&after={numbers[-1]}"), (200, {"entries": []}))
            self.assertEqual(service.get("/audit?to=2020-01-01"), (200, {"entries": []}))
            for wrong in ("/audit?from=x", "/audit?after=x", "/audit?account=a%20b", "/audit/verification?after=x"):
                self.assertEqual(service.get(wrong)[0], 400, wrong)
            self.assertLessEqual({"/audit", "/audit/verification"}, set(service.get("/openapi.json")[1]["paths"]))
        self.assertEqual(service.errors, "")

    def test_a_crash_at_every_point(self):
        died = 0
        for n, _ in enumerate(deaths(self.server.port, self.app, lambda label: ["audit", "record"])):
            self.run_app("merchant", "add", "--id", f"m{n}", "--name", "x", "--category", "y")
            died += 1
        self.assertGreaterEqual(died, 6)
        self.record(died + 1)
        self.assertTrue(self.agrees())

    def test_many_at_once(self):
        for n in range(5):
            self.open_one(n)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            results = set(pool.map(lambda _: self.run_app("audit", "record"), range(6)))
        self.assertEqual({(status, err) for status, _, err in results}, {(0, "")})
        self.assertTrue(self.agrees())

    def open_one(self, n):
        self.client.put_item(TableName=TABLE, Item={"PK": {"S": f"MERCHANT#{n}"}, "SK": {"S": "METADATA"}, "Name": {"S": "x" * n}})

    def test_an_item_that_is_too_large(self):
        """Its images do not fit in an entry: their digests do."""
        for letter in "ab":
            self.client.put_item(TableName=TABLE, Item={"PK": {"S": "x"}, "SK": {"S": "y"}, "n": {"N": "1"}, "t": {"S": letter * 390000}})
        self.record(3)
        images = [(text(entry, "Old"), text(entry, "New")) for entry in self.entries()[1:]]
        self.assertEqual(images[0][0], "{}")
        self.assertRegex(images[0][1], "^sha256 [0-9a-f]{64}$")
        self.assertRegex(images[1][0] + images[1][1], "^(sha256 [0-9a-f]{64}){2}$")
        self.assertEqual(self.verify(), (0, "3 entries are right, 0 gaps; note\n"))
        self.assertRegex(self.run_app("audit", "list")[1], r"\n3 \S+ MODIFY x y sha256 \w+ -> sha256 \w+\n$")

    def test_changes_that_are_gone(self):
        """No copy ran for more than 24 hours: that is told, and what comes then is recorded."""
        with Server("--memory", "--test-clock") as server, closing_client(server) as client:
            apply(self.app, server.endpoint)
            open_account = ["account", "open", "--user", "u", "--balance", "0", "--id"]
            for account in ("a1", "a2", "a3", "a4", "a5", "a6"):  # in all shards
                run(self.app, server.endpoint, *open_account, account)
            run(self.app, server.endpoint, "audit", "record")
            run(self.app, server.endpoint, "deposit", "--key", "lost", "--to", "a1", "--amount", "1")
            advance(server.port, 30 * 3600)
            run(self.app, server.endpoint, *open_account, "kept")
            for _ in range(2):
                self.assertEqual(run(self.app, server.endpoint, "audit", "record")[::2], (0, ""))
            entries = self.entries(client)
            self.assertEqual(breaks(entries), [])
            self.assertEqual([text(entry, "Event") for entry in entries].count("GAP"), 1)
            self.assertEqual(text(entries[-1], "Account"), "kept")
            gap = next(n for n, entry in enumerate(entries, 1) if text(entry, "Event") == "GAP")
            status, out, _ = run(self.app, server.endpoint, "audit", "verify")
            self.assertEqual(status, 1)
            self.assertRegex(out, rf"^a gap before entry {gap + 1}: changes from \S+Z to \S+Z may be missing\n"
                                  rf"{len(entries)} entries are right, 1 gaps; note ")
            # Who knows of it goes on from there.
            self.assertEqual(run(self.app, server.endpoint, "audit", "verify", "--after", out.split()[-1])[0], 0)

    def test_a_place_that_is_too_old(self):
        """Shards have come and gone since, and what was in them; nothing else shows it."""
        self.record(1)
        self.client.update_item(TableName=TRAIL, Key=HEAD, UpdateExpression="SET SavedAt = :t",
                                ExpressionAttributeValues={":t": {"S": "2026-01-01T00:00:00.000Z"}})
        self.record(2)
        self.assertEqual(text(self.entries()[1], "ChangedAt"), "2026-01-01T00:00:00.000Z")
        self.assertEqual(self.verify()[0], 1)
        self.record(2)

    def test_a_stream_that_is_off(self):
        def switch(**specification):
            self.client.update_table(TableName=TABLE, StreamSpecification=specification)

        self.record(1)
        self.open_one(1)
        switch(StreamEnabled=False)
        self.open_one(2)
        # What it has told before is recorded all the same.
        self.expect("", "audit", "record", status=1, err="gramme-ledger: the stream of table FinancialTransactions is off; "
                    "an audit needs one with NEW_AND_OLD_IMAGES\n")
        self.assertEqual([text(entry, "Event") for entry in self.entries()], ["BEGIN", "INSERT"])
        switch(StreamEnabled=True, StreamViewType="NEW_AND_OLD_IMAGES")
        self.open_one(3)
        self.record(4)
        self.assertEqual([text(entry, "Event") for entry in self.entries()], ["BEGIN", "INSERT", "GAP", "INSERT"])

    def test_a_table_of_an_older_version(self):
        call(self.server.port, "UpdateTable", {"TableName": TRAIL, "DeletionProtectionEnabled": False})
        self.client.delete_table(TableName=TRAIL)
        self.expect("", "audit", "record", status=1,
                    err="gramme-ledger: there is no table FinancialTransactionsAudit; apply template.yaml once more\n")


class Verifying(Audit):
    def setUp(self):
        super().setUp()
        self.open("10.00", "0.00")
        self.pay("k1")
        self.record(13)
        self.run_app("account", "freeze", "a1")
        self.record(14)

    def test_lists(self):
        out = self.run_app("audit", "list")[1]
        self.assertEqual([int(line.split()[0]) for line in out.splitlines()], list(range(1, 15)))
        last = self.run_app("audit", "list", "--from", text(self.entries()[13], "ChangedAt"), "--account", "a1")[1].splitlines()[-1]
        self.assertRegex(last, '^14 \\S+ MODIFY ACCOUNT#a1 METADATA Status "active" -> "frozen"$')
        lines = self.run_app("audit", "list", "--account", "a2")[1].splitlines()
        self.assertEqual(sorted(line.split()[2:4] for line in lines), [["INSERT", "ACCOUNT#a2"], ["INSERT", f"TXN#{K1}"], ["MODIFY", "ACCOUNT#a2"]])
        self.assertIn(" Balance 0 -> 5.5", next(line for line in lines if "MODIFY" in line))
        self.expect("", "audit", "list", "--to", "2020-12-31")
        self.expect("", "audit", "list", "--from", "2099-01-01")
        self.expect("", "audit", "list", "--account", "nobody")

    def test_what_is_found(self):
        entries, head = self.entries(), self.client.get_item(TableName=TRAIL, Key=HEAD)["Item"]
        right = (0, "14 entries are right, 0 gaps; note\n")
        self.assertEqual(self.verify(), right)

        def put(number, **changes):
            self.client.put_item(TableName=TRAIL, Item={**entries[number - 1], **{name: {"S": value} for name, value in changes.items()}})

        def delete(*numbers):
            for number in numbers:
                self.client.delete_item(TableName=TRAIL, Key={name: entries[number - 1][name] for name in ("Day", "Number")})

        def forge(number):
            forged = {**entries[number - 1], "New": {"S": '{"Balance":{"N":"1000000"}}'}}
            put(number, New=text(forged, "New"), Digest=digest(forged))

        def set_head(**changes):
            self.client.put_item(TableName=TRAIL, Item={**head, **changes})

        for problem, checked, tamper in (
                ("entry 5 was changed", 4, lambda: put(5, New="{}")),
                ("entry 5 was changed", 4, lambda: put(5, ChangedAt="2026-01-01T00:00:00Z")),
                ("entry 5 was changed", 4, lambda: put(5, Account="other")),
                ("entry 5 was changed", 4, lambda: put(5, Event="far too long")),
                ("entry 5 was changed", 4, lambda: put(5, Digest="0" * 64)),
                ("entry 6 does not follow entry 5", 5, lambda: forge(5)),
                ("the head is not that of entry 14", 14, lambda: forge(14)),
                ("entry 1 is missing", 0, lambda: delete(1)),
                ("entries 7 to 9 are missing", 6, lambda: delete(7, 8, 9)),
                ("entry 14 is missing at the end", 13, lambda: delete(14)),
                ("entries 13 to 14 are missing at the end", 12, lambda: delete(13, 14)),
                ("there is entry 14, and the head says 13", 13,
                 lambda: set_head(LastNumber={"N": "13"}, LastDigest=entries[12]["Digest"])),
                ("the head tells no first day", 0, lambda: set_head(FirstDay={"S": "x"}))):
            with self.subTest(problem):
                tamper()
                status, out = self.verify()
                self.assertEqual((status, out.splitlines()[0]), (1, problem))
                self.assertEqual(out.splitlines()[1].split()[0], str(checked))
                for number in range(1, 15):
                    put(number)
                set_head()
        self.assertEqual(self.verify(), right)

    def test_by_a_note(self):
        """Who makes all of it anew is found by a note of the head as it was."""
        note = self.run_app("audit", "verify")[1].split()[-1]
        self.run_app("account", "unfreeze", "a1")
        self.record(15)
        self.assertEqual(self.verify("--after", note), (0, "1 entries are right, 0 gaps; note\n"))
        entries, previous = self.entries(), "0" * 64
        for entry in entries:
            if text(entry, "Number") == "3":
                entry["New"] = {"S": "{}"}
            entry["Previous"] = {"S": previous}
            previous = digest(entry)
            entry["Digest"] = {"S": previous}
            self.client.put_item(TableName=TRAIL, Item=entry)
        self.client.update_item(TableName=TRAIL, Key=HEAD, UpdateExpression="SET LastDigest = :d",
                                ExpressionAttributeValues={":d": {"S": previous}})
        self.assertEqual(self.verify()[0], 0)
        self.assertEqual(self.verify("--after", note)[1].splitlines()[0], "entry 14 is another one than was noted")
        self.client.delete_item(TableName=TRAIL, Key={name: entries[13][name] for name in ("Day", "Number")})
        self.assertEqual(self.verify("--after", note)[1].splitlines()[0], "entry 14 is missing")

    def test_nothing_is_written_over(self):
        """The head was set back: the entry that comes next is there already."""
        entries, position = self.entries(), self.client.get_item(TableName=TRAIL, Key=HEAD)["Item"]["Position"]
        self.client.update_item(TableName=TRAIL, Key=HEAD, UpdateExpression="SET LastNumber = :n, LastDigest = :d",
                                ExpressionAttributeValues={":n": {"N": "13"}, ":d": entries[12]["Digest"]})
        self.run_app("account", "unfreeze", "a1")
        self.expect("", "audit", "record", status=1, err="gramme-ledger: entry 14 of the audit trail, or one behind it, is there "
                    "already: the head was changed; see `gramme-ledger audit verify`\n")
        self.assertEqual(self.entries(), entries)
        self.assertEqual(json.loads(position["S"]).keys(), {"stream", "shards"})

    def test_there_is_none_yet(self):
        Ledger.setUp(self)
        for command in ("list", "verify"):
            self.expect("", "audit", command, status=1, err="gramme-ledger: there is no audit trail yet; `gramme-ledger serve` keeps it\n")

    def test_bad_input(self):
        self.check_bad_input([
            ("audit list --from yesterday", "--from takes a day or a time, not 'yesterday'"),
            ("audit list --to 2026-02-30", "--to takes a day or a time, not '2026-02-30'"),
            ("audit list --from 2026-01-02 --to 2026-01-01", "--to is before --from"),
            ("audit list --account 'a b'", "account is 1 to 64 letters, digits, '.', '_' or '-', not 'a b'"),
            *[(f"audit verify --after {note}", f"--after takes what a walk ended with, DAY/NUMBER/DIGEST, not '{note}'") for note in (
                "x", "2026-01-01/1", f"2026-13-01/1/{'a' * 64}", f"2026-01-01/0/{'a' * 64}", f"2026-01-01/1/{'a' * 63}",
                f"2026-01-01/1/{'a' * 65}", f"2026-01-01/{'9' * 30}/{'a' * 64}")],
        ])


if __name__ == "__main__":
    unittest.main()
