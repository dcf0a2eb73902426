// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb scan" on SSTables with chosen faults.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/cassandra_data.h"
#include "tests/support/fake_sstable/fake_sstable.h"
#include "tests/support/fake_sstable/log_record.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> Keys(size_t num_keys, uint64_t first = 0) {
  const RandomKeys random(/*seed=*/20261123, /*max_length=*/40);
  std::vector<std::string> keys;
  for (size_t i = 0; i < num_keys; ++i) {
    keys.push_back(random[first + i] + std::to_string(first + i));
  }
  return keys;
}

class ScanTest : public ::testing::Test {
 protected:
  WrittenSstable Write(SstableSpec spec, const std::string& folder = "ks/t1") {
    fs::create_directories(dir_ / folder);
    spec.folder = dir_ / folder;
    if (spec.keys.empty()) {
      spec.keys = Keys(1000);
    }
    return WriteSstable(spec);
  }

  Ran Scan(const std::string& options = "") const {
    return Filterdb("scan " + options + " " + dir_.path());
  }

  Json TheOne(const std::string& options = "") const {
    const Ran ran = Scan("--json " + options);
    const Json json = ran.json();
    EXPECT_EQ(json["sstables"].size(), 1U) << ran;
    EXPECT_EQ(ran.exit_code, json["sstables"][0]["fault"].get<bool>() ? 1 : 0);
    return json["sstables"][0];
  }

  const TempDir dir_;
};

struct Case {
  FilterFault fault;
  std::vector<std::string> verdicts;
  bool is_fault;
};

// Returns the verdicts about each fault, for an fp_chance of 0.01 and 1000
// keys.
const std::vector<Case>& Cases() {
  static const auto* const cases = new std::vector<Case>{
      {FilterFault::kNone, {"ok"}, false},
      {FilterFault::kNoFilterPlanned, {"ok"}, false},
      {FilterFault::kBitsCleared, {"keys missing"}, true},
      {FilterFault::kKeysLeftOut, {"keys missing"}, true},
      {FilterFault::kOtherForm, {"keys missing", "other form"}, true},
      {FilterFault::kSaturated, {"saturated", "worse than planned"}, true},
      {FilterFault::kHalfSize, {"worse than planned"}, true},
      {FilterFault::kQuarterSize, {"saturated", "worse than planned"}, true},
      {FilterFault::kFourfoldSize, {"oversized"}, false},
      {FilterFault::kTruncated, {"keys missing", "truncated"}, true},
      {FilterFault::kEmpty, {"empty"}, true},
      {FilterFault::kMissing, {"missing"}, true},
      {FilterFault::kProbes0, {"unreadable"}, true},
      {FilterFault::kProbes99, {"unreadable"}, true},
      {FilterFault::kIndexCut, {"unreadable"}, true}};
  return *cases;
}

bool HasBigEndianWords(const std::string& version) {
  FilterForm form;
  std::string error;
  EXPECT_TRUE(FormOfSstableVersion(version, &form, &error)) << error;
  return form.word_order == WordOrder::kBigEndianWords;
}

TEST_F(ScanTest, EachFaultOfEachVersion) {
  for (const std::string version :
       {"ja", "jb", "ka", "la", "lb", "ma", "mc", "me", "ms", "mt", "na", "nb",
        "nc", "oa", "da"}) {
    for (const Case& each : Cases()) {
      SCOPED_TRACE(version + " " + NameOf(each.fault));
      SstableSpec spec;
      spec.version = version;
      spec.fault = each.fault;
      spec.fp_chance = each.fault == FilterFault::kNoFilterPlanned ? 1 : 0.01;
      Write(spec);
      const Json one = TheOne();
      // Before version `na`, databases refuse a cut filter. A filter that is
      // not used hides no keys.
      const Json verdicts =
          each.fault == FilterFault::kTruncated && HasBigEndianWords(version)
              ? Json::array({"truncated"})
              : Json(each.verdicts);
      EXPECT_EQ(one["verdicts"], verdicts) << one;
      EXPECT_EQ(one["verdict"], verdicts[0]);
      EXPECT_EQ(one["fault"], each.is_fault);
      EXPECT_EQ(one["version"], version);
      EXPECT_EQ(one["planned_fp_chance"], spec.fp_chance);
      if (each.fault != FilterFault::kIndexCut) {
        EXPECT_EQ(one["keys"], 1000);
      }
      fs::remove_all(dir_ / "ks");
    }
  }
}

