"""CloudWatch on the same port: metrics put, listed and read in the three protocols that clients speak, and kept.

boto3 and the AWS CLI speak the query protocol or JSON, by their age. JSON and CBOR are sent here as boto3 1.43 and
the SDK for Go 1.67 were seen to send them.
"""

import concurrent.futures
import datetime
import gzip
import json
import math
import pathlib
import re
import struct
import tempfile
import time
import unittest
import urllib.parse

from botocore.exceptions import ClientError

import shell
import signing
import tls
from readme import ADDRESS, run_console
from server import ROOT, Server
from test_auth import gramme, key_of
from waiting import audit_lines, wait_until
from wire import WireTest, advance, boto3_client, clock, http_request

MINUTE = 60
HOUR = 3600
DAY = 86400
TARGET = "GraniteServiceVersion20100801"
SPACE = "http://monitoring.amazonaws.com/doc/2010-08-01/"


# ---- CBOR, as far as the protocol goes ----

class Time(float):
    """Seconds, which CBOR tags."""


def cbor(value):
    def head(major, n):
        if n < 24:
            return bytes([major << 5 | n])
        size = 1 if n < 1 << 8 else 2 if n < 1 << 16 else 4
        return bytes([major << 5 | {1: 24, 2: 25, 4: 26}[size]]) + n.to_bytes(size, "big")
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, Time):
        return b"\xc1" + b"\xfb" + struct.pack(">d", value)
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, dict):
        return head(5, len(value)) + b"".join(cbor(name) + cbor(each) for name, each in value.items())
    return head(4, len(value)) + b"".join(map(cbor, value))


def uncbor(data):
    """The value, and what is behind it."""
    major, n, data = data[0] >> 5, data[0] & 31, data[1:]
    if major == 7:
        if n == 27:
            return struct.unpack(">d", data[:8])[0], data[8:]
        return {20: False, 21: True, 22: None}[n], data
    if n >= 24:
        size = 1 << (n - 24)
        n, data = int.from_bytes(data[:size], "big"), data[size:]
    if major < 2:
        return n if major == 0 else -1 - n, data
    if major == 3:
        return data[:n].decode(), data[n:]
    if major == 6:
        return uncbor(data)
    values = []
    for _ in range(n * (2 if major == 5 else 1)):
        value, data = uncbor(data)
        values.append(value)
    return (dict(zip(values[::2], values[1::2])) if major == 5 else values), data


# ---- three ways to ask ----

class Failed(Exception):
    def __init__(self, reply, kind, text):
        super().__init__(f"{kind}: {text}")
        self.reply, self.kind = reply, kind


def times(value, convert):
    """StartTime, EndTime and Timestamp are seconds in a test."""
    if isinstance(value, dict):
        return {name: convert(each) if name in ("StartTime", "EndTime", "Timestamp") else times(each, convert)
                for name, each in value.items()}
    return [times(each, convert) for each in value] if isinstance(value, list) else value


class Protocol:
    def __init__(self, port, key=(signing.KEY_ID, signing.SECRET)):
        self.port, self.key = port, key

    def post(self, headers, body, path="/", service="monitoring"):
        signed = signing.sign(headers, body, f"127.0.0.1:{self.port}", service=service, path=path, key_id=self.key[0],
                              secret=self.key[1])
        return http_request(self.port, "POST", path, signed, body)


class Json(Protocol):
    def call(self, operation, pack=False, **body):
        data = json.dumps(times(body, float)).encode()
        headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"{TARGET}.{operation}",
                   "x-amzn-query-mode": "true"}
        if pack:
            headers["Content-Encoding"], data = "gzip", gzip.compress(data)
        reply = self.post(headers, data)
        answer = json.loads(reply.body)
        assert reply.headers["content-type"] == "application/x-amz-json-1.0"
        if reply.status != 200:
            raise Failed(reply, reply.headers["x-amzn-query-error"], answer.get("message", answer.get("Message")))
        return answer


