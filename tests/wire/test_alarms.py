"""Alarms and dashboards as boto3 sees them, and what alarms send: to URLs, topics and commands."""

import json
import pathlib
import tempfile
import threading
import time
import unittest
import urllib.parse

from botocore.exceptions import ClientError

import shell
from readme import ADDRESS, run_console
from server import ROOT, Server
from stub import CLOSE, Stub
from waiting import WAIT_S, wait_until
from wire import WireTest, boto3_client, clock, only

ARN = "arn:aws:cloudwatch:us-east-1:000000000000:alarm:"
TOPIC = "arn:aws:sns:us-east-1:000000000000:alerts"
OPEN = (200, {})


def alarm(name="a", **more):
    """The least that an alarm needs, and more."""
    settings = {"AlarmName": name, "MetricName": "UserErrors", "Namespace": "AWS/DynamoDB", "Statistic": "Sum", "Period": 60,
                "EvaluationPeriods": 1, "Threshold": 1.5, "ComparisonOperator": "GreaterThanThreshold"}
    settings.update(more)
    return {key: value for key, value in settings.items() if value is not None}


def code_and_text(call, **parameters):
    try:
        call(**parameters)
    except ClientError as error:
        return error.response["Error"]["Code"], error.response["Error"]["Message"] or ""
    raise AssertionError("it was not refused")


