// TypedORM: an entity with an index and a unique attribute, by its manager.

import "reflect-metadata";
import assert from "node:assert/strict";
import {createRequire} from "node:module";
import {before, test} from "node:test";
import {documents, makeTable} from "./common.mjs";

const require = createRequire(import.meta.url); // its modules of the newer kind do not load in Node
const {Attribute, Entity, INDEX_TYPE, Table} = require("@typedorm/common");
const {createConnection, getEntityManager} = require("@typedorm/core"), {DocumentClientV3} = require("@typedorm/document-client");
const table = new Table({name: "typed", partitionKey: "pk", sortKey: "sk", indexes: {gsi1: {type: INDEX_TYPE.GSI, partitionKey: "gsi1pk", sortKey: "gsi1sk"}}});
class User {}
/* What a compiler makes of decorators. */
const attribute = (name, type, options) => {
    Reflect.defineMetadata("design:type", type, User.prototype, name);
    Attribute(options)(User.prototype, name);
};
attribute("id", String);
attribute("name", String);
attribute("email", String, {unique: true});
attribute("age", Number);
Entity({name: "user", primaryKey: {partitionKey: "USER#{{id}}", sortKey: "USER#{{id}}"}, indexes: {gsi1: {type: INDEX_TYPE.GSI, partitionKey: "USER#", sortKey: "NAME#{{name}}"}}})(User);
before(async () => {
    await makeTable("typed");
    createConnection({table, entities: [User], documentClient: new DocumentClientV3(documents)});
});

test("create, find, update, exists, delete", async () => {
    const manager = getEntityManager();
    await manager.create(Object.assign(new User(), {id: "1", name: "anna", email: "a@example.org", age: 1}));
    await assert.rejects(manager.create(Object.assign(new User(), {id: "2", name: "b", email: "a@example.org"})));
    assert.equal((await manager.findOne(User, {id: "1"})).name, "anna");
    assert.equal((await manager.update(User, {id: "1"}, {age: {INCREMENT_BY: 4}})).age, 5);
    assert.equal((await manager.find(User, {}, {queryIndex: "gsi1", keyCondition: {BEGINS_WITH: "NAME#"}})).items.length, 1);
    assert.equal(await manager.exists(User, {email: "a@example.org"}), true);
    await manager.delete(User, {id: "1"});
    assert.equal(await manager.findOne(User, {id: "1"}), undefined);
});
