// Users, roles, keys and their policies on a server that verifies signatures; what somebody may not do is told; whether somebody may do something, and why.

import assert from "node:assert/strict";
import {test} from "node:test";
import {dialogOf, faults, openPage, picture, rowsOf, serveVerified, signIn, toastSays, until, visit} from "./browser.mjs";

const {endpoint, root, signed} = await serveVerified();
const TABLE = (name) => ({TableName: name, BillingMode: "PAY_PER_REQUEST", KeySchema: [{AttributeName: "pk", KeyType: "HASH"}], AttributeDefinitions: [{AttributeName: "pk", AttributeType: "S"}]});
for (const name of ["open", "closed"]) await signed("CreateTable", TABLE(name));
const ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/";

const page = await openPage({endpoint});
await visit(page, "#/access");
await signIn(page, root);

const part = (name, of = page) => of.getByRole("region", {name, exact: true});
const press = (name) => page.getByRole("button", {name, exact: true}).click();
const inDialog = (name) => dialogOf(page).getByRole("button", {name, exact: true}).click();
const closed = () => until(async () => await page.locator("dialog").count() === 0);
const policy = (...statements) => JSON.stringify({Version: "2012-10-17", Statement: statements}, null, 2);
const readOpen = {Sid: "ReadOpen", Effect: "Allow", Action: ["dynamodb:GetItem", "dynamodb:Scan", "dynamodb:DescribeTable"], Resource: `${ARN}open`};

/** Pictures, also of a phone and in the dark; nothing serious for axe, and nothing wider than the screen. */
async function looksRight(name) {
    const wide = page.viewportSize();
    await picture(page, name);
    assert.deepEqual(await faults(page), []);
    await page.emulateMedia({colorScheme: "dark", reducedMotion: "reduce"}); // colours change at once
    assert.deepEqual(await faults(page, ["color-contrast"]), []);
    await page.setViewportSize({width: 390, height: 844});
    await picture(page, `phone-${name}`);
    assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth) <= 390, name);
    await page.emulateMedia({colorScheme: "light"});
    await page.setViewportSize(wide);
}

let key;

