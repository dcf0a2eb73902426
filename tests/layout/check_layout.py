#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which file may include which, where each is tested, and its licence.

A file X.cc of plugin/, filterdb/ or tools/ is tested in a file X_test, anywhere in tests/
or filterdb/tests/. If there is none, X.h, or X.cc if there is no X.h, has a line for each
file that tests it:

  // Tested in tests/policy/new_policy_test.cc.

Prints a line for each breach of a rule, and exits with 1 if there is one. ROOT is
the folder of the sources, by default the one that this script is in. With --release,
also prints what is put right before a release: long files and folders, and classes and
test suites of one name.
"""

import argparse
import re
import sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

FILTER_DB = "include/cassandra_bloom/filter_db.h"
POLICY = "include/cassandra_bloom/filter_policy.h"
EXPORT = "include/cassandra_bloom/filter_db_export.h"
C = "include/cassandra_bloom/c.h"
# How the commands of filterdb print and parse.
CONSOLE = ("filterdb/commands/console.h", "filterdb/commands/output.h")
SSTABLE = ("filterdb/sstable", "filterdb/sstable/bytes")
FILES = ("plugin/filter", "plugin/filter_db", "include/")

# A folder, or a file that has other rules than its folder, and what it may include besides
# itself: folders without their subfolders, or, with a slash at the end, all below; files; or
# RocksDB. Only plugin/filter touches bits.
MAY_INCLUDE: dict[str, tuple[str, ...]] = {
    FILTER_DB: (),
    POLICY: ("rocksdb",),
    EXPORT: (FILTER_DB, POLICY, "rocksdb"),
    C: (FILTER_DB, POLICY, EXPORT),
    "plugin/filter": (),
    "plugin/filter_db": ("plugin/filter", FILTER_DB),
    "plugin/lsm": ("plugin/filter",),
    "plugin/policy": ("plugin/filter", "plugin/lsm", POLICY, "rocksdb"),
    "plugin/prefix_extractor": ("plugin/lsm", "plugin/policy", POLICY, "rocksdb"),
    "plugin/export": (
        "plugin/filter", "plugin/filter_db", "plugin/lsm", "plugin/policy",
        "plugin/prefix_extractor", FILTER_DB, POLICY, EXPORT, "rocksdb",
    ),
    "plugin/registry.cc": (
        "plugin/policy", "plugin/prefix_extractor", "plugin/export", POLICY, EXPORT, "rocksdb",
    ),
    "plugin/c": (
        "plugin/filter", "plugin/filter_db", "plugin/lsm", "plugin/policy", "plugin/export",
        "include/",
    ),
    "plugin/c/rocksdb_c.cc": ("plugin/c", "plugin/policy", "plugin/export", "include/", "rocksdb"),
    "plugin/register_on_load.cc": ("plugin/policy", "plugin/c", POLICY, C),
    "plugin/preload": (),
    "filterdb/sstable/bytes": FILES,
    "filterdb/sstable/data_db": ("filterdb/sstable/bytes", *FILES),
    "filterdb/sstable/index": ("filterdb/sstable/bytes", *FILES),
    "filterdb/sstable": (
        "filterdb/sstable/bytes", "filterdb/sstable/data_db", "filterdb/sstable/index", *FILES,
    ),
    "filterdb/health": (*SSTABLE, *FILES),
    "filterdb/mending": ("filterdb/health", *SSTABLE, *FILES),
    "filterdb/commands": ("filterdb/health", "filterdb/mending", *SSTABLE, *FILES),
    "filterdb/tests": ("include/", "plugin/", "filterdb/", "tools/", "tests/"),
    "tools/export": ("include/", "plugin/", "rocksdb"),
    "tools/sst_filters/database": ("include/", "plugin/", *CONSOLE, "rocksdb"),
    "tools/sst_filters": (
        "include/", "plugin/", "tools/export", "tools/sst_filters/database", *CONSOLE, "rocksdb",
    ),
    "db_bench_ext": ("include/", "plugin/", "tests/support/", "rocksdb"),
    "examples": ("include/", "rocksdb"),
    "tests": ("include/", "plugin/", "filterdb/", "tools/", "rocksdb"),
}
# The folders with the product's code.
PRODUCT = ("plugin/", "filterdb/", "tools/")

# The most lines of C and C++ in a folder of PRODUCT, without its subfolders, and in
# a file. The files of LONG_FILES, with a template of kernels, may be longer.
LINES_OF_A_FOLDER = 3000
LINES_OF_A_FILE = 450
LONG_FILES = "plugin/filter/kernels/"

# The header of RocksDB's private interface, for a build within RocksDB's tree.
ROCKSDB_INTERNAL = "table/block_based/filter_policy_internal.h"

LICENCE = "SPDX-License-Identifier: Apache-2.0"

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
# If two classes in a namespace had the same name, the linker would merge them without
# an error. ANONYMOUS and CLASS find the names outside of anonymous namespaces.
ANONYMOUS = re.compile(r"^namespace \{$.*?^\}  // namespace$", re.MULTILINE | re.DOTALL)
CLASS = re.compile(r"^(?:class|struct) (\w+)(?: final)?(?: : [^;{]*)? \{", re.MULTILINE)
SUITE = re.compile(r"^TEST(?:_F|_P)?\((\w+),", re.MULTILINE)
TESTED_IN = re.compile(r"^// Tested in (.*)\.$", re.MULTILINE)
TEST_FILE = re.compile(r"(\w+)_test\.(?:cc|c|py|sh)")


def sources(root: Path) -> list[str]:
    return sorted(
        path.relative_to(root).as_posix()
        for top in {area.split("/")[0] for area in MAY_INCLUDE}
        for path in (root / top).rglob("*")
        if path.suffix in (".h", ".cc", ".c")
    )


def target(root: Path, kind: str, name: str) -> str | None:
    """Returns the project's file that an include names, "rocksdb", or None."""
    if name.startswith("rocksdb/") or name == ROCKSDB_INTERNAL:
        return "rocksdb"
    for file in (name, "include/" + name):
        if (root / file).is_file():
            return file
    return name if kind == '"' else None


