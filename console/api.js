// api.js - the server, as any client talks to it: JSON by POST, signed when the server verifies signatures.

import {sign} from "./sign.js";

const SERVICES = {
    dynamodb: {target: "DynamoDB_20120810", name: "dynamodb"},
    streams: {target: "DynamoDBStreams_20120810", name: "dynamodb"},
    cloudwatch: {target: "GraniteServiceVersion20100801", name: "monitoring"},
};

/** What is known of the server, and who asks. Keys are kept here, in memory, and nowhere else. */
export const session = {region: "us-east-1", auth: false, credentials: null};

export class ApiError extends Error {
    constructor(type, message, details, position) {
        super(message);
        this.type = type;
        this.details = details;
        this.position = position; // in a statement
    }
}

export async function learnServer() {
    const reply = await fetch("console/server.json", {cache: "no-store", credentials: "omit"});
    Object.assign(session, await reply.json());
}

async function headersFor(service, operation, body) {
    const headers = {"content-type": "application/x-amz-json-1.0", "x-amz-target": `${service.target}.${operation}`};
    if (!session.auth) { // who asks is not verified, but has to be said
        const date = new Date().toISOString().replace(/[-:]|\.\d+/g, ""), scope = `${date.slice(0, 8)}/${session.region}/${service.name}/aws4_request`;
        return {...headers, "x-amz-date": date, authorization: `AWS4-HMAC-SHA256 Credential=console/${scope}, SignedHeaders=host, Signature=0`};
    }
    return sign({host: location.host, region: session.region, service: service.name, credentials: session.credentials, headers, body});
}

async function errorOf(reply) {
    const text = await reply.text();
    try {
        const body = JSON.parse(text);
        const type = String(body.__type ?? "").split("#").pop() || `Status ${reply.status}`;
        return new ApiError(type, body.message ?? body.Message ?? type, body, reply.headers.get("x-gramme-position") ?? undefined);
    } catch {
        return new ApiError(`Status ${reply.status}`, text.slice(0, 500) || reply.statusText, {});
    }
}

let whenSignedOut = () => {};
export function onSignedOut(handler) {
    whenSignedOut = handler;
}

const SIGN_IN_AGAIN = new Set(["UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException",
    "MissingAuthenticationTokenException"]);

/** What the operation answers; an ApiError when it refuses. */
export async function call(serviceName, operation, input = {}, options = {}) {
    const service = SERVICES[serviceName];
    const body = JSON.stringify(input);
    let reply;
    try {
        reply = await fetch("/", {method: "POST", headers: await headersFor(service, operation, body), body, signal: options.signal,
            credentials: "omit", cache: "no-store"});
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new ApiError("No answer", "The server does not answer. Is it running?", {});
    }
    if (reply.ok) {
        const text = await reply.text();
        return text === "" ? {} : JSON.parse(text);
    }
    const error = await errorOf(reply);
    if (session.auth && SIGN_IN_AGAIN.has(error.type)) whenSignedOut(error);
    throw error;
}

export const dynamodb = (operation, input, options) => call("dynamodb", operation, input, options);
export const streams = (operation, input, options) => call("streams", operation, input, options);
export const cloudwatch = (operation, input, options) => call("cloudwatch", operation, input, options);

/** All pages of a list: `member` is the name of the list, `tokens` [in the reply, in the request]. */
export async function all(service, operation, input, member, [from, to], most = 10000) {
    const list = [];
    let token;
    do {
        const reply = await call(service, operation, token === undefined ? input : {...input, [to]: token});
        list.push(...(reply[member] ?? []));
        token = reply[from];
    } while (token !== undefined && token !== null && token !== "" && list.length < most);
    return list;
}

export function sleep(ms, signal) {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms);
        signal?.addEventListener("abort", () => {
            clearTimeout(timer);
            reject(new DOMException("gone", "AbortError"));
        });
    });
}

/** Does something again and again until the page is left. Errors are told once and it goes on, slower. */
export async function repeat(ms, signal, work) {
    while (!signal.aborted) {
        let pause = ms;
        try {
            if (!document.hidden) await work();
        } catch (error) {
            if (error.name === "AbortError") return;
            pause = ms * 5;
        }
        try {
            await sleep(pause, signal);
        } catch {
            return;
        }
    }
}
