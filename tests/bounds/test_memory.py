"""The memory of the server stays within its bounds, whatever clients do, and comes back when they are gone.

Each test makes a crowd that would take many times the budget, and sees what the server has resident at the worst moment,
that others go on being answered, and that the crowd is answered too as soon as it behaves.
"""

import json
import selectors
import socket
import threading
import time
import unittest

from release import HEADERS, MB, Server

BUDGET = 128 * MB  # for requests; as much for replies
ALLOWANCE = 64 * 1024  # of each connection
CONSTANT = 32 * MB  # what lies between what is counted and what is resident
CONNECTIONS = 600
DEADLINE_S = 300  # of what a slow machine does, too: none of it is a judgement of speed
PATIENCE_S = 25  # what waits for memory is refused after thirty seconds


def head(operation, length, more=""):
    lines = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    return (f"POST / HTTP/1.1\r\nHost: localhost\r\n{lines}X-Amz-Target: DynamoDB_20120810.{operation}\r\n{more}"
            f"Content-Length: {length}\r\n\r\n").encode()


def message(operation, body):
    return head(operation, len(body)) + body.encode()


class Client(socket.socket):
    """A connection that takes next to nothing into its own buffers."""

    def __init__(self, port):
        super().__init__()
        self.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.settimeout(DEADLINE_S)
        self.connect(("127.0.0.1", port))
        self.status, self.head, self.left = None, b"", None

    def read_some(self):
        """True when the reply is complete, or none will come: then the status stays None."""
        piece = self.recv(1 << 20)
        if not piece:
            return True
        if self.left is None:
            self.head += piece
            start, separator, piece = self.head.partition(b"\r\n\r\n")
            if not separator:
                return False
            self.left = int(start.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        self.left -= len(piece)
        if self.left <= 0:
            self.status = int(self.head.split()[1])
        return self.left <= 0


def read_all(clients, limit_s=DEADLINE_S):
    """The statuses of their replies, read side by side."""
    with selectors.DefaultSelector() as selector:
        for client in clients:
            client.setblocking(False)
            selector.register(client, selectors.EVENT_READ)
        until = time.monotonic() + limit_s
        while selector.get_map() and time.monotonic() < until:
            for key, _ in selector.select(1):
                if key.fileobj.read_some():
                    selector.unregister(key.fileobj)
    return {client.status for client in clients}


def send_all(clients, text, limit_s=DEADLINE_S):
    """The same to each, as far as the server takes it."""
    with selectors.DefaultSelector() as selector:
        for client in clients:
            client.setblocking(False)
            selector.register(client, selectors.EVENT_WRITE, memoryview(text))
        until = time.monotonic() + limit_s
        while selector.get_map() and time.monotonic() < until:
            for key, _ in selector.select(1):
                rest = key.data[key.fileobj.send(key.data[:1 << 18]):]
                if rest:
                    selector.modify(key.fileobj, selectors.EVENT_WRITE, rest)
                else:
                    selector.unregister(key.fileobj)


class Memory(unittest.TestCase):
    def server(self, *arguments, **more):
        return Server("--threads", 2, "--request-memory", f"{2 * BUDGET // MB}M", *arguments, **more)

    def assert_bounded(self, server, start, clients):
        self.assertLess(server.resident(peak=True) - start, 2 * BUDGET + CONSTANT + len(clients) * ALLOWANCE)

    def assert_answers(self, server, what="ListTables", body="{}"):
        """While others do not read: who had to wait for those would be refused, or wait for good."""
        self.assertEqual(server.call(what, body)[0], 200)

    def assert_given_back(self, server, start):
        """All but a little, after the last client went."""
        until = time.monotonic() + DEADLINE_S
        while server.resident() - start > 24 * MB and time.monotonic() < until:
            time.sleep(0.2)
        self.assertLess(server.resident() - start, 24 * MB)

    def finish(self, name, server, start, clients):
        self.assert_bounded(server, start, clients)
        for client in clients:
            client.close()
        peak = server.resident(peak=True) - start
        self.assert_given_back(server, start)
        print(f"# {name}: {peak / MB:.0f} MB at most, {(server.resident() - start) / MB:.0f} MB afterwards")

    def fill_page(self, server):
        """A page of 1 MB, which is 4 MB as JSON, and an item of 400 KB, which is 2.4."""
        server.make_table()
        text = "\x01" * 60_000 + "x" * 40_000
        for i in range(11):
            item = {"pk": {"S": "a"}, "sk": {"S": f"{i:03}"}, "v": {"S": text}}
            self.assertEqual(server.call("PutItem", {"TableName": "ttt", "Item": item})[0], 200)
        self.assertEqual(server.call("PutItem", {"TableName": "ttt", "Item": {
            "pk": {"S": "b"}, "sk": {"S": "b"}, "v": {"S": "\x01" * 390_000}}})[0], 200)

    def crowd(self, server, count, text):
        clients = [Client(server.port) for _ in range(count)]
        for client in clients:
            client.sendall(text)
        self.addCleanup(lambda: [client.close() for client in clients])
        return clients

    def expect_crowd_of_readers(self, operation, body):
        with self.server() as server:
            self.fill_page(server)
            start = server.resident()
            begin = time.monotonic()
            clients = self.crowd(server, CONNECTIONS, message(operation, json.dumps(body)))
            for _ in range(5):
                if time.monotonic() - begin > PATIENCE_S / 4:
                    break
                time.sleep(0.3)
                self.assert_answers(server)
                self.assert_answers(server, "GetItem", '{"TableName":"ttt","Key":{"pk":{"S":"x"},"sk":{"S":"b"}}}')
            self.assert_bounded(server, start, clients)
            statuses = read_all(clients)
            self.assertEqual(statuses - {503} if time.monotonic() - begin > PATIENCE_S else statuses, {200})
            self.finish(operation, server, start, clients)

    def test_readers_of_pages_that_do_not_read(self):
        self.expect_crowd_of_readers("Query", {
            "TableName": "ttt", "KeyConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}})

    def test_readers_of_items_that_do_not_read(self):
        self.expect_crowd_of_readers("GetItem", {"TableName": "ttt", "Key": {"pk": {"S": "b"}, "sk": {"S": "b"}}})

    def test_bodies_half_sent(self):
        """Two thousand of 60 KB; then all go on, and all are answered."""
        body = '{"TableName":"ttt","Key":{"pk":{"S":"a"},"sk":{"S":"' + "x" * 59_000 + '"}}}'
        text = message("GetItem", body)
        with self.server() as server:
            server.make_table()
            start = server.resident()
            clients = self.crowd(server, 2000, text[:40_000])
            time.sleep(0.5)
            self.assert_answers(server)
            self.assert_bounded(server, start, clients)
            send_all(clients, text[40_000:])
            self.assertEqual(read_all(clients), {400})
            self.finish("half sent", server, start, clients)

    def test_bodies_that_grow_when_they_are_read(self):
        """Sets of equal members, each request ten times its size in memory."""
        body = '{"TableName":"ttt","Item":{"pk":{"S":"a"},"sk":{"S":"b"},"v":{"SS":[' + ",".join(['"a"'] * 500_000) + "]}}}"
        with self.server() as server:
            server.make_table()
            start = server.resident()
            clients = [Client(server.port) for _ in range(60)]
            sender = threading.Thread(target=send_all, args=(clients, message("PutItem", body)))
            sender.start()
            for _ in range(5):
                self.assert_answers(server)
                time.sleep(0.1)
            sender.join()
            self.assertEqual(read_all(clients), {400})
            self.finish("grown", server, start, clients)

    def test_no_memory_at_all_refuses_and_goes_on(self):
        """With an address space that is nearly used up."""
        with self.server(before=["prlimit", f"--as={700 * MB}"]) as server:
            server.make_table()
            text = '{"TableName":"ttt","Item":{"pk":{"S":"a"},"sk":{"S":"b"},"v":{"S":"' + "x" * (15 * MB) + '"}}}'
            clients = [Client(server.port) for _ in range(20)]
            threads = [threading.Thread(target=self.try_to_send, args=(client, message("PutItem", text)))
                       for client in clients]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual({client.status for client in clients} - {400, 503, None}, set())
            for client in clients:
                client.close()
            self.assert_answers(server)

    @staticmethod
    def try_to_send(client, text):
        """A refusal may come before all was sent."""
        try:
            client.sendall(text)
        except OSError:
            pass
        try:
            while not client.read_some():
                pass
        except OSError:
            pass


if __name__ == "__main__":
    unittest.main()
