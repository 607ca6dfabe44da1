// tables.js - all tables, and a new one.

import {all, dynamodb} from "./api.js";
import {h, icon, ICONS, replace} from "./dom.js";
import {busy, button, bytes, checkbox, count, field, heading, iconButton, live, problem, section, select, state, table, text, toast} from "./ui.js";
import {ValueError} from "./value.js";

const REFRESH_MS = 3000;

export async function tableNames() {
    return all("dynamodb", "ListTables", {}, "TableNames", ["LastEvaluatedTableName", "ExclusiveStartTableName"]);
}

function keysOf(schema, definitions) {
    const types = Object.fromEntries(definitions.map((one) => [one.AttributeName, one.AttributeType]));
    return schema.map(({AttributeName, KeyType}) => ({name: AttributeName, role: KeyType, type: types[AttributeName]}));
}

/** A table as the other pages want it. */
export async function describe(name, signal) {
    const {Table: raw} = await dynamodb("DescribeTable", {TableName: name}, {signal});
    const index = (one, global) => ({name: one.IndexName, global, keys: keysOf(one.KeySchema, raw.AttributeDefinitions), raw: one});
    return {
        name, raw, keys: keysOf(raw.KeySchema, raw.AttributeDefinitions),
        indexes: [...(raw.LocalSecondaryIndexes ?? []).map((one) => index(one, false)), ...(raw.GlobalSecondaryIndexes ?? []).map((one) => index(one, true))],
    };
}

export function keyText(keys) {
    return keys.map(({name, type, role}) => `${name} (${type}${role === "RANGE" ? ", sort" : ""})`).join(", ");
}

const SHOWN_MAX = 100;

function tableList(names, rows, filter) {
    return [table("Tables", [
        ["Name", (row) => h("a", {href: `#/table/${encodeURIComponent(row.name)}/items`}, row.name)],
        ["Status", (row) => (row.error ? row.error.type : state(row.raw.TableStatus))],
        ["Key", (row) => (row.error ? "" : keyText(row.keys))],
        ["Indexes", (row) => (row.error ? "" : count(row.indexes.length)), "number"],
        ["Items", (row) => (row.error ? "" : count(row.raw.ItemCount)), "number"],
        ["Size", (row) => (row.error ? "" : bytes(row.raw.TableSizeBytes)), "number"],
        ["Capacity", (row) => (row.error ? "" : capacityText(row.raw))],
    ], rows, names.length === 0 ? "There is no table yet. Create one, or let your program do it." : "No table has such a name."),
    names.length > SHOWN_MAX && filter === "" ? h("p", {class: "quiet"}, `The first ${SHOWN_MAX} of ${count(names.length)} tables: find others by name.`) : null];
}

export function tablesPage(signal) {
    const filter = h("input", {type: "search", placeholder: "Find a table", "aria-label": "Find a table"});
    const {node, reload} = live(REFRESH_MS, signal, async () => {
        const names = await tableNames(), asked = filter.value;
        const wanted = names.filter((name) => name.toLowerCase().includes(asked.toLowerCase())).slice(0, SHOWN_MAX);
        const rows = await Promise.all(wanted.map((name) => describe(name, signal).catch((error) => ({name, error: {type: error.type}}))));
        return asked === filter.value ? {names, rows, asked} : undefined;
    }, ({names, rows, asked}) => tableList(names, rows, asked));
    filter.addEventListener("input", reload);
    return h("div", {}, heading("Tables", filter, h("a", {class: "button primary", href: "#/create"}, icon(ICONS.add), " Create table")), node);
}

