"""`gramme apply`: tables from templates, made, changed, and refused what would lose data."""

import json
import re
import textwrap
import unittest

from apply import INDEX, KEYS, ON_DEMAND, TWO_KEYS, ApplyTest, table
from server import ROOT
from wire import boto3_client


class Create(ApplyTest):
    DOCUMENT = """\
        AWSTemplateFormatVersion: '2010-09-09'
        Description: a cache of quotes

        Resources:
          QuoteCache:
            Type: AWS::DynamoDB::Table
            Properties:
              TableName: quote-cache

              # Keys
              AttributeDefinitions:
                - AttributeName: ticker
                  AttributeType: S
                - AttributeName: kind
                  AttributeType: S

              KeySchema:
                - AttributeName: ticker
                  KeyType: HASH
                - AttributeName: kind
                  KeyType: RANGE

              BillingMode: PAY_PER_REQUEST

              TimeToLiveSpecification:
                AttributeName: ttl
                Enabled: true

              Tags:
                - Key: Project
                  Value: Trading
                - Key: Component
                  Value: Quotes

        Outputs:
          TableName:
            Description: its name
            Value: !Ref QuoteCache
            Export:
              Name: QuoteCacheName

          TableArn:
            Description: its ARN
            Value: !GetAtt QuoteCache.Arn
        """

    def test_a_template_of_a_design_document(self):
        out = self.assert_applied(self.DOCUMENT)
        self.assertEqual(out, textwrap.dedent("""\
            + create table quote-cache
                keys: ticker (S, HASH), kind (S, RANGE)
                billing: PAY_PER_REQUEST
                tag: Component = Quotes
                tag: Project = Trading
                time to live: ttl

            creating table quote-cache ... done
            setting the time to live of quote-cache ... done

            1 created, 0 changed, 0 replaced, 0 unchanged

            Outputs
              TableName  quote-cache
              TableArn   arn:aws:dynamodb:us-east-1:000000000000:table/quote-cache
            """))
        made = self.describe("quote-cache")
        self.assertEqual(made["TableStatus"], "ACTIVE")
        self.assertEqual(made["KeySchema"], [{"AttributeName": "ticker", "KeyType": "HASH"},
                                             {"AttributeName": "kind", "KeyType": "RANGE"}])
        ttl = self.client.describe_time_to_live(TableName="quote-cache")["TimeToLiveDescription"]
        self.assertEqual(ttl, {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"})
        tags = self.client.list_tags_of_resource(ResourceArn=made["TableArn"])["Tags"]
        self.assertEqual(sorted((tag["Key"], tag["Value"]) for tag in tags),
                         [("Component", "Quotes"), ("Project", "Trading")])
        self.assertEqual(self.assert_applied(self.DOCUMENT), textwrap.dedent("""\
            = table quote-cache
            Nothing to do: 1 table is as the template says

            Outputs
              TableName  quote-cache
              TableArn   arn:aws:dynamodb:us-east-1:000000000000:table/quote-cache
            """))

    def test_everything_at_once_and_again(self):
        text = table("""\
          AttributeDefinitions:
            - {AttributeName: pk, AttributeType: S}
            - {AttributeName: sk, AttributeType: N}
            - {AttributeName: a, AttributeType: B}
          KeySchema: [{AttributeName: pk, KeyType: HASH}, {AttributeName: sk, KeyType: RANGE}]
          ProvisionedThroughput: {ReadCapacityUnits: 5, WriteCapacityUnits: "6"}
          LocalSecondaryIndexes:
            - IndexName: local
              KeySchema: [{AttributeName: pk, KeyType: HASH}, {AttributeName: a, KeyType: RANGE}]
              Projection: {ProjectionType: KEYS_ONLY}
          GlobalSecondaryIndexes:
            - IndexName: global
              KeySchema: [{AttributeName: a, KeyType: HASH}]
              Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [z, b]}
              ProvisionedThroughput: {ReadCapacityUnits: 1, WriteCapacityUnits: 2}
          StreamSpecification: {StreamViewType: NEW_AND_OLD_IMAGES}
          TimeToLiveSpecification: {AttributeName: expires, Enabled: true}
          PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}
          SSESpecification: {SSEEnabled: true}
          Tags: [{Key: b, Value: "2"}, {Key: a, Value: "1"}]
          DeletionProtectionEnabled: true
          TableClass: STANDARD_INFREQUENT_ACCESS
          ContributorInsightsSpecification: {Enabled: true, Mode: THROTTLED_KEYS}
          ResourcePolicy:
            PolicyDocument:
              Version: 2012-10-17
              Statement:
                - Effect: Allow
                  Principal: {AWS: "000000000000"}
                  Action: [dynamodb:GetItem]
                  Resource: "*"
                  Condition: {Bool: {aws:SecureTransport: true}}
    Outputs:
      Stream: {Value: !GetAtt Orders.StreamArn}
""")
        out = self.assert_applied(text)
        made = self.describe()
        self.assertIn(f"  Stream  {made['LatestStreamArn']}\n", out)
        self.assertEqual(made["ProvisionedThroughput"]["WriteCapacityUnits"], 6)
        self.assertEqual(made["LocalSecondaryIndexes"][0]["IndexName"], "local")
        self.assertEqual(made["GlobalSecondaryIndexes"][0]["Projection"],
                         {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["b", "z"]})
        self.assertEqual(made["StreamSpecification"]["StreamViewType"], "NEW_AND_OLD_IMAGES")
        self.assertEqual(made["SSEDescription"]["SSEType"], "KMS")
        self.assertTrue(made["DeletionProtectionEnabled"])
        self.assertEqual(made["TableClassSummary"]["TableClass"], "STANDARD_INFREQUENT_ACCESS")
        recovery = self.client.describe_continuous_backups(TableName="orders")["ContinuousBackupsDescription"]
        self.assertEqual(recovery["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"], "ENABLED")
        insights = self.call("DescribeContributorInsights", {"TableName": "orders"}).json
        self.assertEqual((insights["ContributorInsightsStatus"], insights["ContributorInsightsMode"]), ("ENABLED", "THROTTLED_KEYS"))
        policy = self.call("GetResourcePolicy", {"ResourceArn": made["TableArn"]}).json["Policy"]
        self.assertEqual(json.loads(policy)["Statement"][0]["Action"], "dynamodb:GetItem")
        self.assert_unchanged(text)

    def test_json_and_standard_input(self):
        template = {"Parameters": {"Env": {"Type": "String"}},
                    "Resources": {"T": {"Type": "AWS::Serverless::SimpleTable",
                                        "Properties": {"TableName": {"Fn::Sub": "things-${Env}"}}}}}
        status, out, err = self.run_apply("--endpoint", self.endpoint, "--param", "Env=dev", "-",
                                          stdin=json.dumps(template))
        self.assertEqual((status, err), (0, ""), out)
        self.assertEqual(self.describe("things-dev")["KeySchema"], [{"AttributeName": "id", "KeyType": "HASH"}])

    def test_names_from_the_stack(self):
        text = "Resources:\n  Things: {Type: AWS::Serverless::SimpleTable}\n"
        out = self.assert_applied(text, name="my shop.v2.yaml")
        self.assertIn("    named after the stack: the template gives Things no TableName\n", out)
        self.assert_applied(text, "--stack-name", "other")
        self.assertEqual(self.client.list_tables()["TableNames"], ["my-shop-v2-Things", "other-Things"])

    def test_several_tables_and_what_is_skipped(self):
        status, out, err = self.apply("""\
            Transform: AWS::Serverless-2016-10-31
            Resources:
              Handler:
                Type: AWS::Serverless::Function
                Properties:
                  Policies: [DynamoDBCrudPolicy: {TableName: !Ref One}]
              One: {Type: AWS::Serverless::SimpleTable, Properties: {TableName: one}}
              Two: {Type: AWS::Serverless::SimpleTable, Properties: {TableName: two}, DependsOn: One}
            Outputs:
              Url: {Value: !Sub "https://${Handler}.${AWS::URLSuffix}"}
              Two: {Value: !Ref Two}
            """)
        self.assertEqual((status, err), (0, "shop.yaml:3:3: warning: Handler (AWS::Serverless::Function) is skipped\n"))
        self.assertIn("\n2 created, 0 changed, 0 replaced, 0 unchanged\n", out)
        self.assertIn("\nOutputs\n  Url  (not known here)\n  Two  two\n", out)
        self.assertEqual(self.client.list_tables()["TableNames"], ["one", "two"])

    def test_alarms_and_dashboards(self):
        text = """\
            Resources:
              One: {Type: AWS::Serverless::SimpleTable, Properties: {TableName: one}}
              Topic: {Type: AWS::SNS::Topic, Properties: {TopicName: alerts}}
              Slow:
                Type: AWS::CloudWatch::Alarm
                Properties:
                  AlarmName: slow
                  Namespace: AWS/DynamoDB
                  MetricName: SuccessfulRequestLatency
                  Dimensions: [{Name: TableName, Value: !Ref One}, {Name: Operation, Value: GetItem}]
                  Statistic: Average
                  Period: 60
                  EvaluationPeriods: 5
                  Threshold: 100
                  ComparisonOperator: GreaterThanThreshold
                  AlarmActions: [!Ref Topic]
                  Tags: [{Key: team, Value: shop}]
              Board: {Type: AWS::CloudWatch::Dashboard, Properties: {DashboardName: board, DashboardBody: '{"widgets":[]}'}}
            """
        skipped = "shop.yaml:3:3: warning: Topic (AWS::SNS::Topic) is skipped\n"
        status, out, err = self.apply(text)
        self.assertEqual((status, err), (0, skipped), out)
        self.assertIn("\n3 created, 0 changed, 0 replaced, 0 unchanged\n", out)
        watch = boto3_client(self.server.endpoint, service="cloudwatch")
        self.addCleanup(watch.close)
        made = watch.describe_alarms(AlarmNames=["slow"])["MetricAlarms"][0]
        self.assertEqual((made["Threshold"], made["AlarmActions"]), (100, ["arn:aws:sns:us-east-1:000000000000:alerts"]))
        self.assertEqual(self.apply(text), (0, "= table one\n= alarm slow\n= dashboard board\n"
                                               "Nothing to do: 3 resources are as the template says\n", skipped))
        status, out, err = self.apply(text.replace("Threshold: 100", "Threshold: 50").replace("Value: shop", "Value: all"))
        self.assertIn("    ~ Threshold: 100.0 → 50.0\n", out)
        self.assertIn("\n0 created, 1 changed, 0 replaced, 2 unchanged\n", out)
        made = watch.describe_alarms(AlarmNames=["slow"])["MetricAlarms"][0]
        tags = watch.list_tags_for_resource(ResourceARN=made["AlarmArn"])["Tags"]
        self.assertEqual((made["Threshold"], tags), (50, [{"Key": "team", "Value": "all"}]))

    def test_parameters(self):
        text = """\
            Parameters:
              Env: {Type: String, Default: dev, AllowedValues: [dev, prod]}
              Reads: {Type: Number, Default: 1, MaxValue: 10}
            Conditions:
              Prod: !Equals [!Ref Env, prod]
            Resources:
              Orders:
                Type: AWS::DynamoDB::Table
                Properties:
                  TableName: !Sub "orders-${Env}"
                  AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
                  KeySchema: [{AttributeName: pk, KeyType: HASH}]
                  ProvisionedThroughput: {ReadCapacityUnits: !Ref Reads, WriteCapacityUnits: !If [Prod, 9, 1]}
            """
        self.assert_applied(text, "--param", "Env=prod", "--param=Reads=3")
        throughput = self.describe("orders-prod")["ProvisionedThroughput"]
        self.assertEqual((throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]), (3, 9))
        self.client.delete_table(TableName="orders-prod")
        self.assert_wrong(text, "--param", "Env=test",
                          error="shop.yaml:2:3: parameter Env is 'test': allowed are dev, prod")
        self.assert_wrong(text, "--param", "Nev=test", error="shop.yaml: the template has no parameter Nev (--param)")

    def test_a_dry_run_changes_nothing(self):
        text = table(KEYS, ON_DEMAND)
        out = self.assert_applied(text, "--dry-run")
        self.assertEqual(out, "+ create table orders\n    keys: pk (S, HASH)\n    billing: PAY_PER_REQUEST\n")
        self.assertEqual(self.client.list_tables()["TableNames"], [])


class Change(ApplyTest):
    def change(self, before, after, line, *arguments):
        """Applies one after the other; the plan has the line, and then there is nothing left to do."""
        self.assert_applied(before)
        self.client.put_item(TableName="orders", Item={"pk": {"S": "kept"}, "a": {"S": "x"}})
        out = self.assert_applied(after, *arguments)
        self.assertIn(line, out)
        self.assertIn("\n0 created, 1 changed, 0 replaced, 0 unchanged\n", out)
        self.assert_unchanged(after)
        self.assertEqual(self.client.scan(TableName="orders")["Count"], 1)

    def test_capacity(self):
        text = table(KEYS, "          ProvisionedThroughput: {ReadCapacityUnits: 5, WriteCapacityUnits: 5}\n")
        self.change(text, text.replace("ReadCapacityUnits: 5", "ReadCapacityUnits: 8"), "    ~ capacity: reads 5 → 8\n")
        self.assertEqual(self.describe()["ProvisionedThroughput"]["ReadCapacityUnits"], 8)

    def test_billing_with_an_index(self):
        provisioned = "          ProvisionedThroughput: {ReadCapacityUnits: 5, WriteCapacityUnits: 5}\n"
        index = INDEX + "              ProvisionedThroughput: {ReadCapacityUnits: 1, WriteCapacityUnits: 2}\n"
        self.change(table(TWO_KEYS, ON_DEMAND, INDEX), table(TWO_KEYS, provisioned, index),
                    "    ~ billing: PAY_PER_REQUEST → PROVISIONED\n")
        self.change(table(TWO_KEYS, provisioned, index), table(TWO_KEYS, ON_DEMAND, INDEX),
                    "    ~ billing: PROVISIONED → PAY_PER_REQUEST\n")

    def test_capacity_of_an_index(self):
        text = table(TWO_KEYS, "          ProvisionedThroughput: {ReadCapacityUnits: 5, WriteCapacityUnits: 5}\n", INDEX,
                     "              ProvisionedThroughput: {ReadCapacityUnits: 1, WriteCapacityUnits: 2}\n")
        self.change(text, text.replace("WriteCapacityUnits: 2", "WriteCapacityUnits: 3"),
                    "    ~ capacity of index by-a: writes 2 → 3\n")

    def test_limits_on_demand(self):
        limits = "          OnDemandThroughput: {MaxReadRequestUnits: 100}\n"
        self.change(table(KEYS, ON_DEMAND), table(KEYS, ON_DEMAND, limits), "    ~ on-demand limits: reads none → 100\n")
        self.change(table(KEYS, ON_DEMAND, limits), table(KEYS, ON_DEMAND), "    ~ on-demand limits: reads 100 → none\n")

    def test_warm_throughput(self):
        warm = "          WarmThroughput: {ReadUnitsPerSecond: 13000, WriteUnitsPerSecond: 4000}\n"
        self.change(table(KEYS, ON_DEMAND), table(KEYS, ON_DEMAND, warm), "    ~ warm throughput: reads 12000 → 13000\n")

    def test_new_indexes_one_after_the_other(self):
        more = """\
            - IndexName: by-both
              KeySchema: [{AttributeName: a, KeyType: HASH}, {AttributeName: pk, KeyType: RANGE}]
              Projection: {ProjectionType: KEYS_ONLY}
"""
        self.change(table(KEYS, ON_DEMAND), table(TWO_KEYS, ON_DEMAND, INDEX, more),
                    "    + index by-both: a (S, HASH), pk (S, RANGE); projects KEYS_ONLY\n")
        for index in ("by-a", "by-both"):
            found = self.client.query(TableName="orders", IndexName=index, KeyConditionExpression="a = :a",
                                      ExpressionAttributeValues={":a": {"S": "x"}})
            self.assertEqual(found["Count"], 1)

    def test_class_encryption_protection(self):
        for line, shown in (("TableClass: STANDARD_INFREQUENT_ACCESS", "class: STANDARD → STANDARD_INFREQUENT_ACCESS"),
                            ("SSESpecification: {SSEEnabled: true}", "encryption: the service's own key → KMS"),
                            ("DeletionProtectionEnabled: true", "deletion protection: off → on")):
            with self.subTest(line=line):
                super().setUp()
                self.change(table(KEYS, ON_DEMAND), table(KEYS, ON_DEMAND, f"          {line}\n"), f"    ~ {shown}\n")

    def test_time_to_live(self):
        on = "          TimeToLiveSpecification: {AttributeName: expires, Enabled: true}\n"
        self.change(table(KEYS, ON_DEMAND), table(KEYS, ON_DEMAND, on), "    ~ time to live: off → expires\n")

    def test_tags(self):
        tags = "          Tags: [{Key: a, Value: '1'}, {Key: b, Value: '2'}]\n"
        other = "          Tags: [{Key: b, Value: '3'}, {Key: c, Value: '4'}]\n"
        self.change(table(KEYS, ON_DEMAND, tags), table(KEYS, ON_DEMAND, other),
                    "    - tag a\n    ~ tag b: 2 → 3\n    + tag c = 4\n")

    def test_a_stream(self):
        on = "          StreamSpecification: {StreamViewType: NEW_IMAGE}\n"
        self.change(table(KEYS, ON_DEMAND), table(KEYS, ON_DEMAND, on), "    ~ stream: off → NEW_IMAGE\n")

    def test_point_in_time_recovery(self):
        on = "          PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 10}\n"
        self.change(table(KEYS, ON_DEMAND), table(KEYS, ON_DEMAND, on), "    ~ point-in-time recovery: off → 10 days\n")


class DataLoss(ApplyTest):
    def refuse(self, before, after, error):
        """Refused, also in a dry run, and nothing was touched; then done when allowed."""
        self.assert_applied(before)
        self.client.put_item(TableName="orders", Item={"pk": {"S": "kept"}, "a": {"S": "x"}})
        described = self.describe()
        status, out, err = self.apply(after)
        self.assertEqual((status, err), (1, f"shop.yaml:2:3: refused: {error}; --allow-data-loss does it\n"))
        status, out, err = self.apply(after, "--dry-run")
        self.assertEqual((status, err), (0, f"shop.yaml:2:3: refused: {error}; --allow-data-loss does it\n"))
        self.assertEqual({**self.describe(), "ItemCount": 0, "TableSizeBytes": 0},
                         {**described, "ItemCount": 0, "TableSizeBytes": 0})
        self.assertEqual(self.client.scan(TableName="orders")["Count"], 1)
        self.assert_applied(after, "--allow-data-loss")
        self.assert_unchanged(after)

    def test_keys(self):
        self.refuse(table(KEYS, ON_DEMAND), table(KEYS.replace("AttributeType: S", "AttributeType: N"), ON_DEMAND),
                    "table orders would be deleted with all its items and made anew "
                    "(keys: pk (S, HASH) → pk (N, HASH))")
        self.assertEqual(self.client.scan(TableName="orders")["Count"], 0)

    def test_an_index(self):
        self.refuse(table(TWO_KEYS, ON_DEMAND, INDEX), table(KEYS, ON_DEMAND),
                    "index by-a of table orders would be removed")
        self.assertEqual(self.client.scan(TableName="orders")["Count"], 1)

    def test_an_index_that_differs(self):
        self.refuse(table(TWO_KEYS, ON_DEMAND, INDEX),
                    table(TWO_KEYS, ON_DEMAND, INDEX.replace("ProjectionType: ALL", "ProjectionType: KEYS_ONLY")),
                    "index by-a of table orders would be removed and made anew")

    def test_a_stream(self):
        on = "          StreamSpecification: {StreamViewType: NEW_IMAGE}\n"
        self.refuse(table(KEYS, ON_DEMAND, on), table(KEYS, ON_DEMAND), "the stream of table orders would end")

    def test_point_in_time_recovery(self):
        on = "          PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}\n"
        self.refuse(table(KEYS, ON_DEMAND, on), table(KEYS, ON_DEMAND),
                    "the recovery history of table orders would be dropped")

    def test_a_protected_table_is_not_replaced(self):
        protected = "          DeletionProtectionEnabled: true\n"
        self.assert_applied(table(KEYS, ON_DEMAND, protected))
        other = table(KEYS.replace("AttributeType: S", "AttributeType: N"), ON_DEMAND, protected)
        status, out, err = self.apply(other, "--allow-data-loss")
        self.assertEqual((status, err), (
            1, "shop.yaml:2:3: refused: table orders would be replaced, and it is protected against deletion\n"))
        self.assert_unchanged(table(KEYS, ON_DEMAND, protected))

    def test_one_refusal_stops_all(self):
        self.assert_applied(table(KEYS, ON_DEMAND))
        both = table(KEYS.replace("AttributeType: S", "AttributeType: N"), ON_DEMAND) + (
            "  New: {Type: AWS::Serverless::SimpleTable, Properties: {TableName: new}}\n")
        self.assertEqual(self.apply(both)[0], 1)
        self.assertEqual(self.client.list_tables()["TableNames"], ["orders"])


class Documents(ApplyTest):
    def test_the_examples_of_the_documentation(self):
        templates = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / "docs/TEMPLATES.md").read_text(), re.M | re.S)
        self.assertEqual(len(templates), 2)
        for template in templates:
            self.assert_applied(template)
            self.assert_unchanged(template)

    def test_the_session_of_the_documentation(self):
        text = (ROOT / "docs/TEMPLATES.md").read_text()
        template = re.search(r"^```yaml\n(.*?)^```$", text, re.M | re.S).group(1)
        session = re.search(r"^```console\n(.*?)^```$", text, re.M | re.S).group(1)
        runs = re.findall(r"^\$ gramme apply shop.yaml (.*)\n([^$]*)", session, re.M)
        self.assertEqual(len(runs), 2)
        for arguments, expected in runs:
            self.assertEqual(self.assert_applied(template, *arguments.split()), expected)


if __name__ == "__main__":
    unittest.main()