class Monitored(WireTest):
    """A server and its CloudWatch, without alarms."""

    server_arguments = ["--memory", "--test-clock"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.watch = boto3_client(cls.server.endpoint, service="cloudwatch")

    @classmethod
    def tearDownClass(cls):
        cls.watch.close()
        super().tearDownClass()

    def setUp(self):
        names = [one["AlarmName"] for one in self.watch.describe_alarms(MaxRecords=100)["MetricAlarms"]]
        self.watch.delete_alarms(AlarmNames=names)

    def state(self, name="a"):
        return self.watch.describe_alarms(AlarmNames=[name])["MetricAlarms"][0]["StateValue"]

    def set_state(self, value, name="a"):
        self.watch.set_alarm_state(AlarmName=name, StateValue=value, StateReason="by hand")

    def history(self, name="a", **more):
        items = self.watch.describe_alarm_history(AlarmName=name, **more)["AlarmHistoryItems"]
        return [item["HistorySummary"] for item in items]


class Operations(Monitored):
    def test_an_alarm_as_it_was_put(self):
        self.watch.put_metric_alarm(**alarm(Dimensions=[{"Name": "TableName", "Value": "t"}]))
        shown = only(self.watch.describe_alarms(AlarmNames=["a", "none"]))
        one = shown["MetricAlarms"][0]
        one.pop("StateTransitionedTimestamp", None)  # which an old boto3 does not know
        for name in ("AlarmConfigurationUpdatedTimestamp", "StateUpdatedTimestamp"):
            self.assertLess(abs(one.pop(name).timestamp() - time.time()), 60)
        self.assertEqual(shown, {"CompositeAlarms": [], "MetricAlarms": [{
            **alarm(Dimensions=[{"Name": "TableName", "Value": "t"}]), "AlarmArn": ARN + "a", "ActionsEnabled": True,
            "OKActions": [], "AlarmActions": [], "InsufficientDataActions": [], "StateValue": "INSUFFICIENT_DATA",
            "StateReason": "Unchecked: Initial alarm creation"}]})

    def test_all_of_it_comes_back(self):
        wanted = alarm(AlarmDescription="ä \"b\"", ActionsEnabled=False, OKActions=["https://h/ok"], AlarmActions=[TOPIC],
                       InsufficientDataActions=[TOPIC, "http://h/"], Statistic=None, ExtendedStatistic="p99.9", Unit="Count",
                       DatapointsToAlarm=1, TreatMissingData="breaching", EvaluateLowSampleCountPercentile="ignore")
        self.watch.put_metric_alarm(**wanted)
        shown = self.watch.describe_alarms()["MetricAlarms"][0]
        self.assertEqual({name: shown[name] for name in wanted}, wanted)

    def test_an_expression_comes_back(self):
        queries = [{"Id": "rate", "Expression": "100 * errors / 2", "Label": "rate", "ReturnData": True},
                   {"Id": "errors", "ReturnData": False, "MetricStat": {
                       "Metric": {"Namespace": "AWS/DynamoDB", "MetricName": "UserErrors", "Dimensions": []},
                       "Period": 60, "Stat": "Sum"}}]
        self.watch.put_metric_alarm(AlarmName="m", Metrics=queries, EvaluationPeriods=5, Threshold=5,
                                    ComparisonOperator="GreaterThanThreshold")
        shown = self.watch.describe_alarms()["MetricAlarms"][0]
        self.assertEqual(shown["Metrics"], queries)
        self.assertNotIn("MetricName", shown)

    def test_an_update_keeps_state_and_tags(self):
        self.watch.put_metric_alarm(**alarm(Tags=[{"Key": "k", "Value": "v"}]))
        self.set_state("ALARM")
        self.watch.put_metric_alarm(**alarm(Threshold=7, Tags=[{"Key": "x", "Value": "y"}]))
        shown = self.watch.describe_alarms()["MetricAlarms"][0]
        self.assertEqual((shown["StateValue"], shown["StateReason"], shown["Threshold"]), ("ALARM", "by hand", 7))
        tags = self.watch.list_tags_for_resource(ResourceARN=ARN + "a")["Tags"]
        self.assertEqual(tags, [{"Key": "k", "Value": "v"}])

    def test_pages_prefixes_and_states(self):
        for i in range(7):
            self.watch.put_metric_alarm(**alarm(f"p{i}", AlarmActions=[f"arn:aws:sns:{i}"]))
        self.watch.put_metric_alarm(**alarm("q"))
        pages = self.watch.get_paginator("describe_alarms").paginate(AlarmNamePrefix="p", PaginationConfig={"PageSize": 3})
        names = [[one["AlarmName"] for one in page["MetricAlarms"]] for page in pages]
        self.assertEqual(names, [["p0", "p1", "p2"], ["p3", "p4", "p5"], ["p6"]])
        self.set_state("OK", "p4")

        def found(**filters):
            return [one["AlarmName"] for one in self.watch.describe_alarms(**filters)["MetricAlarms"]]

        self.assertEqual(found(StateValue="OK"), ["p4"])
        self.assertEqual(found(ActionPrefix="arn:aws:sns:5"), ["p5"])
        self.assertEqual(found(AlarmTypes=["CompositeAlarm"]), [])
        self.assertEqual(found(AlarmNames=["q", "p1"]), ["p1", "q"])
        self.assertEqual(code_and_text(self.watch.describe_alarms, NextToken="!")[0], "InvalidNextToken")

    def test_alarms_of_a_metric(self):
        self.watch.put_metric_alarm(**alarm("x", Dimensions=[{"Name": "A", "Value": "1"}, {"Name": "B", "Value": "2"}]))
        self.watch.put_metric_alarm(**alarm("y"))

        def found(**more):
            return [one["AlarmName"] for one in self.watch.describe_alarms_for_metric(
                Namespace="AWS/DynamoDB", MetricName="UserErrors", **more)["MetricAlarms"]]

        self.assertEqual(found(), ["y"])
        self.assertEqual(found(Dimensions=[{"Name": "B", "Value": "2"}, {"Name": "A", "Value": "1"}]), ["x"])
        self.assertEqual(found(Statistic="Average"), [])
        self.assertEqual(found(Period=60, Statistic="Sum"), ["y"])

    def test_what_is_refused(self):
        put = self.watch.put_metric_alarm
        day = "Metrics cannot be checked across more than a day (EvaluationPeriods * Period must be <= 86400)."
        for parameters, code, text in [
                (alarm(Period=61), "ValidationError", "Period must be 10, 20, 30 or a multiple of 60"),
                (alarm(EvaluationPeriods=1441), "ValidationError", day),
                (alarm(DatapointsToAlarm=2), "ValidationError",
                 "DatapointsToAlarm must be less than or equal to EvaluationPeriods"),
                (alarm(AlarmActions=["mailto:x"]), "ValidationError", "Invalid arn syntax: mailto:x"),
                (alarm(Statistic=None, ExtendedStatistic="p101"), "InvalidParameterValue",
                 "The value p101 for parameter ExtendedStatistic is not supported."),
                (alarm(ComparisonOperator="Above"), "ValidationError",
                 "1 validation error detected: Value 'Above' at 'comparisonOperator' failed to satisfy constraint: Member must "
                 "satisfy enum value set: [GreaterThanOrEqualToThreshold, GreaterThanThreshold, LessThanThreshold, "
                 "LessThanOrEqualToThreshold, LessThanLowerOrGreaterThanUpperThreshold, LessThanLowerThreshold, "
                 "GreaterThanUpperThreshold]")]:
            with self.subTest(text):
                self.assertEqual(code_and_text(put, **parameters), (code, text))
        self.assertEqual(self.watch.describe_alarms()["MetricAlarms"], [])
        self.assertEqual(code_and_text(self.watch.set_alarm_state, AlarmName="no", StateValue="OK", StateReason=""),
                         ("ResourceNotFound", ""))
        self.assertEqual(code_and_text(self.watch.set_alarm_state, AlarmName="no", StateValue="FINE", StateReason="")[1],
                         "1 validation error detected: Value 'FINE' at 'stateValue' failed to satisfy constraint: Member must "
                         "satisfy enum value set: [INSUFFICIENT_DATA, ALARM, OK]")

    def test_history(self):
        self.watch.put_metric_alarm(**alarm("h"))
        self.set_state("ALARM", "h")
        self.watch.disable_alarm_actions(AlarmNames=["h", "none"])
        self.assertIs(self.watch.describe_alarms()["MetricAlarms"][0]["ActionsEnabled"], False)
        self.watch.delete_alarms(AlarmNames=["h", "none"])
        expected = ['Alarm "h" deleted', 'Alarm "h" updated', "Alarm updated from INSUFFICIENT_DATA to ALARM",
                    'Alarm "h" created']
        self.assertEqual(self.history("h"), expected)
        self.assertEqual(self.history("h", ScanBy="TimestampAscending"), expected[::-1])
        self.assertEqual(self.history("h", HistoryItemType="StateUpdate"), expected[2:3])
        pages = self.watch.get_paginator("describe_alarm_history").paginate(AlarmName="h", PaginationConfig={"PageSize": 3})
        self.assertEqual([len(page["AlarmHistoryItems"]) for page in pages], [3, 1])
        self.assertEqual(self.history("never"), [])

    def test_tags(self):
        self.watch.put_metric_alarm(**alarm())
        self.watch.tag_resource(ResourceARN=ARN + "a", Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])
        self.watch.tag_resource(ResourceARN=ARN + "a", Tags=[{"Key": "a", "Value": "3"}])
        self.watch.untag_resource(ResourceARN=ARN + "a", TagKeys=["b", "z"])
        self.assertEqual(self.watch.list_tags_for_resource(ResourceARN=ARN + "a")["Tags"], [{"Key": "a", "Value": "3"}])
        self.assertEqual(code_and_text(self.watch.list_tags_for_resource, ResourceARN=ARN + "none")[0],
                         "ResourceNotFoundException")

    def test_dashboards(self):
        self.assertEqual(self.watch.put_dashboard(DashboardName="d-1", DashboardBody='{"widgets":[]}')[
            "DashboardValidationMessages"], [])
        self.watch.put_dashboard(DashboardName="e", DashboardBody='{"widgets": []}')
        entries = self.watch.list_dashboards()["DashboardEntries"]
        self.assertEqual([(one["DashboardName"], one["Size"]) for one in entries], [("d-1", 14), ("e", 15)])
        one = self.watch.get_dashboard(DashboardName="d-1")
        self.assertEqual((one["DashboardArn"], one["DashboardBody"]),
                         ("arn:aws:cloudwatch::000000000000:dashboard/d-1", '{"widgets":[]}'))
        self.assertEqual(code_and_text(self.watch.put_dashboard, DashboardName="a b", DashboardBody="{}"), (
            "InvalidParameterValue", "The value for field DashboardName contains invalid characters. It can only contain "
                                     "alphanumerics, dash (-) and underscore (_).\n"))
        self.assertEqual(code_and_text(self.watch.put_dashboard, DashboardName="x", DashboardBody="[]")[0],
                         "InvalidParameterInput")
        self.assertEqual(code_and_text(self.watch.delete_dashboards, DashboardNames=["e", "none"])[0], "ResourceNotFound")
        self.watch.delete_dashboards(DashboardNames=["e", "d-1"])
        self.assertEqual(self.watch.list_dashboards()["DashboardEntries"], [])


