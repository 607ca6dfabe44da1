"""`gramme apply` of what is not a template itself: made for real, and nothing to do the second time."""

import json
import pathlib
import textwrap
import unittest

from apply import ApplyTest

SERVICE = """\
    service: notes
    provider:
      name: aws
      stage: ${opt:stage, 'dev'}
    custom: ${file(config/custom.yml)}
    functions:
      create: {handler: handler.create}
    resources:
      - ${file(config/tables.yml)}
      - Outputs:
          Role: {Value: !GetAtt IamRoleLambdaExecution.Arn}
"""
CUSTOM = """\
    table: ${self:service}-${self:provider.stage}
    owner: ${env:NOTES_OWNER, 'nobody'}
"""
TABLES = """\
    Resources:
      Notes:
        Type: AWS::DynamoDB::Table
        Properties:
          TableName: ${self:custom.table}
          BillingMode: PAY_PER_REQUEST
          AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
          KeySchema: [{AttributeName: id, KeyType: HASH}]
          Tags: [{Key: owner, Value: "${self:custom.owner}"}]
"""


class Serverless(ApplyTest):
    def setUp(self):
        super().setUp()
        (pathlib.Path(self.folder.name) / "service" / "config").mkdir(parents=True)
        self.write(SERVICE, "service/serverless.yml")
        self.write(CUSTOM, "service/config/custom.yml")
        self.write(TABLES, "service/config/tables.yml")

    def run_service(self, *arguments, env=None):
        return self.run_apply("--endpoint", self.endpoint, *arguments, "service/serverless.yml", env=env)

    def test_files_options_and_the_environment(self):
        status, out, err = self.run_service("--param", "stage=test", env={"NOTES_OWNER": "anna"})
        self.assertEqual((status, err), (0, ""), out)
        self.assertEqual(out, textwrap.dedent("""\
            + create table notes-test
                keys: id (S, HASH)
                billing: PAY_PER_REQUEST
                tag: owner = anna

            creating table notes-test ... done

            1 created, 0 changed, 0 replaced, 0 unchanged

            Outputs
              Role  (not known here)
            """))
        self.assertEqual(self.describe("notes-test")["TableStatus"], "ACTIVE")
        status, out, err = self.run_service("--param", "stage=test", env={"NOTES_OWNER": "anna"})
        self.assertEqual((status, err), (0, ""), out)
        self.assertIn("Nothing to do: 1 table is as the template says\n", out)

    def test_a_mistake_in_a_file_is_told_with_its_place(self):
        self.write(TABLES.replace("PAY_PER_REQUEST", "NEVER"), "service/config/tables.yml")
        status, out, err = self.run_service()
        self.assertEqual((status, out, err), (
            2, "", "config/tables.yml:6:20: BillingMode must be one of PROVISIONED, PAY_PER_REQUEST, not 'NEVER'\n"))
        self.assertEqual(self.client.list_tables()["TableNames"], [])

    def test_a_file_that_is_not_there(self):
        self.write(SERVICE.replace("tables.yml", "missing.yml"), "service/serverless.yml")
        status, out, err = self.run_service()
        self.assertEqual((status, out, err), (
            2, "", "service/serverless.yml:9:5: ${file(config/missing.yml)}: there is no such file or value\n"))