// Cassandra 4.0 and later load a cut filter. The memory for the missing bits
// comes from malloc, and is most likely zero. So filterdb scan must read the
// missing bits as zeros.
TEST_F(ScanTest, ACutFilterIsAskedAsCassandraDoes) {
  const uint64_t seed = Seed();
  SCOPED_TRACE("CASSANDRA_BLOOM_SEED=" + std::to_string(seed));
  SstableSpec spec;
  spec.version = "nb";
  const std::string filter = Write(spec).Path("Filter.db");
  const std::string whole = ReadFile(filter);
  for (const uint64_t random :
       {seed, seed / 7, whole.size() - 1, uint64_t{8}}) {
    const size_t size = 8 + (random - 8) % (whole.size() - 8);
    WriteFile(filter,
              whole.substr(0, size) + std::string(whole.size() - size, '\0'));
    Json expected = TheOne();
    WriteFile(filter, whole.substr(0, size));
    Json cut = TheOne();
    for (const char* const field :
         {"missing_keys", "expected_rate", "probes", "bits", "set_bits"}) {
      EXPECT_EQ(cut[field], expected[field]) << size << ", " << field;
    }
    EXPECT_EQ(cut["verdicts"],
              cut["missing_keys"] == 0
                  ? Json::array({"truncated"})
                  : Json::array({"keys missing", "truncated"}));
    EXPECT_THAT(cut["errors"][0], HasSubstr("truncated: "));
    EXPECT_EQ(cut["errors"].size(), 1U);
  }
  EXPECT_THAT(Scan().out, HasSubstr("keys missing (1000)"));
  EXPECT_THAT(Scan().out, HasSubstr("    also truncated\n"));
  // If the header is cut, Cassandra makes the filter anew.
  WriteFile(filter, whole.substr(0, 7));
  EXPECT_EQ(TheOne()["verdicts"], Json::array({"truncated"}));
  EXPECT_EQ(TheOne()["missing_keys"], 0);
  EXPECT_EQ(TheOne()["expected_rate"], 1);
}

// filterdb scan must not allocate the 16 GiB that the header of the filter
// claims.
TEST_F(ScanTest, AHeaderWithFarTooManyWords) {
#ifdef CASSANDRA_BLOOM_SANITIZED
  const std::string limit;  // The sanitizers reserve more addresses.
#else
  const std::string limit = "ulimit -v 4000000;";
#endif
  const std::string filter = Write({}).Path("Filter.db");
  std::string bytes = ReadFile(filter);
  bytes.replace(4, 4, "\x7f\xff\xff\xff");
  WriteFile(filter, bytes);
  const Ran ran = Filterdb("scan --jobs=1 --json " + dir_.path(), limit);
  Json one = ran.json()["sstables"][0];
  EXPECT_EQ(one["missing_keys"], 1000) << ran;
  EXPECT_EQ(one["bits"], 64 * int64_t{0x7fffffff});
  EXPECT_THAT(Scan().out, HasSubstr(" 1000  5 1.37e+08  0.000 "));
}

// Statistics.db is damaged, but TOC.txt names a filter.
TEST_F(ScanTest, AMissingFilterWithoutAPlan) {
  const WrittenSstable one = Write({});
  fs::remove(one.Path("Filter.db"));
  WriteFile(one.Path("Statistics.db"), "damaged");
  const Json found = TheOne();
  EXPECT_EQ(found["verdicts"], (Json{"unreadable", "missing"}));
  EXPECT_EQ(found["fault"], true);
}

// Cassandra cannot make a filter with such a small chance. So filterdb mend
// leaves this filter as it is, and the sums must not count it as mended.
TEST_F(ScanTest, SumsOfAPlanThatCassandraCannotKeep) {
  SstableSpec spec;
  spec.fp_chance = 5e-5;
  spec.fault = FilterFault::kEmpty;
  Write(spec);
  const Json total = Scan("--json").json()["total"];
  EXPECT_EQ(total["faulty"], 1);
  EXPECT_EQ(total["mended_filter_bytes"], total["filter_bytes"]);
}

