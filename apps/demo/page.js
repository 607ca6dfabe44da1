// Fills the page: asks /state every second, and shows what has changed. Whatever the services say becomes text, never markup.
"use strict";

const KEPT = 60; // seconds of a curve
const EVENTS = { "payment-saga": 10, "ledger": 8, "stock-cache": 10, "exchange-rates": 9, "lunch-cache": 7 };
const SVG = "http://www.w3.org/2000/svg";
const timings = {}; // by system: how long requests took, at the last looks of this page

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const money = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

const find = (id, selector) => document.querySelector(`#${id}${selector ? " " + selector : ""}`);

function make(tag, name, text) {
    const node = document.createElement(tag);
    if (name) node.className = name;
    if (text !== undefined) node.textContent = text;
    return node;
}

// ---- metrics, in the text form of Prometheus ----

function samples(text) {
    const found = [];
    for (const line of (text || "").split("\n")) {
        const match = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line);
        if (match) found.push({ name: match[1], labels: match[2] || "", value: Number(match[3]) });
    }
    return found;
}

const label = (sample, name) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(sample.labels)?.[1];

function sum(all, name, wanted = () => true) {
    let total = 0;
    for (const sample of all) if (sample.name === name && wanted(sample)) total += sample.value;
    return total;
}

function buckets(all, name) {
    const counts = new Map();
    for (const sample of all)
        if (sample.name === `${name}_bucket`) {
            const bound = Number(label(sample, "le").replace("+Inf", "Infinity"));
            counts.set(bound, (counts.get(bound) || 0) + sample.value);
        }
    return counts;
}

// The time that half of the requests between two looks have taken at most, in words.
function median(before, after) {
    const bounds = [...after.keys()].sort((a, b) => a - b);
    const count = (bound) => after.get(bound) - (before.get(bound) || 0);
    const half = bounds.length ? count(bounds.at(-1)) / 2 : 0;
    if (half === 0) return "–";
    let low = 0, below = 0;
    for (const bound of bounds) {
        if (count(bound) >= half) {
            const share = count(bound) > below ? (half - below) / (count(bound) - below) : 1;
            const ms = (bound === Infinity ? low : low + (bound - low) * share) * 1000;
            return ms < 1 ? `${(ms * 1000).toFixed(0)} µs` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
        }
        low = bound;
        below = count(bound);
    }
    return "–";
}

// Requests a second between the looks that the server took.
const perSecond = (looks) => looks.slice(1).map(([time, requests], i) =>
    Math.max(0, (requests - looks[i][1]) / Math.max(0.2, (time - looks[i][0]) / 1000)));

// ---- parts of the page ----

function showPulse(system, rates, typical) {
    const place = find(system, ".pulse");
    if (!place.firstChild) {
        const picture = document.createElementNS(SVG, "svg");
        picture.setAttribute("viewBox", "0 0 600 100");
        picture.setAttribute("preserveAspectRatio", "none");
        picture.setAttribute("aria-hidden", "true");
        for (const name of ["area", "curve"]) {
            const path = document.createElementNS(SVG, "path");
            path.setAttribute("class", name);
            picture.append(path);
        }
        const line = make("p");
        line.append(make("strong"), make("span"));
        place.append(picture, line);
    }
    const [area, curve] = place.querySelectorAll("path");
    const smooth = rates.map((_, i) => { const part = rates.slice(Math.max(0, i - 2), i + 1); return part.reduce((a, b) => a + b, 0) / part.length; });
    const top = Math.max(1, ...smooth) * 1.15;
    const points = smooth.map((rate, i) => `${(600 - (smooth.length - 1 - i) * (600 / (KEPT - 1))).toFixed(1)} ${(100 - (rate / top) * 100).toFixed(1)}`);
    if (points.length > 1) {
        curve.setAttribute("d", `M${points.join("L")}`);
        area.setAttribute("d", `M${points[0].split(" ")[0]} 100L${points.join("L")}L600 100Z`);
    }
    const [number, unit] = place.querySelectorAll("strong, span");
    number.textContent = rates.length ? whole.format(smooth.at(-1)) : "–";
    unit.textContent = ` requests a second, half of them within ${typical}`;
}

function showFigures(system, figures) {
    const place = find(system, ".figures");
    while (place.children.length < figures.length) {
        const group = make("div");
        group.append(make("dt"), make("dd"));
        place.append(group);
    }
    figures.forEach(([name, value, tone], i) => {
        const group = place.children[i];
        group.className = tone || "";
        group.firstChild.textContent = name;
        group.lastChild.textContent = value;
    });
}

// Rows of cells: a text, or [text, class]. The first one is the head of its row.
function showTable(id, rows) {
    const body = find(id, "tbody");
    while (body.children.length > rows.length) body.lastChild.remove();
    rows.forEach((cells, at) => {
        const row = body.children[at] || body.appendChild(make("tr"));
        cells.forEach((cell, i) => {
            const [text, name] = Array.isArray(cell) ? cell : [cell, ""];
            const node = row.children[i] || row.appendChild(make(i === 0 ? "th" : "td"));
            if (i === 0) node.scope = "row";
            node.className = name;
            if (node.textContent !== text) node.textContent = text;
        });
    });
}

