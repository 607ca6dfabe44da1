"""exchange-rates: its commands, its README, files, expiry, bad input, its policy, and the AWS CLI on its table."""

import decimal
import json
import pathlib
import random
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from rights import check_policy
from testing import ROOT, AppTest, JsonApi, Service
from waiting import wait_until
from wire import clock

FILES = ROOT / "apps/exchange-rates"
# The design's examples, attribute by attribute.
EXAMPLES = [
    {"PK": f"RATE#{base}#{target}", "Base": base, "Target": target, "Rate": rate, "Timestamp": 1704067200, "Stale": False,
     "ttl": 1704153600} for base, target, rate in (("USD", "EUR", 0.85), ("USD", "GBP", 0.75), ("EUR", "GBP", 0.88))]

CREATE = ("create-table --table-name ExchangeRates --billing-mode PAY_PER_REQUEST"
          " --attribute-definitions AttributeName=PK,AttributeType=S AttributeName=Base,AttributeType=S"
          " --key-schema AttributeName=PK,KeyType=HASH --global-secondary-indexes"
          " 'IndexName=BaseCurrencyIndex,KeySchema=[{AttributeName=Base,KeyType=HASH}],Projection={ProjectionType=ALL}'")


class ExchangeRates(AppTest):
    app = "exchange-rates"

    def item(self, base, target):
        return self.client.get_item(TableName="ExchangeRates", Key={"PK": {"S": f"RATE#{base}#{target}"}}).get("Item")

    def import_text(self, text, suffix, *more):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"rates{suffix}"
            path.write_text(text)
            return self.run_app("import", path, *more)

    def keep_expired(self):
        """A table without TTL, so that what has expired stays, as it does for a while in the service."""
        self.client.delete_table(TableName="ExchangeRates")
        self.aws(CREATE)


