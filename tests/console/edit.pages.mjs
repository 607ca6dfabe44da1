// One item: as a form and as JSON of both kinds, checked before it is sent, and kept when somebody else has changed it meanwhile.

import assert from "node:assert/strict";
import {test} from "node:test";
import {api, dialogOf, get, makeTable, openPage, picture, put, toastSays, until, visit} from "./browser.mjs";

const page = await openPage();
await makeTable("things", [["pk", "S"], ["sk", "N"]]);
const key = (pk) => ({pk: {S: pk}, sk: {N: "1"}});

async function tabTo(name) {
    await dialogOf(page).getByRole("tab", {name, exact: true}).click();
}

async function openItem(pk) {
    await visit(page, "#/tables");
    await visit(page, "#/table/things/items");
    await page.getByRole("button", {name: pk, exact: true}).click();
    await dialogOf(page).getByRole("tab", {name: "Form"}).waitFor();
}

async function createItem() {
    await visit(page, "#/tables");
    await visit(page, "#/table/things/items");
    await page.getByRole("button", {name: "Create item"}).click();
}

const save = () => dialogOf(page).getByRole("button", {name: "Save", exact: true}).click();
const says = (text) => dialogOf(page).getByRole("alert").getByText(text).waitFor();
const closed = () => until(async () => await page.locator("dialog").count() === 0);

/** An attribute in the form: its type, and where its value goes. */
async function addAttribute(name, type) {
    await dialogOf(page).getByRole("button", {name: "Add an attribute"}).last().click();
    await dialogOf(page).getByLabel("Attribute name").last().fill(name);
    const row = dialogOf(page).locator(".attribute").last();
    if (type) await row.getByLabel("Type of new attribute").selectOption({label: type});
    return row;
}

test("an item of all types by the form", async () => {
    await createItem();
    const form = dialogOf(page);
    await form.getByLabel("pk", {exact: true}).fill("form");
    await form.getByLabel("sk", {exact: true}).fill("1");
    await (await addAttribute("text")).getByLabel("new attribute", {exact: true}).fill("<b>bold</b>");
    await (await addAttribute("number", "Number")).getByLabel("new attribute", {exact: true}).fill("12345678901234567890.5");
    await (await addAttribute("bytes", "Binary")).getByLabel("new attribute", {exact: true}).fill("AAEC");
    await (await addAttribute("truth", "Boolean")).getByLabel("new attribute", {exact: true}).selectOption("true");
    await addAttribute("nothing", "Null");
    await (await addAttribute("texts", "String set")).getByRole("textbox", {name: /one member a line/}).fill("a\nb");
    await (await addAttribute("numbers", "Number set")).getByRole("textbox", {name: /one member a line/}).fill("1\n2.5");
    const list = await addAttribute("list", "List");
    await list.getByRole("button", {name: "Remove member 0"}).click();
    await list.getByRole("button", {name: "Add a member"}).click();
    await list.getByLabel("new attribute, member 1", {exact: true}).fill("first");
    await picture(page, "item-form");
    await form.getByRole("button", {name: "Create item"}).click();
    await closed();
    assert.deepEqual(await get("things", key("form")), {...key("form"), text: {S: "<b>bold</b>"}, number: {N: "12345678901234567890.5"}, bytes: {B: "AAEC"}, truth: {BOOL: true},
        nothing: {NULL: true}, texts: {SS: ["a", "b"]}, numbers: {NS: ["1", "2.5"]}, list: {L: [{S: "first"}]}});
});

test("an item is edited in each of the three ways", async () => {
    await openItem("form");
    await dialogOf(page).getByLabel("text", {exact: true}).fill("changed");
    await dialogOf(page).getByRole("button", {name: "Remove nothing"}).click();
    await save();
    await closed();
    await openItem("form");
    await tabTo("JSON");
    const plain = dialogOf(page).getByLabel("The item as plain JSON");
    const shown = await plain.inputValue();
    assert.match(shown, /"number": 12345678901234567890\.5,/);
    await dialogOf(page).getByText("Plain JSON does not show the type of").waitFor();
    await picture(page, "item-json");
    await plain.fill(shown.replace('"changed"', '"by JSON"').replace("12345678901234567890.5", "12345678901234567890.7"));
    await save();
    await closed();
    await openItem("form");
    await tabTo("DynamoDB JSON");
    const typed = dialogOf(page).getByLabel("The item as DynamoDB JSON");
    await typed.fill((await typed.inputValue()).replace('"by JSON"', '"by DynamoDB JSON"'));
    await tabTo("Form");
    assert.equal(await dialogOf(page).getByLabel("text", {exact: true}).inputValue(), "by DynamoDB JSON");
    await save();
    await closed();
    const item = await get("things", key("form"));
    assert.deepEqual(item.text, {S: "by DynamoDB JSON"});
    assert.deepEqual(item.number, {N: "12345678901234567890.7"});
    assert.deepEqual(item.texts, {SS: ["a", "b"]});
    assert.deepEqual(item.bytes, {B: "AAEC"});
    assert.equal(item.nothing, undefined);
});

