#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares filter policies of RocksDB and of cassandra_bloom, in lookups of a whole database.

RocksDB's db_bench writes the same keys into the same files of four levels, with each policy.
Every key and then absent keys are looked up with RocksDB's counters on. Then lookups of
absent and present keys are timed without counters, one by one and in batches, and so are
compactions. Processes take turns: one for each policy, and as a control a second one with
RocksDB's Bloom filter and a copy of the database.

The exit status is 1 if a filter hides a key. The temporary folder (see --dir) takes
about 5 GB (7 GB with keys of 100 bytes), and is removed at the end.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from statistics import median
from typing import TypeVar

from break_even import NO_FILTER, BreakEven, break_even
from equal_rate import bits_for_rate
from levels import (
    ABSENT_WORKS,
    COUNTED_WORKS,
    EVERY_KEY,
    MIN_KEY_SIZE,
    MIN_KEYS,
    PAGE_CACHE,
    POLICIES,
    TIMED_WORKS,
    Counts,
    Database,
    Extent,
    Filled,
    Work,
    absent_rate,
    policy_string,
)
from levels_report import SOURCES, Comparison, PolicyFigures, Report, about, notes, text
from ratios import BLOOM, COPY, MAX_RERUNS, MIN_ROUNDS, Row, Speeds, steady_rows
from stock_tools import (
    SEED,
    Failure,
    Progress,
    Tools,
    argument_parser,
    chosen_tools,
    orderly_exit,
)

T = TypeVar("T")
R = TypeVar("R")

FULL = Extent(
    keys=3_000_000,
    counted_lookups=2_000_000,
    rounds=15,
    compactions=3,
    seconds=0.4,
    reruns=MAX_RERUNS,
)
QUICK = Extent(
    keys=400_000, counted_lookups=400_000, rounds=6, compactions=1, seconds=0.2, reruns=0
)
# Of how many times fewer keys the databases are that only search for a rate.
SEARCH_PART = 3


