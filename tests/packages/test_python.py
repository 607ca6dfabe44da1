"""The wheel, installed in an environment of its own, with pytest and boto3 beside it."""

import os
import pathlib
import shlex
import signal
import tempfile
import unittest

from package import PROGRAM as BUILT, SHELL, build, end_by, examples, fake_program, put_item, run, start, wait_until_gone

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
    client = boto3.client("dynamodb", endpoint_url=os.environ["AWS_ENDPOINT_URL_DYNAMODB"])  # which later versions read by themselves
    assert client.list_tables()["TableNames"] == ["music"]
    assert "AWS_SESSION_TOKEN" not in os.environ
    names = {name.removeprefix("AWS_ENDPOINT_URL_") for name in os.environ if os.environ[name] == gramme.endpoint}
    assert names == {"APPLICATION_AUTO_SCALING", "CLOUDWATCH", "DYNAMODB", "DYNAMODB_STREAMS", "IAM", "STS"}

def test_afterwards_all_is_as_it_was():
    assert os.environ["AWS_PROFILE"] == "no-such-profile" and "AWS_ENDPOINT_URL_DYNAMODB" not in os.environ

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
with gramme.start(args=["--name-spaces"], tables=[table]) as server:
    for number in range(101):
        with server.fork(f"key{number}") as fork:
            assert fork.call("ListTables")["TableNames"] == ["music"]
with gramme.start(tables=[table]) as server:
    try:
        server.fork("key")
    except RuntimeError as error:
        print(error, server.call("ListTables")["TableNames"])
    changed = dict(table)
    server.prepare([changed])
    changed["TableName"] = "changed"
    server.prepare([changed])
    assert server.call("ListTables")["TableNames"] == ["changed"]
with gramme.start(tables=[table]) as server:
    table["TableName"] = "changed"
    server.reset()
    assert server.call("ListTables")["TableNames"] == ["music"]
"""
# A program that is killed, with children that are not; nothing here keeps the server.
LEFT = """
import os, subprocess, time
import gramme
endpoint = gramme.start().endpoint
left = [subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL, close_fds=False).pid, os.fork()]
if left[1]:
    print(endpoint, *left, flush=True)
time.sleep(600)
"""
# The same with a fork while the server has not answered yet: it waits for that to be done.
FORKED_MEANWHILE = """
import os, pathlib, threading, time
import gramme
place, endpoint = pathlib.Path({place!r}), []
thread = threading.Thread(target=lambda: endpoint.append(gramme.start().endpoint))
thread.start()
while not (place / "started").exists():
    time.sleep(0.01)
left = os.fork()
if left:
    (place / "forked").touch()
    thread.join()
    print(*endpoint, left, flush=True)
time.sleep(600)
"""
# A fork while another thread stops a server: it waits until its pipe is closed, or the child would for ever.
FORKED_AT_THE_END = """
import os, threading, time
import gramme
server, begun, closed = gramme.start(), threading.Event(), threading.Event()
class Slow:
    def __init__(self, pipe):
        self.pipe = pipe
    def close(self):
        begun.set()
        time.sleep(0.3)
        self.pipe.close()
        closed.set()
server._process.stdin = Slow(server._process.stdin)
thread = threading.Thread(target=server.stop)
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    os._exit(0 if closed.is_set() else 1)
print(os.waitpid(child, 0)[1])
thread.join()
"""
WAITING = 'touch {place}/started; while [ -e {place}/started ] && ! [ -e {place}/forked ]; do sleep 0.01; done; exec {program} "$@"'
KEPT = """
import pytest

@pytest.fixture(scope="session")
def gramme_args():
    return {args}

@pytest.mark.parametrize("number", [1, 2])
def test_what_is_there_stays(gramme_server, number):
    assert gramme_server.call("ListTables")["TableNames"] == ["kept"]

def test_it_is_not_emptied(gramme):
    pass
"""
PROGRAM = """
import gramme
with gramme.start(data={data!r}, tables={tables}) as server:
    print(server.call("ListTables")["TableNames"], server.endpoint)
