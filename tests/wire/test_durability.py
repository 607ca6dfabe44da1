"""What a data directory keeps: over a stop, over kill -9, with every setting; and what it refuses."""

import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

from server import Server, binary
from wire import boto3_client, call


class Durability(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = pathlib.Path(folder.name) / "data"

    def server(self, *options):
        return Server("--data", self.data, *options)

    def create(self, server, name="table"):
        client = boto3_client(server.endpoint)
        client.create_table(
            TableName=name, BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}])
        return client

    @staticmethod
    def item(number, **more):
        return {"pk": {"S": f"p{number % 7}"}, "sk": {"N": str(number)}, **more}

    @staticmethod
    def numbers(client):
        return sorted(int(item["sk"]["N"]) for item in client.scan(TableName="table")["Items"])

    def test_contributor_insights_survive_a_stop(self):
        table = {"TableName": "table"}
        with self.server() as server:
            client = self.create(server)
            client.update_contributor_insights(**table, ContributorInsightsAction="ENABLE")
            enabled = call(server.port, "DescribeContributorInsights", table).json
            call(server.port, "UpdateContributorInsights",
                 {**table, "ContributorInsightsAction": "ENABLE", "ContributorInsightsMode": "THROTTLED_KEYS"})
            narrowed = call(server.port, "DescribeContributorInsights", table).json
        rules = enabled["ContributorInsightsRuleList"]
        since = rules[0].rpartition("-")[2]
        self.assertEqual(rules, [f"DynamoDBContributorInsights-{kind}-table-{since}" for kind in ("PKC", "PKT", "SKC", "SKT")])
        self.assertAlmostEqual(int(since) / 1000, enabled["LastUpdateDateTime"], delta=1)
        self.assertEqual(narrowed["ContributorInsightsRuleList"], [rules[1], rules[3]])
        with self.server() as server:
            self.assertEqual(call(server.port, "DescribeContributorInsights", table).json, narrowed)

    def test_the_data_directory_is_made(self):
        with self.server():
            self.assertTrue(self.data.is_dir())

    def test_many_tables_survive_a_stop(self):
        names = [f"table-{number:02}" for number in range(40)]
        with self.server() as server:
            for name in names:
                self.create(server, name)
        for _ in range(2):
            with self.server() as server:
                self.assertEqual(boto3_client(server.endpoint).list_tables()["TableNames"], names)

    def test_everything_survives_a_stop(self):
        values = {"s": {"S": "é"}, "n": {"N": "1.5"}, "b": {"B": b"\x00"}, "ss": {"SS": ["a"]},
                  "l": {"L": [{"M": {"x": {"NULL": True}}}]}}
        with self.server() as server:
            client = self.create(server)
            for n in range(50):
                client.put_item(TableName="table", Item=self.item(n, **values))
            client.delete_item(TableName="table", Key={"pk": {"S": "p3"}, "sk": {"N": "3"}})
            client.update_item(TableName="table", Key={"pk": {"S": "p4"}, "sk": {"N": "4"}}, UpdateExpression="REMOVE s, b")
            described = call(server.port, "DescribeTable", {"TableName": "table"}).json
            everything = client.scan(TableName="table")["Items"]
        with self.server() as server:
            client = boto3_client(server.endpoint)
            self.assertEqual(call(server.port, "DescribeTable", {"TableName": "table"}).json, described)
            self.assertEqual(client.scan(TableName="table")["Items"], everything)
            self.assertEqual(described["Table"]["ItemCount"], 49)

    def test_tables_and_their_settings_survive_kill(self):
        with self.server() as server:
            self.create(server, "stays")
            self.create(server, "goes")
            call(server.port, "UpdateTable", {"TableName": "stays", "TableClass": "STANDARD_INFREQUENT_ACCESS"})
            call(server.port, "UpdateTable", {"TableName": "stays", "DeletionProtectionEnabled": True})
            call(server.port, "DeleteTable", {"TableName": "goes"})
            described = call(server.port, "DescribeTable", {"TableName": "stays"}).json
            server.kill()
        with self.server() as server:
            self.assertEqual(call(server.port, "ListTables", {}).json, {"TableNames": ["stays"]})
            self.assertEqual(call(server.port, "DescribeTable", {"TableName": "stays"}).json, described)

    def test_acknowledged_writes_survive_kill(self):
        with self.server() as server:
            client = self.create(server)
            for n in range(30):
                client.put_item(TableName="table", Item=self.item(n))
            client.batch_write_item(RequestItems={"table": [
                {"PutRequest": {"Item": self.item(n)}} for n in range(30, 50)]})
            server.kill()
        with self.server() as server:
            self.assertEqual(self.numbers(boto3_client(server.endpoint)), list(range(50)))

    def test_many_lives(self):
        """Each life adds items and ends by kill or by stop; every life sees all the ones before."""
        with self.server() as server:
            self.create(server)
        for life in range(6):
            with self.server() as server:
                client = boto3_client(server.endpoint)
                self.assertEqual(self.numbers(client), list(range(life * 10)))
                for n in range(life * 10, life * 10 + 10):
                    client.put_item(TableName="table", Item=self.item(n))
                if life % 2:
                    server.kill()

    def test_relaxed_survives_a_stop(self):
        with self.server("--durability", "relaxed") as server:
            client = self.create(server)
            for n in range(200):
                client.put_item(TableName="table", Item=self.item(n))
            self.assertIn("relaxed", server.output)
        with self.server() as server:
            self.assertEqual(self.numbers(boto3_client(server.endpoint)), list(range(200)))

    def test_relaxed_survives_kill(self):
        # Only a power failure may take the last 100 ms; a killed process loses nothing the kernel has.
        with self.server("--durability", "relaxed") as server:
            client = self.create(server)
            for n in range(50):
                client.put_item(TableName="table", Item=self.item(n))
            server.kill()
        with self.server() as server:
            numbers = self.numbers(boto3_client(server.endpoint))
            self.assertEqual(numbers, list(range(len(numbers))), "a prefix of what was written, without holes")

    def test_two_servers_on_one_directory(self):
        with self.server() as server:
            client = self.create(server)
            second = subprocess.run([binary(), "serve", "--port", "0", "--data", str(self.data)], text=True,
                                    capture_output=True, timeout=60)
            self.assertEqual(second.returncode, 1, second.stdout + second.stderr)
            self.assertIn("in use", second.stderr)
            self.assertIn(str(self.data), second.stderr)
            client.put_item(TableName="table", Item=self.item(1))
            self.assertEqual(self.numbers(client), [1])

    def assert_does_not_start(self, reason):
        """The message names the directory and says why."""
        result = subprocess.run([binary(), "serve", "--port", "0", "--data", str(self.data)], text=True,
                                capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(str(self.data), result.stderr)
        self.assertIn(reason, result.stderr)

    def test_a_directory_of_a_newer_format(self):
        with self.server():
            pass
        (self.data / "GRAMME").write_text("gramme data, format 99\n")
        self.assert_does_not_start("use a newer gramme")

    def test_a_directory_of_something_else(self):
        self.data.mkdir()
        (self.data / "photos").mkdir()
        self.assert_does_not_start("not empty and not a data directory of gramme")

    def test_a_directory_whose_store_is_gone(self):
        with self.server():
            pass
        shutil.rmtree(self.data / "store")
        self.assert_does_not_start("is damaged")

    def test_a_directory_whose_making_was_cut_short(self):
        (self.data / "store").mkdir(parents=True)
        with self.server() as server:
            self.create(server)

    def test_a_directory_that_is_a_file(self):
        self.data.write_text("not a database")
        self.assert_does_not_start("")
        self.assertEqual(self.data.read_text(), "not a database")

    def test_a_damaged_directory(self):
        with self.server() as server:
            self.create(server)
        next(self.data.rglob("CURRENT")).write_text("MANIFEST-999999\n")
        self.assert_does_not_start("")

    def test_a_stop_answers_what_was_accepted(self):
        """Writers run into a SIGTERM: each write either failed to reach the server or is kept."""
        with self.server() as server:
            self.create(server)
            acknowledged, lock = [], threading.Lock()

            def write(worker):
                client = boto3_client(server.endpoint)
                try:
                    for n in range(worker * 1000, worker * 1000 + 1000):
                        client.put_item(TableName="table", Item=self.item(n))
                        with lock:
                            acknowledged.append(n)
                except Exception:
                    pass  # The server went away, as it was told to.

            threads = [threading.Thread(target=write, args=[worker]) for worker in range(8)]
            for thread in threads:
                thread.start()
            while len(acknowledged) < 100:
                if not any(thread.is_alive() for thread in threads):
                    break
            server.stop()
            for thread in threads:
                thread.join()
        with self.server() as server:
            kept = self.numbers(boto3_client(server.endpoint))
            self.assertGreaterEqual(len(acknowledged), 100)
            self.assertEqual(set(acknowledged) - set(kept), set())


if __name__ == "__main__":
    unittest.main()
