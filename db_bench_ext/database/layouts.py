# SPDX-License-Identifier: Apache-2.0

"""Databases of all layouts: what their filters take and let pass, and the CPU of filling them.

Two are made as in levels.py, with the same files for each policy. The others are filled as
programs do it, by flushes and RocksDB's own compactions. So that the policies have nearly the
same runs, writes wait until RocksDB has compacted whatever is too large. The last tenth is
written while nothing is compacted, as in a burst of writes: these files stay in level 0.

Memory and false positives are those of `sst_filters doctor`. The CPU time depends on the
machine, but less if the policies take turns: compare ratios, of several rounds.
"""

import json
import resource
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

import levels
from db_bench import NO_FILTER, SEED, StockDatabase, Tools, check_exit

# A file is flushed after each part of the writes.
SETTLED_PARTS, BURST_PARTS = 54, 6
PARTS = SETTLED_PARTS + BURST_PARTS
KEY_BYTES, MEMORY_PER_KEY = 116, 150  # With the value; in memory at most.
# More than a part, so that it is flushed whole.
PARTS_PER_BUFFER = 1.5
FILES, FILES_PER_BASE = 40, 4  # Of all keys, and of the first level below 0.
MIN_KEYS = levels.MIN_KEYS

# db_bench waits before it flushes while more than this would be so. In leveled compaction no
# level may be too large, and in universal there may be four runs, at which RocksDB compacts.
WAIT = {"hard_pending_compaction_bytes_limit": "1", "level0_slowdown_writes_trigger": "6"}
STATIC = {"level_compaction_dynamic_level_bytes": "false"}
UNIVERSAL = {"compaction_style": "kCompactionStyleUniversal"}
FIFO = {"compaction_style": "kCompactionStyleFIFO", "num_levels": "1"}

# Fills a database in a folder with so many keys and a policy.
Fill = Callable[[int, Tools, str, Path], StockDatabase]


@dataclass(frozen=True)
class LayoutSize:
    keys: int
    rounds: int


@dataclass(frozen=True)
class Filled:
    """What one policy has in one layout."""

    runs: int
    keys: int
    bits_per_key: float
    false_positives: float  # Of an absent key.
    cpu_seconds: Sequence[float]  # Of filling, round by round.


# ---- How databases are filled ----


def same_files(
    universal: bool, keys: int, tools: Tools, policy: str, path: Path
) -> StockDatabase:
    size = levels.Size(keys, 0, 0, seconds=0, compactions=0, works=(), universal=universal)
    database = levels.Database(size, tools, policy, path)
    database.fill()
    return database


def stock_fill(
    options: Mapping[str, str],
    benchmarks: str,
    parts: int,
    burst: bool,
    keys: int,
    tools: Tools,
    policy: str,
    path: Path,
) -> StockDatabase:
    """`parts`: how many each write of `benchmarks` takes."""
    sizes = {
        "num_levels": 7,
        "write_buffer_size": keys * MEMORY_PER_KEY * PARTS_PER_BUFFER / PARTS,
        "target_file_size_base": keys * KEY_BYTES / FILES,
        "max_bytes_for_level_base": keys * KEY_BYTES / FILES * FILES_PER_BASE,
    }
    options = {name: str(int(size)) for name, size in sizes.items()} | WAIT | options
    database = StockDatabase(tools, policy, path, options)
    writes = (f"--num={keys}", "--disable_wal", f"--writes={keys * parts // PARTS}")
    database.bench(benchmarks, f"--seed={SEED}", *writes)
    if burst:
        options["disable_auto_compactions"] = "true"
        database = StockDatabase(tools, policy, path, options)
        again = ("--use_existing_db", f"--seed={SEED + 1}")
        database.bench(in_parts("overwrite", BURST_PARTS), *again, *writes)
    return database


def in_parts(first: str, parts: int) -> str:
    return f"{first},flush" + ",overwrite,flush" * (parts - 1)


def just_written(options: Mapping[str, str]) -> Fill:
    return partial(stock_fill, options, in_parts("fillrandom", SETTLED_PARTS), 1, True)


LAYOUTS: Mapping[str, Fill] = {
    "four full levels": partial(same_files, False),
    "dynamic levels, just written": just_written({}),
    "dynamic levels, ascending keys": partial(stock_fill, {}, "fillseq,flush", PARTS, False),
    "static levels, just written": just_written(STATIC),
    "universal, just written": just_written(UNIVERSAL),
    "universal, each run half of the next": partial(same_files, True),
    "universal, compacted into one run": partial(
        stock_fill, UNIVERSAL, in_parts("fillrandom", PARTS) + ",compact", 1, False
    ),
    "FIFO": just_written(FIFO),
}


# ---- What is measured ----


def children_cpu_seconds() -> float:
    """Returns the CPU time of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def ask_doctor(sst_filters: Path, database: StockDatabase) -> tuple[int, int, float, float]:
    """Returns the first fields of Filled. Fails if a filter is not used."""
    database.sst_files()  # Checks the policy.
    command = (str(sst_filters), "doctor", f"--db={database.path}", "--json", "--no-forecast")
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    check_exit("sst_filters doctor", done.returncode, done.stdout + done.stderr)
    (family,) = json.loads(done.stdout)["column_families"]
    runs = sum(each["files"] if each["level"] == 0 else 1 for each in family["levels"])
    sums = family["all"]
    return runs, sums["keys"], sums["bits_per_key"], sums["false_positives"]


def measure(
    layout: str,
    tools: Tools,
    sst_filters: Path,
    folder: Path,
    policies: Sequence[str],
    size: LayoutSize,
    show_step: Callable[[str], None],
) -> dict[str, Filled]:
    """Fills a database with each policy in turn."""
    cpu_seconds: dict[str, list[float]] = {policy: [] for policy in policies}
    answers = {}
    for number in range(size.rounds):
        for policy in Random(number).sample(policies, len(policies)):
            show_step(f"{layout}: {policy}")
            begin = children_cpu_seconds()
            database = LAYOUTS[layout](size.keys, tools, policy, folder / "db")
            cpu_seconds[policy].append(children_cpu_seconds() - begin)
            if number == 0:
                answers[policy] = ask_doctor(sst_filters, database)
            shutil.rmtree(database.path)
    return {policy: Filled(*answers[policy], cpu_seconds[policy]) for policy in policies}


# ---- What is compared ----


def references(policies: Sequence[str]) -> dict[str, str]:
    """Returns for each policy the last `bloomfilter` up to it, or else the first policy."""
    base = next(policy for policy in policies if policy != NO_FILTER)
    bases = {}
    for policy in policies:
        base = policy if policy.startswith("bloomfilter:") else base
        bases[policy] = base
    return bases


def cpu_ratio(filled: Filled, base: Filled) -> float:
    """The median of the ratios within a round: a busy machine slows down all of a round."""
    pairs = zip(filled.cpu_seconds, base.cpu_seconds, strict=True)
    return median(seconds / of_base for seconds, of_base in pairs)
