"""IAM on the same port: users, roles, keys and policies by the API that AWS has for them."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from botocore.exceptions import ClientError

import signing
from server import Server
from test_auth import READ_ONLY, gramme, key_of
from wire import ACCOUNT, REGION, boto3_client, http_request

FORM = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
USERS = f"arn:aws:iam::{ACCOUNT}:user/"
TRUST = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "Action": "sts:AssumeRole"}]}


def allow(*actions, resource="*"):
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": list(actions), "Resource": resource}]}


class IamTest(unittest.TestCase):
    """A server that verifies; self.iam is its owner's."""

    options = ("--memory",)

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.directory.name)
        cls.server = Server(*cls.options, "--auth", "--root-key", signing.write_key(cls.root / "key")).start()
        cls.iam = cls.client_of((signing.KEY_ID, signing.SECRET))

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.directory.cleanup()

    @classmethod
    def client_of(cls, key, service="iam", token=None):
        client = boto3_client(cls.server.endpoint, key[0], service, key[1], token)
        cls.addClassCleanup(client.close)
        return client

    @classmethod
    def file(cls, document, name):
        path = cls.root / f"{name}.json"
        path.write_text(json.dumps(document))
        return path

    def refused(self, error, function, **parameters):
        """The status of an answer that is exactly this error."""
        with self.assertRaises(ClientError) as caught:
            function(**parameters)
        answer = caught.exception.response
        self.assertEqual(f"{answer['Error']['Code']}: {answer['Error']['Message']}", error)
        return answer["ResponseMetadata"]["HTTPStatusCode"]

    def post(self, body):
        headers = signing.sign(FORM, body, f"127.0.0.1:{self.server.port}", service="iam")
        return http_request(self.server.port, "POST", "/", headers, body)


