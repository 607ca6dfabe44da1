"""Tables through boto3: life, description, waiters, paginators, settings."""

import unittest

from wire import ACCOUNT, REGION, WAITER, WireTest, only


class Tables(WireTest):
    def test_life_of_a_table(self):
        created = self.client.create_table(
            TableName="table", BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])["TableDescription"]
        self.assertEqual(created["TableStatus"], "CREATING")
        self.client.get_waiter("table_exists").wait(TableName="table", WaiterConfig=WAITER)
        described = self.client.describe_table(TableName="table")["Table"]
        self.assertEqual(described["TableStatus"], "ACTIVE")
        for member in ("TableId", "TableArn", "CreationDateTime", "KeySchema", "AttributeDefinitions"):
            self.assertEqual(described[member], created[member], member)
        self.assertEqual(described["TableArn"], f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/table")
        deleted = self.client.delete_table(TableName="table")["TableDescription"]
        self.assertEqual(deleted["TableStatus"], "DELETING")
        self.client.get_waiter("table_not_exists").wait(TableName="table", WaiterConfig=WAITER)
        self.assertEqual(self.client.list_tables()["TableNames"], [])

    def test_a_new_table_of_an_old_name_is_empty(self):
        for _ in range(3):
            self.create("again")
            self.assertEqual(self.client.scan(TableName="again")["Count"], 0)
            self.client.put_item(TableName="again", Item={"pk": {"S": "a"}})
            self.client.delete_table(TableName="again")
            self.client.get_waiter("table_not_exists").wait(TableName="again", WaiterConfig=WAITER)

    def test_tables_are_apart(self):
        self.create("one")
        self.create("two")
        self.client.put_item(TableName="one", Item={"pk": {"S": "a"}, "v": {"N": "1"}})
        self.client.put_item(TableName="two", Item={"pk": {"S": "a"}, "v": {"N": "2"}})
        self.client.delete_table(TableName="one")
        self.assertEqual(self.client.scan(TableName="two")["Items"], [{"pk": {"S": "a"}, "v": {"N": "2"}}])

    def test_counts_follow_the_items(self):
        self.create()
        for n in range(10):
            self.client.put_item(TableName="table", Item={"pk": {"S": str(n)}})
        for n in range(3):
            self.client.delete_item(TableName="table", Key={"pk": {"S": str(n)}})
        self.client.put_item(TableName="table", Item={"pk": {"S": "9"}, "more": {"S": "x" * 100}})
        described = self.client.describe_table(TableName="table")["Table"]
        self.assertEqual(described["ItemCount"], 7)
        # Six items of 3 bytes and one of 3 + 104.
        self.assertEqual(described["TableSizeBytes"], 7 * 3 + 104)

    def test_list_tables_pages(self):
        names = [f"table-{n:03}" for n in range(105)]
        for name in reversed(names):
            self.call("CreateTable", {
                "TableName": name, "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]})
        first = self.client.list_tables()
        self.assertEqual((len(first["TableNames"]), first["LastEvaluatedTableName"]), (100, "table-099"))
        for size in (1, 7, 100):
            pages = self.client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": size})
            self.assertEqual([name for page in pages for name in page["TableNames"]], names)

    def test_limits_and_endpoints(self):
        self.assertEqual(only(self.client.describe_limits()), {
            "AccountMaxReadCapacityUnits": 80000, "AccountMaxWriteCapacityUnits": 80000,
            "TableMaxReadCapacityUnits": 40000, "TableMaxWriteCapacityUnits": 40000})
        endpoint = self.client.describe_endpoints()["Endpoints"][0]
        self.assertEqual(endpoint["CachePeriodInMinutes"], 1440)


class Settings(WireTest):
    """Settings are stored and described; each test starts with a table that has none."""

    def describe(self):
        return self.client.describe_table(TableName="table")["Table"]

    def test_throughput_up_and_down(self):
        self.create(BillingMode="PROVISIONED", ProvisionedThroughput={"ReadCapacityUnits": 4, "WriteCapacityUnits": 4})
        self.client.update_table(TableName="table", ProvisionedThroughput={
            "ReadCapacityUnits": 8, "WriteCapacityUnits": 8})
        up = self.describe()["ProvisionedThroughput"]
        self.assertEqual((up["ReadCapacityUnits"], up["WriteCapacityUnits"], up["NumberOfDecreasesToday"]), (8, 8, 0))
        self.assertIn("LastIncreaseDateTime", up)
        self.client.update_table(TableName="table", ProvisionedThroughput={
            "ReadCapacityUnits": 2, "WriteCapacityUnits": 8})
        down = self.describe()["ProvisionedThroughput"]
        self.assertEqual((down["ReadCapacityUnits"], down["NumberOfDecreasesToday"]), (2, 1))
        self.assertIn("LastDecreaseDateTime", down)

    def test_billing_mode_there_and_back(self):
        self.create(BillingMode="PROVISIONED", ProvisionedThroughput={"ReadCapacityUnits": 4, "WriteCapacityUnits": 4})
        self.assertNotIn("BillingModeSummary", self.describe())
        self.client.update_table(TableName="table", BillingMode="PAY_PER_REQUEST")
        described = self.describe()
        self.assertEqual(described["BillingModeSummary"]["BillingMode"], "PAY_PER_REQUEST")
        self.assertEqual(described["ProvisionedThroughput"]["ReadCapacityUnits"], 0)
        self.client.update_table(TableName="table", BillingMode="PROVISIONED", ProvisionedThroughput={
            "ReadCapacityUnits": 6, "WriteCapacityUnits": 5})
        described = self.describe()
        self.assertEqual(described["ProvisionedThroughput"]["ReadCapacityUnits"], 6)
        self.assertEqual(described["BillingModeSummary"]["BillingMode"], "PROVISIONED")

    def test_table_class(self):
        self.create()
        self.assertNotIn("TableClassSummary", self.describe())
        self.client.update_table(TableName="table", TableClass="STANDARD_INFREQUENT_ACCESS")
        self.assertEqual(self.describe()["TableClassSummary"]["TableClass"], "STANDARD_INFREQUENT_ACCESS")
        self.client.update_table(TableName="table", TableClass="STANDARD")
        self.assertEqual(self.describe()["TableClassSummary"]["TableClass"], "STANDARD")

    def test_encryption(self):
        self.create()
        self.assertNotIn("SSEDescription", self.describe())
        self.client.update_table(TableName="table", SSESpecification={"Enabled": True, "SSEType": "KMS"})
        described = self.describe()["SSEDescription"]
        self.assertEqual((described["Status"], described["SSEType"]), ("ENABLED", "KMS"))
        self.assertTrue(described["KMSMasterKeyArn"].startswith(f"arn:aws:kms:{REGION}:{ACCOUNT}:key/"))

    # boto3 1.26 does not know the members below yet, so they are sent as plain JSON.

    def test_deletion_protection(self):
        self.create()
        self.call("UpdateTable", {"TableName": "table", "DeletionProtectionEnabled": True})
        self.assertTrue(self.call("DescribeTable", {"TableName": "table"}).json["Table"]["DeletionProtectionEnabled"])
        self.assert_refused(
            "ValidationException: Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first.", self.client.delete_table, TableName="table")
        self.call("UpdateTable", {"TableName": "table", "DeletionProtectionEnabled": False})
        self.client.delete_table(TableName="table")

    def test_on_demand_throughput_merges_and_goes(self):
        self.create()
        answer = self.call("UpdateTable", {"TableName": "table", "OnDemandThroughput": {"MaxReadRequestUnits": 7}})
        self.assertEqual(answer.status, 200, answer.body)
        self.call("UpdateTable", {"TableName": "table", "OnDemandThroughput": {"MaxWriteRequestUnits": 9}})
        table = self.call("DescribeTable", {"TableName": "table"}).json["Table"]
        self.assertEqual(table["OnDemandThroughput"], {"MaxReadRequestUnits": 7, "MaxWriteRequestUnits": 9})
        self.call("UpdateTable", {"TableName": "table", "OnDemandThroughput": {"MaxReadRequestUnits": -1}})
        table = self.call("DescribeTable", {"TableName": "table"}).json["Table"]
        self.assertEqual(table["OnDemandThroughput"], {"MaxWriteRequestUnits": 9})

    def test_warm_throughput_grows(self):
        self.create()
        answer = self.call("UpdateTable", {"TableName": "table", "WarmThroughput": {
            "ReadUnitsPerSecond": 15000, "WriteUnitsPerSecond": 5000}})
        self.assertEqual(answer.status, 200, answer.body)
        table = self.call("DescribeTable", {"TableName": "table"}).json["Table"]
        self.assertEqual(table["WarmThroughput"], {
            "ReadUnitsPerSecond": 15000, "WriteUnitsPerSecond": 5000, "Status": "ACTIVE"})


if __name__ == "__main__":
    unittest.main()
