"""Secondary indexes through boto3: pages while items come and go, entries that follow their items, indexes that are built and dropped."""

import random
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from botocore.exceptions import ClientError

from waiting import wait_until
from wire import WireTest, drop_tables


def key_schema(hash_names, range_names=()):
    return [{"AttributeName": name, "KeyType": "HASH"} for name in hash_names] + [
        {"AttributeName": name, "KeyType": "RANGE"} for name in range_names]


def index(name, hash_name, range_name=None, projection="ALL", include=None):
    shown = {"ProjectionType": projection}
    if include:
        shown["NonKeyAttributes"] = include
    return {"IndexName": name, "KeySchema": key_schema([hash_name], [range_name] if range_name else []), "Projection": shown}


def definitions(**types):
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


class IndexTest(WireTest):
    def create_indexed(self, types, indexes=(), local=(), sort_key=None):
        options = {}
        if indexes:
            options["GlobalSecondaryIndexes"] = list(indexes)
        if local:
            options["LocalSecondaryIndexes"] = list(local)
        self.client.create_table(
            TableName="table", BillingMode="PAY_PER_REQUEST", AttributeDefinitions=definitions(**types),
            KeySchema=key_schema(["pk"], [sort_key] if sort_key else []), **options)

    def put_all(self, items):
        items = list(items)
        for start in range(0, len(items), 25):
            self.client.batch_write_item(RequestItems={
                "table": [{"PutRequest": {"Item": item}} for item in items[start:start + 25]]})

    def pages(self, operation, between=None, **options):
        """All pages; `between` runs after each but the last."""
        pages = []
        while True:
            page = getattr(self.client, operation)(TableName="table", **options)
            pages.append(page)
            if "LastEvaluatedKey" not in page:
                return pages
            options["ExclusiveStartKey"] = page["LastEvaluatedKey"]
            if between:
                between(len(pages))

    def query_pages(self, name, attribute, value, between=None, **options):
        return self.pages("query", between, IndexName=name, KeyConditionExpression="#h = :h",
                          ExpressionAttributeNames={"#h": attribute}, ExpressionAttributeValues={":h": value}, **options)

    def query_keys(self, name, attribute, value, **options):
        return sorted(item["pk"]["S"] for page in self.query_pages(name, attribute, value, **options) for item in page["Items"])

    def describe(self):
        return self.client.describe_table(TableName="table")["Table"]

    def wait_for_index(self, name):
        def found():
            return next((shown for shown in self.describe().get("GlobalSecondaryIndexes", [])
                         if shown["IndexName"] == name and shown["IndexStatus"] == "ACTIVE"), None)

        return wait_until(found, f"ACTIVE of {name}")


