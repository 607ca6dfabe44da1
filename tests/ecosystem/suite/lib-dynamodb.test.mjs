// The document client of the AWS SDK: types, conditions, pages, batches, transactions.

import assert from "node:assert/strict";
import {before, test} from "node:test";
import {BatchGetCommand, BatchWriteCommand, GetCommand, PutCommand, TransactWriteCommand, UpdateCommand, paginateQuery} from "@aws-sdk/lib-dynamodb";
import {documents, makeTable} from "./common.mjs";

const TableName = "documents";
before(() => makeTable(TableName));

test("values of every kind come back as they were", async () => {
    const Item = {pk: "a", sk: "1", n: 1.5, big: 12345678901234567890n, list: [1, "x", null, {y: true}], set: new Set(["a", "b"]), bytes: new Uint8Array([1, 2])};
    await documents.send(new PutCommand({TableName, Item}));
    const found = (await documents.send(new GetCommand({TableName, Key: {pk: "a", sk: "1"}}))).Item;
    assert.deepEqual(found, Item);
});

test("an update returns what it made, and a condition refuses", async () => {
    const {Attributes} = await documents.send(new UpdateCommand({TableName, Key: {pk: "a", sk: "2"}, UpdateExpression: "ADD c :one SET #l = list_append(if_not_exists(#l, :none), :x)",
        ExpressionAttributeNames: {"#l": "list"}, ExpressionAttributeValues: {":one": 1, ":none": [], ":x": ["x"]}, ReturnValues: "ALL_NEW"}));
    assert.deepEqual(Attributes, {pk: "a", sk: "2", c: 1, list: ["x"]});
    await assert.rejects(documents.send(new PutCommand({TableName, Item: {pk: "a", sk: "2"}, ConditionExpression: "attribute_not_exists(pk)"})), {name: "ConditionalCheckFailedException"});
});

test("batches and pages", async () => {
    const items = Array.from({length: 60}, (_, i) => ({pk: "many", sk: String(i).padStart(3, "0"), gsi1pk: "g", gsi1sk: String(i)}));
    for (let at = 0; at < 60; at += 20) {
        await documents.send(new BatchWriteCommand({RequestItems: {[TableName]: items.slice(at, at + 20).map((Item) => ({PutRequest: {Item}}))}}));
    }
    const got = await documents.send(new BatchGetCommand({RequestItems: {[TableName]: {Keys: items.slice(0, 50).map(({pk, sk}) => ({pk, sk}))}}}));
    assert.equal(got.Responses[TableName].length, 50);
    const seen = [];
    for await (const {Items} of paginateQuery({client: documents, pageSize: 7}, {TableName, KeyConditionExpression: "pk = :p", ExpressionAttributeValues: {":p": "many"}})) seen.push(...Items);
    assert.deepEqual(seen.map(({sk}) => sk), items.map(({sk}) => sk));
});

test("a transaction is all or nothing, and says why", async () => {
    const refused = documents.send(new TransactWriteCommand({TransactItems: [{Put: {TableName, Item: {pk: "t", sk: "1"}}},
        {ConditionCheck: {TableName, Key: {pk: "none", sk: "0"}, ConditionExpression: "attribute_exists(pk)"}}]}));
    await assert.rejects(refused, ({CancellationReasons}) => CancellationReasons[1].Code === "ConditionalCheckFailed");
    assert.equal((await documents.send(new GetCommand({TableName, Key: {pk: "t", sk: "1"}}))).Item, undefined);
});
