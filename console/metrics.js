// metrics.js - how a table, and the server, is doing: from the metrics that the server publishes.

import {all, cloudwatch, newest, repeat} from "./api.js";
import {chart, short} from "./charts.js";
import {h, replace} from "./dom.js";
import {tableNames} from "./tables.js";
import {badge, busy, bytes, count, duration, facts, field, heading, problem, section, select} from "./ui.js";

const RANGES = [["1", "Last hour"], ["3", "3 hours"], ["12", "12 hours"], ["24", "24 hours"], ["72", "3 days"], ["336", "14 days"]];
const QUERIES_MAX = 100;

function rangeOf(hours) {
    const to = Math.floor(Date.now() / 60000) * 60, period = hours <= 3 ? 60 : hours <= 24 ? 300 : hours <= 72 ? 900 : 3600;
    return {from: Math.ceil((to - hours * 3600) / period) * period, to, period};
}

/** wanted: [{name, metric, stat, dimensions, perSecond}] to series with a point for each period. */
async function seriesOf(wanted, range, signal) {
    const results = new Map();
    for (let at = 0; at < wanted.length; at += QUERIES_MAX) {
        const queries = wanted.slice(at, at + QUERIES_MAX).map(({metric, stat, dimensions}, i) => ({Id: `m${at + i}`, MetricStat: {Period: range.period, Stat: stat,
            Metric: {Namespace: "AWS/DynamoDB", MetricName: metric, Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({Name, Value}))}}}));
        let token;
        do {
            const reply = await cloudwatch("GetMetricData", {MetricDataQueries: queries, StartTime: range.from, EndTime: range.to + range.period,
                ScanBy: "TimestampAscending", ...(token && {NextToken: token})}, {signal});
            for (const result of reply.MetricDataResults) {
                const points = results.get(result.Id) ?? new Map();
                result.Timestamps.forEach((time, i) => points.set(Math.round(time), result.Values[i]));
                results.set(result.Id, points);
            }
            token = reply.NextToken;
        } while (token);
    }
    return wanted.map((one, i) => {
        const found = results.get(`m${i}`) ?? new Map(), points = [];
        for (let time = range.from; time <= range.to; time += range.period) {
            const value = found.get(time);
            points.push([time, value === undefined ? (one.zero ? 0 : null) : one.perSecond ? value / range.period : value]);
        }
        return {name: one.name, points, dashed: one.dashed};
    }).filter((one) => !one.points.every(([, value]) => value === null) || wanted.length <= 2);
}

async function operationsOf(table, signal) {
    const metrics = await all("cloudwatch", "ListMetrics", {Namespace: "AWS/DynamoDB", MetricName: "SuccessfulRequestLatency",
        Dimensions: [{Name: "TableName", Value: table}]}, "Metrics", ["NextToken", "NextToken"]);
    signal?.throwIfAborted();
    return [...new Set(metrics.map(({Dimensions}) => Dimensions.find(({Name}) => Name === "Operation")?.Value).filter(Boolean))].sort();
}

const COLOURS = 6;

/** The busiest get lines of their own. */
function busiest(series) {
    const sum = (one) => one.points.reduce((total, [, value]) => total + (value ?? 0), 0);
    return series.sort((a, b) => sum(b) - sum(a)).slice(0, COLOURS);
}

async function tableCharts(table, hours, signal) {
    const range = rangeOf(hours), operations = await operationsOf(table, signal), own = {TableName: table};
    const latency = (stat) => operations.slice(0, 20).map((name) => ({name, metric: "SuccessfulRequestLatency", stat, dimensions: {...own, Operation: name}}));
    const units = (kind) => [{name: "consumed", metric: `Consumed${kind}CapacityUnits`, stat: "Sum", dimensions: own, perSecond: true, zero: true},
        {name: "provisioned", metric: `Provisioned${kind}CapacityUnits`, stat: "Average", dimensions: own, dashed: true}];
    const wanted = {
        requests: operations.slice(0, 20).map((name) => ({name, metric: "SuccessfulRequestLatency", stat: "SampleCount", dimensions: {...own, Operation: name}, perSecond: true, zero: true})),
        p50: latency("p50"), p99: latency("p99"), reads: units("Read"), writes: units("Write"),
        throttles: [{name: "reads", metric: "ReadThrottleEvents", stat: "Sum", dimensions: own, zero: true}, {name: "writes", metric: "WriteThrottleEvents", stat: "Sum", dimensions: own, zero: true}],
        errors: [{name: "failed conditions", metric: "ConditionalCheckFailedRequests", stat: "Sum", dimensions: own, zero: true},
            ...operations.slice(0, 20).map((name) => ({name: `errors of ${name}`, metric: "SystemErrors", stat: "Sum", dimensions: {...own, Operation: name}}))],
    };
    const names = Object.keys(wanted), flat = names.flatMap((name) => wanted[name].map((one) => ({...one, of: name})));
    const results = await seriesOf(flat.map((one) => ({...one, name: `${one.of}\u0000${one.name}`})), range, signal);
    const series = Object.fromEntries(names.map((name) => [name, results.filter((one) => one.name.startsWith(`${name}\u0000`)).map((one) => ({...one, name: one.name.split("\u0000")[1]}))]));
    for (const name of ["requests", "errors"]) series[name] = busiest(series[name]);
    const colours = new Map(series.requests.map((one, i) => [one.name, i + 1])); // an operation has the same one in all plots
    for (const name of ["p50", "p99"]) series[name] = series[name].filter((one) => colours.has(one.name)).map((one) => ({...one, colour: colours.get(one.name)})).sort((a, b) => a.colour - b.colour);
    const show = (name, title, unit) => chart(series[name], {title, unit, from: range.from, to: range.to});
    return [show("requests", "Requests", "per second"), show("p50", "Latency, median", "ms"), show("p99", "Latency, 99 of 100 are faster", "ms"),
        show("reads", "Read capacity", "units per second"), show("writes", "Write capacity", "units per second"), show("throttles", "Throttled", "events"),
        show("errors", "Conditions that failed, errors", "requests")];
}

