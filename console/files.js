// files.js - items to files and back: JSON of both kinds, and CSV.

import {columnsOf} from "./grid.js";
import {checkNumber, fromPlain, isTyped, itemFromPlain, own, plainItem, readPlain, toPlain, typeOf, ValueError, writePlain} from "./value.js";

export function save(name, type, content) {
    const url = URL.createObjectURL(new Blob([content], {type}));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// ---- writing ----

function csvCell(text) {
    return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Texts and numbers as they are, the rest as JSON: also a text that would be taken for something else. */
function csvValue(value) {
    if (value === undefined) return "";
    const type = typeOf(value);
    if (type === "S") return value.S === "" || typeOf(csvToValue(value.S)) !== "S" || value.S.startsWith('"') ? JSON.stringify(value.S) : value.S;
    return type === "N" || type === "B" ? value[type] : writePlain(toPlain(value), 0);
}

export function toCsv(items, keys) {
    const columns = columnsOf(items, keys);
    const lines = [columns, ...items.map((item) => columns.map((name) => csvValue(own(item, name))))];
    return `${lines.map((cells) => cells.map(csvCell).join(",")).join("\r\n")}\r\n`;
}

export const FORMATS = {
    dynamodb: ["DynamoDB JSON", "json", "application/json", (items) => `${JSON.stringify(items, null, 2)}\n`],
    plain: ["Plain JSON", "json", "application/json", (items) => `${writePlain(items.map(plainItem))}\n`],
    csv: ["CSV", "csv", "text/csv", toCsv],
};

// ---- reading ----

/** Rows of cells. */
export function parseCsv(text) {
    const rows = [];
    let row = [], cell = "", quoted = false, any = false;
    for (let at = text.charCodeAt(0) === 0xfeff ? 1 : 0; at < text.length; at++) {
        const character = text[at];
        if (quoted) {
            if (character !== '"') cell += character;
            else if (text[at + 1] === '"') cell += text[++at];
            else quoted = false;
        } else if (character === '"' && cell === "") {
            quoted = any = true;
        } else if (character === ",") {
            row.push(cell);
            [cell, any] = ["", true];
        } else if (character === "\n" || character === "\r") {
            if (character === "\r" && text[at + 1] === "\n") at++;
            if (any || cell !== "") rows.push([...row, cell]);
            [row, cell, any] = [[], "", false];
        } else {
            cell += character;
        }
    }
    if (quoted) throw new ValueError("the file ends inside of quotes");
    if (any || cell !== "") rows.push([...row, cell]);
    return rows;
}

const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

function isNumber(text) {
    try {
        checkNumber(text);
        return PLAIN_NUMBER.test(text);
    } catch {
        return false;
    }
}

function fromCell(text) {
    try {
        return fromPlain(readPlain(text));
    } catch {
        return {S: text}; // it only looks like JSON
    }
}

/** `type`: of a key, which has that one. */
function csvToValue(text, type) {
    if (type !== undefined && type !== "S") return {[type]: text};
    if (text.startsWith('"')) return fromCell(text);
    if (type === "S") return {S: text};
    if (text === "true" || text === "false") return {BOOL: text === "true"};
    if (text === "null") return {NULL: true};
    if (isNumber(text)) return {N: text};
    return /^[[{]/.test(text) ? fromCell(text) : {S: text};
}

function fromCsv(text, keys) {
    const [names = [], ...rows] = parseCsv(text);
    return rows.map((cells, i) => {
        if (cells.length > names.length) throw new ValueError(`line ${i + 2} has more cells than the first one`);
        const types = Object.fromEntries(keys.map(({name, type}) => [name, type]));
        return Object.fromEntries(cells.map((cell, at) => [names[at], cell]).filter(([, cell]) => cell !== "")
            .map(([name, cell]) => [name, csvToValue(cell, own(types, name))]));
    });
}

function fromJson(text) {
    const trimmed = text.trim();
    const lines = trimmed.startsWith("[") ? null : trimmed.split("\n").filter((line) => line.trim() !== "");
    const single = lines !== null && (lines.length === 1 || !lines[0].trim().endsWith("}"));
    const plain = lines === null ? JSON.parse(trimmed) : single ? [JSON.parse(trimmed)] : lines.map((line) => JSON.parse(line));
    const list = (Array.isArray(plain) ? plain : [plain]).map((one) => (one?.Item && Object.keys(one).length === 1 ? one.Item : one));
    if (list.every(isTyped)) return list;
    const exact = lines === null ? readPlain(trimmed) : single ? [readPlain(trimmed)] : lines.map((line) => readPlain(line));
    return exact.map((one) => itemFromPlain(one));
}

/** Items of a file: a list, one object a line (as exports have it), or CSV with names in its first line. */
export function readItems(text, fileName, keys) {
    return /\.csv$/i.test(fileName) ? fromCsv(text, keys) : fromJson(text);
}
