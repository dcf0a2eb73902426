# SPDX-License-Identifier: Apache-2.0

"""The plots of report.py, by gnuplot."""

import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any

Result = dict[str, Any]  # One of the results of filter_bench --json.

TITLES = {"bloom": "RocksDB's Bloom", "ribbon": "RocksDB's Ribbon", "naive": "naive"}
COLOURS = {"bloom": "#0072b2", "ribbon": "#e69f00", "naive": "#999999"}
OUR_COLOURS = ("#c0392b", "#009e73", "#8e44ad", "#222222")  # Kernel by kernel.
POINTS = {"bloom": 5, "ribbon": 9, "naive": 2}
OUR_POINTS = (7, 13, 11, 3)

FONT = "sans,13"
SIZE_TICS = "('10 K' 1e4, '100 K' 1e5, '1 M' 1e6, '10 M' 1e7, '64 M' 64e6)"


class GnuplotError(Exception):
    """Why there is no plot."""


def title(filter_name: str) -> str:
    return TITLES.get(filter_name, filter_name)


def ours(results: Iterable[Result]) -> list[str]:
    """The names of cassandra_bloom, one for each kernel."""
    names = dict.fromkeys(str(result["filter"]) for result in results)
    return [name for name in names if name not in TITLES]


def filters_of(results: Sequence[Result]) -> list[str]:
    present = {result["filter"] for result in results}
    return [
        name for name in ["naive", "ribbon", "bloom", *ours(results)] if name in present
    ]


def colour(name: str, our_names: Sequence[str]) -> str:
    if name in COLOURS:
        return COLOURS[name]
    return OUR_COLOURS[our_names.index(name) % len(OUR_COLOURS)]


def point(name: str, our_names: Sequence[str]) -> int:
    if name in POINTS:
        return POINTS[name]
    return OUR_POINTS[our_names.index(name) % len(OUR_POINTS)]


# ---- gnuplot ----


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def draw(path: Path, width: int, height: int, script: str) -> None:
    if shutil.which("gnuplot") is None:
        raise GnuplotError("no gnuplot; install Debian's package gnuplot-nox")
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
        raise GnuplotError(f"gnuplot could not draw {path.name}: {run.stderr.strip()}")


def data_block(name: str, points: Iterable[Sequence[object]]) -> str:
    rows = "\n".join(" ".join(str(value) for value in point) for point in points)
    return f"${name} << END\n{rows}\nEND\n"


@dataclass
class Line:
    title: str
    points: Sequence[tuple[float, float]]
    style: str


def lines(plotted: Sequence[Line], prefix: str = "line") -> str:
    """Data and the plot command."""
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
    our_names = ours(results)
    plotted = []
    for name in filters_of(results):
        style = (
            f"linespoints linewidth 2 linecolor rgb '{colour(name, our_names)}' "
            f"pointtype {point(name, our_names)} pointsize 0.7"
        )
        points = sorted((x(r), y(r)) for r in results if r["filter"] == name)
        plotted.append(Line(title(name), points, style))
    return plotted


# ---- The four plots ----


def best_rate(bits_per_key: float) -> float:
    """Of any Bloom filter with the best whole number of probes."""
    return min((1 - exp(-k / bits_per_key)) ** k for k in range(1, 60))


def plot_rates(results: Sequence[Result], path: Path) -> None:
    plotted = lines_by_filter(
        # No false positive at all has no place on a logarithmic scale.
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
    # The filters' names have room at the top.
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


def bar_labels(
    bars: Sequence[tuple[float, float]], name: str
) -> tuple[list[str], list[str]]:
    """The ratios, above the bars that go up and below those that go down: data and
    plot commands."""
    data, commands = [], []
    for side, offset in (("up", 0.5), ("down", -0.5)):
        labels = [
            (x, ratio, f'"{ratio:.2f}"')
            for x, ratio in bars
            if (ratio >= 1) == (side == "up")
        ]
        if labels:
            data.append(data_block(f"{side}{name}", labels))
            commands.append(
                f"${side}{name} using 1:2:3 with labels font 'sans,9' "
                f"offset 0,{offset} notitle"
            )
    return data, commands


def plot_ratios(works: Sequence[tuple[str, dict[str, float]]], path: Path) -> None:
    """`works`: titles and the filters' ratios to RocksDB's Bloom filter."""
    names = [name for name in works[0][1] if name != "bloom"]
    our_names = [name for name in names if name not in TITLES]
    width = 0.8 / len(names)
    data = []
    commands = [
        f"1 with lines linewidth 2 linecolor rgb '{COLOURS['bloom']}' title "
        + quoted("RocksDB's Bloom = 1")
    ]
    for i, name in enumerate(names):
        left = [at - 0.4 + i * width for at in range(len(works))]
        bars = [(x + width / 2, work[1][name]) for x, work in zip(left, works)]
        boxes = [
            (x, 1, x - width / 2, x + width / 2, min(1, ratio), max(1, ratio))
            for x, ratio in bars
        ]
        data.append(data_block(f"bars{i}", boxes))
        commands.append(
            f"$bars{i} using 1:2:3:4:5:6 with boxxyerror fillstyle solid 0.9 noborder "
            f"linecolor rgb '{colour(name, our_names)}' title {quoted(title(name))}"
        )
        label_data, label_commands = bar_labels(bars, str(i))
        data += label_data
        commands += label_commands
    tics = ", ".join(
        '"{}" {}'.format(text.replace("\n", "\\n"), at)
        for at, (text, _) in enumerate(works)
    )
    ratios = [ratio for _, work in works for ratio in work.values()]
    draw(
        path,
        1200,
        560,
        f"""
set title 'Time relative to RocksDB''s Bloom filter at the same work: below 1 is faster'
set logscale y
set yrange [{min(ratios) / 1.4:.3g}:{max(ratios) * 2:.3g}]
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
