"""Data that was written under one account and region, served under others: every ARN follows the server."""

import json
import tempfile
import unittest

from recovery import wait_active, wait_available
from server import Server
from wire import ACCOUNT, REGION, boto3_client

OTHER = "123456789012"


class Account(unittest.TestCase):
    def test_arns_follow_the_server(self):
        with tempfile.TemporaryDirectory() as data:
            with Server("--data", data) as server:
                client = boto3_client(server.endpoint)
                table = client.create_table(
                    TableName="table", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                    StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})["TableDescription"]
                self.assertIn(ACCOUNT, table["TableArn"])
                backup = client.create_backup(TableName="table", BackupName="one")["BackupDetails"]["BackupArn"]
                wait_available(client, backup)
                client.restore_table_from_backup(TargetTableName="copy", BackupArn=backup)
                wait_active(client, "copy")
            with Server("--data", data, "--account", OTHER) as server:
                client = boto3_client(server.endpoint)
                moved = {arn: arn.replace(ACCOUNT, OTHER) for arn in (table["TableArn"], table["LatestStreamArn"], backup)}
                streams = boto3_client(server.endpoint, service="dynamodbstreams")
                self.assertEqual([stream["StreamArn"] for stream in streams.list_streams()["Streams"]],
                                 [moved[table["LatestStreamArn"]]])
                self.assertEqual(streams.describe_stream(StreamArn=moved[table["LatestStreamArn"]])["StreamDescription"]
                                 ["TableName"], "table")
                self.assertEqual(client.describe_backup(BackupArn=moved[backup])["BackupDescription"]["SourceTableDetails"]
                                 ["TableArn"], moved[table["TableArn"]])
                summary = client.describe_table(TableName="copy")["Table"]["RestoreSummary"]
                self.assertEqual((summary["SourceBackupArn"], summary["SourceTableArn"]), (moved[backup], moved[table["TableArn"]]))
                for name in ("table", "copy"):
                    self.assertNotIn(ACCOUNT, json.dumps(client.describe_table(TableName=name)["Table"], default=str))
            with Server("--data", data, "--region", "eu-west-3") as server:
                summary = boto3_client(server.endpoint).describe_table(TableName="copy")["Table"]["RestoreSummary"]
                self.assertEqual(summary["SourceTableArn"], table["TableArn"].replace(REGION, "eu-west-3"))


if __name__ == "__main__":
    unittest.main()
