"""IAM on the same port: users, roles, keys and policies by the API that AWS has for them."""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

from botocore.exceptions import ClientError

import aws_cli
import signing
from server import Server
from test_auth import READ_ONLY, gramme, key_of
from waiting import audit_lines
from wire import ACCOUNT, REGION, Refusals, boto3_client, http_request

FORM = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
USERS = f"arn:aws:iam::{ACCOUNT}:user/"
TRUST = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "Action": "sts:AssumeRole"}]}


def allow(*actions, resource="*"):
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": list(actions), "Resource": resource}]}


class IamTest(Refusals):
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
        aws_cli.need()
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


class Editing(IamTest):
    """All by the API, on a server that has nothing else."""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        cls.audit = pathlib.Path(cls.place.name, "audit")
        cls.options = ("--memory", "--audit", cls.audit, "--threads", "3")
        super().setUpClass()

    def user(self, name, **more):
        self.addCleanup(self.remove, name)
        return self.iam.create_user(UserName=name, **more)["User"]

    def remove(self, name):
        """A user with all that they have, as scripts do it."""
        try:
            for policy in self.iam.list_user_policies(UserName=name)["PolicyNames"]:
                self.iam.delete_user_policy(UserName=name, PolicyName=policy)
            for key in self.iam.list_access_keys(UserName=name)["AccessKeyMetadata"]:
                self.iam.delete_access_key(UserName=name, AccessKeyId=key["AccessKeyId"])
            self.iam.delete_user(UserName=name)
        except self.iam.exceptions.NoSuchEntityException:
            pass

    def key(self, name):
        key = self.iam.create_access_key(UserName=name)["AccessKey"]
        self.assertEqual((key["UserName"], key["Status"], len(key["SecretAccessKey"])), (name, "Active", 40))
        return key["AccessKeyId"], key["SecretAccessKey"]

    def put(self, name, policy, document):
        self.iam.put_user_policy(UserName=name, PolicyName=policy, PolicyDocument=json.dumps(document))

    def test_from_a_new_user_to_none(self):
        user = self.user("anna", Tags=[{"Key": "team", "Value": "red"}])
        self.assertEqual((user["Arn"], user["Tags"]), (USERS + "anna", [{"Key": "team", "Value": "red"}]))
        self.assertEqual(self.iam.get_user(UserName="anna")["User"], user)
        key = self.key("anna")
        dynamodb = self.client_of(key, "dynamodb")
        denied = (f"AccessDeniedException: User: {USERS}anna is not authorized to perform: dynamodb:ListTables on resource: * because no "
                  "identity-based policy allows the dynamodb:ListTables action")
        self.refused(denied, dynamodb.list_tables)
        self.put("anna", "read", READ_ONLY)
        self.assertEqual(dynamodb.list_tables()["TableNames"], [])
        self.put("anna", "read", allow("dynamodb:GetItem"))
        self.refused(denied, dynamodb.list_tables)
        self.put("anna", "all", allow("*"))
        self.assertEqual(dynamodb.list_tables()["TableNames"], [])
        # A second key, and the first one goes.
        second = self.key("anna")
        self.refused("LimitExceeded: Cannot exceed quota for AccessKeysPerUser: 2", self.iam.create_access_key, UserName="anna")
        self.iam.update_access_key(UserName="anna", AccessKeyId=key[0], Status="Inactive")
        self.refused("UnrecognizedClientException: The security token included in the request is invalid.", dynamodb.list_tables)
        self.assertEqual({each["AccessKeyId"]: each["Status"] for each in self.iam.list_access_keys(UserName="anna")["AccessKeyMetadata"]},
                         {key[0]: "Inactive", second[0]: "Active"})
        self.iam.update_access_key(UserName="anna", AccessKeyId=key[0], Status="Active")
        self.assertEqual(dynamodb.list_tables()["TableNames"], [])
        self.iam.delete_access_key(UserName="anna", AccessKeyId=key[0])
        self.assertEqual(self.client_of(second, "dynamodb").list_tables()["TableNames"], [])
        # Nobody goes with something left.
        self.assertEqual(self.refused("DeleteConflict: Cannot delete entity, must delete policies first.", self.iam.delete_user,
                                      UserName="anna"), 409)
        for policy in ("read", "all"):
            self.iam.delete_user_policy(UserName="anna", PolicyName=policy)
        self.refused("DeleteConflict: Cannot delete entity, must delete access keys first.", self.iam.delete_user, UserName="anna")
        self.iam.delete_access_key(UserName="anna", AccessKeyId=second[0])
        self.iam.delete_user(UserName="anna")
        self.refused("NoSuchEntity: The user with name anna cannot be found.", self.iam.get_user, UserName="anna")

    def test_a_user_rotates_their_own_key(self):
        self.user("bert")
        own = allow("iam:CreateAccessKey", "iam:DeleteAccessKey", "iam:UpdateAccessKey", resource=USERS + "${aws:username}")
        self.put("bert", "own", own)
        first = self.key("bert")
        answer = self.client_of(first).create_access_key()["AccessKey"]
        self.assertEqual(answer["UserName"], "bert")
        second = self.client_of((answer["AccessKeyId"], answer["SecretAccessKey"]))
        second.update_access_key(AccessKeyId=first[0], Status="Inactive")
        second.delete_access_key(AccessKeyId=first[0])
        self.assertEqual(len(self.iam.list_access_keys(UserName="bert")["AccessKeyMetadata"]), 1)
        # The owner's key is none of bert's.
        self.refused(f"NoSuchEntity: The Access Key with id {signing.KEY_ID} cannot be found.", second.delete_access_key,
                     AccessKeyId=signing.KEY_ID)
        self.refused(f"AccessDenied: User: {USERS}bert is not authorized to perform: iam:PutUserPolicy on resource: {USERS}bert because "
                     "no identity-based policy allows the iam:PutUserPolicy action", second.put_user_policy, UserName="bert",
                     PolicyName="all", PolicyDocument=json.dumps(allow("*")))

    def test_the_session_of_a_user_makes_nothing_that_lasts(self):
        self.user("jo")
        self.put("jo", "all", allow("*"))
        for key in (self.key("jo"), (signing.KEY_ID, signing.SECRET)):
            token = self.client_of(key, "sts").get_session_token()["Credentials"]
            session = (token["AccessKeyId"], token["SecretAccessKey"])
            self.assertEqual(self.client_of(session, "dynamodb", token["SessionToken"]).list_tables()["TableNames"], [])
            iam = self.client_of(session, token=token["SessionToken"])
            for call in (iam.create_access_key, iam.list_users):
                self.assertEqual(self.refused("InvalidClientTokenId: The security token included in the request is invalid", call), 403)

    def test_a_role(self):
        role = self.iam.create_role(RoleName="reader", AssumeRolePolicyDocument=json.dumps(TRUST), Description="who reads <&>",
                                    MaxSessionDuration=7200, Tags=[{"Key": "a", "Value": ""}])["Role"]
        self.assertEqual((role["AssumeRolePolicyDocument"], role["Description"], role["MaxSessionDuration"], role["Tags"]),
                         (TRUST, "who reads <&>", 7200, [{"Key": "a", "Value": ""}]))
        self.assertEqual(self.iam.get_role(RoleName="reader")["Role"], role)
        self.iam.put_role_policy(RoleName="reader", PolicyName="read", PolicyDocument=json.dumps(READ_ONLY))
        self.user("cleo")
        self.put("cleo", "take", allow("sts:AssumeRole"))
        taken = self.client_of(self.key("cleo"), "sts").assume_role(RoleArn=role["Arn"], RoleSessionName="work")["Credentials"]
        session = (taken["AccessKeyId"], taken["SecretAccessKey"])
        self.assertEqual(self.client_of(session, "dynamodb", taken["SessionToken"]).list_tables()["TableNames"], [])
        self.iam.put_role_policy(RoleName="reader", PolicyName="read", PolicyDocument=json.dumps(allow("iam:*")))
        self.assertEqual(self.refused("ValidationError: Must specify userName when calling with non-User credentials",
                                      self.client_of(session, token=taken["SessionToken"]).get_user), 400)
        self.iam.update_role(RoleName="reader", Description="")
        self.iam.update_role(RoleName="reader", MaxSessionDuration=3600)
        other = json.loads(json.dumps(TRUST).replace(":root", ":user/cleo"))
        self.iam.update_assume_role_policy(RoleName="reader", PolicyDocument=json.dumps(other))
        role = self.iam.get_role(RoleName="reader")["Role"]
        self.assertEqual((role["AssumeRolePolicyDocument"], role["Description"], role["MaxSessionDuration"]), (other, "", 3600))
        self.refused("DeleteConflict: Cannot delete entity, must delete policies first.", self.iam.delete_role, RoleName="reader")
        self.iam.delete_role_policy(RoleName="reader", PolicyName="read")
        self.iam.delete_role(RoleName="reader")
        self.assertEqual(self.iam.list_roles()["Roles"], [])

    def test_tags(self):
        self.user("dora")
        self.iam.tag_user(UserName="dora", Tags=[{"Key": "b", "Value": "1"}, {"Key": "a", "Value": "2"}])
        self.iam.tag_user(UserName="dora", Tags=[{"Key": "b", "Value": "3"}])
        self.assertEqual(self.iam.list_user_tags(UserName="dora")["Tags"], [{"Key": "a", "Value": "2"}, {"Key": "b", "Value": "3"}])
        self.iam.untag_user(UserName="dora", TagKeys=["b", "never"])
        self.assertEqual(self.iam.list_user_tags(UserName="dora")["Tags"], [{"Key": "a", "Value": "2"}])
        self.refused("InvalidInput: Duplicate tag keys found. Please note that Tag keys are case insensitive.", self.iam.tag_user,
                     UserName="dora", Tags=[{"Key": "x", "Value": ""}, {"Key": "X", "Value": ""}])
        for start in (0, 30):
            tags = [{"Key": f"k{i}", "Value": ""} for i in range(start, start + 30)]
            if start == 0:
                self.iam.tag_user(UserName="dora", Tags=tags)
            else:
                self.assertEqual(self.refused("LimitExceeded: more than 50 tags", self.iam.tag_user, UserName="dora", Tags=tags), 409)
        self.assertEqual(len(self.iam.list_user_tags(UserName="dora")["Tags"]), 31)

    def test_names_with_signs(self):
        """In a form each sign is an escape, some of which end in a 0."""
        for name in "a@b", "a+b", "a=b,c.d-e_f@g":
            self.assertEqual(self.user(name)["Arn"], f"arn:aws:iam::{ACCOUNT}:user/{name}")
            self.assertEqual(self.iam.get_user(UserName=name)["User"]["UserName"], name)
        self.assertLessEqual({"a@b", "a+b", "a=b,c.d-e_f@g"}, {user["UserName"] for user in self.iam.list_users()["Users"]})

    def test_wrong_names(self):
        self.user("eve")
        self.assertEqual(self.refused("EntityAlreadyExists: User with name eve already exists.", self.iam.create_user, UserName="eve"), 409)
        self.assertEqual(self.refused("ValidationError: The specified value for userName is invalid. It must contain only alphanumeric "
                                      "characters and/or the following: +=,.@_-", self.iam.create_user, UserName="e v e"), 400)
        self.refused("ValidationError: root is the owner of the account", self.iam.create_user, UserName="root")
        self.refused("ValidationError: There are no paths here: that of every user and role is /", self.iam.create_user, UserName="x",
                     Path="/a/")
        arn = f"arn:aws:iam::{ACCOUNT}:policy/limits"
        self.refused(f"NoSuchEntity: Scope ARN: {arn} does not exist or is not attachable.", self.iam.create_user, UserName="x",
                     PermissionsBoundary=arn)
        reply = self.post(b"Action=CreateUser&Version=2010-05-08&UserName=" + b"n" * 65)
        self.assertIn(b"at &apos;userName&apos; failed to satisfy constraint: Member must have length less than or equal to 64",
                      reply.body.replace(b"'", b"&apos;"))
        reply = self.post(b"Action=UpdateAccessKey&Version=2010-05-08&AccessKeyId=AKIAAAAAAAAAAAAAAAAA&Status=Asleep")
        self.assertIn(b"Member must satisfy enum value set: [Active, Inactive]", reply.body)
        self.assertEqual([user["UserName"] for user in self.iam.list_users()["Users"]], ["eve"])

    def test_wrong_policies(self):
        self.user("finn")
        for document, words in (("{", "policy p: line 1 is not valid JSON"),
                                (json.dumps(allow("dynamodb:*", resource="table")), "policy p: statement 1, Resource: \"table\" is no ARN: "
                                 "arn:partition:service:region:account:resource, or * for everything"),
                                (json.dumps(TRUST), None)):
            with self.assertRaises(self.iam.exceptions.MalformedPolicyDocumentException) as caught:
                self.iam.put_user_policy(UserName="finn", PolicyName="p", PolicyDocument=document)
            if words:
                self.assertEqual(caught.exception.response["Error"]["Message"], words)
        with self.assertRaises(self.iam.exceptions.MalformedPolicyDocumentException):
            self.iam.create_role(RoleName="r", AssumeRolePolicyDocument=json.dumps(READ_ONLY))
        long = json.dumps(allow("*")) + " " * 10240
        self.refused("LimitExceeded: policy p is longer than 10240 bytes", self.iam.put_user_policy, UserName="finn", PolicyName="p",
                     PolicyDocument=long)
        for i in range(20):
            self.put("finn", f"p{i}", READ_ONLY)
        self.refused("LimitExceeded: more than 20 policies", self.iam.put_user_policy, UserName="finn", PolicyName="p",
                     PolicyDocument=json.dumps(READ_ONLY))
        self.refused("NoSuchEntity: The user policy with name p cannot be found.", self.iam.delete_user_policy, UserName="finn",
                     PolicyName="p")
        self.assertEqual(len(self.iam.list_user_policies(UserName="finn")["PolicyNames"]), 20)

    def test_many_at_once(self):
        """Nothing is lost between threads: each adds policies of its own to one user."""
        self.user("gus")

        def add(which):
            client = boto3_client(self.server.endpoint, signing.KEY_ID, "iam", signing.SECRET)
            for i in range(4):
                client.put_user_policy(UserName="gus", PolicyName=f"p{which}{i}", PolicyDocument=json.dumps(READ_ONLY))
                client.list_users()
            client.close()

        threads = [threading.Thread(target=add, args=(which,)) for which in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.iam.list_user_policies(UserName="gus")["PolicyNames"],
                         sorted(f"p{which}{i}" for which in range(5) for i in range(4)))

    def test_the_audit_log_has_who_did_what_and_no_secret(self):
        self.user("hans")
        key, secret = self.key("hans")
        self.put("hans", "read", READ_ONLY)
        self.iam.update_access_key(UserName="hans", AccessKeyId=key, Status="Inactive")
        self.refused("NoSuchEntity: The user with name nobody cannot be found.", self.iam.delete_user, UserName="nobody")
        lines = audit_lines(self.audit, 5, lambda line: line.get("permissions", [{}])[0].get("resource") in (USERS + "hans", USERS + "nobody"))
        made = [line for line in lines if line["operation"] == "CreateAccessKey" and
                line["permissions"] == [{"action": "iam:CreateAccessKey", "resource": USERS + "hans"}]]
        self.assertEqual([(line["principal"], line["subject"], line["outcome"]) for line in made],
                         [(f"arn:aws:iam::{ACCOUNT}:root", key, "ok")])
        others = {line["operation"]: line["subject"] for line in lines
                  if "subject" in line and line["permissions"][0]["resource"] == USERS + "hans"}
        self.assertEqual(others, {"CreateAccessKey": key, "PutUserPolicy": "read", "UpdateAccessKey": key})
        self.assertEqual([line["outcome"] for line in lines if line["operation"] == "DeleteUser"][-1], "NoSuchEntityException")
        self.assertNotIn("ListUsers", {line["operation"] for line in audit_lines(self.audit, 5)})
        self.assertNotIn(secret, self.audit.read_text() + self.server.error_text())

    def test_the_command_line(self):
        aws_cli.need()

        def aws(*arguments):
            done = subprocess.run(["aws", "iam", *arguments, "--endpoint-url", self.server.endpoint, "--region", REGION], text=True,
                                  env={**os.environ, "AWS_ACCESS_KEY_ID": signing.KEY_ID, "AWS_SECRET_ACCESS_KEY": signing.SECRET},
                                  capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout) if done.stdout else None

        self.addCleanup(self.remove, "ida")
        self.assertEqual(aws("create-user", "--user-name", "ida", "--tags", "Key=a,Value=b")["User"]["Arn"], USERS + "ida")
        aws("put-user-policy", "--user-name", "ida", "--policy-name", "read", "--policy-document", f"file://{self.file(READ_ONLY, 'read')}")
        key = aws("create-access-key", "--user-name", "ida")["AccessKey"]
        self.assertEqual(self.client_of((key["AccessKeyId"], key["SecretAccessKey"]), "dynamodb").list_tables()["TableNames"], [])
        self.assertEqual(aws("get-user-policy", "--user-name", "ida", "--policy-name", "read")["PolicyDocument"], READ_ONLY)
        aws("update-access-key", "--user-name", "ida", "--access-key-id", key["AccessKeyId"], "--status", "Inactive")
        aws("delete-access-key", "--user-name", "ida", "--access-key-id", key["AccessKeyId"])
        aws("delete-user-policy", "--user-name", "ida", "--policy-name", "read")
        aws("delete-user", "--user-name", "ida")


