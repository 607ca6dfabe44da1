"""The expression language through the front: conditions on a put, filters on a scan, updates.

The language itself is tested case by case in tests/data/expr; here it is one language in all its places.
"""

import random
import re
import unittest

from wire import WireTest


class Conditions(WireTest):
    ITEM = {"pk": {"S": "a"}, "s": {"S": "hello"}, "n": {"N": "5"}, "b": {"B": b"\x01\x02"}, "t": {"BOOL": True},
            "z": {"NULL": True}, "ss": {"SS": ["x", "y"]}, "ns": {"NS": ["1", "2"]},
            "l": {"L": [{"N": "1"}, {"S": "two"}]}, "m": {"M": {"in": {"S": "deep"}, "list": {"L": [{"N": "7"}]}}}}
    VALUES = {":s": {"S": "hello"}, ":n": {"N": "5"}, ":six": {"N": "6"}, ":four": {"N": "4"}, ":he": {"S": "he"},
              ":x": {"S": "x"}, ":one": {"N": "1"}, ":two": {"N": "2"}, ":N": {"S": "N"}, ":L": {"S": "L"},
              ":set": {"SS": ["y", "x"]}, ":deep": {"S": "deep"}, ":seven": {"N": "7"}, ":t": {"BOOL": True}}
    NAMES = {"#in": "in", "#list": "list"}

    HOLD = [
        "s = :s", "n = :n", "n <> :six", "n < :six", "n <= :n", "n > :four", "n >= :n", "n BETWEEN :four AND :six",
        "n IN (:six, :n)", "s IN (:s)", "NOT n = :six", "n = :n AND s = :s", "n = :six OR s = :s",
        "n = :six AND s = :he OR s = :s", "NOT (n = :six AND s = :s)", "attribute_exists(s)",
        "attribute_not_exists(absent)", "attribute_type(n, :N)", "attribute_type(l, :L)", "begins_with(s, :he)",
        "contains(s, :he)", "contains(ss, :x)", "contains(ns, :one)", "contains(l, :one)", "size(s) = :n",
        "size(ss) = :two", "size(l) = :two", "size(m) = :two", "size(b) = :two", "ss = :set", "m.#in = :deep",
        "m.#list[0] = :seven", "l[0] = :one", "absent <> :n", "t = :t", "attribute_exists(m.#list[0])",
        "(n = :n) AND (s = :s)", "n=:n and s=:s", "NOT n = :six AND NOT n = :four",
    ]
    FAIL = [
        "s = :n", "n = :s", "absent = :n", "absent < :n", "n BETWEEN :six AND :seven", "attribute_exists(absent)",
        "attribute_not_exists(s)", "attribute_type(s, :N)", "begins_with(s, :x)", "contains(s, :x)", "contains(ss, :s)",
        "size(n) = :one", "size(absent) = :one", "m.#in.#list = :deep", "l[5] = :one", "s > :six", "NOT s = :s",
        "n IN (:six, :four)", "m.#list[0] = :six", "attribute_exists(m.absent)",
    ]

    @staticmethod
    def placeholders(expression, table):
        """Only what the expression uses: the rest would be refused as unused."""
        tokens = set(re.findall(r"[#:]\w+", expression))
        return {name: value for name, value in table.items() if name in tokens}

    def arguments(self, expression):
        names, values = self.placeholders(expression, self.NAMES), self.placeholders(expression, self.VALUES)
        return {**({"ExpressionAttributeNames": names} if names else {}),
                **({"ExpressionAttributeValues": values} if values else {})}

    def setUp(self):
        super().setUp()
        self.create()
        self.client.put_item(TableName="table", Item=self.ITEM)

    def holds_as_condition(self, expression):
        try:
            self.client.update_item(TableName="table", Key={"pk": {"S": "a"}}, ConditionExpression=expression,
                                    **self.arguments(expression))
            return True
        except self.client.exceptions.ConditionalCheckFailedException:
            return False

    def holds_as_filter(self, expression):
        answer = self.client.scan(TableName="table", FilterExpression=expression, **self.arguments(expression))
        return answer["Count"] == 1

    def test_conditions_that_hold(self):
        for expression in self.HOLD:
            with self.subTest(expression=expression):
                self.assertTrue(self.holds_as_condition(expression))
                self.assertTrue(self.holds_as_filter(expression))

    def test_conditions_that_do_not(self):
        for expression in self.FAIL:
            with self.subTest(expression=expression):
                self.assertFalse(self.holds_as_condition(expression))
                self.assertFalse(self.holds_as_filter(expression))

    def test_three_hundred_operators_and_no_more(self):
        values = {":n": {"N": "5"}}
        fits = " OR ".join(["n = :n"] * 150)
        self.assertLessEqual(len(fits), 4096)
        self.client.put_item(TableName="table", Item={"pk": {"S": "a"}, "n": {"N": "5"}}, ConditionExpression=fits,
                             ExpressionAttributeValues=values)
        self.assert_refused(
            "ValidationException: 1 validation error detected: Invalid ConditionExpression: "
            "The expression contains too many operators; operator count: 301", self.client.put_item,
            TableName="table", Item={"pk": {"S": "a"}}, ConditionExpression=fits + " OR n = :n",
            ExpressionAttributeValues=values)

    def test_a_hundred_operands_of_in_and_no_more(self):
        def scan(count):
            values = {f":v{n}": {"N": str(n)} for n in range(count)}
            return self.client.scan(TableName="table", FilterExpression=f"n IN ({', '.join(values)})",
                                    ExpressionAttributeValues=values)
        self.assertEqual(scan(100)["Count"], 1)
        self.assert_refused(
            "ValidationException: Invalid FilterExpression: The IN operator is provided with too many operands; "
            "number of operands: 101", scan, count=101)

    def test_two_megabytes_of_placeholders_and_no_more(self):
        def scan(extra):
            values = {":a": {"S": "x" * (1 << 20)}, ":b": {"S": "x" * ((1 << 20) - 8 + extra)}}
            return self.call("Scan", {"TableName": "table", "FilterExpression": "#a = :a OR #a = :b",
                                      "ExpressionAttributeNames": {"#a": "nn"}, "ExpressionAttributeValues": values})
        self.assertEqual(scan(0).json["Count"], 0)
        self.assertEqual(scan(1).error, "ValidationException: ExpressionAttributeValues contains invalid value: The expression "
                                        "attribute map exceeds the maximum allowed size")

    def test_every_reserved_word_needs_a_placeholder(self):
        for word in ("name", "Size", "STATUS", "data", "count", "ttl", "zone"):
            with self.subTest(word=word):
                self.assert_refused(
                    "ValidationException: Invalid ProjectionExpression: Attribute name is a reserved keyword; "
                    f"reserved keyword: {word}", self.client.get_item, TableName="table", Key={"pk": {"S": "a"}},
                    ProjectionExpression=word)


