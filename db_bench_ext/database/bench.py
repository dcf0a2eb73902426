#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Compares filter policies of RocksDB and of cassandra_bloom in RocksDB's own db_bench.

The same keys are written with each policy into the same files of four levels. First what
is counted is printed, and does not depend on the machine: the memory of the filters, and
the false positives and data blocks read in vain in each look-up of an absent key. Then
look-ups are timed: processes take turns, one for each policy, and as a control a second one
with the first policy and a copy of its database.

With --workload=mixgraph the look-ups, writes and scans are those of ZippyDB at Facebook.
With --workload=layouts no look-up is timed: a Markdown table shows the memory and the false
positives of the filters in other layouts, too, and the CPU time of filling the databases.

The exit status is 1 if a filter hides a key or is not used. The databases are in a temporary
folder (see TMPDIR), which is removed at the end: 200 bytes for each key and policy.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import layouts
import levels
import mixgraph
import picture
import tables
from console import Progress
from contest import Contest
from db_bench import LOADER, NO_FILTER, Failure, Tools
from intervals import MIN_ROUNDS
from layouts import LayoutSize
from levels import ALL_WORKS, ONE_BY_ONE, Counted, Database, Size
from mixgraph import MixDatabase, MixSize

# The policies by bits per key. RocksDB's own mix, ribbonfilter:10:3, has Bloom filters above
# level 3, the last one here. Options are in the order in which the policy's id has them.
TEMPLATES = (
    "bloomfilter:{}",
    "ribbonfilter:{}:3",
    "cassandra_bloom:{}",
    "cassandra_bloom:mix:{}",
    "cassandra_bloom:mix:{}:filter:cassandra",
)
POLICIES = [template.format(10) for template in TEMPLATES]
DEMO_POLICIES = [NO_FILTER, *POLICIES]
LAYOUT_POLICIES = [
    "bloomfilter:10", "ribbonfilter:13:0", "cassandra_bloom:mix:10",
    "cassandra_bloom:mix:10:filter:ribbon", "bloomfilter:5", "cassandra_bloom:mix:5",
]  # fmt: skip

DEMO = Size(250_000, 500_000, rounds=9, seconds=0.25, compactions=0, works=ONE_BY_ONE)
QUICK = Size(400_000, 400_000, rounds=9, seconds=0.4, compactions=1, works=ALL_WORKS)
FULL = Size(3_000_000, 2_000_000, rounds=25, seconds=0.8, compactions=3, works=ALL_WORKS)
QUICK_MIX = MixSize(keys=1_000_000, operations=50_000, rounds=6)
FULL_MIX = MixSize(keys=10_000_000, operations=300_000, rounds=12)
QUICK_LAYOUTS = LayoutSize(keys=300_000, rounds=1)
FULL_LAYOUTS = LayoutSize(keys=1_500_000, rounds=3)

# Of one CPU: what is estimated before anything is measured.
SECONDS_PER_KEY_WRITTEN = 4e-6
SECONDS_PER_LOOKUP = 2e-6
SECONDS_PER_OPERATION = 2e-5  # Of mixgraph.
SECONDS_PER_START = 0.1  # Of a process.
CPUS = len(os.sched_getaffinity(0))

YOUR_OWN = """
What do the filters of your own database do, and what would mix save?
    make release && build/release/bin/sst_filters doctor --db=YOUR_DATABASE"""


# ---- Four levels ----


def count(contest: Contest[Database], size: Size) -> dict[str, Counted]:
    """Writes all databases, and counts what the look-ups of all keys and of absent ones do."""
    fill_seconds = size.keys * SECONDS_PER_KEY_WRITTEN / CPUS
    count_seconds = (size.keys + size.counted_lookups) * SECONDS_PER_LOOKUP / CPUS
    contest.progress.expect(len(contest.databases) * (fill_seconds + count_seconds))
    contest.on_all_cpus(f"writing {size.keys:,} keys", fill_seconds, Database.fill)
    counted = contest.on_all_cpus("counting", count_seconds, Database.count)
    levels.check_same(counted)
    return counted


