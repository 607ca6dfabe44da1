// code.js - a request as somebody would write it: a command, Python, JavaScript.

import {session} from "./api.js";
import {h} from "./dom.js";
import {button, copy, dialog, field, select} from "./ui.js";

function quoted(text) {
    return `'${text.replaceAll("'", `'\\''`)}'`;
}

function dashed(operation) {
    return operation.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
}

function command(operation, input) {
    return `aws dynamodb ${dashed(operation)} --endpoint-url ${location.origin} --region ${session.region} \\\n  --cli-input-json ${quoted(JSON.stringify(input, null, 2))}`;
}

/** Bytes are base64 in JSON, and bytes in programs. */
function walk(value, bytes, write, depth) {
    const pad = "    ".repeat(depth + 1), end = "    ".repeat(depth);
    if (Array.isArray(value)) {
        return value.length === 0 ? "[]" : `[\n${value.map((one) => pad + walk(one, bytes, write, depth + 1)).join(",\n")},\n${end}]`;
    }
    if (value !== null && typeof value === "object") {
        const names = Object.keys(value);
        const inner = (name) => (name === "B" && typeof value.B === "string" && names.length === 1 ? bytes(value.B)
            : name === "BS" && Array.isArray(value.BS) && names.length === 1 ? `[${value.BS.map(bytes).join(", ")}]`
            : walk(value[name], bytes, write, depth + 1));
        return names.length === 0 ? "{}" : `{\n${names.map((name) => `${pad}${write.name(name)}: ${inner(name)}`).join(",\n")},\n${end}}`;
    }
    return write.scalar(value);
}

function python(operation, input) {
    const write = {name: (name) => JSON.stringify(name),
        scalar: (value) => (value === true ? "True" : value === false ? "False" : value === null ? "None" : JSON.stringify(value))};
    const body = walk(input, (text) => `base64.b64decode(${JSON.stringify(text)})`, write, 0);
    return `${body.includes("base64.") ? "import base64\n\n" : ""}import boto3\n\nclient = boto3.client("dynamodb", endpoint_url="${location.origin}", region_name="${session.region}")\n`
        + `reply = client.${dashed(operation).replaceAll("-", "_")}(**${body})\n`;
}

function javascript(operation, input) {
    const write = {name: (name) => (name === "__proto__" ? '["__proto__"]' : /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)), scalar: (value) => JSON.stringify(value)};
    const body = walk(input, (text) => `Buffer.from(${JSON.stringify(text)}, "base64")`, write, 0);
    return `import { DynamoDBClient, ${operation}Command } from "@aws-sdk/client-dynamodb";\n\n`
        + `const client = new DynamoDBClient({ endpoint: "${location.origin}", region: "${session.region}" });\n`
        + `const reply = await client.send(new ${operation}Command(${body}));\n`;
}

export const WRITERS = {cli: ["AWS CLI", command], boto3: ["Python, boto3", python], js: ["JavaScript, AWS SDK", javascript]};

export function showCode(operation, input) {
    return dialog("This request as code", (close) => {
        const output = h("pre", {class: "code", tabindex: "0", "aria-label": "Code"});
        const show = (kind) => {
            output.textContent = WRITERS[kind][1](operation, input);
        };
        show("cli");
        return h("div", {}, field("For", select(Object.entries(WRITERS).map(([key, [name]]) => [key, name]), "cli", show)), output,
            h("div", {class: "actions"}, button("Close", () => close()), button("Copy", () => copy(output.textContent), {class: "primary"})));
    }, {class: "wide"});
}
