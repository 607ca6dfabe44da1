// value.js - attribute values: {"S": "text"} and the like. What is a valid one, how it looks in a line, and as plain JSON.

export const TYPES = {
    S: "String", N: "Number", B: "Binary", BOOL: "Boolean", NULL: "Null", M: "Map", L: "List", SS: "String set", NS: "Number set",
    BS: "Binary set",
};
export const SETS = {SS: "S", NS: "N", BS: "B"};
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DEPTH_MAX = 32;
export const ITEM_BYTES_MAX = 400 * 1024;

export class ValueError extends Error {
    constructor(message, path = []) {
        super(message);
        this.path = path;
    }

    within(step) {
        return new ValueError(this.message, [step, ...this.path]);
    }

    get where() {
        return this.path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("").replace(/^\./, "");
    }
}

export function typeOf(value) {
    return Object.keys(value)[0];
}

/** An attribute, where there is one: `constructor` and `__proto__` are names like others. */
export function own(map, name) {
    return Object.hasOwn(map, name) ? map[name] : undefined;
}

export function empty(type) {
    return {[type]: {S: "", N: "0", B: "", BOOL: false, NULL: true, M: {}, L: [], SS: [], NS: [], BS: []}[type]};
}

/** Throws what is wrong with a number: 38 digits, from 1E-130 to 9.9E+125. */
export function checkNumber(text) {
    if (!NUMBER.test(text)) throw new ValueError(text === "" ? "a number is missing" : `'${text.slice(0, 40)}' is no number`);
    const [mantissa, exponent = "0"] = text.toLowerCase().replace(/^[+-]/, "").split("e");
    const [whole, fraction = ""] = mantissa.split(".");
    const digits = (whole + fraction).replace(/^0+/, "");
    if (digits.replace(/0+$/, "").length > 38) throw new ValueError("a number has at most 38 significant digits");
    if (digits === "") return;
    const magnitude = digits.length - fraction.length + Number(exponent) - 1;
    if (magnitude > 125) throw new ValueError("the number is larger than 9.9999999999999999999999999999999999999E+125");
    if (magnitude < -130) throw new ValueError("the number is smaller than 1E-130");
}

function checkSet(type, list) {
    if (!Array.isArray(list) || list.length === 0) throw new ValueError("a set has at least one member");
    list.forEach((member, i) => {
        try {
            check({[SETS[type]]: member});
        } catch (error) {
            throw error.within(i);
        }
    });
    const same = type === "NS" ? list.map((text) => String(Number(text))) : list;
    const twice = list.find((member, i) => same.indexOf(same[i]) !== i && (type !== "NS" || list.indexOf(member) !== i));
    if (twice !== undefined) throw new ValueError(`the set has ${JSON.stringify(twice.slice(0, 40))} twice`);
}

/** Throws a ValueError when the service would not take it. */
export function check(value, depth = 0) {
    if (value === null || typeof value !== "object" || Array.isArray(value) || Object.keys(value).length !== 1) {
        throw new ValueError('a value is an object of one member, as {"S": "text"}');
    }
    const [type, content] = Object.entries(value)[0];
    if (!Object.hasOwn(TYPES, type)) throw new ValueError(`there is no type ${JSON.stringify(type)}`);
    if (depth > DEPTH_MAX) throw new ValueError(`values are nested at most ${DEPTH_MAX} deep`);
    if (["S", "N", "B"].includes(type) && typeof content !== "string") throw new ValueError(`the content of ${type} is a text`);
    if (type === "N") checkNumber(content);
    if (type === "B" && !BASE64.test(content)) throw new ValueError("binary is written in base64");
    if (type === "BOOL" && typeof content !== "boolean") throw new ValueError("the content of BOOL is true or false");
    if (type === "NULL" && content !== true) throw new ValueError("the content of NULL is true");
    if (type in SETS) checkSet(type, content);
    if (type === "M") checkMap(content, depth + 1);
    if (type === "L") {
        if (!Array.isArray(content)) throw new ValueError("the content of L is a list");
        content.forEach((member, i) => checkAt(member, depth + 1, i));
    }
}

