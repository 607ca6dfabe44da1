"""Pictures of results: small SVG files of bars and lines, readable on light and dark pages.

Nothing but text is written, with the fonts of the reader. A picture has its own white ground.
"""

import dataclasses
import html
import math

WIDTH = 860
INK, FAINT, GROUND = "#222", "#d8d8d8", "#fff"
OURS = "#0b6e4f"
COLORS = {"bare server": "#888", "Dynoxide": "#c1666b", "ExtendDB": "#4a6fa5", "DynamoDB Local": "#c98a00", "dynalite": "#7b5ea7"}
OTHER = "#3a9ca6"
FONT = "font-family='Helvetica,Arial,sans-serif'"


@dataclasses.dataclass
class Picture:
    """A file beside the document, and what it shows in words."""
    name: str
    title: str
    svg: str


def text(x, y, content, size=12, anchor="start", fill=INK, weight="normal"):
    return (f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' text-anchor='{anchor}' fill='{fill}' "
            f"font-weight='{weight}'>{html.escape(str(content))}</text>")


def line(x1, y1, x2, y2, stroke=FAINT):
    return f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{stroke}'/>"


def document(height, parts):
    return "\n".join([f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height:.0f}' {FONT}>",
                      f"<rect width='{WIDTH}' height='{height:.0f}' fill='{GROUND}'/>", *parts, "</svg>", ""])


def color(name):
    """The same in every picture: what stands before the comma says whose it is."""
    return OURS if name.startswith("gramme") else COLORS.get(name.split(",")[0], OTHER)


# ---- bars ----

ROW, BAR, LABELS = 20, 13, 190


def bars(panels):
    """Panels below each other: a title, a heading for the remarks, and (name, value, label, remark) for each bar. The scale
    is linear."""
    parts, y = [], 8
    for title, heading, rows in panels:
        y += 22
        parts += [text(10, y, title, 14, weight="bold"), text(WIDTH - 10, y, heading, 11, "end", "#666")]
        y += 8
        most = max([value for _, value, _, _ in rows] + [1e-9])
        for name, value, label, remark in rows:
            width = max(value / most * (WIDTH - LABELS - 260), 1)
            parts += [text(LABELS - 8, y + BAR - 1, name, 12, "end"),
                      f"<rect x='{LABELS}' y='{y + 1:.1f}' width='{width:.1f}' height='{BAR}' fill='{color(name)}'/>",
                      text(LABELS + width + 6, y + BAR - 1, label, 12), text(WIDTH - 10, y + BAR - 1, remark, 12, "end")]
            y += ROW
        y += 8
    return document(y + 6, parts)


# ---- percentiles ----

NINES = [0, 0.5, 0.9, 0.99, 0.999, 0.9999]


def at_percentiles(histogram):
    """(share, microseconds) along a histogram, a few dozen points."""
    counts = {}
    for value, count in histogram:
        counts[value] = counts.get(value, 0) + count
    total, seen, points, last = sum(counts.values()), 0, [], -1
    for value in sorted(counts):
        seen += counts[value]
        place = nines(min(seen / total, NINES[-1]))
        if place - last >= 0.05:
            points.append((place, value))
            last = place
        if seen / total > NINES[-1]:
            break
    return points


def nines(share):
    """Where a share stands on a scale that gives each further nine the same room."""
    return -math.log10(max(1 - share, 1e-9))


def percentiles(title, histograms):
    """A line for each name: latency by percentile, both logarithmic."""
    left, right, top, bottom = 70, WIDTH - 210, 40, 380
    curves = {name: at_percentiles(histogram) for name, histogram in histograms.items() if histogram}
    values = [value for points in curves.values() for _, value in points]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def x(place):
        return left + place / nines(NINES[-1]) * (right - left)

    def y(value):
        return bottom - (math.log10(value) - low) / max(high - low, 1) * (bottom - top)

    parts = [text(10, 22, title, 14, weight="bold")]
    for share in NINES:
        parts += [line(x(nines(share)), top, x(nines(share)), bottom),
                  text(x(nines(share)), bottom + 18, f"{share * 100:g} %", 11, "middle")]
    for power in range(low, high + 1):
        label = f"{10 ** power / 1000:g} ms" if power >= 3 else f"{10 ** power:g} us"
        parts += [line(left, y(10 ** power), right, y(10 ** power)), text(left - 6, y(10 ** power) + 4, label, 11, "end")]
    for name, points in curves.items():
        path = " ".join(f"{x(place):.1f},{y(value):.1f}" for place, value in points)
        dash = "stroke-dasharray='5 3'" if name.endswith("--data") or ("," in name and "in memory" not in name) else ""
        parts.append(f"<polyline points='{path}' fill='none' stroke='{color(name)}' stroke-width='2' {dash}/>")
    parts += end_labels([(name, y(points[-1][1])) for name, points in curves.items()], right + 10)
    return document(bottom + 34, parts)


def end_labels(ends, x):
    """Names beside the ends of their lines, moved apart where they would touch."""
    parts, last = [], -100
    for name, y in sorted(ends, key=lambda end: end[1]):
        last = max(y, last + 15)
        parts.append(text(x, last + 4, name, 12, fill=color(name)))
    return parts


# ---- along a load ----

def along(title, unit, points, remark):
    """One line over equal steps, from zero."""
    left, right, top, bottom = 90, WIDTH - 30, 44, 260
    most = max(points) * 1.1

    def place(i, value):
        return left + (i + 0.5) / len(points) * (right - left), bottom - value / most * (bottom - top)

    parts = [text(10, 22, title, 14, weight="bold"), text(WIDTH - 10, 22, unit, 11, "end", "#666")]
    step = 10 ** math.floor(math.log10(most))
    step = step / 2 if most / step < 3 else step
    for i in range(int(most / step) + 1):
        y = place(0, i * step)[1]
        parts += [line(left, y, right, y), text(left - 6, y + 4, f"{i * step:,.0f}", 11, "end")]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(i, value) for i, value in enumerate(points)))
    parts.append(f"<polyline points='{path}' fill='none' stroke='{OURS}' stroke-width='2'/>")
    for i, value in enumerate(points):
        x, y = place(i, value)
        parts += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{OURS}'/>", text(x, bottom + 18, remark(i), 11, "middle")]
    return document(bottom + 34, parts)
