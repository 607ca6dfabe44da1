// value_editor.js - a value as a form: its type, and an input that fits it; lists and maps have forms inside.
//
// An editor is {node, read}: read() returns the value, or throws a ValueError that says where it is wrong.

import {h, replace} from "./dom.js";
import {check, empty, SETS, TYPES, typeOf, ValueError} from "./value.js";
import {button, iconButton, select, text} from "./ui.js";

const LONG = 60;
const BREAK = /[\r\n]/;

function scalarEditor(type, content, label) {
    if (type === "BOOL") {
        const input = select([["true", "true"], ["false", "false"]], String(content), () => {}, {"aria-label": label});
        return {node: input, read: () => ({BOOL: input.value === "true"})};
    }
    if (type === "NULL") return {node: h("span", {class: "quiet"}, "null"), read: () => ({NULL: true})};
    if (type in SETS && content.some((member) => BREAK.test(member))) return setEditor(type, content, label);
    if (type in SETS) {
        const input = h("textarea", {rows: Math.min(8, content.length + 1), value: content.join("\n"), "aria-label": `${label}, one member a line`,
            spellcheck: "false"});
        return {node: input, read: () => ({[type]: input.value.split("\n").filter((line, i, all) => line !== "" || (type === "SS" && i < all.length - 1))})};
    }
    const long = type !== "N" && (content.length > LONG || BREAK.test(content));
    const input = long || type === "B"
        ? h("textarea", {rows: Math.min(12, Math.ceil(content.length / LONG) + 1), value: content, "aria-label": label, spellcheck: "false"})
        : text(content, {"aria-label": label, inputmode: type === "N" ? "decimal" : undefined});
    const shown = input.value; // an input has its own kind of line breaks
    return {node: input, read: () => ({[type]: type === "S" ? textOf(input, shown, content) : input.value.trim()})};
}

/** What was not touched is what it was, and a text whose lines end with CR LF stays one. */
function textOf(input, shown, before) {
    if (input.value === shown) return before;
    return /\r\n/.test(before) && !/\r(?!\n)|(?<!\r)\n/.test(before) ? input.value.replaceAll("\n", "\r\n") : input.value;
}

/** A member with line breaks needs a place of its own. */
function setEditor(type, content, label) {
    const member = SETS[type], {node, read} = listEditor(content.map((one) => ({[member]: one})), label, member);
    return {node, read: () => ({[type]: read().L.map((value) => value[member])})};
}

function listEditor(list, label, fixedType) {
    const node = h("div", {class: "nested"}), rows = h("div", {});
    let editors = [];
    const add = (value) => {
        const at = editors.length, editor = valueEditor(value, `${label}, member ${at + 1}`, fixedType);
        const row = h("div", {class: "attribute"}, h("span", {class: "position"}, String(at)), editor.node,
            iconButton("remove", `Remove member ${at}`, () => {
                editors = editors.filter((other) => other !== editor);
                row.remove();
            }));
        editors.push(editor);
        rows.append(row);
    };
    list.forEach(add);
    node.append(rows, button("Add a member", () => add(empty(fixedType ?? "S")), {class: "small"}));
    return {node, read: () => ({L: editors.map((editor, i) => readAt(editor, i))})};
}

function readAt(editor, step) {
    try {
        return editor.read();
    } catch (error) {
        throw error instanceof ValueError ? error.within(step) : error;
    }
}

/** The attributes of a map, or of an item: `fixed` names cannot be renamed, retyped or removed. */
export function attributesEditor(attributes, label, fixed = []) {
    const rows = h("div", {class: "attributes"}), entries = [];
    const add = (name, value, isNew) => {
        const key = fixed.find((one) => one.name === name);
        const nameInput = text(name, {class: "name", "aria-label": "Attribute name", readOnly: key !== undefined});
        const editor = valueEditor(value, name || "new attribute", key?.type);
        const entry = {nameInput, editor, was: isNew ? undefined : name};
        const row = h("div", {class: "attribute"}, nameInput, editor.node, key === undefined
            ? iconButton("remove", `Remove ${name || "this attribute"}`, () => {
                entries.splice(entries.indexOf(entry), 1);
                row.remove();
            }) : h("span", {class: "key-mark"}, "key"));
        entries.push(entry);
        rows.append(row);
        return nameInput;
    };
    for (const [name, value] of Object.entries(attributes)) add(name, value, false);
    const node = h("div", {}, rows, button("Add an attribute", () => add("", {S: ""}, true).focus(), {class: "small"}));
    const read = () => {
        const result = {};
        for (const {nameInput, editor} of entries) {
            const name = nameInput.value;
            if (name === "") throw new ValueError("a name is missing");
            if (Object.hasOwn(result, name)) throw new ValueError("this name is there twice", [name]);
            Object.defineProperty(result, name, {value: readAt(editor, name), enumerable: true, writable: true, configurable: true});
        }
        return result;
    };
    return {node, read};
}

/** `fixedType`: it has that type, and no other. */
export function valueEditor(value, label, fixedType) {
    const node = h("div", {class: "value"});
    let editor;
    const show = (shown) => {
        const type = typeOf(shown);
        editor = type === "L" ? listEditor(shown.L, label) : type === "M" ? mapEditor(shown.M, label) : scalarEditor(type, shown[type], label);
        const types = fixedType ? [[fixedType, TYPES[fixedType]]] : Object.entries(TYPES);
        replace(node, select(types, type, (chosen) => show(converted(editor, chosen)), {class: "type", "aria-label": `Type of ${label}`,
            disabled: fixedType !== undefined}), editor.node);
    };
    show(value);
    return {node, read: () => {
        const result = editor.read();
        check(result);
        return result;
    }};
}

function mapEditor(map, label) {
    const editor = attributesEditor(map, label);
    return {node: h("div", {class: "nested"}, editor.node), read: () => ({M: editor.read()})};
}

/** What can be kept of a value that gets another type is kept. */
function converted(editor, type) {
    let before;
    try {
        before = editor.read();
    } catch {
        return empty(type);
    }
    const from = typeOf(before), content = before[from];
    if (["S", "N", "B"].includes(from) && ["S", "N", "B"].includes(type)) return {[type]: content};
    if (["S", "N", "B"].includes(from) && SETS[type] === from) return {[type]: [content]};
    if (type === "L" && from !== "NULL") return {L: from in SETS ? content.map((member) => ({[SETS[from]]: member})) : [before]};
    return empty(type);
}
