"""`gramme local`: the arguments of DynamoDB Local, and where it is as lenient; the plain server stays exact."""

import os
import re
import signal
import socket
import subprocess
import tempfile
import unittest
import unittest.mock
import pathlib

from server import SANITIZER, Server, binary
from waiting import WAIT_S
from test_healthcheck import healthcheck
from wire import boto3_client, call, http_request

ROOT = (b'{"__type":"com.amazonaws.dynamodb.v20120810#MissingAuthenticationToken","Message":"Request must contain either a valid '
        b'(registered) AWS access key ID or X.509 certificate."}')
TABLE = {"TableName": "table", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST",
         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}
SPARE = {**TABLE, "TableName": "spare", "GlobalSecondaryIndexes": [
            {"IndexName": "index", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}],
         "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g", "unused")]}
TEXTS = {**TABLE, "TableName": "texts", "BillingMode": "PROVISIONED",
         "ProvisionedThroughput": {"ReadCapacityUnits": "5", "WriteCapacityUnits": "6"}}
FOREIGN = {"TableName": "arn:aws:dynamodb:ddblocal:123456789012:table/table"}


SHIM = pathlib.Path(__file__).resolve().parents[2] / "packaging/java/java"


class Local:
    def __init__(self, *arguments):
        self.errors = tempfile.TemporaryFile("a+")
        self.process = subprocess.Popen([binary(), "local", *arguments], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=self.errors)

    def __enter__(self):
        line = self.line = self.process.stdout.readline()
        found = re.search(r"listening on http://\S+:(\d+)$", line)
        if not found:
            self.errors.seek(0)
            raise AssertionError(line + self.errors.read())
        self.port = int(found.group(1))
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.output, _ = self.process.communicate(timeout=WAIT_S)
        self.errors.seek(0)
        errors = self.errors.read()
        assert self.process.returncode == 0 and not SANITIZER.search(errors), errors


def run(*arguments):
    done = subprocess.run([binary(), "local", *arguments], text=True, capture_output=True, timeout=WAIT_S)
    return done.returncode, done.stdout, done.stderr


