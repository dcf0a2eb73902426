#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times filterdb on many keys, and measures its memory.

`filterdb build` makes a Filter.db of random keys of 16 bytes, and `filterdb check` asks
it for every one. Then the stock db_bench fills a database, and `filterdb export` makes
its Filter.db files, from the filter blocks and from the keys: both have to be equal.
`filterdb info` must not find a fault. If build takes more memory than its filter and
64 MB, the exit status is 1.

A temporary folder (see --dir) takes about 3 GB, and is removed at the end.
"""

import argparse
import filecmp
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from stock_tools import (
    OPTIONS_DIR,
    SEED,
    Failure,
    Progress,
    StockDatabase,
    Tools,
    argument_parser,
    check_exit,
    orderly_exit,
)

KEY_SIZE = 16
RECORD_SIZE = 2 + KEY_SIZE
# Few at once: filterdb starts as a copy of this process, whose memory then counts.
KEYS_AT_ONCE = 65536
FILTER = ("--bits=10", "--sstable-version=nb")
MB = 10**6
MAX_BEYOND_FILTER = 64 * MB
PROGRESS = Progress(steps=9)


def write_keys(path: Path, count: int) -> None:
    """Distinct ones: among 10^8 times 128 random bits two are the same once in 10^22."""
    source = random.Random(SEED)
    with path.open("wb") as file:
        for done in range(0, count, KEYS_AT_ONCE):
            keys = min(KEYS_AT_ONCE, count - done)
            records = bytearray(source.randbytes(RECORD_SIZE * keys))
            records[0::RECORD_SIZE] = bytes(keys)
            records[1::RECORD_SIZE] = bytes([KEY_SIZE]) * keys
            file.write(records)
        file.flush()
        os.fsync(file.fileno())  # Not while filterdb is timed.


@dataclass(frozen=True)
class Row:
    step: str
    keys: int
    seconds: float
    cpu_seconds: float
    filter_bytes: int
    peak_bytes: int


class Run(NamedTuple):
    output: Any  # What --json gives.
    seconds: float
    cpu_seconds: float
    peak_bytes: int  # Of resident memory.

    def row(self, step: str, keys: int, expected: int, filters: list[Path]) -> Row:
        if keys != expected:
            raise Failure(f"{step}: {keys:,} keys instead of {expected:,}")
        size = sum(path.stat().st_size for path in filters)
        return Row(step, keys, self.seconds, self.cpu_seconds, size, self.peak_bytes)


def filterdb(tool: Path, command: str, *arguments: str) -> Run:
    PROGRESS.step(f"filterdb {command}")
    start = time.monotonic()
    with subprocess.Popen(
        (tool, command, *arguments, "--json"), stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        try:
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start
    check_exit(command, process.returncode, output.decode(errors="replace"))
    cpu_seconds = usage.ru_utime + usage.ru_stime
    return Run(json.loads(output), seconds, cpu_seconds, usage.ru_maxrss * 1024)


def measure_keys(tool: Path, folder: Path, keys: int) -> Iterator[Row]:
    path, built = folder / "keys", folder / "nb-1-big-Filter.db"
    PROGRESS.step(f"writing {keys:,} keys")
    write_keys(path, keys)
    source = (f"--keys={path}", "--key-format=binary")
    run = filterdb(tool, "build", *source, *FILTER, f"--out={built}")
    yield run.row("build", run.output["keys"], keys, [built])
    run = filterdb(tool, "check", str(built), *source)
    yield run.row("check", run.output["keys"], keys, [built])
    filterdb(tool, "info", str(built), f"--keys-expected={keys}")
    path.unlink()


def measure_export(tool: Path, tools: Tools, folder: Path, keys: int) -> Iterator[Row]:
    database = StockDatabase(
        tools, "export", folder / "db", OPTIONS_DIR / "full.ini", {}
    )
    PROGRESS.step(f"db_bench: {keys:,} keys in sequence, compacted")
    database.bench("fillseq", "--disable_wal", f"--num={keys}")
    database.bench("compact", "--use_existing_db")
    exported = {}
    for source in ("block", "keys"):
        where = (f"--db={database.path}", f"--out-dir={folder / source}")
        run = filterdb(tool, "export", *where, f"--from={source}", *FILTER)
        reports = run.output["exported"]
        exported[source] = files = [Path(report["file"]) for report in reports]
        step = f"export --from={source}, {len(files)} SST"
        exported_keys = sum(report["keys"] for report in reports)
        yield run.row(step, exported_keys, keys, files)
        filterdb(tool, "info", *map(str, files))
    for one, other in zip(exported["block"], exported["keys"], strict=True):
        if not filecmp.cmp(one, other, shallow=False):
            raise Failure(f"{one.name}: one from the keys is another")


def beyond_filter(rows: list[Row]) -> int:
    return rows[0].peak_bytes - rows[0].filter_bytes


def report(rows: list[Row]) -> str:
    lines = [
        f"{'filterdb':29}{'keys':>13}{'seconds':>9}{'of CPU':>9}{'keys/s':>13}"
        f"{'filter MB':>11}{'peak MB':>9}"
    ]
    lines += [
        f"{row.step:29}{row.keys:13,}{row.seconds:9.2f}{row.cpu_seconds:9.2f}"
        f"{row.keys / row.seconds:13,.0f}"
        f"{row.filter_bytes / MB:11.1f}{row.peak_bytes / MB:9.1f}"
        for row in rows
    ]
    lines += [
        "",
        f"Keys of {KEY_SIZE} bytes, random in build and check, a sequence in export. "
        "build reads them twice: it",
        "counts them first. No key is missing; the filters from blocks and from keys "
        "are equal.",
        f"build takes {beyond_filter(rows) / MB:.1f} MB of memory beyond its filter, "
        f"and may take {MAX_BEYOND_FILTER // MB}.",
    ]
    return "\n".join(lines)


def json_report(rows: list[Row]) -> str:
    result = {
        "rows": [asdict(row) for row in rows],
        "build_beyond_filter_bytes": beyond_filter(rows),
        "build_may_take_beyond_filter_bytes": MAX_BEYOND_FILTER,
    }
    return json.dumps(result, indent=2)


def parse_arguments() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    add = parser.add_argument
    add("--keys", type=int, default=10**8, help="for build and check [%(default)s]")
    add("--db-keys", type=int, default=10**7, help="for export [%(default)s]")
    add("--dir", type=Path, help="where the temporary folder goes [TMPDIR]")
    add("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    if min(arguments.keys, arguments.db_keys) < 1:
        parser.error("arguments --keys and --db-keys: at least 1")
    return arguments


def main() -> None:
    arguments = parse_arguments()
    tool = arguments.lib_dir.parent / "bin" / "filterdb"
    tools = Tools(arguments.lib_dir)
    with tempfile.TemporaryDirectory(
        prefix="cassandra_bloom_filterdb.", dir=arguments.dir
    ) as folder:
        with PROGRESS:
            rows = [
                *measure_keys(tool, Path(folder), arguments.keys),
                *measure_export(tool, tools, Path(folder), arguments.db_keys),
            ]
    print(json_report(rows) if arguments.json else report(rows))
    if beyond_filter(rows) > MAX_BEYOND_FILTER:
        sys.exit(1)


if __name__ == "__main__":
    with orderly_exit():
        main()
