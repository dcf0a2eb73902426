# SPDX-License-Identifier: Apache-2.0

"""The plots of report.py, made with gnuplot."""

import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any

Result = dict[str, Any]  # One of the results of filter_bench --json.

Look = tuple[str, str, int]  # Title, colour and shape of the points.
LOOKS: dict[str, Look] = {
    "naive": ("naive", "#999999", 2),
    "ribbon": ("RocksDB's Ribbon", "#e69f00", 9),
    "bloom": ("RocksDB's Bloom", "#0072b2", 5),
}
# Colours and shapes for cassandra_bloom, one for each kernel.
OUR_LOOKS = (("#c0392b", 7), ("#009e73", 13), ("#8e44ad", 11), ("#222222", 3))

FONT = "sans,13"
SIZE_TICS = "('10 K' 1e4, '100 K' 1e5, '1 M' 1e6, '10 M' 1e7, '64 M' 64e6)"


class Failure(Exception):
    """An error. Its message says why there is no report."""


def title(name: str) -> str:
    return LOOKS[name][0] if name in LOOKS else name


def ours(filters: Iterable[str]) -> list[str]:
    """Returns the names of cassandra_bloom in `filters`, one for each kernel."""
    return [name for name in dict.fromkeys(filters) if name not in LOOKS]


def looks(filters: Iterable[str]) -> dict[str, Look]:
    """Returns each filter's look. Those of LOOKS are always included, and first."""
    return LOOKS | {
        name: (name, *OUR_LOOKS[i % len(OUR_LOOKS)])
        for i, name in enumerate(ours(filters))
    }


# ---- gnuplot ----


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def draw(path: Path, width: int, height: int, script: str) -> None:
    if shutil.which("gnuplot") is None:
        raise Failure("no gnuplot; install Debian's package gnuplot-nox")
    head = f"""
set terminal svg size {width},{height} font '{FONT}' background '#ffffff' noenhanced
set output {quoted(str(path))}
set border 3 linecolor '#555555'
set tics nomirror
set grid linecolor '#dddddd' linetype 1
"""
    run = subprocess.run(
        ["gnuplot"], input=head + script, text=True, capture_output=True, check=False
    )
    if run.returncode != 0 or not path.is_file() or not path.stat().st_size:
        raise Failure(f"gnuplot could not draw {path.name}: {run.stderr.strip()}")


def data_block(name: str, points: Iterable[Sequence[object]]) -> str:
    rows = "\n".join(" ".join(str(value) for value in point) for point in points)
    return f"${name} << END\n{rows}\nEND\n"


@dataclass
class Line:
    title: str
    points: Sequence[tuple[float, float]]
    style: str


def lines(plotted: Sequence[Line], prefix: str = "line") -> str:
    """Returns the data and the plot command."""
    data = [data_block(f"{prefix}{i}", line.points) for i, line in enumerate(plotted)]
    commands = [
        f"${prefix}{i} using 1:2 with {line.style} title {quoted(line.title)}"
        for i, line in enumerate(plotted)
    ]
    return "".join(data) + "plot " + ", \\\n  ".join(commands) + "\n"


def lines_by_filter(
    results: Sequence[Result],
    x: Callable[[Result], float],
    y: Callable[[Result], float],
) -> list[Line]:
    plotted = []
    for name, (heading, colour, point) in looks(r["filter"] for r in results).items():
        style = (
            f"linespoints linewidth 2 linecolor rgb '{colour}' pointtype {point} "
            "pointsize 0.7"
        )
        points = sorted((x(r), y(r)) for r in results if r["filter"] == name)
        if points:
            plotted.append(Line(heading, points, style))
    return plotted


# ---- The four plots ----


def best_rate(bits_per_key: float) -> float:
    """The false positive rate of a Bloom filter with the best whole number of probes."""
    return min((1 - exp(-k / bits_per_key)) ** k for k in range(1, 60))


