# SPDX-License-Identifier: Apache-2.0

"""Databases with the same keys and other filter policies, which take turns."""

import os
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Generic, TypeVar

from console import Progress
from db_bench import NO_FILTER, SEED, StockDatabase, Tools
from in_turn import StoppedProcess

D = TypeVar("D", bound=StockDatabase)
R = TypeVar("R")
W = TypeVar("W")


class Contest(Generic[D]):
    def __init__(
        self,
        tools: Tools,
        folder: Path,
        policies: Sequence[str],
        make: Callable[[Tools, str, Path], D],
    ) -> None:
        """`make`: makes a database of a policy in a folder."""
        self._tools = tools
        self._policies = policies
        # What the others are compared with.
        self.base = next(policy for policy in policies if policy != NO_FILTER)
        self.copy = f"{self.base}, again"  # The control.
        self.databases = {
            policy: make(tools, policy, folder / str(number))
            for number, policy in enumerate(policies)
        }
        self._copy = make(tools, self.base, folder / "copy")
        self.progress = Progress()

    def on_all_cpus(
        self, text: str, seconds: float, function: Callable[[D], R]
    ) -> dict[str, R]:
        """Calls the function with each database. For what is not timed."""

        def call(policy: str) -> R:
            self.progress.step(f"{text}: {policy}", seconds)
            return function(self.databases[policy])

        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as executor:
            results = list(executor.map(call, self._policies))
        return dict(zip(self._policies, results, strict=True))

    def add_copy(self) -> None:
        """From now on the copy takes part."""
        shutil.copytree(self.databases[self.base].path, self._copy.path)
        self.databases[self.copy] = self._copy
        # Otherwise data might still be written while something is timed.
        os.sync()

    def rounds(
        self,
        number_of_rounds: int,
        works: Sequence[W],
        seconds: float,
        command: Callable[[D, W, int, int], tuple[str, ...]],
        result: Callable[[D, W, StoppedProcess], R],
    ) -> dict[W, list[dict[str, R]]]:
        """Returns the results of each kind of work, round by round.

        `seconds`: that one kind of work may take in one round. `command`: makes one of a
        work, a seed, and how many processes take turns. `result`: reads what it wrote.
        """
        results: dict[W, list[dict[str, R]]] = {work: [] for work in works}
        processes = len(self.databases)
        for number in range(number_of_rounds):
            for database in self.databases.values():
                database.warm()
            # In each round another order, so that none has always the same one before it.
            names = Random(number).sample(list(self.databases), processes)
            for work, of_work in results.items():
                self.progress.step(f"round {number + 1} of {number_of_rounds}", seconds)
                commands = [
                    command(self.databases[name], work, SEED + 1 + number, processes)
                    for name in names
                ]
                ended = self._tools.run_in_turn(commands, number)
                runs = dict(zip(names, ended, strict=True))
                of_work.append(
                    {
                        name: result(database, work, runs[name])
                        for name, database in self.databases.items()
                    }
                )
        return results
