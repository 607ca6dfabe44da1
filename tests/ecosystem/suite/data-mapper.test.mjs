// The DynamoDB data mapper of AWS, on the SDK of version 2: it makes its table, writes with a version, queries, scans in parallel.

import assert from "node:assert/strict";
import {test} from "node:test";
import mapping from "@aws/dynamodb-data-mapper";
import AWS from "aws-sdk";
import {ENDPOINT} from "./common.mjs";

const {DataMapper, DynamoDbSchema, DynamoDbTable} = mapping;
class Post {}
Object.defineProperties(Post.prototype, {
    [DynamoDbTable]: {value: "posts"},
    [DynamoDbSchema]: {value: {author: {type: "String", keyType: "HASH"}, at: {type: "Number", keyType: "RANGE"}, title: {type: "String"}, tags: {type: "Set", memberType: "String"}, version: {type: "Number", versionAttribute: true}}},
});
const mapper = new DataMapper({client: new AWS.DynamoDB({endpoint: ENDPOINT, region: "us-east-1", credentials: {accessKeyId: "test", secretAccessKey: "test"}})});

test("a table, items with versions, a query, a parallel scan", async () => {
    await mapper.ensureTableExists(Post, {readCapacityUnits: 5, writeCapacityUnits: 5});
    const saved = await mapper.put(Object.assign(new Post(), {author: "anna", at: 1, title: "x", tags: new Set(["a"])}));
    assert.equal(saved.version, 0);
    await assert.rejects(mapper.put(Object.assign(new Post(), {author: "anna", at: 1})), {code: "ConditionalCheckFailedException"});
    assert.equal((await mapper.update(Object.assign(saved, {title: "y"}))).version, 1);
    for await (const _ of mapper.batchPut(Array.from({length: 40}, (_, i) => Object.assign(new Post(), {author: "many", at: i})))) ;
    let found = 0;
    for await (const _ of mapper.query(Post, {author: "many"}, {pageSize: 7})) found++;
    for await (const _ of mapper.parallelScan(Post, 4)) found++;
    assert.equal(found, 40 + 41);
    await mapper.ensureTableNotExists(Post);
});
