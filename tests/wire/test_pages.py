"""Web pages and names that a server does not answer, as clients of the API see it."""

import unittest

from botocore.exceptions import ClientError

from server import Server
from wire import WireTest, boto3_client, call


def client_saying(endpoint, **headers):
    """A boto3 client whose requests leave with these headers."""
    client = boto3_client(endpoint)

    def change(request, **_):
        for name, value in headers.items():
            request.headers[name] = value

    client.meta.events.register("before-sign.dynamodb.*", change)
    return client


class Loopback(WireTest):
    def assert_denied(self, option, **headers):
        with self.assertRaises(ClientError) as caught:
            client_saying(self.server.endpoint, **headers).list_tables()
        response = caught.exception.response
        self.assertEqual((response["Error"]["Code"], response["ResponseMetadata"]["HTTPStatusCode"]),
                         ("AccessDeniedException", 403))
        self.assertRegex(response["Error"]["Message"], f"start it with {option}$")

    def test_boto3_shows_which_option_is_missing(self):
        self.assert_denied("--allow-host db.example", Host="db.example:8000")
        self.assert_denied("--allow-origin https://page.example", Origin="https://page.example")

    def test_boto3_under_a_name_of_this_machine(self):
        self.assertEqual(client_saying(self.server.endpoint, Host="localhost:1").list_tables()["TableNames"], [])

    def test_one_connection_with_several_names(self):
        client = client_saying(self.server.endpoint)
        client.list_tables()
        for _ in range(3):
            self.assert_denied("--allow-host a.example", Host="a.example")
            client.list_tables()


class AnotherAddress(unittest.TestCase):
    def status(self, server, **headers):
        return call(server.port, "ListTables", {}, headers).status

    def test_any_host(self):
        with Server("--memory", "--no-auth", "--host", "0.0.0.0") as server:
            self.assertEqual(self.status(server, Host="db.example"), 200)
            self.assertEqual(self.status(server, Host="db.example", Origin="https://page.example"), 403)

    def test_told_to_check(self):
        with Server("--memory", "--no-auth", "--host", "0.0.0.0", "--allow-host", "db.example") as server:
            self.assertEqual(self.status(server, Host="db.example:8000"), 200)
            self.assertEqual(self.status(server, Host="localhost:8000"), 200)
            self.assertEqual(self.status(server, Host="other.example"), 403)

    def test_a_name_of_the_loopback(self):
        with Server("--memory", "--host", "localhost") as server:
            self.assertEqual(self.status(server, Host="db.example"), 403)


if __name__ == "__main__":
    unittest.main()