TEST_F(ScanTest, CompressedAndWidePartitions) {
  for (const bool lz4 : {false, true}) {
    SstableSpec spec;
    spec.version = "da";
    spec.lz4 = lz4;
    spec.wide_every = 3;
    spec.row_bytes = 100;
    Write(spec);
    EXPECT_EQ(TheOne()["verdict"], "ok");
    EXPECT_EQ(TheOne()["keys"], 1000);
  }
}

TEST_F(ScanTest, FiguresOfAGoodFilter) {
  SstableSpec spec;
  spec.version = "nb";
  Write(spec);
  const Json one = TheOne();
  EXPECT_EQ(one["sstable"], dir_ / "ks/t1/nb-1-big-Data.db");
  EXPECT_EQ(one["state"], "live");
  EXPECT_EQ(one["probes"], 5);
  EXPECT_EQ(one["bits"], 64 * ((1000 * 10 + 20 - 1) / 64 + 1));
  EXPECT_NEAR(one["bits_per_key"], 10, 0.1);
  EXPECT_NEAR(one["fill_ratio"], 0.39, 0.02);
  EXPECT_NEAR(one["expected_rate"], 0.0094, 0.002);
  EXPECT_EQ(one["planned_bytes"], one["filter_bytes"]);
  EXPECT_EQ(one["missing_keys"], 0);
}

// filterdb scan queries a filter with 64 keys at once. It must find as many
// missing keys as filterdb check.
TEST_F(ScanTest, CountsMissingKeysAsCheckDoes) {
  SstableSpec spec;
  spec.fault = FilterFault::kKeysLeftOut;
  for (const int num_keys : {1, 2, 63, 64, 65, 129, 1000}) {
    spec.keys = Keys(static_cast<size_t>(num_keys));
    const WrittenSstable one = Write(spec);
    const Json check = Filterdb("check --json " + one.Path("Filter.db") +
                                " --index=" + one.Path("Index.db"))
                           .json();
    EXPECT_GT(check["missing"], 0);
    EXPECT_EQ(TheOne()["missing_keys"], check["missing"]) << num_keys;
  }
}

TEST_F(ScanTest, OtherFormIsNamed) {
  SstableSpec spec;
  spec.version = "nb";
  spec.fault = FilterFault::kOtherForm;
  for (const FilterForm form : {kBeforeMa, kMaToMe}) {
    spec.other_form = form;
    Write(spec);
    EXPECT_EQ(TheOne()["written_as"], FormName(form));
  }
  EXPECT_THAT(Scan().out, HasSubstr("written as ma-to-me"));
}

TEST_F(ScanTest, PlanUnknown) {
  SstableSpec spec;
  spec.version = "ic";
  spec.fault = FilterFault::kHalfSize;
  Write(spec);
  const Json one = TheOne();
  EXPECT_EQ(one["verdict"], "ok");
  EXPECT_THAT(one["plan_error"], HasSubstr("version ic does not hold"));
  EXPECT_THAT(Scan().out, HasSubstr("plan unknown"));
  // --fp-chance is the old name of --default-fp-chance.
  for (const std::string name : {"--default-fp-chance=", "--fp-chance="}) {
    EXPECT_EQ(TheOne(name + "0.01")["verdict"], "worse than planned");
    EXPECT_EQ(Scan(name + "0").exit_code, 2);
  }
  const Ran both = Scan("--default-fp-chance=0.01 --fp-chance=0.01");
  EXPECT_EQ(both.exit_code, 2) << both;
  EXPECT_THAT(both.err, HasSubstr("--default-fp-chance is given, too"));
  const std::string help = Filterdb("scan --help").out;
  EXPECT_THAT(help, HasSubstr("--default-fp-chance"));
  EXPECT_THAT(help, Not(HasSubstr(" --fp-chance")));
  EXPECT_THAT(help, Not(HasSubstr("Excludes")));
  // filterdb scan uses --default-fp-chance only if Statistics.db does not have
  // the planned chance.
  spec.version = "nb";
  spec.fault = FilterFault::kNone;
  fs::remove_all(dir_ / "ks");
  Write(spec);
  EXPECT_EQ(TheOne("--default-fp-chance=0.0001")["verdict"], "ok");
  fs::remove(dir_ / "ks/t1/nb-1-big-Statistics.db");
  // Without Statistics.db, filterdb scan does not know the number of keys. So
  // it cannot trust Index.db.
  EXPECT_EQ(TheOne("--default-fp-chance=0.0001")["verdict"], "unreadable");
  EXPECT_EQ(TheOne()["verdict"], "ok");
}

