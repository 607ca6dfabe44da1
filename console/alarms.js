// alarms.js - alarms on metrics: their state, why, and what happened to them.

import {all, cloudwatch} from "./api.js";
import {h, replace} from "./dom.js";
import {tableNames} from "./tables.js";
import {badge, busy, button, confirm, dialog, facts, field, heading, live, problem, section, select, state, table, text, toast, when} from "./ui.js";

const REFRESH_MS = 3000;
const SIGNS = {GreaterThanThreshold: ">", GreaterThanOrEqualToThreshold: "≥", LessThanThreshold: "<", LessThanOrEqualToThreshold: "≤"};
const METRICS = ["ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits", "ReadThrottleEvents", "WriteThrottleEvents", "ConditionalCheckFailedRequests",
    "TransactionConflict", "TimeToLiveDeletedItemCount"];

function conditionText(alarm) {
    const what = alarm.MetricName ? `${alarm.Statistic ?? alarm.ExtendedStatistic} of ${alarm.MetricName}` : "an expression";
    return `${what} ${SIGNS[alarm.ComparisonOperator] ?? alarm.ComparisonOperator} ${alarm.Threshold}, ${alarm.DatapointsToAlarm ?? alarm.EvaluationPeriods} of ${alarm.EvaluationPeriods} × ${alarm.Period ?? "?"} s`;
}

function createAlarm() {
    return dialog("Create an alarm", (close) => {
        const name = text(""), names = select([], ""), metric = select(METRICS.map((one) => [one, one]), METRICS[0]), trouble = h("div", {role: "alert"});
        const statistic = select(["Sum", "Average", "Maximum", "Minimum", "SampleCount"].map((one) => [one, one]), "Sum");
        const comparison = select(Object.entries(SIGNS), "GreaterThanThreshold"), threshold = h("input", {type: "number", step: "any", value: 1});
        const period = select([["60", "1 minute"], ["300", "5 minutes"], ["3600", "1 hour"]], "60"), periods = h("input", {type: "number", min: 1, max: 100, value: 1});
        const action = text("", {placeholder: "none"});
        busy(null, async () => replace(names, (await tableNames()).map((one) => h("option", {value: one}, one))));
        const go = button("Create alarm", () => busy(go, async () => {
            try {
                await cloudwatch("PutMetricAlarm", {AlarmName: name.value, Namespace: "AWS/DynamoDB", MetricName: metric.value, Statistic: statistic.value,
                    Dimensions: [{Name: "TableName", Value: names.value}], Period: Number(period.value), EvaluationPeriods: Number(periods.value), Threshold: Number(threshold.value),
                    ComparisonOperator: comparison.value, TreatMissingData: "notBreaching", ...(action.value !== "" && {AlarmActions: [action.value]})});
                close(true);
            } catch (error) {
                replace(trouble, problem(error));
            }
        }), {class: "primary"});
        return h("div", {}, field("Name", name), h("div", {class: "fields"}, field("Table", names), field("Metric", metric), field("Statistic", statistic)),
            h("div", {class: "fields"}, field("Is", comparison), field("Threshold", threshold), field("For", period), field("Periods in a row", periods)),
            field("Tell", action, "ARN of an SNS topic, or a URL"), trouble, h("div", {class: "actions"}, button("Cancel", () => close(false)), go));
    });
}

export function alarmsPage(signal) {
    const {node, reload} = live(REFRESH_MS, signal, () => all("cloudwatch", "DescribeAlarms", {}, "MetricAlarms", ["NextToken", "NextToken"]), (alarms) => table("Alarms", [
        ["Name", (alarm) => h("a", {href: `#/alarm/${encodeURIComponent(alarm.AlarmName)}`}, alarm.AlarmName)], ["State", (alarm) => state(alarm.StateValue)],
        ["Since", (alarm) => when(alarm.StateTransitionedTimestamp ?? alarm.StateUpdatedTimestamp)], ["Condition", conditionText, "words"],
        ["Actions", (alarm) => (alarm.ActionsEnabled ? "on" : "off")],
    ], alarms, "There is no alarm."));
    return h("div", {}, heading("Alarms", button("Create alarm", () => busy(null, async () => {
        if (await createAlarm()) await reload();
    }), {class: "primary"})), node);
}

export function alarmPage(name, signal) {
    const {node, reload} = live(REFRESH_MS, signal, async () => {
        const {MetricAlarms: [alarm]} = await cloudwatch("DescribeAlarms", {AlarmNames: [name]});
        const history = await all("cloudwatch", "DescribeAlarmHistory", {AlarmName: name, MaxRecords: 100}, "AlarmHistoryItems", ["NextToken", "NextToken"], 100);
        return {alarm, history};
    }, ({alarm, history}) => {
        if (alarm === undefined) return h("p", {class: "quiet"}, "There is no alarm of this name.");
        const act = (operation, input, message) => busy(null, async () => {
            await cloudwatch(operation, input);
            toast(message);
            await reload();
        });
        return h("div", {}, section("The alarm", facts([
            ["State", [state(alarm.StateValue), " ", alarm.StateReason]], ["Since", when(alarm.StateTransitionedTimestamp ?? alarm.StateUpdatedTimestamp)], ["Condition", conditionText(alarm)],
            ["Of", (alarm.Dimensions ?? []).map(({Name, Value}) => `${Name} ${Value}`).join(", ") || "–"], ["Missing data", alarm.TreatMissingData ?? "missing"],
            ["Actions", [alarm.ActionsEnabled ? badge("on", "good") : badge("off", "quiet"), " ", [...(alarm.AlarmActions ?? []), ...(alarm.OKActions ?? [])].join(", ") || "none"]],
            ["ARN", h("code", {}, alarm.AlarmArn)],
        ]), h("div", {class: "actions left"}, alarm.ActionsEnabled ? button("Disable actions", () => act("DisableAlarmActions", {AlarmNames: [name]}, "Its actions are off."))
            : button("Enable actions", () => act("EnableAlarmActions", {AlarmNames: [name]}, "Its actions are on.")),
        button("Try it: set to ALARM", () => act("SetAlarmState", {AlarmName: name, StateValue: "ALARM", StateReason: "Set by hand"}, "It is in ALARM until it is evaluated again.")),
        button("Delete alarm", () => busy(null, async () => {
            if (!await confirm(`Delete alarm ${name}?`, "Nobody is told any more.", "Delete alarm")) return;
            await cloudwatch("DeleteAlarms", {AlarmNames: [name]});
            location.hash = "#/alarms";
        }), {class: "danger"}))), section("History", table("History", [["When", (entry) => when(entry.Timestamp)], ["What", (entry) => entry.HistorySummary, "words"]], history)));
    });
    return h("div", {}, heading(name), node);
}