class Commands(ExchangeRates):
    def test_readme(self):
        self.assertGreaterEqual(self.check_readme(), 14)

    def test_the_item(self):
        before = int(time.time())
        self.expect("USD EUR 0.850 saved TIME expires TIME\n", "save", "USD", "EUR", "0.850", "--ttl", "2h")
        item = self.item("USD", "EUR")
        saved = int(item["Timestamp"]["N"])
        self.assertTrue(before <= saved <= time.time())
        self.assertEqual(item, {
            "PK": {"S": "RATE#USD#EUR"}, "Base": {"S": "USD"}, "Target": {"S": "EUR"}, "Rate": {"N": "0.85"}, "RateText": {"S": "0.850"},
            "Timestamp": {"N": str(saved)}, "Stale": {"BOOL": False}, "ttl": {"N": str(saved + 7200)}})
        self.expect("USD EUR 0.850 saved TIME expires TIME\n", "get", "USD", "EUR")
        self.run_app("save", "USD", "EUR", "0.86")
        item = self.item("USD", "EUR")
        self.assertEqual((item["Rate"]["N"], int(item["ttl"]["N"]) - int(item["Timestamp"]["N"])), ("0.86", 86400))

    def test_rates_stay_exact(self):
        for text, kept in (("1.2345678901234567890123456789012345678", "1.2345678901234567890123456789012345678"),
                           ("6.5e-05", "0.000065"), ("1E+2", "100"), ("007", "7")):
            self.assertEqual(self.run_app("save", "IDR", "USD", text)[0], 0)
            self.assertEqual(self.item("IDR", "USD")["Rate"]["N"], kept)

    def test_by_base(self):
        for target in ("JPY", "EUR", "CHF", "SEK"):
            self.run_app("save", "USD", target, "2")
        self.run_app("save", "EUR", "USD", "1.1")
        self.expect("".join(f"USD {target} 2 saved TIME expires TIME\n" for target in ("CHF", "EUR", "JPY", "SEK")),
                    "by-base", "USD")
        self.expect("", "by-base", "GBP")

    def test_mark_stale(self):
        self.run_app("save", "USD", "EUR", "0.85")
        for _ in range(2):
            self.expect("USD EUR 0.85 saved TIME expires TIME stale\n", "mark-stale", "USD", "EUR")
        self.assertIs(self.item("USD", "EUR")["Stale"]["BOOL"], True)
        self.expect("USD EUR 0.85 saved TIME expires TIME stale\n", "get", "USD", "EUR")
        self.run_app("save", "USD", "EUR", "0.86")
        self.expect("USD EUR 0.86 saved TIME expires TIME\n", "get", "USD", "EUR")

    def test_what_is_not_there(self):
        for command in ("get", "get-stale", "delete", "mark-stale"):
            self.expect("", command, "USD", "EUR", status=1, err="gramme-exchange-rates: there is no rate of USD to EUR\n")
        self.assertEqual(self.everything(), {"ExchangeRates": []})

    def test_import_of_the_designs_examples(self):
        self.keep_expired()
        self.assertEqual(self.import_text(json.dumps(EXAMPLES), ".json"), (0, "rates saved: 3\n", ""))
        self.assertEqual(self.item("USD", "EUR"), {
            "PK": {"S": "RATE#USD#EUR"}, "Base": {"S": "USD"}, "Target": {"S": "EUR"}, "Rate": {"N": "0.85"},
            "Timestamp": {"N": "1704067200"}, "Stale": {"BOOL": False}, "ttl": {"N": "1704153600"}})
        line = "USD EUR 0.85 saved 2024-01-01T00:00:00Z expired 2024-01-02T00:00:00Z stale\n"
        self.assertEqual(self.run_app("get-stale", "USD", "EUR"), (0, line, ""))
        self.expect("", "get", "USD", "EUR", status=1,
                    err="gramme-exchange-rates: the rate of USD to EUR has expired; get-stale shows it\n")
        self.expect("", "by-base", "USD")
        self.assertEqual(self.run_app("by-base", "USD", "--stale"), (
            0, line + "USD GBP 0.75 saved 2024-01-01T00:00:00Z expired 2024-01-02T00:00:00Z stale\n", ""))

    def test_import_of_csv(self):
        text = 'Stale,Rate,Target,Base,PK,ttl\r\ntrue,"0.85",EUR,USD,RATE#USD#EUR,1999999999\r\nfalse,190.45,JPY,"GBP",RATE#GBP#JPY,9999999999'
        self.assertEqual(self.import_text(text, ".csv"), (0, "rates saved: 2\n", ""))
        self.assertEqual(self.run_app("by-base", "USD")[1].split("expires ")[1], "2033-05-18T03:33:19Z stale\n")
        self.assertEqual(self.run_app("by-base", "GBP")[1].split("expires ")[1], "2286-11-20T17:46:39Z\n")

    def test_import_by_format(self):
        text = (FILES / "rates.csv").read_text()
        self.assertEqual(self.import_text(text, ".txt", "--format", "csv", "--ttl", "1h"), (0, "rates saved: 2\n", ""))
        item = self.item("GBP", "JPY")
        self.assertEqual(int(item["ttl"]["N"]) - int(item["Timestamp"]["N"]), 3600)

    def test_a_large_import(self):
        """More than one batch, and every rate once."""
        codes = "AED AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF INR JPY KRW MXN NOK NZD PLN SEK SGD THB TRY USD ZAR".split()
        rates = [{"Base": base, "Target": target, "Rate": 1.5} for base in codes for target in codes if base != target]
        self.assertEqual(self.import_text(json.dumps(rates), ".json"), (0, "rates saved: 600\n", ""))
        self.assertEqual(self.client.scan(TableName="ExchangeRates", Select="COUNT")["Count"], 600)
        self.assertEqual(len(self.run_app("by-base", "SEK")[1].splitlines()), 24)


class Crosses(ExchangeRates):
    """Rates that follow from others, against Python's decimals."""

    def crossed(self, base, target, *options):
        status, out, err = self.run_app("get", base, target, "--cross", *options)
        return out.split()[2] if status == 0 else err

    def test_random_pairs(self):
        random.seed(7)
        for _ in range(25):
            numbers = [f"{random.randint(1, 10 ** random.randint(1, 17))}e-{random.randint(0, 8)}" for _ in range(2)]
            self.run_app("save", "USD", "EUR", numbers[0])
            self.run_app("save", "USD", "GBP", numbers[1])
            with decimal.localcontext() as context:
                context.prec, context.rounding = 12, decimal.ROUND_HALF_UP
                expected = decimal.Decimal(numbers[1]) / decimal.Decimal(numbers[0])
            self.assertEqual(decimal.Decimal(self.crossed("EUR", "GBP")), expected, numbers)

    def test_the_ways(self):
        self.run_app("save", "USD", "EUR", "0.8")
        self.expect("EUR USD 1.25 saved TIME expires TIME via inverse\n", "get", "EUR", "USD", "--cross")
        self.run_app("save", "USD", "CHF", "0.9")
        self.expect("EUR CHF 1.125 saved TIME expires TIME via USD\n", "get", "EUR", "CHF", "--cross")
        self.run_app("save", "EUR", "CHF", "1.1")
        self.expect("EUR CHF 1.1 saved TIME expires TIME\n", "get", "EUR", "CHF", "--cross")
        self.assertIn("nor one by way of GBP", self.crossed("EUR", "SEK", "--via", "GBP"))
        self.run_app("mark-stale", "USD", "EUR")
        self.expect("EUR USD 1.25 saved TIME expires TIME stale via inverse\n", "get", "EUR", "USD", "--cross")

    def test_numbers_come_back_as_given(self):
        for number in ("0.850", "8.5e-1", "1", "100", "0.1", "007.50", "1.10"):
            self.run_app("save", "USD", "EUR", number)
            self.expect(f"USD EUR {number} saved TIME expires TIME\n", "get", "USD", "EUR")


