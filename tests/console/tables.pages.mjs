// Tables by clicks and keys: a new one with everything, the list, indexes, settings, the end of one.

import assert from "node:assert/strict";
import {test} from "node:test";
import {api, dialogOf, ENDPOINT, makeTable, openPage, picture, putMany, rowsOf, toastSays, until, visit} from "./browser.mjs";

const page = await openPage();

async function key(scope, role, name, type, at = 0) {
    await scope.getByLabel(`${role}: name`).nth(at).fill(name);
    await scope.getByLabel(`${role}: type`).nth(at).selectOption(type);
}

test("no table yet", async () => {
    await visit(page, "");
    await page.getByText("There is no table yet.").waitFor();
    assert.equal(await page.title(), "Tables – gramme");
    await picture(page, "tables-none");
});

test("a table with everything", async () => {
    await page.getByRole("link", {name: "Create table"}).click();
    await page.getByLabel("Table name").fill("everything");
    const main = page.getByRole("region", {name: "Table", exact: true});
    await key(main, "Partition key", "pk", "S");
    await key(main, "Sort key", "sk", "N");
    await main.getByLabel("Capacity").selectOption("Provisioned");
    await main.getByLabel("Read units").fill("7");
    await main.getByLabel("Write units").fill("8");
    await page.getByRole("button", {name: "Add a global index"}).click();
    const global = page.getByRole("group", {name: "Global index"});
    await global.getByLabel("Index name").fill("by-place");
    await key(global, "Partition key", "country", "S");
    await global.getByRole("button", {name: "One more attribute"}).first().click();
    await key(global, "Partition key", "city", "S", 1);
    await key(global, "Sort key", "date", "N");
    await global.getByLabel("Projection").selectOption("INCLUDE");
    await global.getByLabel("Which").fill("name, price");
    await page.getByRole("button", {name: "Add a local index"}).click();
    const local = page.getByRole("group", {name: "Local index"});
    await local.getByLabel("Index name").fill("by-state");
    await key(local, "Partition key", "pk", "S");
    await key(local, "Sort key", "state", "B");
    await page.getByLabel("Stream").selectOption("NEW_AND_OLD_IMAGES");
    await page.getByLabel("Time to live").fill("expires");
    await page.getByLabel("Ask for encryption by a key of KMS").check();
    await page.getByLabel("Protect it from deletion").check();
    await page.getByRole("button", {name: "Add a tag"}).click();
    await page.getByLabel("Tag", {exact: true}).fill("team");
    await page.getByLabel("Value", {exact: true}).fill("shop");
    await picture(page, "tables-create");
    await page.getByRole("button", {name: "Create table"}).click();
    await toastSays(page, "Table everything is made.");
    await page.getByText("arn:aws:dynamodb:us-east-1:000000000000:table/everything").waitFor();
    const {Table: made} = await api("DescribeTable", {TableName: "everything"});
    assert.deepEqual(made.KeySchema, [{AttributeName: "pk", KeyType: "HASH"}, {AttributeName: "sk", KeyType: "RANGE"}]);
    assert.equal(made.ProvisionedThroughput.ReadCapacityUnits, 7);
    assert.equal(made.ProvisionedThroughput.WriteCapacityUnits, 8);
    assert.deepEqual(made.GlobalSecondaryIndexes[0].KeySchema.map(({AttributeName}) => AttributeName), ["country", "city", "date"]);
    assert.deepEqual(made.GlobalSecondaryIndexes[0].Projection, {ProjectionType: "INCLUDE", NonKeyAttributes: ["name", "price"]});
    assert.deepEqual(made.LocalSecondaryIndexes[0].KeySchema.map(({AttributeName}) => AttributeName), ["pk", "state"]);
    assert.equal(made.StreamSpecification.StreamViewType, "NEW_AND_OLD_IMAGES");
    assert.equal(made.DeletionProtectionEnabled, true);
    assert.equal(made.SSEDescription.SSEType, "KMS");
    assert.deepEqual((await api("ListTagsOfResource", {ResourceArn: made.TableArn})).Tags, [{Key: "team", Value: "shop"}]);
    assert.equal((await api("DescribeTimeToLive", {TableName: "everything"})).TimeToLiveDescription.AttributeName, "expires");
});

