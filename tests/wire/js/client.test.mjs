// gramme seen by the AWS SDK for JavaScript v3: the plain client, the document client, paginators, waiters.
// The server's address comes in GRAMME_ENDPOINT. One session: each test builds on the one before.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BatchGetItemCommand, BatchWriteItemCommand, ConditionalCheckFailedException, CreateTableCommand, DeleteItemCommand,
  DeleteTableCommand, DescribeTableCommand, DynamoDBClient, GetItemCommand, ListTablesCommand, PutItemCommand,
  ResourceNotFoundException, UpdateItemCommand, UpdateTableCommand, paginateQuery, paginateScan, waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import {
  CloudWatchClient, DescribeAlarmsCommand, GetMetricDataCommand, GetMetricStatisticsCommand, PutMetricAlarmCommand, PutMetricDataCommand, SetAlarmStateCommand, paginateListMetrics,
} from "@aws-sdk/client-cloudwatch";
import {
  BatchWriteCommand, DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, UpdateCommand,
} from "@aws-sdk/lib-dynamodb";

const settings = {
  endpoint: process.env.GRAMME_ENDPOINT,
  region: "us-east-1",
  credentials: { accessKeyId: process.env.GRAMME_KEY_ID ?? "test", secretAccessKey: process.env.GRAMME_SECRET ?? "test" },
  maxAttempts: 1,
};
const client = new DynamoDBClient(settings);
const documents = DynamoDBDocumentClient.from(client);
const waiter = { client, maxWaitTime: 10, minDelay: 0.1, maxDelay: 0.2 };

test("create a table and wait for it", async () => {
  const { TableDescription } = await client.send(new CreateTableCommand({
    TableName: "music",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "artist", AttributeType: "S" },
      { AttributeName: "year", AttributeType: "N" },
    ],
    KeySchema: [{ AttributeName: "artist", KeyType: "HASH" }, { AttributeName: "year", KeyType: "RANGE" }],
    DeletionProtectionEnabled: true,
  }));
  assert.equal(TableDescription.TableStatus, "CREATING");
  await waitUntilTableExists(waiter, { TableName: "music" });
  const { Table } = await client.send(new DescribeTableCommand({ TableName: "music" }));
  assert.equal(Table.TableStatus, "ACTIVE");
  assert.equal(Table.DeletionProtectionEnabled, true);
  assert.deepEqual(Table.WarmThroughput, { ReadUnitsPerSecond: 12000, WriteUnitsPerSecond: 4000, Status: "ACTIVE" });
  assert.ok(Table.CreationDateTime instanceof Date);
  assert.deepEqual((await client.send(new ListTablesCommand({}))).TableNames, ["music"]);
});

test("all ten types there and back", async () => {
  const Item = {
    artist: { S: "Björk" }, year: { N: "1995" }, s: { S: "" }, n: { N: "-1.5" }, b: { B: new Uint8Array([0, 255]) },
    t: { BOOL: false }, z: { NULL: true }, ss: { SS: ["a", "é"] }, ns: { NS: ["1", "2"] },
    bs: { BS: [new Uint8Array([1]), new Uint8Array([2])] }, l: { L: [{ S: "x" }, { L: [] }] }, m: { M: { k: { M: {} } } },
  };
  await client.send(new PutItemCommand({ TableName: "music", Item }));
  const Key = { artist: Item.artist, year: Item.year };
  const answer = await client.send(new GetItemCommand({ TableName: "music", Key, ConsistentRead: true }));
  assert.deepEqual(answer.Item, Item);
  const missing = await client.send(new GetItemCommand({ TableName: "music", Key: { ...Key, year: { N: "0" } } }));
  assert.equal(missing.Item, undefined);
});

test("update, return values, capacity", async () => {
  const answer = await client.send(new UpdateItemCommand({
    TableName: "music",
    Key: { artist: { S: "Björk" }, year: { N: "1995" } },
    UpdateExpression: "SET plays = if_not_exists(plays, :zero) + :one REMOVE s ADD ns :set",
    ExpressionAttributeValues: { ":zero": { N: "0" }, ":one": { N: "1" }, ":set": { NS: ["3"] } },
    ReturnValues: "UPDATED_NEW",
    ReturnConsumedCapacity: "INDEXES",
  }));
  assert.deepEqual(answer.Attributes, { plays: { N: "1" }, ns: { NS: ["1", "2", "3"] } });
  assert.deepEqual(answer.ConsumedCapacity, { TableName: "music", CapacityUnits: 1, Table: { CapacityUnits: 1 } });
});

