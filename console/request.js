// request.js - from what somebody has chosen to the input of an operation.

import {check, equal, own} from "./value.js";

/** Collects names and values, and hands out their placeholders. */
export class Placeholders {
    names = {};
    values = {};

    name(attribute) {
        const known = Object.entries(this.names).find(([, name]) => name === attribute);
        if (known) return known[0];
        const placeholder = `#n${Object.keys(this.names).length}`;
        this.names[placeholder] = attribute;
        return placeholder;
    }

    /** A path: parts with dots between them, list positions in brackets; a name that has such itself is in quotes. */
    path(text) {
        const parts = text.match(/(?:"[^"]*"|[^."])+|^$/g) ?? [text];
        return parts.map((part) => {
            const [, name, rest] = /^(.*?)((?:\[\d+\])*)$/s.exec(part);
            return this.name(name.replace(/^"(.*)"$/s, "$1")) + rest;
        }).join(".");
    }

    value(value) {
        const placeholder = `:v${Object.keys(this.values).length}`;
        this.values[placeholder] = value;
        return placeholder;
    }

    /** What of it there is. */
    input() {
        return {
            ...(Object.keys(this.names).length > 0 && {ExpressionAttributeNames: this.names}),
            ...(Object.keys(this.values).length > 0 && {ExpressionAttributeValues: this.values}),
        };
    }
}

/** How an attribute can be compared: [word, operands, expression]. */
export const COMPARISONS = {
    "=": ["equals", 1, (a, v) => `${a} = ${v}`],
    "<>": ["differs from", 1, (a, v) => `${a} <> ${v}`],
    "<": ["is less than", 1, (a, v) => `${a} < ${v}`],
    "<=": ["is at most", 1, (a, v) => `${a} <= ${v}`],
    ">": ["is more than", 1, (a, v) => `${a} > ${v}`],
    ">=": ["is at least", 1, (a, v) => `${a} >= ${v}`],
    between: ["is between", 2, (a, v, w) => `${a} BETWEEN ${v} AND ${w}`],
    begins_with: ["begins with", 1, (a, v) => `begins_with(${a}, ${v})`],
    contains: ["contains", 1, (a, v) => `contains(${a}, ${v})`],
    not_contains: ["does not contain", 1, (a, v) => `NOT contains(${a}, ${v})`],
    exists: ["exists", 0, (a) => `attribute_exists(${a})`],
    not_exists: ["does not exist", 0, (a) => `attribute_not_exists(${a})`],
    type: ["has the type", 1, (a, v) => `attribute_type(${a}, ${v})`],
};
export const KEY_COMPARISONS = ["=", "<", "<=", ">", ">=", "between", "begins_with"];

function compare(places, path, comparison, values) {
    const [, operands, write] = COMPARISONS[comparison];
    values.slice(0, operands).forEach((value) => check(value));
    return write(path, ...values.slice(0, operands).map((value) => places.value(value)));
}

/**
 * search: {table, index, query: boolean, keys: [{name, comparison, values}], filters: likewise, projection: [paths], forward, consistent, limit}
 * Returns {operation, input}.
 */
export function searchRequest(search) {
    const places = new Placeholders();
    const input = {TableName: search.table};
    if (search.index) input.IndexName = search.index;
    if (search.query) {
        input.KeyConditionExpression = search.keys.map(({name, comparison, values}) => compare(places, places.name(name), comparison, values)).join(" AND ");
        if (!search.forward) input.ScanIndexForward = false;
    }
    const filters = search.filters.map(({name, comparison, values}) => compare(places, places.path(name), comparison, values));
    if (filters.length > 0) input.FilterExpression = filters.join(" AND ");
    if (search.projection.length > 0) input.ProjectionExpression = search.projection.map((path) => places.path(path)).join(", ");
    if (search.consistent) input.ConsistentRead = true;
    if (search.limit) input.Limit = search.limit;
    return {operation: search.query ? "Query" : "Scan", input: {...input, ...places.input()}};
}

export function keyOf(item, keys) {
    return Object.fromEntries(keys.map(({name}) => [name, item[name]]));
}

const CONDITIONS_MAX = 100;

/**
 * An UpdateItem that changes what differs, and only where the item is still what was loaded. Undefined: nothing differs.
 * Attributes that others have added meanwhile stay.
 */
export function changeRequest(table, keys, before, after) {
    const places = new Placeholders(), names = keys.map(({name}) => name);
    const changed = Object.keys(after).filter((name) => !names.includes(name) && !equal(own(before, name), after[name]));
    const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
    if (changed.length + removed.length === 0) return undefined;
    const parts = [];
    if (changed.length > 0) parts.push(`SET ${changed.map((name) => `${places.name(name)} = ${places.value(after[name])}`).join(", ")}`);
    if (removed.length > 0) parts.push(`REMOVE ${removed.map((name) => places.name(name)).join(", ")}`);
    // What is changed is looked at first, in case there is more than a condition can hold.
    const touched = [...changed, ...removed], untouched = Object.keys(before).filter((name) => !names.includes(name) && !touched.includes(name));
    const conditions = [`attribute_exists(${places.name(names[0])})`];
    for (const name of [...touched, ...untouched].slice(0, CONDITIONS_MAX)) {
        conditions.push(Object.hasOwn(before, name) ? `${places.name(name)} = ${places.value(before[name])}` : `attribute_not_exists(${places.name(name)})`);
    }
    return {TableName: table, Key: keyOf(before, keys), UpdateExpression: parts.join(" "), ConditionExpression: conditions.join(" AND "),
        ReturnValuesOnConditionCheckFailure: "ALL_OLD", ...places.input()};
}
