#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares cassandra_bloom with RocksDB's Bloom filter, in lookups of a whole database.

The stock db_bench writes the same keys into the same files of four levels, with each
filter at 10 and at 16 bits per key. Every key and then absent keys are looked up with
RocksDB's counters on. Then lookups of absent and present keys are timed without counters,
one by one and in batches. Two processes, one for each filter, take turns.

The exit status is 1 if a filter hides a key. The temporary folder (see --dir) takes
about 2 GB, and is removed at the end.
"""

import argparse
import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean, median

from in_turn import SLICE_SECONDS, StoppedProcess
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
    db_bench_figures,
    orderly_exit,
    wrap,
)

BLOOM = "bloomfilter"
OURS = "cassandra_bloom"
FILTERS = (BLOOM, OURS)
BITS = (10, 16)
LEVELS = 4
MB = 10**6

# The lowest level holds all keys. The levels above it hold a tenth and a hundredth of
# them again, and each of the two files in level 0 one key in LEVEL0_PART.
LEVEL0_PART = 500
# Sets write_buffer_size, at which keys in memory are written as a file of level 0.
# db_bench wants two files for a hundredth of the keys, and one key takes about 150 bytes
# in memory.
BUFFER_BYTES_PER_KEY = 0.5
# Each level is larger than the block cache, as with RocksDB's default sizes of levels
# and cache. The cache is full early in a run.
CACHE_BYTES_PER_KEY = 0.35
# A key of db_bench is a number of 8 bytes and padding. With --prefix_size, a key is the
# number modulo the number of keys in the database, followed by the number itself. So it
# is absent, and next to a present key. The range of numbers is so large that few are
# drawn twice.
ABSENT_PER_KEY = 2**20

USEFUL = "rocksdb.bloom.filter.useful"
POSITIVE = "rocksdb.bloom.filter.full.positive"
TRUE_POSITIVE = "rocksdb.bloom.filter.full.true.positive"
BLOCK_READS = "rocksdb.block.cache.data.miss"
BLOCK_HITS = "rocksdb.block.cache.data.hit"
COUNTERS = (USEFUL, POSITIVE, TRUE_POSITIVE, BLOCK_READS, BLOCK_HITS)


# ---- What is measured ----


@dataclass(frozen=True)
class Extent:
    keys: int
    counted_lookups: int
    pairs: int
    # The runs of each pair, of both filters. Even, because the order of the filters
    # alternates.
    runs: int
    # The duration of a run, of which each filter has one half.
    seconds: int = 2
    direct_reads: bool = False

    @property
    def cache_bytes(self) -> int:
        return int(self.keys * CACHE_BYTES_PER_KEY)


FULL = Extent(keys=3_000_000, counted_lookups=2_000_000, pairs=5, runs=8)
QUICK = Extent(keys=400_000, counted_lookups=400_000, pairs=3, runs=2)


@dataclass(frozen=True)
class Work:
    benchmark: str
    keys: str  # absent, present or every key
    flags: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.benchmark}, {self.keys}"


BATCHES = ("--multiread_batched", "--batch_size=32")
EVERY_KEY = Work("readrandom", "every key")
ABSENT_WORKS = (
    # readmissing makes keys a byte longer, so they have 16 bytes like all others.
    Work("readmissing", "absent", flags=("--key_size=15",)),
    Work("multireadrandom", "absent", flags=BATCHES),
)
COUNTED_WORKS = (EVERY_KEY, *ABSENT_WORKS)
TIMED_WORKS = (
    *ABSENT_WORKS,
    Work("readrandom", "present"),
    Work("multireadrandom", "present", flags=BATCHES),
)


# ---- The report: printed, and written by --json with these names ----


Speeds = dict[str, float]  # Operations per second, by filter.


@dataclass(frozen=True)
class LevelFile:
    """The properties in which the corresponding files of all databases are equal."""

    level: int
    keys: int
    data_bytes: int
    smallest: str
    largest: str


@dataclass(frozen=True)
class Counts:
    lookups: str
    filter: str
    operations: int
    found: int
    counters: dict[str, int]

    def filters_asked(self) -> int:
        return self.counters[USEFUL] + self.counters[POSITIVE]


@dataclass(frozen=True)
class Times:
    lookups: str
    pairs: list[Speeds]
    ratios: list[float]
    median_ratio: float
    median_ops_per_second: Speeds


def times(work: Work, pairs: list[Speeds]) -> Times:
    ratios = [speeds[OURS] / speeds[BLOOM] for speeds in pairs]
    medians = {name: median(speeds[name] for speeds in pairs) for name in FILTERS}
    return Times(str(work), pairs, ratios, median(ratios), medians)


@dataclass(frozen=True)
class Comparison:
    """The measurements at one number of bits per key."""

    bits: int
    filter_bytes: dict[str, int]
    # For each Work, first the counts of RocksDB's filter and then those of ours.
    counted: list[Counts]
    timed: list[Times]


@dataclass(frozen=True)
class Report:
    about: str
    notes: str
    files: list[LevelFile]
    comparisons: list[Comparison]


# ---- Databases ----


@dataclass(frozen=True)
class Filled:
    files: list[LevelFile]
    filter_bytes: int
    bench: Bench


class Database(StockDatabase):
    def __init__(self, tools: Tools, policy: str, folder: Path, extent: Extent) -> None:
        options = {
            "filter_policy": policy,
            "write_buffer_size": str(int(extent.keys * BUFFER_BYTES_PER_KEY)),
            "use_direct_reads": str(extent.direct_reads).lower(),
        }
        path = folder / policy.replace(":", "-")
        super().__init__(tools, policy, path, OPTIONS_DIR / "levels.ini", options)
        self._filter = policy.partition(":")[0]
        self._extent = extent

    def fill(self) -> Filled:
        keys = self._extent.keys
        common = (f"--num={keys}", f"--seed={SEED}", "--disable_wal")
        # The first benchmark leaves arbitrary files in level 0; compact0 moves them down.
        bench = self.bench(
            "filluniquerandomdeterministic,compact0",
            "--disable_auto_compactions",
            "--compression_type=none",
            *common,
        )
        self.check_options(bench)
        listing = self.bench(
            "overwrite,flush,overwrite,flush,sstables",
            "--use_existing_db",
            f"--writes={keys // LEVEL0_PART}",
            *common,
        )
        properties = self.sst_files(self._filter)
        files = [
            LevelFile(level, file.entries, file.data_bytes, smallest, largest)
            for level, number, smallest, largest in listed_files(listing.stdout)
            for file in [properties[number]]
        ]
        if {file.level for file in files} != set(range(LEVELS)):
            raise Failure(f"{self.name}: db_bench has not filled {LEVELS} levels")
        size = sum(file.filter_bytes for file in properties.values())
        return Filled(files, size, bench)

    def count(self, work: Work) -> Counts:
        flags: tuple[str, ...]
        flags = (f"--reads={self._extent.counted_lookups}", f"--seed={SEED}")
        # Looks up all keys but the first one, in key order.
        if work == EVERY_KEY:
            keys = self._extent.keys
            several = (f"--batch_size={keys + 1}", "--multiread_stride=1")
            flags = (f"--reads={keys - 1}", *several)
        flags += (*self._look_up_flags(work), *COUNTED)
        bench = self.bench(work.benchmark, *flags)
        self._check_found(work, bench)
        counters = {name: bench.counters[name] for name in COUNTERS}
        return Counts(str(work), self._filter, bench.operations, bench.found, counters)

    def warm(self) -> None:
        """Reads all files anew, into other pages of the operating system's page cache.

        Some pages are faster than others: a database that keeps its pages may seem 5 %
        faster than another in every run.
        """
        for path in self.path.glob("*.sst"):
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                file.read()

    def timed_command(self, work: Work, seed: int) -> tuple[str, ...]:
        flags = (f"--duration={self._extent.seconds}", f"--seed={seed}")
        return self.command(work.benchmark, *self._look_up_flags(work), *flags)

    def speed(self, work: Work, run: StoppedProcess) -> float:
        """Lookups per second of the time in which `run` ran. `run` must have ended."""
        bench = db_bench_figures(work.benchmark, stdout=run.output(), stderr="")
        self._check_found(work, bench)
        end = run.arrival(bench.result_end)
        return bench.operations / run.ran(end - bench.seconds, end)

    def _look_up_flags(self, work: Work) -> tuple[str, ...]:
        numbers: tuple[str, ...] = (f"--num={self._extent.keys}",)
        if work.keys == "absent":
            numbers = (
                f"--num={self._extent.keys * ABSENT_PER_KEY}",
                f"--keys_per_prefix={ABSENT_PER_KEY}",
                "--prefix_size=8",
            )
        cache = f"--cache_size={self._extent.cache_bytes}"
        return ("--use_existing_db", cache, *numbers, *work.flags)

    def _check_found(self, work: Work, bench: Bench) -> None:
        expected = 0 if work.keys == "absent" else bench.operations
        if bench.found != expected:
            raise Failure(
                f"{self.name}: {work}: {bench.found:,} keys were found, "
                f"{expected:,} were expected"
            )


def listed_files(listing: str) -> Iterator[tuple[int, int, str, str]]:
    """Yields level, number, smallest and largest key of each file in the listing."""
    _, *parts = re.split(r"^--- level (\d+) ---.*", listing, flags=re.MULTILINE)
    for level, lines in zip(parts[::2], parts[1::2], strict=True):
        for number, smallest, largest in re.findall(
            r"^ (\d+):.*\['(\w+)' .* \.\. '(\w+)' .*$", lines, re.MULTILINE
        ):
            yield int(level), int(number), smallest, largest


# ---- Measuring ----


class Measurement:
    def __init__(self, tools: Tools, folder: Path, extent: Extent) -> None:
        self._tools = tools
        self._extent = extent
        self._cpus = sorted(os.sched_getaffinity(0))
        self._databases = {
            bits: {
                name: Database(tools, f"{name}:{bits}", folder, extent)
                for name in FILTERS
            }
            for bits in BITS
        }
        timed = extent.pairs * extent.runs * len(TIMED_WORKS)
        of_each_filter = 1 + len(COUNTED_WORKS)
        self._progress = Progress((timed + of_each_filter * len(FILTERS)) * len(BITS))

    def run(self) -> Report:
        with self._progress:
            filled = self._fill()
            counted = {bits: self._count(bits) for bits in BITS}
            pairs = self._time()
        comparisons = [
            Comparison(
                bits,
                {name: filled[bits, name].filter_bytes for name in FILTERS},
                counted[bits],
                [times(work, pairs[bits, work]) for work in TIMED_WORKS],
            )
            for bits in BITS
        ]
        first = filled[BITS[0], BLOOM]
        return Report(
            about(first, self._extent),
            notes(comparisons, self._extent),
            first.files,
            comparisons,
        )

    def _fill(self) -> dict[tuple[int, str], Filled]:
        filled: dict[tuple[int, str], Filled] = {}
        for bits, databases in self._databases.items():
            for name, database in databases.items():
                self._progress.step(
                    f"writing {self._extent.keys:,} keys, {database.name}"
                )
                filled[bits, name] = database.fill()
                if filled[bits, name].files != filled[BITS[0], BLOOM].files:
                    raise Failure(f"{database.name}: files differ from those with {BLOOM}")
        # Otherwise data might still be written while lookups are timed.
        os.sync()
        return filled

    def _count(self, bits: int) -> list[Counts]:
        counted = []
        for work in COUNTED_WORKS:
            for database in self._databases[bits].values():
                self._progress.step(f"counting: {work}, {database.name}")
                counted.append(database.count(work))
            if work == EVERY_KEY:
                check_levels(bits, *counted)
        return counted

    def _time(self) -> dict[tuple[int, Work], list[Speeds]]:
        pairs: dict[tuple[int, Work], list[Speeds]] = {
            (bits, work): [] for bits in BITS for work in TIMED_WORKS
        }
        for number in range(self._extent.pairs):
            for (bits, work), speeds in pairs.items():
                speeds.append(self._pair(bits, work, number))
        return pairs

    def _pair(self, bits: int, work: Work, number: int) -> Speeds:
        runs = []
        for run in range(self._extent.runs):
            self._progress.step(
                f"pair {number + 1} of {self._extent.pairs}: {work}, {bits} bits"
            )
            order = FILTERS if run % 2 == 0 else FILTERS[::-1]
            databases = {name: self._databases[bits][name] for name in order}
            runs.append(
                self._in_turn(work, databases, number * self._extent.runs + run)
            )
        return {name: mean(speeds[name] for speeds in runs) for name in FILTERS}

    def _in_turn(
        self, work: Work, databases: dict[str, Database], number: int
    ) -> Speeds:
        commands = []
        for database in databases.values():
            if not self._extent.direct_reads:
                database.warm()
            commands.append(database.timed_command(work, SEED + 1 + number))
        cpu = self._cpus[number // 2 % len(self._cpus)]
        runs = self._tools.run_in_turn(commands, cpu)
        return {
            name: database.speed(work, run)
            for (name, database), run in zip(databases.items(), runs, strict=True)
        }


def check_levels(bits: int, bloom: Counts, ours: Counts) -> None:
    """Fails if a filter hid a key's newest version, so that an older one was found."""
    if ours.filters_asked() != bloom.filters_asked():
        raise Failure(
            f"{OURS}:{bits}: {EVERY_KEY}: {ours.filters_asked():,} filters were asked "
            f"until all were found, but {bloom.filters_asked():,} with {BLOOM}: some keys "
            "were found in another level"
        )


