"""The program of docs/MIGRATING.md, as a reader would save it, and what the page says of other documents."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from server import ROOT, Server
from wire import boto3_client

PAGE = (ROOT / "docs/MIGRATING.md").read_text()
TIMEOUT_S = 120


class Migrating(unittest.TestCase):
    def test_tables_are_copied(self):
        with tempfile.TemporaryDirectory() as folder, Server("--memory", "--like-local") as old, Server("--memory") as new:
            program = pathlib.Path(folder) / "copy_tables.py"
            program.write_text(re.search(r"```python\n(.*?)```", PAGE, re.S).group(1))
            source, target = boto3_client(old.endpoint), boto3_client(new.endpoint)
            source.create_table(
                TableName="music", ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
                AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("artist", "title", "label")],
                KeySchema=[{"AttributeName": "artist", "KeyType": "HASH"}, {"AttributeName": "title", "KeyType": "RANGE"}],
                GlobalSecondaryIndexes=[{"IndexName": "by-label", "KeySchema": [{"AttributeName": "label", "KeyType": "HASH"}],
                                         "Projection": {"ProjectionType": "ALL"},
                                         "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}}],
                StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
            items = [{"artist": {"S": f"a{n % 7}"}, "title": {"S": f"t{n}"}, "label": {"S": "l"}, "n": {"N": str(n)}} for n in range(90)]
            for item in items:
                source.put_item(TableName="music", Item=item)
            for _ in range(2):  # the second time the table is there
                said = subprocess.run(["/usr/bin/python3", program, old.endpoint, new.endpoint], text=True, capture_output=True, timeout=TIMEOUT_S,
                                      env={**os.environ, "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", "AWS_DEFAULT_REGION": "us-east-1"})
                self.assertEqual((said.stdout, said.stderr), ("music 90\n", ""))
            copied = target.query(TableName="music", IndexName="by-label", KeyConditionExpression="label = :l",
                                  ExpressionAttributeValues={":l": {"S": "l"}})["Items"]
            self.assertEqual(sorted(int(item["n"]["N"]) for item in copied), list(range(90)))
            self.assertEqual(target.describe_table(TableName="music")["Table"]["StreamSpecification"]["StreamViewType"], "NEW_IMAGE")

    def test_what_it_points_at_is_there(self):
        for path, anchor in re.findall(r"\]\(([\w./-]+\.md)(?:#([\w-]+))?\)", PAGE):
            text = (ROOT / "docs" / path).read_text()
            headings = [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in re.findall(r"^#+ (.*)", text, re.M)]
            self.assertTrue(not anchor or anchor in headings, f"{path}#{anchor}")
