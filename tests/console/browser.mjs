// browser.mjs - what the tests of the pages share: a Chromium, a page that must not complain, requests beside the page, pictures.
//
// The server is that of GRAMME_ENDPOINT, which tests/wire/server.py has started. A page collects what its console says: an error, a
// violation of its Content-Security-Policy or an exception that nobody caught fails the test, whatever else it looked at.

import assert from "node:assert/strict";
import {mkdirSync} from "node:fs";
import {after, afterEach} from "node:test";
import {fileURLToPath} from "node:url";
import {chromium} from "playwright-core";

export const ENDPOINT = process.env.GRAMME_ENDPOINT;
const PICTURES = fileURLToPath(new URL("../../build-check/console/", import.meta.url));
const PATIENCE_MS = Number(process.env.GRAMME_PATIENCE_MS ?? 30000);

mkdirSync(PICTURES, {recursive: true});
const browser = await chromium.launch({executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"]});
after(() => browser.close());

/** What the server answers to a client beside the page. Throws the text of its error. */
export async function api(operation, input = {}, {endpoint = ENDPOINT, target = "DynamoDB_20120810", authorization} = {}) {
    const reply = await fetch(endpoint, {method: "POST", body: JSON.stringify(input), headers: {"content-type": "application/x-amz-json-1.0", "x-amz-target": `${target}.${operation}`,
        authorization: authorization ?? `AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/${target.startsWith("Granite") ? "monitoring" : "dynamodb"}/aws4_request, SignedHeaders=host, Signature=0`, "x-amz-date": "20260101T000000Z"}});
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${operation}: ${text}`);
    return text === "" ? {} : JSON.parse(text);
}

export const cloudwatch = (operation, input) => api(operation, input, {target: "GraniteServiceVersion20100801"});

export async function makeTable(name, keys = [["pk", "S"]], more = {}) {
    const roles = ["HASH", "RANGE"];
    await api("CreateTable", {TableName: name, BillingMode: "PAY_PER_REQUEST", KeySchema: keys.map(([AttributeName], i) => ({AttributeName, KeyType: roles[i]})), ...more,
        AttributeDefinitions: [...keys, ...(more.AttributeDefinitions ?? [])].map(([AttributeName, AttributeType]) => ({AttributeName, AttributeType}))});
    await until(async () => (await api("DescribeTable", {TableName: name})).Table.TableStatus === "ACTIVE");
}

export const put = (table, item) => api("PutItem", {TableName: table, Item: item});

export async function putMany(table, items) {
    for (let at = 0; at < items.length; at += 25) {
        await api("BatchWriteItem", {RequestItems: {[table]: items.slice(at, at + 25).map((Item) => ({PutRequest: {Item}}))}});
    }
}

export async function get(table, key) {
    return (await api("GetItem", {TableName: table, Key: key, ConsistentRead: true})).Item;
}

/** Waits for a condition. */
export async function until(condition) {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
        if (await condition()) return;
    }
    assert.fail(`did not come true: ${condition}`);
}

// ---- pages ----

const complaints = [];
afterEach(() => assert.deepEqual(complaints.splice(0), []));

/** The network's own note of a refusal, which the page shows in its own words. */
const REFUSAL = /^Failed to load resource: the server responded with a status of 4/;

/** A page of its own: {width, height, dark, endpoint}. */
export async function openPage({width = 1280, height = 900, dark = false, endpoint = ENDPOINT} = {}) {
    const context = await browser.newContext({viewport: {width, height}, colorScheme: dark ? "dark" : "light", acceptDownloads: true, locale: "en-GB", timezoneId: "Europe/Berlin"});
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("pageerror", (error) => complaints.push(error.stack));
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type()) && !REFUSAL.test(message.text())) complaints.push(message.text());
    });
    page.on("dialog", (dialog) => {
        complaints.push(`a script has asked: ${dialog.message()}`);
        dialog.dismiss();
    });
    page.home = `${endpoint}/_gramme/`;
    return page;
}

/** Goes to a place of the page: "#/tables". */
export async function visit(page, place) {
    const here = page.url().startsWith(page.home);
    await page.goto(page.home + place);
    if (here) await page.evaluate(() => undefined);
    await page.locator("main:not(:has(> p.quiet))").waitFor();
}

export async function picture(page, name) {
    await page.screenshot({path: `${PICTURES}${name}.png`, fullPage: true});
}

/** The dialog on top. */
export const dialogOf = (page) => page.locator("dialog").last();

/** Waits for a message, and takes it away: the next one that says so is another one. */
export async function toastSays(page, text) {
    await until(() => page.evaluate((wanted) => {
        const found = [...document.querySelectorAll(".toast")].find((node) => node.textContent.includes(wanted));
        found?.remove();
        return found !== undefined;
    }, text));
}

/** The texts of the cells of a grid or table, row by row. */
export function rowsOf(page, label) {
    return page.getByRole("region", {name: label, exact: true}).locator("tbody tr:not(.spacer)").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
}
