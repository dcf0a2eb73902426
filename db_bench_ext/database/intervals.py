# SPDX-License-Identifier: Apache-2.0

"""Speeds relative to the mean of two copies of one database, and how sure they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean, median

MIN_ROUNDS = 6  # With fewer, there is no interval of 95 %.

Speeds = dict[str, float]  # Operations per second in one round, by the policy's name.


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


def relative(rounds: Sequence[Speeds], base: str, copy: str) -> dict[str, Interval]:
    """Ratios within each round, to the mean of `base` and its `copy`.

    Only the copy, the control, is relative to `base` alone: its ratio shows the noise.
    """

    def ratio(speeds: Speeds, name: str) -> float:
        others = (base,) if name == copy else (base, copy)
        return speeds[name] / fmean(speeds[other] for other in others)

    return {
        name: interval([ratio(speeds, name) for speeds in rounds])
        for name in rounds[0]
        if name != base
    }
