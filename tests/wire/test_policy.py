"""gramme serve --policy: what a policy refuses, by operation, and a policy that cannot be understood."""

import json
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

from server import ROOT, Server, binary
from waiting import wait_until
from wire import ACCOUNT, REGION, WireTest, boto3_client, only

TABLES = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/"


def statement(effect, actions, *resources, **condition):
    """A statement; the operator `ForAllValues_X` is written ForAllValues:X."""
    made = {"Effect": effect, "Action": actions, "Resource": list(resources) or "*"}
    if condition:
        made["Condition"] = {operator.replace("_", ":"): keys for operator, keys in condition.items()}
    return made


def allow(actions, *resources, **condition):
    return statement("Allow", actions, *resources, **condition)


def deny(actions, *resources, **condition):
    return statement("Deny", actions, *resources, **condition)


# The user "admin" makes and fills the tables; the policies are about "test".
ADMIN = allow("dynamodb:*", StringEquals={"aws:username": "admin"})
NOT_ADMIN = {"StringNotEquals": {"aws:username": "admin"}}


def refusal(action, resource, explicit=False, user="test"):
    reason = ("with an explicit deny in an identity-based policy" if explicit else
              f"because no identity-based policy allows the dynamodb:{action} action")
    return (f"User: arn:aws:iam::{ACCOUNT}:user/{user} is not authorized to perform: dynamodb:{action} "
            f"on resource: {resource if resource == '*' else TABLES + resource} {reason}")


class PolicyTest(WireTest):
    """A server with the statements of the class, a client of the user "test" and one of "admin"."""

    statements = []

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        path = pathlib.Path(cls.directory.name, "policy.json")
        path.write_text(json.dumps({"Version": "2012-10-17", "Statement": [ADMIN, *cls.statements]}))
        cls.server_arguments = ["--memory", "--policy", path]
        super().setUpClass()
        cls.admin = boto3_client(cls.server.endpoint, "admin")
        cls.fill()

    @classmethod
    def tearDownClass(cls):
        cls.admin.close()
        super().tearDownClass()
        cls.directory.cleanup()

    @classmethod
    def fill(cls):
        for name in ("music", "secret"):
            cls.admin.create_table(
                TableName=name, BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": key, "AttributeType": kind}
                                      for key, kind in (("artist", "S"), ("song", "S"), ("year", "N"))],
                KeySchema=[{"AttributeName": "artist", "KeyType": "HASH"}, {"AttributeName": "song", "KeyType": "RANGE"}],
                GlobalSecondaryIndexes=[{"IndexName": "by-year", "Projection": {"ProjectionType": "ALL"},
                                         "KeySchema": [{"AttributeName": "year", "KeyType": "HASH"}]}])
            for artist in ("test", "x"):
                cls.admin.put_item(TableName=name, Item={**cls.key(artist), "year": {"N": "1999"}, "a": {"S": "y"}})

    def setUp(self):
        pass  # the tables stay

    @staticmethod
    def key(artist="test", song="s"):
        return {"artist": {"S": artist}, "song": {"S": song}}

    def assert_denied(self, text, function, **parameters):
        self.assert_refused("AccessDeniedException: " + text, function, **parameters)

    def execute(self, text, **options):
        return self.client.execute_statement(Statement=text, **options)["Items"]