for args in (["--store", "rocksdb:" + {data!r}], ["--data={data}"]):
    with gramme.start(args=args) as server:
        assert server.call("ListTables")["TableNames"] == ["kept"]
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
        self.assertIn("5 passed", run(self.python, "-m", "pytest", "-q", project, env={**variables, **SHELL}))

    def test_the_fixtures_do_not_empty_data_that_is_kept(self):
        project = self.place / "kept"
        project.mkdir()
        process, address = start(BUILT, "serve", "--port", "0", "--data", project / "data")
        with process:
            put_item(address)
            process.terminate()
        for args in (["--data", f"{project}/data"], [f"--data={project}/data"], ["--store", f"rocksdb:{project}/data"]):
            (project / "test_kept.py").write_text(KEPT.format(args=args))
            said = run(self.python, "-m", "pytest", "-q", project / "test_kept.py", status=1)
            self.assertIn("names data that is kept", said)
            self.assertIn("2 passed, 1 error", said)
        (project / "test_kept.py").write_text(KEPT.format(args=["--store", "memory:"]))
        self.assertIn("1 passed", run(self.python, "-m", "pytest", "-q", project / "test_kept.py", "-k", "emptied"))

    def test_a_program_resets_a_server(self):
        self.assertEqual(run(self.python, "-c", RESETS, env={**os.environ, "http_proxy": "http://127.0.0.1:1"}).strip(), str(
            [0, ["music"], 1, ["one"], "Refused: there is no snapshot one",
             "NotFound: GET /_gramme/clock: the server was started without --test-clock"]) + "\n" + str([[], ["music"], [], []]) +
            "\nfork() takes a server in memory that was started with args=[\"--name-spaces\"] ['music']")

    def test_a_server_ends_with_the_program_that_started_it(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(signal=number):
                end_by(number, self.python, "-c", LEFT)
        wait_until_gone(run(self.python, "-c", "import gramme; print(gramme.start().endpoint)").strip())

    def test_a_fork_while_a_server_starts_does_not_hold_it(self):
        with tempfile.TemporaryDirectory() as place:
            fake = fake_program(place, WAITING.format(place=place, program=shlex.quote(str(BUILT))))
            end_by(signal.SIGKILL, self.python, "-c", FORKED_MEANWHILE.format(place=place), env={**os.environ, "GRAMME_BINARY": fake})

    def test_a_fork_while_a_server_stops_waits_for_it(self):
        self.assertEqual(run(self.python, "-c", FORKED_AT_THE_END), "0\n")

    def test_a_program_is_told_why_a_server_does_not_start(self):
        program = "import gramme\ntry: gramme.start(timeout={})\nexcept RuntimeError as error: print(error)"
        for script, timeout, said in (("echo out; echo err >&2; exit 3", 60, "gramme ended with 3: out\nerr\n"),
                                      ("exec sleep 600", 0.2, "gramme did not answer within 0.2 s: \n")):
            fake = fake_program(self.place, script)
            self.assertEqual(run(self.python, "-c", program.format(timeout), env={**os.environ, "GRAMME_BINARY": fake}), said)

    def test_a_server_that_says_more_than_its_address(self):
        program = "import gramme\nwith gramme.start(args=['--auth']) as server: print(server.port > 0)"
        self.assertEqual(run(self.python, "-c", program), "True\n")

    def test_the_example_of_the_documentation(self):
        project = self.place / "example"
        project.mkdir()
        [text] = examples("python")
        (project / "test_music.py").write_text(text)
        self.assertIn("3 passed", run(self.python, "-m", "pytest", "-q", project))

    def test_a_program_keeps_data(self):
        table = {"TableName": "kept", "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
                 "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}]}
        for tables in ([table], [table], []):
            said = run(self.python, "-c", PROGRAM.format(data=str(self.place / "data"), tables=tables))
            self.assertRegex(said, r"^\['kept'\] http://127.0.0.1:\d+\nTrue\n$")