class Pages(IndexTest):
    """Thousands of entries with the same sort key: no page loses one or shows one twice."""

    COUNT = 3000

    def setUp(self):
        super().setUp()
        self.create_indexed({"pk": "S", "g": "S", "n": "N"}, [index("by-n", "g", "n", "KEYS_ONLY")])

    @staticmethod
    def item(key, n="7", **more):
        return {"pk": {"S": key}, "g": {"S": "g"}, "n": {"N": n}, **more}

    def check_walk(self, pages, steady, passing):
        """Every steady item exactly once; one that comes or goes at most once."""
        seen = [item["pk"]["S"] for page in pages for item in page["Items"]]
        self.assertEqual(len(seen), len(set(seen)), "an item came twice")
        self.assertEqual(set(steady) - set(seen), set(), "an item was lost")
        self.assertEqual(set(seen) - set(steady) - set(passing), set(), "an item came from nowhere")

    def walk(self, limit, forward):
        rng = random.Random(limit)
        steady = [f"steady-{n}" for n in range(self.COUNT)]
        leaving = [f"leaving-{n}" for n in range(200)]
        coming = [f"coming-{n}" for n in range(200)]
        self.put_all(self.item(key) for key in steady + leaving)

        def disturb(_):
            for _ in range(3):
                if coming and rng.random() < 0.5:
                    self.client.put_item(TableName="table", Item=self.item(coming[rng.randrange(len(coming))]))
                else:
                    self.client.delete_item(TableName="table", Key={"pk": {"S": rng.choice(leaving)}})

        pages = self.query_pages("by-n", "g", {"S": "g"}, disturb, Limit=limit, ScanIndexForward=forward)
        self.assertTrue(all(page["ScannedCount"] <= limit for page in pages))
        self.check_walk(pages, steady, leaving + coming)

    def test_by_limit_forward(self):
        self.walk(limit=83, forward=True)

    def test_by_limit_backward(self):
        self.walk(limit=101, forward=False)

    def test_scan_by_limit(self):
        steady = [f"steady-{n}" for n in range(1500)]
        self.put_all(self.item(key) for key in steady)

        def disturb(n):
            self.client.put_item(TableName="table", Item=self.item(f"new-{n}"))

        pages = self.pages("scan", disturb, IndexName="by-n", Limit=97)
        self.check_walk(pages, steady, [f"new-{n}" for n in range(len(pages))])

    def test_the_item_of_the_start_key_goes_or_moves(self):
        """The position stays, whatever becomes of the item that marks it."""
        self.put_all(self.item(f"{n:03}") for n in range(60))
        gone, seen = set(), []
        options = {"IndexName": "by-n", "KeyConditionExpression": "g = :g", "Limit": 1,
                   "ExpressionAttributeValues": {":g": {"S": "g"}}}
        page = self.client.query(TableName="table", **options)
        while "LastEvaluatedKey" in page:
            seen += [item["pk"]["S"] for item in page["Items"]]
            last = page["LastEvaluatedKey"]
            if len(seen) % 3 == 0:
                self.client.delete_item(TableName="table", Key={"pk": last["pk"]})
                gone.add(last["pk"]["S"])
            elif len(seen) % 3 == 1:  # to before all others, so that it is not met again
                self.client.put_item(TableName="table", Item=self.item(last["pk"]["S"], n="-1"))
            page = self.client.query(TableName="table", ExclusiveStartKey=last, **options)
        self.assertEqual(sorted(seen), [f"{n:03}" for n in range(60)])
        self.assertEqual(self.query_keys("by-n", "g", {"S": "g"}), sorted(set(seen) - gone))

    def test_limit_that_is_the_number_of_entries(self):
        self.put_all(self.item(str(n)) for n in range(10))
        pages = self.query_pages("by-n", "g", {"S": "g"}, Limit=10)
        self.assertEqual([page["Count"] for page in pages], [10, 0])
        pages = self.query_pages("by-n", "g", {"S": "g"}, Limit=11)
        self.assertEqual([page["Count"] for page in pages], [10])


class Megabytes(IndexTest):
    def test_pages_of_1_mb_by_the_size_of_the_entries(self):
        """The entries are large in one index and small in the other."""
        self.create_indexed({"pk": "S", "g": "S", "n": "N"},
                            [index("large", "g", "n", "INCLUDE", ["d"]), index("small", "g", "n", "KEYS_ONLY")])
        steady = [f"{n:04}" for n in range(400)]
        self.put_all({"pk": {"S": key}, "g": {"S": "g"}, "n": {"N": "1"}, "d": {"S": "d" * 8000}, "e": {"S": "e" * 3000}}
                     for key in steady)

        def disturb(n):
            self.client.put_item(TableName="table", Item={
                "pk": {"S": f"new-{n}"}, "g": {"S": "g"}, "n": {"N": "1"}, "d": {"S": "d" * 8000}})

        pages = self.query_pages("large", "g", {"S": "g"}, disturb)
        seen = [item["pk"]["S"] for page in pages for item in page["Items"]]
        self.assertEqual(len(seen), len(set(seen)))
        self.assertEqual(set(steady) - set(seen), set())
        # An entry has 6 + 2 + 3 + 8001 bytes: 131 of them reach 1048576, and the last of a page crosses that.
        self.assertTrue(all(page["Count"] == 131 for page in pages[:-1]), [page["Count"] for page in pages])
        self.assertGreaterEqual(len(pages), 4)
        self.assertEqual(len(self.query_pages("small", "g", {"S": "g"})), 1)

    def test_fetched_items_fill_a_page_too(self):
        self.create_indexed({"pk": "S", "sk": "N", "l": "S"}, local=[index("local", "pk", "l", "KEYS_ONLY")], sort_key="sk")
        self.put_all({"pk": {"S": "p"}, "sk": {"N": str(n)}, "l": {"S": "same"}, "d": {"S": "d" * 50_000}} for n in range(60))
        pages = self.query_pages("local", "pk", {"S": "p"}, Select="ALL_ATTRIBUTES")
        seen = [int(item["sk"]["N"]) for page in pages for item in page["Items"]]
        self.assertEqual(sorted(seen), list(range(60)))
        self.assertTrue(all(len(item["d"]["S"]) == 50_000 for page in pages for item in page["Items"]))
        self.assertGreater(len(pages), 2)


