"""What scripts/check reports besides its lines: where the time went, which jobs failed by chance, and JUnit XML."""

import collections
import re
import xml.etree.ElementTree as xml

CASE = re.compile(r"^(?P<bad>not )?ok\b *\d* *-? *(?P<name>[^#\n]*?) *(?P<skip># SKIP.*)?$")
LONGEST = 25  # jobs in the table of times


def times_table(results, builds, wall_s):
    """Lines of a table: what was built, each folder of jobs, and the longest jobs, with wall and processor seconds."""
    rows = [("build", len(builds), sum(wall for _, wall, _ in builds), sum(cpu for _, _, cpu in builds))] if builds else []
    folders = collections.defaultdict(list)
    for result in results:
        folders[result.job.name.split("/")[0]].append(result)
    rows += [(name, len(group), sum(one.seconds for one in group), sum(one.cpu_s for one in group)) for name, group in folders.items()]
    rows.sort(key=lambda row: -row[3])
    longest = sorted(results, key=lambda one: -one.cpu_s)[:LONGEST]
    yield f"{'folder':<44} {'jobs':>5} {'wall s':>8} {'cpu s':>8}"
    yield from (f"{name:<44} {count:>5} {wall:>8.1f} {cpu:>8.1f}" for name, count, wall, cpu in rows)
    yield f"{'in all, started to ended':<44} {sum(row[1] for row in rows):>5} {wall_s:>8.1f} {sum(row[3] for row in rows):>8.1f}"
    yield ""
    yield f"{'longest jobs':<50} {'wall s':>8} {'cpu s':>8}"
    yield from (f"{name:<50} {wall:>8.1f} {cpu:>8.1f}" for name, wall, cpu in builds)
    yield from (f"{one.job.name:<50} {one.seconds:>8.1f} {one.cpu_s:>8.1f}" for one in longest)


def failures_table(results, rounds):
    """Lines that name each job which failed, and in how many of its rounds."""
    failed = collections.Counter(result.job.name for result in results if result.failed)
    for name, times in sorted(failed.items()):
        yield f"{name} failed in {times} of {rounds} rounds{': by chance' if times < rounds else ''}"


def cases(result):
    """The cases of a job as (name, outcome, text); the lines after a case, which begin with #, are its text."""
    found = []
    for line in result.output.splitlines():
        match = CASE.match(line)
        if match:
            found.append([match["name"] or f"case {len(found) + 1}", "failed" if match["bad"] else "skipped" if match["skip"] else "passed", []])
        elif found and line.startswith("#"):
            found[-1][2].append(line[1:].strip())
    if not found or (result.failed and all(outcome != "failed" for _, outcome, _ in found)):
        found.append([result.job.name, "failed" if result.failed else "passed", result.output.splitlines()[-60:] if result.failed else []])
    return found


def junit(results, path):
    """Writes JUnit XML: a suite for each job, a test case for each of its cases."""
    root = xml.Element("testsuites")
    for result in results:
        found = cases(result)
        outcomes = collections.Counter(outcome for _, outcome, _ in found)
        suite = xml.SubElement(root, "testsuite", name=result.job.name, time=f"{result.seconds:.3f}", tests=str(len(found)),
                               failures=str(outcomes["failed"]), skipped=str(outcomes["skipped"]))
        for name, outcome, text in found:
            case = xml.SubElement(suite, "testcase", classname=result.job.name.replace("/", "."), name=printable(name))
            if outcome == "failed":
                xml.SubElement(case, "failure", message=printable(text[-1] if text else "")).text = printable("\n".join(text))
            elif outcome == "skipped":
                xml.SubElement(case, "skipped")
    xml.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def printable(text):
    """XML 1.0 has no control characters but tab and line feed."""
    return "".join(char if char in "\t\n" or char >= " " and char not in "\ufffe\uffff" else "\ufffd" for char in text)
