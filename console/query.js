// query.js - services that are asked by forms and answer in XML: IAM, and STS for who one is.

import {ApiError, send} from "./api.js";

const VERSIONS = {iam: "2010-05-08", sts: "2011-06-15"};

/** Members of lists are .member.1 and so on; those of objects have their names. */
export function formOf(input, prefix = "") {
    return Object.entries(input).filter(([, value]) => value !== undefined).flatMap(([name, value]) => {
        const path = prefix + name;
        if (Array.isArray(value)) return value.flatMap((one, i) => (typeof one === "object" ? formOf(one, `${path}.member.${i + 1}.`) : [[`${path}.member.${i + 1}`, String(one)]]));
        return typeof value === "object" ? formOf(value, `${path}.`) : [[path, String(value)]];
    });
}

/** Elements become objects, `member`s lists, the innermost texts. A list without members is a text, too: see listOf(). */
function valueOf(element) {
    const children = [...element.children];
    if (children.length === 0) return element.textContent;
    if (children.every(({localName}) => localName === "member")) return children.map(valueOf);
    return Object.fromEntries(children.map((child) => [child.localName, valueOf(child)]));
}

export function listOf(value) {
    return Array.isArray(value) ? value : [];
}

function parse(text) {
    return new DOMParser().parseFromString(text, "text/xml").documentElement;
}

async function errorOf(reply) {
    const text = await reply.text(), find = (name) => parse(text).getElementsByTagName(name)[0]?.textContent;
    return new ApiError(find("Code") ?? `Status ${reply.status}`, find("Message") ?? (text.slice(0, 500) || reply.statusText), {});
}

async function query(service, action, input = {}) {
    const body = new URLSearchParams([["Action", action], ["Version", VERSIONS[service]], ...formOf(input)]).toString();
    const reply = await send(service, {"content-type": "application/x-www-form-urlencoded; charset=utf-8"}, body, errorOf);
    const result = parse(await reply.text()).querySelector(`${action}Result`);
    return result === null ? {} : Object(valueOf(result));
}

export const iam = (action, input) => query("iam", action, input);
export const sts = (action, input) => query("sts", action, input);

/** All pages of a list. */
export async function allOf(action, input, member) {
    const list = [];
    for (let marker; ;) {
        const reply = await iam(action, {...input, Marker: marker});
        list.push(...listOf(reply[member]));
        if (reply.IsTruncated !== "true") return list;
        marker = reply.Marker;
    }
}

/** Documents come in percent codes. */
export function documentOf(text) {
    return decodeURIComponent(text);
}
