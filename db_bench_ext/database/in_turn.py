# SPDX-License-Identifier: Apache-2.0

"""Runs processes in turn on the same CPU, one at a time.

So if something slows the machine down for a while, it slows all of them down. The CPU time
of each process is measured, too. It leaves out the time for which other programs had the
CPU.
"""

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

SLICE_SECONDS = 0.05


@dataclass(frozen=True)
class Slice:
    """A time in which a process was not stopped, and the CPU time that it used then."""

    begin: float
    end: float
    cpu_seconds: float

    def part(self, begin: float, end: float) -> float:
        """Returns which part of this slice is between `begin` and `end`."""
        overlap = min(end, self.end) - max(begin, self.begin)
        return max(0.0, overlap) / (self.end - self.begin)


def process_clock(pid: int) -> int:
    """Returns the number of the clock that measures the CPU time of another process.

    This is what clock_getcpuclockid(3) returns, which Python lacks.
    """
    return (~pid << 3) | 2


class StoppedProcess:
    """A process that runs only during run_for. It is killed at the end of a `with`."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cpu: int) -> None:
        on_one_cpu = ("taskset", "--cpu-list", str(cpu))
        # If this script is killed, the process must end, too, because it would stay stopped
        # for ever. (Works as soon as the process has had its first turn.)
        ends_with_this_one = ("setpriv", "--pdeathsig", "KILL")
        self._process = subprocess.Popen(
            (*on_one_cpu, *ends_with_this_one, *command),
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self._signal(signal.SIGSTOP)
        assert self._process.stdout is not None
        self._pipe = self._process.stdout
        self._slices: list[Slice] = []
        self._cpu_seconds = 0.0
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
        self._signal(signal.SIGCONT)
        running = self._read_until(begin + seconds)
        if running:
            self._signal(signal.SIGSTOP)
            used = time.clock_gettime(process_clock(self._process.pid))
        else:
            used = self._wait()
        end = time.monotonic()
        self._slices.append(Slice(begin, end, used - self._cpu_seconds))
        self._cpu_seconds = used
        return running

    def output(self) -> str:
        """Returns all of stdout and stderr."""
        return self._output.decode("ascii", errors="replace")

    def arrival(self, size: int) -> float:
        """Returns the time at which the process had written this many bytes of output."""
        return next(when for there, when in self._arrivals if there >= size)

    def cpu_seconds(self, begin: float, end: float) -> float:
        """Returns the CPU time that the process used in this interval."""
        return sum(each.part(begin, end) * each.cpu_seconds for each in self._slices)

    def ran(self, begin: float, end: float) -> float:
        """Returns for how many seconds of this interval the process was not stopped."""
        return sum(each.part(begin, end) * (each.end - each.begin) for each in self._slices)

    def _signal(self, number: signal.Signals) -> None:
        # Popen.send_signal would wait for a process that has ended, and forget its CPU time.
        os.kill(self._process.pid, number)

    def _wait(self) -> float:
        """Waits for the end of the process; returns all CPU time that it used."""
        _, status, usage = os.wait4(self._process.pid, 0)
        self.exit_code = os.waitstatus_to_exitcode(status)
        self._process.returncode = self.exit_code
        return usage.ru_utime + usage.ru_stime

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
