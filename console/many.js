// many.js - many items written at once, batch by batch: how far it is can be seen, and it can be stopped.

import {dynamodb} from "./api.js";
import {h, replace} from "./dom.js";
import {keyOf} from "./request.js";
import {button, confirm, count, dialog, problem, several, toast} from "./ui.js";
import {checkItem, ValueError} from "./value.js";

const BATCH = 25, PAUSE_MS = 200;

async function writeAll(description, requests, signal, progress) {
    let left = requests;
    while (left.length > 0 && !signal.aborted) {
        const reply = await dynamodb("BatchWriteItem", {RequestItems: {[description.name]: left.slice(0, BATCH)}});
        const unprocessed = reply.UnprocessedItems?.[description.name] ?? [];
        left = [...unprocessed, ...left.slice(BATCH)];
        progress(requests.length - left.length);
        if (unprocessed.length > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS)); // the table is throttled
    }
}

/** Closing the dialog stops it, after the batch that is under way. Returns how many were written. */
async function withProgress(title, description, requests) {
    const most = requests.length, stop = new AbortController();
    let done = 0, running;
    await dialog(title, (close) => {
        const bar = h("progress", {max: most, value: 0, "aria-label": title}), far = h("p", {role: "status"}, `0 of ${several(most, "item")}`), trouble = h("div", {role: "alert"});
        const end = button("Stop", () => close());
        running = writeAll(description, requests, stop.signal, (written) => {
            bar.value = done = written;
            far.textContent = `${count(written)} of ${several(most, "item")}`;
        }).then(() => close(), (error) => {
            replace(trouble, problem(error));
            end.textContent = "Close";
        });
        return h("div", {}, bar, far, trouble, h("div", {class: "actions"}, end));
    });
    stop.abort();
    await running;
    return done;
}

/** Whether any of them is gone. */
export async function removeItems(description, items) {
    const what = items.length === 1 ? "this item" : several(items.length, "item");
    if (!await confirm(`Delete ${what}?`, "What is deleted cannot be brought back, unless the table has point-in-time recovery.", `Delete ${what}`)) return false;
    const gone = await withProgress("Deleting", description, items.map((item) => ({DeleteRequest: {Key: keyOf(item, description.keys)}})));
    toast(gone === items.length ? `${several(gone, "item")} deleted.` : `Stopped: ${several(gone, "item")} deleted, ${count(items.length - gone)} left.`);
    return gone > 0;
}

/** Throws a ValueError when one of them cannot be an item of the table: then nothing is written. */
export function checkItems(description, items) {
    items.forEach((item, i) => {
        try {
            checkItem(item, description.keys);
        } catch (error) {
            throw new ValueError(`item ${i + 1}${error.where ? `, ${error.where}` : ""}: ${error.message}`);
        }
    });
}

/** Of checked ones. Whether any of them is there. */
export async function putItems(description, items) {
    const done = await withProgress("Importing", description, items.map((item) => ({PutRequest: {Item: item}})));
    toast(done === items.length ? `${several(done, "item")} imported.` : `Stopped: ${count(done)} of ${several(items.length, "item")} imported.`);
    return done > 0;
}
