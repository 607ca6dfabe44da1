"""A server that does not lead verifies who reads items, by users, keys and policies as the leader has them at that moment."""

import json
import os
import pathlib
import signal
import tempfile
import unittest

from botocore.exceptions import ClientError

import nodes
import shared_store
import signing
import tls
import wire
from nodes import Follower, KEY_SCHEMA, metric
from server import Server, binary
from waiting import wait_until

CLUSTER = shared_store.Cluster()
setUpModule = CLUSTER.begin
KEY = {"k": {"S": "a"}}
READ = ("GetItem", "Query", "Scan", "BatchGetItem")


def policy(effect, *actions, **more):
    return json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": effect, "Action": [f"dynamodb:{action}" for action in actions], "Resource": "*", **more}]})


class Access(unittest.TestCase):
    """One leader and one follower for all of these; `iam` and `owner` talk to the leader."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        key = pathlib.Path(folder.name, "key")
        key.write_bytes(os.urandom(32))
        key.chmod(0o600)
        cls.store = nodes.new_store(CLUSTER)
        cls.arguments = ("--store", cls.store, "--auth", "--encrypt-with", key,
                         "--root-key", signing.write_key(pathlib.Path(folder.name, "root")))
        cls.leader = Server(*cls.arguments).start()
        cls.addClassCleanup(cls.leader.stop)
        cls.follower = Follower(*cls.arguments).start()
        cls.addClassCleanup(cls.follower.stop)
        cls.iam = cls.client(cls.leader, service="iam")
        cls.owner = cls.client(cls.leader)
        cls.owner.create_table(TableName="table", **KEY_SCHEMA)
        cls.owner.put_item(TableName="table", Item=KEY)
        cls.iam.create_user(UserName="anna")
        cls.iam.put_user_policy(UserName="anna", PolicyName="read", PolicyDocument=policy("Allow", *READ))
        cls.key = cls.iam.create_access_key(UserName="anna")["AccessKey"]
        cls.anna = cls.client(cls.follower, cls.key)
        wait_until(cls.reads_itself, "reading")

    @staticmethod
    def client(server, key=None, service="dynamodb", **more):
        if key is not None:
            more.update(access_key_id=key["AccessKeyId"], secret=key["SecretAccessKey"], token=key.get("SessionToken"))
        return wire.boto3_client(f"http://127.0.0.1:{server.port}", service=service,
                                 **{"access_key_id": signing.KEY_ID, "secret": signing.SECRET, **more})

    @classmethod
    def reads_itself(cls):
        before = metric(cls.follower.port, "follower_reads")
        cls.anna.get_item(TableName="table", Key=KEY)
        return metric(cls.follower.port, "follower_reads") > before

    def ask_leader(self, operation, **body):
        """What the client from Debian does not know."""
        body = json.dumps(body).encode()
        headers = {**wire.HEADERS, "X-Amz-Target": wire.target(operation)}
        signed = signing.sign(headers, body, f"127.0.0.1:{self.leader.port}")
        reply = wire.http_request(self.leader.port, "POST", "/", signed, body)
        self.assertEqual(reply.status, 200, reply.body)

    def outcome(self, client, table="table"):
        """Of a read: None, or the error's name."""
        try:
            self.assertEqual(client.get_item(TableName=table, Key=KEY, ConsistentRead=True)["Item"], KEY)
        except ClientError as error:
            return error.response["Error"]["Code"]
        return None

    def expect(self, client, error, table="table"):
        """At once, and of the follower itself, which hands on for a moment when it has loaded anew."""
        before = metric(self.follower.port, "follower_reads")

        def has_read():
            self.assertEqual(self.outcome(client, table), error)
            return metric(self.follower.port, "follower_reads") > before

        wait_until(has_read, "a read by the follower")

    def alternate(self, forbid, allow, error, client=None):
        for _ in range(5):
            forbid()
            self.expect(client or self.anna, error)
            allow()
            self.expect(client or self.anna, None)

    def test_a_key_that_is_inactive_is_refused_from_then_on(self):
        def set_status(status):
            self.iam.update_access_key(UserName="anna", AccessKeyId=self.key["AccessKeyId"], Status=status)

        self.alternate(lambda: set_status("Inactive"), lambda: set_status("Active"), "UnrecognizedClientException")

    def test_a_new_key_is_known_and_a_deleted_one_is_not(self):
        for _ in range(5):
            key = self.iam.create_access_key(UserName="anna")["AccessKey"]
            client = self.client(self.follower, key)
            self.expect(client, None)
            self.iam.delete_access_key(UserName="anna", AccessKeyId=key["AccessKeyId"])
            self.expect(client, "UnrecognizedClientException")

    def test_a_policy_of_a_user(self):
        self.alternate(lambda: self.iam.put_user_policy(UserName="anna", PolicyName="no", PolicyDocument=policy("Deny", "GetItem")),
                       lambda: self.iam.delete_user_policy(UserName="anna", PolicyName="no"), "AccessDeniedException")

    def test_a_policy_of_a_table(self):
        """Which changes once in 15 seconds: each table is for one change."""
        for name in ("closed-1", "closed-2", "closed-3"):
            arn = self.owner.create_table(TableName=name, **KEY_SCHEMA)["TableDescription"]["TableArn"]
            self.owner.put_item(TableName=name, Item=KEY)
            self.expect(self.anna, None, name)
            self.ask_leader("PutResourcePolicy", ResourceArn=arn, Policy=policy("Deny", "GetItem", Principal={"AWS": "*"}, Resource=arn))
            self.expect(self.anna, "AccessDeniedException", name)

    def test_a_role(self):
        trust = json.dumps({"Statement": {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": "*"}}})
        role = self.iam.create_role(RoleName="reader", AssumeRolePolicyDocument=trust)["Role"]["Arn"]
        self.iam.put_user_policy(UserName="anna", PolicyName="assume", PolicyDocument=json.dumps(
            {"Statement": {"Effect": "Allow", "Action": "sts:AssumeRole", "Resource": role}}))
        session = self.client(self.follower, self.key, "sts").assume_role(RoleArn=role, RoleSessionName="one")["Credentials"]
        client = self.client(self.follower, session)
        self.expect(client, "AccessDeniedException")
        may = {"RoleName": "reader", "PolicyName": "may"}
        self.iam.put_role_policy(**may, PolicyDocument=policy("Allow", *READ))
        self.alternate(lambda: self.iam.delete_role_policy(**may),
                       lambda: self.iam.put_role_policy(**may, PolicyDocument=policy("Allow", *READ)), "AccessDeniedException", client)
        self.iam.delete_role_policy(**may)
        self.iam.delete_role(RoleName="reader")
        self.expect(client, "UnrecognizedClientException")

    def test_refusals_are_the_leaders(self):
        def refusal(server, **more):
            with self.assertRaises(ClientError) as caught:
                self.client(server, **more).get_item(TableName="table", Key=KEY)
            error = caught.exception.response
            message = error["Error"]["Message"].split("The Canonical String")[0]  # which has port and time
            return error["ResponseMetadata"]["HTTPStatusCode"], error["Error"]["Code"], message

        for name, more in (("signature", {"secret": "wrong"}), ("key", {"access_key_id": "AKIANOBODY0000000000"}),
                           ("token", {"token": "none"})):
            with self.subTest(name):
                self.assertEqual(refusal(self.follower, **more), refusal(self.leader, **more))

    def test_one_that_does_not_verify_reads_nothing_itself(self):
        """It was started wrongly, and must not open what the others keep closed."""
        with Follower("--store", self.store) as open_to_all:
            wait_until(lambda: "handed on" in open_to_all.error_text(), "the warning")
            for _ in range(20):
                reply = wire.http_request(open_to_all.port, "POST", "/", {**wire.HEADERS, "X-Amz-Target": wire.target("GetItem")},
                                          json.dumps({"TableName": "table", "Key": KEY}).encode())
                self.assertEqual(reply.status, 400)
            self.assertEqual(metric(open_to_all.port, "follower_reads"), 0)

    def test_its_own_policy_is_read_again_while_it_follows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "policy.json")
            path.write_text(policy("Allow", *READ))
            with Follower(*self.arguments, "--policy", path) as follower:
                anna = self.client(follower, self.key)
                self.assertIsNone(self.outcome(anna))
                path.write_text(policy("Deny", *READ))
                follower.process.send_signal(signal.SIGHUP)
                wait_until(lambda: f"the policy in {path} was read again" in follower.error_text(), "reading it again")
                # Handed on to the leader, it is allowed; that ends.
                wait_until(lambda: self.outcome(anna) == "AccessDeniedException", "refusing")

    def test_its_certificate_is_read_again_while_it_follows(self):
        with tempfile.TemporaryDirectory() as folder:
            tls.create(binary(), folder)
            with Follower(*self.arguments, *tls.arguments(folder)) as follower:
                pathlib.Path(folder, "server.pem").touch()
                wait_until(lambda: "server.pem was read again" in follower.error_text(), "seeing another certificate")


class Commands(unittest.TestCase):
    """gramme user, role and key on the store itself."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.policy = self.folder / "policy.json"
        self.policy.write_text(policy("Allow", *READ, "CreateTable", "PutItem"))
        self.store = nodes.new_store(CLUSTER)
        self.key, self.other = (self.write_key(name) for name in ("key", "other"))

    def write_key(self, name):
        path = self.folder / name
        path.write_bytes(os.urandom(32))
        path.chmod(0o600)
        return path

    def run_command(self, *words, key=None, status=0):
        words = (*words[:2], self.store, *words[2:])
        done = nodes.gramme(*words, "--encrypt-with", key or self.key)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def test_before_and_beside_servers(self):
        """Who they make can sign from the first start on. While a server leads they only look, and take nothing from it."""
        self.run_command("user", "create", "anna", "--policy", f"all={self.policy}")
        self.run_command("role", "create", "reader", "--trust", self.write_trust())
        made = json.loads(self.run_command("key", "create", "--user", "anna", "--json"))
        with Server("--store", self.store, "--auth", "--encrypt-with", self.key) as server:
            client = Access.client(server, {"AccessKeyId": made["id"], "SecretAccessKey": made["secret"]})
            client.create_table(TableName="table", **KEY_SCHEMA)
            client.put_item(TableName="table", Item=KEY)
            self.assertIn("anna", self.run_command("user", "list"))
            self.assertIn("reader", self.run_command("role", "list"))
            self.assertIn(made["id"], self.run_command("key", "list"))
            self.assertNotIn(made["secret"], self.run_command("key", "list", "--json"))
            self.assertIn("in use: a server leads it", self.run_command("key", "disable", made["id"], status=1))
            self.assertEqual(client.get_item(TableName="table", Key=KEY)["Item"], KEY)
        self.run_command("key", "disable", made["id"])
        with Server("--store", self.store, "--auth", "--encrypt-with", self.key) as server:
            with self.assertRaises(ClientError):
                Access.client(server, {"AccessKeyId": made["id"], "SecretAccessKey": made["secret"]}).get_item(TableName="table", Key=KEY)

    def write_trust(self):
        path = self.folder / "trust.json"
        path.write_text(json.dumps({"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}]}))
        return path

    def test_the_key_of_the_servers_is_needed(self):
        done = nodes.gramme("user", "create", self.store, "anna")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--encrypt-with", done.stderr)
        self.run_command("user", "create", "anna")
        self.run_command("user", "list", key=self.other, status=1)
        self.run_command("user", "create", "bert", key=self.other, status=1)
        self.assertNotIn("bert", self.run_command("user", "list"))


if __name__ == "__main__":
    unittest.main()
