#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Tests how the scripts of db_bench_ext make figures of what they measure."""

import os
import sys
import time
import unittest
from collections.abc import Sequence
from math import exp
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "db_bench_ext/database"))

import break_even  # noqa: E402
import equal_rate  # noqa: E402
import in_turn  # noqa: E402
import levels  # noqa: E402
import plot  # noqa: E402
import ratios  # noqa: E402
from break_even import NO_FILTER  # noqa: E402
from ratios import BLOOM, COPY, Interval, Row, Speeds  # noqa: E402

OURS = "uniform"


class IntervalTest(unittest.TestCase):
    # As in tables of the sign test, the interval of 15 values is from the 4th to the
    # 12th, and that of 20 values from the 6th to the 15th.
    def test_leaves_out_the_same_number_on_both_sides(self) -> None:
        self.assertEqual(
            ratios.interval([float(n) for n in range(15, 0, -1)]), Interval(8, 4, 12)
        )
        self.assertEqual(
            ratios.interval([float(n) for n in range(1, 21)]), Interval(10.5, 6, 15)
        )

    def test_few_values_have_all_their_range(self) -> None:
        for n in range(1, 7):
            values = [float(value) for value in range(n)]
            self.assertEqual(ratios.interval(values).low, 0)
            self.assertEqual(ratios.interval(values).high, n - 1)


def rounds(copy: float, ours: float = 1, number: int = 6) -> list[Speeds]:
    """Rounds in which the machine becomes slower. `copy`, `ours`: relative to BLOOM."""
    return [
        {BLOOM: speed, COPY: speed * copy, OURS: speed * ours}
        for speed in (1000.0 / (1 + each) for each in range(number))
    ]


class RowTest(unittest.TestCase):
    def test_is_relative_to_the_mean_of_both_copies_in_the_same_round(self) -> None:
        row = ratios.row("absent", rounds(copy=1.02, ours=1.111))
        for value in (row.ratios[OURS].low, row.ratios[OURS].high):
            self.assertAlmostEqual(value, 1.1)
        self.assertEqual(list(row.ratios), [OURS])
        self.assertAlmostEqual(row.control.median, 1.02)
        self.assertAlmostEqual(row.bloom_ops_per_second, 1.01 * 1000 * (1 / 3 + 1 / 4) / 2)

    def test_is_steady_from_98_to_102_percent(self) -> None:
        for copy, steady in ((0.979, 0), (0.981, 1), (1, 1), (1.019, 1), (1.021, 0)):
            self.assertEqual(ratios.row("absent", rounds(copy)).steady, bool(steady), copy)

    def test_the_median_decides(self) -> None:
        few_outside = rounds(0.5, number=1) + rounds(1, number=4) + rounds(1.5, number=1)
        self.assertTrue(ratios.row("absent", few_outside).steady)


class RerunTest(unittest.TestCase):
    def rows(self, controls: dict[str, list[float]]) -> list[Row]:
        """`controls`: of the first run of each work, and of those after it."""
        self.runs: list[tuple[list[str], int]] = []

        def run(works: Sequence[str], reruns: int) -> dict[str, list[Speeds]]:
            self.runs.append((list(works), reruns))
            return {work: rounds(controls[work][reruns]) for work in works}

        return ratios.steady_rows(list(controls), run)

    def test_steady_rows_are_run_once(self) -> None:
        (row,) = self.rows({"absent": [1.01]})
        self.assertEqual(self.runs, [(["absent"], 0)])
        self.assertEqual((row.steady, row.reruns), (True, 0))

    def test_only_unsteady_rows_are_run_again(self) -> None:
        first, second = self.rows({"absent": [1], "present": [0.97, 1.03, 0.99]})
        self.assertEqual(
            self.runs, [(["absent", "present"], 0), (["present"], 1), (["present"], 2)]
        )
        self.assertEqual((first.lookups, first.reruns), ("absent", 0))
        self.assertEqual((second.steady, second.reruns), (True, 2))
        self.assertAlmostEqual(second.control.median, 0.99)

    def test_need_not_run_again(self) -> None:
        row = ratios.steady_rows(["absent"], lambda *_: {"absent": rounds(2)}, 0)[0]
        self.assertEqual((row.steady, row.reruns), (False, 0))

    def test_stops_after_three_times_with_the_last_run(self) -> None:
        (row,) = self.rows({"absent": [1.03, 1.021, 1.05, 1.04]})
        self.assertEqual([reruns for _, reruns in self.runs], [0, 1, 2, 3])
        self.assertEqual((row.steady, row.reruns), (False, 3))
        self.assertAlmostEqual(row.control.median, 1.04)


