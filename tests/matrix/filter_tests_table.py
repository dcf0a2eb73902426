"""Prints the table of rocksdb_filter_tests.sh.

Standard input: lines of a program, what came out, and the test. The argument:
lines of a pattern of test names, and why those do not apply.
"""

import sys
from collections import Counter
from fnmatch import fnmatchcase


def main(reasons_file: str) -> int:
    with open(reasons_file, encoding="utf-8") as file:
        reasons = [
            line.rstrip("\n").split(maxsplit=1)
            for line in file
            if line.strip() and not line.startswith("#")
        ]
    counts: dict[str, Counter[str]] = {}
    unused = {pattern for pattern, _ in reasons}
    wrong = 0
    for line in sys.stdin:
        program, result, test = line.split()
        reason = None
        for pattern, why in reasons:
            if fnmatchcase(test, pattern):
                reason = why
                unused.discard(pattern)
        if result == "fails_with_its_own":
            result, reason = "does not apply", "fails with RocksDB's own filter, too"
        elif result == "fail" and reason is not None:
            result = "does not apply"
        elif result == "pass" and reason is not None:
            result, reason = "fail", f"passes, which was not expected: {reason}"
        counts.setdefault(program, Counter())[result] += 1
        wrong += result == "fail"
        if result != "pass":
            print(f"{test}: {result}" + (f": {reason}" if reason else ""))
    for pattern in sorted(unused):
        print(f"{pattern}: there is no such test")
    print("\n| test program | pass | do not apply | fail |")
    print("|---|---:|---:|---:|")
    for program, results in counts.items():
        columns = (results[name] for name in ("pass", "does not apply", "fail"))
        print(f"| `{program}` | " + " | ".join(map(str, columns)) + " |")
    return 1 if wrong or unused or not counts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