class ParallelScan(IndexTest):
    def test_segments_have_each_entry_once(self):
        self.create_indexed({"pk": "S", "g": "S"}, [index("by-g", "g", None, "KEYS_ONLY")])
        self.put_all({"pk": {"S": str(n)}, **({"g": {"S": f"g{n % 97}"}} if n % 3 else {})} for n in range(1500))

        def segment(number):
            pages = self.pages("scan", IndexName="by-g", TotalSegments=8, Segment=number, Limit=40)
            return [(item["g"]["S"], item["pk"]["S"]) for page in pages for item in page["Items"]]

        with ThreadPoolExecutor(8) as pool:
            segments = list(pool.map(segment, range(8)))
        entries = [entry for entries in segments for entry in entries]
        self.assertEqual(sorted(entries), sorted((f"g{n % 97}", str(n)) for n in range(1500) if n % 3))
        # Entries with one partition key are in one segment.
        for number, of_segment in enumerate(segments):
            for other in segments[number + 1:]:
                self.assertFalse({g for g, _ in of_segment} & {g for g, _ in other})
        self.assertGreater(sum(1 for entries in segments if entries), 4)

    def test_a_start_key_of_another_segment(self):
        self.create_indexed({"pk": "S", "g": "S"}, [index("by-g", "g")])
        self.put_all({"pk": {"S": str(n)}, "g": {"S": str(n)}} for n in range(50))
        for number in range(2):
            page = self.client.scan(TableName="table", IndexName="by-g", TotalSegments=2, Segment=number, Limit=1)
            self.assert_refused(
                "ValidationException: The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
                f"ExclusiveStartKey with correct Segment. TotalSegments: 2 Segment: {1 - number}", self.client.scan,
                TableName="table", IndexName="by-g", TotalSegments=2, Segment=1 - number,
                ExclusiveStartKey=page["LastEvaluatedKey"])


