#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""filterdb beside a real node: damages filters; finds, mends and undoes that; asks by CQL.

  tests/cassandra_node/node_test.py WORK FILTERDB [--release=5.0.6] [--seed=N]

WORK is a new folder that nobody else may write, of 1 GB; with the folder jars-RELEASE of an
earlier run, Maven is not asked again. FILTERDB is the built program. Needs Maven, Java 17
and the Python package cassandra-driver. The node listens on 127.0.0.1 only. Prints a line for
each step; the commands of filterdb and what they say are in WORK/filterdb.log.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections import Counter, namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cassandra.concurrent import execute_concurrent_with_args
from cassandra_node import SETTINGS, Node

FLUSHES = 4
# The partitions are those of one flush. Each table has a clustering column besides.
Table = namedtuple("Table", "columns key chance compression partitions rows")
TABLES = {
    "numbers": Table({"a": "bigint"}, lambda i: [(i * 0x9E3779B97F4A7C15) % 2**64 - 2**63],
                     0.01, "'class': 'LZ4Compressor'", 400, 1),
    "texts": Table({"a": "text"}, lambda i: [f"key-{i}"],
                   0.1, "'enabled': 'false'", 2500, 1),
    # Most of the bytes are zeros, which a trie must escape.
    "blobs": Table({"a": "blob"}, lambda i: [i.to_bytes(4, "big") + bytes(i % 300)],
                   0.001, "'class': 'ZstdCompressor'", 1000, 1),
    "wide": Table({"a": "text", "b": "int"}, lambda i: [f"a{i % 7}", i],
                  0.01, "'class': 'DeflateCompressor', 'chunk_length_in_kb': '4'", 100, 30),
}


