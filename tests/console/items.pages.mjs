// The items of a table: searching, pages, columns, files, code. What happens to one item is in edit.pages.mjs.

import assert from "node:assert/strict";
import {execFileSync, spawnSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {api, dialogOf, ENDPOINT, get, makeTable, openPage, picture, put, putMany, rowsOf, toastSays, until, visit} from "./browser.mjs";

const page = await openPage();

const order = (i) => ({customer: {S: `c${i % 3}`}, number: {N: String(i)}, state: {S: ["open", "paid", "sent"][i % 3]}, total: {N: `${i}.50`}, gift: {BOOL: i % 2 === 0},
    ...(i % 4 === 0 && {note: {S: `note ${i}`}}), tags: {SS: ["a", `t${i}`]}, address: {M: {city: {S: i % 2 ? "Ulm" : "Bonn"}}}});
await makeTable("orders", [["customer", "S"], ["number", "N"]], {AttributeDefinitions: [["state", "S"], ["total", "N"]], GlobalSecondaryIndexes: [
    {IndexName: "by-state", KeySchema: [{AttributeName: "state", KeyType: "HASH"}, {AttributeName: "total", KeyType: "RANGE"}], Projection: {ProjectionType: "ALL"}}]});
await putMany("orders", Array.from({length: 90}, (_, i) => order(i)));

const run = () => page.getByRole("button", {name: "Run"}).click();
const results = page.locator(".results");
/** The values of a column, by its name. */
async function column(name) {
    const heads = await page.getByRole("region", {name: "Items"}).locator("thead th").allTextContents();
    return (await rowsOf(page, "Items")).map((row) => row[heads.indexOf(name)]);
}
const found = async (count) => results.getByText(new RegExp(`^${count} items?,`)).waitFor();

async function ask({source = "", query = false, keys = [], order: how, filters = []}) {
    await visit(page, "#/tables");
    await visit(page, "#/table/orders/items");
    await page.getByLabel("Look in").selectOption(source);
    if (query) await page.getByLabel("How").selectOption("query");
    for (const [name, comparison, ...values] of keys) {
        const row = page.locator(".condition", {has: page.locator("code", {hasText: name})});
        if (comparison) await row.getByLabel("Comparison").selectOption({label: comparison});
        for (const [i, value] of values.entries()) await row.getByLabel(name, {exact: true}).nth(i).fill(value);
    }
    if (how) await page.getByLabel("Order").selectOption({label: how});
    for (const filter of filters) await addFilter(...filter);
    await run();
}

async function addFilter(name, comparison, type, ...values) {
    await page.getByRole("button", {name: "Filter", exact: true}).click();
    const row = page.locator(".condition").last();
    await row.getByLabel("Attribute").fill(name);
    await row.getByLabel("Comparison").selectOption({label: comparison});
    for (const [i, value] of values.entries()) {
        if (type) await row.getByLabel("Type of value").nth(i).selectOption(type);
        const input = type === "SS" ? row.getByRole("textbox", {name: /one member a line/}) : row.getByLabel("value", {exact: true}).nth(i);
        if (type === "BOOL") await input.selectOption(value);
        else await input.fill(value);
    }
}

test("a query by key, in both orders, and by a range of the sort key", async () => {
    await ask({query: true, keys: [["customer", null, "c1"]], order: "descending"});
    await found(30);
    assert.deepEqual((await column("number")).slice(0, 3), ["88", "85", "82"]);
    await ask({query: true, keys: [["customer", null, "c1"], ["number", "is between", "10", "20"]]});
    await found(4);
    assert.deepEqual(await column("number"), ["10", "13", "16", "19"]);
    await picture(page, "items-query");
    await ask({query: true, keys: [["customer", null, "c1"], ["number", "is less than", "many"]]});
    await toastSays(page, "'many' is no number");
    await ask({query: true});
    await toastSays(page, "a value for the key customer is missing");
});

test("a query of an index", async () => {
    await ask({source: "by-state", query: true, keys: [["state", null, "paid"], ["total", "is at least", "80"]]});
    await found(3);
    assert.deepEqual(await column("total"), ["82.50", "85.50", "88.50"].map((text) => text.replace(/0$/, "")));
    assert.ok(await page.getByLabel("Strongly consistent").isHidden());
});

test("filters of every kind", async () => {
    const cases = [
        [["state", "equals", "S", "paid"], 30], [["state", "differs from", "S", "paid"], 60], [["total", "is less than", "N", "10"], 10], [["total", "is at most", "N", "10.5"], 11],
        [["total", "is more than", "N", "80"], 10], [["total", "is at least", "N", "80.5"], 10], [["total", "is between", "N", "10", "20"], 10], [["note", "begins with", "S", "note 8"], 4],
        [["tags", "contains", "S", "t7"], 1], [["tags", "does not contain", "S", "t7"], 89], [["note", "exists", null], 23], [["note", "does not exist", null], 67],
        [["total", "has the type", null, "N"], 90], [["gift", "equals", "BOOL", "true"], 45], [["address.city", "equals", "S", "Ulm"], 45],
        [["tags", "equals", "SS", "t7\na"], 1],
    ];
    await ask({});
    for (const [filter, count] of cases) {
        await addFilter(...filter);
        await run();
        await found(count);
        await page.getByRole("button", {name: "Remove this filter"}).click();
    }
    await addFilter("state", "equals", "S", "paid");
    await addFilter("gift", "equals", "BOOL", "true");
    await run();
    await found(15);
    await page.getByRole("button", {name: "Remove this filter"}).last().click();
    await run();
    await found(30);
});

test("attributes to show: keys are always among them", async () => {
    await ask({});
    await page.getByText("More: attributes").click();
    await page.getByLabel("Attributes").fill("address.city");
    await run();
    await until(async () => (await page.getByRole("region", {name: "Items"}).locator("thead th").allTextContents()).join() === ",customer,number,address");
    await page.getByRole("button", {name: /^c\d$/}).first().click();
    await dialogOf(page).getByLabel("state", {exact: true}).waitFor(); // the whole item is in the form
    await page.keyboard.press("Escape");
});

test("pages forwards and back, also of what a filter lets through", async () => {
    for (const filters of [[], [["total", "is at least", "N", "0"]]]) {
        await ask({filters});
        await page.getByLabel("Items a page").selectOption("25");
        await found(25);
        assert.ok(await page.getByRole("button", {name: "Previous"}).isDisabled());
        const first = await column("number"), seen = [...first];
        for (const items of [25, 25, 15]) {
            const before = await column("number");
            await page.getByRole("button", {name: "Next"}).click();
            await until(async () => (await column("number"))[0] !== before[0]);
            await found(items);
            seen.push(...await column("number"));
        }
        assert.equal(new Set(seen).size, 90);
        assert.ok(await page.getByRole("button", {name: "Next"}).isDisabled());
        await page.getByText("Page 4").waitFor();
        for (const number of [3, 2, 1]) {
            await page.getByRole("button", {name: "Previous"}).click();
            await page.getByText(`Page ${number}`).waitFor();
        }
        assert.deepEqual(await column("number"), first);
    }
});

/** Holds the searches that the page sends from now on, in the list that it returns. */
async function holdSearches() {
    const held = [];
    await page.route(`${ENDPOINT}/`, (route) => (/\.(Scan|Query)$/.test(route.request().headers()["x-amz-target"]) ? held.push(route) : route.continue()));
    return held;
}

test("of two searches the last one is shown, whichever ends first", async () => {
    await ask({});
    await found(90);
    const held = await holdSearches(), givenUp = page.waitForEvent("requestfailed");
    await addFilter("state", "equals", "S", "paid");
    await run();
    await page.getByRole("button", {name: "Remove this filter"}).click();
    await addFilter("total", "is less than", "N", "10");
    await run();
    await until(() => held.length === 2);
    await held[1].continue();
    await found(10);
    assert.equal(await givenUp, held[0].request()); // it cannot come any more
    await page.unroute(`${ENDPOINT}/`);
});

test("who turns the page twice at once gets the next one", async () => {
    await ask({});
    await page.getByLabel("Items a page").selectOption("25");
    await found(25);
    const held = await holdSearches(), next = page.getByRole("button", {name: "Next"});
    await next.click();
    await next.click();
    await until(() => held.length === 2);
    await held[1].continue();
    await page.getByText("Page 2").waitFor();
    await page.unroute(`${ENDPOINT}/`);
    const second = await column("number");
    await page.getByRole("button", {name: "Previous"}).click();
    await page.getByText("Page 1").waitFor();
    await next.click();
    await page.getByText("Page 2").waitFor();
    assert.deepEqual(await column("number"), second);
});

test("columns can be left out", async () => {
    await ask({});
    await found(90);
    await page.getByRole("button", {name: "Columns"}).click();
    await dialogOf(page).getByLabel("tags").uncheck();
    await dialogOf(page).getByRole("button", {name: "Show these"}).click();
    await page.getByRole("dialog").waitFor({state: "detached"});
    assert.ok(!(await page.getByRole("region", {name: "Items"}).locator("thead th").allTextContents()).includes("tags"));
});

const ENV = {...process.env, AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test", AWS_PAGER: ""};
const hasCli = spawnSync("sh", ["-c", "command -v aws"]).status === 0;
let command; // of the AWS CLI, as the page shows it

test("a request as code: the command is copied, and the Python runs as it stands", async () => {
    await ask({query: true, keys: [["customer", null, "c1"], ["number", "is more than", "80"]], filters: [["state", "equals", "S", "paid"]]});
    await found(3);
    await page.getByRole("button", {name: "As code"}).click();
    const code = dialogOf(page).getByLabel("Code");
    command = await code.textContent();
    await picture(page, "items-code");
    await dialogOf(page).getByRole("button", {name: "Copy"}).click();
    await toastSays(page, "Copied");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
    await dialogOf(page).getByLabel("For").selectOption("boto3");
    const python = await code.textContent();
    assert.equal(execFileSync("/usr/bin/python3", ["-c", `${python}\nprint(reply["Count"])`], {env: ENV, encoding: "utf8"}), "3\n");
    await dialogOf(page).getByLabel("For").selectOption("js");
    assert.match(await code.textContent(), /new QueryCommand\(\{/);
    await dialogOf(page).getByRole("button", {name: "Close"}).last().click();
});

test("a request as code: the command runs as it stands", {skip: !hasCli && "needs the AWS CLI"}, () => {
    assert.equal(JSON.parse(execFileSync("sh", ["-c", command], {env: ENV})).Count, 3);
});

async function exported(format) {
    await page.getByRole("button", {name: "Export"}).click();
    await dialogOf(page).getByLabel("Format").selectOption({label: format});
    const [download] = await Promise.all([page.waitForEvent("download"), dialogOf(page).getByRole("button", {name: "Save file"}).click()]);
    return {name: download.suggestedFilename(), path: await download.path()};
}

async function imported(name, buffer) {
    await page.getByRole("button", {name: "Import"}).click();
    await dialogOf(page).getByLabel("File").setInputFiles({name, mimeType: "text/plain", buffer});
    await dialogOf(page).getByRole("button", {name: "Import"}).click();
}

test("items go to files and come back", async () => {
    await makeTable("moves", [["pk", "S"]]);
    const items = [{pk: {S: "1"}, text: {S: "a, \"b\"\n<i>ä</i>"}, big: {N: "12345678901234567890.12345"}, map: {M: {list: {L: [{BOOL: true}, {NULL: true}]}}}}, {pk: {S: "2"}, text: {S: "42"}}];
    for (const [format, name] of [["DynamoDB JSON", "moves.json"], ["Plain JSON", "moves.json"], ["CSV", "moves.csv"]]) {
        await putMany("moves", items);
        await visit(page, "#/tables");
        await visit(page, "#/table/moves/items");
        await found(2);
        const file = await exported(format);
        assert.equal(file.name, name);
        for (const {pk} of items) await api("DeleteItem", {TableName: "moves", Key: {pk}});
        await imported(name, readFileSync(file.path));
        await toastSays(page, "2 items imported.");
        await found(2);
        for (const item of items) assert.deepEqual(await get("moves", {pk: item.pk}), item, format);
    }
    await imported("bad.json", Buffer.from('[{"pk": "x"}, {"pk": ""}]'));
    await dialogOf(page).getByText("item 2, pk: the key pk must not be empty").waitFor();
    assert.equal(await get("moves", {pk: {S: "x"}}), undefined); // nothing of it was written
    await picture(page, "items-import");
    await dialogOf(page).getByRole("button", {name: "Cancel"}).click();
});

test("how far a deletion is can be seen, and it can be stopped", async () => {
    await makeTable("throng");
    await putMany("throng", Array.from({length: 100}, (_, i) => ({pk: {S: String(i)}})));
    await visit(page, "#/table/throng/items");
    await found(100);
    await page.getByLabel("Select all of this page").check();
    await page.getByRole("button", {name: "Delete 100"}).click();
    const held = [];
    await page.route(`${ENDPOINT}/`, (route) => (/BatchWriteItem/.test(route.request().headers()["x-amz-target"]) ? held.push(route) : route.continue()));
    const one = async () => {
        await until(() => held.length > 0);
        await held.shift().continue();
    };
    await dialogOf(page).getByRole("button", {name: "Delete 100 items"}).click();
    await one();
    await one();
    await dialogOf(page).getByText("50 of 100 items").waitFor();
    assert.equal(await dialogOf(page).getByRole("progressbar", {name: "Deleting"}).evaluate((bar) => bar.position), 0.5);
    await picture(page, "items-deleting");
    await until(() => held.length > 0);
    await dialogOf(page).getByRole("button", {name: "Stop"}).click();
    await one(); // it was under way, and counts
    await toastSays(page, "Stopped: 75 items deleted, 25 left.");
    await page.unroute(`${ENDPOINT}/`);
    await found(25);
    assert.equal((await api("Scan", {TableName: "throng", Select: "COUNT"})).Count, 25);
});

test("many are deleted at once, and nothing else", async () => {
    await makeTable("crowd");
    await putMany("crowd", Array.from({length: 26}, (_, i) => ({pk: {S: String(i).padStart(2, "0")}, n: {N: String(i)}})));
    await put("crowd", {pk: {S: "keep"}});
    await visit(page, "#/table/crowd/items");
    await found(27); // more than a batch takes, and all in sight
    await page.getByLabel("Select all of this page").check();
    await page.getByRole("row", {name: /keep/}).getByRole("checkbox").uncheck();
    await page.getByRole("button", {name: "Delete 26"}).click();
    await dialogOf(page).getByRole("button", {name: "Cancel"}).click();
    await page.getByRole("button", {name: "Delete 26"}).click();
    await dialogOf(page).getByRole("button", {name: "Delete 26 items"}).click();
    await toastSays(page, "26 items deleted.");
    await found(1);
    assert.deepEqual((await api("Scan", {TableName: "crowd"})).Items, [{pk: {S: "keep"}}]);
});

test("a page of a thousand items has only rows in sight", async () => {
    await makeTable("many", [["pk", "S"], ["sk", "N"]]);
    const blob = "x".repeat(40);
    for (let at = 0; at < 1200; at += 200) {
        await Promise.all(Array.from({length: 8}, (_, j) => putMany("many", Array.from({length: 25}, (__, i) => ({pk: {S: "p"}, sk: {N: String(at + j * 25 + i)}, blob: {S: blob}})))));
    }
    await visit(page, "#/table/many/items");
    await page.getByLabel("Items a page").selectOption("1000");
    await found("1,000");
    const grid = page.getByRole("region", {name: "Items"}), rows = () => grid.locator("tbody tr:not(.spacer)").count();
    assert.ok(await rows() < 80, `${await rows()} rows`);
    assert.equal(await grid.locator("table").getAttribute("aria-rowcount"), "1001");
    for (const to of [0.25, 0.5, 1]) {
        await grid.evaluate((node, share) => node.scrollTo(0, node.scrollHeight * share), to);
        const wanted = to === 1 ? "999" : String(Math.floor(1000 * to + 5));
        await grid.getByRole("cell", {name: wanted, exact: true}).waitFor();
        assert.ok(await rows() < 80, `${await rows()} rows`);
    }
    await page.getByRole("button", {name: "Next"}).click();
    await page.getByText("Page 2").waitFor();
    await grid.getByRole("cell", {name: "1000", exact: true}).waitFor();
});
