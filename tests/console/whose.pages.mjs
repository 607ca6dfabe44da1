// A server where each access key has tables of its own: whose are shown is asked for, and part of the address.

import assert from "node:assert/strict";
import {test} from "node:test";
import {api, BINARY, faults, openPage, picture, serve, visit} from "./browser.mjs";

const endpoint = await serve(BINARY, "--memory", "--name-spaces");
const of = (key, region) => ({endpoint, authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260101/${region}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`});
const make = (TableName, key, region) => api("CreateTable", {TableName, BillingMode: "PAY_PER_REQUEST", KeySchema: [{AttributeName: "pk", KeyType: "HASH"}],
    AttributeDefinitions: [{AttributeName: "pk", AttributeType: "S"}]}, of(key, region));

await make("of-one", "one", "us-east-1");
await make("of-two", "two", "eu-west-3");

const page = await openPage({endpoint});

test("it asks whose", async () => {
    await visit(page, "#/tables");
    await page.getByRole("heading", {name: "Whose tables?"}).waitFor();
    assert.deepEqual(await faults(page), []);
    await picture(page, "whose");
    await page.getByLabel("Access key id").fill("one");
    await page.keyboard.press("Enter");
    await page.getByRole("main").getByRole("link", {name: "of-one"}).waitFor();
    assert.equal(new URL(page.url()).search, "?key=one&region=us-east-1");
});

test("another one, in another region", async () => {
    await page.getByRole("link", {name: "one, us-east-1"}).click();
    await page.getByLabel("Access key id").fill("two");
    await page.getByLabel("Region").fill("eu-west-3");
    await page.getByRole("button", {name: "Show"}).click();
    await page.getByRole("main").getByRole("link", {name: "of-two"}).waitFor();
    assert.equal(await page.getByRole("main").getByRole("link", {name: "of-one"}).count(), 0);
    await page.reload();
    await page.getByRole("main").getByRole("link", {name: "of-two"}).waitFor();
});
