# SPDX-License-Identifier: Apache-2.0

"""Runs processes in turn on the same CPU, one at a time.

So anything that slows the machine down for a while slows all of them down.
"""

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

SLICE_SECONDS = 0.05


class StoppedProcess:
    """A process that runs only during run_for. It is killed at the end of a `with`."""

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], cpu: int
    ) -> None:
        on_one_cpu = ("taskset", "--cpu-list", str(cpu))
        # If this process is killed, the stopped one ends, too. Otherwise it would stay
        # stopped for ever.
        ends_with_this_one = ("setpriv", "--pdeathsig", "KILL")
        self._process = subprocess.Popen(
            (*on_one_cpu, *ends_with_this_one, *command),
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self._process.send_signal(signal.SIGSTOP)
        assert self._process.stdout is not None
        self._pipe = self._process.stdout
        self._slices: list[tuple[float, float]] = []
        self._output = b""
        self._arrivals: list[tuple[int, float]] = []  # Size of the output, and the time.
        # Valid once the process has ended.
        self.exit_code = 0

    def __enter__(self) -> "StoppedProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._pipe.close()

    def run_for(self, seconds: float) -> bool:
        """Lets the process run for this time. Returns False if the process has ended."""
        begin = time.monotonic()
        self._process.send_signal(signal.SIGCONT)
        running = self._read_until(begin + seconds)
        if running:
            self._process.send_signal(signal.SIGSTOP)
        else:
            self.exit_code = self._process.wait()
        self._slices.append((begin, time.monotonic()))
        return running

    def output(self) -> str:
        """Returns all of stdout and stderr."""
        return self._output.decode("ascii", errors="replace")

    def arrival(self, size: int) -> float:
        """Returns the time at which the process had written this many bytes of output."""
        return next(when for there, when in self._arrivals if there >= size)

    def ran(self, begin: float, end: float) -> float:
        """Returns for how many seconds of this interval the process was not stopped."""
        return sum(
            max(0, min(end, last) - max(begin, first)) for first, last in self._slices
        )

    def _read_until(self, deadline: float) -> bool:
        while (left := deadline - time.monotonic()) > 0:
            if select.select([self._pipe], [], [], left)[0]:
                data = os.read(self._pipe.fileno(), 1 << 16)
                if not data:
                    return False
                self._output += data
                self._arrivals.append((len(self._output), time.monotonic()))
        return True


def run(
    commands: Sequence[Sequence[str]], env: Mapping[str, str], cpu: int
) -> list[StoppedProcess]:
    """Runs the commands in turn, until all have ended."""
    with ExitStack() as stack:
        processes = [
            stack.enter_context(StoppedProcess(command, env, cpu))
            for command in commands
        ]
        running = processes
        while running:
            running = [each for each in running if each.run_for(SLICE_SECONDS)]
    return processes
