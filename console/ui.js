// ui.js - what all pages are made of: buttons, fields, dialogs, messages, ways to show numbers and times.

import {repeat} from "./api.js";
import {h, icon, ICONS, replace, unique} from "./dom.js";

export function button(text, handler, attributes = {}) {
    return h("button", {type: "button", on: {click: handler}, ...attributes}, text);
}

export function iconButton(name, label, handler, attributes = {}) {
    return h("button", {type: "button", class: "plain", title: label, "aria-label": label, on: {click: handler}, ...attributes}, icon(ICONS[name]));
}

/** A label with its input below it; `help` is said after it. */
export function field(label, input, help) {
    input.id ||= unique("f");
    const note = help ? h("span", {class: "help", id: unique("n")}, help) : null;
    if (note) input.setAttribute("aria-describedby", note.id);
    return h("div", {class: "field"}, h("label", {for: input.id}, label), input, note);
}

export function checkbox(label, checked, handler = () => {}) {
    const input = h("input", {type: "checkbox", checked, on: {change: () => handler(input.checked)}});
    return Object.assign(h("label", {class: "check"}, input, " ", label), {input});
}

export function select(options, value, handler = () => {}, attributes = {}) {
    const node = h("select", {value, on: {change: () => handler(node.value)}, ...attributes},
        options.map(([key, text]) => h("option", {value: key}, text)));
    node.value = value;
    return node;
}

export function text(value, attributes = {}) {
    return h("input", {type: "text", value, autocomplete: "off", spellcheck: "false", ...attributes});
}

// ---- messages ----

/** What is behind a dialog can be neither read well nor clicked: messages are in the dialog on top. */
function toastsOnTop() {
    const place = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body, toasts = document.getElementById("toasts");
    if (toasts.parentNode !== place) place.append(toasts);
}

export function toast(message, kind = "good") {
    const node = h("div", {class: `toast ${kind}`}, message, iconButton("remove", "Dismiss", () => node.remove()));
    document.getElementById("toasts").append(node);
    setTimeout(() => node.remove(), kind === "bad" ? 12000 : 5000);
}

export function problem(error, again) {
    return h("div", {class: "problem", role: "alert"}, h("strong", {}, error.type ?? "Something went wrong"), h("p", {}, error.message),
        again ? button("Try again", again) : null);
}

/** Runs a handler's work; the button rests meanwhile, and what goes wrong is said. */
export async function busy(node, work) {
    if (node) node.disabled = true;
    try {
        return await work();
    } catch (error) {
        if (error.name !== "AbortError") toast(`${error.type ? `${error.type}: ` : ""}${error.message}`, "bad");
        return undefined;
    } finally {
        if (node) node.disabled = false;
    }
}

// ---- dialogs ----

/** Shows a dialog until it is closed. `build(close)` returns its content; what close() gets is returned. */
export function dialog(title, build, attributes = {}) {
    return new Promise((resolve) => {
        const heading = h("h2", {id: unique("d")}, title);
        const node = h("dialog", {"aria-labelledby": heading.id, ...attributes});
        let result;
        const close = (value) => {
            result = value;
            node.close();
        };
        node.append(h("div", {class: "dialog-head"}, heading, iconButton("remove", "Close", () => close())), build(close, node));
        node.addEventListener("close", () => {
            toastsOnTop();
            node.remove();
            resolve(result);
        });
        document.body.append(node);
        node.showModal();
        toastsOnTop();
    });
}

/** A dangerous thing is done only by who writes its name. */
export function confirmByName(title, name, explanation, action) {
    return dialog(title, (close) => {
        const input = text("");
        const go = h("button", {type: "submit", class: "danger", disabled: true}, action);
        input.addEventListener("input", () => {
            go.disabled = input.value !== name;
        });
        return h("form", {method: "dialog", on: {submit: (event) => {
            event.preventDefault();
            if (input.value === name) close(true);
        }}}, h("p", {}, explanation), field(["To be sure, write ", h("code", {}, name)], input),
        h("div", {class: "actions"}, button("Cancel", () => close(false)), go));
    });
}

export function confirm(title, explanation, action, kind = "danger") {
    return dialog(title, (close) => h("div", {}, h("p", {}, explanation),
        h("div", {class: "actions"}, button("Cancel", () => close(false)), button(action, () => close(true), {class: kind}))));
}

// ---- parts of pages ----

export function heading(title, ...actions) {
    return h("div", {class: "heading"}, h("h1", {}, title), h("div", {class: "actions"}, ...actions));
}