class Terraform(ApplyTest):
    """A plan as `terraform show -json` prints one: on a single line."""

    @staticmethod
    def resource(address, kind, values, unknown):
        return ({"address": address, "mode": "managed", "type": kind, "name": "x", "values": values},
                {"address": address, "change": {"actions": ["create"], "after_unknown": unknown}})

    def plan(self, name="orders", **more):
        table = {"name": name, "billing_mode": "PAY_PER_REQUEST", "hash_key": "pk", "range_key": None,
                 "attribute": [{"name": "pk", "type": "S"}, {"name": "a", "type": "N"}],
                 "global_secondary_index": [{"name": "by-a", "hash_key": "a", "range_key": None, "projection_type": "ALL",
                                             "non_key_attributes": [], "read_capacity": None, "write_capacity": None}],
                 "ttl": [{"attribute_name": "expires", "enabled": True}], "stream_enabled": True,
                 "stream_view_type": "NEW_IMAGE", "tags": {"team": "shop"}, **more}
        policy = {"policy": json.dumps({"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Principal": {"AWS": "000000000000"}, "Action": "dynamodb:GetItem", "Resource": "*"}]})}
        pairs = [self.resource("module.shop.aws_dynamodb_table.t[0]", "aws_dynamodb_table", table,
                               {"arn": True, "id": True, "tags_all": True, "read_capacity": True}),
                 self.resource("module.shop.aws_dynamodb_contributor_insights.i", "aws_dynamodb_contributor_insights",
                               {"table_name": name, "index_name": None}, {"id": True}),
                 self.resource("aws_dynamodb_resource_policy.p", "aws_dynamodb_resource_policy",
                               {**policy, "resource_arn": f"arn:aws:dynamodb:us-east-1:000000000000:table/{name}"}, {})]
        module = {"address": "module.shop", "resources": [pair[0] for pair in pairs]}
        return json.dumps({"format_version": "1.2", "terraform_version": "1.9.8",
                           "planned_values": {"outputs": {"table": {"sensitive": False, "value": name}},
                                              "root_module": {"child_modules": [module]}},
                           "resource_changes": [pair[1] for pair in pairs]}, separators=(",", ":"))

    def test_a_plan_is_carried_out_and_nothing_is_left(self):
        out = self.assert_applied(self.plan(), name="plan.json")
        self.assertEqual(out, textwrap.dedent("""\
            + create table orders
                keys: pk (S, HASH)
                billing: PAY_PER_REQUEST
                global index by-a: a (N, HASH); projects ALL
                stream: NEW_IMAGE
                tag: team = shop
                policy: 1 statement
                time to live: expires
                contributor insights: ACCESSED_AND_THROTTLED_KEYS

            creating table orders ... done
            setting the time to live of orders ... done
            changing the contributor insights of orders ... done

            1 created, 0 changed, 0 replaced, 0 unchanged

            Outputs
              table  orders
            """))
        out = self.assert_applied(self.plan(), name="plan.json")
        self.assertIn("Nothing to do: 1 table is as the template says\n", out)

    def test_a_mistake_has_the_address_for_its_place(self):
        self.assert_wrong(self.plan(hash_key="id"), name="plan.json",
                          error="plan.json: module.shop.aws_dynamodb_table.t[0]: AttributeDefinitions does not define "
                                "the key attribute 'id'")

    def test_a_plan_of_a_whole_application_may_be_large(self):
        large = self.plan().replace('"resource_changes":', '"prior_state":"' + "x" * (3 << 20) + '","resource_changes":')
        self.assertIn("1 created", self.assert_applied(large, name="plan.json"))


