"""The Security Token Service on the same port: who am I, roles taken for a while, their sessions."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import aws_cli
import signing
from server import Server
from test_auth import ALLOW_ALL, READ_ONLY, gramme, key_of
from wire import ACCOUNT, REGION, Refusals, boto3_client, http_request

ROLE = f"arn:aws:iam::{ACCOUNT}:role/reader"


def trust(principal, **condition):
    return {"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"AWS": principal}, "Action": "sts:AssumeRole",
         **({"Condition": condition} if condition else {})}]}


class StsTest(Refusals):
    """A server that verifies, with a user "alice" who may take any role, and "bob", who may nothing."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.directory.name)
        cls.data = cls.root / "data"
        key = signing.write_key(cls.root / "key")
        cls.server = Server("--data", cls.data, "--auth", "--root-key", key, "--test-clock").start()
        take = {"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Resource": "*"}]}
        cls.keys = {"root": (signing.KEY_ID, signing.SECRET)}
        for name, policies in (("alice", {"take": take}), ("bob", {})):
            options = [f"--policy={each}={cls.file(document, each)}" for each, document in policies.items()]
            gramme("user", "create", cls.data, name, *options)
            cls.keys[name] = key_of(gramme("key", "create", cls.data, "--user", name))
        cls.role("reader", trust(f"arn:aws:iam::{ACCOUNT}:root"), READ_ONLY)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.directory.cleanup()

    @classmethod
    def file(cls, document, name):
        path = cls.root / f"{name}.json"
        path.write_text(json.dumps(document))
        return path

    @classmethod
    def role(cls, name, trusted, policy):
        gramme("role", "create", cls.data, name, "--trust", cls.file(trusted, name + "-trust"), "--policy",
               f"p={cls.file(policy, name)}")

    def client(self, key, service="sts", token=None):
        client = boto3_client(self.server.endpoint, key[0], service, key[1], token)
        self.addCleanup(client.close)
        return client

    def dynamodb(self, credentials):
        return self.client((credentials["AccessKeyId"], credentials["SecretAccessKey"]), "dynamodb", credentials["SessionToken"])

    def assume(self, who="alice", role=ROLE, **more):
        return self.client(self.keys[who]).assume_role(RoleArn=role, RoleSessionName="work", **more)


