"""What the server counts, as CloudWatch tells it: metrics of AWS/DynamoDB, read by boto3."""

import datetime
import random
import unittest

from wire import WireTest, boto3_client, call, clock

PROVISIONED = {"ReadCapacityUnits": 7, "WriteCapacityUnits": 5}
INDEX = {"IndexName": "by-g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}
TABLE = {"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "S"}],
         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}
HOUR = datetime.timedelta(hours=1)


class Published(WireTest):
    server_arguments = ["--memory", "--test-clock", "--transaction-conflicts"]

    def setUp(self):
        super().setUp()
        self.watch = boto3_client(self.server.endpoint, service="cloudwatch")
        self.addCleanup(self.watch.close)
        # Each test in an hour of its own, of a clock that stands still.
        now = clock(self.server.port).json["Now"]
        self.start = datetime.datetime.fromtimestamp((now // 3600 + 2) * 3600, datetime.timezone.utc)
        clock(self.server.port, Now=self.start.timestamp(), Running=False)

    def make(self, name, provisioned=False):
        index = {**INDEX, **({"ProvisionedThroughput": PROVISIONED} if provisioned else {})}
        billing = {"ProvisionedThroughput": PROVISIONED} if provisioned else {"BillingMode": "PAY_PER_REQUEST"}
        self.client.create_table(TableName=name, GlobalSecondaryIndexes=[index], **TABLE, **billing)

    def points(self, metric, unit="Count", period=60, namespace="AWS/DynamoDB", **dimensions):
        return sorted(self.watch.get_metric_statistics(
            Namespace=namespace, MetricName=metric, StartTime=self.start, EndTime=self.start + HOUR, Period=period, Unit=unit,
            Dimensions=[{"Name": name, "Value": value} for name, value in dimensions.items()],
            Statistics=["Sum", "SampleCount", "Minimum", "Maximum"])["Datapoints"], key=lambda point: point["Timestamp"])

    def total(self, metric, **dimensions):
        return sum(point["Sum"] for point in self.points(metric, **dimensions))

    def test_units_are_those_that_replies_tell(self):
        """A random mix: the sums of ReturnConsumedCapacity, by table and index, reads and writes."""
        rng, expected, count = random.Random(1), {}, {}
        self.make("mix-a")
        self.make("mix-b")

        def add(kind, consumed):
            for part in consumed if isinstance(consumed, list) else [consumed]:
                parts = {None: part["CapacityUnits"]}
                for name, units in part.get("GlobalSecondaryIndexes", {}).items():
                    parts[name] = units["CapacityUnits"]
                    parts[None] -= units["CapacityUnits"]
                for index, units in parts.items():
                    if units:
                        at = (kind, part["TableName"], index)
                        expected[at] = expected.get(at, 0) + units
                        count[at] = count.get(at, 0) + 1

        def item():
            size = rng.choice([10, 900, 3000, 9000])
            return {"pk": {"S": str(rng.randrange(30))}, "g": {"S": rng.choice("xyz")}, "b": {"S": "v" * size}}

        client, more = self.client, {"ReturnConsumedCapacity": "INDEXES"}
        for _ in range(150):
            table, key = rng.choice(["mix-a", "mix-b"]), {"pk": {"S": str(rng.randrange(30))}}
            kind = rng.randrange(8)
            if kind == 0:
                add("Write", client.put_item(TableName=table, Item=item(), **more)["ConsumedCapacity"])
            elif kind == 1:
                add("Read", client.get_item(TableName=table, Key=key, ConsistentRead=rng.random() < 0.5, **more)["ConsumedCapacity"])
            elif kind == 2:
                add("Write", client.delete_item(TableName=table, Key=key, **more)["ConsumedCapacity"])
            elif kind == 3:
                add("Read", client.query(TableName=table, IndexName="by-g", KeyConditionExpression="g = :g",
                                         ExpressionAttributeValues={":g": {"S": "x"}}, **more)["ConsumedCapacity"])
            elif kind == 4:
                add("Read", client.scan(TableName=table, Limit=rng.randrange(1, 9), **more)["ConsumedCapacity"])
            elif kind == 5:
                items = {i["pk"]["S"]: i for i in (item() for _ in range(4))}.values()
                add("Write", client.batch_write_item(RequestItems={
                    name: [{"PutRequest": {"Item": i}} for i in items] for name in ("mix-a", "mix-b")}, **more)["ConsumedCapacity"])
            elif kind == 6:
                add("Write", client.transact_write_items(TransactItems=[
                    {"Put": {"TableName": name, "Item": item()}} for name in ("mix-a", "mix-b")], **more)["ConsumedCapacity"])
            else:
                add("Read", client.transact_get_items(TransactItems=[
                    {"Get": {"TableName": name, "Key": key}} for name in ("mix-a", "mix-b")], **more)["ConsumedCapacity"])
            if rng.random() < 0.1:
                clock(self.server.port, Advance=rng.randrange(1, 90))
        for (kind, table, index), units in expected.items():
            dimensions = {"TableName": table, **({"GlobalSecondaryIndexName": index} if index else {})}
            points = self.points(f"Consumed{kind}CapacityUnits", **dimensions)
            with self.subTest(kind=kind, **dimensions):
                self.assertEqual(sum(point["Sum"] for point in points), units)
                self.assertEqual(sum(point["SampleCount"] for point in points), count[kind, table, index])
        self.assertEqual(len(expected), 8)

    def test_minutes(self):
        """What was counted before the clock is moved belongs to the minute before."""
        self.make("minutes")
        for requests in (1, 3, 2):
            for _ in range(requests):
                self.client.get_item(TableName="minutes", Key={"pk": {"S": "a"}}, ConsistentRead=True)
            clock(self.server.port, Advance=60)
        points = self.points("ConsumedReadCapacityUnits", TableName="minutes")
        self.assertEqual([(point["Sum"], point["SampleCount"], point["Minimum"], point["Maximum"]) for point in points],
                         [(1, 1, 1, 1), (3, 3, 1, 1), (2, 2, 1, 1)])
        self.assertEqual([point["Timestamp"] for point in points],
                         [self.start + datetime.timedelta(minutes=n) for n in range(3)])

    def test_extremes_are_of_their_minute(self):
        self.make("extremes")
        for size in (100, 5000):
            self.client.put_item(TableName="extremes", Item={"pk": {"S": "a"}, "b": {"S": "v" * size}})
        clock(self.server.port, Advance=60)
        self.client.put_item(TableName="extremes", Item={"pk": {"S": "b"}})
        points = self.points("ConsumedWriteCapacityUnits", TableName="extremes")
        self.assertEqual([(point["Minimum"], point["Maximum"]) for point in points], [(1, 5), (1, 1)])

    def test_latency(self):
        self.make("latency")
        for _ in range(20):
            self.client.get_item(TableName="latency", Key={"pk": {"S": "a"}})
        call(self.server.port, "GetItem", {"TableName": "latency", "Key": {}})
        answer = self.watch.get_metric_statistics(
            Namespace="AWS/DynamoDB", MetricName="SuccessfulRequestLatency", StartTime=self.start, EndTime=self.start + HOUR,
            Period=60, Dimensions=[{"Name": "TableName", "Value": "latency"}, {"Name": "Operation", "Value": "GetItem"}],
            ExtendedStatistics=["p50", "p99"])["Datapoints"]
        self.assertEqual(len(answer), 1)
        self.assertEqual(answer[0]["Unit"], "Milliseconds")
        found = self.points("SuccessfulRequestLatency", unit="Milliseconds", TableName="latency", Operation="GetItem")[0]
        self.assertEqual(found["SampleCount"], 20)
        p50, p99 = (answer[0]["ExtendedStatistics"][name] for name in ("p50", "p99"))
        self.assertTrue(0 < found["Minimum"] * 0.8 <= p50 <= p99 <= found["Maximum"] * 1.2 < 10000, (found, p50, p99))

    def test_events(self):
        self.make("events")
        put = {"TableName": "events", "Item": {"pk": {"S": "a"}, "g": {"S": "x"}}}
        self.client.put_item(**put)
        for _ in range(3):
            call(self.server.port, "PutItem", {**put, "ConditionExpression": "attribute_not_exists(pk)"})
        call(self.server.port, "PutItem", {"TableName": "events", "Item": {}})
        call(self.server.port, "Nonsense", {})
        self.client.scan(TableName="events")
        self.client.update_time_to_live(TableName="events", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
        self.assertEqual(self.total("ConditionalCheckFailedRequests", TableName="events"), 3)
        self.assertEqual(self.total("ReturnedItemCount", TableName="events", Operation="Scan"), 1)
        self.assertEqual(self.total("UserErrors"), 2)
        self.assertEqual(self.points("SystemErrors", TableName="events", Operation="PutItem"), [])

    def test_a_metric_comes_with_its_first_event(self):
        self.make("listed")
        names = lambda: {metric["MetricName"] for metric in self.watch.list_metrics(
            Namespace="AWS/DynamoDB", Dimensions=[{"Name": "TableName", "Value": "listed"}])["Metrics"]}
        self.assertEqual(names(), set())
        self.client.get_item(TableName="listed", Key={"pk": {"S": "a"}})
        self.assertEqual(names(), {"ConsumedReadCapacityUnits", "SuccessfulRequestLatency"})

    def test_settings_every_five_minutes(self):
        self.make("settings", provisioned=True)
        clock(self.server.port, Advance=601)
        for name, units in (("ProvisionedReadCapacityUnits", 7), ("ProvisionedWriteCapacityUnits", 5)):
            for dimensions in ({}, {"GlobalSecondaryIndexName": "by-g"}):
                points = self.points(name, TableName="settings", period=300, **dimensions)
                self.assertEqual([point["Maximum"] for point in points], [units], (name, dimensions))
                self.assertEqual(points[0]["Timestamp"], self.start + datetime.timedelta(minutes=10))
        self.assertEqual(self.points("AccountMaxReads", period=300)[0]["Maximum"], 80000)
        self.assertEqual(self.points("AccountProvisionedReadCapacityUtilization", unit="Percent", period=300)[0]["Maximum"],
                         100 * 14 / 80000)
        count = self.points("ResourceCount", unit="None", period=300, namespace="AWS/Usage", Service="DynamoDB", Type="Resource",
                            Resource="TableCount", Class="None")
        self.assertEqual([point["Maximum"] for point in count], [1])

    def test_streams(self):
        self.client.create_table(TableName="streamed", BillingMode="PAY_PER_REQUEST", KeySchema=TABLE["KeySchema"],
                                 AttributeDefinitions=TABLE["AttributeDefinitions"][:1],
                                 StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
        self.client.put_item(TableName="streamed", Item={"pk": {"S": "a"}})
        streams = boto3_client(self.server.endpoint, service="dynamodbstreams")
        self.addCleanup(streams.close)
        arn = streams.list_streams(TableName="streamed")["Streams"][0]["StreamArn"]
        read = 0
        for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
            iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
            read += len(streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"])
        self.assertEqual(read, 1)
        where = {"TableName": "streamed", "Operation": "GetRecords", "StreamLabel": arn.rsplit("/", 1)[1]}
        self.assertEqual(self.total("ReturnedRecordsCount", **where), 1)
        self.assertGreater(self.total("ReturnedBytes", unit="Bytes", **where), 0)


if __name__ == "__main__":
    unittest.main()
