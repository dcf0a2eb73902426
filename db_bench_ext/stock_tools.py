"""The tools that come with RocksDB, run with the preloaded plugin."""

import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

LOADER = "libcassandra_bloom_preload.so"
TOOLS = ("db_bench", "ldb", "sst_dump")


class Failure(Exception):
    """Why there is no table to show."""


class Tools:
    def __init__(self, lib_dir: Path) -> None:
        loader = lib_dir.resolve() / LOADER
        if not loader.is_file():
            raise Failure(
                f"no {LOADER} in {lib_dir}; to build it: "
                "cmake --preset release && cmake --build --preset release"
            )
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        if missing:
            raise Failure(
                f"not found in PATH: {', '.join(missing)}; "
                "install Debian's package rocksdb-tools"
            )
        self._env = {**os.environ, "LD_PRELOAD": str(loader)}

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        result = subprocess.run(
            command, env=self._env, capture_output=True, text=True, errors="replace"
        )
        if result.returncode != 0:
            status = f"exit status {result.returncode}"
            if result.returncode < 0:
                status = signal.Signals(-result.returncode).name
            output = (result.stdout + result.stderr).splitlines()
            raise Failure(
                f"{command[0]} failed, {status}; the end of its output:\n"
                + "\n".join(output[-15:])
            )
        return result


@dataclass(frozen=True)
class Bench:
    """What one benchmark of db_bench gave."""

    ops_per_second: int
    seconds: float
    found: int
    counters: dict[str, int]
    stdout: str
    stderr: str


def db_bench(tools: Tools, benchmark: str, *flags: str) -> Bench:
    output = tools.run(
        "db_bench",
        f"--benchmarks={benchmark}",
        "--key_size=16",
        "--value_size=100",
        "--progress_reports=false",
        *flags,
    )
    result = re.search(
        rf"^{benchmark} *:.* (\d+) ops/sec ([\d.]+) seconds \d+ operations;"
        r"(?:.*\((\d+) of \d+ found\))?",
        output.stdout,
        re.MULTILINE,
    )
    if result is None:
        raise Failure(f"db_bench has printed no result of {benchmark}")
    counters = re.findall(r"^(rocksdb\.\S+) COUNT : (\d+)", output.stdout, re.MULTILINE)
    return Bench(
        ops_per_second=int(result[1]),
        seconds=float(result[2]),
        found=int(result[3] or 0),
        counters={name: int(count) for name, count in counters},
        stdout=output.stdout,
        stderr=output.stderr,
    )


def terminate(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


def exit_orderly() -> None:
    """Signals end the script as an error does, which removes its folder."""
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, terminate)
