#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares cassandra_bloom with RocksDB's Bloom filter, in lookups of a whole database.

RocksDB's db_bench writes the same keys into the same files of four levels, with each
filter at 10 and at 16 bits per key. Every key and then absent keys are looked up with
RocksDB's counters on. Then lookups of absent and present keys are timed without counters,
one by one and in batches. Processes take turns: one for each filter, and as a control a
second one with RocksDB's filter and a copy of the database.

The times and the false positives show how much time the reading of a data block must
take for cassandra_bloom to be faster with absent keys.

The exit status is 1 if a filter hides a key. The temporary folder (see --dir) takes
about 3 GB (5 GB with keys of 100 bytes), and is removed at the end.
"""

import argparse
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import comb
from pathlib import Path
from statistics import median

from in_turn import SLICE_SECONDS, StoppedProcess, rotated
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

BLOOM = "bloomfilter"
OURS = "cassandra_bloom"
FILTERS = (BLOOM, OURS)
CONTROL = "bloomfilter again"  # The same filter as BLOOM, in a copy of its database.
NO_FILTER = "none"
BITS = (10, 16)
LEVELS = 4
MB = 10**6

# The lowest level holds all keys. The two levels above it hold a tenth and a hundredth
# of the keys again. Each of the two files in level 0 holds one key in LEVEL0_PART.
LEVEL0_PART = 500
# Sets write_buffer_size, the size at which RocksDB writes the keys in memory as a file of
# level 0. db_bench needs two files or more for a hundredth of the keys. With a key of 16
# bytes and a value of 100, one row takes about 150 bytes in memory.
BUFFER_BYTES_PER_KEY = 0.5
VALUE_SIZE = 100
# Each level is larger than the block cache, as with RocksDB's default sizes of levels
# and cache. The cache fills up early in a run.
CACHE_BYTES_PER_KEY = 0.35
# A key of db_bench is a number of 8 bytes and padding. With --prefix_size, the number
# modulo the number of keys in the database comes first, and then the number itself. Such
# a key is absent, and sorts next to a present key. ABSENT_PER_KEY makes the range of
# numbers so large that few of them are drawn twice.
ABSENT_PER_KEY = 2**20
MIN_KEY_SIZE = 16
MIN_PAIRS = 6

USEFUL = "rocksdb.bloom.filter.useful"
POSITIVE = "rocksdb.bloom.filter.full.positive"
TRUE_POSITIVE = "rocksdb.bloom.filter.full.true.positive"
BLOCK_READS = "rocksdb.block.cache.data.miss"
BLOCK_HITS = "rocksdb.block.cache.data.hit"
COUNTERS = (USEFUL, POSITIVE, TRUE_POSITIVE, BLOCK_READS, BLOCK_HITS)


# ---- What is measured ----


PAGE_CACHE = "page-cache"
BLOCK_CACHE = "block-cache"
DISK = "disk"


@dataclass(frozen=True)
class Extent:
    keys: int
    counted_lookups: int
    pairs: int
    seconds: int = 1  # How long each process runs in each pair.
    key_size: int = 16
    data_from: str = PAGE_CACHE
    one_run: bool = False

    @property
    def levels(self) -> set[int]:
        return {LEVELS - 1} if self.one_run else set(range(LEVELS))

    @property
    def buffer_bytes(self) -> int:
        size = (self.key_size + 134) / 150
        return int(self.keys * BUFFER_BYTES_PER_KEY * size)

    @property
    def small_cache_bytes(self) -> int:
        return int(self.keys * CACHE_BYTES_PER_KEY)

    @property
    def cache_bytes(self) -> int:
        if self.data_from == BLOCK_CACHE:
            return 3 * self.keys * (self.key_size + VALUE_SIZE)
        return self.small_cache_bytes


FULL = Extent(keys=3_000_000, counted_lookups=2_000_000, pairs=15)
QUICK = Extent(keys=400_000, counted_lookups=400_000, pairs=6)


@dataclass(frozen=True)
class Work:
    benchmark: str
    keys: str  # absent, present or every key
    flags: tuple[str, ...] = ()
    # The bytes by which db_bench makes keys longer than its --key_size.
    added_bytes: int = 0

    def __str__(self) -> str:
        return f"{self.benchmark}, {self.keys}"

    @property
    def contestants(self) -> tuple[str, ...]:
        """What is timed. Absent keys also without a filter, which shows a block's cost."""
        return (*FILTERS, CONTROL, *((NO_FILTER,) if self.keys == "absent" else ()))


