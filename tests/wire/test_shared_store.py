"""Several servers on one PostgreSQL store: how it is made, who leads, who takes over, and what is refused."""

import concurrent.futures
import json
import os
import pathlib
import re
import signal
import tempfile
import threading
import time
import unittest

import nodes
import shared_store
import wire
from nodes import Follower, KEY_SCHEMA, create_table, freeze, gauge, gramme, keys, post, put, ready
from server import Server
from waiting import WAIT_S, wait_until

CLUSTER = shared_store.Cluster()
setUpModule = CLUSTER.begin


def new_store():
    return nodes.new_store(CLUSTER)


def values(port):
    """Of the item "a", by both ways of reading."""
    item = post(port, "GetItem", TableName="table", Key={"k": {"S": "a"}}, ConsistentRead=True).json["Item"]
    [found] = post(port, "Scan", TableName="table", ConsistentRead=True).json["Items"]
    return {item["v"]["S"], found["v"]["S"]}


class Making(unittest.TestCase):
    def test_one_command_makes_it_and_may_be_run_again(self):
        url = shared_store.schema(CLUSTER.url, "making")
        served = gramme("serve", "--port", "0", "--store", url)
        self.assertEqual(served.returncode, 1)
        self.assertIn("There is no store in this database: gramme store init makes it", served.stderr)
        refused = gramme("store", "init", url)
        self.assertEqual(refused.returncode, 1)
        self.assertRegex(refused.stdout, r"fsync +off: a crash")
        self.assertIn("no store was made", refused.stderr)
        for _ in range(2):
            made = gramme("store", "init", "--unsafe", url)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            self.assertRegex(made.stdout, r"synchronous_standby_names +none")
        with Server("--store", url) as server:
            create_table(server.port)
            self.assertEqual(put(server.port, "a").status, 200)
            status, page = ready(server.port)
            self.assertEqual((status, page["status"], page["role"]), (200, "ready", "leading"))
        self.assertEqual(gramme("store", "init", "--unsafe", url).returncode, 0)
        with Server("--store", url) as server:
            self.assertEqual(keys(server.port), {"a"})

    def test_a_failover_that_ends_the_second_copy(self):
        """Both servers have to wait for others, and one that does not is noticed: before, at a failover, and at a start."""
        with shared_store.Pair() as pair:
            standby = f"postgres://gramme@/postgres?host={pair.directory}&port=6002"
            for port in (6001, 6002):
                pair.set(port, "fsync", "on")
            refused = gramme("store", "init", pair.url, "--standby", standby)
            self.assertEqual(refused.returncode, 1)
            self.assertRegex(refused.stdout, r"(?m)^standbys +\S+ \(streaming, sync\)$")
            self.assertRegex(refused.stdout, r"(?m)^role +gramme in schema public$")
            self.assertRegex(refused.stdout, "synchronous_standby_names +none: after a failover to it, commits would wait for no standby")
            self.assertIn("no store was made", refused.stderr)
            refused = gramme("store", "init", pair.url, "--standby", pair.url)
            self.assertRegex(refused.stdout, "transaction_read_only +off: it takes writes: it is no standby")
            pair.set(6002, "synchronous_standby_names", "*")
            self.assertEqual(gramme("store", "test", pair.url, "--standby", standby).returncode, 0)
            made = gramme("store", "init", pair.url, "--standby", standby)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            with Server("--store", pair.url) as server:
                create_table(server.port)
                pair.set(6002, "synchronous_standby_names", "")
                pair.fail_over()
                self.assertEqual(put(server.port, "a").status, 200)
                wait_until(lambda: "wait for no standby any more" in server.error_text(), "noticing")
            served = gramme("serve", "--port", "0", "--store", pair.url)
            self.assertEqual(served.returncode, 1)
            self.assertIn("commits wait for no standby: set synchronous_standby_names", served.stderr)
            self.assertEqual(gramme("store", "init", "--single", pair.url).returncode, 0)
            with Server("--store", pair.url) as server:
                self.assertEqual(keys(server.port), {"a"})

    def test_rights_are_looked_at(self):
        shared_store.ask(CLUSTER.url, "CREATE ROLE nobody_much LOGIN")
        refused = gramme("store", "init", "--single", CLUSTER.url.replace("gramme@", "nobody_much@"))
        self.assertEqual(refused.returncode, 1)
        self.assertRegex(refused.stdout, r"(?m)^role +nobody_much in schema public: it may not create tables there")

    def test_a_server_is_tried(self):
        tried = gramme("store", "test", "--single", CLUSTER.url)
        self.assertEqual((tried.returncode, tried.stderr),
                         (1, "gramme: this server cannot be trusted with a store: 1 settings, 0 trials\n"))
        shared_store.ask(CLUSTER.url, "ALTER SYSTEM SET fsync = on")
        self.addCleanup(shared_store.ask, CLUSTER.url, "SELECT pg_reload_conf()")
        self.addCleanup(shared_store.ask, CLUSTER.url, "ALTER SYSTEM RESET fsync")
        shared_store.ask(CLUSTER.url, "SELECT pg_reload_conf()")
        wait_until(lambda: shared_store.ask(CLUSTER.url, "SHOW fsync") == ["on"], "fsync")
        tried = gramme("store", "test", CLUSTER.url)
        self.assertRegex(tried.stdout, "synchronous_standby_names +none: commits wait for no standby: there is one copy")
        tried = gramme("store", "test", "--single", CLUSTER.url)
        self.assertEqual((tried.returncode, tried.stderr), (0, ""))
        for line in ("write skew +ok +100 of 100 races had one winner", "lost updates +ok +300 of 300", "fencing +ok", "keys +ok",
                     "reads of one moment +ok +0 of", r"commit of 64 +p50 [\d.]+ ms"):
            self.assertRegex(tried.stdout, f"(?m)^{line}")
        self.assertEqual(shared_store.ask(CLUSTER.url, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'gramme_trial%'"), [])

    def test_a_password_is_told_to_nobody(self):
        for command in (["serve", "--port", "0", "--store"], ["store", "init"]):
            for url in ("postgres://me:hunter2@127.0.0.1:1/x", "host=127.0.0.1 port=1 password=hunter2",
                        "postgres://me:hunter2@host:port:x/?what=1"):
                with self.subTest(command=command, url=url):
                    done = gramme(*command, url)
                    self.assertEqual(done.returncode, 1)
                    self.assertNotIn("hunter2", done.stdout + done.stderr)

    def test_what_goes_with_what(self):
        for arguments, text in (
                (["--store", "elsewhere:x"], "rocksdb:DIR, memory: or a postgres:// URL"),
                (["--store", "rocksdb:"], "rocksdb:DIR, memory: or a postgres:// URL"),
                (["--store", "memory:", "--memory"], "do not go together"),
                (["--store", "postgres://x/", "--data", "d"], "--data"),
                (["--store", "postgres://x/", "--auth"], "--encrypt-with")):
            with self.subTest(arguments=arguments):
                done = gramme("serve", *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn(text, done.stderr)

    def test_directories_and_memory_are_stores_too(self):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                with Server("--store", f"rocksdb:{folder}/data") as server:
                    if post(server.port, "ListTables").json["TableNames"] == []:
                        create_table(server.port)
                    put(server.port, "a")
                    self.assertEqual(keys(server.port), {"a"})
            self.assertTrue(pathlib.Path(folder, "data").is_dir())
        with Server("--store", "memory:") as server:
            self.assertEqual(ready(server.port), (200, {"status": "ready"}))


class Leading(unittest.TestCase):
    def test_who_follows_says_so_and_takes_over(self):
        store = new_store()
        with Server("--store", store) as leader, Follower("--store", store) as follower:
            create_table(leader.port)
            put(leader.port, "a")
            place = ready(leader.port)[1]["leader"]
            self.assertEqual(ready(leader.port), (200, {"status": "ready", "role": "leading", "leader": place}))
            self.assertEqual(ready(follower.port), (200, {"status": "ready", "role": "serving", "leader": place}))
            self.assertEqual(put(follower.port, "b").status, 200)
            leader.stop()
            follower.wait_for_lead()
            self.assertEqual(ready(follower.port)[1]["role"], "leading")
            self.assertNotEqual(ready(follower.port)[1]["leader"], place)
            self.assertEqual(put(follower.port, "c").status, 200)
            self.assertEqual(keys(follower.port), {"a", "b", "c"})

    def test_who_follows_can_be_stopped(self):
        store = new_store()
        with Server("--store", store) as leader:
            with Follower("--store", store):
                pass
            self.assertEqual(ready(leader.port)[0], 200)

    def test_a_leader_that_was_stopped_is_fenced(self):
        store = new_store()
        leader = Server("--store", store).start()
        self.addCleanup(leader.process.kill)
        with Follower("--store", store) as follower:
            create_table(leader.port)
            put(leader.port, "a", "old")
            freeze(leader)
            # On its way to the leader already, and answered when it wakes up: but not with a 200.
            statuses = []
            late = threading.Thread(target=lambda: statuses.append(self.late_put(leader.port)))
            late.start()
            follower.wait_for_lead()
            self.assertEqual(put(follower.port, "a", "new").status, 200)
            os.kill(leader.process.pid, signal.SIGCONT)
            self.assertEqual(leader.process.wait(WAIT_S), 1)
            late.join()
            self.assertNotIn(200, statuses)
            self.assertIn("leads its store no more, and ends", leader.error_text())
            self.assertNotIn("division by zero", leader.error_text())  # by which the database refuses
            leader.reader.join()
            leader.process.stdout.close()
            item = post(follower.port, "GetItem", TableName="table", Key={"k": {"S": "a"}}).json["Item"]
            self.assertEqual(item["v"]["S"], "new")

    @staticmethod
    def late_put(port):
        try:
            return put(port, "a", "too late").status
        except OSError:
            return None

    def test_keys_are_the_same_on_all_of_them(self):
        store = new_store()
        with tempfile.TemporaryDirectory() as folder:
            key = pathlib.Path(folder, "key")
            key.write_bytes(os.urandom(32))
            key.chmod(0o600)
            arguments = ("--store", store, "--auth", "--encrypt-with", key)
            with Server(*arguments) as leader:
                made = dict(re.findall(r"aws_(access_key_id|secret_access_key) = (\S+)", leader.output))
                wait_until(lambda: "try" in leader.output, "the start")
                client = wire.boto3_client(leader.endpoint, made["access_key_id"], secret=made["secret_access_key"])
                client.create_table(TableName="table", **KEY_SCHEMA)
                # There is no socket for `gramme user` here: IAM's API is how users are made.
                iam = wire.boto3_client(leader.endpoint, made["access_key_id"], "iam", made["secret_access_key"])
                iam.create_user(UserName="anna")
                iam.put_user_policy(UserName="anna", PolicyName="read", PolicyDocument=json.dumps(
                    {"Statement": {"Effect": "Allow", "Action": "dynamodb:ListTables", "Resource": "*"}}))
                anna = iam.create_access_key(UserName="anna")["AccessKey"]
            with Server(*arguments) as other:
                for key in ((made["access_key_id"], made["secret_access_key"]), (anna["AccessKeyId"], anna["SecretAccessKey"])):
                    client = wire.boto3_client(other.endpoint, key[0], secret=key[1])
                    self.assertEqual(client.list_tables()["TableNames"], ["table"])


class Load:
    """Clients that put items, each its own, to whoever leads."""

    def __init__(self, port):
        self.port = port
        self.acknowledged = set()
        self.errors = 0
        self.ends = False
        self.threads = [threading.Thread(target=self.run, args=(n,)) for n in range(4)]
        for thread in self.threads:
            thread.start()

    def run(self, n):
        count = 0
        while not self.ends:
            key = f"{n}-{count}"
            try:
                done = put(self.port, key).status == 200
            except OSError:
                done = False
            if done:
                self.acknowledged.add(key)
                count += 1
            else:
                self.errors += 1
                time.sleep(0.002)

    def end(self):
        self.ends = True
        for thread in self.threads:
            thread.join()


class Killing(unittest.TestCase):
    def check(self, port, load, pauses):
        """Nothing that was acknowledged is missing, and nothing was counted twice or not at all."""
        found = keys(port)
        self.assertEqual(load.acknowledged - found, set())
        self.assertEqual(post(port, "DescribeTable", TableName="table").json["Table"]["ItemCount"], len(found))
        print(f"# {len(load.acknowledged)} puts acknowledged, none lost, {load.errors} errors; "
              f"pauses of {', '.join(f'{1000 * pause:.0f}' for pause in pauses)} ms")

    def test_postgresql_crashes(self):
        """A session that is killed takes the server down, which recovers: every connection is lost, in whatever it did."""
        pauses = []
        with Server("--store", new_store()) as server:
            create_table(server.port)
            load = Load(server.port)
            try:
                for _ in range(4):
                    before = len(load.acknowledged)
                    wait_until(lambda: len(load.acknowledged) > before + 50, "writing")
                    began = time.monotonic()
                    pid = shared_store.ask(CLUSTER.url, "SELECT pid FROM pg_stat_activity WHERE application_name = 'gramme' "
                                                        "ORDER BY backend_start DESC LIMIT 1")[0]
                    lost = gauge(server.port, "store_connections_lost_total")
                    os.kill(int(pid), signal.SIGKILL)
                    wait_until(lambda: gauge(server.port, "store_connections_lost_total") > lost, "losing connections")
                    before = len(load.acknowledged)
                    wait_until(lambda: len(load.acknowledged) > before + 20, "writing again")
                    pauses.append(time.monotonic() - began)
            finally:
                load.end()
            self.check(server.port, load, pauses)
            self.assertEqual(load.errors, 0)

    def test_a_standby_is_promoted(self):
        """What was acknowledged is on the standby, and whatever was on its way is looked up there."""
        with shared_store.Pair() as pair:
            made = gramme("store", "init", "--unsafe", pair.url)
            self.assertRegex(made.stdout, r"synchronous_standby_names +\*")
            with Server("--store", pair.url) as server:
                create_table(server.port)
                load = Load(server.port)
                try:
                    wait_until(lambda: len(load.acknowledged) > 200, "writing")
                    wait_until(lambda: gauge(server.port, "store_standbys_waited_for") == 1, "seeing the standby")
                    self.assertEqual(gauge(server.port, "store_standbys"), 1)
                    for unit in ("bytes", "seconds"):
                        self.assertGreaterEqual(gauge(server.port, f"store_standby_lag_{unit}"), 0)
                    began = time.monotonic()
                    pair.fail_over()
                    before = len(load.acknowledged)
                    wait_until(lambda: len(load.acknowledged) > before + 20, "writing again")
                    pause = time.monotonic() - began
                finally:
                    load.end()
                self.check(server.port, load, [pause])
                self.assertEqual(load.errors, 0)
                wait_until(lambda: gauge(server.port, "store_standbys") == 0, "seeing that it has none")
                self.assertGreaterEqual(gauge(server.port, "store_connections_lost_total"), 1)

    def test_a_commit_that_no_longer_waits_for_its_standby(self):
        """Somebody cancels the wait, and PostgreSQL answers that it committed. It did so on the primary alone, which is lost then."""
        with shared_store.Pair() as pair:
            self.assertEqual(gramme("store", "init", "--unsafe", pair.url).returncode, 0)
            with Server("--store", pair.url) as server, concurrent.futures.ThreadPoolExecutor(1) as clients:
                create_table(server.port)
                pair.cut_standby()
                write = clients.submit(put, server.port, "a", "acknowledged")
                canceled = ""

                def waiting():
                    return pair.ask(6001, "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")

                for times in range(3):
                    wait_until(lambda: write.done() or waiting() not in ([], [canceled]), "a commit that waits")
                    if times < 2 and not write.done():
                        [canceled] = waiting()
                        pair.ask(6001, f"SELECT pg_cancel_backend({canceled})")
                pair.fail_over()
                self.assertEqual(write.result().status, 200)
                self.assertEqual(values(server.port), {"acknowledged"})
                for name in ("settled", "repeated"):
                    self.assertEqual(gauge(server.port, f"store_commits_{name}_total"), 1)

    def test_a_primary_that_was_replaced_is_not_read(self):
        """It goes on as one that takes writes, and is the first in the URL, until somebody ends it."""
        with shared_store.Pair() as pair:
            self.assertEqual(gramme("store", "init", "--unsafe", pair.url).returncode, 0)
            with Server("--store", f"{pair.url}&connect_timeout=2") as server, concurrent.futures.ThreadPoolExecutor(12) as readers:
                create_table(server.port)
                self.assertEqual(put(server.port, "a", "before").status, 200)
                self.assertEqual(values(server.port), {"before"})
                pair.fail_over_from_frozen()
                frozen = time.time()
                wait_until(lambda: gauge(server.port, "store_contact_timestamp_seconds") > frozen, "finding its successor")
                self.assertEqual(put(server.port, "a", "after").status, 200)
                pair.signal_primary(signal.SIGCONT)
                wait_until(lambda: pair.ask(6001, "SHOW transaction_read_only") == ["off"], "the old one's answer")
                seen = [readers.submit(values, server.port) for _ in range(24)]
                wait_until(lambda: "another was promoted in the place of" in server.error_text() or all(each.done() for each in seen), "reading")
                pair.end_primary()
                self.assertEqual(set().union(*(each.result() for each in seen)), {"after"})

    def test_nothing_acknowledged_is_lost(self):
        store = new_store()
        leader, pauses = Server("--store", store).start(), []
        self.addCleanup(leader.process.kill)
        create_table(leader.port)
        load = Load(leader.port)
        try:
            for _ in range(3):
                follower = Follower("--store", store).start()
                self.addCleanup(follower.process.kill)
                before = len(load.acknowledged)
                wait_until(lambda: len(load.acknowledged) > before + 50, "writing")
                leader.kill()
                began, before = time.monotonic(), len(load.acknowledged)
                load.port = follower.port
                wait_until(lambda: len(load.acknowledged) > before + 8, "writing again")
                pauses.append(time.monotonic() - began)
                leader = follower
        finally:
            load.end()
        self.check(leader.port, load, pauses)
        leader.stop()


if __name__ == "__main__":
    unittest.main()