class Identity(StsTest):
    def test_everybody_may_ask_who_they_are(self):
        for who, arn in (("root", f"arn:aws:iam::{ACCOUNT}:root"), ("bob", f"arn:aws:iam::{ACCOUNT}:user/bob")):
            answer = self.client(self.keys[who]).get_caller_identity()
            self.assertEqual((answer["Account"], answer["Arn"]), (ACCOUNT, arn))
        self.assertEqual(self.client(self.keys["root"]).get_caller_identity()["UserId"], ACCOUNT)
        self.assertTrue(self.client(self.keys["bob"]).get_caller_identity()["UserId"].startswith("AIDA"))

    def test_a_session_is_itself(self):
        credentials = self.assume()["Credentials"]
        answer = self.client((credentials["AccessKeyId"], credentials["SecretAccessKey"]),
                             token=credentials["SessionToken"]).get_caller_identity()
        self.assertEqual(answer["Arn"], f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/work")
        self.assertTrue(answer["UserId"].startswith("AROA") and answer["UserId"].endswith(":work"))

    def test_the_command_line(self):
        aws_cli.need()
        done = subprocess.run(["aws", "sts", "get-caller-identity", "--endpoint-url", self.server.endpoint, "--region", REGION],
                              env={**os.environ, "AWS_ACCESS_KEY_ID": self.keys["bob"][0],
                                   "AWS_SECRET_ACCESS_KEY": self.keys["bob"][1]}, text=True, capture_output=True, timeout=60)
        self.assertEqual(json.loads(done.stdout)["Arn"], f"arn:aws:iam::{ACCOUNT}:user/bob", done.stderr)

    def test_wrong_signatures_in_this_protocols_words(self):
        unknown, wrong = self.client(("AKIANOBODY0000000000", "x")), self.client((self.keys["bob"][0], "x"))
        self.assertEqual(self.refused("InvalidClientTokenId: The security token included in the request is invalid.",
                                      unknown.get_caller_identity), 403)
        from botocore.exceptions import ClientError
        with self.assertRaises(ClientError) as caught:
            wrong.get_caller_identity()
        self.assertEqual(caught.exception.response["Error"]["Code"], "SignatureDoesNotMatch")
        reply = http_request(self.server.port, "POST", "/", {"Content-Type": "application/x-www-form-urlencoded"},
                             b"Action=GetCallerIdentity&Version=2011-06-15")
        self.assertEqual(reply.status, 403)
        self.assertIn(b"<Code>MissingAuthenticationToken</Code>", reply.body)

    def test_a_key_of_another_service_is_no_key_of_this(self):
        body = b"Action=GetCallerIdentity&Version=2011-06-15"
        host = f"127.0.0.1:{self.server.port}"
        for service, status in (("sts", 200), ("dynamodb", 403)):
            headers = signing.sign({"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}, body, host, service=service)
            self.assertEqual(http_request(self.server.port, "POST", "/", headers, body).status, status)

    def test_what_there_is_not(self):
        body = b"Action=%3Cdance%3E&Version=2011-06-15"
        headers = signing.sign({"Content-Type": "application/x-www-form-urlencoded"}, body, f"127.0.0.1:{self.server.port}", service="sts")
        reply = http_request(self.server.port, "POST", "/", headers, body)
        self.assertEqual(reply.status, 400)
        self.assertIn(b"<Code>InvalidAction</Code><Message>Could not find operation &lt;dance&gt; for version 2011-06-15</Message>",
                      reply.body)


class Roles(StsTest):
    def test_a_role_gives_what_its_policies_allow(self):
        answer = self.assume()
        self.assertEqual(answer["AssumedRoleUser"]["Arn"], f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/work")
        self.assertTrue(answer["Credentials"]["AccessKeyId"].startswith("ASIA"))
        client = self.dynamodb(answer["Credentials"])
        self.assertEqual(client.list_tables()["TableNames"], [])
        self.refused(f"AccessDeniedException: User: arn:aws:sts::{ACCOUNT}:assumed-role/reader/work is not authorized to perform: "
                     f"dynamodb:DescribeTable on resource: arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/abc because no identity-based "
                     "policy allows the dynamodb:DescribeTable action", client.describe_table, TableName="abc")

    def test_who_may_not(self):
        denied = "AccessDenied: User: arn:aws:iam::{}:user/{} is not authorized to perform: sts:AssumeRole on resource: {}"
        self.assertEqual(self.refused(denied.format(ACCOUNT, "bob", ROLE), self.assume, who="bob"), 403)
        missing = f"arn:aws:iam::{ACCOUNT}:role/missing"
        self.refused(denied.format(ACCOUNT, "alice", missing), self.assume, role=missing)
        self.refused("AccessDenied: Roles may not be assumed by root accounts.", self.assume, who="root")

    def test_trust_in_one_person_needs_no_policy(self):
        self.role("bobs", trust(f"arn:aws:iam::{ACCOUNT}:user/bob"), ALLOW_ALL)
        role = f"arn:aws:iam::{ACCOUNT}:role/bobs"
        self.assertEqual(self.dynamodb(self.assume("bob", role)["Credentials"]).list_tables()["TableNames"], [])
        self.refused(f"AccessDenied: User: arn:aws:iam::{ACCOUNT}:user/alice is not authorized to perform: sts:AssumeRole on "
                     f"resource: {role}", self.assume, role=role)

    def test_an_external_id(self):
        self.role("partner", trust(f"arn:aws:iam::{ACCOUNT}:root", StringEquals={"sts:ExternalId": "42"}), ALLOW_ALL)
        role = f"arn:aws:iam::{ACCOUNT}:role/partner"
        self.assume(role=role, ExternalId="42")
        self.refused(f"AccessDenied: User: arn:aws:iam::{ACCOUNT}:user/alice is not authorized to perform: sts:AssumeRole on "
                     f"resource: {role}", self.assume, role=role, ExternalId="43")

    def test_a_session_policy_narrows(self):
        only = json.dumps({"Statement": [{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "*"}]})
        client = self.dynamodb(self.assume(Policy=only)["Credentials"])
        self.refused(f"AccessDeniedException: User: arn:aws:sts::{ACCOUNT}:assumed-role/reader/work is not authorized to perform: "
                     "dynamodb:ListTables on resource: * because no session policy allows the dynamodb:ListTables action",
                     client.list_tables)

    def test_members(self):
        sts = self.client(self.keys["alice"])
        validation = "ValidationError: 1 validation error detected: Value '{}' at '{}' failed to satisfy constraint: Member must {}"
        body = f"Action=AssumeRole&Version=2011-06-15&RoleArn={ROLE}&RoleSessionName=work&DurationSeconds=10".encode()
        headers = signing.sign({"Content-Type": "application/x-www-form-urlencoded"}, body, f"127.0.0.1:{self.server.port}",
                               service="sts", key_id=self.keys["alice"][0], secret=self.keys["alice"][1])
        reply = http_request(self.server.port, "POST", "/", headers, body)
        self.assertIn(b"<Code>ValidationError</Code><Message>1 validation error detected: Value '10' at 'durationSeconds' failed to "
                      b"satisfy constraint: Member must have value greater than or equal to 900</Message>", reply.body)
        self.refused(validation.format("a b", "roleSessionName", r"satisfy regular expression pattern: [\w+=,.@-]*"),
                     sts.assume_role, RoleArn=ROLE, RoleSessionName="a b")
        self.refused("ValidationError: nonsense-of-some-length is invalid", sts.assume_role, RoleArn="nonsense-of-some-length",
                     RoleSessionName="work")
        self.refused("ValidationError: The requested DurationSeconds exceeds the MaxSessionDuration set for this role.",
                     sts.assume_role, RoleArn=ROLE, RoleSessionName="work", DurationSeconds=7200)


class Sessions(StsTest):
    def test_they_end(self):
        client = self.dynamodb(self.assume(DurationSeconds=900)["Credentials"])
        client.list_tables()
        headers = signing.sign({"Content-Type": "application/json"}, b'{"Advance": 901}', f"127.0.0.1:{self.server.port}",
                               path="/_gramme/clock")
        self.assertEqual(http_request(self.server.port, "POST", "/_gramme/clock", headers, b'{"Advance": 901}').status, 200)
        self.refused("ExpiredTokenException: The security token included in the request is expired", client.list_tables)

    def test_a_token_is_for_its_own_key(self):
        one, other = self.assume()["Credentials"], self.assume()["Credentials"]
        invalid = "UnrecognizedClientException: The security token included in the request is invalid"
        self.refused(invalid, self.dynamodb({**one, "SessionToken": other["SessionToken"]}).list_tables)
        self.refused(invalid + ".", self.client((one["AccessKeyId"], one["SecretAccessKey"]), "dynamodb").list_tables)
        self.refused(invalid, self.client(self.keys["alice"], "dynamodb", one["SessionToken"]).list_tables)

    def test_they_survive_a_restart_and_end_with_their_role(self):
        self.role("brief", trust(f"arn:aws:iam::{ACCOUNT}:root"), READ_ONLY)
        client = self.dynamodb(self.assume(role=f"arn:aws:iam::{ACCOUNT}:role/brief")["Credentials"])
        client.list_tables()
        gramme("role", "delete", self.data, "brief")
        invalid = "UnrecognizedClientException: The security token included in the request is invalid"
        self.refused(invalid, client.list_tables)
        self.role("brief", trust(f"arn:aws:iam::{ACCOUNT}:root"), READ_ONLY)
        self.refused(invalid, client.list_tables)  # another role of the same name

    def test_a_users_own_token(self):
        credentials = self.client(self.keys["alice"]).get_session_token()["Credentials"]
        key, token = (credentials["AccessKeyId"], credentials["SecretAccessKey"]), credentials["SessionToken"]
        self.assertEqual(self.client(key, token=token).get_caller_identity()["Arn"], f"arn:aws:iam::{ACCOUNT}:user/alice")
        self.refused("AccessDenied: Cannot call GetSessionToken with session credentials",
                     self.client(key, token=token).get_session_token)


class Unverified(unittest.TestCase):
    def test_tools_that_ask_first_go_on(self):
        with Server("--memory") as server:
            client = boto3_client(server.endpoint, "local", "sts")
            self.assertEqual(client.get_caller_identity()["Arn"], f"arn:aws:iam::{ACCOUNT}:user/local")
            answer = client.assume_role(RoleArn=ROLE, RoleSessionName="work")
            client.close()
            self.assertEqual(answer["AssumedRoleUser"]["Arn"], f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/work")
            taken = boto3_client(server.endpoint, answer["Credentials"]["AccessKeyId"])
            self.assertEqual(taken.list_tables()["TableNames"], [])
            taken.close()


if __name__ == "__main__":
    unittest.main()
