// PartiQL, plots and alarms.

import assert from "node:assert/strict";
import {test} from "node:test";
import {api, cloudwatch, dialogOf, get, makeTable, openPage, picture, putMany, rowsOf, toastSays, until, visit} from "./browser.mjs";

const page = await openPage();
await makeTable("songs", [["artist", "S"], ["title", "S"]]);
await putMany("songs", Array.from({length: 20}, (_, i) => ({artist: {S: `a${i % 2}`}, title: {S: `t${i}`}, plays: {N: String(i)}})));

// ---- PartiQL ----

const statement = page.getByLabel("PartiQL statement");

test("a statement with parameters, run by the keyboard", async () => {
    await visit(page, "#/partiql");
    await statement.fill("SELECT title, plays FROM songs WHERE artist = ? AND plays >= ?");
    await page.getByRole("button", {name: "Parameter", exact: true}).click();
    await page.getByRole("button", {name: "Parameter", exact: true}).click();
    await page.getByLabel("Parameter 1", {exact: true}).fill("a1");
    await page.getByLabel("Type of Parameter 2").selectOption("N");
    await page.getByLabel("Parameter 2", {exact: true}).fill("15");
    await statement.press("Control+Enter");
    await page.getByText("3 results").waitFor();
    assert.deepEqual((await rowsOf(page, "Results")).map((row) => row.join(" ")).sort(), ["15 t15", "17 t17", "19 t19"]);
    await picture(page, "partiql");
    await page.getByRole("button", {name: "As code"}).click();
    assert.match(await dialogOf(page).getByLabel("Code").textContent(), /execute-statement[^]*"N": "15"/);
    await page.keyboard.press("Escape");
});

test("a statement that writes, and the history", async () => {
    await page.getByRole("button", {name: "Remove this parameter"}).first().click();
    await page.getByRole("button", {name: "Remove this parameter"}).first().click();
    await statement.fill(`INSERT INTO songs VALUE {'artist': 'new', 'title': '<b>x</b>', 'plays': 1.50}`);
    await page.getByRole("button", {name: "Run"}).click();
    await page.getByText("Done: it has no results.").waitFor();
    assert.deepEqual(await get("songs", {artist: {S: "new"}, title: {S: "<b>x</b>"}}), {artist: {S: "new"}, title: {S: "<b>x</b>"}, plays: {N: "1.5"}});
    await page.getByRole("button", {name: /^SELECT title/}).click();
    assert.equal(await page.getByLabel("Parameter 2", {exact: true}).inputValue(), "15");
    await page.getByRole("button", {name: "Run"}).click();
    await page.getByText("3 results").waitFor();
    assert.equal(await page.locator(".history li").count(), 2); // the same one is there once
});

test("an error is shown where it is", async () => {
    await page.getByRole("button", {name: /^INSERT/}).click();
    await statement.fill("SELECT title,\n  COUNT(*)\nFROM songs");
    await page.getByRole("button", {name: "Run"}).click();
    await page.getByRole("alert").getByText("Unexpected path component at 2:3:").waitFor();
    const selected = () => statement.evaluate((input) => input.value.slice(input.selectionStart, input.selectionEnd));
    assert.equal(await selected(), "COUNT");
    await statement.fill("SELECT * FROM songs\nWHERE artist = 'ä😀' nonsense");
    await page.getByRole("button", {name: "Run"}).click();
    await page.getByRole("alert").getByText("Unexpected token after expression").waitFor(); // of these the service tells no position: the server does beside
    await page.getByText("Line 2, character 21: WHERE artist = 'ä😀' nonsense").waitFor();
    assert.equal(await page.locator("mark").textContent(), "nonsense");
    assert.equal(await selected(), "nonsense");
    await picture(page, "partiql-wrong");
    await statement.fill("SELECT * FROM songs\nWHERE ");
    await page.getByRole("button", {name: "Run"}).click();
    await page.getByText("Line 2, character 7: WHERE ⏎").waitFor();
    await statement.fill("SELECT * FROM songs WHERE artist = 'a1'");
    await page.getByRole("button", {name: "Run"}).click();
    await page.getByText("10 results").waitFor();
    assert.equal(await page.locator("mark").count(), 0);
});

// ---- metrics ----