test("a user is created, with a key whose secret is shown once", async () => {
    await page.getByText("You are signed in as arn:aws:iam::000000000000:root.").waitFor();
    await page.getByText("There is no user.").waitFor();
    await press("Create user");
    await dialogOf(page).getByLabel("Name", {exact: true}).fill("no/good");
    await inDialog("Create user");
    await dialogOf(page).getByRole("alert").locator(".problem").waitFor();
    await dialogOf(page).getByLabel("Name", {exact: true}).fill("anna");
    await inDialog("Create user");
    await page.getByText("arn:aws:iam::000000000000:user/anna").waitFor();
    await page.getByText("The user has no access key, and so cannot sign in.").waitFor();
    await press("Create access key");
    await dialogOf(page).getByText("The secret is shown now and never again.").waitFor();
    const [id, secret] = await dialogOf(page).locator("dd").allTextContents();
    await picture(page, "access-key");
    await inDialog("Copy the secret");
    await toastSays(page, "Copied");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), secret);
    await inDialog("Copy as a credentials file");
    await toastSays(page, "Copied");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`);
    await inDialog("I have it");
    await closed();
    await until(async () => (await rowsOf(page, "Access keys")).length > 0);
    assert.deepEqual((await rowsOf(page, "Access keys")).map((row) => row.slice(0, 2)), [[id, "active"]]);
    assert.ok(!(await page.content()).includes(secret));
    key = {id, secret};
});

test("a policy is added, checked where it is wrong, changed and deleted", async () => {
    await part("Policies").getByText("The user has no policy").waitFor();
    await press("Add policy");
    await dialogOf(page).getByLabel("Name", {exact: true}).fill("read");
    const input = () => dialogOf(page).getByLabel("Policy", {exact: true});
    await input().fill("{\"Version\": \"2012-10-17\",\n \"Statement\": [}");
    await inDialog("Add policy");
    await dialogOf(page).getByText("This is not JSON").waitFor();
    assert.equal(await dialogOf(page).locator("mark").textContent(), "}");
    await input().fill(policy({...readOpen, Effect: "Sometimes"}));
    await inDialog("Add policy");
    await dialogOf(page).getByText("MalformedPolicyDocument").waitFor();
    await picture(page, "access-policy-wrong");
    await input().fill(policy(readOpen));
    await inDialog("Add policy");
    await closed();
    await press("read");
    assert.deepEqual(JSON.parse(await input().inputValue()).Statement, [readOpen]);
    await picture(page, "access-policy");
    await input().fill(policy(readOpen, {Sid: "Names", Effect: "Allow", Action: "dynamodb:ListTables", Resource: "*"},
        {Sid: "OwnKeys", Effect: "Allow", Action: "iam:ListAccessKeys", Resource: "arn:aws:iam::000000000000:user/${aws:username}"}));
    await inDialog("Save policy");
    await toastSays(page, "The policy is saved.");
    await press("Add policy");
    await dialogOf(page).getByLabel("Name", {exact: true}).fill("too-much");
    await inDialog("Add policy");
    await closed();
    await until(async () => (await rowsOf(page, "Policies")).length === 2);
    await page.getByRole("button", {name: "Delete policy too-much"}).click();
    await inDialog("Delete policy");
    await toastSays(page, "The policy is deleted.");
    await until(async () => (await rowsOf(page, "Policies")).length === 1);
    await looksRight("access-user");
});

test("a role with who may take it", async () => {
    await visit(page, "#/access");
    await press("Create role");
    await dialogOf(page).getByLabel("Name", {exact: true}).fill("auditor");
    await inDialog("Create role");
    await page.getByText("arn:aws:iam::000000000000:role/auditor").waitFor();
    const input = part("Trust policy").getByLabel("Trust policy");
    const trust = await input.inputValue();
    assert.equal(JSON.parse(trust).Statement[0].Action, "sts:AssumeRole");
    await input.fill(trust.replace('"sts:AssumeRole"', '"sts:AssumeRole", "Resource": "*"'));
    await press("Save trust policy");
    await part("Trust policy").getByText("MalformedPolicyDocument").waitFor();
    await input.fill(trust.replace(":root", ":user/anna"));
    await press("Save trust policy");
    await toastSays(page, "The trust policy is saved.");
    await page.reload();
    await signIn(page, root);
    assert.match(await part("Trust policy").getByLabel("Trust policy").inputValue(), /:user\/anna/);
    await looksRight("access-role");
});

// ---- may they do this? ----

const decisions = page.getByRole("list", {name: "Decisions"});

async function decide(fill) {
    await fill();
    await press("Try");
    await decisions.waitFor();
    return decisions.locator(".record-head").evaluateAll((heads) => heads.map((head) => [...head.children].slice(0, 2).map((node) => node.textContent).reverse().join(" ")));
}

test("whether somebody may do something, and by which statement", async () => {
    await visit(page, "#/user/anna");
    await page.getByRole("link", {name: "Try what they may do"}).click();
    assert.match(await page.getByLabel("Who").inputValue(), /:user\/anna$/);
    assert.deepEqual(await decide(async () => {
        await page.getByLabel("Actions").fill("dynamodb:GetItem, dynamodb:PutItem");
        await page.getByLabel("On", {exact: true}).fill(`${ARN}open`);
    }), ["dynamodb:GetItem allowed", "dynamodb:PutItem not allowed"]);
    assert.match(await decisions.getByLabel("The statement").textContent(), /^\{[^]*"ReadOpen"[^]*\}$/);
    await decisions.getByText("No statement allows it.").waitFor();
    await looksRight("access-try");
});

test("one more policy, and the table's own, count with theirs", async () => {
    await page.getByText("More: condition keys").click();
    const more = page.getByLabel("One more policy");
    await more.fill(policy({Effect: "Deny", Action: "dynamodb:*", Resource: "*", Condition: {IpAddress: {"aws:SourceIp": "192.0.2.0/24"}}}));
    await press("Condition key");
    await page.getByLabel("Condition key", {exact: true}).fill("aws:SourceIp");
    await page.getByLabel("Type of the key").selectOption("ip");
    await page.getByLabel("Values of the key").fill("192.0.2.7");
    assert.deepEqual(await decide(() => page.getByLabel("Actions").fill("dynamodb:GetItem")), ["dynamodb:GetItem denied"]);
    await decisions.getByText("PolicyInputList.1").waitFor();
    await more.fill("");
    await signed("PutResourcePolicy", {ResourceArn: `${ARN}open`, Policy: policy({Sid: "Theirs", Effect: "Allow", Principal: {AWS: "arn:aws:iam::000000000000:user/anna"}, Action: "dynamodb:PutItem", Resource: `${ARN}open`})});
    assert.deepEqual(await decide(() => page.getByLabel("Actions").fill("dynamodb:PutItem")), ["dynamodb:PutItem allowed"]);
    await page.getByLabel("With the policy of the table or stream itself").uncheck();
    assert.deepEqual(await decide(() => Promise.resolve()), ["dynamodb:PutItem not allowed"]);
});

// ---- policies of tables count here ----

test("who would lock themselves out is asked", async () => {
    await visit(page, "#/table/closed/policy");
    const input = page.getByRole("textbox", {name: "Policy of the table", exact: true});
    await input.fill(policy({Effect: "Deny", Principal: "*", Action: "dynamodb:PutResourcePolicy", Resource: `${ARN}closed`}));
    await press("Save policy");
    await dialogOf(page).getByText("With this policy you could not change it again.").waitFor();
    await inDialog("Cancel");
    await press("Save policy");
    await inDialog("Lock me out");
    await toastSays(page, "The policy is saved.");
    assert.match((await signed("GetResourcePolicy", {ResourceArn: `${ARN}closed`})).Policy, /"Deny"/);
});

// ---- what is not allowed ----

test("who may see little is told what they may not", async () => {
    await press("Sign out");
    await signIn(page, key);
    await visit(page, "#/access");
    await page.getByText("You are signed in as arn:aws:iam::000000000000:user/anna.").waitFor();
    for (const name of ["Users", "Roles"]) await part(name).getByText("is not authorized to perform: iam:List").waitFor();
    await picture(page, "access-denied");
    await page.getByRole("link", {name: "arn:aws:iam::000000000000:user/anna"}).click();
    await page.getByRole("main").getByText("is not authorized to perform: iam:GetUser on").waitFor();
    await part("Policies").getByText("is not authorized to perform: iam:ListUserPolicies").waitFor();
    await until(async () => (await rowsOf(page, "Access keys"))[0]?.[0] === key.id); // which they may
    await press("Create access key");
    await toastSays(page, "is not authorized to perform: iam:CreateAccessKey");
    await visit(page, "#/try");
    await page.getByLabel("Who").fill("arn:aws:iam::000000000000:user/anna");
    await press("Try");
    await page.getByRole("main").getByText("is not authorized to perform: iam:SimulatePrincipalPolicy").waitFor();
});

test("a key is turned off, and ends what it has signed in; a user goes with all of theirs", async () => {
    await press("Sign out");
    await signIn(page, root);
    await visit(page, "#/user/anna");
    await page.getByRole("button", {name: `Deactivate ${key.id}`}).click();
    await inDialog("Deactivate");
    await toastSays(page, "The key is inactive.");
    await until(async () => (await rowsOf(page, "Access keys"))[0]?.[1] === "inactive");
    await page.getByRole("button", {name: `Activate ${key.id}`}).click();
    await until(async () => (await rowsOf(page, "Access keys"))[0]?.[1] === "active");
    await page.getByRole("button", {name: `Delete key ${key.id}`}).click();
    await inDialog("Delete key");
    await page.getByText("The user has no access key, and so cannot sign in.").waitFor();
    await press("Create access key");
    await inDialog("I have it");
    await press("Delete user");
    await dialogOf(page).getByLabel("To be sure").fill("anna");
    await inDialog("Delete user");
    await toastSays(page, "The user anna is deleted.");
    await page.getByText("There is no user.").waitFor();
    await press("Sign out");
    await signIn(page, key);
    await page.getByRole("alert").getByText("UnrecognizedClientException").first().waitFor();
});
