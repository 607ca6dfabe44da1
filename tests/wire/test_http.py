"""HTTP/1.1 as sockets see it: keep-alive, pipelines, chunks, limits, compression, slow clients."""

import gzip
import json
import socket
import ssl
import struct
import threading
import unittest
import zlib

import tls
from waiting import WAIT_S
from wire import AUTHORIZATION, WireTest, boto3_client, check_envelope, http_request, HEADERS

BODY_MAX = 16 * 1024 * 1024
HEAD_MAX = 16 * 1024
LIST_TABLES = b"{}"


def head(*lines, target="ListTables"):
    return "\r\n".join([
        "POST / HTTP/1.1", "Host: localhost", f"X-Amz-Target: DynamoDB_20120810.{target}",
        "Content-Type: application/x-amz-json-1.0", f"Authorization: {AUTHORIZATION}", "X-Amz-Date: 20260101T000000Z",
        *lines, "", ""]).encode()


def request(body=LIST_TABLES, target="ListTables"):
    return head(f"Content-Length: {len(body)}", target=target) + body


class Connection:
    """A socket that reads one reply at a time."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), WAIT_S)
        if tls.ENCRYPTED:
            self.socket = tls.wrap(self.socket)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def end(self):
        # As a plain socket does it: that of an SSLSocket forgets the encryption.
        socket.socket.shutdown(self.socket, socket.SHUT_WR)

    def read_until(self, end):
        while end not in self.buffer:
            data = self.socket.recv(65536)
            if not data:
                raise EOFError(f"closed after {self.buffer[:200]!r}")
            self.buffer += data
        part, self.buffer = self.buffer.split(end, 1)
        return part

    def reply(self):
        """Status, headers with names in lower case, body."""
        status_line, *lines = self.read_until(b"\r\n\r\n").decode().split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines if ": " in line)}
        length = int(headers.get("content-length", 0))
        while len(self.buffer) < length:
            data = self.socket.recv(65536)
            if not data:
                raise EOFError("closed inside a body")
            self.buffer += data
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return int(status_line.split(" ")[1]), headers, body

    def closed(self):
        """True when the peer closes without another byte."""
        try:
            return self.buffer == b"" and self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


class Http(WireTest):
    def connect(self):
        return Connection(self.server.port)

    def assert_lists_tables(self, reply):
        self.assertEqual((reply[0], reply[2]), (200, b'{"TableNames":[]}'))

    def test_keep_alive(self):
        with self.connect() as connection:
            for _ in range(100):
                connection.send(request())
                self.assert_lists_tables(connection.reply())

    def test_connection_close(self):
        with self.connect() as connection:
            connection.send(head("Connection: close", "Content-Length: 2") + b"{}")
            self.assert_lists_tables(connection.reply())
            self.assertTrue(connection.closed())

    def test_http_1_0_closes(self):
        with self.connect() as connection:
            connection.send(request().replace(b"HTTP/1.1", b"HTTP/1.0"))
            self.assert_lists_tables(connection.reply())
            self.assertTrue(connection.closed())

    def test_pipelined_requests_are_answered_in_order(self):
        with self.connect() as connection:
            connection.send(b"".join(request(target=t) for t in ["ListTables", "NoSuch", "DescribeLimits"] * 20))
            for _ in range(20):
                self.assert_lists_tables(connection.reply())
                self.assertEqual(connection.reply()[0], 400)
                self.assertIn(b"AccountMaxReadCapacityUnits", connection.reply()[2])

    def test_byte_by_byte(self):
        with self.connect() as connection:
            connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in request():
                connection.send(bytes([byte]))
            self.assert_lists_tables(connection.reply())

    def test_chunked_request(self):
        with self.connect() as connection:
            for chunks in (b"2\r\n{}\r\n0\r\n\r\n", b"1\r\n{\r\n1;x=y\r\n}\r\n0\r\nTrailer: x\r\n\r\n"):
                connection.send(head("Transfer-Encoding: chunked") + chunks)
                self.assert_lists_tables(connection.reply())

    def test_expect_100_continue(self):
        with self.connect() as connection:
            connection.send(head("Content-Length: 2", "Expect: 100-continue"))
            self.assertEqual(connection.read_until(b"\r\n\r\n"), b"HTTP/1.1 100 Continue")
            connection.send(b"{}")
            self.assert_lists_tables(connection.reply())

    def test_the_largest_body(self):
        padding = b" " * (BODY_MAX - 2)
        with self.connect() as connection:
            connection.send(request(b"{" + padding + b"}"))
            self.assert_lists_tables(connection.reply())

    def test_a_body_that_is_too_large(self):
        with self.connect() as connection:
            try:
                connection.send(request(b"{" + b" " * (BODY_MAX - 1) + b"}"))
            except (BrokenPipeError, ConnectionResetError):
                pass  # The server may answer and close before it has read everything.
            status, headers, body = connection.reply()
            self.assertEqual((status, body), (413, b""))
            self.assertNotIn("x-amzn-requestid", headers)

    def test_a_chunked_body_that_is_too_large(self):
        with self.connect() as connection:
            connection.send(head("Transfer-Encoding: chunked"))
            try:
                for _ in range(18):
                    connection.send(b"100000\r\n" + b" " * 0x100000 + b"\r\n")
            except (BrokenPipeError, ConnectionResetError):
                pass
            self.assertEqual(connection.reply()[0], 413)

    def test_the_largest_head(self):
        for size, status in ((HEAD_MAX, 200), (HEAD_MAX + 1, 400)):
            padding = size - len(head("Content-Length: 2", "X-Padding: "))
            with self.connect() as connection:
                connection.send(head("Content-Length: 2", f"X-Padding: {'x' * padding}") + b"{}")
                self.assertEqual(connection.reply()[0], status)
                self.assertEqual(status == 200 or connection.closed(), True)
        self.assert_well()

    def test_a_head_without_end(self):
        with self.connect() as connection:
            try:
                connection.send(head(*(f"X-Padding-{n}: {'x' * 1000}" for n in range(2000))))
            except (BrokenPipeError, ConnectionResetError):
                pass
            try:
                self.assertEqual(connection.reply()[0], 400)
            except (EOFError, ConnectionResetError):
                pass  # Closing without an answer is an answer too.
        self.assert_well()

    def test_garbage_closes_the_connection(self):
        for garbage in (b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"POST / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
                        b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
                        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"):
            with self.subTest(garbage=garbage), self.connect() as connection:
                connection.send(garbage)
                connection.end()
                data = b""
                try:
                    while more := connection.socket.recv(65536):
                        data += more
                except ConnectionResetError:
                    pass
                self.assertTrue(data == b"" or data.startswith((b"HTTP/1.1 4", b"HTTP/1.1 505")), data[:100])
        self.assert_well()

    def test_every_reply_has_its_headers(self):
        for method, body in (("POST", b"{}"), ("POST", b"{"), ("GET", b""), ("PUT", b"")):
            reply = http_request(self.server.port, method, "/", {
                **HEADERS, "X-Amz-Target": "DynamoDB_20120810.ListTables"}, body)
            self.assertIsNone(check_envelope(reply))
            self.assertEqual(reply.headers["content-length"], str(len(reply.body)))
            self.assertIn("date", reply.headers)

    def test_a_reset_in_the_middle_of_a_request(self):
        for cut in (1, 50, 300):
            connection = self.connect()
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.send(request()[:cut])
            connection.socket.close()
        self.assert_well()

    def test_many_connections_at_once(self):
        connections = [self.connect() for _ in range(200)]
        for connection in connections:
            connection.send(request())
        for connection in connections:
            self.assert_lists_tables(connection.reply())
            connection.socket.close()

    def test_a_slow_client_harms_nobody(self):
        """One client sends half a request and waits, another never reads its answers; the rest go on."""
        with self.connect() as half, self.connect() as deaf:
            half.send(request()[:40])
            deaf.socket.setblocking(False)
            try:
                for _ in range(20_000):
                    deaf.socket.send(request(target="DescribeLimits"))
            except (BlockingIOError, ssl.SSLWantWriteError):
                pass
            for _ in range(50):
                self.assert_well()
            half.send(request()[40:])
            self.assert_lists_tables(half.reply())

    def assert_well(self):
        with self.connect() as connection:
            connection.send(request())
            self.assert_lists_tables(connection.reply())


class Compression(WireTest):
    def setUp(self):
        super().setUp()
        self.create()
        self.client.put_item(TableName="table", Item={"pk": {"S": "a"}, "d": {"S": "x" * 100_000}})

    def get(self, *encodings, key="a"):
        body = json.dumps({"TableName": "table", "Key": {"pk": {"S": key}}}).encode()
        with Connection(self.server.port) as connection:
            connection.send(head(*(f"Accept-Encoding: {encoding}" for encoding in encodings),
                                 f"Content-Length: {len(body)}", target="GetItem") + body)
            return connection.reply()

    def expect(self, coding, unpack, *encodings):
        status, headers, body = self.get(*encodings)
        self.assertEqual((status, headers.get("content-encoding")), (200, coding), encodings)
        self.assertEqual(headers["x-amz-crc32"], str(zlib.crc32(body)))
        self.assertEqual(len(body) < 10_000, coding is not None)
        self.assertEqual(json.loads(unpack(body))["Item"]["d"]["S"], "x" * 100_000)

    def test_a_large_answer_is_compressed_for_who_accepts_it(self):
        for encoding in ("gzip", "gzip, deflate", "br;q=1.0, gzip;q=0.8", "*", "deflate;q=0.5, gzip"):
            self.expect("gzip", gzip.decompress, encoding)

    def test_deflate_for_who_likes_it_better(self):
        for encoding in ("deflate", "deflate, gzip", "*, deflate", "*, gzip;q=0.5"):
            self.expect("deflate", zlib.decompress, encoding)

    def test_nobody_else(self):
        for encoding in ("identity", "br", "gzip;q=0", "*;q=0", ""):
            self.expect(None, bytes, encoding)
        self.expect(None, bytes)

    def test_of_several_headers_the_first_counts(self):
        self.expect(None, bytes, "identity", "gzip")
        self.expect("gzip", gzip.decompress, "gzip", "identity")

    def test_a_small_answer_stays_plain(self):
        status, headers, body = self.get("gzip", key="missing")
        self.assertEqual((status, headers.get("content-encoding"), body), (200, None, b"{}"))


class PackedRequests(WireTest):
    """Bodies with a Content-Encoding. What is refused is not done."""

    def setUp(self):
        super().setUp()
        self.create()

    def put(self, coding, pack, key="a", *lines):
        body = pack(json.dumps({"TableName": "table", "Item": {"pk": {"S": key}, "d": {"S": "x" * 1000}}}).encode())
        with Connection(self.server.port) as connection:
            connection.send(head(f"Content-Encoding: {coding}", f"Content-Length: {len(body)}", *lines, target="PutItem") + body)
            return connection.reply()

    def stored(self, key="a"):
        return "Item" in self.client.get_item(TableName="table", Key={"pk": {"S": key}}, ConsistentRead=True)

    def test_what_is_unpacked(self):
        halves = lambda body: gzip.compress(body[:10]) + gzip.compress(body[10:])
        for number, (coding, pack) in enumerate((
                ("gzip", gzip.compress), ("GZIP", gzip.compress), ("deflate", zlib.compress), ("gzip", halves),
                ("gzip", lambda body: gzip.compress(body) + b"junk"), ("deflate", lambda body: zlib.compress(body) + b"junk"),
                ("identity", bytes), ("amz-1.0", bytes))):
            status, _, body = self.put(coding, pack, str(number))
            self.assertEqual((status, body), (200, b"{}"), coding)
            self.assertTrue(self.stored(str(number)))

    def test_what_is_refused(self):
        for coding, pack in (
                ("garbage", bytes), ("br", bytes), ("gzip, gzip", gzip.compress), ("gzip", bytes), ("deflate", bytes),
                ("gzip", lambda body: gzip.compress(body)[:-1]), ("deflate", lambda body: zlib.compress(body)[:-1]),
                ("gzip", lambda body: b""), ("deflate", lambda body: b""), ("gzip", zlib.compress), ("deflate", gzip.compress)):
            status, headers, body = self.put(coding, pack)
            self.assertEqual(status, 500, coding)
            self.assertEqual(json.loads(body)["__type"], "com.amazonaws.dynamodb.v20120810#InternalServerError")
            self.assertEqual((len(headers["x-amzn-requestid"]), headers["x-amz-crc32"]), (52, str(zlib.crc32(body))))
            self.assertFalse(self.stored())

    def test_a_connection_goes_on_after_a_refusal(self):
        with Connection(self.server.port) as connection:
            for _ in range(3):
                connection.send(head("Content-Encoding: gzip", "Content-Length: 2") + b"{}" + request())
                self.assertEqual(connection.reply()[0], 500)
                self.assertEqual(connection.reply()[2], b'{"TableNames":["table"]}')

    def test_of_two_zlib_streams_the_first_counts(self):
        halves = lambda body: zlib.compress(body[:10]) + zlib.compress(body[10:])
        status, _, body = self.put("deflate", halves)
        self.assertEqual((status, json.loads(body)["__type"]), (400, "com.amazon.coral.service#SerializationException"))

    def test_sizes_up_to_the_largest_body(self):
        for size in (1000, 8 * 1024, 8 * 1024 + 1, 64 * 1024 + 1, 1_000_000, BODY_MAX, BODY_MAX + 1, 20_000_000):
            for pack in (gzip.compress, zlib.compress):
                body = pack(b"{" + b" " * (size - 2) + b"}")
                with Connection(self.server.port) as connection:
                    coding = "gzip" if pack is gzip.compress else "deflate"
                    connection.send(head(f"Content-Encoding: {coding}", f"Content-Length: {len(body)}") + body)
                    status, headers, reply = connection.reply()
                    if size > BODY_MAX:
                        self.assertEqual((status, reply, headers.get("x-amzn-requestid")), (413, b"", None))
                        self.assertEqual(connection.read_until(b"\r\n\r\n"), b"0")
                        self.assertTrue(connection.closed())
                    else:
                        self.assertEqual((status, reply), (200, b'{"TableNames":["table"]}'))

    def test_chunks(self):
        body = gzip.compress(b"{" + b" " * 200_000 + b"}")
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:7], body[7:])) + b"0\r\n\r\n"
        with Connection(self.server.port) as connection:
            connection.send(head("Content-Encoding: gzip", "Transfer-Encoding: chunked") + chunks)
            self.assertEqual(connection.reply()[2], b'{"TableNames":["table"]}')

    def test_pipelined_with_plain_ones(self):
        packed = gzip.compress(b"{" + b" " * 200_000 + b"}")
        packed = head("Content-Encoding: gzip", f"Content-Length: {len(packed)}") + packed
        with Connection(self.server.port) as connection:
            connection.send((packed + request()) * 30)
            for _ in range(60):
                self.assertEqual(connection.reply()[2], b'{"TableNames":["table"]}')

    def test_boto3_with_packed_requests(self):
        """As its newer versions do it: after the body was made, before it is signed."""
        def pack(request, **_):
            request.data = gzip.compress(request.data.encode() if isinstance(request.data, str) else request.data)
            request.headers["Content-Encoding"] = "gzip"

        client = boto3_client(self.server.endpoint)
        client.meta.events.register("before-sign.dynamodb", pack)
        items = [{"pk": {"S": f"k{n}"}, "d": {"S": "text " * 8000}} for n in range(25)]
        client.batch_write_item(RequestItems={"table": [{"PutRequest": {"Item": item}} for item in items]})
        client.update_item(TableName="table", Key={"pk": {"S": "k1"}}, UpdateExpression="SET n = :n",
                           ExpressionAttributeValues={":n": {"N": "1"}})
        self.assertEqual(client.scan(TableName="table", Select="COUNT")["Count"], 25)
        self.assertEqual(client.get_item(TableName="table", Key={"pk": {"S": "k1"}})["Item"], {**items[1], "n": {"N": "1"}})


class Concurrency(WireTest):
    def test_a_counter_that_many_clients_raise(self):
        """Every increment counts: writes to one item run one after another."""
        self.create()
        failures = []

        def work():
            try:
                for _ in range(50):
                    self.client.update_item(
                        TableName="table", Key={"pk": {"S": "c"}}, UpdateExpression="ADD n :one",
                        ExpressionAttributeValues={":one": {"N": "1"}})
            except Exception as error:  # A thread's failure is the test's.
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        item = self.client.get_item(TableName="table", Key={"pk": {"S": "c"}}, ConsistentRead=True)["Item"]
        self.assertEqual(item["n"]["N"], "800")

    def test_a_lock_that_many_clients_want(self):
        """attribute_not_exists lets exactly one of them in."""
        self.create()
        for attempt in range(10):
            winners = []

            def take(number):
                try:
                    self.client.put_item(TableName="table", Item={"pk": {"S": f"lock{attempt}"}, "by": {"N": str(number)}},
                                         ConditionExpression="attribute_not_exists(pk)")
                    winners.append(number)
                except self.client.exceptions.ConditionalCheckFailedException:
                    pass

            threads = [threading.Thread(target=take, args=[n]) for n in range(12)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(winners), 1)


if __name__ == "__main__":
    unittest.main()
