"""stock-cache: its commands, its README, sources that fail, many quotes at once, expiry, bad input, its policy, and the AWS CLI
on its table."""

import concurrent.futures
import json
import pathlib
import sys
import tempfile
import time
import unittest
from datetime import datetime, timezone

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "common"))

from rights import check_policy
from testing import ROOT, AppTest, JsonApi, Service, binary, boto3_client, program, shell, word
from waiting import wait_until
from wire import clock

SOURCE = f"{word(program('stock-cache'))} simulate-source"
# The design's samples, as the simulator gives them and as DynamoDB keeps them.
AAPL = {"symbol": "AAPL", "price": 178.45, "change": 2.34, "changePct": 1.33, "volume": 58123456, "latestTradingDay": "2024-01-15",
        "previousClose": 176.11, "open": 177.2, "high": 179, "low": 176.5}
MSFT = {"symbol": "MSFT", "price": 405.78, "change": -1.22, "changePct": -0.3, "volume": 24567890, "latestTradingDay": "2024-01-15",
        "previousClose": 407, "open": 406.5, "high": 408.2, "low": 404.9}


def attributes(data):
    return {name: {"S": value} if isinstance(value, str) else {"N": str(value)} for name, value in data.items()}


class StockCache(AppTest):
    app = "stock-cache"

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = pathlib.Path(folder.name) / "log"
        self.source = f"{SOURCE} --log {self.log}"
        self.asked, self.go_on = (pathlib.Path(folder.name) / name for name in ("asked", "go-on"))

    def quote(self, symbol, more="", *options):
        """Gives hit or miss, and the quote."""
        status, out, err = self.run_app("quote", symbol, "--source", f"{self.source} {more}", *options)
        self.assertEqual((status, err), (0, ""))
        outcome, _, data = out.partition(" ")
        return outcome, json.loads(data)

    def held(self):
        """A source that signals each request, and holds its reply until the test releases it."""
        return f"touch {self.asked}; while ! [ -e {self.go_on} ]; do sleep 0.01; done; {self.source}"

    def everything(self):
        """Without what the cache knows of its source."""
        return {table: [item for item in items if "#" not in item["dataType"]["S"]] for table, items in super().everything().items()}

    def calls(self):
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    def item(self, symbol, kind="quote"):
        key = {"symbol": {"S": symbol}, "dataType": {"S": kind}}
        return self.client.get_item(TableName="stock-price-cache", Key=key).get("Item")


