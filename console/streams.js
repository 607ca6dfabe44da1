// streams.js - the records of a table's stream, as they come.

import {repeat, streams} from "./api.js";
import {h, replace} from "./dom.js";
import {badge, button, select, when} from "./ui.js";
import {equal, own, preview, visible} from "./value.js";

const KEEP = 300;
const KINDS = {INSERT: "good", MODIFY: "busy", REMOVE: "bad"};

function recordRow(record) {
    const {Keys: keys, NewImage: after, OldImage: before, SequenceNumber: number, ApproximateCreationDateTime: time} = record.dynamodb;
    const was = (name) => own(before ?? {}, name), is = (name) => own(after ?? {}, name);
    const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter((name) => !Object.hasOwn(keys, name) && !equal(was(name), is(name)));
    const byTtl = record.userIdentity?.principalId === "dynamodb.amazonaws.com";
    return h("li", {class: "record"}, h("div", {class: "record-head"}, badge(byTtl ? "expired" : record.eventName.toLowerCase(), KINDS[record.eventName]),
        h("strong", {}, Object.values(keys).map(preview).join(" · ")), when(time), h("code", {class: "quiet"}, number)),
    names.length > 0 ? h("dl", {class: "changes"}, names.slice(0, 30).map((name) => [h("dt", {}, visible(name)),
        h("dd", {}, was(name) ? h("del", {}, preview(was(name))) : null, " ", is(name) ? h("ins", {}, preview(is(name))) : null)])) : null);
}

/** Reads all shards in turns; new ones are found on the way. */
function follow(arn, from, signal, got) {
    const iterators = new Map();
    let known = new Set(), type = from;
    const findShards = async () => {
        const {StreamDescription: stream} = await streams("DescribeStream", {StreamArn: arn}, {signal});
        for (const {ShardId: shard} of stream.Shards) {
            if (known.has(shard)) continue;
            known.add(shard);
            const reply = await streams("GetShardIterator", {StreamArn: arn, ShardId: shard, ShardIteratorType: type}, {signal});
            iterators.set(shard, reply.ShardIterator);
        }
        type = "TRIM_HORIZON"; // a shard that comes later is read from its beginning
    };
    const readAll = async () => {
        for (const [shard, iterator] of iterators) {
            const reply = await streams("GetRecords", {ShardIterator: iterator, Limit: 200}, {signal});
            if (reply.Records.length > 0) got(reply.Records);
            if (reply.NextShardIterator) iterators.set(shard, reply.NextShardIterator);
            else iterators.delete(shard);
        }
    };
    let turn = 0;
    return repeat(1000, signal, async () => {
        try {
            if (turn++ % 10 === 0) await findShards();
            await readAll();
        } catch (error) {
            if (error.type === "ExpiredIteratorException" || error.type === "TrimmedDataAccessException") {
                known = new Set();
                iterators.clear();
                turn = 0;
            }
            throw error;
        }
    });
}

export async function streamTab({name, raw}, signal) {
    if (!raw.LatestStreamArn) {
        return h("p", {class: "quiet"}, "The table has no stream. Turn one on under ", h("a", {href: `#/table/${encodeURIComponent(name)}/settings`}, "Additional settings"), ".");
    }
    const list = h("ol", {class: "records", "aria-label": "Records, newest first"}), status = h("p", {class: "quiet", role: "status"}, "Waiting for records …");
    let shown = 0, paused = false, waiting = [], stop = new AbortController();
    const show = (records) => {
        shown += records.length;
        status.textContent = `${shown} records`;
        list.prepend(...records.slice(-KEEP).reverse().map(recordRow));
        while (list.children.length > KEEP) list.lastChild.remove();
    };
    const got = (records) => {
        if (paused) waiting = [...waiting, ...records].slice(-KEEP);
        else show(records);
    };
    const start = (from) => {
        stop.abort();
        stop = new AbortController();
        signal.addEventListener("abort", () => stop.abort());
        [shown, waiting] = [0, []];
        replace(list);
        status.textContent = "Waiting for records …";
        follow(raw.LatestStreamArn, from, stop.signal, got);
    };
    const pause = button("Pause", () => {
        paused = !paused;
        pause.textContent = paused ? "Go on" : "Pause";
        if (!paused) {
            show(waiting);
            waiting = [];
        }
    });
    start("TRIM_HORIZON");
    return h("div", {}, h("div", {class: "toolbar"}, status, h("span", {class: "actions"}, select([["TRIM_HORIZON", "From the oldest that is kept"], ["LATEST", "From now on"]], "TRIM_HORIZON", start,
        {"aria-label": "From when"}), pause)), list);
}

