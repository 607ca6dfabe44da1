// Keyv on its store for DynamoDB, which makes its table with a time to live.

import assert from "node:assert/strict";
import {test} from "node:test";
import Keyv from "keyv";
import KeyvDynamo from "@keyv/dynamo";
import {SETTINGS} from "./common.mjs";

test("set, get, expire, delete, many, clear", async () => {
    const keyv = new Keyv({store: new KeyvDynamo({...SETTINGS, tableName: "keyv"})});
    keyv.on("error", (error) => assert.fail(error));
    await keyv.set("a", {deep: [1, 2]});
    await keyv.set("gone", 1, 1);
    assert.deepEqual(await keyv.get("a"), {deep: [1, 2]});
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await keyv.get("gone"), undefined);
    await keyv.setMany([{key: "b", value: 1}, {key: "c", value: 2}]);
    assert.deepEqual(await keyv.getMany(["b", "c", "none"]), [1, 2, undefined]);
    assert.equal(await keyv.delete("a"), true);
    await keyv.clear();
    assert.equal(await keyv.get("b"), undefined);
});
