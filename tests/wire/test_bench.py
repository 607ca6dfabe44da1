"""`gramme bench` against gramme: every workload does what its figures say it did."""

import json
import os
import pty
import re
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree

import bench
from server import Server
from waiting import WAIT_S, wait_until
from wire import WireTest, http_request

KEYS = 230
TABLE = "gramme-bench"
COUNTED = ["--count", 200, "--seed", 1, "--connections", 8, "--keys", KEYS]
QUICK = ["--duration", 0.15, "--warmup", 0.05, "--connections", 8, "--keys", KEYS]
# The kinds of requests of each workload, in the order of its table.
WORKLOADS = {
    "get": ["GetItem"], "put": ["PutItem"], "update": ["UpdateItem"], "update-if": ["UpdateItem"],
    "delete": ["DeleteItem", "PutItem"], "query1": ["Query"], "query10": ["Query"], "query100": ["Query"],
    "batch-get": ["BatchGetItem"], "batch-write": ["BatchWriteItem"], "transact-write": ["TransactWriteItems"],
    "scan": ["Scan"], "ycsb-a": ["GetItem", "UpdateItem"], "ycsb-b": ["GetItem", "UpdateItem"], "ycsb-c": ["GetItem"],
    "ycsb-d": ["GetItem", "PutItem"], "ycsb-e": ["Query", "PutItem"], "ycsb-f": ["GetItem", "UpdateItem"],
}


def served(port, operation):
    """How many such requests the server has answered."""
    page = http_request(port, "GET", "/metrics", {}).body.decode()
    return sum(map(int, re.findall(rf'(?m)^gramme_requests_total{{.*operation="{operation}".*}} (\d+)$', page)))


class BenchTest(WireTest):
    def measure(self, *arguments, **options):
        return bench.measure(self.server.endpoint, *arguments, **options)

    def run_bench(self, *arguments, **options):
        return bench.run(self.server.endpoint, *arguments, **options)

    def tables(self):
        return self.client.list_tables()["TableNames"]

    def items(self, table=TABLE):
        pages = self.client.get_paginator("scan").paginate(TableName=table)
        return {item["pk"]["S"]: item for page in pages for item in page["Items"]}


class Workloads(BenchTest):
    def test_every_workload(self):
        for name, kinds in WORKLOADS.items():
            with self.subTest(workload=name):
                result = self.measure("--workload", name, *COUNTED)
                self.assertEqual([kind["operation"] for kind in result["operations"]], kinds)
                self.assertEqual((result["errors"], result["errors_by_type"]), (0, {}))
                self.assertEqual(sum(kind["replies"] for kind in result["operations"]), result["replies"])
                for kind in result["operations"]:
                    self.assertGreater(kind["replies"], 0, kind["operation"])
                    self.assertEqual(sum(count for _, count in kind["histogram_us"]), kind["replies"])
                    self.assertEqual((kind["misses"], kind["unprocessed"], kind["errors"]), (0, 0, 0))
                    latency = [kind["latency_us"][key] for key in ("min", "p50", "p90", "p99", "p99.9", "max")]
                    self.assertEqual(latency, sorted(latency))
                self.assertEqual(sum(second["replies"] for second in result["series"]), result["replies"])
                self.assertAlmostEqual(result["rate"], result["replies"] / result["seconds"], 3)
                self.assertEqual(self.tables(), [], "the table it made is deleted")

    def test_the_list(self):
        status, out, err = self.run_bench("--workload", "list")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual([line.split()[0] for line in out.splitlines()], list(WORKLOADS))
        status, out, err = self.run_bench("--help")
        self.assertEqual((status, err), (0, ""))
        for name in WORKLOADS:
            self.assertIn(f"  {name} ", out)


