"""Items that expire: with a clock that the test moves, with indexes, over restarts and crashes, and with clients at work."""

import random
import tempfile
import threading
import time
import unittest

from server import Server
from waiting import wait_until
from wire import WireTest, advance, boto3_client, clock

INDEXES = {
    "GlobalSecondaryIndexes": [{"IndexName": "global", "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
                                "Projection": {"ProjectionType": "ALL"}}],
    "LocalSecondaryIndexes": [{"IndexName": "local", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"},
                                                                   {"AttributeName": "rank", "KeyType": "RANGE"}],
                               "Projection": {"ProjectionType": "KEYS_ONLY"}}],
}
ATTRIBUTES = [{"AttributeName": name, "AttributeType": kind}
              for name, kind in (("pk", "S"), ("sk", "N"), ("kind", "S"), ("rank", "N"))]


def create(client, name="table", **options):
    client.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST", AttributeDefinitions=ATTRIBUTES,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}], **INDEXES, **options)


def switch(client, enabled=True, name="table"):
    return client.update_time_to_live(
        TableName=name, TimeToLiveSpecification={"Enabled": enabled, "AttributeName": "ends"})


def status(client, name="table"):
    return client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]["TimeToLiveStatus"]


def item(number, ends):
    return {"pk": {"S": f"p{number % 5}"}, "sk": {"N": str(number)}, "kind": {"S": "k"}, "rank": {"N": str(number % 10)},
            "ends": {"N": str(ends)}}


def key(number):
    return {name: item(number, 0)[name] for name in ("pk", "sk")}


def put_all(client, items, name="table"):
    for start in range(0, len(items), 25):
        client.batch_write_item(RequestItems={name: [{"PutRequest": {"Item": one}} for one in items[start:start + 25]]})


def numbers(client, index=None, name="table"):
    """The items, or the entries of an index, by their sort keys."""
    pages = client.get_paginator("scan").paginate(TableName=name, **({"IndexName": index} if index else {}))
    return sorted(int(one["sk"]["N"]) for page in pages for one in page["Items"])


def wait_enabled(client):
    wait_until(lambda: status(client) == "ENABLED", "ENABLED")


class TtlTest:
    def assert_left(self, client, wanted):
        """The table and both indexes come to hold just these."""
        wait_until(lambda: numbers(client) == wanted, lambda: numbers(client))
        self.assertEqual(numbers(client, "global"), wanted)
        self.assertEqual(numbers(client, "local"), wanted)
        table = client.describe_table(TableName="table")["Table"]
        self.assertEqual(table["ItemCount"], len(wanted))
        for index in table["GlobalSecondaryIndexes"] + table["LocalSecondaryIndexes"]:
            self.assertEqual(index["ItemCount"], len(wanted))

    def let_it_look(self):
        """Until all that has expired by now is gone. A table of items that have is swept with all others: what goes there second went in a
        later round than the first."""
        create(self.client, "looked-at")
        switch(self.client, name="looked-at")
        for _ in range(2):
            self.client.put_item(TableName="looked-at", Item=item(1, int(clock(self.server.port).json["Now"]) - 4 * 365 * 86400))
            wait_until(lambda: numbers(self.client, name="looked-at") == [], "a round")