class Entries(IndexTest):
    """An entry is what its item makes of it."""

    def setUp(self):
        super().setUp()
        self.create_indexed(
            {"pk": "S", "sk": "N", "g": "S", "n": "N", "l": "S"}, [index("global", "g", "n", "INCLUDE", ["x"])],
            [index("local", "pk", "l", "KEYS_ONLY")], "sk")

    def entries(self):
        answer = self.client.scan(TableName="table", IndexName="global")
        return [{name: next(iter(value.values())) for name, value in item.items()} for item in answer["Items"]]

    def update(self, expression, **values):
        self.client.update_item(
            TableName="table", Key={"pk": {"S": "p"}, "sk": {"N": "1"}}, UpdateExpression=expression,
            **({"ExpressionAttributeValues": {f":{name}": value for name, value in values.items()}} if values else {}))

    def test_an_entry_moves_with_its_keys(self):
        self.update("SET x = :x", x={"S": "x"})
        self.assertEqual(self.entries(), [])
        self.update("SET g = :g", g={"S": "a"})
        self.assertEqual(self.entries(), [])
        self.update("SET n = :n", n={"N": "5"})
        self.assertEqual(self.entries(), [{"pk": "p", "sk": "1", "g": "a", "n": "5", "x": "x"}])
        self.update("SET g = :g, n = n + :one", g={"S": "b"}, one={"N": "1"})
        self.assertEqual(self.entries(), [{"pk": "p", "sk": "1", "g": "b", "n": "6", "x": "x"}])
        self.update("ADD n :n", n={"N": "0.50"})
        self.assertEqual(self.entries(), [{"pk": "p", "sk": "1", "g": "b", "n": "6.5", "x": "x"}])
        self.update("SET y = :y REMOVE x", y={"S": "y"})
        self.assertEqual(self.entries(), [{"pk": "p", "sk": "1", "g": "b", "n": "6.5"}])
        self.update("REMOVE n")
        self.assertEqual(self.entries(), [])

    def test_a_put_replaces_the_entry(self):
        self.client.put_item(TableName="table", Item={"pk": {"S": "p"}, "sk": {"N": "1"}, "g": {"S": "a"}, "n": {"N": "1"}})
        self.client.put_item(TableName="table", Item={"pk": {"S": "p"}, "sk": {"N": "1.0"}, "g": {"S": "c"}, "n": {"N": "1"}})
        self.assertEqual(self.entries(), [{"pk": "p", "sk": "1", "g": "c", "n": "1"}])
        self.client.put_item(TableName="table", Item={"pk": {"S": "p"}, "sk": {"N": "1"}, "g": {"S": "c"}})
        self.assertEqual(self.entries(), [])

    def test_a_delete_takes_the_entry(self):
        self.client.put_item(TableName="table", Item={
            "pk": {"S": "p"}, "sk": {"N": "1"}, "g": {"S": "a"}, "n": {"N": "1"}, "l": {"S": "l"}})
        self.client.delete_item(TableName="table", Key={"pk": {"S": "p"}, "sk": {"N": "1"}})
        self.assertEqual(self.entries(), [])
        self.assertEqual(self.client.scan(TableName="table", IndexName="local")["Count"], 0)
        shown = self.describe()
        self.assertEqual([i["ItemCount"] for i in shown["GlobalSecondaryIndexes"] + shown["LocalSecondaryIndexes"]], [0, 0])

    def test_a_failed_condition_leaves_the_entries(self):
        self.client.put_item(TableName="table", Item={"pk": {"S": "p"}, "sk": {"N": "1"}, "g": {"S": "a"}, "n": {"N": "1"}})
        with self.assertRaises(self.client.exceptions.ConditionalCheckFailedException):
            self.client.update_item(
                TableName="table", Key={"pk": {"S": "p"}, "sk": {"N": "1"}}, UpdateExpression="SET g = :g",
                ConditionExpression="n > :n", ExpressionAttributeValues={":g": {"S": "b"}, ":n": {"N": "1"}})
        self.assertEqual(self.entries(), [{"pk": "p", "sk": "1", "g": "a", "n": "1"}])

    def test_an_item_is_read_whole_through_a_local_index(self):
        for n in range(5):
            self.client.put_item(TableName="table", Item={
                "pk": {"S": "p"}, "sk": {"N": str(n)}, "l": {"S": str(9 - n)}, "doc": {"M": {"n": {"N": str(n)}}}})
        answer = self.client.query(
            TableName="table", IndexName="local", KeyConditionExpression="pk = :p", Select="ALL_ATTRIBUTES", ConsistentRead=True,
            ExpressionAttributeValues={":p": {"S": "p"}})
        self.assertEqual([item["doc"]["M"]["n"]["N"] for item in answer["Items"]], ["4", "3", "2", "1", "0"])
        answer = self.client.query(
            TableName="table", IndexName="local", KeyConditionExpression="pk = :p", ProjectionExpression="doc.n",
            ExpressionAttributeValues={":p": {"S": "p"}})
        self.assertEqual(answer["Items"][0], {"doc": {"M": {"n": {"N": "4"}}}})


