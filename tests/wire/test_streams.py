"""Streams, as boto3, the AWS CLI and a reader like the Kinesis Client Library see them."""

import json
import threading
import unittest

import shell
from stream_reader import StreamReader, changes
from wire import WireTest, boto3_client, call, only

HOUR = 3600


def streams_client(endpoint):
    return boto3_client(endpoint, service="dynamodbstreams")


class StreamTest(WireTest):
    server_arguments = ["--memory", "--test-clock"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.streams = streams_client(cls.server.endpoint)

    @classmethod
    def tearDownClass(cls):
        cls.streams.close()
        super().tearDownClass()

    def create_streaming(self, view="NEW_AND_OLD_IMAGES", name="table", **options):
        """Creates a table with a stream; returns the stream's ARN."""
        self.create(name, StreamSpecification={"StreamEnabled": True, "StreamViewType": view}, **options)
        return self.client.describe_table(TableName=name)["Table"]["LatestStreamArn"]

    def exchange(self, operation, body):
        reply = call(self.server.port, operation, body)
        return reply.status, reply.json

    def reader(self, arn, **options):
        return StreamReader(self.exchange, arn, **options)

    def put(self, key, table="table", **attributes):
        self.client.put_item(TableName=table, Item={"pk": {"S": key}, **attributes})

    def delete(self, key):
        self.client.delete_item(TableName="table", Key={"pk": {"S": key}})


class Records(StreamTest):
    def shown(self, record):
        """What a record tells: event, keys, and images by name."""
        change = record["dynamodb"]
        return (record["eventName"], change["Keys"], {name: change[name] for name in ("NewImage", "OldImage") if name in change})

    def test_views(self):
        one, two = ({"pk": {"S": "a"}, "n": {"N": n}} for n in "12")
        key = {"pk": {"S": "a"}}
        expected = {
            "KEYS_ONLY": [{}, {}, {}],
            "NEW_IMAGE": [{"NewImage": one}, {"NewImage": two}, {}],
            "OLD_IMAGE": [{}, {"OldImage": one}, {"OldImage": two}],
            "NEW_AND_OLD_IMAGES": [{"NewImage": one}, {"NewImage": two, "OldImage": one}, {"OldImage": two}],
        }
        for view, images in expected.items():
            with self.subTest(view):
                arn = self.create_streaming(view, view)
                for item in (one, one, two):
                    self.client.put_item(TableName=view, Item=item)
                for _ in range(2):
                    self.client.delete_item(TableName=view, Key=key)
                records = changes(self.reader(arn).catch_up())
                self.assertEqual([self.shown(record) for record in records],
                                 [(event, key, image) for event, image in zip(("INSERT", "MODIFY", "REMOVE"), images)])
                for record in records:
                    self.assertEqual(record["dynamodb"]["StreamViewType"], view)
                    self.assertEqual(record["dynamodb"]["SizeBytes"], 3 + sum(6 for _ in self.shown(record)[2]))
                    self.assertRegex(record["eventID"], "^[0-9a-f]{32}$")
                    self.assertRegex(record["dynamodb"]["SequenceNumber"], "^[0-9]{21}$")
                self.assertEqual(len({record["eventID"] for record in records}), 3)

    def test_every_kind_of_write(self):
        arn = self.create_streaming("NEW_IMAGE")
        self.put("a")
        self.client.batch_write_item(RequestItems={"table": [{"PutRequest": {"Item": {"pk": {"S": "b"}}}},
                                                             {"DeleteRequest": {"Key": {"pk": {"S": "a"}}}}]})
        self.client.transact_write_items(TransactItems=[
            {"Put": {"TableName": "table", "Item": {"pk": {"S": "c"}}}},
            {"Update": {"TableName": "table", "Key": {"pk": {"S": "d"}}, "UpdateExpression": "SET n = :n",
                        "ExpressionAttributeValues": {":n": {"N": "1"}}}}])
        self.client.execute_statement(Statement="UPDATE \"table\" SET n = 2 WHERE pk = 'd'")
        with self.assertRaises(self.client.exceptions.TransactionCanceledException):
            self.client.transact_write_items(TransactItems=[
                {"Put": {"TableName": "table", "Item": {"pk": {"S": "e"}}}},
                {"ConditionCheck": {"TableName": "table", "Key": {"pk": {"S": "f"}}, "ConditionExpression": "attribute_exists(pk)"}}])
        with self.assertRaises(self.client.exceptions.ConditionalCheckFailedException):
            self.client.put_item(TableName="table", Item={"pk": {"S": "c"}}, ConditionExpression="attribute_not_exists(pk)")
        records = sorted(changes(self.reader(arn).catch_up()), key=lambda record: record["dynamodb"]["SequenceNumber"])
        self.assertEqual([(record["eventName"], record["dynamodb"]["Keys"]["pk"]["S"]) for record in records],
                         [("INSERT", "a"), ("INSERT", "b"), ("REMOVE", "a"), ("INSERT", "c"), ("INSERT", "d"), ("MODIFY", "d")])

    def test_expired_items_say_so(self):
        arn = self.create_streaming("KEYS_ONLY")
        self.client.update_time_to_live(TableName="table", TimeToLiveSpecification={"Enabled": True, "AttributeName": "t"})
        now = int(self.advance(1))
        self.put("a", t={"N": str(now)})
        self.advance(10)
        reader = self.reader(arn)
        while len(changes(reader)) < 2:
            reader.read_all()
        insert, remove = changes(reader)
        self.assertNotIn("userIdentity", insert)
        self.assertEqual((remove["eventName"], remove["userIdentity"]),
                         ("REMOVE", {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}))

    def test_pages_end_at_a_megabyte(self):
        arn = self.create_streaming("NEW_IMAGE")
        for n in range(6):
            self.put("a", x={"S": "x" * 300_000}, n={"N": str(n)})
        reader = self.reader(arn)
        reader.discover()
        batches = [count for count in (reader.read(shard) for _ in range(3) for shard in reader.checkpoints) if count]
        self.assertEqual(batches, [3, 3])

    def test_pages_end_at_the_limit(self):
        arn = self.create_streaming("KEYS_ONLY", BillingMode="PROVISIONED",
                                    ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
        for n in range(300):
            self.put("a", n={"N": str(n)})
        whole, small = self.reader(arn).catch_up(), self.reader(arn, limit=7).catch_up()
        self.assertEqual(len(changes(whole)), 300)
        self.assertEqual(whole.records, small.records)
        shard = self.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
        iterator = self.streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        page = self.streams.get_records(ShardIterator=iterator)
        self.assertEqual(len(page["Records"]), 300)  # more than an I/O thread does by itself
        self.assertEqual(self.streams.get_records(ShardIterator=page["NextShardIterator"])["Records"], [])

    def test_latest_sees_what_comes_later_only(self):
        arn = self.create_streaming("KEYS_ONLY")
        for n in range(20):
            self.put("before", n={"N": str(n)})
            shards = self.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
            iterators = [self.streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="LATEST")
                         ["ShardIterator"] for shard in shards]
            self.put("after", n={"N": str(n)})
            keys = [record["dynamodb"]["Keys"]["pk"]["S"] for iterator in iterators
                    for record in self.streams.get_records(ShardIterator=iterator)["Records"]]
            self.assertEqual(keys, ["after"])


class Lineage(StreamTest):
    def test_children_follow_their_parents(self):
        arn = self.create_streaming()
        reader, expected = self.reader(arn), []
        for n in range(9):  # nine times three hours: the first of them are gone in the end
            for key in "abcdefgh":
                self.put(key, n={"N": str(n)})
                expected.append((key, n))
            reader.catch_up()
            self.advance(3 * HOUR)
        reader.catch_up()
        self.assertGreater(len({shard.split("-")[1] for shard in reader.records}), 5)
        seen = [(record["dynamodb"]["Keys"]["pk"]["S"], int(record["dynamodb"]["NewImage"]["n"]["N"])) for record in changes(reader)]
        self.assertEqual(sorted(seen), sorted(expected))
        for key in "abcdefgh":  # each key in order, over all generations
            self.assertEqual([n for seen_key, n in seen if seen_key == key], list(range(9)))
        # One that starts now finds the last day.
        late = changes(self.reader(arn).catch_up())
        self.assertEqual({int(record["dynamodb"]["NewImage"]["n"]["N"]) for record in late}, set(range(2, 9)))

    def test_a_reader_that_dies_goes_on(self):
        arn = self.create_streaming("KEYS_ONLY")
        seen, checkpoints = {}, {}
        for n in range(200):
            self.put(str(n % 17), n={"N": str(n)})
            if n % 20 == 0:
                self.advance(HOUR // 2)
            if n % 10 == 9:
                reader = self.reader(arn, checkpoints=checkpoints, limit=3)
                reader.read_all()
                checkpoints = reader.checkpoints
                for shard, records in reader.records.items():
                    seen.setdefault(shard, []).extend(records)
        last = self.reader(arn, checkpoints=checkpoints).catch_up()
        for shard, records in last.records.items():
            seen.setdefault(shard, []).extend(records)
        whole = self.reader(arn).catch_up()
        self.assertEqual({shard: records for shard, records in seen.items() if records},
                         {shard: records for shard, records in whole.records.items() if records})
        self.assertEqual(len(changes(whole)), 200)

    def test_an_idle_reader_is_not_trimmed(self):
        arn = self.create_streaming("KEYS_ONLY", BillingMode="PROVISIONED",
                                    ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
        self.put("a")
        reader = self.reader(arn).catch_up()
        for _ in range(40):
            self.advance(14 * 60)
            reader.catch_up()
        for key in "bcdef":  # also in the moment in which the time has come and the shards have not ended yet
            self.advance(30 * HOUR)
            reader = self.reader(arn).catch_up()
            self.put(key)
            reader.catch_up()
            self.assertEqual([record["dynamodb"]["Keys"]["pk"]["S"] for record in changes(reader)], [key])

    def test_paging_and_filtering_shards(self):
        arn = self.create_streaming()
        self.advance(9 * HOUR)
        shards = self.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        ids = [shard["ShardId"] for shard in shards]
        self.assertEqual((len(ids), ids), (12, sorted(ids)))
        for shard in shards[:4]:
            self.assertNotIn("ParentShardId", shard)
        for shard in shards[4:]:
            self.assertLess(shard["ParentShardId"], shard["ShardId"])
        self.assertEqual([("EndingSequenceNumber" in shard["SequenceNumberRange"]) for shard in shards], [True] * 8 + [False] * 4)
        for parent in ids:
            children = self.call("DescribeStream", {  # older clients do not know the filter
                "StreamArn": arn, "ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": parent}})
            self.assertEqual([shard["ShardId"] for shard in children.json["StreamDescription"]["Shards"]],
                             [shard["ShardId"] for shard in shards if shard.get("ParentShardId") == parent])
        beyond = self.streams.describe_stream(StreamArn=arn, ExclusiveStartShardId="z" * 40)["StreamDescription"]
        self.assertEqual((beyond["Shards"], "LastEvaluatedShardId" in beyond), ([], False))


class Listing(StreamTest):
    def test_pages(self):
        # Streams of tables that other tests deleted are listed too, so the names are new.
        names = [f"list.{n:02}" for n in range(7)]
        arns = [self.create_streaming("KEYS_ONLY", name) for name in names]
        seen, start = [], {}
        while True:
            page = self.streams.list_streams(Limit=3, **start)
            seen += [stream["StreamArn"] for stream in page["Streams"]]
            if "LastEvaluatedStreamArn" not in page:
                break
            start = {"ExclusiveStartStreamArn": page["LastEvaluatedStreamArn"]}
        self.assertEqual([arn for arn in seen if "/list." in arn], arns)
        page = self.streams.list_streams(TableName=names[3])
        self.assertEqual(only(page), {"Streams": [{"StreamArn": arns[3], "TableName": names[3], "StreamLabel": arns[3].split("/stream/")[1]}]})

    def test_off_and_on(self):
        first = self.create_streaming("KEYS_ONLY", "toggled")
        self.put("a", "toggled")
        self.client.update_table(TableName="toggled", StreamSpecification={"StreamEnabled": False})
        table = self.client.describe_table(TableName="toggled")["Table"]
        self.assertEqual((table["LatestStreamArn"], "StreamSpecification" in table), (first, False))
        self.put("b", "toggled")
        self.client.update_table(TableName="toggled", StreamSpecification={"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"})
        second = self.client.describe_table(TableName="toggled")["Table"]["LatestStreamArn"]
        self.put("c", "toggled")
        self.client.delete_table(TableName="toggled")
        self.assertNotEqual(first, second)
        for arn, view, key in ((first, "KEYS_ONLY", "a"), (second, "OLD_IMAGE", "c")):
            description = self.streams.describe_stream(StreamArn=arn)["StreamDescription"]
            self.assertEqual((description["StreamStatus"], description["StreamViewType"]), ("DISABLED", view))
            reader = self.reader(arn).catch_up()
            self.assertEqual([record["dynamodb"]["Keys"]["pk"]["S"] for record in changes(reader)], [key])
            self.assertEqual(set(reader.checkpoints.values()), {"SHARD_END"})
        self.advance(24 * HOUR + 1)
        self.assertEqual(self.streams.list_streams(TableName="toggled")["Streams"], [])
        self.assert_refused(f"ResourceNotFoundException: Requested resource not found: Stream: {first} not found",
                            self.streams.describe_stream, StreamArn=first)


class Threads(StreamTest):
    """Writers and readers at once; `make check` also runs this with ThreadSanitizer."""

    def test_readers_see_all_that_writers_write(self):
        arn = self.create_streaming("NEW_IMAGE")
        done, failures, readers = threading.Event(), [], [self.reader(arn, limit=50) for _ in range(3)]

        def write(worker):
            for n in range(150):
                if self.exchange("PutItem", {"TableName": "table", "Item": {"pk": {"S": f"{worker}"}, "n": {"N": str(n)}}})[0] != 200:
                    failures.append((worker, n))

        def read(reader):
            while not done.is_set():
                reader.read_all()
            reader.catch_up()

        writing = [threading.Thread(target=write, args=(worker,)) for worker in range(6)]
        reading = [threading.Thread(target=read, args=(reader,)) for reader in readers]
        for thread in writing + reading:
            thread.start()
        for n in range(4):  # shards come to their ends meanwhile
            self.advance(2 * HOUR)
        for thread in writing:
            thread.join()
        done.set()
        for thread in reading:
            thread.join()
        self.assertEqual(failures, [])
        for reader in readers:
            seen = [(record["dynamodb"]["Keys"]["pk"]["S"], int(record["dynamodb"]["NewImage"]["n"]["N"])) for record in changes(reader)]
            for worker in range(6):
                self.assertEqual([n for key, n in seen if key == str(worker)], list(range(150)))


class AwsCli(StreamTest):
    def aws(self, arguments):
        status, out, err = shell.run(f"aws dynamodbstreams --endpoint-url {self.server.endpoint} {arguments}")
        self.assertEqual((status, err), (0, ""), out)
        return json.loads(out)

    def test_a_session(self):
        arn = self.create_streaming("NEW_IMAGE", "music", BillingMode="PROVISIONED",
                                    ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
        self.put("Björk", "music", title={"S": "Post"})
        self.assertEqual(self.aws("list-streams --table-name music")["Streams"],
                         [{"StreamArn": arn, "TableName": "music", "StreamLabel": arn.split("/stream/")[1]}])
        description = self.aws(f"describe-stream --stream-arn {arn}")["StreamDescription"]
        self.assertEqual((description["StreamStatus"], len(description["Shards"])), ("ENABLED", 1))
        iterator = self.aws(f"get-shard-iterator --stream-arn {arn} --shard-id {description['Shards'][0]['ShardId']}"
                            " --shard-iterator-type TRIM_HORIZON")["ShardIterator"]
        answer = self.aws(f"get-records --shard-iterator '{iterator}'")
        self.assertEqual([record["dynamodb"]["NewImage"] for record in answer["Records"]],
                         [{"pk": {"S": "Björk"}, "title": {"S": "Post"}}])
        self.assertIn("NextShardIterator", answer)


if __name__ == "__main__":
    unittest.main()
