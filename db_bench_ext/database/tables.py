# SPDX-License-Identifier: Apache-2.0

"""The text that the benchmark prints."""

from collections.abc import Mapping, Sequence
from statistics import fmean, median

from console import table, wrap
from db_bench import NO_FILTER, Bench, SstFile
from in_turn import SLICE_SECONDS
from intervals import Speeds, relative
from layouts import Filled, LayoutSize, cpu_ratio, references
from levels import BLOCK_READS, KEY_SIZE, Counted, Size, Work, filters_asked
from mixgraph import CACHE_BYTES, MixFigures, MixSize

MB = 10**6
POLICY = ("", "filter_policy=")
MEMORY = (("filter", "bytes"), ("", "ratio"), ("bits", "per key"))


def memory_cells(size: int, base_size: int, keys: int) -> list[str]:
    return [f"{size:,}", f"{size / base_size:.2f}", f"{8 * size / keys:.2f}"]


def how_timed(from_disk: bool, copy: str) -> str:
    time = "all time" if from_disk else "its CPU time"
    source = "the operating system's page cache: a call, a copy and a checksum"
    if from_disk:
        source = "the disk, past the operating system's page cache"
    return (
        "In a round, one process for each policy takes turns with the others on one CPU, "
        f"{SLICE_SECONDS * 1000:.0f} ms each, and {time} counts. {copy}: a copy of the same "
        f"database, which shows the noise. Data blocks come from {source}."
    )


# ---- Four levels ----


def counted_text(size: Size, base: str, counted: Mapping[str, Counted]) -> str:
    first = counted[base]
    keys = {
        level: sum(file.keys for file in first.files if file.level == level)
        for level in sorted({file.level for file in first.files})
    }
    data_bytes = sum(file.data_bytes for file in first.files)
    asked = filters_asked(first.absent) / first.absent.operations
    about = (
        f"{first.absent.machine()} {size.keys:,} keys of {KEY_SIZE} bytes, values of "
        f"{size.value_size}: {data_bytes / MB:,.0f} MB of data blocks in four levels of "
        f"{', '.join(f'{each:,}' for each in keys.values())} keys; those above the last are "
        "newer versions. Absent keys lie between present ones: a look-up asks "
        f"{asked:.2f} filters."
    )
    rows = []
    for policy, each in counted.items():
        cells = memory_cells(each.filter_bytes, first.filter_bytes, each.keys)
        false = "-" if policy == NO_FILTER else f"{each.false_positives():.4f}"
        blocks = each.absent.counters[BLOCK_READS] / each.absent.operations
        rows.append([policy, *cells, false, f"{blocks:.4f}"])
    per_absent = (("false positives", "per absent key"), ("data blocks", "read in vain"))
    title = "Counted, which does not depend on the machine:"
    return "\n\n".join((wrap(about), title, table((POLICY, *MEMORY, *per_absent), rows)))


def speeds_text(
    size: Size, base: str, copy: str, rounds: Mapping[Work, Sequence[Speeds]]
) -> str:
    ratios = [relative(speeds, base, copy) for speeds in rounds.values()]
    rows = [[name, *(str(ratio[name]) for ratio in ratios)] for name in ratios[0]]
    speeds = [
        median(fmean((each[base], each[copy])) for each in of_work)
        for of_work in rounds.values()
    ]
    numbers = [f"{speed:,.{0 if speed > 100 else 1}f}" for speed in speeds]
    rows.append([f"{base}, per second", *numbers])
    titles = [("", work.title) for work in rounds]
    compactions = f"; of {size.compactions} compactions, the lowest and highest"
    notes = (
        f"The median of {size.rounds} rounds, and its 95 % interval"
        f"{compactions if size.compactions else ''}. "
        f"{how_timed(size.from_disk, copy)}"
    )
    title = f"\nSpeed, relative to {base}; more is faster:"
    return "\n\n".join((title, table((POLICY, *titles), rows), wrap(notes)))


