#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares cassandra_bloom with RocksDB's Bloom filter, in lookups of a whole database.

The stock db_bench writes the same keys into the same files of four levels, with each
filter at 10 and at 16 bits per key. Every key is looked up once, and RocksDB's counters
are taken. Then absent and present keys are looked up against the clock, one by one and
in batches, without counters, in two processes of which now the one runs, with the one
filter, now the other.

The exit status is 1 if a filter hides a key. A temporary folder (see --dir) takes
about 2 GB, and is removed at the end.
"""

import argparse
import json
import os
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

from in_turn import SLICE_SECONDS, StoppedProcess, run_in_turn
from stock_tools import (
    LOADER,
    OPTIONS_DIR,
    Bench,
    Failure,
    Progress,
    StockDatabase,
    Tools,
    check_exit,
    db_bench_command,
    db_bench_figures,
    exit_orderly,
    wrap,
)

BLOOM = "bloomfilter"
OURS = "cassandra_bloom"
FILTERS = (BLOOM, OURS)
BITS = (10, 16)
LEVELS = 4
SEED = 20240229
MB = 10**6

# The lowest level holds all keys, those above it a tenth and a hundredth of them again,
# and each of two files in level 0 this part.
LEVEL0_PART = 500
# Of memory, until they are written as a file of level 0: db_bench wants two files for a
# hundredth of the keys, and one key takes about 150 bytes there.
BUFFER_BYTES_PER_KEY = 0.5
# Each level is larger than the block cache, as with RocksDB's own sizes of levels and of
# the cache; and it is full early in a run.
CACHE_BYTES_PER_KEY = 0.35
# A key of db_bench is a number of 8 bytes and padding. If a prefix is asked for, it is
# the number modulo the keys that there are, and then the number: another key, beside one
# that is there. Numbers are drawn from so many that few come twice.
ABSENT_PER_KEY = 2**20

# What is wanted, relative to RocksDB's filter.
MIN_SPEED = 1.0
MAX_BLOCK_READS = {10: 0.88, 16: 0.65}

USEFUL = "rocksdb.bloom.filter.useful"
POSITIVE = "rocksdb.bloom.filter.full.positive"
TRUE_POSITIVE = "rocksdb.bloom.filter.full.true.positive"
BLOCK_READS = "rocksdb.block.cache.data.miss"
BLOCK_HITS = "rocksdb.block.cache.data.hit"
COUNTERS = (USEFUL, POSITIVE, TRUE_POSITIVE, BLOCK_READS, BLOCK_HITS)
COUNTED = ("--statistics", "--stats_level=1")  # Counters, without timers.


# ---- What is measured ----


@dataclass(frozen=True)
class Extent:
    keys: int
    counted_lookups: int
    pairs: int
    runs: int  # Of both filters, in each pair; even, for their order alternates.
    seconds: int  # Of each run, half of it for a filter.

    @property
    def cache_bytes(self) -> int:
        return int(self.keys * CACHE_BYTES_PER_KEY)

    @property
    def buffer_bytes(self) -> int:
        return int(self.keys * BUFFER_BYTES_PER_KEY)


FULL = Extent(keys=3_000_000, counted_lookups=2_000_000, pairs=5, runs=8, seconds=2)
QUICK = Extent(keys=400_000, counted_lookups=400_000, pairs=3, runs=2, seconds=2)


@dataclass(frozen=True)
class Work:
    benchmark: str
    present: bool
    flags: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.benchmark}, {'present' if self.present else 'absent'}"


BATCHES = ("--multiread_batched", "--batch_size=32")
WORKS = (
    # It makes keys a byte longer: they have 16, as all others.
    Work("readmissing", present=False, flags=("--key_size=15",)),
    Work("multireadrandom", present=False, flags=BATCHES),
    Work("readrandom", present=True),
    Work("multireadrandom", present=True, flags=BATCHES),
)
ABSENT_WORKS = tuple(work for work in WORKS if not work.present)
EVERY_KEY = "readrandom, every key"

Speeds = dict[str, float]  # Operations per second, by filter.
Counts = dict[str, Bench]  # By filter.


@dataclass(frozen=True)
class Comparison:
    """What was measured at one number of bits per key."""

    bits: int
    filter_bytes: dict[str, int]
    counts: dict[str, Counts]  # By str(work), and of EVERY_KEY.
    pairs: dict[Work, list[Speeds]]

    def speed(self, work: Work, name: str) -> float:
        return median(speeds[name] for speeds in self.pairs[work])

    def speed_ratios(self, work: Work) -> list[float]:
        return [speeds[OURS] / speeds[BLOOM] for speeds in self.pairs[work]]

    def block_ratio(self, lookups: str) -> float:
        reads = {
            name: bench.counters[BLOCK_READS]
            for name, bench in self.counts[lookups].items()
        }
        return reads[OURS] / reads[BLOOM]


# ---- Databases ----


@dataclass(frozen=True)
class LevelFile:
    """What a file has in common with its like in another database."""

    level: int
    keys: int
    data_bytes: int
    smallest: str
    largest: str


@dataclass(frozen=True)
class Filled:
    files: list[LevelFile]
    filter_bytes: int
    bench: Bench


class Database(StockDatabase):
    def __init__(
        self,
        tools: Tools,
        policy: str,
        folder: Path,
        extent: Extent,
        direct_reads: bool,
    ) -> None:
        options = {
            "filter_policy": policy,
            "write_buffer_size": str(extent.buffer_bytes),
            "use_direct_reads": str(direct_reads).lower(),
        }
        path = folder / policy.replace(":", "-")
        super().__init__(tools, policy, path, OPTIONS_DIR / "levels.ini", options)
        self._policy = policy
        self._keys = extent.keys
        self._existing = ("--use_existing_db", f"--cache_size={extent.cache_bytes}")

    def fill(self) -> Filled:
        common = (f"--num={self._keys}", f"--seed={SEED}", "--disable_wal")
        # The former leaves in level 0 what happened to be there, the latter moves it.
        bench = self._bench(
            "filluniquerandomdeterministic,compact0",
            "--disable_auto_compactions",
            "--compression_type=none",
            *common,
        )
        self._check_options(bench)
        listing = self._bench(
            "overwrite,flush,overwrite,flush,sstables",
            "--use_existing_db",
            f"--writes={self._keys // LEVEL0_PART}",
            *common,
        )
        return self._filled(bench, listing.stdout)

    def read_every_key(self) -> Bench:
        """In their order, without the first."""
        bench = self._bench(
            "readrandom",
            *self._existing,
            f"--num={self._keys}",
            f"--reads={self._keys - 1}",
            f"--batch_size={self._keys + 1}",
            "--multiread_stride=1",
            *COUNTED,
        )
        self._check_found(EVERY_KEY, bench, self._keys - 1)
        return bench

    def count(self, work: Work, lookups: int) -> Bench:
        return self._look_up(work, f"--reads={lookups}", f"--seed={SEED}", *COUNTED)

    def warm(self) -> None:
        """Into other pages of the operating system's page cache, for some are faster.

        A database that keeps its pages may seem 5 % faster than another all the time.
        """
        for path in self._path.glob("*.sst"):
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                file.read()

    def start(self, work: Work, seconds: int, seed: int, cpu: int) -> StoppedProcess:
        flags = self._look_up_flags(work, f"--duration={seconds}", f"--seed={seed}")
        command = db_bench_command(work.benchmark, *self._flags(*flags))
        return self._tools.start(*command, cpu=cpu)

    def speed(self, work: Work, run: StoppedProcess) -> float:
        """Lookups per second that it was not stopped in. It has ended."""
        check_exit("db_bench", run.exit_code(), run.output())
        bench = db_bench_figures(work.benchmark, stdout=run.output(), stderr="")
        self._check_found_by(work, bench)
        end = run.arrival(bench.result_end)
        return bench.operations / run.ran(end - bench.seconds, end)

    def _look_up(self, work: Work, *flags: str) -> Bench:
        bench = self._bench(work.benchmark, *self._look_up_flags(work, *flags))
        self._check_found_by(work, bench)
        return bench

    def _look_up_flags(self, work: Work, *flags: str) -> tuple[str, ...]:
        numbers: tuple[str, ...] = (f"--num={self._keys}",)
        if not work.present:
            numbers = (
                f"--num={self._keys * ABSENT_PER_KEY}",
                f"--keys_per_prefix={ABSENT_PER_KEY}",
                "--prefix_size=8",
            )
        return (*self._existing, *numbers, *work.flags, *flags)

    def _check_found_by(self, work: Work, bench: Bench) -> None:
        self._check_found(str(work), bench, bench.operations if work.present else 0)

    def _check_found(self, lookups: str, bench: Bench, expected: int) -> None:
        if bench.found != expected:
            raise Failure(
                f"{self._policy}: {lookups}: {bench.found:,} keys were found, "
                f"{expected:,} are there"
            )

    def _filled(self, bench: Bench, listing: str) -> Filled:
        properties = self.sst_files(self._policy.partition(":")[0])
        files = []
        filter_bytes = 0
        for level, number, smallest, largest in listed_files(listing):
            file = properties[number]
            files.append(
                LevelFile(level, file.entries, file.data_bytes, smallest, largest)
            )
            filter_bytes += file.filter_bytes
        if {file.level for file in files} != set(range(LEVELS)):
            raise Failure(f"{self._policy}: db_bench has not filled {LEVELS} levels")
        return Filled(files, filter_bytes, bench)


def listed_files(listing: str) -> Iterator[tuple[int, int, str, str]]:
    """Level, number, smallest and largest key, as db_bench's sstables says."""
    _, *parts = re.split(r"^--- level (\d+) ---.*", listing, flags=re.MULTILINE)
    for level, lines in zip(parts[::2], parts[1::2], strict=True):
        for number, smallest, largest in re.findall(
            r"^ (\d+):.*\['(\w+)' .* \.\. '(\w+)' .*$", lines, re.MULTILINE
        ):
            yield int(level), int(number), smallest, largest


