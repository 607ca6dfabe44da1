"""The wheel, installed in an environment of its own, with pytest and boto3 beside it."""

import os
import pathlib
import tempfile
import unittest

from package import PROGRAM as BUILT, build, examples, run

PYTHON = "/usr/bin/python3"

CONFTEST = """
import pytest

@pytest.fixture
def gramme_tables():
    return [{"TableName": "music", "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
             "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}]}]

@pytest.fixture(scope="session")
def gramme_args():
    return ["--region", "us-east-1"]
"""
TESTS = """
import os

import boto3
import pytest

@pytest.mark.parametrize("artist", ["Nina Simone", "Miriam Makeba"])
def test_each_begins_with_empty_tables(gramme, dynamodb, dynamodb_client, artist):
    dynamodb.Table("music").put_item(Item={"artist": artist})
    assert dynamodb.Table("music").scan()["Items"] == [{"artist": artist}]
    gramme.call("CreateTable", TableName="extra", BillingMode="PAY_PER_REQUEST", DeletionProtectionEnabled=True,
                KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}], AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}])
    assert dynamodb_client.list_tables()["TableNames"] == ["extra", "music"]

def test_the_code_under_test_finds_it(gramme):
    assert os.environ["AWS_ENDPOINT_URL_DYNAMODB"] == gramme.endpoint
    client = boto3.client("dynamodb", endpoint_url=os.environ["AWS_ENDPOINT_URL"])  # which later versions read by themselves
    assert client.list_tables()["TableNames"] == ["music"]

def test_a_refusal_is_told(gramme):
    with pytest.raises(Exception, match="ResourceNotFoundException: Requested resource not found"):
        gramme.call("DescribeTable", TableName="missing")
"""
RESETS = """
import gramme
table = {"TableName": "music", "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
         "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}]}
with gramme.start(tables=[table]) as server:
    def count():
        return server.call("Scan", TableName="music")["Count"]
    server.call("PutItem", TableName="music", Item={"k": {"S": "a"}})
    server.snapshot("one")
    server.reset()
    told = [count(), server.call("ListTables")["TableNames"]]
    server.restore("one")
    told += [count(), server.snapshots()]
    server.delete_snapshot("one")
    for refused in (lambda: server.restore("one"), server.clock):
        try:
            refused()
        except gramme.ServerError as error:
            told.append(str(error))
    print(told)
with gramme.start(args=["--name-spaces"]) as server:
    one = server.fork("one")
    one.create_tables([table])
    one.snapshot("made")
    two = server.fork("two", "made")
    names = [server.call("ListTables")["TableNames"], two.call("ListTables")["TableNames"], server.fork("three").call("ListTables")["TableNames"]]
    two.stop()
    print([*names, two.call("ListTables")["TableNames"]])
"""
PROGRAM = """
import gramme
with gramme.start(data={data!r}, tables={tables}) as server:
    print(server.call("ListTables")["TableNames"], server.endpoint)
try:
    gramme.start(args=["--no-such-option"])
except RuntimeError as error:
    print("no-such-option" in str(error))
"""


class Python(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.place = pathlib.Path(cls.folder.name)
        [wheel] = build("python", cls.place / "wheel", BUILT)
        run(PYTHON, "-m", "venv", "--system-site-packages", cls.place / "venv")
        cls.python = cls.place / "venv/bin/python"
        run(cls.python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_command_is_the_program(self):
        for command in ([self.place / "venv/bin/gramme"], [self.python, "-m", "gramme"]):
            self.assertEqual(run(*command, "--version"), run(BUILT, "--version"))

    def test_the_fixtures(self):
        project = self.place / "project"
        project.mkdir()
        (project / "conftest.py").write_text(CONFTEST)
        (project / "test_songs.py").write_text(TESTS)
        variables = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        self.assertIn("4 passed", run(self.python, "-m", "pytest", "-q", project, env=variables))

    def test_a_program_resets_a_server(self):
        self.assertEqual(run(self.python, "-c", RESETS).strip(), str(
            [0, ["music"], 1, ["one"], "Refused: there is no snapshot one",
             "NotFound: GET /_gramme/clock: the server was started without the option for it"]) + "\n" + str([[], ["music"], [], []]))

    def test_the_example_of_the_documentation(self):
        project = self.place / "example"
        project.mkdir()
        [text] = examples("python")
        (project / "test_music.py").write_text(text)
        self.assertIn("3 passed", run(self.python, "-m", "pytest", "-q", project))

    def test_a_program_keeps_data(self):
        table = {"TableName": "kept", "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
                 "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}]}
        for tables in ([table], []):
            said = run(self.python, "-c", PROGRAM.format(data=str(self.place / "data"), tables=tables))
            self.assertRegex(said, r"^\['kept'\] http://127.0.0.1:\d+\nTrue\n$")
