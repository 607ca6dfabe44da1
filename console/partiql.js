// partiql.js - statements: write one, give its parameters, see what it answers.

import {dynamodb} from "./api.js";
import {showCode} from "./code.js";
import {h, icon, ICONS, replace} from "./dom.js";
import {columnsOf, itemGrid} from "./grid.js";
import {pointAt, rangeAt} from "./place.js";
import {busy, button, dialog, heading, iconButton, problem, section, several} from "./ui.js";
import {valueEditor} from "./value_editor.js";

const HISTORY_MAX = 50;
const history = []; // of this page's life: [{statement, parameters}]

/** Where it is wrong, as line:column:length: some messages tell it, beside others the server does. */
function positionOf(error) {
    return error.position ?? /\bat (\d+:\d+(?::\d+)?)/.exec(error.message)?.[1];
}

export function partiqlPage(signal) {
    const input = h("textarea", {class: "json statement", rows: 6, spellcheck: "false", "aria-label": "PartiQL statement",
        placeholder: "SELECT * FROM \"table\" WHERE pk = ?"});
    const parameters = h("div", {}), output = h("div", {class: "results"}), earlier = h("div", {});
    let editors = [];
    const addParameter = (value = {S: ""}) => {
        const editor = valueEditor(value, `Parameter ${editors.length + 1}`);
        const row = h("div", {class: "condition"}, h("span", {class: "position"}, "?"), editor.node, iconButton("remove", "Remove this parameter", () => {
            editors = editors.filter((other) => other !== editor);
            row.remove();
        }));
        editors.push(editor);
        parameters.append(row);
    };
    const request = () => ({Statement: input.value, ...(editors.length > 0 && {Parameters: editors.map((editor) => editor.read())})});
    const restore = ({Statement, Parameters = []}) => {
        input.value = Statement;
        editors = [];
        replace(parameters);
        Parameters.forEach(addParameter);
        input.focus();
    };
    const showHistory = () => replace(earlier, history.length === 0 ? null : section("History", h("ol", {class: "history"}, history.map((entry) => h("li", {},
        h("button", {type: "button", class: "link", on: {click: () => restore(entry)}}, entry.Statement))))));
    const remember = (asked) => {
        const text = JSON.stringify(asked), at = history.findIndex((entry) => JSON.stringify(entry) === text);
        if (at >= 0) history.splice(at, 1);
        history.unshift(asked);
        history.length = Math.min(history.length, HISTORY_MAX);
        showHistory();
    };
    const show = (asked, reply, before) => {
        const items = [...before, ...(reply.Items ?? [])];
        const grid = itemGrid(items, {label: "Results", columns: columnsOf(items, []), open: (item) => dialog("A result", (close) => h("div", {},
            h("pre", {class: "code", tabindex: "0"}, JSON.stringify(item, null, 2)), h("div", {class: "actions"}, button("Close", () => close()))), {class: "wide"})});
        replace(output, h("p", {class: "quiet"}, items.length === 0 ? "Done: it has no results." : `${several(items.length, "result")}${reply.NextToken ? ", and there are more" : ""}`),
            items.length > 0 ? grid.node : null, reply.NextToken ? button("More", () => run(asked, reply.NextToken, items)) : null);
    };
    const run = (asked, token, before = []) => busy(go, async () => {
        try {
            const reply = await dynamodb("ExecuteStatement", {...asked, Limit: 300, ...(token && {NextToken: token})}, {signal});
            show(asked, reply, before);
        } catch (error) {
            if (error.name === "AbortError") return;
            const position = positionOf(error);
            replace(output, problem(error), position && input.value === asked.Statement ? pointAt(input, rangeAt(asked.Statement, position)) : null);
        }
    });
    const start = () => busy(null, async () => {
        const asked = request();
        remember(asked);
        await run(asked);
    });
    const go = h("button", {type: "submit", class: "primary"}, "Run");
    input.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !go.disabled) start(); // one at a time, as by the button
    });
    showHistory();
    return h("div", {}, heading("PartiQL"), h("form", {on: {submit: (event) => {
        event.preventDefault();
        start();
    }}}, input, parameters, h("div", {class: "actions left"}, go, h("button", {type: "button", on: {click: () => addParameter()}}, icon(ICONS.add), " Parameter"),
        button("As code", () => busy(null, async () => showCode("ExecuteStatement", request()))), h("span", {class: "quiet"}, "Ctrl+Enter runs it"))), output, earlier);
}