class Commands(StockCache):
    def test_readme(self):
        self.assertGreaterEqual(self.check_readme(), 12)

    def test_a_miss_and_a_hit(self):
        before = int(time.time())
        self.assertEqual(self.quote("AAPL"), ("miss", AAPL))
        self.assertEqual([self.quote("AAPL"), self.quote("AAPL")], [("hit", AAPL)] * 2)
        self.assertEqual(self.calls(), 1)
        self.assertEqual(self.quote("MSFT"), ("miss", MSFT))
        item = self.item("AAPL")
        saved = int(item["timestamp"]["N"])
        self.assertTrue(before <= saved <= time.time())
        self.assertRegex(item["updatedAt"]["S"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(item, {
            "symbol": {"S": "AAPL"}, "dataType": {"S": "quote"}, "data": {"M": attributes(AAPL)},
            "ttl": {"N": str(saved + 45)}, "timestamp": {"N": str(saved)}, "updatedAt": item["updatedAt"]})

    def test_an_expired_quote_is_fetched_again(self):
        self.quote("AAPL")
        for expired in ({"ttl": {"N": str(int(time.time()) - 1)}}, {"data": {"S": "no map"}}, {"data": {"NULL": True}}):
            self.client.put_item(TableName="stock-price-cache", Item={**self.item("AAPL"), **expired})
            outcome, data = self.quote("AAPL", "--price 180")
            self.assertEqual((outcome, data["price"], data["change"]), ("miss", 180, 3.89))
        self.assertEqual(self.quote("AAPL"), ("hit", {**AAPL, "price": 180, "change": 3.89, "changePct": 2.21}))

    def test_the_simulator_always_says_the_same(self):
        for symbol in ("BRK.B", "^GSPC", "EURUSD=X", "BF-B", "X"):
            first, second = self.run_app("simulate-source", symbol), self.run_app("simulate-source", symbol)
            self.assertEqual(first, second)
            data = json.loads(first[1])
            self.assertEqual(set(data), set(AAPL))
            self.assertTrue(data["low"] <= min(data["open"], data["price"]) <= max(data["open"], data["price"]) <= data["high"])

    def test_the_simulator_with_the_highest_price(self):
        out = self.run_app("simulate-source", "AAPL", "--price", "10000000000000")[1]
        self.assertIn('"price":10000000000000.00,"change":9999999999823.89,"changePct":5678269263428.48,', out)

    def test_sources_that_fail(self):
        self.quote("AAPL")
        before = self.everything()
        rows = [
            ("exit 7; #", "it ended with status 7"),
            (f"{SOURCE} --fail", "it ended with status 1"),
            ("/no/such/program 2>/dev/null", "it ended with status 127"),
            ("kill -9 $$;", "it was killed by signal 9"),
            ("sleep 60;", "no answer within 300 ms"),
            ("true", "line 1: this is not JSON"),
            ("echo price; #", "line 1: this is not JSON"),
            ("""printf '{"symbol": "TSLA",\\n"price": 1e999}' #""", "line 2: a number has more than 38 digits or is out of range"),
            ("echo 5 #", "its answer is not a JSON object"),
            ("echo '[]' #", "its answer is not a JSON object"),
            ("echo '{}' #", "its answer is about another symbol"),
            (f"{SOURCE} AAPL #", "its answer is about another symbol"),
            ("""echo '{"symbol": "TSLA"}' #""", "its answer has no price"),
            ("""echo '{"symbol": "TSLA", "price": "5"}' #""", "its answer has no price"),
            ("yes '[' | tr -d '\\n' | head -c 65536 #", "line 1: objects and arrays are nested too deep"),
            ("head -c 65537 /dev/zero #", "its answer has more than 65536 bytes"),
        ]
        for source, why in rows:
            with self.subTest(source):
                self.expect("", "quote", "TSLA", "--source", source, "--source-timeout", "300" if "sleep" in source else "20000",
                            status=1, err=f"gramme-stock-cache: no quote of TSLA from the source: {why}\n")
        self.assertEqual(self.everything(), before)

    def test_put_get_and_list(self):
        news = pathlib.Path(self.log.parent) / "news.json"
        news.write_text('{"a": [1, "x", null, true, {"b\\n": -1.5}], "ö": "\\u00f6\\""}')
        text = '{"a":[1,"x",null,true,{"b\\n":-1.5}],"ö":"ö\\""}'
        self.expect(f"TSLA news saved TIME expires TIME {text}\n", "put", "TSLA", news, "--type", "news", "--ttl", "1d")
        item = self.item("TSLA", "news")
        self.assertEqual(int(item["ttl"]["N"]) - int(item["timestamp"]["N"]), 86400)
        self.quote("TSLA")
        self.expect(f"TSLA news saved TIME expires TIME {text}\n", "get", "TSLA", "news")
        status, out, _ = self.run_app("list", "TSLA")
        self.assertEqual((status, [line.split()[1] for line in out.splitlines()]), (0, ["news", "quote"]))
        self.expect("", "list", "AAPL")
        self.expect("", "get", "AAPL", status=1, err="gramme-stock-cache: there is no quote of AAPL, or it has expired\n")

    def test_items_of_another_shape(self):
        """What others have written does not crash it."""
        self.client.put_item(TableName="stock-price-cache", Item={"symbol": {"S": "ODD"}, "dataType": {"S": "quote"}})
        self.expect("ODD quote saved ? never expires null\n", "list", "ODD")
        self.assertEqual(self.quote("ODD")[0], "miss")
        self.assertEqual(self.quote("ODD")[0], "hit")
        self.client.put_item(TableName="stock-price-cache", Item={
            "symbol": {"S": "ODD"}, "dataType": {"S": "sets"}, "ttl": {"N": "1e20"}, "timestamp": {"S": "x"},
            "data": {"M": {"ss": {"SS": ["a"]}, "ns": {"NS": ["1"]}, "b": {"B": b"x"}, "bs": {"BS": [b"x"]}}}})
        self.expect('ODD sets saved ? never expires {"b":"eA==","bs":["eA=="],"ns":[1],"ss":["a"]}\n', "get", "ODD", "sets")

    def test_a_quote_of_many_parts(self):
        many = """python3 -c 'print("{\\"symbol\\": \\"BIG\\", \\"price\\": 1, \\"x\\": [" + "[]," * 20000 + "1]}")' #"""
        for outcome in ("miss", "hit"):
            self.expect(f'{outcome} {{"price":1,"symbol":"BIG","x":[{"[]," * 20000}1]}}\n', "quote", "BIG", "--source", many)

    def test_what_cannot_be_saved_is_shown_all_the_same(self):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            slow = pool.submit(self.run_app, "quote", "AAPL", "--source", self.held())
            wait_until(self.asked.exists, "the source to be asked")
            self.client.delete_table(TableName="stock-price-cache")
            self.go_on.touch()
            status, out, err = slow.result()
        missing = "ResourceNotFoundException: Requested resource not found\n"
        self.assertEqual((status, out[:4], err), (1, "miss", f"gramme-stock-cache: cannot save the quote of AAPL: {missing}"))
        self.assertEqual(json.loads(out[5:]), AAPL)
        self.expect("", "quote", "AAPL", "--source", SOURCE, status=1, err=f"gramme-stock-cache: cannot read the quote of AAPL: {missing}")


class Sources(StockCache):
    def test_the_last_good_quote_when_the_source_fails(self):
        self.quote("AAPL")
        self.client.delete_item(TableName="stock-price-cache", Key={"symbol": {"S": "AAPL"}, "dataType": {"S": "quote"}})
        status, out, err = self.run_app("quote", "aapl", "--source", f"{SOURCE} --fail")
        self.assertEqual((status, out[:6], json.loads(out[6:])), (0, "stale ", AAPL))
        self.assertRegex(err, r"^gramme-stock-cache: no quote of AAPL from the source: it ended with status 1; the last good one is \d+ s old\n$")
        self.assertEqual(self.quote("AAPL")[0], "miss")

    def test_several_symbols_in_any_case(self):
        status, out, err = self.run_app("quote", "aapl", "MSFT", "Aapl", "--source", self.source)
        self.assertEqual((status, err, [line.split()[0] for line in out.splitlines()]), (0, "", ["miss", "miss", "hit"]))
        self.assertEqual(self.calls(), 2)

    def test_who_died_with_the_lease_does_not_keep_others_waiting_for_ever(self):
        later = {"symbol": {"S": "AAPL"}, "dataType": {"S": "quote#source"}, "leaseUntil": {"N": str(int(time.time() * 1000) + 1500)}}
        self.client.put_item(TableName="stock-price-cache", Item=later)
        self.assertEqual(self.quote("AAPL")[0], "miss")
        self.assertGreaterEqual(time.time() * 1000, int(later["leaseUntil"]["N"]))

    def test_an_http_api(self):
        """As many of them answer: numbers as texts, two levels deep."""
        answers = {"/q?s=AAPL&k=1": (200, {"Global Quote": {"05. price": "178.45", "06. volume": "58123456", "list": [{"x": True}]}}),
                   "/q?s=%5EGSPC&k=1": (200, {"Global Quote": {"05. price": "5000"}}), "/q?s=NONE&k=1": (404, {}), "/q?s=ODD&k=1": (200, {})}
        with JsonApi(answers) as api:
            source = ["--source-url", f"{api.address}/q?s={{symbol}}&k=1", "--source-map",
                      "price=/Global Quote/05. price,volume=/Global Quote/06. volume,x=/Global Quote/list/0/x"]
            self.expect('miss {"price":178.45,"volume":58123456,"x":true}\n', "quote", "AAPL", *source)
            self.expect('hit {"price":178.45,"volume":58123456,"x":true}\n', "quote", "AAPL", *source)
            self.expect('miss {"price":5000}\n', "quote", "^GSPC", *source[:3], "price=/Global Quote/05. price")
            why = "gramme-stock-cache: no quote of {} from the source: {}\n"
            self.expect("", "quote", "NONE", *source, status=1, err=why.format("NONE", "it answered with status 404"))
            self.expect("", "quote", "ODD", *source, status=1,
                        err=why.format("ODD", "its answer has no 'price=/Global Quote/05. price'"))
        status, out, err = self.run_app("quote", "X", *source)
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(err, f"^{why.format('X', 'Could(n.t| not) connect to server')}$")  # as libcurl says it, or used to


class Serve(StockCache):
    def test_the_service(self):
        with Service("stock-cache", self.server.endpoint, "--source", self.source, "--watch", "msft", "--refresh-every", "1s") as service:
            self.assertEqual(service.get("/quotes/aapl"), (200, {"symbol": "AAPL", "outcome": "miss", "ageSeconds": 0, "quote": AAPL}))
            status, body = service.get("/quotes?symbols=AAPL,tsla,MSFT")
            self.assertEqual((status, [quote["symbol"] for quote in body["quotes"]]), (200, ["AAPL", "TSLA", "MSFT"]))
            self.assertEqual([quote["outcome"] for quote in body["quotes"]], ["hit", "miss", "hit"])
            self.assertEqual(service.get("/quotes/a%20b")[0], 400)
            self.assertEqual(service.get("/quotes"), (400, {"error": "symbols is missing"}))
            self.assertEqual(service.get("/nothing")[0], 404)
            self.assertEqual(service.request("POST", "/quotes/AAPL", {})[0], 405)
            self.assertEqual(service.get("/health"), (200, {"status": "ok"}))
            self.assertEqual(service.get("/health/ready"), (200, {"status": "ok"}))
            self.assertEqual(service.request("GET", "/health", headers={"Host": "evil.example"})[0], 403)
            described = service.get("/openapi.json")[1]
            self.assertEqual(sorted(described["paths"]), ["/quotes", "/quotes/{symbol}"])
            metrics = service.text("/metrics")
            self.assertIn('gramme_stock_cache_requests_total{method="GET",route="/quotes/{symbol}",status="2xx"} 1\n', metrics)
            self.assertRegex(metrics, r"gramme_stock_cache_source_requests_total [3-9]")
            self.client.delete_table(TableName="stock-price-cache")
            self.assertEqual(service.get("/health/ready"), (503, {"status": "unavailable"}))

    def test_many_copies_ask_once(self):
        slow = f"{self.source} --delay 300"
        with Service("stock-cache", self.server.endpoint, "--source", slow) as one, \
                Service("stock-cache", self.server.endpoint, "--source", slow) as other, \
                concurrent.futures.ThreadPoolExecutor(10) as pool:
            replies = list(pool.map(lambda n: (one, other)[n % 2].get("/quotes/AAPL"), range(10)))
        self.assertEqual([(status, body["quote"]) for status, body in replies], [(200, AAPL)] * 10)
        self.assertEqual(self.calls(), 1)

    def test_settings_by_the_environment(self):
        environment = {"GRAMME_STOCK_CACHE_SOURCE": self.source, "GRAMME_STOCK_CACHE_TTL": "1h"}
        with Service("stock-cache", self.server.endpoint, environment=environment) as service:
            self.assertEqual(service.get("/quotes/AAPL")[0], 200)
        item = self.item("AAPL")
        self.assertEqual(int(item["ttl"]["N"]) - int(item["timestamp"]["N"]), 3600)


class ManyAtOnce(StockCache):
    def test_quotes_of_one_symbol(self):
        """Each answers; one has asked the source, and the others waited for it; one entry is there."""
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda _: self.quote("AAPL", "--delay 100"), range(24)))
        self.assertEqual([data for _, data in results], [AAPL] * 24)
        misses = [outcome for outcome, _ in results].count("miss")
        self.assertEqual((misses, self.calls()), (1, 1))
        self.assertEqual(self.quote("AAPL"), ("hit", AAPL))
        self.assertEqual(len(self.everything()["stock-price-cache"]), 1)

    def test_a_slow_answer_does_not_replace_a_later_one(self):
        """Here the later one is another program's, whose clock is ahead."""
        entry = {"symbol": {"S": "AAPL"}, "dataType": {"S": "quote"}, "data": {"M": attributes({**AAPL, "price": 181})},
                 "ttl": {"N": str(int(time.time()) + 145)}, "timestamp": {"N": str(int(time.time()) + 100)}}
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            slow = pool.submit(self.run_app, "quote", "AAPL", "--source", self.held())
            wait_until(self.asked.exists, "the source to be asked")
            self.client.put_item(TableName="stock-price-cache", Item=entry)
            self.go_on.touch()
            status, out, err = slow.result()
            self.assertEqual((status, out[:5], json.loads(out[5:]), err), (0, "miss ", AAPL, ""))
        self.assertEqual(self.quote("AAPL"), ("hit", {**AAPL, "price": 181}))


