// items.js - what is in a table: a search over it or one of its indexes, page by page, and what can be done with what it finds.

import {dynamodb, newest} from "./api.js";
import {showCode} from "./code.js";
import {h, icon, ICONS, replace} from "./dom.js";
import {FORMATS, readItems, save} from "./files.js";
import {columnsOf, COLUMNS_MAX, itemGrid} from "./grid.js";
import {editItem} from "./item.js";
import {checkItems, putItems, removeItems} from "./many.js";
import {COMPARISONS, KEY_COMPARISONS, searchRequest} from "./request.js";
import {busy, button, checkbox, count, dialog, field, iconButton, problem, select, several, text, toast} from "./ui.js";
import {empty, ValueError} from "./value.js";
import {valueEditor} from "./value_editor.js";

const PAGE_SIZES = [25, 100, 300, 1000, 10000];
const EXAMINE = 1000;
const PATIENCE_MS = 3000; // a filter may let little through: then what was found so far is shown

// ---- the form ----

/** A condition on a key attribute of a known type, or, with none given, on any attribute. */
function conditionRow({key, comparisons, changed}) {
    const name = key ? null : text("", {placeholder: "attribute", "aria-label": "Attribute", class: "name"});
    const operands = h("span", {class: "operands"});
    let editors = [];
    const show = (comparison) => {
        const wanted = COMPARISONS[comparison][1];
        const nothing = key ? {[key.type]: ""} : empty("S");
        editors = Array.from({length: wanted}, (_, i) => valueEditor(editors[i] ? safeRead(editors[i], nothing) : nothing, key?.name ?? "value",
            key?.type ?? (comparison === "type" ? "S" : undefined)));
        replace(operands, editors.map((editor) => editor.node));
    };
    const comparison = select(comparisons.map((word) => [word, COMPARISONS[word][0]]), comparisons[0], show, {"aria-label": "Comparison"});
    show(comparisons[0]);
    const remove = changed ? iconButton("remove", "Remove this filter", () => changed(self)) : null;
    const node = h("div", {class: "condition"}, key ? h("code", {class: "name"}, key.name) : name, comparison, operands, remove);
    const self = {
        node,
        isEmpty: () => (key ? [...operands.querySelectorAll("input, textarea")].every((input) => input.value === "") : name.value === ""),
        read: () => ({name: key?.name ?? name.value, comparison: comparison.value, values: editors.map((editor) => editor.read())}),
    };
    return self;
}

function safeRead(editor, otherwise) {
    try {
        return editor.read();
    } catch {
        return otherwise;
    }
}

/** Returns {node, read()}. */
function searchForm(description, run) {
    const sources = [["", `Table ${description.name}`], ...description.indexes.map((index) => [index.name, `Index ${index.name}`])];
    const conditions = h("div", {}), filters = h("div", {});
    let keyRows = [], filterRows = [];
    /** What says where an item is: a row without could neither be opened nor be the end of a page. */
    const positionNames = (index) => [...new Set([...description.keys, ...keysOf(index)].map(({name}) => name))];
    const keysOf = (index) => (index === "" ? description.keys : description.indexes.find(({name}) => name === index).keys);
    const source = select(sources, "", () => showKeys());
    const kind = select([["scan", "Scan: all items"], ["query", "Query: by key"]], "scan", () => showKeys());
    const order = select([["forward", "ascending"], ["backward", "descending"]], "forward");
    const projection = text("", {placeholder: "all attributes"});
    const consistent = checkbox("Strongly consistent", false);
    const orderField = field("Order", order);
    const showKeys = () => {
        const query = kind.value === "query", keys = keysOf(source.value);
        keyRows = query ? keys.map((key) => conditionRow({key, comparisons: key.role === "HASH" ? ["="] : KEY_COMPARISONS.filter(
            (word) => word !== "begins_with" || key.type !== "N")})) : [];
        replace(conditions, keyRows.map((row) => row.node));
        orderField.hidden = !query;
        consistent.hidden = source.value !== "" && description.indexes.find(({name}) => name === source.value).global;
    };
    const addFilter = () => {
        const row = conditionRow({comparisons: Object.keys(COMPARISONS), changed: (gone) => {
            filterRows = filterRows.filter((other) => other !== gone);
            gone.node.remove();
        }});
        filterRows.push(row);
        filters.append(row.node);
        row.node.querySelector("input").focus();
    };
    showKeys();
    const more = h("details", {}, h("summary", {}, "More: attributes to show, consistency"),
        h("div", {class: "fields"}, field("Attributes", projection, "paths with commas between them; keys are always shown"), consistent));
    const node = h("form", {class: "search", on: {submit: (event) => {
        event.preventDefault();
        run();
    }}}, h("div", {class: "fields"}, field("Look in", source), field("How", kind), orderField), conditions, filters, more,
    h("div", {class: "actions left"}, h("button", {type: "submit", class: "primary"}, "Run"),
        h("button", {type: "button", on: {click: addFilter}}, icon(ICONS.add), " Filter")));
    const read = () => {
        const query = kind.value === "query";
        const keys = keyRows.filter((row, i) => keysOf(source.value)[i].role === "HASH" || !row.isEmpty()).map((row) => row.read());
        const hash = query && keysOf(source.value).filter(({role}) => role === "HASH").find((key, i) => keyRows[i].isEmpty());
        if (hash) throw new ValueError(`a value for the key ${hash.name} is missing`);
        const position = positionNames(source.value);
        const paths = projection.value.split(",").map((path) => path.trim()).filter((path) => path !== "");
        return {
            table: description.name, index: source.value, query, keys, filters: filterRows.filter((row) => !row.isEmpty()).map((row) => row.read()),
            position, projection: paths.length > 0 ? [...position.map((name) => `"${name}"`), ...paths.filter((path) => !position.includes(path))] : [],
            forward: order.value === "forward", consistent: consistent.input.checked && !consistent.hidden,
        };
    };
    return {node, read};
}