test("errors are the SDK's own classes", async () => {
  const put = new PutItemCommand({
    TableName: "music",
    Item: { artist: { S: "Björk" }, year: { N: "1995" } },
    ConditionExpression: "attribute_not_exists(artist)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  await assert.rejects(client.send(put), (error) => {
    assert.ok(error instanceof ConditionalCheckFailedException);
    assert.equal(error.message, "The conditional request failed");
    assert.deepEqual(error.Item.plays, { N: "1" });
    assert.match(error.$metadata.requestId, /^[0-9A-V]{52}$/);
    return true;
  });
  await assert.rejects(client.send(new GetItemCommand({ TableName: "none", Key: { a: { S: "b" } } })), (error) => {
    assert.ok(error instanceof ResourceNotFoundException);
    assert.equal(error.message, "Requested resource not found");
    return true;
  });
  await assert.rejects(client.send(new GetItemCommand({ TableName: "music", Key: { a: { S: "b" } } })), {
    name: "ValidationException",
    message: "The provided key element does not match the schema",
  });
});

test("batches", async () => {
  const requests = Array.from({ length: 25 }, (_, n) => ({
    PutRequest: { Item: { artist: { S: "Satie" }, year: { N: String(1880 + n) }, d: { S: "x".repeat(1000) } } },
  }));
  const written = await client.send(new BatchWriteItemCommand({ RequestItems: { music: requests } }));
  assert.deepEqual(written.UnprocessedItems, {});
  const Keys = [1880, 1890, 1].map((year) => ({ artist: { S: "Satie" }, year: { N: String(year) } }));
  const read = await client.send(new BatchGetItemCommand({ RequestItems: { music: { Keys, ProjectionExpression: "artist" } } }));
  assert.deepEqual(read.Responses.music, [{ artist: { S: "Satie" } }, { artist: { S: "Satie" } }]);
  assert.deepEqual(read.UnprocessedKeys, {});
});

test("paginators", async () => {
  const years = [];
  const query = {
    TableName: "music",
    KeyConditionExpression: "artist = :a",
    ExpressionAttributeValues: { ":a": { S: "Satie" } },
    ScanIndexForward: false,
  };
  for await (const page of paginateQuery({ client, pageSize: 7 }, query)) {
    assert.ok(page.Items.length <= 7);
    years.push(...page.Items.map((item) => Number(item.year.N)));
  }
  assert.deepEqual(years, Array.from({ length: 25 }, (_, n) => 1904 - n));
  let count = 0;
  for (const Segment of [0, 1, 2]) {
    for await (const page of paginateScan({ client, pageSize: 4 }, { TableName: "music", Segment, TotalSegments: 3 })) {
      count += page.Count;
    }
  }
  assert.equal(count, 26);
});

test("the document client", async () => {
  const item = { artist: "Ravel", year: 1928, title: "Boléro", movements: [1, "two", { three: true }], tags: new Set(["a", "b"]) };
  await documents.send(new PutCommand({ TableName: "music", Item: item }));
  const Key = { artist: "Ravel", year: 1928 };
  assert.deepEqual((await documents.send(new GetCommand({ TableName: "music", Key }))).Item, item);
  const updated = await documents.send(new UpdateCommand({
    TableName: "music", Key, UpdateExpression: "SET movements[2].three = :no, #n = :big",
    ExpressionAttributeNames: { "#n": "name" }, ExpressionAttributeValues: { ":no": false, ":big": 12345678901234 },
    ReturnValues: "ALL_NEW",
  }));
  assert.deepEqual(updated.Attributes, { ...item, movements: [1, "two", { three: false }], name: 12345678901234 });
  await documents.send(new BatchWriteCommand({ RequestItems: { music: [{ DeleteRequest: { Key } }] } }));
  const query = await documents.send(new QueryCommand({
    TableName: "music", KeyConditionExpression: "artist = :a", ExpressionAttributeValues: { ":a": "Ravel" },
  }));
  assert.deepEqual([query.Count, query.Items], [0, []]);
  await documents.send(new DeleteCommand({ TableName: "music", Key }));
});

test("many requests at once", async () => {
  const Key = { artist: { S: "counter" }, year: { N: "0" } };
  const add = () => client.send(new UpdateItemCommand({
    TableName: "music", Key, UpdateExpression: "ADD plays :one", ExpressionAttributeValues: { ":one": { N: "1" } },
  }));
  await Promise.all(Array.from({ length: 300 }, add));
  const { Attributes } = await client.send(new DeleteItemCommand({ TableName: "music", Key, ReturnValues: "ALL_OLD" }));
  assert.equal(Attributes.plays.N, "300");
});

