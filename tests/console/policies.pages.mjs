// The policies of tables and streams: written, checked, told apart from what somebody else wrote, deleted.

import assert from "node:assert/strict";
import {test} from "node:test";
import {api, BINARY, dialogOf, makeTable, openPage, picture, serve, toastSays, until, visit} from "./browser.mjs";

const page = await openPage();
const WITH_STREAM = {StreamSpecification: {StreamEnabled: true, StreamViewType: "KEYS_ONLY"}};
for (const name of ["songs", "guarded", "taken"]) await makeTable(name, [["pk", "S"]], name === "songs" ? WITH_STREAM : {}); // a policy can be changed once in 15 seconds
const tableOf = async (name) => (await api("DescribeTable", {TableName: name})).Table;
const policyOf = async (ResourceArn) => JSON.parse((await api("GetResourcePolicy", {ResourceArn})).Policy);

const part = (of) => page.getByRole("region", {name: `Policy of the ${of}`});
const input = (of = "table") => part(of).getByRole("textbox");
const press = (name, of = "table") => part(of).getByRole("button", {name}).click();
const problem = (text) => part("table").getByRole("alert").getByText(text).waitFor();
const marked = () => part("table").locator("mark").textContent();

test("what is wrong with a policy is shown where it is", async () => {
    await visit(page, "#/table/songs/policy");
    await page.getByText("The table has no policy of its own.").waitFor();
    await page.getByText("This server does not verify signatures").waitFor();
    await input().fill('{\n  "Version": 2012-10-17\n}');
    await press("Save policy");
    await problem("This is not JSON");
    await part("table").getByText('Line 2, character 14: "Version": 2012-10-17').waitFor();
    assert.equal(await marked(), "2012-10-17");
    await press("Begin with an example");
    assert.equal(await part("table").locator("mark").count(), 0);
    const right = await input().inputValue();
    await input().fill(right.replace('"Allow"', '"Perhaps"'));
    await press("Save policy");
    await problem("Syntax error at position (6,17)");
    assert.equal(await marked(), '"Perhaps"');
    assert.equal(await input().evaluate((node) => node.value.slice(node.selectionStart, node.selectionEnd)), '"Perhaps"');
    await picture(page, "policy-wrong");
    await input().fill(right.replace("dynamodb:GetItem", "dynamodb:Fly"));
    await press("Save policy");
    await problem("The following action names are invalid");
    assert.equal(await marked(), '"dynamodb:Fly"');
    await input().fill(right);
    await press("Save policy");
    await toastSays(page, "The policy is saved.");
    await part("table").getByText("Revision ").waitFor();
    assert.equal((await policyOf((await tableOf("songs")).TableArn)).Statement[0].Sid, "Readers");
    await picture(page, "policy");
});

test("the stream has a policy of its own", async () => {
    await press("Begin with an example", "stream");
    await press("Save policy", "stream");
    await toastSays(page, "The policy is saved.");
    const {LatestStreamArn: arn} = await tableOf("songs"), [statement] = (await policyOf(arn)).Statement;
    assert.equal(statement.Resource, arn);
    assert.ok(statement.Action.includes("dynamodb:GetRecords"));
    await press("Delete policy", "stream");
    await dialogOf(page).getByText("Only the policies of users and roles count from then on.").waitFor();
    await dialogOf(page).getByRole("button", {name: "Cancel"}).click();
    assert.ok(await policyOf(arn));
    await visit(page, "#/table/taken/policy");
    await page.getByText("The table has no stream, so there is no policy of one.").waitFor();
});

/** A policy of somebody else, who was faster. */
async function collide(name) {
    await visit(page, `#/table/${name}/policy`);
    await press("Begin with an example");
    const arn = (await tableOf(name)).TableArn;
    await api("PutResourcePolicy", {ResourceArn: arn, Policy: JSON.stringify({Version: "2012-10-17", Statement: [{Sid: "Theirs", Effect: "Allow",
        Principal: {AWS: "arn:aws:iam::000000000000:root"}, Action: "dynamodb:GetItem", Resource: arn}]})});
    await press("Save policy");
    await dialogOf(page).getByRole("heading", {name: "The policy has changed since it was loaded"}).waitFor();
    assert.match(await dialogOf(page).getByLabel("The policy that is there now").textContent(), /"Theirs"/);
    assert.equal((await policyOf(arn)).Statement[0].Sid, "Theirs");
}

test("a policy that somebody else has written meanwhile is not overwritten", async () => {
    await collide("guarded");
    await picture(page, "policy-conflict");
    await dialogOf(page).getByRole("button", {name: "Back to my changes"}).click();
    assert.match(await input().inputValue(), /"Readers"/);
    await press("Save policy");
    await dialogOf(page).getByRole("button", {name: "Put mine in its place"}).click();
    await problem("modified within the previous"); // it was changed just now, says the server
    await press("Save policy");
    await dialogOf(page).getByRole("button", {name: "Take the new one, drop my changes"}).click();
    await until(async () => /"Theirs"/.test(await input().inputValue()));
});

test("a policy is deleted, once its time has come", async () => {
    const endpoint = await serve(BINARY, "--memory", "--test-clock"), ResourceArn = (await tableOf("songs")).TableArn, Policy = JSON.stringify(await policyOf(ResourceArn));
    await api("CreateTable", {TableName: "songs", BillingMode: "PAY_PER_REQUEST", KeySchema: [{AttributeName: "pk", KeyType: "HASH"}], AttributeDefinitions: [{AttributeName: "pk", AttributeType: "S"}], ResourcePolicy: Policy}, {endpoint});
    const other = await openPage({endpoint}), remove = async () => {
        await other.getByRole("button", {name: "Delete policy"}).click();
        await dialogOf(other).getByRole("button", {name: "Delete policy"}).click();
    };
    await visit(other, "#/table/songs/policy");
    await remove();
    await toastSays(other, "modified within the previous 15000 milliseconds");
    await fetch(`${endpoint}/_gramme/clock`, {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify({Advance: 20})});
    await remove();
    await toastSays(other, "The policy is deleted.");
    await other.getByText("The table has no policy of its own.").waitFor();
});