class Ttl(TtlTest, WireTest):
    server_arguments = ["--memory", "--test-clock"]

    def now(self):
        return int(clock(self.server.port).json["Now"])

    def test_items_expire_when_time_is_moved(self):
        create(self.client)
        switch(self.client)
        now = self.now()
        put_all(self.client, [item(n, now + (100 if n % 2 else 10000)) for n in range(400)])
        self.assert_left(self.client, list(range(400)))
        self.advance(200)
        self.assert_left(self.client, list(range(0, 400, 2)))
        self.advance(20000)
        self.assert_left(self.client, [])

    def test_items_expire_when_time_passes(self):
        create(self.client)
        switch(self.client)
        put_all(self.client, [item(1, self.now() + 1), item(2, self.now() + 1000)])
        self.assert_left(self.client, [2])

    def test_only_numbers_of_the_last_five_years_count(self):
        create(self.client)
        switch(self.client)
        now = self.now()
        others = [{**item(1, 0), "ends": {"S": str(now - 10)}}, {**item(2, 0), "ends": {"NS": [str(now - 10)]}},
                  item(3, now - 6 * 366 * 86400), item(4, 0), item(5, -5), item(6, "1e50"),
                  {name: value for name, value in item(7, 0).items() if name != "ends"}]
        put_all(self.client, others + [item(8, now - 10), item(9, f"{now - 10}.5"), item(10, now - 4 * 365 * 86400)])
        self.assert_left(self.client, [1, 2, 3, 4, 5, 6, 7])

    def test_every_kind_of_write_sets_and_moves_the_time(self):
        create(self.client)
        switch(self.client)
        soon, later = str(self.now() + 100), str(self.now() + 10000)
        put_all(self.client, [item(n, later) for n in range(6)])
        self.client.put_item(TableName="table", Item=item(0, soon))
        self.client.update_item(TableName="table", Key=key(1), UpdateExpression="SET ends = :n",
                                ExpressionAttributeValues={":n": {"N": soon}})
        self.client.transact_write_items(TransactItems=[
            {"Update": {"TableName": "table", "Key": key(2), "UpdateExpression": "SET ends = :n",
                        "ExpressionAttributeValues": {":n": {"N": soon}}}},
            {"Put": {"TableName": "table", "Item": item(6, soon)}}, {"Put": {"TableName": "table", "Item": item(7, soon)}}])
        self.client.execute_statement(Statement=f"UPDATE \"table\" SET ends = {soon} WHERE pk = 'p3' AND sk = 3")
        self.client.update_item(TableName="table", Key=key(6), UpdateExpression="REMOVE ends")
        self.client.execute_statement(Statement=f"UPDATE \"table\" SET ends = {later} WHERE pk = 'p2' AND sk = 7")
        self.advance(200)
        self.assert_left(self.client, [4, 5, 6, 7])

    def test_items_that_were_there_before(self):
        create(self.client)
        now = self.now()
        put_all(self.client, [item(n, now + (10 if n % 3 else -10)) for n in range(900)])
        self.assertEqual(switch(self.client)["TimeToLiveSpecification"], {"Enabled": True, "AttributeName": "ends"})
        wait_enabled(self.client)
        self.assert_left(self.client, [n for n in range(900) if n % 3])
        self.advance(1800)
        self.assert_left(self.client, [])

    def test_without_it_nothing_goes(self):
        create(self.client)
        switch(self.client)
        self.advance(1801)
        switch(self.client, False)
        put_all(self.client, [item(n, self.now() + 10) for n in range(50)])
        self.advance(100)
        self.let_it_look()
        self.assert_left(self.client, list(range(50)))


class Delayed(TtlTest, WireTest):
    """As in the service: what has expired is still there for a while."""

    server_arguments = ["--memory", "--test-clock", "--ttl-delay", "2d"]

    def test_items_stay_readable(self):
        create(self.client)
        switch(self.client)
        now = int(clock(self.server.port).json["Now"])
        put_all(self.client, [item(1, now - 100), item(2, now + 100), item(3, now + 1000000)])
        self.advance(86400)
        self.let_it_look()
        self.assert_left(self.client, [1, 2, 3])
        self.advance(86400)
        self.assert_left(self.client, [2, 3])
        wait_until(lambda: "expired 1 items of table table: their time to live is over" in self.server.error_text(), "the line of the log")
        self.advance(200)
        self.assert_left(self.client, [3])

    def test_five_years_and_the_delay(self):
        """What is too old to count is told by the time at which it would go."""
        create(self.client)
        switch(self.client)
        oldest = int(clock(self.server.port).json["Now"]) - (5 * 365 + 1) * 86400
        put_all(self.client, [item(1, oldest - 86400), item(2, oldest - 3 * 86400)])
        self.assert_left(self.client, [2])


