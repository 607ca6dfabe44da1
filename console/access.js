// access.js - the policy of a table: who may do what with it.

import {dynamodb} from "./api.js";
import {h} from "./dom.js";
import {busy, button, confirm, panel, section, toast} from "./ui.js";

function example(arn) {
    const account = arn.split(":")[4];
    return {Version: "2012-10-17", Statement: [{Sid: "Readers", Effect: "Allow", Principal: {AWS: `arn:aws:iam::${account}:root`},
        Action: ["dynamodb:GetItem", "dynamodb:Query"], Resource: arn}]};
}

async function read(arn) {
    try {
        return await dynamodb("GetResourcePolicy", {ResourceArn: arn});
    } catch (error) {
        if (error.type === "PolicyNotFoundException") return {};
        throw error;
    }
}

export function policyTab({raw}) {
    const arn = raw.TableArn;
    const {node, reload} = panel(async () => {
        const {Policy: policy, RevisionId: revision} = await read(arn);
        const shown = policy === undefined ? "" : JSON.stringify(JSON.parse(policy), null, 2);
        const input = h("textarea", {class: "json", rows: 18, value: shown, spellcheck: "false", "aria-label": "Policy of the table"});
        const save = button("Save policy", () => busy(save, async () => {
            JSON.parse(input.value);
            await dynamodb("PutResourcePolicy", {ResourceArn: arn, Policy: input.value, ExpectedRevisionId: revision ?? "NO_POLICY"});
            toast("The policy is saved.");
            await reload();
        }), {class: "primary"});
        return h("div", {}, policy === undefined ? h("p", {class: "quiet"}, "The table has no policy of its own.") : null, input, h("div", {class: "actions left"}, save,
            policy === undefined ? button("Begin with an example", () => {
                input.value = JSON.stringify(example(arn), null, 2);
            }) : button("Delete policy", () => busy(null, async () => {
                if (!await confirm("Delete the policy?", "Only the policies of users and roles count from then on.", "Delete policy")) return;
                await dynamodb("DeleteResourcePolicy", {ResourceArn: arn, ExpectedRevisionId: revision});
                await reload();
            }), {class: "danger"})));
    });
    return section("Policy of the table", node);
}