class Sources(ExchangeRates):
    ANSWER = {"base": "USD", "rates": {"EUR": 0.85, "GBP": "0.750", "USD": 1, "BTC": 0.00001, "JPY": -1}}

    def test_a_command(self):
        source = f"echo '{json.dumps(self.ANSWER)}' #"
        self.expect("USD rates saved: 2\n", "refresh", "USD", "--source", source)
        self.expect("USD EUR 0.85 saved TIME expires TIME\nUSD GBP 0.750 saved TIME expires TIME\n", "by-base", "USD")
        for source, why in (("exit 3; #", "it ended with status 3"), ("echo '{}' #", "its answer has none"), ("echo 5 #", "its answer is not a JSON object")):
            self.expect("", "refresh", "USD", "--source", source, status=1, err=f"gramme-exchange-rates: no rates of USD from the source: {why}\n")

    def test_an_http_api(self):
        with JsonApi({"/v6/latest/USD": (200, {"conversion_rates": self.ANSWER["rates"]})}) as api:
            self.expect("USD rates saved: 2\n", "refresh", "USD", "--source-url", f"{api.address}/v6/latest/{{base}}",
                        "--source-map", "rates=/conversion_rates")

    def test_the_service(self):
        with JsonApi({"/USD": (200, self.ANSWER)}) as api, \
                Service("exchange-rates", self.server.endpoint, "--source-url", f"{api.address}/{{base}}", "--bases", "USD") as service:
            wait_until(lambda: service.get("/rates/USD/EUR")[0] == 200, "a rate")
            status, rate = service.get("/rates/EUR/GBP?via=USD")
            self.assertEqual((status, rate["rate"], rate["via"], rate["stale"]), (200, 0.882352941176, "USD", False))
            self.assertEqual(service.get("/rates/EUR/GBP")[0], 404)
            self.assertEqual(service.get("/rates/EUR/EURO")[0], 400)
            self.assertEqual([rate["target"] for rate in service.get("/rates/USD")[1]["rates"]], ["EUR", "GBP"])
            status, rate = service.request("PUT", "/rates/EUR/SEK", {"rate": 11.20, "ttlSeconds": 1})
            self.assertEqual((status, rate["base"], rate["target"], rate["ttl"] - rate["timestamp"]), (200, "EUR", "SEK", 1))
            self.assertEqual(service.request("PUT", "/rates/EUR/SEK", {"rate": "11"}), (400, {"error": "rate must be a number"}))
            self.assertEqual(service.request("POST", "/rates/USD/EUR/stale")[1]["stale"], True)
            self.assertEqual(service.request("DELETE", "/rates/USD/EUR"), (200, {}))
            self.assertEqual(service.request("DELETE", "/rates/USD/EUR")[0], 404)
            self.assertIn("gramme_exchange_rates_rates_saved_total 2\n", service.text("/metrics"))


class Stale(ExchangeRates):
    """As in the service: what has expired is there for a while."""

    server_arguments = ["--memory", "--ttl-delay", "2d"]

    def test_get_stale_has_something_to_show(self):
        self.run_app("save", "EUR", "CHF", "0.93", "--ttl", "1s")
        wait_until(lambda: self.run_app("get", "EUR", "CHF")[0] == 1, "expiry")
        status, out, _ = self.run_app("get-stale", "EUR", "CHF")
        self.assertEqual((status, out.split()[-1]), (0, "stale"))