class TerraformItems(ApplyTest):
    ITEMS = {"aws_dynamodb_table_item.first": '{"pk":{"S":"a"},"n":{"N":"1.50"},"tags":{"SS":["y","x"]}}',
             'aws_dynamodb_table_item.more["b"]': '{"pk":{"S":"b"},"on":{"BOOL":true},"no":{"NULL":true},"deep":{"M":{"l":{"L":[{"N":"1"}]}}}}'}

    def plan(self, **items):
        table = {"address": "aws_dynamodb_table.orders", "mode": "managed", "type": "aws_dynamodb_table", "name": "orders",
                 "values": {"name": "orders", "hash_key": "pk", "billing_mode": "PAY_PER_REQUEST", "attribute": [{"name": "pk", "type": "S"}]}}
        resources = [{"address": address, "mode": "managed", "type": "aws_dynamodb_table_item", "name": "item",
                      "values": {"hash_key": "pk", "range_key": None, "item": item, "table_name": "orders"}} for address, item in items.items()]
        return json.dumps({"format_version": "1.2", "planned_values": {"root_module": {"resources": [*resources, table]}}}, separators=(",", ":"))

    def items(self):
        return sorted(self.client.scan(TableName="orders")["Items"], key=lambda item: item["pk"]["S"])

    def test_items_are_put_once(self):
        status, out, err = self.apply(self.plan(**self.ITEMS), "--dry-run", name="plan.json")
        self.assertEqual((status, err), (0, ""), out)
        self.assertIn('+ put item {"pk":{"S":"a"}} of table orders\n+ put item {"pk":{"S":"b"}} of table orders\n', out)
        self.assertEqual(self.client.list_tables()["TableNames"], [])
        status, out, err = self.apply(self.plan(**self.ITEMS), name="plan.json")
        self.assertEqual((status, err), (0, ""), out)
        self.assertIn("3 created, 0 changed, 0 replaced, 0 unchanged\n", out)
        self.assertEqual(self.items(), [
            {"pk": {"S": "a"}, "n": {"N": "1.5"}, "tags": {"SS": ["x", "y"]}},
            {"pk": {"S": "b"}, "on": {"BOOL": True}, "no": {"NULL": True}, "deep": {"M": {"l": {"L": [{"N": "1"}]}}}}])
        status, out, err = self.apply(self.plan(**self.ITEMS), name="plan.json")
        self.assertEqual((status, err), (0, ""), out)
        self.assertIn("Nothing to do: 3 resources are as the template says\n", out)

    def test_one_that_differs_is_replaced_and_others_stay(self):
        self.assertEqual(self.apply(self.plan(**self.ITEMS), name="plan.json")[0], 0)
        self.client.put_item(TableName="orders", Item={"pk": {"S": "a"}, "other": {"S": "x"}})
        self.client.put_item(TableName="orders", Item={"pk": {"S": "c"}})
        status, out, err = self.apply(self.plan(**self.ITEMS), name="plan.json")
        self.assertEqual((status, err), (0, ""), out)
        self.assertIn('~ replace item {"pk":{"S":"a"}} of table orders\n= item {"pk":{"S":"b"}} of table orders\n', out)
        self.assertEqual([item["pk"]["S"] for item in self.items()], ["a", "b", "c"])
        self.assertEqual(self.items()[0]["n"], {"N": "1.5"})

    def test_an_item_of_a_table_that_is_not_there(self):
        plan = self.plan(**self.ITEMS).replace('"table_name":"orders"', '"table_name":"gone"')
        status, _, err = self.apply(plan, name="plan.json")
        self.assertEqual(status, 1)
        self.assertIn("plan.json: aws_dynamodb_table_item.first: GetItem: ResourceNotFoundException: ", err)
        self.assertEqual(self.client.list_tables()["TableNames"], [])


class Nested(ApplyTest):
    """A template that names others by their files."""

    def test_files_beside_a_template(self):
        (pathlib.Path(self.folder.name) / "stacks").mkdir()
        self.write("Resources: {Sessions: {Type: 'AWS::Serverless::SimpleTable'}}\nOutputs: {Name: {Value: !Ref Sessions}}\n", "stacks/data.yaml")
        shop = ("Resources: {Data: {Type: 'AWS::CloudFormation::Stack', Properties: {TemplateURL: ./stacks/data.yaml}}}\n"
                "Outputs: {Sessions: {Value: !GetAtt Data.Outputs.Name}}\n")
        status, out, err = self.apply(shop)
        self.assertEqual((status, err), (0, ""), out)
        self.assertEqual(self.client.list_tables()["TableNames"], ["shop-Data-Sessions"])
        self.assertIn("Stack shop/Data\n+ create table shop-Data-Sessions\n", out)
        self.assertIn("\nOutputs\n  Sessions  shop-Data-Sessions\n", out)