def shards(port):
    call(port, "UpdateTable", {"TableName": "table", "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}})
    arn = call(port, "DescribeTable", {"TableName": "table"}).json["Table"]["LatestStreamArn"]
    return len(call(port, "DescribeStream", {"StreamArn": arn}).json["StreamDescription"]["Shards"])


class InItsPlace(unittest.TestCase):
    def test_what_is_lenient(self):
        with Local("java", "-Djava.library.path=./DynamoDBLocal_lib", "-Xmx1g", "-jar", "DynamoDBLocal.jar", "-inMemory", "-sharedDb",
                   "-port", "0", "-disableTelemetry", "-delayTransientStatuses", "-optimizeDbBeforeStartup") as local:
            reply = http_request(local.port, "GET", "/", {})
            self.assertEqual((reply.status, reply.body), (400, ROOT))
            self.assertEqual(http_request(local.port, "HEAD", "/", {}).status, 400)
            for table in (TABLE, SPARE, TEXTS):
                self.assertEqual(call(local.port, "CreateTable", table).status, 200, table)
            throughput = call(local.port, "DescribeTable", {"TableName": "texts"}).json["Table"]["ProvisionedThroughput"]
            self.assertEqual((throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]), (5, 6))
            self.assertEqual(call(local.port, "DescribeTable", FOREIGN).status, 200)
            self.assertEqual(shards(local.port), 1)
            wrong = {**TEXTS, "ProvisionedThroughput": {"ReadCapacityUnits": "5x", "WriteCapacityUnits": ""}}
            self.assertIn("SerializationException", call(local.port, "CreateTable", wrong).error)
            self.assertEqual(boto3_client(f"http://localhost:{local.port}").list_tables()["TableNames"], ["spare", "table", "texts"])

    def test_the_plain_server_is_exact(self):
        with Server("--memory") as server:
            self.assertEqual(http_request(server.port, "GET", "/", {}).status, 200)
            self.assertEqual(call(server.port, "CreateTable", TABLE).status, 200)
            self.assertIn("Some AttributeDefinitions are not used", call(server.port, "CreateTable", SPARE).error)
            self.assertIn("SerializationException", call(server.port, "CreateTable", TEXTS).error)
            self.assertIn("Invalid AWS region", call(server.port, "DescribeTable", FOREIGN).error)
            self.assertGreater(shards(server.port), 1)

    def test_data_stay_below_the_path(self):
        with tempfile.TemporaryDirectory() as folder:
            for expected in ([], ["table"]):
                with Local("-dbPath", folder, "-port", "0") as local:
                    self.assertEqual(call(local.port, "ListTables", {}).json["TableNames"], expected)
                    call(local.port, "CreateTable", TABLE)
            self.assertEqual([path.name for path in pathlib.Path(folder).iterdir()], ["gramme-local"])

    def test_pages(self):
        def allowed(local, origin):
            reply = http_request(local.port, "OPTIONS", "/", {"Origin": origin, "Access-Control-Request-Method": "POST"})
            return reply.headers.get("access-control-allow-origin")

        with Local("-inMemory", "-port", "0") as local:
            self.assertIn(allowed(local, "https://a.example"), ("*", "https://a.example"))
        with Local("-inMemory", "-port", "0", "-cors", "http://a.example:3000,b.example") as local:
            self.assertEqual(allowed(local, "http://a.example:3000"), "http://a.example:3000")
            self.assertEqual(allowed(local, "https://b.example"), "https://b.example")
            self.assertIsNone(allowed(local, "https://c.example"))

    def test_words(self):
        status, out, err = run("-help")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("-dbPath DIR", out)
        self.assertRegex(run("-version")[1], r"^gramme \d")
        for arguments, text in ((["-nope"], "no argument '-nope'"), (["-port"], "a value is missing after '-port'"), (["x"], "'x'"),
                                (["-port", "x"], "not 'x'"), (["-inMemory", "-dbPath", "."], "do not go together"),
                                (["-dbPath", ""], "a value is missing after '-dbPath'"), (["-jar", "Local.jar", "-ea"], "no argument '-ea'"),
                                (["-inMemory", "-jar", "Local.jar"], "java has no option '-inMemory': it goes behind what is run")):
            status, out, err = run(*arguments)
            self.assertEqual((status, out), (2, ""))
            self.assertIn(text, err)
        with unittest.mock.patch.dict(os.environ, GRAMME_AUTH="yes"):
            status, _, err = run("-inMemory", "-port", "0")
        self.assertEqual(status, 2)
        self.assertIn("DynamoDB Local verifies no signatures: GRAMME_AUTH is for serve", err)

    def test_variables_of_serve_count(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(
                os.environ, GRAMME_PORT=str(port), GRAMME_HOST="127.0.0.1", GRAMME_DATA=f"{folder}/mine"), Local("-sharedDb") as local:
            self.assertEqual((local.port, local.line), (port, f"gramme 0.1.0 listening on http://127.0.0.1:{port}\n"))
            self.assertEqual(healthcheck(), (0, "", ""))
            self.assertTrue(pathlib.Path(folder, "mine/GRAMME").exists())
        with Local("-inMemory", "-port", "0") as local:
            self.assertIn("  tables      apart for each access key and region\n", iter(local.process.stdout.readline, ""))

    def test_what_is_for_java_is_skipped(self):
        for words in (["java", "-ea", "-server", "-verbose", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-javaagent:agent.jar",
                       "-agentlib:jdwp=transport=dt_socket", "-XX:+UseG1GC", "-jar", "DynamoDBLocal.jar"],
                      ["-cp", "DynamoDBLocal.jar:lib/*", "-ea", "com.amazonaws.services.dynamodbv2.local.main.ServerRunner"],
                      ["-jar", "DynamoDBLocal.jar"], ["-Xmx1g", "-Da=b"]):
            with Local(*words, "-inMemory", "-port", "0") as local:
                self.assertEqual(call(local.port, "ListTables", {}).json, {"TableNames": []})

    def test_the_stand_in_for_java_knows_its_class(self):
        with tempfile.TemporaryDirectory() as folder:
            real = pathlib.Path(folder, "java")
            real.write_text("#!/bin/sh\necho real\n")
            real.chmod(0o755)
            env = {**os.environ, "GRAMME_BINARY": binary(), "PATH": f"{folder}:{os.environ['PATH']}"}
            for words, expected in ((["-cp", "DynamoDBLocal.jar:lib/*", "com.amazonaws.services.dynamodbv2.local.main.ServerRunner"], "gramme "),
                                    (["-jar", "some/DynamoDBLocal.jar"], "gramme "), (["-cp", "lib/*", "org.example.Main"], "real")):
                said = subprocess.run([SHIM, *words, "-version"], text=True, capture_output=True, timeout=WAIT_S, env=env)
                self.assertTrue(said.stdout.startswith(expected), said)


if __name__ == "__main__":
    unittest.main()
