"""gramme serve --audit: a line for each request that changes something or is denied, and what is never in it."""

import json
import pathlib
import re
import signal
import stat
import subprocess
import tempfile
import threading
import unittest

from botocore.exceptions import ClientError

import signing
from server import Server, binary
from test_auth import READ_ONLY, gramme, key_of
from waiting import wait_until
from wire import ACCOUNT, HEADERS, REGION, Connection, boto3_client, call, http_request, target

TABLES = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/"
MARK = "confidential-marker"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def create(client, *names):
    for name in names:
        client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])


def item(key="a", **more):
    return {"pk": {"S": key}, **{name: {"S": value} for name, value in more.items()}}


def permissions(*pairs):
    return [{"action": f"dynamodb:{action}", "resource": TABLES + table} for action, table in pairs]


class AuditTest(unittest.TestCase):
    """A server with an audit log of its own for each test."""

    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.path = self.root / "audit.log"

    def serve(self, *arguments):
        server = Server("--audit", self.path, *(arguments or ["--memory"])).start()
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def client(self, server, *key, **options):
        client = boto3_client(server.endpoint, *key, **options)
        self.addCleanup(client.close)
        return client

    def policy(self, *statements):
        path = self.root / "policy.json"
        path.write_text(json.dumps({"Version": "2012-10-17", "Statement": list(statements)}))
        return path

    def lines(self, server):
        """All of them, when the server has stopped."""
        server.stop()
        return [json.loads(line) for line in self.path.read_text().splitlines()]

    def refused(self, code, function, **parameters):
        with self.assertRaises(ClientError) as caught:
            function(**parameters)
        self.assertEqual(caught.exception.response["Error"]["Code"], code)
        return caught.exception.response["ResponseMetadata"]["RequestId"]


def short(line):
    """Operation, what it was about, outcome."""
    return (line.get("operation"), [(each["action"].split(":")[1], each["resource"].removeprefix(TABLES))
                                    for each in line.get("permissions", [])], line["outcome"])


