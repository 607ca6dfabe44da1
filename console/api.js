// api.js - the server, as any client talks to it: by POST, signed when the server verifies signatures; operations in JSON. Those in forms are in query.js.

import {sign} from "./sign.js";

const SERVICES = {
    dynamodb: {target: "DynamoDB_20120810", name: "dynamodb"},
    streams: {target: "DynamoDBStreams_20120810", name: "dynamodb"},
    cloudwatch: {target: "GraniteServiceVersion20100801", name: "monitoring"},
};

/** What is known of the server, and who asks. Keys are kept here, in memory, and nowhere else. */
export const session = {region: "us-east-1", auth: false, credentials: null, nameSpaces: false, key: null};

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
    if (!session.nameSpaces) return;
    const asked = new URLSearchParams(location.search);
    session.key = asked.get("key");
    session.region = asked.get("region") || session.region;
}

/** Who asks goes with the request: signed, or only said where nobody verifies it. */
async function withCaller(service, headers, body) {
    if (session.auth) return sign({host: location.host, region: session.region, service, credentials: session.credentials, headers, body});
    const date = new Date().toISOString().replace(/[-:]|\.\d+/g, ""), scope = `${date.slice(0, 8)}/${session.region}/${service}/aws4_request`;
    return {...headers, "x-amz-date": date, authorization: `AWS4-HMAC-SHA256 Credential=${session.key ?? "console"}/${scope}, SignedHeaders=host, Signature=0`};
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
    "MissingAuthenticationTokenException", "InvalidClientTokenId", "SignatureDoesNotMatch", "ExpiredToken"]);

/** The reply to a POST, when it is a good one; else what `readError(reply)` makes of it is thrown. */
export async function send(service, headers, body, readError, signal) {
    let reply;
    try {
        reply = await fetch("/", {method: "POST", headers: await withCaller(service, headers, body), body, signal, credentials: "omit", cache: "no-store"});
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new ApiError("No answer", "The server does not answer. Is it running?", {});
    }
    if (reply.ok) return reply;
    const error = await readError(reply);
    if (session.auth && SIGN_IN_AGAIN.has(error.type)) whenSignedOut(error);
    throw error;
}

/** What the operation answers; an ApiError when it refuses. */
export async function call(serviceName, operation, input = {}, {signal} = {}) {
    const service = SERVICES[serviceName], headers = {"content-type": "application/x-amz-json-1.0", "x-amz-target": `${service.target}.${operation}`};
    const text = await (await send(service.name, headers, JSON.stringify(input), errorOf, signal)).text();
    return text === "" ? {} : JSON.parse(text);
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

/** Keeps only the newest of several requests: each call aborts the request before it and returns the signal for the next one. */
export function newest(signal) {
    let turn;
    return () => {
        turn?.abort();
        turn = new AbortController();
        return AbortSignal.any([signal, turn.signal]);
    };
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