class Cbor(Protocol):
    def call(self, operation, **body):
        headers = {"Content-Type": "application/cbor", "Accept": "application/cbor", "smithy-protocol": "rpc-v2-cbor"}
        reply = self.post(headers, cbor(times(body, Time)), f"/service/{TARGET}/operation/{operation}")
        assert reply.headers["smithy-protocol"] == "rpc-v2-cbor", reply.headers
        answer = uncbor(reply.body)[0] if reply.body else {}
        if reply.status != 200:
            raise Failed(reply, reply.headers["x-amzn-query-error"], answer.get("message", answer.get("Message")))
        return answer


class Boto3:
    """Query or JSON, as the installed one does."""

    def __init__(self, port, key=signing.KEY):
        self.client = boto3_client(f"{'https' if tls.ENCRYPTED else 'http'}://127.0.0.1:{port}", key[0], "cloudwatch", key[1])

    def call(self, operation, **body):
        name = re.sub("(?<!^)([A-Z])", r"_\1", operation).lower()
        try:
            answer = getattr(self.client, name)(**times(body, datetime.datetime.utcfromtimestamp))
        except ClientError as error:
            raise Failed(None, error.response["Error"]["Code"] + ";Sender", error.response["Error"]["Message"]) from None
        answer.pop("ResponseMetadata")
        return self.plain(answer)

    def plain(self, value):
        if isinstance(value, datetime.datetime):
            return value.timestamp()
        if isinstance(value, dict):
            return {name: self.plain(each) for name, each in value.items()}
        return [self.plain(each) for each in value] if isinstance(value, list) else value


def query(identifier, name, stat="Sum", period=60, **more):
    return {"Id": identifier, "MetricStat": {"Metric": {"Namespace": "Test", "MetricName": name}, "Period": period,
                                             "Stat": stat}, **more}


