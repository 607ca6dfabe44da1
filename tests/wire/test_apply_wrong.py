"""`gramme apply` when something is wrong: arguments, templates, servers; the last ones are scripted."""

import contextlib
import http.server
import json
import threading
import unittest

from apply import INDEX, KEYS, ON_DEMAND, TWO_KEYS, ApplyTest, table


class Wrong(ApplyTest):
    def test_arguments(self):
        for arguments, word in (([], "TEMPLATE"), (["a.yaml", "b.yaml"], "b.yaml"), (["--wrong", "a.yaml"], "--wrong"),
                                (["--param", "x", "a.yaml"], "--param"), (["a.yaml", "--param"], "--param"),
                                (["--timeout", "0", "a.yaml"], "--timeout"), (["--stack-name", "a b", "x"], "--stack-name"),
                                (["--account-id", "1", "x"], "--account-id"), (["--endpoint=", "x"], "--endpoint"),
                                (["--param", "A=1", "--param", "A=2", "x"], "A twice")):
            with self.subTest(arguments=arguments):
                status, out, err = self.run_apply(*arguments)
                self.assertEqual((status, out), (2, ""))
                self.assertIn(word, err)
                self.assertIn("--help", err)
                self.assertEqual(len(err.splitlines()), 1)

    def test_help_names_every_flag(self):
        status, out, err = self.run_apply("--help")
        self.assertEqual((status, err), (0, ""))
        for flag in ("--param", "--endpoint", "--region", "--account-id", "--stack-name", "--dry-run",
                     "--allow-data-loss", "--timeout"):
            self.assertIn(flag, out)

    def test_files(self):
        self.assertEqual(self.run_apply("gone.yaml"), (2, "", "gone.yaml: No such file or directory\n"))
        self.assertEqual(self.run_apply("."), (2, "", ".: it has no manifest.json: name a template, or the folder that cdk synth has made\n"))
        as_json = "take it as JSON: terraform show -json plan >plan.json"
        self.assert_wrong("PK\3\4" + "\0" * 20, error=f"plan: this is a plan as Terraform keeps it: {as_json}", name="plan")
        self.assert_wrong('resource "aws_dynamodb_table" "t" {\n}\n', error="main.tf: Terraform's own files are not read; of a plan (terraform plan "
                          f"-out plan) {as_json}", name="main.tf")
        self.assert_wrong("export default {};\n", error="serverless.ts: programs are not run: give what serverless print says", name="serverless.ts")
        self.assert_wrong("", error="shop.yaml:1:1: a template is a mapping with Resources, this is empty")
        self.assert_wrong("# " + "x" * (1 << 20), error="shop.yaml: larger than 1 MB, the limit for a template")

    def test_a_loop_that_reads_without_end(self):
        text = "x" * 90000
        self.assert_wrong("Transform: AWS::LanguageExtensions\nResources:\n  Fn::ForEach::Tables:\n    - A\n    - [a]\n    - 'T${A}':\n"
                          f"        Type: AWS::DynamoDB::Table\n        Metadata: [&x '{text}'{', *x' * 20000}]\n",
                          error="shop.yaml:8:20: the template grows too large when it is worked out")

    def test_broken_templates(self):
        self.assert_wrong("Resources:\n  A: [\n",
                          error="shop.yaml:3:1: not YAML: did not find expected node content while parsing a flow node")
        self.assert_wrong('{"Resources": {"A": ]}}', error="shop.json:1:21: not JSON from here on", name="shop.json")
        self.assert_wrong(table(KEYS), error="shop.yaml:5:7: the table needs ProvisionedThroughput: its BillingMode is "
                                             "PROVISIONED")
        self.assert_wrong(table(KEYS, ON_DEMAND) + "Outputs:\n  A: {Value: !Ref Missing}\n",
                          error="shop.yaml:10:14: there is no parameter or resource 'Missing'")

    def test_large_and_deep_templates_end(self):
        for text in ("Resources: " + "[" * 500000, "Resources: " + "{a: " * 200000, "- " * 400000, "? " * 400000,
                     "[" + "a," * 500000 + "]", "Resources:\n" + "".join(f"  r{i}: {{Type: a}}\n" for i in range(4000)),
                     "{" + ",".join(f'"k{i}":1' for i in range(60000)) + "}", "&a " * 300000, "!" * 900000,
                     '"' + "\\x41" * 240000 + '": 1', "a: &a [x]\n" + "b: *a\n" * 100000, "a" * 1000000 + ": 1"):
            status, out, err = self.apply(text)
            self.assertEqual((status, out) if status else status, (2, "") if status else 0, err[:300])
            self.assertNotIn("Sanitizer", err)

    def test_the_service_refuses(self):
        status, out, err = self.apply(table(KEYS, ON_DEMAND, "          Tags: [{Key: 'aws:x', Value: '1'}]\n"))
        self.assertEqual((status, err), (
            1, "shop.yaml:2:3: CreateTable: ValidationException: Tag Key cannot be prefixed with aws:, Key: aws:x\n"))
        self.assertIn("creating table orders ... failed\n", out)

    def test_no_server(self):
        self.write(table(KEYS, ON_DEMAND))
        status, out, err = self.run_apply("--endpoint", "http://127.0.0.1:9", "shop.yaml")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(err, r"^shop\.yaml:2:3: http://127\.0\.0\.1:9: Failed to connect .+\n$")

    def test_an_endpoint_that_is_none(self):
        self.write(table(KEYS, ON_DEMAND))
        status, out, err = self.run_apply("--endpoint", "nonsense", "shop.yaml", env={
            "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"})
        self.assertEqual((status, out), (1, ""))
        self.assertIn("nonsense", err)

    def test_the_endpoint_from_the_environment(self):
        self.write(table(KEYS, ON_DEMAND))
        status, out, err = self.run_apply("shop.yaml", env={"AWS_ENDPOINT_URL_DYNAMODB": self.endpoint,
                                                            "AWS_REGION": "us-east-1"})
        self.assertEqual((status, err), (0, ""), out)


