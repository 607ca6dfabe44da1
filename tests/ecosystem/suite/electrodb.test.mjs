// ElectroDB: entities of one table in a service, collections, conditions, pages, transactions.

import assert from "node:assert/strict";
import {before, test} from "node:test";
import {Entity, Service} from "electrodb";
import {documents, makeTable} from "./common.mjs";

const table = "electro";
const task = new Entity({
    model: {entity: "task", version: "1", service: "work"},
    attributes: {id: {type: "string", required: true}, project: {type: "string", required: true}, points: {type: "number", default: 0}, tags: {type: "set", items: "string"},
        status: {type: ["open", "closed"], default: "open"}},
    indexes: {task: {pk: {field: "pk", composite: ["id"]}, sk: {field: "sk", composite: []}},
        project: {index: "gsi1", collection: "board", pk: {field: "gsi1pk", composite: ["project"]}, sk: {field: "gsi1sk", composite: ["id"]}}},
}, {client: documents, table});
const person = new Entity({
    model: {entity: "person", version: "1", service: "work"},
    attributes: {name: {type: "string", required: true}, project: {type: "string", required: true}},
    indexes: {person: {pk: {field: "pk", composite: ["name"]}, sk: {field: "sk", composite: []}},
        project: {index: "gsi1", collection: "board", pk: {field: "gsi1pk", composite: ["project"]}, sk: {field: "gsi1sk", composite: ["name"]}}},
}, {client: documents, table});
const work = new Service({task, person});
before(() => makeTable(table));

test("create, refuse a second, get, patch, remove", async () => {
    await task.create({id: "1", project: "p", tags: ["a"]}).go();
    await assert.rejects(task.create({id: "1", project: "p"}).go());
    const {data} = await task.patch({id: "1"}).add({points: 3}).set({status: "closed"}).append({}).go({response: "all_new"});
    assert.equal(data.points, 3);
    assert.equal((await task.get({id: "1"}).go()).data.status, "closed");
    await task.remove({id: "1"}).go();
    assert.equal((await task.get({id: "1"}).go()).data, null);
});

test("a collection finds both, in pages", async () => {
    await task.put(Array.from({length: 30}, (_, i) => ({id: `t${i}`, project: "big"}))).go();
    await person.put({name: "anna", project: "big"}).go();
    const {data} = await work.collections.board({project: "big"}).go({pages: "all", limit: 7});
    assert.deepEqual([data.task.length, data.person.length], [30, 1]);
});

test("a transaction over two entities", async () => {
    const write = ({task, person}) => [task.create({id: "x", project: "t"}).commit(), person.create({name: "x", project: "t"}).commit()];
    assert.equal((await work.transaction.write(write).go()).canceled, false);
    assert.equal((await work.transaction.write(write).go()).canceled, true);
});
