// SPDX-License-Identifier: Apache-2.0
// With -DWRITER, writes databases with RocksDB's filters and ours. Otherwise
// reads them with RocksDB's own policy. mixed_blocks.sh runs both programs.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"
#include "rocksdb/version.h"
#include "tests/install/matrix/open_database.h"
#ifdef WRITER
#include "cassandra_bloom/filter_policy.h"
#endif

namespace {

using rocksdb::BlockBasedTableOptions;
using rocksdb::DB;
using rocksdb::FilterPolicy;
using rocksdb::Options;
using rocksdb::PinnableSlice;
using rocksdb::ReadOptions;
using rocksdb::Slice;
using rocksdb::Status;

constexpr size_t kPrefixSize = 8;
constexpr int kBatch = 32;

struct Layout {
  const char* name;
  bool partitioned;
  bool whole_keys;
  bool prefixes;
};

constexpr Layout kLayouts[] = {
    {"full, whole keys", false, true, false},
    {"full, prefixes", false, false, true},
    {"full, both", false, true, true},
    {"partitioned, whole keys", true, true, false},
    {"partitioned, prefixes", true, false, true},
    {"partitioned, both", true, true, true},
};

// Keys with odd numbers are absent.
std::string Key(uint64_t number) {
  // The multiplier, splitmix64's first constant, is odd, so all keys differ.
  const uint64_t mixed = number * 0x9E3779B97F4A7C15ULL;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(mixed));
  return text;
}

std::string Present(uint64_t number) { return Key(2 * number); }
std::string Value(uint64_t number) { return std::to_string(number); }

Options LayoutOptions(const Layout& layout, const FilterPolicy* policy) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(policy);
  table.whole_key_filtering = layout.whole_keys;
  table.partition_filters = layout.partitioned;
  // All releases since 6.6 can read this format (rocksdb/table.h).
  table.format_version = 5;
  if (layout.partitioned) {
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  }
  Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  if (layout.prefixes) {
    options.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(kPrefixSize));
  }
  options.compression = rocksdb::kNoCompression;
  options.disable_auto_compactions = true;
  options.target_file_size_base = 4 << 20;
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}

std::string Folder(const std::string& root, const Layout& layout) {
  return root + "/" + std::to_string(&layout - kLayouts);
}

#ifdef WRITER

// The upper half of all keys begins at kMiddle.
const std::string kMiddle = "8";

enum class Half { kBoth, kLower, kUpper };

// A fourth of the keys, or half of a fourth. All keys of a part are written
// with one policy. Halves are compacted into level 1.
struct Part {
  const FilterPolicy* policy;
  uint64_t fourth;
  Half half = Half::kBoth;

  bool Has(uint64_t number) const {
    return number % 4 == fourth &&
           (half == Half::kBoth ||
            (half == Half::kUpper) == (Present(number) >= kMiddle));
  }
};

std::vector<Part> Parts() {
  return {{rocksdb::NewCassandraBloomPolicyBesideRocksdb(10), 0, Half::kLower},
          {rocksdb::NewCassandraBloomMixPolicy(10), 0, Half::kUpper},
          {rocksdb::NewBloomFilterPolicy(10), 1},
          {rocksdb::NewCassandraBloomPolicyBesideRocksdb(10), 2},
          {rocksdb::NewCassandraBloomMixPolicy(10), 3}};
}

void Write(const std::string& root, const Layout& layout, uint64_t keys) {
  const Slice middle = kMiddle;
  // Without kForce, RocksDB could move a file unchanged, with its filter.
  rocksdb::CompactRangeOptions rewrite;
  rewrite.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  for (const Part& part : Parts()) {
    Options options = LayoutOptions(layout, part.policy);
    options.create_if_missing = true;
    const auto db = Open(Folder(root, layout), options);
    for (uint64_t number = 0; number < keys; ++number) {
      if (part.Has(number)) {
        Check(db->Put({}, Present(number), Value(number)), layout.name);
      }
    }
    Check(db->Flush({}), layout.name);
    if (part.half != Half::kBoth) {
      const bool is_upper = part.half == Half::kUpper;
      Check(db->CompactRange(rewrite, is_upper ? &middle : nullptr,
                             is_upper ? nullptr : &middle),
            layout.name);
    }
  }
}