class Metrics:
    """The same session in each protocol."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--memory").start()

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        self.cloudwatch = self.protocol(self.server.port)
        self.now = int(time.time()) // MINUTE * MINUTE

    def call(self, operation, **body):
        return self.cloudwatch.call(operation, **body)

    def fails(self, operation, **body):
        with self.assertRaises(Failed) as caught:
            self.call(operation, **body)
        return str(caught.exception)

    def put(self, *data, namespace="Test"):
        answer = self.call("PutMetricData", Namespace=namespace, MetricData=list(data))
        self.assertEqual(answer, {})

    def statistics(self, name, statistics=("Sum",), start=10 * MINUTE, period=60, **more):
        answer = self.call("GetMetricStatistics", Namespace="Test", MetricName=name, StartTime=self.now - start,
                           EndTime=self.now + MINUTE, Period=period, Statistics=list(statistics), **more)
        self.assertEqual(answer["Label"], name)
        return sorted(answer["Datapoints"], key=lambda point: point["Timestamp"])

    def data(self, *queries, **more):
        return self.call("GetMetricData", MetricDataQueries=list(queries), StartTime=self.now - 10 * MINUTE,
                         EndTime=self.now + MINUTE, **more)

    def test_values_are_put_and_read(self):
        at = self.now - 3 * MINUTE
        self.put({"MetricName": "a", "Value": 5.5, "Unit": "Count", "Timestamp": at},
                 {"MetricName": "a", "Value": 1.5, "Unit": "Count", "Timestamp": at + 59},
                 {"MetricName": "a", "Values": [1.0, 2.0], "Counts": [3.0, 1.0], "Unit": "Count",
                  "Timestamp": at - MINUTE})
        all_five = ["SampleCount", "Average", "Sum", "Minimum", "Maximum"]
        self.assertEqual(self.statistics("a", all_five), [
            {"Timestamp": at - MINUTE, "SampleCount": 4, "Average": 1.25, "Sum": 5, "Minimum": 1, "Maximum": 2,
             "Unit": "Count"},
            {"Timestamp": at, "SampleCount": 2, "Average": 3.5, "Sum": 7, "Minimum": 1.5, "Maximum": 5.5,
             "Unit": "Count"}])

    def test_periods_begin_with_the_start(self):
        self.put({"MetricName": "p", "Value": 1, "Timestamp": self.now - 7 * MINUTE},
                 {"MetricName": "p", "Value": 2, "Timestamp": self.now - 5 * MINUTE})
        points = self.statistics("p", start=9 * MINUTE + 20, period=300)
        self.assertEqual([(point["Timestamp"] - self.now, point["Sum"]) for point in points], [(-10 * MINUTE, 1), (-5 * MINUTE, 2)])
        self.assertEqual(points[0]["Unit"], "None")

    def test_percentiles(self):
        self.put({"MetricName": "q", "Values": [float(n) for n in range(1, 101)], "Timestamp": self.now - MINUTE})
        answer = self.call("GetMetricStatistics", Namespace="Test", MetricName="q", StartTime=self.now - 5 * MINUTE,
                           EndTime=self.now, Period=60, ExtendedStatistics=["p50", "p99", "tm90", "PR(0:50)"])
        found = answer["Datapoints"][0]["ExtendedStatistics"]
        for name, wanted in ("p50", 50), ("p99", 99), ("tm90", 45.5), ("PR(0:50)", 50):
            self.assertTrue(math.isclose(found[name], wanted, rel_tol=0.03), (name, found[name]))
        self.assertIn("p101 for parameter ExtendedStatistics", self.fails(
            "GetMetricStatistics", Namespace="Test", MetricName="q", StartTime=0, EndTime=1, Period=60,
            ExtendedStatistics=["p101"]))

    def test_statistics_of_statistics(self):
        self.put({"MetricName": "s", "Timestamp": self.now, "StatisticValues": {
            "SampleCount": 4.0, "Sum": 10.0, "Minimum": 1.0, "Maximum": 4.0}})
        self.assertEqual(self.statistics("s", ["Average", "Maximum"]),
                         [{"Timestamp": self.now, "Average": 2.5, "Maximum": 4, "Unit": "None"}])
        self.assertEqual(self.data(query("m1", "s", "p50"))["MetricDataResults"][0]["Values"], [])

    def test_dimensions_are_all_or_none(self):
        both = [{"Name": "b", "Value": "2"}, {"Name": "a", "Value": "1"}]
        self.put({"MetricName": "d", "Dimensions": both, "Value": 1, "Timestamp": self.now})
        self.assertEqual(self.statistics("d"), [])
        self.assertEqual(self.statistics("d", Dimensions=both[:1]), [])
        self.assertEqual(len(self.statistics("d", Dimensions=both)), 1)
        listed = self.call("ListMetrics", Namespace="Test", MetricName="d", Dimensions=[{"Name": "b"}])["Metrics"]
        self.assertEqual(listed, [{"Namespace": "Test", "MetricName": "d", "Dimensions": [
            {"Name": "a", "Value": "1"}, {"Name": "b", "Value": "2"}]}])
        self.assertEqual(self.call("ListMetrics", Dimensions=[{"Name": "b", "Value": "3"}])["Metrics"], [])

    def test_lists_have_pages(self):
        for first in 0, 600:
            self.put(*({"MetricName": f"{n:04}", "Value": 1} for n in range(first, first + 600)), namespace="Many")
        names, token, pages = [], {}, 0
        while token is not None:
            page = self.call("ListMetrics", Namespace="Many", RecentlyActive="PT3H", **token)
            names += [metric["MetricName"] for metric in page["Metrics"]]
            token = {"NextToken": page["NextToken"]} if "NextToken" in page else None
            pages += 1
        self.assertEqual((names, pages), ([f"{n:04}" for n in range(1200)], 3))
        self.assertEqual(self.fails("ListMetrics", NextToken="?"),
                         "InvalidParameterValue;Sender: Request parameter NextToken is invalid")

    def test_data_and_math(self):
        for minute, (hits, all_of_them) in enumerate([(1, 4), (3, 4), (2, 8)]):
            at = self.now - (minute + 1) * MINUTE
            self.put({"MetricName": "hits", "Value": hits, "Timestamp": at},
                     {"MetricName": "all", "Value": all_of_them, "Timestamp": at})
        answer = self.data(query("m1", "hits"), query("m2", "all", ReturnData=False),
                           {"Id": "rate", "Expression": "m1/m2*100", "Label": "hit rate"})
        at = [self.now - MINUTE, self.now - 2 * MINUTE, self.now - 3 * MINUTE]
        self.assertEqual(answer, {"Messages": [], "MetricDataResults": [
            {"Id": "m1", "Label": "hits", "Timestamps": at, "Values": [1, 3, 2], "StatusCode": "Complete"},
            {"Id": "rate", "Label": "hit rate", "Timestamps": at, "Values": [25, 75, 25], "StatusCode": "Complete"}]})
        answer = self.data(query("m1", "hits"), {"Id": "filled", "Expression": "FILL(m1, 0)"},
                           ScanBy="TimestampAscending")
        self.assertEqual(answer["MetricDataResults"][1]["Values"], [0] * 7 + [2, 3, 1, 0])
        self.assertEqual(self.data(query("m1", "nothing"))["MetricDataResults"][0]["Values"], [])

    def test_an_expression_has_the_period_of_the_slowest_metric(self):
        fast, slow = query("m1", "fast", ReturnData=False), query("m2", "slow", period=300, ReturnData=False)
        steps = {"Id": "e", "Expression": "TIME_SERIES(1)"}
        for queries, period in (([steps, fast, slow], 300), ([slow, fast, steps], 300), ([steps, fast], 60), ([steps], 60),
                                ([{**steps, "Period": 120}, fast, slow], 120)):
            at = self.data(*queries, ScanBy="TimestampAscending")["MetricDataResults"][0]["Timestamps"]
            self.assertEqual(at, [self.now - 10 * MINUTE + period * n for n in range(len(at))], queries)
            self.assertEqual(len(at), -(-11 * MINUTE // period), queries)

    def test_metrics_are_searched_for(self):
        for table in "xyz":
            self.put({"MetricName": "found", "Value": 1, "Timestamp": self.now - MINUTE,
                      "Dimensions": [{"Name": "Table", "Value": table}]})
        search = "SEARCH('{Test,Table} MetricName=\"found\" Table=(\"x\" OR \"z\")', 'Sum', 60)"
        results = self.data({"Id": "s", "Expression": search})["MetricDataResults"]
        self.assertEqual([(result["Id"], result["Label"], result["Values"]) for result in results],
                         [("s", "found x", [1]), ("s", "found z", [1])])
        self.assertEqual(self.data({"Id": "s", "Expression": f"SUM({search})"})["MetricDataResults"][0]["Values"], [2])

    def test_data_has_pages(self):
        for minute in range(5):
            self.put({"MetricName": "pages", "Value": minute, "Timestamp": self.now - minute * MINUTE})
        queries = [query("m1", "pages"), query("m2", "pages", "Maximum")]
        found, token = {"m1": [], "m2": []}, {}
        while token is not None:
            page = self.data(*queries, MaxDatapoints=3, **token)
            for result in page["MetricDataResults"]:
                found[result["Id"]] += result["Values"]
            self.assertLessEqual(sum(len(result["Values"]) for result in page["MetricDataResults"]), 3)
            token = {"NextToken": page["NextToken"]} if "NextToken" in page else None
        self.assertEqual(found, {"m1": [0, 1, 2, 3, 4], "m2": [0, 1, 2, 3, 4]})
        self.assertEqual([result["Label"] for result in page["MetricDataResults"]], ["pages Sum", "pages Maximum"])

    def test_units(self):
        self.put({"MetricName": "u", "Value": 1, "Unit": "Seconds", "Timestamp": self.now},
                 {"MetricName": "u", "Value": 2, "Unit": "Milliseconds", "Timestamp": self.now})
        self.assertEqual({(point["Unit"], point["Sum"]) for point in self.statistics("u")},
                         {("Seconds", 1), ("Milliseconds", 2)})
        self.assertEqual(len(self.statistics("u", Unit="Seconds")), 1)
        result = self.data(query("m1", "u"))["MetricDataResults"][0]
        self.assertEqual(result["Messages"], [{"Code": "MultipleUnits",
                                               "Value": "Multiple units returned: '[Milliseconds, Seconds]'"}])

    def test_what_is_wrong(self):
        datum = {"MetricName": "m", "Value": 1.0}
        put = {"Namespace": "Test"}
        for body, wanted in [
                ({"MetricData": [{**datum, "Values": [1.0]}]},
                 "InvalidParameterCombination;Sender: The parameters MetricData.member.1.Value and MetricData.member.1.Values "
                 "are mutually exclusive and you have specified both."),
                ({"MetricData": [datum, {"MetricName": "m", "Values": [1.0, 2.0], "Counts": [1.0]}]},
                 "InvalidParameterValue;Sender: The parameters MetricData.member.2.Values and MetricData.member.2.Counts must be "
                 "of the same size."),
                ({"MetricData": [{**datum, "Timestamp": self.now + 3 * HOUR}]},
                 "InvalidParameterValue;Sender: The parameter MetricData.member.1.Timestamp must specify a time no more than "
                 "two hours in the future."),
                ({"MetricData": [{**datum, "Timestamp": self.now - 15 * DAY}]},
                 "InvalidParameterValue;Sender: The parameter MetricData.member.1.Timestamp must specify a time within the past "
                 "two weeks."),
                ({"Namespace": "AWS/DynamoDB", "MetricData": [datum]},
                 "InvalidParameterValue;Sender: The value AWS/DynamoDB for parameter Namespace is invalid."),
                ({"MetricData": [datum] * 1001},
                 "InvalidParameterValue;Sender: The collection MetricData must not have a size greater than 1000.")]:
            self.assertEqual(self.fails("PutMetricData", **{**put, **body}), wanted)
        read = {"Namespace": "Test", "MetricName": "m", "Period": 60, "Statistics": ["Sum"], "StartTime": self.now - DAY,
                "EndTime": self.now}
        for body, wanted in [
                ({"StartTime": self.now},
                 "InvalidParameterValue;Sender: The parameter StartTime must be less than the parameter EndTime."),
                ({"StartTime": self.now - 60 * DAY},
                 "InvalidParameterCombination;Sender: You have requested up to 86400 datapoints, which exceeds the limit of "
                 "1440. You may reduce the datapoints requested by increasing Period, or decreasing the time range.")]:
            self.assertEqual(self.fails("GetMetricStatistics", **{**read, **body}), wanted)
        self.assertEqual(
            self.fails("GetMetricData", StartTime=1, EndTime=2, MetricDataQueries=[{"Id": "e", "Expression": "m1 +"}]),
            "ValidationError;Sender: Error in expression 'e': Something is missing at character 5")
        self.assertEqual(
            self.fails("GetMetricData", StartTime=1, EndTime=2, MetricDataQueries=[{"Id": "e", "Expression": "e + 1"}]),
            "ValidationError;Sender: Error in expression 'e': The expression refers to itself")


class OverJson(Metrics, unittest.TestCase):
    protocol = Json

    def test_bodies_may_be_packed(self):
        self.cloudwatch.call("PutMetricData", pack=True, Namespace="Test",
                             MetricData=[{"MetricName": "packed", "Values": [1.0] * 150, "Timestamp": self.now}] * 100)
        self.assertEqual(self.statistics("packed")[0]["Sum"], 15000)

    def test_errors_have_a_type_too(self):
        with self.assertRaises(Failed) as caught:
            self.call("PutMetricData", Namespace="Test", MetricData=[{"Value": 1}])
        self.assertEqual(caught.exception.reply.json, {
            "__type": "com.amazonaws.cloudwatch.v2010_08_01#MissingRequiredParameterException",
            "message": "The parameter MetricData.member.1.MetricName is required."})
        self.assertEqual(self.fails("DescribeInsightRules"), "InvalidAction;Sender: None")
        self.assertEqual(self.fails("ListMetrics", Namespace=7), "MalformedInput;Sender: Namespace has another type")
        self.assertEqual(
            self.fails("ListMetrics", RecentlyActive="PT4H"),
            "ValidationError;Sender: 1 validation error detected: Value 'PT4H' at 'recentlyActive' failed to satisfy "
            "constraint: Member must satisfy enum value set: [PT3H]")

    def test_a_body_has_a_limit(self):
        with self.assertRaises(Failed) as caught:
            self.call("ListMetrics", Namespace="x" * (1 << 20))
        self.assertEqual(caught.exception.reply.status, 413)


class OverCbor(Metrics, unittest.TestCase):
    protocol = Cbor

    def test_no_body_is_an_empty_one(self):
        reply = self.cloudwatch.post({"Content-Type": "application/cbor", "smithy-protocol": "rpc-v2-cbor"}, b"",
                                     f"/service/{TARGET}/operation/ListMetrics")
        self.assertEqual((reply.status, reply.headers["content-type"]), (200, "application/cbor"))
        self.assertIn("Metrics", uncbor(reply.body)[0])
        reply = self.cloudwatch.post({"Content-Type": "application/cbor"}, b"\xa1", f"/service/{TARGET}/operation/ListMetrics")
        self.assertEqual((reply.status, uncbor(reply.body)[0]),
                         (400, {"__type": "com.amazon.coral.service#SerializationException"}))
        reply = self.cloudwatch.post({"Content-Type": "application/cbor"}, b"", f"/service/Other/operation/ListMetrics")
        self.assertEqual(reply.status, 404)


class OverBoto3(Metrics, unittest.TestCase):
    protocol = Boto3

    def test_a_form_as_it_was_always_sent(self):
        form = {"Action": "PutMetricData", "Version": "2010-08-01", "Namespace": "Form", "MetricData.member.1.MetricName": "f",
                "MetricData.member.1.Value": "1.5", "MetricData.member.1.Dimensions.member.1.Name": "n",
                "MetricData.member.1.Dimensions.member.1.Value": "<v>"}
        raw = Protocol(self.server.port)
        kind = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
        reply = raw.post(kind, urllib.parse.urlencode(form).encode())
        self.assertEqual((reply.status, reply.headers["content-type"]), (200, "text/xml"))
        request_id = reply.headers["x-amzn-requestid"]
        end = f"<ResponseMetadata><RequestId>{request_id}</RequestId></ResponseMetadata>"
        self.assertEqual(reply.body.decode(), f'<PutMetricDataResponse xmlns="{SPACE}">{end}</PutMetricDataResponse>')
        reply = raw.post(kind, b"Action=ListMetrics&Version=2010-08-01&Namespace=Form")
        self.assertIn("<ListMetricsResult><Metrics><member><Namespace>Form</Namespace><MetricName>f</MetricName><Dimensions>"
                      "<member><Name>n</Name><Value>&lt;v&gt;</Value></member></Dimensions></member></Metrics>"
                      "</ListMetricsResult>", reply.body.decode())
        reply = raw.post(kind, b"Action=GetMetricStatistics&Version=2010-08-01")
        self.assertIn("<Error><Type>Sender</Type><Code>MissingParameter</Code><Message>The parameter Namespace is required."
                      "</Message></Error>", reply.body.decode())


class Cli(WireTest):
    def test_the_command_line(self):
        aws = f"aws cloudwatch --endpoint-url {self.server.endpoint}"
        status, out, err = shell.run(f"{aws} put-metric-data --namespace Cli --metric-name m --value 2.5 --unit Bytes")
        self.assertEqual((status, out, err), (0, "", ""))
        now = datetime.datetime.utcnow()
        start, end = (f"{now + datetime.timedelta(minutes=m):%Y-%m-%dT%H:%M:%SZ}" for m in (-5, 5))
        status, out, err = shell.run(f"{aws} get-metric-statistics --namespace Cli --metric-name m --statistics Sum Maximum "
                                     f"--period 600 --start-time {start} --end-time {end}")
        self.assertEqual((status, err), (0, ""))
        point = json.loads(out)["Datapoints"][0]
        self.assertEqual((point["Sum"], point["Maximum"], point["Unit"]), (2.5, 2.5, "Bytes"))


    def test_the_examples(self):
        self.assertEqual(run_console(self, ROOT / "docs/CLOUDWATCH.md", {ADDRESS: self.server.endpoint}), 3)


class AtOnce(unittest.TestCase):
    """Many put, read and list at the same time, while hours go by and series are written and put away."""

    ROUNDS = 120

    def test_every_sample_counts_once(self):
        with Server("--memory", "--test-clock") as server:
            start = int(clock(server.port, Running=False).json["Now"]) // HOUR * HOUR
            read = {"MetricDataQueries": [query("m1", "m", period=DAY)], "StartTime": start, "EndTime": start + DAY}

            def work(number):
                cloudwatch, seen = (Json, Cbor)[number % 2](server.port), 0
                for rounds in range(self.ROUNDS):
                    data = [{"MetricName": "m", "Value": 1.0}, {"MetricName": f"{number}-{rounds}", "Values": [1.0, 5.0]}]
                    cloudwatch.call("PutMetricData", Namespace="Test", MetricData=data)
                    values = cloudwatch.call("GetMetricData", **read)["MetricDataResults"][0]["Values"]
                    self.assertGreaterEqual(values[0], seen + 1)
                    seen = values[0]
                    if rounds % 20 == number:
                        advance(server.port, 300)
                        cloudwatch.call("ListMetrics", Namespace="Test")

            with concurrent.futures.ThreadPoolExecutor(6) as pool:
                list(pool.map(work, range(6)))
            advance(server.port, HOUR)
            total = Json(server.port).call("GetMetricData", **read)["MetricDataResults"][0]["Values"]
            self.assertEqual(total, [6 * self.ROUNDS])


class Signatures(unittest.TestCase):
    """Who may: each service is signed for by its own name, and each operation is an action."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.directory.name)
        data, cls.audit = cls.root / "data", cls.root / "audit"
        key = signing.write_key(cls.root / "key")
        cls.server = Server("--data", data, "--auth", "--root-key", key, "--audit", cls.audit).start()
        cls.keys = {}
        for name, actions in ("reader", ["cloudwatch:ListMetrics"]), ("writer", ["cloudwatch:Put*"]):
            policy = cls.root / f"{name}.json"
            policy.write_text(json.dumps({"Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*"}]}))
            gramme("user", "create", data, name, f"--policy=p={policy}")
            cls.keys[name] = key_of(gramme("key", "create", data, "--user", name))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.directory.cleanup()

    def put(self, protocol):
        return protocol.call("PutMetricData", Namespace="Test", MetricData=[{"MetricName": "m", "Value": 1.0}])

    def test_the_owner_may(self):
        for protocol in Json(self.server.port), Cbor(self.server.port), Boto3(self.server.port, (signing.KEY_ID, signing.SECRET)):
            self.assertEqual(self.put(protocol), {})

    def test_users_may_what_their_policies_say(self):
        self.assertEqual(self.put(Json(self.server.port, self.keys["writer"])), {})
        self.assertIn("Metrics", Cbor(self.server.port, self.keys["reader"]).call("ListMetrics"))
        for protocol in Json, Cbor, Boto3:
            with self.assertRaises(Failed) as caught:
                self.put(protocol(self.server.port, self.keys["reader"]))
            self.assertRegex(str(caught.exception), "^AccessDenied.*reader is not authorized to perform: cloudwatch:PutMetricData "
                                                    "on resource: ")
        mine = audit_lines(self.audit, 3, lambda line: line.get("principal", "").endswith("user/reader"))
        self.assertEqual({(line["operation"], line["outcome"]) for line in mine}, {("PutMetricData", "AccessDeniedException")})
        self.assertEqual(mine[0]["permissions"], [{"action": "cloudwatch:PutMetricData", "resource": "*"}])

    def test_the_scope_is_the_services(self):
        body = b"{}"
        headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"{TARGET}.ListMetrics"}
        reply = Json(self.server.port).post(headers, body, service="dynamodb")
        self.assertEqual((reply.status, reply.error), (400, "InvalidSignatureException: Credential should be scoped to correct "
                                                            "service: 'monitoring'. "))

    def test_strangers_are_not_read(self):
        body = b"Action=ListMetrics&Version=2010-08-01&" + b"a.member.1=1&" * 50000
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        reply = Protocol(self.server.port, ("AKIANOBODY0000000000", "x")).post(kind, body)
        self.assertEqual(reply.status, 403)
        self.assertIn(b"<Code>InvalidClientTokenId</Code>", reply.body)
        self.assertEqual(Protocol(self.server.port).post(kind, body).status, 200)


