"""GET /metrics and /health: what a page says of requests that were made, in both formats, and who may read it."""

import http.client
import json
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import exposition
from nodes import wait_until
from server import SANITIZER, Server, binary
from wire import Connection, HalfRequest, WireTest, accepts, boto3_client, call, free_port, http_request

KEYS = {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST",
        "GlobalSecondaryIndexes": [{"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                                    "Projection": {"ProjectionType": "ALL"}}]}


def get(port, path, **headers):
    return http_request(port, "GET", path, headers, "")


def page(port, **headers):
    reply = get(port, "/metrics", **headers)
    assert reply.status == 200, reply.body
    return reply.body.decode()


class Metrics(WireTest):
    def samples(self):
        return exposition.parse(page(self.server.port))

    def sample(self, name, **labels):
        found = [value for (sample, has), value in self.samples().items() if sample == name and dict(has) == labels]
        return found[0] if found else None

    def make(self, name):
        self.client.create_table(TableName=name, **KEYS)

    def test_requests_by_outcome(self):
        self.make("outcomes")
        item = {"pk": {"S": "a"}}
        for _ in range(3):
            self.client.put_item(TableName="outcomes", Item=item)
        call(self.server.port, "PutItem", {"TableName": "outcomes", "Item": item, "ConditionExpression": "attribute_not_exists(pk)"})
        call(self.server.port, "PutItem", {"TableName": "outcomes", "Item": {}})
        call(self.server.port, "GetItem", {"TableName": "nowhere", "Key": item})
        name = "gramme_requests_total"
        self.assertEqual(self.sample(name, table="outcomes", operation="PutItem", code="ok"), 3)
        self.assertEqual(self.sample(name, table="outcomes", operation="PutItem", code="ConditionalCheckFailedException"), 1)
        self.assertEqual(self.sample(name, operation="GetItem", code="ResourceNotFoundException"), 1)
        self.assertEqual(self.sample("gramme_conditional_check_failed_total", table="outcomes"), 1)
        self.assertEqual(self.sample("gramme_table_request_seconds_count", table="outcomes", operation="PutItem"), 3)
        self.assertEqual(self.sample("gramme_table_items", table="outcomes"), 1)

    def test_what_names_no_operation(self):
        before = self.sample("gramme_requests_total", operation="(none)", code="UnknownOperationException") or 0
        self.assertEqual(call(self.server.port, "Nonsense", {}).status, 400)
        after = self.sample("gramme_requests_total", operation="(none)", code="UnknownOperationException")
        self.assertEqual(after, before + 1)

    def test_units_of_tables_and_indexes(self):
        self.make("units")
        for n in range(4):
            self.client.put_item(TableName="units", Item={"pk": {"S": str(n)}, "g": {"S": "x"}, "b": {"S": "y" * 1500}})
        self.client.get_item(TableName="units", Key={"pk": {"S": "1"}})
        self.client.get_item(TableName="units", Key={"pk": {"S": "1"}}, ConsistentRead=True)
        found = self.client.query(TableName="units", IndexName="by-g", KeyConditionExpression="g = :g",
                                  ExpressionAttributeValues={":g": {"S": "x"}}, ReturnConsumedCapacity="INDEXES")
        self.assertEqual(self.sample("gramme_consumed_write_units_total", table="units"), 8)
        self.assertEqual(self.sample("gramme_consumed_write_units_total", table="units", index="by-g"), 8)
        self.assertEqual(self.sample("gramme_consumed_read_units_total", table="units"), 1.5)
        self.assertEqual(self.sample("gramme_consumed_read_units_total", table="units", index="by-g"),
                         found["ConsumedCapacity"]["CapacityUnits"])
        self.assertEqual(self.sample("gramme_returned_items_total", table="units", operation="Query"), 4)

    def test_the_commit_thread(self):
        self.make("groups")
        before = self.sample("gramme_commit_group_size_sum")
        self.client.put_item(TableName="groups", Item={"pk": {"S": "a"}})
        self.assertEqual(self.sample("gramme_commit_group_size_sum"), before + 1)

    def test_what_a_process_has(self):
        samples = {name: value for (name, labels), value in self.samples().items() if not labels}
        self.assertGreater(samples["process_resident_memory_bytes"], 1e6)
        self.assertLess(abs(samples["process_start_time_seconds"] - time.time()), 600)
        for name in ("process_cpu_seconds_total", "process_open_fds", "gramme_connections", "gramme_uptime_seconds"):
            self.assertGreater(samples[name], 0, name)

    def test_open_metrics(self):
        reply = get(self.server.port, "/metrics", Accept="application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
        self.assertEqual(reply.headers["content-type"], "application/openmetrics-text; version=1.0.0; charset=utf-8")
        exposition.parse(reply.body.decode(), open_metrics=True)
        plain = get(self.server.port, "/metrics")
        self.assertEqual(plain.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")

    def test_health(self):
        for path, status in (("/health", "live"), ("/health/live", "live"), ("/health/ready", "ready")):
            reply = get(self.server.port, path)
            self.assertEqual((reply.status, reply.json), (200, {"status": status}))
        reply = get(self.server.port, "/_localstack/health")
        self.assertIn(b'"dynamodb": "available"', reply.body)
        self.assertEqual(json.loads(reply.body)["services"].keys(), {"application-autoscaling", "cloudwatch", "dynamodb", "dynamodbstreams", "iam", "sts"})
        self.assertEqual(get(self.server.port, "/healthy").status, 404)
        self.assertTrue(get(self.server.port, "/").body.startswith(b"healthy: "))

    @unittest.skipUnless(shutil.which("promtool"), "needs promtool")
    def test_promtool_has_no_objections(self):
        run = subprocess.run(["promtool", "check", "metrics"], input=page(self.server.port), text=True, capture_output=True)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))


class AtOnce(WireTest):
    def test_nothing_is_lost_while_others_read(self):
        """Connections count while pages are read and metrics published: counters only grow, and in the end all are there."""
        self.client.create_table(TableName="busy", **KEYS)
        watch, done, stop = boto3_client(self.server.endpoint, service="cloudwatch"), [0] * 4, threading.Event()

        def load(number):
            connection = Connection(self.server.port)
            while not stop.is_set():
                connection.call("PutItem", TableName="busy", Item={"pk": {"S": str(number)}, "n": {"N": str(done[number])}})
                connection.call("GetItem", TableName="busy", Key={"pk": {"S": str(number)}})
                done[number] += 1
            connection.close()

        threads = [threading.Thread(target=load, args=(number,)) for number in range(len(done))]
        for thread in threads:
            thread.start()
        last = {}
        for _ in range(15):
            samples = exposition.parse(page(self.server.port))
            for key, value in samples.items():
                if key[0].endswith("_total"):
                    self.assertGreaterEqual(value, last.get(key, 0), key)
            last = samples
            watch.list_metrics(Namespace="AWS/DynamoDB")
        stop.set()
        for thread in threads:
            thread.join()
        samples = exposition.parse(page(self.server.port))
        for operation in ("PutItem", "GetItem"):
            labels = (("table", "busy"), ("operation", operation))
            self.assertEqual(samples["gramme_requests_total", labels + (("code", "ok"),)], sum(done))
            self.assertEqual(samples["gramme_table_request_seconds_count", labels], sum(done))
        watch.close()


class Bounded(WireTest):
    def test_a_page_of_a_thousand_tables(self):
        for n in range(1000):
            name = "a-table-with-a-fairly-long-name-%04d" % n
            table = {"TableName": name, **{k: KEYS[k] for k in ("KeySchema", "BillingMode")},
                     "AttributeDefinitions": KEYS["AttributeDefinitions"][:1]}
            self.assertEqual(call(self.server.port, "CreateTable", table).status, 200)
            item = {"pk": {"S": "a"}}
            for operation, body in (("PutItem", {"Item": item}), ("GetItem", {"Key": item}), ("Scan", {}),
                                    ("DeleteItem", {"Key": item})):
                self.assertEqual(call(self.server.port, operation, {"TableName": name, **body}).status, 200)
        text = page(self.server.port)
        samples = exposition.parse(text)
        self.assertEqual(len([1 for name, _ in samples if name == "gramme_table_items"]), 1000)
        self.assertLess(len(text), 5e6)


class Stored(unittest.TestCase):
    def test_syncs_and_the_store(self):
        with tempfile.TemporaryDirectory() as folder, Server("--data", folder) as server:
            call(server.port, "CreateTable", {"TableName": "table", **KEYS})
            call(server.port, "PutItem", {"TableName": "table", "Item": {"pk": {"S": "a"}}})
            samples = {name: value for (name, labels), value in exposition.parse(page(server.port)).items() if not labels}
            self.assertGreater(samples["gramme_sync_seconds_count"], 0)
            self.assertGreater(samples["gramme_sync_seconds_sum"], 0)
            self.assertGreater(samples["gramme_store_write_buffer_bytes"], 0)
            self.assertGreater(samples["gramme_store_cache_limit_bytes"], 0)
            self.assertEqual(samples["gramme_store_writes_stopped"], 0)
            self.assertEqual(samples["gramme_store_stalled_seconds"], 0)

    def test_backups_and_memory(self):
        with tempfile.TemporaryDirectory() as folder, Server("--data", f"{folder}/data", "--request-memory", "64M") as server:
            subprocess.run([binary(), "backup", f"{folder}/data", f"{folder}/file"], check=True, capture_output=True)
            samples = {(name, *(value for _, value in labels)): value for (name, labels), value in exposition.parse(page(server.port)).items()}
            self.assertEqual((samples["gramme_backups_total", "done"], samples["gramme_backups_total", "failed"]), (1, 0))
            self.assertLess(abs(samples["gramme_backup_last_done_timestamp_seconds",] - time.time()), 60)
            self.assertEqual(samples["gramme_request_memory_limit_bytes", "input"] + samples["gramme_request_memory_limit_bytes", "work"],
                             64 << 20)


class Ports(unittest.TestCase):
    def test_a_port_of_its_own(self):
        port = free_port()
        with Server("--memory", "--metrics-port", port) as server:
            call(server.port, "ListTables", {})
            samples = exposition.parse(page(port))
            self.assertEqual(samples["gramme_requests_total", (("operation", "ListTables"), ("code", "ok"))], 1)
            self.assertEqual(get(port, "/health/ready").status, 200)
            self.assertEqual(call(port, "ListTables", {}).status, 404)

    def test_a_port_that_is_taken(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            with self.assertRaisesRegex(AssertionError, "the server did not start"):
                Server("--memory", "--metrics-port", taken.getsockname()[1]).start()

    def test_a_start_that_fails(self):
        """It waits for its store, and has nothing to tell when that is gone."""
        port = free_port()
        with socket.create_server(("127.0.0.1", 0)) as store:
            process = subprocess.Popen(
                [binary(), "serve", "--port", "0", "--metrics-port", str(port), "--store",
                 f"postgres://nobody@127.0.0.1:{store.getsockname()[1]}/none?sslmode=disable"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            waiting = store.accept()[0]
            half = HalfRequest(port, "/metrics", encrypted=False)
        waiting.close()
        wait_until(lambda: not accepts(port), "closing the port for metrics")
        self.assertEqual(half.finish(), b'{"status":"stopping","role":"waiting","leader":""}\n')
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1, errors)
        self.assertNotRegex(errors, SANITIZER)

    def test_who_may_read(self):
        """With --auth this machine, and others when it is said."""
        address = other_address()
        if address is None:
            self.skipTest("needs an address beside the loopback's")
        for more, status in (([], 403), (["--metrics-open"], 200)):
            with Server("--memory", "--auth", "--host", "0.0.0.0", *more) as server:
                self.assertEqual(get(server.port, "/metrics").status, 200)
                connection = http.client.HTTPConnection(address, server.port, timeout=10)
                connection.request("GET", "/metrics")
                reply = connection.getresponse()
                self.assertEqual((reply.status, b"gramme_uptime" in reply.read()), (status, status == 200))
                connection.request("GET", "/health/ready")
                self.assertEqual(connection.getresponse().status, 200)


def other_address():
    """One by which this machine does not look like itself; None where there is only the loopback's."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address = s.getsockname()[0]
    return None if address.startswith("127.") else address


class Reader(unittest.TestCase):
    """That the reader of these tests sees what is wrong."""

    GOOD = '# HELP a_total Help.\n# TYPE a_total counter\na_total{b="c"} 1\n'
    BUCKETS = '# HELP h Help.\n# TYPE h histogram\nh_bucket{le="1"} %s\nh_bucket{le="+Inf"} 2\nh_sum 3\nh_count %s\n'

    def test_good(self):
        self.assertEqual(exposition.parse(self.GOOD), {("a_total", (("b", "c"),)): 1})
        exposition.parse(self.BUCKETS % (1, 2))

    def test_wrong(self):
        for text in (self.GOOD[:-1], self.GOOD + 'a_total{b="c"} 2\n', self.GOOD.replace("a_total", "a"),
                     self.GOOD.replace('"c"', 'c'), self.GOOD + "b 1\n", self.GOOD.replace("# HELP a_total Help.\n", ""),
                     self.GOOD + self.GOOD, self.BUCKETS % (3, 2), self.BUCKETS % (1, 3), self.GOOD + "# EOF\n"):
            with self.subTest(text), self.assertRaises(exposition.Wrong):
                exposition.parse(text)


if __name__ == "__main__":
    unittest.main()