def area(file: str) -> str | None:
    """Returns the row of MAY_INCLUDE that a file obeys: the longest one."""
    fitting = (row for row in MAY_INCLUDE if file == row or file.startswith(row + "/"))
    return max(fitting, key=len, default=None)


def may_include(file: str, included: str) -> bool:
    here, there = area(file), area(included)
    return here == there or any(
        rule in (included, there) or rule.endswith("/") and included.startswith(rule)
        for rule in MAY_INCLUDE.get(here or "", ())
    )


def is_test(file: str) -> bool:
    return file.startswith(("tests/", "filterdb/tests/"))


def untested(root: Path, files: list[str]) -> list[str]:
    """Returns the faults of files without a test, and of lines that name no test."""
    names = {
        file.name
        for folder in ("tests", "filterdb/tests")
        for file in (root / folder).rglob("*_test.*")
    }
    tested = {found[1] for found in map(TEST_FILE.fullmatch, names) if found}
    faults = []
    for file in files:
        if not file.startswith(PRODUCT) or is_test(file):
            continue
        places = TESTED_IN.findall((root / file).read_text(encoding="utf-8"))
        faults += [
            f"{file}: tested in {place}: that is no test file"
            for place in places
            if not (TEST_FILE.fullmatch(Path(place).name) and (root / place).is_file())
        ]
        header = file.removesuffix(".cc") + ".h"
        if file.endswith(".cc") and Path(file).stem not in tested:
            speaker = header if header in files else file
            text = (root / speaker).read_text(encoding="utf-8")
            if not TESTED_IN.search(text):
                faults.append(f"{speaker}: does not say where {file} is tested")
    return faults


def before_a_release(root: Path, files: list[str]) -> list[str]:
    """Returns the faults that a change may have, but no release."""
    faults = []
    folders: dict[str, int] = defaultdict(int)
    places: dict[str, list[str]] = defaultdict(list)
    for file in files:
        text = (root / file).read_text(encoding="utf-8")
        names = {f"test suites {name}" for name in SUITE.findall(text)}
        if not is_test(file) and not file.startswith("examples/"):
            names |= {f"classes {name}" for name in CLASS.findall(ANONYMOUS.sub("", text))}
        for name in names:
            places[name].append(file)
        if not file.startswith(PRODUCT) or is_test(file):
            continue
        lines = text.count("\n")
        folders[str(Path(file).parent)] += lines
        if lines > LINES_OF_A_FILE and not file.startswith(LONG_FILES):
            faults.append(f"{file}: {lines} lines, and {LINES_OF_A_FILE} are allowed")
    faults += [
        f"{folder}/: {lines} lines, and {LINES_OF_A_FOLDER} are allowed"
        for folder, lines in folders.items()
        if lines > LINES_OF_A_FOLDER
    ]
    return faults + [
        f"{name}: {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1
    ]


def check(root: Path, release: bool = False) -> list[str]:
    faults = []
    graph: dict[str, set[str]] = defaultdict(set)
    files = sources(root)
    for file in files:
        text = (root / file).read_text(encoding="utf-8")
        if LICENCE not in text.split("\n", 1)[0]:
            faults.append(f"{file}: does not begin with {LICENCE}")
        if area(file) is None:
            faults.append(f"{file}: its folder has no row in check_layout.py")
        for kind, name in INCLUDE.findall(text):
            included = target(root, kind, name)
            if included is None:
                continue
            if included != "rocksdb" and not (root / included).is_file():
                faults.append(f"{file}: includes {name}, which is not a path from the top folder")
                continue
            if not may_include(file, included):
                faults.append(f"{file}: {area(file)} may not include {included}")
            # A header and its source file count as one node.
            here, there = (str(Path(f).with_suffix("")) for f in (file, included))
            if here != there and included != "rocksdb":
                graph[here].add(there)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        faults.append("includes go in a circle: " + " -> ".join(reversed(error.args[1])))
    faults += untested(root, files)
    if release:
        faults += before_a_release(root, files)
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "root", nargs="?", type=Path, default=Path(__file__).resolve().parents[2]
    )
    parser.add_argument("--release", action="store_true")
    arguments = parser.parse_args()
    if not sources(arguments.root):
        parser.error(f"{arguments.root}: no sources are there")
    faults = check(arguments.root, arguments.release)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
