// grid.js - many rows in a scrolling table, of which only those in sight are in the page.

import {h, replace} from "./dom.js";
import {own, preview, typeOf, visible} from "./value.js";

const ROW_PX = 33;
const AROUND = 12; // rows beyond both edges
export const COLUMNS_MAX = 40;

/** Keys first, then what most items have. */
export function columnsOf(items, keys) {
    const counts = new Map();
    for (const item of items) for (const name of Object.keys(item)) counts.set(name, (counts.get(name) ?? 0) + 1);
    const others = [...counts.keys()].filter((name) => !keys.includes(name)).sort((a, b) => counts.get(b) - counts.get(a) || (a < b ? -1 : 1));
    return [...keys.filter((name) => counts.has(name)), ...others];
}

/**
 * items: attribute maps. options: columns, keys, open(item), selectable, changed(selected).
 * Returns {node, selected()}.
 */
export function itemGrid(items, {label, columns, keys = [], open, selectable = false, changed = () => {}}) {
    const shown = columns.slice(0, COLUMNS_MAX), selected = new Set();
    const body = h("tbody", {}), above = h("tr", {class: "spacer", "aria-hidden": "true"}), below = h("tr", {class: "spacer", "aria-hidden": "true"});
    const whole = h("input", {type: "checkbox", "aria-label": "Select all of this page"});
    const head = h("tr", {}, selectable ? h("th", {class: "mark"}, whole) : null,
        shown.map((name) => h("th", {scope: "col", class: keys.includes(name) ? "key" : null, title: visible(name)}, visible(name))));
    const node = h("div", {class: "grid", tabindex: "0", role: "region", "aria-label": label},
        h("table", {"aria-rowcount": items.length + 1, "aria-label": label}, h("thead", {}, head), body));
    above.append(h("td", {colspan: shown.length + 1}));
    below.append(h("td", {colspan: shown.length + 1}));

    const tell = () => {
        whole.checked = selected.size === items.length && items.length > 0;
        whole.indeterminate = selected.size > 0 && !whole.checked;
        changed(selected.size);
    };
    const cell = (item, name, first) => {
        const value = own(item, name), content = preview(value);
        const type = value === undefined ? "none" : typeOf(value);
        return h("td", {class: `type-${type}`, title: content.length > 30 ? content : undefined}, first && open
            ? h("button", {type: "button", class: "link", on: {click: () => open(item)}}, content || "(empty)") : content);
    };
    const row = (at) => {
        const item = items[at];
        const mark = selectable ? h("td", {class: "mark"}, h("input", {type: "checkbox", checked: selected.has(item),
            "aria-label": `Select row ${at + 1}`, on: {change: (event) => {
                if (event.target.checked) selected.add(item);
                else selected.delete(item);
                tell();
            }}})) : null;
        return h("tr", {"aria-rowindex": at + 2, on: {dblclick: () => open?.(item)}}, mark, shown.map((name, i) => cell(item, name, i === 0)));
    };
    let from = -1, to = -1;
    const draw = (anew) => {
        const first = Math.max(0, Math.floor(node.scrollTop / ROW_PX) - AROUND);
        const last = Math.min(items.length, Math.ceil((node.scrollTop + (node.clientHeight || 600)) / ROW_PX) + AROUND);
        if (!anew && first === from && last === to) return;
        [from, to] = [first, last];
        above.firstChild.style.height = `${first * ROW_PX}px`;
        below.firstChild.style.height = `${(items.length - last) * ROW_PX}px`;
        const rows = [];
        for (let at = first; at < last; at++) rows.push(row(at));
        replace(body, above, rows, below);
    };
    whole.addEventListener("change", () => {
        selected.clear();
        if (whole.checked) for (const item of items) selected.add(item);
        draw(true);
        tell();
    });
    node.addEventListener("scroll", () => requestAnimationFrame(() => draw(false)), {passive: true});
    draw(true);
    return {node, selected: () => [...selected]};
}