# ---- mixgraph ----


def mixgraph_text(
    size: MixSize,
    base: str,
    copy: str,
    filled: Mapping[str, tuple[Bench, list[SstFile]]],
    rounds: Sequence[Mapping[str, MixFigures]],
) -> str:
    bench, files = filled[base]
    about = (
        f"{bench.machine()} mixgraph with the parameters of ZippyDB at Facebook: "
        f"{sum(file.entries for file in files):,} entries, keys of 48 bytes, values of 43: "
        f"{sum(file.data_bytes for file in files) / MB:,.0f} MB of data blocks, and "
        f"{size.scaled(CACHE_BYTES) / MB:,.1f} MB of block cache. 83 % of the operations are "
        "look-ups, three in ten of them of absent keys; 14 % are writes and 3 % scans. All "
        "policies have the same operations."
    )
    ratios = relative(
        [{name: each.ops_per_second for name, each in figures.items()} for figures in rounds],
        base,
        copy,
    )
    base_size = sum(file.filter_bytes for file in files)
    counted, timed = [], []
    for name in rounds[0]:
        of_name = [figures[name] for figures in rounds]
        speed = median(each.ops_per_second for each in of_name)
        middle = median(each.median_us for each in of_name)
        late = median(each.percentile99_us for each in of_name)
        ratio = str(ratios.get(name, "1"))
        timed.append([name, ratio, f"{speed:,.0f}", f"{middle:.2f}", f"{late:.2f}"])
        if name != copy:
            files = filled[name][1]
            size_bytes = sum(file.filter_bytes for file in files)
            keys = sum(file.entries for file in files)
            false = fmean(each.false_positives for each in of_name)
            blocks = fmean(each.block_reads for each in of_name)
            cells = memory_cells(size_bytes, base_size, keys)
            counted.append([name, *cells, f"{false:.4f}", f"{blocks:.4f}"])
    counts = (("false positives", "per look-up"), ("data blocks", "read per operation"))
    times = (
        ("operations", "per second, ratio"), ("", "number"),
        ("look-up, µs:", "median"), ("", "99 %"),
    )  # fmt: skip
    notes = (
        f"Medians of {size.rounds} rounds of {size.operations:,} operations, and the ratio's "
        "95 % interval, with RocksDB's counters switched on. The memory is that before the "
        f"first round. {how_timed(False, copy)}"
    )
    memory = table((POLICY, *MEMORY, *counts), counted)
    return "\n\n".join((wrap(about), memory, table((POLICY, *times), timed), wrap(notes)))


# ---- Layouts ----

LAYOUT_HEAD = (
    "| database | runs | policy | bits per key | of Bloom's | false positives | of Bloom's "
    "| CPU seconds of filling | of Bloom's |\n|---|---:|---|---:|---:|---:|---:|---:|---:|"
)


def layout_notes(size: LayoutSize) -> str:
    return wrap(
        f"{size.keys:,} keys of 16 bytes, values of 100. False positives: of an absent key in "
        "the range of all runs. CPU: user and system time of db_bench, median of rounds "
        f"({size.rounds}); the ratio is that within a round. Bloom: the last `bloomfilter` "
        "before the policy."
    )


def layout_rows(layout: str, filled: Mapping[str, Filled]) -> str:
    """Lines of a Markdown table."""
    lines = []
    for policy, base in references(list(filled)).items():
        each, of_base = filled[policy], filled[base]
        cells = (
            layout,
            str(each.runs),
            f"`{policy}`",
            f"{each.bits_per_key:.2f}",
            f"{each.bits_per_key / of_base.bits_per_key:.3f}",
            f"{each.false_positives:.4f}",
            f"{each.false_positives / of_base.false_positives:.3f}",
            f"{median(each.cpu_seconds):.2f}",
            f"{cpu_ratio(each, of_base):.3f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
