// access.js - the policies of a table and of its stream: who may do what with them.

import {dynamodb, session} from "./api.js";
import {h} from "./dom.js";
import {policyEditor, pretty} from "./policy_editor.js";
import {busy, button, confirm, dialog, panel, section, toast} from "./ui.js";

function example(arn, actions) {
    const account = arn.split(":")[4];
    return JSON.stringify({Version: "2012-10-17", Statement: [{Sid: "Readers", Effect: "Allow", Principal: {AWS: `arn:aws:iam::${account}:root`}, Action: actions, Resource: arn}]});
}

async function read(arn) {
    try {
        return await dynamodb("GetResourcePolicy", {ResourceArn: arn});
    } catch (error) {
        if (error.type === "PolicyNotFoundException") return {};
        throw error;
    }
}

/** What is done when somebody else was faster: "mine", "theirs" or undefined. */
function askAboutConflict({Policy: theirs}) {
    return dialog("The policy has changed since it was loaded", (close) => h("div", {}, h("p", {}, theirs === undefined ? "Nothing was written. Meanwhile somebody has deleted the policy." : "Nothing was written. Meanwhile somebody has made it this one:"),
        theirs === undefined ? null : h("pre", {class: "code", tabindex: "0", "aria-label": "The policy that is there now"}, pretty(theirs)), h("div", {class: "actions"}, button("Back to my changes", () => close()),
            button("Take the new one, drop my changes", () => close("theirs")), button("Put mine in its place", () => close("mine"), {class: "danger"}))), {class: "wide"});
}

/** Puts it on the condition that nobody has changed it meanwhile, and asks before somebody locks themselves out. Returns "saved", or the answer. */
async function put(arn, policy, revision, more = {}) {
    try {
        await dynamodb("PutResourcePolicy", {ResourceArn: arn, Policy: policy, ExpectedRevisionId: revision ?? "NO_POLICY", ...more});
        return "saved";
    } catch (error) {
        if (error.type === "PolicyNotFoundException") {
            const now = await read(arn), answer = await askAboutConflict(now);
            return answer === "mine" ? put(arn, policy, now.RevisionId, more) : answer;
        }
        if (!/will not allow you to update the resource policy/.test(error.message)) throw error;
        return await confirm("Lock yourself out?", "With this policy you could not change it again.", "Lock me out") && put(arn, policy, revision, {ConfirmRemoveSelfResourceAccess: true});
    }
}

/** of: "table" or "stream". */
function resourcePolicy(of, arn, actions) {
    const {node, reload} = panel(async () => {
        const {Policy: policy, RevisionId: revision} = await read(arn), there = policy !== undefined;
        const editor = policyEditor(`Policy of the ${of}`, policy);
        const save = button("Save policy", () => busy(save, () => editor.attempt(async (text) => {
            const done = await put(arn, text, revision);
            if (done === "saved") toast("The policy is saved.");
            if (done) await reload();
        })), {class: "primary"});
        const remove = button("Delete policy", () => busy(remove, async () => {
            if (!await confirm("Delete the policy?", "Only the policies of users and roles count from then on.", "Delete policy")) return;
            await dynamodb("DeleteResourcePolicy", {ResourceArn: arn, ExpectedRevisionId: revision});
            toast("The policy is deleted.");
            await reload();
        }), {class: "danger"});
        return h("div", {}, there ? null : h("p", {class: "quiet"}, `The ${of} has no policy of its own.`), editor.node, h("div", {class: "actions left"}, save,
            there ? remove : button("Begin with an example", () => editor.set(example(arn, actions)))), there ? h("p", {class: "quiet"}, `Revision ${revision}`) : null);
    });
    return section(`Policy of the ${of}`, node);
}

export function policyTab({name, raw}) {
    return h("div", {}, session.auth ? null : h("p", {class: "quiet"}, "This server does not verify signatures, so that policies are kept and refuse nobody. With --auth they count."),
        resourcePolicy("table", raw.TableArn, ["dynamodb:GetItem", "dynamodb:Query"]),
        raw.LatestStreamArn ? resourcePolicy("stream", raw.LatestStreamArn, ["dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:DescribeStream"])
            : h("p", {class: "quiet"}, "The table has no stream, so there is no policy of one. Streams are turned on under ", h("a", {href: `#/table/${encodeURIComponent(name)}/settings`}, "Additional settings"), "."));
}
