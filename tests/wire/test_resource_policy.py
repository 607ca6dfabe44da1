"""PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy, and ResourcePolicy in CreateTable. Without --auth the
policies are kept and read back; with it they count."""

import datetime
import json
import pathlib
import tempfile
import unittest

import signing
from server import Server
from test_auth import gramme, key_of
from wire import ACCOUNT, HEADERS, JSON, REGION, WAITER, WireTest, boto3_client, call, http_request, target

ARN = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/"
ROOT_ARN = f"arn:aws:iam::{ACCOUNT}:root"
PVI = "ValidationException: One or more parameter values were invalid: "
NOT_FOUND = "PolicyNotFoundException: Resource-based policy not found for the provided ResourceArn: "


def document(action="dynamodb:GetItem", principal=None, effect="Allow", version="2012-10-17", **more):
    return {"Version": version, "Statement": [{"Effect": effect, "Principal": principal or {"AWS": ROOT_ARN},
                                               "Action": action, "Resource": "*", **more}]}


def minified(value):
    return json.dumps(value, separators=(",", ":"))


class PolicyTest(WireTest):
    server_arguments = ["--memory", "--test-clock"]

    def setUp(self):
        super().setUp()
        self.create("table")
        self.arn = ARN + "table"

    def api(self, operation, **body):
        """By raw requests: the client library of the distribution does not know these operations yet."""
        reply = self.call(operation, body)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json

    def assert_error_of(self, error, operation, **body):
        self.assert_error(operation, body, error)

    def put(self, policy, **options):
        """The RevisionId; the clock is moved beyond the time in which a policy must not change again."""
        self.advance(15)
        text = policy if isinstance(policy, str) else json.dumps(policy)
        return self.api("PutResourcePolicy", **{"ResourceArn": self.arn, "Policy": text, **options})["RevisionId"]

    def get(self, **options):
        return self.api("GetResourcePolicy", **{"ResourceArn": self.arn, **options})

    def refused(self, error, policy="{}", **options):
        text = policy if isinstance(policy, str) else json.dumps(policy)
        self.assert_error_of(error, "PutResourcePolicy", **{"ResourceArn": self.arn, "Policy": text, **options})