class Cdk(ApplyTest):
    """A folder as `cdk synth` leaves it: two stacks, and one of a stage."""

    @staticmethod
    def table(**more):
        return {"Type": "AWS::DynamoDB::Table", "UpdateReplacePolicy": "Retain", "Properties": {
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], **more}}

    @staticmethod
    def stack(name, display=None, **more):
        return {name: {"type": "aws:cloudformation:stack", "displayName": display or name,
                       "properties": {"templateFile": f"{name}.template.json", **more}}}

    def template(self, path, table):
        text = {"Resources": {"Log95422804": table, "CDKMetadata": {"Type": "AWS::CDK::Metadata", "Condition": "Never"}},
                "Conditions": {"Never": {"Fn::Equals": [{"Ref": "AWS::Region"}, "nowhere"]}},
                "Parameters": {"BootstrapVersion": {"Type": "AWS::SSM::Parameter::Value<String>",
                                                    "Default": "/cdk-bootstrap/hnb659fds/version"}},
                "Outputs": {"Name": {"Value": {"Ref": "Log95422804"}}}}
        self.write(json.dumps(text), path)

    def manifest(self, folder, *artifacts):
        merged = {name: artifact for each in artifacts for name, artifact in each.items()}
        self.write(json.dumps({"version": "48.0.0", "artifacts": merged}), f"{folder}/manifest.json")

    def setUp(self):
        super().setUp()
        (pathlib.Path(self.folder.name) / "cdk.out" / "assembly-Prod").mkdir(parents=True)
        self.manifest("cdk.out", {"Tree": {"type": "cdk:tree", "properties": {"file": "tree.json"}}},
                      {"assembly-Prod": {"type": "cdk:cloud-assembly",
                                         "properties": {"directoryName": "assembly-Prod", "displayName": "Prod"}}},
                      self.stack("Shop"), self.stack("Log", stackName="log-test"))
        self.manifest("cdk.out/assembly-Prod", self.stack("ProdLog2D74", "Prod/Log", stackName="Prod-Log"))
        self.template("cdk.out/Shop.template.json", self.table(TableName="orders"))
        self.template("cdk.out/Log.template.json", self.table())
        self.template("cdk.out/assembly-Prod/ProdLog2D74.template.json", self.table())

    def run_cdk(self, *arguments):
        return self.run_apply("--endpoint", self.endpoint, *arguments, "cdk.out")

    def tables(self):
        return self.client.list_tables()["TableNames"]

    def test_all_stacks(self):
        status, out, err = self.run_cdk()
        self.assertEqual((status, err), (0, ""), out)
        self.assertEqual(self.tables(), ["Prod-Log-Log95422804", "log-test-Log95422804", "orders"])
        status, out, err = self.run_cdk()
        self.assertEqual((status, err), (0, ""), out)
        self.assertEqual(out.count("Nothing to do: 1 table is as the template says\n"), 3, out)
        self.assertIn("Stack Prod/Log\n= table Prod-Log-Log95422804\n", out)

    def test_one_stack_by_its_id_or_its_name(self):
        for name in ("Prod/Log", "Prod-Log"):
            status, out, err = self.run_cdk("--stack", name)
            self.assertEqual((status, err), (0, ""), out)
            self.assertEqual(self.tables(), ["Prod-Log-Log95422804"])
        status, out, err = self.run_cdk("--stack", "Prod")
        self.assertEqual((status, out, err), (
            2, "", "cdk.out: there is no stack Prod (--stack): there are Prod/Log, Shop, Log\n"))

    def test_what_one_stack_may_not_do_leaves_all_as_they_are(self):
        self.assertEqual(self.run_cdk("--stack", "Shop")[0], 0)
        self.template("cdk.out/Shop.template.json", self.table(
            TableName="orders", AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}]))
        status, _, err = self.run_cdk()
        self.assertEqual(status, 1)
        self.assertIn("refused: table orders would be deleted with all its items and made anew", err)
        self.assertEqual(self.tables(), ["orders"])

    def test_two_stacks_with_the_same_table_are_told_before_anything_is_made(self):
        self.template("cdk.out/Log.template.json", self.table(TableName="orders"))
        status, out, err = self.run_cdk()
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(err, r"^cdk\.out/Log\.template\.json:1:\d+: table orders is in stack Shop, too; --stack takes one of them\n$")
        self.assertEqual(self.tables(), [])
        self.assertEqual(self.run_cdk("--stack", "Log")[0], 0)

    def nest(self, folder, parent, **metadata):
        """A nested stack whose URL is that of the file's place in a deployment, with the file that assets are told in."""
        digest = "aae53a883205e35f997b1b4ff99ce0e70bf64fc6b7919c1246b9bc4ef74c6d0e"
        bucket = {"Fn::Sub": "cdk-hnb659fds-assets-${AWS::AccountId}-${AWS::Region}"}
        url = {"Fn::Join": ["", ["https://s3.", {"Ref": "AWS::Region"}, ".", {"Ref": "AWS::URLSuffix"}, "/", bucket, f"/{digest}.json"]]}
        nested = {"Type": "AWS::CloudFormation::Stack", "UpdateReplacePolicy": "Delete", "DeletionPolicy": "Delete",
                  "Properties": {"Parameters": {"referencetoOwnRef": {"Ref": "Own30425842"}}, "TemplateURL": url}, **metadata}
        output = {"Value": {"Fn::GetAtt": ["DataNestedStackResourceEC94013D", "Outputs.ShopDataOrdersRef"]}}
        self.write(json.dumps({"Resources": {"Own30425842": self.table(TableName="own"), "DataNestedStackResourceEC94013D": nested},
                               "Outputs": {"Orders": output}}), f"{folder}/{parent}.template.json")
        named = {"Fn::Join": ["-", ["orders", "of", {"Ref": "referencetoOwnRef"}]]}
        self.write(json.dumps({"Resources": {"OrdersA9B65338": self.table(TableName=named)},
                               "Parameters": {"referencetoOwnRef": {"Type": "String"}},
                               "Outputs": {"ShopDataOrdersRef": {"Value": {"Ref": "OrdersA9B65338"}}}}), f"{folder}/ShopDataAE619EA4.nested.template.json")
        destinations = {"current_account-current_region": {"objectKey": f"{digest}.json"}}
        assets = {digest: {"source": {"path": "ShopDataAE619EA4.nested.template.json", "packaging": "file"}, "destinations": destinations}}
        self.write(json.dumps({"version": "55.0.0", "files": assets}), f"{folder}/{parent}.assets.json")

    def test_a_nested_stack(self):
        self.nest("cdk.out", "Shop")
        status, out, err = self.run_cdk("--stack", "Shop")
        self.assertEqual((status, err), (0, ""), out)
        self.assertEqual(self.tables(), ["orders-of-own", "own"])
        self.assertIn("\nOutputs\n  Orders  orders-of-own\n", out)
        status, out, err = self.run_cdk("--stack", "Shop")
        self.assertEqual((status, err), (0, ""), out)
        self.assertIn("Stack Shop/DataNestedStackResourceEC94013D\n= table orders-of-own\n", out)

    def test_a_nested_stack_of_a_stage_with_metadata(self):
        self.nest("cdk.out/assembly-Prod", "ProdLog2D74", Metadata={"aws:asset:path": "ShopDataAE619EA4.nested.template.json",
                                                                     "aws:asset:property": "TemplateURL"})
        (pathlib.Path(self.folder.name) / "cdk.out/assembly-Prod/ProdLog2D74.assets.json").unlink()
        self.assertEqual(self.run_cdk("--stack", "Prod/Log")[::2], (0, ""))
        self.assertEqual(self.tables(), ["orders-of-own", "own"])

    def test_what_is_refused_within_leaves_all_as_they_are(self):
        self.nest("cdk.out", "Shop")
        self.client.create_table(TableName="orders-of-own", BillingMode="PAY_PER_REQUEST",
                                 AttributeDefinitions=[{"AttributeName": "other", "AttributeType": "S"}],
                                 KeySchema=[{"AttributeName": "other", "KeyType": "HASH"}])
        status, _, err = self.run_cdk("--stack", "Shop")
        self.assertEqual(status, 1)
        self.assertRegex(err, r"^cdk\.out/ShopDataAE619EA4\.nested\.template\.json:1:\d+: refused: table orders-of-own would be deleted")
        self.assertEqual(self.tables(), ["orders-of-own"])

    def test_a_mistake_in_a_template_has_its_place(self):
        self.template("cdk.out/Log.template.json", self.table(BillingMode="NEVER"))
        status, out, err = self.run_cdk()
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(err, r"^cdk\.out/Log\.template\.json:1:\d+: BillingMode must be one of .*\n$")
        self.assertEqual(self.tables(), [])

    def test_what_does_not_go_together(self):
        status, out, err = self.run_cdk("--stack-name", "mine")
        self.assertEqual((status, out, err), (2, "", "cdk.out has 3 stacks: --param and --stack-name need --stack\n"))
        (pathlib.Path(self.folder.name) / "cdk.out" / "manifest.json").unlink()
        self.assertEqual(self.run_cdk(), (2, "", "cdk.out: it has no manifest.json: name a template, or the folder that cdk synth has made\n"))
        status, out, err = self.apply("Resources: {}", "--stack", "x")
        self.assertEqual((status, out, err), (2, "", "shop.yaml: --stack is for a folder of CDK\n"))


if __name__ == "__main__":
    unittest.main()
