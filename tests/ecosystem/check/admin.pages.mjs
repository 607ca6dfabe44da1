// admin.pages.mjs - dynamodb-admin in a browser, against `gramme local`: its form makes a table, whose throughput it sends as texts; an item
// is made, found and deleted.

import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {createRequire} from "node:module";
import {createServer} from "node:net";
import {dirname, join} from "node:path";
import {after, test} from "node:test";
import {BINARY, api, openPage, picture, until} from "../../console/browser.mjs";

const ADMIN = join(dirname(createRequire(import.meta.url).resolve("dynamodb-admin")), "dynamodb-admin.js");

/** A process that ends with the tests, once its output has `pattern`; gives what that found. */
async function start(pattern, command, args, options) {
    const child = spawn(command, args, {stdio: ["ignore", "pipe", "pipe"], ...options});
    const ended = new Promise((resolve) => child.on("exit", resolve).on("error", resolve));
    let said = "";
    for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (text) => { said += text; });
    after(async () => {
        child.kill("SIGTERM");
        await ended;
    });
    await until(() => pattern.test(said) || assert.equal(child.exitCode, null, said));
    return pattern.exec(said)[1];
}

function freePort() {
    return new Promise((resolve) => {
        const server = createServer().listen(0, "127.0.0.1", () => {
            const {port} = server.address();
            server.close(() => resolve(port));
        });
    });
}

const endpoint = await start(/listening on (\S+)/, BINARY, ["local", "-inMemory", "-sharedDb", "-port", "0"]);
const port = await freePort();
await start(/(listening|localhost)/i, process.execPath, [ADMIN, "--host", "127.0.0.1", "--port", String(port), "--dynamo-endpoint", endpoint],
    {env: {...process.env, AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret"}});
const home = `http://127.0.0.1:${port}`;
await until(() => fetch(home).then(({ok}) => ok, () => false));

test("its form makes a table with an index", async () => {
    const page = await openPage();
    await page.goto(`${home}/create-table`);
    const fill = (name, value) => page.locator(`[name="${name}"]`).fill(value);
    const choose = (name, value) => page.locator(`[name="${name}"]`).selectOption(value);
    await fill("TableName", "orders");
    await fill("HashAttributeName", "customer");
    await choose("HashAttributeType", "S");
    await fill("RangeAttributeName", "placed");
    await choose("RangeAttributeType", "N");
    await fill("ReadCapacityUnits", "7");
    await page.locator("#new-index").click();
    await fill("secondary-index-1-IndexName", "by-status");
    await fill("secondary-index-1-HashAttributeName", "status");
    await choose("secondary-index-1-HashAttributeType", "S");
    await picture(page, "dynamodb-admin");
    await page.locator("form [type=submit]").click();
    await page.waitForURL(`${home}/`);
    await page.getByRole("link", {name: "orders"}).first().waitFor();
    const {Table} = await api("DescribeTable", {TableName: "orders"}, {endpoint});
    assert.deepEqual(Table.KeySchema, [{AttributeName: "customer", KeyType: "HASH"}, {AttributeName: "placed", KeyType: "RANGE"}]);
    assert.equal(Table.ProvisionedThroughput.ReadCapacityUnits, 7);
    assert.deepEqual(Table.GlobalSecondaryIndexes.map(({IndexName}) => IndexName), ["by-status"]);
});

test("it shows an item that is there", async () => {
    await api("PutItem", {TableName: "orders", Item: {customer: {S: "anna"}, placed: {N: "17"}, status: {S: "open"}}}, {endpoint});
    const page = await openPage();
    await page.goto(`${home}/tables/orders`);
    await page.getByText("anna").first().waitFor();
    await page.getByRole("link", {name: "View"}).first().click();
    await page.waitForURL(/items/);
    await until(async () => (await page.content()).includes("open"));
});