class Lines(AuditTest):
    def test_a_line_in_full(self):
        server = self.serve()
        client = self.client(server)
        create(client, "one")
        reply = client.put_item(TableName="one", Item=item(text=MARK))
        line = self.lines(server)[1]
        self.assertRegex(line.pop("time"), TIME)
        self.assertEqual(line, {
            "requestId": reply["ResponseMetadata"]["RequestId"], "accessKey": "test", "address": "127.0.0.1",
            "operation": "PutItem", "permissions": permissions(("PutItem", "one")), "outcome": "ok"})
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)

    def test_what_changes_something(self):
        server = self.serve()
        client = self.client(server)
        create(client, "one", "two")
        client.update_item(TableName="one", Key=item(), UpdateExpression="SET t = :t",
                           ExpressionAttributeValues={":t": {"S": MARK}})
        client.delete_item(TableName=TABLES + "one", Key=item())
        client.update_table(TableName="one", TableClass="STANDARD_INFREQUENT_ACCESS")
        client.tag_resource(ResourceArn=TABLES + "one", Tags=[{"Key": MARK, "Value": MARK}])
        client.update_time_to_live(TableName="one", TimeToLiveSpecification={"Enabled": True, "AttributeName": MARK})
        client.delete_table(TableName="one")
        self.assertEqual([short(line) for line in self.lines(server)], [
            ("CreateTable", [("CreateTable", "one")], "ok"), ("CreateTable", [("CreateTable", "two")], "ok"),
            ("UpdateItem", [("UpdateItem", "one")], "ok"), ("DeleteItem", [("DeleteItem", "one")], "ok"),
            ("UpdateTable", [("UpdateTable", "one")], "ok"), ("TagResource", [("TagResource", "one")], "ok"),
            ("UpdateTimeToLive", [("UpdateTimeToLive", "one")], "ok"), ("DeleteTable", [("DeleteTable", "one")], "ok")])
        self.assertNotIn(MARK, self.path.read_text())

    def test_reads_are_not_there(self):
        server = self.serve()
        client = self.client(server)
        create(client, "one")
        client.get_item(TableName="one", Key=item())
        client.query(TableName="one", KeyConditionExpression="pk = :k", ExpressionAttributeValues={":k": {"S": "a"}})
        client.scan(TableName="one")
        client.batch_get_item(RequestItems={"one": {"Keys": [item()]}})
        client.transact_get_items(TransactItems=[{"Get": {"TableName": "one", "Key": item()}}])
        client.execute_statement(Statement="SELECT * FROM one WHERE pk = 'a'")
        client.batch_execute_statement(Statements=[{"Statement": "SELECT * FROM one WHERE pk = 'a'"}])
        client.execute_transaction(TransactStatements=[{"Statement": "SELECT * FROM one WHERE pk = 'a'"}])
        client.list_tables()
        client.describe_table(TableName="one")
        self.refused("ResourceNotFoundException", client.get_item, TableName="nope", Key=item())
        self.refused("ValidationException", client.execute_statement, Statement="SELECT")
        self.assertEqual([line["operation"] for line in self.lines(server)], ["CreateTable"])

    def test_what_fails(self):
        server = self.serve()
        client = self.client(server)
        create(client, "one")
        self.refused("ConditionalCheckFailedException", client.put_item, TableName="one", Item=item(),
                     ConditionExpression="attribute_exists(pk)")
        self.refused("ResourceNotFoundException", client.put_item, TableName="nope", Item=item())
        self.assertEqual(call(server.port, "PutItem", {"TableName": "one", "Item": MARK}).status, 400)
        self.assertEqual(call(server.port, "PutItem", b'{"' + MARK.encode()).status, 400)
        self.refused("ValidationException", client.put_item, TableName="one", Item={MARK: {"S": MARK}})
        self.assertEqual([short(line) for line in self.lines(server)][1:], [
            ("PutItem", [("PutItem", "one")], "ConditionalCheckFailedException"),
            ("PutItem", [("PutItem", "nope")], "ResourceNotFoundException"),
            ("PutItem", [], "SerializationException"), ("PutItem", [], "SerializationException"),
            ("PutItem", [("PutItem", "one")], "ValidationException")])
        self.assertNotIn(MARK, self.path.read_text())

    def test_several_tables(self):
        server = self.serve()
        client = self.client(server)
        create(client, "one", "two")
        client.batch_write_item(RequestItems={
            "one": [{"PutRequest": {"Item": item(str(i), text=MARK)}} for i in range(10)],
            "two": [{"DeleteRequest": {"Key": item()}}]})
        client.transact_write_items(TransactItems=[
            {"Put": {"TableName": "one", "Item": item(MARK)}}, {"Delete": {"TableName": "two", "Key": item()}},
            {"ConditionCheck": {"TableName": "two", "Key": item("z"), "ConditionExpression": "attribute_not_exists(pk)"}}])
        self.refused("TransactionCanceledException", client.transact_write_items, TransactItems=[
            {"Put": {"TableName": "one", "Item": item(MARK), "ConditionExpression": "attribute_not_exists(pk)"}}])
        client.execute_statement(Statement=f"INSERT INTO two VALUE {{'pk': '{MARK}'}}")
        self.refused("DuplicateItemException", client.execute_statement,
                     Statement=f"INSERT INTO two VALUE {{'pk': '{MARK}'}}")
        client.batch_execute_statement(Statements=[
            {"Statement": f"UPDATE one SET t = '{MARK}' WHERE pk = '1'"}, {"Statement": "DELETE FROM two WHERE pk = 'q'"}])
        client.execute_transaction(TransactStatements=[
            {"Statement": f"UPDATE one SET t = '{MARK}' WHERE pk = '1'"}, {"Statement": "DELETE FROM two WHERE pk = 'q'"}])
        parts = [("PartiQLUpdate", "one"), ("PartiQLDelete", "two")]
        lines = [short(line) for line in self.lines(server)][2:]
        self.assertEqual((lines[0][0], sorted(lines[0][1]), lines[0][2]),
                         ("BatchWriteItem", [("BatchWriteItem", "one"), ("BatchWriteItem", "two")], "ok"))
        self.assertEqual(lines[1:], [
            ("TransactWriteItems", [("PutItem", "one"), ("DeleteItem", "two"), ("ConditionCheckItem", "two")], "ok"),
            ("TransactWriteItems", [("PutItem", "one")], "TransactionCanceledException"),
            ("ExecuteStatement", [("PartiQLInsert", "two")], "ok"),
            ("ExecuteStatement", [("PartiQLInsert", "two")], "DuplicateItemException"),
            ("BatchExecuteStatement", parts, "ok"), ("ExecuteTransaction", parts, "ok")])
        self.assertNotIn(MARK, self.path.read_text())


