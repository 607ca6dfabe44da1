// DynamoDB-Toolbox: a table, an entity with a schema, updates with its own verbs, queries, conditions.

import assert from "node:assert/strict";
import {before, test} from "node:test";
import {DeleteItemCommand, Entity, GetItemCommand, PutItemCommand, QueryCommand, Table, UpdateItemCommand, $add, $append, item, list, number, string} from "dynamodb-toolbox";
import {documents, makeTable} from "./common.mjs";

const table = new Table({name: "toolbox", documentClient: documents, partitionKey: {name: "pk", type: "string"}, sortKey: {name: "sk", type: "string"}});
const pet = new Entity({name: "pet", table, schema: item({owner: string().key().savedAs("pk"), name: string().key().savedAs("sk"), age: number().default(0), toys: list(string()).optional()})});
before(() => makeTable("toolbox"));

test("put, get, update, query, delete", async () => {
    await pet.build(PutItemCommand).item({owner: "anna", name: "rex", toys: ["ball"]}).send();
    await pet.build(UpdateItemCommand).item({owner: "anna", name: "rex", age: $add(2), toys: $append(["bone"])}).send();
    const {Item} = await pet.build(GetItemCommand).key({owner: "anna", name: "rex"}).send();
    assert.deepEqual([Item.age, Item.toys], [2, ["ball", "bone"]]);
    const {Items} = await table.build(QueryCommand).entities(pet).query({partition: "anna", range: {beginsWith: "r"}}).send();
    assert.deepEqual(Items.map(({name}) => name), ["rex"]);
    await pet.build(DeleteItemCommand).key({owner: "anna", name: "rex"}).options({condition: {attr: "age", eq: 2}}).send();
    assert.equal((await pet.build(GetItemCommand).key({owner: "anna", name: "rex"}).send()).Item, undefined);
});

test("a condition refuses", async () => {
    await pet.build(PutItemCommand).item({owner: "bert", name: "tom"}).send();
    await assert.rejects(pet.build(PutItemCommand).item({owner: "bert", name: "tom"}).options({condition: {attr: "owner", exists: false}}).send(), {name: "ConditionalCheckFailedException"});
});