class Expiry(ExchangeRates):
    server_arguments = ["--memory", "--test-clock"]

    def test_an_expired_rate_is_absent_before_and_after_it_is_deleted(self):
        clock(self.server.port, Running=False)  # so that the server does not delete it yet
        self.run_app("save", "USD", "EUR", "0.85", "--ttl", "1s")
        self.run_app("save", "USD", "GBP", "0.75", "--ttl", "30d")
        wait_until(lambda: self.run_app("get", "USD", "EUR")[0] == 1, "expiry")
        self.expect("", "get", "USD", "EUR", status=1,
                    err="gramme-exchange-rates: the rate of USD to EUR has expired; get-stale shows it\n")
        self.expect("USD EUR 0.85 saved TIME expired TIME stale\n", "get-stale", "USD", "EUR")
        self.expect("USD GBP 0.75 saved TIME expires TIME\n", "by-base", "USD")
        clock(self.server.port, Advance=3600)
        wait_until(lambda: self.item("USD", "EUR") is None, "the end of the rate")
        for command in ("get", "get-stale"):
            self.expect("", command, "USD", "EUR", status=1, err="gramme-exchange-rates: there is no rate of USD to EUR\n")
        self.expect("USD GBP 0.75 saved TIME expires TIME\n", "by-base", "USD", "--stale")


class Policy(ExchangeRates):
    def test_every_action_of_the_policy_is_needed_and_no_other(self):
        def scenario(run):
            for command in ("save USD EUR 0.85", "get USD EUR", "mark-stale USD EUR", "by-base USD", "delete USD EUR"):
                run(*command.split())
            run("import", f"{FILES}/rates.json")

        check_policy(self, scenario)


