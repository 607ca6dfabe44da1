"""Point-in-time recovery: any second of the window, exactly; what it costs to keep; over crashes."""

import base64
import datetime
import pathlib
import random
import tempfile
import threading
import unittest

from recovery import INDEXED, RecoveryTest, item, key, scan, turn_on, wait_active
from server import Server
from waiting import wait_until
from wire import advance, boto3_client, call, clock

TABLE_ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/table"
DAY = 86400
WRONG_TIME = ("InvalidRestoreTimeException: RestoreDateTime must be between EarliestRestorableDateTime and "
              "LatestRestorableDateTime of table 'table'")


class Recovery(RecoveryTest):
    def setUp(self):
        super().setUp()
        # The clock stands still at a whole second, and moves when it is told to.
        clock(self.server.port, Running=False)
        now = clock(self.server.port).json["Now"]
        clock(self.server.port, Now=int(now) + 2)

    def now(self):
        return clock(self.server.port).json["Now"]

    def restore(self, target, seconds=None, **options):
        """To a time, or to the latest one."""
        when = {"UseLatestRestorableTime": True} if seconds is None else \
            {"RestoreDateTime": datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)}
        return self.client.restore_table_to_point_in_time(
            SourceTableName="table", TargetTableName=target, **when, **options)["TableDescription"]

    def window(self, name="table"):
        recovery = self.call("DescribeContinuousBackups", {"TableName": name}).json["ContinuousBackupsDescription"]
        shown = recovery["PointInTimeRecoveryDescription"]
        return shown.get("EarliestRestorableDateTime"), shown.get("LatestRestorableDateTime")

    def set_days(self, days):
        self.assertEqual(self.call("UpdateContinuousBackups", {
            "TableName": "table", "PointInTimeRecoverySpecification": {
                "PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days}}).status, 200)

    # --- times ---

    def test_every_second_is_exact(self):
        self.create_indexed()
        self.fill(30)
        turn_on(self.client)
        start, expected = self.now(), {}
        state = {n: 1 for n in range(30)}
        expected[start] = dict(state)
        for second in range(1, 8):
            self.assertEqual(self.advance(1), start + second)
            self.put(second, version=second + 1)
            self.client.delete_item(TableName="table", Key=key(20 + second))
            self.put(100 + second, version=3)
            state.update({second: second + 1, 100 + second: 3})
            del state[20 + second]
            expected[start + second] = dict(state)
        for second, then in expected.items():
            reply = self.restore(f"to-{second:.0f}", second)
            self.assertEqual(reply["RestoreSummary"], {
                "SourceTableArn": TABLE_ARN, "RestoreInProgress": True,
                "RestoreDateTime": datetime.datetime.fromtimestamp(second, reply["RestoreSummary"]["RestoreDateTime"].tzinfo)})
        for second, then in expected.items():
            self.assert_restored(f"to-{second:.0f}", then)
        self.restore("latest")
        self.assert_restored("latest", state)

    def test_a_millisecond_is_exact_too(self):
        self.create_indexed()
        turn_on(self.client)
        start = self.now()
        for ms in range(1, 4):
            self.advance(0.001)
            self.put(1, version=ms)
        for ms in range(0, 4):
            self.assertEqual(self.call("RestoreTableToPointInTime", {
                "SourceTableName": "table", "TargetTableName": f"ms-{ms}",
                "RestoreDateTime": round(start + ms / 1000, 3)}).status, 200)
        for ms in range(0, 4):
            self.assert_restored(f"ms-{ms}", {1: ms} if ms else {})

    def test_the_window(self):
        self.create_indexed()
        self.put(1)
        self.assertEqual(self.window(), (None, None))
        turn_on(self.client)
        start = self.now()
        self.assertEqual(self.window(), (start, start))
        self.advance(100)
        self.assertEqual(self.window(), (start, start + 100))
        self.assert_refused(WRONG_TIME, self.restore, target="early", seconds=start - 1)
        self.assert_refused(WRONG_TIME, self.restore, target="late", seconds=start + 101)
        self.put(1, version=2)
        self.advance(3 * DAY)
        self.assertEqual(self.window(), (start, start + 100 + 3 * DAY))
        self.set_days(2)
        self.assertEqual(self.window()[0], start + 100 + DAY)
        self.assert_refused(WRONG_TIME, self.restore, target="early", seconds=start + DAY + 99)
        self.set_days(35)  # what was given up does not come back
        self.assertGreater(self.window()[0], start + DAY)
        self.put(1, version=3)
        earliest = self.window()[0]
        self.restore("earliest", earliest)
        self.assert_restored("earliest", {1: 2})
        # Off and on again, between two seconds: it begins anew, and with the next whole second when that is not in the future.
        self.call("UpdateContinuousBackups", {
            "TableName": "table", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False}})
        self.advance(0.75)
        turn_on(self.client)
        start = self.now()
        self.assertEqual(self.window(), (start, start))
        self.advance(0.249)
        self.assertEqual(self.window(), (start, round(start + 0.249, 3)))
        self.advance(0.001)
        self.assertEqual(self.window(), (start + 0.25, start + 0.25))
        # Off and on again: it begins anew.
        self.advance(10)
        self.call("UpdateContinuousBackups", {
            "TableName": "table", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False}})
        self.assert_refused("PointInTimeRecoveryUnavailableException: Point in time recovery is not enabled for table 'table'",
                            self.restore, target="off")
        self.put(1, version=4)
        self.advance(10)
        turn_on(self.client)
        self.assertEqual(self.window(), (self.now(), self.now()))
        self.assert_refused(WRONG_TIME, self.restore, target="early", seconds=self.now() - 1)

    def test_the_source_and_its_settings_then(self):
        self.create_indexed()
        turn_on(self.client)
        start = self.now()
        self.advance(10)
        self.client.update_table(TableName="table", ProvisionedThroughput={"ReadCapacityUnits": 50, "WriteCapacityUnits": 60})
        self.advance(10)
        self.client.update_table(TableName="table", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "global"}}])
        self.advance(10)
        tables = [self.restore(f"after-{seconds}", start + seconds) for seconds in (9, 10, 20)]
        self.assertEqual([t["ProvisionedThroughput"]["ReadCapacityUnits"] for t in tables], [10, 50, 50])
        self.assertEqual([[i["IndexName"] for i in t.get("GlobalSecondaryIndexes", [])] for t in tables],
                         [["global"], ["global"], []])
        self.assertEqual([a["AttributeName"] for a in tables[2]["AttributeDefinitions"]], ["l", "pk", "sk"])

    def test_overrides(self):
        self.create_indexed()
        turn_on(self.client)
        self.put(1)
        table = self.restore("new", BillingModeOverride="PAY_PER_REQUEST", GlobalSecondaryIndexOverride=[])
        self.assertEqual(table["BillingModeSummary"], {"BillingMode": "PAY_PER_REQUEST"})
        self.assertNotIn("GlobalSecondaryIndexes", table)
        self.assert_refused(
            "ValidationException: Invalid Request: Index other does not match a secondary index that existed in the source table and "
            "cannot be created during the restore operation", self.restore, target="wrong",
            LocalSecondaryIndexOverride=[{**INDEXED["LocalSecondaryIndexes"][0], "IndexName": "other"}])
        wait_active(self.client, "new")
        self.assertEqual(set(scan(self.client, "new")), {1})

    # --- while it goes on ---

    def test_a_restore_while_the_table_is_written_and_after(self):
        self.create_indexed()
        self.fill(300, bytes=30000)
        turn_on(self.client)
        self.advance(1)
        moment, stop, written = self.now(), threading.Event(), []
        self.advance(1)

        def write():
            client = boto3_client(self.server.endpoint)
            for n in range(100000):
                if stop.is_set():
                    break
                client.put_item(TableName="table", Item=item(n % 400, 2 + n % 5, 20000))
                if n % 3 == 0:
                    client.delete_item(TableName="table", Key=key(n * 7 % 400))
                written.append(n)
            client.close()

        thread = threading.Thread(target=write)
        thread.start()
        try:
            wait_until(lambda: len(written) >= 20, "writes")
            self.restore("new", moment)
            wait_active(self.client, "new")
        finally:
            stop.set()
            thread.join()
        self.assert_restored("new", {n: 1 for n in range(300)})

    def test_turning_it_off_does_not_break_a_restore(self):
        self.create_indexed()
        self.fill(300, bytes=30000)
        turn_on(self.client)
        moment = self.now()
        self.advance(1)
        self.put(5, version=9)
        self.restore("new", moment)
        self.call("UpdateContinuousBackups", {
            "TableName": "table", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False}})
        self.put(6, version=9)
        turn_on(self.client)
        self.advance(40 * DAY)
        self.put(7, version=9)
        self.assert_restored("new", {n: 1 for n in range(300)})

    def test_a_table_that_is_restored_from_cannot_go(self):
        self.create_indexed()
        self.fill(400, bytes=100000)
        turn_on(self.client)
        self.restore("new")
        self.assert_refused("ResourceInUseException: Attempt to change a resource which is still in use: Table is being backed up "
                            "or restored from: table", self.client.delete_table, TableName="table")
        self.client.delete_table(TableName="new")
        self.client.delete_table(TableName="table")
        self.assertEqual(self.client.list_tables()["TableNames"], [])