class Stub(http.server.ThreadingHTTPServer):
    """A server that answers from a script: operation -> list of (status, body), the last one for ever."""

    def __init__(self, script):
        self.script = script
        self.calls = []
        super().__init__(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        operation = self.headers["X-Amz-Target"].split(".")[1]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.calls.append((operation, json.loads(body)))
        answers = self.server.script.get(operation) or [error("UnknownOperationException", "")]
        status, answer = answers[0] if len(answers) == 1 else answers.pop(0)
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/x-amz-json-1.0")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments):
        pass


def error(name, text):
    return 400, {"__type": f"com.amazonaws.dynamodb.v20120810#{name}", "message": text}


def description(status="ACTIVE", **more):
    return 200, {"Table": {"TableName": "orders", "TableStatus": status, "TableArn": "arn:aws:dynamodb:r:1:table/orders",
                           "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                           "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                           "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"}, **more}}


GONE = error("ResourceNotFoundException", "Requested resource not found: Table: orders not found")
TTL = "          TimeToLiveSpecification: {AttributeName: expires, Enabled: true}\n"


@contextlib.contextmanager
def stub(**script):
    server = Stub(script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Scripted(ApplyTest):
    """What the real server does not do, or only once."""

    def apply_to(self, server, text, *arguments):
        self.endpoint = server.endpoint
        return self.apply(text, *arguments)

    def test_what_a_server_does_not_have(self):
        with stub(DescribeTable=[description()]) as server:
            status, out, err = self.apply_to(server, table(KEYS, ON_DEMAND))
            self.assertEqual((status, err), (0, ""), out)
            status, out, err = self.apply_to(server, table(KEYS, ON_DEMAND, TTL))
            self.assertEqual((status, err), (
                1, f"shop.yaml:2:3: the server at {server.endpoint} does not have DescribeTimeToLive, "
                   "which is needed here\n"))

    def test_it_waits_for_a_table_under_way(self):
        states = [description("CREATING"), description("UPDATING"), description()]
        with stub(DescribeTable=states) as server:
            status, out, err = self.apply_to(server, table(KEYS, ON_DEMAND))
            self.assertEqual((status, err), (0, ""), out)
            self.assertIn("Nothing to do", out)

    def test_it_waits_for_a_table_that_goes(self):
        with stub(DescribeTable=[description("DELETING"), GONE, description()],
                  CreateTable=[(200, {"TableDescription": {}})]) as server:
            status, out, err = self.apply_to(server, table(KEYS, ON_DEMAND))
            self.assertEqual((status, err), (0, ""), out)
            self.assertEqual([call[0] for call in server.calls if call[0] == "CreateTable"], ["CreateTable"])

    def test_it_waits_for_an_index(self):
        index = {"IndexName": "by-a", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
                 "Projection": {"ProjectionType": "ALL"}}
        definitions = [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "pk", "AttributeType": "S"}]

        def with_index(status):
            return description(AttributeDefinitions=definitions, GlobalSecondaryIndexes=[{**index, "IndexStatus": status}])
        with stub(DescribeTable=[description(), description(), with_index("CREATING"), with_index("CREATING"),
                                 with_index("ACTIVE")], UpdateTable=[(200, {"TableDescription": {}})]) as server:
            status, out, err = self.apply_to(server, table(TWO_KEYS, ON_DEMAND, INDEX))
            self.assertEqual((status, err), (0, ""), out)
            self.assertGreaterEqual(sum(call[0] == "DescribeTable" for call in server.calls), 5)

    def test_it_does_not_wait_for_ever(self):
        with stub(DescribeTable=[description("UPDATING")]) as server:
            status, out, err = self.apply_to(server, table(KEYS, ON_DEMAND), "--timeout", "3")
            self.assertEqual((status, out, err), (
                1, "", "shop.yaml:2:3: waiting for orders: it is still UPDATING\n"))

    def test_busy_means_again(self):
        with stub(DescribeTable=[description()], DescribeTimeToLive=[(200, {"TimeToLiveDescription": {
                "TimeToLiveStatus": "DISABLED"}})],
                  UpdateTimeToLive=[error("ResourceInUseException", "busy"), (200, {})]) as server:
            status, out, err = self.apply_to(server, table(KEYS, ON_DEMAND, TTL))
            self.assertEqual((status, err), (0, ""), out)
            self.assertEqual(server.calls.count(("UpdateTimeToLive", {
                "TableName": "orders", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}})), 2)

    def test_pages_of_tags(self):
        pages = [(200, {"Tags": [{"Key": "a", "Value": "1"}], "NextToken": "more"}),
                 (200, {"Tags": [{"Key": "b", "Value": "2"}, {"Key": "aws:c", "Value": "3"}]})]
        tags = "          Tags: [{Key: b, Value: '2'}, {Key: a, Value: '1'}]\n"
        with stub(DescribeTable=[description()], ListTagsOfResource=pages) as server:
            status, out, err = self.apply_to(server, table(KEYS, ON_DEMAND, tags))
            self.assertEqual((status, err), (0, ""), out)
            self.assertIn("Nothing to do", out)
            self.assertEqual([body.get("NextToken") for name, body in server.calls if name == "ListTagsOfResource"],
                             [None, "more"])

    def test_answers_that_are_none(self):
        for answer in ({}, {"Table": []}, {"Table": {"TableStatus": "ACTIVE"}}, []):
            with self.subTest(answer=answer), stub(DescribeTable=[(200, answer)]) as server:
                status, out, err = self.apply_to(server, table(KEYS, ON_DEMAND), "--timeout", "1")
                self.assertEqual((status, out), (1, ""))
                self.assertEqual(len(err.splitlines()), 1)
                self.assertTrue(err.startswith("shop.yaml:2:3: "), err)


if __name__ == "__main__":
    unittest.main()