TEST_F(ScanTest, WhatMendingOversizedFiltersFrees) {
  SstableSpec spec;
  spec.fault = FilterFault::kFourfoldSize;
  Write(spec);
  EXPECT_THAT(Scan().out,
              HasSubstr("1 oversized: mend --oversized would free 3.75 KB\n"));
}

// ScyllaDB aborts if the planned chance is above 6.71e-5, but 0.75 times the
// chance is below (scylladb#31207).
TEST_F(ScanTest, APlanThatAbortsScylla) {
  const auto num_warnings = [&](double chance, bool is_of_scylla) {
    fs::remove_all(dir_ / "ks");
    SstableSpec spec;
    spec.version = "me";
    spec.fp_chance = chance;
    const WrittenSstable one = Write(spec);
    if (is_of_scylla) {
      WriteFile(one.Path("Scylla.db"), std::string(4, '\0'));
    }
    return Scan("--json").json()["warnings"].size();
  };
  EXPECT_EQ(num_warnings(9e-5, true), 0U);
  EXPECT_EQ(num_warnings(6.71e-5, true), 0U);
  EXPECT_EQ(num_warnings(8.94e-5, false), 0U);
  EXPECT_EQ(num_warnings(6.72e-5, true), 1U);
  EXPECT_EQ(num_warnings(8.94e-5, true), 1U);
  for (const char* option : {"", "--only-faults"}) {
    const Ran ran = Scan(option);
    EXPECT_EQ(ran.exit_code, 0) << ran;
    EXPECT_THAT(ran.out,
                HasSubstr("warning: " +
                          dir_ / "ks/t1: was written "
                                 "with bloom_filter_fp_chance = 8.94e-05"));
  }
}

// Cassandra may size a filter for 128 keys even if the SSTable has fewer keys.
TEST_F(ScanTest, SmallFiltersAreNotOversized) {
  SstableSpec spec;
  spec.version = "nb";
  for (const size_t num_keys :
       {size_t{1}, size_t{2}, size_t{10}, size_t{100}}) {
    spec.keys = Keys(num_keys);
    Write(spec);
    EXPECT_EQ(TheOne()["verdict"], "ok") << num_keys;
  }
}

// For chances of 0.393 and more, Cassandra makes filters with a rate of 0.75.
// Such a filter must not be a fault.
TEST_F(ScanTest, LargeChances) {
  SstableSpec spec;
  for (const double chance : {0.05, 0.1, 0.2, 0.35, 0.393, 0.4, 0.7, 0.99}) {
    for (const size_t num_keys :
         {size_t{1}, size_t{50}, size_t{128}, size_t{1000}}) {
      spec.fp_chance = chance;
      spec.keys = Keys(num_keys);
      Write(spec);
      EXPECT_EQ(TheOne()["fault"], false) << chance << ", " << num_keys;
    }
  }
}

TEST_F(ScanTest, TextHasTablesAndTotals) {
  SstableSpec spec;
  Write(spec);
  spec.generation = "2";
  spec.fault = FilterFault::kBitsCleared;
  Write(spec);
  spec.generation = "1";
  spec.fault = FilterFault::kEmpty;
  Write(spec, "ks/t2");
  const Ran ran = Scan();
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr(dir_ / "ks/t1"));
  EXPECT_THAT(ran.out, HasSubstr(dir_ / "ks/t2"));
  EXPECT_THAT(ran.out, HasSubstr("keys missing ("));
  EXPECT_THAT(ran.out, HasSubstr("2 SSTables, 1 faulty; 2000 keys"));
  EXPECT_THAT(ran.out, HasSubstr("1 SSTable, 1 faulty; 1000 keys"));
  EXPECT_THAT(ran.out, HasSubstr("3 SSTables, 2 faulty; 3000 keys"));
  EXPECT_THAT(ran.out, HasSubstr("an absent key reads"));
  EXPECT_THAT(Scan("--only-faults").out, Not(HasSubstr(" ok\n")));
}