class FullTableScan(PolicyTest):
    statements = [
        deny("dynamodb:PartiQLSelect", TABLES + "music", TABLES + "music/index/*",
             Bool={"dynamodb:FullTableScan": ["true"]}, **NOT_ADMIN),
        allow("dynamodb:PartiQL*"),
    ]
    denied = refusal("PartiQLSelect", "music", explicit=True)
    item = {"artist": {"S": "test"}, "song": {"S": "s"}, "year": {"N": "1999"}, "a": {"S": "y"}}

    def test_scans_are_refused(self):
        for text in ('SELECT * FROM "music"', "SELECT artist FROM music WHERE a = 'y'", "SELECT * FROM music WHERE song = 's'",
                     "SELECT * FROM music WHERE artist > 'a'", "SELECT * FROM music WHERE begins_with(artist, 't')",
                     "SELECT * FROM music WHERE artist = 'test' OR a = 'y'", "SELECT * FROM music WHERE NOT artist = 'test'",
                     "SELECT * FROM music WHERE artist <> 'test'", f'SELECT * FROM "{TABLES}music"',
                     f'SELECT * FROM "{TABLES.replace("arn:aws:", "arn:aws-cn:")}music"'):
            with self.subTest(text):
                self.assert_denied(self.denied, self.client.execute_statement, Statement=text)
                self.assert_denied(self.denied, self.client.execute_statement, Statement=text, Limit=1)
        self.assertEqual(len(self.admin.execute_statement(Statement="SELECT * FROM music")["Items"]), 2)

    def test_key_lookups_are_allowed(self):
        for text in ("SELECT * FROM music WHERE artist = 'test'", "SELECT * FROM music WHERE artist = 'test' AND song = 's'",
                     "SELECT * FROM music WHERE artist IN ['test', 'z'] AND a = 'y'",
                     "SELECT * FROM music WHERE artist = 'test' OR artist = 'z'",
                     "SELECT * FROM music WHERE artist = 'test' AND begins_with(song, 's') ORDER BY song DESC"):
            with self.subTest(text):
                self.assertEqual(self.execute(text), [self.item])
        self.assertEqual(self.execute("SELECT * FROM music WHERE artist IN []"), [])

    def test_indexes(self):
        denied = refusal("PartiQLSelect", "music/index/by-year", explicit=True)
        for text in ('SELECT * FROM "music"."by-year"', """SELECT * FROM "music"."by-year" WHERE artist = 'test'"""):
            self.assert_denied(denied, self.client.execute_statement, Statement=text)
        self.assertEqual(len(self.execute('SELECT * FROM "music"."by-year" WHERE "year" = 1999')), 2)
        self.assert_denied(self.denied, self.client.execute_statement, Statement='SELECT * FROM "music" WHERE "year" = 1999')

    def test_writes_are_no_scans(self):
        self.execute("INSERT INTO music VALUE {'artist': 'new', 'song': 's'}")
        self.execute("UPDATE music SET a = 1 WHERE artist = 'new' AND song = 's'")
        self.execute("DELETE FROM music WHERE artist = 'new' AND song = 's'")
        self.assert_refused(
            "ValidationException: Where clause does not contain a mandatory equality on all key attributes",
            self.client.execute_statement, Statement="DELETE FROM music WHERE a = 'y'")

    def test_batches_fail_by_the_statement(self):
        reply = self.client.batch_execute_statement(Statements=[
            {"Statement": "SELECT * FROM music WHERE artist = 'test' AND song = 's'"},
            {"Statement": "SELECT * FROM music WHERE a = 'y'"},
            {"Statement": "SELECT * FROM secret WHERE a = 'y'"}])
        self.assertEqual(reply["Responses"], [
            {"TableName": "music", "Item": self.item},
            {"Error": {"Code": "AccessDenied", "Message": self.denied}},
            {"Error": {"Code": "ValidationError", "Message": "Select statements within BatchExecuteStatement must "
                       "specify the primary key in the where clause."}}])
        reply = self.client.batch_execute_statement(Statements=[{"Statement": "SELECT * FROM music"}])
        self.assertEqual(reply["Responses"], [{"Error": {"Code": "AccessDenied", "Message": self.denied}}])

    def test_transactions_fail_whole(self):
        lookup = {"Statement": "SELECT * FROM music WHERE artist = 'test' AND song = 's'"}
        reply = self.client.execute_transaction(TransactStatements=[lookup])
        self.assertEqual(reply["Responses"], [{"Item": self.item}])
        self.assert_denied(self.denied, self.client.execute_transaction,
                           TransactStatements=[lookup, {"Statement": "SELECT * FROM music WHERE a = 'y'"}])

    def test_other_tables_and_operations(self):
        self.assertEqual(len(self.execute("SELECT * FROM secret")), 2)
        self.assert_refused("ResourceNotFoundException: Requested resource not found",
                            self.client.execute_statement, Statement="SELECT * FROM elsewhere WHERE a = 1")
        self.assert_denied(refusal("Scan", "music"), self.client.scan, TableName="music")

    def test_the_envelope(self):
        reply = self.call("ExecuteStatement", {"Statement": "SELECT * FROM music"})
        self.assertEqual((reply.status, reply.json), (400, {
            "__type": "com.amazon.coral.service#AccessDeniedException", "Message": self.denied}))

    def test_what_is_wrong_with_a_statement_comes_first(self):
        self.assert_refused("ValidationException: Statement wasn't well formed, can't be processed: Unexpected term",
                            self.client.execute_statement, Statement="SELECT * FROM music WHERE")