# ---- Reporting ----


def about(filled: Filled, extent: Extent) -> str:
    data_bytes = sum(file.data_bytes for file in filled.files)
    return (
        f"{filled.bench.machine()} {extent.keys:,} keys of 16 bytes, values of 100, no "
        f"compression: {data_bytes / MB:,.0f} MB of data blocks, and "
        f"{extent.cache_bytes / MB:.2f} MB of block cache. Full filters are in memory, "
        "outside the block cache (cache_index_and_filter_blocks=false)."
        f"{filled.bench.warning()}"
    )


def notes(comparisons: list[Comparison], extent: Extent) -> str:
    absent = comparisons[0].counted[len(FILTERS)]
    asked = absent.filters_asked() / absent.operations
    source = (
        "through the operating system's page cache, into which all files are read anew "
        "before each run, so a read costs a call, a copy and a checksum"
    )
    if extent.direct_reads:
        source = "from the disk, past the operating system's page cache"
    return (
        "All databases have the same files in each level: the number of keys, the key "
        "range and the size of the data blocks are equal. Level 0 holds two files; keys "
        "of the upper levels are newer versions of keys in the lowest level. Every key "
        "(except the first, which db_bench leaves out) is found, and in the same level "
        "with both filters, because equally many filters are asked. Absent keys have 16 "
        f"bytes and lie between present keys: a lookup asks {asked:.2f} filters. Batches "
        "are of 32 keys (--multiread_batched). useful, positive, true positive: the "
        "tickers rocksdb.bloom.filter.*; data blocks read: rocksdb.block.cache.data.miss. "
        f"Data blocks are read {source}. ops/s: the median of {extent.pairs} pairs, "
        "without counters; x bloom: the median of their ratios. A pair is the mean of "
        f"{extent.runs} runs of {extent.seconds} s. In a run two processes, one for each "
        "filter, take turns on the same CPU: one runs for "
        f"{SLICE_SECONDS * 1000:.0f} ms while the other is stopped. Each filter has half "
        "of the time, and is the first in half of the runs."
    )


