"""What a browser gets of the console: the pages themselves. What they do is tried in tests/console."""

import gzip
import http.client
import json
import re
import unittest

from server import Server
from wire import WireTest

PACKED_BYTES_MAX = 300 * 1024


def get(port, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, headers=headers)
        reply = connection.getresponse()
        return reply, reply.read()
    finally:
        connection.close()


class Pages(WireTest):
    def get(self, path, method="GET", **headers):
        return get(self.server.port, path, method, **headers)

    def test_the_page(self):
        reply, body = self.get("/_gramme/")
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn(b"<title>gramme</title>", body)

    def test_all_that_it_loads_is_there_and_small(self):
        """From the page on, by its links and imports."""
        seen, wanted, packed = {}, ["index.html"], 0
        while wanted:
            name = wanted.pop()
            if name in seen:
                continue
            path = "/_gramme/" if name == "index.html" else f"/_gramme/console/{name}"
            reply, body = self.get(path, **{"Accept-Encoding": "gzip"})
            self.assertEqual((reply.status, reply.headers["Content-Encoding"]), (200, "gzip"), name)
            packed += len(body)
            seen[name] = gzip.decompress(body).decode()
            wanted += [a or b for a, b in re.findall(r'(?:src|href)="console/([^"]+)"|from "\./([^"]+)"', seen[name])]
        self.assertGreater(len(seen), 5)
        self.assertLess(packed, PACKED_BYTES_MAX)

    def test_nothing_from_elsewhere(self):
        reply, body = self.get("/_gramme/")
        policy = reply.headers["Content-Security-Policy"]
        for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'",
                     "form-action 'none'", "base-uri 'none'"):
            self.assertIn(part, policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(reply.headers["X-Content-Type-Options"], "nosniff")
        self.assertNotRegex(body.decode(), r"https?://|<script>|style=|onclick")

    def test_plain_for_who_wants_it_plain(self):
        plain, packed = self.get("/_gramme/console/main.js"), self.get("/_gramme/console/main.js", **{"Accept-Encoding": "gzip"})
        self.assertIsNone(plain[0].headers["Content-Encoding"])
        self.assertEqual(plain[1], gzip.decompress(packed[1]))
        self.assertEqual(plain[0].headers["Content-Type"], "text/javascript; charset=utf-8")

    def test_what_has_not_changed_is_not_sent_again(self):
        tag = self.get("/_gramme/console/main.js")[0].headers["ETag"]
        reply, body = self.get("/_gramme/console/main.js", **{"If-None-Match": tag})
        self.assertEqual((reply.status, body), (304, b""))
        self.assertEqual(self.get("/_gramme/console/main.js", **{"If-None-Match": '"another"'})[0].status, 200)

    def test_head(self):
        reply, body = self.get("/_gramme/", "HEAD")
        self.assertEqual((reply.status, body), (200, b""))

    def test_what_is_not_there(self):
        for path in ("/_gramme/console/", "/_gramme/console/nothing.js", "/_gramme/console/../main.js", "/_gramme/console/assets.h"):
            self.assertEqual(self.get(path)[0].status, 404, path)

    def test_what_the_page_has_to_know(self):
        reply, body = self.get("/_gramme/console/server.json")
        self.assertEqual((reply.status, json.loads(body)), (200, {"region": "us-east-1", "auth": False, "nameSpaces": False}))

    def test_no_other_site_gets_it(self):
        reply, _ = self.get("/_gramme/", Origin="http://evil.example")
        self.assertEqual(reply.status, 403)

    def test_the_banner_names_it(self):
        self.assertIn(f"  console     {self.server.endpoint}/_gramme/\n", self.server.output)


class Without(unittest.TestCase):
    def test_it_can_be_left_out(self):
        with Server("--memory", "--no-console") as server:
            for path in ("/_gramme/", "/_gramme/console/main.js", "/_gramme/console/server.json"):
                self.assertEqual(get(server.port, path)[0].status, 404, path)
            self.assertNotIn("console", server.output)


class Verified(unittest.TestCase):
    def test_the_pages_are_for_everybody_and_say_that_one_has_to_sign_in(self):
        with Server("--memory", "--auth") as server:
            self.assertEqual(get(server.port, "/_gramme/")[0].status, 200)
            self.assertTrue(json.loads(get(server.port, "/_gramme/console/server.json")[1])["auth"])


if __name__ == "__main__":
    unittest.main()
