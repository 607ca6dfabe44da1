// item.js - one item: as a form, as plain JSON, as DynamoDB JSON.

import {dynamodb} from "./api.js";
import {showCode} from "./code.js";
import {h, replace, unique} from "./dom.js";
import {removeItems} from "./many.js";
import {jsonFault, pointAt} from "./place.js";
import {changeRequest} from "./request.js";
import {busy, button, bytes, confirm, dialog, toast} from "./ui.js";
import {check, checkItem, equal, hiddenTypes, isTyped, itemFromPlain, itemSize, own, plainItem, preview, readPlain, ValueError, visible, writePlain} from "./value.js";
import {attributesEditor} from "./value_editor.js";

function jsonEditor(label, start, parse, note) {
    const input = h("textarea", {class: "json", rows: 22, value: start, spellcheck: "false", "aria-label": label}), place = h("div", {});
    return {
        node: h("div", {}, note ? h("p", {class: "help"}, note) : null, input, place),
        read: () => {
            const fault = jsonFault(input.value);
            replace(place, fault ? pointAt(input, fault.range) : null);
            if (fault) throw new ValueError(`this is not JSON: ${fault.message}`);
            return parse(input.value);
        },
    };
}

/** Plain JSON; but a key that is no scalar, as only DynamoDB's JSON has it, says that this was pasted. */
function fromEither(text, item, keys) {
    const typed = JSON.parse(text);
    return isTyped(typed) && keys.every(({name}) => typeof own(typed, name) === "object") ? typed : itemFromPlain(readPlain(text), item);
}

const MODES = {
    form: ["Form", (item, keys) => attributesEditor(item, "item", keys)],
    plain: ["JSON", (item, keys) => {
        const hidden = hiddenTypes(item);
        return jsonEditor("The item as plain JSON", writePlain(plainItem(item)), (text) => fromEither(text, item, keys),
            hidden.length > 0 ? `Plain JSON does not show the type of ${hidden.slice(0, 5).map(visible).join(", ")}: it stays as it was.` : null);
    }],
    typed: ["DynamoDB JSON", (item) => jsonEditor("The item as DynamoDB JSON", JSON.stringify(item, null, 2), (text) => {
        const parsed = JSON.parse(text);
        if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed)) throw new ValueError("an item is an object");
        return parsed;
    })],
};

/** What somebody else has changed, as rows. */
function differences(before, now) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => !equal(own(before, name), own(now, name)));
    return h("ul", {}, names.slice(0, 20).map((name) => h("li", {}, h("code", {}, visible(name)), ": ",
        preview(own(before, name)) || "(nothing)", " → ", preview(own(now, name)) || "(nothing)")));
}

async function askAboutConflict(before, now) {
    if (now === undefined) {
        return await confirm("The item is gone", "Somebody has deleted this item since it was loaded.", "Write it anew", "primary") ? "create" : "stay";
    }
    return dialog("The item has changed since it was loaded", (close) => h("div", {}, h("p", {}, "Nothing was written. Meanwhile somebody has changed:"),
        differences(before, now), h("div", {class: "actions"}, button("Back to my changes", () => close("stay")),
            button("Take the new one, drop my changes", () => close("load")), button("Put my changes on top of it", () => close("again"), {class: "danger"}))));
}

async function create(description, item) {
    const [first] = description.keys;
    await dynamodb("PutItem", {TableName: description.name, Item: item, ConditionExpression: "attribute_not_exists(#k)",
        ExpressionAttributeNames: {"#k": first.name}});
}

/** What was changed from `before` to `after`, done to `now`. */
function onTop(before, after, now) {
    const changed = Object.entries(after).filter(([name, value]) => !equal(own(before, name), value));
    const kept = Object.entries(now).filter(([name]) => Object.hasOwn(after, name) || !Object.hasOwn(before, name));
    return Object.fromEntries([...kept, ...changed]);
}

