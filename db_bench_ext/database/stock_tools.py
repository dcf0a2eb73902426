# SPDX-License-Identifier: Apache-2.0

"""Runs RocksDB's own tools for scripts, with the plugin preloaded or built in."""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from configparser import ConfigParser
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import in_turn

LOADER = "libcassandra_bloom_preload.so"
TOOLS = ("db_bench", "ldb", "sst_dump")
OPTIONS_DIR = Path(__file__).resolve().parent / "options"
SEED = 20240229
COUNTED = ("--statistics", "--stats_level=1")  # RocksDB's counters, without timers.
WIDTH = 100


class Failure(Exception):
    """An error. Its message says why there are no results."""


@dataclass(frozen=True)
class Finished:
    """What a process wrote, and the CPU time that it used."""

    stdout: str
    stderr: str
    cpu_seconds: float


def temporary_text() -> IO[str]:
    return TemporaryFile("w+", encoding="ascii", errors="replace")


class Tools:
    def __init__(self, env: Mapping[str, str], path: str | None, remedy: str) -> None:
        """`path`: the folders that must have the tools, separated by colons."""
        missing = [tool for tool in TOOLS if shutil.which(tool, path=path) is None]
        if missing:
            raise Failure(f"not found: {', '.join(missing)}; {remedy}")
        self._env = {**os.environ, **env}

    @classmethod
    def with_loader(cls, lib_dir: Path) -> "Tools":
        """Returns the tools in PATH, which preload the plugin in `lib_dir`."""
        loader = lib_dir.resolve() / LOADER
        if not loader.is_file():
            raise Failure(
                f"no {LOADER} in {lib_dir}; to build it: "
                "cmake --preset release && cmake --build --preset release"
            )
        return cls(
            {"LD_PRELOAD": str(loader)},
            os.environ["PATH"],
            "install Debian's package rocksdb-tools",
        )

    @classmethod
    def in_tree(cls, bin_dir: Path) -> "Tools":
        """Returns the tools in `bin_dir`, which were built with the plugin inside."""
        folder = str(bin_dir.resolve())
        return cls(
            {"PATH": f"{folder}:{os.environ['PATH']}"},
            folder,
            f"{bin_dir} must have those of a RocksDB that was built with this plugin",
        )

    def run(self, *command: str) -> "Finished":
        with temporary_text() as stdout, temporary_text() as stderr:
            process = subprocess.Popen(command, env=self._env, stdout=stdout, stderr=stderr)
            try:
                # Popen.wait would not tell the CPU time of this process alone.
                _, status, usage = os.wait4(process.pid, 0)
            except BaseException:
                process.kill()
                raise
            process.returncode = os.waitstatus_to_exitcode(status)
            for file in (stdout, stderr):
                file.seek(0)
            finished = Finished(
                stdout.read(), stderr.read(), usage.ru_utime + usage.ru_stime
            )
        check_exit(command[0], process.returncode, finished.stdout + finished.stderr)
        return finished

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


# ---- db_bench ----


@dataclass(frozen=True)
class Bench:
    """The results of one benchmark of db_bench."""

    ops_per_second: int
    seconds: float
    operations: int
    found: int
    counters: dict[str, int]
    result_end: int  # The position in stdout where its result ends.
    stdout: str
    stderr: str
    cpu_seconds: float  # Of the process with all its benchmarks; 0: not measured.

    def machine(self) -> str:
        def header(name: str) -> str:
            found = re.search(rf"^{name}: *(.+)$", self.stderr, re.MULTILINE)
            return found[1] if found else f"{name} unknown"

        return f"RocksDB {header('RocksDB')}, its db_bench, CPU {header('CPU')}."

    def warning(self) -> str:
        """Returns a warning about the figures, or an empty text if there is none."""
        if "Assertions are enabled" not in self.stdout:
            return ""
        return (
            " This RocksDB checks assertions: the figures compare filters within this "
            "run, but are not absolute speeds."
        )


def db_bench_figures(
    benchmark: str, stdout: str, stderr: str, cpu_seconds: float = 0
) -> Bench:
    result = re.search(
        rf"^{benchmark} *:.* (\d+) ops/sec ([\d.]+) seconds (\d+) operations;"
        r"(?:.*\((\d+) of \d+ found\))?",
        stdout,
        re.MULTILINE,
    )
    if result is None:
        raise Failure(f"db_bench has printed no result of {benchmark}")
    counters = re.findall(r"^(rocksdb\.\S+) COUNT : (\d+)", stdout, re.MULTILINE)
    return Bench(
        ops_per_second=int(result[1]),
        seconds=float(result[2]),
        operations=int(result[3]),
        found=int(result[4] or 0),
        counters={name: int(count) for name, count in counters},
        result_end=result.end(),
        stdout=stdout,
        stderr=stderr,
        cpu_seconds=cpu_seconds,
    )


def timed_figures(
    benchmark: str, run: in_turn.StoppedProcess, cpu_time: bool = True
) -> Bench:
    """Returns figures for the time in which `run` was not stopped.

    With `cpu_time`, the figures are for the time in which `run` had the CPU.
    """
    bench = db_bench_figures(benchmark, run.output(), run.output())
    end = run.arrival(bench.result_end)
    seconds = (run.cpu_seconds if cpu_time else run.ran)(end - bench.seconds, end)
    speed = round(bench.operations / seconds)
    return replace(bench, seconds=seconds, ops_per_second=speed)


# ---- Databases ----