// ---- pages of results ----

/** Reads until there is a page of items, or it has taken long. With filters more is examined at a time than a page has. */
async function readPage(search, limit, start, signal) {
    const found = {items: [], examined: 0, units: 0, next: start};
    const began = performance.now();
    do {
        const {operation, input} = searchRequest({...search, limit: search.filters.length > 0 ? EXAMINE : limit - found.items.length});
        if (found.next) input.ExclusiveStartKey = found.next;
        const reply = await dynamodb(operation, {...input, ReturnConsumedCapacity: "TOTAL"}, {signal});
        found.items.push(...reply.Items);
        found.examined += reply.ScannedCount;
        found.units += reply.ConsumedCapacity?.CapacityUnits ?? 0;
        found.next = reply.LastEvaluatedKey;
    } while (found.next && found.items.length < limit && performance.now() - began < PATIENCE_MS);
    if (found.items.length > limit) {
        found.items.length = limit;
        found.next = Object.fromEntries(search.position.map((name) => [name, found.items.at(-1)[name]]));
    }
    return found;
}

function chooseColumns(columns, hidden, done) {
    return dialog("Columns", (close) => {
        const boxes = columns.map((name) => checkbox(name, !hidden.has(name)));
        return h("div", {}, h("div", {class: "choices"}, boxes), h("div", {class: "actions"}, button("Cancel", () => close()), button("Show these", () => {
            hidden.clear();
            boxes.forEach((box, i) => {
                if (!box.input.checked) hidden.add(columns[i]);
            });
            close();
            done();
        }, {class: "primary"})));
    });
}

function exportDialog(description, items) {
    return dialog("Export what is shown", (close) => {
        const format = select(Object.entries(FORMATS).map(([key, [name]]) => [key, name]), "dynamodb");
        return h("div", {}, h("p", {}, `${several(items.length, "item")} of this page.`), field("Format", format, "CSV has no sets and no binary: they become lists and texts"), h("div", {class: "actions"},
            button("Cancel", () => close()), button("Save file", () => {
                const [, extension, type, write] = FORMATS[format.value];
                save(`${description.name}.${extension}`, type, write(items, description.keys.map(({name}) => name)));
                close();
            }, {class: "primary"})));
    });
}

/** The items of a file; undefined: rather not. */
function chooseItems(description) {
    return dialog("Import items", (close) => {
        const file = h("input", {type: "file", accept: ".json,.jsonl,.csv,application/json,text/csv"}), trouble = h("p", {class: "trouble", role: "alert"});
        const go = button("Import", () => busy(go, async () => {
            trouble.textContent = file.files.length === 0 ? "Choose a file first." : "";
            if (file.files.length === 0) return;
            try {
                const items = readItems(await file.files[0].text(), file.files[0].name, description.keys);
                checkItems(description, items);
                close(items);
            } catch (error) {
                trouble.textContent = error.message;
            }
        }), {class: "primary"});
        return h("div", {}, h("p", {}, "JSON (a list, or an object a line; plain or DynamoDB's) or CSV with names in its first line. Items with the same key are replaced."),
            field("File", file), trouble, h("div", {class: "actions"}, button("Cancel", () => close()), go));
    });
}

