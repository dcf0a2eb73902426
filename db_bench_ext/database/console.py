# SPDX-License-Identifier: Apache-2.0

"""What the benchmark shows: tables, wrapped text, and how many seconds are left."""

import sys
import textwrap
import time
from collections.abc import Sequence

WIDTH = 100


def wrap(text: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDTH, break_on_hyphens=False))


def table(head: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]]) -> str:
    """`head`: two lines for each column."""
    lines = [line for line in zip(*head, strict=True) if any(line)] + [*rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        f"{first:{widths[0]}}"
        + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
        for first, *cells in lines
    )


class Progress:
    """Says on stderr what is done now, and how many seconds are left.

    A terminal shows only the last line.
    """

    def __init__(self) -> None:
        self._expected = 0.0  # Seconds of all steps, on an idle machine.
        self._done = 0.0
        self._current = 0.0
        self._start = time.monotonic()
        self._terminal = sys.stderr.isatty()

    def expect(self, seconds: float) -> None:
        self._expected += seconds

    def step(self, text: str, expected_seconds: float) -> None:
        self._done += self._current
        self._current = expected_seconds
        seconds = time.monotonic() - self._start
        # The pace of this machine shows after the first few steps.
        pace = seconds / self._done if self._done > 0.05 * self._expected else 1
        left = max(self._expected - self._done, 0) * pace
        line = f"{seconds:4.0f} s, {left:4.0f} s left: {text}"
        self._write(f"\r\x1b[K{line}" if self._terminal else f"{line}\n")

    def show(self, *texts: str) -> None:
        """Prints results, which must not begin in a line of progress."""
        if self._terminal:
            self._write("\r\x1b[K")
        print(*texts, sep="\n\n", flush=True)

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
