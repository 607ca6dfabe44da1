"""What the tests of backups and of point-in-time recovery share."""

from waiting import wait_until
from wire import WAITER, WireTest

INDEXED = {
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind}
                             for name, kind in (("pk", "S"), ("sk", "N"), ("g", "S"), ("l", "N"))],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "LocalSecondaryIndexes": [{
        "IndexName": "local", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "w"]},
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}]}],
    "GlobalSecondaryIndexes": [{
        "IndexName": "global", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
        "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}],
    "ProvisionedThroughput": {"ReadCapacityUnits": 10, "WriteCapacityUnits": 20},
}


def key(number):
    return {"pk": {"S": f"p{number % 7}"}, "sk": {"N": str(number)}}


def item(number, version=1, bytes=10):
    return {**key(number), "g": {"S": f"g{version}"}, "l": {"N": str(version)}, "x": {"S": "x" * bytes}}


def wait_active(client, name):
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig=WAITER)


def wait_available(client, arn):
    def available():
        details = client.describe_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]
        return details if details["BackupStatus"] == "AVAILABLE" else None

    return wait_until(available, f"AVAILABLE for {arn}")


def scan(client, name, **options):
    """All items, or entries, by their sort key."""
    pages = client.get_paginator("scan").paginate(TableName=name, **options)
    return {int(found["sk"]["N"]): found for page in pages for found in page["Items"]}


def turn_on(client, name="table"):
    client.update_continuous_backups(TableName=name,
                                     PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})


class RecoveryTest(WireTest):
    """A server with a clock that is moved, and a table with indexes."""

    server_arguments = ["--memory", "--test-clock"]

    def setUp(self):
        super().setUp()
        for summary in self.client.list_backups()["BackupSummaries"]:
            wait_available(self.client, summary["BackupArn"])
            self.client.delete_backup(BackupArn=summary["BackupArn"])

    def create_indexed(self, name="table", **options):
        self.client.create_table(TableName=name, **{**INDEXED, **options})
        wait_active(self.client, name)

    def put(self, number, version=1, name="table", bytes=10):
        self.client.put_item(TableName=name, Item=item(number, version, bytes))

    def fill(self, count, bytes=10, name="table"):
        for start in range(0, count, 20):
            self.client.batch_write_item(RequestItems={name: [
                {"PutRequest": {"Item": item(n, 1, bytes)}} for n in range(start, min(start + 20, count))]})

    def backup(self, name="table", backup="some-backup"):
        return self.client.create_backup(TableName=name, BackupName=backup)["BackupDetails"]["BackupArn"]

    def assert_restored(self, name, expected):
        """The table has exactly these items, and its indexes agree; {sort key: version}."""
        wait_active(self.client, name)
        found = scan(self.client, name)
        self.assertEqual({n: int(i["l"]["N"]) for n, i in found.items()}, expected)
        self.assertEqual(scan(self.client, name, IndexName="global"), found)
        self.assertEqual({n: int(i["l"]["N"]) for n, i in scan(self.client, name, IndexName="local").items()}, expected)
        table = self.client.describe_table(TableName=name)["Table"]
        self.assertEqual([table["ItemCount"], table["GlobalSecondaryIndexes"][0]["ItemCount"],
                          table["LocalSecondaryIndexes"][0]["ItemCount"]], [len(expected)] * 3)