class Restarts(TtlTest, unittest.TestCase):
    """Data on disk; the server stops, or is killed, while something is under way."""

    ITEMS = 2000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = folder.name

    def server(self):
        return Server("--data", self.data, "--test-clock", "--durability", "relaxed")

    def filled(self, server, ends):
        client = boto3_client(server.endpoint)
        create(client)
        put_all(client, [item(n, ends(n)) for n in range(self.ITEMS)])
        return client

    def restart_while_building(self, end):
        with self.server() as server:
            soon = int(clock(server.port).json["Now"]) + 1000
            client = self.filled(server, lambda n: soon + (0 if n % 2 else 100000))
            switch(client)
            client.delete_item(TableName="table", Key=key(1))
            end(server)
        with self.server() as server:
            client = boto3_client(server.endpoint)
            client.delete_item(TableName="table", Key=key(2))
            wait_enabled(client)
            advance(server.port, 2000)
            self.assert_left(client, [n for n in range(0, self.ITEMS, 2) if n != 2])

    def test_a_stop_while_entries_are_built(self):
        self.restart_while_building(lambda server: server.stop())

    def test_a_crash_while_entries_are_built(self):
        self.restart_while_building(lambda server: server.kill())

    def restart_while_sweeping(self, end):
        with self.server() as server:
            soon = int(clock(server.port).json["Now"]) + 1000
            client = self.filled(server, lambda n: soon + (0 if n % 2 else 100000))
            switch(client)
            wait_enabled(client)
            advance(server.port, 2000)
            # Once it has begun, the time that was moved to is on disk.
            wait_until(lambda: client.describe_table(TableName="table")["Table"]["ItemCount"] < self.ITEMS, "the first to go")
            end(server)
        for moment in (0, 0.01, 0.04):  # the time that was moved to is kept, so that sweeping goes on
            with self.server() as server:
                time.sleep(moment)
                end(server)
        with self.server() as server:
            client = boto3_client(server.endpoint)
            self.assert_left(client, list(range(0, self.ITEMS, 2)))
            put_all(client, [item(5000, soon), item(5001, soon + 100000)])
            self.assert_left(client, [*range(0, self.ITEMS, 2), 5001])

    def test_a_stop_while_items_are_swept(self):
        self.restart_while_sweeping(lambda server: server.stop())

    def test_a_crash_while_items_are_swept(self):
        self.restart_while_sweeping(lambda server: server.kill())


class Sweeping(TtlTest, WireTest):
    """Readers and writers at work while items expire. With a server built for it, the thread sanitizer watches."""

    server_arguments = ["--memory", "--test-clock"]

    def test_clients_meanwhile(self):
        create(self.client)
        switch(self.client)
        start = int(clock(self.server.port).json["Now"])
        rounds, wrong, over = 20, [], threading.Event()

        def read(seed):
            client, choice = boto3_client(self.server.endpoint), random.Random(seed)
            while not over.is_set():
                number = choice.randrange(4000)
                found = client.get_item(TableName="table", Key=key(number)).get("Item")
                if found and found["sk"]["N"] != str(number):
                    wrong.append(found)
                client.query(TableName="table", IndexName="global", KeyConditionExpression="kind = :k", Limit=50,
                             ExpressionAttributeValues={":k": {"S": "k"}})

        def write(first):
            # Items that stay, beside and between those that go; each is written, moved and checked.
            client = boto3_client(self.server.endpoint)
            for number in range(first, first + 300):
                client.put_item(TableName="table", Item=item(number, start + 5))
                client.update_item(TableName="table", Key=key(number), UpdateExpression="SET ends = :n",
                                   ExpressionAttributeValues={":n": {"N": str(start + 10**6)}})

        threads = [threading.Thread(target=read, args=(seed,)) for seed in range(2)]
        writers = [threading.Thread(target=write, args=(first,)) for first in (100000, 200000)]
        for thread in threads + writers:
            thread.start()
        for number in range(rounds):
            put_all(self.client, [item(number * 200 + n, start + number * 10) for n in range(200)])
            self.advance(10)
        for writer in writers:
            writer.join()
        self.advance(1000)
        left = [one for one in wait_for_less(self.client, 100000)]
        over.set()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        # A writer's item may have expired between its put and its update, which then made it anew.
        self.assertEqual(left, [*range(100000, 100300), *range(200000, 200300)])


def wait_for_less(client, bound):
    """Until all items below the bound are gone; what is left."""
    wait_until(lambda: numbers(client)[0] >= bound, f"the end of all below {bound}")
    return numbers(client)


if __name__ == "__main__":
    unittest.main()
