"""The client library (lib/client) against a real server, by the C program in tests/wire/client."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import signing
from server import SANITIZER, binary
from wire import WireTest, advance

CASES = pathlib.Path(binary()).parent / "tests/wire/client/client_cases"


def run_case(name, argument="", **variables):
    """Runs one case without any of the user's AWS settings; gives its output."""
    with tempfile.TemporaryDirectory() as home:
        env = {key: value for key, value in os.environ.items() if not key.startswith("AWS_") and "proxy" not in key.lower()}
        env.update({"AWS_CA_BUNDLE": os.environ.get("AWS_CA_BUNDLE", "")})
        env.update({"HOME": home, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": signing.KEY[0],
                    "AWS_SECRET_ACCESS_KEY": signing.KEY[1]})
        env.update({key: str(value) for key, value in variables.items()})
        env = {key: value for key, value in env.items() if value != ""}
        result = subprocess.run([CASES, name, argument], env=env, text=True, capture_output=True, timeout=120)
    if result.returncode != 0 or result.stderr or SANITIZER.search(result.stdout):
        raise AssertionError(f"{name} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


class ClientCase(WireTest):
    def run_case(self, name, argument="", **variables):
        return run_case(name, argument, AWS_ENDPOINT_URL_DYNAMODB=self.server.endpoint, **variables)

    def assert_case(self, name, expected, argument="", **variables):
        self.assertEqual(self.run_case(name, argument, **variables), expected)


EVERY_TYPE = {
    "pk": {"S": "types"}, "sk": {"N": "1"}, "string": {"S": 'Zénobe "Gramme" 🚀\n'}, "empty": {"S": ""},
    "text": {"S": "a\0b"}, "number": {"N": "12345678901234567890123456789012345678"},
    "small": {"N": "-0.00000000000000000000000000000000000001"}, "int": {"N": "-9223372036854775808"},
    "binary": {"B": b"\x00\xff\x10"}, "true": {"BOOL": True}, "false": {"BOOL": False}, "null": {"NULL": True},
    "strings": {"SS": ["a", "b", "é"]}, "numbers": {"NS": ["1.5", "2"]}, "binaries": {"BS": [b"", b"x"]},
    "map": {"M": {"city": {"S": "Liège"}, "empty": {"M": {}}}},
    "list": {"L": [{"N": "1"}, {"S": "two"}, {"BOOL": True}, {"NULL": True}, {"B": b"\x01"}, {"N": "3.25"},
                   {"M": {"deep": {"S": "yes"}}}, {"L": [{"S": "inner"}]}]},
}
EVERY_TYPE_JSON = (
    '{"binaries":{"BS":["","eA=="]},"binary":{"B":"AP8Q"},"empty":{"S":""},"false":{"BOOL":false},'
    '"int":{"N":"-9223372036854775808"},'
    '"list":{"L":[{"N":"1"},{"S":"two"},{"BOOL":true},{"NULL":true},{"B":"AQ=="},{"N":"3.25"},'
    '{"M":{"deep":{"S":"yes"}}},{"L":[{"S":"inner"}]}]},"map":{"M":{"city":{"S":"Liège"},"empty":{"M":{}}}},'
    '"null":{"NULL":true},"number":{"N":"12345678901234567890123456789012345678"},"numbers":{"NS":["1.5","2"]},'
    '"pk":{"S":"types"},"sk":{"N":"1"},"small":{"N":"-0.00000000000000000000000000000000000001"},'
    '"string":{"S":"Zénobe \\"Gramme\\" 🚀\\n"},"strings":{"SS":["a","b","é"]},"text":{"S":"a\\u0000b"},'
    '"true":{"BOOL":true}}')


class Items(ClientCase):
    def setUp(self):
        super().setUp()
        self.create(range="sk:N")

    def test_every_type(self):
        self.assert_case("types", f"""\
ok
ok
item {EVERY_TYPE_JSON}
3 bytes: 00 ff 10
12345678901234567890123456789012345678 -9223372036854775808 1 3 Liège two
attribute "number" is 12345678901234567890123456789012345678, not a 64-bit integer
""")
        # What boto3 reads is what the C program wrote.
        stored = self.client.get_item(TableName="table", Key={"pk": {"S": "types"}, "sk": {"N": "1"}})["Item"]
        self.assertEqual(stored, EVERY_TYPE)

    def test_an_absent_item(self):
        self.assert_case("absent", "ok\nitem none\nthere is no item\n")

    def test_conditions(self):
        self.assert_case("conditions", """\
ok
service ConditionalCheckFailedException status=400 attempts=1 maybe_applied=0 request_id=yes: The conditional request failed
item {"name":{"S":"first"},"pk":{"S":"c"},"sk":{"N":"1"}}
1
ok
old {"name":{"S":"first"},"pk":{"S":"c"},"sk":{"N":"1"}}
""")

    def test_updates_return_what_was_asked_for(self):
        key = '"pk":{"S":"u"},"plays":{"N":"%d"},"sk":{"N":"1"},"x":{"S":"x"}'
        part = '"plays":{"N":"%d"},"x":{"S":"x"}'
        self.assert_case("updates", "".join(f"ok\nattributes {attributes}\n" for attributes in (
            "none", "{" + key % 1 + "}", "{" + key % 3 + "}", "{" + part % 3 + "}", "{" + part % 5 + "}"))
            + "ok\ndeleted {" + key % 5 + "}\n")

    def test_the_largest_item(self):
        self.assert_case("largest", "ok\nok\n409587 1\n", "0")
        self.assert_case("largest", """\
service ValidationException status=400 attempts=1 maybe_applied=0 request_id=yes: Item size has exceeded the maximum allowed size
0 0
""", "1")

    def test_mistakes_are_told_before_anything_is_sent(self):
        client = "input ClientError status=0 attempts=0 maybe_applied=0 request_id=no: "
        service = "status=400 attempts=1 maybe_applied=0 request_id=yes: "
        self.assert_case("wrong", f"""\
{client}PutItem: attribute "price": "19,99" is not a number
{client}PutItem: no item is given
{client}PutItem: no table is named
{client}DeleteItem: no key is given
service ValidationException {service}One or more parameter values were invalid: Missing the key sk in the item
service ResourceNotFoundException {service}Requested resource not found
""")


class Reads(ClientCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client.create_table(
            TableName="table", BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind}
                                  for name, kind in (("pk", "S"), ("sk", "N"), ("even_key", "S"))],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            GlobalSecondaryIndexes=[{"IndexName": "by_even", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
                {"AttributeName": "even_key", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}])
        for n in range(30):
            item = {"pk": {"S": "q"}, "sk": {"N": str(n)}, "even": {"BOOL": n % 2 == 0}}
            if n % 2 == 0:
                item["even_key"] = {"S": "yes"}
            cls.client.put_item(TableName="table", Item=item)

    def setUp(self):
        pass  # the table stays

    @staticmethod
    def line(numbers):
        return " ".join(str(n) for n in numbers) + "\nok\n"

    def test_query(self):
        self.assert_case("query", self.line(range(30)) + self.line(range(29, 19, -1)) + "\nok\n")

    def test_filters_and_counts(self):
        self.assert_case("filters", self.line(range(0, 12, 2)) + "15 of 30\n\nok\n")

    def test_going_on_from_a_position(self):
        self.assert_case("position", self.line(range(10)) + self.line(range(10, 20)) + self.line(range(20, 30)) + "\nok\n"
                         + "position none\n")

    def test_an_index(self):
        self.assert_case("index", self.line(range(0, 30, 2)))

    def test_scan_in_segments(self):
        self.client.delete_item(TableName="table", Key={"pk": {"S": "i"}, "sk": {"N": "1"}})
        self.assert_case("scan", """\
ok
ok
ok
30
service ResourceNotFoundException status=400 attempts=1 maybe_applied=0 request_id=yes: Requested resource not found
input ClientError status=0 attempts=0 maybe_applied=0 request_id=no: Scan: no table is named
""")

    def test_statements(self):
        self.client.delete_item(TableName="table", Key={"pk": {"S": "i"}, "sk": {"N": "1"}})
        self.assert_case("statement", self.line(range(30)) + "\nok\n" + """\
service DuplicateItemException status=400 attempts=1 maybe_applied=0 request_id=yes: Duplicate primary key exists in table
input ClientError status=0 attempts=0 maybe_applied=0 request_id=no: ExecuteStatement: there is no statement
""")


class Groups(ClientCase):
    def setUp(self):
        super().setUp()
        self.create(range="sk:N")
        self.create("other", range="sk:N")

    def test_batches_of_any_size(self):
        for count in (0, 1, 25, 26, 260):
            with self.subTest(count=count):
                found = (count + 1) // 2
                self.assert_case("batch", f"""\
ok
done {count}
ok
{found} items, sum {sum(range(0, count, 2))}
ok
done {count}
ok
0 items, sum 0
input ClientError status=0 attempts=0 maybe_applied=0 request_id=no: BatchWriteItem: a batch puts and deletes, nothing else
done 0
""", str(count))

    def test_transactions(self):
        self.assert_case("transactions", """\
ok
ok
ok
ok
balance {"balance":{"N":"60"}}
balance none
balance {"balance":{"N":"40"}}
ok
service TransactionCanceledException status=400 attempts=1 maybe_applied=0 request_id=yes: Transaction cancelled, \
please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None, None, None, None]; action 1 of 5: \
ConditionalCheckFailed: The conditional request failed
reason ConditionalCheckFailed: The conditional request failed
reason item {"balance":{"N":"20"},"pk":{"S":"from"},"sk":{"N":"0"}}
reason None: 
reason None: 
reason None: 
reason None: 
ok
balance {"balance":{"N":"20"}}
balance none
balance {"balance":{"N":"80"}}
""")

    def test_a_client_for_each_thread(self):
        self.assert_case("threads", "40 written, 40 seen\n" * 8)

    def test_the_raw_call(self):
        self.assert_case("call", 'ok\n{"TableNames":["other","table"]}\n', "ListTables", CASE_JSON="{}")
        self.assert_case("call", 'ok\n{"TableNames":["other","table"]}\n', "ListTables")
        self.assert_case("call", "ok\n{}\n", "DynamoDB_20120810.PutItem",
                         CASE_JSON='{"TableName": "table", "Item": {"pk": {"S": "é"}, "sk": {"N": "1"}}}')
        service = "status=400 attempts=1 maybe_applied=0 request_id=yes: "
        self.assert_case("call", f"service ResourceNotFoundException {service}Requested resource not found: Table: nowhere not "
                         "found\n", "DescribeTable", CASE_JSON='{"TableName": "nowhere"}')
        self.assert_case("call", "input ClientError status=0 attempts=0 maybe_applied=0 request_id=no: "
                         "that is not the name of an operation\n", "List\r\nX: y")


class Tables(ClientCase):
    def test_waiting(self):
        output = self.run_case("waits")
        self.assertEqual(re.sub("ClientError.*: waiting", "ClientError: waiting", output), """\
table ok
index ok
backup ok
no index ok
no table ok
too long timeout ClientError: waiting for music: it is still absent
never service ResourceNotFoundException status=400 attempts=1 maybe_applied=0 request_id=yes: Requested resource not found: \
Table: music not found
""")

    def test_lists_of_many_pages(self):
        names = sorted(f"table-{n}" for n in range(7))
        for name in names:
            self.create(name)
        for limit in (1, 3, 7, 100):
            self.assert_case("lists", " ".join(names) + "\nok\n", str(limit))


class Streams(ClientCase):
    server_arguments = ["--memory", "--test-clock"]

    def setUp(self):
        super().setUp()
        self.create(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.position = f"{folder.name}/position"

    def put(self, key, n):
        self.client.put_item(TableName="table", Item={"pk": {"S": key}, "n": {"N": str(n)}})

    def read(self, count=""):
        *records, end = self.run_case("stream", str(count), CASE_POSITION=self.position).splitlines()
        self.assertEqual(end, "ok")
        return records

    def test_every_kind_of_change(self):
        self.put("a", 1)
        self.put("a", 2)
        self.client.delete_item(TableName="table", Key={"pk": {"S": "a"}})
        self.assertEqual(self.read(), ["insert a - 1", "modify a 1 2", "remove a 2 -"])
        self.assertEqual(self.read(), [])

    def test_readers_that_go_on_where_others_ended(self):
        """Over days and generations of shards, a few records in every run, each key's changes come once and in order."""
        expected, seen = [], []
        for n in range(12):
            for key in "abcdefgh":
                self.put(key, n)
                expected.append((key, n))
            seen += self.read(5)
            advance(self.server.port, 3 * 3600)
            seen += self.read()
        self.assertEqual(len(seen), len(expected))
        for key in "abcdefgh":
            kinds = [line for line in seen if line.split()[1] == key]
            self.assertEqual(kinds, [f"insert {key} - 0", *(f"modify {key} {n - 1} {n}" for n in range(1, 12))])

    def test_what_was_trimmed_is_told(self):
        self.put("a", 1)
        self.assertEqual(len(self.read()), 1)
        self.put("a", 2)
        advance(self.server.port, 48 * 3600)
        output = self.run_case("stream", CASE_POSITION=self.position)
        self.assertRegex(output, "^service TrimmedDataAccessException .*: records of shardId-[0-9a-f-]+ were trimmed before they "
                         "could be read; a stream keeps 24 hours\n$")

    def test_a_table_without_a_stream(self):
        self.client.delete_table(TableName="table")
        self.create()
        self.assert_case("stream", "input ClientError status=200 attempts=1 maybe_applied=0 request_id=yes: "
                         "table table has no stream\n")


class Settings(unittest.TestCase):
    """What is missing is named; the rest of the settings is tested in tests/unit/client."""

    def test_missing_settings(self):
        problem = "config ClientError status=0 attempts=0 maybe_applied=0 request_id=no: "
        for variables, text in (
                ({"AWS_REGION": ""}, "no region: set AWS_REGION, or `region` in the profile, or the option"),
                ({"AWS_ENDPOINT_URL": "localhost:8000"},
                 '"localhost:8000" is no endpoint: it is written http://host:port or https://host'),
                ({"AWS_SECRET_ACCESS_KEY": ""},
                 "the credentials in the environment have an access key id, but no secret access key"),
                ({"AWS_PROFILE": "work"},
                 'profile "work" is neither in the credentials file nor in the config file')):
            with self.subTest(variables=variables):
                self.assertEqual(run_case("stub-get", **variables), f"{problem}{text}\nitem none\n")


if __name__ == "__main__":
    unittest.main()