class Kept(unittest.TestCase):
    """What is kept, for how long, across restarts and crashes."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.data = pathlib.Path(self.directory.name, "data")

    def start(self, *arguments):
        self.server = Server("--data", self.data, *arguments).start()
        self.cloudwatch = Json(self.server.port)

    def put(self, name, value, **more):
        self.cloudwatch.call("PutMetricData", Namespace="Test", MetricData=[{"MetricName": name, "Value": value, **more}])

    def read(self, name, start, end, period=60):
        answer = self.cloudwatch.call("GetMetricData", MetricDataQueries=[query("m1", name, period=period)],
                                      StartTime=start, EndTime=end, ScanBy="TimestampAscending")
        result = answer["MetricDataResults"][0]
        return list(zip(result["Timestamps"], result["Values"]))

    def test_a_restart_keeps_everything(self):
        self.start()
        at = int(time.time()) // MINUTE * MINUTE
        self.put("m", 1.5, Timestamp=at)
        self.put("m", 2.5, Timestamp=at - 3 * DAY)
        self.server.stop()
        self.start()
        self.put("m", 4, Timestamp=at)
        self.server.stop()
        self.start()
        self.assertEqual(self.read("m", at, at + MINUTE), [(at, 5.5)])
        old = (at - 3 * DAY) // 300 * 300
        self.assertEqual(self.read("m", old, old + 300, 300), [(old, 2.5)])
        self.server.stop()

    def test_a_crash_loses_some_seconds_at_most(self):
        self.start("--test-clock")
        at = int(time.time()) // MINUTE * MINUTE
        self.put("lasting", 1, Timestamp=at)
        advance(self.server.port, 10)
        wait_until(lambda: any(b"lasting" in path.read_bytes() for path in self.data.rglob("*.log")), "lasting in the write-ahead log")
        self.put("lasting", 2, Timestamp=at)
        self.server.kill()
        self.start("--test-clock")
        self.assertIn(self.read("lasting", at, at + MINUTE), ([(at, 1)], [(at, 3)]))
        self.server.stop()

    def test_minutes_for_a_day_and_five_minutes_for_two_weeks(self):
        self.start("--test-clock")
        first = int(clock(self.server.port, Running=False).json["Now"]) // 300 * 300
        self.put("m", 1, Timestamp=first + 120)
        self.put("m", 2, Timestamp=first + 180)
        self.assertEqual(self.read("m", first, first + 300), [(first + 120, 1), (first + 180, 2)])
        advance(self.server.port, 23 * HOUR)
        self.put("n", 1)
        self.assertEqual(self.read("m", first, first + 300), [(first + 120, 1), (first + 180, 2)])
        advance(self.server.port, 2 * HOUR)
        self.put("n", 1)
        self.assertEqual(self.read("m", first, first + 300), [])
        self.assertEqual(self.read("m", first, first + 600, 300), [(first, 3)])
        self.server.stop()
        self.start("--test-clock")
        advance(self.server.port, 12 * DAY)
        self.put("n", 1)
        self.assertEqual(self.read("m", first, first + 600, 300), [(first, 3)])
        self.assertEqual(len(self.cloudwatch.call("ListMetrics")["Metrics"]), 2)
        advance(self.server.port, DAY)
        self.assertEqual(self.read("m", first, first + 600, 300), [])
        self.assertEqual([metric["MetricName"] for metric in self.cloudwatch.call("ListMetrics")["Metrics"]], ["n"])
        self.server.stop()


if __name__ == "__main__":
    unittest.main()