class Contents(BenchTest):
    """What the JSON counts is what the table has afterwards."""

    def test_load_writes_every_key_once(self):
        self.measure("--workload", "get", "--count", 1, "--keys", 1003, "--item-size", 500, "--keep")
        items = self.items()
        self.assertEqual(sorted(items), [f"{key:08}" for key in range(1003)])
        item = items["00000777"]
        self.assertEqual((item["g"], item["n"], item["b"]), ({"S": "00000007"}, {"N": "1"}, {"BOOL": True}))
        # As DynamoDB counts: names and values; a number of one digit has two bytes.
        size = len("pk") + 8 + len("g") + 8 + len("n") + 2 + len("b") + 1 + len("p") + len(item["p"]["S"])
        self.assertEqual(size, 500)
        self.assertGreater(len({item["p"]["S"] for item in items.values()}), 900)

    def test_few_keys(self):
        self.measure("--workload", "update", "--count", 10, "--keys", 3, "--keep")
        self.assertEqual(sorted(self.items()), ["00000000", "00000001", "00000002"])

    def test_updates_are_all_there(self):
        for workload in ("update", "update-if", "ycsb-f"):
            with self.subTest(workload=workload):
                result = self.measure("--workload", workload, *QUICK, "--load", "--keep", "--threads", 2)
                updates = result["operations"][-1]["replies"]
                total = sum(int(item["n"]["N"]) for item in self.items().values())
                if workload != "ycsb-f":
                    self.assertEqual(total, KEYS + updates + result["warmup_replies"])
                else:
                    self.assertGreaterEqual(total, KEYS + updates)

    def test_a_count_is_exact(self):
        result = self.measure("--workload", "update", "--count", 1234, "--keys", 100, "--threads", 3, "--keep")
        self.assertEqual((result["replies"], result["warmup_replies"]), (1234, 0))
        self.assertEqual(sum(int(item["n"]["N"]) for item in self.items().values()), 100 + 1234)

    def test_deletes_put_back_what_they_deleted(self):
        result = self.measure("--workload", "delete", "--count", 500, "--keys", KEYS, "--keep")
        self.assertEqual([kind["replies"] for kind in result["operations"]], [500, 500])
        self.assertEqual(len(self.items()), KEYS)

    def test_inserts_are_new_items(self):
        result = self.measure("--workload", "ycsb-d", "--count", 2000, "--keys", KEYS, "--keep", "--seed", 1)
        inserts = result["operations"][1]["replies"]
        self.assertGreater(inserts, 20)
        self.assertEqual(sorted(self.items()), [f"{key:08}" for key in range(KEYS + inserts)])

    def test_sequential_keys_come_once_each(self):
        self.measure("--workload", "update", "--count", KEYS, "--keys", KEYS, "--distribution", "sequential", "--keep")
        self.assertEqual({item["n"]["N"] for item in self.items().values()}, {"2"})

    def test_zipfian_keys_have_favourites(self):
        self.measure("--workload", "update", "--count", 2000, "--keys", KEYS, "--distribution", "zipfian", "--keep", "--seed", 1)
        counts = sorted((int(item["n"]["N"]) - 1 for item in self.items().values()), reverse=True)
        # One in six goes to the first of 230 (1 / (1/1^0.99 + ... + 1/230^0.99)).
        self.assertTrue(250 < counts[0] < 420, counts[:5])
        self.assertTrue(110 < counts[1] < 230, counts[:5])

    def test_a_seed_gives_the_same_keys_again(self):
        seen = []
        for seed in (5, 5, 6):
            self.measure("--workload", "update", "--count", 300, "--keys", 50, "--seed", seed, "--load", "--keep")
            seen.append({key: item["n"]["N"] for key, item in self.items().items()})
        self.assertEqual(seen[0], seen[1])
        self.assertNotEqual(seen[0], seen[2])


