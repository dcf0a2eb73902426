#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Runs filter_bench with many sizes and bits per key, and plots the results.

Writes four plots (SVG), a table that names the machine (report.md), and all
output of filter_bench (measured.json) into one folder.
"""

import argparse
import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

import report_plots as plots
from report_plots import Failure, Result

BENCH = Path("build/release/bin/filter_bench")
MEASURED = "measured.json"
HEADLINES = "headlines"
RATES = "rates"
SIZES = "sizes"
# Bits per key of cassandra_bloom, in the table of filters with the same rate.
EQUAL_RATE_BITS = (8, 10, 12, 16, 20)
MIN_COUNTED = 500  # With so many false positives, a rate is known to a twentieth.


# ---- What is measured ----


@dataclass(frozen=True)
class Run:
    """One call of filter_bench. A plot shows all runs of one part."""

    part: str
    flags: str


def rates(queries: str, rounds: int) -> Run:
    bits = ",".join(str(bits) for bits in range(5, 31))
    return Run(
        RATES,
        f"--keys=200K --bits_per_key={bits} --workloads=absent --queries={queries} "
        f"--filters_to_run=bloom,ribbon,cassandra_bloom --rounds={rounds}",
    )


def sizes(keys: str, rounds: int, build_rounds: int) -> Run:
    return Run(
        SIZES,
        f"--keys={keys} --workloads=build,absent,batch_absent --batch=32 "
        f"--rounds={rounds} --build_rounds={build_rounds}",
    )


def headlines(rounds: int, build_rounds: int) -> list[Run]:
    return [
        Run(
            HEADLINES,
            "--keys=10K,1M --workloads=build,absent,present,batch_absent --batch=32 "
            f"--rounds={rounds} --build_rounds={build_rounds}",
        ),
        Run(
            HEADLINES,
            "--keys=1M --filters=50 --workloads=absent,batch_absent --batch=32 "
            f"--rounds={rounds}",
        ),
    ]


FULL = [
    *headlines(rounds=75, build_rounds=15),
    rates("1M", rounds=10),
    sizes("10K,30K,100K,300K,1M,3M", rounds=41, build_rounds=7),
    sizes("10M,30M", rounds=31, build_rounds=3),
    sizes("64M", rounds=31, build_rounds=2),
]
QUICK = [
    *headlines(rounds=45, build_rounds=9),
    rates("500K", rounds=3),
    sizes("10K,100K,1M", rounds=21, build_rounds=5),
    sizes("4M", rounds=21, build_rounds=2),
]

Measured = list[dict[str, Any]]  # The output of each run, with the run's part.


def measure(bench: Path, runs: Sequence[Run]) -> Measured:
    measured = []
    for number, run in enumerate(runs, start=1):
        print(f"[{number}/{len(runs)}] filter_bench {run.flags}", flush=True)
        start = time.monotonic()
        try:
            output = subprocess.run(
                [str(bench), *run.flags.split(), "--json=-"],
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout
        except OSError as error:
            raise Failure(f"{bench}: {error.strerror}; see make bench") from error
        except subprocess.CalledProcessError as error:
            raise Failure(str(error)) from error
        print(f"      {time.monotonic() - start:.0f} s", flush=True)
        measured.append({"part": run.part, **json.loads(output)})
    return measured


def results_of(measured: Measured, part: str) -> list[Result]:
    return [r for run in measured if run["part"] == part for r in run["results"]]


# ---- The headlines ----


@dataclass(frozen=True)
class Work:
    title: str
    workload: str
    keys: int
    filters: int = 1

    def results(self, headline_results: Sequence[Result]) -> dict[str, Result]:
        """Returns the results of this work by filter."""
        mine = (self.workload, self.keys, self.filters)
        return {
            str(result["filter"]): result
            for result in headline_results
            if (result["workload"], result["keys"], result["filters"]) == mine
        }


WORKS = (
    Work("absent,\n10 K keys", "absent", 10_000),
    Work("absent,\n1 M keys", "absent", 1_000_000),
    Work("present,\n1 M keys", "present", 1_000_000),
    Work("absent,\nbatches of 32,\n10 K keys", "batch_absent", 10_000),
    Work("absent,\nbatches of 32,\n1 M keys", "batch_absent", 1_000_000),
    Work("absent,\n50 filters\nof 1 M keys", "absent", 1_000_000, 50),
    Work(
        "absent,\nbatches of 32,\n50 filters\nof 1 M keys",
        "batch_absent",
        1_000_000,
        50,
    ),
    Work("build,\n1 M keys", "build", 1_000_000),
)


def compared(results: Sequence[Result]) -> list[str]:
    """Returns the names of all filters, with cassandra_bloom once for each kernel."""
    ours = plots.ours(result["filter"] for result in results)
    return ["bloom", "ribbon", *ours, "naive"]


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = rows
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, rule, *body])


def times_table(results: Sequence[Result]) -> str:
    names = compared(results)
    ours = plots.ours(names)
    rows = [["work", *[f"{plots.title(name)}, ns" for name in names]]]
    for name in ours:
        rows[0] += [f"{name} / Bloom", f"{name} / naive"]
    for work in WORKS:
        of_filter = work.results(results)
        row = [work.title.replace("\n", " ")]
        row += [f"{of_filter[name]['best_ns']:.1f}" for name in names]
        for name in ours:
            row.append(f"**{of_filter[name]['ratio_to_bloom']:.2f}**")
            row.append(f"{of_filter[name]['ratio_to_naive']:.2f}")
        rows.append(row)
    return markdown_table(rows)


def sizes_table(results: Sequence[Result]) -> str:
    rows = [["filter of 1 M keys", "false positives", "bits per key", "bytes per key"]]
    rows[0][2] += " of the block"
    rows[0][3] += " while building, at most"
    absent = Work("", "absent", 1_000_000).results(results)
    for name in compared(results):
        result = absent[name]
        peak = result["build_peak_bytes_per_key"]
        rows.append(
            [
                plots.title(name),
                f"{100 * result['false_positive_rate']:.3f} %",
                f"{result['block_bits_per_key']:.2f}",
                "-" if peak is None else f"{peak:.1f}",
            ]
        )
    return markdown_table(rows)


def bits_for_rate(results: Sequence[Result], rate: float) -> float | None:
    """Returns how many bits per key a filter needs for this rate, None if unknown.

    `results`: those of one filter with many bits per key. Between two of them, the
    logarithm of the rate is interpolated.
    """
    points = sorted((r["block_bits_per_key"], r["false_positive_rate"]) for r in results)
    for (bits, worse), (more_bits, better) in pairwise(points):
        if worse >= rate >= better > 0 and worse > better:
            part = log(worse / rate) / log(worse / better)
            return bits + part * (more_bits - bits)
    return None


def equal_rates_table(results: Sequence[Result]) -> str:
    bloom = [
        result
        for result in results
        if result["filter"] == "bloom" and result["false_positives"] >= MIN_COUNTED
    ]
    ours = plots.ours(result["filter"] for result in results)[0]
    rows = [["bits per key", "false positives", "RocksDB's Bloom needs", "more memory"]]
    for result in results:
        if result["filter"] != ours or result["bits_per_key"] not in EQUAL_RATE_BITS:
            continue
        bits, rate = result["block_bits_per_key"], result["false_positive_rate"]
        enough = result["false_positives"] >= MIN_COUNTED
        needed = bits_for_rate(bloom, rate) if enough else None
        row = [f"{result['bits_per_key']:g}", f"{100 * rate:.4f} %"]
        row += ["-", "-"] if needed is None else [f"{needed:.1f}", f"{needed / bits - 1:.0%}"]
        rows.append(row)
    return markdown_table(rows)


def about(measured: Measured) -> str:
    run = measured[0]
    machine = run["machine"]
    caches = ", ".join(
        f"{name} {machine[f'{name.lower()}_cache_bytes'] // 1024:,} KiB"
        for name in ("L1d", "L2", "L3")
    )
    return f"""\
