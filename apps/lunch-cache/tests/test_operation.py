"""lunch-cache in operation: its alarms, its metrics, its cost, scaling, encryption, restoring, and the items of its design."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from datetime import datetime, timezone

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from botocore.exceptions import ClientError
from lunch import LUNCH, MENU, TABLE, LunchCache
from testing import ROOT, apply, binary, boto3_client, program, run, settings, shell, word
import tls
from encryption import files_with, make_key
from server import Server
from waiting import wait_until
from wire import JSON, clock, http_request

TEMPLATE = ROOT / "apps/lunch-cache/template.yaml"


class Operation(LunchCache):
    def apply(self, *parameters):
        """The template with these parameters; what it said on stderr."""
        text = " ".join(f"--param {parameter}" for parameter in parameters)
        status, out, err = shell.run(f"{word(binary())} apply {word(TEMPLATE)} {text}", env={"AWS_ENDPOINT_URL": self.server.endpoint})
        self.assertEqual(status, 0, out + err)
        return err

    def service(self, name):
        client = boto3_client(self.server.endpoint, service=name)
        self.addCleanup(client.close)
        return client


class Alarms(Operation):
    """By a clock that the test moves."""

    server_arguments = ["--memory", "--test-clock", "--throttle", "--test-faults"]
    NAMES = ["errors", "slow-queries", "slow-reads", "slow-writes", "throttled"]

    def setUp(self):
        now = clock(self.server.port).json["Now"]
        clock(self.server.port, Now=(now // 60 + 20) * 60 + 1, Running=False)
        super().setUp()
        self.watch = self.service("cloudwatch")

    def states(self):
        alarms = self.watch.describe_alarms(AlarmNamePrefix=f"{TABLE}-")["MetricAlarms"]
        return {alarm["AlarmName"].removeprefix(f"{TABLE}-"): alarm["StateValue"] for alarm in alarms}

    def minutes(self, count, work):
        for _ in range(count):
            work()
            self.advance(60)
        self.advance(5)  # points are looked at a few seconds after their end
        self.advance(55)

    def test_nothing_is_wrong(self):
        def work():
            self.store(MENU)
            self.run_app("show", "niagara", "2025", "3")
            self.run_app("history", "niagara")

        self.minutes(6, work)
        wait_until(lambda: self.states() == dict.fromkeys(self.NAMES, "OK"))

    def test_more_than_5_percent_errors_for_5_minutes(self):
        def work():
            for _ in range(9):
                self.client.get_item(TableName=TABLE, Key={"pk": {"S": "x"}})
            self.assertRaises(ClientError, self.client.get_item, TableName=TABLE, Key={"other": {"S": "x"}})

        self.minutes(4, work)
        wait_until(lambda: self.states()["errors"] == "OK")
        self.minutes(6, work)
        wait_until(lambda: self.states()["errors"] == "ALARM")
        reason = self.watch.describe_alarms(AlarmNames=[f"{TABLE}-errors"])["MetricAlarms"][0]["StateReason"]
        self.assertIn("[10.0 (", reason)
        self.minutes(6, lambda: None)
        wait_until(lambda: self.states()["errors"] == "OK")

    def fault(self, **fault):
        self.assertEqual(http_request(self.server.port, "POST", "/_gramme/faults", JSON, json.dumps(fault).encode()).status, 200)

    def test_errors_of_the_server_count_too(self):
        """The program tries again, and the alarm sees what it does not."""
        def work():
            self.fault(Operation="GetItem", Table=TABLE, Error="InternalServerError")
            self.assertEqual(self.run_app("show", "niagara", "2025", "3")[0], 0)

        self.store(MENU)
        self.minutes(6, work)
        wait_until(lambda: self.states()["errors"] == "ALARM")

    def test_an_average_above_the_limit_for_5_minutes(self):
        """100 ms, unless told otherwise; here everything is slow."""
        limits = {alarm["Threshold"] for alarm in self.watch.describe_alarms(AlarmNamePrefix=f"{TABLE}-slow")["MetricAlarms"]}
        self.assertEqual(limits, {100.0})
        self.apply("LatencyMs=0")

        def work():
            self.store(MENU)
            self.run_app("show", "niagara", "2025", "3")
            self.run_app("history", "niagara")

        self.minutes(6, work)
        wait_until(lambda: [self.states()[name] for name in ("slow-reads", "slow-writes", "slow-queries")] == ["ALARM"] * 3)

    def test_any_throttling(self):
        least = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
        self.client.update_table(TableName=TABLE, BillingMode="PROVISIONED", ProvisionedThroughput=least, GlobalSecondaryIndexUpdates=[
            {"Update": {"IndexName": "RestaurantIndex", "ProvisionedThroughput": least}}])
        wait_until(lambda: self.client.describe_table(TableName=TABLE)["Table"]["TableStatus"] == "ACTIVE")

        def throttle():
            with self.assertRaises(ClientError) as raised:
                for _ in range(3000):
                    self.client.get_item(TableName=TABLE, Key={"pk": {"S": "x"}}, ConsistentRead=True)
            self.assertEqual(raised.exception.response["Error"]["Code"], "ProvisionedThroughputExceededException")

        self.minutes(1, throttle)
        wait_until(lambda: self.states()["throttled"] == "ALARM")

    def test_they_go_to_a_topic(self):
        topic = "arn:aws:sns:eu-west-1:000000000000:lunch"
        self.apply(f"AlertTopic={topic}")
        alarms = self.watch.describe_alarms(AlarmNamePrefix=f"{TABLE}-")["MetricAlarms"]
        self.assertEqual([(alarm["AlarmActions"], alarm["OKActions"]) for alarm in alarms], [([topic], [topic])] * 5)

    def test_metrics_of_the_design(self):
        self.store(MENU)
        self.run_app("show", "niagara", "2025", "3")
        self.assertRaises(ClientError, self.client.get_item, TableName=TABLE, Key={"other": {"S": "x"}})
        self.fault(Operation="GetItem", Table=TABLE, Error="InternalServerError")
        self.run_app("show", "niagara", "2025", "3")
        self.advance(60)
        dimensions = [{"Name": "TableName", "Value": TABLE}]
        now = clock(self.server.port).json["Now"]
        for name, more in (("ConsumedReadCapacityUnits", dimensions), ("ConsumedWriteCapacityUnits", dimensions), ("UserErrors", []),
                           ("SystemErrors", [*dimensions, {"Name": "Operation", "Value": "GetItem"}]),
                           ("SuccessfulRequestLatency", [*dimensions, {"Name": "Operation", "Value": "GetItem"}])):
            with self.subTest(name):
                points = self.watch.get_metric_statistics(
                    Namespace="AWS/DynamoDB", MetricName=name, Dimensions=more, Period=60, Statistics=["Sum"],
                    StartTime=datetime.fromtimestamp(now - 600, timezone.utc), EndTime=datetime.fromtimestamp(now, timezone.utc))
                self.assertGreater(sum(point["Sum"] for point in points["Datapoints"]), 0)

    def test_billing_alerts_are_the_services(self):
        """Of 5, 10 and 25 USD; gramme has no bill, and says that it leaves them out where they are asked for."""
        self.assertEqual(self.apply(), "")
        self.assertIn("warning: Spending (AWS::Budgets::Budget) is skipped\n", self.apply("AlertEmail=a@example.com"))
        text = TEMPLATE.read_text()
        for dollars in (5, 10, 25):
            self.assertIn(f"Threshold: {dollars}, ThresholdType: ABSOLUTE_VALUE", text)


class Cost(Operation):
    def test_a_menu_of_the_design(self):
        """15 lunches are about 2 KB; reading them costs half a unit, and a unit with --fresh."""
        self.store({**MENU, "lunches": [LUNCH] * 15})
        key = {"pk": {"S": "niagara-2025-03"}}
        for consistent, units in ((False, 0.5), (True, 1)):
            reply = self.client.get_item(TableName=TABLE, Key=key, ConsistentRead=consistent, ReturnConsumedCapacity="TOTAL")
            self.assertEqual(reply["ConsumedCapacity"]["CapacityUnits"], units)
        reply = self.client.put_item(TableName=TABLE, Item=reply["Item"], ReturnConsumedCapacity="INDEXES")
        self.assertTrue(2 <= reply["ConsumedCapacity"]["Table"]["CapacityUnits"] <= 4)

    def test_reads_are_eventually_consistent(self):
        """But for what somebody wants to see as of now."""
        with Server("--memory", "--test-clock") as server:
            apply(self.app, server.endpoint)
            watch = boto3_client(server.endpoint, service="cloudwatch")
            self.addCleanup(watch.close)

            def units(*arguments):
                """What a command consumes of the table in its minute."""
                now = clock(server.port).json["Now"]
                start = (now // 60 + 1) * 60
                clock(server.port, Now=start + 1, Running=False)
                run(self.app, server.endpoint, *arguments)
                clock(server.port, Now=start + 60)
                points = watch.get_metric_statistics(
                    Namespace="AWS/DynamoDB", MetricName="ConsumedReadCapacityUnits", Period=60, Statistics=["Sum"],
                    Dimensions=[{"Name": "TableName", "Value": TABLE}],
                    StartTime=datetime.fromtimestamp(start, timezone.utc), EndTime=datetime.fromtimestamp(start + 60, timezone.utc))
                return sum(point["Sum"] for point in points["Datapoints"])

            run(self.app, server.endpoint, "store", ROOT / "apps/lunch-cache/niagara.json")
            self.assertEqual(units("show", "niagara", "2025", "3"), 0.5)
            self.assertEqual(units("show", "niagara", "2025", "3", "--fresh"), 1)
            self.assertEqual(units("stats", "niagara"), 0)  # by the index, not a Scan of the table
            self.assertEqual(units("history", "niagara"), 0)
            self.assertGreater(units("stats"), 0)

    def test_provisioned_capacity_follows_usage(self):
        self.apply("Environment=prod", "BillingMode=PROVISIONED")
        scaling = self.service("application-autoscaling")
        targets = scaling.describe_scalable_targets(ServiceNamespace="dynamodb")["ScalableTargets"]
        self.assertEqual({(target["ResourceId"], target["MinCapacity"], target["MaxCapacity"]) for target in targets},
                         {("table/lunch-cache-prod", 1, 100)})
        policies = scaling.describe_scaling_policies(ServiceNamespace="dynamodb")["ScalingPolicies"]
        self.assertEqual(len(targets), len(policies))
        table = self.client.describe_table(TableName="lunch-cache-prod")["Table"]
        self.assertEqual(table["ProvisionedThroughput"]["ReadCapacityUnits"], 5)


class Security(Operation):
    def test_at_rest_and_in_transit(self):
        """As the README says: not by the template alone, but with a key and a certificate."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for arguments in ([], ["--encrypt-with", make_key(folder / "key")]):
                with self.subTest(arguments):
                    data = folder / f"data-{len(arguments)}"
                    with Server("--data", data, *arguments) as server:
                        apply(self.app, server.endpoint)
                        status, _, err = run(self.app, server.endpoint, "store", ROOT / "apps/lunch-cache/niagara.json")
                        self.assertEqual((status, err), (0, ""))
                    self.assertEqual(bool(files_with(data, "pannkakor")), not arguments)

    def test_tls(self):
        with tempfile.TemporaryDirectory() as folder:
            tls.create(binary(), folder)
            with Server("--memory", *tls.arguments(folder)) as server:
                self.assertTrue(server.endpoint.startswith("https://"))
                for trusted, message in ((None, "certificate"), (f"{folder}/ca.pem", "requested resource not found")):
                    environment = {**settings(server.endpoint), **({"AWS_CA_BUNDLE": trusted} if trusted else {})}
                    done = subprocess.run([program(self.app), "stats"], env=environment, capture_output=True, text=True)
                    self.assertIn(message, done.stderr.lower())