test("nothing that is wrong is sent", async () => {
    await createItem();
    const form = dialogOf(page), create = () => form.getByRole("button", {name: "Create item"}).click();
    await create();
    await says("pk: the key pk must not be empty");
    await form.getByLabel("pk", {exact: true}).fill("wrong");
    await form.getByLabel("sk", {exact: true}).fill("one");
    await create();
    await says("sk: 'one' is no number");
    await form.getByLabel("sk", {exact: true}).fill("1");
    const row = await addAttribute("pk");
    await create();
    await says("pk: this name is there twice");
    await row.getByLabel("Attribute name").fill("");
    await create();
    await says("a name is missing");
    await row.getByLabel("Attribute name").fill("set");
    await row.getByLabel("Type of").selectOption({label: "Number set"});
    await row.getByRole("textbox", {name: /one member a line/}).fill("1\n1");
    await create();
    await says('set: the set has "1" twice');
    await row.getByRole("textbox", {name: /one member a line/}).fill("1");
    await tabTo("JSON");
    await form.getByRole("textbox").fill('{"pk": "a" "sk": 1}');
    await create();
    await says("this is not JSON");
    assert.equal(await form.getByRole("textbox").evaluate((input) => input.selectionStart), 11); // where it is
    await form.getByRole("textbox").fill('{"pk": 5, "sk": 1}');
    await create();
    await says("pk: the key pk must be a string");
    await form.getByRole("textbox").fill("[]");
    await create();
    await says("an item is an object");
    await form.getByRole("textbox").fill('{"pk": "wrong", "sk": 1}');
    await tabTo("DynamoDB JSON");
    await form.getByRole("textbox").fill('{"pk": {"S": "wrong"}, "sk": {"N": 1}}');
    await create();
    await says("sk: the content of N is a text");
    await form.getByRole("textbox").fill('{"pk": {"S": "wrong"}, "sk": {"N": "1"}, "x": 5}');
    await tabTo("Form");
    await says('x: a value is an object of one member, as {"S": "text"}');
    await picture(page, "item-wrong");
    await form.getByRole("textbox").fill('{"pk": {"S": "form"}, "sk": {"N": "1"}}');
    await create();
    await says("there is an item with this key already");
    await form.getByRole("button", {name: "Cancel"}).click();
    assert.equal(await get("things", key("wrong")), undefined);
});

test("a duplicate is an item with another key", async () => {
    await put("things", {...key("one"), x: {S: "same"}});
    await openItem("one");
    await dialogOf(page).getByRole("button", {name: "Duplicate"}).click();
    await dialogOf(page).getByRole("heading", {name: "Create an item"}).waitFor();
    await dialogOf(page).getByLabel("pk", {exact: true}).fill("two");
    await dialogOf(page).getByRole("button", {name: "Create item"}).click();
    await closed();
    assert.deepEqual(await get("things", key("two")), {...key("two"), x: {S: "same"}});
    assert.deepEqual(await get("things", key("one")), {...key("one"), x: {S: "same"}});
    await openItem("two");
    await dialogOf(page).getByLabel("pk", {exact: true}).fill("three");
    await save();
    await toastSays(page, "A new item is there");
    assert.deepEqual(await get("things", key("three")), {...key("three"), x: {S: "same"}});
    await openItem("three");
    await dialogOf(page).getByRole("button", {name: "Delete", exact: true}).click();
    await dialogOf(page).getByRole("button", {name: "Delete this item"}).click();
    await toastSays(page, "1 item deleted.");
    assert.equal(await get("things", key("three")), undefined);
});

// ---- when two people edit ----

/** Loads the item, changes it in the page, changes it beside the page, and saves. */
async function collide(pk) {
    await put("things", {...key(pk), mine: {S: "old"}, extra: {S: "old"}, third: {S: "old"}});
    await openItem(pk);
    await dialogOf(page).getByLabel("mine", {exact: true}).fill("new");
    await api("UpdateItem", {TableName: "things", Key: key(pk), UpdateExpression: "SET extra = :n REMOVE third", ExpressionAttributeValues: {":n": {S: "theirs"}}});
    await save();
    await dialogOf(page).getByRole("heading", {name: "The item has changed since it was loaded"}).waitFor();
    await dialogOf(page).getByText("extra: old → theirs").waitFor();
    await dialogOf(page).getByText("third: old → (nothing)").waitFor();
    assert.deepEqual(await get("things", key(pk)), {...key(pk), mine: {S: "old"}, extra: {S: "theirs"}});
}

