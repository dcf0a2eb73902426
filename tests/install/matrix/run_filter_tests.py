# SPDX-License-Identifier: Apache-2.0

"""Runs RocksDB's own tests of filters, for rocksdb_filter_tests.sh."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

PASS, NOT_APPLICABLE, FAIL = RESULTS = "pass", "does not apply", "fail"
FAILS = "fails"
ABORTS = "aborts"
TIMEOUT_SECONDS = 1200


@dataclass(frozen=True)
class Test:
    program: Path
    name: str


def tests_of(program: Path) -> Iterator[Test]:
    output = subprocess.run(
        [str(program), "--gtest_list_tests"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    suite = ""
    for line in output.splitlines():
        name = line.split("#")[0].strip()
        if not line.startswith(" "):
            suite = name if name.endswith(".") else suite
        elif not name.startswith("DISABLED_"):
            yield Test(program, suite + name)


def outcome(test: Test, preload: str, policy_made: Path | None = None) -> str:
    """Runs the test in a process and a folder of its own; returns how it ended."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "policy_made"
        try:
            run = subprocess.run(
                [str(test.program), f"--gtest_filter={test.name}"],
                env={
                    **os.environ,
                    "LD_PRELOAD": preload,
                    "TEST_TMPDIR": folder,
                    "CASSANDRA_BLOOM_POLICY_MADE": str(made),
                },
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "takes too long"
        if policy_made and made.exists():
            policy_made.touch()
    if run.returncode == 0 and b"PASSED  ] 1 test" in run.stdout:
        return PASS
    if run.returncode == 1 and b"FAILED  ] 1 test" in run.stdout:
        return FAILS
    return ABORTS if run.returncode == -signal.SIGABRT else f"exits with {run.returncode}"


def read_reasons(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (line.split(maxsplit=1) for line in lines if line and line[0] != "#")
    return dict(pairs)


class Runner:
    """Runs tests with the cassandra_bloom policy, and judges how they end."""

    def __init__(self, policy: str, reasons: dict[str, str], folder: Path) -> None:
        self._policy = policy
        self._reasons = reasons
        self._folder = folder

    def patterns_of(self, test: Test) -> list[str]:
        return [p for p in self._reasons if fnmatchcase(test.name, p)]

    def made_policy(self, program: Path) -> bool:
        return (self._folder / program.name).exists()

    def result_of(self, test: Test) -> tuple[str, str]:
        """Returns one of RESULTS, and the reason."""
        patterns = self.patterns_of(test)
        reason = self._reasons[patterns[0]] if patterns else ""
        how = outcome(test, self._policy, self._folder / test.program.name)
        if how == PASS:
            return (FAIL, f"passes, but: {reason}") if patterns else (PASS, "")
        if patterns and (how == FAILS or how == ABORTS and reason.startswith(ABORTS)):
            return NOT_APPLICABLE, reason
        return FAIL, f"{how}; without the policy: {outcome(test, '')}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", required=True, help="to load before RocksDB")
    parser.add_argument("--reasons", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("programs", type=Path, nargs="+")
    args = parser.parse_args()

    reasons = read_reasons(args.reasons)
    tests = [test for program in args.programs for test in tests_of(program)]
    counts = {program.name: Counter[str]() for program in args.programs}
    wrong = not tests
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(args.policy, reasons, Path(folder))
        with ThreadPoolExecutor(args.jobs) as pool:
            for test, (result, why) in zip(tests, pool.map(runner.result_of, tests)):
                counts[test.program.name][result] += 1
                wrong |= result == FAIL
                if result != PASS:
                    print(f"{test.name}: {result}: {why}", flush=True)
        for program in args.programs:
            if not runner.made_policy(program):
                print(f"{program.name}: makes no cassandra_bloom policy")
                wrong = True
        used = {pattern for test in tests for pattern in runner.patterns_of(test)}
    for pattern in sorted(reasons.keys() - used):
        print(f"{pattern}: there is no such test")
        wrong = True
    print("\n| test program | " + " | ".join(RESULTS) + " |\n|---|---:|---:|---:|")
    for name, results in counts.items():
        print(f"| `{name}` | " + " | ".join(str(results[r]) for r in RESULTS) + " |")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
