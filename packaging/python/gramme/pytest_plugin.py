"""Fixtures for pytest. One server runs for each worker, and each test that asks for it finds it as new.

    @pytest.fixture
    def gramme_tables():
        return [{"TableName": "music", ...}]       # in conftest.py: inputs of CreateTable

    def test_songs(dynamodb):                      # a resource of boto3
        dynamodb.Table("music").put_item(Item={"artist": "Nina Simone"})
"""

import pytest

import gramme as package

#: What a developer's shell may say, and would count for more than what the server is found by.
IN_THE_WAY = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")


@pytest.fixture(scope="session")
def gramme_args():
    """More options of `gramme serve`."""
    return []


@pytest.fixture
def gramme_tables():
    """The tables that each test begins with."""
    return []


@pytest.fixture(scope="session")
def gramme_server(gramme_args):
    """The server itself, with whatever the tests left in it."""
    with package.start(args=gramme_args) as server:
        yield server


@pytest.fixture
def gramme(gramme_server, gramme_tables, monkeypatch):
    """The server, with the tables of `gramme_tables` and nothing else in it; boto3 from 1.28 on and the AWS CLI's second
    version find it by themselves. Data that is kept is not emptied for that: the test is an error."""
    if gramme_server.keeps_data:
        pytest.fail("gramme_args names data that is kept, and the fixture gramme empties the server before each test: leave the data out, or take "
                    "gramme_server, which is left as it is", pytrace=False)
    gramme_server.prepare(gramme_tables)
    for name in IN_THE_WAY:
        monkeypatch.delenv(name, raising=False)
    for name, value in gramme_server.environment.items():
        monkeypatch.setenv(name, value)
    return gramme_server


@pytest.fixture
def dynamodb(gramme):
    """A resource of boto3 on it."""
    return pytest.importorskip("boto3").resource("dynamodb", **gramme.boto3)


@pytest.fixture
def dynamodb_client(gramme):
    """A client of boto3 on it."""
    return pytest.importorskip("boto3").client("dynamodb", **gramme.boto3)