test("a change by somebody else is told; back to my changes", async () => {
    await collide("back");
    await picture(page, "item-conflict");
    await dialogOf(page).getByRole("button", {name: "Back to my changes"}).click();
    assert.equal(await dialogOf(page).getByLabel("mine", {exact: true}).inputValue(), "new");
    await save();
    await dialogOf(page).getByText("extra: old → theirs").waitFor(); // still not overwritten
    await dialogOf(page).getByRole("button", {name: "Back to my changes"}).click();
    await dialogOf(page).getByRole("button", {name: "Cancel"}).click();
    assert.deepEqual((await get("things", key("back"))).mine, {S: "old"});
});

test("a change by somebody else is told; mine on top of it", async () => {
    await collide("top");
    await dialogOf(page).getByRole("button", {name: "Put my changes on top of it"}).click();
    await closed();
    assert.deepEqual(await get("things", key("top")), {...key("top"), mine: {S: "new"}, extra: {S: "theirs"}});
});

test("a change by somebody else is told; theirs, and mine dropped", async () => {
    await collide("load");
    await dialogOf(page).getByRole("button", {name: "Take the new one, drop my changes"}).click();
    await until(async () => await dialogOf(page).getByLabel("extra", {exact: true}).inputValue() === "theirs");
    assert.equal(await dialogOf(page).getByLabel("mine", {exact: true}).inputValue(), "old");
    await dialogOf(page).getByLabel("mine", {exact: true}).fill("newer");
    await save();
    await closed();
    assert.deepEqual(await get("things", key("load")), {...key("load"), mine: {S: "newer"}, extra: {S: "theirs"}});
});

test("an item that somebody has deleted is written anew only when asked for", async () => {
    await put("things", {...key("gone"), x: {S: "1"}});
    await openItem("gone");
    await dialogOf(page).getByLabel("x", {exact: true}).fill("2");
    await api("DeleteItem", {TableName: "things", Key: key("gone")});
    await save();
    await dialogOf(page).getByRole("heading", {name: "The item is gone"}).waitFor();
    await dialogOf(page).getByRole("button", {name: "Cancel"}).click();
    assert.equal(await get("things", key("gone")), undefined);
    await save();
    await dialogOf(page).getByRole("button", {name: "Write it anew"}).click();
    await closed();
    assert.deepEqual(await get("things", key("gone")), {...key("gone"), x: {S: "2"}});
});

// ---- what means harm ----

test("hostile names and values are text, and survive an edit", async () => {
    const odd = JSON.parse(`{"__proto__": {"S": "p"}, "constructor": {"S": "c"}, "<img src=x onerror=alert(1)>": {"S": "<script>alert(2)</script>"}, "a.b[0]": {"S": "dots"},
        "control": {"S": "\\u0000\\u0001\\u0007\\u001b[31m"}, "lines": {"S": "a\\r\\nb\\rc\\n"}, "turned": {"S": "abc\\u202edef"}, "\\u202ename": {"S": "x"}, "set": {"SS": ["\\r", "a\\nb", "plain"]},
        "map": {"M": {"__proto__": {"L": [{"S": "</textarea><b>"}]}, "toString": {"N": "1"}}}, "'; DROP TABLE": {"S": "javascript:alert(3)"}}`);
    const item = {...key("<b>hostile</b>"), ...odd, long: {S: "x".repeat(390 * 1024)}};
    await put("things", item);
    await put("things", {...key("plain")}); // has none of these: `constructor` is not its own
    await openItem("<b>hostile</b>");
    assert.equal(await page.locator("main b, main script, main img, dialog b, dialog script, dialog img").count(), 0);
    const row = await addAttribute("new");
    await row.getByLabel("new attribute", {exact: true}).fill("1");
    await save();
    await closed();
    assert.deepEqual(await get("things", key("<b>hostile</b>")), {...item, new: {S: "1"}});
    await page.getByRole("columnheader", {name: "constructor"}).waitFor();
    await page.getByRole("columnheader", {name: "\\u202ename"}).waitFor();
    await picture(page, "items-hostile");
    for (const mode of ["JSON", "DynamoDB JSON"]) {
        await openItem("<b>hostile</b>");
        await tabTo(mode);
        const input = dialogOf(page).getByRole("textbox"), shown = await input.inputValue();
        await input.fill(shown.replace('"p"', `"${mode}"`));
        await save();
        await closed();
        assert.deepEqual(await get("things", key("<b>hostile</b>")), {...item, ...JSON.parse(`{"__proto__": {"S": "${mode}"}}`), new: {S: "1"}}, mode);
        await api("UpdateItem", {TableName: "things", Key: key("<b>hostile</b>"), UpdateExpression: "SET #p = :p", ExpressionAttributeNames: {"#p": "__proto__"}, ExpressionAttributeValues: {":p": {S: "p"}}});
    }
    await openItem("<b>hostile</b>");
    for (const name of ["__proto__", "constructor"]) await dialogOf(page).getByRole("button", {name: `Remove ${name}`, exact: true}).first().click();
    await save();
    await closed();
    const left = await get("things", key("<b>hostile</b>"));
    assert.ok(!Object.hasOwn(left, "__proto__") && !Object.hasOwn(left, "constructor"));
});
