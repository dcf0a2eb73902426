#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares filter policies with the stock db_bench, and prints one table.

The same keys are written once and then compacted with no filter, with RocksDB's own
Bloom and Ribbon filters and with cassandra_bloom, as full, partitioned and prefix
filters. Then absent and present keys are looked up. Processes with each filter take turns.
The script fails if the database's files and RocksDB's own counters do not show that
the requested filter was used, or if a filter hides a key.

The databases take about 1.5 KB per key in total. They are in a temporary folder (see
TMPDIR), which is removed at the end.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from in_turn import SLICE_SECONDS, rotated
from stock_tools import (
    COUNTED,
    OPTIONS_DIR,
    SEED,
    Bench,
    Failure,
    Progress,
    StockDatabase,
    Tools,
    argument_parser,
    chosen_tools,
    orderly_exit,
    timed_figures,
    wrap,
)

MODES = ("full", "partitioned", "prefix")
NO_FILTER = "none"
BLOOM = "bloomfilter:10"
RIBBON = "ribbonfilter:10"
OURS = "cassandra_bloom:10"
POLICIES = (NO_FILTER, BLOOM, RIBBON, OURS)

ROUNDS = 9
MIN_KEYS = 10000
# A key is a big-endian number and padding. Its prefix is the whole number. The range
# of numbers is so large that a random number, and so its prefix, is absent.
KEY_NUMBERS = 2**48
# How long the lookups of one process run in a round.
LOOKUP_SECONDS = 0.5


# ---- What is measured ----


@dataclass(frozen=True)
class Config:
    mode: str
    policy: str

    def __str__(self) -> str:
        return f"{self.mode}, {self.policy}"


@dataclass(frozen=True)
class Metric:
    name: str
    title: tuple[str, str]
    width: int
    form: str
    summary: Callable[[list[float]], float]  # Summarises the values of all rounds.
    higher_is_better: bool = False
    compared: bool = False  # An extra column compares it with BLOOM.


READMISSING = Metric(
    "readmissing", ("readmissing", "ops/s"), 12, "{:,.0f}", median, True, True
)
READRANDOM = Metric(
    "readrandom", ("readrandom", "ops/s"), 11, "{:,.0f}", median, True, True
)
FILTER_SIZE = Metric("bytes per key", ("filter", "bytes/key"), 10, "{:.3f}", fmean)
FALSE_POSITIVES = Metric("false positives", ("false", "positives"), 10, "{:.3%}", fmean)
COMPACT = Metric("compact", ("compact", "seconds"), 9, "{:.3f}", median)
METRICS = (READMISSING, READRANDOM, FILTER_SIZE, FALSE_POSITIVES, COMPACT)
TIMED = (READMISSING, READRANDOM, COMPACT)

# The values of all rounds. Without a filter there are no false positives and no size.
Figures = dict[Metric, list[float]]
Table = dict[Config, Figures]


# ---- Databases ----


class Database(StockDatabase):
    def __init__(self, tools: Tools, config: Config, path: Path) -> None:
        template = OPTIONS_DIR / f"{config.mode}.ini"
        policy = "nullptr" if config.policy == NO_FILTER else config.policy
        super().__init__(tools, str(config), path, template, {"filter_policy": policy})
        self._policy = config.policy

    def fill(self, keys: int) -> Bench:
        return self.bench(
            "fillrandom",
            "--disable_wal",
            f"--num={KEY_NUMBERS}",
            f"--writes={keys}",
            f"--seed={SEED}",
        )

    def copy_from(self, source: "Database") -> None:
        self._tools.run(
            "ldb",
            f"--db={source.path}",
            "checkpoint",
            f"--checkpoint_dir={self.path}",
        )

    def compact_command(self) -> tuple[str, ...]:
        return self.command("compact", "--use_existing_db")

    def read_absent_command(self, seed: int) -> tuple[str, ...]:
        return self._read_command("readmissing", seed, f"--num={KEY_NUMBERS}")

    def read_present_command(self, seed: int) -> tuple[str, ...]:
        return self._read_command("readrandom", seed, "--use_existing_keys")

    def filter_bytes_per_key(self) -> float:
        wanted = "N/A" if self._policy == NO_FILTER else self._policy.partition(":")[0]
        files = self.sst_files(wanted).values()
        size = sum(file.filter_bytes for file in files)
        return size / sum(file.entries for file in files)

    def _read_command(self, benchmark: str, seed: int, *flags: str) -> tuple[str, ...]:
        # db_bench also counts the time for which its process is stopped.
        duration = int(LOOKUP_SECONDS * len(POLICIES))
        return self.command(
            benchmark,
            "--use_existing_db",
            f"--duration={duration}",
            f"--seed={seed}",
            *COUNTED,
            "--cache_size=8388608",
            "--cache_high_pri_pool_ratio=0.5",
            *flags,
        )


# ---- Measuring ----