# ---- Measuring ----


class Measurement:
    def __init__(
        self, tools: Tools, folder: Path, extent: Extent, direct_reads: bool
    ) -> None:
        self._extent = extent
        self._in_page_cache = not direct_reads
        self._cpus = sorted(os.sched_getaffinity(0))
        self._databases = {
            bits: {
                name: Database(tools, f"{name}:{bits}", folder, extent, direct_reads)
                for name in FILTERS
            }
            for bits in BITS
        }
        timed = extent.pairs * extent.runs * len(WORKS)
        of_each_filter = 2 + len(ABSENT_WORKS)
        steps = (timed + of_each_filter * len(FILTERS)) * len(BITS)
        self._progress = Progress(steps)

    def run(self) -> tuple[Filled, list[Comparison]]:
        try:
            filled = self._fill()
            counts = {bits: self._count(bits) for bits in BITS}
            pairs = self._time()
        finally:
            self._progress.clear()
        comparisons = [
            Comparison(
                bits,
                {name: filled[bits][name].filter_bytes for name in FILTERS},
                counts[bits],
                pairs[bits],
            )
            for bits in BITS
        ]
        return filled[BITS[0]][BLOOM], comparisons

    def _fill(self) -> dict[int, dict[str, Filled]]:
        filled: dict[int, dict[str, Filled]] = {bits: {} for bits in BITS}
        for bits, databases in self._databases.items():
            for name, database in databases.items():
                self._progress.step(f"writing {self._extent.keys:,} keys, {name}:{bits}")
                filled[bits][name] = database.fill()
                if filled[bits][name].files != filled[BITS[0]][BLOOM].files:
                    raise Failure(f"{name}:{bits}: other files than with {BLOOM}")
        os.sync()  # Not while lookups are timed.
        return filled

    def _count(self, bits: int) -> dict[str, Counts]:
        counts: dict[str, Counts] = {EVERY_KEY: {}}
        for name, database in self._databases[bits].items():
            self._progress.step(f"{EVERY_KEY}, {name}:{bits}")
            counts[EVERY_KEY][name] = database.read_every_key()
        check_levels(bits, counts[EVERY_KEY])
        for work in ABSENT_WORKS:
            counts[str(work)] = {}
            for name, database in self._databases[bits].items():
                self._progress.step(f"counting: {work}, {name}:{bits}")
                bench = database.count(work, self._extent.counted_lookups)
                counts[str(work)][name] = bench
        return counts

    def _time(self) -> dict[int, dict[Work, list[Speeds]]]:
        pairs: dict[int, dict[Work, list[Speeds]]] = {
            bits: {work: [] for work in WORKS} for bits in BITS
        }
        for number in range(self._extent.pairs):
            for bits in BITS:
                for work in WORKS:
                    pairs[bits][work].append(self._pair(bits, work, number))
        return pairs

    def _pair(self, bits: int, work: Work, number: int) -> Speeds:
        speeds: dict[str, list[float]] = {name: [] for name in FILTERS}
        for run in range(self._extent.runs):
            self._progress.step(
                f"pair {number + 1} of {self._extent.pairs}: {work}, {bits} bits"
            )
            order = FILTERS if run % 2 == 0 else FILTERS[::-1]
            number_of_run = number * self._extent.runs + run
            for name, speed in self._in_turn(bits, work, order, number_of_run).items():
                speeds[name].append(speed)
        return {name: mean(speeds[name]) for name in FILTERS}

    def _in_turn(
        self, bits: int, work: Work, order: Sequence[str], number: int
    ) -> Speeds:
        databases = {name: self._databases[bits][name] for name in order}
        if self._in_page_cache:
            for database in databases.values():
                database.warm()
        seconds, seed = self._extent.seconds, SEED + 1 + number
        cpu = self._cpus[number // 2 % len(self._cpus)]
        with ExitStack() as stack:
            runs = {
                name: stack.enter_context(database.start(work, seconds, seed, cpu))
                for name, database in databases.items()
            }
            run_in_turn(tuple(runs.values()))
            return {name: databases[name].speed(work, run) for name, run in runs.items()}


def filters_asked(bench: Bench) -> int:
    return bench.counters[USEFUL] + bench.counters[POSITIVE]


def check_levels(bits: int, counts: Counts) -> None:
    """Of a hidden key an older version may be found in a lower level."""
    asked, bloom_asked = filters_asked(counts[OURS]), filters_asked(counts[BLOOM])
    if asked != bloom_asked:
        raise Failure(
            f"{OURS}:{bits}: {EVERY_KEY}: {asked:,} filters were asked until all were "
            f"found, {bloom_asked:,} with {BLOOM}: keys were found in another level"
        )


# ---- Reporting ----


@dataclass(frozen=True)
class Goal:
    what: str
    bits: int
    ratio: float
    limit: float
    reached: bool

    def __str__(self) -> str:
        return f"x{self.ratio:.3f} {self.what}, {self.bits} bits"


def speed_goals(comparisons: list[Comparison]) -> list[Goal]:
    return [
        Goal(str(work), comparison.bits, ratio, MIN_SPEED, ratio >= MIN_SPEED)
        for comparison in comparisons
        for work in WORKS
        for ratio in [median(comparison.speed_ratios(work))]
    ]


def block_goals(comparisons: list[Comparison]) -> list[Goal]:
    return [
        Goal(str(work), comparison.bits, ratio, limit, ratio <= limit)
        for comparison in comparisons
        for limit in [MAX_BLOCK_READS[comparison.bits]]
        for work in ABSENT_WORKS
        for ratio in [comparison.block_ratio(str(work))]
    ]


def conclusions(comparisons: list[Comparison]) -> Iterator[str]:
    def of(goals: list[Goal], reached: bool) -> str:
        return "; ".join(str(goal) for goal in goals if goal.reached == reached)

    def verdict(goals: list[Goal]) -> str:
        return (
            f"REACHED {of(goals, True) or 'nothing'}. "
            f"MISSED {of(goals, False) or 'nothing'}."
        )

    yield (
        f"ops/s of {OURS}, wanted at least x{MIN_SPEED:.2f} {BLOOM}: "
        f"{verdict(speed_goals(comparisons))}"
    )
    limits = ", ".join(f"x{limit} at {bits}" for bits, limit in MAX_BLOCK_READS.items())
    yield (
        f"Data blocks read for absent keys, wanted at most {limits} bits: "
        f"{verdict(block_goals(comparisons))}"
    )


def about(filled: Filled, extent: Extent) -> str:
    data_bytes = sum(file.data_bytes for file in filled.files)
    return (
        f"{filled.bench.machine()} {extent.keys:,} keys of 16 bytes, values of 100, no "
        f"compression: {data_bytes / MB:,.0f} MB of data blocks, and "
        f"{extent.cache_bytes / MB:.2f} MB of block cache. Filters are whole and in memory, "
        "outside the block cache (cache_index_and_filter_blocks=false)."
        f"{filled.bench.warning()}"
    )


def level_lines(filled: Filled) -> Iterator[str]:
    files: Counter[int] = Counter()
    keys: Counter[int] = Counter()
    data_bytes: Counter[int] = Counter()
    for file in filled.files:
        files[file.level] += 1
        keys[file.level] += file.keys
        data_bytes[file.level] += file.data_bytes
    yield f"{'level':>5}{'files':>8}{'keys':>12}{'data MB':>10}"
    for level in range(LEVELS):
        yield (
            f"{level:5}{files[level]:8,}{keys[level]:12,}{data_bytes[level] / MB:10.1f}"
        )
    yield f"{'all':>5}{files.total():8,}{keys.total():12,}{data_bytes.total() / MB:10.1f}"


def filter_lines(filled: Filled, comparisons: list[Comparison]) -> Iterator[str]:
    keys = sum(file.keys for file in filled.files)
    yield f"{'filter':20}{'bytes':>12}{'bits/key':>10}{'x bloom':>9}"
    for comparison in comparisons:
        for name in FILTERS:
            size = comparison.filter_bytes[name]
            yield (
                f"{f'{name}:{comparison.bits}':20}{size:12,}{8 * size / keys:10.3f}"
                f"{size / comparison.filter_bytes[BLOOM]:9.4f}"
            )


def count_lines(comparisons: list[Comparison]) -> Iterator[str]:
    yield f"{'':34}{'':10}{'':12}{'':11}{'true':>11}{'data blocks':>13}"
    yield (
        f"{'bits':>4} {'counted':23}{'':6}{'lookups':>10}{'useful':>12}{'positive':>11}"
        f"{'positive':>11}{'read':>13}{'x bloom':>9}"
    )
    for comparison in comparisons:
        yield ""
        for lookups, counts in comparison.counts.items():
            for name, bench in counts.items():
                count = bench.counters
                ratio = comparison.block_ratio(lookups) if name == OURS else 1
                yield (
                    f"{comparison.bits:4} {lookups:23}"
                    f"{'bloom' if name == BLOOM else 'ours':>6}{bench.operations:10,}"
                    f"{count[USEFUL]:12,}{count[POSITIVE]:11,}{count[TRUE_POSITIVE]:11,}"
                    f"{count[BLOCK_READS]:13,}{ratio:9.3f}"
                )


def speed_lines(comparisons: list[Comparison]) -> Iterator[str]:
    yield (
        f"{'bits':>4} {'timed':24}{'bloom ops/s':>12}{'ours ops/s':>12}{'x bloom':>9}"
        "   in each pair"
    )
    for comparison in comparisons:
        yield ""
        for work in WORKS:
            ratios = comparison.speed_ratios(work)
            yield (
                f"{comparison.bits:4} {str(work):24}"
                f"{comparison.speed(work, BLOOM):12,.0f}"
                f"{comparison.speed(work, OURS):12,.0f}{median(ratios):9.3f}  "
                + "".join(f"{ratio:6.3f}" for ratio in ratios)
            )


def notes(comparisons: list[Comparison], extent: Extent, direct_reads: bool) -> str:
    bench = comparisons[0].counts[str(ABSENT_WORKS[0])][BLOOM]
    asked = filters_asked(bench) / bench.operations
    source = (
        "through the operating system's page cache, into which all files are read anew "
        "before each run: a call, a copy and a checksum"
    )
    if direct_reads:
        source = "from the disk, past the operating system's page cache"
    return (
        "All databases have the same files in each level, with the same keys, by number, "
        "range and size of the data blocks. Level 0 holds two files; keys of the upper "
        "levels are newer versions of some in the lowest. Every key (but the first, "
        "which db_bench leaves out) is found, with either filter in the same level, for "
        "it asks equally many of them. Absent keys have 16 bytes and lie between "
        f"those that are there: a lookup asks {asked:.2f} filters. Batches are of 32 keys "
        "(--multiread_batched). useful, positive, true positive: the tickers "
        "rocksdb.bloom.filter.*; data blocks read: rocksdb.block.cache.data.miss. They "
        f"are read {source}. ops/s: the median of {extent.pairs} pairs, without counters; x "
        f"bloom: the median of their ratios. A pair is the mean of {extent.runs} runs of "
        f"{extent.seconds} s, each of two processes, of which one runs and the other is "
        f"stopped, in turn, for {SLICE_SECONDS * 1000:.0f} ms, on the same CPU: half of the "
        "time for each filter, and each as often the first."
    )


def report(
    filled: Filled, comparisons: list[Comparison], extent: Extent, direct_reads: bool
) -> str:
    lines = [
        *wrap(about(filled, extent)),
        "",
        *level_lines(filled),
        "",
        *filter_lines(filled, comparisons),
        "",
        *count_lines(comparisons),
        "",
        *speed_lines(comparisons),
        "",
        *wrap(notes(comparisons, extent, direct_reads)),
        "",
    ]
    for conclusion in conclusions(comparisons):
        lines += wrap(conclusion)
    return "\n".join(lines)


def json_comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "bits": comparison.bits,
        "filter_bytes": comparison.filter_bytes,
        "counted": [
            {
                "lookups": lookups,
                "filter": name,
                "operations": bench.operations,
                "found": bench.found,
                "counters": {name: bench.counters[name] for name in COUNTERS},
            }
            for lookups, counts in comparison.counts.items()
            for name, bench in counts.items()
        ],
        "timed": [
            {
                "lookups": str(work),
                "pairs": pairs,
                "ratios": comparison.speed_ratios(work),
                "median_ratio": median(comparison.speed_ratios(work)),
                "median_ops_per_second": {
                    name: comparison.speed(work, name) for name in FILTERS
                },
            }
            for work, pairs in comparison.pairs.items()
        ],
    }