def on_all_cpus(function: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """For what is not timed. `function` starts processes, and waits for them."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as executor:
        return list(executor.map(function, items))


class Measurement:
    """A comparison of policies, each with its bits per key."""

    def __init__(
        self,
        tools: Tools,
        folder: Path,
        extent: Extent,
        bits: dict[str, float],  # Of each policy. The first one is BLOOM.
        progress: Progress,
        unfiltered: bool,
    ) -> None:
        self._tools = tools
        self._extent = extent
        self._progress = progress
        self._bits = bits
        names = [*bits, COPY, *([NO_FILTER] if unfiltered else [])]
        self._databases = {
            name: Database(tools, name, bits.get(name, bits[BLOOM]), folder, extent)
            for name in names
        }

    def run(self, title: str) -> tuple[Filled, Comparison]:
        filled = self._fill()
        counted = self._count()
        rows = []
        if self._extent.rounds:
            rows = steady_rows(TIMED_WORKS, self._time, self._extent.reruns)
        charges = self._charge()
        compacted = self._compact()
        for database in self._databases.values():
            database.remove()
        figures = [
            PolicyFigures(
                name,
                policy_string(name, bits),
                filled[name].filter_bytes,
                charges[name],
                filled[name].cpu_seconds,
                compacted.get(name),
                counted[name],
            )
            for name, bits in self._bits.items()
        ]
        return filled[BLOOM], Comparison(
            title,
            self._bits[BLOOM],
            {each.policy: each.false_positives() for each in figures},
            figures,
            rows,
            list(break_evens(figures, rows, counted.get(NO_FILTER, []))),
        )

    def _fill(self) -> dict[str, Filled]:
        def fill(name: str) -> Filled:
            database = self._databases[name]
            self._progress.step(f"writing {self._extent.keys:,} keys: {database.name}")
            return database.fill()

        names = [name for name in self._databases if name != COPY]
        filled = dict(zip(names, on_all_cpus(fill, names), strict=True))
        for name, each in filled.items():
            if each.files != filled[BLOOM].files:
                raise Failure(
                    f"{self._databases[name].name}: files differ from those with {BLOOM}"
                )
        self._databases[COPY].copy_from(self._databases[BLOOM])
        # Otherwise data might still be written while lookups are timed.
        os.sync()
        return filled

    def _count(self) -> dict[str, list[Counts]]:
        def count(name: str) -> list[Counts]:
            database = self._databases[name]
            self._progress.step(f"counting: {database.name}")
            works = ABSENT_WORKS if name == NO_FILTER else COUNTED_WORKS
            return [database.count(work) for work in works]

        names = [name for name in self._databases if name != COPY]
        counted = dict(zip(names, on_all_cpus(count, names), strict=True))
        for name in self._bits:
            check_levels(self._databases[name].name, counted[BLOOM], counted[name])
        return counted

    def _charge(self) -> dict[str, int]:
        charges = on_all_cpus(
            lambda name: self._databases[name].filter_charge(), self._bits
        )
        return dict(zip(self._bits, charges, strict=True))

    def _time(self, works: Sequence[Work], reruns: int) -> dict[Work, list[Speeds]]:
        rounds: dict[Work, list[Speeds]] = {work: [] for work in works}
        for number in range(self._extent.rounds):
            for database in self._databases.values():
                database.warm()
            for work, speeds in rounds.items():
                speeds.append(self._round(work, number + reruns * self._extent.rounds))
        return rounds

    def _round(self, work: Work, number: int) -> Speeds:
        again = " again" if number >= self._extent.rounds else ""
        self._progress.step(
            f"round {number % self._extent.rounds + 1}{again}: {work}, "
            f"{self._databases[BLOOM].name}"
        )
        contestants = [
            name for name in self._databases if name != NO_FILTER or work in ABSENT_WORKS
        ]
        # So none has always the same one before it.
        names = Random(number).sample(contestants, len(contestants))
        seed = SEED + 1 + number
        commands = [
            self._databases[name].timed_command(work, seed, len(names)) for name in names
        ]
        runs = dict(zip(names, self._tools.run_in_turn(commands, number), strict=True))
        return {name: self._databases[name].speed(work, runs[name]) for name in contestants}

    def _compact(self) -> dict[str, float]:
        """The CPU seconds. Afterwards the databases have one sorted run each."""
        seconds: dict[str, list[float]] = {name: [] for name in self._bits}
        for number in range(self._extent.compactions):
            self._progress.step(f"compacting, {self._databases[BLOOM].name}")
            names = Random(number).sample(list(self._bits), len(self._bits))
            commands = [self._databases[name].compact_command() for name in names]
            runs = self._tools.run_in_turn(commands, number)
            for name, run in zip(names, runs, strict=True):
                seconds[name].append(run.cpu_seconds(0, float("inf")))
        return {name: median(each) for name, each in seconds.items() if each}


def check_levels(name: str, bloom: list[Counts], others: list[Counts]) -> None:
    """Fails if a filter hid a key's newest version, so that an older one was found."""
    asked, expected = (
        next(each.filters_asked() for each in counts if each.lookups == str(EVERY_KEY))
        for counts in (others, bloom)
    )
    if asked != expected:
        raise Failure(
            f"{name}: {EVERY_KEY}: {asked:,} filters were asked until all were found, but "
            f"{expected:,} with {BLOOM}: some keys were found in another level"
        )


def break_evens(
    figures: list[PolicyFigures], rows: list[Row], unfiltered: list[Counts]
) -> Iterable[BreakEven]:
    blocks = {each.lookups: each.blocks_per_lookup() for each in unfiltered}
    for row, work in zip(rows, TIMED_WORKS, strict=bool(rows)):
        for each in figures[1:] if row.lookups in blocks else ():
            rates = (one.of(work).false_positives() for one in (figures[0], each))
            cost = break_even(row, each.policy, *rates, blocks[row.lookups])
            if cost is not None:
                yield cost


def equal_rate_bits(
    tools: Tools, folder: Path, extent: Extent, bits: dict[str, float], progress: Progress
) -> dict[str, float]:
    """The bits with which each policy has as many false positives as BLOOM with its own."""
    small = replace(extent, keys=max(MIN_KEYS, extent.keys // SEARCH_PART))

    def rate(name: str, bits: float) -> float:
        progress.step(f"searching: {name}, {bits:g} bits")
        return absent_rate(tools, name, bits, folder, small)

    wanted = rate(BLOOM, bits[BLOOM])
    others = [name for name in bits if name != BLOOM]
    found = on_all_cpus(
        lambda name: bits_for_rate(lambda at: rate(name, at), wanted, bits[name]), others
    )
    return {BLOOM: bits[BLOOM], **dict(zip(others, found, strict=True))}


# ---- The command ----


def numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


def policies(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - set(POLICIES):
        raise argparse.ArgumentTypeError(
            f"{', '.join(sorted(unknown))}; there are {', '.join(POLICIES)}"
        )
    return [name for name in POLICIES if name in names or name == BLOOM]


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add(
        "--quick",
        action="store_true",
        help="few keys and rounds: takes about 4 minutes instead of 20",
    )
    add(
        "--bits",
        type=numbers,
        default=[10, 16],
        metavar="N,...",
        help="bits per key; a comparison for each [10,16]",
    )
    add(
        "--equal-rate",
        action="store_true",
        help="--bits are those of RocksDB's Bloom filter; the other policies get the bits "
        "with which they have equally many false positives",
    )
    add(
        "--policies",
        type=policies,
        default=list(POLICIES),
        metavar="NAME,...",
        help=f"which policies are compared with {BLOOM} [{','.join(POLICIES)}]",
    )
    add(
        "--break-even",
        action="store_true",
        help="also look up without a filter, for what a false positive costs, and what it "
        "must cost for a policy to be faster",
    )
    add("--keys", type=int, metavar="N", help=f"[{FULL.keys}, or {QUICK.keys}]")
    add("--key-size", type=int, default=16, metavar="BYTES", help="[%(default)s]")
    add("--value-size", type=int, default=100, metavar="BYTES", help="[%(default)s]")
    add(
        "--data-from",
        choices=tuple(SOURCES),
        default=PAGE_CACHE,
        help="where data blocks come from: the operating system's page cache [default], a "
        "block cache larger than the data, or the disk, past the page cache",
    )
    add(
        "--one-run",
        action="store_true",
        help="one sorted run instead of four levels: a look-up asks one filter",
    )
    add(
        "--rounds",
        type=int,
        metavar="N",
        help=f"0: only count, time nothing [{FULL.rounds}, or {QUICK.rounds}]",
    )
    add("--dir", type=Path, help="create the temporary folder in DIR [TMPDIR]")
    add(
        "--json",
        type=Path,
        metavar="FILE",
        help="also write the figures, and those of each round, to FILE",
    )
    arguments = parser.parse_args()
    if arguments.key_size < MIN_KEY_SIZE:
        parser.error(f"argument --key-size: at least {MIN_KEY_SIZE}")
    if arguments.keys is not None and arguments.keys < MIN_KEYS:
        parser.error(f"argument --keys: at least {MIN_KEYS}")
    if arguments.rounds is not None and 0 < arguments.rounds < MIN_ROUNDS:
        parser.error(f"argument --rounds: at least {MIN_ROUNDS}, for an interval of 95 %")
    if arguments.json and not arguments.json.resolve().parent.is_dir():
        parser.error(f"argument --json: no folder {arguments.json.resolve().parent}")
    return arguments


def chosen_extent(arguments: argparse.Namespace) -> Extent:
    extent = QUICK if arguments.quick else FULL
    rounds = extent.rounds if arguments.rounds is None else arguments.rounds
    return replace(
        extent,
        keys=arguments.keys or extent.keys,
        key_size=arguments.key_size,
        value_size=arguments.value_size,
        data_from=arguments.data_from,
        one_run=arguments.one_run,
        rounds=rounds,
        compactions=extent.compactions if rounds else 0,
    )


def measure(arguments: argparse.Namespace, folder: Path) -> Report:
    tools = chosen_tools(arguments)
    extent = chosen_extent(arguments)
    progress = Progress()
    comparisons = []
    with progress:
        for number in arguments.bits:
            bits = dict.fromkeys(arguments.policies, number)
            title = f"{number:g} bits per key"
            if arguments.equal_rate:
                bits = equal_rate_bits(tools, folder, extent, bits, progress)
                title = f"the false positives of {policy_string(BLOOM, number)}"
            measurement = Measurement(
                tools, folder, extent, bits, progress, arguments.break_even
            )
            filled, compared = measurement.run(title)
            comparisons.append(compared)
    return Report(
        about(filled, extent),
        notes(comparisons, extent),
        sum(file.keys for file in filled.files),
        filled.files,
        comparisons,
    )


def main() -> None:
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory(
        prefix="cassandra_bloom_levels.", dir=arguments.dir
    ) as folder:
        report = measure(arguments, Path(folder))
    print(text(report))
    if arguments.json:
        arguments.json.write_text(json.dumps(asdict(report), indent=2) + "\n")


if __name__ == "__main__":
    with orderly_exit():
        main()
