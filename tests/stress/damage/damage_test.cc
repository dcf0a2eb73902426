// SPDX-License-Identifier: Apache-2.0

// Damages a component of an SSTable, and runs filterdb. If the filter denies a
// key of Data.db, mend must not have written this filter, and scan must not
// call the filter good.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/sstable/index/index_reader.h"
#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/tests/fake_sstable/fake_sstable.h"
#include "plugin/filter/endian.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/random_keys.h"
#include "tests/support/safe_folder.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

// ---- Whole SSTables ----

struct PositionedKey {
  std::string key;
  uint64_t position;  // The offset in the uncompressed Data.db.
};

struct WholeSstable {
  std::string start;  // Start of all paths: "DIR/nb-1-big-".
  std::string version;
  bool is_compressed = false;
  std::vector<std::string> components;
  std::vector<PositionedKey> keys;
  std::vector<uint64_t> index_entries;  // Offset of each entry of Index.db.

  // Such as "nb-1-big-".
  std::string name() const { return start.substr(start.find_last_of('/') + 1); }
};

// Two SSTables of the same version.
struct Pair {
  WholeSstable one;
  WholeSstable other;
};
struct DamagedSstable {
  std::string what;   // What was damaged, for messages.
  std::string start;  // Like WholeSstable::start.
  std::string version;
  // The keys that the damaged Data.db still has.
  std::vector<std::string> keys;
  std::optional<std::string> filter;  // The content of Filter.db.
};

// Returns the content of a file, or no value if the file does not exist.
std::optional<std::string> ContentOf(const std::string& path) {
  return fs::exists(path) ? std::optional<std::string>(ReadFile(path))
                          : std::nullopt;
}

size_t Below(size_t end, uint64_t* random) {
  return static_cast<size_t>(NextRandom(random) % end);
}

void ReadTrieKeys(WholeSstable* sstable) {
  std::string error;
  const auto reader =
      tools::OpenSstableKeys(sstable->start + "Partitions.db", sstable->version,
                             tools::KeyChecks::kEveryKey, &error);
  std::string_view key;
  while (reader != nullptr && reader->Next(&key)) {
    sstable->keys.push_back(
        {std::string(key), reader->bytes_read() - 2 - key.size()});
  }
  if (reader == nullptr || !reader->error().empty()) {
    throw std::runtime_error(error + (reader ? reader->error() : ""));
  }
}

void ReadIndexKeys(WholeSstable* sstable) {
  std::string error;
  const auto reader =
      tools::OpenIndexDb(sstable->start + "Index.db",
                         FindSstableVersion(sstable->version)->index, &error);
  if (reader == nullptr) {
    throw std::runtime_error(error);
  }
  for (tools::IndexEntry entry; reader->Next(&entry);) {
    sstable->keys.push_back({std::string(*entry.key), entry.position});
    sstable->index_entries.push_back(entry.offset);
  }
  if (!reader->error().empty()) {
    throw std::runtime_error(reader->error());
  }
}

// Reads the only SSTable in a folder.
WholeSstable ReadWhole(const std::string& folder) {
  WholeSstable sstable;
  const std::string data = ComponentIn(folder, "Data.db");
  sstable.start = data.substr(0, data.rfind("Data.db"));
  const std::string name = sstable.name();
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename();
    if (file.substr(0, name.size()) == name) {
      sstable.components.push_back(file.substr(name.size()));
    }
  }
  std::sort(sstable.components.begin(), sstable.components.end());
  std::string error;
  if (!SstableVersionOfFileName(name + "Data.db", &sstable.version, &error)) {
    throw std::runtime_error(error);
  }
  sstable.is_compressed = fs::exists(sstable.start + "CompressionInfo.db");
  if (fs::exists(sstable.start + "Partitions.db")) {
    ReadTrieKeys(&sstable);
  } else {
    ReadIndexKeys(&sstable);
  }
  return sstable;
}

WholeSstable WriteWhole(const std::string& folder, const std::string& version,
                        bool lz4, size_t num_keys, uint64_t seed) {
  fs::create_directories(folder);
  SstableSpec spec;
  spec.folder = folder;
  spec.version = version;
  spec.lz4 = lz4;
  spec.wide_every = 3;
  const RandomKeys keys(seed, 20);
  for (uint64_t i = 0; i < num_keys; ++i) {
    // A number of fixed width makes each key distinct.
    spec.keys.push_back(keys[i] + std::to_string(1000000 + i));
  }
  WriteSstable(spec);
  return ReadWhole(folder);
}

