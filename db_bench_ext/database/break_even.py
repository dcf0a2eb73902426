# SPDX-License-Identifier: Apache-2.0

"""What a false positive costs, and what it must cost for a policy to be worth its time."""

from collections.abc import Iterable
from dataclasses import dataclass

from ratios import Interval, Row

NO_FILTER = "none"


@dataclass(frozen=True)
class BreakEven:
    """The costs of a false positive in ns: measured, and at which both are equally fast.

    A negative cost: the policy is faster than RocksDB's Bloom filter, whatever a false
    positive costs.
    """

    lookups: str
    policy: str
    bloom_false_positives: float  # In each look-up.
    false_positives: float
    block_ns: float
    break_even_ns: Interval


def break_even(
    row: Row, policy: str, bloom_rate: float, rate: float, unfiltered_blocks: float
) -> BreakEven | None:
    """From look-ups of absent keys: whatever a filter lets pass is a false positive.

    A look-up takes T = base + R * C with a filter, where R blocks of the cost C are read,
    and base + N * C without one, where N is `unfiltered_blocks`. That the filters
    themselves take time makes C too small by some hundredths. The interval is that of the
    ratio of speeds; the counts are taken as exact. Returns None if the policy has not fewer
    false positives.
    """
    avoided = bloom_rate - rate
    if avoided <= 0:
        return None
    bloom_ns = 1e9 / row.bloom_ops_per_second
    more_ns = bloom_ns / row.ratios[NO_FILTER].median - bloom_ns
    block_ns = more_ns / (unfiltered_blocks - bloom_rate)

    def at(ratio: float) -> float:
        return block_ns + bloom_ns * (1 / ratio - 1) / avoided

    ratio = row.ratios[policy]
    costs = Interval(at(ratio.median), at(ratio.high), at(ratio.low))
    return BreakEven(row.lookups, policy, bloom_rate, rate, block_ns, costs)


def break_even_lines(costs: Iterable[BreakEven]) -> list[str]:
    return [
        "false positives per look-up: of bloom, and of the policy",
        f"{'':24}{'policy':18}{'bloom':>9}{'policy':>9}{'one costs':>12}"
        f"{'break-even':>13}{'95 % interval':>20}",
    ] + [
        f"{cost.lookups:24}{cost.policy:18}{cost.bloom_false_positives:9.5f}"
        f"{cost.false_positives:9.5f}{cost.block_ns:9,.0f} ns"
        f"{cost.break_even_ns.median:10,.0f} ns"
        f"{f'{cost.break_even_ns.low:,.0f} to {cost.break_even_ns.high:,.0f}':>20}"
        for cost in costs
    ]