function checkAt(value, depth, step) {
    try {
        check(value, depth);
    } catch (error) {
        throw error instanceof ValueError ? error.within(step) : error;
    }
}

function checkMap(content, depth) {
    if (content === null || typeof content !== "object" || Array.isArray(content)) throw new ValueError("the content of M is an object");
    for (const [name, value] of Object.entries(content)) checkAt(value, depth, name);
}

const encoder = new TextEncoder();

function sizeOf(value) {
    const [type, content] = Object.entries(value)[0];
    switch (type) {
    case "S": return encoder.encode(content).length;
    case "B": return Math.floor(content.replace(/=+$/, "").length * 3 / 4);
    case "N": return Math.ceil(content.replace(/[^0-9]/g, "").length / 2) + 1;
    case "SS": case "NS": case "BS": return content.reduce((sum, member) => sum + sizeOf({[SETS[type]]: member}), 0);
    case "L": return 3 + content.reduce((sum, member) => sum + 1 + sizeOf(member), 0);
    case "M": return 3 + Object.entries(content).reduce((sum, [name, member]) => sum + 1 + encoder.encode(name).length + sizeOf(member), 0);
    default: return 1;
    }
}

/** About what the service counts: numbers may differ by a byte or so. */
export function itemSize(item) {
    return Object.entries(item).reduce((sum, [name, value]) => sum + encoder.encode(name).length + sizeOf(value), 0);
}

/** Throws a ValueError when it cannot be an item of a table with these keys ([{name, type}]). */
export function checkItem(item, keys) {
    for (const {name, type} of keys) {
        if (!Object.hasOwn(item, name)) throw new ValueError(`the key ${name} is missing`);
        if (item[name] === null || typeof item[name] !== "object" || typeOf(item[name]) !== type) throw new ValueError(`the key ${name} must be a ${TYPES[type].toLowerCase()}`, [name]);
        if (item[name][type] === "") throw new ValueError(`the key ${name} must not be empty`, [name]);
    }
    for (const name of Object.keys(item)) if (name === "") throw new ValueError("a name is empty");
    checkMap(item, 0);
    const size = itemSize(item);
    if (size > ITEM_BYTES_MAX) throw new ValueError(`the item has ${size.toLocaleString()} bytes; ${ITEM_BYTES_MAX.toLocaleString()} is the most`);
}

export function equal(a, b) {
    if (a === undefined || b === undefined) return a === b;
    const type = typeOf(a), other = b[type];
    if (other === undefined || typeOf(b) !== type) return false;
    if (type in SETS) return JSON.stringify([...a[type]].sort()) === JSON.stringify([...other].sort());
    if (type === "L") return a.L.length === other.length && a.L.every((member, i) => equal(member, other[i]));
    if (type === "M") {
        const names = Object.keys(a.M);
        return names.length === Object.keys(other).length && names.every((name) => equal(a.M[name], own(other, name)));
    }
    return a[type] === other;
}

// ---- looks ----

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Characters that cannot be seen, or turn others around, as their codes. */
export function visible(text) {
    return text.replace(CONTROL, (character) => (character === "\n" ? "⏎" : character === "\t" ? "⇥"
        : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

const LINE_MAX = 200;

/** One line, cut. */
export function preview(value) {
    if (value === undefined) return "";
    const [type, content] = Object.entries(value)[0];
    const text = type === "S" || type === "N" || type === "B" ? content
        : type === "BOOL" ? String(content)
        : type === "NULL" ? "null"
        : writePlain(toPlain(value), 0);
    return visible(text.length > LINE_MAX ? `${text.slice(0, LINE_MAX)}…` : text);
}

// ---- plain JSON ----

/** A number with all its digits, which JavaScript's own would round. */
class Digits {
    constructor(text) {
        this.text = text;
    }
}

/** As JSON writes it: +.5 is 0.5 there. */
function jsonNumber(text) {
    return text.replace(/^\+/, "").replace(/^(-?)0*(\d*)/, (_, sign, digits) => sign + (digits || "0")).replace(/\.(?!\d)/, "");
}

export function toPlain(value) {
    const [type, content] = Object.entries(value)[0];
    switch (type) {
    case "N": return new Digits(jsonNumber(content));
    case "NULL": return null;
    case "NS": return content.map((text) => toPlain({N: text}));
    case "L": return content.map(toPlain);
    case "M": return plainItem(content);
    default: return content;
    }
}

export function plainItem(item) {
    return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toPlain(value)]));
}