class Denied(AuditTest):
    def test_by_a_policy(self):
        policy = self.policy({"Effect": "Allow", "Action": "*", "Resource": "*"},
                             {"Effect": "Deny", "Action": "dynamodb:*", "Resource": TABLES + "secret"},
                             {"Effect": "Deny", "Action": "dynamodb:ListTables", "Resource": "*"})
        server = self.serve("--memory", "--policy", policy)
        client = self.client(server)
        create(client, "plain")
        denied = "AccessDeniedException"
        self.refused(denied, client.put_item, TableName="secret", Item=item(MARK))
        request = self.refused(denied, client.get_item, TableName="secret", Key=item(MARK))
        self.refused(denied, client.list_tables)
        self.refused(denied, client.execute_statement, Statement=f"SELECT * FROM secret WHERE pk = '{MARK}'")
        client.batch_execute_statement(Statements=[{"Statement": f"SELECT * FROM {table} WHERE pk = '{MARK}'"}
                                                   for table in ("plain", "secret")])
        lines = self.lines(server)[1:]
        self.assertEqual(lines[1]["requestId"], request)
        self.assertEqual([short(line) for line in lines], [
            ("PutItem", [("PutItem", "secret")], denied), ("GetItem", [("GetItem", "secret")], denied),
            ("ListTables", [("ListTables", "*")], denied),
            ("ExecuteStatement", [("PartiQLSelect", "secret")], denied),
            ("BatchExecuteStatement", [("PartiQLSelect", "plain"), ("PartiQLSelect", "secret")], "ok")])
        self.assertEqual([line.get("denied") for line in lines], [None] * 4 + [1])
        self.assertNotIn(MARK, self.path.read_text())

    def test_by_signature(self):
        server = self.serve("--memory", "--auth", "--root-key", signing.write_key(self.root / "key"))
        good = self.client(server, signing.KEY_ID, secret=signing.SECRET)
        good.list_tables()
        create(good, "one")
        self.refused("UnrecognizedClientException", self.client(server, "AKIANOBODY", secret="x").list_tables)
        self.refused("InvalidSignatureException", self.client(server, signing.KEY_ID, secret=MARK).put_item,
                     TableName="one", Item=item())
        headers = {**HEADERS, "X-Amz-Target": target("GetItem")}
        for authorization in ("", "Basic " + MARK, "AWS4-HMAC-SHA256 Credential=" + MARK):
            self.assertEqual(http_request(server.port, "POST", "/", {**headers, "Authorization": authorization},
                                          b"{}").status, 400)
        lines = self.lines(server)
        root = f"arn:aws:iam::{ACCOUNT}:root"
        self.assertEqual([(line.get("principal"), line.get("accessKey"), *short(line)) for line in lines], [
            (root, signing.KEY_ID, "CreateTable", [("CreateTable", "one")], "ok"),
            (None, "AKIANOBODY", "ListTables", [], "UnrecognizedClientException"),
            (None, signing.KEY_ID, "PutItem", [], "InvalidSignatureException"),
            (None, None, "GetItem", [], "MissingAuthenticationTokenException"),
            (None, None, "GetItem", [], "MissingAuthenticationTokenException"),
            (None, None, "GetItem", [], "IncompleteSignatureException")])
        text = self.path.read_text()
        self.assertNotIn(signing.SECRET, text)
        self.assertNotIn(MARK, text)

    def test_web_pages(self):
        server = self.serve()
        call(server.port, "ListTables", {}, {"Origin": "https://page.example"})
        http_request(server.port, "GET", "/", {"Host": "rebound.example"})
        http_request(server.port, "POST", "/", {"Host": "localhost:1", "Origin": 'n\xfcll"' + "x" * 3000})
        http_request(server.port, "POST", "/", {"Host": "localhost:1", "Origin": 'n\xfcll"'})
        lines = self.lines(server)
        for line in lines:
            self.assertRegex(line.pop("time"), TIME)
            self.assertEqual(len(line.pop("requestId")), 52)
        own, denied = f"127.0.0.1:{server.port}", {"address": "127.0.0.1", "outcome": "AccessDeniedException"}
        self.assertEqual(lines, [
            {**denied, "accessKey": "test", "host": own, "origin": "https://page.example"},
            {**denied, "host": "rebound.example"}, {**denied, "host": "localhost:1", "origin": "..."},
            {**denied, "host": "localhost:1", "origin": 'n\xfcll"'}])

    def test_users_roles_and_sessions(self):
        data = self.root / "data"
        server = self.serve("--data", data, "--auth", "--root-key", signing.write_key(self.root / "key"))
        rule = self.root / "rule.json"
        rule.write_text(json.dumps(READ_ONLY))
        trust = self.root / "trust.json"
        trust.write_text(json.dumps({"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole",
                                                    "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:user/anna"}}]}))
        gramme("user", "create", data, "anna", "--policy", f"rule={rule}")
        key = key_of(gramme("key", "create", data, "--user", "anna"))
        gramme("role", "create", data, "reader", "--trust", trust, "--policy", f"rule={rule}")
        anna = self.client(server, key[0], secret=key[1])
        self.refused("AccessDeniedException", anna.delete_table, TableName="one")
        sts = self.client(server, key[0], "sts", key[1])
        sts.get_caller_identity()
        role = f"arn:aws:iam::{ACCOUNT}:role/reader"
        taken = sts.assume_role(RoleArn=role, RoleSessionName="at-work")["Credentials"]
        self.refused("AccessDenied", sts.assume_role, RoleArn=role + "s", RoleSessionName="at-work")
        self.refused("SignatureDoesNotMatch", self.client(server, key[0], "sts", "wrong").get_caller_identity)
        session = boto3_client(server.endpoint, taken["AccessKeyId"], "dynamodb", taken["SecretAccessKey"],
                               taken["SessionToken"])
        self.addCleanup(session.close)
        self.refused("AccessDeniedException", session.delete_table, TableName="one")
        gramme("key", "list", data)
        gramme("user", "show", data, "anna")
        gramme("user", "create", data, "anna", status=1)
        gramme("key", "disable", data, key[0])
        gramme("key", "import", data, signing.write_key(self.root / "other", "AKIABROUGHTALONG0000", MARK), "--user", "anna")
        lines = self.lines(server)
        commands, lines = ([line for line in lines if (word in line)] for word in ("control", "address"))
        for line in commands:
            self.assertRegex(line.pop("time"), TIME)
        for line in commands[0], commands[2]:
            self.assertRegex(line.pop("made"), "^A[IR][DO]A")
        self.assertEqual(commands, [
            {"control": "create-user", "name": "anna", "outcome": "ok"},
            {"control": "create-key", "user": "anna", "made": key[0], "outcome": "ok"},
            {"control": "create-role", "name": "reader", "outcome": "ok"},
            {"control": "create-user", "name": "anna", "outcome": "failed"},
            {"control": "disable-key", "id": key[0], "outcome": "ok"},
            {"control": "import-key", "user": "anna", "id": "AKIABROUGHTALONG0000", "outcome": "ok"}])
        user = f"arn:aws:iam::{ACCOUNT}:user/anna"
        self.assertEqual([(line.get("principal"), line["accessKey"], line["operation"], line["outcome"],
                           [each["resource"] for each in line.get("permissions", [])]) for line in lines], [
            (user, key[0], "DeleteTable", "AccessDeniedException", [TABLES + "one"]),
            (user, key[0], "AssumeRole", "ok", [role]),
            (user, key[0], "AssumeRole", "AccessDenied", [role + "s"]),
            (None, key[0], "GetCallerIdentity", "SignatureDoesNotMatch", []),
            (f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/at-work", taken["AccessKeyId"], "DeleteTable", "AccessDeniedException",
             [TABLES + "one"])])
        text = self.path.read_text()
        for secret in (MARK, key[1], taken["SecretAccessKey"], taken["SessionToken"], signing.SECRET):
            self.assertNotIn(secret, text)


