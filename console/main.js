// main.js - the frame around all pages: which one is shown, the list of tables, light and dark.

import {alarmPage, alarmsPage} from "./alarms.js";
import {learnServer, onSignedOut, session} from "./api.js";
import {h, icon, ICONS, replace} from "./dom.js";
import {identityPage, principalPage} from "./identity.js";
import {overviewPage} from "./metrics.js";
import {partiqlPage} from "./partiql.js";
import {signInPage, whosePage} from "./signin.js";
import {tablePage} from "./table.js";
import {createPage, tableNames, tablesPage} from "./tables.js";
import {tryPage} from "./try.js";
import {button, problem} from "./ui.js";

const main = document.getElementById("main"), side = document.getElementById("side"), head = document.getElementById("top");
let leave = new AbortController();

const PLACES = [["tables", "Tables"], ["partiql", "PartiQL"], ["metrics", "Metrics"], ["alarms", "Alarms"], ["access", "Access"]];

function pageOf([place = "tables", ...rest], signal) {
    switch (place) {
    case "table": return [rest[0], tablePage(rest[0], rest[1], signal)];
    case "create": return ["Create table", createPage(signal, (name) => {
        location.hash = `#/table/${encodeURIComponent(name)}/overview`;
    })];
    case "partiql": return ["PartiQL", partiqlPage(signal)];
    case "metrics": return ["Metrics", overviewPage(signal)];
    case "alarms": return ["Alarms", alarmsPage(signal)];
    case "access": return ["Access", identityPage()];
    case "user": case "role": return [rest[0], principalPage(place, rest[0])];
    case "try": return ["Try a policy", tryPage(rest[0])];
    case "alarm": return [rest[0], alarmPage(rest[0], signal)];
    default: return ["Tables", tablesPage(signal)];
    }
}

function pathNow() {
    return location.hash.replace(/^#\/?/, "").split("/").filter((part) => part !== "").map((part) => {
        try {
            return decodeURIComponent(part);
        } catch {
            return part;
        }
    });
}

// ---- light and dark ----

const THEMES = ["auto", "light", "dark"];

function theme() {
    try {
        return localStorage.getItem("gramme-theme") ?? "auto";
    } catch {
        return "auto";
    }
}

function applyTheme() {
    document.documentElement.dataset.theme = theme();
}

function nextTheme() {
    const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
    try {
        localStorage.setItem("gramme-theme", next);
    } catch {
        document.documentElement.dataset.theme = next;
        return;
    }
    applyTheme();
    showHead();
}

// ---- the frame ----

function showHead() {
    const place = pathNow()[0] ?? "tables", current = {table: "tables", create: "tables", alarm: "alarms", user: "access", role: "access", try: "access"}[place] ?? place;
    replace(head, h("a", {class: "brand", href: "#/tables"}, h("img", {src: "console/icon.svg", alt: "", width: 24, height: 24}), "gramme"),
        h("nav", {"aria-label": "Main"}, PLACES.map(([key, name]) => h("a", {href: `#/${key}`, "aria-current": key === current ? "page" : null}, name))),
        session.nameSpaces && session.key ? h("a", {class: "where", href: location.pathname, title: "Show the tables of another access key"}, `${session.key}, ${session.region}`) :
            h("span", {class: "where"}, session.region),
        h("button", {type: "button", class: "plain", title: `Colours: ${theme()}`, "aria-label": `Colours: ${theme()}. Change`, on: {click: nextTheme}}, icon(ICONS.sun)),
        session.auth && session.credentials ? button("Sign out", signOut) : null);
}

async function showSide() {
    let names;
    try {
        names = await tableNames();
    } catch {
        replace(side);
        return;
    }
    const current = pathNow()[0] === "table" ? pathNow()[1] : undefined, filter = h("input", {type: "search", placeholder: "Find a table", "aria-label": "Find a table in the list"});
    const list = h("ul", {});
    const show = () => replace(list, names.filter((name) => name.toLowerCase().includes(filter.value.toLowerCase())).slice(0, 300).map((name) => h("li", {},
        h("a", {href: `#/table/${encodeURIComponent(name)}/items`, "aria-current": name === current ? "page" : null, title: name}, name))));
    filter.addEventListener("input", show);
    show();
    replace(side, h("div", {class: "side-head"}, h("h2", {}, "Tables"), h("a", {class: "button small", href: "#/create"}, icon(ICONS.add), " New")),
        names.length > 8 ? filter : null, list, names.length === 0 ? h("p", {class: "quiet"}, "none yet") : null);
}

function show() {
    leave.abort();
    leave = new AbortController();
    document.querySelectorAll("dialog").forEach((dialog) => dialog.close());
    showHead();
    if (session.auth && !session.credentials) {
        replace(side);
        replace(main, signInPage(undefined, show));
        document.title = "Sign in – gramme";
        return;
    }
    if (session.nameSpaces && !session.key) {
        replace(side);
        replace(main, whosePage());
        document.title = "Whose tables? – gramme";
        return;
    }
    showSide();
    const [title, page] = pageOf(pathNow(), leave.signal);
    document.title = `${title} – gramme`;
    replace(main, page);
}

function signOut() {
    session.credentials = null;
    show();
}

onSignedOut((error) => {
    if (session.credentials === null || main.querySelector("input[type=password]")) return;
    session.credentials = null;
    leave.abort();
    showHead();
    replace(side);
    replace(main, signInPage(error, show));
});

applyTheme();
addEventListener("hashchange", () => {
    show();
    main.focus({preventScroll: true});
    scrollTo(0, 0);
});
try {
    await learnServer();
    show();
} catch {
    replace(main, problem({type: "No answer", message: "The server does not answer. Is it running?"}, () => location.reload()));
}