def json_report(
    filled: Filled, comparisons: list[Comparison], extent: Extent, direct_reads: bool
) -> dict[str, Any]:
    return {
        "about": about(filled, extent),
        "notes": notes(comparisons, extent, direct_reads),
        "files": [asdict(file) for file in filled.files],
        "comparisons": [json_comparison(comparison) for comparison in comparisons],
        "wanted": {
            "ops_per_second": [asdict(goal) for goal in speed_goals(comparisons)],
            "data_blocks_read": [asdict(goal) for goal in block_goals(comparisons)],
        },
    }


# ---- The command ----


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "--lib-dir",
        type=Path,
        required=True,
        metavar="DIR",
        help=f"folder of {LOADER} and the plugin, such as build/release/lib",
    )
    add(
        "--quick",
        action="store_true",
        help="few keys and short runs: about two minutes, not about sixteen",
    )
    add(
        "--direct-reads",
        action="store_true",
        help="past the operating system's page cache: each data block from the disk",
    )
    add("--dir", type=Path, help="where the temporary folder goes [TMPDIR]")
    add(
        "--json",
        type=argparse.FileType("w"),
        metavar="FILE",
        help="write the figures there too, and those of each pair",
    )
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    extent = QUICK if arguments.quick else FULL
    exit_orderly()
    try:
        tools = Tools(arguments.lib_dir)
        with tempfile.TemporaryDirectory(
            prefix="cassandra_bloom_levels.", dir=arguments.dir
        ) as folder:
            measurement = Measurement(
                tools, Path(folder), extent, arguments.direct_reads
            )
            filled, comparisons = measurement.run()
    except (Failure, OSError) as failure:
        sys.exit(f"end_to_end.py: {failure}")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    measured = (filled, comparisons, extent, arguments.direct_reads)
    print(report(*measured))
    if arguments.json:
        print(json.dumps(json_report(*measured), indent=2), file=arguments.json)


if __name__ == "__main__":
    main()
