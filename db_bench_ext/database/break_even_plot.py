#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Draws how the speed of lookups of absent keys depends on what a false positive costs.

Reads figures that end_to_end.py --json wrote, which were measured at one cost of a false
positive. For other costs, computes the time of each filter from its number of false
positives. Needs gnuplot.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#c0392b")
COSTS_NS = [10 ** (step / 10) for step in range(10, 51)]


def relative_speeds(
    timed: dict[str, Any], cost: dict[str, Any]
) -> Iterator[tuple[float, float]]:
    """Yields a false positive's cost, and the speed relative to RocksDB's Bloom filter."""
    rates = cost["false_positives"]
    bloom_ns = 1e9 / timed["median_ops_per_second"]["bloomfilter"]
    ours_ns = bloom_ns / timed["ratio"]["median"]
    for ns in COSTS_NS:
        more = ns - cost["block_ns"]
        bloom = bloom_ns + rates["bloomfilter"] * more
        ours = ours_ns + rates["cassandra_bloom"] * more
        if bloom > 0 and ours > 0:
            yield ns, bloom / ours


def panel(lookups: str, measured: dict[str, Any]) -> str:
    blocks, lines = [], ["1 with lines linecolor rgb '#555555' notitle"]
    for number, (name, report) in enumerate(measured.items()):
        for comparison in report["comparisons"]:
            timed = next(t for t in comparison["timed"] if t["lookups"] == lookups)
            cost = next(c for c in comparison["break_even"] if c["lookups"] == lookups)
            block = f"${lookups.partition(',')[0]}{number}_{comparison['bits']}"
            rows = "\n".join(f"{x} {y}" for x, y in relative_speeds(timed, cost))
            blocks.append(f"{block} << END\n{rows}\nEND")
            dash = 1 if comparison["bits"] == 10 else 2
            lines.append(
                f"{block} with lines linewidth 2 dashtype {dash} linecolor rgb "
                f"'{COLOURS[number % len(COLOURS)]}' title "
                f"'{name}, {comparison['bits']} bits per key'"
            )
    return "\n".join(blocks) + f"\nset title '{lookups}'\nplot " + ", ".join(lines)


def draw(out: Path, measured: dict[str, Any]) -> None:
    script = f"""
set terminal svg size 1100,460 font 'sans,13' background '#ffffff' noenhanced
set output '{out}'
set border 3 linecolor '#555555'
set tics nomirror
set grid linecolor '#dddddd' linetype 1
set logscale x
set xrange [10:100000]
set xtics ('10 ns' 1e1, '100 ns' 1e2, '1 µs' 1e3, '10 µs' 1e4, '100 µs' 1e5)
set xlabel 'what a false positive costs'
set key top left
set multiplot layout 1,2
set ylabel 'lookups per second, relative to RocksDB''s Bloom'
{panel("readmissing, absent", measured)}
unset ylabel
{panel("multireadrandom, absent", measured)}
unset multiplot
"""
    if shutil.which("gnuplot") is None:
        sys.exit("break_even_plot.py: no gnuplot; install Debian's package gnuplot-nox")
    run = subprocess.run(["gnuplot"], input=script, text=True, capture_output=True)
    if run.returncode != 0:
        sys.exit(f"break_even_plot.py: gnuplot: {run.stderr.strip()}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.svg")
    parser.add_argument(
        "measured",
        nargs="+",
        metavar="NAME=FILE",
        help="a name for the legend, and the JSON file of end_to_end.py",
    )
    arguments = parser.parse_args()
    measured = {}
    for argument in arguments.measured:
        name, _, path = argument.partition("=")
        if not Path(path).is_file():
            parser.error(f"{argument}: not NAME=FILE, or there is no such file")
        measured[name.replace("'", "''")] = json.loads(Path(path).read_text())
    draw(arguments.out, measured)


if __name__ == "__main__":
    main()