// Pairs each SSTable that Cassandra wrote with the next SSTable of the same
// version, and writes pairs of ScyllaDB's versions into `folder`.
std::vector<Pair> AllPairs(const std::string& folder, uint64_t seed) {
  std::vector<std::string> folders = SstablesWithKeys();
  for (const std::string& compacted : CompactedSstables()) {
    folders.push_back(compacted);
  }
  std::vector<WholeSstable> sstables;
  for (const std::string& of_one : folders) {
    WholeSstable one = ReadWhole(of_one);
    if (one.keys.size() <= 20000) {
      sstables.push_back(std::move(one));
    }
  }
  std::vector<Pair> pairs;
  for (size_t i = 0; i < sstables.size(); ++i) {
    size_t other = (i + 1) % sstables.size();
    while (sstables[other].version != sstables[i].version) {
      other = (other + 1) % sstables.size();
    }
    pairs.push_back({sstables[i], sstables[other]});
  }
  for (const char* const version : {"ms", "mt"}) {
    for (const bool lz4 : {false, true}) {
      for (const size_t num_keys : {5U, 400U}) {
        const std::string base =
            folder + "/" + std::to_string(pairs.size()) + "_";
        pairs.push_back(
            {WriteWhole(base + "one", version, lz4, num_keys, seed),
             WriteWhole(base + "other", version, lz4, num_keys, seed + 1)});
      }
    }
  }
  return pairs;
}

// ---- Damage ----

// Returns a good or faulty filter, or no value for a missing filter. Describes
// the filter in `what`.
std::optional<std::string> FilterWithFault(const Pair& pair, uint64_t* random,
                                           std::string* what) {
  std::string filter = ReadFile(pair.one.start + "Filter.db");
  constexpr size_t kHeader = 8;
  switch (Below(8, random)) {
    case 0:
      *what = "no filter";
      return std::nullopt;
    case 1:
      *what = "a saturated filter";
      std::fill(filter.begin() + kHeader, filter.end(), '\xff');
      return filter;
    case 2:
      *what = "a filter with cleared bits";
      for (size_t i = kHeader; i < filter.size(); i += 7) {
        filter[i] = 0;
      }
      return filter;
    case 3:
      *what = "an empty filter";
      return "";
    default:
      *what = "a good filter";
      return filter;
  }
}

std::string Change(const Pair& pair, const std::string& component,
                   std::string* content, uint64_t* random) {
  const size_t kind = content->empty() ? 3 : Below(4, random);
  if (kind == 3) {
    *content = ContentOf(pair.other.start + component).value_or("");
    return "of another SSTable";
  }
  if (kind == 2) {
    const std::vector<uint64_t>& entries = pair.one.index_entries;
    const bool between_entries =
        component == "Index.db" && entries.size() > 1 && Below(2, random) == 0;
    content->resize(between_entries
                        ? entries[1 + Below(entries.size() - 1, random)]
                        : Below(content->size(), random));
    return "cut to " + std::to_string(content->size()) + " bytes";
  }
  const size_t at = Below(content->size(), random);
  const size_t change =
      kind == 0 ? size_t{1} << Below(8, random) : 1 + Below(255, random);
  (*content)[at] =
      static_cast<char>(static_cast<uint8_t>((*content)[at]) ^ change);
  return "byte " + std::to_string(at) + " ^ " + std::to_string(change);
}

// Returns whether an uncompressed Data.db still has this key. A compressed
// Data.db needs no check, because a damaged chunk cannot be read. So a damaged
// chunk cannot show another key.
bool HasKey(const std::string& data, const PositionedKey& key) {
  return data.size() >= key.position + 2 + key.key.size() &&
         LoadBigEndian16(data.data() + key.position) == key.key.size() &&
         data.compare(key.position + 2, key.key.size(), key.key) == 0;
}

// Copies `pair.one` into `folder`, with a good, a faulty or no filter. Then
// damages one component of the copy.
DamagedSstable Damage(const Pair& pair, const std::string& folder,
                      uint64_t* random) {
  const WholeSstable& one = pair.one;
  DamagedSstable damaged;
  damaged.start = folder + "/" + one.name();
  damaged.version = one.version;
  for (const std::string& component : one.components) {
    WriteFile(damaged.start + component, ReadFile(one.start + component));
  }
  std::string filter;
  const auto content = FilterWithFault(pair, random, &filter);
  fs::remove(damaged.start + "Filter.db");
  if (content) {
    WriteFile(damaged.start + "Filter.db", *content);
  }
  const std::string& component =
      one.components[Below(one.components.size(), random)];
  std::string bytes = ContentOf(damaged.start + component).value_or("");
  damaged.what = one.start + " with " + filter + ", " + component + ": " +
                 Change(pair, component, &bytes, random);
  WriteFile(damaged.start + component, bytes);
  damaged.filter = ContentOf(damaged.start + "Filter.db");
  for (const PositionedKey& key : one.keys) {
    if (component != "Data.db" || one.is_compressed || HasKey(bytes, key)) {
      damaged.keys.push_back(key.key);
    }
  }
  return damaged;
}

