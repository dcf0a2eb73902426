# SPDX-License-Identifier: Apache-2.0

"""The report of end_to_end.py: printed, and written by --json with these names."""

from collections.abc import Iterator
from dataclasses import dataclass

from break_even import BreakEven, break_even_lines
from in_turn import SLICE_SECONDS
from levels import (
    ABSENT,
    ABSENT_WORKS,
    BLOCK_CACHE,
    BLOCK_READS,
    DISK,
    EVERY_KEY,
    PAGE_CACHE,
    TIMED_WORKS,
    Counts,
    Extent,
    Filled,
    LevelFile,
    Work,
)
from ratios import BLOOM, COPY, STEADY, Row
from stock_tools import wrap

MB = 10**6
SOURCES = {
    PAGE_CACHE: "through the operating system's page cache, into which all files are read "
    "anew before each round, so a read costs a call, a copy and a checksum",
    BLOCK_CACHE: "into a block cache larger than the data before the time is taken (but "
    "counted with a small one)",
    DISK: "from the disk, past the operating system's page cache",
}


@dataclass(frozen=True)
class PolicyFigures:
    """What does not depend on the machine's speed, and the time that filters take to build."""

    policy: str
    string: str
    filter_bytes: int
    filter_charge: int  # Of the block cache, if the filters were there.
    fill_cpu_seconds: float
    compact_cpu_seconds: float | None  # The median of some compactions of the database.
    counts: list[Counts]

    def of(self, work: Work) -> Counts:
        return next(each for each in self.counts if each.lookups == str(work))

    def false_positives(self) -> float:
        return self.of(ABSENT).false_positives()

    def block_reads(self, work: Work) -> float:
        count = self.of(work)
        return count.counters[BLOCK_READS] / count.operations


@dataclass(frozen=True)
class Comparison:
    title: str
    bits: float  # Of RocksDB's Bloom filter.
    false_positives: dict[str, float]  # In each look-up of an absent key, by policy.
    figures: list[PolicyFigures]  # The first one is RocksDB's Bloom filter.
    rows: list[Row]
    break_even: list[BreakEven]


@dataclass(frozen=True)
class Report:
    about: str
    notes: list[str]
    keys: int  # Entries of the database, of all levels.
    files: list[LevelFile]
    comparisons: list[Comparison]


def about(filled: Filled, extent: Extent) -> str:
    data_bytes = sum(file.data_bytes for file in filled.files)
    return (
        f"{filled.bench.machine()} {extent.keys:,} keys of {extent.key_size} bytes, values "
        f"of {extent.value_size}, no compression: {data_bytes / MB:,.0f} MB of data blocks, "
        f"and {extent.cache_bytes / MB:,.2f} MB of block cache. Full filters are in memory, "
        "outside the block cache (cache_index_and_filter_blocks=false)."
        f"{filled.bench.warning()}"
    )


def notes(comparisons: list[Comparison], extent: Extent) -> list[str]:
    absent = comparisons[0].figures[0].of(ABSENT)
    asked = absent.filters_asked() / absent.operations
    shape = "There is one sorted run." if extent.one_run else (
        "Level 0 holds two files; keys of the upper levels are newer versions of keys in "
        "the lowest level."
    )
    counted = (
        "All databases have the same files in each level: the number of keys, the key "
        f"range and the size of the data blocks are equal. {shape} Every key (except the "
        "first, which db_bench leaves out) is found, and in the same level with each "
        "policy, because equally many filters are asked. Absent keys have "
        f"{extent.key_size} bytes and lie between present keys: a look-up asks {asked:.2f} "
        "filters. Batches (multireadrandom) are of 32 keys (--multiread_batched)."
    )
    columns = (
        "filter bytes: of the SST files' properties. charge: what the filters would take of "
        "a block cache. fill: CPU seconds of all that db_bench did to write the database, "
        "once. false positives: in each look-up of an absent key, from the tickers "
        "rocksdb.bloom.filter.*. data blocks read: rocksdb.block.cache.data.miss."
    )
    return [counted, columns, *([time_notes(extent)] if extent.rounds else [])]