def level_lines(files: list[LevelFile]) -> Iterator[str]:
    yield f"{'level':>5}{'files':>8}{'keys':>12}{'data MB':>10}"
    for level in (*range(LEVELS), "all"):
        there = [file for file in files if level in (file.level, "all")]
        keys = sum(file.keys for file in there)
        data_bytes = sum(file.data_bytes for file in there)
        yield f"{level:>5}{len(there):8,}{keys:12,}{data_bytes / MB:10.1f}"


def filter_lines(report: Report) -> Iterator[str]:
    keys = sum(file.keys for file in report.files)
    yield f"{'filter':20}{'bytes':>12}{'bits/key':>10}{'x bloom':>9}"
    for comparison in report.comparisons:
        for name, size in comparison.filter_bytes.items():
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
        for row in comparison.counted:
            count = row.counters
            if row.filter == BLOOM:
                bloom_reads = count[BLOCK_READS]
            yield (
                f"{comparison.bits:4} {row.lookups:23}"
                f"{'bloom' if row.filter == BLOOM else 'ours':>6}{row.operations:10,}"
                f"{count[USEFUL]:12,}{count[POSITIVE]:11,}{count[TRUE_POSITIVE]:11,}"
                f"{count[BLOCK_READS]:13,}{count[BLOCK_READS] / bloom_reads:9.3f}"
            )