export function section(title, ...children) {
    const head = h("h2", {id: unique("s")}, title);
    return h("section", {"aria-labelledby": head.id}, head, ...children);
}

/** Rows of a name and what it is. */
export function facts(rows) {
    return h("dl", {class: "facts"}, rows.filter(Boolean).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

export function badge(word, kind) {
    return h("span", {class: `badge ${kind}`}, word);
}

const STATES = {ACTIVE: "good", ENABLED: "good", OK: "good", AVAILABLE: "good", ALARM: "bad", DELETING: "bad", FAILED: "bad",
    CREATING: "busy", UPDATING: "busy", ENABLING: "busy", DISABLING: "busy", INSUFFICIENT_DATA: "quiet", DISABLED: "quiet"};

export function state(word) {
    return badge(word.toLowerCase().replaceAll("_", " "), STATES[word] ?? "quiet");
}

/** Columns: [title, cell of a row, class]. */
export function table(label, columns, rows, nothing = "Nothing yet.") {
    if (rows.length === 0) return h("p", {class: "quiet"}, nothing);
    return h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": label}, h("table", {"aria-label": label},
        h("thead", {}, h("tr", {}, columns.map(([title, , kind]) => title === "" ? h("td", {}) : h("th", {scope: "col", class: kind}, title)))),
        h("tbody", {}, rows.map((row) => h("tr", {}, columns.map(([, cell, kind]) => h("td", {class: kind}, cell(row))))))));
}

/** A place that shows `load()`'s result, or why there is none. Returns {node, reload}. */
export function panel(load) {
    const node = h("div", {}, h("p", {class: "quiet"}, "Loading …"));
    let turns = 0;
    const reload = async () => {
        const turn = ++turns; // what was asked for later is newer
        try {
            const content = await load();
            if (turn === turns) replace(node, content);
        } catch (error) {
            if (turn === turns && error.name !== "AbortError") replace(node, problem(error, reload));
        }
    };
    reload();
    return {node, reload};
}

/** As panel(), of what changes: looked at again and again until the page is left. What has not changed keeps its focus and its place. `read()` returns what
 * `show(it)` shows; undefined: it is too late for that. */
export function live(ms, signal, read, show) {
    const node = h("div", {}, h("p", {class: "quiet"}, "Loading …"));
    let shown, turns = 0;
    const become = (text, ...children) => {
        if (signal.aborted || text === shown) return;
        shown = text;
        replace(node, ...children);
    };
    const reload = async () => {
        const turn = ++turns; // what was read later is newer
        try {
            const now = await read(), text = JSON.stringify(now);
            if (turn === turns && now !== undefined && text !== shown) become(text, show(now));
        } catch (error) {
            if (turn === turns && error.name !== "AbortError") become(`${error.type}: ${error.message}`, problem(error, reload));
        }
    };
    repeat(ms, signal, reload);
    return {node, reload};
}

export async function copy(textToCopy) {
    try {
        await navigator.clipboard.writeText(textToCopy);
        toast("Copied");
    } catch {
        toast("The browser does not let this page copy. Mark the text and copy it by hand.", "bad");
    }
}

// ---- numbers and times ----

export function bytes(count) {
    for (const [unit, size] of [["GB", 2 ** 30], ["MB", 2 ** 20], ["KB", 1024]]) {
        if (count >= size) return `${(count / size).toFixed(count / size < 10 ? 1 : 0)} ${unit}`;
    }
    return `${count ?? 0} B`;
}

export function count(number) {
    return (number ?? 0).toLocaleString("en-US");
}

/** "1 item", "2 items". */
export function several(number, word) {
    return `${count(number)} ${word}${number === 1 ? "" : "s"}`;
}

/** Seconds since 1970, or a time as a text. */
export function when(time) {
    if (time === undefined || time === null) return "";
    const date = new Date(typeof time === "number" ? time * 1000 : time);
    return h("time", {datetime: date.toISOString(), title: date.toISOString()},
        date.toLocaleString(undefined, {dateStyle: "medium", timeStyle: "medium"}));
}

export function duration(seconds) {
    const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
    const at = Math.max(0, parts.findIndex(([size]) => Math.abs(seconds) >= size));
    const [size, unit] = parts[at === -1 ? 3 : at];
    const whole = Math.trunc(seconds / size), rest = at < 3 ? Math.trunc((seconds % size) / parts[at + 1][0]) : 0;
    return `${whole} ${unit}${rest ? ` ${Math.abs(rest)} ${parts[at + 1][1]}` : ""}`;
}
