"""Several servers write, and verify who asks, or read from a standby: what was forbidden is not written by any of them, and nobody
writes by what a standby still has."""

import os
import pathlib
import tempfile
import unittest

from botocore.exceptions import ClientError

import nodes
import shared_store
import signing
import test_nodes_access
from nodes import Follower, KEY_SCHEMA, create_table, metric, post
from server import Server, binary
from test_groups import share_of
from test_nodes_access import policy
from waiting import wait_until

client = test_nodes_access.Access.client  # and not its tests once more
KEYS = [f"k{n}" for n in range(12)]  # in all groups
STANDBY = 6002


def wait_for_halves(leader, member):
    wait_until(lambda: share_of(leader) == (1, 2, 4) and share_of(member) == (3, 4, 4), "halves for both")


class Verifying(unittest.TestCase):
    """A leader and another that writes beside it, which anna asks; `iam` talks to one or the other."""

    @classmethod
    def setUpClass(cls):
        cluster = cls.enterClassContext(shared_store.Cluster())
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (folder / "key").write_bytes(os.urandom(32))
        (folder / "key").chmod(0o600)
        arguments = ("--store", nodes.new_store(cluster, "--groups", "4"), "--auth", "--encrypt-with", folder / "key",
                     "--root-key", signing.write_key(folder / "root"))
        cls.servers = [cls.enterClassContext(Server(*arguments)), cls.enterClassContext(Follower(*arguments))]
        wait_for_halves(*cls.servers)
        cls.owner = client(cls.servers[1])
        cls.iams = [client(server, service="iam") for server in cls.servers]
        cls.owner.create_table(TableName="table", **KEY_SCHEMA)
        cls.iams[0].create_user(UserName="anna")
        cls.iams[1].put_user_policy(UserName="anna", PolicyName="all", PolicyDocument=policy("Allow", "PutItem", "UpdateItem", "BatchWriteItem", "GetItem"))
        cls.key = cls.iams[0].create_access_key(UserName="anna")["AccessKey"]
        cls.annas = [client(server, cls.key) for server in cls.servers]

    def expect(self, error, value):
        """Of writes of all keys at both, and of reads by the other one."""
        for at, anna in enumerate(self.annas):
            for key in KEYS:
                def write(key=key, anna=anna):
                    anna.put_item(TableName="table", Item={"k": {"S": key}, "v": {"S": f"{value}-{at}"}})
                if error is None:
                    write()
                    item = self.annas[1 - at].get_item(TableName="table", Key={"k": {"S": key}}, ConsistentRead=True)["Item"]
                    self.assertEqual(item["v"]["S"], f"{value}-{at}")
                else:
                    with self.assertRaises(ClientError) as caught:
                        write()
                    self.assertEqual(caught.exception.response["Error"]["Code"], error)

    def test_what_was_forbidden_is_written_by_nobody(self):
        """From the moment that was acknowledged, whichever server was told so."""
        for count, iam in enumerate(self.iams):
            iam.put_user_policy(UserName="anna", PolicyName="no", PolicyDocument=policy("Deny", "PutItem"))
            self.expect("AccessDeniedException", "never")
            iam.delete_user_policy(UserName="anna", PolicyName="no")
            self.expect(None, f"allowed-{count}")
            iam.update_access_key(UserName="anna", AccessKeyId=self.key["AccessKeyId"], Status="Inactive")
            self.expect("UnrecognizedClientException", "never")
            iam.update_access_key(UserName="anna", AccessKeyId=self.key["AccessKeyId"], Status="Active")
            self.expect(None, f"active-{count}")

    def test_a_wrong_signature_is_refused_by_both(self):
        for server in self.servers:
            forged = client(server, {**self.key, "SecretAccessKey": "wrong"})
            for key in KEYS:
                with self.assertRaises(ClientError) as caught:
                    forged.put_item(TableName="table", Item={"k": {"S": key}, "v": {"S": "forged"}})
                self.assertEqual(caught.exception.response["Error"]["Code"], "InvalidSignatureException")


class Standby(unittest.TestCase):

    def setUp(self):
        self.pair = self.enterContext(shared_store.Pair())
        primary, standby = (f"postgres://gramme@/postgres?host={self.pair.directory}&port={port}" for port in (6001, STANDBY))
        shared_store.init(binary(), primary, "--groups", "4")
        self.leader = self.enterContext(Server("--store", primary))
        self.member = self.enterContext(Follower("--store", primary, "--read-store", standby, "--read-lag", "10m"))
        wait_for_halves(self.leader, self.member)
        create_table(self.leader.port)

    def add(self, server):
        """One more in all keys."""
        for key in KEYS:
            reply = post(server.port, "UpdateItem", TableName="table", Key={"k": {"S": key}}, UpdateExpression="ADD n :one",
                         ExpressionAttributeValues={":one": {"N": "1"}})
            self.assertEqual(reply.status, 200, reply.body)

    def found(self, server, consistent):
        items = [post(server.port, "GetItem", TableName="table", Key={"k": {"S": key}}, ConsistentRead=consistent).json.get("Item") for key in KEYS]
        return {item and item["n"]["N"] for item in items}

    def test_nobody_writes_by_what_it_has(self):
        self.add(self.leader)

        def reads_there():
            before = metric(self.member.port, "standby_reads")
            return self.found(self.member, False) == {"1"} and metric(self.member.port, "standby_reads") == before + len(KEYS)

        wait_until(reads_there, "reading from the standby")
        self.pair.ask(STANDBY, "SELECT pg_wal_replay_pause()")
        wait_until(lambda: self.pair.ask(STANDBY, "SELECT pg_get_wal_replay_pause_state()") == ["paused"], "the pause")
        for server in (self.member, self.leader, self.member):
            self.add(server)
        for server in (self.leader, self.member):
            self.assertEqual(self.found(server, True), {"4"})
        self.assertEqual(self.found(self.leader, False), {"4"})
        self.assertEqual(self.found(self.member, False), {"1"})
        self.pair.ask(STANDBY, "SELECT pg_wal_replay_resume()")
        wait_until(lambda: self.found(self.member, False) == {"4"}, "the writes on the standby")


if __name__ == "__main__":
    unittest.main()