class Building(IndexTest):
    """Indexes of a table that has items: CREATING, filled, ACTIVE."""

    COUNT = 6000

    def start_over(self, count=COUNT):
        drop_tables(self.server.port)
        self.create_indexed({"pk": "S", "g": "S"}, [index("first", "g", None, "KEYS_ONLY")])
        self.put_all({"pk": {"S": str(n)}, "g": {"S": "g"}, "n": {"N": str(n % 10)}} for n in range(count))

    def add(self, name="later", hash_name="n", kind="N"):
        return self.client.update_table(
            TableName="table", AttributeDefinitions=definitions(**{hash_name: kind}),
            GlobalSecondaryIndexUpdates=[{"Create": index(name, hash_name)}])["TableDescription"]

    def drop(self, name):
        return self.client.update_table(
            TableName="table", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": name}}])["TableDescription"]

    @staticmethod
    def shown(description, name):
        return next(i for i in description["GlobalSecondaryIndexes"] if i["IndexName"] == name)

    def refused_while_creating(self, function, *arguments, **parameters):
        """How a call is refused right after an index was added. An index that was complete before the call came is no
        answer, so then all is done again."""
        for _ in range(10):
            self.start_over()
            self.add()
            try:
                function(*arguments, **parameters)
            except ClientError as error:
                answer = error.response["Error"]
                return f"{answer['Code']}: {answer['Message']}"
        self.fail("the call was never refused")

    def test_states(self):
        self.start_over()
        answer = self.add()
        self.assertEqual(answer["TableStatus"], "UPDATING")
        self.assertEqual((self.shown(answer, "later")["IndexStatus"], self.shown(answer, "later")["Backfilling"]),
                         ("CREATING", False))
        self.assertNotIn("Backfilling", self.shown(answer, "first"))
        states = []
        while not states or states[-1][0] != "ACTIVE":
            table = self.describe()
            later = self.shown(table, "later")
            states.append((later["IndexStatus"], later.get("Backfilling"), table["TableStatus"]))
        self.assertEqual(states[-1], ("ACTIVE", None, "ACTIVE"))
        self.assertEqual(set(states[:-1]) - {("CREATING", True, "ACTIVE")}, set())
        self.assertEqual(self.shown(self.describe(), "later")["ItemCount"], self.COUNT)
        self.assertEqual(len(self.query_keys("later", "n", {"N": "3"})), self.COUNT // 10)

    def test_it_has_no_contributor_insights_before_it_is_complete(self):
        text = ("ValidationException: Table or Index is not in a valid state to update Key Access Insights: IndexStatus must be "
                "ACTIVE to enable ContributorInsights.")
        self.assertEqual(text, self.refused_while_creating(
            self.client.update_contributor_insights, TableName="table", IndexName="later", ContributorInsightsAction="ENABLE"))

    def test_it_cannot_be_read_before_it_is_complete(self):
        text = "ValidationException: Cannot read from backfilling global secondary index: later"
        self.assertEqual(text, self.refused_while_creating(
            self.client.query, TableName="table", IndexName="later", KeyConditionExpression="n = :n", Select="COUNT",
            ExpressionAttributeValues={":n": {"N": "1"}}))
        self.assertEqual(text, self.refused_while_creating(self.client.scan, TableName="table", IndexName="later"))
        self.wait_for_index("later")
        self.assertEqual(len(self.query_keys("later", "n", {"N": "1"})), self.COUNT // 10)

    def test_one_at_a_time(self):
        busy = ("LimitExceededException: Subscriber limit exceeded: Only 1 online index can be created or deleted "
                "simultaneously per table")
        self.assertEqual(self.refused_while_creating(self.add, "third", "x", "S"), busy)
        self.assertEqual(self.refused_while_creating(self.drop, "first"), busy)
        self.wait_for_index("later")
        self.add("third", "x", "S")
        self.wait_for_index("third")

    def test_the_same_again(self):
        self.assertIn(self.refused_while_creating(self.add), [
            "ResourceInUseException: Attempt to change a resource which is still in use: Index is being created.  "
            "Table: table Index: later", "ValidationException: Attempting to create an index which already exists"])

    def test_a_creating_index_may_go(self):
        self.start_over()
        self.add()
        answer = self.drop("later")
        self.assertEqual(answer["TableStatus"], "UPDATING")
        self.assertEqual(self.shown(answer, "later")["IndexStatus"], "DELETING")
        self.assertNotIn("Backfilling", self.shown(answer, "later"))
        table = self.describe()
        self.assertEqual([i["IndexName"] for i in table["GlobalSecondaryIndexes"]], ["first"])
        self.assertEqual([d["AttributeName"] for d in table["AttributeDefinitions"]], ["g", "pk"])
        # The same name again, with another key: nothing is left of the first.
        self.add("later", "pk", "S")
        self.wait_for_index("later")
        self.assertEqual(self.query_keys("later", "pk", {"S": "7"}), ["7"])
        self.assertEqual(self.shown(self.describe(), "later")["ItemCount"], self.COUNT)

    def test_a_table_does_not_go_while_an_index_is_built(self):
        self.assertEqual(
            self.refused_while_creating(self.client.delete_table, TableName="table"),
            "ResourceInUseException: Attempt to change a resource which is still in use: Cannot delete table while indexes are "
            "being created, updated, or deleted.")
        self.wait_for_index("later")
        self.client.delete_table(TableName="table")
        self.assertEqual(self.client.list_tables()["TableNames"], [])
        # A new table of that name starts with nothing.
        self.create_indexed({"pk": "S", "n": "N"}, [index("later", "n")])
        self.assertEqual(self.query_keys("later", "n", {"N": "1"}), [])

    def test_items_that_do_not_fit_are_left_out(self):
        """Until the index is there such items may be written; after that they are refused."""
        self.start_over(0)
        self.put_all([
            {"pk": {"S": "type"}, "n": {"S": "text"}}, {"pk": {"S": "none"}}, {"pk": {"S": "null"}, "n": {"NULL": True}},
            {"pk": {"S": "fits"}, "n": {"N": "1"}}, {"pk": {"S": "empty"}, "s": {"S": ""}},
            {"pk": {"S": "long"}, "s": {"S": "x" * 2049}}, {"pk": {"S": "short"}, "s": {"S": "x" * 2048}}])
        self.add("by-n", "n", "N")
        self.wait_for_index("by-n")
        self.add("by-s", "s", "S")
        self.wait_for_index("by-s")
        found = [sorted(item["pk"]["S"] for item in self.client.scan(TableName="table", IndexName=name)["Items"])
                 for name in ("by-n", "by-s")]
        self.assertEqual(found, [["fits"], ["short"]])
        self.assert_refused(
            "ValidationException: One or more parameter values were invalid: Type mismatch for Index Key n Expected: N Actual: S "
            "IndexName: by-n", self.client.put_item, TableName="table", Item={"pk": {"S": "type"}, "n": {"S": "text"}})
        # What an update leaves alone stays as it is.
        self.client.update_item(TableName="table", Key={"pk": {"S": "type"}}, UpdateExpression="SET y = :y",
                                ExpressionAttributeValues={":y": {"S": "y"}})
        self.client.update_item(TableName="table", Key={"pk": {"S": "type"}}, UpdateExpression="SET n = :n",
                                ExpressionAttributeValues={":n": {"N": "5"}})
        self.assertEqual(self.query_keys("by-n", "n", {"N": "5"}), ["type"])

    def test_writes_while_an_index_is_built(self):
        """Many threads change items on both sides of what is done already; the result is exact."""
        self.start_over()
        stop = threading.Event()
        changed = {}

        def write(worker):
            rng = random.Random(worker)
            while not stop.is_set():
                key = str(rng.randrange(self.COUNT) // 4 * 4 + worker)  # keys of its own
                choice = rng.randrange(3)
                if choice == 0:
                    self.client.delete_item(TableName="table", Key={"pk": {"S": key}})
                    changed[key] = None
                elif choice == 1:
                    self.client.put_item(TableName="table", Item={"pk": {"S": key}, "n": {"N": "100"}})
                    changed[key] = "100"
                else:
                    self.client.update_item(TableName="table", Key={"pk": {"S": key}}, UpdateExpression="SET n = :n",
                                            ExpressionAttributeValues={":n": {"N": "-1"}})
                    changed[key] = "-1"

        with ThreadPoolExecutor(4) as pool:
            futures = [pool.submit(write, worker) for worker in range(4)]
            wait_until(lambda: changed, "writes")
            self.add()
            self.wait_for_index("later")
            stop.set()
            for future in futures:
                future.result()
        expected = {str(n): str(n % 10) for n in range(self.COUNT)} | changed
        expected = sorted((n, key) for key, n in expected.items() if n is not None)
        found = [(item["n"]["N"], item["pk"]["S"]) for page in self.pages("scan", IndexName="later") for item in page["Items"]]
        self.assertEqual(sorted(found), expected)
        self.assertEqual(self.shown(self.describe(), "later")["ItemCount"], len(expected))


if __name__ == "__main__":
    unittest.main()
