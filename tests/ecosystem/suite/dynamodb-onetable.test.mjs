// OneTable: it makes its table from a schema with an index; unique attributes, pages, transactions, a time to live.

import assert from "node:assert/strict";
import {before, test} from "node:test";
import {Table} from "dynamodb-onetable";
import {client} from "./common.mjs";

const table = new Table({name: "onetable", client, partial: true, schema: {format: "onetable:1.1.0", version: "0.0.1",
    indexes: {primary: {hash: "pk", sort: "sk"}, gs1: {hash: "gs1pk", sort: "gs1sk", project: "all"}},
    models: {User: {pk: {type: String, value: "user#${id}"}, sk: {type: String, value: "user#"}, id: {type: String, generate: "ulid"}, name: {type: String, required: true}, email: {type: String, unique: true},
        age: {type: Number}, gs1pk: {type: String, value: "user#"}, gs1sk: {type: String, value: "user#${name}"}}}}});
const User = table.getModel("User");
before(async () => {
    await table.createTable();
});

test("create, find by the index, update, remove", async () => {
    const user = await User.create({name: "anna", email: "a@example.org"});
    assert.equal((await User.get({name: "anna"}, {index: "gs1", follow: true})).id, user.id);
    assert.equal((await User.update({id: user.id}, {add: {age: 7}})).age, 7);
    await User.remove({id: user.id});
    assert.equal(await User.get({id: user.id}), undefined);
});

test("a unique attribute is unique", async () => {
    await User.create({name: "b", email: "b@example.org"});
    await assert.rejects(User.create({name: "c", email: "b@example.org"}));
});

test("pages, and a transaction", async () => {
    const transaction = {};
    for (let i = 0; i < 9; i++) await User.create({name: `many${i}`, email: `m${i}@example.org`}, {transaction});
    await table.transact("write", transaction);
    let next, count = 0;
    do {
        const page = await User.find({gs1pk: "user#", gs1sk: {begins: "user#many"}}, {index: "gs1", limit: 4, next});
        count += page.length;
        next = page.next;
    } while (next);
    assert.equal(count, 9);
});
