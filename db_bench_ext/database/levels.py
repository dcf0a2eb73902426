# SPDX-License-Identifier: Apache-2.0

"""Look-ups of absent and present keys in a database of four levels."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from db_bench import (
    COUNTED, NO_FILTER, SEED, Bench, Failure, StockDatabase, Tools, timed_figures,
)  # fmt: skip
from in_turn import StoppedProcess

LEVELS = 4
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
KEY_SIZE = 16

USEFUL = "rocksdb.bloom.filter.useful"
POSITIVE = "rocksdb.bloom.filter.full.positive"
TRUE_POSITIVE = "rocksdb.bloom.filter.full.true.positive"
BLOCK_READS = "rocksdb.block.cache.data.miss"


@dataclass(frozen=True)
class Work:
    title: str
    benchmark: str  # Of db_bench.
    absent: bool
    flags: tuple[str, ...] = ()
    added_bytes: int = 0  # By which db_bench makes keys longer than its --key_size.


BATCHES = ("--multiread_batched", "--batch_size=32")
EVERY_KEY = Work("every key", "readrandom", absent=False)
ABSENT = Work("absent keys", "readmissing", absent=True, added_bytes=1)
PRESENT = Work("present keys", "readrandom", absent=False)
ONE_BY_ONE = (ABSENT, PRESENT)
ALL_WORKS = (
    ABSENT,
    Work("absent, in batches", "multireadrandom", absent=True, flags=BATCHES),
    PRESENT,
    Work("present, in batches", "multireadrandom", absent=False, flags=BATCHES),
)
# Leaves one sorted run, so it comes after all look-ups.
COMPACTION = Work("compaction", "compact", absent=True)


@dataclass(frozen=True)
class Size:
    keys: int
    counted_lookups: int
    rounds: int
    seconds: float  # For which each process runs in a round, at least.
    compactions: int  # Rounds of COMPACTION.
    works: Sequence[Work]
    value_size: int = 100
    from_disk: bool = False  # Past the operating system's page cache.
    universal: bool = False  # Universal compaction: each run has half the keys of the next.


@dataclass(frozen=True)
class LevelFile:
    """The properties in which the corresponding files of all databases are equal."""

    level: int
    keys: int
    data_bytes: int
    smallest: str
    largest: str


@dataclass(frozen=True)
class Counted:
    """What does not depend on the machine."""

    files: list[LevelFile]
    filter_bytes: int
    every_key: Bench
    absent: Bench

    @property
    def keys(self) -> int:
        """Entries of all levels."""
        return sum(file.keys for file in self.files)

    def false_positives(self) -> float:
        """In each look-up of an absent key. There are no true positives."""
        return self.absent.counters[POSITIVE] / self.absent.operations


def filters_asked(bench: Bench) -> int:
    return bench.counters[USEFUL] + bench.counters[POSITIVE]


class Database(StockDatabase):
    """A database of four levels with one filter policy."""

    def __init__(self, size: Size, tools: Tools, policy: str, path: Path) -> None:
        memory_per_key = KEY_SIZE + size.value_size + MEMORY_PER_KEY
        options = {
            "write_buffer_size": str(int(size.keys * memory_per_key * BUFFER_PER_MEMORY)),
            "target_file_size_base": "16777216",
            "disable_auto_compactions": "true",
            "use_direct_reads": str(size.from_disk).lower(),
        }
        if size.universal:
            options["compaction_style"] = "kCompactionStyleUniversal"
        super().__init__(tools, policy, path, options)
        self._size = size
        self._listing = ""  # Of the files, once it is filled.

    def fill(self) -> None:
        keys = self._size.keys
        common = (f"--num={keys}", f"--seed={SEED}", "--disable_wal")
        no_compression = "--compression_type=none"
        # The first benchmark leaves arbitrary files in level 0; compact0 moves them down.
        # In universal compaction they are the smaller runs.
        below = "filluniquerandomdeterministic"
        if not self._size.universal:
            below += ",compact0"
        self.bench(below, "--disable_auto_compactions", no_compression, *common)
        self._listing = self.bench(
            "overwrite,flush,overwrite,flush,sstables",
            "--use_existing_db",
            f"--writes={keys // LEVEL0_PART}",
            no_compression,
            *common,
        ).output

    def command(self, benchmarks: str, *flags: str) -> tuple[str, ...]:
        sizes = (f"--key_size={KEY_SIZE}", f"--value_size={self._size.value_size}")
        return super().command(benchmarks, *sizes, *flags)

    def count(self) -> Counted:
        properties = self.sst_files()
        files = [
            LevelFile(level, file.entries, file.data_bytes, smallest, largest)
            for level, number, smallest, largest in listed_files(self._listing)
            for file in [properties[number]]
        ]
        if {file.level for file in files} != set(range(LEVELS)):
            raise Failure(f"{self.policy}: db_bench has filled other levels")
        size = sum(file.filter_bytes for file in properties.values())
        # All keys but the first one, in key order.
        keys = self._size.keys
        in_order = (f"--reads={keys - 1}", f"--batch_size={keys + 1}", "--multiread_stride=1")
        every_key = self._count(EVERY_KEY, *in_order)
        random = (f"--reads={self._size.counted_lookups}", f"--seed={SEED}")
        return Counted(files, size, every_key, self._count(ABSENT, *random))

    def timed_command(self, work: Work, seed: int, processes: int) -> tuple[str, ...]:
        """`processes`: how many take turns. db_bench's time goes on while it is stopped."""
        if work == COMPACTION:
            return self.command(work.benchmark, "--use_existing_db")
        duration = f"--duration={math.ceil(self._size.seconds * processes)}"
        look_up = self._look_up_flags(work)
        return self.command(work.benchmark, *look_up, duration, f"--seed={seed}")

    def result(self, work: Work, run: StoppedProcess) -> float:
        """Operations per second of the time in which `run` ran. `run` must have ended."""
        # A process that waits for the disk has no CPU.
        bench = timed_figures(work.benchmark, run, cpu_time=not self._from_disk)
        self._check_found(work, bench)
        return bench.ops_per_second

    def _count(self, work: Work, *flags: str) -> Bench:
        look_up = self._look_up_flags(work)
        bench = self.bench(work.benchmark, *flags, *look_up, *COUNTED)
        self._check_found(work, bench)
        return bench

    def _look_up_flags(self, work: Work) -> tuple[str, ...]:
        numbers: tuple[str, ...] = (f"--num={self._size.keys}",)
        if work.absent:
            numbers = (
                f"--num={self._size.keys * ABSENT_PER_KEY}",
                f"--keys_per_prefix={ABSENT_PER_KEY}",
                "--prefix_size=8",
            )
        return (
            "--use_existing_db",
            f"--cache_size={int(self._size.keys * CACHE_BYTES_PER_KEY)}",
            f"--key_size={KEY_SIZE - work.added_bytes}",
            *numbers,
            *work.flags,
        )

    def _check_found(self, work: Work, bench: Bench) -> None:
        expected = 0 if work.absent else bench.operations  # A compaction finds none.
        if bench.found != expected:
            raise Failure(
                f"{self.policy}: {work.title}: {bench.found:,} keys were found, "
                f"{expected:,} were expected"
            )