// The keys of the second SSTable cannot be read, so its filter was not tested.
// The sums must say so.
TEST_F(ScanTest, TheSumsCountSstablesWhoseKeysCouldNotBeRead) {
  SstableSpec spec;
  Write(spec);
  spec.generation = "2";
  spec.fault = FilterFault::kIndexCut;
  Write(spec);
  EXPECT_EQ(Scan("--json").json()["total"]["unread"], 1);
  EXPECT_THAT(Scan().out, HasSubstr("2 SSTables, 1 faulty; 1000 keys; the keys "
                                    "of 1 SSTable could not be read\n"));
}

// Cassandra 4.1 and later write names such as
// nb-3gvv_0pl7_0plgg2u6lpsl9k3v8h-big.
TEST_F(ScanTest, LongNamesKeepTheColumns) {
  SstableSpec spec;
  spec.generation = "3gvv_0pl7_0plgg2u6lpsl9k3v8h";
  Write(spec);
  spec.generation = "2";
  Write(spec);
  std::istringstream lines(Scan().out);
  std::set<size_t> ends;  // Places of the column "keys".
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  SSTable ", 0) == 0) {
      ends.insert(line.find(" keys "));
    } else if (line.rfind("  nb-", 0) == 0) {
      ends.insert(line.find(" 1000 "));
    }
  }
  EXPECT_EQ(ends.size(), 1U) << Scan().out;
}

TEST_F(ScanTest, AMissingPartitionsDbIsNamed) {
  for (const std::string version : {"da", "ms", "mt"}) {
    SstableSpec spec;
    spec.version = version;
    const WrittenSstable one = Write(spec);
    fs::remove(one.Path("Partitions.db"));
    EXPECT_THAT(TheOne()["errors"][0], HasSubstr("Partitions.db: cannot open"));
    fs::remove_all(dir_ / "ks");
  }
}

TEST_F(ScanTest, TotalsInJson) {
  SstableSpec spec;
  Write(spec);
  spec.generation = "2";
  spec.fault = FilterFault::kEmpty;
  Write(spec);
  const Json total = Scan("--json").json()["total"];
  EXPECT_EQ(total["sstables"], 2);
  EXPECT_EQ(total["faulty"], 1);
  EXPECT_NEAR(total["reads_for_absent_key"], 1.01, 0.005);
  EXPECT_NEAR(total["mended_reads_for_absent_key"], 0.02, 0.005);
  EXPECT_EQ(total["mended_filter_bytes"],
            2 * total["filter_bytes"].get<uint64_t>());
}

TEST_F(ScanTest, SnapshotsAndBackupsOnlyIfAskedFor) {
  SstableSpec spec;
  Write(spec);
  Write(spec, "ks/t1/snapshots/daily");
  Write(spec, "ks/t1/backups");
  const auto count = [&](const std::string& options) {
    return Scan("--json " + options).json()["sstables"].size();
  };
  EXPECT_EQ(count(""), 1U);
  EXPECT_EQ(count("--snapshots"), 2U);
  EXPECT_EQ(count("--backups"), 2U);
  EXPECT_EQ(count("--backups --snapshots"), 3U);
  EXPECT_EQ(count(dir_ / "ks/t1/snapshots"), 2U);
}

TEST_F(ScanTest, FilesStandForTheirSstables) {
  SstableSpec spec;
  const WrittenSstable one = Write(spec);
  spec.generation = "2";
  Write(spec);
  for (const char* const component : {"Data.db", "Filter.db", "TOC.txt"}) {
    const Ran ran = Filterdb("scan --json " + one.Path(component));
    EXPECT_EQ(ran.exit_code, 0) << ran;
    EXPECT_EQ(ran.json()["sstables"].size(), 1U) << ran;
  }
  for (const char* const component :
       {"Index.db", "Rows.db", "Partitions.db", "Statistics.db", "Summary.db",
        "CompressionInfo.db", "CRC.db", "Digest.crc32", "Digest.adler32",
        "Digest.sha1", "Scylla.db", "SI_index.db", "SAI+aa+GroupMeta.db",
        "SAI+aa+table_column_idx+Meta.db"}) {
    WriteFile(one.Path(component), fs::exists(one.Path(component))
                                       ? ReadFile(one.Path(component))
                                       : "");
    const Ran ran = Filterdb("scan --json " + one.Path(component));
    EXPECT_EQ(ran.json()["sstables"].size(), 1U) << component << ran;
  }
  fs::remove(one.Path("Partitions.db"));
  // An SSTable that several PATHs name is examined once.
  EXPECT_EQ(Filterdb("scan --json " + one.Path("Data.db") + " " + dir_.path() +
                     " " + one.Path("Filter.db"))
                .json()["sstables"]
                .size(),
            2U);
}