test("plots of a table that is used, read by keys and as a table", async () => {
    for (let i = 0; i < 20; i++) await get("songs", {artist: {S: "a1"}, title: {S: "t1"}});
    const metric = async () => (await cloudwatch("ListMetrics", {Namespace: "AWS/DynamoDB", MetricName: "SuccessfulRequestLatency", Dimensions: [{Name: "TableName", Value: "songs"},
        {Name: "Operation", Value: "GetItem"}]})).Metrics.length;
    await until(metric);
    await visit(page, "#/table/songs/metrics");
    const figure = page.getByRole("figure", {name: /^Requests/}), frame = figure.getByRole("img");
    await figure.getByText("GetItem").first().waitFor();
    assert.ok(await figure.locator("path.line").count() > 0);
    assert.match(await frame.getAttribute("aria-label"), /^Requests\. Latest: .*GetItem: .*Arrow keys move through time\.$/);
    await frame.focus();
    await page.keyboard.press("ArrowLeft");
    const first = await figure.getByRole("status").textContent();
    assert.match(first, /GetItem .* per second/);
    await page.keyboard.press("ArrowLeft");
    assert.notEqual(await figure.getByRole("status").textContent(), first);
    assert.equal(await figure.locator("line.cursor").count(), 1);
    const colour = async (title) => /\bc\d/.exec(await page.getByRole("figure", {name: title}).locator(".key", {hasText: "GetItem"}).getAttribute("class"))[0];
    assert.equal(await colour("Latency, median"), await colour(/^Requests/));
    await picture(page, "metrics");
    await page.getByLabel("Time range").focus();
    assert.equal(await figure.locator("line.cursor").count(), 0);
    await figure.getByText("As a table").click();
    assert.ok((await rowsOf(page, "Requests as a table")).length > 10);
    await page.getByLabel("Time range").selectOption({label: "14 days"});
    await until(async () => await page.getByRole("figure").count() === 7);
});

test("the server's own health", async () => {
    await visit(page, "#/metrics");
    await page.getByText("Requests so far").waitFor();
    const facts = await page.getByRole("region", {name: "Server"}).locator("dd").allTextContents();
    assert.equal(facts[0], "ready");
    await page.getByLabel("Table", {exact: true}).selectOption("songs");
    await page.getByRole("figure", {name: /^Requests/}).getByText("GetItem").first().waitFor();
    await picture(page, "server");
});

// ---- alarms ----

test("an alarm is created, tried and deleted", async () => {
    await visit(page, "#/alarms");
    await page.getByText("There is no alarm.").waitFor();
    await page.getByRole("button", {name: "Create alarm"}).click();
    await dialogOf(page).getByRole("button", {name: "Create alarm"}).click();
    await dialogOf(page).getByRole("alert").locator(".problem").waitFor(); // it has no name
    await dialogOf(page).getByLabel("Name", {exact: true}).fill("too <many> writes");
    await dialogOf(page).getByLabel("Table").selectOption("songs");
    await dialogOf(page).getByLabel("Metric").selectOption("ConsumedWriteCapacityUnits");
    await dialogOf(page).getByLabel("Threshold").fill("1000000");
    await dialogOf(page).getByRole("button", {name: "Create alarm"}).click();
    await page.getByRole("link", {name: "too <many> writes"}).waitFor();
    const {MetricAlarms: [alarm]} = await cloudwatch("DescribeAlarms", {AlarmNames: ["too <many> writes"]});
    assert.deepEqual([alarm.MetricName, alarm.Threshold, alarm.Dimensions], ["ConsumedWriteCapacityUnits", 1000000, [{Name: "TableName", Value: "songs"}]]);
    await picture(page, "alarms");
    await until(async () => { // without a click; it is evaluated once a minute, perhaps before the page has looked
        if ((await cloudwatch("DescribeAlarms", {AlarmNames: ["too <many> writes"]})).MetricAlarms[0].StateValue !== "ALARM")
            await cloudwatch("SetAlarmState", {AlarmName: "too <many> writes", StateValue: "ALARM", StateReason: "somebody else"});
        return (await rowsOf(page, "Alarms"))[0]?.[1] === "alarm";
    });
    await page.getByRole("link", {name: "too <many> writes"}).click();
    await page.getByRole("button", {name: "Try it: set to ALARM"}).click();
    await toastSays(page, "It is in ALARM until it is evaluated again.");
    await until(async () => (await rowsOf(page, "History")).some(([, what]) => /ALARM/.test(what)));
    await page.getByRole("button", {name: "Disable actions"}).click();
    await page.getByRole("button", {name: "Enable actions"}).waitFor();
    await picture(page, "alarm");
    await page.getByRole("button", {name: "Delete alarm"}).click();
    await dialogOf(page).getByRole("button", {name: "Delete alarm"}).click();
    await page.getByText("There is no alarm.").waitFor();
});