class Tables(BenchTest):
    def test_a_table_that_was_there_stays(self):
        self.measure("--workload", "get", "--count", 10, "--keys", 50, "--keep", "--table", "mine")
        self.assertEqual(self.tables(), ["mine"])
        self.measure("--workload", "put", "--count", 10, "--keys", 50, "--table", "mine")
        self.assertEqual(self.tables(), ["mine"])

    def test_it_is_filled_only_when_it_is_too_small(self):
        self.measure("--workload", "get", "--count", 1, "--keys", 100, "--keep")
        self.client.update_item(TableName=TABLE, Key={"pk": {"S": "00000005"}}, UpdateExpression="SET mark = :m",
                                ExpressionAttributeValues={":m": {"S": "kept"}})
        self.measure("--workload", "get", "--count", 1, "--keys", 100)
        self.assertIn("mark", self.items()["00000005"])
        self.measure("--workload", "get", "--count", 1, "--keys", 200)
        self.assertNotIn("mark", self.items()["00000005"])
        self.assertEqual(len(self.items()), 200)

    def test_a_table_of_another_shape_is_left_alone(self):
        self.create("mine", "id:S")
        status, out, err = self.run_bench("--workload", "put", "--table", "mine", "--count", 1)
        self.assertEqual((status, out), (1, ""))
        self.assertEqual(err, "gramme bench: the table mine is none that gramme bench made: its key is not pk, or it has no "
                              "index by_group on g and pk; name another one with --table\n")
        self.assertEqual(self.client.scan(TableName="mine")["Count"], 0)


class Reports(BenchTest):
    def test_the_table_and_the_files(self):
        with tempfile.TemporaryDirectory() as folder:
            picture, file = f"{folder}/plot.svg", f"{folder}/result.json"
            status, out, err = self.run_bench("--workload", "ycsb-a", *QUICK, "--plot", picture, "--json", file)
            self.assertEqual((status, err), (0, ""))
            with open(file) as stream:
                result = json.load(stream)
            root = xml.etree.ElementTree.parse(picture).getroot()
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        for text in ("Throughput", "Latency over time", "Latency by percentile", "GetItem", "UpdateItem", "99 %", "seconds",
                     "milliseconds"):
            self.assertIn(text, texts)
        lines = out.splitlines()
        self.assertEqual(lines[3].split(), ["operation", "replies", "per", "second", "p50", "ms", "p90", "ms", "p99", "ms",
                                            "p99.9", "ms", "max", "ms", "errors"])
        self.assertEqual([line.split()[0] for line in lines[4:7]], ["GetItem", "UpdateItem", "all"])
        self.assertEqual(lines[6].split()[1], f"{result['replies']:,}")
        self.assertEqual(lines[6].split()[-1], "0")

    def test_what_the_json_has(self):
        before = time.time()
        result = self.measure("--workload", "get", *QUICK, "--seed", 9, "--threads", 2)
        self.assertEqual(result["config"], {
            "endpoint": self.server.endpoint, "workload": "get", "table": TABLE, "item_size": 300, "keys": KEYS,
            "distribution": "uniform", "payload_size": 275, "connections": 8, "threads": 2, "signed": False, "rate": 0,
            "count": 0, "duration_s": 0.15, "warmup_s": 0.05, "timeout_ms": 10000, "seed": 9})
        self.assertRegex(result["versions"]["gramme"], r"^\d+\.\d+\.\d+$")
        self.assertTrue(int(before) <= result["begun"] <= time.time())
        self.assertGreaterEqual(result["seconds"], 0.15)
        self.assertGreater(result["client_cpu_us"], 0)

    def test_json_on_the_output_leaves_the_table_to_stderr(self):
        status, out, err = self.run_bench("--workload", "get", *QUICK, "--json", "-")
        self.assertEqual(status, 0)
        self.assertEqual(json.loads(out)["config"]["workload"], "get")
        self.assertIn("GetItem", err)

    def test_a_file_that_cannot_be_written(self):
        status, out, err = self.run_bench("--workload", "get", *QUICK, "--json", "/nowhere/x.json")
        self.assertEqual((status, err), (1, "gramme bench: /nowhere/x.json: No such file or directory\n"))
        self.assertIn("GetItem", out)

    def test_a_line_every_second_on_a_terminal(self):
        ours, theirs = pty.openpty()
        command = bench.command(self.server.endpoint, "--workload", "get", "--duration", 600, "--warmup", 0, "--keys", 50)
        line = re.compile(r"\r +\d+ s  [\d,]+/s  p50 \d+\.\d{3} ms  p99 \d+\.\d{3} ms  errors 0\x1b\[K")
        shown = ""
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env=bench.environment()) as process:
            os.close(theirs)
            while len(line.findall(shown)) < 2:
                shown += os.read(ours, 10000).decode()  # fails when it ends
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(WAIT_S), 0)
        os.close(ours)


