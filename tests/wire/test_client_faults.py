"""The client library (lib/client) with a server that throttles, breaks, stalls and leaves things undone."""

import datetime
import json
import pathlib
import socket
import ssl
import tempfile
import unittest

from stub import CLOSE, RESET, Stub, error, http_reply, self_signed, signature
from test_client import run_case

THROTTLED = error(400, "ProvisionedThroughputExceededException", "slow down")
BROKEN = error(500, "InternalServerError", "sorry")
FAILED = error(400, "ConditionalCheckFailedException", "The conditional request failed")
FOUND = (200, {"Item": {"n": {"N": "1"}}})
DONE = (200, {})
ITEM = 'ok\nitem {"n":{"N":"1"}}\n'


def half_a_reply(connection):
    connection.sendall(http_reply(200, {"Item": {"n": {"N": "1"}}})[:-5])
    connection.shutdown(socket.SHUT_RDWR)  # which close() is not while the stub still reads


def stalled(connection):
    connection.recv(1)  # until the client has given up


class FaultCase(unittest.TestCase):
    maxDiff = None

    def with_stub(self, answers, name, argument="", **variables):
        """The output of the case, and the requests that it sent."""
        with Stub(answers) as stub:
            output = run_case(name, argument, AWS_ENDPOINT_URL=stub.endpoint, **variables)
        self.endpoint = stub.endpoint
        return output, stub.requests

    def assert_case(self, answers, name, expected, requests, argument="", **variables):
        output, sent = self.with_stub(answers, name, argument, **variables)
        self.assertEqual(output, expected.replace("ENDPOINT", self.endpoint))
        self.assertEqual(len(sent), requests)
        return sent


