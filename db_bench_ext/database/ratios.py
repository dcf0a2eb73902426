# SPDX-License-Identifier: Apache-2.0

"""The speeds of several filter policies relative to the mean of two copies of one of them.

The ratio of the two copies to each other, the control, shows the noise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean, median
from typing import TypeVar

W = TypeVar("W")

BLOOM = "bloom"  # What the others are compared with.
COPY = "bloom again"  # The same filter, in a copy of its database.

MIN_ROUNDS = 6  # With fewer, there is no interval of 95 %.
STEADY = (0.98, 1.02)  # A row is steady if its control is in this range.
MAX_RERUNS = 3

Speeds = dict[str, float]  # Operations per second, by policy.


@dataclass(frozen=True)
class Interval:
    """A median, and between which values the true one is with a probability of 95 %."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.3f} ({self.low:.3f} to {self.high:.3f})"


def interval(values: Sequence[float]) -> Interval:
    """The interval of the sign test. With fewer than MIN_ROUNDS values, all their range."""
    n = len(values)
    beyond = 0  # How many values are left out on each side.
    while 2 * sum(comb(n, i) for i in range(beyond + 2)) / 2**n <= 0.05:
        beyond += 1
    ordered = sorted(values)
    return Interval(median(values), ordered[beyond], ordered[n - 1 - beyond])


def bloom_speed(speeds: Speeds) -> float:
    return fmean((speeds[BLOOM], speeds[COPY]))


@dataclass(frozen=True)
class Row:
    """The speeds of one kind of look-up. The ratios are those within a round."""

    lookups: str
    ratios: dict[str, Interval]
    control: Interval
    steady: bool
    reruns: int
    bloom_ops_per_second: float  # Median of the rounds, of the mean of both copies.
    rounds: list[Speeds]


def row(lookups: str, rounds: list[Speeds], reruns: int = 0) -> Row:
    control = interval([speeds[COPY] / speeds[BLOOM] for speeds in rounds])
    return Row(
        lookups,
        ratios={
            name: interval([speeds[name] / bloom_speed(speeds) for speeds in rounds])
            for name in rounds[0]
            if name not in (BLOOM, COPY)
        },
        control=control,
        steady=STEADY[0] <= control.median <= STEADY[1],
        reruns=reruns,
        bloom_ops_per_second=median(bloom_speed(speeds) for speeds in rounds),
        rounds=rounds,
    )


def steady_rows(
    works: Sequence[W],
    run: Callable[[Sequence[W], int], dict[W, list[Speeds]]],
    max_reruns: int = MAX_RERUNS,
) -> list[Row]:
    """Returns a row for each work, after the rounds of unsteady ones were run again.

    The last run counts, so that no run is chosen by its result. `run`: gets the works, and
    how often they were run before.
    """
    rows: dict[W, Row] = {}
    left = works
    for reruns in range(1 + max_reruns):
        for work, rounds in (run(left, reruns) if left else {}).items():
            rows[work] = row(str(work), rounds, reruns)
        left = [work for work in works if not rows[work].steady]
    return [rows[work] for work in works]