function showEvents(system, events) {
    const place = find(system, ".events");
    if (!place) return;
    const seen = Number(place.dataset.seen || 0);
    const nodes = events.slice(0, EVENTS[system]).map((event) => {
        const item = make("li", event.number > seen && seen > 0 ? "new" : "");
        const time = make("time", "", clock.format(event.time));
        time.dateTime = new Date(event.time).toISOString();
        const what = make("span", "what", event.what), outcome = make("span", `outcome ${event.tone}`, event.outcome);
        what.title = event.what;
        outcome.title = event.outcome;
        item.append(time, what, outcome);
        return item;
    });
    if (events.length && events[0].number !== seen) {
        place.replaceChildren(...nodes);
        place.dataset.seen = events[0].number;
    }
}

function showUp(system, isUp) {
    const title = find(system, "h2");
    const word = title.querySelector(".up") || title.appendChild(make("span", "up"));
    word.textContent = isUp ? "● up" : "○ no answer";
    word.classList.toggle("down", !isUp);
}

function showLinks(system, address) {
    const place = find(system, ".links");
    if (place.firstChild) return;
    const own = (path) => `systems/${system}/${path}`, first = system === "gramme" ? ["Console", `${address}/_gramme/`] : ["OpenAPI", own("openapi.json")];
    for (const [text, target] of [first, ["README", own("readme")], ["Metrics", own("metrics")]]) {
        const link = make("a", "", text);
        link.href = target;
        link.setAttribute("aria-label", `${text} of ${system}`);
        place.append(link);
    }
    place.append(make("code", "", address));
}

// ---- each of them ----

// What all of them have; gives the samples, to read more of.
function showCommon(system, state) {
    const all = samples(state.metrics);
    const own = `gramme_${system.replace("-", "_")}`;
    const counter = system === "gramme" ? "gramme_requests_total" : `${own}_requests_total`;
    const times = buckets(all, system === "gramme" ? "gramme_request_duration_seconds" : `${own}_request_duration_seconds`);
    showUp(system, state.metrics !== null);
    showLinks(system, state.address);
    showEvents(system, state.events);
    if (state.metrics === null) return null;
    const looks = (timings[system] = [...(timings[system] || []), times].slice(-30));
    showPulse(system, perSecond(state.past), median(looks.length > 1 ? looks[0] : new Map(), times));
    return { all, own: (name) => sum(all, `${own}_${name}`), requests: sum(all, counter) };
}

function showGramme(state) {
    const told = showCommon("gramme", state);
    if (!told) return;
    const items = sum(told.all, "gramme_table_items", (sample) => !label(sample, "index"));
    showFigures("gramme", [
        ["requests", short.format(told.requests)],
        ["tables", whole.format(sum(told.all, "gramme_tables"))],
        ["items", whole.format(items)],
        ["memory", `${whole.format(sum(told.all, "process_resident_memory_bytes") / 2 ** 20)} MB`],
    ]);
}

function showBreaker(breaker, fails) {
    const state = breaker ? breaker.state : "…", place = find("breaker"), open = state === "OPEN";
    place.className = `breaker ${open ? "open" : state === "HALF_OPEN" ? "trial" : ""}`;
    find("breaker-state").textContent = state;
    find("breaker-why").textContent = open ? `no calls until ${clock.format(breaker.resetTime * 1000)}; payments are refunded at once`
        : state === "HALF_OPEN" ? "one call at a time is let through to see"
            : fails ? `the gateway is out of order; ${breaker?.failureCount || 0} failures so far` : "calls go through";
    const button = find("outage");
    button.setAttribute("aria-disabled", String(fails || open));
    button.textContent = fails ? "The gateway fails now" : open ? "Wait for the breaker to close" : "Let the gateway fail for 8 seconds";
}

function showPayments(state, fails) {
    const told = showCommon("payment-saga", state);
    showBreaker(state.breaker, fails);
    showTable("wallets", ["anna", "ben", "clara"].filter((user) => state[user]).map((user) => {
        const checked = state[`${user}Checked`];
        return [user, [`${money.format(state[user].balance)} ${state[user].currency}`, "number"],
            checked ? [checked.right ? "✓ the same" : "✕ another sum", `tone ${checked.right ? "good" : "bad"}`] : ["…", "plain"]];
    }));
    if (!told) return;
    const pending = state.pending ? state.pending.payments.length : 0;
    showFigures("payment-saga", [
        ["paid", whole.format(told.own("payments_success_total")), "good"],
        ["failed", whole.format(told.own("payments_failed_total")), "bad"],
        ["pending", whole.format(pending), pending ? "waiting" : ""],
        ["resumed", whole.format(told.own("payments_resumed_total"))],
    ]);
}