def compare_in_levels(
    tools: Tools, folder: Path, policies: list[str], size: Size, demo: bool
) -> None:
    contest = Contest(tools, folder, policies, partial(Database, size))
    turn_seconds = (len(policies) + 1) * (size.seconds + SECONDS_PER_START)
    turns = size.rounds * len(size.works) + size.compactions
    contest.progress.expect(turns * turn_seconds)
    counted = count(contest, size)
    show = contest.progress.show
    show(tables.counted_text(size, contest.base, counted))
    show(
        f"\nNo row lost: each of {size.keys - 1:,} keys was found with each policy, in the "
        "level of its newest version."
    )
    for form in levels.FORMS if demo else ():
        show(levels.check_form(tools, folder, form, size.keys // 10))
    if size.rounds:
        contest.add_copy()
        work = (turn_seconds, Database.timed_command, Database.result)
        rounds = contest.rounds(size.rounds, size.works, *work)
        if size.compactions:
            rounds |= contest.rounds(size.compactions, (levels.COMPACTION,), *work)
        show(tables.speeds_text(size, contest.base, contest.copy, rounds))
    if demo:
        show(YOUR_OWN)


def draw_picture(tools: Tools, folder: Path, size: Size, out: Path) -> None:
    """Counts each policy with each number of bits."""
    points: dict[str, list[picture.Point]] = {template: [] for template in TEMPLATES}
    for bits in picture.BITS:
        policies = [template.format(bits) for template in TEMPLATES]
        with tempfile.TemporaryDirectory(dir=folder) as of_bits:
            contest = Contest(tools, Path(of_bits), policies, partial(Database, size))
            counted = count(contest, size)
        for template, policy in zip(TEMPLATES, policies, strict=True):
            points[template].append(picture.point(counted[policy]))
    picture.draw(points, out)


# ---- mixgraph ----


def compare_in_mixgraph(tools: Tools, folder: Path, policies: list[str], size: MixSize) -> None:
    contest = Contest(tools, folder, policies, partial(MixDatabase, size))
    fill_seconds = size.keys * SECONDS_PER_KEY_WRITTEN / CPUS
    turn_seconds = (len(policies) + 1) * size.operations * SECONDS_PER_OPERATION
    contest.progress.expect(len(policies) * fill_seconds + size.rounds * turn_seconds)
    keys = f"writing {size.keys:,} keys"
    filled = contest.on_all_cpus(keys, fill_seconds, MixDatabase.fill)
    contest.add_copy()
    work = (turn_seconds, MixDatabase.timed_command, MixDatabase.result)
    rounds = contest.rounds(size.rounds, ("mixgraph",), *work)["mixgraph"]
    mixgraph.check_same_rows(rounds)
    text = tables.mixgraph_text(size, contest.base, contest.copy, filled, rounds)
    contest.progress.show(text)


# ---- Layouts ----


def compare_in_layouts(
    tools: Tools,
    sst_filters: Path,
    folder: Path,
    policies: list[str],
    size: LayoutSize,
    only: str,
    json_file: Path | None,
) -> None:
    names = [name for name in layouts.LAYOUTS if only in name]
    progress = Progress()
    seconds = size.keys * SECONDS_PER_KEY_WRITTEN
    progress.expect(len(names) * len(policies) * size.rounds * seconds)
    progress.show(tables.layout_notes(size), tables.LAYOUT_HEAD)
    show_step = partial(progress.step, expected_seconds=seconds)
    results = {}
    for layout in names:
        where = (tools, sst_filters, folder)
        filled = layouts.measure(layout, *where, policies, size, show_step)
        progress.show(tables.layout_rows(layout, filled))
        results[layout] = {policy: asdict(each) for policy, each in filled.items()}
    if json_file:
        json_file.write_text(json.dumps(results, indent=1) + "\n")


# ---- The command ----


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "policies", nargs="*", metavar="POLICY",
        help=f"strings as in filter_policy=, or {NO_FILTER}; the first one, but for "
        f"{NO_FILTER}, is what the others are compared with [{' '.join(POLICIES)}]",
    )  # fmt: skip
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "--lib-dir", type=Path, metavar="DIR",
        help=f"folder of {LOADER} and the plugin, which are preloaded into the tools in PATH",
    )  # fmt: skip
    where.add_argument(
        "--in-tree", type=Path, metavar="DIR",
        help="folder of a db_bench and sst_dump that were built with the plugin inside",
    )  # fmt: skip
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument(
        "--demo", action="store_true",
        help="in a minute: without batches and compactions; also without a filter, and with "
        "partitioned and prefix filters",
    )  # fmt: skip
    extent.add_argument("--quick", action="store_true", help="in 4 minutes instead of 20")
    workloads = ("levels", "mixgraph", "layouts")
    add("--workload", choices=workloads, default="levels", help="[%(default)s]")
    add(
        "--keys", type=int, metavar="N",
        help=f"[{FULL.keys}; mixgraph: {FULL_MIX.keys}; layouts: {FULL_LAYOUTS.keys}]",
    )  # fmt: skip
    add("--value-size", type=int, metavar="BYTES", help=f"[{FULL.value_size}]")
    add("--rounds", type=int, metavar="N", help="0: only count, time nothing")
    add("--from-disk", action="store_true", default=None, help="read past the page cache")
    add("--universal", action="store_true", default=None, help="runs of universal compaction")
    add(
        "--picture", type=Path, metavar="FILE.svg",
        help="only count, with 6 to 16 bits per key, and draw the memory of the filters "
        "against their false positives; needs gnuplot",
    )  # fmt: skip
    add("--layout", metavar="WORDS", help="of layouts, only those with these words")
    add("--json", type=Path, metavar="FILE", help="the figures of layouts, with all rounds")
    arguments = parser.parse_args()
    workload = arguments.workload
    of_levels = workload == "levels"
    if not of_levels and (arguments.demo or arguments.picture):
        parser.error(f"{workload} goes with neither --demo nor --picture")
    if not of_levels and (arguments.value_size or arguments.from_disk or arguments.universal):
        parser.error(f"{workload} goes with none of --value-size, --from-disk and --universal")
    if workload == "layouts" and arguments.in_tree:
        parser.error("layouts needs --lib-dir, and sst_filters in ../bin beside it")
    if workload != "layouts" and (arguments.layout or arguments.json):
        parser.error("--layout and --json go only with --workload=layouts")
    if not any((arguments.layout or "") in name for name in layouts.LAYOUTS):
        parser.error(f"argument --layout: none of {'; '.join(layouts.LAYOUTS)} has these words")
    least = mixgraph.MIN_KEYS if workload == "mixgraph" else levels.MIN_KEYS
    if arguments.keys is not None and arguments.keys < least:
        parser.error(f"argument --keys: at least {least}")
    least = MIN_ROUNDS if workload == "mixgraph" or arguments.rounds else 0
    why = ", for an interval of 95 %"
    if workload == "layouts":
        least, why = 1, ""
    if arguments.rounds is not None and arguments.rounds < least:
        parser.error(f"argument --rounds: at least {least}{why}")
    if len(set(arguments.policies)) != len(arguments.policies):
        parser.error("a policy is named twice")
    if arguments.policies == [NO_FILTER]:
        parser.error("there is no filter to compare with")
    if arguments.picture and arguments.policies:
        parser.error("argument --picture: it has its own policies")
    return arguments


