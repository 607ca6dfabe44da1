"""A stream while its table is written and the server is killed again and again: it tells every change exactly
once and in order, to a reader that lives through all of it and to one that comes afterwards. changes.py says what
is judged; the first class is its canary. Hours go by between the lives, so that shards end and others begin.

GRAMME_SEED runs another seed; GRAMME_SECONDS adds lives for so long."""

import itertools
import os
import pathlib
import random
import tempfile
import threading
import unittest

from changes import judge, judge_chains, judge_readers
from world import Link, Server, World
from rounds import Tally, rounds
from stream_reader import StreamReader, changes
from wire import advance, call

SEED = int(os.environ.get("GRAMME_SEED", 1))
SECONDS = float(os.environ.get("GRAMME_SECONDS", 0))
DEATHS = 6
WRITERS = 6
KEYS = 8


def record(number, key, old, new):
    images = {"NewImage": new, "OldImage": old}
    event = "INSERT" if old is None else "REMOVE" if new is None else "MODIFY"
    return {"eventID": str(number), "eventName": event, "dynamodb": {
        "SequenceNumber": str(number), "Keys": {"pk": {"S": key}}, **{name: image for name, image in images.items() if image}}}


def version(key, n):
    return {"pk": {"S": key}, "version": {"N": str(n)}}


class Judgement(unittest.TestCase):
    """What the judge must notice."""

    def setUp(self):
        one, two = version("a", 1), version("a", 2)
        self.records = [record(1, "a", None, one), record(2, "b", None, version("b", 1)), record(3, "a", one, two),
                        record(4, "b", version("b", 1), None)]
        self.table = {"a": two}

    def assert_noticed(self, *texts):
        problems = judge(self.records, self.table, {"a": {1, 2}, "b": {0, 1}})
        self.assertEqual(len(problems), len(texts), problems)
        for text, problem in zip(texts, problems):
            self.assertIn(text, problem)

    def test_what_is_right(self):
        self.assert_noticed()

    def test_a_lost_record(self):
        del self.records[2]
        self.assert_noticed("a: the stream ends in", "a: versions [2] were acknowledged")

    def test_a_lost_record_in_the_middle(self):
        self.records.append(record(5, "a", version("a", 2), version("a", 3)))
        self.table["a"] = version("a", 3)
        del self.records[2]
        self.assert_noticed("a: the old image is", "a: versions [2] were acknowledged")

    def test_a_repeated_record(self):
        self.records.append(self.records[2])
        self.assert_noticed("a: the old image is", "a: number 3 after 3")

    def test_records_in_the_wrong_order(self):
        self.records[0], self.records[2] = self.records[2], self.records[0]
        self.assertGreater(len(judge_chains(self.records)[1]), 0)

    def test_a_record_of_a_write_that_did_not_happen(self):
        self.records.append(record(5, "a", version("a", 2), version("a", 3)))
        self.assert_noticed("a: the stream ends in")

    def test_readers_that_differ(self):
        one, two = self.records[:2], self.records[2:]
        self.assertEqual(list(judge_readers({"s": one, "t": two}, {"s": one, "t": two})), [])
        self.assertEqual(len(list(judge_readers({"s": one, "t": two}, {"s": one}))), 1)
        self.assertEqual(len(list(judge_readers({"s": one}, {"s": one + one}))), 1)
        self.assertEqual(len(list(judge_readers({"s": one}, {"s": one[::-1]}))), 1)


class Writer(Link, threading.Thread):
    """Writes keys of its own; what it knows of each is which versions were acknowledged."""

    def __init__(self, world, number, rng):
        Link.__init__(self, world)
        threading.Thread.__init__(self)
        self.rng, self.keys = rng, [f"{number}.{n}" for n in range(KEYS)]
        self.last = 0
        self.acknowledged, self.problems = {}, []
        self.lost = self.cancelled = 0

    def put(self, key):
        self.last += 1
        return {"Put": {"TableName": "table", "Item": {**version(key, self.last), "x": {"S": "x" * self.rng.randrange(300)}}}}

    def request(self):
        """One random request: its operation, its body, the versions it makes and whether it happens."""
        kind, keys = self.rng.choice("pppdtc"), self.rng.sample(self.keys, 2)
        if kind == "d":
            return "DeleteItem", {"TableName": "table", "Key": {"pk": {"S": keys[0]}}}, {}, True
        actions = [self.put(key) for key in keys]
        versions = {key: int(action["Put"]["Item"]["version"]["N"]) for key, action in zip(keys, actions)}
        if kind == "p":
            return "PutItem", actions[0]["Put"], {keys[0]: versions[keys[0]]}, True
        if kind == "c":
            actions.append({"ConditionCheck": {"TableName": "table", "Key": {"pk": {"S": "none"}},
                                               "ConditionExpression": "attribute_exists(pk)"}})
        return "TransactWriteItems", {"TransactItems": actions}, versions, kind == "t"

    def write(self):
        operation, body, versions, happens = self.request()
        reply = self.exchange(operation, body)
        if reply is None:
            self.lost += 1
        elif (reply[0] == 200) != happens:
            self.problems.append(f"{operation} answered {reply}")
        elif happens:
            for key, made in versions.items():
                self.acknowledged.setdefault(key, set()).add(made)
        else:
            self.cancelled += 1

    def run(self):
        try:
            while not self.world.closing and not self.problems:
                self.write()
        except Exception as error:  # A thread's failure is the test's.
            self.problems.append(repr(error))
        finally:
            self.close()