class Simulating(IamTest):
    """Would they be let in, and why: in the words of the simulator, and as the server then decides."""

    TABLE = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/"
    ANNA = USERS + "anna"
    COMMON = '{"Statement": {"Effect": "Deny", "Action": "dynamodb:Scan", "Resource": "*"}}'
    STATEMENTS = ('{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "arn:aws:dynamodb:*:*:table/${aws:username}-*"}',
                  '{"Sid": "\u00fcber", "Effect": "Deny", "Action": "dynamodb:DeleteItem", "Resource": "*"}',
                  '{"Effect": "Allow",\n   "Action": "dynamodb:PutItem", "Resource": "*", "Condition": {"StringEquals":\n'
                  '{"aws:PrincipalTag/team": "red", "dynamodb:ReturnValues": "NONE"}}}')
    OWN = '{"Version": "2012-10-17", "Statement": [\n  %s,\n  %s, %s]}' % STATEMENTS

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        common = pathlib.Path(cls.place.name, "common.json")
        common.write_text(cls.COMMON)
        cls.options = ("--memory", "--policy", common)
        super().setUpClass()
        cls.iam.create_user(UserName="anna", Tags=[{"Key": "team", "Value": "red"}])
        cls.iam.put_user_policy(UserName="anna", PolicyName="own", PolicyDocument=cls.OWN)

    def simulate(self, actions, resources=("*",), source=ANNA, **more):
        answer = self.iam.simulate_principal_policy(PolicySourceArn=source, ActionNames=actions, ResourceArns=list(resources), **more)
        return answer["EvaluationResults"]

    def reasons(self, result, **documents):
        """Which policy, and the text of the statement: what stands in its document between the two places."""
        documents = {"user_anna_own": self.OWN, "--policy": self.COMMON, **documents}
        found = []
        for each in result["MatchedStatements"]:
            lines = documents[each["SourcePolicyId"]].splitlines(keepends=True)
            begin, end = (sum(map(len, lines[:place["Line"] - 1])) + place["Column"] - 1
                          for place in (each["StartPosition"], each["EndPosition"]))
            self.assertEqual(each["SourcePolicyType"], "Resource Policy" if each["SourcePolicyId"] == "ResourcePolicy" else "IAM Policy")
            found.append((each["SourcePolicyId"], "".join(lines)[begin:end]))
        return found

    def test_each_action_on_each_resource(self):
        results = self.simulate(["dynamodb:GetItem", "dynamodb:DeleteItem"], [self.TABLE + "anna-1", self.TABLE + "bert-1"])
        self.assertEqual([(each["EvalActionName"], each["EvalResourceName"][-6:], each["EvalDecision"]) for each in results], [
            ("dynamodb:GetItem", "anna-1", "allowed"), ("dynamodb:GetItem", "bert-1", "implicitDeny"),
            ("dynamodb:DeleteItem", "anna-1", "explicitDeny"), ("dynamodb:DeleteItem", "bert-1", "explicitDeny")])
        self.assertEqual([self.reasons(each) for each in results],
                         [[("user_anna_own", self.STATEMENTS[0])], []] + 2 * [[("user_anna_own", self.STATEMENTS[1])]])
        self.assertEqual([each["MissingContextValues"] for each in results], 4 * [[]])

    def test_what_is_missing_and_what_is_given(self):
        put = self.simulate(["dynamodb:PutItem"], [self.TABLE + "x"])[0]
        self.assertEqual((put["EvalDecision"], put["MissingContextValues"]), ("implicitDeny", ["dynamodb:ReturnValues"]))
        given = {"ContextKeyName": "dynamodb:returnvalues", "ContextKeyValues": ["NONE"], "ContextKeyType": "string"}
        put = self.simulate(["dynamodb:PutItem"], [self.TABLE + "x"], ContextEntries=[given])[0]
        self.assertEqual((put["EvalDecision"], put["MissingContextValues"], self.reasons(put)),
                         ("allowed", [], [("user_anna_own", self.STATEMENTS[2])]))
        # What is given stands for what is known.
        blue = {"ContextKeyName": "aws:PrincipalTag/team", "ContextKeyValues": ["blue"], "ContextKeyType": "string"}
        self.assertEqual(self.simulate(["dynamodb:PutItem"], [self.TABLE + "x"], ContextEntries=[given, blue])[0]["EvalDecision"],
                         "implicitDeny")
        bert = {"ContextKeyName": "aws:username", "ContextKeyValues": ["bert"], "ContextKeyType": "string"}
        self.assertEqual(self.simulate(["dynamodb:GetItem"], [self.TABLE + "bert-1"], ContextEntries=[bert])[0]["EvalDecision"], "allowed")

    def test_the_policy_of_the_server_has_its_say(self):
        scan = self.simulate(["dynamodb:Scan"], [self.TABLE + "anna-1"])[0]
        self.assertEqual((scan["EvalDecision"], self.reasons(scan)), ("explicitDeny", [("--policy", self.COMMON[14:-1])]))

    def test_as_the_server_decides(self):
        key = self.iam.create_access_key(UserName="anna")["AccessKey"]
        anna = self.client_of((key["AccessKeyId"], key["SecretAccessKey"]), "dynamodb")
        tried = {"GetItem": lambda table: anna.get_item(TableName=table, Key={"k": {"S": "x"}}),
                 "PutItem": lambda table: anna.put_item(TableName=table, Item={"k": {"S": "x"}}),
                 "DeleteItem": lambda table: anna.delete_item(TableName=table, Key={"k": {"S": "x"}}),
                 "Scan": lambda table: anna.scan(TableName=table), "DescribeTable": lambda table: anna.describe_table(TableName=table)}
        given = [{"ContextKeyName": "dynamodb:ReturnValues", "ContextKeyValues": ["NONE"], "ContextKeyType": "string"}]
        for name, call in tried.items():
            for table in ("anna-1", "bert-1"):
                with self.assertRaises(ClientError) as caught:
                    call(table)
                error = caught.exception.response["Error"]
                decided = ("allowed" if error["Code"] == "ResourceNotFoundException" else
                           "explicitDeny" if "explicit deny" in error["Message"] else "implicitDeny")
                result = self.simulate([f"dynamodb:{name}"], [self.TABLE + table], ContextEntries=given)[0]
                self.assertEqual(result["EvalDecision"], decided, (name, table))

    def test_policies_that_are_not_there_yet(self):
        more = json.dumps(allow("dynamodb:Query"))
        query = self.simulate(["dynamodb:Query"], [self.TABLE + "x"], PolicyInputList=[more])[0]
        self.assertEqual((query["EvalDecision"], [each["SourcePolicyId"] for each in query["MatchedStatements"]]),
                         ("allowed", ["PolicyInputList.1"]))
        boundary = json.dumps(allow("dynamodb:GetItem"))
        query = self.simulate(["dynamodb:Query", "dynamodb:GetItem"], [self.TABLE + "anna-1"],
                              PermissionsBoundaryPolicyInputList=[boundary])
        self.assertEqual([(each["EvalDecision"], each["PermissionsBoundaryDecisionDetail"]) for each in query], [
            ("implicitDeny", {"AllowedByPermissionsBoundary": False}), ("allowed", {"AllowedByPermissionsBoundary": True})])

    def test_a_policy_alone(self):
        def ask(**more):
            return self.iam.simulate_custom_policy(ActionNames=["dynamodb:GetItem"], **more)["EvaluationResults"][0]

        yes, no = json.dumps(allow("dynamodb:Get*")), json.dumps(allow("s3:*"))
        denies = json.dumps({"Statement": {"Effect": "Deny", "Action": "*", "Resource": "*"}})
        self.assertEqual((ask(PolicyInputList=[yes])["EvalDecision"], ask(PolicyInputList=[yes])["EvalResourceName"]), ("allowed", "*"))
        self.assertEqual(ask(PolicyInputList=[no])["EvalDecision"], "implicitDeny")
        result = ask(PolicyInputList=[no, yes, denies])
        self.assertEqual((result["EvalDecision"], self.reasons(result, **{"PolicyInputList.3": denies})),
                         ("explicitDeny", [("PolicyInputList.3", denies[14:-1])]))
        own = json.dumps({"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource":
                                                                 "arn:aws:dynamodb:*:*:table/${aws:username}"}})
        self.assertEqual(ask(PolicyInputList=[own], ResourceArns=[self.TABLE + "x"])["MissingContextValues"], ["aws:username"])

    def test_the_policy_of_a_table(self):
        def ask(statement, caller=self.ANNA, **more):
            policy = json.dumps({"Version": "2012-10-17", "Statement": {"Action": "dynamodb:GetItem", "Resource": self.TABLE + "x",
                                                                        **statement}})
            return self.iam.simulate_custom_policy(ActionNames=["dynamodb:GetItem"], ResourceArns=[self.TABLE + "x"], CallerArn=caller,
                                                   ResourcePolicy=policy, PolicyInputList=[json.dumps(allow("s3:*"))],
                                                   **more)["EvaluationResults"][0]

        result = ask({"Effect": "Allow", "Principal": {"AWS": self.ANNA}})
        self.assertEqual((result["EvalDecision"], [(each["SourcePolicyId"], each["SourcePolicyType"]) for each in
                                                   result["MatchedStatements"]]), ("allowed", [("ResourcePolicy", "Resource Policy")]))
        self.assertEqual(ask({"Effect": "Allow", "Principal": {"AWS": USERS + "bert"}})["EvalDecision"], "implicitDeny")
        self.assertEqual(ask({"Effect": "Deny", "Principal": "*"})["EvalDecision"], "explicitDeny")
        # Of another account both have to allow.
        self.assertEqual(ask({"Effect": "Allow", "Principal": {"AWS": self.ANNA}}, ResourceOwner="arn:aws:iam::111122223333:root")
                         ["EvalDecision"], "implicitDeny")
        self.refused("InvalidInput: Invalid caller - Caller cannot be null or empty.", self.iam.simulate_custom_policy,
                     ActionNames=["dynamodb:GetItem"], PolicyInputList=[json.dumps(allow("*"))], ResourcePolicy=json.dumps(
                         {"Statement": {"Effect": "Deny", "Principal": "*", "Action": "*", "Resource": "*"}}))

    def test_a_role(self):
        self.iam.create_role(RoleName="reader", AssumeRolePolicyDocument=json.dumps(TRUST))
        self.iam.put_role_policy(RoleName="reader", PolicyName="read", PolicyDocument=json.dumps(READ_ONLY))
        arn = f"arn:aws:iam::{ACCOUNT}:role/reader"
        results = self.simulate(["dynamodb:GetItem", "dynamodb:PutItem"], source=arn)
        self.assertEqual([(each["EvalDecision"], [reason["SourcePolicyId"] for reason in each["MatchedStatements"]]) for each in results],
                         [("allowed", ["role_reader_read"]), ("implicitDeny", [])])

    def test_pages(self):
        actions = [f"dynamodb:A{i}" for i in range(7)]
        pages = self.iam.get_paginator("simulate_principal_policy").paginate(
            PolicySourceArn=self.ANNA, ActionNames=actions, ResourceArns=[self.TABLE + "a", self.TABLE + "b"],
            PaginationConfig={"PageSize": 3})
        found = [[(each["EvalActionName"], each["EvalResourceName"][-1]) for each in page["EvaluationResults"]] for page in pages]
        self.assertEqual([len(page) for page in found], [3, 3, 3, 3, 2])
        self.assertEqual(sum(found, []), [(action, resource) for action in actions for resource in "ab"])
        # Large documents make smaller pages, and nothing is left out.
        large = [json.dumps(allow(*[f"x:{i}{'y' * 50}" for i in range(1800)])) for _ in range(6)]
        pages = self.iam.get_paginator("simulate_custom_policy").paginate(PolicyInputList=large, ActionNames=[f"d:A{i}" for i in range(20)])
        found = [len(page["EvaluationResults"]) for page in pages]
        self.assertEqual(sum(found), 20)
        self.assertGreater(len(found), 1)
        self.refused("ValidationError: Invalid Marker.", self.simulate, actions=["d:A"], Marker="x")

    def test_what_is_wrong(self):
        self.assertEqual(self.refused("NoSuchEntity: The user with name bert cannot be found.", self.simulate, actions=["d:A"],
                                      source=USERS + "bert"), 404)
        for arn in (f"arn:aws:iam::{ACCOUNT}:root", f"arn:aws:sts::{ACCOUNT}:assumed-role/r/s", f"arn:aws:iam::{ACCOUNT}:user/",
                    "arn:aws:iam::1:user/anna-and-more"):
            self.assertEqual(self.refused(f"InvalidInput: Invalid Entity Arn: {arn} does not clearly define entity type and name.",
                                          self.simulate, actions=["d:A"], source=arn), 400)
        self.refused("InvalidInput: PolicyInputList.2: line 1 is not valid JSON", self.simulate, actions=["d:A"],
                     PolicyInputList=[json.dumps(READ_ONLY), "{"])
        reply = self.post(b"Action=SimulatePrincipalPolicy&Version=2010-05-08&PolicySourceArn=" + self.ANNA.encode())
        self.assertIn(b"Value null at 'actionNames' failed to satisfy constraint: Member must not be null",
                      reply.body.replace(b"&apos;", b"'").replace(b"&#39;", b"'"))
        self.iam.create_user(UserName="curt")
        key = self.iam.create_access_key(UserName="curt")["AccessKey"]
        curt = self.client_of((key["AccessKeyId"], key["SecretAccessKey"]))
        self.refused(f"AccessDenied: User: {USERS}curt is not authorized to perform: iam:SimulatePrincipalPolicy on resource: {self.ANNA} "
                     "because no identity-based policy allows the iam:SimulatePrincipalPolicy action", curt.simulate_principal_policy,
                     PolicySourceArn=self.ANNA, ActionNames=["dynamodb:GetItem"])