def false_positive_rate(config: Config, bench: Bench) -> float:
    counters = {
        name.removeprefix("rocksdb.bloom.filter."): count
        for name, count in bench.counters.items()
    }
    useful = counters["useful"]
    false = counters["full.positive"] - counters["full.true.positive"]
    # Since RocksDB 8.3, Get uses these counters instead if the filter has only prefixes.
    if "prefix.true.positive" in counters:
        useful += counters["prefix.useful"]
        false += counters["prefix.checked"] - counters["prefix.useful"]
        false -= counters["prefix.true.positive"]
    if useful == 0:
        raise Failure(
            f"{config}: the filter rejected no key: rocksdb.bloom.filter.useful is 0 "
            "after lookups of absent keys"
        )
    return false / (useful + false)


class Round:
    """Measures the databases of one mode once. Each round begins with another policy."""

    def __init__(
        self, tools: Tools, databases: dict[Config, Database], number: int
    ) -> None:
        self._tools = tools
        self._databases = dict(rotated(list(databases.items()), number))
        self._number = number

    def measure(self, table: Table) -> None:
        compacted = self._in_turn("compact", Database.compact_command)
        seed = SEED + 1 + self._number
        absent = self._in_turn("readmissing", Database.read_absent_command, seed)
        present = self._in_turn("readrandom", Database.read_present_command, seed)
        check_found(present)
        for config, database in self._databases.items():
            database.check_options(compacted[config])
            bytes_per_key = database.filter_bytes_per_key()
            figures = table[config]
            figures[COMPACT].append(compacted[config].seconds)
            figures[READMISSING].append(absent[config].ops_per_second)
            figures[READRANDOM].append(present[config].ops_per_second)
            if config.policy != NO_FILTER:
                figures[FILTER_SIZE].append(bytes_per_key)
                figures[FALSE_POSITIVES].append(
                    false_positive_rate(config, absent[config])
                )

    def _in_turn(
        self,
        benchmark: str,
        command: Callable[..., tuple[str, ...]],
        *arguments: int,
    ) -> dict[Config, Bench]:
        databases = self._databases.values()
        commands = [command(database, *arguments) for database in databases]
        runs = self._tools.run_in_turn(commands, self._number)
        return {
            config: timed_figures(benchmark, run)
            for config, run in zip(self._databases, runs, strict=True)
        }


def check_found(present: dict[Config, Bench]) -> None:
    """Fails if a filter hides a key."""
    for config, bench in present.items():
        if bench.found != bench.operations:
            raise Failure(
                f"{config}: false negatives: {bench.found:,} of {bench.operations:,} "
                "present keys were found"
            )


def measure_all(tools: Tools, folder: Path, keys: int) -> tuple[Table, Bench]:
    configs = [Config(mode, policy) for mode in MODES for policy in POLICIES]
    table: Table = {config: {metric: [] for metric in METRICS} for config in configs}
    with Progress(1 + ROUNDS * len(MODES)) as progress:
        progress.step(f"writing {keys:,} keys")
        source = Database(tools, Config("full", NO_FILTER), folder / "source")
        filled = source.fill(keys)
        databases = {}
        for config in configs:
            name = f"{config.mode}-{config.policy.replace(':', '-')}"
            databases[config] = Database(tools, config, folder / name)
            databases[config].copy_from(source)
        for number in range(ROUNDS):
            for mode in MODES:
                progress.step(f"round {number + 1} of {ROUNDS}: {mode}")
                of_mode = {
                    config: database
                    for config, database in databases.items()
                    if config.mode == mode
                }
                Round(tools, of_mode, number).measure(table)
    return table, filled


# ---- Reporting ----


def ratio(table: Table, mode: str, metric: Metric, policy: str, peer: str) -> float:
    """The median of the ratios of all rounds."""
    values, others = (table[Config(mode, name)][metric] for name in (policy, peer))
    return median(value / other for value, other in zip(values, others, strict=True))


def ratios(
    table: Table, metric: Metric, peer: str, modes: Sequence[str] = MODES
) -> str:
    return ", ".join(
        f"x{ratio(table, mode, metric, OURS, peer):.2f} {mode}" for mode in modes
    )


def about(filled: Bench, keys: int) -> str:
    return (
        f"{filled.machine()} {keys:,} keys of 16 bytes, values of 100, in one sorted "
        f"run.{filled.warning()}"
    )


def cells(table: Table, config: Config) -> Iterator[str]:
    for metric in METRICS:
        values = table[config][metric]
        value = metric.form.format(metric.summary(values)) if values else "-"
        yield f"{value:>{metric.width}}"
        if metric.compared:
            compared = ratio(table, config.mode, metric, config.policy, BLOOM)
            yield f"{compared:>8.2f}" if compared >= 0.5 else f"{compared:>8.3f}"


def table_lines(table: Table) -> Iterator[str]:
    for line, (name, comparison) in enumerate(
        (("mode         filter", ""), ("", "x bloom"))
    ):
        yield f"{name:31}" + "".join(
            f"{metric.title[line]:>{metric.width}}"
            + (f"{comparison:>8}" if metric.compared else "")
            for metric in METRICS
        )
    for config in table:
        if config.policy == NO_FILTER:
            yield ""
        yield f"{config.mode:13}{config.policy:18}" + "".join(cells(table, config))