class Ways(BenchTest):
    def test_signed_requests_are_accepted(self):
        result = self.measure("--workload", "ycsb-a", *QUICK, "--sign", env={"AWS_SESSION_TOKEN": "to/ken="})
        self.assertEqual((result["errors"], result["config"]["signed"]), (0, True))
        self.assertGreater(result["replies"], 0)

    def test_a_fixed_rate_is_kept_or_told(self):
        result = self.measure("--workload", "get", "--keys", 50, "--rate", 200, "--duration", 1, "--warmup", 0.2,
                              "--threads", 2)
        # A slow machine leaves some of what is due undone, and says so.
        self.assertEqual((result["warmup_replies"] + result["replies"] + result["behind"], result["errors"]), (240, 0))

    def test_a_rate_that_cannot_be_kept_says_so(self):
        status, out, err = self.run_bench("--workload", "query100", "--keys", 200, "--rate", 1000000, "--duration", 0.5,
                                          "--warmup", 0)
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"\n[\d,]+ operations were due and never sent: ")

    def test_own_requests(self):
        self.create("own", "id:S")
        body = '{"TableName":"own","Item":{"id":{"S":"%n"},"g":{"S":"%g"},"p":{"S":"%p"},"c":{"S":"100%%"}}}'
        result = self.measure("--operation", "PutItem", "--body", body, "--keys", 40, "--count", 40, "--distribution",
                              "sequential", "--group", 7, "--payload-size", 11)
        self.assertEqual((result["replies"], result["errors"]), (40, 0))
        items = {item["id"]["S"]: item for item in self.client.scan(TableName="own")["Items"]}
        self.assertEqual(sorted(items), [f"{key:08}" for key in range(40)])
        self.assertEqual(items["00000023"]["g"]["S"], "00000003")
        self.assertEqual(items["00000023"]["c"]["S"], "100%")
        self.assertRegex(items["00000023"]["p"]["S"], r"^[A-Za-z0-9+-]{11}$")

    def test_misses_are_told(self):
        self.create("own", "id:S")
        status, out, err = self.run_bench("--operation", "GetItem", "--body",
                                          '{"TableName":"own","Key":{"id":{"S":"%n"}}}', "--count", 20)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("\n20 items that were asked for are not there\n", out)

    def test_an_interrupt_ends_it_with_the_table(self):
        command = bench.command(self.server.endpoint, "--workload", "put", "--duration", 600, "--warmup", 0, "--keys", 50)
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env=bench.environment()) as process:
                before = served(self.server.port, "PutItem")
                wait_until(lambda: served(self.server.port, "PutItem") > before + 50, "writes")
                process.send_signal(number)
                out, err = process.communicate(timeout=WAIT_S)
            self.assertEqual((process.returncode, err), (0, ""))
            self.assertRegex(out, r"\nPutItem +[\d,]+ ")
            self.assertIn("\nstopped before the end\n", out)
            self.assertEqual(self.tables(), [])


class Restart(unittest.TestCase):
    def test_a_server_that_goes_and_comes_back(self):
        with tempfile.TemporaryDirectory() as data:
            server = Server("--data", data).start()
            port = server.port
            command = bench.command(server.endpoint, "--workload", "ycsb-a", "--duration", 600, "--warmup", 0, "--keys", 100,
                                    "--keep", "--connections", 8, "--quiet", "--json", "-")
            with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env=bench.environment()) as process:
                wait_until(lambda: served(port, "GetItem") > 50, "reads")
                server.kill()
                with Server("--data", data, "--port", port) as again:
                    self.assertEqual(again.port, port)
                    wait_until(lambda: served(port, "GetItem") > 50, "reads")
                    process.send_signal(signal.SIGINT)
                    out, err = process.communicate(timeout=WAIT_S)
            self.assertEqual((process.returncode, err), (0, ""))
            result = json.loads(out)
            self.assertGreater(result["errors"], 0)
            self.assertLessEqual(set(result["errors_by_type"]), {"connection lost", "no connection"})
            self.assertRegex(result["first_error"], r"^(connection lost|no connection): \w")
            self.assertGreater(result["replies"], 80)  # of more than 50 from each, some may be lost


