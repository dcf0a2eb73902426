#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the filter in one place after another and checks that a test notices.

Each fault is put into a copy of the source tree, in which the tests of the core and
of the classes that RocksDB calls are built and run. A fault that no test notices is a
gap in the tests: exit status 1.
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
TESTS = ("filter_test", "filter_db_test", "sstable_test", "lsm_test", "bits_test", "no_memory_test")


@dataclass(frozen=True)
class Fault:
    name: str
    file: str
    right: str
    wrong: str


FAULTS = (
    Fault(
        "hash halves swapped",
        "plugin/filter/probes.h",
        "next_(hash.h2), increment_(hash.h1)",
        "next_(hash.h1), increment_(hash.h2)",
    ),
    Fault(
        "tail bytes taken as unsigned",
        "plugin/filter/murmur3.h",
        "return bytes ^ ((inverted << 8) - inverted);",
        "return bytes ^ ((inverted << 8) - inverted) * 0;",
    ),
    Fault(
        "position not of the magnitude",
        "plugin/filter/probes.h",
        "return static_cast<int64_t>(x) < 0 ? 0 - x : x;",
        "return x;",
    ),
    Fault(
        "another excess",
        "plugin/filter/sizing.cc",
        "kExcessBits = 20",
        "kExcessBits = 21",
    ),
    Fault(
        "capacity off by one bit",
        "plugin/filter/filter_view.h",
        "capacity_bits_(filter.capacity_bits())",
        "capacity_bits_(filter.capacity_bits() - 1)",
    ),
    Fault(
        "a probe too many when asked",
        "plugin/filter/filter_view.h",
        "num_probes_(filter.num_probes)",
        "num_probes_(filter.num_probes + 1)",
    ),
    Fault(
        "the last key survives Finish",
        "plugin/policy/bits_builder.cc",
        "Entries entries = std::exchange(entries_, Entries());",
        "Entries entries = std::exchange(entries_, Entries());\n"
        "  entries_.last_key = entries.last_key;",
    ),
    Fault(
        "the keys survive Finish",
        "plugin/policy/bits_builder.cc",
        "Entries entries = std::exchange(entries_, Entries());",
        "Entries entries = std::move(entries_);\n"
        "  entries_.last_key = entries_.last_alt = std::nullopt;\n"
        "  for (int i = 0; i < 3; ++i) entries_.hashes.Add({1, 2});",
    ),
    Fault(
        "a malformed block has no keys",
        "plugin/policy/bits_reader.cc",
        "bool MayMatch(const Slice& /*entry*/) override { return true; }",
        "bool MayMatch(const Slice& /*entry*/) override { return false; }",
    ),
    Fault(
        "size of a block not checked",
        "plugin/filter/block_layout.cc",
        "size != FilterDbSize(static_cast<uint32_t>(num_words))",
        "size < kFilterDbHeaderSize",
    ),
    Fault(
        "header little-endian",
        "plugin/filter/block_layout.cc",
        "StoreBigEndian32(num_probes, out);",
        "StoreBigEndian32(__builtin_bswap32(num_probes), out);",
    ),
    Fault(
        "the end of a batch not answered",
        "plugin/policy/bits_reader.cc",
        "done < num_keys; done += kBatch",
        "done + 1 < num_keys; done += kBatch",
    ),
    Fault(
        "remainder in lanes not put right",
        "plugin/filter/kernels/lane_kernel_inl.h",
        "divisor.Remainder(magnitude >> 6)",
        "divisor.Remainder(magnitude >> 7)",
    ),
    Fault(
        "reciprocal rounded down",
        "plugin/filter/invariant_remainder.h",
        "(static_cast<Uint128>(1) << (64 + shift_)) + (divisor - 1))",
        "(static_cast<Uint128>(1) << (64 + shift_)))",
    ),
    Fault(
        "a batch asked for whole keys",
        "plugin/policy/bits_reader.cc",
        "batch.Set(i, extractor_.Extract(keys[i]->ToStringView()));",
        "batch.Set(i, keys[i]->ToStringView());",
    ),
    Fault(
        "a remembered key compared by too few bytes",
        "plugin/policy/hash_cache.h",
        "first == last_first && second == last_second && last.size == 16",
        "first == last_first && last.size == 16",
    ),
    Fault(
        "the length taken for a part of the partition key",
        "plugin/lsm/partition_key.cc",
        "kind_ == Kind::kU16 ? kLengthSize : 0",
        "kind_ == Kind::kU16 ? 0 : 0",
    ),
    Fault(
        "a partition key that ends one byte behind the key",
        "plugin/lsm/partition_key.cc",
        "return end <= key.size() ? std::optional(end) : std::nullopt;",
        "return end <= key.size() + 1 ? std::optional(end) : std::nullopt;",
    ),
    Fault(
        "lost keys forgotten",
        "plugin/policy/bits_builder.cc",
        "if (entries.lost == 0) {",
        "if (true) {",
    ),
    Fault(
        "a trailer compared without its last byte",
        "plugin/policy/block_form.h",
        "constexpr std::string_view kEnd(kTrailer, sizeof(kTrailer));",
        "constexpr std::string_view kEnd(kTrailer, sizeof(kTrailer));\n"
        "  if (block.size() > 5 && block.substr(block.size() - 5, 4) == kEnd.substr(0, 4)) {\n"
        "    return block.substr(0, block.size() - 5);\n"
        "  }",
    ),
    Fault(
        "the trailer not written",
        "plugin/policy/bits_builder.cc",
        "std::memcpy(block.get() + size - trailer_size, kTrailer, trailer_size);",
        "(void)trailer_size;",
    ),
    Fault(
        "a short block given to RocksDB's reader",
        "plugin/policy/policy.cc",
        "!filter_db && contents.size() > sizeof(kTrailer)",
        "!filter_db",
    ),
    Fault(
        "a block beside RocksDB's of any size",
        "plugin/policy/bits_builder.cc",
        "std::min(sizing_.NumWords(num_keys), MaxWords(form_))",
        "std::max(sizing_.NumWords(num_keys), uint32_t{1})",
    ),
    Fault(
        "changed hashes not noticed",
        "plugin/policy/bits_builder.cc",
        "detect_corruption_ && Checksum(entries.hashes) != entries.checksum",
        "false && Checksum(entries.hashes) != entries.checksum",
    ),
)


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
        configured = run(
            "cmake", "-S", self.source, "-B", self.binary,
            "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1",
        )  # fmt: skip
        if configured.returncode != 0:
            sys.exit(configured.stderr)

    def build(self) -> str | None:
        """Returns None, or the reason why the build failed."""
        done = run(
            "cmake", "--build", self.binary, "--parallel", self.jobs,
            "--target", *TESTS,
        )  # fmt: skip
        return None if done.returncode == 0 else done.stdout[-2000:] + done.stderr

    def first_failure(self) -> str | None:
        """Runs the tests; returns the first one that failed, or None."""
        for test in TESTS:
            try:
                done = run(
                    self.binary / "bin" / test, "--gtest_fail_fast", "--gtest_brief=1",
                    timeout=300,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return f"{test}: does not end"
            if done.returncode == 0:
                continue
            for line in done.stdout.splitlines():
                if line.startswith("[  FAILED  ]"):
                    return line.removeprefix("[  FAILED  ]").split("(")[0].strip()
            return f"{test}: exit status {done.returncode}"
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


def check_places() -> None:
    for fault in FAULTS:
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
    check_places()
    if arguments.check:
        return 0
    faults = [f for f in FAULTS if (arguments.only or "") in f.name]
    if not faults:
        parser.error(f"no fault has the words {arguments.only}")

    build = Build(arguments.folder, arguments.jobs)
    error = build.build()
    failure = error or build.first_failure()
    if failure:
        sys.exit(f"mutants.py: the unchanged sources fail: {failure}")

    caught = 0
    for fault in faults:
        begin = time.monotonic()
        with applied(fault, build.source):
            error = build.build()
            if error:
                sys.exit(f"mutants.py: {fault.name}: does not build: {error}")
            failure = build.first_failure()
        caught += failure is not None
        seconds = time.monotonic() - begin
        print(f"{fault.name:<34} {failure or 'NOT SEEN':<60} {seconds:4.0f} s",
              flush=True)  # fmt: skip
    print(f"{caught} of {len(faults)} faults were seen")
    return 0 if caught == len(faults) else 1


if __name__ == "__main__":
    sys.exit(main())
