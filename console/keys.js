// keys.js - the access keys of a user. A secret is shown once, when it is made: the server keeps it sealed and tells it to nobody.

import {session} from "./api.js";
import {h} from "./dom.js";
import {allOf, iam} from "./query.js";
import {badge, busy, button, confirm, copy, dialog, facts, panel, section, table, toast, when} from "./ui.js";

function showKey({AccessKeyId: id, SecretAccessKey: secret}) {
    const file = `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`;
    return dialog("The new access key", (close) => h("div", {}, h("p", {class: "warning"}, "The secret is shown now and never again. Keep it where others do not read: whoever has it may do what the user may."),
        facts([["Access key id", h("code", {}, id)], ["Secret access key", h("code", {}, secret)]]),
        h("div", {class: "actions"}, button("Copy the secret", () => copy(secret)), button("Copy as a credentials file", () => copy(file)), button("I have it", () => close(), {class: "primary"}))));
}

export function keysSection(name) {
    const owner = {UserName: name};
    const isOwn = (id) => id === session.credentials?.id;
    const {node, reload} = panel(async () => {
        const keys = await allOf("ListAccessKeys", owner, "AccessKeyMetadata");
        const turn = ({AccessKeyId, Status}) => busy(null, async () => {
            const off = Status === "Active";
            if (off && !await confirm(`Deactivate ${AccessKeyId}?`, isOwn(AccessKeyId) ? "It is the key that you are signed in with: you will be signed out." : "What it signs is refused until it is active again.", "Deactivate")) return;
            await iam("UpdateAccessKey", {...owner, AccessKeyId, Status: off ? "Inactive" : "Active"});
            toast(`The key is ${off ? "inactive" : "active"}.`);
            await reload();
        });
        const remove = ({AccessKeyId}) => busy(null, async () => {
            if (!await confirm(`Delete ${AccessKeyId}?`, isOwn(AccessKeyId) ? "It is the key that you are signed in with: you will be signed out." : "What it signs is refused from then on. It cannot be brought back.", "Delete key")) return;
            await iam("DeleteAccessKey", {...owner, AccessKeyId});
            toast("The key is deleted.");
            await reload();
        });
        return table("Access keys", [["Access key id", (key) => h("code", {}, key.AccessKeyId)], ["Status", (key) => badge(key.Status.toLowerCase(), key.Status === "Active" ? "good" : "quiet")], ["Made", (key) => when(key.CreateDate)],
            ["", (key) => h("span", {class: "actions"}, button(key.Status === "Active" ? "Deactivate" : "Activate", () => turn(key), {class: "small", "aria-label": `${key.Status === "Active" ? "Deactivate" : "Activate"} ${key.AccessKeyId}`}),
                button("Delete", () => remove(key), {class: "small danger", "aria-label": `Delete key ${key.AccessKeyId}`}))]], keys, "The user has no access key, and so cannot sign in.");
    });
    return section("Access keys", node, button("Create access key", () => busy(null, async () => {
        const {AccessKey: key} = await iam("CreateAccessKey", owner);
        await reload();
        await showKey(key);
    })));
}
