"""lunch-cache: its commands, its README, the rules for lunches, expiry, load, bad input, its policy, and the AWS CLI on its table."""

import copy
import datetime
import gzip
import json
import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from lunch import LUNCH, MENU, TABLE, LunchCache
from rights import check_policy
from testing import ROOT, Service, binary, normal, shell, word
from waiting import wait_until
from wire import clock


class Commands(LunchCache):
    def test_readme(self):
        self.assertGreaterEqual(self.check_readme(), 11)

    def test_the_item(self):
        before = int(time.time())
        menu = {**MENU, "source": "niagara-parser", "lastUpdated": "2025-01-20T08:00:00.000Z"}
        self.assertEqual(self.store(menu), (0, "niagara-2025-03: 1 lunch, 0 errors, completeness 1.00, accuracy 1.00\n", ""))
        item = self.item("niagara-2025-03")
        self.assertTrue(before <= int(item["ttl"]["N"]) - 14 * 24 * 60 * 60 <= time.time())
        self.assertRegex(item["cachedAt"]["S"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(item, {
            "pk": {"S": "niagara-2025-03"}, "restaurant": {"S": "niagara"}, "year": {"N": "2025"}, "week": {"N": "3"},
            "lunches": {"L": [{"M": {"name": {"S": LUNCH["name"]}, "description": {"S": LUNCH["description"]},
                                     "price": {"N": "125"}, "weekday": {"S": "måndag"}, "week": {"N": "3"},
                                     "place": {"S": "Niagara"}}}]},
            "lunchCount": {"N": "1"}, "cachedAt": item["cachedAt"], "ttl": item["ttl"],
            "metadata": {"M": {"version": {"S": "1.0"}, "source": {"S": "niagara-parser"}}},
            "dataQuality": {"M": {"completeness": {"N": "1"}, "accuracy": {"N": "1"}}},
            "lastUpdated": {"S": "2025-01-20T08:00:00.000Z"}})
        self.expect("niagara-2025-03: 1 lunch, 0 errors, completeness 1, accuracy 1, cached TIME, expires TIME\n"
                    "måndag: Köttbullar med gräddsås, 125 kr. Serveras med kokt potatis och lingonsylt\n",
                    "show", "niagara", "2025", "3")

    def test_this_week(self):
        year, week, _ = datetime.datetime.now(datetime.timezone.utc).isocalendar()
        self.expect("", "show", "niagara", status=1, err=f"gramme-lunch-cache: there is no menu niagara-{year}-{week:02}\n")
        self.store({**MENU, "year": year, "week": week, "lunches": [{**LUNCH, "week": week}]})
        status, out, _ = self.run_app("show", "niagara")
        self.assertEqual((status, out.split(":")[0]), (0, f"niagara-{year}-{week:02}"))

    def test_a_menu_is_replaced(self):
        self.store({**MENU, "lunches": [LUNCH, {}], "lastUpdated": "2025-01-20"})
        self.assertIn("validationErrors", self.item("niagara-2025-03"))
        self.store(MENU)
        self.assertEqual(set(self.item("niagara-2025-03")) & {"validationErrors", "lastUpdated"}, set())

    def test_history_and_stats(self):
        for restaurant, week in (("niagara", 1), ("valfarden", 1), ("niagara", 52), ("niagara", 9)):
            self.store({**MENU, "restaurant": restaurant, "week": week, "lunches": [{**LUNCH, "week": week}] * 2})
        self.store({**MENU, "lunches": [LUNCH, {**LUNCH, "price": 0}]})
        line = "TIME niagara-2025-%s: 2 lunches, 0 errors, completeness 1, accuracy 1, expires TIME\n"
        newest = "TIME niagara-2025-03: 1 lunch, 1 error, completeness 1, accuracy 0.92, expires TIME\n"
        self.expect(newest + line % "09" + line % "52" + line % "01", "history", "niagara")
        self.expect(newest + line % "09", "history", "niagara", "--limit", "2")
        self.expect("", "history", "nobody")
        self.expect(newest, "history", "niagara", "--errors")
        for restaurant, figures in (("niagara", "menus 4, lunches 7, errors 1"), ("nobody", "menus 0, lunches 0, errors 0")):
            self.expect(f"{restaurant}: {figures}, expired 0\n", "stats", restaurant)
        self.expect("niagara: menus 4, lunches 7, errors 1, expired 0\nvalfarden: menus 1, lunches 2, errors 0, expired 0\n"
                    "all: menus 5, lunches 9, errors 1, expired 0\n", "stats")

    def test_week_53(self):
        """Where it exists: the years that begin or end with a Thursday."""
        years = [year for year in range(2000, 2101) if datetime.date(year, 12, 28).isocalendar()[1] == 53]
        for year in range(2000, 2101):
            status, out, err = self.run_app("show", "niagara", str(year), "53")
            self.assertEqual((status, out), (1 if year in years else 2, ""), err)
        self.assertEqual(self.store({**MENU, "year": 2026, "week": 53, "lunches": [{**LUNCH, "week": 53}]})[0], 0)
        self.assertIsNotNone(self.item("niagara-2026-53"))

    def test_many_files(self):
        """In batches, and all of them or none."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / f"{week}.json" for week in range(1, 41)]
            for week, path in enumerate(paths, 1):
                path.write_text(json.dumps({**MENU, "week": week, "lunches": [{**LUNCH, "week": week}]}))
            self.expect("".join(f"niagara-2025-{week:02}: 1 lunch, 0 errors, completeness 1.00, accuracy 1.00\n"
                                for week in range(1, 41)), "store", *paths)
            self.expect("niagara: menus 40, lunches 40, errors 0, expired 0\n", "stats", "niagara")
            before = self.everything()
            self.expect("", "store", *paths, paths[2], status=1, err="gramme-lunch-cache: files 3 and 41 are both niagara-2025-03\n")
            paths[20].write_text("{}")
            self.assertEqual(self.run_app("store", *paths)[:2], (1, ""))
            self.assertEqual(self.everything(), before)

    def test_a_large_menu_is_compressed(self):
        """Its descriptions are; it is shown and served as it was given. A small one is stored as it is."""
        words = "Serveras med kokt potatis, lingonsylt och pressgurka. Åäö \" \u0001. "
        lunches = [{**LUNCH, "name": f"Rätt {n}", "description": words * n} for n in range(1, 41)]
        del lunches[2]["description"]
        self.assertEqual(self.store({**MENU, "lunches": lunches})[0], 0)
        item = self.item("niagara-2025-03")
        texts = json.loads(gzip.decompress(item["descriptions"]["B"]))
        self.assertEqual(texts, [lunch.get("description") for lunch in lunches])
        self.assertLess(len(item["descriptions"]["B"]), sum(map(len, filter(None, texts))) // 20)
        self.assertEqual({name for lunch in item["lunches"]["L"] for name in lunch["M"]}, set(LUNCH) - {"description"})
        status, out, _ = self.run_app("show", "niagara", "2025", "3")
        self.assertEqual((status, out.splitlines()[40].split(". ", 1)[1]), (0, words * 40))
        with Service("lunch-cache", self.server.endpoint) as service:
            self.assertEqual(service.get("/menus/niagara/2025/3")[1]["lunches"], lunches)
            service.request("PUT", "/menus/niagara/2025/4", {"lunches": [{**lunch, "week": 4} for lunch in lunches]})
            self.assertEqual(service.get("/menus/niagara/2025/4")[1]["lunches"], [{**lunch, "week": 4} for lunch in lunches])
        self.store({**MENU, "lunches": [{**LUNCH, "description": "x" * 4096}]})
        self.assertNotIn("descriptions", self.item("niagara-2025-03"))

    def test_descriptions_that_cannot_be_read(self):
        self.store(MENU)
        item = self.item("niagara-2025-03")
        whole = gzip.compress(b'["Serveras med kokt potatis"]')
        for packed in (b"x", b"x" * 100, whole[:-6], whole[:-4] + b"\xff\xff\xff\x7f", gzip.compress(b"{}"), gzip.compress(b"")):
            self.client.put_item(TableName=TABLE, Item={**item, "descriptions": {"B": packed}})
            self.assertIn("lingonsylt\n", self.run_app("show", "niagara", "2025", "3")[1])
        self.client.put_item(TableName=TABLE, Item={**item, "descriptions": {"B": whole}})
        self.assertIn("kr. Serveras med kokt potatis\n", self.run_app("show", "niagara", "2025", "3")[1])

    def test_delete(self):
        self.store(MENU)
        self.expect("niagara-2025-03 deleted\n", "delete", "niagara", "2025", "3")
        self.expect("", "delete", "niagara", "2025", "3", status=1, err="gramme-lunch-cache: there is no menu niagara-2025-03\n")

    def test_grade(self):
        """What others have written without grades gets them, once; its lunches stay."""
        lunches = {"L": [{"M": {"name": {"S": "Ärtsoppa"}, "price": {"N": "115"}, "weekday": {"S": "torsdag"}, "week": {"N": "3"},
                                "place": {"S": "Niagara"}}}, {"M": {"name": {"S": "Fisk"}, "price": {"N": "0"}}}]}
        menu = {"pk": {"S": "niagara-2025-03"}, "restaurant": {"S": "niagara"}, "year": {"N": "2025"}, "week": {"N": "3"},
                "cachedAt": {"S": "2025-01-20T10:30:00.000Z"}, "lunches": lunches}
        self.client.put_item(TableName=TABLE, Item=menu)
        self.client.put_item(TableName=TABLE, Item={**menu, "pk": {"S": "odd"}, "lunches": {"S": "x"}})
        self.expect("menus graded: 1\n", "grade")
        item = self.item("niagara-2025-03")
        errors = [(error["M"]["lunch"]["N"], error["M"]["field"]["S"]) for error in item.pop("validationErrors")["L"]]
        self.assertEqual(errors, [("2", "price"), ("2", "weekday"), ("2", "week"), ("2", "place")])
        self.assertEqual(item, {**menu, "lunchCount": {"N": "2"},
                                "dataQuality": {"M": {"completeness": {"N": "0.58"}, "accuracy": {"N": "0.86"}}}})
        self.expect("menus graded: 0\n", "grade")

    def test_environments(self):
        status, _, err = shell.run(f"{word(binary())} apply {word(ROOT)}/apps/lunch-cache/template.yaml --param Environment=prod",
                                   env={"AWS_ENDPOINT_URL": self.server.endpoint})
        self.assertEqual((status, err), (0, ""))
        self.store(MENU, "--environment", "prod")
        self.expect("all: menus 0, lunches 0, errors 0, expired 0\n", "stats")
        self.expect("niagara: menus 1, lunches 1, errors 0, expired 0\nall: menus 1, lunches 1, errors 0, expired 0\n",
                    "stats", "--environment", "prod")

    def test_health_leaves_nothing(self):
        self.expect("healthy: put, get and delete work\n", "health")
        self.assertEqual(self.everything(), {TABLE: []})
        self.client.delete_table(TableName=TABLE)
        self.expect("", "health", status=1, err="gramme-lunch-cache: not healthy: cannot write: ResourceNotFoundException: "
                    "Requested resource not found\n")

    def test_load_leaves_nothing(self):
        self.store(MENU)
        before = self.everything()
        status, out, err = self.run_app("load", "--menus", "130", "--reads", "300", "--queries", "20")
        self.assertEqual((status, normal(out), err), (
            0, "batch writes: 6 at once, p50 N p99 N ms\nreads: 300 at once, p50 N p99 N ms\n"
               "queries: 20 at once, p50 N p99 N ms\n", ""))
        self.assertEqual(self.everything(), before)

    def test_load_tells_what_fails(self):
        self.client.delete_table(TableName=TABLE)
        status, out, err = self.run_app("load", "--menus", "5")
        self.assertEqual((status, normal(out)), (1, "batch writes: 1 at once, p50 N p99 N ms\n"))
        self.assertEqual(err.splitlines()[0], "gramme-lunch-cache: 1 of 1 batch writes failed: Requested resource not found")


class Rules(LunchCache):
    """What is wrong with a lunch is kept, the lunch is not."""

    def check(self, change, errors, quality):
        lunch = {name: value for name, value in {**copy.deepcopy(LUNCH), **change}.items() if value != "absent"}
        status, out, err = self.store({**MENU, "lunches": [LUNCH, lunch]})
        self.assertEqual((status, err), (0, ""))
        item = self.item("niagara-2025-03")
        kept = [{name: value["S"] if name != "lunch" else value["N"] for name, value in error["M"].items()}
                for error in item.get("validationErrors", {"L": []})["L"]]
        self.assertEqual(kept, [{"lunch": "2", "field": field, "message": message} for field, message in errors])
        self.assertEqual((item["lunchCount"]["N"], len(item["lunches"]["L"])), ("1", 1) if errors else ("2", 2))
        self.assertEqual([item["dataQuality"]["M"][name]["N"] for name in ("completeness", "accuracy")], quality)
        self.assertEqual(out.splitlines()[1:], [f"lunch 2: {field} {message}" for field, message in errors])

    def test_fields(self):
        text, missing = "is not a text with something in it", "is missing"
        price, week, weekday = "is not a number above zero", "is not a number from 1 to 53", "is not a Swedish weekday"
        wrong = ["1", "0.92"]
        for change, errors, quality in (
                ({}, [], ["1", "1"]),
                ({"colour": "red"}, [], ["1", "1"]),
                ({"price": 0.5}, [], ["1", "1"]),
                ({"description": ""}, [], ["1", "1"]),
                ({"description": "absent"}, [], ["0.92", "1"]),
                ({"description": None}, [], ["0.92", "1"]),
                ({"description": 5}, [("description", "is not a text")], wrong),
                ({"name": ""}, [("name", text)], wrong),
                ({"name": "   "}, [("name", text)], wrong),
                ({"name": ["x"]}, [("name", text)], wrong),
                ({"name": "absent"}, [("name", missing)], ["0.92", "1"]),
                ({"name": None}, [("name", missing)], ["0.92", "1"]),
                ({"price": 0}, [("price", price)], wrong),
                ({"price": -125}, [("price", price)], wrong),
                ({"price": "125"}, [("price", price)], wrong),
                ({"price": "absent"}, [("price", missing)], ["0.92", "1"]),
                ({"weekday": "monday"}, [("weekday", weekday)], wrong),
                ({"weekday": "Måndag"}, [("weekday", weekday)], wrong),
                ({"weekday": 1}, [("weekday", weekday)], wrong),
                ({"week": 0}, [("week", week)], wrong),
                ({"week": 54}, [("week", week)], wrong),
                ({"week": 3.5}, [("week", week)], wrong),
                ({"week": "3"}, [("week", week)], wrong),
                ({"week": 4}, [("week", "is not the week of the menu")], wrong),
                ({"place": ""}, [("place", text)], wrong),
                ({"price": 0, "weekday": "x", "place": "absent"}, [("price", price), ("weekday", weekday), ("place", missing)],
                 ["0.92", "0.82"])):
            with self.subTest(change):
                self.check(change, errors, quality)

    def test_weekdays(self):
        week = ["måndag", "tisdag", "onsdag", "torsdag", "fredag", "lördag", "söndag"]
        self.assertEqual(self.store({**MENU, "lunches": [{**LUNCH, "weekday": day} for day in week]})[1],
                         "niagara-2025-03: 7 lunches, 0 errors, completeness 1.00, accuracy 1.00\n")

    def test_nothing_right(self):
        """A menu without a good lunch is not stored, and does not replace one that is."""
        self.store(MENU)
        before = self.everything()
        missing = "".join(f"lunch %d: {name} is missing\n" for name in ("name", "price", "weekday", "week", "place"))
        self.assertEqual(self.store({**MENU, "lunches": [{}, 5]}), (
            1, "niagara-2025-03: 0 lunches, 10 errors, completeness 0.00, accuracy 0.00\n" + missing % ((1,) * 5) + missing % ((2,) * 5),
            "gramme-lunch-cache: no lunch is right; nothing was stored\n"))
        self.assertEqual(self.everything(), before)


class Expiry(LunchCache):
    server_arguments = ["--memory", "--test-clock"]

    def test_cleanup_and_ttl(self):
        clock(self.server.port, Running=False)  # so that the server does not delete anything yet
        for week in range(1, 31):
            self.store({**MENU, "week": week, "lunches": [{**LUNCH, "week": week}]}, "--ttl", "1s" if week <= 10 else "1h")
        wait_until(lambda: self.run_app("show", "niagara", "2025", "10")[0] == 1, "expiry")
        self.expect("", "show", "niagara", "2025", "10", status=1, err="gramme-lunch-cache: there is no menu niagara-2025-10\n")
        self.assertIn(", expired ", self.run_app("history", "niagara")[1].splitlines()[-1])
        self.expect("niagara: menus 30, lunches 30, errors 0, expired 10\nall: menus 30, lunches 30, errors 0, expired 10\n", "stats")
        self.expect("expired menus deleted: 10\n", "cleanup")
        self.expect("expired menus deleted: 0\n", "cleanup")
        self.expect("niagara: menus 20, lunches 20, errors 0, expired 0\nall: menus 20, lunches 20, errors 0, expired 0\n", "stats")
        clock(self.server.port, Advance=7200)
        wait_until(lambda: self.everything() == {TABLE: []}, "the end of all")
        self.expect("all: menus 0, lunches 0, errors 0, expired 0\n", "stats")


class Policy(LunchCache):
    def test_every_action_of_the_policy_is_needed_and_no_other(self):
        def scenario(run):
            run("store", f"{ROOT}/apps/lunch-cache/niagara.json", "--ttl", "1s")
            for command in ("show niagara 2025 3", "history niagara", "stats", "cleanup", "grade", "health", "delete niagara 2025 3",
                            "load --menus 1 --reads 1 --queries 1"):
                run(*command.split())

        check_policy(self, scenario, "eu-west-1")


class BadInput(LunchCache):
    RESTAURANT = "RESTAURANT is 1 to 64 lower-case letters, digits or '-', not"

    def test_bad_input(self):
        self.store(MENU)
        environment = "--environment is 1 to 64 letters, digits, '.', '_' or '-', not 'a/b'"
        self.check_bad_input([
            ("lunch", "there is no command 'lunch'"),
            ("store", "FILE is missing"),
            ("store file --ttl 14", "--ttl takes a duration like 45s, 30m, 24h or 14d, at most 366d, not '14'"),
            ("store file --environment a/b", environment),
            ("show", "RESTAURANT is missing"),
            *[(f"show '{name}'", f"{self.RESTAURANT} '{name}'") for name in ("Niagara", "a b", "a#b", "å", "x" * 65)],
            ("show niagara 2025", "WEEK is missing"),
            *[(f"show niagara -- '{year}' 3", f"YEAR is a number from 2000 to 9999, not '{year}'")
              for year in ("25", "1999", "10000", "x", "2025x", " 2025", "-2025", "99999999999999999999")],
            *[(f"show niagara 2025 -- '{week}'", f"WEEK of 2025 is a number from 1 to 52, not '{week}'")
              for week in ("0", "53", "54", "x", "3.5", "-3", "+3")],
            ("show niagara 2026 54", "WEEK of 2026 is a number from 1 to 53, not '54'"),
            ("delete niagara 2025", "WEEK is missing"),
            ("delete niagara 2025 53", "WEEK of 2025 is a number from 1 to 52, not '53'"),
            ("stats Niagara", f"{self.RESTAURANT} 'Niagara'"),
            ("serve --cache-for 0s", "--cache-for takes a duration like 45s, 30m, 24h or 14d, at most 366d, not '0s'"),
            ("serve --environment a/b", environment),
            ("show niagara 2025 3 4", "unexpected operand '4'"),
            ("history", "RESTAURANT is missing"),
            ("history N", f"{self.RESTAURANT} 'N'"),
            ("history n --limit 0", "--limit takes a number from 1 to 1000000, not '0'"),
            ("stats now then", "unexpected operand 'then'"),
            *[(f"{command} --environment a/b", environment) for command in ("stats", "cleanup", "health", "load", "history n")],
            ("load --menus 0", "--menus takes a number from 1 to 5000, not '0'"),
            ("load --reads 5001", "--reads takes a number from 1 to 5000, not '5001'"),
            ("load --queries x", "--queries takes a number from 1 to 5000, not 'x'"),
        ])

    def test_bad_files(self):
        def menu(**change):
            return json.dumps({name: value for name, value in {**MENU, **change}.items() if value != "absent"})

        restaurant = "FILE has no restaurant of 1 to 64 lower-case letters, digits or '-'"
        updated = "FILE has a lastUpdated that is not a time like 2025-01-20T08:00:00.000Z"
        lunches = "FILE has no list of 1 to 200 lunches"
        self.check_bad_files([
            ("", "FILE, line 1: this is not JSON"),
            (menu()[:-1], "FILE, line 1: this is not JSON"),
            ("[]", "FILE is not a JSON object"),
            ('"x"', "FILE is not a JSON object"),
            ("{}", restaurant),
            *[(menu(restaurant=value), restaurant) for value in ("absent", "", "Niagara", "a b", 5, "x" * 65)],
            *[(menu(year=value), "FILE has no year from 2000 to 9999") for value in ("absent", 25, "2025", 2025.5, 1e10, None)],
            *[(menu(week=value), "FILE has no week from 1 to 53") for value in ("absent", 0, 54, "3", 3.1, -3)],
            (menu(week=53), "FILE has week 53 of a year of 52 weeks"),
            *[(menu(lunches=value), lunches) for value in ("absent", [], {}, "x", [LUNCH] * 201)],
            (menu(source=5), "FILE has a source that is not a text of at most 200 bytes"),
            (menu(source="x" * 201), "FILE has a source that is not a text of at most 200 bytes"),
            *[(menu(lastUpdated=value), updated) for value in ("yesterday", 5, "2025-02-30", None)],
            (menu(colour="red"), "FILE has members besides restaurant, year, week, lunches, source and lastUpdated"),
            (menu(source="x" * (256 * 1024)), "FILE has more than 262144 bytes"),
        ], ".json", "store", "FILE")

    def test_no_table(self):
        self.client.delete_table(TableName=TABLE)
        missing = "ResourceNotFoundException: Requested resource not found\n"
        self.assertEqual(self.store(MENU), (1, "", f"gramme-lunch-cache: cannot store niagara-2025-03: {missing}"))
        for command, what in (("show n 2025 3", "read n-2025-03"), ("history n", "read the menus of n"), ("stats", "read the menus"),
                              ("cleanup", "clean up; 0 deleted so far")):
            self.expect("", *command.split(), status=1, err=f"gramme-lunch-cache: cannot {what}: {missing}")

    def test_items_of_another_shape(self):
        """What others have written does not crash it."""
        for item in ({}, {"lunches": {"S": "x"}, "lunchCount": {"S": "x"}, "ttl": {"S": "x"}, "validationErrors": {"S": "x"}}):
            self.client.put_item(TableName=TABLE, Item={
                "pk": {"S": "odd-2025-03"}, "restaurant": {"S": "odd"}, "cachedAt": {"S": "then"}, **item})
            self.expect("odd-2025-03: ? lunches, 0 errors, completeness ?, accuracy ?, cached then, never expires\n",
                        "show", "odd", "2025", "3")
            self.expect("then odd-2025-03: ? lunches, 0 errors, completeness ?, accuracy ?, never expires\n", "history", "odd")
            self.expect("odd: menus 1, lunches 0, errors 0, expired 0\nall: menus 1, lunches 0, errors 0, expired 0\n", "stats")
        self.client.put_item(TableName=TABLE, Item={
            "pk": {"S": "odd-2025-03"}, "lunches": {"L": [{"N": "1"}]}, "validationErrors": {"L": [{"N": "1"}]}})
        self.expect("odd-2025-03: ? lunches, 1 error, completeness ?, accuracy ?, cached ?, never expires\n?: ?, ? kr\n"
                    "lunch ?: ? ?\n", "show", "odd", "2025", "3")
        self.expect("expired menus deleted: 0\n", "cleanup")


class AwsCli(LunchCache):
    CREATE = (f"create-table --table-name {TABLE} --billing-mode PAY_PER_REQUEST --sse-specification Enabled=true"
              " --attribute-definitions AttributeName=pk,AttributeType=S AttributeName=restaurant,AttributeType=S"
              " AttributeName=cachedAt,AttributeType=S --key-schema AttributeName=pk,KeyType=HASH --global-secondary-indexes"
              " 'IndexName=RestaurantIndex,KeySchema=[{AttributeName=restaurant,KeyType=HASH},"
              "{AttributeName=cachedAt,KeyType=RANGE}],Projection={ProjectionType=ALL}'")

    def test_the_table_and_the_designs_access_patterns(self):
        by_template = self.shapes()
        self.assertEqual((by_template[TABLE]["backups"], by_template[TABLE]["encryption"]), ("ENABLED", "KMS"))
        self.aws(f"delete-table --table-name {TABLE}")
        self.aws(self.CREATE)
        self.aws(f"update-time-to-live --table-name {TABLE} --time-to-live-specification 'Enabled=true, AttributeName=ttl'")
        self.aws(f"update-continuous-backups --table-name {TABLE} --point-in-time-recovery-specification"
                 " PointInTimeRecoveryEnabled=true")
        self.assertEqual(self.shapes(), by_template)
        for week, cached in ((3, "2025-01-20T10:30:00.000Z"), (2, "2025-01-13T10:30:00.000Z")):
            item = {"pk": {"S": f"niagara-2025-{week:02}"}, "restaurant": {"S": "niagara"}, "week": {"N": str(week)},
                    "year": {"N": "2025"}, "lunches": {"L": []}, "lunchCount": {"N": "0"}, "cachedAt": {"S": cached},
                    "ttl": {"N": "1999999999"}}
            self.aws(f"put-item --table-name {TABLE} --item '{json.dumps(item)}'")
        line = "%s niagara-2025-%s: 0 lunches, 0 errors, completeness ?, accuracy ?, expires 2033-05-18T03:33:19Z\n"
        self.assertEqual(self.run_app("history", "niagara"), (
            0, line % ("2025-01-20T10:30:00.000Z", "03") + line % ("2025-01-13T10:30:00.000Z", "02"), ""))
        self.store(MENU)
        out = self.aws(f"""get-item --table-name {TABLE} --key '{{"pk": {{"S": "niagara-2025-03"}}}}'"""
                       """ --query 'Item.[lunchCount.N, lunches.L[0].M.name.S]' --output text""")
        self.assertEqual(out, "1\tKöttbullar med gräddsås\n")
        out = self.aws(f"""query --table-name {TABLE} --index-name RestaurantIndex --no-scan-index-forward"""
                       """ --key-condition-expression 'restaurant = :r' --expression-attribute-values '{":r": {"S": "niagara"}}'"""
                       """ --query 'Items[].pk.S' --output text""")
        self.assertEqual(out, "niagara-2025-03\tniagara-2025-02\n")
        out = self.aws(f"""scan --table-name {TABLE} --filter-expression '#ttl < :now' --expression-attribute-names"""
                       """ '{"#ttl": "ttl"}' --expression-attribute-values '{":now": {"N": "1999999999"}}'"""
                       """ --query 'Items[].pk.S' --output text""")
        self.assertEqual(out, "niagara-2025-03\n")


if __name__ == "__main__":
    unittest.main()
