"""`gramme bench` against servers that misbehave: what they do is counted, and it goes on."""

import json
import tempfile
import time
import unittest

import bench
from stub import CLOSE, RESET, Stub, error, http_reply, self_signed, signature

ONE = ["--connections", 1]
TABLE = {"Table": {"TableName": "gramme-bench", "TableStatus": "ACTIVE", "ItemCount": 0,
                   "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                   "GlobalSecondaryIndexes": [
                       {"IndexName": "by_group", "IndexStatus": "ACTIVE",
                        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "pk", "KeyType": "RANGE"}]}]}}
MISSING = error(400, "ResourceNotFoundException")


def raw(*parts, pause_s=0):
    """An answer of exactly these bytes, each part sent by itself."""
    def send(connection):
        for part in parts:
            connection.sendall(part)
            time.sleep(pause_s)
    return send


class Errors(unittest.TestCase):
    def test_errors_are_counted_by_type(self):
        answers = [(200, {}), error(400, "ProvisionedThroughputExceededException", "slow down"), (200, {}),
                   (500, b"<html>"), error(400, "ProvisionedThroughputExceededException"), (200, {})]
        with Stub(answers) as stub:
            result = bench.own(stub.endpoint, *ONE, "--count", 7)
        self.assertEqual(result["replies"], 4)
        self.assertEqual(result["errors"], 3)
        self.assertEqual(result["errors_by_type"], {"ProvisionedThroughputExceededException": 2, "HTTP status 500": 1})
        self.assertEqual(result["first_error"], "ProvisionedThroughputExceededException: slow down")

    def test_what_servers_say_is_shown_as_plain_text(self):
        with Stub([(503, b"\xff\x1b[2J\nno\xc3"), (200, {})]) as stub:
            result = bench.own(stub.endpoint, *ONE, "--count", 2)
        self.assertEqual(result["first_error"], "HTTP status 503: ??[2J?no?")

    def test_lost_connections_are_opened_again(self):
        with Stub([(200, {}), CLOSE, RESET, (200, {})]) as stub:
            result = bench.own(stub.endpoint, *ONE, "--count", 5)
        self.assertEqual((result["replies"], result["errors_by_type"]), (3, {"connection lost": 2}))
        # The first connection is the one that found out whether anybody answers.
        self.assertEqual([request.connection for request in stub.requests], [1, 1, 2, 3, 3])

    def test_a_server_that_closes_after_every_reply(self):
        close = raw(http_reply(200, {}, ["Connection: close"]))
        with Stub([close]) as stub:
            result = bench.own(stub.endpoint, *ONE, "--count", 3)
        self.assertEqual((result["replies"], result["errors"]), (3, 0))
        self.assertEqual([request.connection for request in stub.requests], [1, 2, 3])

    def test_no_reply_in_time(self):
        """The first one stays away; on a busy machine others may, too."""
        with Stub([raw(), (200, {})]) as stub:
            result = bench.own(stub.endpoint, *ONE, "--count", 30, "--timeout", 0.3)
        timeouts = result["errors_by_type"]["timeout"]
        self.assertEqual((result["replies"], result["errors"]), (30 - timeouts, timeouts))
        self.assertEqual(result["first_error"], "timeout: no reply in time")

    def test_what_is_no_reply(self):
        for answer, fault in ((raw(b"SSH-2.0-x\r\n\r\n"), "what came is not an HTTP reply"),
                              (raw(b"HTTP/1.1 200 OK\r\n\r\n"), "the reply does not tell its length"),
                              (raw(http_reply(200, {}) + b"more"), "bytes follow the reply")):
            with self.subTest(fault=fault), Stub([answer, (200, {})]) as stub:
                result = bench.own(stub.endpoint, *ONE, "--count", 2)
                self.assertEqual((result["replies"], result["errors_by_type"]), (1, {"broken reply": 1}))
                self.assertEqual(result["first_error"], f"broken reply: {fault}")

    def test_replies_in_parts(self):
        body = json.dumps({"Item": {"p": {"S": "x" * 100_000}}}).encode()
        whole = http_reply(200, body)
        chunked = (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                   + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:7], body[7:50_000], body[50_000:]))
                   + b"0\r\n\r\n")
        parts = [whole[:30], whole[30:60], whole[60:50_000], whole[50_000:]]
        with Stub([raw(*parts, pause_s=0.02), raw(chunked[:40], chunked[40:70], chunked[70:], pause_s=0.02)]) as stub:
            result = bench.own(stub.endpoint, *ONE, "--count", 4)
        self.assertEqual((result["replies"], result["errors"]), (4, 0))

    def test_unprocessed_parts_of_batches(self):
        answers = [(200, {"UnprocessedItems": {}}), (200, {"UnprocessedItems": {"t": [{}]}}), (200, {"UnprocessedItems": {}})]
        with Stub(answers) as stub:
            status, out, err = bench.run(stub.endpoint, "--operation", "BatchWriteItem", "--body", "{}", *ONE, "--count", 3)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("\n1 batches came back with parts that were not processed\n", out)

    def test_large_requests(self):
        with Stub([(200, {})]) as stub:
            result = bench.own(stub.endpoint, *ONE, "--count", 2, "--payload-size", 500_000,
                               body="{" + ",".join(f'"{i}":"%p"' for i in range(20)) + "}")
        self.assertEqual((result["replies"], result["errors"]), (2, 0))
        self.assertEqual([len(value) for value in stub.requests[1].json.values()], [500_000] * 20)