class Updates(WireTest):
    def test_random_updates_against_a_model(self):
        """Counters, a list and a set, changed at random on the server and in a Python dictionary."""
        self.create()
        rng = random.Random(7)
        model = {"n": 0, "l": [], "s": set()}
        key = {"pk": {"S": "a"}}
        self.client.put_item(TableName="table", Item={**key, "n": {"N": "0"}, "l": {"L": []}})
        for _ in range(200):
            action, value = rng.choice("naprd"), rng.randint(-50, 50)
            number = {"N": str(value)}
            if action == "n":
                expression, values = "SET n = n + :v", {":v": number}
                model["n"] += value
            elif action == "a":
                expression, values = "SET l = list_append(l, :v)", {":v": {"L": [number]}}
                model["l"].append(value)
            elif action == "p":
                expression, values = "ADD s :v", {":v": {"NS": [str(value)]}}
                model["s"].add(value)
            elif action == "r" and model["l"]:
                index = rng.randrange(len(model["l"]))
                expression, values = f"REMOVE l[{index}]", None
                del model["l"][index]
            else:
                expression, values = "DELETE s :v", {":v": {"NS": [str(value)]}}
                model["s"].discard(value)
            answer = self.client.update_item(
                TableName="table", Key=key, UpdateExpression=expression, ReturnValues="ALL_NEW",
                **({"ExpressionAttributeValues": values} if values else {}))["Attributes"]
            self.assertEqual(int(answer["n"]["N"]), model["n"])
            self.assertEqual([int(e["N"]) for e in answer["l"]["L"]], model["l"])
            self.assertEqual([int(e) for e in answer.get("s", {"NS": []})["NS"]], sorted(model["s"]))


if __name__ == "__main__":
    unittest.main()
