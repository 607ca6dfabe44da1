// mcp.test.mjs - `gramme mcp` as the client of the protocol's own SDK sees it: what it checks of every answer is the protocol itself.

import assert from "node:assert/strict";
import {after, before, test} from "node:test";
import {fileURLToPath} from "node:url";
import {Client} from "@modelcontextprotocol/sdk/client/index.js";
import {StdioClientTransport} from "@modelcontextprotocol/sdk/client/stdio.js";

const BINARY = process.env.GRAMME_BIN ?? fileURLToPath(new URL("../../../build-check/gramme", import.meta.url));
const TABLE = {TableName: "music", BillingMode: "PAY_PER_REQUEST", KeySchema: [{AttributeName: "artist", KeyType: "HASH"}],
    AttributeDefinitions: [{AttributeName: "artist", AttributeType: "S"}]};

async function connect(...options) {
    const client = new Client({name: "gramme-tests", version: "1"});
    await client.connect(new StdioClientTransport({command: BINARY, args: ["mcp", "--endpoint", process.env.GRAMME_ENDPOINT, ...options],
        env: {...process.env, AWS_ACCESS_KEY_ID: "any", AWS_SECRET_ACCESS_KEY: "any"}}));
    return client;
}

/** What a tool says, as JSON. */
async function ask(client, name, args) {
    const {content: [{type, text}], isError} = await client.callTool({name, arguments: args});
    assert.equal(type, "text");
    assert.ok(!isError, text);
    return JSON.parse(text);
}

let writer, reader;
before(async () => {
    writer = await connect("--write");
    reader = await connect();
});
after(() => Promise.all([writer.close(), reader.close()]));

test("it introduces itself", () => {
    assert.equal(reader.getServerVersion().name, "gramme");
    assert.ok(reader.getServerCapabilities().tools);
});

test("its tools have schemas that the client accepts, and only a writer has those that change", async () => {
    const names = async (client) => (await client.listTools()).tools.map(({name, inputSchema}) => {
        assert.equal(inputSchema.type, "object");
        return name;
    });
    const few = await names(reader), all = await names(writer);
    assert.deepEqual(few.toSorted(), ["describe_table", "get_item", "list_tables", "partiql", "query", "scan"]);
    assert.deepEqual(all.filter((name) => !few.includes(name)).toSorted(), ["create_table", "delete_item", "put_item", "update_item"]);
});

test("a table is made, filled and read", async () => {
    await ask(writer, "create_table", TABLE);
    await ask(writer, "put_item", {TableName: "music", Item: {artist: {S: "Can"}, albums: {N: "11"}}});
    assert.deepEqual((await ask(reader, "list_tables", {})).TableNames, ["music"]);
    assert.equal((await ask(reader, "describe_table", {TableName: "music"})).Table.TableStatus, "ACTIVE");
    assert.deepEqual((await ask(reader, "get_item", {TableName: "music", Key: {artist: {S: "Can"}}})).Item, {artist: {S: "Can"}, albums: {N: "11"}});
    assert.deepEqual((await ask(reader, "query", {TableName: "music", KeyConditionExpression: "artist = :a", ExpressionAttributeValues: {":a": {S: "Can"}}})).Count, 1);
    assert.deepEqual((await ask(reader, "partiql", {Statement: "SELECT albums FROM music WHERE artist = 'Can'"})).Items, [{albums: {N: "11"}}]);
});

test("a reader changes nothing, and what fails is told as a tool's failure", async () => {
    for (const [name, args] of [["put_item", {TableName: "music", Item: {artist: {S: "Neu"}}}], ["partiql", {Statement: "DELETE FROM music WHERE artist = 'Can'"}],
        ["get_item", {TableName: "nowhere", Key: {artist: {S: "Can"}}}]]) {
        const refused = await reader.callTool({name, arguments: args}).then(({isError}) => isError, () => true);
        assert.ok(refused, name);
    }
    assert.equal((await ask(reader, "scan", {TableName: "music"})).Count, 1);
});

test("a ping is answered", () => reader.ping());