class SlowServer(unittest.TestCase):
    def test_a_run_ends_with_a_result(self):
        """The time is over before the first request is answered, which belongs to the warm-up: another one is measured."""
        def late(connection):
            time.sleep(0.3)
            connection.sendall(http_reply(200, {}))
        with Stub([late]) as stub:
            result = bench.own(stub.endpoint, *ONE, "--duration", 0.01, "--warmup", 0.2)
        self.assertEqual((result["replies"], result["errors"]), (1, 0))


class OpenLoop(unittest.TestCase):
    def test_latency_counts_from_when_a_request_was_due(self):
        """One stall of 0.5 s, 100 requests a second: those that were due meanwhile waited too."""
        def stall(connection):
            time.sleep(0.5)
            connection.sendall(http_reply(200, {}))
        with Stub([stall, (200, {})]) as stub:
            result = bench.own(stub.endpoint, *ONE, "--rate", 100, "--count", 100)
        self.assertEqual((result["replies"], result["behind"]), (100, 0))
        slow = sum(count for latency, count in result["operations"][0]["histogram_us"] if latency > 100_000)
        # 500 ms, 490, 480 ... down to 100: 40 of them at least, where a closed loop would have seen one.
        self.assertGreaterEqual(slow, 35)


class Loading(unittest.TestCase):
    def test_a_load_repeats_what_was_not_done(self):
        batch = {"UnprocessedItems": {}}
        answers = [MISSING, (200, {}), (200, TABLE),  # DescribeTable, CreateTable, DescribeTable
                   (500, {}), error(400, "ThrottlingException"), CLOSE, (200, {"UnprocessedItems": {"t": [{}]}}), (200, batch),
                   (200, {"Item": {}}), (200, {}), MISSING]  # GetItem, DeleteTable, DescribeTable
        with Stub(answers) as stub:
            result = bench.measure(stub.endpoint, "--workload", "get", "--keys", 10, "--count", 1, *ONE)
        self.assertEqual((result["replies"], result["errors"]), (1, 0))
        self.assertEqual([request.operation for request in stub.requests], [
            "DescribeTable", "CreateTable", "DescribeTable", *["BatchWriteItem"] * 5, "GetItem", "DeleteTable", "DescribeTable"])
        keys = [sorted(put["PutRequest"]["Item"]["pk"]["S"] for put in request.json["RequestItems"]["gramme-bench"])
                for request in stub.requests[3:8]]
        self.assertEqual(keys, [[f"{key:08}" for key in range(10)]] * 5)

    def test_an_error_that_stays_ends_it(self):
        answers = [MISSING, (200, {}), (200, TABLE), error(400, "AccessDeniedException", "not you"), (200, {}), MISSING]
        with Stub(answers) as stub:
            status, out, err = bench.run(stub.endpoint, "--workload", "get", "--keys", 10, "--count", 1)
        self.assertEqual((status, out, err), (1, "", "gramme bench: cannot load the table: AccessDeniedException: not you\n"))
        self.assertEqual(stub.requests[-2].operation, "DeleteTable")

    def test_no_database(self):
        with Stub([(200, b"<html>hello</html>")]) as stub:
            status, out, err = bench.run(stub.endpoint, "--workload", "get")
        self.assertEqual((status, out), (1, ""))
        self.assertEqual(err, "gramme bench: DescribeTable: the answer is not JSON; is there a DynamoDB at "
                              f"{stub.endpoint}?\n")