test("why something is throttled", async () => {
  const faults = [
    { Operation: "GetItem", Error: "ProvisionedThroughputExceededException" },
    { Operation: "PutItem", Error: "ThrottlingException", Reason: "TableWriteKeyRangeThroughputExceeded" },
  ];
  const asked = await fetch(new URL("/_gramme/faults", process.env.GRAMME_ENDPOINT), {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(faults),
  });
  if (process.env.GRAMME_TEST_AUTH) return assert.equal(asked.status, 403); // only the owner may ask for faults
  assert.equal(asked.status, 200);
  const resource = "arn:aws:dynamodb:us-east-1:000000000000:table/music";
  const Key = { artist: { S: "nobody" }, year: { N: "1" } };
  await assert.rejects(client.send(new GetItemCommand({ TableName: "music", Key })), {
    name: "ProvisionedThroughputExceededException",
    ThrottlingReasons: [{ reason: "TableReadProvisionedThroughputExceeded", resource }],
  });
  await assert.rejects(client.send(new PutItemCommand({ TableName: "music", Item: Key })), {
    name: "ThrottlingException",
    throttlingReasons: [{ reason: "TableWriteKeyRangeThroughputExceeded", resource }],
  });
});

test("delete the table", async () => {
  await assert.rejects(client.send(new DeleteTableCommand({ TableName: "music" })), { name: "ValidationException" });
  await client.send(new UpdateTableCommand({ TableName: "music", DeletionProtectionEnabled: false }));
  await client.send(new DeleteTableCommand({ TableName: "music" }));
  await waitUntilTableNotExists(waiter, { TableName: "music" });
  assert.deepEqual((await client.send(new ListTablesCommand({}))).TableNames, []);
});

test("metrics of one's own: put, listed, read", async () => {
  const cloudwatch = new CloudWatchClient(settings);
  const at = new Date(Math.floor(Date.now() / 60000) * 60000), later = new Date(at.getTime() + 60000);
  // Large enough to be sent packed.
  await cloudwatch.send(new PutMetricDataCommand({
    Namespace: "Js",
    MetricData: Array.from({ length: 600 }, (_, i) => (
      { MetricName: `m${i}`, Value: i, Unit: "Count", Timestamp: at, Dimensions: [{ Name: "kind", Value: "test" }] })),
  }));
  const names = [];
  for await (const page of paginateListMetrics({ client: cloudwatch }, { Namespace: "Js" }))
    names.push(...page.Metrics.map((metric) => metric.MetricName));
  assert.equal(new Set(names).size, 600);
  const metric = { Namespace: "Js", MetricName: "m7", Dimensions: [{ Name: "kind", Value: "test" }] };
  const { Datapoints } = await cloudwatch.send(new GetMetricStatisticsCommand(
    { ...metric, StartTime: at, EndTime: later, Period: 60, Statistics: ["Sum", "SampleCount"] }));
  assert.deepEqual(Datapoints, [{ Timestamp: at, Sum: 7, SampleCount: 1, Unit: "Count" }]);
  const { MetricDataResults } = await cloudwatch.send(new GetMetricDataCommand({
    StartTime: at, EndTime: later,
    MetricDataQueries: [
      { Id: "m1", MetricStat: { Metric: metric, Period: 60, Stat: "Sum" }, ReturnData: false },
      { Id: "twice", Expression: "m1 * 2" }],
  }));
  assert.deepEqual(MetricDataResults.map(({ Id, Timestamps, Values }) => ({ Id, Timestamps, Values })),
    [{ Id: "twice", Timestamps: [at], Values: [14] }]);
  await assert.rejects(
    cloudwatch.send(new GetMetricStatisticsCommand({ ...metric, StartTime: at, EndTime: at, Period: 60, Statistics: ["Sum"] })),
    { message: "The parameter StartTime must be less than the parameter EndTime." });
});

test("alarms", async () => {
  const cloudwatch = new CloudWatchClient(settings);
  await cloudwatch.send(new PutMetricAlarmCommand({
    AlarmName: "js", Namespace: "AWS/DynamoDB", MetricName: "UserErrors", Statistic: "Sum", Period: 60, EvaluationPeriods: 5,
    Threshold: 2.5, ComparisonOperator: "GreaterThanThreshold",
  }));
  await cloudwatch.send(new SetAlarmStateCommand({ AlarmName: "js", StateValue: "ALARM", StateReason: "by hand" }));
  const { MetricAlarms } = await cloudwatch.send(new DescribeAlarmsCommand({ AlarmNames: ["js"] }));
  assert.deepEqual(MetricAlarms.map(({ AlarmName, StateValue, Threshold }) => ({ AlarmName, StateValue, Threshold })),
    [{ AlarmName: "js", StateValue: "ALARM", Threshold: 2.5 }]);
  await assert.rejects(cloudwatch.send(new SetAlarmStateCommand({ AlarmName: "none", StateValue: "OK", StateReason: "x" })),
    { name: "ResourceNotFound" });
});
