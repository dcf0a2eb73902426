#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Tests how the scripts of db_bench_ext make figures of what they measure."""

import os
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "db_bench_ext/database"))

import console  # noqa: E402
import in_turn  # noqa: E402
import intervals  # noqa: E402
import layouts  # noqa: E402
import picture  # noqa: E402
import tables  # noqa: E402
from db_bench import db_bench_figures  # noqa: E402
from intervals import Interval, Speeds  # noqa: E402
from layouts import Filled  # noqa: E402


class IntervalTest(unittest.TestCase):
    # As in tables of the sign test, the interval of 15 values is from the 4th to the
    # 12th, and that of 20 values from the 6th to the 15th.
    def test_leaves_out_the_same_number_on_both_sides(self) -> None:
        self.assertEqual(
            intervals.interval([float(n) for n in range(15, 0, -1)]), Interval(8, 4, 12)
        )
        self.assertEqual(
            intervals.interval([float(n) for n in range(1, 21)]), Interval(10.5, 6, 15)
        )

    def test_few_values_have_all_their_range(self) -> None:
        for n in range(1, 7):
            values = [float(value) for value in range(n)]
            self.assertEqual(intervals.interval(values).low, 0)
            self.assertEqual(intervals.interval(values).high, n - 1)


class RelativeTest(unittest.TestCase):
    BASE, COPY, OURS = "bloomfilter:10", "bloomfilter:10, again", "cassandra_bloom:10"

    def rounds(self, copy: float, ours: float) -> list[Speeds]:
        """Rounds in which the machine becomes slower. `copy`, `ours`: relative to BASE."""
        return [
            {self.BASE: speed, self.COPY: speed * copy, self.OURS: speed * ours}
            for speed in (1000.0 / (1 + each) for each in range(6))
        ]

    def test_is_relative_to_the_mean_of_both_copies_in_the_same_round(self) -> None:
        ratios = intervals.relative(self.rounds(copy=1.02, ours=1.111), self.BASE, self.COPY)
        self.assertEqual(set(ratios), {self.COPY, self.OURS})
        for value in (ratios[self.OURS].low, ratios[self.OURS].high):
            self.assertAlmostEqual(value, 1.1)

    def test_the_copy_is_relative_to_the_first(self) -> None:
        ratios = intervals.relative(self.rounds(copy=1.02, ours=1), self.BASE, self.COPY)
        self.assertAlmostEqual(ratios[self.COPY].median, 1.02)


class FiguresTest(unittest.TestCase):
    OUTPUT = """RocksDB:    version 7.8.3
readmissing  :       0.953 micros/op 1049317 ops/sec 0.477 seconds 500000 operations; (2 of 500000 found)
rocksdb.bloom.filter.useful COUNT : 2495015
rocksdb.db.get.micros P50 : 0.000000 P95 : 0.000000 COUNT : 0 SUM : 0
"""

    def test_reads_what_db_bench_prints(self) -> None:
        bench = db_bench_figures("readmissing", self.OUTPUT)
        self.assertEqual((bench.operations, bench.found, bench.seconds), (500000, 2, 0.477))
        self.assertEqual(bench.counters, {"rocksdb.bloom.filter.useful": 2495015})
        self.assertTrue(self.OUTPUT[: bench.result_end].endswith(" found)"))


class ConsoleTest(unittest.TestCase):
    def test_a_table_is_as_wide_as_its_cells(self) -> None:
        text = console.table((("", "name"), ("filter", "bytes")), (("a", "1"), ("long", "20")))
        self.assertEqual(
            text.splitlines(), ["      filter", "name   bytes", "a          1", "long      20"]
        )


class PictureTest(unittest.TestCase):
    def test_a_line_has_its_points_and_the_name_of_its_policy(self) -> None:
        script = picture.script({"mix:{}": [(0.03, 1.0), (0.01, 2.0)]}, Path("x.svg"))
        self.assertIn("$line0 << END\n0.03 1.0\n0.01 2.0\nEND\n", script)
        self.assertIn("title 'mix:N'", script)


class LayoutsTest(unittest.TestCase):
    def test_a_policy_is_compared_with_the_last_bloom_filter_before_it(self) -> None:
        self.assertEqual(
            layouts.references(["bloomfilter:10", "a:mix:10", "bloomfilter:5", "a:mix:5"]),
            {
                "bloomfilter:10": "bloomfilter:10", "a:mix:10": "bloomfilter:10",
                "bloomfilter:5": "bloomfilter:5", "a:mix:5": "bloomfilter:5",
            },
        )  # fmt: skip
        self.assertEqual(layouts.references(["a:10", "b:10"]), {"a:10": "a:10", "b:10": "a:10"})

    def test_cpu_time_is_compared_within_a_round(self) -> None:
        bloom = Filled(5, 100, 10.0, 0.05, (1.0, 2.0, 40.0))
        mix = Filled(6, 100, 7.5, 0.01, (1.2, 2.2, 42.0))
        rows = tables.layout_rows("x", {"bloomfilter:10": bloom, "mix": mix}).splitlines()
        self.assertEqual(
            rows[1], "| x | 6 | `mix` | 7.50 | 0.750 | 0.0100 | 0.200 | 2.20 | 1.100 |"
        )


class InTurnTest(unittest.TestCase):
    BURN = (
        "import time\n"
        "while time.process_time() < 0.4: pass\n"
        "print(f'{time.process_time():.6f}', flush=True)\n"
    )

    def test_counts_the_cpu_time_of_each_process(self) -> None:
        command = (sys.executable, "-c", self.BURN)
        cpu = min(os.sched_getaffinity(0))
        start = time.monotonic()
        for run in in_turn.run([command, command], os.environ, cpu):
            self.assertEqual(run.exit_code, 0)
            used = float(run.output())
            # The process's own figure leaves out what it takes to start and to end.
            self.assertAlmostEqual(run.cpu_seconds(0, 1e12), used, delta=0.1)
            self.assertGreaterEqual(run.ran(0, 1e12), used * 0.9)
            # Each process was stopped while the other one ran.
            elapsed = run.arrival(1) - start
            self.assertLess(run.ran(start, run.arrival(1)), elapsed * 0.8)

    def test_waiting_takes_no_cpu_time(self) -> None:
        command = (sys.executable, "-c", "import time; time.sleep(0.5)")
        (run,) = in_turn.run([command], os.environ, min(os.sched_getaffinity(0)))
        self.assertGreater(run.ran(0, 1e12), 0.4)
        self.assertLess(run.cpu_seconds(0, 1e12), 0.3)

    def test_tells_how_a_process_ended(self) -> None:
        commands = [(sys.executable, "-c", f"raise SystemExit({code})") for code in (0, 3)]
        runs = in_turn.run(commands, os.environ, min(os.sched_getaffinity(0)))
        self.assertEqual([run.exit_code for run in runs], [0, 3])


if __name__ == "__main__":
    unittest.main()
