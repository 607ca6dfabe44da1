// policy_editor.js - a policy document as text: what is wrong with it is shown where it is, whether the page finds it or the server.

import {h, replace} from "./dom.js";
import {jsonFault, pointAt, rangeAt, rangeOfPath} from "./place.js";
import {problem} from "./ui.js";

const encoder = new TextEncoder(), decoder = new TextDecoder();

/** Columns of "(row,column)" count bytes. */
function rangeOfBytes(text, row, column) {
    const line = text.split("\n")[row - 1] ?? "", before = decoder.decode(encoder.encode(line).slice(0, column - 1));
    const word = /^(?:"[^"]*"|\S)/.exec(line.slice(before.length))?.[0] ?? "";
    return rangeAt(text, `${row}:${[...before].length + 1}:${[...word].length}`);
}

/** Where in a document the fault is that a message tells; undefined: it does not tell. */
export function placeOfFault(message, text) {
    const position = /position \((\d+),(\d+)\)/.exec(message), missing = /(?:^|[ :])(\w+) is missing|Missing required field (\w+)/.exec(message);
    if (position) return rangeOfBytes(text, Number(position[1]), Number(position[2]));
    const [, number, element] = /\bstatement (\d+)(?: \([^)]*\))?(?:, (\w+))?:/.exec(message) ?? [];
    const list = rangeOfPath(text, ["Statement"]), path = ["Statement", ...(text[list[0]] === "[" && number ? [number - 1] : []), ...(element ? [element] : [])];
    const [from, to] = rangeOfPath(text, number ? path : []);
    for (const [, quoted, word] of message.matchAll(/"((?:[^"\\]|\\.)*)"|((?:\$\{)?\w+:[\w/:-]+\}?|(?<=operator )\w+)/g)) {
        const wanted = quoted === undefined ? word : JSON.stringify(quoted), at = text.indexOf(wanted, from);
        if (at >= 0 && at < to) return [at, at + wanted.length];
    }
    return number || missing ? [from, to] : undefined;
}

const rowsOf = (text) => Math.min(24, Math.max(6, text.split("\n").length + 1));

/** As people read it. */
export function pretty(document) {
    try {
        return JSON.stringify(JSON.parse(document), null, 2);
    } catch {
        return document;
    }
}

/** `attempt(work)` hands the text to work() when it is JSON, and shows what goes wrong; it returns whether all went well. */
export function policyEditor(label, document = "") {
    const shown = pretty(document);
    const input = h("textarea", {class: "json", rows: rowsOf(shown), value: shown, spellcheck: "false", "aria-label": label}), trouble = h("div", {});
    const tell = (error, range) => replace(trouble, problem(error), range ? pointAt(input, range) : null);
    const attempt = async (work) => {
        replace(trouble);
        const fault = jsonFault(input.value);
        if (fault) {
            tell({type: "This is not JSON", message: fault.message}, fault.range);
            return false;
        }
        try {
            await work(input.value);
            return true;
        } catch (error) {
            if (error.name !== "AbortError") tell(error, placeOfFault(error.message, input.value));
            return false;
        }
    };
    return {node: h("div", {}, input, trouble), attempt, isEmpty: () => input.value.trim() === "", set: (text) => {
        input.value = pretty(text);
        input.rows = rowsOf(input.value);
        replace(trouble);
    }};
}
