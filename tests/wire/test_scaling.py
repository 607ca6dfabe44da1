"""Application Auto Scaling: its API as boto3 sees it, and capacity that really follows."""

import subprocess
import tempfile
import unittest

from server import Server, binary
from waiting import wait_until
from wire import WAITER, WireTest, advance, boto3_client, clock

READS = {"ServiceNamespace": "dynamodb", "ResourceId": "table/orders", "ScalableDimension": "dynamodb:table:ReadCapacityUnits"}
WRITES = {**READS, "ScalableDimension": "dynamodb:table:WriteCapacityUnits"}
INDEX = {**READS, "ResourceId": "table/orders/index/by-day", "ScalableDimension": "dynamodb:index:WriteCapacityUnits"}


def tracking(target=70, metric="DynamoDBWriteCapacityUtilization", **more):
    return {"PolicyName": "follow", "PolicyType": "TargetTrackingScaling", "TargetTrackingScalingPolicyConfiguration": {
        "TargetValue": target, "PredefinedMetricSpecification": {"PredefinedMetricType": metric}, **more}}


class ScalingTest(WireTest):
    server_arguments = ["--memory", "--test-clock"]

    def setUp(self):
        super().setUp()
        self.scaling = boto3_client(self.server.endpoint, service="application-autoscaling")
        self.addCleanup(self.scaling.close)
        for target in self.scaling.describe_scalable_targets(ServiceNamespace="dynamodb")["ScalableTargets"]:
            self.scaling.deregister_scalable_target(
                **{name: target[name] for name in ("ServiceNamespace", "ResourceId", "ScalableDimension")})
        self.create_orders()

    def create_orders(self):
        keys = {name: [{"AttributeName": name, "KeyType": "HASH"}] for name in ("pk", "day")}
        self.client.create_table(
            TableName="orders", KeySchema=keys["pk"], ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "day")],
            GlobalSecondaryIndexes=[{"IndexName": "by-day", "KeySchema": keys["day"], "Projection": {"ProjectionType": "ALL"},
                                     "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}])

    def capacity(self):
        table = self.client.describe_table(TableName="orders")["Table"]
        index = table["GlobalSecondaryIndexes"][0]
        return tuple(of["ProvisionedThroughput"][name] for of in (table, index) for name in ("ReadCapacityUnits", "WriteCapacityUnits"))

    def write(self, units):
        for n in range(0, units, 25):
            self.client.batch_write_item(RequestItems={"orders": [
                {"PutRequest": {"Item": {"pk": {"S": str(k)}}}} for k in range(n, min(n + 25, units))]})


class Api(ScalingTest):
    def test_targets(self):
        self.scaling.register_scalable_target(**READS, MinCapacity=5, MaxCapacity=50)
        self.scaling.register_scalable_target(**READS, MaxCapacity=60, SuspendedState={"DynamicScalingInSuspended": True})
        self.scaling.register_scalable_target(**INDEX, MinCapacity=1, MaxCapacity=10)
        targets = self.scaling.describe_scalable_targets(ServiceNamespace="dynamodb", ResourceIds=["table/orders"])["ScalableTargets"]
        self.assertEqual([(t["MinCapacity"], t["MaxCapacity"], t["SuspendedState"]) for t in targets], [
            (5, 60, {"DynamicScalingInSuspended": True, "DynamicScalingOutSuspended": False, "ScheduledScalingSuspended": False})])
        pages = self.scaling.get_paginator("describe_scalable_targets").paginate(ServiceNamespace="dynamodb", PaginationConfig={"PageSize": 1})
        self.assertEqual([len(page["ScalableTargets"]) for page in pages], [1, 1])
        self.scaling.deregister_scalable_target(**INDEX)
        self.assert_refused("ObjectNotFoundException: No scalable target found for service namespace: dynamodb, resource ID: "
                            "table/orders/index/by-day, scalable dimension: dynamodb:index:WriteCapacityUnits",
                            self.scaling.deregister_scalable_target, **INDEX)

    def test_policies_and_their_alarms(self):
        self.assert_refused("ObjectNotFoundException: No scalable target found for service namespace: dynamodb, resource ID: "
                            "table/orders, scalable dimension: dynamodb:table:WriteCapacityUnits",
                            self.scaling.put_scaling_policy, **WRITES, **tracking())
        self.scaling.register_scalable_target(**WRITES, MinCapacity=5, MaxCapacity=50)
        reply = self.scaling.put_scaling_policy(**WRITES, **tracking(ScaleInCooldown=60))
        names = [alarm["AlarmName"].rsplit("-", 5)[0] for alarm in reply["Alarms"]]
        self.assertEqual(names, [f"TargetTracking-table/orders-{kind}" for kind in (
            "AlarmHigh", "AlarmLow", "ProvisionedCapacityHigh", "ProvisionedCapacityLow")])
        watch = boto3_client(self.server.endpoint, service="cloudwatch")
        alarms = watch.describe_alarms(AlarmNamePrefix="TargetTracking-table/orders")["MetricAlarms"]
        self.assertEqual(sorted((a["MetricName"], a["Threshold"], a["EvaluationPeriods"]) for a in alarms), [
            ("ConsumedWriteCapacityUnits", 189.0, 15), ("ConsumedWriteCapacityUnits", 210.0, 2),
            ("ProvisionedWriteCapacityUnits", 5.0, 3), ("ProvisionedWriteCapacityUnits", 5.0, 3)])
        policy = self.scaling.describe_scaling_policies(ServiceNamespace="dynamodb", ResourceId="table/orders")["ScalingPolicies"][0]
        self.assertEqual((policy["PolicyARN"], policy["Alarms"]), (reply["PolicyARN"], reply["Alarms"]))
        self.assertEqual(policy["TargetTrackingScalingPolicyConfiguration"]["ScaleInCooldown"], 60)
        again = self.scaling.put_scaling_policy(**WRITES, **tracking(50))
        self.assertEqual(again["PolicyARN"], reply["PolicyARN"])
        self.scaling.deregister_scalable_target(**WRITES)
        self.assertEqual(self.scaling.describe_scaling_policies(ServiceNamespace="dynamodb")["ScalingPolicies"], [])
        self.assertEqual(watch.describe_alarms(AlarmNamePrefix="TargetTracking")["MetricAlarms"], [])
        watch.close()

    def test_what_is_wrong(self):
        self.assert_refused("ValidationException: Maximum capacity cannot be less than minimum capacity",
                            self.scaling.register_scalable_target, **READS, MinCapacity=5, MaxCapacity=4)
        self.assert_refused("ValidationException: Unsupported service namespace, resource type or scalable dimension",
                            self.scaling.register_scalable_target, **{**READS, "ResourceId": "orders"}, MinCapacity=1, MaxCapacity=2)
        self.scaling.register_scalable_target(**READS, MinCapacity=5, MaxCapacity=50)
        self.assert_refused("ValidationException: Predefined metric type DynamoDBWriteCapacityUtilization does not fit scalable "
                            "dimension dynamodb:table:ReadCapacityUnits", self.scaling.put_scaling_policy, **READS, **tracking())

    def test_bounds_are_kept_at_once(self):
        self.scaling.register_scalable_target(**READS, MinCapacity=8, MaxCapacity=50)
        wait_until(lambda: self.capacity()[0] == 8)
        self.scaling.register_scalable_target(**INDEX, MinCapacity=1, MaxCapacity=3)
        wait_until(lambda: self.capacity() == (8, 5, 5, 3))
        activities = self.scaling.describe_scaling_activities(ServiceNamespace="dynamodb")["ScalingActivities"]
        self.assertEqual([(a["ResourceId"], a["Description"], a["StatusCode"]) for a in activities[:2]], [
            ("table/orders/index/by-day", "Setting write capacity units to 3.", "Successful"),
            ("table/orders", "Setting read capacity units to 8.", "Successful")])


class Following(ScalingTest):
    def setUp(self):
        super().setUp()
        clock(self.server.port, Running=False)

    def let_it_look(self):
        """Returns when it has acted on all of the time so far. It keeps the bounds of a target in the round after they were told, so after
        the second such round it is done with the policies of the first."""
        for _ in range(2):
            reads = self.capacity()[0] + 1
            self.scaling.register_scalable_target(**READS, MinCapacity=reads, MaxCapacity=100)
            wait_until(lambda: self.capacity()[0] == reads, "a round")

    def write_for_two_minutes(self, most):
        """Ten units a second of five, from the middle of a minute on, whenever the test begins."""
        advance(self.server.port, 90 - advance(self.server.port, 0) % 60)
        self.scaling.register_scalable_target(**WRITES, MinCapacity=5, MaxCapacity=most)
        alarms = self.scaling.put_scaling_policy(**WRITES, **tracking(50))["Alarms"]
        for _ in range(2):
            self.write(600)
            self.assertEqual(self.capacity()[1], 5)
            advance(self.server.port, 60)
        return alarms

    def test_up_after_two_minutes_and_down_after_fifteen(self):
        self.write_for_two_minutes(most=50)
        wait_until(lambda: self.capacity()[1] == 20)
        for _ in range(14):
            advance(self.server.port, 60)
        self.let_it_look()
        self.assertEqual(self.capacity()[1], 20)
        for _ in range(3):
            advance(self.server.port, 60)
        wait_until(lambda: self.capacity()[1] == 5)
        activity = self.scaling.describe_scaling_activities(**WRITES)["ScalingActivities"]
        self.assertEqual([a["Description"] for a in activity[:2]],
                         ["Setting write capacity units to 5.", "Setting write capacity units to 20."])
        self.assertIn("AlarmHigh", activity[1]["Cause"])

    def test_what_an_alarm_tells(self):
        """Of capacity that cannot be raised, which would move the alarm's threshold, perhaps before it has looked."""
        high = next(alarm["AlarmName"] for alarm in self.write_for_two_minutes(most=5) if "AlarmHigh" in alarm["AlarmName"])
        watch = boto3_client(self.server.endpoint, service="cloudwatch")
        self.addCleanup(watch.close)

        def told():
            return watch.describe_alarm_history(HistoryItemType="Action", AlarmName=high)["AlarmHistoryItems"]

        wait_until(told)
        for item in told():
            self.assertIn("auto scaling looks at the metric itself", item["HistoryData"] + item["HistorySummary"])

    def test_a_new_policy_sees_fifteen_minutes_before_it_shrinks(self):
        """What was used before there was a table, or a policy, is not known; it is not nothing."""
        self.scaling.register_scalable_target(**WRITES, MinCapacity=1, MaxCapacity=50)
        self.scaling.put_scaling_policy(**WRITES, **tracking(50))
        for minutes, capacity in ((13, 5), (4, 1)):
            for _ in range(minutes):
                advance(self.server.port, 60)
            self.let_it_look()
            self.assertEqual(self.capacity()[1], capacity)
        self.client.delete_table(TableName="orders")
        self.create_orders()
        self.scaling.put_scaling_policy(**WRITES, **tracking(50))
        for _ in range(3):
            advance(self.server.port, 60)
        self.let_it_look()
        self.assertEqual(self.capacity()[1], 5)

    def test_another_table_of_the_name_is_left_alone(self):
        self.scaling.register_scalable_target(**WRITES, MinCapacity=1, MaxCapacity=50)
        self.scaling.put_scaling_policy(**WRITES, **tracking(50))
        self.client.delete_table(TableName="orders")
        self.create_orders()
        for _ in range(17):
            advance(self.server.port, 60)
        self.let_it_look()
        self.assertEqual(self.capacity()[1], 5)


TEMPLATE = """
Parameters:
  Target: {Type: Number, Default: 70}
Resources:
  WriteScaling:
    Type: AWS::ApplicationAutoScaling::ScalingPolicy
    Properties:
      PolicyName: follow
      PolicyType: TargetTrackingScaling
      ScalingTargetId: !Ref WriteCapacity
      TargetTrackingScalingPolicyConfiguration:
        TargetValue: !Ref Target
        ScaleInCooldown: 60
        ScaleOutCooldown: 0
        DisableScaleIn: false
        PredefinedMetricSpecification: {PredefinedMetricType: DynamoDBWriteCapacityUtilization}
  WriteCapacity:
    Type: AWS::ApplicationAutoScaling::ScalableTarget
    Properties:
      MaxCapacity: 15
      MinCapacity: 5
      ResourceId: !Sub table/${Orders}
      RoleARN: !GetAtt ScalingRole.Arn
      ScalableDimension: dynamodb:table:WriteCapacityUnits
      ServiceNamespace: dynamodb
  ScalingRole:
    Type: AWS::IAM::Role
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: template-orders
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      ProvisionedThroughput: {ReadCapacityUnits: 5, WriteCapacityUnits: 5}
"""


READ_SCALING = """
  ReadScaling:
    Type: AWS::ApplicationAutoScaling::ScalingPolicy
    Properties:
      PolicyName: follow
      PolicyType: TargetTrackingScaling
      ScalingTargetId: !Ref ReadCapacity
      TargetTrackingScalingPolicyConfiguration:
        TargetValue: 60
        PredefinedMetricSpecification: {PredefinedMetricType: DynamoDBReadCapacityUtilization}
  ReadCapacity:
    Type: AWS::ApplicationAutoScaling::ScalableTarget
    Properties:
      MaxCapacity: 15
      MinCapacity: 5
      ResourceId: !Sub table/${Orders}
      ScalableDimension: dynamodb:table:ReadCapacityUnits
      ServiceNamespace: dynamodb
"""


class Templates(ScalingTest):
    def apply(self, *options, more=""):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(TEMPLATE + more)
            file.flush()
            result = subprocess.run([binary(), "apply", file.name, "--endpoint", self.server.endpoint, *options],
                                    text=True, capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def policy(self):
        reply = self.scaling.describe_scaling_policies(ServiceNamespace="dynamodb", ResourceId="table/template-orders")
        return reply["ScalingPolicies"][0]["TargetTrackingScalingPolicyConfiguration"]

    def test_targets_and_policies_of_a_template(self):
        out = self.apply()
        self.assertIn("+ create scaling target table/template-orders|dynamodb:table:WriteCapacityUnits|dynamodb\n", out)
        self.assertIn("+ create scaling policy follow\n", out)
        self.assertIn("\n3 created, 0 changed, 0 replaced, 0 unchanged\n", out)
        self.assertEqual((self.policy()["TargetValue"], self.policy()["ScaleInCooldown"]), (70.0, 60))
        self.assertIn("Nothing to do: 3 resources are as the template says", self.apply())
        out = self.apply("--param", "Target=50")
        self.assertIn("0 created, 1 changed, 0 replaced, 2 unchanged", out)
        self.assertEqual(self.policy()["TargetValue"], 50.0)

    def test_what_scaling_sets_is_left_to_it(self):
        """Within the bounds of its target; reads have none here."""
        def set_units(read, write):
            self.client.update_table(TableName="template-orders", ProvisionedThroughput={"ReadCapacityUnits": read, "WriteCapacityUnits": write})
            self.client.get_waiter("table_exists").wait(TableName="template-orders", WaiterConfig=WAITER)

        self.apply()
        set_units(5, 12)
        self.assertIn("Nothing to do: 3 resources are as the template says", self.apply())
        set_units(6, 12)
        self.assertIn("    ~ capacity: reads 6 → 5\n", self.apply())
        throughput = self.client.describe_table(TableName="template-orders")["Table"]["ProvisionedThroughput"]
        self.assertEqual((throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]), (5, 12))

    def test_policies_of_one_name(self):
        """Each belongs to its target, and each is found again."""
        self.apply()
        out = self.apply(more=READ_SCALING)
        self.assertEqual(out.count("creating scaling policy follow ... done\n"), 1)
        self.assertIn("Nothing to do: 5 resources are as the template says", self.apply(more=READ_SCALING))


class Restart(unittest.TestCase):
    def test_targets_and_policies_stay(self):
        with tempfile.TemporaryDirectory() as data:
            server = Server("--data", data).start()
            client, scaling = boto3_client(server.endpoint), boto3_client(server.endpoint, service="application-autoscaling")
            client.create_table(TableName="orders", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                                ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5})
            scaling.register_scalable_target(**WRITES, MinCapacity=6, MaxCapacity=50)
            reply = scaling.put_scaling_policy(**WRITES, **tracking())
            wait_until(lambda: scaling.describe_scaling_activities(ServiceNamespace="dynamodb")["ScalingActivities"])
            server.process.kill()
            server.process.wait()
            server = Server("--data", data).start()
            scaling = boto3_client(server.endpoint, service="application-autoscaling")
            policy = scaling.describe_scaling_policies(ServiceNamespace="dynamodb")["ScalingPolicies"][0]
            self.assertEqual((policy["PolicyARN"], policy["Alarms"]), (reply["PolicyARN"], reply["Alarms"]))
            self.assertEqual(len(scaling.describe_scaling_activities(ServiceNamespace="dynamodb")["ScalingActivities"]), 1)
            server.stop()


if __name__ == "__main__":
    unittest.main()
