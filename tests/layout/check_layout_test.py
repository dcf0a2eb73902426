#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks each rule of check_layout.py in a small tree and expects an error."""

import tempfile
import unittest
from pathlib import Path

import check_layout


class CheckLayoutTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("include/cassandra_bloom/filter_db.h", "<string>")
        self.write("include/cassandra_bloom/filter_policy.h", "<rocksdb/options.h>")
        self.write("include/cassandra_bloom/c.h", "<stddef.h>")
        self.write("plugin/filter/probes.h", "<cstdint>")
        self.write("plugin/filter/probes.cc", '"plugin/filter/probes.h"')
        self.write("plugin/filter_db/reader.h", '"cassandra_bloom/filter_db.h"',
                   '"plugin/filter/probes.h"')  # fmt: skip
        self.write("plugin/policy/policy.h", '"plugin/filter/probes.h"',
                   '"cassandra_bloom/filter_policy.h"', "<rocksdb/options.h>")  # fmt: skip
        self.write("plugin/registry.cc", '"plugin/policy/policy.h"')
        self.write("filterdb/commands/main.cc", '"plugin/filter_db/reader.h"')
        self.write("tests/support/keys.h", "<string>")
        self.write("db_bench_ext/filter_bench/bench.cc", '"tests/support/keys.h"')
        self.write("tests/filter/probes_test.cc", '"plugin/filter/probes.h"',
                   "<rocksdb/db.h>")  # fmt: skip

    def write(self, file: str, *included: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"// {check_layout.LICENCE}", *(f"#include {name}" for name in included)]
        path.write_text("\n".join(lines) + "\n")

        if file.endswith(".cc") and file.startswith(("plugin/", "filterdb/", "tools/")):
            self.place_of_test(path.stem).touch()

    def place_of_test(self, name: str) -> Path:
        (self.root / "tests").mkdir(exist_ok=True)
        return self.root / f"tests/{name}_test.py"

    def add(self, file: str, text: str) -> None:
        path = self.root / file
        path.write_text(path.read_text() + text)

    def expect(self, *parts: str) -> None:
        faults = check_layout.check(self.root)
        self.assertEqual(len(faults), 1, faults)
        for part in parts:
            self.assertIn(part, faults[0])

    def test_a_good_tree(self) -> None:
        self.assertEqual(check_layout.check(self.root), [])

    def test_an_upward_include(self) -> None:
        self.write("plugin/filter/sizing.h", '"plugin/policy/policy.h"')
        self.expect("plugin/filter/sizing.h", "filter may not include policy")

    def test_an_upward_include_of_a_public_header(self) -> None:
        self.write("plugin/filter/sizing.h", '"cassandra_bloom/filter_db.h"')
        self.expect("plugin/filter/sizing.h", "filter may not include filter_db")

    def test_two_classes_of_one_name(self) -> None:
        text = f"// {check_layout.LICENCE}\nclass Probe final : public Base {{\n}};\n"
        (self.root / "plugin/filter/probes.cc").write_text(text)
        hidden = text.replace("class", "namespace {\nclass") + "}  // namespace\n"
        (self.root / "plugin/registry.cc").write_text(hidden)
        self.assertEqual(check_layout.check(self.root), [])
        (self.root / "plugin/registry.cc").write_text(text)
        self.expect("classes Probe: plugin/filter/probes.cc, plugin/registry.cc")

    def test_two_suites_of_one_name(self) -> None:
        text = f"// {check_layout.LICENCE}\nTEST_F(ProbeTest, One) {{}}\nTEST_F(ProbeTest, Two) {{}}\n"
        (self.root / "tests/filter/probes_test.cc").write_text(text)
        self.assertEqual(check_layout.check(self.root), [])
        (self.root / "tests/filter/other_test.cc").write_text(text)
        self.expect("test suites ProbeTest: tests/filter/other_test.cc")

    def test_what_only_the_registry_may(self) -> None:
        self.write("plugin/preload/other.cc", '"cassandra_bloom/c.h"')
        self.expect("preload may not include c")

    def test_the_plugin_includes_no_tool(self) -> None:
        self.write("filterdb/commands/output.h")
        self.write("plugin/filter_db/writer.cc", '"filterdb/commands/output.h"')
        self.expect("plugin/filter_db/writer.cc", "plugin/ may include")

    def test_the_sstable_library_knows_no_command(self) -> None:
        self.write("filterdb/commands/output.h")
        self.write("filterdb/health/decide.cc", '"filterdb/commands/output.h"')
        self.expect("filterdb/health may not include filterdb/commands")

    def test_reading_an_sstable_does_not_judge_it(self) -> None:
        self.write("filterdb/health/finding.h")
        self.write("filterdb/sstable/keys.cc", '"filterdb/health/finding.h"')
        self.expect("filterdb/sstable may not include filterdb/health")

    def test_rocksdb_in_the_sstable_library(self) -> None:
        self.write("filterdb/sstable/keys.cc", "<rocksdb/slice.h>")
        self.expect("filterdb/sstable/keys.cc", "may not include RocksDB")

    def test_filterdb_uses_no_policy(self) -> None:
        self.write("filterdb/sstable/keys.cc", '"plugin/policy/policy.h"')
        self.expect("filterdb/ may not include plugin/policy")

    def test_the_product_uses_no_test_of_filterdb(self) -> None:
        self.write("filterdb/tests/support.h")
        self.write("filterdb/health/decide.cc", '"filterdb/tests/support.h"')
        self.expect("filterdb/ may not include filterdb/tests")

    def test_tests_use_no_benchmark(self) -> None:
        self.write("db_bench_ext/filter_bench/meter.h")
        self.write("tests/policy/memory_test.cc",
                   '"db_bench_ext/filter_bench/meter.h"')  # fmt: skip
        self.expect("tests/policy/memory_test.cc", "tests/ may include")

    def test_rocksdb_in_the_filter(self) -> None:
        self.write("plugin/filter/sizing.h", "<rocksdb/slice.h>")
        self.expect("plugin/filter/sizing.h", "may not include RocksDB")

    def test_rocksdb_in_the_c_interface_to_files(self) -> None:
        self.write("plugin/c/filter_db_c.cc", "<rocksdb/slice.h>")
        self.expect("plugin/c/filter_db_c.cc", "may not include RocksDB")

    def test_a_circle(self) -> None:
        self.write("plugin/filter/sizing.h", '"plugin/filter/probes.h"')
        self.write("plugin/filter/probes.cc", '"plugin/filter/probes.h"',
                   '"plugin/filter/sizing.h"')  # fmt: skip
        self.expect("circle", "plugin/filter/probes -> plugin/filter/sizing")

    def test_two_headers_of_one_name(self) -> None:
        self.write("plugin/filter_db/probes.h")
        self.expect("headers of one name", "plugin/filter/probes.h",
                    "plugin/filter_db/probes.h")  # fmt: skip

    def test_a_header_beside_a_file(self) -> None:
        self.write("plugin/filter/sizing.cc", '"probes.h"')
        self.expect("plugin/filter/sizing.cc", "not a path from the top folder")

    def test_a_bit_in_the_policy(self) -> None:
        self.add("plugin/policy/policy.h", "int b = bits[p >> 3];\n")
        self.expect("plugin/policy/policy.h:5", "touches a bit")

    def test_a_file_without_a_test(self) -> None:
        self.write("plugin/filter/sizing.h")
        self.write("plugin/filter/sizing.cc", '"plugin/filter/sizing.h"')
        self.place_of_test("sizing").unlink()
        self.expect("plugin/filter/sizing.h: does not say where plugin/filter/sizing.cc")
        self.add("plugin/filter/sizing.cc", "// Tested in tests/filter/probes_test.cc.\n")
        self.expect("plugin/filter/sizing.h: does not say")  # The header must say it.
        self.add("plugin/filter/sizing.h", "// Tested in tests/filter/probes_test.cc.\n")
        self.assertEqual(check_layout.check(self.root), [])

    def test_a_file_without_a_header_and_a_test(self) -> None:
        self.place_of_test("registry").unlink()
        self.expect("plugin/registry.cc: does not say where")
        self.add("plugin/registry.cc", "// Tested in tests/filter/probes_test.cc.\n")
        self.assertEqual(check_layout.check(self.root), [])

    def test_a_test_that_is_not_there(self) -> None:
        for place in ("tests/filter/gone_test.cc", "tests/support/keys.h"):
            with self.subTest(place):
                self.write("plugin/filter/sizing.cc", '"plugin/filter/probes.h"')
                self.add("plugin/filter/sizing.cc", f"// Tested in {place}.\n")
                self.expect(f"tested in {place}: that is no test file")

    def test_a_long_file(self) -> None:
        text = "int i;\n" * check_layout.LINES_OF_A_FILE
        self.write("plugin/filter/kernels/lanes.h")
        self.add("plugin/filter/kernels/lanes.h", text)
        self.assertEqual(check_layout.check(self.root), [])
        self.add("filterdb/commands/main.cc", text)
        self.expect("filterdb/commands/main.cc: 452 lines, and 450 are allowed")

    def test_a_long_folder(self) -> None:
        for number in range(check_layout.LINES_OF_A_FOLDER // 400 + 1):
            self.write(f"filterdb/health/part{number}.h")
            self.add(f"filterdb/health/part{number}.h", "int i;\n" * 400)
        self.expect("filterdb/health/: 3208 lines, and 3000 are allowed")

    def test_a_file_without_a_licence(self) -> None:
        (self.root / "plugin/filter/probes.cc").write_text("int probes;\n")
        self.expect("plugin/filter/probes.cc", "SPDX-License-Identifier")


if __name__ == "__main__":
    unittest.main()
