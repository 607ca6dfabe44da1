"""A request to a service beside DynamoDB takes no more memory than such a request may, whatever it asks for, and is answered.

Each of these took gigabytes, or would have, if nothing had counted. The server has an address space in which one that goes on
growing ends at once.
"""

import json
import time
import unittest
import urllib.parse

from release import HEADERS, MB, Server

ADDRESS_SPACE = 1200 * MB
REQUEST_MEMORY = 128 * MB  # LIMIT_SERVICE_MEMORY_BYTES
CONSTANT = 48 * MB  # a last step, the body, the reply, and what lies between what is counted and what is resident
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
CBOR = {"Content-Type": "application/cbor", "smithy-protocol": "rpc-v2-cbor"}
CLOUDWATCH, IAM = "2010-08-01", "2010-05-08"
DAY_S = 86400


def metric(number):
    return {"Id": f"m{number}", "MetricStat": {"Metric": {"Namespace": "n", "MetricName": f"metric-{number}"}, "Period": 60, "Stat": "Sum"}}


def listed(parts):
    return "[" + ",".join(parts) + "]"


def queries(*expressions, metrics=1):
    return [*map(metric, range(metrics)), *({"Id": f"e{i}", "Expression": text} for i, text in enumerate(expressions))]


def lists_of_lists(width=20, levels=6):
    """Each is so many times as long as the one before."""
    return queries(listed(["m0"] * width), *(listed([f"e{i}"] * width) for i in range(levels - 1)))


def form(version, action, **fields):
    return urllib.parse.urlencode({"Action": action, "Version": version, **fields}).encode()


