"""The AWS CLI, as it comes with Debian, on tables and items."""

import json
import unittest

import shell
from wire import WireTest


class AwsCli(WireTest):
    """One session, told in the order of the names of its tests: each builds on the one before."""

    def setUp(self):
        pass

    def aws(self, arguments):
        status, out, err = shell.run(f"aws dynamodb --endpoint-url {self.server.endpoint} {arguments}")
        self.assertEqual((status, err), (0, ""), out)
        return json.loads(out) if out.strip() else None

    def refused(self, arguments):
        status, out, err = shell.run(f"aws dynamodb --endpoint-url {self.server.endpoint} {arguments}")
        self.assertNotEqual(status, 0)
        return err.strip()

    def test_1_tables(self):
        created = self.aws("create-table --table-name music --billing-mode PAY_PER_REQUEST"
                           " --attribute-definitions AttributeName=artist,AttributeType=S AttributeName=year,AttributeType=N"
                           " --key-schema AttributeName=artist,KeyType=HASH AttributeName=year,KeyType=RANGE")
        self.assertEqual(created["TableDescription"]["TableStatus"], "CREATING")
        self.aws("wait table-exists --table-name music")
        self.assertEqual(self.aws("describe-table --table-name music")["Table"]["TableStatus"], "ACTIVE")
        self.assertEqual(self.aws("list-tables"), {"TableNames": ["music"]})

    def test_2_put_and_get(self):
        self.assertIsNone(self.aws(
            """put-item --table-name music --item '{"artist":{"S":"Björk"},"year":{"N":"1995"},"title":{"S":"Post"}}'"""))
        self.assertEqual(
            self.aws("""get-item --table-name music --key '{"artist":{"S":"Björk"},"year":{"N":"1995"}}'"""),
            {"Item": {"artist": {"S": "Björk"}, "year": {"N": "1995"}, "title": {"S": "Post"}}})

    def test_3_update(self):
        answer = self.aws(
            """update-item --table-name music --key '{"artist":{"S":"Björk"},"year":{"N":"1995"}}'"""
            """ --update-expression 'SET plays = if_not_exists(plays, :zero) + :one' --return-values UPDATED_NEW"""
            """ --expression-attribute-values '{":zero":{"N":"0"},":one":{"N":"1"}}'""")
        self.assertEqual(answer, {"Attributes": {"plays": {"N": "1"}}})

    def test_4_a_condition(self):
        error = self.refused(
            """put-item --table-name music --item '{"artist":{"S":"Björk"},"year":{"N":"1995"}}'"""
            """ --condition-expression 'attribute_not_exists(artist)'""")
        self.assertEqual(error, "An error occurred (ConditionalCheckFailedException) when calling the PutItem operation: "
                                "The conditional request failed")

    def test_5_batch_write(self):
        requests = [{"PutRequest": {"Item": {"artist": {"S": "Satie"}, "year": {"N": str(1880 + n)}}}} for n in range(12)]
        answer = self.aws(f"batch-write-item --request-items '{json.dumps({'music': requests})}'")
        self.assertEqual(answer, {"UnprocessedItems": {}})

    def test_6_query(self):
        answer = self.aws(
            """query --table-name music --key-condition-expression 'artist = :a AND #y > :y' --no-scan-index-forward"""
            """ --expression-attribute-names '{"#y":"year"}' --projection-expression '#y'"""
            """ --expression-attribute-values '{":a":{"S":"Satie"},":y":{"N":"1888"}}'""")
        self.assertEqual(answer["Items"], [{"year": {"N": "1891"}}, {"year": {"N": "1890"}}, {"year": {"N": "1889"}}])

    def test_7_scan_in_pages(self):
        # The CLI joins the pages; --page-size 5 makes it ask three times for 13 items.
        answer = self.aws("scan --table-name music --page-size 5")
        self.assertEqual((answer["Count"], len(answer["Items"])), (13, 13))
        first = self.aws("scan --table-name music --max-items 4")
        rest = self.aws(f"scan --table-name music --starting-token {first['NextToken']}")
        self.assertEqual(len(first["Items"]) + len(rest["Items"]), 13)

    def test_8_errors(self):
        self.assertEqual(
            self.refused("""get-item --table-name nothing --key '{"a":{"S":"b"}}'"""),
            "An error occurred (ResourceNotFoundException) when calling the GetItem operation: Requested resource not found")
        self.assertEqual(
            self.refused("""get-item --table-name music --key '{"artist":{"S":"b"}}'"""),
            "An error occurred (ValidationException) when calling the GetItem operation: "
            "The provided key element does not match the schema")

    def test_9_delete(self):
        self.assertIsNone(self.aws("""delete-item --table-name music --key '{"artist":{"S":"Björk"},"year":{"N":"1995"}}'"""))
        self.assertEqual(self.aws("delete-table --table-name music")["TableDescription"]["TableStatus"], "DELETING")
        self.aws("wait table-not-exists --table-name music")
        self.assertEqual(self.aws("list-tables"), {"TableNames": []})


if __name__ == "__main__":
    unittest.main()