class BreakEvenTest(unittest.TestCase):
    BASE_NS = 1000
    BLOCK_NS = 2500
    ASKED = 5
    RATES = {BLOOM: 0.05, OURS: 0.04}

    def break_even(self, longer_ns: float) -> break_even.BreakEven:
        ns = {name: self.BASE_NS + self.BLOCK_NS * rate for name, rate in self.RATES.items()}
        ns[OURS] += longer_ns
        ns[NO_FILTER] = self.BASE_NS + self.BLOCK_NS * self.ASKED
        intervals = {
            name: Interval(*(ns[BLOOM] / ns[name] * part for part in (1, 0.99, 1.01)))
            for name in (OURS, NO_FILTER)
        }
        row = Row("absent", intervals, Interval(1, 1, 1), True, 0, 1e9 / ns[BLOOM], [])
        cost = break_even.break_even(row, OURS, *self.RATES.values(), self.ASKED)
        assert cost is not None
        return cost

    def test_is_unknown_if_no_false_positive_is_avoided(self) -> None:
        row = ratios.row("absent", rounds(1))
        self.assertIsNone(break_even.break_even(row, OURS, 0.04, 0.04, self.ASKED))

    def test_finds_the_cost_at_which_both_take_the_same_time(self) -> None:
        for longer_ns in (-30, 0, 10, 25, 100):
            cost = self.break_even(longer_ns)
            self.assertAlmostEqual(cost.block_ns, self.BLOCK_NS, places=5)
            # One false positive less in a hundred look-ups.
            self.assertAlmostEqual(cost.break_even_ns.median, longer_ns * 100, places=4)

    def test_a_better_ratio_is_a_lower_cost(self) -> None:
        cost = self.break_even(10).break_even_ns
        self.assertLess(cost.low, cost.median)
        self.assertLess(cost.median, cost.high)


class SearchTest(unittest.TestCase):
    def search(self, factor: float, slope: float, wanted: float) -> tuple[float, list[float]]:
        """Searches with a filter whose rate is factor * e ** (slope * bits)."""
        asked: list[float] = []

        def rate_at(bits: float) -> float:
            asked.append(bits)
            return factor * exp(slope * bits)

        return equal_rate.bits_for_rate(rate_at, wanted, 10), asked

    def test_finds_the_bits_of_filters_unlike_bloom(self) -> None:
        for factor, slope, bits in ((1, -0.48, 10), (0.3, -0.48, 7), (5, -0.4, 16.5)):
            found, asked = self.search(factor, slope, factor * exp(slope * bits))
            self.assertAlmostEqual(found, bits, delta=0.03)
            self.assertLessEqual(len(asked), 4)

    def test_ends_where_the_rate_is_never_reached(self) -> None:
        found, asked = self.search(1, 0, 0.01)
        self.assertLessEqual(len(asked), equal_rate.MAX_RUNS)
        self.assertIn(found, asked)


class PolicyTest(unittest.TestCase):
    def test_bits_are_written_as_in_the_ids_of_policies(self) -> None:
        self.assertEqual(levels.policy_string("mix", 10.0), "cassandra_bloom:mix:10")
        self.assertEqual(levels.policy_string("mix", 7.08), "cassandra_bloom:mix:7.08")
        self.assertEqual(levels.policy_string(COPY, 16), "bloomfilter:16")


class PlotTest(unittest.TestCase):
    def test_a_line_has_the_points_of_all_comparisons(self) -> None:
        comparisons = [
            {
                "false_positives": {"mix": rate},
                "figures": [{"policy": "mix", "filter_bytes": size}],
            }
            for rate, size in ((0.03, 100), (0.01, 200))
        ]
        reports = {"": {"keys": 100, "comparisons": comparisons}}
        self.assertEqual(plot.memory_points(reports), {"mix": [(0.01, 2), (0.03, 1)]})


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