test("what is missing in a new table is said", async () => {
    await visit(page, "#/create");
    await page.getByLabel("Table name").fill("ab");
    await page.getByRole("button", {name: "Create table"}).click();
    await page.getByText("a partition key is missing").waitFor();
    await page.getByLabel("Partition key: name").fill("pk");
    await page.getByRole("button", {name: "Create table"}).click();
    await page.getByRole("alert").getByText("ValidationException").waitFor(); // the name is too short, says the server
});

test("the list follows what others do, and can be searched", async () => {
    await visit(page, "#/tables");
    await page.getByRole("region", {name: "Tables"}).waitFor();
    await makeTable("other");
    await putMany("other", Array.from({length: 10}, (_, i) => ({pk: {S: `${i}`}})));
    await page.getByRole("cell", {name: "other"}).waitFor();
    await until(async () => (await rowsOf(page, "Tables")).some(([name, , , , items]) => name === "other" && items === "10"));
    await picture(page, "tables");
    await page.getByLabel("Find a table", {exact: true}).fill("EVERY");
    await until(async () => (await rowsOf(page, "Tables")).length === 1);
    assert.deepEqual((await rowsOf(page, "Tables"))[0].slice(0, 4), ["everything", "active", "pk (S), sk (N, sort)", "2"]);
    await page.getByLabel("Find a table", {exact: true}).fill("zzz");
    await page.getByText("No table has such a name.").waitFor();
});

test("an index is added, watched and dropped", async () => {
    await putMany("other", Array.from({length: 500}, (_, i) => ({pk: {S: `n${i}`}, colour: {S: "red"}})));
    await visit(page, "#/table/other/indexes");
    await page.getByText("The table has no index.").waitFor();
    await page.getByRole("button", {name: "Add a global index"}).click();
    await dialogOf(page).getByRole("button", {name: "Add index"}).click();
    await dialogOf(page).getByText("an index needs a name").waitFor();
    await dialogOf(page).getByLabel("Index name").fill("by-colour");
    await key(dialogOf(page), "Partition key", "colour", "S");
    await dialogOf(page).getByLabel("Projection").selectOption("KEYS_ONLY");
    await dialogOf(page).getByRole("button", {name: "Add index"}).click();
    const row = page.getByRole("row", {name: /by-colour/});
    await row.getByText("active").waitFor();
    await until(async () => (await rowsOf(page, "Indexes"))[0]?.[5] === "500");
    assert.deepEqual((await rowsOf(page, "Indexes"))[0].slice(0, 5), ["by-colour", "global", "active", "colour (S)", "keys only"]);
    await picture(page, "indexes");
    await page.getByRole("button", {name: "Delete index by-colour"}).click();
    const go = dialogOf(page).getByRole("button", {name: "Delete index"});
    assert.ok(await go.isDisabled());
    await dialogOf(page).getByLabel("To be sure").fill("by-colour");
    await go.click();
    await page.getByText("The table has no index.").waitFor();
    assert.equal((await api("DescribeTable", {TableName: "other"})).Table.GlobalSecondaryIndexes, undefined);
});

test("how far an index is", async () => {
    const key = [{AttributeName: "pk", KeyType: "HASH"}], half = {IndexName: "half", KeySchema: key, Projection: {ProjectionType: "ALL"}, IndexStatus: "CREATING", Backfilling: true, ItemCount: 250};
    let filled = half; // an index of a table this small is there at once: what the server says of a larger one is put into its answer
    await page.route(`${ENDPOINT}/`, async (route) => {
        if (!/DescribeTable$/.test(route.request().headers()["x-amz-target"])) return route.continue();
        const response = await route.fetch(), {Table} = await response.json();
        return route.fulfill({response, json: {Table: {...Table, ItemCount: 1000, TableStatus: "UPDATING", GlobalSecondaryIndexes: [filled]}}});
    });
    await visit(page, "#/tables");
    await visit(page, "#/table/other/indexes");
    const bar = page.getByRole("progressbar", {name: "half is filled"});
    await page.getByText("25 %").waitFor();
    assert.equal(await bar.evaluate((node) => node.position), 0.25);
    await picture(page, "indexes-filling");
    filled = {...half, ItemCount: 900};
    await page.getByText("90 %").waitFor();
    filled = {...half, ItemCount: 1000, IndexStatus: "ACTIVE", Backfilling: undefined};
    await bar.waitFor({state: "detached"});
    await page.unrouteAll();
});

