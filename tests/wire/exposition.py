"""Reads a page for Prometheus as strictly as `promtool check metrics` does, and more so: every rule that is broken is an error.

    samples = exposition.parse(text)                       # the plain format
    samples = exposition.parse(text, open_metrics=True)    # OpenMetrics
    samples["gramme_requests_total", (("operation", "GetItem"), ("table", "t"), ("code", "ok"))]
"""

import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"')
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)")
SUFFIXES = {"counter": ["_total"], "gauge": [""], "histogram": ["_bucket", "_sum", "_count"], "summary": ["_sum", "_count"]}


class Wrong(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Wrong(text)


def labels_of(text, line):
    labels = []
    while text:
        match = LABEL.match(text)
        check(match, f"labels: {line}")
        labels.append(match.groups())
        text = text[match.end():]
        check(not text or text[0] == "," and len(text) > 1, f"labels: {line}")
        text = text[1:]
    check(len({name for name, _ in labels}) == len(labels), f"a label twice: {line}")
    return tuple(labels)


def check_histogram(name, samples):
    series = {}
    for (sample, labels), value in samples.items():
        if sample.startswith(name + "_"):
            rest = tuple(pair for pair in labels if pair[0] != "le")
            series.setdefault(rest, {})[sample[len(name):], dict(labels).get("le")] = value
    for labels, values in series.items():
        bounds = [(float(bound), value) for (suffix, bound), value in values.items() if suffix == "_bucket"]
        check(bounds == sorted(bounds) and [v for _, v in bounds] == sorted(v for _, v in bounds), f"buckets of {name} {labels} are not in order, or do not grow")
        check(bounds[-1][0] == float("inf"), f"{name} {labels} has no last bucket")
        check(bounds[-1][1] == values["_count", None], f"{name} {labels}: the last bucket is not the count")
        check(("_sum", None) in values, f"{name} {labels} has no sum")


def parse(text, open_metrics=False):
    check(text.endswith("\n"), "the last line is not ended")
    lines = text.split("\n")[:-1]
    if open_metrics:
        check(lines.pop() == "# EOF", "OpenMetrics ends with # EOF")
    samples, families, family, declared = {}, {}, None, None
    for line in lines:
        if line.startswith("# HELP "):
            declared, help_text = line[7:].split(" ", 1)
            check(help_text, f"no help: {line}")
        elif line.startswith("# TYPE "):
            family, kind = line[7:].split(" ")
            check(family == declared and family not in families, f"a type without its help, or twice: {line}")
            check(kind != "counter" or family.endswith("_total") != open_metrics, f"the name of a counter: {line}")
            check(kind == "counter" or not family.endswith(("_total", "_count", "_sum", "_bucket")), f"name: {line}")
            families[family] = kind
        else:
            match = SAMPLE.fullmatch(line)
            check(match and family, f"no sample: {line}")
            name, labels, value = match.group(1), labels_of(match.group(2) or "", line), float(match.group(3))
            stem = family.removesuffix("_total") if families[family] == "counter" else family
            check(name in [stem + suffix for suffix in SUFFIXES[families[family]]], f"not of its family {family}: {line}")
            check((name, labels) not in samples, f"twice: {line}")
            check(families[family] == "gauge" or value >= 0, f"below 0: {line}")
            samples[name, labels] = value
    for name, kind in families.items():
        if kind == "histogram":
            check_histogram(name, samples)
    return samples
