// Runs page.js without a browser: node page_in_node.js PAGE.JS < state.json. Prints the texts that it put on the page, as JSON.
// Elements here know nothing but text, classes and a few attributes: whoever tries to set markup ends with an error.
"use strict";
const fs = require("fs");
const vm = require("vm");

const ALLOWED = new Set(["textContent", "className", "scope", "title", "href", "dateTime", "hidden"]);

function element(tag) {
    const node = {
        tag, children: [], attributes: {}, dataset: {}, listeners: {}, remove() {},
        get firstChild() { return this.children[0] || null; },
        get lastChild() { return this.children.at(-1) || null; },
        append(...nodes) { for (const child of nodes) { child.remove = () => this.children.splice(this.children.indexOf(child), 1); this.children.push(child); } },
        appendChild(child) { this.append(child); return child; },
        replaceChildren(...nodes) { this.children = []; this.append(...nodes); },
        setAttribute(name, value) { this.attributes[name] = String(value); },
        getAttribute(name) { return this.attributes[name] ?? null; },
        addEventListener(name, listener) { this.listeners[name] = listener; },
        classList: { toggle() {} },
        querySelector(selector) { return all(this).find((child) => selector === `.${child.className}`.split(" ")[0]) || null; },
        querySelectorAll(selector) { return all(this).filter((child) => selector.split(", ").includes(child.tag)); },
    };
    return new Proxy(node, {
        set(target, name, value) {
            if (!(name in target) && !ALLOWED.has(name)) throw new Error(`the page sets ${String(name)}`);
            if (name === "textContent") value = String(value);
            target[name] = value;
            return true;
        },
    });
}

const all = (node) => node.children.flatMap((child) => [child, ...all(child)]);
const places = {};
const document = {
    createElement: element,
    createElementNS: (_, tag) => element(tag),
    querySelector: (selector) => (places[selector] = places[selector] || element("place")),
};
// gramme has no list of events.
const found = document.querySelector;
document.querySelector = (selector) => (selector === "#gramme .events" ? null : found(selector));

const state = JSON.parse(fs.readFileSync(0));
const page = vm.createContext({
    document, Intl, Date, Map, Math, Number, console,
    setTimeout() {},
    fetch: async () => ({ json: async () => state }),
});
vm.runInContext(fs.readFileSync(process.argv[2], "utf8"), page);
setImmediate(() => setTimeout(() => {
    const texts = {};
    for (const [selector, place] of Object.entries(places))
        texts[selector] = [place, ...all(place)].map((node) => node.textContent).filter((text) => text);
    console.log(JSON.stringify(texts));
}, 50));
process.on("unhandledRejection", (error) => { console.error(error); process.exit(1); });
