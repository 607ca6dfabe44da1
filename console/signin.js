// signin.js - an access key, kept in this page's memory until it is closed or reloaded; or, where keys have tables of their own, whose are shown, which is
// part of the address.

import {dynamodb, session} from "./api.js";
import {h, replace} from "./dom.js";
import {canSign} from "./sign.js";
import {busy, field, problem, text} from "./ui.js";

/** Where each access key has its own tables in each region. */
export function whosePage() {
    const key = text(session.key ?? "", {required: true, pattern: "[!-.0-~]{1,128}", title: "1 to 128 characters, without spaces and slashes"});
    const region = text(session.region, {required: true, pattern: "[a-z0-9\\-]{1,64}", title: "small letters, digits and dashes"});
    return h("form", {class: "narrow", on: {submit: (event) => {
        event.preventDefault();
        location.search = new URLSearchParams({key: key.value, region: region.value});
    }}}, h("h1", {}, "Whose tables?"), h("p", {}, "On this server each access key has tables of its own in each region. Give those that your program signs with; no secret is needed."),
    field("Access key id", key), field("Region", region), h("div", {class: "actions left"}, h("button", {type: "submit", class: "primary"}, "Show")));
}

export function signInPage(reason, done) {
    const id = text("", {required: true, autocomplete: "username"}), secret = h("input", {type: "password", required: true, autocomplete: "current-password"});
    const token = text("", {placeholder: "only with a session"}), trouble = h("div", {role: "alert"}, reason ? problem(reason) : null);
    const go = h("button", {type: "submit", class: "primary"}, "Sign in");
    if (!canSign()) {
        return h("div", {class: "narrow"}, h("h1", {}, "Sign in"), h("p", {class: "trouble"},
            "The browser signs requests only for pages that came encrypted, or from this machine. Open this page by https:// or at http://localhost."));
    }
    return h("form", {class: "narrow", on: {submit: (event) => {
        event.preventDefault();
        busy(go, async () => {
            session.credentials = {id: id.value.trim(), secret: secret.value.trim(), token: token.value.trim() || undefined};
            try {
                await dynamodb("ListTables", {Limit: 1});
                done();
            } catch (error) {
                if (error.type === "AccessDeniedException") done(); // known, and may do other things
                else {
                    session.credentials = null;
                    replace(trouble, problem(error));
                }
            }
        });
    }}}, h("h1", {}, "Sign in"), h("p", {}, "This server verifies signatures. You see what the owner of the key may see; the key stays in this page."),
    field("Access key id", id), field("Secret access key", secret), field("Session token", token), trouble, h("div", {class: "actions left"}, go));
}
