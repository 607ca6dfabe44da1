// table.js - one table: its tabs, what it is, its indexes and settings.

import {policyTab} from "./access.js";
import {dynamodb, repeat} from "./api.js";
import {backupsTab} from "./backups.js";
import {h, replace} from "./dom.js";
import {itemsTab} from "./items.js";
import {metricsTab} from "./metrics.js";
import {streamTab} from "./streams.js";
import {capacityForm, capacityText, definitionsOf, describe, indexForm, keyText, STREAM_VIEWS, tagsForm, waitActive} from "./tables.js";
import {ttlTab} from "./ttl.js";
import {busy, button, bytes, confirmByName, count, dialog, facts, field, heading, panel, problem, section, select, several, state, table, toast, when} from "./ui.js";

const TABS = {
    items: ["Explore table items", itemsTab],
    overview: ["Overview", overviewTab],
    indexes: ["Indexes", indexesTab],
    settings: ["Additional settings", settingsTab],
    stream: ["Stream", streamTab],
    backups: ["Backups", backupsTab],
    metrics: ["Metrics", metricsTab],
    policy: ["Policy", policyTab],
};

export function tablePage(name, tab, signal) {
    const shown = Object.hasOwn(TABS, tab ?? "") ? tab : "items";
    const {node} = panel(async () => {
        const description = await describe(name, signal);
        return TABS[shown][1](description, signal);
    });
    const links = Object.entries(TABS).map(([key, [title]]) => h("a", {href: `#/table/${encodeURIComponent(name)}/${key}`,
        "aria-current": key === shown ? "page" : null}, title));
    const tabs = h("nav", {class: "tabs", "aria-label": "Parts of the table"}, links);
    requestAnimationFrame(() => tabs.querySelector("[aria-current]").scrollIntoView({block: "nearest", inline: "center"})); // on a phone not all are in sight
    return h("div", {}, heading(name), tabs, node);
}

// ---- overview ----

function overviewTab({name, raw, keys, indexes}) {
    return h("div", {}, section("The table", facts([
        ["Status", state(raw.TableStatus)], ["Key", keyText(keys)], ["Items", count(raw.ItemCount)], ["Size", bytes(raw.TableSizeBytes)],
        ["Capacity", capacityText(raw)], ["Indexes", indexes.length === 0 ? "none" : indexes.map((index) => index.name).join(", ")],
        ["Stream", raw.StreamSpecification?.StreamViewType?.toLowerCase().replaceAll("_", " ") ?? "none"],
        ["Encryption", raw.SSEDescription ? `${raw.SSEDescription.SSEType}, ${raw.SSEDescription.Status.toLowerCase()}` : "the server's own"],
        ["Deletion protection", raw.DeletionProtectionEnabled ? "on" : "off"], ["Made", when(raw.CreationDateTime)], ["ARN", h("code", {}, raw.TableArn)],
    ])), section("Delete", h("p", {}, "Deletes the table with all its items and indexes. Its backups stay."), button("Delete table", () => busy(null, async () => {
        if (!await confirmByName(`Delete table ${name}?`, name, `${several(raw.ItemCount, "item")} will be gone.`, "Delete table")) return;
        await dynamodb("DeleteTable", {TableName: name});
        toast(`Table ${name} is deleted.`);
        location.hash = "#/tables";
    }), {class: "danger"})));
}

// ---- indexes ----

const provisioned = (description) => description.raw.BillingModeSummary?.BillingMode !== "PAY_PER_REQUEST";

async function addIndex(description) {
    return dialog("Add a global index", (close) => {
        const form = indexForm(false), trouble = h("div", {role: "alert"});
        form.showUnits(provisioned(description));
        const go = button("Add index", () => busy(go, async () => {
            try {
                const {keys, input} = form.read(provisioned(description));
                await dynamodb("UpdateTable", {TableName: description.name, AttributeDefinitions: definitionsOf([...keys, ...description.keys]),
                    GlobalSecondaryIndexUpdates: [{Create: input}]});
                close(true);
            } catch (error) {
                replace(trouble, problem(error));
            }
        }), {class: "primary"});
        return h("div", {}, form.node, trouble, h("div", {class: "actions"}, button("Cancel", () => close(false)), go));
    });
}

function changeUnits(description, index) {
    return dialog(`Capacity of ${index.name}`, (close) => {
        const {ReadCapacityUnits: reads, WriteCapacityUnits: writes} = index.raw.ProvisionedThroughput, trouble = h("div", {role: "alert"});
        const inputs = [reads, writes].map((units) => h("input", {type: "number", min: 1, value: units}));
        const go = button("Change capacity", () => busy(go, async () => {
            const [ReadCapacityUnits, WriteCapacityUnits] = inputs.map((input) => Number(input.value));
            try {
                await dynamodb("UpdateTable", {TableName: description.name, GlobalSecondaryIndexUpdates: [{Update: {IndexName: index.name, ProvisionedThroughput: {ReadCapacityUnits, WriteCapacityUnits}}}]});
                close(true);
            } catch (error) {
                replace(trouble, problem(error));
            }
        }), {class: "primary"});
        return h("div", {}, h("div", {class: "fields"}, field("Read units", inputs[0]), field("Write units", inputs[1])), trouble, h("div", {class: "actions"}, button("Cancel", () => close(false)), go));
    });
}

/** Shows how far an index is by the items that it has. */
function progressOf(index, raw) {
    if (!index.raw.Backfilling) return state(index.raw.IndexStatus ?? "ACTIVE");
    const share = raw.ItemCount > 0 ? Math.min(1, index.raw.ItemCount / raw.ItemCount) : 0;
    return h("span", {}, state(index.raw.IndexStatus), " ", h("progress", {max: 1, value: share, "aria-label": `${index.name} is filled`}), ` ${Math.round(share * 100)} %`);
}

