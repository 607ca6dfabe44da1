// dom.js - elements from code. Text is always text: nothing here, and nothing that uses it, parses markup.

const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "selected", "readOnly", "required", "indeterminate", "open"]);

function setAll(node, attributes) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (value === undefined || value === null) continue;
        if (name === "on") {
            for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
        } else if (PROPERTIES.has(name)) {
            node[name] = value;
        } else if (value === true) {
            node.setAttribute(name, "");
        } else if (value !== false) {
            node.setAttribute(name, String(value));
        }
    }
}

function fill(node, children) {
    for (const child of children.flat(Infinity)) {
        if (child === undefined || child === null || child === false) continue;
        node.append(child instanceof Node ? child : String(child));
    }
    return node;
}

/** h("p", {class: "quiet", on: {click}}, "text", otherElement) */
export function h(name, attributes, ...children) {
    const node = document.createElement(name);
    fill(node, children);
    setAll(node, attributes); // after the children: a select knows its options when it gets its value
    return node;
}

export function svg(name, attributes, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    setAll(node, attributes);
    return fill(node, children);
}

export function replace(node, ...children) {
    node.replaceChildren();
    return fill(node, children);
}

let next = 0;
/** An id that nobody else has, for labels. */
export function unique(prefix = "x") {
    return `${prefix}${++next}`;
}

export function icon(path, label) {
    return svg("svg", {viewBox: "0 0 16 16", class: "icon", "aria-hidden": label ? undefined : "true", role: label ? "img" : undefined,
        "aria-label": label}, svg("path", {d: path}));
}

export const ICONS = {
    add: "M8 3v10M3 8h10",
    remove: "M4 4l8 8M12 4l-8 8",
    reload: "M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3",
    left: "M10 3L5 8l5 5",
    right: "M6 3l5 5-5 5",
    copy: "M5 5h8v8H5zM3 11V3h8",
    sun: "M8 5a3 3 0 1 0 .01 0M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
};
