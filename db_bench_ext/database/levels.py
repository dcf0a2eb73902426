# SPDX-License-Identifier: Apache-2.0

"""A database of four levels with one filter policy, and what db_bench does with it."""

import math
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from break_even import NO_FILTER
from in_turn import StoppedProcess
from ratios import BLOOM, COPY
from stock_tools import (
    COUNTED,
    OPTIONS_DIR,
    SEED,
    Bench,
    Failure,
    StockDatabase,
    Tools,
    timed_figures,
    write_options,
)

# What is compared. Options are in the order in which the policy's id has them.
POLICIES = {
    BLOOM: "bloomfilter:{}",
    "ribbon": "ribbonfilter:{}",
    # RocksDB's own mix: Bloom filters above level 3, which is the last one here.
    "bloom+ribbon": "ribbonfilter:{}:3",
    "uniform": "cassandra_bloom:{}",
    "by-level": "cassandra_bloom:{}:allocation:monkey",
    "bloom-by-level": "cassandra_bloom:{}:allocation:monkey:filter:bloom:blocks:rocksdb",
    "bloom-at-bottom":
        "cassandra_bloom:{}:allocation:monkey:bottommost_filter:bloom:blocks:rocksdb",
    "mix": "cassandra_bloom:mix:{}",
    "mix-cassandra": "cassandra_bloom:mix:{}:filter:cassandra",
}  # fmt: skip
LEVELS = 4


def policy_string(name: str, bits: float) -> str:
    return POLICIES[BLOOM if name == COPY else name].format(f"{bits:g}")


# The lowest level holds all keys. The levels above it hold a tenth and a hundredth of
# them again, and each of the two files in level 0 one key in LEVEL0_PART.
LEVEL0_PART = 500
# Sets write_buffer_size, at which keys in memory are written as a file of level 0.
# db_bench wants two files for a hundredth of the keys. A key takes about MEMORY_PER_KEY
# bytes in memory in addition to itself and its value.
BUFFER_PER_MEMORY = 1 / 300
MEMORY_PER_KEY = 34
MIN_KEYS = 200_000  # With fewer, RocksDB would round write_buffer_size up.
# Each level is larger than the block cache, as with RocksDB's default sizes of levels
# and cache. The cache is full early in a run.
CACHE_BYTES_PER_KEY = 0.35
# A key of db_bench is a number of 8 bytes and padding. With --prefix_size, a key is the
# number modulo the number of keys in the database, followed by the number itself. So it
# is absent, and next to a present key. The range of numbers is so large that few are
# drawn twice.
ABSENT_PER_KEY = 2**20
MIN_KEY_SIZE = 16

USEFUL = "rocksdb.bloom.filter.useful"
POSITIVE = "rocksdb.bloom.filter.full.positive"
TRUE_POSITIVE = "rocksdb.bloom.filter.full.true.positive"
BLOCK_READS = "rocksdb.block.cache.data.miss"
BLOCK_HITS = "rocksdb.block.cache.data.hit"
COUNTERS = (USEFUL, POSITIVE, TRUE_POSITIVE, BLOCK_READS, BLOCK_HITS)
FILTERS_CACHED = "rocksdb.block.cache.filter.add"
FILTER_CHARGE = "rocksdb.block.cache.filter.bytes.insert"

PAGE_CACHE = "page-cache"
BLOCK_CACHE = "block-cache"
DISK = "disk"


@dataclass(frozen=True)
class Extent:
    keys: int
    counted_lookups: int
    rounds: int
    compactions: int
    seconds: float  # For which each process runs in a round, at least.
    reruns: int  # At most, of look-ups whose control is unsteady.
    key_size: int = 16
    value_size: int = 100
    data_from: str = PAGE_CACHE
    one_run: bool = False

    @property
    def levels(self) -> set[int]:
        return {LEVELS - 1} if self.one_run else set(range(LEVELS))

    @property
    def buffer_bytes(self) -> int:
        size = self.key_size + self.value_size + MEMORY_PER_KEY
        return int(self.keys * size * BUFFER_PER_MEMORY)

    @property
    def small_cache_bytes(self) -> int:
        return int(self.keys * CACHE_BYTES_PER_KEY)

    @property
    def data_cache_bytes(self) -> int:
        """A block cache in which all the database has room."""
        return 3 * self.keys * (self.key_size + self.value_size)

    @property
    def cache_bytes(self) -> int:
        cached = self.data_from == BLOCK_CACHE
        return self.data_cache_bytes if cached else self.small_cache_bytes


@dataclass(frozen=True)
class Work:
    benchmark: str
    keys: str  # absent, present or every key
    flags: tuple[str, ...] = ()
    # The bytes by which db_bench makes keys longer than its --key_size.
    added_bytes: int = 0

    def __str__(self) -> str:
        return f"{self.benchmark}, {self.keys}"


