#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Tests how the scripts of db_bench_ext make figures of what they measure."""

import os
import sys
import time
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "db_bench_ext"
sys.path[:0] = [str(SCRIPTS / "database"), str(SCRIPTS / "filter_bench")]

import end_to_end  # noqa: E402
import in_turn  # noqa: E402
import report  # noqa: E402
from end_to_end import (  # noqa: E402
    BLOCK_HITS,
    BLOCK_READS,
    BLOOM,
    NO_FILTER,
    OURS,
    POSITIVE,
    USEFUL,
    Counts,
    Interval,
    Times,
)


class IntervalTest(unittest.TestCase):
    # As in tables of the sign test, the interval of 15 values is from the 4th to the
    # 12th, and that of 20 values from the 6th to the 15th.
    def test_leaves_out_the_same_number_on_both_sides(self) -> None:
        self.assertEqual(
            end_to_end.interval([float(n) for n in range(15, 0, -1)]), Interval(8, 4, 12)
        )
        self.assertEqual(
            end_to_end.interval([float(n) for n in range(1, 21)]), Interval(10.5, 6, 15)
        )

    def test_few_values_have_all_their_range(self) -> None:
        for n in range(1, 7):
            values = [float(value) for value in range(n)]
            self.assertEqual(end_to_end.interval(values).low, 0)
            self.assertEqual(end_to_end.interval(values).high, n - 1)


class BreakEvenTest(unittest.TestCase):
    BASE_NS = 1000
    BLOCK_NS = 2500
    ASKED = 5
    RATES = {BLOOM: 0.05, OURS: 0.04}

    def times(self, longer_ns: float) -> Times:
        ns = {name: self.BASE_NS + self.BLOCK_NS * rate for name, rate in self.RATES.items()}
        ns[OURS] += longer_ns
        ns[NO_FILTER] = self.BASE_NS + self.BLOCK_NS * self.ASKED
        ratio = ns[BLOOM] / ns[OURS]
        speeds = {name: 1e9 / each for name, each in ns.items()}
        interval = Interval(ratio, ratio * 0.99, ratio * 1.01)
        return Times("absent", [], interval, interval, speeds)

    def counts(self, name: str) -> Counts:
        lookups = 1_000_000
        positive = round(lookups * self.RATES[name])
        counters = {USEFUL: lookups * self.ASKED - positive, POSITIVE: positive}
        return Counts("absent", name, lookups, 0, counters)

    def unfiltered(self) -> Counts:
        # A third of the blocks was in the block cache.
        lookups = 300_000
        counters = {BLOCK_READS: lookups * self.ASKED * 2 // 3}
        counters[BLOCK_HITS] = lookups * self.ASKED - counters[BLOCK_READS]
        return Counts("absent", NO_FILTER, lookups, 0, counters)

    def break_even(self, longer_ns: float) -> end_to_end.BreakEven:
        counts = self.counts(BLOOM), self.counts(OURS), self.unfiltered()
        cost = end_to_end.break_even(self.times(longer_ns), *counts)
        assert cost is not None
        return cost

    def test_is_unknown_if_no_false_positive_is_avoided(self) -> None:
        counts = self.counts(BLOOM), self.counts(BLOOM), self.unfiltered()
        self.assertIsNone(end_to_end.break_even(self.times(10), *counts))

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


class EqualRateTest(unittest.TestCase):
    # A filter whose rate halves with each bit per key.
    RESULTS = [
        {"block_bits_per_key": bits, "false_positive_rate": 0.5**bits}
        for bits in (4, 6, 8)
    ]

    def test_interpolates_the_logarithm(self) -> None:
        for bits in (4, 4.5, 6, 7.25, 8):
            found = report.bits_for_rate(self.RESULTS, 0.5**bits)
            self.assertIsNotNone(found)
            self.assertAlmostEqual(found or 0, bits)

    def test_does_not_extrapolate(self) -> None:
        self.assertIsNone(report.bits_for_rate(self.RESULTS, 0.5**9))
        self.assertIsNone(report.bits_for_rate(self.RESULTS, 0.5**3))


if __name__ == "__main__":
    unittest.main()
