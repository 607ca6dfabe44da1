// identity.js - users and roles: who there is, and what their policies say. Keys are in keys.js.

import {session} from "./api.js";
import {h, replace} from "./dom.js";
import {keysSection} from "./keys.js";
import {policyEditor} from "./policy_editor.js";
import {allOf, documentOf, iam, listOf, sts} from "./query.js";
import {busy, button, confirm, confirmByName, dialog, facts, field, heading, panel, problem, section, table, text, toast, when} from "./ui.js";

/** Both have the same operations, under their names. */
const KINDS = {
    user: {word: "user", Word: "User", name: "UserName", list: "Users"},
    role: {word: "role", Word: "Role", name: "RoleName", list: "Roles"},
};

const place = (kind, name) => `#/${kind.word}/${encodeURIComponent(name)}`;
const ALLOW = JSON.stringify({Version: "2012-10-17", Statement: [{Sid: "Read", Effect: "Allow", Action: ["dynamodb:GetItem", "dynamodb:Query"], Resource: "*"}]});

// ---- all of them ----

/** Without signatures there is nobody to tell of. */
export function unverified() {
    return section("Everybody may do everything", h("p", {}, "This server does not verify signatures: whoever reaches it may do everything, under any name. So it has no users, no roles and no keys, and the policies of tables refuse nobody."),
        h("p", {}, "Started with ", h("code", {}, "gramme serve --auth --root-key FILE"), " it answers only what was signed by a key that it knows. This page then asks for a key, and here are users and roles with their keys and policies, as far as the owner of that key may see and change them, and a place to try what a policy allows."));
}

function askName(title, action, more) {
    return dialog(title, (close) => {
        const name = text("", {required: true}), trouble = h("div", {role: "alert"}), editor = more ? policyEditor(more.label, more.document) : null;
        const go = h("button", {type: "submit", class: "primary"}, title);
        const work = async (document) => {
            await action(name.value, document);
            close(name.value);
        };
        return h("form", {on: {submit: (event) => {
            event.preventDefault();
            busy(go, async () => {
                replace(trouble);
                if (editor) await editor.attempt(work);
                else await work().catch((error) => replace(trouble, problem(error)));
            });
        }}}, field("Name", name), editor ? [h("p", {}, more.label), editor.node] : null, trouble, h("div", {class: "actions"}, button("Cancel", () => close()), go));
    }, more ? {class: "wide"} : {});
}

function listSection(kind, create) {
    const {node} = panel(async () => {
        const all = await allOf(`List${kind.list}`, {}, kind.list);
        return table(kind.list, [["Name", (one) => h("a", {href: place(kind, one[kind.name])}, one[kind.name])], ["ARN", (one) => h("code", {}, one.Arn)], ["Made", (one) => when(one.CreateDate)]], all, `There is no ${kind.word}.`);
    });
    return section(kind.list, node, button(`Create ${kind.word}`, () => busy(null, async () => {
        const name = await create();
        if (name) location.hash = place(kind, name);
    })));
}

function createRole(account) {
    const trust = {Version: "2012-10-17", Statement: [{Effect: "Allow", Principal: {AWS: `arn:aws:iam::${account}:root`}, Action: "sts:AssumeRole"}]};
    return askName("Create role", (RoleName, AssumeRolePolicyDocument) => iam("CreateRole", {RoleName, AssumeRolePolicyDocument}), {label: "Trust policy: who may take the role", document: JSON.stringify(trust)});
}

export function identityPage() {
    if (!session.auth) return h("div", {}, heading("Access"), unverified());
    let account = "000000000000";
    const {node: self} = panel(async () => {
        const caller = await sts("GetCallerIdentity");
        account = caller.Account;
        const user = /:user\/(.*)$/.exec(caller.Arn)?.[1];
        return h("p", {}, "You are signed in as ", user ? h("a", {href: place(KINDS.user, user)}, h("code", {}, caller.Arn)) : h("code", {}, caller.Arn), ".");
    });
    return h("div", {}, heading("Access", h("a", {class: "button", href: "#/try"}, "Try a policy")), self,
        listSection(KINDS.user, () => askName("Create user", (UserName) => iam("CreateUser", {UserName}))), listSection(KINDS.role, () => createRole(account)));
}

// ---- policies of one ----

const CHANGED = "Somebody else has changed this policy since it was loaded. What is here would replace that.";

/** IAM has no revisions: what was loaded is compared with what is there, right before it is replaced. */
async function putPolicy(kind, key, document, loaded) {
    const there = await iam(`Get${kind.Word}Policy`, key).then((reply) => documentOf(reply.PolicyDocument), (error) => {
        if (error.type === "NoSuchEntity") return undefined;
        throw error;
    });
    if (there !== loaded && !await confirm("The policy has changed", there === undefined ? "Somebody else has deleted this policy since it was loaded." : loaded === undefined ? "There is a policy of this name already." : CHANGED, "Put mine in its place")) return false;
    await iam(`Put${kind.Word}Policy`, {...key, PolicyDocument: document});
    return true;
}