class Operations(PolicyTest):
    def test_a_policy_comes_and_goes(self):
        self.assert_error_of(NOT_FOUND + self.arn, "GetResourcePolicy", ResourceArn=self.arn)
        self.assertEqual(self.api("DeleteResourcePolicy", ResourceArn=self.arn), {})
        revision = self.put(json.dumps(document(), indent=2))
        self.assertRegex(revision, r"^\d{13}$")
        self.assertEqual(self.get(), {"Policy": minified(document()), "RevisionId": revision})
        self.advance(20)
        gone = self.api("DeleteResourcePolicy", ResourceArn=self.arn)["RevisionId"]
        self.assertGreater(int(gone), int(revision))
        self.assert_error_of(NOT_FOUND + self.arn, "GetResourcePolicy", ResourceArn=self.arn)
        # One that is gone says when it went, at once and later.
        self.assertEqual(self.api("DeleteResourcePolicy", ResourceArn=self.arn), {"RevisionId": gone})

    def test_equivalent_documents_keep_their_revision(self):
        revision = self.put(document())
        statement = document()["Statement"][0]
        for same in (minified(document()), json.dumps(document(), indent=1),
                     {"Statement": statement, "Version": "2012-10-17"}, document(action=["dynamodb:GetItem"]),
                     document(principal={"AWS": ACCOUNT}), document(principal={"AWS": [ROOT_ARN, ACCOUNT]}),
                     document(effect="ALLOW")):
            with self.subTest(same):
                self.assertEqual(self.put(same), revision)
        self.assertNotEqual(self.put(document(version="2008-10-17")), revision)
        # Without a version a document is of the old one, and yet another one than that.
        implied = self.put({"Statement": [statement]})
        self.assertEqual(self.get(), {"Policy": minified(document(version="2008-10-17")), "RevisionId": implied})
        self.assertEqual(self.put({"Statement": statement}), implied)
        self.assertGreater(int(self.put(self.get()["Policy"])), int(implied))

    def test_expected_revisions(self):
        none = f"{NOT_FOUND}Requested update for policy with revision id 1, but table table has no associated policy."
        self.refused(none, document(), ExpectedRevisionId="1")
        self.assert_error_of(none, "DeleteResourcePolicy", ResourceArn=self.arn, ExpectedRevisionId="1")
        revision = self.put(document(), ExpectedRevisionId="NO_POLICY")
        there = (f"{NOT_FOUND}Requested policy update expecting none to be present for table table, but a policy exists "
                 f"with revision id {revision}.")
        self.refused(there, document("dynamodb:Query"), ExpectedRevisionId="NO_POLICY")
        other = (f"{NOT_FOUND}Requested update for policy with revision id 1, but the policy associated to target table "
                 f"table has revision id {revision}.")
        self.refused(other, document("dynamodb:Query"), ExpectedRevisionId="1")
        self.assert_error_of(other, "DeleteResourcePolicy", ResourceArn=self.arn, ExpectedRevisionId="1")
        second = self.put(document("dynamodb:Query"), ExpectedRevisionId=revision)
        self.advance(15)
        self.api("DeleteResourcePolicy", ResourceArn=self.arn, ExpectedRevisionId=second)
        self.put(document(), ExpectedRevisionId="NO_POLICY")

    def test_two_changes_need_fifteen_seconds(self):
        revision = self.put(document())
        text = (rf"^ThrottlingException: Resource-based policy for table table modified within the previous 15000 "
                rf"milliseconds\. Please try again after \d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d\.{int(revision) % 1000:03}Z\.$")
        for operation, options in (("PutResourcePolicy", {"Policy": json.dumps(document("dynamodb:Scan"))}),
                                   ("DeleteResourcePolicy", {})):
            self.assertRegex(self.call(operation, {"ResourceArn": self.arn, **options}).error, text)
        self.api("PutResourcePolicy", ResourceArn=self.arn, Policy=json.dumps(document()))  # changes nothing
        self.put(document("dynamodb:Scan"))

    def test_the_document(self):
        self.refused(PVI + "Invalid policy document: This policy contains invalid Json", "")
        self.refused(PVI + "Invalid policy document: Missing required field Statement", "{}")
        full = minified(document())
        self.put(full + " " * (20480 - len(full)))
        self.refused(PVI + "Maximum policy size of 20480 bytes exceeded", full + " " * (20481 - len(full)))
        self.refused(PVI + "Maximum policy size of 20480 bytes exceeded", "x" * 20481)

    def test_nobody_locks_themselves_out_by_mistake(self):
        error = ("AccessDeniedException: The new resource policy will not allow you to update the resource policy in the "
                 "future.")
        user = f"arn:aws:iam::{ACCOUNT}:user/test"
        denials = [document("dynamodb:PutResourcePolicy", "*", "Deny"), document("dynamodb:*", {"AWS": user}, "Deny"),
                   document("*", {"AWS": ACCOUNT}, "Deny"),
                   document("*", "*", "Deny", Condition={"ArnEquals": {"aws:PrincipalArn": user}})]
        for denial in denials:
            with self.subTest(denial):
                self.refused(error, denial)
                self.refused(error, denial, ConfirmRemoveSelfResourceAccess=False)
        self.put(denials[0], ConfirmRemoveSelfResourceAccess=True)
        self.put(document("dynamodb:DeleteResourcePolicy", "*", "Deny"))
        self.put(document("*", {"AWS": user.replace("test", "other")}, "Deny"))
        self.put(document("*", "*", "Deny", Condition={"ArnNotLike": {"aws:PrincipalArn": user.replace("test", "t*")}}))
        self.advance(15)
        reply = self.call("PutResourcePolicy", {"ResourceArn": self.arn, "Policy": json.dumps(denials[0])},
                          {"X-Amz-Confirm-Remove-Self-Resource-Access": "true"})
        self.assertEqual(reply.status, 200)

    def test_the_resource(self):
        operations = {"PutResourcePolicy": {"Policy": "x"}, "GetResourcePolicy": {}, "DeleteResourcePolicy": {}}
        for arn, error in (
                ("table", PVI + "ARNs must start with 'arn:': table"),
                (self.arn + "/index/by-x", f"{PVI}Provided Arn is not a DynamoDB resource arn: {self.arn}/index/by-x"),
                (self.arn.replace(ACCOUNT, "111122223333"),
                 "ValidationException: This action is only supported by accounts that match the resource owner’s account."),
                (self.arn.replace(REGION, "eu-west-1"),
                 f"{PVI}Invalid ResourceArn provided as input {self.arn.replace(REGION, 'eu-west-1')}"),
                (ARN + "nowhere", "ResourceNotFoundException: Requested resource not found: Table: nowhere not found"),
                (self.arn + "/stream/2026-01-01T00:00:00.000",
                 "ResourceNotFoundException: Requested resource not found: Stream: 2026-01-01T00:00:00.000 not found for "
                 "Table: table")):
            for name, options in operations.items():
                with self.subTest(arn=arn, operation=name):
                    self.assert_error(name, {"ResourceArn": arn, **options}, error)


