// Dynamode: an entity of a table that it makes itself, with an index; conditions, queries, a transaction.

import assert from "node:assert/strict";
import {before, test} from "node:test";
import {DynamoDB} from "@aws-sdk/client-dynamodb";
import {Dynamode, Entity, TableManager, attribute} from "dynamode";
import {SETTINGS} from "./common.mjs";

class User extends Entity {
    constructor(props) {
        super(props);
        Object.assign(this, props);
    }
}
/* What a compiler makes of decorators. */
attribute.partitionKey.string()(User.prototype, "pk");
attribute.sortKey.string()(User.prototype, "sk");
attribute.gsi.partitionKey.string({indexName: "by-mail"})(User.prototype, "mail");
attribute.number()(User.prototype, "age");
let manager;
before(async () => {
    Dynamode.ddb.set(new DynamoDB(SETTINGS));
    const table = new TableManager(User, {tableName: "dynamode", partitionKey: "pk", sortKey: "sk", indexes: {"by-mail": {partitionKey: "mail"}}});
    manager = table.entityManager();
    await table.createTable();
});

test("create, update, query by the index, delete", async () => {
    await manager.create(new User({pk: "u", sk: "1", mail: "a@example.org", age: 1}));
    await assert.rejects(manager.create(new User({pk: "u", sk: "1", mail: "x", age: 1})));
    assert.equal((await manager.update({pk: "u", sk: "1"}, {add: {age: 2}})).age, 3);
    const {items} = await manager.query().partitionKey("mail").eq("a@example.org").run();
    assert.equal(items.length, 1);
    await manager.delete({pk: "u", sk: "1"});
    await assert.rejects(manager.get({pk: "u", sk: "1"}));
});
