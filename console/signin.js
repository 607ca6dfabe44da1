// signin.js - an access key, kept in this page's memory until it is closed or reloaded.

import {dynamodb, session} from "./api.js";
import {h, replace} from "./dom.js";
import {canSign} from "./sign.js";
import {busy, field, problem, text} from "./ui.js";

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