class Tables(PolicyTest):
    """One table is allowed, the other is not."""

    statements = [allow(["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem",
                         "dynamodb:Query", "dynamodb:Scan", "dynamodb:Batch*", "dynamodb:PartiQLSelect",
                         "dynamodb:DescribeTable", "dynamodb:CreateTable"], TABLES + "music", TABLES + "mine")]

    def test_single_items(self):
        calls = (("GetItem", self.client.get_item, {"Key": self.key("t", "1")}),
                 ("PutItem", self.client.put_item, {"Item": self.key("t", "1")}),
                 ("UpdateItem", self.client.update_item, {"Key": self.key("t", "1")}),
                 ("DeleteItem", self.client.delete_item, {"Key": self.key("t", "1")}))
        for action, function, parameters in calls:
            function(TableName="music", **parameters)
            function(TableName=TABLES + "music", **parameters)
            self.assert_denied(refusal(action, "secret"), function, TableName="secret", **parameters)
            self.assert_denied(refusal(action, "secret"), function, TableName=TABLES + "secret", **parameters)
            self.assert_denied(refusal(action, "nothing"), function, TableName="nothing", **parameters)

    def test_indexes_are_resources_of_their_own(self):
        self.assertEqual(self.client.scan(TableName="music")["Count"], 2)
        self.assert_denied(refusal("Scan", "music/index/by-year"), self.client.scan, TableName="music", IndexName="by-year")
        self.assert_denied(refusal("Query", "music/index/by-year"), self.client.query, TableName="music", IndexName="by-year",
                           KeyConditionExpression="#y = :y", ExpressionAttributeNames={"#y": "year"},
                           ExpressionAttributeValues={":y": {"N": "1"}})
        self.assert_denied(refusal("PartiQLSelect", "music/index/by-year"), self.client.execute_statement,
                           Statement='SELECT * FROM "music"."by-year"')

    def test_batches_need_every_table(self):
        keys = {"Keys": [self.key()]}
        self.assertEqual(len(self.client.batch_get_item(RequestItems={"music": keys})["Responses"]["music"]), 1)
        self.assert_denied(refusal("BatchGetItem", "secret"), self.client.batch_get_item,
                           RequestItems={"music": keys, "secret": keys})
        self.assert_denied(refusal("BatchWriteItem", "secret"), self.client.batch_write_item, RequestItems={
            "music": [{"PutRequest": {"Item": self.key("b")}}], "secret": [{"DeleteRequest": {"Key": self.key()}}]})
        self.assertNotIn("Item", self.client.get_item(TableName="music", Key=self.key("b")))

    def test_tables(self):
        self.assertEqual(self.client.describe_table(TableName="music")["Table"]["TableName"], "music")
        self.assert_denied(refusal("DescribeTable", "secret"), self.client.describe_table, TableName="secret")
        self.assert_denied(refusal("DeleteTable", "music"), self.client.delete_table, TableName="music")
        self.assert_denied(refusal("UpdateTable", "music"), self.client.update_table, TableName="music",
                           BillingMode="PAY_PER_REQUEST")
        shape = {"BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
                 "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}]}
        self.assert_denied(refusal("CreateTable", "other"), self.client.create_table, TableName="other", **shape)
        self.assert_denied(refusal("TagResource", "mine"), self.client.create_table, TableName="mine",
                           Tags=[{"Key": "a", "Value": "b"}], **shape)
        self.client.create_table(TableName="mine", **shape)

    def test_operations_on_no_resource(self):
        self.assert_denied(refusal("ListTables", "*"), self.client.list_tables)
        self.assert_denied(refusal("DescribeLimits", "*"), self.client.describe_limits)
        self.assert_denied(refusal("DescribeEndpoints", "*"), self.client.describe_endpoints)
        self.assertIn("secret", self.admin.list_tables()["TableNames"])

    def test_tags_and_streams(self):
        self.assert_denied(refusal("ListTagsOfResource", "music"), self.client.list_tags_of_resource,
                           ResourceArn=TABLES + "music")
        self.assert_denied(refusal("TagResource", "music"), self.client.tag_resource,
                           ResourceArn=TABLES.replace("arn:aws:", "arn:aws-cn:") + "music", Tags=[{"Key": "a", "Value": "b"}])
        self.assert_denied(refusal("UpdateTimeToLive", "music"), self.client.update_time_to_live, TableName="music",
                           TimeToLiveSpecification={"Enabled": True, "AttributeName": "t"})
        stream = "music/stream/2026-01-01T00:00:00.000"
        for operation, body, resource in (
                ("ListStreams", {"TableName": "music"}, "*"), ("DescribeStream", {"StreamArn": TABLES + stream}, stream)):
            reply = self.call(operation, body, {"X-Amz-Target": "DynamoDBStreams_20120810." + operation})
            self.assertEqual(reply.error, "AccessDeniedException: " + refusal(operation, resource))

    def test_a_malformed_request_is_told_first(self):
        self.assert_error("GetItem", {"TableName": "secret", "Key": 1}, "SerializationException: Unexpected field type")
        self.assert_refused(
            'ValidationException: Invalid ProjectionExpression: Syntax error; token: "<EOF>", near: ","',
            self.client.get_item, TableName="secret", Key=self.key(), ProjectionExpression="a,")


class Transactions(PolicyTest):
    """Transactions are allowed on a table where single requests are not, and the other way round."""

    statements = [
        allow(["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"], TABLES + "music",
              StringEquals={"dynamodb:EnclosingOperation": ["TransactWriteItems", "TransactGetItems"]}),
        allow("dynamodb:PartiQL*", TABLES + "music", StringEquals={"dynamodb:EnclosingOperation": "ExecuteTransaction"}),
        allow("dynamodb:*Item", TABLES + "secret"),
        deny("dynamodb:*Item", TABLES + "secret",
             ForAnyValue_StringEquals={"dynamodb:EnclosingOperation": ["TransactWriteItems", "TransactGetItems"]}),
    ]

    def put(self, table):
        return {"Put": {"TableName": table, "Item": {**self.key("t"), "a": {"S": "y"}}}}

    def test_each_action_is_asked_for(self):
        self.client.transact_write_items(TransactItems=[
            self.put("music"), {"Update": {"TableName": "music", "Key": self.key("u"), "UpdateExpression": "SET a = :a",
                                           "ExpressionAttributeValues": {":a": {"S": "b"}}}}])
        delete = {"Delete": {"TableName": "music", "Key": self.key("u")}}
        check = {"ConditionCheck": {"TableName": "music", "Key": self.key("u"),
                                    "ConditionExpression": "attribute_exists(a)"}}
        for action, part in (("DeleteItem", delete), ("ConditionCheckItem", check)):
            self.assert_denied(refusal(action, "music"), self.client.transact_write_items,
                               TransactItems=[self.put("music"), part])
        self.assert_denied(refusal("PutItem", "secret", explicit=True), self.client.transact_write_items,
                           TransactItems=[{"Update": {"TableName": "music", "Key": self.key("n"),
                                                      "UpdateExpression": "REMOVE a"}}, self.put("secret")])

    def test_reads(self):
        get = {"Get": {"TableName": "music", "Key": self.key("x")}}
        self.assertEqual(self.client.transact_get_items(TransactItems=[get])["Responses"][0]["Item"]["a"], {"S": "y"})
        self.assert_denied(refusal("GetItem", "secret", explicit=True), self.client.transact_get_items,
                           TransactItems=[get, {"Get": {"TableName": "secret", "Key": self.key()}}])

    def test_single_requests(self):
        self.assert_denied(refusal("GetItem", "music"), self.client.get_item, TableName="music", Key=self.key())
        self.assert_denied(refusal("PutItem", "music"), self.client.put_item, TableName="music", Item=self.key())
        self.client.put_item(TableName="secret", Item=self.key("t"))

    def test_statements(self):
        insert = {"Statement": "INSERT INTO music VALUE {'artist': 'p', 'song': '1'}"}
        self.client.execute_transaction(TransactStatements=[
            insert, {"Statement": "EXISTS(SELECT * FROM music WHERE artist = 'x' AND song = 's' AND a = 'y')"}])
        self.assert_denied(refusal("PartiQLInsert", "music"), self.client.execute_statement, **insert)
        self.assertEqual(
            self.client.batch_execute_statement(Statements=[insert])["Responses"],
            [{"Error": {"Code": "AccessDenied", "Message": refusal("PartiQLInsert", "music")}}])


class Parameters(PolicyTest):
    """Select, ReturnValues and ReturnConsumedCapacity, which have a value also when nobody gives one."""

    statements = [
        allow(["dynamodb:Query", "dynamodb:Scan", "dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:PartiQLSelect"],
              TABLES + "music", TABLES + "music/index/*",
              StringEquals={"dynamodb:Select": ["COUNT", "SPECIFIC_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"]}),
        allow(["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:PartiQLUpdate"], TABLES + "music",
              StringEquals={"dynamodb:ReturnValues": ["NONE", "UPDATED_OLD"]}),
        deny("dynamodb:*", StringNotEquals={"dynamodb:ReturnConsumedCapacity": "NONE", "aws:username": "admin"},
             Null={"dynamodb:ReturnConsumedCapacity": "false"}),
    ]

    def test_select(self):
        denied = refusal("Scan", "music")
        self.client.scan(TableName="music", Select="COUNT")
        self.client.scan(TableName="music", ProjectionExpression="a")
        self.client.scan(TableName="music", AttributesToGet=["a"])
        self.client.scan(TableName="music", IndexName="by-year")
        self.assert_denied(denied, self.client.scan, TableName="music")
        self.assert_denied(denied, self.client.scan, TableName="music", Select="ALL_ATTRIBUTES")
        self.assert_denied(refusal("GetItem", "music"), self.client.get_item, TableName="music", Key=self.key())
        self.client.get_item(TableName="music", Key=self.key(), ProjectionExpression="a")
        self.assert_denied(refusal("BatchGetItem", "music"), self.client.batch_get_item,
                           RequestItems={"music": {"Keys": [self.key()]}})
        self.execute("SELECT a FROM music")
        self.assert_denied(refusal("PartiQLSelect", "music"), self.client.execute_statement, Statement="SELECT * FROM music")

    def test_return_values(self):
        update = {"TableName": "music", "Key": self.key("r"), "UpdateExpression": "SET a = :a",
                  "ExpressionAttributeValues": {":a": {"S": "b"}}}
        self.client.update_item(**update)
        self.client.update_item(**update, ReturnValues="UPDATED_OLD")
        self.assert_denied(refusal("UpdateItem", "music"), self.client.update_item, **update, ReturnValues="ALL_NEW")
        self.assert_denied(refusal("PutItem", "music"), self.client.put_item, TableName="music", Item=self.key("r"),
                           ReturnValues="ALL_OLD")
        text = "UPDATE music SET a = 1 WHERE artist = 'r' AND song = 's'"
        self.execute(text)
        self.assert_denied(refusal("PartiQLUpdate", "music"), self.client.execute_statement,
                           Statement=text + " RETURNING ALL NEW *")

    def test_a_false_condition_shows_no_more(self):
        """Raw requests: not every boto3 has the member."""
        shown = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        update = {"TableName": "music", "Key": self.key("r"), "UpdateExpression": "SET a = :a",
                  "ConditionExpression": "a = :a", "ExpressionAttributeValues": {":a": {"S": "guess"}}, **shown}
        put = {"TableName": "music", "Item": self.key("r"), **shown}
        statement = {"Statement": "UPDATE music SET a = 1 WHERE artist = 'r' AND song = 's' AND a = 'guess'", **shown}
        for operation, action, body in (
                ("UpdateItem", "UpdateItem", update),
                ("UpdateItem", "UpdateItem", {**update, "ReturnValues": "UPDATED_OLD"}),
                ("PutItem", "PutItem", put),
                ("TransactWriteItems", "UpdateItem", {"TransactItems": [{"Update": update}]}),
                ("ExecuteStatement", "PartiQLUpdate", statement),
                ("ExecuteTransaction", "PartiQLUpdate", {"TransactStatements": [statement]})):
            with self.subTest(operation):
                self.assert_error(operation, body, "AccessDeniedException: " + refusal(action, "music"))
        parts = self.call("BatchExecuteStatement", {"Statements": [statement]}).json["Responses"]
        self.assertEqual(parts[0]["Error"], {"Code": "AccessDenied", "Message": refusal("PartiQLUpdate", "music")})

    def test_return_consumed_capacity(self):
        self.client.scan(TableName="music", Select="COUNT", ReturnConsumedCapacity="NONE")
        self.assert_denied(refusal("Scan", "music", explicit=True), self.client.scan, TableName="music", Select="COUNT",
                           ReturnConsumedCapacity="TOTAL")


class Partitions(PolicyTest):
    """Callers see the items of their own partition only."""

    statements = [allow(["dynamodb:*Item", "dynamodb:Query", "dynamodb:PartiQL*"], TABLES + "music", TABLES + "music/index/*",
                        TABLES + "numbers", ForAllValues_StringEquals={"dynamodb:LeadingKeys": ["${aws:username}", "1999"]},
                        Null={"dynamodb:LeadingKeys": "false"})]

    def test_items(self):
        self.client.put_item(TableName="music", Item=self.key("test", "2"))
        self.client.update_item(TableName="music", Key=self.key("test", "2"))
        self.client.get_item(TableName="music", Key=self.key("test", "2"))
        self.client.delete_item(TableName="music", Key=self.key("test", "2"))
        for action, function, member in (
                ("PutItem", self.client.put_item, "Item"), ("UpdateItem", self.client.update_item, "Key"),
                ("GetItem", self.client.get_item, "Key"), ("DeleteItem", self.client.delete_item, "Key")):
            self.assert_denied(refusal(action, "music"), function, TableName="music", **{member: self.key("x")})

    def test_another_user(self):
        other = boto3_client(self.server.endpoint, "x")
        self.assertIn("Item", other.get_item(TableName="music", Key=self.key("x")))
        self.assert_refused("AccessDeniedException: " + refusal("GetItem", "music", user="x"), other.get_item,
                            TableName="music", Key=self.key())
        other.close()

    def test_batches_and_transactions(self):
        mine, other = self.key("test", "s"), self.key("x", "s")
        self.client.batch_get_item(RequestItems={"music": {"Keys": [mine]}})
        self.assert_denied(refusal("BatchGetItem", "music"), self.client.batch_get_item,
                           RequestItems={"music": {"Keys": [mine, other]}})
        self.client.batch_write_item(RequestItems={"music": [{"DeleteRequest": {"Key": self.key("test", "none")}}]})
        self.assert_denied(refusal("BatchWriteItem", "music"), self.client.batch_write_item, RequestItems={
            "music": [{"DeleteRequest": {"Key": self.key("test", "none")}}, {"PutRequest": {"Item": other}}]})
        self.assert_denied(refusal("PutItem", "music"), self.client.transact_write_items,
                           TransactItems=[{"Put": {"TableName": "music", "Item": other}}])
        self.assert_denied(refusal("GetItem", "music"), self.client.transact_get_items, TransactItems=[
            {"Get": {"TableName": "music", "Key": mine}}, {"Get": {"TableName": "music", "Key": other}}])

    def query(self, artist, **options):
        return {"TableName": "music", "KeyConditionExpression": "song < :z AND artist = :a",
                "ExpressionAttributeValues": {":a": {"S": artist}, ":z": {"S": "z"}}, **options}

    def test_query(self):
        self.assertEqual(self.client.query(**self.query("test"))["Count"], 1)
        self.assert_denied(refusal("Query", "music"), self.client.query, **self.query("x"))
        condition = {"artist": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x"}]}}
        self.assert_denied(refusal("Query", "music"), self.client.query, TableName="music", KeyConditions=condition)
        condition["artist"]["AttributeValueList"] = [{"S": "test"}]
        self.assertEqual(self.client.query(TableName="music", KeyConditions=condition)["Count"], 1)

    def test_query_of_an_index(self):
        for year, allowed in (("1999", True), ("2000", False)):
            query = {"TableName": "music", "IndexName": "by-year", "KeyConditionExpression": "#y = :y",
                     "ExpressionAttributeNames": {"#y": "year"}, "ExpressionAttributeValues": {":y": {"N": year}}}
            if allowed:
                self.assertEqual(self.client.query(**query)["Count"], 2)
            else:
                self.assert_denied(refusal("Query", "music/index/by-year"), self.client.query, **query)

    def test_statements(self):
        self.assertEqual(len(self.execute("SELECT * FROM music WHERE artist = 'test'")), 1)
        self.execute("INSERT INTO music VALUE {'artist': 'test', 'song': 'p'}")
        self.execute("UPDATE music SET a = 1 WHERE artist = 'test' AND song = 'p'")
        self.execute("DELETE FROM music WHERE artist = 'test' AND song = 'p'")
        for verb, text in (("Select", "SELECT * FROM music WHERE artist = 'x'"),
                           ("Select", "SELECT * FROM music WHERE artist IN ['test', 'x']"),
                           ("Select", "SELECT * FROM music WHERE artist = 'test' OR artist = 'x'"),
                           ("Select", "SELECT * FROM music"),
                           ("Insert", "INSERT INTO music VALUE {'artist': 'x', 'song': 'p'}"),
                           ("Update", "UPDATE music SET a = 1 WHERE artist = 'x' AND song = 's'"),
                           ("Delete", "DELETE FROM music WHERE artist = 'x' AND song = 's'")):
            with self.subTest(text):
                self.assert_denied(refusal("PartiQL" + verb, "music"), self.client.execute_statement, Statement=text)

    def test_numbers_are_compared_as_they_are_printed(self):
        self.admin.create_table(TableName="numbers", BillingMode="PAY_PER_REQUEST",
                                AttributeDefinitions=[{"AttributeName": "n", "AttributeType": "N"}],
                                KeySchema=[{"AttributeName": "n", "KeyType": "HASH"}])
        self.client.put_item(TableName="numbers", Item={"n": {"N": "1.999E3"}})
        self.assert_denied(refusal("PutItem", "numbers"), self.client.put_item, TableName="numbers", Item={"n": {"N": "2"}})


class Attributes(PolicyTest):
    """Only some attributes may be named, and reads must name them."""

    statements = [allow(["dynamodb:*Item", "dynamodb:Query", "dynamodb:Scan", "dynamodb:PartiQL*"], TABLES + "music",
                        ForAllValues_StringEquals={"dynamodb:Attributes": ["artist", "song", "a"]},
                        StringEqualsIfExists={"dynamodb:Select": "SPECIFIC_ATTRIBUTES"})]

    def test_writes(self):
        self.client.put_item(TableName="music", Item={**self.key("w"), "a": {"S": "1"}})
        self.assert_denied(refusal("PutItem", "music"), self.client.put_item, TableName="music",
                           Item={**self.key("w"), "b": {"S": "1"}})
        self.assert_denied(refusal("PutItem", "music"), self.client.put_item, TableName="music", Item=self.key("w"),
                           ConditionExpression="attribute_not_exists(b.c[0])")
        self.assert_denied(refusal("DeleteItem", "music"), self.client.delete_item, TableName="music", Key=self.key("w"),
                           Expected={"b": {"Exists": False}})
        update = {"TableName": "music", "Key": self.key("w")}
        self.client.update_item(**update, UpdateExpression="SET a = artist")
        for expression in ("SET b = artist", "SET a = if_not_exists(b, artist)", "REMOVE b.c"):
            self.assert_denied(refusal("UpdateItem", "music"), self.client.update_item, **update, UpdateExpression=expression)
        self.assert_denied(refusal("UpdateItem", "music"), self.client.update_item, **update,
                           AttributeUpdates={"b": {"Action": "DELETE"}})
        self.assert_denied(refusal("BatchWriteItem", "music"), self.client.batch_write_item,
                           RequestItems={"music": [{"PutRequest": {"Item": {**self.key("w"), "b": {"S": "1"}}}}]})
        self.assert_denied(refusal("ConditionCheckItem", "music"), self.client.transact_write_items, TransactItems=[
            {"ConditionCheck": {"TableName": "music", "Key": self.key("w"), "ConditionExpression": "attribute_exists(b)"}}])

    def test_reads(self):
        get = {"TableName": "music", "Key": self.key("x")}
        self.assertEqual(only(self.client.get_item(**get, ProjectionExpression="a")), {"Item": {"a": {"S": "y"}}})
        for options in ({}, {"ProjectionExpression": "a, #y", "ExpressionAttributeNames": {"#y": "year"}},
                        {"ProjectionExpression": "b.c"}, {"AttributesToGet": ["b"]}):
            self.assert_denied(refusal("GetItem", "music"), self.client.get_item, **get, **options)
        self.client.scan(TableName="music", ProjectionExpression="a", FilterExpression="attribute_exists(a)")
        self.assert_denied(refusal("Scan", "music"), self.client.scan, TableName="music", ProjectionExpression="a",
                           FilterExpression="attribute_exists(b)")
        self.assert_denied(refusal("Scan", "music"), self.client.scan, TableName="music", AttributesToGet=["a"],
                           ScanFilter={"b": {"ComparisonOperator": "NOT_NULL"}})
        self.assert_denied(refusal("BatchGetItem", "music"), self.client.batch_get_item,
                           RequestItems={"music": {"Keys": [self.key()], "ProjectionExpression": "b"}})
        self.assert_denied(refusal("Query", "music"), self.client.query, TableName="music", ProjectionExpression="a, b",
                           KeyConditionExpression="artist = :a", ExpressionAttributeValues={":a": {"S": "x"}})

    def test_statements(self):
        self.assertEqual(self.execute("SELECT a FROM music WHERE artist = 'x'"), [{"a": {"S": "y"}}])
        for verb, text in (("Select", "SELECT b FROM music WHERE artist = 'x'"), ("Select", "SELECT * FROM music WHERE artist = 'x'"),
                           ("Select", "SELECT a FROM music WHERE artist = 'x' AND b.c = 1"),
                           ("Insert", "INSERT INTO music VALUE {'artist': 'q', 'song': '1', 'b': 1}"),
                           ("Update", "UPDATE music SET b = 1 WHERE artist = 'x' AND song = 's'"),
                           ("Update", "UPDATE music REMOVE b WHERE artist = 'x' AND song = 's'"),
                           ("Delete", "DELETE FROM music WHERE artist = 'x' AND song = 's' AND b = 1")):
            with self.subTest(text):
                self.assert_denied(refusal("PartiQL" + verb, "music"), self.client.execute_statement, Statement=text)


class Context(PolicyTest):
    """What is known of the caller and the connection: each operation is allowed by a condition that holds, or by one
    that does not."""

    holds = {
        "ListTables": {"IpAddress": {"aws:SourceIp": ["127.0.0.0/8", "::1"]}},
        "DescribeLimits": {"Bool": {"aws:SecureTransport": "false", "aws:ViaAWSService": "false"}},
        "DescribeEndpoints": {"StringLike": {"aws:UserAgent": "*Boto3*", "aws:PrincipalType": "User"}},
        "ListBackups": {"StringEquals": {"aws:RequestedRegion": REGION, "aws:ResourceAccount": ACCOUNT}},
        "ListGlobalTables": {"Null": {"aws:MultiFactorAuthPresent": "true", "aws:TokenIssueTime": "true",
                                      "aws:PrincipalTag/team": "true"}},
    }
    statements = [allow("dynamodb:" + name, **condition) for name, condition in holds.items()]
    opposites = {"IpAddress": "NotIpAddress", "StringLike": "StringNotLike", "StringEquals": "StringNotEquals"}

    operations = {"ListTables": "list_tables", "DescribeLimits": "describe_limits", "ListBackups": "list_backups",
                  "DescribeEndpoints": "describe_endpoints", "ListGlobalTables": "list_global_tables"}

    def test_what_holds(self):
        for name, function in self.operations.items():
            with self.subTest(name):
                getattr(self.client, function)()

    def test_what_does_not(self):
        statements = [allow("dynamodb:" + name, **{self.opposites.get(operator, operator): {
                          key: {"true": "false", "false": "true"}.get(value, value) if isinstance(value, str) else value
                          for key, value in keys.items()} for operator, keys in condition.items()})
                      for name, condition in self.holds.items()]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"Version": "2012-10-17", "Statement": statements}, file)
            file.flush()
            with Server("--memory", "--policy", file.name) as server:
                client = boto3_client(server.endpoint)
                for name, function in self.operations.items():
                    with self.subTest(name):
                        self.assert_denied(refusal(name, "*"), getattr(client, function))
                client.close()