# What is done to a filter, and what scan finds. It begins with the number of probes and that of
# the 64-bit words, 4 bytes each.
DAMAGE = {
    "bits cleared": (lambda old: old[:8] + bytes(b & ~(1 << random.randrange(8)) for b in old[8:]),
                     "keys missing"),
    "no bits": (lambda old: old[:8] + bytes(len(old) - 8), "keys missing"),
    "fewer words": (lambda old: old[:4] + (len(old) // 16).to_bytes(4, "big") + old[8:],
                    "keys missing, too long"),
    "more probes": (lambda old: old[:3] + bytes([old[3] + 2]) + old[4:], "keys missing"),
    "another form": (lambda old: old[:8] + b"".join(old[at:at + 8][::-1]
                                                    for at in range(8, len(old), 8)),
                     "keys missing, another form"),
    "truncated": (lambda old: old[:len(old) * 3 // 4], "truncated"),
    "header cut": (lambda old: old[:5], "header cut"),
    "deleted": (lambda old: None, "missing, but in TOC.txt"),
    "empty": (lambda old: b"", "empty"),
    "no probes": (lambda old: bytes(4) + old[4:], "no probes"),
    "all bits set": (lambda old: old[:8] + b"\xff" * (len(old) - 8),
                     "saturated, worse than planned"),
    "bytes appended": (lambda old: old + random.randbytes(24), "too long"),
}
HIDING = list(DAMAGE)[:6]
# What the node repairs when it starts.
MADE_ANEW = ["header cut", "deleted"]

# What one flush of a table wrote: these partitions, in an SSTable in each data directory.
Group = namedtuple("Group", "name table numbers data_files")


def check(holds, *what):
    if not holds:
        raise SystemExit(f"FAILED: {' '.join(map(str, what))}")


def filter_of(data_file):
    return data_file.with_name(data_file.name.replace("-Data.db", "-Filter.db"))


class Test:
    """The steps of all_steps()."""

    def __init__(self, work, filterdb, release):
        self.work, self.filterdb = work, filterdb
        self.node = Node(work, release)
        self.groups = []
        self.damaged = {}  # By Data.db, the damage of its filter.
        self.found = {}  # What scan must find of them while the node runs.

    def run(self, *options, status):
        """What filterdb prints. It must end with this exit status."""
        done = subprocess.run([self.filterdb, *options], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with open(self.work / "filterdb.log", "a", encoding="utf-8") as log:
            log.write(f"$ filterdb {' '.join(map(str, options))}\n{done.stdout}"
                      f"exit status {done.returncode}\n\n")
        check(done.returncode == status, options, "exit status", done.returncode, done.stdout)
        return done.stdout

    def scan(self, status, expected):
        """Scans all. Exactly these SSTables must have findings."""
        lines = [json.loads(line) for line in
                 self.run("scan", "--json", *self.node.data(), status=status).splitlines()]
        check(not any("error" in line for line in lines), "scan has an error", lines)
        sstables = {Path(line["sstable"]): line for line in lines[:-1]}
        found = {path: ", ".join(one["check"] for one in line["findings"])
                 for path, line in sstables.items() if line["findings"]}
        # A filter that the node has made anew may be larger than planned.
        for path in [path for path in found if path not in expected]:
            if self.damaged.get(path) in MADE_ANEW and found[path] == "oversized":
                del found[path]
        check(found == expected, "scan differs:", set(found.items()) ^ set(expected.items()))
        return sstables

    def damage_of(self, group):
        return self.damaged.get(next(iter(group.data_files)))

    def data_files(self, keyspace):
        return {path for data in self.node.data() for path in data.glob(f"{keyspace}/*/*-Data.db")}

    def filters(self):
        """The bytes of all filters, by their path."""
        paths = [filter_of(path) for version in SETTINGS for path in self.data_files(version)]
        return {path: path.read_bytes() for path in paths if path.exists()}

    def write(self, name, table, numbers):
        session = self.node.connect()
        columns = [*table.columns, "c", "v"]
        insert = session.prepare(f"INSERT INTO {name} ({', '.join(columns)}) "
                                 f"VALUES ({', '.join('?' * len(columns))})")
        execute_concurrent_with_args(session, insert, [
            (*table.key(i), row, f"value {i} " + "abc" * (i % 20))
            for i in numbers for row in range(table.rows)], concurrency=100)

    def hidden(self):
        """Of each group, the numbers of the partitions that a SELECT by key does not find."""
        session = self.node.connect()
        result = []
        for group in self.groups:
            condition = " AND ".join(f"{column} = ?" for column in group.table.columns)
            select = session.prepare(f"SELECT v FROM {group.name} WHERE {condition}")
            found = [[value for (value,) in one.result_or_exc] for one in
                     execute_concurrent_with_args(
                         session, select, [group.table.key(i) for i in group.numbers],
                         concurrency=100)]
            for i, values in zip(group.numbers, found):
                check(len(values) in (0, group.table.rows)
                      and all(value.startswith(f"value {i} ") for value in values),
                      group.name, "partition", i, "has other rows:", values)
            result.append({i for i, values in zip(group.numbers, found) if not values})
        return result

    def create(self, name, table, compaction):
        columns = "".join(f"{column} {kind}, " for column, kind in table.columns.items())
        self.node.connect().execute(
            f"CREATE TABLE {name} ({columns}c int, v text, PRIMARY KEY "
            f"(({', '.join(table.columns)}), c)) WITH bloom_filter_fp_chance = {table.chance} "
            f"AND compression = {{{table.compression}}} AND compaction = "
            f"{{'class': 'SizeTieredCompactionStrategy', 'enabled': '{compaction}'}}")

    def make_tables(self):
        for version in SETTINGS:
            self.node.start(version)
            self.node.connect().execute(f"CREATE KEYSPACE {version} WITH replication = "
                                        "{'class': 'SimpleStrategy', 'replication_factor': 1}")
            for name, table in TABLES.items():
                self.create(f"{version}.{name}", table, "false")
            for flush in range(FLUSHES):
                before = self.data_files(version)
                for name, table in TABLES.items():
                    first = flush * table.partitions
                    group = Group(f"{version}.{name}", table,
                                  range(first, first + table.partitions), set())
                    self.write(group.name, table, group.numbers)
                    self.groups.append(group)
                self.node.nodetool("flush", version)
                new = self.data_files(version) - before
                for group in self.groups[-len(TABLES):]:
                    folder = group.name.split(".")[1] + "-"
                    group.data_files.update(
                        path for path in new if path.parent.name.startswith(folder))
                    check([path.name[:2] for path in group.data_files] == [version] * 2,
                          "a flush wrote", group.data_files)
            self.node.stop()
        print(f"{len(self.groups) * 2} SSTables of {len(SETTINGS) * len(TABLES)} tables:",
              *Counter(path.name[:2] for one in self.groups for path in one.data_files).items())

    def plant(self, units):
        """With the node down, each damage to a unit, a set of SSTables, of each version."""
        if self.node.process is not None:
            self.node.stop()
        # Without the bytes that were appended before, which a mend leaves.
        for path, old in self.filters().items():
            path.write_bytes(old[:8 + 8 * int.from_bytes(old[4:8], "big")])
        self.damaged = {
            path: damage for version in SETTINGS for unit, damage in
            zip(random.sample([one for one in units if version in next(iter(one)).parts],
                              len(DAMAGE)), DAMAGE) for path in unit}
        for path, damage in self.damaged.items():
            new = DAMAGE[damage][0](filter_of(path).read_bytes())
            if new is None:
                filter_of(path).unlink()
            else:
                filter_of(path).write_bytes(new)
        found = {path: DAMAGE[damage][1] for path, damage in self.damaged.items()}
        sstables = self.scan(2, found)
        self.node.start("da")
        self.found = {path: one for path, one in found.items()
                      if self.damaged[path] not in MADE_ANEW}
        self.scan(2, self.found)
        print(f"{len(found)} filters of {len(sstables)} SSTables damaged: scan names these and "
              f"no other; after the start of the node, {len(self.found)}")

    def show_hidden(self):
        """What CQL does not find is what scan says, for each damage. Returns hidden()."""
        sstables, hidden = self.scan(2, self.found), self.hidden()
        for damage in [*DAMAGE, None]:
            groups = [(group, numbers) for group, numbers in zip(self.groups, hidden)
                      if self.damage_of(group) == damage]
            files = [path for group, _ in groups for path in group.data_files]
            denied = [sstables[path]["missing_keys"] for path in files]
            missing = sum(len(numbers) for _, numbers in groups)
            print(f"  {damage}: {len(files)} SSTables, scan says {denied} keys are denied, CQL "
                  f"does not find {missing} of {sum(len(one.numbers) for one, _ in groups)}")
            check((missing > 0) == (damage in HIDING), "other rows are hidden")
            # Readers of `big` SSTables never ask for the last key.
            check(None in denied or sum(denied) - len(files) <= missing <= sum(denied),
                  "scan counts other keys")
        return hidden

    def scan_beside_work(self):
        """Scans again and again while the node writes, flushes and compacts."""
        def work():
            self.create("da.busy", TABLES["texts"], "true")
            for first in range(0, 60000, 10000):
                self.write("da.busy", TABLES["texts"], range(first, first + 10000))
                self.node.nodetool("flush", "da")
            self.node.nodetool("compact", "da", "busy")
        states = Counter()
        with ThreadPoolExecutor() as pool:
            worker = pool.submit(work)
            scans = 0
            while not worker.done():
                sstables = self.scan(2, self.found)
                states.update(line["state"] for line in sstables.values())
                scans += 1
            worker.result()
        print(f"{scans} scans beside flushes and compactions: no other finding;",
              *states.items())

    def mend(self, name):
        run = self.work / name
        run.mkdir(mode=0o700)
        out = self.run("mend", *self.node.data(), f"--run={run}", "--oversized", status=0)
        print("mend:", out.splitlines()[-2])
        return run

    def install(self, run, *options, status=0):
        """Stops the node, installs, and starts the node. Returns the filters that changed."""
        before = self.filters()
        began = time.monotonic()
        self.node.stop()
        stopped = time.monotonic()
        out = self.run("install", run, *options, status=status)
        installed = time.monotonic()
        after = self.filters()
        self.node.start("da")
        print(f"install {' '.join(options)}: {time.monotonic() - began:.1f} s from the drain until "
              f"the node serves, {installed - stopped:.2f} s of it the install;",
              *[line for line in out.splitlines() if line[:1].isdigit()])
        return {path for path in after if before.get(path) != after[path]}

    def all_is_well(self):
        left = {path: "too long" for path, damage in self.damaged.items()
                if damage == "bytes appended" and path.exists()}
        self.scan(0, left)
        check(not any(self.hidden()), "rows are hidden")
        print("no row is hidden, and scan finds no harm")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("filterdb", type=Path)
    parser.add_argument("--release", default="5.0.6")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    arguments = parser.parse_args()
    arguments.work.mkdir(mode=0o700, exist_ok=True)
    sys.stdout.reconfigure(line_buffering=True)
    random.seed(arguments.seed)
    print(f"seed {arguments.seed}, Cassandra {arguments.release}")
    test = Test(arguments.work.absolute(), arguments.filterdb.absolute(), arguments.release)
    try:
        all_steps(test)
    finally:
        test.node.kill()


def all_steps(test):
    test.make_tables()
    test.node.start("da")
    test.all_is_well()
    test.plant([group.data_files for group in test.groups])
    hidden = test.show_hidden()
    test.scan_beside_work()

    run = test.mend("run1")
    before = test.filters()
    print("install beside the node:", test.run("install", run, status=3).strip())
    check(test.filters() == before, "an install beside the node changed filters")
    test.install(run)
    test.all_is_well()
    test.install(run, "--undo", status=2)
    check(test.filters() == before, "the undo is not exact")
    test.scan(2, test.found)
    # What a node takes for the bits that a truncated filter lacks is what was in its memory.
    for group, old, new in zip(test.groups, hidden, test.hidden()):
        if test.damage_of(group) == "truncated":
            print(f"  truncated: {len(old)} partitions were hidden, now {len(new)}")
        else:
            check(old == new, "other rows are hidden in", group)
    print("the undo: each filter has the bytes of before, and the same rows are hidden")
    test.install(run)
    test.all_is_well()

    # The node writes some tables anew after the mend, then all.
    test.plant([group.data_files for group in test.groups])
    run = test.mend("run2")
    for version in SETTINGS:
        test.node.nodetool("upgradesstables", "-a", version, "wide")
    changed = test.install(run)
    allowed = {filter_of(path) for path in test.damaged}
    check(changed and changed <= allowed, "other filters changed:", changed - allowed)
    test.all_is_well()

    test.plant([{path} for version in SETTINGS for path in test.data_files(version)])
    run = test.mend("run3")
    for version in SETTINGS:
        test.node.nodetool("upgradesstables", "-a", version)
    check(not test.install(run, status=3), "filters changed")
    test.all_is_well()
    print("passed")


if __name__ == "__main__":
    main()