def speed_lines(comparisons: list[Comparison]) -> Iterator[str]:
    yield (
        f"{'bits':>4} {'timed':24}{'bloom ops/s':>12}{'ours ops/s':>12}{'x bloom':>9}"
        "   in each pair"
    )
    for comparison in comparisons:
        yield ""
        for row in comparison.timed:
            speeds = row.median_ops_per_second
            yield (
                f"{comparison.bits:4} {row.lookups:24}{speeds[BLOOM]:12,.0f}"
                f"{speeds[OURS]:12,.0f}{row.median_ratio:9.3f}  "
                + "".join(f"{ratio:6.3f}" for ratio in row.ratios)
            )


def text(report: Report) -> str:
    parts = (
        wrap(report.about),
        level_lines(report.files),
        filter_lines(report),
        count_lines(report.comparisons),
        speed_lines(report.comparisons),
        wrap(report.notes),
    )
    return "\n\n".join("\n".join(part) for part in parts)


# ---- The command ----


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add(
        "--quick",
        action="store_true",
        help="few keys and short runs: takes about 3 minutes instead of 15",
    )
    add(
        "--direct-reads",
        action="store_true",
        help="read each data block from the disk, past the operating system's page cache",
    )
    add("--dir", type=Path, help="create the temporary folder in DIR [TMPDIR]")
    add(
        "--json",
        type=argparse.FileType("w"),
        metavar="FILE",
        help="also write the figures, and those of each pair, to FILE",
    )
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    extent = QUICK if arguments.quick else FULL
    extent = replace(extent, direct_reads=arguments.direct_reads)
    tools = Tools(arguments.lib_dir)
    with tempfile.TemporaryDirectory(
        prefix="cassandra_bloom_levels.", dir=arguments.dir
    ) as folder:
        report = Measurement(tools, Path(folder), extent).run()
    print(text(report))
    if arguments.json:
        print(json.dumps(asdict(report), indent=2), file=arguments.json)


if __name__ == "__main__":
    with orderly_exit():
        main()