class Services(unittest.TestCase):
    def setUp(self):
        self.server = Server("--threads", 2, before=["prlimit", f"--as={ADDRESS_SPACE}"])
        self.addCleanup(self.end)
        self.now = time.time()

    def end(self):
        self.server.__exit__(None)

    def post(self, body, headers, path="/", service="monitoring"):
        connection = self.server.connect(300)
        scoped = HEADERS["Authorization"].replace("dynamodb", service)
        connection.request("POST", path, body, {**HEADERS, "Authorization": scoped, **headers})
        response = connection.getresponse()
        return response.status, response.read()

    def cloudwatch(self, operation, **body):
        return self.post(json.dumps(body), {"X-Amz-Target": f"GraniteServiceVersion20100801.{operation}"})

    def metric_data(self, list_, days=14):
        return self.cloudwatch("GetMetricData", MetricDataQueries=list_, StartTime=self.now - days * DAY_S, EndTime=self.now)

    def assert_bounded(self, answer, status, text, most=REQUEST_MEMORY):
        """The answer, and that no more was resident for it; others go on being answered."""
        self.assertEqual((answer[0], text in answer[1]), (status, True), answer[1][:1000])
        peak = self.server.resident(peak=True) - self.start
        self.assertLess(peak, most + CONSTANT)
        self.assertEqual(self.server.call("ListTables", "{}")[0], 200)
        print(f"# {self._testMethodName}: {peak / MB:.0f} MB")

    def begin(self):
        self.server.forget_peak()
        self.start = self.server.resident()

    def test_lists_of_lists(self):
        self.begin()
        self.assert_bounded(self.metric_data(lists_of_lists()), 400, b"A list may have at most 500 time series")

    def test_an_alarm_on_lists_of_lists(self):
        self.begin()
        self.assert_bounded(self.cloudwatch(
            "PutMetricAlarm", AlarmName="a", EvaluationPeriods=1, Threshold=1, ComparisonOperator="GreaterThanThreshold",
            Metrics=[{**query, "ReturnData": query["Id"] == "e5"} for query in lists_of_lists()]),
            400, b"A list may have at most 500 time series")

    def test_series_made_of_numbers(self):
        self.begin()
        self.assert_bounded(self.metric_data(queries(*[listed(["TIME_SERIES(1)"] * 100)] * 400)), 400, b"LimitExceededFault")

    def test_filled_series_of_sums(self):
        """What an expression makes on its way counts, too."""
        self.begin()
        self.assert_bounded(self.metric_data(queries(*["+".join(["FILL(TIME_SERIES(1),0)"] * 80)] * 400)), 400, b"LimitExceededFault")

    def test_sums_of_many_series(self):
        self.begin()
        self.assert_bounded(self.metric_data(queries(*["SUM(" + listed(["TIME_SERIES(1)"] * 50) + ")"] * 400)), 400, b"LimitExceededFault")

    def test_sums_of_the_same_series(self):
        """They take no memory that lasts, but time."""
        self.begin()
        self.assert_bounded(self.metric_data(queries("TIME_SERIES(1)", *["SUM(" + listed(["e0"] * 200) + ")"] * 400)),
                            400, b"too many points")

    def test_lists_that_nobody_asks_for(self):
        self.begin()
        many = queries(*["+".join(["SUM(METRICS())"] * 130)] * 250, metrics=250)
        self.assert_bounded(self.metric_data(many), 400, b"LimitExceededFault")

    def test_searches(self):
        self.begin()
        self.assert_bounded(self.metric_data(queries(*["+".join(["SUM(SEARCH('n','Sum'))"] * 80)] * 400)), 400, b"at most 100 SEARCHes")

    def test_long_metrics(self):
        """Metrics of 30 KB each, listed and searched for."""
        dimensions = [{"Name": f"{i:02}" + "n" * 20, "Value": "v" * 1000} for i in range(30)]
        for first in range(0, 600, 30):
            status, reply = self.cloudwatch("PutMetricData", Namespace="n", MetricData=[
                {"MetricName": f"metric-{first + i}", "Value": 1, "Dimensions": dimensions} for i in range(30)])
            self.assertEqual(status, 200, reply)
        self.begin()
        self.assert_bounded(self.cloudwatch("ListMetrics", Namespace="n"), 200, b"NextToken", 64 * MB)
        self.assert_bounded(self.metric_data(queries(*["SUM(SEARCH('v','Sum'))"] * 90)), 400, b"LimitExceededFault")

    def test_strings_in_pieces(self):
        self.begin()
        body = b"\xbf\x61m\x9f" + b"\x7f\xff" * 30000 + b"\xff\xff"
        self.assert_bounded(self.post(body, CBOR, "/service/GraniteServiceVersion20100801/operation/ListMetrics"), 200, b"Metrics", 8 * MB)

    def test_the_deepest_text(self):
        self.begin()
        self.assert_bounded(self.post("[" * (MB - 1), {"X-Amz-Target": "GraniteServiceVersion20100801.ListMetrics"}),
                            400, b"SerializationException", 8 * MB)

    def test_many_dimensions(self):
        self.begin()
        dimensions = [{"Name": "", "Value": ""}] * 20000
        self.assert_bounded(self.cloudwatch("GetMetricStatistics", Namespace="n", MetricName="m", StartTime=1, EndTime=2, Period=60,
                                            Statistics=["Sum"], Dimensions=dimensions), 400, b"Member must have length")

    def test_forms_of_many_members(self):
        self.begin()
        body = form(CLOUDWATCH, "PutMetricData", Namespace="n") + b"".join(b"&a.member.%d=" % i for i in range(60000))
        self.assert_bounded(self.post(body, FORM), 400, b"MetricData")

    def test_simulated_context(self):
        """A value of each key that a request may have tags of was kept as often as there were others."""
        self.begin()
        entries = {}
        for i in range(4500):
            entry = f"ContextEntries.member.{i + 1}."
            entries |= {f"{entry}ContextKeyName": f"aws:RequestTag/{i}", f"{entry}ContextKeyType": "string",
                        f"{entry}ContextKeyValues.member.1": "v"}
        policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
        self.assert_bounded(self.post(form(IAM, "SimulateCustomPolicy", **{
            "PolicyInputList.member.1": json.dumps(policy), "ActionNames.member.1": "dynamodb:GetItem", **entries}), FORM, service="iam"),
                            200, b"allowed", 32 * MB)


if __name__ == "__main__":
    unittest.main()