TEST_F(ScanTest, LinksInACircle) {
  SstableSpec spec;
  Write(spec);
  fs::create_directory_symlink(dir_.path(), dir_ / "ks/circle");
  EXPECT_EQ(TheOne()["verdict"], "ok");
}

TEST_F(ScanTest, WrongPaths) {
  EXPECT_EQ(Filterdb("scan " + dir_ / "none").exit_code, 2);
  const Ran empty = Scan();
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_THAT(empty.err, HasSubstr("no SSTables in it"));
  WriteFile(dir_ / "file", "");
  const Ran file = Filterdb("scan " + dir_ / "file");
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_THAT(file.err, HasSubstr("not a component of an SSTable"));
  SstableSpec spec;
  Write(spec);
  const Ran both = Filterdb("scan --json " + dir_ / "none" + " " + dir_ / "ks");
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(both.json()["sstables"].size(), 1U);
  EXPECT_EQ(both.json()["errors"].size(), 1U);
}

TEST_F(ScanTest, UnknownVersions) {
  SstableSpec spec;
  const WrittenSstable one = Write(spec);
  for (const std::string version : {"ha", "zz"}) {
    const fs::path folder = dir_ / version;
    fs::create_directories(folder);
    for (const char* const component : {"Data.db", "Filter.db", "Index.db"}) {
      fs::copy_file(one.Path(component),
                    folder / (version + "-1-big-" + component));
    }
    const Ran ran = Filterdb("scan --json " + folder.string());
    EXPECT_EQ(ran.exit_code, 1) << ran;
    EXPECT_EQ(ran.json()["sstables"][0]["verdict"], "unreadable");
  }
}

class ScanLiveTest : public ScanTest {
 protected:
  void WriteLog(const std::string& name, const std::string& lines) {
    WriteFile(dir_ / ("ks/t1/" + name), lines);
  }

  std::string Line(const std::string& type, int generation) const {
    return LogRecord(
        type, dir_ / "ks/t1/nb-" + std::to_string(generation) + "-big-", 0, 8);
  }

  Json States() const {
    Json states;
    const Json json = Scan("--json").json();
    for (const Json& sstable : json["sstables"]) {
      const std::string path = sstable["sstable"];
      states[fs::path(path).filename().string().substr(3, 1)] =
          sstable["state"];
    }
    return states;
  }

  void WriteTwo() {
    SstableSpec spec;
    Write(spec);
    spec.generation = "2";
    spec.fault = FilterFault::kMissing;  // The filter is not written yet.
    Write(spec);
  }
};

TEST_F(ScanLiveTest, Transactions) {
  WriteTwo();
  const std::string uuid = "7b1cd1d0-1f5b-11ef-8f33-0f9a4e1c2b3d.log";
  // The logs of Cassandra 3 leave out the last "-" of the path.
  const std::string two = dir_ / "ks/t1/nb-2-big";
  const struct {
    const char* name;
    std::string name_of_log;
    std::string lines;
    const char* state_of_two;
  } cases[] = {
      {"goes on", "nb_txn_compaction_", Line("REMOVE", 1) + Line("ADD", 2),
       "being written"},
      {"committed", "bti-da_txn_compaction_",
       Line("REMOVE", 2) + Line("ADD", 1) + LogRecord("COMMIT"), "obsolete"},
      {"goes on in Cassandra 3", "mc_txn_flush_", LogRecord("ADD", two, 0, 8),
       "being written"},
      {"committed in Cassandra 3", "mc_txn_flush_",
       LogRecord("REMOVE", two, 5, 8) + LogRecord("COMMIT"), "obsolete"},
      {"aborted", "nb_txn_flush_", Line("ADD", 2) + LogRecord("ABORT"),
       "being written"},
      {"a line that is half written", "nb_txn_flush_",
       Line("REMOVE", 1) + Line("ADD", 2) + "COMMIT:[,0", "being written"}};
  for (const auto& each : cases) {
    SCOPED_TRACE(each.name);
    const std::string log = each.name_of_log + uuid;
    WriteLog(log, each.lines);
    EXPECT_EQ(States(), (Json{{"1", "live"}, {"2", each.state_of_two}}));
    const Ran ran = Scan();
    EXPECT_EQ(ran.exit_code, 0) << ran;
    EXPECT_THAT(ran.out, HasSubstr(each.state_of_two));
    fs::remove(dir_ / "ks/t1/" + log);
  }
}