def listed_files(listing: str) -> Iterator[tuple[int, int, str, str]]:
    """Yields level, number, smallest and largest key of each file in the listing."""
    _, *parts = re.split(r"^--- level (\d+) ---.*", listing, flags=re.M)
    for level, lines in zip(parts[::2], parts[1::2], strict=True):
        for number, smallest, largest in re.findall(
            r"^ (\d+):.*\['(\w+)' .* \.\. '(\w+)' .*$", lines, re.M
        ):
            yield int(level), int(number), smallest, largest


def check_same(counted: Mapping[str, Counted]) -> None:
    """Fails if the databases have other files, or a filter hid a key's newest version."""
    first = next(each for policy, each in counted.items() if policy != NO_FILTER)
    asked = filters_asked(first.every_key)
    for policy, each in counted.items():
        if each.files != first.files:
            raise Failure(f"{policy}: other files than with the first policy")
        if policy != NO_FILTER and filters_asked(each.every_key) != asked:
            raise Failure(
                f"{policy}: {filters_asked(each.every_key):,} filters were asked until all "
                f"keys were found, but {asked:,} with the first policy: some keys were found "
                "in another level"
            )


# ---- Partitioned and prefix filters ----

# A key is a big-endian number and padding. Its prefix is the whole number. The range
# of numbers is so large that a random number, and so its prefix, is absent.
KEY_NUMBERS = 2**48
FORMS = {
    "partitioned": {"partition_filters": "true", "index_type": "kTwoLevelIndexSearch"},
    "prefix": {"whole_key_filtering": "false", "prefix_extractor": "rocksdb.FixedPrefix.8"},
}
# Since RocksDB 8.3, Get uses the second counter if the filter has only prefixes.
REJECTED = (USEFUL, "rocksdb.bloom.filter.prefix.useful")


def check_form(tools: Tools, folder: Path, form: str, keys: int) -> str:
    """Fails unless filters of this form are used and hide no key; returns a line on it."""
    database = StockDatabase(tools, "cassandra_bloom:10", folder / form, FORMS[form])
    fill = (f"--num={KEY_NUMBERS}", f"--writes={keys}", f"--seed={SEED}", "--disable_wal")
    database.bench("fillrandom,compact", *fill)
    database.sst_files()
    # With the seed of `fill`, the random numbers would be present.
    asked = (f"--num={KEY_NUMBERS}", f"--reads={keys}", f"--seed={SEED + 1}")
    absent = database.bench("readmissing", "--use_existing_db", *asked, *COUNTED)
    rejected = sum(absent.counters.get(name, 0) for name in REJECTED)
    if rejected == 0:
        raise Failure(f"{form} filters are not used: no absent key was rejected")
    existing = ("--use_existing_db", "--use_existing_keys")
    present = database.bench("readrandom", *existing, *asked)
    if present.found != present.operations:
        raise Failure(
            f"{form} filters: {present.found:,} of {present.operations:,} keys were found"
        )
    return (
        f"{form.capitalize()} filters: used; {rejected / absent.operations:.1%} of absent keys "
        "rejected, no row lost."
    )