class Tags(PolicyTest):
    statements = [
        allow("dynamodb:*TagsOfResource"),
        allow("dynamodb:CreateTable", ForAllValues_StringEquals={"aws:TagKeys": ["stage", "team"]},
              StringEquals={"aws:RequestTag/stage": "${aws:username}"}),
        allow("dynamodb:TagResource", StringEqualsIfExists={"aws:ResourceTag/stage": ["${aws:username}"]},
              ForAllValues_StringEquals={"aws:TagKeys": ["stage", "team"]}),
        allow("dynamodb:UntagResource", ForAllValues_StringEquals={"aws:TagKeys": "team"}),
        allow(["dynamodb:GetItem", "dynamodb:Scan"], StringEquals={"aws:resourcetag/Stage": "test"}),
    ]

    def create(self, name, **tags):
        self.client.create_table(
            TableName=name, BillingMode="PAY_PER_REQUEST", AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}], Tags=[{"Key": key, "Value": tags[key]} for key in tags])

    def test_tags_that_are_given(self):
        self.create("tagged", stage="test")
        for tags in ({"stage": "live"}, {"stage": "test", "x": "y"}, {"team": "red"}):
            with self.subTest(tags):
                self.assert_denied(refusal("CreateTable", "other"), self.create, name="other", **tags)
        self.client.tag_resource(ResourceArn=TABLES + "tagged", Tags=[{"Key": "team", "Value": "red"}])
        self.assert_denied(refusal("TagResource", "tagged"), self.client.tag_resource, ResourceArn=TABLES + "tagged",
                           Tags=[{"Key": "x", "Value": "y"}])
        self.client.untag_resource(ResourceArn=TABLES + "tagged", TagKeys=["team"])
        self.assert_denied(refusal("UntagResource", "tagged"), self.client.untag_resource,
                           ResourceArn=TABLES + "tagged", TagKeys=["stage", "team"])

    def test_tags_that_are_there(self):
        arn = TABLES + "music"
        self.admin.tag_resource(ResourceArn=arn, Tags=[{"Key": "stage", "Value": "live"}])
        self.assert_denied(refusal("GetItem", "music"), self.client.get_item, TableName="music", Key=self.key())
        self.assert_denied(refusal("TagResource", "music"), self.client.tag_resource, ResourceArn=arn,
                           Tags=[{"Key": "stage", "Value": "test"}])
        self.admin.tag_resource(ResourceArn=arn, Tags=[{"Key": "stage", "Value": "test"}])
        self.client.get_item(TableName="music", Key=self.key())
        self.client.scan(TableName="music", IndexName="by-year")
        self.assert_denied(refusal("GetItem", "secret"), self.client.get_item, TableName="secret", Key=self.key())
        self.assert_denied(refusal("GetItem", "nowhere"), self.client.get_item, TableName="nowhere", Key=self.key())


