# SPDX-License-Identifier: Apache-2.0

"""The workload of ZippyDB at Facebook, as db_bench's mixgraph imitates it.

Zhichao Cao, Siying Dong, Sagar Vemuri, David H. C. Du: "Characterizing, Modeling, and
Benchmarking RocksDB Key-Value Workloads at Facebook", FAST 2020. The parameters are those
of "Prefix_dist" in RocksDB's wiki, "RocksDB Trace, Replay, Analyzer, and Workload
Generation": 50 million random keys of 48 bytes are written with values of 43, so about 37 %
of the numbers are in no key, and 256 MiB of block cache. Here the number of keys may be
less, and the sizes of the cache and of RocksDB's levels with it. (The wiki's --sine_...
change nothing without --sine_mix_rate, which it does not set.)
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from db_bench import (
    COUNTED, SEED, Bench, Failure, SstFile, StockDatabase, Tools, timed_figures,
)  # fmt: skip
from in_turn import StoppedProcess
from levels import BLOCK_READS, LEVELS, POSITIVE, TRUE_POSITIVE, listed_files

PUBLISHED_KEYS = 50_000_000
CACHE_BYTES = 268_435_456
# RocksDB's defaults, which the wiki leaves as they are, for PUBLISHED_KEYS. (Its
# max_bytes_for_level_base is half of this: a level with a few keys might come and go.)
LEVEL_SIZES = {
    "write_buffer_size": 64 << 20, "target_file_size_base": 64 << 20,
    "max_bytes_for_level_base": 512 << 20,
}  # fmt: skip
# The last level holds all keys, and the one above it this part of them again.
UPPER_PART = 20
MIN_KEYS = 100_000  # With fewer, RocksDB would round write_buffer_size up.
MIX = (
    "--key_dist_a=0.002312", "--key_dist_b=0.3467",
    "--keyrange_dist_a=14.18", "--keyrange_dist_b=-2.917",
    "--keyrange_dist_c=0.0164", "--keyrange_dist_d=-0.08082", "--keyrange_num=30",
    "--value_k=0.2615", "--value_sigma=25.45", "--iter_k=2.517", "--iter_sigma=14.236",
    "--mix_get_ratio=0.83", "--mix_put_ratio=0.14", "--mix_seek_ratio=0.03",
)  # fmt: skip


@dataclass(frozen=True)
class MixSize:
    keys: int
    operations: int  # Of each process in a round.
    rounds: int
    from_disk: bool = False

    def scaled(self, published: int) -> int:
        return int(published * self.keys / PUBLISHED_KEYS)


@dataclass(frozen=True)
class MixFigures:
    """Of one process. Those of the look-ups (Get) are without writes and scans."""

    ops_per_second: float
    found: int
    median_us: float
    percentile99_us: float
    false_positives: float  # In each look-up.
    block_reads: float  # In each operation.


class MixDatabase(StockDatabase):
    def __init__(self, size: MixSize, tools: Tools, policy: str, path: Path) -> None:
        options = {name: str(size.scaled(value)) for name, value in LEVEL_SIZES.items()}
        for name in ("use_direct_reads", "use_direct_io_for_flush_and_compaction"):
            options[name] = str(size.from_disk).lower()
        super().__init__(tools, policy, path, options)
        self._size = size

    def command(self, benchmarks: str, *flags: str) -> tuple[str, ...]:
        keys = ("--key_size=48", "--value_size=43", f"--num={self._size.keys}")
        return super().command(benchmarks, *keys, *flags)

    def fill(self) -> tuple[Bench, list[SstFile]]:
        """Returns the files, which have the same keys in each level with all policies."""
        writes = f"--writes={self._size.keys // UPPER_PART}"
        common = ("--disable_wal", f"--seed={SEED}")
        self.bench("fillrandom,compact", *common)
        # These writes are compacted once they are four files in level 0, some of them earlier
        # than others; compact0 moves down what is left there.
        above = "overwrite,flush,waitforcompaction,compact0,sstables"
        bench = self.bench(above, writes, "--use_existing_db", *common)
        files = {level for level, *_ in listed_files(bench.output)}
        if files != {LEVELS - 2, LEVELS - 1}:
            raise Failure(f"{self.policy}: db_bench has filled the levels {files}")
        return bench, list(self.sst_files().values())

    def timed_command(self, _: str, seed: int, _processes: int) -> tuple[str, ...]:
        """Gets, puts and scans. All databases get the same ones with the same seed."""
        return self.command(
            "mixgraph",
            "--use_existing_db",
            f"--seed={seed}",
            f"--reads={self._size.operations}",
            f"--cache_size={self._size.scaled(CACHE_BYTES)}",
            "--histogram",
            *COUNTED,
            *MIX,
        )

    def result(self, _: str, run: StoppedProcess) -> MixFigures:
        # A process that waits for the disk has no CPU.
        bench = timed_figures("mixgraph", run, cpu_time=not self._from_disk)
        # Wall-clock time: a look-up during which the process was stopped counts as long. There
        # is one in each slice of time, far less than one in a hundred.
        latency = re.search(
            r"^Microseconds per read:$.*?P50: ([\d.]+) .*?P99: ([\d.]+) ",
            bench.output,
            re.M | re.S,
        )
        counts = re.search(r"\( Gets:(\d+) Puts.*?reads (\d+) in \d+ found", bench.output)
        if latency is None or counts is None:
            raise Failure("db_bench has printed mixgraph's figures in another form")
        false = bench.counters[POSITIVE] - bench.counters[TRUE_POSITIVE]
        return MixFigures(
            bench.ops_per_second,
            int(counts[2]),
            float(latency[1]),
            float(latency[2]),
            false / int(counts[1]),
            bench.counters[BLOCK_READS] / bench.operations,
        )


def check_same_rows(rounds: Sequence[Mapping[str, MixFigures]]) -> None:
    """Fails if a filter hid a key. All databases hold the same rows."""
    for figures in rounds:
        found = {name: each.found for name, each in figures.items()}
        if len(set(found.values())) > 1:
            raise Failure(f"mixgraph: the policies found different rows: {found}")
