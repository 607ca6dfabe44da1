"""What the tests of `gramme apply` share: the command in a folder of its own, and pieces of templates."""

import os
import pathlib
import subprocess
import tempfile
import textwrap

from server import binary
from wire import WireTest

HEAD = """\
    Resources:
      Orders:
        Type: AWS::DynamoDB::Table
        Properties:
          TableName: orders
"""
KEYS = """\
          AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
          KeySchema: [{AttributeName: pk, KeyType: HASH}]
"""
ON_DEMAND = """\
          BillingMode: PAY_PER_REQUEST
"""
TWO_KEYS = """\
          AttributeDefinitions: [{AttributeName: pk, AttributeType: S}, {AttributeName: a, AttributeType: S}]
          KeySchema: [{AttributeName: pk, KeyType: HASH}]
"""
INDEX = """\
          GlobalSecondaryIndexes:
            - IndexName: by-a
              KeySchema: [{AttributeName: a, KeyType: HASH}]
              Projection: {ProjectionType: ALL}
"""


def table(*parts):
    return textwrap.dedent(HEAD + "".join(parts))


class ApplyTest(WireTest):
    """Runs the command in a folder of its own, with templates as text."""

    def setUp(self):
        super().setUp()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.endpoint = self.server.endpoint

    def write(self, text, name="shop.yaml"):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(textwrap.dedent(text))
        return name

    def run_apply(self, *arguments, stdin=None, env=None):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        result = subprocess.run([binary(), "apply", *arguments], text=True, capture_output=True, timeout=120,
                                cwd=self.folder.name, input=stdin,
                                env={**clean, "HOME": self.folder.name, **(env or {})})
        return result.returncode, result.stdout, result.stderr

    def apply(self, text, *arguments, name="shop.yaml"):
        """Applies a template; gives status, output and errors."""
        return self.run_apply("--endpoint", self.endpoint, *arguments, self.write(text, name))

    def assert_applied(self, text, *arguments, name="shop.yaml"):
        status, out, err = self.apply(text, *arguments, name=name)
        self.assertEqual((status, err), (0, ""), out)
        return out

    def assert_unchanged(self, text, *arguments):
        out = self.assert_applied(text, *arguments)
        self.assertIn("Nothing to do: 1 table is as the template says\n", out)

    def assert_wrong(self, text, *arguments, error, name="shop.yaml"):
        """Refused as a template, and nothing was made."""
        status, out, err = self.apply(text, *arguments, name=name)
        self.assertEqual((status, out, err), (2, "", error + "\n"))
        self.assertEqual(self.client.list_tables()["TableNames"], [])

    def describe(self, name="orders"):
        # Not by boto3, which leaves out what its version does not know.
        return self.call("DescribeTable", {"TableName": name}).json["Table"]