class Retries(FaultCase):
    def test_throttling_is_tried_again(self):
        for name in ("ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded",
                     "TransactionInProgressException", "TransactionConflictException"):
            with self.subTest(name=name):
                self.assert_case([error(400, name), error(400, name), FOUND], "stub-get", ITEM, 3)

    def test_throttling_is_tried_again_for_updates_too(self):
        self.assert_case([THROTTLED, DONE], "stub-update", "ok\n", 2)

    def test_attempts_are_bounded(self):
        self.assert_case([THROTTLED], "stub-get", "service ProvisionedThroughputExceededException status=400 attempts=6 "
                         "maybe_applied=0 request_id=yes: slow down\nitem none\n", 6)
        self.assert_case([THROTTLED], "stub-get", "service ProvisionedThroughputExceededException status=400 attempts=2 "
                         "maybe_applied=0 request_id=yes: slow down\nitem none\n", 2, CASE_ATTEMPTS=2)

    def test_other_errors_are_not_tried_again(self):
        self.assert_case([error(400, "ValidationException", "wrong")], "stub-get",
                         "service ValidationException status=400 attempts=1 maybe_applied=0 request_id=yes: wrong\n"
                         "item none\n", 1)

    def test_reads_are_tried_again_after_anything(self):
        for fault in (BROKEN, (503, b"<html>"), (502, b""), CLOSE, RESET, half_a_reply):
            with self.subTest(fault=fault):
                self.assert_case([fault, FOUND], "stub-get", ITEM, 2)

    def test_a_lost_answer_to_a_put_is_asked_for_again(self):
        for fault in (BROKEN, CLOSE, RESET):
            with self.subTest(fault=fault):
                self.assert_case([fault, DONE], "stub-put", "ok\n", 2)

    def test_a_condition_that_may_have_met_its_own_write_says_so(self):
        self.assert_case([CLOSE, FAILED], "stub-put", "service ConditionalCheckFailedException status=400 attempts=2 "
                         "maybe_applied=1 request_id=yes: The conditional request failed\n", 2)
        self.assert_case([THROTTLED, FAILED], "stub-put", "service ConditionalCheckFailedException status=400 attempts=2 "
                         "maybe_applied=0 request_id=yes: The conditional request failed\n", 2)

    def test_an_update_is_not_sent_twice(self):
        self.assert_case([BROKEN, DONE], "stub-update", "service InternalServerError status=500 attempts=1 "
                         "maybe_applied=1 request_id=yes: sorry\n", 1)
        self.assert_case([CLOSE, DONE], "stub-update", "network ClientError status=0 attempts=1 maybe_applied=1 "
                         "request_id=no: ENDPOINT: Empty reply from server\n", 1)

    def test_an_update_is_not_sent_twice_on_a_kept_connection_either(self):
        # libcurl by itself repeats a request when a connection that it kept turns out to be closed.
        sent = self.assert_case([DONE, CLOSE, DONE], "stub-update", "ok\nnetwork ClientError status=0 attempts=1 "
                                "maybe_applied=1 request_id=no: ENDPOINT: the server closed the connection\nok\n", 3, "3")
        self.assertEqual([request.connection for request in sent][:2], [0, 0])
        self.assert_case([DONE, CLOSE, DONE], "stub-put", "ok\nok\n", 3, "2")

    def test_an_update_that_may_happen_twice_is_tried_again(self):
        self.assert_case([BROKEN, CLOSE, DONE], "stub-update-idempotent", "ok\n", 3)

    def test_statements(self):
        self.assert_case([BROKEN, (200, {"Items": []})], "stub-statement", "\nok\n", 2, " select * from t")
        self.assert_case([BROKEN, DONE], "stub-statement", "\nservice InternalServerError status=500 attempts=1 "
                         "maybe_applied=1 request_id=yes: sorry\n", 1, "UPDATE t SET n = n + 1")

    def test_a_transaction_keeps_its_token(self):
        sent = self.assert_case([CLOSE, BROKEN, DONE], "stub-transaction", "ok\n", 3)
        tokens = {request.json["ClientRequestToken"] for request in sent}
        self.assertEqual(len(tokens), 1)
        self.assertRegex(tokens.pop(), r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")

    def test_a_cancelled_transaction_was_not_carried_out_before(self):
        output, _ = self.with_stub([CLOSE, error(400, "TransactionCanceledException", "cancelled", CancellationReasons=[
            {"Code": "TransactionConflict", "Message": "busy"}])], "stub-transaction")
        self.assertEqual(output, "service TransactionCanceledException status=400 attempts=2 maybe_applied=0 "
                         "request_id=yes: cancelled; action 1 of 1: TransactionConflict: busy\n"
                         "reason TransactionConflict: busy\n")

    def test_nobody_listens(self):
        output = run_case("stub-update", AWS_ENDPOINT_URL="http://127.0.0.1:1", CASE_ATTEMPTS=3)
        self.assertRegex(output, "^network ClientError status=0 attempts=3 maybe_applied=0 request_id=no: "
                         "http://127.0.0.1:1: Failed to connect to 127.0.0.1 port 1.*\n$")

    def test_a_slow_answer(self):
        output, sent = self.with_stub([stalled], "stub-get", CASE_TIMEOUT_MS=300, CASE_ATTEMPTS=2)
        self.assertRegex(output, "^timeout ClientError status=0 attempts=2 maybe_applied=0 request_id=no: "
                         f"{self.endpoint}: Operation timed out after \\d+ milliseconds with 0 bytes received\nitem none\n$")
        self.assertEqual(len(sent), 2)
        output, sent = self.with_stub([stalled], "stub-update", CASE_TIMEOUT_MS=300)
        self.assertRegex(output, "^timeout ClientError status=0 attempts=1 maybe_applied=1 ")


class Tls(unittest.TestCase):
    def test_certificates_are_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            context, certificate = self_signed(folder)
            with Stub([FOUND], context) as stub:
                output = run_case("stub-get", "2", AWS_ENDPOINT_URL=stub.endpoint, AWS_CA_BUNDLE=certificate)
                self.assertEqual(output, ITEM + ITEM)
                self.assertEqual([request.connection for request in stub.requests], [0, 0])
                output = run_case("stub-get", AWS_ENDPOINT_URL=stub.endpoint)
                # The rest is libcurl's own words, of which versions have others.
                self.assertRegex(output, "^network ClientError status=0 attempts=1 maybe_applied=0 request_id=no: "
                                 rf"{stub.endpoint}: SSL certificate .*: self-signed certificate( \(18\))?\nitem none\n$")
                self.assertEqual(len(stub.requests), 2)


    def test_a_server_that_asks_for_certificates(self):
        with tempfile.TemporaryDirectory() as folder:
            context, certificate = self_signed(folder)
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(certificate)
            with Stub([FOUND], context) as stub:
                tls = {"AWS_ENDPOINT_URL": stub.endpoint, "AWS_CA_BUNDLE": certificate}
                self.assertEqual(run_case("stub-get", **tls, CASE_CERT=certificate, CASE_KEY=f"{folder}/key.pem"), ITEM)
                self.assertNotIn("ok", run_case("stub-get", **tls, CASE_ATTEMPTS=1))
                output = run_case("stub-get", **tls, CASE_CERT=certificate, CASE_KEY=f"{folder}/nowhere.pem")
                self.assertRegex(output, "^network ClientError status=0 attempts=1 maybe_applied=0 request_id=no: .*nowhere.pem")
                self.assertEqual(len(stub.requests), 1)


class Replies(FaultCase):
    def test_replies_that_are_not_dynamodbs(self):
        wrong = "reply ClientError status=200 attempts=1 maybe_applied=0 request_id=yes: GetItem: the server's reply is not " \
            "DynamoDB's JSON, near byte %d of it\nitem none\n"
        deep = b'{"M":{"a":' * 40 + b'{"S":"x"}' + b"}}" * 40
        for body, near in ((b"", 0), (b"[]", 1), (b'{"Item":{"n":{"N":1}}}', 19), (b'{"Item":{"n":{"N":"1"', 21),
                           (b'{"Item":{"n":{"X":"1"}}}', 18), (b'{"Item":{"n":{"B":"?"}}}', 21), (b"{}x", 2),
                           (b'{"Item":{"n":' + deep + b"}}", 339)):
            with self.subTest(body=body):
                self.assert_case([(200, body)], "stub-get", wrong % near, 1)
        self.assert_case([(200, b"?")], "stub-put", "reply ClientError status=200 attempts=1 maybe_applied=1 request_id=yes: "
                         "PutItem: the server's reply is not DynamoDB's JSON, near byte 0 of it\n", 1)

    def test_errors_that_are_not_dynamodbs(self):
        self.assert_case([(404, b"<html>")], "stub-get", "reply ClientError status=404 attempts=1 maybe_applied=0 "
                         "request_id=yes: HTTP status 404 without an error of DynamoDB: <html>\nitem none\n", 1)
        self.assert_case([(301, b"", ["Location: http://127.0.0.1:1/"])], "stub-get", "reply ClientError status=301 attempts=1 "
                         "maybe_applied=0 request_id=yes: HTTP status 301 without an error of DynamoDB: \nitem none\n", 1)

    def test_a_reply_that_is_too_long(self):
        body = b'{"Item":{"n":{"S":"' + b"x" * 5000 + b'"}}}'
        self.assert_case([(200, body)], "stub-get", "reply ClientError status=200 attempts=1 maybe_applied=0 request_id=yes: "
                         "ENDPOINT: the reply has more than 5000 bytes\nitem none\n", 1, CASE_REPLY_MAX=5000)
        output, _ = self.with_stub([(200, body)], "call", "GetItem", CASE_REPLY_MAX=len(body), CASE_JSON="{}")
        self.assertEqual(output, f"ok\n{body.decode()}\n")

    def test_pages(self):
        first, second = {"pk": {"S": "x"}}, {"pk": {"S": "y"}}
        page = {"Count": 1, "ScannedCount": 1}
        sent = self.assert_case([(200, {**page, "Items": [{"sk": {"N": "1"}}], "LastEvaluatedKey": first}),
                                 (200, {**page, "Items": [], "LastEvaluatedKey": second}), THROTTLED,
                                 (200, {"Items": [{"sk": {"N": "2"}}]})], "stub-query", "1 2\nok\n", 4)
        self.assertEqual([request.json.get("ExclusiveStartKey") for request in sent], [None, first, second, second])
        self.assertEqual(len({request.connection for request in sent}), 1)

    def test_a_page_that_fails(self):
        self.assert_case([(200, {"Items": [{"sk": {"N": "1"}}], "LastEvaluatedKey": {"pk": {"S": "x"}}}),
                          error(400, "ValidationException", "wrong")], "stub-query",
                         "1\nservice ValidationException status=400 attempts=1 maybe_applied=0 request_id=yes: wrong\n", 2)


class Batches(FaultCase):
    @staticmethod
    def put(n):
        return {"PutRequest": {"Item": {"pk": {"S": "batch"}, "sk": {"N": str(n)}}}}

    def test_unprocessed_writes_are_sent_again(self):
        left = {"table": [self.put(0), self.put(2)], "other": [self.put(1)]}
        less = {"other": [self.put(1)]}
        sent = self.assert_case([(200, {"UnprocessedItems": left}), (200, {"UnprocessedItems": less}), DONE], "stub-batch-write",
                                "ok\ndone 30\n", 4, "30")
        self.assertEqual([request.json["RequestItems"] for request in sent[1:3]], [left, less])
        self.assertEqual([sum(len(writes) for writes in request.json["RequestItems"].values()) for request in sent],
                         [25, 3, 1, 5])

    def test_a_server_that_never_takes_them(self):
        left = {"UnprocessedItems": {"table": [self.put(0)]}}
        self.assert_case([DONE, (200, left)], "stub-batch-write", "service ClientError status=200 attempts=1 maybe_applied=0 "
                         "request_id=yes: the server left 1 writes of a batch unprocessed, 4 times in a row\ndone 25\n", 5, "50",
                         CASE_ATTEMPTS=4)

    def test_unprocessed_keys_are_sent_again(self):
        def keys(*numbers):
            return {"table": {"Keys": [{"pk": {"S": "batch"}, "sk": {"N": str(n)}} for n in numbers]}}

        def items(*numbers):
            return {"table": [{"sk": {"N": str(n)}} for n in numbers]}

        sent = self.assert_case([(200, {"Responses": items(1, 2), "UnprocessedKeys": keys(3, 4)}),
                                 (200, {"Responses": items(), "UnprocessedKeys": keys(3, 4)}),
                                 (200, {"Responses": items(3), "UnprocessedKeys": keys(4)}),
                                 (200, {"Responses": items(4), "UnprocessedKeys": {}}),
                                 (200, {"Responses": items(100)})], "stub-batch-get", "ok\n5 items, sum 110\n", 5, "120")
        requests = [request.json["RequestItems"] for request in sent]
        self.assertEqual(requests[1:4], [keys(3, 4), keys(3, 4), keys(4)])
        self.assertEqual([len(request["table"]["Keys"]) for request in requests], [100, 2, 2, 1, 20])
        self.assertEqual({name: value for name, value in requests[0]["table"].items() if name != "Keys"}, {
            "ConsistentRead": True, "ProjectionExpression": "#s", "ExpressionAttributeNames": {"#s": "sk"}})

    def test_a_server_that_never_answers_keys(self):
        left = {"table": {"Keys": [{"pk": {"S": "x"}}]}}
        self.assert_case([(200, {"Responses": {}, "UnprocessedKeys": left})], "stub-batch-get",
                         "service ClientError status=200 attempts=1 maybe_applied=0 request_id=yes: "
                         "the server left keys of a batch unprocessed, 3 times in a row\n0 items, sum 0\n", 3, "2",
                         CASE_ATTEMPTS=3)


class Processes(unittest.TestCase):
    """Credentials of a `credential_process`."""

    def run_with(self, script, stub, name="stub-get", argument="", **variables):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "the keys")
            program.write_text(f"#!/bin/sh\necho run >> '{folder}/runs'\n{script}\n")
            program.chmod(0o755)
            config = pathlib.Path(folder, "config")
            config.write_text(f"[profile work]\nregion = eu-west-1\nendpoint_url = {stub.endpoint}\n"
                              f"credential_process = '{program}' --of me\n")
            output = run_case(name, argument, AWS_CONFIG_FILE=config, AWS_PROFILE="work", AWS_REGION="", AWS_ACCESS_KEY_ID="",
                              AWS_SECRET_ACCESS_KEY="", **variables)
            runs = pathlib.Path(folder, "runs")
            return output, len(runs.read_text().splitlines()) if runs.exists() else 0

    def test_keys_of_a_process(self):
        keys = {"Version": 1, "AccessKeyId": "ASIA$1$2", "SecretAccessKey": "hush", "SessionToken": "token",
                "Expiration": "2100-01-01T00:00:00Z"}
        with Stub([FOUND]) as stub:
            output, runs = self.run_with(f"cat <<END\n{json.dumps(keys)}\nEND", stub, argument="3")
        self.assertEqual((output, runs), (ITEM * 3, 1))
        for request in stub.requests:
            fields, expected = signature(request, "hush", "eu-west-1")
            self.assertEqual(fields["Signature"], expected)
            self.assertRegex(fields["Credential"], "^ASIA--ofme/")
            self.assertEqual(request.headers["x-amz-security-token"], "token")

    def test_keys_that_expire_soon_are_replaced(self):
        keys = '{"Version": 1, "AccessKeyId": "id%d", "SecretAccessKey": "x", "Expiration": "%s"}'
        soon = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=50)).isoformat(timespec="seconds")
        script = f"""n=$(wc -l < "$(dirname "$0")/runs"); printf '{keys}' "$n" {soon}"""
        with Stub([FOUND]) as stub:
            # The process is not asked more often than every ten seconds while its keys are good.
            output, runs = self.run_with(script, stub, argument="5")
        self.assertEqual(output, ITEM * 5)
        self.assertLess(runs, 3)

    def test_a_process_that_fails(self):
        begin = 'config ClientError status=0 attempts=0 maybe_applied=0 request_id=no: the credential_process of profile "work" '
        with Stub([FOUND]) as stub:
            for script, problem in (("exit 3", "ended with status 3"), ("echo secret", 'does not print JSON with "Version": 1'),
                                    ("exec yes", "prints too much")):
                with self.subTest(script=script):
                    self.assertEqual(self.run_with(script, stub)[0], f"{begin}{problem}\nitem none\n")
            self.assertEqual(self.run_with("exec sleep 60", stub, CASE_CALL_TIMEOUT_MS=300)[0],
                             f"{begin}takes too long\nitem none\n")
        self.assertEqual(stub.requests, [])


