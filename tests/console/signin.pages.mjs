// A server that verifies signatures: who signs in, and sees what they may.

import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {writeFileSync} from "node:fs";
import {join} from "node:path";
import {test} from "node:test";
import {BINARY, openPage, picture, serveVerified, signIn, until, visit} from "./browser.mjs";

const {endpoint, data, folder, root, signed} = await serveVerified();
const gramme = (...words) => execFileSync(BINARY, words, {encoding: "utf8"});

for (const TableName of ["open", "closed"]) {
    await signed("CreateTable", {TableName, BillingMode: "PAY_PER_REQUEST", KeySchema: [{AttributeName: "pk", KeyType: "HASH"}], AttributeDefinitions: [{AttributeName: "pk", AttributeType: "S"}]});
    await until(async () => (await signed("DescribeTable", {TableName})).Table.TableStatus === "ACTIVE");
}
await signed("PutItem", {TableName: "open", Item: {pk: {S: "seen"}, x: {N: "1"}}});

const page = await openPage({endpoint});

test("a wrong key is refused in the server's words", async () => {
    await visit(page, "#/tables");
    await page.getByRole("heading", {name: "Sign in"}).waitFor();
    await picture(page, "signin");
    await signIn(page, {id: root.id, secret: "wrong"});
    await page.getByRole("alert").getByText("InvalidSignatureException").first().waitFor();
    await signIn(page, {id: "AKIANOBODYNOBODY0000", secret: "wrong"});
    await page.getByRole("alert").getByText("UnrecognizedClientException").first().waitFor();
    await picture(page, "signin-wrong");
    assert.equal(await page.getByRole("navigation", {name: "Tables"}).getByRole("link").count(), 0);
});

test("the right key shows everything, and is nowhere but in the page", async () => {
    await signIn(page, root);
    await page.getByRole("main").getByRole("link", {name: "closed"}).waitFor();
    await visit(page, "#/metrics");
    await page.getByText("Requests so far").waitFor();
    await visit(page, "#/alarms");
    await page.getByText("There is no alarm.").waitFor();
    const kept = await page.evaluate(() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie]));
    assert.ok(!kept.includes(root.id) && !kept.includes(root.secret), kept);
    await page.reload();
    await page.getByRole("heading", {name: "Sign in"}).waitFor();
});

test("who may read one table sees that one", async () => {
    const arn = (await signed("DescribeTable", {TableName: "open"})).Table.TableArn;
    writeFileSync(join(folder, "policy"), JSON.stringify({Version: "2012-10-17", Statement: [{Effect: "Allow", Action: ["dynamodb:DescribeTable", "dynamodb:Scan", "dynamodb:GetItem"], Resource: arn}]}));
    gramme("user", "create", data, "reader", "--policy", `read=${join(folder, "policy")}`);
    const key = gramme("key", "create", data, "--user", "reader");
    await signIn(page, {id: /aws_access_key_id = (\S+)/.exec(key)[1], secret: /aws_secret_access_key = (\S+)/.exec(key)[1]});
    await page.getByRole("main").getByText("AccessDeniedException").waitFor(); // the list of tables
    await picture(page, "signin-denied");
    await visit(page, "#/table/open/items");
    await page.getByRole("button", {name: "seen"}).click();
    await page.getByRole("dialog").getByLabel("x", {exact: true}).fill("2");
    await page.getByRole("dialog").getByRole("button", {name: "Save"}).click();
    await page.getByRole("dialog").getByText("AccessDeniedException").waitFor(); // in front of the item, not behind it
    assert.deepEqual((await signed("GetItem", {TableName: "open", Key: {pk: {S: "seen"}}})).Item.x, {N: "1"});
    await page.keyboard.press("Escape");
    await visit(page, "#/table/closed/items");
    await page.getByRole("main").getByText("AccessDeniedException").waitFor();
    await visit(page, "#/table/open/backups");
    await page.getByRole("main").getByText("AccessDeniedException").first().waitFor();
});

test("signing out forgets the key", async () => {
    await page.getByRole("button", {name: "Sign out"}).click();
    await page.getByRole("heading", {name: "Sign in"}).waitFor();
    await page.goBack();
    await page.getByRole("heading", {name: "Sign in"}).waitFor();
    assert.equal(await page.getByLabel("Secret access key").inputValue(), "");
});

test("a key that is taken away ends what was signed in", async () => {
    await visit(page, "#/tables");
    const key = gramme("key", "create", data, "--user", "reader"), id = /aws_access_key_id = (\S+)/.exec(key)[1];
    await signIn(page, {id, secret: /aws_secret_access_key = (\S+)/.exec(key)[1]});
    await page.getByRole("button", {name: "Sign out"}).waitFor();
    gramme("user", "delete", data, "reader");
    const signInAgain = page.getByRole("heading", {name: "Sign in"});
    await until(async () => { // the server learns of it in a moment
        await visit(page, await page.evaluate(() => location.hash.includes("overview")) ? "#/table/open/items" : "#/table/open/overview");
        await signInAgain.or(page.getByRole("main").getByRole("region").first()).first().waitFor();
        return signInAgain.isVisible();
    });
    await page.getByRole("alert").getByText("UnrecognizedClientException").first().waitFor();
});
