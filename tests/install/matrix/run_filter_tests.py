# SPDX-License-Identifier: Apache-2.0

"""Runs RocksDB's own tests with cassandra_bloom, for rocksdb_filter_tests.sh."""

import argparse
import os
import re
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

FORMS = "plain", "blocks:rocksdb", "mix"
# What a test does, in the order of the table's columns.
RESULTS = PASS, NOT_APPLICABLE, FAILS_TOO, FAIL, NO_FILTER = (
    "passed", "not applicable", "failed without it, too", "failed", "made no filter"
)

# How a test ends, if not with PASS.
FAILS = "fails"
ABORTS = "aborts"

# What a test prints at its first failure: a place in its source, or an assertion.
FIRST_FAILURE = re.compile(rb"[^/\n]+:\d+: Failure|[^/\n]+: Assertion .*")


@dataclass(frozen=True)
class Test:
    program: Path
    name: str


@dataclass(frozen=True)
class Reason:
    """Why tests rightly fail: a line of filter_tests_not_applicable.txt."""

    forms: str
    program: str
    pattern: str
    text: str

    def has_form(self, form: str) -> bool:
        return self.forms == "all" or form in self.forms.split(",")

    def fits(self, test: Test, form: str) -> bool:
        return (
            self.has_form(form)
            and self.program == test.program.name
            and fnmatchcase(test.name, self.pattern)
        )


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


def run(test: Test, preload: str, form: str, limit: int) -> tuple[str, str, bool]:
    """Runs a test in a process and a folder of its own. Returns how it ended, where it failed
    first, and whether it made a policy of cassandra_bloom."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "policy_made"
        try:
            done = subprocess.run(
                [str(test.program), f"--gtest_filter={test.name}"],
                env={
                    **os.environ,
                    "LD_PRELOAD": preload,
                    "TEST_TMPDIR": folder,
                    "CASSANDRA_BLOOM_FORM": form,
                    "CASSANDRA_BLOOM_POLICY_MADE": str(made),
                },
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "takes too long", "", made.exists()
        made_policy = made.exists()
    found = FIRST_FAILURE.search(done.stdout)
    where = found[0].decode(errors="replace") if found else ""
    passed_or_skipped = b"PASSED  ] 1 test" in done.stdout or b"SKIPPED ] 1 test" in done.stdout
    if done.returncode == 0 and passed_or_skipped:
        how = PASS
    elif done.returncode == 1 and b"FAILED  ] 1 test" in done.stdout:
        how = FAILS
    else:
        aborted = done.returncode == -signal.SIGABRT
        how = ABORTS if aborted else f"exits with {done.returncode}"
    return how, where, made_policy


def results_of(
    test: Test, args: argparse.Namespace, reasons: list[Reason]
) -> list[tuple[str, str, str]]:
    """Returns a form, one of RESULTS, and its reason, for each form that was run."""
    results = []
    for form in args.forms:
        how, where, made_policy = run(test, args.policy, form, args.limit)
        if not made_policy:
            results.append((form, NO_FILTER, ""))
            break
        reason = next((r.text for r in reasons if r.fits(test, form)), "")
        if how == PASS:
            result = (FAIL, f"passes, but: {reason}") if reason else (PASS, "")
        elif reason and (how == FAILS or how == ABORTS and reason.startswith(ABORTS)):
            result = NOT_APPLICABLE, reason
        else:
            without = run(test, "", "", args.limit)[0]
            why = f"{how} ({where}); without it: {without}"
            result = FAIL if without == PASS else FAILS_TOO, why
        results.append((form, *result))
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", required=True, help="to load before RocksDB")
    parser.add_argument("--forms", choices=FORMS, nargs="+", required=True)
    parser.add_argument("--reasons", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, required=True, help="seconds for a test")
    parser.add_argument("--programs", type=Path, nargs="+", required=True)
    args = parser.parse_args()

    lines = args.reasons.read_text(encoding="utf-8").splitlines()
    reasons = [Reason(*line.split(maxsplit=3)) for line in lines if line and line[0] != "#"]
    tests = [test for program in args.programs for test in tests_of(program)]
    counts = {(p.name, form): Counter[str]() for p in args.programs for form in args.forms}
    wrong = False
    with ThreadPoolExecutor(args.jobs) as pool:
        for test, results in zip(
            tests, pool.map(lambda test: results_of(test, args, reasons), tests)
        ):
            for form, result, why in results:
                counts[test.program.name, form][result] += 1
                wrong |= result == FAIL
                if why:
                    print(f"{test.program.name} {test.name} {form}: {result}: {why}", flush=True)
    if all(results[NO_FILTER] == results.total() for results in counts.values()):
        print("no test made a cassandra_bloom policy")
        wrong = True
    for form in args.forms:
        for reason in reasons:
            if (reason.program, form) in counts and reason.has_form(form):
                if not any(reason.fits(test, form) for test in tests):
                    print(f"{reason.program} {reason.pattern} {form}: there is no such test")
                    wrong = True
    print("\n| test program | form | " + " | ".join(RESULTS) + " |")
    print("|---|---|" + "---:|" * len(RESULTS))
    for (name, form), results in counts.items():
        print(f"| `{name}` | {form} | " + " | ".join(str(results[c]) for c in RESULTS) + " |")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
