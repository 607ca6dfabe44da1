// sign.js - Signature Version 4, by the browser's own cryptography.

const encoder = new TextEncoder();

function hex(bytes) {
    return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function sha256(text) {
    return hex(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
}

async function hmac(key, text) {
    const imported = await crypto.subtle.importKey("raw", key, {name: "HMAC", hash: "SHA-256"}, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(text)));
}

/** Browsers have it on localhost and over TLS only. */
export function canSign() {
    return globalThis.crypto?.subtle !== undefined;
}

let cached = {scope: null, secret: null, key: null};

async function signingKey(secret, day, region, service) {
    const scope = `${day}/${region}/${service}`;
    if (cached.scope !== scope || cached.secret !== secret) {
        let key = encoder.encode(`AWS4${secret}`);
        for (const part of [day, region, service, "aws4_request"]) key = await hmac(key, part);
        cached = {scope, secret, key};
    }
    return cached.key;
}

/** The headers of a POST to "/", with Authorization. `headers` has lower-case names. */
export async function sign({host, region, service, credentials, headers, body, now = new Date()}) {
    const date = now.toISOString().replace(/[-:]|\.\d+/g, "");
    const day = date.slice(0, 8);
    const all = {...headers, "x-amz-date": date};
    if (credentials.token) all["x-amz-security-token"] = credentials.token;
    const signed = {...all, host};
    const names = Object.keys(signed).sort();
    const canonical = ["POST", "/", "", ...names.map((name) => `${name}:${signed[name].trim()}`), "", names.join(";"),
        await sha256(body)].join("\n");
    const scope = `${day}/${region}/${service}/aws4_request`;
    const text = ["AWS4-HMAC-SHA256", date, scope, await sha256(canonical)].join("\n");
    const signature = hex(await hmac(await signingKey(credentials.secret, day, region, service), text));
    all.authorization = `AWS4-HMAC-SHA256 Credential=${credentials.id}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
    return all;
}