TEST_F(ScanLiveTest, OtherLogsSayNothing) {
  SstableSpec spec;
  Write(spec);
  WriteLog("notes.log", Line("ADD", 1));
  WriteLog("nb_txn_flush_1.txt", Line("ADD", 1));
  EXPECT_EQ(TheOne()["state"], "live");
}

TEST_F(ScanLiveTest, ScyllaDb) {
  SstableSpec spec;
  spec.version = "me";
  spec.fault = FilterFault::kMissing;
  const WrittenSstable one = Write(spec);
  fs::rename(one.Path("TOC.txt"), one.Path("TOC.txt.tmp"));
  EXPECT_EQ(TheOne()["state"], "being written");
  fs::rename(one.Path("TOC.txt.tmp"), one.Path("TOC.txt"));
  EXPECT_EQ(TheOne()["verdict"], "missing");
  fs::create_directory(dir_ / "ks/t1/pending_delete");
  WriteLog("pending_delete/sstables-1-1.log", "me-1-big-TOC.txt\n");
  EXPECT_EQ(TheOne()["state"], "obsolete");
}

TEST_F(ScanLiveTest, NamesWithTmp) {
  for (const std::string version : {"ic", "ka", "la"}) {
    SstableSpec spec;
    spec.version = version;
    spec.fault = FilterFault::kMissing;
    const WrittenSstable one = Write(spec);
    for (const std::string tmp : {"tmp-", "tmplink-"}) {
      for (const char* const component : {"Data.db", "Index.db"}) {
        std::string name = fs::path(one.Path(component)).filename();
        name.insert(name.find(version + "-"), tmp);
        fs::create_directories(dir_ / tmp);
        fs::copy_file(one.Path(component), dir_ / tmp + "/" + name);
      }
      const Ran ran = Filterdb("scan --json " + dir_ / tmp);
      EXPECT_EQ(ran.exit_code, 0) << ran;
      EXPECT_EQ(ran.json()["sstables"][0]["state"], "being written");
      EXPECT_EQ(ran.json()["sstables"][0]["version"], version);
      fs::remove_all(dir_ / tmp);
    }
    fs::remove_all(dir_ / "ks");
  }
}

// A removal in progress may have deleted Data.db and other files.
TEST_F(ScanLiveTest, AnSstableThatVanishes) {
  SstableSpec spec;
  const WrittenSstable one = Write(spec);
  fs::remove(one.Path("Data.db"));
  fs::remove(one.Path("Index.db"));
  fs::remove(one.Path("TOC.txt"));
  EXPECT_EQ(TheOne()["state"], "vanished");
}

// A FIFO or a folder may have the name of a file. filterdb scan must not wait
// until the FIFO has a writer, and must not fail because of the folder.
TEST_F(ScanLiveTest, NamesThatAreNoFiles) {
  const auto replace = [](const std::string& path, bool by_fifo) {
    fs::remove_all(path);
    if (by_fifo) {
      ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    } else {
      fs::create_directories(path);
    }
  };
  for (const bool by_fifo : {false, true}) {
    for (const char* const component : {"Filter.db", "Index.db"}) {
      replace(Write({}).Path(component), by_fifo);
      EXPECT_EQ(TheOne()["verdict"], "unreadable") << component;
      fs::remove_all(dir_ / "ks");
    }
    const WrittenSstable one = Write({});
    replace(one.Path("TOC.txt"), by_fifo);
    EXPECT_EQ(TheOne()["verdict"], "ok");
    replace(one.Path("Scylla.db"), by_fifo);
    EXPECT_EQ(TheOne()["verdict"], "Scylla.db damaged");
    fs::remove_all(dir_ / "ks");
  }
}

