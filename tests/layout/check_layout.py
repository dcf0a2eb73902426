#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which file may include which, where each is tested, its size and licence.

A file X.cc of plugin/, filterdb/ or tools/ is tested in a file X_test, anywhere in tests/
or filterdb/tests/. If there is none, X.h, or X.cc if there is no X.h, has a line for each
file that tests it:

  // Tested in tests/policy/new_policy_test.cc.

Prints a line for each breach of a rule, and exits with 1 if there is one. ROOT is
the folder of the sources, by default the one that this script is in.
"""

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path

# The folders of plugin/, and which other folders each may include.
EDGES = {
    "filter": set(),
    "filter_db": {"filter"},
    "lsm": {"filter"},
    "policy": {"filter", "lsm"},
    "prefix_extractor": {"lsm", "policy"},
    "export": {"filter", "filter_db", "lsm", "policy", "prefix_extractor"},
    "registry": {"policy", "prefix_extractor", "export"},
    "c": {"filter", "filter_db", "lsm", "policy", "export"},
    "register_on_load": {"policy", "c"},
    "preload": set(),
}

# The folders of filterdb/ and tools/, and which others of them each may include.
TOOLS_EDGES = {
    "filterdb/sstable/bytes": set(),
    "filterdb/sstable/data_db": {"filterdb/sstable/bytes"},
    "filterdb/sstable/index": {"filterdb/sstable/bytes"},
    "filterdb/sstable": {
        "filterdb/sstable/bytes", "filterdb/sstable/data_db", "filterdb/sstable/index"
    },
    "filterdb/health": {"filterdb/sstable", "filterdb/sstable/bytes"},
    "filterdb/mending": {"filterdb/sstable", "filterdb/sstable/bytes", "filterdb/health"},
    "filterdb/commands": {
        "filterdb/sstable", "filterdb/sstable/bytes", "filterdb/health", "filterdb/mending"
    },
    "tools/sst_filters/database": {"filterdb/commands"},
    "tools/sst_filters": {"filterdb/commands", "tools/sst_filters/database"},
}
# What tools/ may include of filterdb/: how its commands print and parse.
CONSOLE = {
    f"filterdb/commands/{name}.h" for name in ("console", "output")
}
# filterdb/ uses only these folders of plugin/.
FILTERDB_MAY_USE = {"filter", "filter_db"}

# The folder that implements each public header.
PUBLIC = {
    "filter_db.h": "filter_db",
    "filter_policy.h": "policy",
    "filter_db_export.h": "export",
    "c.h": "c",
}

# The top folders, and which other folders each may include.
TOP_EDGES = {
    "include": set(),
    "plugin": {"include"},
    "filterdb": {"include", "plugin"},
    "tools": {"include", "plugin", "filterdb"},
    "db_bench_ext": {"include", "plugin", "tests/support"},
    "examples": {"include"},
    "tests": {"include", "plugin", "filterdb", "tools"},
}

MAY_INCLUDE_ROCKSDB = (
    "include/cassandra_bloom/filter_policy.h",
    "include/cassandra_bloom/filter_db_export.h",
    "plugin/policy/",
    "plugin/prefix_extractor/",
    "plugin/export/",
    "plugin/registry.cc",
    "plugin/c/rocksdb_c.cc",
)
# The rule about RocksDB's headers applies only to these folders; sst_filters, tests
# and benchmarks use real databases.
ROCKSDB_RULE = ("include/", "plugin/", "filterdb/")
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
# Code that computes the byte and the bit of a position. plugin/policy and plugin/export
# must leave that to plugin/filter.
BIT = re.compile(r">> ?3\b|& ?7\b|[%/] ?8\b")


def sources(root: Path) -> list[str]:
    return sorted(
        path.relative_to(root).as_posix()
        for top in TOP_EDGES
        for path in (root / top).rglob("*")
        if path.suffix in (".h", ".cc", ".c")
    )


def target(root: Path, kind: str, name: str) -> str | None:
    """Returns the project's file that an include names, or None."""
    for file in (name, "include/" + name):
        if (root / file).is_file():
            return file
    if kind == '"' and name != ROCKSDB_INTERNAL:
        return name
    return None


def is_rocksdb(name: str) -> bool:
    return name.startswith("rocksdb/") or name == ROCKSDB_INTERNAL


def room(file: str) -> str:
    """Returns the folder of plugin/ that a file belongs to, or that implements it."""
    parts = file.split("/")
    if parts[0] == "include":
        return PUBLIC.get(parts[-1], parts[-1])
    return parts[1].removesuffix(".cc")


def top_of(file: str) -> str:
    """Returns the top folder whose rules a file obeys. filterdb/ has its tests within."""
    return "tests" if is_test(file) else file.split("/")[0]


def is_test(file: str) -> bool:
    return file.startswith(("tests/", "filterdb/tests/"))


def in_folder(file: str, folder: str) -> bool:
    return file.startswith(folder + "/")


def tools_room(file: str) -> str | None:
    """Returns the folder of TOOLS_EDGES that a file belongs to, or None."""
    for folder in sorted(TOOLS_EDGES, reverse=True):
        if in_folder(file, folder):
            return folder
    return None