class Wrong(unittest.TestCase):
    def test_arguments(self):
        get = ["--workload", "get"]
        for arguments, word in (
                ([], "--workload"), (["--workload"], "--workload"), (["--workload", "fly"], "fly"),
                ([*get, "--operation", "GetItem"], "--workload"), (["--operation", "GetItem"], "--body"),
                (["--body", "{}"], "--operation"), ([*get, "--conections", "1"], "--conections"),
                ([*get, "--connections", "0"], "--connections"), ([*get, "--connections", "x"], "--connections"),
                ([*get, "--connections", "10001"], "--connections"), ([*get, "--threads", "65"], "--threads"),
                ([*get, "--threads", "4", "--connections", "3"], "--threads"), ([*get, "--duration", "0"], "--duration"),
                ([*get, "--duration", "nan"], "--duration"), ([*get, "--duration", "1e9"], "--duration"),
                ([*get, "--rate", "-5"], "--rate"), ([*get, "--count", "5", "--duration", "5"], "--count"),
                ([*get, "--count", "5", "--warmup", "1"], "--count"), ([*get, "--keys", "100000001"], "--keys"),
                ([*get, "--keys", "99999999999999999999"], "--keys"), ([*get, "--item-size", "25"], "--item-size"),
                ([*get, "--item-size", "409601"], "--item-size"), ([*get, "--batch", "5"], "--batch"),
                (["--workload", "batch-write", "--batch", "26"], "--batch"),
                (["--workload", "batch-get", "--keys", "99"], "--keys"), ([*get, "--table", "a b"], "--table"),
                ([*get, "--table", "ab"], "--table"), ([*get, "--distribution", "fair"], "--distribution"),
                ([*get, "--sign", "--no-sign"], "--sign"), ([*get, "extra"], "extra"), ([*get, "--json"], "--json"),
                (["--operation", "A", "--body", "{}", "--keep"], "--keep"), ([*get, "--seed", "-1"], "--seed")):
            with self.subTest(arguments=arguments):
                status, out, err = bench.run("http://127.0.0.1:9", *arguments)
                self.assertEqual((status, out), (2, ""))
                self.assertIn(word, err)
                self.assertEqual(len(err.splitlines()), 1)
                self.assertIn("--help", err)

    def test_an_endpoint_that_is_none(self):
        for endpoint in ("127.0.0.1:8000", "http://", "http://a/b"):
            status, out, err = bench.run(endpoint, "--workload", "get")
            self.assertEqual((status, out), (1, ""))
            self.assertRegex(err, r"^gramme bench: .*http://host:port or https://host")

    def test_an_endpoint_that_does_not_answer(self):
        status, out, err = bench.run("http://127.0.0.1:9", "--workload", "get")
        self.assertEqual((status, out, err),
                         (1, "", "gramme bench: http://127.0.0.1:9 does not answer: Connection refused\n"))
        status, out, err = bench.run("http://no-such-host.invalid", "--operation", "GetItem", "--body", "{}", "--no-sign")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(err, r"^gramme bench: http://no-such-host\.invalid: \w")

    def test_a_body_with_a_wrong_place(self):
        with Server("--memory") as server:
            status, out, err = bench.run(server.endpoint, "--operation", "GetItem", "--body", '{"a":"%x"}')
        self.assertEqual((status, out, err),
                         (1, "", "gramme bench: the body has %x, which is no place; a percent sign is %%\n"))

    def test_no_credentials(self):
        with Server("--memory") as server:
            status, out, err = bench.run(server.endpoint, "--workload", "get", "--sign",
                                         env={"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""})
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(err, re.compile("^gramme bench: no credentials: "))

    def test_requests_that_all_fail(self):
        with Server("--memory") as server:
            status, out, err = bench.run(server.endpoint, "--operation", "GetItem", "--count", "5", "--body",
                                         '{"TableName":"none","Key":{"a":{"S":"%n"}}}')
        self.assertEqual((status, err), (1, ""))
        self.assertRegex(out, r"\n +5  ResourceNotFoundException\n"
                              r"the first error: ResourceNotFoundException: \w")


if __name__ == "__main__":
    unittest.main()