class BadInput(ExchangeRates):
    CODE = "is an ISO 4217 code like USD, not"
    RATE = "Rate is a number above zero of up to 38 digits, not"
    TTL = "--ttl takes a duration like 45s, 30m, 24h or 14d, at most 366d, not"

    def test_bad_input(self):
        self.run_app("save", "USD", "EUR", "0.85")
        self.check_bad_input([
            ("rate", "there is no command 'rate'"),
            ("save", "BASE is missing"),
            ("save USD EUR", "RATE is missing"),
            ("save USD EUR 1 2", "unexpected operand '2'"),
            *[(f"save '{code}' EUR 1", f"Base {self.CODE} '{code}'")
              for code in ("usd", "US", "USDX", "ZZZ", "SD ", "XXX", "D E", "U$D", "é")],
            ("save USD eur 1", f"Target {self.CODE} 'eur'"),
            ("save USD USD 1", "Base and Target are the same currency, USD"),
            *[(f"save USD EUR -- '{rate}'", f"{self.RATE} '{rate}'") for rate in (
                "0", "0.000", "-1", "+1", "1.", ".5", "1,5", "1e", "1e+", "0e5", "0x10", "NaN", "inf", " 1", "1 ", "one", "1e126",
                "1e-131")],
            (f"save USD EUR {'1' * 39}", f"{self.RATE} '{'1' * 39}'"),
            (f"save USD EUR {'1' * 100}", f"{self.RATE} '{'1' * 40}'"),
            *[(f"save USD EUR 1 --ttl '{ttl}'", f"{self.TTL} '{ttl}'")
              for ttl in ("24", "h", "0s", "-1h", "1.5h", "24H", "24hours", "367d", "99999999999999999999s", " 1h", "1h ")],
            ("save USD EUR 1 --ttl", "--ttl needs a value, DURATION"),
            ("get USD", "TARGET is missing"),
            ("get USD EURO", f"Target {self.CODE} 'EURO'"),
            ("get-stale US EUR", f"Base {self.CODE} 'US'"),
            ("by-base dollar", f"BASE {self.CODE} 'dollar'"),
            ("by-base USD --stale=yes", "--stale takes no value"),
            ("delete USD USD", "Base and Target are the same currency, USD"),
            ("mark-stale USD EU", f"Target {self.CODE} 'EU'"),
            ("import", "FILE is missing"),
            ("import rates.txt", "rates.txt is neither .json nor .csv, and there is no --format json or csv"),
            ("import rates.json --format xml", "rates.json is neither .json nor .csv, and there is no --format json or csv"),
            ("import rates.json --ttl 5", f"{self.TTL} '5'"),
        ])

    def test_bad_json(self):
        good = '{"Base": "USD", "Target": "EUR", "Rate": 0.85}'
        self.check_bad_files([
            ("", "FILE, line 1: this is not JSON"),
            ("[", "FILE, line 1: this is not JSON"),
            (f"[{good},\n{good[:-1]}", "FILE, line 2: this is not JSON"),
            (f"[{good}] x", "FILE, line 1: this is not JSON"),
            (b"\xff\xfe[]", "FILE, line 1: this is not JSON"),
            (b'[{"Base": "\xff"}]', "FILE, line 1: this is not JSON"),
            ("[" * 100000, "FILE, line 1: objects and arrays are nested too deep"),
            (good, "FILE is not an array of rates"),
            ("[]", "FILE has no rates"),
            ("[5]", "FILE, rate 1: a rate is an object"),
            ("[{}]", "FILE, rate 1: Base is missing"),
            ('[{"Base": "USD"}]', "FILE, rate 1: Target is missing"),
            ('[{"Base": "USD", "Target": "EUR"}]', "FILE, rate 1: Rate is missing"),
            (f'[{good}, {good.replace("0.85", "0")}]', f"FILE, rate 2: {self.RATE} '0'"),
            (f'[{good.replace("0.85", "-1")}]', f"FILE, rate 1: {self.RATE} '-1'"),
            (f'[{good.replace("0.85", "null")}]', f"FILE, rate 1: {self.RATE} ''"),
            (f'[{good.replace("0.85", "[1]")}]', f"FILE, rate 1: {self.RATE} ''"),
            (f'[{good.replace("0.85", "1e999")}]', "FILE, line 1: a number has more than 38 digits or is out of range"),
            (f'[{good.replace("USD", "usd")}]', f"FILE, rate 1: Base {self.CODE} 'usd'"),
            (f'[{good.replace("EUR", "USD")}]', "FILE, rate 1: Base and Target are the same currency, USD"),
            (f'[{good}, {good}]', "FILE has the rate of USD to EUR twice"),
            (f'[{good[:-1]}, "Colour": 1}}]', "FILE, rate 1: a rate has no 'Colour'"),
            (f'[{good[:-1]}, "Stale": 1}}]', "FILE, rate 1: Stale is true or false, not '1'"),
            (f'[{good[:-1]}, "ttl": -5}}]', "FILE, rate 1: ttl is in seconds since 1970, not '-5'"),
            (f'[{good[:-1]}, "ttl": 1.5}}]', "FILE, rate 1: ttl is in seconds since 1970, not '1.5'"),
            (f'[{good[:-1]}, "Timestamp": 999999999999}}]', "FILE, rate 1: Timestamp is in seconds since 1970, not '999999999999'"),
            (f'[{good[:-1]}, "PK": "RATE#USD#GBP"}}]', "FILE, rate 1: PK is RATE#USD#EUR, not 'RATE#USD#GBP'"),
            ('[{"\\u0000": 1}]', "FILE, line 1: a name is empty or has a NUL character"),
            ('[{"Base": "USD\\u0000"}]', "FILE, a text has a NUL character"),
            ("[" + " " * (8 << 20) + "]", "FILE has more than 8388608 bytes"),
        ], ".json", "import", "FILE")

    def test_bad_csv(self):
        head = "Base,Target,Rate\n"
        self.check_bad_files([
            ("", "FILE has no rates"),
            (head, "FILE has no rates"),
            (head + "USD,EUR\n", "FILE, line 2: there are 2 fields, and 3 names in line 1"),
            (head + "USD,EUR,1\n\n", "FILE, line 3: there are 1 fields, and 3 names in line 1"),
            (head + "USD,EUR,1\nUSD,GBP,x\n", f"FILE, line 3: {self.RATE} 'x'"),
            (head + '"USD\n",EUR,1\n', f"FILE, line 2: Base {self.CODE} 'USD\n'"),
            (head + 'USD,EUR,"1', "FILE, line 2: a quote is not closed"),
            (head + 'USD,EUR,1"', "FILE, line 2: there is a quote inside a field"),
            (head + 'USD,EUR,"1"5\n', "FILE, line 2: there is text after a closing quote"),
            (head + "USD,EUR,1\rUSD", "FILE, line 2: a line ends with a lone CR"),
            (head + f"USD,EUR,{'1' * 128}\n", "FILE, line 2: a field is too long"),
            ("a," * 16 + "\n", "FILE, line 1: there are too many fields"),
            (b"Base,Target\0,Rate\n", "FILE, line 1: there is a NUL character"),
            ("Base,Target,Colour\nUSD,EUR,1\n", "FILE, line 2: a rate has no 'Colour'"),
            ("Base,Target\nUSD,EUR\n", "FILE, line 2: Rate is missing"),
            (head + "USD,EUR,1\nUSD,EUR,2\n", "FILE has the rate of USD to EUR twice"),
        ], ".csv", "import", "FILE")

    def test_files_that_cannot_be_read(self):
        for path, why in (("/no/such/file.json", "No such file or directory"), ("/", "Is a directory")):
            self.expect("", "import", path, "--format", "json", status=1, err=f"gramme-exchange-rates: cannot read {path}: {why}\n")

    def test_no_table(self):
        self.client.delete_table(TableName="ExchangeRates")
        for command, what in (("save USD EUR 1", "save USD to EUR"), ("get USD EUR", "read USD to EUR"),
                              ("by-base USD", "read the rates of USD"), ("delete USD EUR", "delete USD to EUR"),
                              ("mark-stale USD EUR", "mark USD to EUR")):
            self.expect("", *command.split(), status=1, err=f"gramme-exchange-rates: cannot {what}: ResourceNotFoundException: "
                        "Requested resource not found\n")
        self.expect("", "import", f"{FILES}/rates.json", status=1,
                    err="gramme-exchange-rates: only 0 of 3 rates are saved, run it again: ResourceNotFoundException: "
                        "Requested resource not found\n")

    def test_items_of_another_shape(self):
        """What others have written does not crash it."""
        for item in ({}, {"Rate": {"S": "x"}, "ttl": {"S": "soon"}}, {"ttl": {"N": "1e30"}, "Timestamp": {"N": "-5"}}):
            self.client.put_item(TableName="ExchangeRates", Item={"PK": {"S": "RATE#USD#EUR"}, "Base": {"S": "USD"}, **item})
            self.expect("USD ? ? saved ? never expires\n", "get", "USD", "EUR")
            self.expect("USD ? ? saved ? never expires\n", "by-base", "USD")


