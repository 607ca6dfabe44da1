"""Tags of tables through boto3 and the AWS CLI: pages, limits, and that they stay."""

import json
import tempfile
import unittest

import shell
from server import Server
from wire import ACCOUNT, REGION, WireTest, boto3_client

ARN = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/table"


def tags(count, value="v", start=0):
    return [{"Key": f"key{number:02}", "Value": value} for number in range(start, start + count)]


def all_tags(client):
    return [tag for page in client.get_paginator("list_tags_of_resource").paginate(ResourceArn=ARN) for tag in page["Tags"]]


class Tags(WireTest):
    def test_fifty_tags_are_the_most(self):
        self.create(Tags=tags(30))
        self.client.tag_resource(ResourceArn=ARN, Tags=tags(30, "new", start=20))
        self.assertEqual(all_tags(self.client), tags(20) + tags(30, "new", start=20))
        self.assert_refused("ValidationException: Number of Tags exceed the current limit for the provided ResourceArn",
                            self.client.tag_resource, ResourceArn=ARN, Tags=tags(1, start=50))
        # Nothing of a refused request is kept; what replaces is no more than before.
        self.assert_refused("ValidationException: Number of Tags exceed the current limit for the provided ResourceArn",
                            self.client.tag_resource, ResourceArn=ARN, Tags=tags(2, "newer", start=49))
        self.client.tag_resource(ResourceArn=ARN, Tags=tags(50, "newest"))
        self.assertEqual(all_tags(self.client), tags(50, "newest"))
        self.assert_refused("ValidationException: Number of Tags exceed the current limit for the provided ResourceArn",
                            self.client.tag_resource, ResourceArn=ARN, Tags=tags(51))

    def test_all_together_have_a_size(self):
        self.create(Tags=tags(30, "v" * 256))
        self.assert_refused("ValidationException: Tag set size 10440 bytes is above max size limit of 10240 bytes",
                            self.client.tag_resource, ResourceArn=ARN, Tags=tags(10, "v" * 256, start=30))
        self.assertEqual(len(all_tags(self.client)), 30)

    def test_removing_all(self):
        self.create(Tags=tags(3))
        self.client.untag_resource(ResourceArn=ARN, TagKeys=["key00", "key01", "key02"])
        self.assertEqual(self.client.list_tags_of_resource(ResourceArn=ARN)["Tags"], [])

    def test_the_aws_cli(self):
        self.create()

        def aws(arguments):
            status, out, err = shell.run(f"aws dynamodb --endpoint-url {self.server.endpoint} {arguments}")
            self.assertEqual((status, err), (0, ""), out)
            return json.loads(out) if out.strip() else None

        self.assertIsNone(aws(f"tag-resource --resource-arn {ARN} --tags Key=team,Value=blue 'Key=cost centre,Value=4 @ 2'"))
        self.assertEqual(aws(f"list-tags-of-resource --resource-arn {ARN}"), {
            "Tags": [{"Key": "cost centre", "Value": "4 @ 2"}, {"Key": "team", "Value": "blue"}]})
        self.assertIsNone(aws(f"untag-resource --resource-arn {ARN} --tag-keys team"))
        self.assertEqual(aws(f"list-tags-of-resource --resource-arn {ARN}"),
                         {"Tags": [{"Key": "cost centre", "Value": "4 @ 2"}]})


class Restart(unittest.TestCase):
    def test_tags_and_ttl_survive_kill(self):
        with tempfile.TemporaryDirectory() as data:
            with Server("--data", data) as server:
                client = boto3_client(server.endpoint)
                client.create_table(TableName="table", BillingMode="PAY_PER_REQUEST", Tags=tags(2),
                                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                                    KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
                client.tag_resource(ResourceArn=ARN, Tags=tags(1, "é"))
                client.update_time_to_live(TableName="table",
                                           TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
                server.kill()
            with Server("--data", data) as server:
                client = boto3_client(server.endpoint)
                self.assertEqual(all_tags(client), tags(1, "é") + tags(1, start=1))
                self.assertEqual(client.describe_time_to_live(TableName="table")["TimeToLiveDescription"],
                                 {"TimeToLiveStatus": "ENABLED", "AttributeName": "ends"})


if __name__ == "__main__":
    unittest.main()