// filterdb scan must report an unreadable log only once, even if several
// SSTables need the log.
TEST_F(ScanLiveTest, LogsThatCannotBeRead) {
  WriteTwo();
  const std::string log = dir_ / "ks/t1/nb_txn_flush_1.log";
  const std::string pending = dir_ / "ks/t1/pending_delete/sstables-1-1.log";
  const auto check = [&](const std::string& path) {
    const Ran ran = Filterdb("scan --json " + dir_ / "ks/t1/nb-1-big-Data.db" +
                             " " + dir_ / "ks/t1/nb-2-big-Data.db");
    EXPECT_EQ(ran.exit_code, 2) << ran;
    EXPECT_EQ(ran.json()["sstables"].size(), 2U) << ran;
    EXPECT_EQ(ran.json()["errors"].size(), 1U) << ran;
    EXPECT_THAT(ran.err, HasSubstr(path));
    fs::remove_all(path);
  };
  ASSERT_EQ(mkfifo(log.c_str(), 0600), 0);
  check(log);
  fs::create_directory(log);
  check(log);
  fs::create_directories(pending);
  check(pending);
  // filterdb scan must not allocate as much memory as this log has bytes.
  WriteFile(log, "");
  fs::resize_file(log, uint64_t{1} << 40);
  check(log);
  WriteFile(log, "damaged\n" + Line("ADD", 2));
  check(log);
}

TEST_F(ScanTest, ChangesNothing) {
  SstableSpec spec;
  spec.fault = FilterFault::kBitsCleared;
  const WrittenSstable one = Write(spec);
  const std::string before = ReadFile(one.Path("Filter.db"));
  const auto names = dir_.Names();
  const auto time = fs::last_write_time(dir_ / "ks/t1");
  EXPECT_EQ(Scan().exit_code, 1);
  EXPECT_EQ(ReadFile(one.Path("Filter.db")), before);
  EXPECT_EQ(dir_.Names(), names);
  EXPECT_EQ(fs::last_write_time(dir_ / "ks/t1"), time);
}

TEST_F(ScanTest, JobsDoNotChangeTheResult) {
  for (int i = 1; i <= 20; ++i) {
    SstableSpec spec;
    spec.generation = std::to_string(i);
    spec.keys = Keys(50 * static_cast<size_t>(i));
    spec.fault = i % 3 == 0 ? FilterFault::kEmpty : FilterFault::kNone;
    Write(spec);
  }
  const std::string one = Scan("--jobs=1 --json").out;
  for (const std::string jobs : {"2", "7", "100"}) {
    EXPECT_EQ(Scan("--json --jobs=" + jobs).out, one) << jobs;
  }
  EXPECT_EQ(Scan("--jobs=0").exit_code, 2);
}

// If the system allows few open files or few threads, filterdb scan must still
// find no fault.
TEST_F(ScanTest, ManyJobsWithFewFilesOrThreads) {
  SstableSpec spec;
  spec.version = "da";
  spec.keys = Keys(5000);
  for (int i = 1; i <= 60; ++i) {
    spec.generation = std::to_string(i);
    Write(spec);
  }
  const std::string scan = "scan --jobs=1024 " + dir_.path();
  const Ran few_files = Filterdb(scan, "ulimit -n 40;");
  EXPECT_EQ(few_files.exit_code, 0) << few_files;
  if (geteuid() != 0) {
    return;  // Only root can become another user.
  }
  fs::permissions(dir_.path(), fs::perms::others_read | fs::perms::others_exec,
                  fs::perm_options::add);
  // The limit counts all processes of a user, so this user must have no other.
  const std::string user = std::to_string(60000 + getpid() % 5000);
  // The leak sanitizer needs a thread, so it is off.
  const Ran few_threads =
      Filterdb(scan,
               "ASAN_OPTIONS=detect_leaks=0 prlimit --nproc=1 setpriv "
               "--reuid=" +
                   user + " --regid=65534 --clear-groups");
  EXPECT_EQ(few_threads.exit_code, 0) << few_threads;
}

TEST(ScanRealTest, AllAreGood) {
  for (const std::string& folder : CassandraSstables()) {
    const Ran ran = Filterdb("scan --json " + folder);
    EXPECT_EQ(ran.exit_code, 0) << ran;
    const Json one = ran.json()["sstables"][0];
    EXPECT_EQ(one["verdicts"], Json({"ok"})) << one;
    EXPECT_EQ(one["planned_fp_chance"], 0.01);
    EXPECT_EQ(one["keys"], Lines(ReadFile(folder + "/keys.txt")).size());
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