class SeveralKeys(PolicyTest):
    """An index whose partition key is made of several attributes."""

    statements = [allow("dynamodb:Query", ForAllValues_StringEquals={
        "dynamodb:FirstPartitionKeyValues": "a", "dynamodb:SecondPartitionKeyValues": "b",
        "dynamodb:ThirdPartitionKeyValues": "3", "dynamodb:FourthPartitionKeyValues": "d"})]

    @classmethod
    def fill(cls):
        kinds = {"k": "S", "p": "S", "q": "S", "r": "N", "s": "S"}
        cls.admin.create_table(
            TableName="many", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": key, "AttributeType": kind} for key, kind in kinds.items()],
            GlobalSecondaryIndexes=[{"IndexName": "four", "Projection": {"ProjectionType": "ALL"},
                                     "KeySchema": [{"AttributeName": key, "KeyType": "HASH"} for key in "pqrs"]}])

    def query(self, p, q, r, s):
        return {"TableName": "many", "IndexName": "four", "KeyConditionExpression": "p = :p AND q = :q AND r = :r AND s = :s",
                "ExpressionAttributeValues": {":p": {"S": p}, ":q": {"S": q}, ":r": {"N": r}, ":s": {"S": s}}}

    def test_each_of_them(self):
        self.assertEqual(self.client.query(**self.query("a", "b", "3.0", "d"))["Count"], 0)
        for values in (("x", "b", "3", "d"), ("a", "x", "3", "d"), ("a", "b", "4", "d"), ("a", "b", "3", "x")):
            with self.subTest(values):
                self.assert_denied(refusal("Query", "many/index/four"), self.client.query, **self.query(*values))