/** Returns "saved", or the item to go on with. */
async function update(description, before, after) {
    const request = changeRequest(description.name, description.keys, before, after);
    if (request === undefined) {
        toast("Nothing has changed.");
        return "saved";
    }
    try {
        await dynamodb("UpdateItem", request);
        return "saved";
    } catch (error) {
        if (error.type !== "ConditionalCheckFailedException") throw error;
        const now = error.details.Item, answer = await askAboutConflict(before, now);
        if (answer === "create") await create(description, after);
        if (answer === "again") return update(description, now, onTop(before, after, now));
        if (answer === "load") return now;
        return answer === "create" ? "saved" : undefined;
    }
}

function sameKey(description, a, b) {
    return description.keys.every(({name}) => equal(a[name], b[name]));
}

/** Keys first, as everywhere. */
function inOrder(item, keys) {
    const names = keys.map(({name}) => name).filter((name) => Object.hasOwn(item, name));
    return Object.fromEntries([...names, ...Object.keys(item).filter((name) => !names.includes(name))].map((name) => [name, item[name]]));
}

/** kind: "edit" or "create". Returns whether something was written. */
export function editItem(description, item, kind) {
    const isNew = kind === "create";
    return dialog(isNew ? "Create an item" : "Edit an item", (close) => {
        let loaded = item, mode = "form", editor;
        const place = h("div", {class: "editor"}), trouble = h("p", {class: "trouble", role: "alert"}), size = h("span", {class: "quiet"});
        const tabs = h("div", {class: "tabs", role: "tablist", "aria-label": "How the item is shown"});
        const read = () => {
            const result = editor.read();
            checkItem(result, description.keys);
            return result;
        };
        const tell = (error) => {
            trouble.textContent = error instanceof ValueError && error.where ? `${error.where}: ${error.message}` : error.message;
        };
        const withItem = (work) => {
            trouble.textContent = "";
            let now;
            try {
                now = read();
            } catch (error) {
                tell(error);
                return undefined;
            }
            return work(now);
        };
        const show = (given) => {
            const shown = inOrder(given, description.keys);
            editor = MODES[mode][1](shown, description.keys);
            replace(place, editor.node);
            size.textContent = bytes(itemSize(shown));
            replace(tabs, Object.entries(MODES).map(([key, [name]]) => h("button", {type: "button", role: "tab", id: unique("t"), "aria-selected": String(key === mode),
                on: {click: () => {
                    try {
                        const now = editor.read();
                        check({M: now});
                        trouble.textContent = "";
                        mode = key;
                        show(now);
                    } catch (error) {
                        tell(error);
                    }
                }}}, name)));
        };
        show(item);
        const write = async (after) => {
            if (isNew || !sameKey(description, loaded, after)) {
                await create(description, after);
                toast(isNew ? "The item is there." : "A new item is there: its key is another one. The old one has stayed.");
                close(true);
                return;
            }
            const result = await update(description, loaded, after);
            if (result === "saved") close(true);
            else if (result !== undefined) {
                loaded = result;
                show(result);
            }
        };
        const saveButton = h("button", {type: "button", class: "primary", on: {click: () => busy(saveButton, async () => {
            try {
                await withItem(write);
            } catch (error) {
                if (error.type !== "ConditionalCheckFailedException") throw error;
                tell(new ValueError("there is an item with this key already"));
            }
        })}}, isNew ? "Create item" : "Save");
        return h("div", {}, tabs, place, trouble, h("div", {class: "actions"}, size,
            isNew ? null : button("Delete", () => busy(null, async () => {
                if (await removeItems(description, [loaded])) close(true);
            }), {class: "danger"}),
            isNew ? null : button("Duplicate", () => withItem(async (copied) => {
                if (await editItem(description, copied, "create")) close(true);
            })),
            button("As code", () => withItem((shown) => showCode("PutItem", {TableName: description.name, Item: shown}))), button("Cancel", () => close(false)), saveButton));
    }, {class: "wide"});
}