class Files(AuditTest):
    def test_standard_output(self):
        with Server("--memory", "--audit", "-") as server:
            create(self.client(server), "one")
        line, = [json.loads(text) for text in server.output.splitlines() if text.startswith("{")]
        self.assertEqual(short(line), ("CreateTable", [("CreateTable", "one")], "ok"))

    def test_a_file_that_cannot_be_made(self):
        done = subprocess.run([binary(), "serve", "--memory", "--port", "0", "--audit", self.root / "no/file"],
                              text=True, capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr.splitlines()[-1]),
                         (1, f"gramme: the audit log {self.root}/no/file cannot be opened: No such file or directory"))

    def test_it_is_appended_to(self):
        self.path.write_text("{}\n")
        server = self.serve()
        create(self.client(server), "one")
        self.assertEqual(self.lines(server)[0], {})

    def test_a_full_disk_stops_nobody(self):
        with Server("--memory", "--audit", "/dev/full") as server:
            client = self.client(server)
            create(client, "one")
            for i in range(100):
                client.put_item(TableName="one", Item=item(str(i)))
        self.assertIn("audit: /dev/full cannot be written to: No space left on device", server.error_text())
        self.assertLess(len(server.error_text().splitlines()), 20)

    def test_rotation_under_load(self):
        """Every answered write has its line in one of the files, though they are moved away all the time."""
        server = self.serve("--memory", "--threads", "2")
        create(self.client(server), "one")
        seen = [set() for _ in range(4)]
        stop = threading.Event()

        def write(ids):
            connection = Connection(server.port)
            i = 0
            while not stop.is_set():
                connection.call("PutItem", TableName="one", Item=item(str(i)))
                ids.add(connection.request_id)
                i += 1
            connection.close()

        threads = [threading.Thread(target=write, args=(ids,)) for ids in seen]
        for thread in threads:
            thread.start()
        for i in range(20):
            wait_until(lambda: self.path.exists() and self.path.stat().st_size > 0, "lines in a new file")
            self.path.rename(self.root / f"audit.log.{i}")
            server.process.send_signal(signal.SIGHUP)
        stop.set()
        for thread in threads:
            thread.join()
        server.stop()
        self.assertIn(f"the audit log {self.path} was opened anew", server.error_text())
        files = list(self.root.glob("audit.log*"))
        self.assertGreaterEqual(len(files), 20)
        lines = [json.loads(line) for path in files for line in path.read_text().splitlines()]
        ids = [line["requestId"] for line in lines if line.get("operation") == "PutItem"]
        self.assertEqual([line for line in lines if "dropped" in line], [])
        self.assertEqual((len(ids), set(ids)), (len(set(ids)), set.union(*seen)))


if __name__ == "__main__":
    unittest.main()
