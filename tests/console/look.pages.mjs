// How all pages look: what axe finds in them, light and dark; a phone; the keyboard. Pictures of each are kept.

import assert from "node:assert/strict";
import {test} from "node:test";
import {api, cloudwatch, dialogOf, faults, get, makeTable, openPage, picture, putMany, RULES, until, visit} from "./browser.mjs";

await makeTable("orders", [["customer", "S"], ["number", "N"]], {AttributeDefinitions: [["state", "S"]], StreamSpecification: {StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES"},
    GlobalSecondaryIndexes: [{IndexName: "by-state", KeySchema: [{AttributeName: "state", KeyType: "HASH"}], Projection: {ProjectionType: "ALL"}}], Tags: [{Key: "team", Value: "shop"}]});
await makeTable("a-table-with-a-rather-long-name-that-does-not-fit-into-the-list-at-the-side-of-the-page");
await putMany("orders", Array.from({length: 24}, (_, i) => ({customer: {S: `c${i % 7}`}, number: {N: String(i)}, state: {S: ["open", "paid"][i % 2]}, gift: {BOOL: true}, none: {NULL: true},
    note: {S: "a longer note that goes on and on, with <b>markup</b> and\nline breaks"}, tags: {SS: ["a", "b"]}, lines: {L: [{M: {sku: {S: "x"}, price: {N: "1.5"}}}]}, expires: {N: String(2e9 + i)}})));
await api("UpdateTimeToLive", {TableName: "orders", TimeToLiveSpecification: {Enabled: true, AttributeName: "expires"}});
await api("UpdateContinuousBackups", {TableName: "orders", PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: true}});
await api("CreateBackup", {TableName: "orders", BackupName: "before-the-move"});
await cloudwatch("PutMetricAlarm", {AlarmName: "throttled", Namespace: "AWS/DynamoDB", MetricName: "WriteThrottleEvents", Statistic: "Sum", Dimensions: [{Name: "TableName", Value: "orders"}],
    Period: 60, EvaluationPeriods: 1, Threshold: 1, ComparisonOperator: "GreaterThanThreshold"});
await get("orders", {customer: {S: "c0"}, number: {N: "0"}});

/** Each page, and what is there when it is whole. */
const PAGES = {
    tables: ["#/tables", "region:Tables"], create: ["#/create", "button:Create table"], items: ["#/table/orders/items", "region:Items"], overview: ["#/table/orders/overview", "region:The table"],
    indexes: ["#/table/orders/indexes", "region:Indexes"], settings: ["#/table/orders/settings", "button:Save tags"], stream: ["#/table/orders/stream", "listitem"],
    backups: ["#/table/orders/backups", "region:Backups"], metrics: ["#/table/orders/metrics", "figure"], policy: ["#/table/orders/policy", "button:Save policy"], partiql: ["#/partiql", "button:Run"],
    server: ["#/metrics", "figure"], alarms: ["#/alarms", "region:Alarms"], alarm: ["#/alarm/throttled", "region:The alarm"], access: ["#/access", "region:Everybody may do everything"], missing: ["#/table/nothing/items", "alert"],
};

async function show(page, name) {
    const [place, sign] = PAGES[name], [role, words] = sign.split(":");
    await visit(page, place);
    const part = page.getByRole("main").getByRole(role, words ? {name: words, exact: true} : {});
    await part.first().waitFor();
}

/** Nothing serious for axe, in the light and in the dark, where only colours differ; nothing wider than a phone. Pictures of all three. */
async function judge(page, name) {
    const found = [];
    await picture(page, `light-${name}`);
    found.push(...await faults(page, RULES));
    await page.emulateMedia({colorScheme: "dark"});
    await picture(page, `dark-${name}`);
    found.push(...(await faults(page, ["color-contrast"])).map((fault) => `dark: ${fault}`));
    await page.setViewportSize(PHONE);
    await picture(page, `phone-${name}`);
    const wide = await page.evaluate(() => Math.max(...[...document.querySelectorAll("dialog"), document.scrollingElement].map((node) => node.scrollWidth)));
    if (wide > PHONE.width) found.push(`it is ${wide} wide`);
    await page.emulateMedia({colorScheme: "light"});
    await page.setViewportSize(WIDE);
    return found;
}

const WIDE = {width: 1280, height: 900}, PHONE = {width: 390, height: 844};

test("axe finds nothing serious, light and dark, and a phone shows everything", async () => {
    const page = await openPage(WIDE), found = {};
    await page.emulateMedia({reducedMotion: "reduce"}); // colours change at once
    for (const name of Object.keys(PAGES)) {
        await show(page, name);
        found[name] = await judge(page, name);
    }
    await show(page, "items");
    await page.getByRole("button", {name: /^c\d$/}).first().click();
    await dialogOf(page).getByRole("tab", {name: "Form"}).waitFor();
    found.item = await judge(page, "item");
    await page.context().close();
    assert.deepEqual(Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0)), {});
});

test("a phone: everything can be reached", async () => {
    const page = await openPage(PHONE);
    await show(page, "items");
    await page.getByRole("link", {name: "Policy"}).click();
    await page.getByRole("button", {name: "Save policy"}).first().waitFor();
    await page.getByRole("link", {name: "Access"}).click();
    await page.getByText("Everybody may do everything").waitFor();
    await page.context().close();
});

test("light, dark, or as the system has it; the choice is kept", async () => {
    const page = await openPage();
    await show(page, "tables");
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor), light = await ground();
    const next = page.getByRole("button", {name: /^Colours: /});
    await page.emulateMedia({colorScheme: "dark"});
    await until(async () => await ground() !== light);
    const dark = await ground();
    await next.click(); // auto to light
    await until(async () => await ground() === light);
    await next.click();
    await until(async () => await ground() === dark);
    await page.emulateMedia({colorScheme: "light"});
    assert.equal(await page.evaluate(() => matchMedia("(prefers-color-scheme: light)").matches), true);
    assert.equal(await ground(), dark);
    await page.reload();
    await show(page, "tables");
    assert.equal(await ground(), dark);
    await page.context().close();
});

test("by the keyboard alone: to the content, to a table, into an item and back", async () => {
    const page = await openPage();
    await show(page, "tables");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
    await page.getByRole("main").getByRole("link", {name: "orders", exact: true}).press("Enter");
    await page.getByRole("region", {name: "Items"}).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "main"); // a new page is read from its beginning
    await page.getByRole("button", {name: /^c\d$/}).first().press("Enter");
    await dialogOf(page).waitFor();
    assert.ok(await dialogOf(page).evaluate((node) => node.contains(document.activeElement)));
    await page.keyboard.press("Escape");
    await until(async () => await page.locator("dialog").count() === 0);
    assert.match(await page.evaluate(() => document.activeElement.textContent), /^c\d$/); // where it was
    await page.context().close();
});
