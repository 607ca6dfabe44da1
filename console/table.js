// table.js - one table: its tabs.

import {h} from "./dom.js";
import {itemsTab} from "./items.js";
import {describe} from "./tables.js";
import {heading, panel} from "./ui.js";

const TABS = {
    items: ["Items", itemsTab],
};

export function tablePage(name, tab, signal) {
    const shown = tab in TABS ? tab : "items";
    const {node} = panel(async () => {
        const description = await describe(name, signal);
        return TABS[shown][1](description, signal);
    });
    const links = Object.entries(TABS).map(([key, [title]]) => h("a", {href: `#/table/${encodeURIComponent(name)}/${key}`,
        "aria-current": key === shown ? "page" : null}, title));
    return h("div", {}, heading(name), h("nav", {class: "tabs", "aria-label": "Parts of the table"}, links), node);
}