int Main(const std::string& root, uint64_t keys) {
  for (const Layout& layout : kLayouts) {
    Write(root, layout, keys);
  }
  return 0;
}

#else

struct Found {
  uint64_t asked = 0;
  uint64_t lost = 0;
  uint64_t absent = 0;
  uint64_t filtered = 0;
};

void CountOne(bool found, Found* counts) {
  ++counts->asked;
  counts->lost += found ? 0 : 1;
}

void Get(DB* db, uint64_t keys, Found* counts) {
  for (uint64_t number = 0; number < keys; ++number) {
    std::string value;
    const Status status = db->Get(ReadOptions(), Present(number), &value);
    CountOne(status.ok() && value == Value(number), counts);
  }
}

void MultiGet(DB* db, uint64_t keys, Found* counts) {
  for (uint64_t first = 0; first + kBatch <= keys; first += kBatch) {
    std::vector<std::string> texts;
    for (int i = 0; i < kBatch; ++i) {
      texts.push_back(Present(first + i));
    }
    const std::vector<Slice> slices(texts.begin(), texts.end());
    std::vector<PinnableSlice> values(kBatch);
    std::vector<Status> statuses(kBatch);
    db->MultiGet(ReadOptions(), db->DefaultColumnFamily(), kBatch,
                 slices.data(), values.data(), statuses.data());
    for (int i = 0; i < kBatch; ++i) {
      CountOne(statuses[i].ok() && values[i] == Value(first + i), counts);
    }
  }
}

void SeekPrefix(DB* db, uint64_t keys, Found* counts) {
  ReadOptions options;
  options.prefix_same_as_start = true;
  for (uint64_t number = 0; number < keys; ++number) {
    const std::unique_ptr<rocksdb::Iterator> iterator(db->NewIterator(options));
    const std::string key = Present(number);
    iterator->Seek(key);
    CountOne(iterator->Valid() && iterator->key() == key, counts);
  }
}

uint64_t FilteredLookups(const Options& options) {
  // Newer releases have a separate ticker for filters that have only prefixes.
  return options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL) +
         options.statistics->getTickerCount(
             rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
}

void GetAbsent(DB* db, const Options& options, uint64_t keys, Found* counts) {
  const uint64_t before = FilteredLookups(options);
  for (uint64_t number = 0; number < keys; ++number) {
    std::string value;
    if (!db->Get(ReadOptions(), Key(2 * number + 1), &value).IsNotFound()) {
      std::fprintf(stderr, "an absent key was found\n");
      std::exit(1);
    }
  }
  counts->absent += keys;
  counts->filtered += FilteredLookups(options) - before;
}

Found Read(const std::string& root, const Layout& layout, uint64_t keys) {
  const Options options =
      LayoutOptions(layout, rocksdb::NewBloomFilterPolicy(10));
  const auto db = Open(Folder(root, layout), options);
  Found counts;
  Get(db.get(), keys, &counts);
  MultiGet(db.get(), keys, &counts);
  if (layout.prefixes) {
    SeekPrefix(db.get(), keys, &counts);
  }
  GetAbsent(db.get(), options, keys / 10, &counts);
  return counts;
}

int Main(const std::string& root, uint64_t keys) {
  uint64_t lost = 0;
  for (const Layout& layout : kLayouts) {
    const Found counts = Read(root, layout, keys);
    std::printf("| %d.%d.%d | %s | %llu | %llu | %.2f |\n", ROCKSDB_MAJOR,
                ROCKSDB_MINOR, ROCKSDB_PATCH, layout.name,
                static_cast<unsigned long long>(counts.asked),
                static_cast<unsigned long long>(counts.lost),
                static_cast<double>(counts.filtered) /
                    static_cast<double>(counts.absent));
    lost += counts.lost;
  }
  return lost == 0 ? 0 : 1;
}

#endif

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s FOLDER KEYS\n", argv[0]);
    return 2;
  }
  return Main(argv[1], std::strtoull(argv[2], nullptr, 10));
}