function newItem(description) {
    return Object.fromEntries(description.keys.map(({name, type}) => [name, type === "N" ? {N: "0"} : {[type]: ""}]));
}

export function itemsTab(description, signal) {
    const output = h("div", {class: "results", "aria-live": "polite"});
    const hidden = new Set(), turn = newest(signal);
    let limit = 100;
    const form = searchForm(description, () => busy(null, begin));
    const begin = () => load({search: form.read(), limit, starts: [undefined], at: 0});

    /** Shows page `at` of a search; `starts` has where it and those before it begin. */
    async function load({search, limit, starts, at}) {
        const signal = turn();
        output.setAttribute("aria-busy", "true");
        try {
            const found = await readPage(search, limit, starts[at], signal);
            show({search, limit, starts: [...starts.slice(0, at + 1), found.next], at}, found);
        } catch (error) {
            if (error.name === "AbortError") return;
            replace(output, problem(error, () => load({search, limit, starts, at})));
        }
        output.removeAttribute("aria-busy");
    }

    const wholeItem = async (item) => {
        const whole = await dynamodb("GetItem", {TableName: description.name, ConsistentRead: true,
            Key: Object.fromEntries(description.keys.map(({name}) => [name, item[name]]))});
        if (whole.Item === undefined) throw new ValueError("the item is gone meanwhile");
        return whole.Item;
    };

    function show(page, found) {
        const keys = description.keys.map(({name}) => name);
        const columns = columnsOf(found.items, keys);
        const remove = h("button", {type: "button", class: "danger", disabled: true, on: {click: () => busy(null, async () => {
            if (await removeItems(description, grid.selected())) await load(page);
        })}}, "Delete selected");
        const grid = itemGrid(found.items, {label: "Items", columns: columns.filter((name) => !hidden.has(name)), keys, selectable: true,
            open: (item) => busy(null, async () => {
                if (await editItem(description, await wholeItem(item), "edit")) await load(page);
            }), changed: (selected) => {
                remove.disabled = selected === 0;
                remove.textContent = selected > 0 ? `Delete ${selected}` : "Delete selected";
            }});
        const turnTo = (at) => busy(null, () => load({...page, at}));
        const missing = columns.length > COLUMNS_MAX ? `, ${columns.length - COLUMNS_MAX} columns not shown` : "";
        replace(output, h("div", {class: "toolbar"},
            h("span", {class: "quiet"}, `${several(found.items.length, "item")}, ${count(found.examined)} examined, ${found.units} units${missing}`
                + `${found.next && found.items.length < page.limit ? ": there may be more" : ""}`),
            h("span", {class: "actions"}, remove, button("Columns", () => chooseColumns(columns, hidden, () => show(page, found))), button("Export", () => exportDialog(description, found.items)),
                button("As code", () => {
                    const {operation, input} = searchRequest({...page.search, limit: page.limit});
                    showCode(operation, input);
                }))),
        found.items.length === 0 ? h("p", {class: "quiet"}, found.next ? "Nothing found so far: the next page may have some." : "Nothing found.") : grid.node,
        h("div", {class: "pager"}, h("button", {type: "button", disabled: page.at === 0, on: {click: () => turnTo(page.at - 1)}}, icon(ICONS.left), " Previous"),
            h("span", {}, `Page ${page.at + 1}`), h("button", {type: "button", disabled: !found.next, on: {click: () => turnTo(page.at + 1)}}, "Next ", icon(ICONS.right)),
            field("Items a page", select(PAGE_SIZES.map((size) => [String(size), count(size)]), String(page.limit), (size) => {
                limit = Number(size);
                busy(null, begin);
            }))));
    }

    const node = h("div", {}, h("div", {class: "toolbar"}, h("span", {}), h("span", {class: "actions"},
        button("Import", () => busy(null, async () => {
            const items = await chooseItems(description);
            if (items && await putItems(description, items)) await begin();
        })), h("button", {type: "button", class: "primary", on: {click: () => busy(null, async () => {
            if (await editItem(description, newItem(description), "create")) await begin();
        })}}, icon(ICONS.add), " Create item"))), form.node, output);
    busy(null, begin);
    return node;
}

