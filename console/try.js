// try.js - "may they do this?": asked of the server as IAM's simulator is, with the statements that decide.

import {all, dynamodb, session} from "./api.js";
import {h, icon, ICONS, replace, unique} from "./dom.js";
import {unverified} from "./identity.js";
import {policyEditor} from "./policy_editor.js";
import {allOf, documentOf, iam, listOf} from "./query.js";
import {badge, busy, checkbox, field, heading, iconButton, panel, problem, section, select, text} from "./ui.js";
import {ValueError} from "./value.js";

const DECISIONS = {allowed: ["allowed", "good"], explicitDeny: ["denied", "bad"], implicitDeny: ["not allowed", "bad"]};
const KEY_TYPES = ["string", "stringList", "numeric", "boolean", "ip", "date"];

const words = (input) => input.value.split(/[\s,]+/).filter((word) => word !== "");

/** Users and roles by their ARNs; a text where they may not be listed. */
async function whoInput(start) {
    try {
        const [users, roles] = await Promise.all([allOf("ListUsers", {}, "Users"), allOf("ListRoles", {}, "Roles")]);
        const list = [...users.map((one) => [one.Arn, `User ${one.UserName}`]), ...roles.map((one) => [one.Arn, `Role ${one.RoleName}`])];
        return select(list, list.find(([arn]) => arn.endsWith(`:${start}`))?.[0] ?? list[0]?.[0] ?? "");
    } catch (error) {
        if (error.type !== "AccessDenied") throw error;
        return text("", {placeholder: "arn:aws:iam::…:user/name"});
    }
}

function suggested(input, values) {
    const list = h("datalist", {id: unique("l")}, values.map((value) => h("option", {value})));
    input.setAttribute("list", list.id);
    return [input, list];
}

/** Values that the request would have: rows of key, type and values. */
function contextForm() {
    const rows = h("div", {});
    let entries = [];
    const add = () => {
        const name = text("", {"aria-label": "Condition key", placeholder: "aws:SourceIp"}), type = select(KEY_TYPES.map((one) => [one, one]), "string", () => {}, {"aria-label": "Type of the key"});
        const values = text("", {"aria-label": "Values of the key", placeholder: "values, with commas between them"});
        const entry = {read: () => ({ContextKeyName: name.value, ContextKeyType: type.value, ContextKeyValues: words(values)}), isEmpty: () => name.value === ""};
        const row = h("div", {class: "condition"}, name, type, values, iconButton("remove", "Remove this key", () => {
            entries = entries.filter((other) => other !== entry);
            row.remove();
        }));
        entries.push(entry);
        rows.append(row);
        name.focus();
    };
    return {node: h("div", {}, rows, h("button", {type: "button", class: "small", on: {click: add}}, icon(ICONS.add), " Condition key")),
        read: () => entries.filter((entry) => !entry.isEmpty()).map((entry) => entry.read())};
}

// ---- the answer ----

/** The document of a policy that the answer names; undefined: it is not known, or may not be seen. */
async function sourceOf({SourcePolicyId: id}, asked) {
    const input = /^PolicyInputList\.(\d+)$/.exec(id);
    if (input) return asked.PolicyInputList[input[1] - 1];
    if (id === "ResourcePolicy") return asked.ResourcePolicy;
    const [, kind, name] = /:(user|role)\/(.*)$/.exec(asked.PolicySourceArn) ?? [], Word = kind === "user" ? "User" : "Role";
    const policy = id.replace(`${kind}_${name}_`, "");
    try {
        return documentOf((await iam(`Get${Word}Policy`, {[`${Word}Name`]: name, PolicyName: policy})).PolicyDocument);
    } catch {
        return undefined;
    }
}

/** What stands between two positions of a document, the second one behind it; without the indent of its last line. */
function excerpt(document, start, end) {
    if (document === undefined || !start || !end) return null;
    const lines = document.split("\n").slice(Number(start.Line) - 1, Number(end.Line));
    lines.push(lines.pop()?.slice(0, Number(end.Column) - 1) ?? "");
    lines[0] = lines[0].slice(Number(start.Column) - 1);
    const indent = lines.length > 1 ? /^\s*/.exec(lines.at(-1))[0] : "";
    return h("pre", {class: "code", tabindex: "0", "aria-label": "The statement"}, lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join("\n"));
}