class Disk(unittest.TestCase):
    def test_a_restore_goes_on_after_crashes(self):
        with tempfile.TemporaryDirectory() as directory:
            server = Server("--data", directory, "--test-clock").start()
            client = boto3_client(server.endpoint)
            client.create_table(TableName="table", **INDEXED)
            for start in range(0, 400, 20):
                client.batch_write_item(RequestItems={"table": [
                    {"PutRequest": {"Item": item(n, 1, 40000)}} for n in range(start, start + 20)]})
            turn_on(client)
            clock(server.port, Running=False)
            advance(server.port, 1)
            moment = round(clock(server.port).json["Now"], 3)
            advance(server.port, 1)
            for n in range(0, 400, 3):
                client.put_item(TableName="table", Item=item(n, 2, 40000))
            reply = call(server.port, "RestoreTableToPointInTime", {
                "SourceTableName": "table", "TargetTableName": "new", "RestoreDateTime": moment})
            self.assertEqual(reply.status, 200, reply.body)
            for n in range(2):
                client.put_item(TableName="table", Item=item(n, 3))
                client.close()
                server.kill()
                server = Server("--data", directory, "--test-clock").start()
                client = boto3_client(server.endpoint)
            wait_active(client, "new")
            expected = {n: item(n, 1, 40000) for n in range(400)}
            self.assertEqual(scan(client, "new") == expected, True)
            self.assertEqual(scan(client, "new", IndexName="global") == expected, True)
            client.close()
            server.stop()

    def test_retention_frees_space(self):
        """Old history goes, and the files with it (tests/store_contract has smaller buffers and tells more)."""
        def size(path):
            try:
                return path.stat().st_size
            except FileNotFoundError:  # a compaction was quicker
                return 0

        def used_mb():  # The log, which has the last writes of all tables once more, comes and goes by itself.
            return sum(map(size, pathlib.Path(directory).rglob("*.sst"))) / 1e6

        with tempfile.TemporaryDirectory() as directory:
            with Server("--data", directory, "--test-clock", "--durability", "relaxed") as server:
                client = boto3_client(server.endpoint)
                client.create_table(
                    TableName="table", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                    AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
                call(server.port, "UpdateContinuousBackups", {
                    "TableName": "table", "PointInTimeRecoverySpecification": {
                        "PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 1}})
                text = base64.b64encode(random.Random(1).randbytes(280000)).decode()  # does not compress
                for n in range(700):
                    client.put_item(TableName="table", Item={"pk": {"S": "one"}, "n": {"N": str(n)}, "x": {"S": str(n) + text}})
                full = used_mb()
                advance(server.port, 2 * DAY)
                self.assertGreater(full, 180)
                # The newest files, about 100 MB, may stay for the next compaction; the rest goes at once.
                wait_until(lambda: used_mb() < full - 60, lambda: f"{used_mb()} MB of {full}")
                client.close()


if __name__ == "__main__":
    unittest.main()