function showLedger(state) {
    const told = showCommon("ledger", state), found = state.reconciliation, verdict = find("reconciliation");
    const accounts = [state.people, state.shops, state.system].flatMap((part) => (part ? part.accounts : []));
    showTable("accounts", accounts.map((account) => [account.ID, [`${money.format(account.Balance)} ${account.Currency}`, "number"],
        [account.Status, account.Status === "active" ? "plain" : "waiting"]]));
    verdict.textContent = !found ? "Not reconciled yet"
        : found.problems === 0 ? `✓ Reconciled: ${whole.format(found.transactions)} transactions of the last five minutes, all ${found.accounts} accounts, no problem`
            : `✕ ${found.problems} problems: ${found.findings.slice(0, 2).join("; ")}`;
    verdict.classList.toggle("bad", Boolean(found && found.problems));
    if (!told) return;
    const posted = (status) => sum(told.all, "gramme_ledger_requests_total",
        (sample) => label(sample, "method") === "POST" && label(sample, "status") === status && !sample.labels.includes("/reconciliations"));
    showFigures("ledger", [
        ["postings made", whole.format(posted("2xx")), "good"],
        ["refused", whole.format(posted("4xx")), "bad"],
        ["last 5 minutes", found ? whole.format(found.transactions) : "–"],
    ]);
}

function showQuotes(state) {
    const told = showCommon("stock-cache", state);
    showTable("quotes", (state.quotes ? state.quotes.quotes : []).map((entry) => {
        if (!entry.quote) return [entry.symbol, ["–", "number"], ["–", "number"], [entry.error || "", "bad"]];
        const change = (entry.quote.price / entry.quote.open - 1) * 100;
        return [entry.symbol, [money.format(entry.quote.price), "number"],
            [`${change < 0 ? "▼ −" : "▲ +"}${Math.abs(change).toFixed(2)} %`, `number ${change < 0 ? "bad" : "good"}`],
            [`${entry.ageSeconds} s${entry.outcome === "stale" ? ", stale" : ""}`, `tone ${entry.outcome === "stale" ? "waiting" : "plain"}`]];
    }));
    if (!told) return;
    const hits = told.own("hits_total"), misses = told.own("misses_total"), all = hits + misses + told.own("stale_total");
    showFigures("stock-cache", [
        ["cached", all ? `${whole.format((hits / all) * 100)} %` : "–", "good"],
        ["source asked", whole.format(told.own("source_requests_total"))],
        ["it failed", whole.format(told.own("source_failures_total")), "bad"],
    ]);
}

function showRates(state) {
    const told = showCommon("exchange-rates", state);
    showTable("rates", (state.rates ? state.rates.rates : []).map((rate) => [rate.target, [rate.rateText, "number"],
        [rate.stale ? "marked stale" : "fresh", `tone ${rate.stale ? "waiting" : "plain"}`]]));
    if (!told) return;
    const wrong = sum(told.all, "gramme_exchange_rates_requests_total", (sample) => label(sample, "status") === "4xx");
    showFigures("exchange-rates", [
        ["answered", whole.format(told.requests - wrong), "good"],
        ["no such rate", whole.format(wrong), "bad"],
        ["rates saved", whole.format(told.own("rates_saved_total"))],
    ]);
}

function showMenus(state) {
    const told = showCommon("lunch-cache", state);
    showTable("menus", (state.stats ? state.stats.restaurants : []).map((entry) => [entry.restaurant, [whole.format(entry.menus), "number"],
        [whole.format(entry.lunches), "number"], [whole.format(entry.errors), `number ${entry.errors ? "waiting" : ""}`]]));
    if (!told) return;
    const hits = told.own("cache_hits_total"), all = hits + told.own("cache_misses_total");
    showFigures("lunch-cache", [
        ["from memory", all ? `${whole.format((hits / all) * 100)} %` : "–", "good"],
        ["menus read", whole.format(all)],
        ["menus stored", whole.format(told.own("menus_stored_total"))],
    ]);
}

// ---- again and again ----

function show(state) {
    showGramme(state.systems["gramme"]);
    showPayments(state.systems["payment-saga"], state.gatewayFails);
    showLedger(state.systems["ledger"]);
    showQuotes(state.systems["stock-cache"]);
    showRates(state.systems["exchange-rates"]);
    showMenus(state.systems["lunch-cache"]);
}

async function look() {
    const lost = find("lost"), state = await fetch("state", { cache: "no-store" }).then((reply) => reply.json()).catch(() => null);
    setTimeout(look, 1000);
    lost.hidden = state !== null;
    lost.textContent = state ? "" : "The demonstration does not answer any more. It was stopped, or has lost one of its parts: its terminal tells which.";
    if (state) show(state);
    else for (const section of document.querySelectorAll("main section")) showUp(section.id, false);
}

find("outage").addEventListener("click", async (event) => {
    if (event.currentTarget.getAttribute("aria-disabled") === "true") return;
    await fetch("outages", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ seconds: 8 }) });
});
look();