function indexesTab(first, signal) {
    const place = h("div", {});
    let description = first;
    const drop = (index) => busy(null, async () => {
        if (!await confirmByName(`Delete index ${index.name}?`, index.name, "Queries of this index fail from then on.", "Delete index")) return;
        await dynamodb("UpdateTable", {TableName: description.name, GlobalSecondaryIndexUpdates: [{Delete: {IndexName: index.name}}]});
        await look();
    });
    const show = () => replace(place, table("Indexes", [
        ["Name", (index) => index.name], ["Kind", (index) => (index.global ? "global" : "local")], ["Status", (index) => progressOf(index, description.raw)],
        ["Key", (index) => keyText(index.keys)], ["Projection", (index) => projectionText(index.raw.Projection)],
        ["Items", (index) => count(index.raw.ItemCount), "number"], ["Size", (index) => bytes(index.raw.IndexSizeBytes), "number"],
        ["", (index) => (index.global && index.raw.IndexStatus === "ACTIVE" ? h("span", {class: "actions"}, provisioned(description) ? button("Capacity", () => busy(null, async () => {
            if (await changeUnits(description, index)) await look();
        }), {class: "small", "aria-label": `Change capacity of ${index.name}`}) : null, button("Delete", () => drop(index), {class: "small danger", "aria-label": `Delete index ${index.name}`})) : null)],
    ], description.indexes, "The table has no index."));
    const look = async () => {
        description = await describe(first.name, signal);
        show();
    };
    show();
    repeat(1000, signal, async () => {
        if (description.raw.TableStatus !== "ACTIVE" || description.indexes.some((index) => index.global && index.raw.IndexStatus !== "ACTIVE")) await look();
    });
    return h("div", {}, h("div", {class: "toolbar"}, h("span", {}), button("Add a global index", () => busy(null, async () => {
        if (await addIndex(description)) await look();
    }), {class: "primary"})), place);
}

function projectionText(projection) {
    if (projection.ProjectionType === "INCLUDE") return `keys, ${projection.NonKeyAttributes.join(", ")}`;
    return projection.ProjectionType === "ALL" ? "all" : "keys only";
}

// ---- settings ----

/** One change after the other, and then the page as the table is now. */
function change(description, inputs, message, signal) {
    return busy(null, async () => {
        for (const input of inputs) {
            await dynamodb("UpdateTable", {TableName: description.name, ...input});
            await waitActive(description.name, signal);
        }
        toast(message);
        dispatchEvent(new HashChangeEvent("hashchange"));
    });
}

function capacitySection(description, signal) {
    const form = capacityForm(description.raw);
    return section("Capacity", form.node, button("Change capacity", () => {
        const input = form.read(), global = description.indexes.filter((index) => index.global);
        if (input.BillingMode === "PROVISIONED" && !provisioned(description) && global.length > 0) {
            input.GlobalSecondaryIndexUpdates = global.map((index) => ({Update: {IndexName: index.name, ProvisionedThroughput: input.ProvisionedThroughput}}));
        }
        change(description, [input], "The capacity is changed.", signal);
    }));
}

function streamSection(description, signal) {
    const now = description.raw.StreamSpecification?.StreamEnabled ? description.raw.StreamSpecification.StreamViewType : "";
    const view = select(STREAM_VIEWS, now);
    return section("Stream", field("What its records hold", view), button("Change stream", () => {
        const off = now === "" ? [] : [{StreamSpecification: {StreamEnabled: false}}];
        const on = view.value === "" ? [] : [{StreamSpecification: {StreamEnabled: true, StreamViewType: view.value}}];
        if (view.value !== now) change(description, [...off, ...on], "The stream is changed.", signal);
    }));
}

function protectionSection(description, signal) {
    const on = description.raw.DeletionProtectionEnabled === true;
    return section("Deletion protection", h("p", {}, on ? "The table cannot be deleted." : "Whoever may delete the table can do so."),
        button(on ? "Turn off" : "Turn on", () => {
            change(description, [{DeletionProtectionEnabled: !on}], `Deletion protection is ${on ? "off" : "on"}.`, signal);
        }));
}

function encryptionSection(description, signal) {
    const on = description.raw.SSEDescription !== undefined;
    return section("Encryption", h("p", {}, on ? `By a key of KMS, ${description.raw.SSEDescription.Status.toLowerCase()}.` : "By the server's own key, where it encrypts its files."),
        button(on ? "Give up the key of KMS" : "Ask for a key of KMS", () => {
            change(description, [{SSESpecification: on ? {Enabled: false} : {Enabled: true, SSEType: "KMS"}}], "The encryption is changed.", signal);
        }));
}

function tagsSection(description) {
    const {node, reload} = panel(async () => {
        const {Tags: before = []} = await dynamodb("ListTagsOfResource", {ResourceArn: description.raw.TableArn});
        const form = tagsForm(before);
        return h("div", {}, form.node, h("div", {class: "actions left"}, button("Save tags", () => busy(null, async () => {
            const after = form.read(), gone = before.filter(({Key}) => !after.some((tag) => tag.Key === Key)).map(({Key}) => Key);
            if (gone.length > 0) await dynamodb("UntagResource", {ResourceArn: description.raw.TableArn, TagKeys: gone});
            if (after.length > 0) await dynamodb("TagResource", {ResourceArn: description.raw.TableArn, Tags: after});
            await reload();
            toast("The tags are saved.");
        }))));
    });
    return section("Tags", node);
}

function settingsTab(description, signal) {
    return h("div", {}, ttlTab(description, signal), capacitySection(description, signal), streamSection(description, signal), protectionSection(description, signal),
        encryptionSection(description, signal), tagsSection(description));
}
