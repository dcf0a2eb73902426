#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks each rule of check_layout.py in a small tree and expects an error."""

import tempfile
import unittest
from pathlib import Path

import check_layout

GOOD = {
    "include/cassandra_bloom/filter_db.h": ("<string>",),
    "include/cassandra_bloom/filter_policy.h": ("<rocksdb/options.h>",),
    "include/cassandra_bloom/c.h": ("<stddef.h>",),
    "plugin/filter/probes.h": ("<cstdint>",),
    "plugin/filter/probes.cc": ('"plugin/filter/probes.h"',),
    "plugin/filter_db/reader.h": ('"cassandra_bloom/filter_db.h"', '"plugin/filter/probes.h"'),
    "plugin/policy/policy.h": (
        '"plugin/filter/probes.h"', '"cassandra_bloom/filter_policy.h"', "<rocksdb/options.h>",
    ),
    "plugin/registry.cc": ('"plugin/policy/policy.h"',),
    "filterdb/commands/main.cc": ('"plugin/filter_db/reader.h"',),
    "filterdb/commands/output.h": (),
    "filterdb/commands/find.h": (),
    "filterdb/health/finding.h": (),
    "filterdb/tests/support.h": (),
    "tools/sst_filters/doctor.cc": ('"filterdb/commands/output.h"', "<rocksdb/db.h>"),
    "tests/support/keys.h": ("<string>",),
    "db_bench_ext/filter_bench/meter.h": ('"tests/support/keys.h"',),
    "tests/filter/probes_test.cc": ('"plugin/filter/probes.h"', "<rocksdb/db.h>"),
}

# A file, what it includes, and the fault: what its row may not include.
WRONG_INCLUDES = (
    ("plugin/filter/sizing.h", '"plugin/policy/policy.h"', "plugin/filter may not include plugin/policy/policy.h"),
    ("plugin/filter/sizing.h", '"cassandra_bloom/filter_db.h"', "plugin/filter may not include include/cassandra_bloom/filter_db.h"),
    ("plugin/preload/other.cc", '"cassandra_bloom/c.h"', "plugin/preload may not"),
    ("plugin/filter_db/writer.cc", '"filterdb/commands/output.h"', "plugin/filter_db may not"),
    ("filterdb/health/decide.cc", '"filterdb/commands/output.h"', "filterdb/health may not"),
    ("filterdb/sstable/keys.cc", '"filterdb/health/finding.h"', "filterdb/sstable may not"),
    ("filterdb/sstable/keys.cc", "<rocksdb/slice.h>", "filterdb/sstable may not include rocksdb"),
    ("filterdb/sstable/keys.cc", '"plugin/policy/policy.h"', "filterdb/sstable may not"),
    ("filterdb/health/decide.cc", '"filterdb/tests/support.h"', "filterdb/health may not"),
    ("tools/sst_filters/export.cc", '"filterdb/commands/find.h"', "tools/sst_filters may not"),
    ("tests/policy/memory_test.cc", '"db_bench_ext/filter_bench/meter.h"', "tests may not"),
    ("plugin/filter/sizing.h", "<rocksdb/slice.h>", "plugin/filter may not include rocksdb"),
    ("plugin/c/filter_db_c.cc", "<rocksdb/slice.h>", "plugin/c may not include rocksdb"),
    ("plugin/filter/sizing.cc", '"probes.h"', "not a path from the top folder"),
    ("plugin/new/sizing.h", "<cstdint>", "its folder has no row"),
)


class CheckLayoutTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for file, included in GOOD.items():
            self.write(file, *included)

    def write(self, file: str, *included: str, text: str = "") -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"// {check_layout.LICENCE}", *(f"#include {name}" for name in included)]
        path.write_text("\n".join(lines) + "\n" + text)
        if file.endswith(".cc") and file.startswith(check_layout.PRODUCT):
            self.place_of_test(path.stem).touch()

    def place_of_test(self, name: str) -> Path:
        (self.root / "tests").mkdir(exist_ok=True)
        return self.root / f"tests/{name}_test.py"

    def expect(self, *parts: str, release: bool = False) -> None:
        faults = check_layout.check(self.root, release)
        self.assertEqual(len(faults), 1 if parts else 0, faults)
        for part in parts:
            self.assertIn(part, faults[0])

    def expect_before_a_release(self, *parts: str) -> None:
        self.expect()
        self.expect(*parts, release=True)

    def test_a_good_tree(self) -> None:
        self.expect(release=True)

    def test_wrong_includes(self) -> None:
        for file, included, fault in WRONG_INCLUDES:
            with self.subTest(fault):
                self.write(file, included)
                self.expect(file, fault)
                (self.root / file).unlink()

    def test_a_circle(self) -> None:
        self.write("plugin/filter/sizing.h", '"plugin/filter/probes.h"')
        self.write("plugin/filter/probes.cc", '"plugin/filter/probes.h"',
                   '"plugin/filter/sizing.h"')  # fmt: skip
        self.expect("circle", "plugin/filter/probes -> plugin/filter/sizing")

    def test_a_file_without_a_test(self) -> None:
        self.write("plugin/filter/sizing.h")
        for file, speaker in (
            ("plugin/filter/sizing.cc", "plugin/filter/sizing.h"),
            ("plugin/registry.cc", "plugin/registry.cc"),
        ):
            with self.subTest(file):
                for text in ("", "// Tested in tests/filter/probes_test.cc.\n"):
                    self.write(file)
                    self.write(speaker, text=text)
                    self.place_of_test(Path(file).stem).unlink()
                    self.expect(*(() if text else (f"{speaker}: does not say where {file}",)))

    def test_a_test_that_is_not_there(self) -> None:
        for place in ("tests/filter/gone_test.cc", "tests/support/keys.h"):
            with self.subTest(place):
                self.write("plugin/filter/probes.cc", text=f"// Tested in {place}.\n")
                self.expect(f"tested in {place}: that is no test file")

    def test_a_file_without_a_licence(self) -> None:
        (self.root / "plugin/filter/probes.cc").write_text("int probes;\n")
        self.expect("plugin/filter/probes.cc", "SPDX-License-Identifier")

    def test_a_long_file(self) -> None:
        text = "int i;\n" * check_layout.LINES_OF_A_FILE
        self.write("plugin/filter/kernels/lanes.h", text=text)
        self.expect(release=True)
        self.write("filterdb/health/finding.h", text=text)
        self.expect_before_a_release("filterdb/health/finding.h: 451 lines, and 450 are allowed")

    def test_a_long_folder(self) -> None:
        for number in range(check_layout.LINES_OF_A_FOLDER // 400 + 1):
            self.write(f"filterdb/mending/part{number}.h", text="int i;\n" * 400)
        self.expect_before_a_release("filterdb/mending/: 3208 lines, and 3000 are allowed")

    def test_two_classes_of_one_name(self) -> None:
        text = "class Probe final : public Base {\n};\n"
        self.write("plugin/filter/probes.cc", text=text)
        self.write("plugin/registry.cc", text=f"namespace {{\n{text}}}  // namespace\n")
        self.expect(release=True)
        self.write("plugin/registry.cc", text=text)
        self.expect_before_a_release("classes Probe: plugin/filter/probes.cc, plugin/registry.cc")

    def test_two_suites_of_one_name(self) -> None:
        text = "TEST_F(ProbeTest, One) {}\nTEST_F(ProbeTest, Two) {}\n"
        self.write("tests/filter/probes_test.cc", text=text)
        self.expect(release=True)
        self.write("tests/filter/other_test.cc", text=text)
        self.expect_before_a_release("test suites ProbeTest: tests/filter/other_test.cc")


if __name__ == "__main__":
    unittest.main()