class Life(PolicyTest):
    def test_streams_have_their_own(self):
        self.client.update_table(TableName="table", StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
        stream = self.client.describe_table(TableName="table")["Table"]["LatestStreamArn"]
        records = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": ROOT_ARN},
                                                           "Action": "dynamodb:GetRecords", "Resource": stream}]}
        of_table = self.put(document())
        self.refused(PVI + 'Invalid policy document: The following action names are invalid: "dynamodb:GetItem"', document(),
                     ResourceArn=stream)
        of_stream = self.put(records, ResourceArn=stream)
        self.assertEqual(self.get(), {"Policy": minified(document()), "RevisionId": of_table})
        self.assertEqual(self.get(ResourceArn=stream), {"Policy": minified(records), "RevisionId": of_stream})
        error = f"for stream {stream.split('/')[-1]} modified within the previous 15000 milliseconds"
        self.assertIn(error, self.call("DeleteResourcePolicy", {"ResourceArn": stream}).error)
        # It stays after the stream is off, until another one takes its place.
        self.client.update_table(TableName="table", StreamSpecification={"StreamEnabled": False})
        self.assertEqual(self.get(ResourceArn=stream)["RevisionId"], of_stream)
        self.client.update_table(TableName="table", StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
        again = self.client.describe_table(TableName="table")["Table"]["LatestStreamArn"]
        self.assert_error_of(NOT_FOUND + again, "GetResourcePolicy", ResourceArn=again)
        self.assertEqual(self.get()["RevisionId"], of_table)

    def test_with_a_new_table(self):
        schema = {"BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}],
                  "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}]}
        made = self.api("CreateTable", TableName="made", ResourcePolicy=json.dumps(document(), indent=2), **schema)
        self.assertNotIn("Policy", json.dumps(made))
        created = made["TableDescription"]["CreationDateTime"]
        self.assertEqual(self.get(ResourceArn=ARN + "made"),
                         {"Policy": minified(document()), "RevisionId": str(round(created * 1000))})
        for policy, error in (("x", PVI + "Invalid policy document: This policy contains invalid Json"),
                              ("x" * 20481, PVI + "Maximum policy size of 20480 bytes exceeded")):
            self.assert_error("CreateTable", {"TableName": "other", "ResourcePolicy": policy, **schema}, error)
        self.client.delete_table(TableName="made")
        self.client.create_table(TableName="made", **schema)
        self.assert_error_of(NOT_FOUND + ARN + "made", "GetResourcePolicy", ResourceArn=ARN + "made")
        self.client.delete_table(TableName="made")

    def test_a_restored_table_has_none(self):
        self.put(document())
        backup = self.client.create_backup(TableName="table", BackupName="one")["BackupDetails"]["BackupArn"]
        self.client.restore_table_from_backup(TargetTableName="copy", BackupArn=backup)
        self.client.get_waiter("table_exists").wait(TableName="copy", WaiterConfig=WAITER)
        self.assert_error_of(NOT_FOUND + ARN + "copy", "GetResourcePolicy", ResourceArn=ARN + "copy")
        self.client.delete_table(TableName="copy")

    def test_other_changes_leave_it(self):
        revision = self.put(document())
        self.client.tag_resource(ResourceArn=self.arn, Tags=[{"Key": "a", "Value": "b"}])
        self.client.update_table(TableName="table", TableClass="STANDARD_INFREQUENT_ACCESS")
        self.assertEqual(self.get(), {"Policy": minified(document()), "RevisionId": revision})

    def test_policies_without_verified_callers_are_not_enforced(self):
        self.put(document("dynamodb:GetItem", "*", "Deny"))
        self.client.get_item(TableName="table", Key={"pk": {"S": "a"}})


class Restart(unittest.TestCase):
    def test_policies_are_durable(self):
        request = {"ResourceArn": ARN + "table", "Policy": json.dumps(document())}
        with tempfile.TemporaryDirectory() as directory:
            with Server("--data", directory) as server:
                call(server.port, "CreateTable", {
                    "TableName": "table", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"}],
                    "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}]})
                revision = call(server.port, "PutResourcePolicy", request).json["RevisionId"]
                server.kill()
            with Server("--data", directory) as server:
                self.assertEqual(call(server.port, "GetResourcePolicy", {"ResourceArn": ARN + "table"}).json,
                                 {"Policy": minified(document()), "RevisionId": revision})
                self.assertEqual(call(server.port, "PutResourcePolicy", request).json, {"RevisionId": revision})


class Verified(unittest.TestCase):
    """Who may do what with --auth: users and sessions with policies of their own, a boundary and a session policy, on a
    table and a stream with theirs."""

    @classmethod
    def setUpClass(cls):
        cls.advanced = 0
        cls.directory = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.directory.name)
        cls.data = folder / "data"
        cls.server = Server("--data", cls.data, "--auth", "--root-key", signing.write_key(folder / "key"), "--test-clock").start()
        everything = {"Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
        reading = {"Statement": [{"Effect": "Allow", "Action": ["dynamodb:GetItem", "dynamodb:Query"], "Resource": "*"}]}
        trusting = {"Statement": [{"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:user/all"},
                                   "Action": "sts:AssumeRole"}]}
        files = {name: folder / f"{name}.json" for name in ("everything", "reading", "trusting")}
        for name, document in (("everything", everything), ("reading", reading), ("trusting", trusting)):
            files[name].write_text(json.dumps(document))
        cls.keys = {"root": (signing.KEY_ID, signing.SECRET)}
        for name, options in (("none", []), ("all", [f"--policy=p={files['everything']}"]),
                              ("bound", [f"--policy=p={files['everything']}", "--boundary", files["reading"]])):
            gramme("user", "create", cls.data, name, "--tag", "team=red", *options)
            cls.keys[name] = key_of(gramme("key", "create", cls.data, "--user", name))
        gramme("role", "create", cls.data, "worker", "--trust", files["trusting"], "--boundary", files["reading"])
        sts = boto3_client(cls.server.endpoint, cls.keys["all"][0], "sts", cls.keys["all"][1])
        taken = sts.assume_role(RoleArn=f"arn:aws:iam::{ACCOUNT}:role/worker", RoleSessionName="work")["Credentials"]
        sts.close()
        cls.keys["work"] = (taken["AccessKeyId"], taken["SecretAccessKey"], taken["SessionToken"])
        cls.arns = {name: f"arn:aws:iam::{ACCOUNT}:user/{name}" for name in ("none", "all", "bound")}
        cls.arns.update(root=ROOT_ARN, work=f"arn:aws:sts::{ACCOUNT}:assumed-role/worker/work")
        cls.send("root", "CreateTable", TableName="table", BillingMode="PAY_PER_REQUEST",
                 KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}], Tags=[{"Key": "team", "Value": "red"}],
                 AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                 StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.directory.cleanup()

    @classmethod
    def send(cls, who, operation, **body):
        data = json.dumps(body).encode()
        host = f"127.0.0.1:{cls.server.port}"
        key, secret, *token = cls.keys[who]
        headers = signing.sign({**HEADERS, "X-Amz-Target": target(operation)}, data, host, key_id=key, secret=secret,
                               token=token[0] if token else None, now=cls.now())
        return http_request(cls.server.port, "POST", "/", headers, data)

    @classmethod
    def now(cls):
        return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=cls.advanced)

    @classmethod
    def wait(cls):
        """Moves the clock beyond the time in which a policy must not change again."""
        path, body = "/_gramme/clock", b'{"Advance": 15}'
        headers = signing.sign(JSON, body, f"127.0.0.1:{cls.server.port}", now=cls.now(), path=path)
        reply = http_request(cls.server.port, "POST", path, headers, body)
        assert reply.status == 200, reply.body
        cls.advanced += 15

    def attach(self, *statements, arn=ARN + "table"):
        """The policy of the table; without statements it has none."""
        self.wait()
        if statements:
            policy = json.dumps({"Version": "2012-10-17", "Statement": [{"Resource": "*", **each} for each in statements]})
            reply = self.send("root", "PutResourcePolicy", ResourceArn=arn, Policy=policy, ConfirmRemoveSelfResourceAccess=True)
        else:
            reply = self.send("root", "DeleteResourcePolicy", ResourceArn=arn)
        self.assertEqual(reply.status, 200, reply.body)

    def read(self, who, operation="GetItem"):
        body = {"Key": {"pk": {"S": "a"}}} if operation == "GetItem" else {"Item": {"pk": {"S": "a"}}} if operation == "PutItem" else {}
        return self.send(who, operation, TableName="table", **body)

    def assert_allowed(self, who, operation="GetItem"):
        self.assertEqual(self.read(who, operation).status, 200)

    def assert_refused(self, who, reason, operation="GetItem"):
        self.assertEqual(self.read(who, operation).error,
                         f"AccessDeniedException: User: {self.arns[who]} is not authorized to perform: dynamodb:{operation} on "
                         f"resource: {ARN}table {reason}")

    def missing(self, side, operation="GetItem"):
        return f"because no {side} allows the dynamodb:{operation} action"

    def test_without_a_policy_of_the_table(self):
        self.attach()
        self.assert_allowed("root")
        self.assert_allowed("all")
        self.assert_allowed("bound")
        self.assert_refused("none", self.missing("identity-based policy"))
        self.assert_refused("work", self.missing("identity-based policy"))
        self.assert_refused("bound", self.missing("permissions boundary", "PutItem"), "PutItem")

    def test_a_table_allows(self):
        by_name = {"Effect": "Allow", "Principal": {"AWS": [self.arns["none"], self.arns["bound"]]}, "Action": "dynamodb:*"}
        by_role = {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:role/worker"}, "Action": "dynamodb:*"}
        self.attach(by_name, by_role)
        self.assert_allowed("none", "PutItem")
        self.assert_allowed("bound", "PutItem")
        self.assert_allowed("work")
        self.assert_refused("work", self.missing("permissions boundary", "PutItem"), "PutItem")
        self.attach({**by_role, "Principal": {"AWS": self.arns["work"]}})
        self.assert_allowed("work", "PutItem")
        self.assert_refused("none", self.missing("identity-based policy"))
        self.attach({**by_name, "Principal": {"AWS": ACCOUNT}})
        self.assert_refused("none", self.missing("identity-based policy"))

    def test_a_table_denies(self):
        self.attach({"Effect": "Deny", "Principal": "*", "Action": "dynamodb:GetItem"})
        for who in ("root", "all", "none", "work"):
            self.assert_refused(who, "with an explicit deny in a resource-based policy")
        self.assert_allowed("all", "PutItem")
        self.attach({"Effect": "Deny", "Principal": "*", "Action": "dynamodb:*"})
        # Locked out: not even the policy can be read. The server without --auth could still change it.
        self.assertIn("explicit deny in a resource-based policy",
                      self.send("root", "GetResourcePolicy", ResourceArn=ARN + "table").error)
        self.assertIn("explicit deny in a resource-based policy",
                      self.send("root", "DeleteResourcePolicy", ResourceArn=ARN + "table").error)
        self.assertEqual(self.send("root", "ListTables").status, 200)
        self.addCleanup(self.start_again)  # the table is of no more use to other tests

    def start_again(self):
        type(self).tearDownClass()
        type(self).setUpClass()

    def test_tags_of_caller_and_table(self):
        self.attach({"Effect": "Deny", "Principal": "*", "Action": "dynamodb:GetItem",
                     "Condition": {"StringEquals": {"aws:PrincipalTag/team": "${aws:ResourceTag/team}"}}})
        self.assert_refused("all", "with an explicit deny in a resource-based policy")
        self.assert_allowed("root")

    def test_streams(self):
        arn = self.send("root", "DescribeTable", TableName="table").json["Table"]["LatestStreamArn"]
        self.attach({"Effect": "Allow", "Principal": {"AWS": self.arns["none"]}, "Action": "dynamodb:DescribeStream"}, arn=arn)
        self.assertEqual(self.send("none", "DescribeStream", StreamArn=arn).status, 200)
        self.assertIn("because no identity-based policy", self.send("none", "GetItem", TableName="table", Key={"pk": {"S": "a"}}).error)
        self.attach(arn=arn)
        self.assertEqual(self.send("none", "DescribeStream", StreamArn=arn).error,
                         f"AccessDeniedException: User: {self.arns['none']} is not authorized to perform: dynamodb:DescribeStream on "
                         f"resource: {arn} because no identity-based policy allows the dynamodb:DescribeStream action")

    def test_who_would_lock_themselves_out(self):
        self.attach()
        self.wait()
        for principal, error in ((self.arns["all"], "AccessDeniedException: The new resource policy will not allow you to update the "
                                                    "resource policy in the future."), (self.arns["none"], None)):
            policy = json.dumps(document("dynamodb:PutResourcePolicy", {"AWS": principal}, "Deny"))
            reply = self.send("all", "PutResourcePolicy", ResourceArn=ARN + "table", Policy=policy)
            self.assertEqual(None if reply.status == 200 else reply.error, error)


if __name__ == "__main__":
    unittest.main()
