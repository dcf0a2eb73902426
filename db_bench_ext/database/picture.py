# SPDX-License-Identifier: Apache-2.0

"""Draws the memory of filters against their false positives, with gnuplot."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from db_bench import Failure
from levels import Counted

BITS = (6, 8, 10, 12, 14, 16)
COLOURS = ("#0072b2", "#e69f00", "#8e44ad", "#009e73", "#c0392b")

Point = tuple[float, float]  # False positives in each look-up, filter bytes per key.

SCRIPT = """
set terminal svg size 800,520 font 'sans,13' background '#ffffff' noenhanced
set output '{out}'
set border 3 linecolor '#555555'
set tics nomirror
set grid linecolor '#dddddd' linetype 1
set logscale x
set xlabel 'false positives in each look-up of an absent key'
set ylabel 'filter bytes per key'
set yrange [0:]
set key top right
plot {lines}
"""


def point(counted: Counted) -> Point:
    return counted.false_positives(), counted.filter_bytes / counted.keys


def script(points: Mapping[str, Sequence[Point]], out: Path) -> str:
    """`points`: by the policy's string, with {} in the place of the bits per key."""
    data = lines = ""
    for number, (policy, line) in enumerate(points.items()):
        rows = "\n".join(f"{rate} {size}" for rate, size in line)
        data += f"$line{number} << END\n{rows}\nEND\n"
        title = policy.replace("{}", "N")
        lines += (
            f"{', ' if lines else ''}$line{number} with linespoints pointtype {number + 4} "
            f"linewidth 2 linecolor rgb '{COLOURS[number]}' title '{title}'"
        )
    return data + SCRIPT.format(out=out, lines=lines)


def draw(points: Mapping[str, Sequence[Point]], out: Path) -> None:
    if shutil.which("gnuplot") is None:
        raise Failure("no gnuplot; install Debian's package gnuplot-nox")
    run = subprocess.run(
        ["gnuplot"], input=script(points, out), text=True, capture_output=True
    )
    if run.returncode != 0:
        raise Failure(f"gnuplot: {run.stderr.strip()}")