function chartsPanel(load, signal) {
    const place = h("div", {class: "charts"}), hours = select(RANGES, "1", () => look(), {"aria-label": "Time range"});
    const turn = newest(signal);
    async function look(gently = false) {
        try {
            const charts = await load(Number(hours.value), turn());
            if (!gently || !place.contains(document.activeElement)) replace(place, charts); // who reads a plot keeps it
        } catch (error) {
            if (error.name !== "AbortError") replace(place, problem(error, () => look()));
        }
    }
    let turns = 0;
    look();
    repeat(60000, signal, async () => {
        if (turns++ > 0) await look(true);
    });
    return {hours, place, look};
}

export function metricsTab({name}, signal) {
    const {hours, place} = chartsPanel((span, turn) => tableCharts(name, span, turn), signal);
    return h("div", {}, h("div", {class: "toolbar"}, h("span", {class: "quiet"}, "A new minute each minute."), hours), place);
}

// ---- the server ----

/** Of /metrics: {name: value}, without labels those that have none. */
function parsePage(text) {
    const samples = {};
    for (const line of text.split("\n")) {
        const found = /^([a-z_]+)(\{[^}]*\})? (\S+)$/.exec(line);
        if (found) samples[found[1] + (found[2] ?? "")] = Number(found[3]);
    }
    return samples;
}

async function health(signal) {
    const ready = await fetch("/health/ready", {signal, cache: "no-store", credentials: "omit"});
    const page = await fetch("/metrics", {signal, cache: "no-store", credentials: "omit"});
    return {word: (await ready.json()).status, samples: page.ok ? parsePage(await page.text()) : null};
}

function healthFacts({word, samples}) {
    const rows = [["State", badge(word, word === "ready" ? "good" : "busy")]];
    if (samples === null) return facts([["State", word], ["Numbers", "only from the server's own machine, or with --metrics-open"]]);
    const sum = (name) => Object.entries(samples).filter(([key]) => key === name || key.startsWith(`${name}{`)).reduce((total, [, value]) => total + value, 0);
    const has = (name) => Object.keys(samples).some((key) => key === name || key.startsWith(`${name}{`));
    const add = (label, name, form) => has(name) && rows.push([label, form(sum(name))]);
    if (has("process_start_time_seconds")) rows.push(["Up for", duration(Date.now() / 1000 - sum("process_start_time_seconds"))]);
    add("Requests so far", "gramme_requests_total", count);
    add("Connections", "gramme_connections", count);
    add("Memory", "process_resident_memory_bytes", bytes);
    add("Commits", "gramme_store_commits", count);
    add("Files", "gramme_store_files_bytes", bytes);
    if (has("gramme_sync_seconds_sum") && sum("gramme_sync_seconds_count") > 0) {
        rows.push(["A commit takes", `${short(1000 * sum("gramme_sync_seconds_sum") / sum("gramme_sync_seconds_count"))} ms on average`]);
    }
    add("Damaged records read", "gramme_damaged_reads_total", count);
    return facts(rows);
}

export function overviewPage(signal) {
    const place = h("div", {}), names = select([], "", () => look(), {"aria-label": "Table"});
    const {hours, place: charts, look} = chartsPanel((span, turn) => (names.value === "" ? h("p", {class: "quiet"}, "There is no table yet.") : tableCharts(names.value, span, turn)), signal);
    busy(null, async () => {
        replace(names, (await tableNames()).map((name) => h("option", {value: name}, name)));
        await look();
    });
    repeat(5000, signal, async () => {
        try {
            replace(place, healthFacts(await health(signal)));
        } catch (error) {
            if (error.name !== "AbortError") replace(place, h("p", {class: "trouble"}, "The server does not answer."));
        }
    });
    return h("div", {}, heading("Metrics"), section("Server", place), section("A table", h("div", {class: "fields"}, field("Table", names), field("Time", hours)), charts));
}
