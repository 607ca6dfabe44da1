// place.js - where in a text something is wrong, and how that is shown beside its editor. A range is [from, to] in JavaScript's own counting.

import {h} from "./dom.js";

/** The range that "line:column:length" names. Servers count from 1, in characters. */
export function rangeAt(text, position) {
    const [line, column, length = 1] = position.split(":").map(Number);
    const lines = text.split("\n"), shown = [...(lines[line - 1] ?? "")];
    const from = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0) + shown.slice(0, column - 1).join("").length;
    return [from, from + shown.slice(column - 1, column - 1 + Math.max(1, length)).join("").length];
}

const AROUND = 40;

/** Selects it in the input, and returns its line with it marked; what goes on in further lines is not. */
export function pointAt(input, [from, to]) {
    const text = input.value, start = text.lastIndexOf("\n", from - 1) + 1, next = text.indexOf("\n", from), end = next === -1 ? text.length : next;
    const before = text.slice(start, from), shown = before.trimStart(), marked = text.slice(from, Math.min(to, end)), after = text.slice(Math.min(to, end), end);
    input.focus();
    input.setSelectionRange(from, to);
    return h("p", {class: "place"}, `Line ${text.slice(0, start).split("\n").length}, character ${[...before].length + 1}: `,
        h("code", {}, shown.length > AROUND ? `…${shown.slice(-AROUND)}` : shown, h("mark", {}, marked || "⏎"), after.length > AROUND ? `${after.slice(0, AROUND)}…` : after));
}

// ---- JSON ----

const TOKEN = /([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

const SPACE = /[ \t\r\n]*/y;

/** What comes next may be: a value, what follows one, a name, a colon; the first ones may also be the end of what is empty. */
const EXPECTED = {value: "a value", first: "a value or ]", rest: "a comma or the end", names: "a name in quotes or }", name: "a name in quotes", colon: "a colon", end: "nothing more"};

/** Steps from one token to the next; false where it cannot be one. */
function step(state, punctuation, isText) {
    const {expect, open} = state, close = open.at(-1) === "{" ? "}" : "]";
    const after = () => (open.length > 0 ? "rest" : "end");
    if (punctuation === close && open.length > 0 && ["rest", "first", "names"].includes(expect) && (expect !== "first" || close === "]")) {
        open.pop();
        state.expect = after();
    } else if (expect === "value" || expect === "first") {
        if (punctuation === "{" || punctuation === "[") {
            open.push(punctuation);
            state.expect = punctuation === "{" ? "names" : "first";
        } else if (punctuation !== undefined) return false;
        else state.expect = after();
    } else if (expect === "name" || expect === "names") {
        if (!isText) return false;
        state.expect = "colon";
    } else if (expect === "colon" && punctuation === ":") {
        state.expect = "value";
    } else if (expect === "rest" && punctuation === ",") {
        state.expect = open.at(-1) === "{" ? "name" : "value";
    } else return false;
    return true;
}

/** What makes a text no JSON: {message, range}; undefined: nothing does. Browsers tell it in different words, and not always where. */
export function jsonFault(text) {
    const state = {expect: "value", open: []};
    for (let at = 0; ;) {
        SPACE.lastIndex = at;
        at += SPACE.exec(text)[0].length;
        if (at >= text.length) return state.expect === "end" ? undefined : {message: `The text ends where ${EXPECTED[state.expect]} is expected.`, range: [at, at]};
        TOKEN.lastIndex = at;
        const found = TOKEN.exec(text), word = found?.[0] ?? /^(?:[\w.+-]+|[^]?)/u.exec(text.slice(at))[0];
        if (!found && word === '"') return {message: "A text in quotes is wrong, or not closed.", range: [at, at + 1]};
        if (!found || !step(state, found[1], found[2] !== undefined)) {
            return {message: `Here ${EXPECTED[state.expect]} is expected, not ${word.slice(0, 20)}`, range: [at, at + word.length]};
        }
        at = TOKEN.lastIndex;
    }
}

/** The values in the object or list that begins at `from`, with their names, in valid JSON: [{name, range}]. */
function membersAt(text, from) {
    const list = [];
    let depth = 0, name, value;
    for (const {word, at} of tokens(text, from)) {
        if (depth === 1 && /^[\]},]$/.test(word)) {
            if (value) list.push({name: name ?? String(list.length), range: value});
            [name, value] = [undefined, undefined];
        } else if (depth === 1 && word === ":") {
            name = JSON.parse(text.slice(...value));
            value = undefined;
        } else if (depth >= 1) value = [value?.[0] ?? at, at + word.length];
        if (/^[[{]$/.test(word)) depth++;
        else if (/^[\]}]$/.test(word) && --depth === 0) return list;
    }
    return list;
}

function* tokens(text, from) {
    for (let at = from; ;) {
        SPACE.lastIndex = at;
        TOKEN.lastIndex = at += SPACE.exec(text)[0].length;
        const found = TOKEN.exec(text);
        if (!found) return;
        yield {word: found[0], at};
        at = TOKEN.lastIndex;
    }
}

/** The range of the value behind these names and positions in valid JSON; of the last that is there. */
export function rangeOfPath(text, path) {
    let range = [/^\s*/.exec(text)[0].length, text.trimEnd().length];
    for (const step of path) {
        const next = membersAt(text, range[0]).find(({name}) => name === String(step));
        if (!next) return range;
        range = next.range;
    }
    return range;
}
