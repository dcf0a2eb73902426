#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the code in one place after another and checks that a test notices.

Each fault of faults.txt is put into a copy of the source tree, in which the test
programs of the fault's folder (TESTS) are built and run, one after the other, until a
test fails. A fault that no test notices is a gap in the tests: exit status 1.
"""

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]

# The test programs that must see a fault in a file of each folder.
TESTS = {
    "plugin/filter": ("filter_test", "filter_db_test"),
    "plugin/filter_db": ("filter_db_test",),
    "plugin/lsm": ("lsm_test",),
    "plugin/policy": (
        "bits_test", "no_memory_test", "options_test", "options_registry_test", "database_test",
    ),
    "plugin/export": ("export_test",),
    "tools/export": ("export_test",),
    "filterdb/sstable": (
        "sstable_test", "filterdb_mending_test", "filterdb_scan_test", "filterdb_mend_test",
    ),
    "filterdb/health": (
        "sstable_health_test", "filterdb_command_test", "filterdb_scan_test", "filterdb_mend_test",
    ),
    "filterdb/mending": ("filterdb_mending_test", "filterdb_mend_test"),
    "filterdb/commands": ("filterdb_scan_test", "filterdb_mend_test"),
    "tools/sst_filters": ("export_command_test", "sst_filters_test"),
}


@dataclass
class Fault:
    file: str
    name: str
    right: str = ""
    wrong: str = ""

    @property
    def tests(self) -> tuple[str, ...]:
        return TESTS["/".join(self.file.split("/")[:2])]


def read_faults() -> list[Fault]:
    faults: list[Fault] = []
    file = ""
    for line in (Path(__file__).parent / "faults.txt").read_text().splitlines():
        kind, _, text = line.partition(" ")
        if kind == "==":
            file = text
        elif kind == "-":
            faults[-1].right += ("\n" if faults[-1].right else "") + text
        elif kind == "+":
            faults[-1].wrong += ("\n" if faults[-1].wrong else "") + text
        elif kind not in ("", "#"):
            faults.append(Fault(file, name=line))
    return faults


def run(*command: str | Path, timeout: int = 900) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
    )


def copy_sources(to: Path) -> None:
    """Copies the files that git tracks, with their content in the work tree."""
    listed = run("git", "-C", REPOSITORY, "ls-files")
    if listed.returncode != 0:
        sys.exit(f"mutants.py: {REPOSITORY} is not a git work tree")
    for name in listed.stdout.splitlines():
        source, target = REPOSITORY / name, to / name
        if not source.is_file():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != source.read_bytes():
            shutil.copyfile(source, target)


class Build:
    def __init__(self, folder: Path, jobs: int) -> None:
        self.source = folder / "source"
        self.binary = folder / "build"
        self.jobs = jobs
        copy_sources(self.source)
        # No unity build: then a fault compiles one source.
        configured = run(
            "cmake", "-S", self.source, "-B", self.binary,
            *(["-G", "Ninja"] if shutil.which("ninja") else []),
            "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1",
            "-DCASSANDRA_BLOOM_QUICK_TEST_FLAGS=-O0",
        )  # fmt: skip
        if configured.returncode != 0:
            sys.exit(configured.stderr)

    def build(self, *tests: str) -> None:
        done = run(
            "cmake", "--build", self.binary, "--parallel", self.jobs, "--target", *tests,
            timeout=3600,
        )  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"mutants.py: does not build: {done.stdout[-2000:]}{done.stderr}")

    def failure_of(self, test: str) -> str | None:
        """Runs a test program; returns what failed first, or None."""
        try:
            done = run(
                self.binary / "bin" / test, "--gtest_fail_fast", "--gtest_brief=1",
                timeout=300,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"{test}: does not end"
        if done.returncode == 0:
            return None
        for line in done.stdout.splitlines():
            if line.startswith("[  FAILED  ]"):
                return line.removeprefix("[  FAILED  ]").split("(")[0].split(",")[0].strip()
        return f"{test}: exit status {done.returncode}"

    def first_failure(self, tests: tuple[str, ...]) -> str | None:
        for test in tests:
            self.build(test)
            failure = self.failure_of(test)
            if failure:
                return failure
        return None


@contextmanager
def applied(fault: Fault, source: Path) -> Iterator[None]:
    path = source / fault.file
    text = path.read_text()
    path.write_text(text.replace(fault.right, fault.wrong))
    try:
        yield
    finally:
        path.write_text(text)


def check_places(faults: list[Fault]) -> None:
    for fault in faults:
        if (REPOSITORY / fault.file).read_text().count(fault.right) != 1:
            sys.exit(
                f"mutants.py: {fault.name}: not exactly once in {fault.file}: {fault.right}"
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=REPOSITORY / "build/mutants")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", metavar="WORDS", help="only faults whose names have these words")
    parser.add_argument("--check", action="store_true", help="only check that each place is there")
    arguments = parser.parse_args()
    all_faults = read_faults()
    check_places(all_faults)
    if arguments.check:
        return 0
    faults = [f for f in all_faults if (arguments.only or "") in f.name]
    if not faults:
        parser.error(f"no fault has the words {arguments.only}")

    build = Build(arguments.folder, arguments.jobs)
    tests = tuple(dict.fromkeys(test for fault in faults for test in fault.tests))
    begin = time.monotonic()
    build.build(*tests)
    print(f"{'built':<129} {time.monotonic() - begin:4.0f} s", flush=True)
    for test in tests:
        begin = time.monotonic()
        failure = build.failure_of(test)
        if failure:
            sys.exit(f"mutants.py: the unchanged sources fail: {failure}")
        print(f"{'unchanged':<58} {test:<70} {time.monotonic() - begin:4.0f} s", flush=True)

    caught = 0
    for fault in faults:
        begin = time.monotonic()
        with applied(fault, build.source):
            failure = build.first_failure(fault.tests)
        caught += failure is not None
        seconds = time.monotonic() - begin
        print(f"{fault.name:<58} {failure or 'NOT SEEN':<70} {seconds:4.0f} s",
              flush=True)  # fmt: skip
    print(f"{caught} of {len(faults)} faults were seen")
    return 0 if caught == len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