class Signing(unittest.TestCase):
    def test_every_request_is_signed(self):
        with Stub([(200, {})]) as stub:
            result = bench.own(stub.endpoint, *ONE, "--count", 20, "--sign", "--region", "eu-west-3",
                               env={"AWS_SESSION_TOKEN": "to/ken=="})
        self.assertEqual(result["errors"], 0)
        signatures = set()
        for request in stub.requests:
            fields, expected = signature(request, "secret", "eu-west-3")
            self.assertEqual(fields["Signature"], expected)
            self.assertRegex(fields["Credential"], r"^test/\d{8}/eu-west-3/dynamodb/aws4_request$")
            self.assertEqual(fields["SignedHeaders"], "content-type;host;x-amz-date;x-amz-security-token;x-amz-target")
            self.assertEqual(request.headers["x-amz-security-token"], "to/ken==")
            signatures.add(expected)
        self.assertGreater(len(signatures), 15, "each for its own body")

    def test_without_a_signature_any_constant_will_do(self):
        with Stub([(200, {})]) as stub:
            bench.own(stub.endpoint, *ONE, "--count", 2, env={"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""})
        self.assertRegex(stub.requests[0].headers["authorization"], r"^AWS4-HMAC-SHA256 Credential=bench/\d{8}/us-east-1/")

    def test_one_access_key_makes_the_table_and_measures(self):
        answers = [MISSING, (200, {}), (200, TABLE), (200, {"UnprocessedItems": {}}), (200, {"Item": {}}), (200, {}), MISSING]
        with Stub(answers) as stub:
            bench.measure(stub.endpoint, "--workload", "get", "--keys", 10, "--count", 1, *ONE)
        names = [request.headers["authorization"].split("Credential=")[1].split("/")[0] for request in stub.requests]
        self.assertEqual(names, ["bench"] * 7)


class Tls(unittest.TestCase):
    def test_https(self):
        with tempfile.TemporaryDirectory() as folder:
            context, certificate = self_signed(folder)
            with Stub([(200, {"Item": {"p": {"S": "x" * 50_000}}})], tls=context) as stub:
                result = bench.own(stub.endpoint, "--connections", 4, "--count", 200, "--sign", "--payload-size", 50_000,
                                   body='{"k":"%n","p":"%p"}', env={"AWS_CA_BUNDLE": certificate})
                self.assertEqual((result["replies"], result["errors_by_type"]), (200, {}))
                self.assertEqual(len(stub.requests[-1].json["p"]), 50_000)

    def test_a_certificate_of_nobody(self):
        with tempfile.TemporaryDirectory() as folder:
            context, _ = self_signed(folder)
            with Stub([(200, {})], tls=context) as stub:
                status, out, err = bench.run(stub.endpoint, "--operation", "GetItem", "--body", "{}", "--duration", 1,
                                             "--warmup", 0, *ONE)
        self.assertEqual((status, err), (1, ""))
        self.assertRegex(out, r"the first error: no connection: the server's certificate is refused: self.signed certificate\n")


if __name__ == "__main__":
    unittest.main()
