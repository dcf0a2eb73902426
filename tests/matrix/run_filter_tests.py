"""Runs RocksDB's own tests of filters, for rocksdb_filter_tests.sh."""

import argparse
import os
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


def passes(test: Test, preload: str) -> bool:
    """In a process and a folder of its own, as some abort."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            run = subprocess.run(
                [str(test.program), f"--gtest_filter={test.name}"],
                env={**os.environ, "LD_PRELOAD": preload, "TEST_TMPDIR": folder},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
    return run.returncode == 0 and b"PASSED  ] 1 test" in run.stdout


def read_reasons(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (line.split(maxsplit=1) for line in lines if line and line[0] != "#")
    return dict(pairs)


class Runner:
    def __init__(self, policy: str, reasons: dict[str, str]) -> None:
        self._policy = policy
        self._reasons = reasons

    def patterns_of(self, test: Test) -> list[str]:
        return [p for p in self._reasons if fnmatchcase(test.name, p)]

    def result_of(self, test: Test) -> tuple[str, str]:
        patterns = self.patterns_of(test)
        reason = self._reasons[patterns[0]] if patterns else ""
        if passes(test, self._policy):
            return (FAIL, f"passes, but: {reason}") if patterns else (PASS, "")
        if patterns:
            return NOT_APPLICABLE, reason
        if not passes(test, ""):
            return NOT_APPLICABLE, "fails with RocksDB's own filter, too"
        return FAIL, ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", required=True, help="to load before RocksDB")
    parser.add_argument("--reasons", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("programs", type=Path, nargs="+")
    args = parser.parse_args()

    reasons = read_reasons(args.reasons)
    runner = Runner(args.policy, reasons)
    tests = [test for program in args.programs for test in tests_of(program)]
    counts = {program.name: Counter[str]() for program in args.programs}
    with ThreadPoolExecutor(args.jobs) as pool:
        for test, (result, why) in zip(tests, pool.map(runner.result_of, tests)):
            counts[test.program.name][result] += 1
            if result != PASS:
                print(f"{test.name}: {result}" + (f": {why}" if why else ""), flush=True)

    used = {pattern for test in tests for pattern in runner.patterns_of(test)}
    for pattern in sorted(reasons.keys() - used):
        print(f"{pattern}: there is no such test")
    print("\n| test program | " + " | ".join(RESULTS) + " |\n|---|---:|---:|---:|")
    for name, results in counts.items():
        print(f"| `{name}` | " + " | ".join(str(results[r]) for r in RESULTS) + " |")
    failed = any(results[FAIL] for results in counts.values())
    return 1 if failed or reasons.keys() - used or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