def plot_rates(results: Sequence[Result], path: Path) -> None:
    plotted = lines_by_filter(
        # A logarithmic scale has no place for a rate of 0.
        [result for result in results if result["false_positives"]],
        x=lambda r: float(r["block_bits_per_key"]),
        y=lambda r: 100 * float(r["false_positive_rate"]),
    )
    theory = [(b / 4, 100 * best_rate(b / 4)) for b in range(4 * 3, 4 * 25 + 1)]
    style = "lines linewidth 1.5 dashtype 2 linecolor rgb 'black'"
    plotted.append(Line("a Bloom filter in theory", theory, style))
    draw(
        path,
        820,
        560,
        f"""
set title 'False positives against the memory that the filter takes'
set xlabel 'bits per key of the filter block'
set ylabel 'absent keys that match'
set xrange [3:25]
set yrange [0.0005:40]
set xtics 2
set logscale y
set ytics ('0.001 %%' 0.001, '0.01 %%' 0.01, '0.1 %%' 0.1, '1 %%' 1, '10 %%' 10)
set key top right
{lines(plotted)}""",
    )


def time_panel(results: Sequence[Result], panel: str, heading: str) -> str:
    plotted = lines_by_filter(
        results, lambda r: float(r["keys"]), lambda r: float(r["best_ns"])
    )
    return f"set title {quoted(heading)}\n{lines(plotted, panel)}"


def time_axes(results: Sequence[Result]) -> str:
    times = [float(result["best_ns"]) for result in results]
    keys = [int(result["keys"]) for result in results]
    # The range leaves room for the filters' names at the top.
    return f"""
set logscale xy
set xrange [{min(keys) / 1.4:.3g}:{max(keys) * 1.4:.3g}]
set yrange [{min(times) / 1.3:.3g}:{max(times) * 3:.3g}]
set xtics {SIZE_TICS}
set ytics (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000)
set xlabel 'keys in the filter'
set key top left
"""


def plot_absent(results: Sequence[Result], path: Path) -> None:
    single = [r for r in results if r["workload"] == "absent"]
    batch = [r for r in results if r["workload"] == "batch_absent"]
    draw(
        path,
        1100,
        520,
        f"""{time_axes(single + batch)}
set multiplot layout 1,2
set ylabel 'ns per absent key'
{time_panel(single, "single", "One by one")}
unset ylabel
{time_panel(batch, "batch", "In batches of 32")}
unset multiplot
""",
    )


def plot_build(results: Sequence[Result], path: Path) -> None:
    builds = [r for r in results if r["workload"] == "build"]
    draw(
        path,
        720,
        520,
        f"""{time_axes(builds)}
set ylabel 'ns per key'
{time_panel(builds, "build", "Building a filter")}""",
    )


def plot_ratios(works: Sequence[tuple[str, dict[str, float]]], path: Path) -> None:
    """Plots `works`: titles and the other filters' ratios to RocksDB's Bloom filter."""
    names = list(works[0][1])
    width = 0.8 / len(names)
    data, labels = [], []
    commands = [
        f"1 with lines linewidth 2 linecolor rgb '{LOOKS['bloom'][1]}' title "
        + quoted("RocksDB's Bloom = 1")
    ]
    for i, name in enumerate(names):
        heading, colour, _ = looks(names)[name]
        boxes = []
        for at, (_, ratios) in enumerate(works):
            left, ratio = at - 0.4 + i * width, ratios[name]
            x, right = left + width / 2, left + width
            boxes.append((x, 1, left, right, min(1, ratio), max(1, ratio)))
            # The label is above a bar that goes up, and below one that goes down.
            beyond = ratio * 1.1 if ratio >= 1 else ratio / 1.1
            labels.append((x, beyond, f'"{ratio:.2f}"'))
        data.append(data_block(f"bars{i}", boxes))
        commands.append(
            f"$bars{i} using 1:2:3:4:5:6 with boxxyerror fillstyle solid 0.9 noborder "
            f"linecolor rgb '{colour}' title {quoted(heading)}"
        )
    data.append(data_block("labels", labels))
    commands.append("$labels using 1:2:3 with labels font 'sans,9' notitle")
    tics = ", ".join(
        '"{}" {}'.format(text.replace("\n", "\\n"), at)
        for at, (text, _) in enumerate(works)
    )
    all_ratios = [ratio for _, ratios in works for ratio in ratios.values()]
    draw(
        path,
        1200,
        560,
        f"""
set title 'Time relative to RocksDB''s Bloom filter at the same work: below 1 is faster'
set logscale y
set yrange [{min(all_ratios) / 1.4:.3g}:{max(all_ratios) * 2:.3g}]
set xrange [-0.6:{len(works) - 0.4}]
set ytics (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 20, 30)
set xtics ({tics}) scale 0
set grid noxtics
set key top left horizontal
set bmargin 6
{"".join(data)}
plot {", ".join(commands)}
""",
    )