def notes() -> str:
    return (
        "readmissing: absent keys and prefixes. readrandom: present keys "
        "(--use_existing_keys); a filter only costs time here. x bloom: relative to "
        f"{BLOOM}. bytes/key: filter block size / entries, from the SST files' "
        "properties. false positives: in readmissing, from the tickers "
        "rocksdb.bloom.filter.*: (full.positive - full.true.positive) / (useful + "
        "full.positive - full.true.positive). compact: db_bench's compact, which rewrites "
        "all keys and builds the filter. All seconds are CPU time of the process's threads. "
        f"Figures are medians of {ROUNDS} rounds; a ratio is the median of those of all "
        "rounds. In a round, one process for each filter takes turns with the others on "
        "one CPU, one running for "
        f"{SLICE_SECONDS * 1000:.0f} ms while the others are stopped."
    )


def noise(table: Table) -> str:
    def spread(config: Config, metric: Metric) -> float:
        bloom = table[Config(config.mode, BLOOM)][metric]
        pairs = zip(table[config][metric], bloom, strict=True)
        in_order = sorted(value / other for value, other in pairs)
        return (in_order[-1] - in_order[0]) / 2

    def typical(metric: Metric) -> str:
        filtered = [each for each in table if each.policy not in (NO_FILTER, BLOOM)]
        return f"{metric.name} {median(spread(each, metric) for each in filtered):.1%}"

    return (
        "Noise (half of the range of a ratio in all rounds, median of all filters): "
        f"{', '.join(map(typical, TIMED))}."
    )


def differs(table: Table, metric: Metric, mode: str, peer: str, better: bool) -> bool:
    """Whether ours was better than the peer in all rounds, or worse if not `better`.

    The worst round of one side must be better than the best round of the other. A ratio
    that is printed as 1.00 is no difference.
    """
    ours = table[Config(mode, OURS)][metric]
    others = table[Config(mode, peer)][metric]
    if metric.higher_is_better != better:
        ours, others = others, ours
    visible = f"{ratio(table, mode, metric, OURS, peer):.2f}" != "1.00"
    return visible and min(ours) > max(others)


def differences(table: Table, peer: str, better: bool) -> str:
    found = []
    for metric in METRICS:
        modes = [mode for mode in MODES if differs(table, metric, mode, peer, better)]
        if modes:
            found.append(f"{metric.name} {ratios(table, metric, peer, modes)}")
    return "; ".join(found) or "nothing"


def conclusions(table: Table) -> Iterator[str]:
    yield (
        f"{OURS} against no filter: readmissing "
        f"{ratios(table, READMISSING, NO_FILTER)}; readrandom "
        f"{ratios(table, READRANDOM, NO_FILTER)}."
    )
    for peer in (BLOOM, RIBBON):
        yield (
            f"{OURS} against {peer}, only where every round of one is better than "
            "every round of the other: "
            f"BETTER {differences(table, peer, better=True)}. "
            f"WORSE {differences(table, peer, better=False)}."
        )


def report(table: Table, filled: Bench, keys: int) -> str:
    lines = [*wrap(about(filled, keys)), "", *table_lines(table), ""]
    lines += [*wrap(notes()), *wrap(noise(table)), ""]
    for conclusion in conclusions(table):
        lines += wrap(conclusion)
    return "\n".join(lines)


def json_report(table: Table, filled: Bench, keys: int) -> str:
    rows = [
        {"mode": config.mode, "filter": config.policy}
        | {metric.name.replace(" ", "_"): figures[metric] for metric in METRICS}
        for config, figures in table.items()
    ]
    result = {
        "about": about(filled, keys),
        "notes": notes(),
        "rows": rows,
        "conclusions": list(conclusions(table)),
    }
    return json.dumps(result, indent=2)


# ---- The command ----


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument(
        "--num",
        type=int,
        default=300000,
        metavar="N",
        help="keys in the database [%(default)s]; more keys take more time",
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="put the databases into this new folder and leave them there",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the values of all rounds as JSON"
    )
    arguments = parser.parse_args()
    if arguments.num < MIN_KEYS:
        parser.error(f"argument --num: at least {MIN_KEYS}")
    return arguments


def main() -> None:
    arguments = parse_arguments()
    tools = chosen_tools(arguments)
    if arguments.keep:
        arguments.keep.mkdir(parents=True)
        databases = nullcontext(arguments.keep.resolve())
    else:
        databases = tempfile.TemporaryDirectory(prefix="cassandra_bloom_demo.")
    with databases as folder:
        table, filled = measure_all(tools, Path(folder), arguments.num)
    show = json_report if arguments.json else report
    print(show(table, filled, arguments.num))


if __name__ == "__main__":
    with orderly_exit():
        main()