BATCHES = ("--multiread_batched", "--batch_size=32")
EVERY_KEY = Work("readrandom", "every key")
ABSENT = Work("readmissing", "absent", added_bytes=1)
ABSENT_WORKS = (ABSENT, Work("multireadrandom", "absent", flags=BATCHES))
COUNTED_WORKS = (EVERY_KEY, *ABSENT_WORKS)
TIMED_WORKS = (
    *ABSENT_WORKS,
    Work("readrandom", "present"),
    Work("multireadrandom", "present", flags=BATCHES),
)


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
    operations: int
    found: int
    counters: dict[str, int]

    def filters_asked(self) -> int:
        return self.counters[USEFUL] + self.counters[POSITIVE]

    def false_positives(self) -> float:
        """Of each look-up. If all keys are absent, there are no true positives."""
        false = self.counters[POSITIVE] - self.counters[TRUE_POSITIVE]
        return false / self.operations

    def blocks_per_lookup(self) -> float:
        """Data blocks that are read, or found in the block cache, in each look-up."""
        blocks = self.counters[BLOCK_READS] + self.counters[BLOCK_HITS]
        return blocks / self.operations


@dataclass(frozen=True)
class Filled:
    files: list[LevelFile]
    filter_bytes: int
    cpu_seconds: float
    bench: Bench


class Database(StockDatabase):
    def __init__(
        self, tools: Tools, name: str, bits: float, folder: Path, extent: Extent
    ) -> None:
        string = "nullptr" if name == NO_FILTER else policy_string(name, bits)
        self._sst_policy = "N/A" if name == NO_FILTER else string.partition(":")[0]
        options = {
            "filter_policy": string,
            "write_buffer_size": str(extent.buffer_bytes),
            "use_direct_reads": str(extent.data_from == DISK).lower(),
        }
        path = folder / f"{name.replace(' ', '-')}-{bits:g}"
        template = OPTIONS_DIR / "levels.ini"
        super().__init__(tools, f"{name}, {bits:g} bits", path, template, options)
        self._cached_filters = path.with_name(path.name + "-cached.ini")
        options["cache_index_and_filter_blocks"] = "true"
        write_options(self._cached_filters, template, options)
        self._extent = extent
        self._num_files = 0

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
        above = "compact" if self._extent.one_run else "overwrite,flush,overwrite,flush"
        listing = self.bench(
            f"{above},sstables",
            "--use_existing_db",
            f"--writes={keys // LEVEL0_PART}",
            "--compression_type=none",
            *common,
        )
        properties = self.sst_files(self._sst_policy)
        files = [
            LevelFile(level, file.entries, file.data_bytes, smallest, largest)
            for level, number, smallest, largest in listed_files(listing.stdout)
            for file in [properties[number]]
        ]
        if {file.level for file in files} != self._extent.levels:
            raise Failure(f"{self.name}: db_bench has filled other levels")
        self._num_files = len(files)
        size = sum(file.filter_bytes for file in properties.values())
        seconds = bench.cpu_seconds + listing.cpu_seconds
        return Filled(files, size, seconds, bench)

    def copy_from(self, source: "Database") -> None:
        shutil.copytree(source.path, self.path)

    def remove(self) -> None:
        shutil.rmtree(self.path)

    def command(self, benchmarks: str, *flags: str) -> tuple[str, ...]:
        sizes = (
            f"--key_size={self._extent.key_size}",
            f"--value_size={self._extent.value_size}",
        )
        return super().command(benchmarks, *sizes, *flags)

    def compact_command(self) -> tuple[str, ...]:
        return self.command("compact", "--use_existing_db")

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
        return Counts(str(work), bench.operations, bench.found, counters)

    def filter_charge(self) -> int:
        """The block cache's charge for all filters, if they were in the block cache."""
        reads = self._extent.counted_lookups // 10
        flags = self._look_up_flags(ABSENT, self._extent.data_cache_bytes)
        options = f"--options_file={self._cached_filters}"
        bench = self.bench(
            ABSENT.benchmark, f"--reads={reads}", f"--seed={SEED}", *flags, *COUNTED, options
        )
        if bench.counters[FILTERS_CACHED] != self._num_files:
            raise Failure(f"{self.name}: not all filters were read into the block cache")
        return bench.counters[FILTER_CHARGE]

    def warm(self) -> None:
        """Reads all files anew, into other pages of the operating system's page cache.

        Some pages are faster than others: a database that keeps its pages may seem 5 %
        faster than another in every run.
        """
        if self._extent.data_from == DISK:
            return
        for path in self.path.glob("*.sst"):
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                while file.read(1 << 20):
                    pass

    def timed_command(self, work: Work, seed: int, processes: int) -> tuple[str, ...]:
        """`processes`: how many take turns. db_bench's time goes on while it is stopped."""
        duration = f"--duration={math.ceil(self._extent.seconds * processes)}"
        benchmarks = work.benchmark
        if self._extent.data_from == BLOCK_CACHE:
            benchmarks = f"readseq,{benchmarks}"  # Fills the block cache.
        look_up = self._look_up_flags(work, self._extent.cache_bytes)
        flags = (*look_up, duration, f"--seed={seed}")
        return self.command(benchmarks, *flags)

    def speed(self, work: Work, run: StoppedProcess) -> float:
        """Lookups per second of the time in which `run` ran. `run` must have ended."""
        # A process that waits for the disk has no CPU.
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


def absent_rate(
    tools: Tools, name: str, bits: float, folder: Path, extent: Extent
) -> float:
    """False positives per look-up of an absent key, from a database made only for them.

    Never 0, so that it has a logarithm.
    """
    database = Database(tools, name, bits, folder, extent)
    database.fill()
    count = database.count(ABSENT)
    database.remove()
    return max(count.false_positives(), 0.5 / count.operations)