class Reading(IamTest):
    """What the commands made, on a data directory."""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        data = pathlib.Path(cls.place.name, "data")
        cls.options = ("--data", data)
        super().setUpClass()
        read = cls.file(READ_ONLY, "read")
        for name in ("anna", "bert", "cleo"):
            gramme("user", "create", data, name, "--policy", f"read={read}", "--policy", f"also={read}", "--tag", f"team={name}s")
        gramme("role", "create", data, "reader", "--trust", cls.file(TRUST, "trust"), "--policy", f"read={read}", "--tag", "a=b",
               "--session-max", "7200")
        cls.key = key_of(gramme("key", "create", data, "--user", "anna"))
        watch = cls.file(allow("iam:GetUser", "iam:ListAccessKeys", resource=USERS + "${aws:username}"), "watch")
        gramme("user", "update", data, "anna", "--policy", f"watch={watch}")

    def test_users(self):
        users = self.iam.list_users()
        self.assertEqual([user["UserName"] for user in users["Users"]], ["anna", "bert", "cleo"])
        self.assertFalse(users["IsTruncated"])
        anna = self.iam.get_user(UserName="anna")["User"]
        self.assertEqual((anna["Arn"], anna["Path"], anna["Tags"]), (USERS + "anna", "/", [{"Key": "team", "Value": "annas"}]))
        self.assertEqual(anna["UserId"], users["Users"][0]["UserId"])
        self.assertEqual(self.iam.list_user_tags(UserName="anna")["Tags"], anna["Tags"])
        self.assertEqual(self.iam.list_users(PathPrefix="/")["Users"], users["Users"])
        self.assertEqual(self.iam.list_users(PathPrefix="/division/")["Users"], [])

    def test_pages(self):
        first = self.iam.list_users(MaxItems=2)
        self.assertEqual(([user["UserName"] for user in first["Users"]], first["IsTruncated"]), (["anna", "bert"], True))
        second = self.iam.list_users(MaxItems=2, Marker=first["Marker"])
        self.assertEqual(([user["UserName"] for user in second["Users"]], second["IsTruncated"]), (["cleo"], False))
        self.assertNotIn("Marker", second)
        pages = self.iam.get_paginator("list_user_policies").paginate(UserName="anna", PaginationConfig={"PageSize": 1})
        self.assertEqual([page["PolicyNames"] for page in pages], [["also"], ["read"], ["watch"]])
        self.assertEqual(self.refused("ValidationError: 1 validation error detected: Value '1001' at 'maxItems' failed to satisfy "
                                      "constraint: Member must have value less than or equal to 1000",
                                      self.iam.list_users, MaxItems=1001), 400)

    def test_policies_come_as_they_were_given(self):
        self.assertEqual(self.iam.get_user_policy(UserName="anna", PolicyName="read")["PolicyDocument"], READ_ONLY)
        self.assertEqual(self.iam.list_role_policies(RoleName="reader")["PolicyNames"], ["read"])
        answer = self.iam.get_role_policy(RoleName="reader", PolicyName="read")
        self.assertEqual((answer["RoleName"], answer["PolicyName"], answer["PolicyDocument"]), ("reader", "read", READ_ONLY))

    def test_roles(self):
        role = self.iam.get_role(RoleName="reader")["Role"]
        self.assertEqual((role["Arn"], role["AssumeRolePolicyDocument"], role["MaxSessionDuration"], role["Tags"]),
                         (f"arn:aws:iam::{ACCOUNT}:role/reader", TRUST, 7200, [{"Key": "a", "Value": "b"}]))
        self.assertEqual([each["RoleId"] for each in self.iam.list_roles()["Roles"]], [role["RoleId"]])
        self.assertEqual(self.iam.list_role_tags(RoleName="reader")["Tags"], role["Tags"])

    def test_keys(self):
        keys = self.iam.list_access_keys(UserName="anna")["AccessKeyMetadata"]
        self.assertEqual([(key["UserName"], key["AccessKeyId"], key["Status"]) for key in keys], [("anna", self.key[0], "Active")])
        own = self.iam.list_access_keys()["AccessKeyMetadata"]
        self.assertEqual([(key["AccessKeyId"], "UserName" in key) for key in own], [(signing.KEY_ID, False)])

    def test_the_owner_is_no_user(self):
        user = self.iam.get_user()["User"]
        self.assertEqual((user["Arn"], user["UserId"]), (f"arn:aws:iam::{ACCOUNT}:root", ACCOUNT))

    def test_what_nobody_has(self):
        self.assertEqual(self.iam.list_attached_user_policies(UserName="anna")["AttachedPolicies"], [])
        self.assertEqual(self.iam.list_attached_role_policies(RoleName="reader")["AttachedPolicies"], [])
        self.assertEqual(self.iam.list_groups_for_user(UserName="anna")["Groups"], [])
        self.assertEqual(self.iam.list_instance_profiles_for_role(RoleName="reader")["InstanceProfiles"], [])

    def test_what_there_is_not(self):
        self.assertEqual(self.refused("NoSuchEntity: The user with name dora cannot be found.", self.iam.get_user, UserName="dora"), 404)
        self.assertEqual(self.refused("NoSuchEntity: The role with name anna cannot be found.", self.iam.get_role, RoleName="anna"), 404)
        self.refused("NoSuchEntity: The user policy with name x cannot be found.", self.iam.get_user_policy, UserName="anna",
                     PolicyName="x")
        self.refused("NoSuchEntity: The role policy with name x cannot be found.", self.iam.get_role_policy, RoleName="reader",
                     PolicyName="x")
        self.refused("NoSuchEntity: The user with name dora cannot be found.", self.iam.list_access_keys, UserName="dora")
        self.refused("InvalidAction: Could not find operation CreateGroup for version 2010-05-08", self.iam.create_group,
                     GroupName="x")

    def test_a_user_may_what_their_policies_say(self):
        anna = self.client_of(self.key)
        self.assertEqual(anna.get_user()["User"]["UserName"], "anna")
        self.assertEqual(anna.list_access_keys()["AccessKeyMetadata"][0]["AccessKeyId"], self.key[0])
        self.assertEqual(self.refused(
            f"AccessDenied: User: {USERS}anna is not authorized to perform: iam:GetUser on resource: {USERS}bert because no "
            "identity-based policy allows the iam:GetUser action", anna.get_user, UserName="bert"), 403)
        self.refused(f"AccessDenied: User: {USERS}anna is not authorized to perform: iam:ListUsers on resource: {USERS} because no "
                     "identity-based policy allows the iam:ListUsers action", anna.list_users)

    def test_the_command_line(self):
        done = subprocess.run(["aws", "iam", "list-users", "--endpoint-url", self.server.endpoint, "--region", REGION, "--query",
                               "Users[].UserName"], env={**os.environ, "AWS_ACCESS_KEY_ID": signing.KEY_ID,
                                                         "AWS_SECRET_ACCESS_KEY": signing.SECRET},
                              text=True, capture_output=True, timeout=60)
        self.assertEqual(json.loads(done.stdout or "0"), ["anna", "bert", "cleo"], done.stderr)

    def test_the_bytes_of_an_answer(self):
        reply = self.post(b"Action=ListRoleTags&Version=2010-05-08&RoleName=reader")
        self.assertEqual((reply.status, reply.headers["content-type"]), (200, "text/xml"))
        self.assertEqual(reply.body.decode(), '<ListRoleTagsResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><ListRoleTagsResult>'
                         "<Tags><member><Key>a</Key><Value>b</Value></member></Tags><IsTruncated>false</IsTruncated></ListRoleTagsResult>"
                         f"<ResponseMetadata><RequestId>{reply.headers['x-amzn-requestid']}</RequestId></ResponseMetadata>"
                         "</ListRoleTagsResponse>")

    def test_hostile_forms(self):
        for body, code in ((b"Action=GetUser&Version=2010-05-08&UserName=" + b"a" * 200, b"ValidationError"),
                           (b"Action=GetUser&Version=2010-05-08&UserName=", b"ValidationError"),
                           (b"Action=GetRole&Version=2010-05-08", b"ValidationError"),
                           (b"Action=GetUser&Version=2010-05-08&UserName=%ff%fe", b"MalformedInput"),
                           (b"Action=GetUser&Version=2010-05-08&UserName.member.1=anna", b"MalformedInput"),
                           (b"Action=GetUser&Version=2010-05-08&UserName=%3Cb%3E%22%26", b"NoSuchEntity"),
                           (b"Action=ListUsers&Version=2010-05-08&MaxItems=many", b"MalformedInput"),
                           (b"Action=%3Cdance%3E&Version=2010-05-08", b"InvalidAction"),
                           (b"Version=2010-05-08", b"InvalidAction"),
                           (b"Action=ListUsers&Version=2010-05-08&" + b"x" * 2_000_000, b"RequestEntityTooLarge")):
            reply = self.post(body)
            self.assertIn(b"<Code>" + code + b"</Code>", reply.body[:2000])
            self.assertNotIn(b"<b>", reply.body)
        self.assertEqual(self.post(b"Action=ListUsers&Version=2010-05-08").status, 200)

    def test_a_signature_is_for_this_service(self):
        body = b"Action=ListUsers&Version=2010-05-08"
        for service, status in (("iam", 200), ("sts", 403)):
            headers = signing.sign(FORM, body, f"127.0.0.1:{self.server.port}", service=service)
            self.assertEqual(http_request(self.server.port, "POST", "/", headers, body).status, status)
        self.assertEqual(http_request(self.server.port, "POST", "/", FORM, body).status, 403)


class Unverified(unittest.TestCase):
    def test_there_is_nobody(self):
        if signing.VERIFIED:
            self.skipTest("every server here verifies")
        with Server("--memory") as server:
            client = boto3_client(server.endpoint, "test", "iam", "test")
            with self.assertRaises(ClientError) as caught:
                client.list_users()
            self.assertEqual(caught.exception.response["Error"], {"Type": "Sender", "Code": "NotSupportedService", "Message":
                             "This server does not verify signatures, and so has no users, roles and keys: start it with --auth"})
            client.close()