// ---- The test ----

size_t NumCases() {
  const char* const given = std::getenv("CASSANDRA_BLOOM_DAMAGES");
  return given == nullptr ? 100 : std::strtoull(given, nullptr, 10);
}

// Returns how many keys the filter denies. An unreadable filter denies all
// keys, and a missing filter denies none.
size_t NumDenied(const DamagedSstable& damaged) {
  const std::string path = damaged.start + "Filter.db";
  if (!fs::exists(path)) {
    return 0;
  }
  FilterForm form;
  std::string error;
  const auto filter = FormOfSstableVersion(damaged.version, &form, &error)
                          ? FilterDbFile::Open(path, form, &error)
                          : nullptr;
  size_t denied = 0;
  for (const std::string& key : damaged.keys) {
    denied += filter == nullptr || !filter->MayContain(key) ? 1 : 0;
  }
  return denied;
}

class DamageTest : public ::testing::Test {
 protected:
  void MendAndCheck(const std::vector<DamagedSstable>& all,
                    const std::string& folder) {
    const char* const chance =
        NextRandom(&random_) % 2 == 0 ? "" : " --default-fp-chance=0.01";
    const Ran mended = Filterdb("mend --in-place --run=" +
                                runs_ / ("run" + std::to_string(++num_runs_)) +
                                std::string(chance) + " " + folder);
    ASSERT_GE(mended.exit_code, 0) << mended;
    ASSERT_LE(mended.exit_code, 3) << mended;
    const Ran scanned = Filterdb("scan --json " + folder);
    ASSERT_GE(scanned.exit_code, 0) << scanned;
    std::map<std::string, Json> findings;
    const Json json = scanned.report();  // The loop below refers to `json`.
    for (const Json& one : json["sstables"]) {
      findings[one["sstable"]] = one;
    }
    for (const DamagedSstable& damaged : all) {
      Check(damaged, findings[damaged.start + "Data.db"]);
    }
  }

  void Check(const DamagedSstable& damaged, const Json& finding) {
    const bool is_written =
        ContentOf(damaged.start + "Filter.db") != damaged.filter;
    const bool is_good = finding.is_object() &&
                         finding.value("state", "") == "live" &&
                         finding.value("harm", "") == "none";
    const size_t denied = NumDenied(damaged);
    EXPECT_FALSE(is_written && denied > 0)
        << damaged.what << ": a filter was written that denies " << denied
        << " keys";
    EXPECT_FALSE(is_good && denied > 0)
        << damaged.what << ": called good, but denies " << denied << " keys";
    num_written_ += is_written ? 1 : 0;
    num_good_ += is_good ? 1 : 0;
  }

  const uint64_t seed_ = Seed();
  uint64_t random_ = seed_;
  const TempDir runs_{SafeFolder()};
  size_t num_runs_ = 0;
  size_t num_written_ = 0;
  size_t num_good_ = 0;
};

TEST_F(DamageTest, NoFilterDeniesAKey) {
  constexpr size_t kCasesAtOnce = 100;
  const TempDir whole;
  const std::vector<Pair> pairs = AllPairs(whole.path(), seed_);
  const size_t num_cases = NumCases();
  for (size_t begin = 0; begin < num_cases; begin += kCasesAtOnce) {
    const TempDir dir;
    std::vector<DamagedSstable> all;
    for (size_t i = begin; i < std::min(num_cases, begin + kCasesAtOnce); ++i) {
      const std::string folder = dir / "t" + std::to_string(i);
      fs::create_directory(folder);
      const Pair& pair = pairs[NextRandom(&random_) % pairs.size()];
      all.push_back(Damage(pair, folder, &random_));
    }
    MendAndCheck(all, dir.path());
  }
  std::printf(
      "%zu damaged SSTables: %zu filters written, %zu good in the end\n",
      num_cases, num_written_, num_good_);
  EXPECT_GT(num_written_, 0U);
  EXPECT_GT(num_good_, 0U);
}

}  // namespace
}  // namespace cassandra_bloom::testing