- {machine["cpus"]} * {machine["cpu"]}: {" ".join(machine["simd"])}
- caches: {caches}; transparent hugepages: {machine["transparent_hugepages"]}
- RocksDB {run["rocksdb"]["version"]}: `{run["rocksdb"]["file"]}`
- filter_bench compiled by {run["compiler"]}
"""


def report(measured: Measured) -> str:
    results = results_of(measured, HEADLINES)
    return f"""\
# Filters side by side

{about(measured)}
Keys of 16 bytes, 10 bits per key. The best of {measured[0]["parameters"]["rounds"]}
interleaved rounds, without the loop's own time, in ns per key. The ratios compare
times: below 1 is faster.

{times_table(results)}
![ratios](ratios.svg)

{sizes_table(results)}
![false positives](rates.svg)

At the same rate instead of the same memory:

{equal_rates_table(results_of(measured, RATES))}
![absent keys](absent.svg)

![building](build.svg)
"""


def draw(measured: Measured, out: Path) -> None:
    plots.plot_rates(results_of(measured, RATES), out / "rates.svg")
    plots.plot_absent(results_of(measured, SIZES), out / "absent.svg")
    plots.plot_build(results_of(measured, SIZES), out / "build.svg")
    results = results_of(measured, HEADLINES)
    names = [name for name in compared(results) if name != "bloom"]
    ratios = [
        (
            work.title,
            {n: float(work.results(results)[n]["ratio_to_bloom"]) for n in names},
        )
        for work in WORKS
    ]
    plots.plot_ratios(ratios, out / "ratios.svg")


# ---- The command ----


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "--bench",
        type=Path,
        default=BENCH,
        metavar="FILE",
        help="filter_bench, %(default)s unless given",
    )
    add(
        "--out",
        type=Path,
        default=Path("build/report"),
        metavar="DIR",
        help="the folder, %(default)s unless given",
    )
    add(
        "--quick",
        action="store_true",
        help="up to 4 M keys and few rounds: 1 to 2 minutes, not about 15",
    )
    add(
        "--reuse",
        action="store_true",
        help=f"measure nothing; draw anew what is in the folder's {MEASURED}",
    )
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    measured_file = arguments.out / MEASURED
    try:
        if arguments.reuse:
            measured = json.loads(measured_file.read_text())
        else:
            arguments.out.mkdir(parents=True, exist_ok=True)
            measured = measure(arguments.bench, QUICK if arguments.quick else FULL)
            measured_file.write_text(json.dumps(measured, indent=1))
        draw(measured, arguments.out)
        text = report(measured)
        (arguments.out / "report.md").write_text(text)
    except (Failure, OSError) as error:
        sys.exit(f"report.py: {error}")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    print(f"\n{text}\nAll of it: {arguments.out}")


if __name__ == "__main__":
    main()