BATCHES = ("--multiread_batched", "--batch_size=32")
EVERY_KEY = Work("readrandom", "every key")
ABSENT_WORKS = (
    Work("readmissing", "absent", added_bytes=1),
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

    def blocks_per_lookup(self) -> float:
        """Data blocks that are read, or found in the block cache, in each look-up."""
        blocks = self.counters[BLOCK_READS] + self.counters[BLOCK_HITS]
        return blocks / self.operations


@dataclass(frozen=True)
class Interval:
    """A median, and the bounds of the true median with a probability of 95 %."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Times:
    lookups: str
    pairs: list[Speeds]
    ratio: Interval  # The speed of our filter, divided by that of RocksDB's.
    control: Interval  # The same for CONTROL in place of our filter.
    median_ops_per_second: Speeds


def interval(values: list[float]) -> Interval:
    """The interval of the sign test. With fewer than MIN_PAIRS values, the whole range."""
    n = len(values)
    beyond = 0  # How many values are left out on each side.
    while 2 * sum(comb(n, i) for i in range(beyond + 2)) / 2**n <= 0.05:
        beyond += 1
    ordered = sorted(values)
    return Interval(median(values), ordered[beyond], ordered[n - 1 - beyond])


def times(work: Work, pairs: list[Speeds]) -> Times:
    def ratio(name: str) -> Interval:
        return interval([speeds[name] / speeds[BLOOM] for speeds in pairs])

    medians = {
        name: median(speeds[name] for speeds in pairs) for name in work.contestants
    }
    return Times(str(work), pairs, ratio(OURS), ratio(CONTROL), medians)


@dataclass(frozen=True)
class BreakEven:
    """What a false positive costs, and above which cost ours is faster, both in ns.

    If that cost is negative, ours is faster whatever a false positive costs.
    """

    lookups: str
    false_positives: dict[str, float]  # In each look-up, by filter.
    block_ns: float
    break_even_ns: Interval


def break_even(
    times: Times, bloom: Counts, ours: Counts, unfiltered: Counts
) -> BreakEven | None:
    """For look-ups of absent keys, so every positive answer of a filter is a false one.

    With a filter, a look-up reads R blocks of the cost C, and takes base + R * C. Without
    one it reads N blocks, and takes base + N * C. The time of the filter itself is
    neglected, which makes C too small by some hundredths. The interval comes from the
    ratio of speeds alone, as if the counts were exact. Returns None if ours does not have
    fewer false positives.
    """
    rates = {
        name: counts.counters[POSITIVE] / counts.operations
        for name, counts in ((BLOOM, bloom), (OURS, ours))
    }
    avoided = rates[BLOOM] - rates[OURS]
    if avoided <= 0:
        return None
    ns = {name: 1e9 / speed for name, speed in times.median_ops_per_second.items()}
    more_blocks = unfiltered.blocks_per_lookup() - rates[BLOOM]
    block_ns = (ns[NO_FILTER] - ns[BLOOM]) / more_blocks

    def at(ratio: float) -> float:
        return block_ns + ns[BLOOM] * (1 / ratio - 1) / avoided

    ratio = times.ratio
    costs = Interval(at(ratio.median), at(ratio.high), at(ratio.low))
    return BreakEven(times.lookups, rates, block_ns, costs)


@dataclass(frozen=True)
class Comparison:
    """The measurements at one number of bits per key."""

    bits: int
    filter_bytes: dict[str, int]
    # For each of COUNTED_WORKS, the counts of RocksDB's filter and then those of ours.
    # At the end, for each of ABSENT_WORKS, the counts without a filter.
    counted: list[Counts]
    timed: list[Times]
    break_even: list[BreakEven]


def comparison(
    bits: int, filter_bytes: dict[str, int], counted: list[Counts], timed: list[Times]
) -> Comparison:
    of_work = {(count.lookups, count.filter): count for count in counted}
    costs = [
        break_even(
            each, *(of_work[each.lookups, name] for name in (*FILTERS, NO_FILTER))
        )
        for each in timed
        if NO_FILTER in each.median_ops_per_second
    ]
    known = [each for each in costs if each is not None]
    return Comparison(bits, filter_bytes, counted, timed, known)


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
    def __init__(
        self, tools: Tools, name: str, bits: int, folder: Path, extent: Extent
    ) -> None:
        self._filter = BLOOM if name == CONTROL else name
        policy = "nullptr" if name == NO_FILTER else f"{self._filter}:{bits}"
        options = {
            "filter_policy": policy,
            "write_buffer_size": str(extent.buffer_bytes),
            "use_direct_reads": str(extent.data_from == DISK).lower(),
        }
        path = folder / f"{name.replace(' ', '-')}-{bits}"
        super().__init__(tools, f"{name}:{bits}", path, OPTIONS_DIR / "levels.ini", options)
        self._extent = extent

    def fill(self) -> Filled:
        keys = self._extent.keys
        common = (f"--num={keys}", f"--seed={SEED}", "--disable_wal")
        # The first benchmark leaves files of any number in level 0. compact0 moves them down.
        bench = self.bench(
            "filluniquerandomdeterministic,compact0",
            "--disable_auto_compactions",
            "--compression_type=none",
            *common,
        )
        self.check_options(bench)
        above = "compact" if self._extent.one_run else "overwrite,flush,overwrite,flush"
        listing = self.bench(
            f"{above},sstables",
            "--use_existing_db",
            f"--writes={keys // LEVEL0_PART}",
            "--compression_type=none",
            *common,
        )
        properties = self.sst_files("N/A" if self._filter == NO_FILTER else self._filter)
        files = [
            LevelFile(level, file.entries, file.data_bytes, smallest, largest)
            for level, number, smallest, largest in listed_files(listing.stdout)
            for file in [properties[number]]
        ]
        if {file.level for file in files} != self._extent.levels:
            raise Failure(f"{self.name}: db_bench has filled other levels")
        size = sum(file.filter_bytes for file in properties.values())
        return Filled(files, size, bench)

    def copy_from(self, source: "Database") -> None:
        shutil.copytree(source.path, self.path)

    def command(self, benchmarks: str, *flags: str) -> tuple[str, ...]:
        return super().command(
            benchmarks, f"--key_size={self._extent.key_size}", *flags
        )

    def count(self, work: Work) -> Counts:
        flags: tuple[str, ...]
        flags = (f"--reads={self._extent.counted_lookups}", f"--seed={SEED}")
        # Looks up all keys but the first one, in key order.
        if work == EVERY_KEY:
            keys = self._extent.keys
            several = (f"--batch_size={keys + 1}", "--multiread_stride=1")
            flags = (f"--reads={keys - 1}", *several)
        flags += (*self._look_up_flags(work, self._extent.small_cache_bytes), *COUNTED)
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

    def timed_command(self, work: Work, seed: int, processes: int) -> tuple[str, ...]:
        """`processes`: how many take turns. db_bench's clock also runs while it is stopped."""
        duration = f"--duration={self._extent.seconds * processes}"
        benchmarks = work.benchmark
        if self._extent.data_from == BLOCK_CACHE:
            benchmarks = f"readseq,{benchmarks}"  # Fills the block cache.
        look_up = self._look_up_flags(work, self._extent.cache_bytes)
        flags = (*look_up, duration, f"--seed={seed}")
        return self.command(benchmarks, *flags)

    def speed(self, work: Work, run: StoppedProcess) -> float:
        """Lookups per second of CPU time or, if data come from the disk, of the time for
        which `run` was not stopped. `run` must have ended."""
        # CPU time would leave out the time for which the process waits for the disk.
        cpu_time = self._extent.data_from != DISK
        bench = timed_figures(work.benchmark, run, cpu_time)
        self._check_found(work, bench)
        return bench.ops_per_second

    def _look_up_flags(self, work: Work, cache_bytes: int) -> tuple[str, ...]:
        numbers: tuple[str, ...] = (f"--num={self._extent.keys}",)
        if work.keys == "absent":
            numbers = (
                f"--num={self._extent.keys * ABSENT_PER_KEY}",
                f"--keys_per_prefix={ABSENT_PER_KEY}",
                "--prefix_size=8",
            )
        return (
            "--use_existing_db",
            f"--cache_size={cache_bytes}",
            f"--key_size={self._extent.key_size - work.added_bytes}",
            *numbers,
            *work.flags,
        )

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
        self._databases = {
            bits: {
                name: Database(tools, name, bits, folder, extent)
                for name in (*FILTERS, CONTROL, NO_FILTER)
            }
            for bits in BITS
        }
        of_each_bits = (
            len(FILTERS) * (1 + len(COUNTED_WORKS))
            + len((CONTROL, NO_FILTER))
            + len(ABSENT_WORKS)
            + extent.pairs * len(TIMED_WORKS)
        )
        self._progress = Progress(of_each_bits * len(BITS))

    def run(self) -> Report:
        with self._progress:
            filled = self._fill()
            counted = {bits: self._count(bits) for bits in BITS}
            pairs = self._time()
        comparisons = [
            comparison(
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
                if name == CONTROL:
                    database.copy_from(databases[BLOOM])
                    continue
                filled[bits, name] = database.fill()
                if filled[bits, name].files != filled[BITS[0], BLOOM].files:
                    raise Failure(f"{database.name}: files differ from those with {BLOOM}")
        # Otherwise data might still be written while lookups are timed.
        os.sync()
        return filled

    def _count(self, bits: int) -> list[Counts]:
        counted = []
        for work in COUNTED_WORKS:
            for name in FILTERS:
                counted.append(self._count_one(bits, name, work))
            if work == EVERY_KEY:
                check_levels(bits, *counted)
        counted += [self._count_one(bits, NO_FILTER, work) for work in ABSENT_WORKS]
        return counted

    def _count_one(self, bits: int, name: str, work: Work) -> Counts:
        database = self._databases[bits][name]
        self._progress.step(f"counting: {work}, {database.name}")
        return database.count(work)

    def _time(self) -> dict[tuple[int, Work], list[Speeds]]:
        pairs: dict[tuple[int, Work], list[Speeds]] = {
            (bits, work): [] for bits in BITS for work in TIMED_WORKS
        }
        for number in range(self._extent.pairs):
            for (bits, work), speeds in pairs.items():
                speeds.append(self._pair(bits, work, number))
        return pairs

    def _pair(self, bits: int, work: Work, number: int) -> Speeds:
        self._progress.step(
            f"pair {number + 1} of {self._extent.pairs}: {work}, {bits} bits"
        )
        names = rotated(work.contestants, number)
        databases = [self._databases[bits][name] for name in names]
        for database in databases:
            if self._extent.data_from != DISK:
                database.warm()
        seed = SEED + 1 + number
        runs = self._tools.run_in_turn(
            [database.timed_command(work, seed, len(names)) for database in databases],
            number,
        )
        return {
            name: database.speed(work, run)
            for name, database, run in zip(names, databases, runs, strict=True)
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
        f"{filled.bench.machine()} {extent.keys:,} keys of {extent.key_size} bytes, values "
        f"of {VALUE_SIZE}, no compression: {data_bytes / MB:,.0f} MB of data blocks, and "
        f"{extent.cache_bytes / MB:,.2f} MB of block cache. Full filters are in memory, "
        "outside the block cache (cache_index_and_filter_blocks=false)."
        f"{filled.bench.warning()}"
    )


SOURCES = {
    PAGE_CACHE: "through the operating system's page cache, into which all files are read "
    "anew before each pair, so a read costs a call, a copy and a checksum",
    BLOCK_CACHE: "into a block cache larger than the data before the time is taken (but "
    "counted with a small one)",
    DISK: "from the disk, past the operating system's page cache",
}


def notes(comparisons: list[Comparison], extent: Extent) -> str:
    absent = comparisons[0].counted[len(FILTERS)]
    asked = absent.filters_asked() / absent.operations
    shape = "There is one sorted run." if extent.one_run else (
        "Level 0 holds two files; keys of the upper levels are newer versions of keys in "
        "the lowest level."
    )
    time = "all time" if extent.data_from == DISK else "its CPU time"
    return (
        "All databases have the same files in each level: the number of keys, the key "
        f"range and the size of the data blocks are equal. {shape} Every key (except the "
        "first, which db_bench leaves out) is found, and in the same level with both "
        f"filters, because equally many filters are asked. Absent keys have "
        f"{extent.key_size} bytes and lie between present keys: a lookup asks {asked:.2f} "
        "filters. Batches are of 32 keys (--multiread_batched). useful, positive, true "
        "positive: the tickers rocksdb.bloom.filter.*; data blocks read: "
        f"rocksdb.block.cache.data.miss. Data blocks are read {SOURCES[extent.data_from]}. "
        f"ops/s: the median of {extent.pairs} pairs, without counters; x bloom: the median "
        "of their ratios, and its 95 % interval. In a pair three processes take turns on "
        "the same CPU: one for each filter, and one more with RocksDB's filter and a copy "
        "of its database, whose ratio to the first one, the control, shows the noise. (For "
        f"absent keys, a fourth one without a filter.) One runs for "
        f"{SLICE_SECONDS * 1000:.0f} ms while the others are stopped, until each has run "
        f"for {extent.seconds} s. What counts is {time} while it runs. A false positive "
        "costs: the time of a lookup without a filter, less that with RocksDB's filter, "
        "for each data block more that it needs. Break-even: if false positives cost less "
        "than this, RocksDB's filter is faster; if they cost more, this one. A negative "
        "break-even: this one, always. Its interval is that of the ratio of the speeds alone."
    )


def level_lines(files: list[LevelFile]) -> Iterator[str]:
    yield f"{'level':>5}{'files':>8}{'keys':>12}{'data MB':>10}"
    for level in (*sorted({file.level for file in files}), "all"):
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
            elif row.filter == NO_FILTER:
                continue
            yield (
                f"{comparison.bits:4} {row.lookups:23}"
                f"{'bloom' if row.filter == BLOOM else 'ours':>6}{row.operations:10,}"
                f"{count[USEFUL]:12,}{count[POSITIVE]:11,}{count[TRUE_POSITIVE]:11,}"
                f"{count[BLOCK_READS]:13,}{count[BLOCK_READS] / bloom_reads:9.3f}"
            )


def speed_lines(comparisons: list[Comparison]) -> Iterator[str]:
    yield (
        f"{'bits':>4} {'timed':24}{'bloom ops/s':>12}{'ours ops/s':>12}{'x bloom':>9}"
        f"{'95 % interval':>16}{'control':>9}{'95 % interval':>16}"
    )
    for comparison in comparisons:
        yield ""
        for row in comparison.timed:
            speeds = row.median_ops_per_second
            yield (
                f"{comparison.bits:4} {row.lookups:24}{speeds[BLOOM]:12,.0f}"
                f"{speeds[OURS]:12,.0f}"
                + "".join(
                    f"{each.median:9.3f}{f'{each.low:.3f} to {each.high:.3f}':>16}"
                    for each in (row.ratio, row.control)
                )
            )


def break_even_lines(comparisons: list[Comparison]) -> Iterator[str]:
    yield (
        f"{'':28}{'false positives per lookup':>28}{'one costs':>13}{'break-even':>13}"
        f"{'95 % interval':>20}"
    )
    yield f"{'bits':>4} {'':24}{'bloom':>13}{'ours':>14}"
    for comparison in comparisons:
        for row in comparison.break_even:
            cost = row.break_even_ns
            yield (
                f"{comparison.bits:4} {row.lookups:24}"
                f"{row.false_positives[BLOOM]:13.5f}{row.false_positives[OURS]:14.5f}"
                f"{row.block_ns:10,.0f} ns{cost.median:10,.0f} ns"
                f"{f'{cost.low:,.0f} to {cost.high:,.0f}':>20}"
            )


def text(report: Report) -> str:
    parts = (
        wrap(report.about),
        level_lines(report.files),
        filter_lines(report),
        count_lines(report.comparisons),
        speed_lines(report.comparisons),
        break_even_lines(report.comparisons),
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
        help="few keys and pairs: takes about 3 minutes instead of 15",
    )
    add("--key-size", type=int, default=16, metavar="BYTES", help="[%(default)s]")
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
    add("--pairs", type=int, metavar="N", help=f"[{FULL.pairs}, or {QUICK.pairs}]")
    add("--dir", type=Path, help="create the temporary folder in DIR [TMPDIR]")
    add(
        "--json",
        type=Path,
        metavar="FILE",
        help="also write the figures, and those of each pair, to FILE",
    )
    arguments = parser.parse_args()
    if arguments.key_size < MIN_KEY_SIZE:
        parser.error(f"argument --key-size: at least {MIN_KEY_SIZE}")
    if arguments.pairs is not None and arguments.pairs < MIN_PAIRS:
        parser.error(f"argument --pairs: at least {MIN_PAIRS}, for an interval of 95 %")
    if arguments.json and not arguments.json.resolve().parent.is_dir():
        parser.error(f"argument --json: no folder {arguments.json.resolve().parent}")
    return arguments


def main() -> None:
    arguments = parse_arguments()
    extent = QUICK if arguments.quick else FULL
    extent = replace(
        extent,
        key_size=arguments.key_size,
        data_from=arguments.data_from,
        one_run=arguments.one_run,
        pairs=arguments.pairs or extent.pairs,
    )
    tools = chosen_tools(arguments)
    with tempfile.TemporaryDirectory(
        prefix="cassandra_bloom_levels.", dir=arguments.dir
    ) as folder:
        report = Measurement(tools, Path(folder), extent).run()
    print(text(report))
    if arguments.json:
        arguments.json.write_text(json.dumps(asdict(report), indent=2) + "\n")


if __name__ == "__main__":
    with orderly_exit():
        main()