def read_options(path: Path) -> dict[tuple[str, str], str]:
    parser = ConfigParser(delimiters="=", comment_prefixes="#", interpolation=None)
    parser.read(path)
    return {
        (section, name): value
        for section in parser.sections()
        for name, value in parser.items(section)
    }


def write_options(path: Path, template: Path, values: Mapping[str, str]) -> None:
    """Writes the template to `path`, with new values for options that it has."""
    text = template.read_text()
    for name, value in values.items():
        text, count = re.subn(
            rf"^( *{name}=).*$", rf"\g<1>{value}", text, flags=re.MULTILINE
        )
        assert count == 1, f"{name} in {template}"
    path.write_text(text)


@dataclass(frozen=True)
class SstFile:
    """The properties of an SST file."""

    policy: str
    entries: int
    data_bytes: int
    filter_bytes: int


class StockDatabase:
    """A database folder, and next to it the OPTIONS file for db_bench."""

    def __init__(
        self,
        tools: Tools,
        name: str,
        path: Path,
        template: Path,
        values: Mapping[str, str],
    ) -> None:
        self._tools = tools
        self.name = name
        self.path = path
        self._options = path.with_name(path.name + ".ini")
        write_options(self._options, template, values)

    def bench(self, benchmarks: str, *flags: str) -> Bench:
        """Runs benchmarks, separated by commas; returns the figures of the first."""
        output = self._tools.run(*self.command(benchmarks, *flags))
        name = benchmarks.partition(",")[0]
        return db_bench_figures(name, output.stdout, output.stderr, output.cpu_seconds)

    def command(self, benchmarks: str, *flags: str) -> tuple[str, ...]:
        return (
            "db_bench",
            f"--benchmarks={benchmarks}",
            "--key_size=16",
            "--value_size=100",
            "--progress_reports=false",
            f"--db={self.path}",
            f"--options_file={self._options}",
            *flags,
        )

    def check_options(self, bench: Bench) -> None:
        """Fails unless the database's own OPTIONS file says the same as ours."""
        newest = max(self.path.glob("OPTIONS-*"))
        actual = read_options(newest)
        for (section, name), wanted in read_options(self._options).items():
            value = actual.get((section, name), "(nothing)")
            # RocksDB completes the name of a policy: bloomfilter:10:false, or
            # {id=ribbonfilter:10:0;bloom_before_level=0;} in 9.10.
            found = f"{value.removeprefix('{id=').partition(';')[0]}:"
            if section != "Version" and not found.startswith(f"{wanted}:"):
                raise Failure(
                    f"{self.name}: the database's {newest.name} says "
                    f"{name}={value}, not {wanted}{loader_complaints(bench)}"
                )

    def sst_files(self, policy: str) -> dict[int, SstFile]:
        """Returns the SST files by number; fails unless all name this filter policy."""
        dump = self._tools.run(
            "sst_dump", f"--file={self.path}", "--command=none", "--show_properties"
        ).stdout
        _, *parts = re.split(r"^Process .*?(\d+)\.sst$", dump, flags=re.MULTILINE)
        files = {
            int(number): sst_file(properties)
            for number, properties in zip(parts[::2], parts[1::2], strict=True)
        }
        names = {file.policy for file in files.values()}
        if names != {policy}:
            raise Failure(
                f"{self.name}: the properties of the SST files name "
                f"{' and '.join(sorted(names)) or 'no'} as filter policy, not {policy}"
            )
        return files


def sst_file(properties: str) -> SstFile:
    def value(name: str) -> str:
        found = re.search(rf"^ *{name}: (.*)$", properties, re.MULTILINE)
        if found is None:
            raise Failure(f"sst_dump prints no {name}")
        return found[1]

    return SstFile(
        policy=value("filter policy name"),
        entries=int(value("# entries")),
        data_bytes=int(value("data block size")),
        filter_bytes=int(value("filter block size")),
    )


def loader_complaints(bench: Bench) -> str:
    lines = bench.stderr.splitlines()
    return "".join(f"\n{line}" for line in lines if "cassandra_bloom" in line)


# ---- The scripts ----


def argument_parser(description: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "--lib-dir",
        type=Path,
        metavar="DIR",
        help=f"folder of {LOADER} and the plugin, such as build/release/lib; they are "
        "preloaded into the tools in PATH",
    )
    where.add_argument(
        "--in-tree",
        type=Path,
        metavar="DIR",
        help="folder of a db_bench, ldb and sst_dump that were built with the plugin inside",
    )
    return parser


def chosen_tools(arguments: argparse.Namespace) -> Tools:
    if arguments.in_tree:
        return Tools.in_tree(arguments.in_tree)
    return Tools.with_loader(arguments.lib_dir)


def wrap(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False)


class Progress:
    """Shows a line on stderr. A terminal shows only the last one, until the `with` ends."""

    def __init__(self, steps: int | None = None) -> None:
        self._total = "" if steps is None else f"/{steps}"
        self._done = 0
        self._start = time.monotonic()
        self._terminal = sys.stderr.isatty()

    def step(self, text: str) -> None:
        self._done += 1
        seconds = time.monotonic() - self._start
        line = f"[{self._done:2}{self._total}] {seconds:3.0f} s  {text}"
        self._write(f"\r\x1b[K{line}" if self._terminal else f"{line}\n")

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._terminal:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


@contextmanager
def orderly_exit() -> Iterator[None]:
    """Failures and signals end the script without a traceback and remove its folder."""
    for number in (signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup(1) ignores SIGHUP.
            signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        yield
    except (Failure, OSError) as failure:
        sys.exit(f"{Path(sys.argv[0]).name}: {failure}")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