class AwsCli(ExchangeRates):
    def test_the_table_and_its_items(self):
        by_template = self.shapes()
        self.aws("delete-table --table-name ExchangeRates")
        self.aws(CREATE)
        self.aws("update-time-to-live --table-name ExchangeRates --time-to-live-specification 'Enabled=true, AttributeName=ttl'")
        self.assertEqual(self.shapes(), by_template)
        self.aws("""put-item --table-name ExchangeRates --item '{"PK": {"S": "RATE#GBP#JPY"}, "Base": {"S": "GBP"},"""
                 """ "Target": {"S": "JPY"}, "Rate": {"N": "190.45"}, "Timestamp": {"N": "1704067200"}, "Stale": {"BOOL": false},"""
                 """ "ttl": {"N": "1999999999"}}'""")
        line = "GBP JPY 190.45 saved 2024-01-01T00:00:00Z expires 2033-05-18T03:33:19Z\n"
        self.assertEqual(self.run_app("get", "GBP", "JPY"), (0, line, ""))
        self.assertEqual(self.run_app("by-base", "GBP"), (0, line, ""))
        self.run_app("save", "GBP", "USD", "1.27")
        out = self.aws("""get-item --table-name ExchangeRates --key '{"PK": {"S": "RATE#GBP#USD"}}'"""
                       """ --query 'Item.[Base.S, Target.S, Rate.N]' --output text""")
        self.assertEqual(out, "GBP\tUSD\t1.27\n")
        out = self.aws("""query --table-name ExchangeRates --index-name BaseCurrencyIndex --key-condition-expression"""
                       """ '#base = :base' --expression-attribute-names '{"#base": "Base"}'"""
                       """ --expression-attribute-values '{":base": {"S": "GBP"}}' --query 'sort(Items[].PK.S)' --output text""")
        self.assertEqual(out, "RATE#GBP#JPY\tRATE#GBP#USD\n")
        self.assert_refused("ValidationException: Invalid KeyConditionExpression: Attribute name is a reserved keyword; reserved "
                            "keyword: Base", self.client.query, TableName="ExchangeRates", IndexName="BaseCurrencyIndex",
                            KeyConditionExpression="Base = :base", ExpressionAttributeValues={":base": {"S": "GBP"}})

    def test_the_sample_items_and_their_ttl(self):
        self.check_sample("ExchangeRates", {
            "PK": {"S": "RATE#USD#EUR"}, "Base": {"S": "USD"}, "Target": {"S": "EUR"}, "Rate": {"N": "0.85"},
            "Timestamp": {"N": "1704067200"}, "Stale": {"BOOL": False}, "ttl": {"N": "1704153600"}})


if __name__ == "__main__":
    unittest.main()