def wrong_edge(file: str, included: str) -> str | None:
    """Returns why this include is not allowed, or None if it is allowed."""
    top = top_of(file)
    allowed = {top} | TOP_EDGES[top]
    if not any(in_folder(included, folder) for folder in allowed):
        return f"{top}/ may include {', '.join(sorted(allowed))} only"
    if top == "tests":
        return None
    if in_folder(included, "filterdb/tests"):
        return f"{top}/ may not include filterdb/tests"
    if top == "filterdb" and in_folder(included, "plugin") and room(included) not in FILTERDB_MAY_USE:
        return f"filterdb/ may not include plugin/{room(included)}"
    here, there = tools_room(file), tools_room(included)
    if top == "tools" and in_folder(included, "filterdb/commands") and included not in CONSOLE:
        return f"tools/ may not include {included}"
    if here and there and here != there and there not in TOOLS_EDGES[here]:
        return f"{here} may not include {there}"
    product = ("include", "plugin")
    if top not in product or not any(in_folder(included, p) for p in product):
        return None
    here, there = room(file), room(included)
    if here == there or there in EDGES.get(here, set()):
        return None
    return f"{here} may not include {there}"


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


def too_long(lines: dict[str, int]) -> list[str]:
    """Returns the faults of files and folders that have too many lines."""
    folders: dict[str, int] = defaultdict(int)
    faults = []
    for file, count in lines.items():
        if not file.startswith(PRODUCT) or is_test(file):
            continue
        folders[str(Path(file).parent)] += count
        if count > LINES_OF_A_FILE and not file.startswith(LONG_FILES):
            faults.append(f"{file}: {count} lines, and {LINES_OF_A_FILE} are allowed")
    for folder, count in folders.items():
        if count > LINES_OF_A_FOLDER:
            faults.append(f"{folder}/: {count} lines, and {LINES_OF_A_FOLDER} are allowed")
    return faults


def circle(graph: dict[str, set[str]]) -> list[str] | None:
    """Returns the nodes of one cycle, or None."""
    done: set[str] = set()
    path: list[str] = []

    def visit(node: str) -> list[str] | None:
        if node in path:
            return path[path.index(node) :] + [node]
        if node in done:
            return None
        path.append(node)
        for other in sorted(graph.get(node, ())):
            found = visit(other)
            if found:
                return found
        path.pop()
        done.add(node)
        return None

    for node in sorted(graph):
        found = visit(node)
        if found:
            return found
    return None


def check(root: Path) -> list[str]:
    faults = []
    graph: dict[str, set[str]] = defaultdict(set)
    files = sources(root)
    headers: dict[str, list[str]] = defaultdict(list)
    classes: dict[str, list[str]] = defaultdict(list)
    suites: dict[str, set[str]] = defaultdict(set)
    lines: dict[str, int] = {}
    for file in files:
        text = (root / file).read_text(encoding="utf-8")
        lines[file] = text.count("\n")
        if LICENCE not in text.split("\n", 1)[0]:
            faults.append(f"{file}: does not begin with {LICENCE}")
        if file.endswith(".h") and not is_test(file):
            headers[Path(file).name].append(file)
        if not is_test(file) and not file.startswith("examples/"):
            for name in CLASS.findall(ANONYMOUS.sub("", text)):
                if file not in classes[name]:
                    classes[name].append(file)
        for name in SUITE.findall(text):
            suites[name].add(file)
        for kind, name in INCLUDE.findall(text):
            if is_rocksdb(name):
                if file.startswith(ROCKSDB_RULE) and not file.startswith(
                    MAY_INCLUDE_ROCKSDB
                ):
                    faults.append(f"{file}: may not include RocksDB: {name}")
                continue
            included = target(root, kind, name)
            if included is None:
                continue
            if not (root / included).is_file():
                faults.append(f"{file}: includes {name}, which is not a path from "
                              "the top folder")  # fmt: skip
                continue
            why = wrong_edge(file, included)
            if why:
                faults.append(f"{file}: includes {included}: {why}")
            # A header and its source file count as one node.
            here, there = (str(Path(f).with_suffix("")) for f in (file, included))
            if here != there:
                graph[here].add(there)
        if file.startswith(("plugin/policy/", "plugin/export/")):
            for number, line in enumerate(text.splitlines(), 1):
                if BIT.search(line):
                    faults.append(f"{file}:{number}: touches a bit: {line.strip()}")
    found = circle(graph)
    if found:
        faults.append("includes go in a circle: " + " -> ".join(found))
    for name, places in sorted(headers.items()):
        if len(places) > 1:
            faults.append(f"headers of one name: {', '.join(places)}")
    for name, places in sorted(classes.items()):
        if len(places) > 1:
            faults.append(f"classes {name}: {', '.join(places)}")
    for name, files_of in sorted(suites.items()):
        if len(files_of) > 1:
            faults.append(f"test suites {name}: {', '.join(sorted(files_of))}")
    return faults + untested(root, files) + too_long(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "root", nargs="?", type=Path, default=Path(__file__).resolve().parents[2]
    )
    root = parser.parse_args().root
    if not sources(root):
        parser.error(f"{root}: no sources are there")
    faults = check(root)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
