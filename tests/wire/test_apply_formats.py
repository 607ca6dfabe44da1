"""`gramme apply` of what is not a template itself: made for real, and nothing to do the second time."""

import pathlib
import textwrap
import unittest

from apply import ApplyTest

SERVICE = """\
    service: notes
    provider:
      name: aws
      stage: ${opt:stage, 'dev'}
    custom: ${file(config/custom.yml)}
    functions:
      create: {handler: handler.create}
    resources:
      - ${file(config/tables.yml)}
      - Outputs:
          Role: {Value: !GetAtt IamRoleLambdaExecution.Arn}
"""
CUSTOM = """\
    table: ${self:service}-${self:provider.stage}
    owner: ${env:NOTES_OWNER, 'nobody'}
"""
TABLES = """\
    Resources:
      Notes:
        Type: AWS::DynamoDB::Table
        Properties:
          TableName: ${self:custom.table}
          BillingMode: PAY_PER_REQUEST
          AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
          KeySchema: [{AttributeName: id, KeyType: HASH}]
          Tags: [{Key: owner, Value: "${self:custom.owner}"}]
"""


class Serverless(ApplyTest):
    def setUp(self):
        super().setUp()
        (pathlib.Path(self.folder.name) / "service" / "config").mkdir(parents=True)
        self.write(SERVICE, "service/serverless.yml")
        self.write(CUSTOM, "service/config/custom.yml")
        self.write(TABLES, "service/config/tables.yml")

    def run_service(self, *arguments, env=None):
        return self.run_apply("--endpoint", self.endpoint, *arguments, "service/serverless.yml", env=env)

    def test_files_options_and_the_environment(self):
        status, out, err = self.run_service("--param", "stage=test", env={"NOTES_OWNER": "anna"})
        self.assertEqual((status, err), (0, ""), out)
        self.assertEqual(out, textwrap.dedent("""\
            + create table notes-test
                keys: id (S, HASH)
                billing: PAY_PER_REQUEST
                tag: owner = anna

            creating table notes-test ... done

            1 created, 0 changed, 0 replaced, 0 unchanged

            Outputs
              Role  (not known here)
            """))
        self.assertEqual(self.describe("notes-test")["TableStatus"], "ACTIVE")
        status, out, err = self.run_service("--param", "stage=test", env={"NOTES_OWNER": "anna"})
        self.assertEqual((status, err), (0, ""), out)
        self.assertIn("Nothing to do: 1 table is as the template says\n", out)

    def test_a_mistake_in_a_file_is_told_with_its_place(self):
        self.write(TABLES.replace("PAY_PER_REQUEST", "NEVER"), "service/config/tables.yml")
        status, out, err = self.run_service()
        self.assertEqual((status, out, err), (
            2, "", "config/tables.yml:6:20: BillingMode must be one of PROVISIONED, PAY_PER_REQUEST, not 'NEVER'\n"))
        self.assertEqual(self.client.list_tables()["TableNames"], [])

    def test_a_file_that_is_not_there(self):
        self.write(SERVICE.replace("tables.yml", "missing.yml"), "service/serverless.yml")
        status, out, err = self.run_service()
        self.assertEqual((status, out, err), (
            2, "", "service/serverless.yml:9:5: ${file(config/missing.yml)}: there is no such file or value\n"))


if __name__ == "__main__":
    unittest.main()