class Documentation(unittest.TestCase):
    def test_the_example_of_the_documentation(self):
        text = (ROOT / "docs/POLICIES.md").read_text()
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(re.search(r"^```json\n(.*?)^```$", text, re.M | re.S)[1])
            file.flush()
            with Server("--memory", "--policy", file.name) as server:
                client = boto3_client(server.endpoint, "any")
                client.create_table(TableName="WatchList", BillingMode="PAY_PER_REQUEST",
                                    AttributeDefinitions=[{"AttributeName": "symbol", "AttributeType": "S"}],
                                    KeySchema=[{"AttributeName": "symbol", "KeyType": "HASH"}])
                scan, lookup = re.findall(r"`(SELECT .*?)`", text)
                self.assertEqual(client.execute_statement(Statement=lookup)["Items"], [])
                with self.assertRaises(client.exceptions.ClientError) as caught:
                    client.execute_statement(Statement=scan)
                error = caught.exception.response["Error"]
                self.assertIn(f"{error['Code']}: {error['Message']}", re.sub(r"\s+", " ", text))
                client.close()


class Starting(unittest.TestCase):
    def serve(self, text):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "policy.json")
            if text is not None:
                path.write_text(text)
            result = subprocess.run([binary(), "serve", "--memory", "--port", "0", "--policy", str(path)],
                                    text=True, capture_output=True, timeout=60)
            return result.returncode, result.stdout, result.stderr.replace(str(path), "FILE")

    def test_a_policy_that_is_not_understood_stops_the_server(self):
        document = {"Version": "2012-10-17", "Statement": [{
            "Sid": "NoScans", "Effect": "Deny", "Action": "*", "Resource": "*",
            "Condition": {"Bool": {"aws:ViaService": "true"}}}]}
        for text, error in (
                (json.dumps(document),
                 "FILE: statement 1 (NoScans), Condition: the condition key aws:ViaService is not known here"),
                ("{", "FILE: line 1 is not valid JSON"),
                ("x" * 300000, "FILE: a policy has at most 262144 bytes"),
                (None, "FILE: cannot be read: No such file or directory")):
            with self.subTest(error):
                self.assertEqual(self.serve(text), (1, "", f"gramme: {error}\n"))

    def test_the_banner_names_the_policy(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"Statement": allow("*")}, file)
            file.flush()
            with Server("--memory", "--policy", file.name) as server:
                self.assertIn(f"  policy      {file.name}\n", server.output)

    def test_a_hangup_has_it_read_again(self):
        """It counts for connections and clients that are there. One that is not understood, or is gone, leaves what was in force."""
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "policy.json")
            path.write_text(json.dumps({"Statement": allow("*")}))
            with Server("--memory", "--policy", str(path)) as server:
                client = boto3_client(server.endpoint)

                def reload(line):
                    before = server.error_text().count(line)
                    server.process.send_signal(signal.SIGHUP)
                    wait_until(lambda: server.error_text().count(line) > before, line)

                def expect_tightened():
                    client.describe_limits()
                    with self.assertRaisesRegex(Exception, "dynamodb:ListTables on resource: \\*"):
                        client.list_tables()

                self.assertEqual(client.list_tables()["TableNames"], [])
                path.write_text(json.dumps({"Statement": allow("dynamodb:DescribeLimits")}))
                reload(f"the policy in {path} was read again")
                expect_tightened()
                path.write_text("{")
                reload(f"error the policy stays as it was: {path}: line 1 is not valid JSON")
                expect_tightened()
                path.unlink()
                reload(f"error the policy stays as it was: {path}: cannot be read: No such file or directory")
                expect_tightened()
                client.close()

    def test_conditions_on_time(self):
        statements = [allow("dynamodb:ListTables", DateGreaterThan={"aws:CurrentTime": "2020-01-01"},
                            NumericGreaterThan={"aws:EpochTime": 1577836800}),
                      allow("dynamodb:DescribeLimits", DateLessThan={"aws:CurrentTime": "2020-01-01T00:00:00Z"})]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"Statement": statements}, file)
            file.flush()
            with Server("--memory", "--policy", file.name) as server:
                client = boto3_client(server.endpoint)
                self.assertEqual(client.list_tables()["TableNames"], [])
                with self.assertRaisesRegex(Exception, "dynamodb:DescribeLimits on resource: \\*"):
                    client.describe_limits()
                client.close()


if __name__ == "__main__":
    unittest.main()
