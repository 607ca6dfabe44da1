"""What servers read and write that do not lead is in CloudWatch as if the leader had done it: all of it, and once."""

import datetime
import unittest

import nodes
import shared_store
from nodes import Follower, create_table, freeze, in_threads, metric, post
from server import Server
from waiting import wait_until
from wire import boto3_client

HOUR = datetime.timedelta(hours=1)
CLUSTER = shared_store.Cluster()
setUpModule = CLUSTER.begin


class Counted:
    """What the answers of some servers say that they consumed, and how many there were of each operation."""

    def __init__(self):
        self.units = {"Read": [], "Write": []}
        self.operations = {}

    def ask(self, port, operation, **request):
        reply = post(port, operation, ReturnConsumedCapacity="TOTAL", **request)
        assert reply.status == 200, reply.body
        consumed = reply.json["ConsumedCapacity"]
        kind = "Read" if operation in ("GetItem", "BatchGetItem", "Query", "Scan") else "Write"
        self.units[kind] += [part["CapacityUnits"] for part in (consumed if isinstance(consumed, list) else [consumed])]
        self.operations[operation] = self.operations.get(operation, 0) + 1


class Published(unittest.TestCase):
    def setUp(self):
        self.clients = {}

    def start(self, kind, *arguments):
        server = kind("--store", *arguments).start()
        self.addCleanup(server.__exit__, None, None, None)
        return server

    def watch(self, port):
        if port not in self.clients:
            self.clients[port] = boto3_client(f"http://127.0.0.1:{port}", service="cloudwatch")
            self.addCleanup(self.clients[port].close)
        return self.clients[port]

    def statistics(self, port, name, unit, **dimensions):
        """Its sum and how many samples it has, of the last hours."""
        now = datetime.datetime.now(datetime.timezone.utc)
        points = self.watch(port).get_metric_statistics(
            Namespace="AWS/DynamoDB", MetricName=name, StartTime=now - HOUR, EndTime=now + HOUR, Period=60, Unit=unit,
            Dimensions=[{"Name": key, "Value": value} for key, value in dimensions.items()],
            Statistics=["Sum", "SampleCount"])["Datapoints"]
        return sum(point["Sum"] for point in points), sum(point["SampleCount"] for point in points)

    def expect(self, ports, counted, table="table"):
        """Neither less nor, at any time, more."""
        def is_there(port, name, unit, expected, **dimensions):
            found = self.statistics(port, name, unit, TableName=table, **dimensions)
            self.assertLessEqual(found[1], len(expected), (name, dimensions))
            if expected and unit == "Count":
                self.assertLessEqual(found[0], sum(expected), (name, dimensions))
            return found[1] == len(expected) and (unit != "Count" or found[0] == sum(expected))

        for port in ports:
            for kind, units in counted.units.items():
                name = f"Consumed{kind}CapacityUnits"
                wait_until(lambda: is_there(port, name, "Count", units), f"{name} {sum(units)}")
            for operation, count in counted.operations.items():
                wait_until(lambda: is_there(port, "SuccessfulRequestLatency", "Milliseconds", [None] * count, Operation=operation),
                           f"{count} times {operation}")

    def wait_for_reads(self, server):
        """Until it reads itself; of a table that there is none of, so that nothing of it is counted."""
        wait_until(lambda: post(server.port, "GetItem", TableName="none", Key={"k": {"S": "a"}}).status == 400
                   and metric(server.port, "follower_reads") > 0, "reading")

    def read(self, port, counted, rounds):
        for n in range(rounds):
            counted.ask(port, "GetItem", TableName="table", Key={"k": {"S": f"i{n % 4}"}}, ConsistentRead=n % 2 == 0)
            counted.ask(port, "Query", TableName="table", KeyConditionExpression="k = :k", ExpressionAttributeValues={":k": {"S": "i3"}})
        counted.ask(port, "BatchGetItem", RequestItems={"table": {"Keys": [{"k": {"S": f"i{n}"}} for n in range(4)]}})
        counted.ask(port, "Scan", TableName="table")

    def fill(self, port, counted):
        create_table(port)
        for n in range(4):
            counted.ask(port, "PutItem", TableName="table", Item={"k": {"S": f"i{n}"}, "v": {"S": "v" * 3000 * n}})

    def test_reads_of_a_follower(self):
        store, counted = nodes.new_store(CLUSTER), Counted()
        leader = self.start(Server, store)
        self.fill(leader.port, counted)
        follower = self.start(Follower, store)
        self.wait_for_reads(follower)
        before = metric(follower.port, "follower_reads")
        self.read(follower.port, counted, 10)
        self.assertEqual(metric(follower.port, "follower_reads") - before, 22)
        self.expect((leader.port, follower.port), counted)
        self.read(leader.port, counted, 3)
        self.read(follower.port, counted, 5)
        follower.stop()  # which tells what it has not told yet
        self.expect((leader.port,), counted)

    def test_what_starts_anew_counts_once(self):
        """Tables are changed all the time, so that replies are thrown away, and requests are done again or handed on."""
        store, counted = nodes.new_store(CLUSTER), Counted()
        leader = self.start(Server, store)
        self.fill(leader.port, counted)
        follower = self.start(Follower, store)
        self.wait_for_reads(follower)
        done = []

        def change():
            tag = {"Key": "round", "Value": ""}
            arn = post(leader.port, "DescribeTable", TableName="table").json["Table"]["TableArn"]
            while not done:
                tag["Value"] = str(int(tag["Value"] or 0) + 1)
                assert post(leader.port, "TagResource", ResourceArn=arn, Tags=[tag]).status == 200

        def read():
            try:
                wait_until(lambda: self.read(follower.port, counted, 5) or metric(follower.port, "follower_reads_anew") >= 10, "replies thrown away")
            finally:
                done.append(True)

        in_threads(2, lambda n: (change, read)[n]())
        self.expect((leader.port,), counted)

    def test_members_when_the_leader_dies(self):
        """What it has not heard of by then is told to the next."""
        store, counted = nodes.new_store(CLUSTER, "--groups", "4"), Counted()
        leader = self.start(Server, store)
        create_table(leader.port)
        members = [self.start(Follower, store) for _ in range(2)]
        for member in members:
            self.wait_for_reads(member)
        wait_until(lambda: all("this server writes groups" in member.error_text() for member in members), "a share for both")
        freeze(leader)
        for member in members:
            self.read(member.port, counted, 5)
        leader.kill()
        for n in range(60):
            counted.ask(members[n % 2].port, "PutItem", TableName="table", Item={"k": {"S": f"i{n}"}, "v": {"S": "v" * 40 * n}})
        for member in members:
            self.read(member.port, counted, 5)
        self.expect([member.port for member in members], counted)


if __name__ == "__main__":
    unittest.main()
