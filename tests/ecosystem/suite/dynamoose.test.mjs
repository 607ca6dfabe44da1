// Dynamoose: it makes its table, with an index and a time to live, from a schema.

import assert from "node:assert/strict";
import {before, test} from "node:test";
import dynamoose from "dynamoose";
import {SETTINGS} from "./common.mjs";

let Cat;
before(async () => {
    dynamoose.aws.ddb.set(new dynamoose.aws.ddb.DynamoDB(SETTINGS));
    const schema = new dynamoose.Schema({id: {type: String, hashKey: true}, breed: {type: String, index: {name: "by-breed", type: "global"}}, lives: {type: Number, default: 9}, born: Date}, {timestamps: true});
    Cat = dynamoose.model("Cat", schema);
    new dynamoose.Table("cats", [Cat], {expires: 3600, waitForActive: {enabled: true, check: {timeout: 60000, frequency: 50}}});
});

test("create, get, update, query, scan, delete", async () => {
    await Cat.create({id: "1", breed: "tabby", born: new Date(0)});
    await assert.rejects(Cat.create({id: "1", breed: "tabby"}), {name: "ConditionalCheckFailedException"});
    assert.equal((await Cat.get("1")).born.getTime(), 0);
    assert.equal((await Cat.update({id: "1"}, {$ADD: {lives: -1}})).lives, 8);
    assert.equal((await Cat.query("breed").eq("tabby").using("by-breed").exec()).length, 1);
    await Cat.batchPut(Array.from({length: 20}, (_, i) => ({id: `b${i}`, breed: "many"})));
    assert.equal((await Cat.scan("breed").eq("many").all().exec()).length, 20);
    await Cat.delete("1");
    assert.equal(await Cat.get("1"), undefined);
});

test("a transaction", async () => {
    await dynamoose.transaction([Cat.transaction.create({id: "t1", breed: "x"}), Cat.transaction.create({id: "t2", breed: "x"})]);
    assert.equal((await Cat.batchGet(["t1", "t2"])).length, 2);
});