class Design(Operation):
    ITEM = {"pk": {"S": "niagara-2025-03"}, "restaurant": {"S": "niagara"}, "week": {"N": "3"}, "year": {"N": "2025"},
            "lunches": {"L": [{"M": {
                "name": {"S": "Köttbullar med gräddsås"}, "description": {"S": "Serveras med kokt potatis och lingonsylt"},
                "price": {"N": "125"}, "weekday": {"S": "måndag"}, "week": {"N": "3"}, "place": {"S": "Niagara"}}}]},
            "lunchCount": {"N": "15"}, "cachedAt": {"S": "2025-01-20T10:30:00.000Z"}, "ttl": {"N": "1737889800"},
            "metadata": {"M": {"version": {"S": "1.0"}, "source": {"S": "niagara-parser"}}},
            "validationErrors": {"L": [{"M": {"field": {"S": "price"}, "message": {"S": "Invalid format"}}}]},
            "dataQuality": {"M": {"completeness": {"N": "0.95"}, "accuracy": {"N": "0.98"}}},
            "lastUpdated": {"S": "2025-01-20T08:00:00.000Z"}}

    def test_the_sample_item_and_its_ttl(self):
        self.check_sample(TABLE, self.ITEM)

    def test_the_sample_item_with_a_later_ttl(self):
        self.client.put_item(TableName=TABLE, Item={**self.ITEM, "ttl": {"N": "1999999999"}, "colour": {"S": "of a later version"}})
        self.expect("niagara-2025-03: 15 lunches, 1 error, completeness 0.95, accuracy 0.98, cached TIME, expires TIME\n"
                    "måndag: Köttbullar med gräddsås, 125 kr. Serveras med kokt potatis och lingonsylt\n"
                    "lunch ?: price Invalid format\n", "show", "niagara", "2025", "3")

    def test_restored_and_moved_to_another_table(self):
        """By point-in-time recovery, for 35 days, into a table beside the old one, which stays."""
        self.store(MENU)
        backups = self.call("DescribeContinuousBackups", {"TableName": TABLE}).json["ContinuousBackupsDescription"]
        self.assertEqual(backups["PointInTimeRecoveryDescription"]["RecoveryPeriodInDays"], 35)
        self.client.restore_table_to_point_in_time(SourceTableName=TABLE, TargetTableName="lunch-cache-v2", UseLatestRestorableTime=True)
        self.run_app("delete", "niagara", "2025", "3")
        wait_until(lambda: self.client.describe_table(TableName="lunch-cache-v2")["Table"]["TableStatus"] == "ACTIVE")
        self.assertEqual(self.run_app("show", "niagara", "2025", "3")[0], 1)
        self.assertEqual(self.run_app("show", "niagara", "2025", "3", "--environment", "v2")[0], 0)
        self.assertEqual(self.run_app("history", "niagara", "--environment", "v2")[1].count("\n"), 1)

    def test_the_policy_of_the_design(self):
        """Its actions and resources, and BatchWriteItem for its batches."""
        policy = json.loads((ROOT / "apps/lunch-cache/policy.json").read_text())
        actions = {action for statement in policy["Statement"] for action in
                   (statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]])}
        self.assertEqual(actions, {f"dynamodb:{name}" for name in ("GetItem", "PutItem", "DeleteItem", "Query", "Scan", "BatchWriteItem")})
        self.assertEqual({statement["Resource"].split("table/")[0] for statement in policy["Statement"]}, {"arn:aws:dynamodb:eu-west-1:*:"})


if __name__ == "__main__":
    unittest.main()
