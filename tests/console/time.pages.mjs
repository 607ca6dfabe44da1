// What goes with time: items that expire, streams, backups, the past of a table. The steps of a design document, word by word.

import assert from "node:assert/strict";
import {test} from "node:test";
import {api, dialogOf, ENDPOINT, get, makeTable, openPage, picture, put, putMany, rowsOf, toastSays, until, visit} from "./browser.mjs";

const page = await openPage();

/** What the cache's design says under "Manual Test via AWS Console". */
const PASTED = `{
  "symbol": {
    "S": "TEST"
  },
  "dataType": {
    "S": "quote"
  },
  "data": {
    "M": {
      "symbol": {"S": "TEST"},
      "price": {"N": "100.50"}
    }
  },
  "ttl": {
    "N": "1999999999"
  },
  "timestamp": {
    "N": "1705328955"
  }
}`;

test("time to live is enabled as the design's steps say", async () => {
    await makeTable("stock-price-cache", [["symbol", "S"], ["dataType", "S"]]);
    await visit(page, "");
    await page.getByRole("navigation", {name: "Main"}).getByRole("link", {name: "Tables"}).click();
    await page.getByRole("main").getByRole("link", {name: "stock-price-cache"}).click();
    await page.getByRole("link", {name: "Additional settings"}).click();
    const part = page.getByRole("region", {name: "Time to Live (TTL)"});
    await part.getByRole("button", {name: "Manage TTL"}).click();
    await dialogOf(page).getByLabel("TTL attribute name").fill("");
    await dialogOf(page).getByRole("button", {name: "Enable"}).click();
    await dialogOf(page).getByText("An attribute is missing.").waitFor();
    await dialogOf(page).getByLabel("TTL attribute name").fill("ttl");
    await dialogOf(page).getByRole("button", {name: "Enable"}).click();
    await part.getByText("by the attribute ttl").waitFor();
    const {TimeToLiveDescription: ttl} = await api("DescribeTimeToLive", {TableName: "stock-price-cache"});
    assert.equal(ttl.AttributeName, "ttl");
    assert.match(ttl.TimeToLiveStatus, /^ENABL/);
});

test("an item is created as the design's steps say", async () => {
    await visit(page, "");
    await page.getByRole("main").getByRole("link", {name: "stock-price-cache"}).click();
    await page.getByRole("link", {name: "Explore table items"}).click();
    await page.getByRole("button", {name: "Create item"}).click();
    await dialogOf(page).getByRole("tab", {name: "JSON", exact: true}).click();
    await dialogOf(page).getByRole("textbox").fill(PASTED);
    await dialogOf(page).getByRole("button", {name: "Create item"}).click();
    await page.getByRole("cell", {name: "TEST", exact: true}).waitFor();
    await page.getByRole("cell", {name: '{"price":100.5'}).waitFor();
    const expected = JSON.parse(PASTED);
    expected.data.M.price.N = "100.5"; // as the service writes it
    assert.deepEqual(await get("stock-price-cache", {symbol: {S: "TEST"}, dataType: {S: "quote"}}), expected);
});

test("what expires next", async () => {
    const now = Math.floor(Date.now() / 1000);
    for (const [name, left] of [["later", 7200], ["soon", 5400]]) await put("stock-price-cache", {symbol: {S: name}, dataType: {S: "x"}, ttl: {N: String(now + left)}});
    await put("stock-price-cache", {symbol: {S: "never"}, dataType: {S: "x"}});
    await visit(page, "#/table/stock-price-cache/settings");
    await page.getByRole("button", {name: "Show what expires next"}).click();
    await page.getByText("3 of 4 items have a time.").waitFor();
    const rows = await rowsOf(page, "What expires next");
    assert.deepEqual(rows.map(([key]) => key), ["soon · x", "later · x", "TEST · quote"]);
    assert.match(rows[0][2], /^1 h/);
    await picture(page, "ttl");
    await page.getByRole("button", {name: "Disable TTL"}).click();
    await dialogOf(page).getByRole("button", {name: "Disable"}).click();
    await toastSays(page, "Time to live has been modified multiple times within a fixed interval"); // it was enabled just now
});

