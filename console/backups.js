// backups.js - backups of a table, and its past: any moment of the last days as a new table.

import {all, dynamodb} from "./api.js";
import {h} from "./dom.js";
import {busy, button, bytes, confirm, confirmByName, dialog, field, live, panel, section, state, table, text, toast, when} from "./ui.js";

const REFRESH_MS = 2000;

function askName(title, label, start, action) {
    return dialog(title, (close) => {
        const input = text(start);
        return h("form", {on: {submit: (event) => {
            event.preventDefault();
            if (input.value !== "") close(input.value);
        }}}, field(label, input), h("div", {class: "actions"}, button("Cancel", () => close()), h("button", {type: "submit", class: "primary"}, action)));
    });
}

function restored(name) {
    toast(`Table ${name} is being restored.`);
    location.hash = `#/table/${encodeURIComponent(name)}/overview`;
}

function backupList(description, signal) {
    const read = () => all("dynamodb", "ListBackups", {TableName: description.name}, "BackupSummaries", ["LastEvaluatedBackupArn", "ExclusiveStartBackupArn"]);
    const {node, reload} = live(REFRESH_MS, signal, read, (backups) => { // one that was begun is made in a while
        const restore = (backup) => busy(null, async () => {
            const name = await askName("Restore to a new table", "Name of the new table", `${description.name}-restored`, "Restore");
            if (!name) return;
            await dynamodb("RestoreTableFromBackup", {TargetTableName: name, BackupArn: backup.BackupArn});
            restored(name);
        });
        const remove = (backup) => busy(null, async () => {
            if (!await confirmByName("Delete this backup?", backup.BackupName, "It cannot be brought back.", "Delete backup")) return;
            await dynamodb("DeleteBackup", {BackupArn: backup.BackupArn});
            await reload();
        });
        return table("Backups", [
            ["Name", (backup) => backup.BackupName], ["Status", (backup) => state(backup.BackupStatus)], ["Made", (backup) => when(backup.BackupCreationDateTime)],
            ["Size", (backup) => bytes(backup.BackupSizeBytes), "number"],
            ["", (backup) => h("span", {class: "actions"}, button("Restore", () => restore(backup), {class: "small"}), button("Delete", () => remove(backup), {class: "small danger"}))],
        ], backups, "There is no backup of this table.");
    });
    return section("Backups", h("div", {class: "actions left"}, button("Create backup", () => busy(null, async () => {
        const name = await askName("Create a backup", "Name of the backup", `${description.name}-${new Date().toISOString().slice(0, 10)}`, "Create backup");
        if (!name) return;
        await dynamodb("CreateBackup", {TableName: description.name, BackupName: name}, {signal});
        toast("The backup is begun.");
        await reload();
    }), {class: "primary"})), node);
}

function localTime(date) {
    const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60000);
    return shifted.toISOString().slice(0, 19);
}

/** A slider over all of the past that there is, and the exact time beside it. */
function timeline(earliest, latest) {
    const slider = h("input", {type: "range", min: earliest, max: latest, step: 1, value: latest, class: "timeline", "aria-label": "Moment"});
    const exact = h("input", {type: "datetime-local", step: 1, min: localTime(new Date(earliest * 1000)), max: localTime(new Date(latest * 1000))});
    const show = () => {
        exact.value = localTime(new Date(Number(slider.value) * 1000));
        slider.setAttribute("aria-valuetext", new Date(Number(slider.value) * 1000).toLocaleString());
    };
    slider.addEventListener("input", show);
    exact.addEventListener("change", () => {
        const seconds = new Date(exact.value).getTime() / 1000;
        if (!Number.isNaN(seconds)) slider.value = Math.min(latest, Math.max(earliest, seconds));
    });
    show();
    return {node: h("div", {}, slider, h("div", {class: "ends"}, when(earliest), when(latest)), field("Moment", exact, "in your time zone")), read: () => Number(slider.value)};
}

function pastSection(description, signal) {
    const {node, reload} = panel(async () => {
        const {ContinuousBackupsDescription: backups} = await dynamodb("DescribeContinuousBackups", {TableName: description.name}, {signal});
        const past = backups.PointInTimeRecoveryDescription, on = past?.PointInTimeRecoveryStatus === "ENABLED";
        const set = (enabled) => busy(null, async () => {
            if (!enabled && !await confirm("Turn off point-in-time recovery?", "The past that was kept is lost.", "Turn off")) return;
            await dynamodb("UpdateContinuousBackups", {TableName: description.name, PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: enabled}});
            await reload();
        });
        if (!on) return h("div", {}, h("p", {}, "Off. While it is on, the table can be restored as it was at any second of the last 35 days."), button("Turn on", () => set(true)));
        const moment = timeline(past.EarliestRestorableDateTime, past.LatestRestorableDateTime), name = text(`${description.name}-restored`);
        return h("div", {}, moment.node, field("Name of the new table", name), h("div", {class: "actions left"}, button("Restore", () => busy(null, async () => {
            await dynamodb("RestoreTableToPointInTime", {SourceTableName: description.name, TargetTableName: name.value, RestoreDateTime: moment.read()});
            restored(name.value);
        }), {class: "primary"}), button("Turn off", () => set(false), {class: "danger"})));
    });
    return section("Point-in-time recovery", node);
}

export function backupsTab(description, signal) {
    return h("div", {}, pastSection(description, signal), backupList(description, signal));
}