export function capacityText(raw) {
    if (raw.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST") return "on demand";
    return `${raw.ProvisionedThroughput.ReadCapacityUnits} read, ${raw.ProvisionedThroughput.WriteCapacityUnits} write`;
}

// ---- a new table ----

const KEY_TYPES = [["S", "String"], ["N", "Number"], ["B", "Binary"]];

function keyAttribute(label, removable) {
    const name = text("", {"aria-label": `${label}: name`, placeholder: label}), type = select(KEY_TYPES, "S", () => {}, {"aria-label": `${label}: type`});
    const node = h("div", {class: "condition"}, name, type, removable ? iconButton("remove", `Remove ${label}`, () => removable(self)) : null);
    const self = {node, read: () => (name.value === "" ? null : {name: name.value, type: type.value})};
    return self;
}

/** Partition and sort key; `several`: up to four attributes of each, as global indexes may have. */
export function keyForm(several) {
    const lists = {HASH: [], RANGE: []};
    const places = {HASH: h("div", {}), RANGE: h("div", {})}, labels = {HASH: "Partition key", RANGE: "Sort key"};
    const add = (role) => {
        if (lists[role].length >= 4) return;
        const entry = keyAttribute(labels[role], lists[role].length > 0 ? (gone) => {
            lists[role] = lists[role].filter((other) => other !== gone);
            gone.node.remove();
        } : null);
        lists[role].push(entry);
        places[role].append(entry.node);
    };
    add("HASH");
    add("RANGE");
    const column = (role, help) => h("fieldset", {}, h("legend", {}, labels[role], help ? h("span", {class: "help"}, help) : null), places[role],
        several ? button("One more attribute", () => add(role), {class: "small"}) : null);
    const node = h("div", {class: "fields"}, column("HASH"), column("RANGE", " optional"));
    const read = () => {
        const keys = Object.entries(lists).flatMap(([role, list]) => list.map((entry) => entry.read()).filter(Boolean).map((key) => ({...key, role})));
        if (!keys.some(({role}) => role === "HASH")) throw new ValueError("a partition key is missing");
        return keys;
    };
    return {node, read};
}

export function schemaOf(keys) {
    return keys.map(({name, role}) => ({AttributeName: name, KeyType: role}));
}

export function definitionsOf(keys) {
    const types = new Map();
    for (const {name, type} of keys) {
        if (types.has(name) && types.get(name) !== type) throw new ValueError(`${name} cannot have two types`);
        types.set(name, type);
    }
    return [...types].map(([AttributeName, AttributeType]) => ({AttributeName, AttributeType}));
}

function numberInput(value, label) {
    return h("input", {type: "number", min: 1, max: 1000000000, value, "aria-label": label});
}

/** On demand or provisioned. read() returns what CreateTable and UpdateTable take. */
export function capacityForm(raw) {
    const provisioned = raw !== undefined && raw.BillingModeSummary?.BillingMode !== "PAY_PER_REQUEST";
    const reads = numberInput(provisioned ? raw.ProvisionedThroughput.ReadCapacityUnits : 5, "Read units");
    const writes = numberInput(provisioned ? raw.ProvisionedThroughput.WriteCapacityUnits : 5, "Write units");
    const units = h("div", {class: "fields"}, field("Read units", reads), field("Write units", writes));
    const mode = select([["PAY_PER_REQUEST", "On demand"], ["PROVISIONED", "Provisioned"]], provisioned ? "PROVISIONED" : "PAY_PER_REQUEST", (value) => {
        units.hidden = value !== "PROVISIONED";
    });
    units.hidden = !provisioned;
    return {node: h("div", {}, field("Capacity", mode), units), isProvisioned: () => mode.value === "PROVISIONED", read: () => ({BillingMode: mode.value,
        ...(mode.value === "PROVISIONED" && {ProvisionedThroughput: {ReadCapacityUnits: Number(reads.value), WriteCapacityUnits: Number(writes.value)}})})};
}

/** read() returns {keys, input}. */
export function indexForm(local, remove) {
    const name = text(""), keys = keyForm(!local), others = text("", {placeholder: "attributes, with commas between them"});
    const othersField = field("Which", others);
    othersField.hidden = true;
    const projection = select([["ALL", "All attributes"], ["KEYS_ONLY", "Keys only"], ["INCLUDE", "Keys and some others"]], "ALL", (kind) => {
        othersField.hidden = kind !== "INCLUDE";
    });
    const reads = numberInput(5, "Read units of the index"), writes = numberInput(5, "Write units of the index");
    const units = h("div", {class: "fields"}, field("Read units", reads), field("Write units", writes));
    const node = h("fieldset", {class: "box"}, h("legend", {}, local ? "Local index" : "Global index"), field("Index name", name), keys.node,
        h("div", {class: "fields"}, field("Projection", projection), othersField), local ? null : units,
        remove ? button("Remove this index", () => remove(self), {class: "small"}) : null);
    const self = {
        node, local,
        showUnits: (provisioned) => {
            units.hidden = !provisioned;
        },
        read: (provisioned) => {
            if (name.value === "") throw new ValueError("an index needs a name");
            const read = keys.read();
            return {keys: read, input: {
                IndexName: name.value, KeySchema: schemaOf(read),
                Projection: {ProjectionType: projection.value, ...(projection.value === "INCLUDE" && {NonKeyAttributes: others.value.split(",").map((one) => one.trim()).filter(Boolean)})},
                ...(provisioned && !local && {ProvisionedThroughput: {ReadCapacityUnits: Number(reads.value), WriteCapacityUnits: Number(writes.value)}}),
            }};
        },
    };
    return self;
}

/** Names with values. */
export function tagsForm(start = []) {
    const rows = h("div", {}), entries = [];
    const add = (key, value) => {
        const entry = {key: text(key, {"aria-label": "Tag", placeholder: "tag"}), value: text(value, {"aria-label": "Value", placeholder: "value"})};
        const row = h("div", {class: "condition"}, entry.key, entry.value, iconButton("remove", "Remove this tag", () => {
            entries.splice(entries.indexOf(entry), 1);
            row.remove();
        }));
        entries.push(entry);
        rows.append(row);
    };
    start.forEach(({Key, Value}) => add(Key, Value));
    return {node: h("div", {}, rows, button("Add a tag", () => add("", ""), {class: "small"})),
        read: () => entries.filter(({key}) => key.value !== "").map(({key, value}) => ({Key: key.value, Value: value.value}))};
}

export const STREAM_VIEWS = [["", "No stream"], ["NEW_AND_OLD_IMAGES", "New and old images"], ["NEW_IMAGE", "New image"], ["OLD_IMAGE", "Old image"],
    ["KEYS_ONLY", "Keys only"]];

export function createPage(signal, done) {
    const name = text("", {required: true}), keys = keyForm(false), capacity = capacityForm(), indexes = h("div", {});
    let forms = [];
    const stream = select(STREAM_VIEWS, ""), ttl = text("", {placeholder: "none"}), tags = tagsForm();
    const encryption = checkbox("Ask for encryption by a key of KMS", false), protection = checkbox("Protect it from deletion", false);
    const trouble = h("div", {role: "alert"});
    const add = (local) => {
        const form = indexForm(local, (gone) => {
            forms = forms.filter((other) => other !== gone);
            gone.node.remove();
        });
        form.showUnits(capacity.isProvisioned());
        forms.push(form);
        indexes.append(form.node);
    };
    capacity.node.addEventListener("change", () => forms.forEach((form) => form.showUnits(capacity.isProvisioned())));
    const input = () => {
        const provisioned = capacity.isProvisioned(), own = keys.read(), read = forms.map((form) => ({local: form.local, ...form.read(provisioned)}));
        const local = read.filter((one) => one.local), global = read.filter((one) => !one.local);
        return {
            TableName: name.value, KeySchema: schemaOf(own), AttributeDefinitions: definitionsOf([...own, ...read.flatMap((one) => one.keys)]), ...capacity.read(),
            ...(local.length > 0 && {LocalSecondaryIndexes: local.map((one) => one.input)}), ...(global.length > 0 && {GlobalSecondaryIndexes: global.map((one) => one.input)}),
            ...(stream.value !== "" && {StreamSpecification: {StreamEnabled: true, StreamViewType: stream.value}}),
            ...(tags.read().length > 0 && {Tags: tags.read()}), ...(encryption.input.checked && {SSESpecification: {Enabled: true, SSEType: "KMS"}}),
            ...(protection.input.checked && {DeletionProtectionEnabled: true}),
        };
    };
    const create = async () => {
        replace(trouble);
        try {
            await dynamodb("CreateTable", input());
            if (ttl.value !== "") {
                await waitActive(name.value, signal);
                await dynamodb("UpdateTimeToLive", {TableName: name.value, TimeToLiveSpecification: {Enabled: true, AttributeName: ttl.value}});
            }
            toast(`Table ${name.value} is made.`);
            done(name.value);
        } catch (error) {
            replace(trouble, problem(error));
        }
    };
    const go = h("button", {type: "submit", class: "primary"}, "Create table");
    return h("form", {on: {submit: (event) => {
        event.preventDefault();
        busy(go, create);
    }}}, heading("Create table"), section("Table", field("Table name", name), keys.node, capacity.node),
    section("Indexes", indexes, h("div", {class: "actions left"}, button("Add a global index", () => add(false)), button("Add a local index", () => add(true)))),
    section("Settings", h("div", {class: "fields"}, field("Stream", stream), field("Time to live", ttl, "attribute with the time, in seconds, when an item expires")),
        encryption, protection), section("Tags", tags.node), trouble, h("div", {class: "actions left"}, go, h("a", {class: "button", href: "#/tables"}, "Cancel")));
}

export async function waitActive(name, signal) {
    for (;;) {
        const {raw} = await describe(name, signal);
        if (raw.TableStatus === "ACTIVE") return;
        await new Promise((resolve) => setTimeout(resolve, 200));
    }
}
