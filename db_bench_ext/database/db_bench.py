# SPDX-License-Identifier: Apache-2.0

"""Runs RocksDB's own db_bench and sst_dump, with the plugin preloaded or built in."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import in_turn

LOADER = "libcassandra_bloom_preload.so"
TOOLS = ("db_bench", "sst_dump")
OPTIONS = Path(__file__).resolve().with_name("levels.ini")
SEED = 20240229
COUNTED = ("--statistics", "--stats_level=1")  # RocksDB's counters, without timers.
NO_FILTER = "none"  # In the place of a policy's string.


class Failure(Exception):
    """An error. Its message says why there are no results."""


class Tools:
    def __init__(self, lib_dir: Path | None, in_tree: Path | None) -> None:
        """The tools in the folder `in_tree`, or those in PATH with the plugin of `lib_dir`."""
        self._env = dict(os.environ)
        remedy = "install Debian's package rocksdb-tools"
        if in_tree:
            self._env["PATH"] = str(in_tree.resolve())
            remedy = f"{in_tree} must have those of a RocksDB built with this plugin"
        missing = [
            tool for tool in TOOLS if shutil.which(tool, path=self._env["PATH"]) is None
        ]
        if missing:
            raise Failure(f"not found: {', '.join(missing)}; {remedy}")
        self._env["PATH"] += f":{os.environ['PATH']}"  # Of taskset and setpriv.
        if lib_dir:
            loader = lib_dir.resolve() / LOADER
            if not loader.is_file():
                raise Failure(f"no {LOADER} in {lib_dir}; to build it: make plugin")
            # A name in LD_PRELOAD ends at a space, one in LD_LIBRARY_PATH does not.
            self._env["LD_PRELOAD"] = LOADER
            paths = (str(loader.parent), os.environ.get("LD_LIBRARY_PATH"))
            self._env["LD_LIBRARY_PATH"] = ":".join(path for path in paths if path)

    def run(self, *command: str) -> str:
        """Returns what the command wrote: stderr, and then stdout."""
        done = subprocess.run(
            command, env=self._env, capture_output=True, encoding="ascii", errors="replace"
        )
        check_exit(command[0], done.returncode, done.stdout + done.stderr)
        return done.stderr + done.stdout

    def run_in_turn(
        self, commands: Sequence[Sequence[str]], number: int
    ) -> list[in_turn.StoppedProcess]:
        """Runs the commands in turn, until all have ended without an error.

        `number`: the number of this call. Each call uses another CPU than the last one.
        """
        cpus = sorted(os.sched_getaffinity(0))
        processes = in_turn.run(commands, self._env, cpus[number % len(cpus)])
        for command, process in zip(commands, processes, strict=True):
            check_exit(command[0], process.exit_code, process.output())
        return processes


def check_exit(tool: str, code: int, output: str) -> None:
    if code != 0:
        status = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        raise Failure(
            f"{tool} failed, {status}; the end of its output:\n"
            + "\n".join(output.splitlines()[-15:])
        )


# ---- Results ----


@dataclass(frozen=True)
class Bench:
    """The results of one benchmark of db_bench."""

    ops_per_second: float
    seconds: float
    operations: int
    found: int
    counters: dict[str, int]
    result_end: int  # The position in the output where its result ends.
    output: str

    def machine(self) -> str:
        """Returns two sentences, or three with a warning about the figures."""
        names = ("RocksDB", "CPU")
        lines = [re.search(rf"^{name}: *(.+)$", self.output, re.M) for name in names]
        rocksdb, cpu = (line[1] if line else "unknown" for line in lines)
        warning = ""
        if "Assertions are enabled" in self.output:
            warning = " It checks assertions: its speeds compare filters, but are not absolute."
        return f"db_bench of RocksDB {rocksdb}, on {cpu}.{warning}"


def db_bench_figures(benchmark: str, output: str) -> Bench:
    result = re.search(
        rf"^{benchmark} *:.* (\d+) ops/sec ([\d.]+) seconds (\d+) operations;"
        r"(?:.*\((\d+) of \d+ found\))?",
        output,
        re.M,
    )
    if result is None:
        raise Failure(f"db_bench has printed no result of {benchmark}")
    counters = re.findall(r"^(rocksdb\.\S+) COUNT : (\d+)", output, re.M)
    return Bench(
        ops_per_second=float(result[1]),
        seconds=float(result[2]),
        operations=int(result[3]),
        found=int(result[4] or 0),
        counters={name: int(count) for name, count in counters},
        result_end=result.end(),
        output=output,
    )


def timed_figures(benchmark: str, run: in_turn.StoppedProcess, cpu_time: bool) -> Bench:
    """Returns figures for the time in which `run` was not stopped.

    With `cpu_time`, the figures are for the time in which `run` had the CPU.
    """
    bench = db_bench_figures(benchmark, run.output())
    end = run.arrival(bench.result_end)
    seconds = (run.cpu_seconds if cpu_time else run.ran)(end - bench.seconds, end)
    return replace(bench, seconds=seconds, ops_per_second=bench.operations / seconds)


# ---- Databases ----


@dataclass(frozen=True)
class SstFile:
    """The properties of an SST file."""

    policy: str
    entries: int
    data_bytes: int
    filter_bytes: int

    @classmethod
    def read(cls, properties: str) -> "SstFile":
        """`properties`: what sst_dump prints."""
        names = ("filter policy name", "# entries", "data block size", "filter block size")
        lines = [re.search(rf"^ *{name}: (.*)$", properties, re.M) for name in names]
        if None in lines:
            raise Failure(f"sst_dump does not print all of {', '.join(names)}")
        policy, *numbers = (line[1] for line in lines if line)
        return cls(policy, *map(int, numbers))


class StockDatabase:
    """A database folder, and next to it the OPTIONS file for db_bench."""

    def __init__(
        self, tools: Tools, policy: str, path: Path, options: Mapping[str, str]
    ) -> None:
        """`options`: instead of those in OPTIONS."""
        self._tools = tools
        self.policy = policy
        self.path = path
        self._options = path.with_name(path.name + ".ini")
        self._from_disk = options.get("use_direct_reads") == "true"
        self._string = "nullptr" if policy == NO_FILTER else policy
        text = OPTIONS.read_text()
        for name, value in {"filter_policy": self._string, **options}.items():
            text, count = re.subn(rf"^( *{name}=).*$", rf"\g<1>{value}", text, flags=re.M)
            assert count == 1, f"{name} in {OPTIONS}"
        self._options.write_text(text)

    def bench(self, benchmarks: str, *flags: str) -> Bench:
        """Runs benchmarks, separated by commas; returns the figures of the first."""
        output = self._tools.run(*self.command(benchmarks, *flags))
        return db_bench_figures(benchmarks.partition(",")[0], output)

    def command(self, benchmarks: str, *flags: str) -> tuple[str, ...]:
        return (
            "db_bench",
            f"--benchmarks={benchmarks}",
            "--progress_reports=false",
            f"--db={self.path}",
            f"--options_file={self._options}",
            *flags,
        )

    def sst_files(self) -> dict[int, SstFile]:
        """Returns the SST files by number; fails unless the policy made their filters."""
        self._check_policy()
        dump = self._tools.run(
            "sst_dump", f"--file={self.path}", "--command=none", "--show_properties"
        )
        _, *parts = re.split(r"^Process .*?(\d+)\.sst$", dump, flags=re.M)
        files = {
            int(number): SstFile.read(properties)
            for number, properties in zip(parts[::2], parts[1::2], strict=True)
        }
        names = {file.policy for file in files.values()}
        wanted = "N/A" if self.policy == NO_FILTER else self.policy.partition(":")[0]
        if names != {wanted}:
            raise Failure(
                f"{self.policy}: the properties of the SST files name "
                f"{' and '.join(sorted(names)) or 'no'} as filter policy, not {wanted}"
            )
        return files

    def _check_policy(self) -> None:
        """Fails if RocksDB ignored the policy, as it does with one that it does not know."""
        newest = max(self.path.glob("OPTIONS-*"))
        line = re.search(r"^ *filter_policy=(.*)$", newest.read_text(), re.M)
        value = line[1] if line else "(nothing)"
        # RocksDB completes the name of a policy: bloomfilter:10:false, or
        # {id=ribbonfilter:10:0;bloom_before_level=0;} in 9.10.
        found = f"{value.removeprefix('{id=').partition(';')[0]}:"
        if not found.startswith(f"{self._string}:"):
            raise Failure(f"{newest.name} says filter_policy={value}, not {self._string}")

    def warm(self) -> None:
        """Reads all files anew, into other pages of the operating system's page cache.

        Some pages are faster than others: a database that keeps its pages may seem 5 %
        faster than another in every run.
        """
        for path in self.path.glob("*.sst") if not self._from_disk else ():
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                while file.read(1 << 20):
                    pass
