"""`gramme mcp`, line by line: what it answers, what it refuses, and that nothing is changed unless it was told to allow it."""

import json
import os
import socket
import subprocess
import unittest

from server import Server, binary
from wire import boto3_client

TIMEOUT_S = 60
TABLE = {"TableName": "music", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
         "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}]}


class Assistant:
    """Who runs `gramme mcp` and talks to it."""

    def __init__(self, endpoint, *arguments):
        self.process = subprocess.Popen([binary(), "mcp", "--endpoint", endpoint, *arguments], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "AWS_ACCESS_KEY_ID": "any",
                                                                                             "AWS_SECRET_ACCESS_KEY": "any"})
        self.last = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _, errors = self.process.communicate(timeout=TIMEOUT_S)
        assert (self.process.returncode, errors) == (0, ""), errors

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, method, **parameters):
        self.last += 1
        self.say(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": parameters}))
        answer = self.hear()
        assert (answer["jsonrpc"], answer["id"]) == ("2.0", self.last), answer
        return answer.get("result", answer.get("error"))

    def call(self, name, **arguments):
        """What the tool says, and whether it failed."""
        result = self.ask("tools/call", name=name, arguments=arguments)
        [content] = result["content"]
        return content["text"], result["isError"]


class Mcp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--memory")
        cls.server.start()
        cls.client = boto3_client(cls.server.endpoint)
        cls.client.create_table(**TABLE)
        for n in range(60):
            cls.client.put_item(TableName="music", Item={"artist": {"S": f"a{n:02}"}, "notes": {"S": "é\n\"\\" * 3}})

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def count(self):
        return self.client.scan(TableName="music", Select="COUNT")["Count"]

    def test_the_versions_that_it_speaks(self):
        with Assistant(self.server.endpoint) as assistant:
            for asked, answered in (("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2099-01-01", "2025-06-18")):
                result = assistant.ask("initialize", protocolVersion=asked, capabilities={}, clientInfo={"name": "test", "version": "1"})
                self.assertEqual((result["protocolVersion"], result["capabilities"], result["serverInfo"]["name"]), (answered, {"tools": {}}, "gramme"))
            assistant.say('{"jsonrpc":"2.0","method":"notifications/initialized"}')  # which gets no answer
            self.assertEqual(assistant.ask("ping"), {})

    def test_what_there_is_to_call(self):
        reading = ["list_tables", "describe_table", "get_item", "query", "scan", "partiql"]
        for arguments, expected in (((), reading), (("--write",), reading + ["put_item", "update_item", "delete_item", "create_table"])):
            with Assistant(self.server.endpoint, *arguments) as assistant:
                tools = assistant.ask("tools/list")["tools"]
                self.assertEqual([tool["name"] for tool in tools], expected)
                for tool in tools:
                    self.assertLessEqual(set(tool["inputSchema"]["required"]), set(tool["inputSchema"]["properties"]))
                hints = {tool["name"]: tool["annotations"]["readOnlyHint"] for tool in tools}
                self.assertEqual((hints["query"], hints["partiql"]), (True, not arguments))

    def test_reading(self):
        with Assistant(self.server.endpoint) as assistant:
            self.assertEqual(assistant.call("list_tables"), ('{"TableNames":["music"]}', False))
            self.assertEqual(json.loads(assistant.call("describe_table", TableName="music")[0])["Table"]["ItemCount"], 60)
            item = json.loads(assistant.call("get_item", TableName="music", Key={"artist": {"S": "a07"}})[0])["Item"]
            self.assertEqual(item["notes"], {"S": "é\n\"\\" * 3})
            page = json.loads(assistant.call("query", TableName="music", KeyConditionExpression="artist = :a",
                                             ExpressionAttributeValues={":a": {"S": "a01"}})[0])
            self.assertEqual(page["Count"], 1)
            first = json.loads(assistant.call("scan", TableName="music")[0])
            self.assertEqual(first["Count"], 25)  # a Limit is sent with everything that may be long
            rest = json.loads(assistant.call("scan", TableName="music", Limit=1000, ExclusiveStartKey=first["LastEvaluatedKey"])[0])
            self.assertEqual(rest["Count"], 35)
            found = assistant.call("partiql", Statement=" \n select artist from music where artist = ?", Parameters=[{"S": "a03"}])
            self.assertEqual(json.loads(found[0])["Items"], [{"artist": {"S": "a03"}}])

    def test_what_the_database_refuses_is_told(self):
        with Assistant(self.server.endpoint) as assistant:
            text, failed = assistant.call("describe_table", TableName="missing")
            self.assertTrue(failed)
            self.assertIn("ResourceNotFoundException: Requested resource not found", text)

    def test_nothing_is_changed(self):
        before = self.count()
        refusal = ("nothing can be changed here: gramme mcp was started without --write", True)
        with Assistant(self.server.endpoint) as assistant:
            self.assertEqual(assistant.call("put_item", TableName="music", Item={"artist": {"S": "new"}}), refusal)
            for statement in ("DELETE FROM music WHERE artist = 'a00'", "INSERT INTO music VALUE {'artist': 'x'}", "selectx", "",
                              "-- SELECT \nDELETE FROM music WHERE artist = 'a00'"):
                self.assertEqual(assistant.call("partiql", Statement=statement), refusal, statement)
            assistant.say('{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"partiql","arguments":'
                          '{"Statement":"SELECT * FROM music","Stat\\u0065ment":"DELETE FROM music WHERE artist = \'a00\'"}}}')
            self.assertEqual(assistant.hear()["result"]["content"][0]["text"], "Statement is there twice")
        self.assertEqual(self.count(), before)

    def test_writing_when_it_may(self):
        with Assistant(self.server.endpoint, "--write") as assistant:
            key = {"artist": {"S": "written"}}
            self.assertEqual(assistant.call("put_item", TableName="music", Item=key), ("{}", False))
            text, _ = assistant.call("update_item", TableName="music", Key=key, UpdateExpression="SET n = :n", ReturnValues="ALL_NEW",
                                     ExpressionAttributeValues={":n": {"N": "1"}})
            self.assertEqual(json.loads(text)["Attributes"]["n"], {"N": "1"})
            self.assertEqual(assistant.call("partiql", Statement="DELETE FROM music WHERE artist = 'written'")[1], False)
            self.assertEqual(assistant.call("delete_item", TableName="music", Key=key), ("{}", False))
            self.assertEqual(assistant.call("create_table", **{**TABLE, "TableName": "made"})[1], False)
            self.client.delete_table(TableName="made")

    def test_what_is_wrong_with_a_call_is_told(self):
        with Assistant(self.server.endpoint) as assistant:
            for arguments, text in (({}, "scan needs TableName"), ({"TableName": 1}, "TableName is to be of type string"),
                                    ({"TableName": "music", "Limit": 1001}, "Limit is to be from 1 to 1000"),
                                    ({"TableName": "music", "Limit": 0}, "Limit is to be from 1 to 1000"),
                                    ({"TableName": "music", "Limit": -1}, "Limit is to be from 1 to 1000"),
                                    ({"TableName": "music", "Segment": 1}, "scan takes no Segment")):
                self.assertEqual(assistant.call("scan", **arguments), (text, True))
            self.assertEqual(assistant.ask("tools/call", name="drop_everything"), {"code": -32602, "message": "there is no tool drop_everything"})
            self.assertEqual(assistant.ask("tools/call", name="scan", arguments=[])["code"], -32602)
            self.assertEqual(assistant.ask("resources/list")["code"], -32601)

    def test_what_is_no_message(self):
        with Assistant(self.server.endpoint) as assistant:
            for line, code in (("{", -32700), ("[]", -32600), ("7", -32600), ('{"id":1}', -32600), ('{"id":{},"method":"ping"}', -32600),
                               ('{"id":1,"method":"' + "x" * (5 << 20) + '"}', -32600)):
                assistant.say(line)
                answer = assistant.hear()
                self.assertEqual((answer["id"], answer["error"]["code"]), (None, code))
            for line in ("", '{"jsonrpc":"2.0","id":1,"result":{}}'):  # nothing to answer
                assistant.say(line)
            self.assertEqual(assistant.ask("ping"), {})

    def test_a_server_that_does_not_answer(self):
        """It takes connections, and that is all. Each call has its time."""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
            with Assistant(endpoint, "--timeout", "2") as assistant:
                for _ in range(2):
                    text, failed = assistant.call("list_tables")
                    self.assertTrue(failed)
                    self.assertTrue(text.startswith(f"no answer from {endpoint} in 2 seconds: "), text)
                self.assertEqual(assistant.ask("ping"), {})

    def test_an_answer_that_is_too_long(self):
        self.client.create_table(**{**TABLE, "TableName": "large"})
        self.client.put_item(TableName="large", Item={"artist": {"S": "a"}, "text": {"S": "x" * 300000}})
        with Assistant(self.server.endpoint) as assistant:
            text, failed = assistant.call("scan", TableName="large")
            self.assertTrue(failed)
            self.assertRegex(text, r"^the answer has 300\d+ bytes, of which none are shown: at most 262144 are\. Ask for fewer")
            self.assertFalse(assistant.call("scan", TableName="large", ProjectionExpression="artist")[1])
        self.client.delete_table(TableName="large")
