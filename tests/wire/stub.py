"""A server that answers by a script: the faults that a healthy gramme never shows to a client.

    with Stub([(500, {}), CLOSE, (200, {"Item": {}})]) as stub:
        ... stub.endpoint ...
    stub.requests   what came, in order

An answer is a status and a body, CLOSE or RESET (the request is read, and the connection ends
without a word), or a function that gets the connected socket. The last answer repeats.
"""

import dataclasses
import hashlib
import hmac
import json
import socket
import ssl
import struct
import subprocess
import threading

CLOSE = "close"
RESET = "reset"


@dataclasses.dataclass
class Request:
    connection: int  # 0 for the first one that was made
    line: str
    headers: dict  # names in lower case
    body: bytes

    @property
    def operation(self):
        return self.headers["x-amz-target"].split(".")[1]

    @property
    def json(self):
        return json.loads(self.body)


def http_reply(status, body, headers=()):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} Stub", f"Content-Length: {len(content)}", "x-amzn-RequestId: STUB", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


def error(status, name, message="no", **members):
    return status, {"__type": f"com.amazonaws.dynamodb.v20120810#{name}", "message": message, **members}


class Stub:
    def __init__(self, answers, tls=None):
        """With `tls`, an ssl.SSLContext, the server speaks HTTPS."""
        self.answers = list(answers)
        self.tls = tls
        self.requests = []
        self.lock = threading.Lock()

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        scheme = "https" if self.tls else "http"
        self.endpoint = f"{scheme}://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.listener.close()

    def _accept(self):
        number = 0
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection, number), daemon=True).start()
            number += 1

    def _read(self, stream, number):
        line = stream.readline().decode().strip()
        if not line:
            return None
        headers = {}
        while header := stream.readline().decode().strip():
            name, value = header.split(":", 1)
            headers[name.lower()] = value.strip()
        return Request(number, line, headers, stream.read(int(headers.get("content-length", 0))))

    def _serve(self, connection, number):
        if self.tls:
            try:
                connection = self.tls.wrap_socket(connection, server_side=True)
            except OSError:
                return  # the client does not trust us
        with connection, connection.makefile("rb") as stream:
            while request := self._read(stream, number):
                with self.lock:
                    self.requests.append(request)
                    answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                if answer == RESET:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                if answer in (CLOSE, RESET):
                    stream.close()
                    return
                if callable(answer):
                    answer(connection)
                else:
                    connection.sendall(http_reply(*answer))


def self_signed(folder):
    """For Stub's `tls`: a context with a certificate of our own for 127.0.0.1, and the certificate's file."""
    certificate, key = f"{folder}/certificate.pem", f"{folder}/key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-out", certificate, "-keyout", key],
                   check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context, certificate


def signature(request, secret, region="us-east-1"):
    """What the request's signature must be, by the rules of Signature Version 4 alone."""
    fields = dict(part.split("=", 1) for part in request.headers["authorization"].split(" ", 1)[1].split(", "))
    names = fields["SignedHeaders"].split(";")
    method, path, _ = request.line.split(" ")
    canonical = "\n".join([method, path, "", *(f"{name}:{request.headers[name]}" for name in names), "", ";".join(names),
                           hashlib.sha256(request.body).hexdigest()])
    date = request.headers["x-amz-date"]
    scope = f"{date[:8]}/{region}/dynamodb/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = b"AWS4" + secret.encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return fields, hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