function editPolicy(kind, key, loaded) {
    return dialog(`Policy ${key.PolicyName}`, (close) => {
        const editor = policyEditor("Policy", loaded);
        const go = button("Save policy", () => busy(go, () => editor.attempt(async (document) => {
            if (await putPolicy(kind, key, document, loaded)) close(true);
        })), {class: "primary"});
        return h("div", {}, editor.node, h("div", {class: "actions"}, button("Cancel", () => close(false)), go));
    }, {class: "wide"});
}

function policiesSection(kind, name) {
    const owner = {[kind.name]: name};
    const {node, reload} = panel(async () => {
        const names = await allOf(`List${kind.Word}Policies`, owner, "PolicyNames");
        const open = (PolicyName) => busy(null, async () => {
            const key = {...owner, PolicyName}, {PolicyDocument: document} = await iam(`Get${kind.Word}Policy`, key);
            if (!await editPolicy(kind, key, documentOf(document))) return;
            toast("The policy is saved.");
            await reload();
        });
        const remove = (PolicyName) => busy(null, async () => {
            if (!await confirm(`Delete policy ${PolicyName}?`, `What only it allows, the ${kind.word} may not do any more.`, "Delete policy")) return;
            await iam(`Delete${kind.Word}Policy`, {...owner, PolicyName});
            toast("The policy is deleted.");
            await reload();
        });
        return table("Policies", [["Name", (one) => button(one, () => open(one), {class: "link"})],
            ["", (one) => h("span", {class: "actions"}, button("Delete", () => remove(one), {class: "small danger", "aria-label": `Delete policy ${one}`}))]], names, `The ${kind.word} has no policy, and may do nothing but what those of tables allow.`);
    });
    return section("Policies", node, button("Add policy", () => busy(null, async () => {
        const done = await askName("Add policy", async (PolicyName, document) => {
            if (!await putPolicy(kind, {...owner, PolicyName}, document, undefined)) throw new DOMException("kept", "AbortError");
        }, {label: "Policy", document: ALLOW});
        if (done) await reload();
    })));
}

// ---- one ----

function trustSection(name, document) {
    let loaded = document;
    const editor = policyEditor("Trust policy", loaded);
    const save = button("Save trust policy", () => busy(save, () => editor.attempt(async (text) => {
        const {Role: now} = await iam("GetRole", {RoleName: name}), there = documentOf(now.AssumeRolePolicyDocument);
        if (there !== loaded && !await confirm("The policy has changed", CHANGED, "Put mine in its place")) return;
        await iam("UpdateAssumeRolePolicy", {RoleName: name, PolicyDocument: text});
        loaded = text;
        toast("The trust policy is saved.");
    })), {class: "primary"});
    return section("Trust policy", h("p", {}, "Who may take the role."), editor.node, h("div", {class: "actions left"}, save));
}

/** What belongs to them has to go first. */
async function removePrincipal(kind, name) {
    const owner = {[kind.name]: name};
    for (const PolicyName of await allOf(`List${kind.Word}Policies`, owner, "PolicyNames")) await iam(`Delete${kind.Word}Policy`, {...owner, PolicyName});
    if (kind === KINDS.user) for (const {AccessKeyId} of await allOf("ListAccessKeys", owner, "AccessKeyMetadata")) await iam("DeleteAccessKey", {...owner, AccessKeyId});
    await iam(`Delete${kind.Word}`, owner);
}

function deleteSection(kind, name) {
    const what = kind === KINDS.user ? "Their keys and policies go with them: what is signed by those keys is refused from then on." : "Its policies go with it, and its sessions end.";
    return section("Delete", h("p", {}, what), button(`Delete ${kind.word}`, () => busy(null, async () => {
        if (!await confirmByName(`Delete ${kind.word} ${name}?`, name, what, `Delete ${kind.word}`)) return;
        await removePrincipal(kind, name);
        toast(`The ${kind.word} ${name} is deleted.`);
        location.hash = "#/access";
    }), {class: "danger"}));
}

function factsOf(kind, one) {
    const tags = listOf(one.Tags).map(({Key, Value}) => `${Key} = ${Value}`).join(", ");
    return section(`The ${kind.word}`, facts([["ARN", h("code", {}, one.Arn)], ["Id", one[`${kind.Word}Id`]], ["Made", when(one.CreateDate)], tags && ["Tags", tags],
        one.MaxSessionDuration && ["Sessions", `of ${one.MaxSessionDuration / 60} minutes at most`]]));
}

/** Who may not see what they are may still see their keys, and the other way round. */
export function principalPage(word, name) {
    const kind = KINDS[word];
    if (!session.auth) return h("div", {}, heading(name), unverified());
    const {node} = panel(async () => {
        let one, denied;
        try {
            ({[kind.Word]: one} = await iam(`Get${kind.Word}`, {[kind.name]: name}));
        } catch (error) {
            if (error.type !== "AccessDenied") throw error;
            denied = error;
        }
        const trust = one?.AssumeRolePolicyDocument;
        return h("div", {}, denied ? problem(denied) : factsOf(kind, one), kind === KINDS.user ? keysSection(name) : trust ? trustSection(name, documentOf(trust)) : null, policiesSection(kind, name), deleteSection(kind, name));
    });
    return h("div", {}, heading(name, h("a", {class: "button", href: `#/try/${encodeURIComponent(`${kind.word}/${name}`)}`}, "Try what they may do")), node);
}
