// A table of very many items stays smooth: only rows in sight are in the page. How long it takes is printed, and judged by nobody: that is the
// machine's. It has thirty thousand items, or as many as GRAMME_CONSOLE_ITEMS says: a million takes a minute or so. The server is the release
// build, filled by `gramme bench`.

import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {test} from "node:test";
import {fileURLToPath} from "node:url";
import {openPage, picture, serve, until, visit} from "./browser.mjs";

const BINARY = fileURLToPath(new URL("../../build/gramme", import.meta.url));
const ITEMS = Number(process.env.GRAMME_CONSOLE_ITEMS ?? 30000), PAGE = 10000, ROWS_MAX = 80;

const endpoint = await serve(BINARY, "--memory");
execFileSync(BINARY, ["bench", "--endpoint", endpoint, "--table", "million", "--workload", "get", "--keys", String(ITEMS), "--item-size", "200", "--load", "--keep", "--count", "1", "--quiet"]);

const page = await openPage({endpoint});
const grid = page.getByRole("region", {name: "Items"});
const inPage = () => page.evaluate(() => document.querySelectorAll("tr").length);
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** Turns the wheel, and returns how long each frame took and how many rows were there at most. */
async function wheel(turns) {
    await page.evaluate(() => {
        const seen = window.seen = {frames: [], rows: 0, last: performance.now()};
        const frame = (now) => {
            seen.frames.push(now - seen.last);
            seen.rows = Math.max(seen.rows, document.querySelectorAll("tr").length);
            seen.last = now;
            if (window.seen === seen) requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
    });
    await grid.hover();
    for (let i = 0; i < turns; i++) await page.mouse.wheel(0, 2000);
    return page.evaluate(() => {
        const {frames, rows} = window.seen;
        window.seen = null;
        return {frames: frames.slice(1), rows};
    });
}

test("every page of a very large table can be scrolled, with few rows in it", async () => {
    await visit(page, "#/table/million/items");
    await page.getByLabel("Items a page").selectOption(String(PAGE));
    let seen = 0, turned = [];
    for (let number = 1; seen < ITEMS; number++) {
        await page.getByText(`Page ${number}`, {exact: true}).waitFor();
        await until(async () => await grid.locator("table").getAttribute("aria-rowcount") === String(PAGE + 1));
        for (const share of [0.5, 1]) {
            await grid.evaluate((node, part) => node.scrollTo(0, node.scrollHeight * part), share);
            const row = Math.round((PAGE - 1) * share);
            await grid.getByRole("row").and(page.locator(`[aria-rowindex="${row + 2}"]`)).waitFor();
            assert.ok(await inPage() < ROWS_MAX, `${await inPage()} rows`);
        }
        seen += PAGE;
        if (seen >= ITEMS) break;
        const began = performance.now();
        await page.getByRole("button", {name: "Next"}).click();
        await page.getByText(`Page ${number + 1}`, {exact: true}).waitFor();
        turned.push(performance.now() - began);
    }
    console.log(`# ${seen} items, a page of ${PAGE} after ${median(turned).toFixed(0)} ms`);
    await picture(page, "million");
});

test("the wheel turns", async () => {
    await page.getByRole("button", {name: "Previous"}).click();
    await grid.waitFor();
    const {frames, rows} = await wheel(30);
    console.log(`# ${frames.length} frames, half of them within ${median(frames).toFixed(1)} ms, the longest ${Math.max(...frames).toFixed(1)} ms, ${rows} rows at most`);
    assert.ok(rows < ROWS_MAX, `${rows} rows`);
    await until(() => grid.evaluate((node) => node.scrollTop > 5000));
});

test("a click is answered, with all those items behind it", async () => {
    const took = [];
    for (let i = 0; i < 5; i++) {
        const box = grid.getByRole("checkbox", {name: /^Select row/}).nth(15 + i), began = performance.now();
        await box.check();
        await page.getByRole("button", {name: `Delete ${i + 1}`, exact: true}).waitFor();
        took.push(performance.now() - began);
    }
    console.log(`# a row is selected within ${median(took).toFixed(1)} ms`);
    assert.ok(await inPage() < ROWS_MAX, `${await inPage()} rows`);
});
