# SPDX-License-Identifier: Apache-2.0

"""Finds the bits per key with which a filter policy has a given false positive rate."""

from collections.abc import Callable
from math import log

MAX_RUNS = 5
CLOSE = 0.01  # The search ends at a rate that differs by less than this part.
# The least average that allocation=monkey takes is about 1.6.
MIN_BITS = 2
# By how much the logarithm of a Bloom filter's rate changes with each bit per key. Slopes
# between two runs that are far from it come from the noise of the counts.
BLOOM_SLOPE = -(log(2) ** 2)
SLOPES = (1.5 * BLOOM_SLOPE, 0.5 * BLOOM_SLOPE)


def bits_for_rate(rate_at: Callable[[float], float], wanted: float, start: float) -> float:
    """`rate_at`: measures the rate at a number of bits per key; it falls with the bits."""
    errors: dict[float, float] = {}  # The logarithm of rate / wanted, by the bits.
    bits = start
    slope = BLOOM_SLOPE
    while bits not in errors and len(errors) < MAX_RUNS:
        errors[bits] = log(rate_at(bits) / wanted)
        if abs(errors[bits]) < CLOSE:
            break
        if len(errors) > 1:
            (bits0, error0), (bits1, error1) = list(errors.items())[-2:]
            slope = max(SLOPES[0], min(SLOPES[1], (error1 - error0) / (bits1 - bits0)))
        bits = max(MIN_BITS, round(bits - errors[bits] / slope, 2))
    return min(errors, key=lambda each: abs(errors[each]))
