"""Two servers that differ in their options, measured by turns: one row of figures, and the ratios of each round."""

from rig import number, spread, times

RATIOS = ("one core for the server that is measured and one for the load. The ratios are of the second to the first in the same round: of the rates, "
          "and of requests per processor second of the server.")


def columns(first, second):
    return ["", f"{first}/s", f"{second}/s", "ratio", f"{first} us", f"{second} us", "ratio by processor time"]


def add_row(rig, table, name, servers, loads):
    """`loads`: what each of the two servers gets."""
    def run_both():
        return [rig.measure(server, **load) for server, load in zip(servers, loads)]

    run_both()  # fills what is empty, and warms up
    rounds = [run_both() for _ in range(rig.rounds)]
    figures = [[run[figure] for run in runs] for figure in ("rate", "cpu_us") for runs in zip(*rounds)]
    table.row(name, spread(figures[0]), spread(figures[1]), spread([b["rate"] / max(a["rate"], 1) for a, b in rounds], times),
              spread(figures[2], number), spread(figures[3], number), spread([a["cpu_us"] / b["cpu_us"] for a, b in rounds], times))