class Expiry(StockCache):
    server_arguments = ["--memory", "--test-clock"]

    def test_an_expired_entry_is_overlooked_before_it_is_deleted(self):
        clock(self.server.port, Running=False)
        self.assertEqual(self.quote("AAPL", "", "--ttl", "1s")[0], "miss")
        wait_until(lambda: self.run_app("get", "AAPL")[0] == 1, "expiry")
        self.expect("", "get", "AAPL", status=1, err="gramme-stock-cache: there is no quote of AAPL, or it has expired\n")
        self.assertIn(" expired ", self.run_app("list", "AAPL")[1])
        self.assertEqual(self.quote("AAPL", "", "--ttl", "1h")[0], "miss")
        self.assertEqual(self.quote("AAPL")[0], "hit")
        clock(self.server.port, Advance=7200)
        wait_until(lambda: self.item("AAPL") is None, "the end of the entry")
        self.expect("", "list", "AAPL")
        self.assertEqual(self.quote("AAPL")[0], "miss")


class Policy(StockCache):
    def test_every_action_of_the_policy_is_needed_and_no_other(self):
        def scenario(run):
            run("quote", "AAPL", "--source", SOURCE)
            run("list", "AAPL")

        check_policy(self, scenario)


    def test_the_policy_of_the_design(self):
        statement = json.loads((ROOT / "apps/stock-cache/policy.json").read_text())["Statement"][0]
        self.assertEqual({name: statement[name] for name in ("Effect", "Action", "Resource")}, {
            "Effect": "Allow", "Resource": "arn:aws:dynamodb:us-east-1:*:table/stock-price-cache",
            "Action": ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:Query"]})


class Cost(StockCache):
    server_arguments = ["--memory", "--test-clock"]

    def test_a_day_of_the_design(self):
        """1,000 reads and 100 writes, at its prices, below a cent."""
        watch = boto3_client(self.server.endpoint, service="cloudwatch")
        self.addCleanup(watch.close)

        def units(kind):
            """What one quote consumes, in a minute of its own."""
            start = (clock(self.server.port).json["Now"] // 60 + 1) * 60
            clock(self.server.port, Now=start + 1, Running=False)
            self.assertEqual(self.quote("AAPL", "", "--ttl", "1h")[0], kind)
            clock(self.server.port, Now=start + 60)
            times = {"StartTime": datetime.fromtimestamp(start, timezone.utc), "EndTime": datetime.fromtimestamp(start + 60, timezone.utc)}
            return [sum(point["Sum"] for point in watch.get_metric_statistics(
                Namespace="AWS/DynamoDB", MetricName=f"Consumed{name}CapacityUnits", Period=60, Statistics=["Sum"],
                Dimensions=[{"Name": "TableName", "Value": "stock-price-cache"}], **times)["Datapoints"]) for name in ("Read", "Write")]

        misses, hits = units("miss"), units("hit")
        self.assertEqual(hits, [1, 0])
        day = [100 * miss + 900 * hit for miss, hit in zip(misses, hits)]
        self.assertLess((0.25 * day[0] + 1.25 * day[1]) / 1e6, 0.01)
        self.assertGreaterEqual(misses[1], 1)


class BadInput(StockCache):
    SYMBOL = "SYMBOL is 1 to 16 letters, digits, '.', '^', '=' or '-', not"
    TTL = "--ttl takes a duration like 45s, 30m, 24h or 14d, at most 366d, not"

    def test_bad_input(self):
        self.quote("AAPL")
        self.check_bad_input([
            ("price", "there is no command 'price'"),
            ("quote", "SYMBOL is missing"),
            ("quote AAPL", "--source is missing"),
            ("quote AAPL --source=", "--source needs a value, COMMAND"),
            ("quote AAPL --source true --source-url http://x", "--source and --source-url exclude each other"),
            *[(f"quote --source true -- '{symbol}'", f"{self.SYMBOL} '{symbol}'")
              for symbol in ("A B", "A#B", "-A", "É", "A" * 17, "$(x)")],
            *[(f"quote AAPL --source true --ttl {ttl}", f"{self.TTL} '{ttl}'") for ttl in ("45", "0s", "1w", "-1s")],
            ("quote AAPL --source true --source-timeout 0", "--source-timeout takes a number from 1 to 600000, not '0'"),
            ("put AAPL", "FILE is missing"),
            ("put app/le file", f"{self.SYMBOL} 'app/le'"),
            ("put AAPL file --type 'a b'", "--type is 1 to 64 letters, digits, '.', '_' or '-', not 'a b'"),
            ("put AAPL file --ttl soon", f"{self.TTL} 'soon'"),
            ("get", "SYMBOL is missing"),
            ("get a!", f"{self.SYMBOL} 'a!'"),
            ("get A b#", "TYPE is 1 to 64 letters, digits, '.', '_' or '-', not 'b#'"),
            ("list", "SYMBOL is missing"),
            ("list a!", f"{self.SYMBOL} 'a!'"),
            ("simulate-source a!", f"{self.SYMBOL} 'a!'"),
            ("simulate-source A --price 0", "--price takes an amount from 0.01 on, with at most two decimals, not '0'"),
            ("simulate-source A --delay x", "--delay takes a number from 0 to 600000, not 'x'"),
        ])

    def test_bad_files(self):
        self.check_bad_files([
            ("", "FILE, line 1: this is not JSON"),
            ("{'a': 1}", "FILE, line 1: this is not JSON"),
            ('{"a": 1,\n"b": 01}', "FILE, line 2: this is not JSON"),
            ('{"a": "\n"}', "FILE, line 1: this is not JSON"),
            ("5", "FILE is not a JSON object"),
            ("[{}]", "FILE is not a JSON object"),
            ('{"": 1}', "FILE, line 1: a name is empty or has a NUL character"),
            ('{"a": "\\u0000"}', "FILE, a text has a NUL character"),
            ('{"a": %s}' % ("1" * 39), "FILE, line 1: a number has more than 38 digits or is out of range"),
            ('{"a": %s1%s}' % ("[" * 32, "]" * 32), "FILE, line 1: objects and arrays are nested too deep"),
            ('{"a": "%s"}' % ("x" * 65536), "FILE has more than 65536 bytes"),
        ], ".json", "put", "AAPL", "FILE")
        self.expect("", "put", "AAPL", "/no/file", status=1, err="gramme-stock-cache: cannot read /no/file: No such file or directory\n")


class AwsCli(StockCache):
    """The design's own commands."""

    CREATE = ("create-table --table-name stock-price-cache --billing-mode PAY_PER_REQUEST"
              " --attribute-definitions AttributeName=symbol,AttributeType=S AttributeName=dataType,AttributeType=S"
              " --key-schema AttributeName=symbol,KeyType=HASH AttributeName=dataType,KeyType=RANGE"
              " --tags Key=Project,Value=VirtualStockTrading Key=Component,Value=StockPriceCache Key=ManagedBy,Value=Teammate")

    def test_the_table_and_its_items(self):
        by_template = self.shapes()
        self.aws("delete-table --table-name stock-price-cache")
        self.aws(self.CREATE)
        self.aws('update-time-to-live --table-name stock-price-cache'
                 ' --time-to-live-specification "Enabled=true, AttributeName=ttl"')
        self.assertEqual(self.shapes(), by_template)
        self.aws("""put-item \\
  --table-name stock-price-cache \\
  --item '{
    "symbol": {"S": "TEST"},
    "dataType": {"S": "quote"},
    "data": {"M": {
      "symbol": {"S": "TEST"},
      "price": {"N": "100.50"}
    }},
    "ttl": {"N": "1999999999"},
    "timestamp": {"N": "1705328955"}
  }'""")
        out = self.aws("""get-item \\
  --table-name stock-price-cache \\
  --key '{
    "symbol": {"S": "TEST"},
    "dataType": {"S": "quote"}
  }'""")
        self.assertEqual(json.loads(out), {"Item": {
            "symbol": {"S": "TEST"}, "dataType": {"S": "quote"}, "ttl": {"N": "1999999999"}, "timestamp": {"N": "1705328955"},
            "data": {"M": {"symbol": {"S": "TEST"}, "price": {"N": "100.5"}}}}})
        self.assertEqual(self.run_app("get", "TEST"), (
            0, 'TEST quote saved 2024-01-15T14:29:15Z expires 2033-05-18T03:33:19Z {"price":100.5,"symbol":"TEST"}\n', ""))
        self.assertEqual(self.quote("TEST", "--fail"), ("hit", {"price": 100.5, "symbol": "TEST"}))
        self.quote("AAPL")
        out = self.aws("""query --table-name stock-price-cache --key-condition-expression 'symbol = :s' --output text"""
                       """ --expression-attribute-values '{":s": {"S": "AAPL"}}' --query 'Items[].[dataType.S, data.M.price.N]'""")
        self.assertEqual(out, "quote\t178.45\nquote#source\tNone\n")

    TEMPLATE = """\
AWSTemplateFormatVersion: '2010-09-09'
Description: DynamoDB table for stock price caching

Resources:
  StockPriceCacheTable:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: stock-price-cache

      # Key schema
      AttributeDefinitions:
        - AttributeName: symbol
          AttributeType: S
        - AttributeName: dataType
          AttributeType: S

      KeySchema:
        - AttributeName: symbol
          KeyType: HASH
        - AttributeName: dataType
          KeyType: RANGE

      # Billing
      BillingMode: PAY_PER_REQUEST

      # TTL configuration
      TimeToLiveSpecification:
        AttributeName: ttl
        Enabled: true

      # Tags
      Tags:
        - Key: Project
          Value: VirtualStockTrading
        - Key: Component
          Value: StockPriceCache
        - Key: ManagedBy
          Value: Teammate

Outputs:
  TableName:
    Description: DynamoDB table name
    Value: !Ref StockPriceCacheTable
    Export:
      Name: StockPriceCacheTableName

  TableArn:
    Description: DynamoDB table ARN
    Value: !GetAtt StockPriceCacheTable.Arn
    Export:
      Name: StockPriceCacheTableArn
"""

    def test_the_template_of_the_design(self):
        """Word for word; it makes the same table as ours, which has nothing about keys for encryption: the service's default."""
        by_ours = self.shapes()
        self.assertIsNone(by_ours["stock-price-cache"]["encryption"])
        self.client.delete_table(TableName="stock-price-cache")
        path = self.log.parent / "template.yaml"
        path.write_text(self.TEMPLATE)
        status, out, err = shell.run(f"{word(binary())} apply {path}", env={"AWS_ENDPOINT_URL": self.server.endpoint})
        self.assertEqual((status, err), (0, ""))
        self.assertIn("arn:aws:dynamodb:us-east-1:000000000000:table/stock-price-cache\n", out)
        self.assertEqual(self.shapes(), by_ours)

    def test_the_sample_items_by_the_program(self):
        later = {"ttl": {"N": "1999999999"}, "timestamp": {"N": "1705328955"}, "updatedAt": {"S": "2024-01-15T10:30:00.000Z"}}
        for data in (AAPL, MSFT):
            self.client.put_item(TableName="stock-price-cache", Item={
                "symbol": {"S": data["symbol"]}, "dataType": {"S": "quote"}, "data": {"M": attributes(data)}, **later})
            self.assertEqual(self.quote(data["symbol"], "--fail"), ("hit", data))

    def test_the_sample_items_and_their_ttl(self):
        self.check_sample("stock-price-cache", {
            "symbol": {"S": "AAPL"}, "dataType": {"S": "quote"}, "ttl": {"N": "1705329000"}, "timestamp": {"N": "1705328955"},
            "updatedAt": {"S": "2024-01-15T10:30:00.000Z"},
            "data": {"M": attributes(AAPL)}})

    def test_provisioned(self):
        self.client.delete_table(TableName="stock-price-cache")
        status, _, err = shell.run(f"{word(binary())} apply {word(ROOT)}/apps/stock-cache/template.yaml --param BillingMode=PROVISIONED",
                                   env={"AWS_ENDPOINT_URL": self.server.endpoint})
        self.assertEqual((status, err), (0, ""))
        table = self.client.describe_table(TableName="stock-price-cache")["Table"]
        self.assertEqual([table["ProvisionedThroughput"][name] for name in ("ReadCapacityUnits", "WriteCapacityUnits")], [5, 5])
        self.assertNotIn("BillingModeSummary", table)
        self.assertEqual(self.quote("AAPL"), ("miss", AAPL))


if __name__ == "__main__":
    unittest.main()