class Actions(Monitored):
    def messages(self, stub):
        return [(request.json["OldStateValue"], request.json["NewStateValue"]) for request in stub.requests]

    def test_a_url_gets_each_change_once(self):
        with Stub([OPEN]) as stub:
            self.watch.put_metric_alarm(**alarm(AlarmActions=[stub.endpoint + "/alarm"], OKActions=[stub.endpoint + "/fine"]))
            self.set_state("ALARM")
            self.set_state("ALARM")
            self.set_state("OK")
            wait_until(lambda: len(stub.requests) == 2, "two messages")
            wait_until(lambda: sum(stub.endpoint in summary for summary in self.history()) == 2, "the end of both messages")
        self.assertEqual(sorted((request.line.split()[1], *states) for request, states in
                                zip(stub.requests, self.messages(stub))),
                         [("/alarm", "INSUFFICIENT_DATA", "ALARM"), ("/fine", "ALARM", "OK")])
        message = stub.requests[0].json
        self.assertEqual(stub.requests[0].headers["content-type"], "application/json")
        self.assertEqual((message["AlarmName"], message["AlarmDescription"], message["NewStateReason"], message["Region"]),
                         ("a", None, "by hand", "US East (N. Virginia)"))
        self.assertEqual(message["Trigger"]["MetricName"], "UserErrors")

    def test_what_fails_is_tried_again_and_what_is_refused_is_told(self):
        with Stub([(503, {}), CLOSE, OPEN]) as shaky, Stub([(403, {})]) as closed:
            self.watch.put_metric_alarm(**alarm(AlarmActions=[shaky.endpoint], OKActions=[closed.endpoint]))
            self.set_state("ALARM")
            wait_until(lambda: self.history()[0] == f"Successfully executed action {shaky.endpoint}", "the end of the message")
            self.assertEqual(len(shaky.requests), 3)
            self.set_state("OK")
            wait_until(lambda: self.history()[0] == f'Failed to execute action {closed.endpoint}. Received error: "the answer was 403"',
                       "the end of the other message")
            self.assertEqual(len(closed.requests), 1)

    def test_slow_and_dead_targets_hold_up_nobody(self):
        released = threading.Event()
        self.addCleanup(released.set)
        with Stub([lambda connection: released.wait(WAIT_S)]) as slow, Stub([OPEN]) as quick:
            for name in ("s1", "s2", "s3"):
                self.watch.put_metric_alarm(**alarm(name, AlarmActions=[slow.endpoint, "http://127.0.0.1:1/"]))
                self.set_state("ALARM", name)
            self.watch.put_metric_alarm(**alarm(AlarmActions=[quick.endpoint]))
            self.set_state("ALARM")
            wait_until(lambda: quick.requests, "the quick one's message")
            self.client.list_tables()
            tried = [summary for name in ("s1", "s2", "s3") for summary in self.history(name) if slow.endpoint in summary]
            self.assertEqual(tried, [])  # the slow one still has its first message

    def test_a_function_is_not_called_and_that_is_said(self):
        name = "arn:aws:lambda:us-east-1:000000000000:function:f"
        self.watch.put_metric_alarm(**alarm(AlarmActions=[name, TOPIC]))
        self.set_state("ALARM")
        self.assertEqual(sorted(self.history()[:2]), [
            f'Failed to execute action {name}. Received error: "this server sends messages to URLs and SNS topics only"',
            f'Failed to execute action {TOPIC}. Received error: "the server was started without --sns-endpoint, and without '
            f'--sns-topic for this one"'])


