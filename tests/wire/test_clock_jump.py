"""A system clock that is wrong for some seconds: nothing is lost by it."""

import os
import pathlib
import struct
import tempfile
import time
import unittest

from server import Server, binary
from waiting import wait_until
from wire import boto3_client

DAY_S = 86400
SHIM = pathlib.Path(binary()).parent / "tests/wire/shifted_clock.so"


@unittest.skipUnless(SHIM.exists(), "needs the shim that a build with tests has")
class WrongForAMoment(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.off = self.folder / "off"
        self.shim = self.folder / SHIM.name
        self.shim.symlink_to(SHIM.resolve())  # LD_PRELOAD takes no path with a blank
        self.set_clock(0)

    def set_clock(self, seconds_off):
        with open(self.off, "r+b" if self.off.exists() else "wb") as file:
            file.write(struct.pack("q", seconds_off))

    def server(self, *options):
        wrong = {"LD_PRELOAD": str(self.shim), "GRAMME_CLOCK_OFF": str(self.off),
                 "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        before = {name: os.environ.get(name) for name in wrong}
        os.environ.update(wrong)
        try:
            return Server("--data", self.folder / "data", *options).start()
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})

    def fill(self, client):
        client.create_table(TableName="times", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
        client.update_time_to_live(TableName="times", TimeToLiveSpecification={"Enabled": True, "AttributeName": "end"})
        client.update_continuous_backups(TableName="times", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        client.put_item(TableName="times", Item={"pk": {"S": "kept"}, "end": {"N": str(int(time.time()) + DAY_S)}})

    def let_it_look(self, client):
        """Waits until expired items of two rounds are deleted: then the server has looked at all items once."""
        for _ in range(2):
            client.put_item(TableName="times", Item={"pk": {"S": "over"}, "end": {"N": str(int(time.time()) - DAY_S)}})
            wait_until(lambda: "Item" not in client.get_item(TableName="times", Key={"pk": {"S": "over"}}), "a round")

    def records(self, streams, arn):
        records = []
        for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
            iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
            records += streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
        return records

    def test_nothing_expires(self):
        server = self.server()
        self.addCleanup(server.stop)
        client, streams = boto3_client(server.endpoint), boto3_client(server.endpoint, service="dynamodbstreams")
        self.fill(client)
        self.set_clock(400 * DAY_S)
        wait_until(lambda: "the system's clock jumped by +34560000 seconds" in server.error_text())
        client.put_item(TableName="times", Item={"pk": {"S": "meanwhile"}})
        self.let_it_look(client)
        self.set_clock(0)
        wait_until(lambda: "the system's clock is right again" in server.error_text())
        self.assertEqual({item["pk"]["S"] for item in client.scan(TableName="times")["Items"]}, {"kept", "meanwhile"})
        records = self.records(streams, client.describe_table(TableName="times")["Table"]["LatestStreamArn"])
        self.assertEqual([record["eventName"] for record in records if record["dynamodb"]["Keys"]["pk"]["S"] != "over"], ["INSERT", "INSERT"])
        made = [record["dynamodb"]["ApproximateCreationDateTime"].timestamp() for record in records]
        self.assertLess(max(made), time.time() + 60)
        backups = client.describe_continuous_backups(TableName="times")["ContinuousBackupsDescription"]
        latest = backups["PointInTimeRecoveryDescription"]["LatestRestorableDateTime"].timestamp()
        self.assertLess(abs(latest - time.time()), 600)

    def test_who_follows_at_once_loses(self):
        """The canary: without the hold the same jump does expire the item."""
        server = self.server("--clock-hold", "0")
        self.addCleanup(server.stop)
        client = boto3_client(server.endpoint)
        self.fill(client)
        self.set_clock(400 * DAY_S)
        wait_until(lambda: "it is followed" in server.error_text())
        wait_until(lambda: client.scan(TableName="times")["Count"] == 0)


if __name__ == "__main__":
    unittest.main()