test("capacity, stream, protection and tags", async () => {
    const describe = async () => (await api("DescribeTable", {TableName: "other"})).Table;
    await visit(page, "#/table/other/settings");
    const part = (name) => page.getByRole("region", {name, exact: true});
    await part("Capacity").getByLabel("Capacity", {exact: true}).selectOption("Provisioned");
    await part("Capacity").getByLabel("Read units").fill("3");
    await part("Capacity").getByRole("button", {name: "Change capacity"}).click();
    await toastSays(page, "The capacity is changed.");
    assert.equal((await describe()).ProvisionedThroughput.ReadCapacityUnits, 3);
    await part("Stream").getByLabel("What its records hold").selectOption("KEYS_ONLY");
    await part("Stream").getByRole("button", {name: "Change stream"}).click();
    await toastSays(page, "The stream is changed.");
    assert.equal((await describe()).StreamSpecification.StreamViewType, "KEYS_ONLY");
    assert.equal(await part("Stream").getByLabel("What its records hold").inputValue(), "KEYS_ONLY");
    await part("Stream").getByLabel("What its records hold").selectOption("NEW_IMAGE");
    await part("Stream").getByRole("button", {name: "Change stream"}).click();
    await toastSays(page, "The stream is changed.");
    assert.equal((await describe()).StreamSpecification.StreamViewType, "NEW_IMAGE");
    await part("Deletion protection").getByRole("button", {name: "Turn on"}).click();
    await part("Deletion protection").getByText("The table cannot be deleted.").waitFor();
    await part("Encryption").getByRole("button", {name: "Ask for a key of KMS"}).click();
    await part("Encryption").getByText("By a key of KMS").waitFor();
    assert.equal((await describe()).SSEDescription.SSEType, "KMS");
    const arn = (await describe()).TableArn, tags = async () => (await api("ListTagsOfResource", {ResourceArn: arn})).Tags;
    await part("Tags").getByRole("button", {name: "Add a tag"}).click();
    await part("Tags").getByLabel("Tag", {exact: true}).fill("a");
    await part("Tags").getByRole("button", {name: "Save tags"}).click();
    await toastSays(page, "The tags are saved.");
    assert.deepEqual(await tags(), [{Key: "a", Value: ""}]);
    await picture(page, "settings");
    await part("Tags").getByRole("button", {name: "Remove this tag"}).click();
    await part("Tags").getByRole("button", {name: "Save tags"}).click();
    await toastSays(page, "The tags are saved.");
    assert.deepEqual(await tags(), []);
});

test("the capacity of an index", async () => {
    await visit(page, "#/table/everything/indexes");
    await page.getByRole("button", {name: "Change capacity of by-place"}).click();
    await dialogOf(page).getByLabel("Read units").fill("9");
    await dialogOf(page).getByRole("button", {name: "Change capacity"}).click();
    await until(async () => (await api("DescribeTable", {TableName: "everything"})).Table.GlobalSecondaryIndexes[0].ProvisionedThroughput.ReadCapacityUnits === 9);
});

test("a table is deleted by who writes its name, unless it is protected", async () => {
    const remove = async () => {
        await visit(page, "#/table/other/overview");
        await page.getByRole("button", {name: "Delete table"}).click();
        await dialogOf(page).getByLabel("To be sure").fill("other");
        await page.keyboard.press("Enter");
    };
    await remove();
    await toastSays(page, "ValidationException");
    await api("UpdateTable", {TableName: "other", DeletionProtectionEnabled: false});
    await remove();
    await toastSays(page, "Table other is deleted.");
    await page.getByRole("cell", {name: "everything"}).waitFor();
    await until(async () => (await rowsOf(page, "Tables")).every(([name]) => name !== "other"));
});

test("a table that is not there", async () => {
    await visit(page, "#/table/nothing/items");
    await page.getByText("ResourceNotFoundException").waitFor();
    await visit(page, "#/table/everything/constructor");
    await page.getByRole("button", {name: "Create item"}).waitFor();
});
