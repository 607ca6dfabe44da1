"""TransactWriteItems and TransactGetItems through boto3: limits, tokens, and what others see meanwhile."""

import threading
import time
import unittest
import uuid

from waiting import WAIT_S
from wire import WireTest, boto3_client, only


def put(key, table="table", **attributes):
    return {"Put": {"TableName": table, "Item": {"pk": {"S": key}, **attributes}}}


def get(key, table="table"):
    return {"Get": {"TableName": table, "Key": {"pk": {"S": key}}}}


def add(key, amount=1, attribute="n"):
    return {"Update": {"TableName": "table", "Key": {"pk": {"S": key}}, "UpdateExpression": "ADD #a :n",
                       "ExpressionAttributeNames": {"#a": attribute}, "ExpressionAttributeValues": {":n": {"N": str(amount)}}}}


TOO_LARGE = "ValidationException: Transaction payload size cannot exceed 4MB. Payload Size: "
READ_TOO_LARGE = ("ValidationException: Collection size of items exceeded, which can also be caused by the aggregate size of the "
                  "items in the transaction exceeding the 4MB limit")


class TransactWrite(WireTest):
    def setUp(self):
        super().setUp()
        self.create()

    def item(self, key):
        return self.client.get_item(TableName="table", Key={"pk": {"S": key}}).get("Item")

    def test_a_hundred_actions(self):
        answer = self.client.transact_write_items(TransactItems=[put(str(n)) for n in range(100)])
        self.assertEqual(only(answer), {})
        self.assertEqual(self.client.scan(TableName="table")["Count"], 100)

    def test_a_hundred_and_one(self):
        reply = self.call("TransactWriteItems", {"TransactItems": [put(str(n)) for n in range(101)]})
        self.assertEqual(reply.status, 400)
        self.assertTrue(reply.error.startswith(
            "ValidationException: 1 validation error detected: Value '[TransactWriteItem(conditionCheck=null, put=Put(item={pk="
            "AttributeValue(s=0, n=null, "), reply.error[:300])
        self.assertTrue(reply.error.endswith(
            "' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100"), reply.error[-300:])

    def test_a_cancellation_as_boto3_shows_it(self):
        self.client.put_item(TableName="table", Item={"pk": {"S": "a"}, "n": {"N": "1"}})
        with self.assertRaises(self.client.exceptions.TransactionCanceledException) as caught:
            self.client.transact_write_items(TransactItems=[
                put("b"),
                {"Put": {"TableName": "table", "Item": {"pk": {"S": "a"}}, "ConditionExpression": "attribute_not_exists(pk)",
                         "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}])
        response = caught.exception.response
        self.assertEqual(response["Error"], {
            "Code": "TransactionCanceledException",
            "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]"})
        self.assertEqual(response["CancellationReasons"], [{"Code": "None"}, {
            "Code": "ConditionalCheckFailed", "Message": "The conditional request failed",
            "Item": {"pk": {"S": "a"}, "n": {"N": "1"}}}])
        self.assertIsNone(self.item("b"))

    def test_the_items_together(self):
        # Ten items of exactly 400 KB and one of 96 KB make 4 MB; a byte more is too much.
        size = 400 * 1024
        items = [put(chr(ord("a") + n), d={"S": "x" * (size - 4)}) for n in range(10)]
        rest = 4 * 1024 * 1024 - 10 * size - 4
        self.client.transact_write_items(TransactItems=items + [put("z", d={"S": "x" * rest})])
        self.assert_refused(TOO_LARGE + "4194305", self.client.transact_write_items,
                            TransactItems=items + [put("z", d={"S": "y" * (rest + 1)}), put("y", d={"S": "not counted any more"})])
        self.assertEqual(self.item("z")["d"]["S"], "x" * rest)
        self.assert_refused(TOO_LARGE + "4194305", self.client.transact_write_items, TransactItems=items + [
            {"Update": {"TableName": "table", "Key": {"pk": {"S": "z"}}, "UpdateExpression": "SET e = :e",
                        "ExpressionAttributeValues": {":e": {"S": ""}}}}])
        self.assertNotIn("e", self.item("z"))

    def test_a_request_is_counted_before_anything_else(self):
        # Keys, texts of expressions, names and values: what a request brings, whatever its tables and conditions.
        names = {"#d": "d" * 10}
        deletes = [{"Delete": {"TableName": "missing", "Key": {"pk": {"S": f"{n:02}"}}, "ConditionExpression": "#d <> :d",
                               "ExpressionAttributeNames": names, "ExpressionAttributeValues": {":d": {"S": "x" * 390_000}}}} for n in range(12)]
        size = 4 + len("#d <> :d") + 10 + 390_000
        self.assert_refused(TOO_LARGE + str(11 * size), self.client.transact_write_items, TransactItems=deletes)
        self.assert_refused("ResourceNotFoundException: Requested resource not found", self.client.transact_write_items,
                            TransactItems=deletes[:10])

    def test_statements_are_counted_by_what_they_insert(self):
        statements = [{"Statement": f"INSERT INTO \"table\" VALUE {{'pk':'{n:02}','d':?}}", "Parameters": [{"S": "x" * 390_000}]}
                      for n in range(12)]
        self.assert_refused(TOO_LARGE + str(11 * 390_005), self.client.execute_transaction, TransactStatements=statements)
        self.client.execute_transaction(TransactStatements=statements[:10])

    def test_many_large_items_in_the_reasons(self):
        for n in range(12):
            self.client.put_item(TableName="table", Item={"pk": {"S": str(n)}, "d": {"S": "\x01" * 400_000}})
        reply = self.call("TransactWriteItems", {"TransactItems": [
            {"ConditionCheck": {"TableName": "table", "Key": {"pk": {"S": str(n)}}, "ConditionExpression": "attribute_not_exists(pk)",
                                "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}} for n in range(12)]})
        self.assertEqual([len(reason["Item"]["d"]["S"]) for reason in reply.json["CancellationReasons"]], [400_000] * 12)

    def test_a_token_pays_once(self):
        token = str(uuid.uuid4())
        for _ in range(3):
            self.client.transact_write_items(TransactItems=[add("a")], ClientRequestToken=token)
        self.assertEqual(self.item("a")["n"], {"N": "1"})
        self.assert_refused(
            "IdempotentParameterMismatchException: The provided client request token was used with other parameters",
            self.client.transact_write_items, TransactItems=[add("a", 2)], ClientRequestToken=token)
        # Without one boto3 makes one up for each call.
        self.client.transact_write_items(TransactItems=[add("a")])
        self.client.transact_write_items(TransactItems=[add("a")])
        self.assertEqual(self.item("a")["n"], {"N": "3"})

    def test_one_token_from_many_threads(self):
        token, outcomes = "shared", []

        def send():
            answer = self.client.transact_write_items(TransactItems=[add("a"), add("b")], ClientRequestToken=token,
                                                      ReturnConsumedCapacity="TOTAL")
            outcomes.append(answer["ConsumedCapacity"][0].get("WriteCapacityUnits"))

        threads = [threading.Thread(target=send) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(outcomes, key=str), [4.0] + [None] * 15)
        self.assertEqual((self.item("a")["n"], self.item("b")["n"]), ({"N": "1"}, {"N": "1"}))

    def test_a_dropped_table_has_no_memory(self):
        # The table of a token's request is gone: the request is looked at afresh.
        self.client.transact_write_items(TransactItems=[add("a")], ClientRequestToken="t")
        self.client.delete_table(TableName="table")
        self.assert_refused("ResourceNotFoundException: Requested resource not found",
                            self.client.transact_write_items, TransactItems=[add("a")], ClientRequestToken="t")


class TransactGet(WireTest):
    def setUp(self):
        super().setUp()
        self.create()

    def test_a_hundred_items(self):
        # More than are read on the connection's thread.
        self.client.transact_write_items(TransactItems=[put(str(n)) for n in range(0, 100, 2)])
        answer = self.client.transact_get_items(TransactItems=[get(str(n)) for n in range(100)], ReturnConsumedCapacity="TOTAL")
        self.assertEqual(answer["Responses"], [{} if n % 2 else {"Item": {"pk": {"S": str(n)}}} for n in range(100)])
        self.assertEqual(answer["ConsumedCapacity"], [{"TableName": "table", "CapacityUnits": 200.0, "ReadCapacityUnits": 200.0}])

    def test_the_items_together(self):
        size = 400 * 1024
        for n in range(10):
            self.client.put_item(TableName="table", Item={"pk": {"S": str(n)}, "d": {"S": "x" * (size - 4)}})
        rest = 4 * 1024 * 1024 - 10 * size - 4
        self.client.put_item(TableName="table", Item={"pk": {"S": "z"}, "d": {"S": "x" * rest}})
        gets = [get(str(n)) for n in range(10)] + [get("z")]
        answer = self.client.transact_get_items(TransactItems=gets)
        self.assertEqual([len(response["Item"]["d"]["S"]) for response in answer["Responses"]], [size - 4] * 10 + [rest])
        self.client.put_item(TableName="table", Item={"pk": {"S": "z"}, "d": {"S": "x" * (rest + 1)}})
        self.assert_refused(READ_TOO_LARGE, self.client.transact_get_items, TransactItems=gets)

    def test_a_cancellation(self):
        response = self.assert_refused(
            "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific reasons [None, ValidationError]",
            self.client.transact_get_items,
            TransactItems=[get("a"), {"Get": {"TableName": "table", "Key": {"other": {"S": "a"}}}}])
        self.assertEqual(response["CancellationReasons"], [
            {"Code": "None"}, {"Code": "ValidationError", "Message": "The provided key element does not match the schema"}])


class Isolation(WireTest):
    """What goes on at the same time sees all of a transaction or nothing of it."""

    SECONDS = 2

    def setUp(self):
        super().setUp()
        self.create()
        self.stop = threading.Event()
        self.problems = []

    def in_threads(self, *functions):
        def guarded(function):
            client = boto3_client(self.server.endpoint)
            try:
                while not self.stop.is_set():
                    function(client)
            except Exception as error:  # A thread's failure is the test's.
                self.problems.append(repr(error))
            finally:
                client.close()

        threads = [threading.Thread(target=guarded, args=(function,)) for function in functions]
        for thread in threads:
            thread.start()
        self.stop.wait(self.SECONDS)
        self.stop.set()
        for thread in threads:
            thread.join()
        self.assertEqual(self.problems, [])

    def test_readers_see_one_moment(self):
        names = [f"item{n}" for n in range(8)]
        self.client.transact_write_items(TransactItems=[add(name, 1, "v") for name in names])
        reads = []

        def write(client):
            client.transact_write_items(TransactItems=[add(name, 1, "v") for name in names])

        def read(client):
            answer = client.transact_get_items(TransactItems=[get(name) for name in names])
            versions = {response["Item"]["v"]["N"] for response in answer["Responses"]}
            if len(versions) != 1:
                self.problems.append(f"versions {versions} at one moment")
            reads.append(versions.pop())

        self.in_threads(write, write, read, read)
        self.assertGreater(len(set(reads)), 10)

    def test_counters_lose_nothing(self):
        done = [0] * 4

        def counter(mine):
            def count(client):
                client.transact_write_items(TransactItems=[
                    {"Update": {**add("a")["Update"], "ConditionExpression": "attribute_not_exists(never)"}}, add("b", 2)])
                done[mine] += 1
            return count

        def single(client):
            client.update_item(TableName="table", Key={"pk": {"S": "a"}}, UpdateExpression="ADD s :n",
                               ExpressionAttributeValues={":n": {"N": "1"}})

        self.in_threads(*(counter(mine) for mine in range(4)), single)
        item = {key: self.client.get_item(TableName="table", Key={"pk": {"S": key}})["Item"] for key in "ab"}
        self.assertGreater(sum(done), 20)
        self.assertEqual((int(item["a"]["n"]["N"]), int(item["b"]["n"]["N"])), (sum(done), 2 * sum(done)))

    def test_write_skew(self):
        """Two transactions that each check the other's item: never both."""
        both = []

        def race(mine, other):
            def run(client):
                try:
                    client.transact_write_items(TransactItems=[
                        put(mine), {"ConditionCheck": {"TableName": "table", "Key": {"pk": {"S": other}},
                                                       "ConditionExpression": "attribute_not_exists(pk)"}}])
                except client.exceptions.TransactionCanceledException:
                    return
                answer = client.transact_get_items(TransactItems=[get(mine), get(other)])
                if len([response for response in answer["Responses"] if response]) == 2:
                    self.problems.append("both are there")
                both.append(mine)
                client.delete_item(TableName="table", Key={"pk": {"S": mine}})
            return run

        self.in_threads(race("left", "right"), race("right", "left"))
        self.assertEqual(set(both), {"left", "right"})


class Conflicts(WireTest):
    """With --transaction-conflicts whoever meets a transaction under way is told so, and nothing is lost."""

    server_arguments = ["--memory", "--transaction-conflicts"]

    def setUp(self):
        super().setUp()
        self.create()
        self.done, self.conflicts = [], set()

    def count(self, operation, body):
        """Counts up as fast as it can until every kind of conflict has been met."""
        end = time.monotonic() + WAIT_S
        while len(self.conflicts) < 2 and time.monotonic() < end:
            reply = self.call(operation, body)
            if reply.status == 200:
                self.done.append(operation)
                continue
            self.conflicts.add(reply.error)
            self.reasons = reply.json.get("CancellationReasons", self.reasons)

    def test_both_kinds(self):
        self.reasons = None
        both = {"TransactItems": [add("a"), add("b")]}
        threads = [threading.Thread(target=self.count, args=("TransactWriteItems", both)) for _ in range(6)]
        threads += [threading.Thread(target=self.count, args=("UpdateItem", add("a")["Update"])) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.conflicts, {
            "TransactionConflictException: Transaction is ongoing for the item",
            "TransactionCanceledException: Transaction cancelled, please refer cancellation reasons for specific reasons "
            "[TransactionConflict, TransactionConflict]"})
        self.assertEqual(self.reasons, [{"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}] * 2)
        items = [self.client.get_item(TableName="table", Key={"pk": {"S": key}})["Item"]["n"]["N"] for key in "ab"]
        self.assertEqual(items, [str(len(self.done)), str(self.done.count("TransactWriteItems"))])


if __name__ == "__main__":
    unittest.main()
