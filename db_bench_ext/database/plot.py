#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Draws figures that end_to_end.py --json wrote. Needs gnuplot.

memory: the memory of filters against false positives, one line for each policy. All FILEs
are drawn together; each comparison in them is a point of each line, so run
end_to_end.py --rounds=0 --bits=6,8,10,12,14,16,18,20.

break-even: how the speed of lookups of absent keys depends on what a false positive costs,
from end_to_end.py --break-even, one line for each FILE and number of bits. It was measured
at one cost; at another one each policy takes as much more or less time as it has false
positives.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COLOURS = (
    "#0072b2", "#e69f00", "#8e44ad", "#009e73", "#c0392b", "#56b4e9", "#222222", "#cc79a7"
)  # fmt: skip
COSTS_NS = [10 ** (step / 10) for step in range(10, 51)]
PLOTTED_POLICY = "uniform"  # Of break-even.

Reports = dict[str, Any]  # By name.


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True)
class Line:
    title: str
    points: list[tuple[float, float]]
    colour: str
    style: str


def plot(name: str, lines: list[Line], also: str = "") -> str:
    """Returns gnuplot's data blocks and its plot command. `name`: of the data blocks."""
    blocks, drawn = "", [also] if also else []
    for number, line in enumerate(lines):
        rows = "\n".join(f"{x} {y}" for x, y in line.points)
        blocks += f"${name}{number} << END\n{rows}\nEND\n"
        drawn.append(
            f"${name}{number} with {line.style} linewidth 2 linecolor rgb '{line.colour}' "
            f"title {quoted(line.title)}"
        )
    return f"{blocks}plot {', '.join(drawn)}\n"


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


# ---- Memory ----


def memory_points(reports: Reports) -> dict[str, list[tuple[float, float]]]:
    """Returns false positives per look-up, and filter bytes per key, by policy."""
    points: dict[str, list[tuple[float, float]]] = {}
    for report in reports.values():
        for comparison in report["comparisons"]:
            for figures in comparison["figures"]:
                rate = comparison["false_positives"][figures["policy"]]
                point = (rate, figures["filter_bytes"] / report["keys"])
                points.setdefault(figures["policy"], []).append(point)
    return {name: sorted(each) for name, each in points.items()}


def memory(reports: Reports) -> tuple[int, int, str]:
    lines = [
        Line(name, points, colour(number), f"linespoints pointtype {number + 4}")
        for number, (name, points) in enumerate(memory_points(reports).items())
    ]
    return 800, 520, f"""
set logscale x
set xlabel 'false positives in each look-up of an absent key'
set ylabel 'filter bytes per key'
set yrange [0:]
set key top right
{plot("memory", lines)}"""


# ---- Break-even ----


def relative_speeds(row: Any, cost: Any) -> Iterator[tuple[float, float]]:
    """Yields a false positive's cost, and the speed relative to RocksDB's Bloom filter."""
    bloom_ns = 1e9 / row["bloom_ops_per_second"]
    ours_ns = bloom_ns / row["ratios"][PLOTTED_POLICY]["median"]
    for ns in COSTS_NS:
        more = ns - cost["block_ns"]
        bloom = bloom_ns + cost["bloom_false_positives"] * more
        ours = ours_ns + cost["false_positives"] * more
        if bloom > 0 and ours > 0:
            yield ns, bloom / ours


def break_even_panel(lookups: str, reports: Reports) -> str:
    lines = []
    for number, (name, report) in enumerate(reports.items()):
        for index, comparison in enumerate(report["comparisons"]):
            row = next(row for row in comparison["rows"] if row["lookups"] == lookups)
            costs = [
                cost for cost in comparison["break_even"]
                if (cost["lookups"], cost["policy"]) == (lookups, PLOTTED_POLICY)
            ]
            for cost in costs:
                title = f"{name}, {comparison['title']}"
                points = list(relative_speeds(row, cost))
                style = f"lines dashtype {index + 1}"
                lines.append(Line(title, points, colour(number), style))
    one = "1 with lines linecolor rgb '#555555' notitle"
    drawn = plot(lookups.partition(",")[0], lines, one)
    return f"set title {quoted(lookups)}\n{drawn}"


def break_even(reports: Reports) -> tuple[int, int, str]:
    return 1100, 460, f"""
set logscale x
set xrange [10:100000]
set xtics ('10 ns' 1e1, '100 ns' 1e2, '1 µs' 1e3, '10 µs' 1e4, '100 µs' 1e5)
set xlabel 'what a false positive costs'
set key top left
set multiplot layout 1,2
set ylabel 'lookups per second, relative to RocksDB''s Bloom'
{break_even_panel("readmissing, absent", reports)}
unset ylabel
{break_even_panel("multireadrandom, absent", reports)}
unset multiplot
"""


# ---- The command ----


def draw(out: Path, width: int, height: int, script: str) -> None:
    head = f"""
set terminal svg size {width},{height} font 'sans,13' background '#ffffff' noenhanced
set output {quoted(str(out))}
set border 3 linecolor '#555555'
set tics nomirror
set grid linecolor '#dddddd' linetype 1
"""
    if shutil.which("gnuplot") is None:
        sys.exit("plot.py: no gnuplot; install Debian's package gnuplot-nox")
    run = subprocess.run(["gnuplot"], input=head + script, text=True, capture_output=True)
    if run.returncode != 0:
        sys.exit(f"plot.py: gnuplot: {run.stderr.strip()}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    plots = {"memory": memory, "break-even": break_even}
    parser.add_argument("plot", choices=tuple(plots))
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.svg")
    parser.add_argument(
        "measured",
        nargs="+",
        metavar="NAME=FILE",
        help="a name for the legend, and the JSON file of end_to_end.py",
    )
    arguments = parser.parse_args()
    reports = {}
    for argument in arguments.measured:
        name, _, path = argument.partition("=")
        if not Path(path).is_file():
            parser.error(f"{argument}: not NAME=FILE, or there is no such file")
        reports[name] = json.loads(Path(path).read_text())
    draw(arguments.out, *plots[arguments.plot](reports))


if __name__ == "__main__":
    main()