class Signing(FaultCase):
    def check(self, request, secret="test"):
        fields, expected = signature(request, secret)
        self.assertEqual(fields["Signature"], expected)
        return fields

    def test_the_signature_is_right(self):
        _, sent = self.with_stub([DONE], "stub-put")
        fields = self.check(sent[0])
        self.assertEqual(fields["SignedHeaders"], "content-type;host;x-amz-date;x-amz-target")
        self.assertRegex(fields["Credential"], r"^test/\d{8}/us-east-1/dynamodb/aws4_request$")
        self.assertEqual(sent[0].headers["content-type"], "application/x-amz-json-1.0")
        self.assertEqual(sent[0].headers["x-amz-target"], "DynamoDB_20120810.PutItem")
        self.assertRegex(sent[0].headers["user-agent"], r"^gramme-client/\d+\.\d+\.\d+$")

    def test_a_session_token_is_sent_and_signed(self):
        token = "IQoJb3JpZ2luX2VjE" + "+/=" * 300
        _, sent = self.with_stub([DONE], "stub-put", AWS_SESSION_TOKEN=token, AWS_SECRET_ACCESS_KEY="se/cr+et=")
        self.assertEqual(sent[0].headers["x-amz-security-token"], token)
        fields = self.check(sent[0], "se/cr+et=")
        self.assertEqual(fields["SignedHeaders"], "content-type;host;x-amz-date;x-amz-security-token;x-amz-target")

    def test_a_token_that_no_head_has_room_for(self):
        output, sent = self.with_stub([DONE], "stub-put", AWS_SESSION_TOKEN="t" * 70_000)
        self.assertRegex(output, "^network ClientError status=0 attempts=1 maybe_applied=0 request_id=no: "
                         r"http://127.0.0.1:\d+: the request's head is too long\n$")
        self.assertEqual(sent, [])

    def test_a_path_is_signed(self):
        with Stub([DONE]) as stub:
            run_case("stub-put", AWS_ENDPOINT_URL=stub.endpoint + "/some/where")
        self.assertEqual(stub.requests[0].line, "POST /some/where HTTP/1.1")
        self.check(stub.requests[0])

    def test_streams_may_be_elsewhere(self):
        with Stub([DONE]) as tables, Stub([DONE]) as streams:
            for operation in ("ListTables", "DynamoDBStreams_20120810.ListStreams"):
                run_case("call", operation, AWS_ENDPOINT_URL=tables.endpoint, AWS_ENDPOINT_URL_DYNAMODB_STREAMS=streams.endpoint)
        self.assertEqual([request.operation for request in tables.requests], ["ListTables"])
        self.assertEqual([request.operation for request in streams.requests], ["ListStreams"])
        self.assertEqual(streams.requests[0].headers["host"], streams.endpoint.split("//")[1])
        self.check(streams.requests[0])

    def test_a_body_above_a_megabyte(self):
        body = '{"x":"' + "é" * 600_000 + '"}'
        _, sent = self.with_stub([DONE], "call", "PutItem", CASE_JSON_SIZE=600_000)
        self.assertEqual(sent[0].body.decode(), body)
        self.assertNotIn("expect", sent[0].headers)
        self.check(sent[0])

    def test_each_attempt_is_signed(self):
        _, sent = self.with_stub([THROTTLED, CLOSE, DONE], "stub-put")
        self.assertEqual(len(sent), 3)
        for request in sent:
            self.check(request)


if __name__ == "__main__":
    unittest.main()
