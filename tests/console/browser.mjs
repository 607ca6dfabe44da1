// browser.mjs - what the tests of the pages share: a Chromium, a page that must not complain, requests beside the page, pictures.
//
// The server is that of GRAMME_ENDPOINT, which tests/wire/server.py has started. A page collects what its console says: an error, a
// violation of its Content-Security-Policy or an exception that nobody caught fails the test, whatever else it looked at.

import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {after, afterEach} from "node:test";
import {fileURLToPath} from "node:url";
import {chromium} from "playwright-core";

export const ENDPOINT = process.env.GRAMME_ENDPOINT;
const PICTURES = fileURLToPath(new URL("../../build-check/console/", import.meta.url));
const PATIENCE_MS = Number(process.env.GRAMME_PATIENCE_MS ?? 120000);

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

// ---- servers of a test's own ----

export const BINARY = process.env.GRAMME_BIN ?? fileURLToPath(new URL("../../build-check/gramme", import.meta.url));

/** The address of a server with these options, which ends with the tests. */
export async function serve(binary, ...options) {
    const server = spawn(binary, ["serve", "--port", "0", ...options], {stdio: ["ignore", "pipe", "pipe"]});
    const ended = new Promise((resolve) => server.on("exit", resolve).on("error", resolve)); // it may be gone before the tests are
    let output = "", errors = "";
    server.stdout.on("data", (text) => { output += text; });
    server.stderr.on("data", (text) => { errors += text; });
    after(async () => {
        server.kill("SIGTERM");
        assert.equal(await ended, 0, errors);
    });
    await until(() => /listening on \S+/.test(output));
    return /listening on (\S+)/.exec(output)[1];
}

/** One that verifies signatures, with its owner's key, and requests signed by that: {endpoint, data, folder, root, signed(operation, input)}. */
export async function serveVerified(...options) {
    globalThis.location ??= {}; // sign.js is a module of pages
    const {sign} = await import("../../console/sign.js");
    const root = {id: "AKIAGRAMMECONSOLE000", secret: "signed/By+Pages0000000000000000000000000"}, folder = mkdtempSync(join(tmpdir(), "gramme-console-")), data = join(folder, "data");
    writeFileSync(join(folder, "key"), `[default]\naws_access_key_id = ${root.id}\naws_secret_access_key = ${root.secret}\n`);
    const endpoint = await serve(BINARY, "--data", data, "--auth", "--root-key", join(folder, "key"), ...options);
    after(() => rmSync(folder, {recursive: true}));
    const signed = async (operation, input) => {
        const body = JSON.stringify(input), headers = {"content-type": "application/x-amz-json-1.0", "x-amz-target": `DynamoDB_20120810.${operation}`};
        const reply = await fetch(endpoint, {method: "POST", body, headers: await sign({host: new URL(endpoint).host, region: "us-east-1", service: "dynamodb", credentials: root, headers, body})});
        assert.ok(reply.ok, await reply.clone().text());
        return reply.json();
    };
    return {endpoint, data, folder, root, signed};
}

/** The page asks for a key, and gets this one. */
export async function signIn(page, {id, secret}) {
    await page.getByLabel("Access key id").fill(id);
    await page.getByLabel("Secret access key").fill(secret);
    await page.keyboard.press("Enter");
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
    await page.addInitScript(collectToasts);
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

/** Goes to a place of the page: "#/tables". The page hears of it before we come back, and keeps the focus that is set from then on. */
export async function visit(page, place) {
    if (!page.url().startsWith(page.home)) await page.goto(page.home + place);
    else await page.evaluate((hash) => new Promise((arrived) => {
        if (new URL(hash, location).hash === location.hash) return arrived();
        addEventListener("hashchange", arrived, {once: true}); // after the page's own
        location.hash = hash;
    }), place);
    await page.locator("main:not(:has(> p.quiet))").waitFor();
}

export async function picture(page, name) {
    await page.screenshot({path: `${PICTURES}${name}.png`, fullPage: true});
}

/** The dialog on top. */
export const dialogOf = (page) => page.locator("dialog").last();

/** In the page: a message goes after some seconds, whether we have looked or not, so each is kept when it comes. */
function collectToasts() {
    window.toasts = [];
    new MutationObserver((changes) => {
        for (const {addedNodes} of changes) window.toasts.push(...[...addedNodes].filter((node) => node.classList?.contains("toast")));
    }).observe(document, {childList: true, subtree: true});
}

/** Waits for a message, and takes it away: the next one that says so is another one. */
export async function toastSays(page, text) {
    await until(() => page.evaluate((wanted) => {
        const at = window.toasts.findIndex((node) => node.textContent.includes(wanted));
        if (at >= 0) window.toasts.splice(at, 1)[0].remove();
        return at >= 0;
    }, text));
}

/** The texts of the cells of a grid or table, row by row. */
export function rowsOf(page, label) {
    return page.getByRole("region", {name: label, exact: true}).locator("tbody tr:not(.spacer)").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
}

// ---- accessibility ----

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What axe calls serious or critical. */
export async function faults(page, rules = RULES) {
    if (!await page.evaluate(() => "axe" in window)) await page.evaluate(AXE);
    const {violations} = await page.evaluate((runOnly) => window.axe.run(document, {resultTypes: ["violations"], runOnly}), rules);
    return violations.filter(({impact}) => impact === "serious" || impact === "critical").map(({id, nodes}) => `${id}: ${nodes.map(({html}) => html.slice(0, 200)).join(" | ")}`);
}