def time_notes(extent: Extent) -> str:
    time = "all time" if extent.data_from == DISK else "its CPU time"
    return (
        "compact: CPU seconds of db_bench's compact, which writes all keys into one sorted "
        f"run; the median of {extent.compactions}, in which the policies take turns. Speeds: "
        "look-ups per second, relative to the mean of two copies of the database with "
        f"{BLOOM}; the median of {extent.rounds} rounds, and its 95 % interval. In a round "
        "one process for each policy, and one more for the copy, take turns on the same "
        f"CPU. One runs for {SLICE_SECONDS * 1000:.0f} ms while the others are stopped, "
        f"until each has run for {extent.seconds} s or a little more. What counts is {time} "
        f"while it runs. Data blocks are read {SOURCES[extent.data_from]}. {COPY}: the second "
        "copy relative to the first, which shows the noise. A column where that is outside "
        f"{STEADY[0]} to {STEADY[1]} is run again, at most {extent.reruns} times; the last run "
        "counts, and is marked with ! if it is still outside."
    )


def level_lines(files: list[LevelFile]) -> Iterator[str]:
    yield f"{'level':>5}{'files':>8}{'keys':>12}{'data MB':>10}"
    for level in (*sorted({file.level for file in files}), "all"):
        there = [file for file in files if level in (file.level, "all")]
        keys = sum(file.keys for file in there)
        data_bytes = sum(file.data_bytes for file in there)
        yield f"{level:>5}{len(there):8,}{keys:12,}{data_bytes / MB:10.1f}"


def policy_lines(comparison: Comparison) -> Iterator[str]:
    for each in comparison.figures:
        yield f"{each.policy:18}{each.string}"


def memory_lines(comparison: Comparison, keys: int) -> Iterator[str]:
    yield (
        f"{'':18}{'filter bytes':>13}{'x bloom':>9}{'bits/key':>9}{'charge':>12}"
        f"{'x bloom':>9}{'fill s':>9}{'compact s':>11}{'x bloom':>9}"
    )
    bloom = comparison.figures[0]
    for each in comparison.figures:
        line = (
            f"{each.policy:18}{each.filter_bytes:13,}"
            f"{each.filter_bytes / bloom.filter_bytes:9.4f}"
            f"{8 * each.filter_bytes / keys:9.3f}{each.filter_charge:12,}"
            f"{each.filter_charge / bloom.filter_charge:9.4f}{each.fill_cpu_seconds:9.2f}"
        )
        if each.compact_cpu_seconds and bloom.compact_cpu_seconds:
            ratio = each.compact_cpu_seconds / bloom.compact_cpu_seconds
            line += f"{each.compact_cpu_seconds:11.3f}{ratio:9.3f}"
        yield line


def count_lines(comparison: Comparison) -> Iterator[str]:
    works = (*ABSENT_WORKS, EVERY_KEY)
    yield f"{'':18}{'false':>11}{'':9}  data blocks read in each look-up"
    yield (
        f"{'':18}{'positives':>11}{'x bloom':>9}"
        + "".join(f"{str(work):>25}" for work in works)
    )
    bloom = comparison.figures[0]
    for each in comparison.figures:
        rate = each.false_positives()
        yield (
            f"{each.policy:18}{rate:11.5f}{rate / bloom.false_positives():9.3f}"
            + "".join(f"{each.block_reads(work):25.5f}" for work in works)
        )


def speed_lines(rows: list[Row]) -> Iterator[str]:
    yield f"{'':18}" + "".join(f"{str(work):>25}" for work in TIMED_WORKS)
    for name in rows[0].ratios:
        cells = [row.ratios.get(name, "") for row in rows]
        yield f"{name:18}{''.join(f'{str(cell):>25}' for cell in cells)}".rstrip()
    controls = [f"{row.control}{'' if row.steady else ' !'}" for row in rows]
    yield f"{COPY:18}" + "".join(f"{control:>25}" for control in controls)
    yield f"{'run again':18}" + "".join(f"{row.reruns:25}" for row in rows)
    yield (
        f"{BLOOM + ', ops/s':18}"
        + "".join(f"{row.bloom_ops_per_second:25,.0f}" for row in rows)
    )


def comparison_text(comparison: Comparison, keys: int) -> str:
    parts = [
        [f"---- {comparison.title} ----"],
        policy_lines(comparison),
        memory_lines(comparison, keys),
        count_lines(comparison),
    ]
    if comparison.rows:
        parts.append(speed_lines(comparison.rows))
    if comparison.break_even:
        parts.append(break_even_lines(comparison.break_even))
    return "\n\n".join("\n".join(part) for part in parts)


def text(report: Report) -> str:
    parts = (
        "\n".join(wrap(report.about)),
        "\n".join(level_lines(report.files)),
        *(comparison_text(each, report.keys) for each in report.comparisons),
        *("\n".join(wrap(note)) for note in report.notes),
    )
    return "\n\n".join(parts)
