#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps one answer to: which is the newest RocksDB that this project supports?

usage: newest_release.py [RELEASE]

Without RELEASE (such as 12.0): compares every text that says "7.1 to X" or "10.9.1 to X" with
the limit in plugin/policy/filter_bits_api.h, prints each that differs, and exits with 1 if there
is one. With RELEASE: writes it into all of these places, and prints those in code, which say what
RocksDB's source does: read there whether it still does so.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LIMIT = ROOT / "plugin/policy/filter_bits_api.h"
TEST_OF_LIMIT = ROOT / "tests/policy/release_guard_test.cc"
FOLDERS = ("plugin", "include", "tools", "db_bench_ext", "cmake", "tests", "docs")
SUFFIXES = (".h", ".cc", ".c", ".py", ".sh", ".cmake", ".txt", ".md")

# What is matched is the release: after "7.1 to" and "10.9.1 to". (A line that ends before it
# would hide one. Texts before a match must be equally long.)
RANGE = re.compile(r"(?<=\b(?:9\.1|7\.1) to )\d+\.\d+\b|(?<=\b(?:9\.1|7\.1) to$)")
MESSAGE = re.compile(r"(?<=newer than )\d+\.\d+\b")
NUMBER = re.compile(r"(?<=CASSANDRA_BLOOM_ROCKSDB_RELEASE > )\d+\b")


def files() -> list[Path]:
    found = list(ROOT.glob("*.md"))
    for folder in FOLDERS:
        found += (path for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES)
    skipped = (Path(__file__).resolve(), ROOT / "CHANGELOG.md")
    return sorted(path for path in found
                  if path not in skipped and "data" not in path.relative_to(ROOT).parts)


def expected(path: Path, release: str) -> list[tuple[re.Pattern[str], str]]:
    """What each pattern must match in a file."""
    major, minor = map(int, release.split("."))
    of_limit = [(MESSAGE, release), (NUMBER, str(major * 100 + minor))]
    return [(RANGE, release), *(of_limit if path in (LIMIT, TEST_OF_LIMIT) else ())]


def faults(release: str) -> list[str]:
    """Every place that does not name the release."""
    return [f"{path.relative_to(ROOT)}:{line}: {match[0] or 'the line ends'}, not {right}"
            for path in files()
            for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            for pattern, right in expected(path, release)
            for match in pattern.finditer(text) if match[0] != right]


def write(release: str) -> None:
    for path in files():
        text = changed = path.read_text(encoding="utf-8")
        for pattern, right in expected(path, release):
            changed = pattern.sub(right, changed)
        if changed != text:
            path.write_text(changed, encoding="utf-8")
        if path.suffix in (".h", ".cc"):
            for line, said in enumerate(changed.splitlines(), 1):
                if RANGE.search(said):
                    print(f"still true? {path.relative_to(ROOT)}:{line}: {said.strip()}")


def main() -> int:
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    if len(sys.argv) > 2 or not all(re.fullmatch(r"\d+\.\d+", a) for a in sys.argv[1:]):
        print(__doc__, file=sys.stderr)
        return 2
    if len(sys.argv) == 2:
        write(sys.argv[1])
    limit = MESSAGE.search(LIMIT.read_text(encoding="utf-8"))
    assert limit, f"no release in {LIMIT}"
    found = faults(limit[0])
    print("\n".join(found) if found else f"7.1 to {limit[0]}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