test("records of a stream as they come", async () => {
    await makeTable("events", [["pk", "S"]], {StreamSpecification: {StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES"}});
    await put("events", {pk: {S: "a"}, n: {N: "1"}});
    await visit(page, "#/table/events/stream");
    const list = page.getByRole("list", {name: "Records, newest first"}), record = (at) => list.getByRole("listitem").nth(at);
    await record(0).getByText("insert").waitFor();
    await put("events", {pk: {S: "a"}, n: {N: "2"}, constructor: {S: "<i>x</i>"}});
    await page.getByText("2 records").waitFor();
    await record(0).getByText("modify").waitFor();
    assert.equal(await record(0).locator("dl").textContent(), "n1 2constructor <i>x</i>");
    await api("DeleteItem", {TableName: "events", Key: {pk: {S: "a"}}});
    await record(0).getByText("remove").waitFor();
    await picture(page, "stream");
    await page.getByRole("button", {name: "Pause"}).click();
    await put("events", {pk: {S: "b"}});
    await page.getByRole("button", {name: "Go on"}).click();
    await page.getByText("4 records").waitFor();
    await page.getByLabel("From when").selectOption("LATEST");
    await page.getByText("Waiting for records …").waitFor();
    await until(async () => { // who reads from now on misses what came before it began
        await put("events", {pk: {S: "c"}});
        await put("events", {pk: {S: "c"}, n: {N: String(Date.now())}});
        return await list.getByRole("listitem").count() > 0;
    });
    await visit(page, "#/table/stock-price-cache/stream");
    await page.getByText("The table has no stream.").waitFor();
});

test("a backup is made, restored and deleted", async () => {
    await makeTable("ledger");
    await putMany("ledger", [{pk: {S: "a"}, v: {N: "1"}}, {pk: {S: "b"}, v: {N: "2"}}]);
    await visit(page, "#/table/ledger/backups");
    await page.getByText("There is no backup of this table.").waitFor();
    await page.getByRole("button", {name: "Create backup"}).click();
    await dialogOf(page).getByLabel("Name of the backup").fill("before");
    let making = true; // one of a table this small is made at once, mostly: what the server says of a larger one is put into its answer
    await page.route(`${ENDPOINT}/`, async (route) => {
        if (!making || !/ListBackups$/.test(route.request().headers()["x-amz-target"])) return route.continue();
        const response = await route.fetch(), {BackupSummaries: backups} = await response.json();
        return route.fulfill({response, json: {BackupSummaries: backups.map((backup) => ({...backup, BackupStatus: "CREATING"}))}});
    });
    await dialogOf(page).getByRole("button", {name: "Create backup"}).click();
    const row = page.getByRole("row", {name: /before/});
    await row.getByText("creating").waitFor();
    making = false;
    await row.getByText("available").waitFor();
    await page.unrouteAll();
    await api("DeleteItem", {TableName: "ledger", Key: {pk: {S: "a"}}});
    await picture(page, "backups");
    await row.getByRole("button", {name: "Restore"}).click();
    await dialogOf(page).getByLabel("Name of the new table").fill("ledger-again");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", {name: "ledger-again"}).waitFor();
    await until(async () => (await api("DescribeTable", {TableName: "ledger-again"})).Table.TableStatus === "ACTIVE");
    assert.deepEqual(await get("ledger-again", {pk: {S: "a"}}), {pk: {S: "a"}, v: {N: "1"}});
    await visit(page, "#/table/ledger/backups");
    await row.getByRole("button", {name: "Delete"}).click();
    await dialogOf(page).getByLabel("To be sure").fill("before");
    await dialogOf(page).getByRole("button", {name: "Delete backup"}).click();
    await page.getByText("There is no backup of this table.").waitFor();
});

test("a moment of the past is picked on a line, and restored", async () => {
    const seconds = () => Math.floor(Date.now() / 1000);
    await visit(page, "#/table/ledger/backups");
    const part = page.getByRole("region", {name: "Point-in-time recovery"});
    await part.getByRole("button", {name: "Turn on"}).click();
    await part.getByRole("slider", {name: "Moment"}).waitFor();
    await put("ledger", {pk: {S: "x"}, v: {S: "first"}});
    const moment = seconds() + 1;
    await until(() => seconds() > moment + 1);
    await put("ledger", {pk: {S: "x"}, v: {S: "second"}});
    await until(async () => { // the line ends when it was loaded
        await visit(page, "#/tables");
        await visit(page, "#/table/ledger/backups");
        return Number(await part.getByRole("slider").getAttribute("max")) >= moment;
    });
    const slider = part.getByRole("slider"), exact = part.getByLabel("Moment", {exact: true}).last();
    await slider.focus();
    await page.keyboard.press("Home");
    assert.equal(await slider.inputValue(), await slider.getAttribute("min"));
    await page.keyboard.press("ArrowRight");
    assert.equal(Number(await slider.inputValue()), Number(await slider.getAttribute("min")) + 1);
    const local = new Intl.DateTimeFormat("sv-SE", {timeZone: "Europe/Berlin", dateStyle: "short", timeStyle: "medium"}).format(new Date(moment * 1000)).replace(" ", "T");
    await exact.fill(local);
    await exact.press("Tab");
    assert.equal(Number(await slider.inputValue()), moment);
    await picture(page, "past");
    await part.getByLabel("Name of the new table").fill("ledger-past");
    await part.getByRole("button", {name: "Restore"}).click();
    await toastSays(page, "Table ledger-past is being restored.");
    await until(async () => (await api("DescribeTable", {TableName: "ledger-past"})).Table.TableStatus === "ACTIVE");
    assert.deepEqual(await get("ledger-past", {pk: {S: "x"}}), {pk: {S: "x"}, v: {S: "first"}});
    await visit(page, "#/table/ledger/backups");
    await part.getByRole("button", {name: "Turn off"}).click();
    await dialogOf(page).getByRole("button", {name: "Turn off"}).click();
    await part.getByRole("button", {name: "Turn on"}).waitFor();
});
