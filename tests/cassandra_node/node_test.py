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


def header(old, probes=None, words=None):
    """The filter with another header: probes and 64-bit words, 4 bytes each."""
    return ((probes if probes is not None else old[3]).to_bytes(4, "big")
            + (words if words is not None else len(old) // 8 - 1).to_bytes(4, "big") + old[8:])


# What is done to a filter, and what scan finds.
DAMAGE = {
    "bits cleared": (lambda old: old[:8] + bytes(b & ~(1 << random.randrange(8)) for b in old[8:]),
                     "keys missing"),
    "no bits": (lambda old: old[:8] + bytes(len(old) - 8), "keys missing"),
    "fewer words": (lambda old: header(old, words=len(old) // 16), "keys missing, too long"),
    "more probes": (lambda old: header(old, probes=old[3] + 2), "keys missing"),
    "another form": (lambda old: old[:8] + b"".join(old[at:at + 8][::-1]
                                                    for at in range(8, len(old), 8)),
                     "keys missing, another form"),
    "truncated": (lambda old: old[:len(old) * 3 // 4], "truncated"),
    "header cut": (lambda old: old[:5], "header cut"),
    "deleted": (lambda old: None, "missing, but in TOC.txt"),
    "empty": (lambda old: b"", "empty"),
    "no probes": (lambda old: header(old, probes=0), "no probes"),
    "all bits set": (lambda old: old[:8] + b"\xff" * (len(old) - 8),
                     "saturated, worse than planned"),
    "bytes appended": (lambda old: old + random.randbytes(24), "too long"),
}
HIDING = list(DAMAGE)[:6]
# What the node repairs when it starts.
MADE_ANEW = ["header cut", "deleted"]


class Group:
    """What one flush of a table wrote: an SSTable in each data directory."""

    def __init__(self, version, table, first, data_files):
        self.name = f"{version}.{table}"
        self.table = TABLES[table]
        self.numbers = range(first, first + self.table.partitions)
        self.data_files = data_files


def check(holds, *what):
    if not holds:
        raise SystemExit(f"FAILED: {' '.join(map(str, what))}")


def filter_of(data_file):
    return data_file.with_name(data_file.name.replace("-Data.db", "-Filter.db"))


class Test:
    """The steps, in the order of main()."""

    def __init__(self, work, filterdb, release):
        self.work, self.filterdb = work, filterdb
        self.node = Node(work, release)
        self.groups = []
        self.damaged = {}  # By Data.db, the damage of its filter.
        self.found = {}  # What scan must find of them while the node runs.
        self.began = time.monotonic()

    def say(self, *what):
        print(f"{time.monotonic() - self.began:5.0f} s ", *what, flush=True)

    def run(self, *options, status):
        """What filterdb prints. It must end with this exit status."""
        began = time.monotonic()
        done = subprocess.run([self.filterdb, *options], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with open(self.work / "filterdb.log", "a", encoding="utf-8") as log:
            log.write(f"$ filterdb {' '.join(map(str, options))}\n{done.stdout}"
                      f"exit status {done.returncode}, {time.monotonic() - began:.2f} s\n\n")
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
        """By group, the numbers of the partitions that a SELECT by key does not find."""
        session = self.node.connect()
        result = {}
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
            result[group] = {i for i, values in zip(group.numbers, found) if not values}
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
                    self.write(f"{version}.{name}", table, range(first, first + table.partitions))
                self.node.nodetool("flush", version)
                new = self.data_files(version) - before
                for name in TABLES:
                    files = {path for path in new if path.parent.name.startswith(f"{name}-")}
                    check(len(files) == 2 and all(path.name.startswith(version) for path in files),
                          "a flush wrote", files)
                    self.groups.append(Group(version, name, flush * TABLES[name].partitions, files))
            self.node.stop()
        self.say(f"{len(self.groups) * 2} SSTables of {len(SETTINGS) * len(TABLES)} tables:",
                 *Counter(path.name[:2] for one in self.groups for path in one.data_files).items())

    def plant(self, units):
        """With the node down, each damage to a unit, a set of SSTables, of each version."""
        if self.node.process is not None:
            self.node.stop()
        self.damaged = {
            path: damage for version in SETTINGS for unit, damage in
            zip(random.sample([one for one in units if version in next(iter(one)).parts],
                              len(DAMAGE)), DAMAGE) for path in unit}
        for path, damage in self.damaged.items():
            old = filter_of(path).read_bytes()
            # Without the bytes that were appended before, which a mend leaves.
            new = DAMAGE[damage][0](old[:8 + 8 * int.from_bytes(old[4:8], "big")])
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
        self.say(f"{len(found)} filters of {len(sstables)} SSTables damaged: scan names these and "
                 f"no other; after the start of the node, {len(self.found)}")

    def show_hidden(self):
        """What CQL does not find is what scan says, for each damage. Returns hidden()."""
        sstables, hidden = self.scan(2, self.found), self.hidden()
        for damage in [*DAMAGE, None]:
            groups = [one for one in self.groups
                      if self.damaged.get(next(iter(one.data_files))) == damage]
            files = [path for one in groups for path in one.data_files]
            denied = [sstables[path]["missing_keys"] for path in files]
            missing = sum(len(hidden[one]) for one in groups)
            self.say(f"  {damage}: {len(files)} SSTables, scan says {denied} keys are denied, CQL "
                     f"does not find {missing} of {sum(len(one.numbers) for one in groups)}")
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
        self.say(f"{scans} scans beside flushes and compactions: no other finding;",
                 *states.items())

    def mend(self, name):
        run = self.work / name
        run.mkdir(mode=0o700)
        self.say("mend:", *self.run("mend", *self.node.data(), f"--run={run}", "--oversized",
                                    status=0).splitlines()[-1:])
        return run

    def install(self, run, *options, status=0):
        """Stops the node, installs, and starts the node. Returns the filters that changed."""
        before = self.filters()
        times = [time.monotonic()]
        self.node.stop()
        times.append(time.monotonic())
        out = self.run("install", run, *options, status=status)
        times.append(time.monotonic())
        after = self.filters()
        self.node.start("da")
        times.append(time.monotonic())
        stop, install, start = (b - a for a, b in zip(times, times[1:]))
        self.say(f"install {' '.join(options)}: drain and stop {stop:.1f} s, install "
                 f"{install:.2f} s, start {start:.1f} s:", out.splitlines()[-1])
        return {path for path in after if before.get(path) != after[path]}

    def same_hidden(self, before):
        """The rows of before are hidden. What a node takes for the bits that a truncated filter
        lacks is what its memory had there, so those rows are other ones at each start."""
        now = self.hidden()
        for group in self.groups:
            if self.damaged.get(next(iter(group.data_files))) == "truncated":
                self.say(f"  truncated: {len(before[group])} were hidden, now {len(now[group])}")
            else:
                check(now[group] == before[group], "other rows are hidden in", group.name)

    def all_is_well(self):
        left = {path: "too long" for path, damage in self.damaged.items()
                if damage == "bytes appended" and path.exists()}
        self.scan(0, left)
        check(not any(self.hidden().values()), "rows are hidden")
        self.say("no row is hidden, and scan finds no harm")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("filterdb", type=Path)
    parser.add_argument("--release", default="5.0.6")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    arguments = parser.parse_args()
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
    test.say("install beside the node:", test.run("install", run, status=3).strip())
    check(test.filters() == before, "an install beside the node changed filters")
    test.install(run)
    test.all_is_well()
    test.install(run, "--undo", status=2)
    check(test.filters() == before, "the undo is not exact")
    test.same_hidden(hidden)
    test.scan(2, test.found)
    test.say("after the undo, each filter has the bytes of before, and the same rows are hidden")
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
