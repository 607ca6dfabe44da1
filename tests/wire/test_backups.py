"""On-demand backups: taken under load, listed, restored, deleted; of deleted tables; over crashes."""

import datetime
import json
import tempfile
import threading
import unittest

import shell
from recovery import INDEXED, RecoveryTest, item, key, scan, turn_on, wait_active, wait_available
from server import Server
from wire import boto3_client, call, clock, only

TABLE_ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/table"


COPY = object()  # stands for what a copy is made into: the backup's ARN or the table's name


class Backups(RecoveryTest):
    def test_a_backup_as_it_is_shown(self):
        self.create_indexed(StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
                            SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "key"})
        self.client.update_time_to_live(TableName="table",
                                        TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
        table = self.client.describe_table(TableName="table")["Table"]
        self.put(1)
        self.put(2)
        self.client.delete_item(TableName="table", Key=key(2))
        created = only(self.client.create_backup(TableName="table", BackupName="one"))["BackupDetails"]
        arn = created["BackupArn"]
        self.assertRegex(arn, f"^{TABLE_ARN}/backup/[0-9]{{14}}-[0-9a-f]{{8}}$")
        self.assertEqual(created, {
            "BackupArn": arn, "BackupName": "one", "BackupSizeBytes": 25, "BackupStatus": "CREATING", "BackupType": "USER",
            "BackupCreationDateTime": created["BackupCreationDateTime"]})
        wait_available(self.client, arn)
        description = {
            "BackupDetails": {**created, "BackupStatus": "AVAILABLE"},
            "SourceTableDetails": {
                "TableName": "table", "TableId": table["TableId"], "TableArn": TABLE_ARN, "TableSizeBytes": 25, "ItemCount": 1,
                "KeySchema": table["KeySchema"], "TableCreationDateTime": table["CreationDateTime"], "BillingMode": "PROVISIONED",
                "ProvisionedThroughput": {"ReadCapacityUnits": 10, "WriteCapacityUnits": 20}},
            "SourceTableFeatureDetails": {
                "LocalSecondaryIndexes": [{"IndexName": "local", "KeySchema": INDEXED["LocalSecondaryIndexes"][0]["KeySchema"],
                                           "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["w", "x"]}}],
                "GlobalSecondaryIndexes": INDEXED["GlobalSecondaryIndexes"],
                "StreamDescription": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
                "TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "ends"},
                "SSEDescription": table["SSEDescription"]}}
        self.assertEqual(only(self.client.describe_backup(BackupArn=arn)), {"BackupDescription": description})
        description["BackupDetails"]["BackupStatus"] = "DELETED"
        self.assertEqual(only(self.client.delete_backup(BackupArn=arn)), {"BackupDescription": description})
        for operation in (self.client.describe_backup, self.client.delete_backup):
            self.assert_refused(f"BackupNotFoundException: Backup not found: {arn}", operation, BackupArn=arn)
        self.assertEqual(only(self.client.list_backups()), {"BackupSummaries": []})

    def test_the_arn_names_the_table_too(self):
        self.create("other")
        self.create_indexed()
        arn = self.backup()
        wait_available(self.client, arn)
        wrong = arn.replace("table/table", "table/other")
        self.assert_refused(f"BackupNotFoundException: Backup not found: {wrong}", self.client.describe_backup, BackupArn=wrong)

    def test_lists(self):
        clock(self.server.port, Running=False)
        self.create("a-table")
        self.create("b-table")
        arns, start = [], self.advance(1)
        for n in range(6):
            arns.append(self.backup("ab"[n % 2] + "-table", f"backup-{n}"))
            wait_available(self.client, arns[-1])
            self.advance(10)
        turn_on(self.client, "b-table")
        self.client.delete_table(TableName="b-table")

        def names(**options):
            listed, answer = [], {}
            while True:
                answer = self.client.list_backups(**options)
                listed += [summary["BackupName"] for summary in answer["BackupSummaries"]]
                if "LastEvaluatedBackupArn" not in answer:
                    return listed
                options["ExclusiveStartBackupArn"] = answer["LastEvaluatedBackupArn"]

        every = [f"backup-{n}" for n in range(6)]
        try:
            self.assertEqual(names(), every)
            for limit in (1, 2, 3, 5, 6):
                self.assertEqual(names(Limit=limit), every)
                self.assertEqual(names(Limit=limit, TableName="a-table"), every[::2])
            self.assertEqual(names(BackupType="ALL", TableName="b-table"), every[1::2] + ["b-table$DeletedTableBackup"])
            self.assertEqual(names(BackupType="SYSTEM", TableName="b-table"), ["b-table$DeletedTableBackup"])
            self.assertEqual(names(BackupType="USER", TableName="b-table"), every[1::2])
            self.assertEqual(names(BackupType="AWS_BACKUP"), [])
            at = datetime.datetime.fromtimestamp
            self.assertEqual(names(TimeRangeLowerBound=at(int(start) + 11)), every[2:])
            reply = self.call("ListBackups", {"TimeRangeLowerBound": start + 10, "TimeRangeUpperBound": start + 30}).json
            self.assertEqual([s["BackupName"] for s in reply["BackupSummaries"]], every[1:3])
            page = self.client.list_backups(Limit=6)
            self.assertNotIn("LastEvaluatedBackupArn", page)
            self.assertEqual(self.client.list_backups(Limit=2)["LastEvaluatedBackupArn"], arns[1])
            self.assertEqual(set(page["BackupSummaries"][0]), {
                "TableName", "TableId", "TableArn", "BackupArn", "BackupName", "BackupSizeBytes", "BackupStatus", "BackupType",
                "BackupCreationDateTime"})
        finally:
            clock(self.server.port, Running=True)

    # --- restoring ---

    def test_a_table_is_restored(self):
        self.create_indexed(Tags=[{"Key": "k", "Value": "v"}],
                            StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
                            SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "key"})
        turn_on(self.client)
        self.call("UpdateTable", {"TableName": "table", "DeletionProtectionEnabled": True})
        self.client.update_time_to_live(TableName="table",
                                        TimeToLiveSpecification={"Enabled": True, "AttributeName": "ends"})
        self.fill(500)
        before = self.client.describe_table(TableName="table")["Table"]
        arn = self.backup()
        details = wait_available(self.client, arn)
        self.put(1, version=2)
        self.client.delete_item(TableName="table", Key=key(2))
        reply = self.client.restore_table_from_backup(BackupArn=arn, TargetTableName="new")["TableDescription"]
        summary = {"SourceBackupArn": arn, "SourceTableArn": TABLE_ARN, "RestoreDateTime": details["BackupCreationDateTime"]}
        self.assertEqual((reply["TableStatus"], reply["RestoreSummary"], reply["GlobalSecondaryIndexes"][0]["IndexStatus"]),
                         ("CREATING", {**summary, "RestoreInProgress": True}, "CREATING"))
        self.assert_restored("new", {n: 1 for n in range(500)})
        after = self.client.describe_table(TableName="new")["Table"]
        self.assertEqual(after["RestoreSummary"], {**summary, "RestoreInProgress": False})
        for member in ("KeySchema", "AttributeDefinitions", "ProvisionedThroughput", "SSEDescription", "ItemCount", "TableSizeBytes"):
            self.assertEqual(after[member], before[member], member)
        for family in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
            strip = [{k: v for k, v in index.items() if k != "IndexArn"} for index in before[family]]
            self.assertEqual([{k: v for k, v in index.items() if k != "IndexArn"} for index in after[family]], strip)
        self.assertNotEqual(after["TableId"], before["TableId"])
        self.assertNotIn("StreamSpecification", after)
        self.assertFalse(self.call("DescribeTable", {"TableName": "new"}).json["Table"]["DeletionProtectionEnabled"])
        self.assertEqual(self.client.list_tags_of_resource(ResourceArn=after["TableArn"])["Tags"], [])
        self.assertEqual(self.client.describe_time_to_live(TableName="new")["TimeToLiveDescription"], {"TimeToLiveStatus": "DISABLED"})
        recovery = self.client.describe_continuous_backups(TableName="new")["ContinuousBackupsDescription"]
        self.assertEqual(recovery["PointInTimeRecoveryDescription"], {"PointInTimeRecoveryStatus": "DISABLED"})
        # And it is a table like any other.
        self.client.put_item(TableName="new", Item=item(1000, 7))
        self.assertEqual(scan(self.client, "new", IndexName="global")[1000], item(1000, 7))

    def test_overrides(self):
        self.create_indexed()
        self.fill(10)
        arn = self.backup()
        wait_available(self.client, arn)

        def restore(**options):
            self.client.restore_table_from_backup(BackupArn=arn, TargetTableName="new", **options)
            wait_active(self.client, "new")
            table = self.client.describe_table(TableName="new")["Table"]
            self.assertEqual(set(scan(self.client, "new")), set(range(10)))
            self.client.delete_table(TableName="new")
            return table

        table = restore(BillingModeOverride="PAY_PER_REQUEST")
        self.assertEqual(table["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST")
        self.assertEqual([t["ProvisionedThroughput"]["ReadCapacityUnits"] for t in (table, *table["GlobalSecondaryIndexes"])], [0, 0])
        table = restore(ProvisionedThroughputOverride={"ReadCapacityUnits": 7, "WriteCapacityUnits": 8})
        self.assertEqual(table["ProvisionedThroughput"]["WriteCapacityUnits"], 8)
        self.assertEqual(table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["WriteCapacityUnits"], 4)
        table = restore(GlobalSecondaryIndexOverride=[], LocalSecondaryIndexOverride=[])
        self.assertEqual(table["AttributeDefinitions"], [{"AttributeName": "pk", "AttributeType": "S"},
                                                         {"AttributeName": "sk", "AttributeType": "N"}])
        self.assertNotIn("GlobalSecondaryIndexes", table)
        self.assertNotIn("LocalSecondaryIndexes", table)
        table = restore(GlobalSecondaryIndexOverride=[{
            **INDEXED["GlobalSecondaryIndexes"][0], "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}}])
        self.assertEqual(table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["WriteCapacityUnits"], 2)
        self.assertEqual(len(table["LocalSecondaryIndexes"]), 1)
        table = restore(SSESpecificationOverride={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "other"})
        self.assertEqual(table["SSEDescription"]["KMSMasterKeyArn"], "arn:aws:kms:us-east-1:000000000000:key/other")
        reply = self.call("RestoreTableFromBackup", {
            "BackupArn": arn, "TargetTableName": "new", "BillingModeOverride": "PAY_PER_REQUEST",
            "OnDemandThroughputOverride": {"MaxReadRequestUnits": 50}})
        self.assertEqual(reply.json["TableDescription"]["OnDemandThroughput"], {"MaxReadRequestUnits": 50})

    def test_overrides_that_do_not_fit(self):
        self.create_indexed()
        arn = self.backup()
        wait_available(self.client, arn)
        index = INDEXED["GlobalSecondaryIndexes"][0]
        for change in ({"IndexName": "another"}, {"Projection": {"ProjectionType": "KEYS_ONLY"}},
                       {"KeySchema": [{"AttributeName": "l", "KeyType": "HASH"}]}):
            wrong = {**index, **change}
            self.assert_refused(
                f"ValidationException: Invalid Request: Index {wrong['IndexName']} does not match a secondary index that existed in "
                "the source table and cannot be created during the restore operation",
                self.client.restore_table_from_backup, BackupArn=arn, TargetTableName="new", GlobalSecondaryIndexOverride=[wrong])
        self.assert_refused("ValidationException: One or more parameter values were invalid: Duplicate index name: global",
                            self.client.restore_table_from_backup, BackupArn=arn, TargetTableName="new",
                            GlobalSecondaryIndexOverride=[index, index])
        self.assert_refused("TableAlreadyExistsException: Table already exists: table",
                            self.client.restore_table_from_backup, BackupArn=arn, TargetTableName="table")
        self.assertEqual(self.client.list_tables()["TableNames"], ["table"])

    # --- while it goes on ---

    def refused_meanwhile(self, begin, goes_on, end, refusals):
        """Every call is refused while the copy that begin() starts goes on. The copy may be over before the call
        comes, on a machine with other things to do: then that says nothing, and is tried again."""
        for text, call, arguments in refusals:
            for attempt in range(10):
                copy = begin()
                arguments = {name: copy if value is COPY else value for name, value in arguments.items()}
                try:
                    self.assert_refused(text.replace("COPY", copy), call, **arguments)
                    break
                except AssertionError:
                    if attempt == 9 or goes_on(copy):
                        raise
                finally:
                    end(copy)

    def test_what_is_refused_while_a_backup_is_taken(self):
        self.create_indexed()
        self.fill(200, bytes=100000)

        def begin():
            return self.backup()

        def goes_on(arn):
            return self.client.describe_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]["BackupStatus"] == "CREATING"

        def end(arn):
            wait_available(self.client, arn)

        self.refused_meanwhile(begin, goes_on, end, [
            ("BackupInUseException: A backup of the table is being created: table",
             self.client.create_backup, {"TableName": "table", "BackupName": "two"}),
            ("BackupInUseException: Backup is in use: COPY", self.client.delete_backup, {"BackupArn": COPY}),
            ("BackupInUseException: Backup is in use: COPY",
             self.client.restore_table_from_backup, {"BackupArn": COPY, "TargetTableName": "new"}),
            ("ResourceInUseException: Attempt to change a resource which is still in use: Table is being backed up "
             "or restored from: table", self.client.delete_table, {"TableName": "table"}),
        ])

    def test_what_is_refused_while_a_table_is_restored(self):
        self.create_indexed()
        self.fill(200, bytes=100000)
        arn = self.backup()
        wait_available(self.client, arn)

        def begin():
            self.client.restore_table_from_backup(BackupArn=arn, TargetTableName="new")
            return "new"

        def goes_on(name):
            return self.client.describe_table(TableName=name)["Table"]["TableStatus"] == "CREATING"

        def end(name):
            self.client.delete_table(TableName=name)

        gone = "ResourceNotFoundException: Requested resource not found"
        self.refused_meanwhile(begin, goes_on, end, [
            (f"BackupInUseException: Backup is in use: {arn}", self.client.delete_backup, {"BackupArn": arn}),
            (gone, self.client.put_item, {"TableName": COPY, "Item": item(1)}),
            (gone, self.client.get_item, {"TableName": COPY, "Key": key(1)}),
            (gone, self.client.scan, {"TableName": COPY}),
            ("ResourceInUseException: Attempt to change a resource which is still in use: Table is being created: COPY",
             self.client.update_table, {"TableName": COPY, "BillingMode": "PAY_PER_REQUEST"}),
            ("ContinuousBackupsUnavailableException: Backups are being enabled for the table: COPY. Please retry later",
             turn_on, {"client": self.client, "name": COPY}),
            ("TableInUseException: Table is being created: COPY",
             self.client.create_backup, {"TableName": COPY, "BackupName": "two"}),
        ])
        # It ends with its table, and the backup is free again.
        self.client.delete_backup(BackupArn=arn)

    def test_a_backup_under_load_is_of_one_moment(self):
        """Money is moved between accounts while backups are taken; no backup has more or less of it."""
        accounts, total = 200, 200 * 100
        self.create("money", hash="pk:S")
        for start in range(0, accounts, 25):
            self.client.batch_write_item(RequestItems={"money": [
                {"PutRequest": {"Item": {"pk": {"S": str(n)}, "v": {"N": "100"}, "fill": {"S": "x" * 5000}}}}
                for n in range(start, start + 25)]})
        stop = threading.Event()

        def move(seed):
            client, n = boto3_client(self.server.endpoint), seed
            while not stop.is_set():
                n = n * 1103515245 + 12345 & 0x7fffffff
                pair = [str(n % accounts), str((n // accounts + 1 + n) % accounts)]
                if pair[0] == pair[1]:
                    continue
                client.transact_write_items(TransactItems=[
                    {"Update": {"TableName": "money", "Key": {"pk": {"S": account}}, "UpdateExpression": "ADD v :v",
                                "ExpressionAttributeValues": {":v": {"N": change}}}} for account, change in zip(pair, ("-1", "1"))])
            client.close()

        threads = [threading.Thread(target=move, args=(seed,)) for seed in range(3)]
        for thread in threads:
            thread.start()
        try:
            for n in range(4):
                arn = self.backup("money", f"backup-{n}")
                wait_available(self.client, arn)
                self.client.restore_table_from_backup(BackupArn=arn, TargetTableName=f"copy-{n}")
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        for n in range(4):
            wait_active(self.client, f"copy-{n}")
            pages = self.client.get_paginator("scan").paginate(TableName=f"copy-{n}", ProjectionExpression="v")
            values = [int(found["v"]["N"]) for page in pages for found in page["Items"]]
            self.assertEqual((len(values), sum(values)), (accounts, total))

    # --- deleted tables ---

    def test_a_backup_outlives_its_table(self):
        self.create_indexed()
        self.fill(50)
        arn = self.backup()
        wait_available(self.client, arn)
        self.client.delete_table(TableName="table")
        self.create_indexed()  # another one of the same name
        self.put(1000, version=9)
        self.client.delete_table(TableName="table")
        self.client.restore_table_from_backup(BackupArn=arn, TargetTableName="table")
        self.assert_restored("table", {n: 1 for n in range(50)})

    def test_the_system_backup_of_a_deleted_table(self):
        self.create_indexed("deleted")
        self.fill(50, name="deleted")
        turn_on(self.client, "deleted")
        self.put(3, version=4, name="deleted")
        self.client.delete_table(TableName="deleted")
        summary, = self.client.list_backups(BackupType="SYSTEM", TableName="deleted")["BackupSummaries"]
        arn = summary["BackupArn"]
        self.assertEqual((summary["BackupName"], summary["BackupStatus"], summary["BackupType"]),
                         ("deleted$DeletedTableBackup", "AVAILABLE", "SYSTEM"))
        self.assertEqual(summary["BackupExpiryDateTime"] - summary["BackupCreationDateTime"], datetime.timedelta(days=35))
        expiry = summary["BackupExpiryDateTime"].astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.assert_refused(
            f"ValidationException: Invalid Request: User is not allowed to delete the system backup with arn {arn}. "
            f"It will automatically expire on {expiry}", self.client.delete_backup, BackupArn=arn)
        self.client.restore_table_from_backup(BackupArn=arn, TargetTableName="again")
        self.assert_restored("again", {**{n: 1 for n in range(50)}, 3: 4})
        self.advance(35 * 86400 - 60)
        self.assertEqual(self.client.describe_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]["BackupStatus"], "AVAILABLE")
        self.advance(120)
        for _ in range(500):
            if call(self.server.port, "DescribeBackup", {"BackupArn": arn}).status != 200:
                break
        self.assert_refused(f"BackupNotFoundException: Backup not found: {arn}", self.client.describe_backup, BackupArn=arn)

    # --- the command line ---

    def test_the_aws_cli(self):
        self.create_indexed()
        self.fill(20)

        def aws(arguments):
            status, out, err = shell.run(f"aws dynamodb --endpoint-url {self.server.endpoint} {arguments}")
            self.assertEqual((status, err), (0, ""), out)
            return json.loads(out)

        arn = aws("create-backup --table-name table --backup-name cli")["BackupDetails"]["BackupArn"]
        wait_available(self.client, arn)
        self.assertEqual([s["BackupName"] for s in aws("list-backups --table-name table")["BackupSummaries"]], ["cli"])
        aws(f"restore-table-from-backup --target-table-name new --backup-arn {arn}")
        self.assert_restored("new", {n: 1 for n in range(20)})
        self.assertEqual(aws(f"delete-backup --backup-arn {arn}")["BackupDescription"]["BackupDetails"]["BackupStatus"], "DELETED")


class Crashes(unittest.TestCase):
    def test_backup_and_restore_go_on_after_a_crash(self):
        with tempfile.TemporaryDirectory() as directory:
            server = Server("--data", directory).start()
            client = boto3_client(server.endpoint)
            client.create_table(TableName="table", **INDEXED)
            for start in range(0, 600, 20):
                client.batch_write_item(RequestItems={"table": [
                    {"PutRequest": {"Item": item(n, 1, 40000)}} for n in range(start, start + 20)]})
            size = client.describe_table(TableName="table")["Table"]["TableSizeBytes"]
            arn = client.create_backup(TableName="table", BackupName="one")["BackupDetails"]["BackupArn"]
            client.put_item(TableName="table", Item=item(5, 2))
            client.delete_item(TableName="table", Key=key(7))
            self.assertEqual(client.describe_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]["BackupStatus"], "CREATING")
            server, client = self.crash(server, client, directory)
            details = wait_available(client, arn)
            self.assertEqual(client.describe_backup(BackupArn=arn)["BackupDescription"]["SourceTableDetails"]["ItemCount"], 600)
            self.assertEqual(details["BackupSizeBytes"], size)
            client.restore_table_from_backup(BackupArn=arn, TargetTableName="new")
            for _ in range(2):
                self.assertEqual(client.describe_table(TableName="new")["Table"]["TableStatus"], "CREATING")
                server, client = self.crash(server, client, directory)
            wait_active(client, "new")
            expected = {n: item(n, 1, 40000) for n in range(600)}
            self.assertEqual(scan(client, "new") == expected, True)
            self.assertEqual(scan(client, "new", IndexName="global") == expected, True)
            self.assertEqual(client.describe_table(TableName="new")["Table"]["ItemCount"], 600)
            client.close()
            server.stop()

    def crash(self, server, client, directory):
        client.close()
        server.kill()
        server = Server("--data", directory).start()
        return server, boto3_client(server.endpoint)


if __name__ == "__main__":
    unittest.main()