/** JSON.stringify that knows Digits; an indent of 0 is one line. */
export function writePlain(plain, indent = 2, depth = 0) {
    if (plain instanceof Digits) return plain.text;
    if (plain === null || typeof plain !== "object") return JSON.stringify(plain);
    const inner = (value) => writePlain(value, indent, depth + 1), colon = indent > 0 ? ": " : ":";
    const members = Array.isArray(plain) ? plain.map(inner) : Object.entries(plain).map(([name, value]) => JSON.stringify(name) + colon + inner(value));
    const [open, close] = Array.isArray(plain) ? "[]" : "{}", line = (steps) => (indent > 0 ? `\n${" ".repeat(indent * steps)}` : "");
    return members.length === 0 ? open + close : open + line(depth + 1) + members.join(`,${line(depth + 1)}`) + line(depth) + close;
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d[\d.eE+-]*/g;

/** JSON.parse that keeps all digits: for the time of parsing numbers are texts, and texts are told from them by a mark. */
export function readPlain(text) {
    JSON.parse(text); // says what is wrong, and where
    const marked = text.replace(TOKENS, (token, name) => (token[0] !== '"' ? `"n${token}"` : name === undefined ? `"s${token.slice(1)}` : token));
    return JSON.parse(marked, (_, value) => (typeof value !== "string" ? value : value[0] === "n" ? new Digits(value.slice(1)) : value.slice(1)));
}

/** Whether this is what DynamoDB's JSON has for an item. */
export function isTyped(item) {
    const values = item === null || typeof item !== "object" ? [] : Object.values(item);
    return values.length > 0 && values.every((value) => value !== null && typeof value === "object" && !Array.isArray(value)
        && Object.keys(value).length === 1 && Object.hasOwn(TYPES, Object.keys(value)[0]));
}

/** Plain JSON has fewer types: what was there before says which one a text or a list was. */
export function fromPlain(plain, before) {
    const was = before === undefined ? undefined : typeOf(before);
    if (plain === null) return {NULL: true};
    if (typeof plain === "boolean") return {BOOL: plain};
    if (plain instanceof Digits) return {N: plain.text};
    if (typeof plain === "string") return was === "B" ? {B: plain} : {S: plain};
    if (Array.isArray(plain)) {
        const fits = (member) => (was === "NS" ? member instanceof Digits : typeof member === "string");
        if (was in SETS && plain.length > 0 && plain.every(fits)) return {[was]: plain.map((member) => member.text ?? member)};
        return {L: plain.map((member, i) => fromPlain(member, was === "L" ? before.L[i] : undefined))};
    }
    return {M: itemFromPlain(plain, was === "M" ? before.M : {})};
}

export function itemFromPlain(plain, before = {}) {
    if (plain === null || typeof plain !== "object" || Array.isArray(plain) || plain instanceof Digits) {
        throw new ValueError("an item is an object: its attributes between { and }");
    }
    return Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, fromPlain(value, own(before, name))]));
}

/** The types that plain JSON does not show. */
export function hiddenTypes(item) {
    return Object.entries(item).filter(([, value]) => ["B", "SS", "NS", "BS"].includes(typeOf(value))).map(([name]) => name);
}