class Evaluation(Monitored):
    """By the test's clock, which stands still between two steps."""

    def setUp(self):
        super().setUp()
        now = clock(self.server.port).json["Now"]
        clock(self.server.port, Now=(now // 60 + 20) * 60 + 1, Running=False)

    def minute(self, **values):
        """Measures these, as Shop metrics, and lets a minute pass."""
        self.watch.put_metric_data(Namespace="Shop", MetricData=[
            {"MetricName": name, "Value": value, "Timestamp": clock(self.server.port).json["Now"]}
            for name, value in values.items()])
        self.advance(60)

    def settle(self, name, value):
        """Points are looked at a few seconds after their end."""
        self.advance(5)
        wait_until(lambda: self.state(name) == value, f"{value} of {name}")
        self.advance(55)

    def let_it_look(self, stub):
        """Until it has looked at all points so far, and its messages are out: those of an alarm that is put now come after them."""
        self.watch.put_metric_alarm(**alarm("last", MetricName="None", OKActions=[stub.endpoint], TreatMissingData="notBreaching"))
        self.advance(65)
        wait_until(lambda: stub.requests[-1].json["AlarmName"] == "last", "the last message")

    def query(self, id, name, stat="Sum"):
        return {"Id": id, "ReturnData": False, "MetricStat": {
            "Metric": {"Namespace": "Shop", "MetricName": name}, "Period": 60, "Stat": stat}}

    def test_an_error_rate_above_5_percent_for_5_minutes(self):
        with Stub([OPEN]) as stub:
            self.watch.put_metric_alarm(
                AlarmName="rate", EvaluationPeriods=5, Threshold=5, ComparisonOperator="GreaterThanThreshold",
                AlarmActions=[stub.endpoint], OKActions=[stub.endpoint], TreatMissingData="notBreaching",
                Metrics=[{"Id": "rate", "Expression": "100 * errors / requests", "Label": "error rate"},
                         self.query("errors", "Errors"), self.query("requests", "Requests")])
            for _ in range(4):
                self.minute(Errors=10, Requests=100)
            self.settle("rate", "OK")
            self.minute(Errors=10, Requests=100)  # an older point stands in for the minute that was left out
            self.settle("rate", "ALARM")
            shown = self.watch.describe_alarms()["MetricAlarms"][0]
            self.assertRegex(shown["StateReason"], r"^Threshold Crossed: 5 datapoints were greater than the threshold \(5.0\). The "
                             r"most recent datapoints which crossed the threshold: \[(10.0 \([^)]*\)(, )?){5}\].$")
            self.minute(Errors=0, Requests=100)
            self.settle("rate", "OK")
            wait_until(lambda: len(stub.requests) == 3, "three messages")
            self.advance(86400 * 365)
            self.let_it_look(stub)
            self.assertEqual(self.state("rate"), "OK")
        changes = [(request.json["OldStateValue"], request.json["NewStateValue"]) for request in stub.requests[:-1]]
        self.assertEqual(changes, [("INSUFFICIENT_DATA", "OK"), ("OK", "ALARM"), ("ALARM", "OK")])
        trigger = stub.requests[1].json["Trigger"]
        self.assertEqual((trigger["Period"], trigger["Metrics"][0]["Expression"]), (60, "100 * errors / requests"))

    def test_what_the_server_counts_of_itself(self):
        """The three alarms of a design, on requests to a table; ALARM and back, and each message once."""
        self.create("orders")
        key = {"pk": {"S": "a"}}
        gets = [{"Name": "TableName", "Value": "orders"}, {"Name": "Operation", "Value": "GetItem"}]
        latency = {"Namespace": "AWS/DynamoDB", "MetricName": "SuccessfulRequestLatency", "Dimensions": gets}
        with Stub([OPEN]) as stub:
            self.watch.put_metric_alarm(
                AlarmName="errors", EvaluationPeriods=5, Threshold=5, ComparisonOperator="GreaterThanThreshold",
                AlarmActions=[stub.endpoint], OKActions=[stub.endpoint], TreatMissingData="notBreaching",
                Metrics=[{"Id": "rate", "Expression": "100 * FILL(errors, 0) / (FILL(errors, 0) + requests)"},
                         {"Id": "errors", "ReturnData": False, "MetricStat": {
                             "Metric": {"Namespace": "AWS/DynamoDB", "MetricName": "UserErrors"}, "Period": 60, "Stat": "Sum"}},
                         {"Id": "requests", "ReturnData": False, "MetricStat": {
                             "Metric": latency, "Period": 60, "Stat": "SampleCount"}}])
            self.watch.put_metric_alarm(**alarm("slow", **latency, Statistic="Average", Threshold=10000))
            self.watch.put_metric_alarm(**alarm("throttled", MetricName="ReadThrottleEvents", Dimensions=gets[:1], Threshold=0,
                                                TreatMissingData="notBreaching"))
            for minute in range(7):
                for _ in range(9):
                    self.client.get_item(TableName="orders", Key=key)
                if minute < 6:
                    self.assertRaises(ClientError, self.client.get_item, TableName="orders", Key={"other": {"S": "a"}})
                self.advance(60)
                if minute == 5:
                    self.advance(4)
                    wait_until(lambda: self.state("errors") == "ALARM", "the alarm")
                    self.advance(56)
            self.advance(5)
            wait_until(lambda: [self.state(name) for name in ("errors", "slow", "throttled")] == ["OK"] * 3, "three that are OK")
            wait_until(lambda: len(stub.requests) == 3, "three messages")
            self.advance(3600)
            self.let_it_look(stub)
        changes = [(request.json["OldStateValue"], request.json["NewStateValue"]) for request in stub.requests[:-1]]
        self.assertEqual(changes, [("INSUFFICIENT_DATA", "OK"), ("OK", "ALARM"), ("ALARM", "OK")])
        self.assertIn("[10.0 (", stub.requests[1].json["NewStateReason"])
        reason = self.watch.describe_alarms(AlarmNames=["slow"])["MetricAlarms"][0]
        self.assertEqual(self.state("slow"), "INSUFFICIENT_DATA", reason)  # nobody asked for an hour

    def test_an_average_and_a_percentile(self):
        self.watch.put_metric_alarm(**alarm("mean", Namespace="Shop", MetricName="Latency", Statistic="Average", Threshold=100,
                                            EvaluationPeriods=2))
        self.watch.put_metric_alarm(**alarm("p90", Namespace="Shop", MetricName="Latency", Statistic=None,
                                            ExtendedStatistic="p90", Threshold=100, EvaluationPeriods=2))
        for _ in range(2):
            self.watch.put_metric_data(Namespace="Shop", MetricData=[{
                "MetricName": "Latency", "Timestamp": clock(self.server.port).json["Now"], "Values": [10, 400], "Counts": [80, 20]}])
            self.advance(60)
        self.advance(5)
        wait_until(lambda: (self.state("mean"), self.state("p90")) == ("OK", "ALARM"), "one OK and one alarm")

    def test_any_of_it_at_all(self):
        """As an alarm on throttling is written: one is too much, none is fine."""
        self.watch.put_metric_alarm(**alarm("throttled", Namespace="Shop", MetricName="Throttled", Threshold=0,
                                            TreatMissingData="notBreaching"))
        self.minute(Other=1)
        self.settle("throttled", "OK")
        self.minute(Throttled=3)
        self.settle("throttled", "ALARM")
        reason = self.watch.describe_alarms(AlarmNames=["throttled"])["MetricAlarms"][0]
        self.assertEqual(json.loads(reason["StateReasonData"])["evaluatedDatapoints"][0]["sampleCount"], 1.0)
        self.minute(Other=1)
        self.minute(Other=1)
        self.minute(Other=1)
        self.settle("throttled", "OK")

    def test_expressions_that_are_wrong(self):
        def put(*queries):
            return code_and_text(self.watch.put_metric_alarm, AlarmName="x", EvaluationPeriods=1, Threshold=1,
                                 ComparisonOperator="GreaterThanThreshold", Metrics=list(queries))

        one = self.query("m1", "Errors")
        self.assertEqual(put({"Id": "e", "Expression": "m1 / nothing"}, one)[0], "ValidationError")
        self.assertEqual(put({"Id": "e", "Expression": "m1 +"}, one)[0], "ValidationError")
        self.assertEqual(put({"Id": "e", "Expression": "e + m1"}, one)[0], "ValidationError")
        self.assertEqual(put({"Id": "e", "Expression": "METRICS()"}, one, self.query("m2", "Requests")),
                         ("ValidationError", "An alarm needs one time series, and this expression gives 2"))
        self.assertEqual(put(one)[1], "Exactly one element of the metrics list should return data.")


class Examples(Monitored):
    def setUp(self):
        super().setUp()
        clock(self.server.port, Running=False)  # so that nobody looks at them meanwhile

    def test_the_examples(self):
        self.assertEqual(run_console(self, ROOT / "docs/ALARMS.md", {ADDRESS: self.server.endpoint}), 4)

    def test_the_command_line(self):
        aws = f"aws cloudwatch --endpoint-url {self.server.endpoint}"
        status, out, err = shell.run(f"{aws} put-metric-alarm --alarm-name cli --namespace N --metric-name m --statistic Sum --period 60 "
                                     f"--evaluation-periods 3 --threshold 2 --comparison-operator LessThanThreshold")
        self.assertEqual((status, out, err), (0, "", ""))
        status, out, err = shell.run(f"{aws} set-alarm-state --alarm-name cli --state-value OK --state-reason fine")
        self.assertEqual((status, out, err), (0, "", ""))
        status, out, err = shell.run(f"{aws} describe-alarm-history --alarm-name cli --query AlarmHistoryItems[].HistorySummary")
        self.assertEqual((status, json.loads(out), err),
                         (0, ["Alarm updated from INSUFFICIENT_DATA to OK", 'Alarm "cli" created'], ""))


class Routes(unittest.TestCase):
    def changed(self, *arguments, action=TOPIC):
        """A server with these arguments, whose alarm has just changed its state; returns the newest history."""
        with Server("--memory", *arguments) as server:
            watch = boto3_client(server.endpoint, service="cloudwatch")
            watch.put_metric_alarm(**alarm(AlarmActions=[action]))
            watch.set_alarm_state(AlarmName="a", StateValue="ALARM", StateReason="x")

            def ended():
                newest = watch.describe_alarm_history(AlarmName="a")["AlarmHistoryItems"][0]
                return newest["HistorySummary"] if newest["HistoryItemType"] == "Action" else None

            summary = wait_until(ended, "the end of the action")
            watch.close()
        return summary

    def test_an_endpoint_that_speaks_sns(self):
        with Stub([OPEN]) as stub:
            self.assertEqual(self.changed("--sns-endpoint", stub.endpoint), f"Successfully executed action {TOPIC}")
        form = dict(urllib.parse.parse_qsl(stub.requests[0].body.decode()))
        self.assertEqual((form["Action"], form["Version"], form["TopicArn"], form["Subject"]),
                         ("Publish", "2010-03-31", TOPIC, 'ALARM: "a" in US East (N. Virginia)'))
        self.assertEqual(json.loads(form["Message"])["NewStateValue"], "ALARM")
        self.assertIn("/us-east-1/sns/aws4_request", stub.requests[0].headers["authorization"])

    def test_a_topic_with_a_url_of_its_own(self):
        with Stub([OPEN]) as stub:
            self.assertEqual(self.changed("--sns-topic", f"{TOPIC}={stub.endpoint}/hook"),
                             f"Successfully executed action {TOPIC}")
        request = stub.requests[0]
        self.assertEqual((request.json["Type"], request.json["TopicArn"]), ("Notification", TOPIC))
        self.assertEqual(request.headers["x-amz-sns-message-type"], "Notification")
        self.assertEqual(json.loads(request.json["Message"])["AlarmName"], "a")

    def test_a_topic_with_a_command(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "out")
            self.assertEqual(self.changed("--sns-topic", f"{TOPIC}=exec:tee {path}"), f"Successfully executed action {TOPIC}")
            self.assertEqual(json.loads(path.read_text())["AlarmName"], "a")

    def test_guards(self):
        with Stub([OPEN]) as stub:
            self.assertEqual(self.changed("--no-alarm-actions", action=stub.endpoint),
                             f'Failed to execute action {stub.endpoint}. Received error: "the server was started with '
                             f'--no-alarm-actions"')
            self.assertEqual(self.changed("--alarm-host", "hooks.example.com", action=stub.endpoint),
                             f'Failed to execute action {stub.endpoint}. Received error: "this host is none of those allowed"')
            self.assertEqual(stub.requests, [])
            self.assertEqual(self.changed("--alarm-host", "127.0.0.1", action=stub.endpoint),
                             f"Successfully executed action {stub.endpoint}")


class Permissions(unittest.TestCase):
    def test_each_alarm_of_a_list_needs_permission(self):
        policy = {"Statement": [{"Effect": "Allow", "Action": "cloudwatch:*", "Resource": "*"},
                                {"Effect": "Deny", "Action": "cloudwatch:DeleteAlarms", "Resource": ARN + "keep*"}]}
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "policy.json")
            path.write_text(json.dumps(policy))
            with Server("--memory", "--policy", path) as server:
                watch = boto3_client(server.endpoint, service="cloudwatch")
                for name in ("a", "b", "keep-me"):
                    watch.put_metric_alarm(**alarm(name))
                code, text = code_and_text(watch.delete_alarms, AlarmNames=["a", "keep-me", "b"])
                self.assertRegex(code, "^AccessDenied")
                self.assertIn(f"cloudwatch:DeleteAlarms on resource: {ARN}keep-me", text)
                self.assertEqual(len(watch.describe_alarms()["MetricAlarms"]), 3)
                watch.delete_alarms(AlarmNames=["a", "b"])
                self.assertEqual([one["AlarmName"] for one in watch.describe_alarms()["MetricAlarms"]], ["keep-me"])
                watch.close()


class Durable(unittest.TestCase):
    def test_alarms_and_messages_outlive_a_crash(self):
        with tempfile.TemporaryDirectory() as directory, Stub([OPEN]) as stub:
            server = Server("--data", directory, "--sns-topic", f"{TOPIC}=exec:sleep 100").start()
            watch = boto3_client(server.endpoint, service="cloudwatch")
            watch.put_metric_alarm(**alarm(AlarmActions=[TOPIC], Tags=[{"Key": "k", "Value": "v"}]))
            watch.put_dashboard(DashboardName="d", DashboardBody="{}")
            watch.set_alarm_state(AlarmName="a", StateValue="ALARM", StateReason="x")
            watch.close()
            server.kill()
            for _ in range(2):  # the message goes out once, at the first start
                with Server("--data", directory, "--sns-topic", f"{TOPIC}={stub.endpoint}") as server:
                    watch = boto3_client(server.endpoint, service="cloudwatch")
                    wait_until(lambda: len(watch.describe_alarm_history()["AlarmHistoryItems"]) == 3, "three lines of history")
                    shown = watch.describe_alarms()["MetricAlarms"][0]
                    self.assertEqual((shown["AlarmName"], shown["StateValue"]), ("a", "ALARM"))
                    self.assertEqual(watch.get_dashboard(DashboardName="d")["DashboardBody"], "{}")
                    watch.close()
            self.assertEqual(len(stub.requests), 1)


if __name__ == "__main__":
    unittest.main()