def run(arguments: argparse.Namespace, folder: Path) -> None:
    tools = Tools(arguments.lib_dir, arguments.in_tree)
    changed = {
        name: getattr(arguments, name)
        for name in ("keys", "value_size", "rounds", "from_disk", "universal")
        if getattr(arguments, name) is not None
    }
    if arguments.workload == "layouts":
        layout_size = replace(QUICK_LAYOUTS if arguments.quick else FULL_LAYOUTS, **changed)
        sst_filters = arguments.lib_dir.resolve().parent / "bin/sst_filters"
        if not sst_filters.is_file():
            raise Failure(f"no {sst_filters}; to build it: make release")
        policies = arguments.policies or LAYOUT_POLICIES
        shown = (arguments.layout or "", arguments.json)
        compare_in_layouts(tools, sst_filters, folder, policies, layout_size, *shown)
        return
    policies = arguments.policies or (DEMO_POLICIES if arguments.demo else POLICIES)
    if arguments.workload == "mixgraph":
        mix_size = replace(QUICK_MIX if arguments.quick else FULL_MIX, **changed)
        compare_in_mixgraph(tools, folder, policies, mix_size)
        return
    size = DEMO if arguments.demo else QUICK if arguments.quick else FULL
    size = replace(size, **changed)
    if arguments.picture:
        draw_picture(tools, folder, size, arguments.picture)
    else:
        compare_in_levels(tools, folder, policies, size, arguments.demo)


def main() -> None:
    """Failures and signals end the script without a traceback and remove its folder."""
    arguments = parse_arguments()
    for number in (signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup(1) ignores SIGHUP.
            signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        with tempfile.TemporaryDirectory(prefix="cassandra_bloom_bench.") as folder:
            run(arguments, Path(folder))
    except (Failure, OSError) as failure:
        sys.exit(f"{Path(sys.argv[0]).name}: {failure}")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


if __name__ == "__main__":
    main()