async function reasonOf(result, asked) {
    const matched = listOf(result.MatchedStatements), missing = listOf(result.MissingContextValues);
    const statements = await Promise.all(matched.map(async (one) => h("div", {}, h("p", {}, `${result.EvalDecision === "explicitDeny" ? "Denied" : "Allowed"} by a statement of `, h("code", {}, one.SourcePolicyId), ":"),
        excerpt(await sourceOf(one, asked), one.StartPosition, one.EndPosition))));
    return [result.EvalDecision === "implicitDeny" && matched.length === 0 ? h("p", {}, "No statement allows it.") : null, statements,
        result.PermissionsBoundaryDecisionDetail?.AllowedByPermissionsBoundary === "false" ? h("p", {}, "Their permissions boundary does not allow it.") : null,
        missing.length > 0 ? h("p", {}, "Policies look at what was not given here: ", missing.map((key) => [h("code", {}, key), " "])) : null];
}

async function answer(asked) {
    const results = await allOf("SimulatePrincipalPolicy", asked, "EvaluationResults");
    return h("ol", {class: "records", "aria-label": "Decisions"}, await Promise.all(results.map(async (result) => h("li", {class: "record"},
        h("div", {class: "record-head"}, badge(...DECISIONS[result.EvalDecision]), h("strong", {}, result.EvalActionName), h("code", {}, result.EvalResourceName)), await reasonOf(result, asked)))));
}

/** The policy of a table or stream counts with those of the caller. */
async function resourcePolicyOf(arn) {
    try {
        return (await dynamodb("GetResourcePolicy", {ResourceArn: arn})).Policy;
    } catch (error) {
        if (["PolicyNotFoundException", "ResourceNotFoundException", "ValidationException"].includes(error.type)) return undefined;
        throw error;
    }
}

function tryForm(who, tables) {
    const actions = text("dynamodb:GetItem", {required: true}), context = contextForm(), more = policyEditor("One more policy"), output = h("div", {class: "results", "aria-live": "polite"});
    const [resource, known] = suggested(text(tables[0] ?? "*", {required: true}), ["*", ...tables]), own = checkbox("With the policy of the table or stream itself", true);
    const go = h("button", {type: "submit", class: "primary"}, "Try");
    const ask = async (extra) => {
        if (words(actions).length === 0) throw new ValueError("an action is missing");
        const policy = own.input.checked && resource.value !== "*" ? await resourcePolicyOf(resource.value) : undefined;
        const asked = {PolicySourceArn: who.value, ActionNames: words(actions), ResourceArns: [resource.value], ContextEntries: context.read(), ...(extra && {PolicyInputList: [extra]}),
            ...(policy && {ResourcePolicy: policy})};
        replace(output, await answer(asked));
    };
    return h("form", {on: {submit: (event) => {
        event.preventDefault();
        replace(output);
        busy(go, () => (more.isEmpty() ? ask().catch((error) => replace(output, problem(error))) : more.attempt(ask)));
    }}}, section("May they do this?", field("Who", who), field("Actions", actions, "several with commas between them"), field("On", resource, "the ARN of a table, an index or a stream, or *"), known, own,
        h("details", {}, h("summary", {}, "More: condition keys, one more policy"), context.node, h("p", {class: "help"}, "A policy that they do not have, to see what it would change:"), more.node),
        h("div", {class: "actions left"}, go)), output);
}

export function tryPage(start) {
    if (!session.auth) return h("div", {}, heading("Try a policy"), unverified());
    const {node} = panel(async () => {
        const names = await all("dynamodb", "ListTables", {}, "TableNames", ["LastEvaluatedTableName", "ExclusiveStartTableName"]).catch(() => []);
        const {Table: first} = names.length > 0 ? await dynamodb("DescribeTable", {TableName: names[0]}).catch(() => ({})) : {};
        const prefix = first?.TableArn.replace(/[^/]*$/, "");
        return tryForm(await whoInput(start), prefix ? names.map((name) => prefix + name) : []);
    });
    return h("div", {}, heading("Try a policy"), node);
}