class Restarted(unittest.TestCase):
    def test_what_was_answered_is_there(self):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            arguments = ("--data", root / "data", "--auth", "--root-key", signing.write_key(root / "key"))
            with Server(*arguments) as server:
                iam = boto3_client(server.endpoint, signing.KEY_ID, "iam", signing.SECRET)
                iam.create_user(UserName="anna")
                iam.put_user_policy(UserName="anna", PolicyName="read", PolicyDocument=json.dumps(READ_ONLY))
                iam.create_role(RoleName="reader", AssumeRolePolicyDocument=json.dumps(TRUST), Description="reads")
                key = iam.create_access_key(UserName="anna")["AccessKey"]
                iam.close()
                server.kill()
            with Server(*arguments) as server:
                anna = boto3_client(server.endpoint, key["AccessKeyId"], secret=key["SecretAccessKey"])
                self.assertEqual(anna.list_tables()["TableNames"], [])
                anna.close()
                iam = boto3_client(server.endpoint, signing.KEY_ID, "iam", signing.SECRET)
                self.assertEqual(iam.get_role(RoleName="reader")["Role"]["Description"], "reads")
                iam.close()
            # The commands know what the API made.
            self.assertIn("anna", gramme("user", "list", root / "data"))


class Unverified(unittest.TestCase):
    def setUp(self):
        if signing.VERIFIED:
            self.skipTest("needs servers that do not verify signatures")

    def client(self, server, key="test", secret="test", service="iam"):
        client = boto3_client(server.endpoint, key, service, secret)
        self.addCleanup(client.close)
        return client

    def test_in_memory_users_are_there_to_try_things_with(self):
        with Server("--memory", "--threads", "3") as server:
            iam = self.client(server)
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                made = list(pool.map(lambda i: iam.create_user(UserName=f"u{i}")["User"]["UserName"], range(8)))
            self.assertEqual([user["UserName"] for user in iam.list_users()["Users"]], sorted(made))
            iam.put_user_policy(UserName="u1", PolicyName="read", PolicyDocument=json.dumps(READ_ONLY))
            key = iam.create_access_key(UserName="u1")["AccessKey"]
            result = iam.simulate_principal_policy(PolicySourceArn=USERS + "u1", ActionNames=["dynamodb:GetItem", "dynamodb:PutItem"])
            self.assertEqual([each["EvalDecision"] for each in result["EvaluationResults"]], ["allowed", "implicitDeny"])
            # Nothing is held against it: whoever signs with it is whoever they say.
            made = self.client(server, key["AccessKeyId"], "wrong", "dynamodb")
            self.assertEqual(made.list_tables()["TableNames"], [])
            self.assertEqual(iam.get_user()["User"]["Arn"], f"arn:aws:iam::{ACCOUNT}:root")

    def test_what_is_kept_is_left_alone(self):
        with tempfile.TemporaryDirectory() as directory, Server("--data", pathlib.Path(directory, "data")) as server:
            iam = self.client(server)
            for call in (iam.list_users, iam.create_access_key):
                with self.assertRaises(ClientError) as caught:
                    call()
                self.assertEqual(caught.exception.response["Error"], {"Type": "Sender", "Code": "NotSupportedService", "Message":
                                 "This server does not verify signatures, and so leaves users, roles and keys alone: start it with --auth"})
            # A policy alone needs nobody.
            result = iam.simulate_custom_policy(PolicyInputList=[json.dumps(READ_ONLY)], ActionNames=["dynamodb:GetItem"])
            self.assertEqual(result["EvaluationResults"][0]["EvalDecision"], "allowed")
