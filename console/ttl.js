// ttl.js - time to live: whether items expire, by which attribute, and which are next.

import {dynamodb} from "./api.js";
import {h, replace} from "./dom.js";
import {keyOf} from "./request.js";
import {busy, button, confirm, count, dialog, duration, field, panel, section, state, table, text, toast, when} from "./ui.js";
import {preview} from "./value.js";

const LOOK_AT = 5000, SHOW = 20;

/** Those of the first items that expire soonest: there is no index by time, so not all are looked at. */
async function nextToExpire(description, attribute, signal) {
    let start, examined = 0;
    const found = [];
    do {
        const reply = await dynamodb("Scan", {TableName: description.name, FilterExpression: "attribute_type(#t, :n)", ExpressionAttributeNames: {"#t": attribute},
            ExpressionAttributeValues: {":n": {S: "N"}}, Limit: 1000, ExclusiveStartKey: start}, {signal});
        found.push(...reply.Items);
        examined += reply.ScannedCount;
        start = reply.LastEvaluatedKey;
    } while (start && examined < LOOK_AT);
    found.sort((a, b) => Number(a[attribute].N) - Number(b[attribute].N));
    return {items: found.slice(0, SHOW), examined, more: start !== undefined, all: found.length};
}

async function showNext(description, attribute, signal) {
    const {items, examined, more, all} = await nextToExpire(description, attribute, signal);
    const now = Date.now() / 1000;
    return h("div", {}, h("p", {class: "quiet"}, `${count(all)} of ${count(examined)} items have a time${more ? "; there are more items than were looked at" : ""}.`),
        table("What expires next", [
            ["Key", (item) => Object.values(keyOf(item, description.keys)).map(preview).join(" · ")],
            ["Expires", (item) => when(Number(item[attribute].N))],
            ["In", (item) => {
                const left = Number(item[attribute].N) - now;
                return left < 0 ? "is over: goes soon" : duration(left);
            }],
        ], items, "No item has a time."));
}

/** Ask which attribute, as the designs' steps do. */
function manage(description) {
    return dialog("Turn on time to live", (close) => {
        const attribute = text("ttl"), trouble = h("p", {class: "trouble", role: "alert"});
        const go = button("Enable", () => busy(go, async () => {
            if (attribute.value === "") {
                trouble.textContent = "An attribute is missing.";
                return;
            }
            await dynamodb("UpdateTimeToLive", {TableName: description.name, TimeToLiveSpecification: {Enabled: true, AttributeName: attribute.value}});
            toast("Time to live is on.");
            close(true);
        }), {class: "primary"});
        return h("div", {}, h("p", {}, "Items are deleted when the time in this attribute is over: a number, in seconds since 1970. Items whose time is over already go at once."),
            field("TTL attribute name", attribute), trouble, h("div", {class: "actions"}, button("Cancel", () => close(false)), go));
    });
}

export function ttlTab(description, signal) {
    const {node, reload} = panel(async () => {
        const {TimeToLiveDescription: ttl} = await dynamodb("DescribeTimeToLive", {TableName: description.name}, {signal});
        const on = ttl.TimeToLiveStatus === "ENABLED" || ttl.TimeToLiveStatus === "ENABLING", next = h("div", {});
        const off = () => busy(null, async () => {
            if (!await confirm("Turn off time to live?", "Items stay from then on, whatever their time says.", "Disable")) return;
            await dynamodb("UpdateTimeToLive", {TableName: description.name, TimeToLiveSpecification: {Enabled: false, AttributeName: ttl.AttributeName}});
            await reload();
        });
        return h("div", {}, h("p", {}, state(ttl.TimeToLiveStatus), on ? [" by the attribute ", h("code", {}, ttl.AttributeName)] : null),
            h("div", {class: "actions left"}, on ? button("Disable TTL", off, {class: "danger"}) : button("Manage TTL", () => busy(null, async () => {
                if (await manage(description)) await reload();
            })), on ? button("Show what expires next", () => busy(null, async () => {
                replace(next, await showNext(description, ttl.AttributeName, signal));
            })) : null), next);
    });
    return section("Time to Live (TTL)", node);
}
