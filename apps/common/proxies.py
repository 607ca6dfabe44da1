"""What stands between a program and the server: it kills the program at a chosen request, holds a request back, or writes down
what was asked for."""

import fnmatch
import http.client
import http.server
import json
import threading

from testing import TIMEOUT_S, start


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        proxy, body = self.server, self.rfile.read(int(self.headers["Content-Length"]))
        number = proxy.see(self.headers["X-Amz-Target"], body)
        if number == proxy.kill_at and not proxy.forward_first and proxy.strike():
            return self.hang_up()
        connection = http.client.HTTPConnection("127.0.0.1", proxy.upstream_port, timeout=TIMEOUT_S)
        connection.request("POST", self.path, body, dict(self.headers))
        reply = connection.getresponse()
        answer = reply.read()
        connection.close()
        if number == proxy.kill_at and proxy.forward_first and proxy.strike():
            return self.hang_up()
        self.send_response(reply.status)
        for name, value in reply.getheaders():
            if name.lower() not in ("connection", "date", "server", "content-length"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def hang_up(self):
        self.close_connection = True

    def log_message(self, *_):
        pass


class KillingProxy(http.server.ThreadingHTTPServer):
    """Kills the program at its n-th request: before the server has seen that, or after it was carried out but before the
    answer."""

    daemon_threads = True

    def __init__(self, upstream_port, kill_at, forward_first):
        super().__init__(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server_address[1]}"
        self.upstream_port, self.kill_at, self.forward_first = upstream_port, kill_at, forward_first
        self.lock, self.started = threading.Lock(), threading.Event()
        self.requests, self.process = 0, None
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def see(self, target, body):
        """A request that comes in; gives its number."""
        with self.lock:
            self.requests += 1
            return self.requests

    def strike(self):
        """At the n-th request. Returns whether its answer is withheld."""
        self.started.wait()
        self.process.kill()
        return True

    def run(self, name, *arguments):
        """Runs the program; returns whether it was killed."""
        self.process = start(name, self.endpoint, *arguments)
        self.started.set()
        self.process.communicate(timeout=TIMEOUT_S)
        self.close()
        return self.process.returncode < 0

    def close(self):
        self.shutdown()
        self.server_close()


class HoldingProxy(KillingProxy):
    """Holds the program's n-th request back until `meanwhile()` is over."""

    def __init__(self, upstream_port, hold_at, meanwhile):
        super().__init__(upstream_port, hold_at, False)
        self.meanwhile = meanwhile

    def strike(self):
        self.meanwhile()
        return False


def deaths(port, name, arguments):
    """Runs the program again and again, and kills it before and after its first request, its second, and so on.
    `arguments(label)` makes the arguments of one run. Yields a label after each death, and ends with the first
    run that lives."""
    for forward_first in (False, True):
        for kill_at in range(1, 100):
            label = f"{'after' if forward_first else 'before'}-{kill_at}"
            if not KillingProxy(port, kill_at, forward_first).run(name, *arguments(label)):
                break
            yield label


# --- What a program needs -----------------------------------------------------------------------

# The elements of transactions, by the actions that they need.
ELEMENTS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem", "Get": "GetItem"}


class RecordingProxy(KillingProxy):
    """Writes down what requests need: {(action, resource)}, as ("PutItem", "table/Wallets")."""

    def __init__(self, upstream_port):
        super().__init__(upstream_port, 0, False)
        self.needs, self.stream = set(), None

    def see(self, target, body):
        with self.lock:
            self.needs |= set(self.needed(target.split(".")[1], json.loads(body)))
        return super().see(target, body)

    def needed(self, operation, body):
        self.stream = body.get("StreamArn", self.stream)
        if "TransactItems" in body:
            for item in body["TransactItems"]:
                for element, request in item.items():
                    yield ELEMENTS[element], f"table/{request['TableName']}"
        elif "RequestItems" in body:
            for table in body["RequestItems"]:
                yield operation, f"table/{table}"
        elif "TableName" in body:
            index = f"/index/{body['IndexName']}" if "IndexName" in body else ""
            yield operation, f"table/{body['TableName']}{index}"
        else:  # of a stream; an iterator does not say of which
            yield operation, self.stream.split(":", 5)[5]


def allows(policy, action, resource):
    def as_list(value):
        return value if isinstance(value, list) else [value]

    return any(f"dynamodb:{action}" in as_list(statement["Action"])
               and any(fnmatch.fnmatchcase(resource, pattern.split(":", 5)[5]) for pattern in as_list(statement["Resource"]))
               for statement in policy["Statement"])
