// CDK: an application is synthesized, and `gramme apply` makes its tables.

import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, rmSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {after, test} from "node:test";
import {fileURLToPath} from "node:url";
import {DescribeTableCommand} from "@aws-sdk/client-dynamodb";
import {ENDPOINT, client} from "./common.mjs";

const require = createRequire(import.meta.url);
const {App, Stack} = require("aws-cdk-lib"), {AttributeType, Billing, BillingMode, Capacity, StreamViewType, Table, TableV2} = require("aws-cdk-lib/aws-dynamodb");
const BINARY = process.env.GRAMME_BIN ?? fileURLToPath(new URL("../../../build-check/gramme", import.meta.url));
const outdir = mkdtempSync(join(tmpdir(), "gramme-cdk-"));
after(() => rmSync(outdir, {recursive: true}));

test("what it synthesizes is made, and nothing is left to do", async () => {
    const app = new App({outdir}), stack = new Stack(app, "Shop");
    const table = new Table(stack, "Orders", {tableName: "cdk-orders", partitionKey: {name: "pk", type: AttributeType.STRING}, billingMode: BillingMode.PAY_PER_REQUEST,
        timeToLiveAttribute: "expires", stream: StreamViewType.NEW_IMAGE});
    table.addGlobalSecondaryIndex({indexName: "by-status", partitionKey: {name: "status", type: AttributeType.STRING}});
    app.synth();
    const apply = () => execFileSync(BINARY, ["apply", "--endpoint", ENDPOINT, outdir], {encoding: "utf8"});
    assert.match(apply(), /1 created, 0 changed/);
    const {Table: made} = await client.send(new DescribeTableCommand({TableName: "cdk-orders"}));
    assert.deepEqual([made.GlobalSecondaryIndexes[0].IndexName, made.StreamSpecification.StreamViewType], ["by-status", "NEW_IMAGE"]);
    assert.match(apply(), /Nothing to do/);
});

test("a TableV2 is the table of this region", async () => {
    const app = new App({outdir: join(outdir, "second")}), stack = new Stack(app, "Shop", {env: {account: "000000000000", region: "us-east-1"}});
    new TableV2(stack, "Orders", {tableName: "cdk-second", partitionKey: {name: "pk", type: AttributeType.STRING}, deletionProtection: false,
        billing: Billing.provisioned({readCapacity: Capacity.fixed(5), writeCapacity: Capacity.autoscaled({maxCapacity: 10})}),
        globalSecondaryIndexes: [{indexName: "by-status", partitionKey: {name: "status", type: AttributeType.STRING}, readCapacity: Capacity.fixed(2)}],
        replicas: [{region: "eu-west-1"}], pointInTimeRecoverySpecification: {pointInTimeRecoveryEnabled: true}});
    app.synth();
    const apply = () => execFileSync(BINARY, ["apply", "--endpoint", ENDPOINT, "--region", "us-east-1", join(outdir, "second")], {encoding: "utf8"});
    assert.match(apply(), /1 created, 0 changed/);
    const {Table: made} = await client.send(new DescribeTableCommand({TableName: "cdk-second"}));
    assert.deepEqual([made.ProvisionedThroughput.ReadCapacityUnits, made.ProvisionedThroughput.WriteCapacityUnits], [5, 1]);
    assert.deepEqual([made.GlobalSecondaryIndexes[0].IndexName, made.GlobalSecondaryIndexes[0].ProvisionedThroughput.ReadCapacityUnits], ["by-status", 2]);
    assert.match(apply(), /Nothing to do/);
});