class Follower(Link, threading.Thread):
    """Reads while others write. Now and then it dies, and another goes on from its checkpoints."""

    def __init__(self, world, arn, rng):
        Link.__init__(self, world)
        threading.Thread.__init__(self)
        self.arn, self.rng = arn, rng
        self.reader = StreamReader(self.exchange, arn, limit=40)
        self.records, self.problems = {}, []
        self.deaths = self.expired = 0
        self.passes = Tally()
        self.written = threading.Event()  # nothing comes any more

    def take(self):
        for shard, records in self.reader.records.items():
            self.records.setdefault(shard, []).extend(records)
        self.reader.records = {}
        self.expired += self.reader.expired
        self.reader.expired = 0

    def die(self):
        self.reader = StreamReader(self.exchange, self.arn, self.reader.checkpoints, limit=40)
        self.deaths += 1

    def run(self):
        try:
            while not self.written.is_set():
                self.reader.read_all()
                self.take()
                self.passes.add()
                if self.rng.random() < 0.1:
                    self.die()
            self.die()
            self.reader.catch_up()
            self.take()
        except Exception as error:  # A thread's failure is the test's.
            self.problems.append(repr(error))
        finally:
            self.close()


def create_table(port):
    reply = call(port, "CreateTable", {
        "TableName": "table", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}})
    assert reply.status == 200, reply.body
    return reply.json["TableDescription"]["LatestStreamArn"]


class Streams(unittest.TestCase):
    def test_every_change_is_told_once(self):
        print(f"# repeat with GRAMME_SEED={SEED}", flush=True)
        rng, world = random.Random(SEED), World()
        # Iterators survive the shorter ones. All together are less than the 24 hours after which records are trimmed.
        pauses = itertools.chain((5400, 60) * 8, itertools.repeat(1))
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--data", pathlib.Path(folder) / "data", "--test-clock"]
            with Server(*arguments) as server:
                arn = create_table(server.port)
            writers = [Writer(world, number, random.Random(rng.random())) for number in range(WRITERS)]
            follower = Follower(world, arn, random.Random(rng.random()))
            for thread in (*writers, follower):
                thread.start()
            server, deaths = world.crash_again_and_again(
                rng, rounds(DEATHS, SECONDS), *arguments, at_start=lambda port: advance(port, next(pauses)),
                before_death=lambda: follower.passes.wait_more(1))
            world.closing = True
            for writer in writers:
                writer.join()
            follower.written.set()
            follower.join()
            link = Link(world)
            whole = StreamReader(link.exchange, arn).catch_up()
            table = {item["pk"]["S"]: item for item in call(server.port, "Scan", {"TableName": "table"}).json["Items"]}
            link.close()
            server.stop()
            server.errors.close()
        acknowledged = {key: versions for writer in writers for key, versions in writer.acknowledged.items()}
        problems = [problem for thread in (*writers, follower) for problem in thread.problems]
        problems += judge(changes(whole), table, acknowledged)
        problems += judge_readers(whole.records, follower.records)
        self.assertEqual(problems[:20], [])
        self.show_that_it_shows(deaths, writers, follower, whole)

    def show_that_it_shows(self, deaths, writers, follower, whole):
        """A run without crashes, dead readers, lost answers and shards that end would prove little."""
        counts = {
            "deaths": deaths, "readers' deaths": follower.deaths,
            "answers lost": sum(writer.lost for writer in writers), "cancelled": sum(writer.cancelled for writer in writers),
            "closed shards": sum(place == "SHARD_END" for place in whole.checkpoints.values()), "records": len(changes(whole))}
        print(f"# {counts}, {follower.expired} expired iterators", flush=True)
        self.assertTrue(all(counts.values()), counts)


if __name__ == "__main__":
    unittest.main()
