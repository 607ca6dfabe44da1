// charts.js - lines over time. Read by pointer, by the arrow keys, and as a table.

import {h, replace, svg, unique} from "./dom.js";

const HEIGHT = 190, LEFT = 52, RIGHT = 12, TOP = 10, BOTTOM = 24;

/** Numbers for an axis: 0 up to the next round one. */
export function ticks(most) {
    if (!(most > 0)) return [0, 1];
    const rough = most / 4, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
    const list = [];
    for (let at = 0; at < most + step * 0.999; at += step) list.push(Number(at.toPrecision(12)));
    return list;
}

export function short(number) {
    if (number === undefined || number === null) return "–";
    const size = Math.abs(number);
    for (const [unit, limit] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) if (size >= limit) return `${Number((number / limit).toPrecision(3))} ${unit}`;
    return size === 0 ? "0" : String(Number(number.toPrecision(3)));
}

function timeText(seconds, span) {
    const date = new Date(seconds * 1000);
    return span > 2 * 86400 ? date.toLocaleDateString(undefined, {month: "short", day: "numeric"})
        : date.toLocaleTimeString(undefined, {hour: "2-digit", minute: "2-digit"});
}

function exactTime(seconds) {
    return new Date(seconds * 1000).toLocaleString(undefined, {dateStyle: "medium", timeStyle: "short"});
}

/** Points with a gap are two lines; a point alone is a dot. */
function pathOf(points, x, y) {
    let path = "", dots = [], before = false;
    points.forEach(([time, value], i) => {
        if (value === null) {
            before = false;
            return;
        }
        const alone = !before && (points[i + 1] === undefined || points[i + 1][1] === null);
        if (alone) dots.push([x(time), y(value)]);
        path += `${before ? "L" : "M"}${x(time).toFixed(1)} ${y(value).toFixed(1)}`;
        before = true;
    });
    return {path, dots};
}

/**
 * series: [{name, points: [[seconds, number or null]], dashed, colour}], all with the same times; without a colour in their order.
 * options: {title, unit, from, to, height}
 */
export function chart(series, {title, unit = "", from, to}) {
    const frame = h("div", {class: "frame", tabindex: "0", role: "img"}), live = h("span", {class: "unseen", role: "status"}), legend = h("div", {class: "legend"});
    const times = series[0]?.points.map(([time]) => time) ?? [];
    const known = series.flatMap((one) => one.points.map(([, value]) => value)).filter((value) => value !== null);
    const marks = ticks(Math.max(0, ...known)), most = marks.at(-1);
    const colour = (one, i) => one.colour ?? i + 1;
    let at = -1, width = 600;
    const x = (time) => LEFT + (time - from) / Math.max(1, to - from) * (width - LEFT - RIGHT);
    const y = (value) => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM);

    const values = (i) => series.map((one) => `${one.name} ${short(one.points[i]?.[1])}${unit && ` ${unit}`}`);
    const drawLegend = () => replace(legend, series.map((one, i) => h("span", {class: `key c${colour(one, i)}${one.dashed ? " dashed" : ""}`}, one.name,
        at >= 0 ? h("b", {}, ` ${short(one.points[at][1])}`) : null)), at >= 0 ? h("span", {class: "quiet"}, exactTime(times[at])) : null);
    const draw = () => {
        const span = to - from, labels = Math.max(2, Math.floor(width / 130)), parts = [];
        for (const mark of marks) {
            parts.push(svg("line", {class: "rule", x1: LEFT, x2: width - RIGHT, y1: y(mark), y2: y(mark)}),
                svg("text", {class: "tick", x: LEFT - 8, y: y(mark) + 4, "text-anchor": "end"}, short(mark)));
        }
        for (let i = 0; i <= labels; i++) {
            const time = from + span * i / labels;
            parts.push(svg("text", {class: "tick", x: x(time), y: HEIGHT - 6, "text-anchor": i === 0 ? "start" : i === labels ? "end" : "middle"}, timeText(time, span)));
        }
        series.forEach((one, i) => {
            const {path, dots} = pathOf(one.points, x, y);
            parts.push(svg("path", {class: `line c${colour(one, i)}${one.dashed ? " dashed" : ""}`, d: path}), dots.map(([cx, cy]) => svg("circle", {class: `dot c${colour(one, i)}`, cx, cy, r: 2.5})));
        });
        if (at >= 0) {
            parts.push(svg("line", {class: "cursor", x1: x(times[at]), x2: x(times[at]), y1: TOP, y2: HEIGHT - BOTTOM}),
                series.map((one, i) => (one.points[at][1] === null ? null : svg("circle", {class: `dot c${colour(one, i)}`, cx: x(times[at]), cy: y(one.points[at][1]), r: 3.5}))));
        }
        replace(frame, svg("svg", {width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, "aria-hidden": "true"}, parts), live);
        drawLegend();
    };
    const move = (index) => {
        if (times.length === 0 || index === at) return;
        at = index < 0 ? -1 : Math.min(times.length - 1, index);
        draw();
        live.textContent = at < 0 ? "" : `${exactTime(times[at])}: ${values(at).join(", ")}`;
    };
    const nearest = (clientX) => {
        const time = from + (clientX - frame.getBoundingClientRect().left - LEFT) / (width - LEFT - RIGHT) * (to - from);
        let best = 0;
        times.forEach((other, i) => {
            if (Math.abs(other - time) < Math.abs(times[best] - time)) best = i;
        });
        return best;
    };
    frame.addEventListener("pointermove", (event) => move(nearest(event.clientX)));
    frame.addEventListener("pointerleave", () => move(-1));
    frame.addEventListener("blur", () => move(-1));
    frame.addEventListener("keydown", (event) => {
        const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
        if (step === undefined) return;
        event.preventDefault();
        move(Math.max(0, at < 0 ? times.length - 1 : at + step));
    });
    new ResizeObserver(([entry]) => {
        const wide = Math.max(240, Math.floor(entry.contentRect.width));
        if (wide === width) return;
        width = wide;
        draw();
    }).observe(frame);
    const latest = series.map((one) => `${one.name}: ${short(one.points.findLast(([, value]) => value !== null)?.[1])}`).join(", ");
    frame.setAttribute("aria-label", `${title}. Latest: ${latest}. Arrow keys move through time.`);
    draw();
    const id = unique("c");
    return h("figure", {class: "chart", "aria-labelledby": id}, h("figcaption", {id}, title, unit ? h("span", {class: "quiet"}, ` ${unit}`) : null), legend,
        known.length === 0 ? h("p", {class: "quiet nothing"}, "No data in this time.") : frame,
        known.length === 0 ? null : h("details", {}, h("summary", {}, "As a table"), h("div", {class: "scroll short", tabindex: "0", role: "region", "aria-label": `${title} as a table`},
            h("table", {}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "Time"), series.map((one) => h("th", {scope: "col"}, one.name)))),
                h("tbody", {}, times.map((time, i) => (series.some((one) => one.points[i][1] !== null)
                    ? h("tr", {}, h("td", {}, exactTime(time)), series.map((one) => h("td", {class: "number"}, short(one.points[i][1])))) : null)))))));
}
