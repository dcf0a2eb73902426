// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/configuration.h"

#include <rocksdb/convenience.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tests/stress/random/failure.h"
#include "tests/stress/random/witness.h"
#include "tests/support/rocksdb/releases.h"

namespace cassandra_bloom::testing {
namespace {

// A list of options: name=value;name=value
class OptionList {
 public:
  void Add(const std::string& name, const std::string& value) {
    text_ += (text_.empty() ? "" : ";") + name + "=" + value;
  }
  void Add(const std::string& name, uint64_t value) {
    Add(name, std::to_string(value));
  }
  void AddBool(const std::string& name, bool value) {
    Add(name, std::string(value ? "true" : "false"));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string DrawPrefixExtractor(const FamilyConfiguration& family,
                                Draws* draws) {
  const std::string length =
      std::to_string(draws->Of({1, 2, 3, 4, 8, 10, 12, 16}));
  switch (draws->Below(8)) {
    case 0:
    case 1:
      return "";
    case 2:
    case 3:
      return "fixed:" + length;
    case 4:
      return "capped:" + length;
    case 5:
      return draws->OneIn(2) ? "rocksdb.Noop" : "capped:" + length;
    default:
      // The prefix extractor cassandra_partition needs a bytewise comparator.
      if (family.is_reverse) {
        return "fixed:" + length;
      }
      return std::string("cassandra_partition:") +
             (HasEnd(*family.layout) && !draws->OneIn(6)
                  ? family.layout->partition_key
                  : draws->Of<const char*>({"u16", "fixed:4", "skip:2,fixed:5",
                                            "skip:8,composite:1"}));
  }
}

void AddIndex(Draws* draws, OptionList* list) {
  if (!draws->OneIn(2)) {
    list->Add("index_type",
              draws->Of<const char*>({"kBinarySearch", "kTwoLevelIndexSearch",
                                      "kBinarySearchWithFirstKey"}));
    return;
  }
  list->Add("index_type", "kTwoLevelIndexSearch");
  list->AddBool("partition_filters", true);
  if (kRelease >= 906) {
    list->AddBool("decouple_partitioned_filters", draws->OneIn(2));
  }
}

std::string DrawPinning(Draws* draws) {
  OptionList list;
  for (const char* const name : {"top_level_index_pinning", "partition_pinning",
                                 "unpartitioned_pinning"}) {
    list.Add(name, draws->Of<const char*>(
                       {"kFallback", "kNone", "kFlushedAndSimilar", "kAll"}));
  }
  return "{" + list.text() + "}";
}

void AddCaching(Draws* draws, OptionList* list) {
  if (draws->OneIn(8)) {
    list->AddBool("no_block_cache", true);
    return;
  }
  list->Add("block_cache", draws->Of<const char*>({"4096", "64K", "8M"}));
  list->AddBool("cache_index_and_filter_blocks", draws->OneIn(2));
  list->AddBool("pin_l0_filter_and_index_blocks_in_cache", draws->OneIn(2));
  list->AddBool("pin_top_level_index_and_filter", draws->OneIn(2));
  if (draws->OneIn(2)) {
    list->Add("metadata_cache_options", DrawPinning(draws));
  }
  if (draws->OneIn(4)) {
    list->Add("prepopulate_block_cache", "kFlushOnly");
  }
}

void DrawTable(Draws* draws, FamilyConfiguration* family) {
  OptionList list;
  AddIndex(draws, &list);
  AddCaching(draws, &list);
  list.Add("metadata_block_size", draws->Of<uint64_t>({64, 200, 512, 4096}));
  list.AddBool("whole_key_filtering", !draws->OneIn(3));
  list.AddBool("optimize_filters_for_memory", draws->OneIn(2));
  list.AddBool("detect_filter_construct_corruption", draws->OneIn(2));
  list.Add("format_version", draws->Between(2, kRelease >= 1004  ? 7
                                               : kRelease >= 806 ? 6
                                                                 : 5));
  list.Add("block_size", draws->Of<uint64_t>({64, 256, 1024, 4096}));
  list.Add("block_restart_interval", draws->Of<uint64_t>({1, 4, 16}));
  list.Add("index_block_restart_interval", draws->Of<uint64_t>({1, 4}));
  list.Add("index_shortening",
           draws->Of<const char*>({"kNoShortening", "kShortenSeparators",
                                   "kShortenSeparatorsAndSuccessor"}));
  family->table_options = list.text();
  family->uses_kept_cache = draws->OneIn(2);
}

void DrawComparator(Draws* draws, FamilyConfiguration* family) {
  family->has_timestamps = draws->OneIn(4);
  family->is_reverse =
      draws->OneIn(4) && (!family->has_timestamps || kRelease >= 811);
  family->comparator =
      std::string(family->is_reverse ? "rocksdb.ReverseBytewiseComparator"
                                     : "leveldb.BytewiseComparator") +
      (family->has_timestamps ? ".u64ts" : "");
}

void AddCompaction(Draws* draws, OptionList* list) {
  // Writes must not wait for compactions, because some compactions never
  // happen.
  list->Add("level0_slowdown_writes_trigger", 10000);
  list->Add("level0_stop_writes_trigger", 10000);
  list->Add("level0_file_num_compaction_trigger", draws->Between(2, 5));
  list->AddBool("disable_auto_compactions", draws->OneIn(10));
  const uint64_t style = draws->Below(4);
  if (style == 0) {
    // With this size, RocksDB never drops a file.
    list->Add("compaction_style", "kCompactionStyleFIFO");
    list->Add("compaction_options_fifo",
              std::string("{max_table_files_size=1099511627776;"
                          "allow_compaction=") +
                  (draws->OneIn(2) ? "true}" : "false}"));
    list->Add("ttl", 0);
    list->Add("periodic_compaction_seconds", 0);
    return;
  }
  if (style == 1) {
    list->Add("compaction_style", "kCompactionStyleUniversal");
    list->Add("compaction_options_universal",
              std::string("{allow_trivial_move=") +
                  (draws->OneIn(2) ? "true}" : "false}"));
    list->Add("num_levels", draws->Of<uint64_t>({1, 2, 4}));
    return;
  }
  list->Add("num_levels", draws->Of<uint64_t>({2, 3, 4, 7}));
  list->AddBool("level_compaction_dynamic_level_bytes", draws->OneIn(2));
}

void AddCompression(Draws* draws, OptionList* list) {
  if (!CanCompressInParallel() || draws->OneIn(2)) {
    list->Add("compression", "kNoCompression");
    return;
  }
  list->Add("compression", "kLZ4HCCompression");
  list->Add("compression_opts", "{parallel_threads=4}");
}

void DrawFixedOptions(Draws* draws, FamilyConfiguration* family) {
  OptionList list;
  list.Add("comparator", family->comparator);
  list.Add("write_buffer_size", 65536);  // RocksDB's minimum.
  AddCompression(draws, &list);
  list.Add("target_file_size_base", draws->Of<uint64_t>({4096, 16384, 65536}));
  list.Add("max_bytes_for_level_base",
           draws->Of<uint64_t>({8192, 32768, 131072}));
  list.Add("max_bytes_for_level_multiplier", draws->Of<uint64_t>({2, 4, 10}));
  // RocksDB 7.8 iterates backwards forever if this number is 0. RocksDB 7.8
  // also does so if the number is below the number of timestamps of a key.
  list.Add("max_sequential_skip_in_iterations",
           family->has_timestamps ? 1000000 : draws->Of<uint64_t>({1, 2, 8}));
  list.AddBool("optimize_filters_for_hits", draws->OneIn(4));
  list.AddBool("paranoid_file_checks", draws->OneIn(6));
  AddCompaction(draws, &list);
  if (family->has_merges) {
    list.Add("merge_operator", "stringappend");
  }
  family->options = list.text();
}

// RocksDB has no merges with timestamps.
FamilyConfiguration DrawFamily(Draws* draws) {
  FamilyConfiguration family;
  family.layout = &draws->In(kPartitionLayouts);
  DrawComparator(draws, &family);
  family.has_merges = !family.has_timestamps && draws->OneIn(2);
  family.has_range_deletes = !family.has_timestamps && draws->OneIn(2);
  DrawFixedOptions(draws, &family);
  family.prefix_extractor = DrawPrefixExtractor(family, draws);
  DrawTable(draws, &family);
  family.policy = DrawPolicy(family.layout->partition_key, draws);
  return family;
}

std::string DrawDbOptions(uint64_t scale, Draws* draws) {
  OptionList list;
  // A large database with FIFO compaction has hundreds of files. If few of them
  // may stay open, every read opens them all, and the checks take hours.
  const bool opens_few = draws->Of({false, false, true}) && scale == 1;
  list.Add("max_open_files", opens_few ? "20" : "-1");
  list.Add("max_background_jobs", draws->Of<uint64_t>({1, 2, 4}));
  list.Add("max_subcompactions", draws->Between(1, 3));
  list.AddBool("allow_mmap_reads", draws->OneIn(6));
  return list.text();
}

rocksdb::ConfigOptions StrictOptions() {
  rocksdb::ConfigOptions options;
  options.ignore_unknown_options = false;
  options.ignore_unsupported_options = false;
  return options;
}

}  // namespace

void ChangeFamilies(Draws* draws, Configuration* configuration) {
  for (FamilyConfiguration& family : configuration->families) {
    if (draws->OneIn(2)) {
      DrawTable(draws, &family);
    }
    if (draws->OneIn(2)) {
      family.prefix_extractor = DrawPrefixExtractor(family, draws);
    }
    family.policy = DrawPolicy(family.layout->partition_key, draws);
  }
}

Configuration DrawConfiguration(uint64_t scale, Draws* draws) {
  Configuration configuration;
  configuration.has_wal = !draws->OneIn(3);
  configuration.options = DrawDbOptions(scale, draws);
  const std::shared_ptr<rocksdb::Cache> kept_cache =
      rocksdb::NewLRUCache(draws->Of<size_t>({65536, 8388608}));
  const uint64_t num_families = draws->Between(1, 3);
  for (uint64_t i = 0; i < num_families; ++i) {
    configuration.families.push_back(DrawFamily(draws));
    configuration.families.back().name =
        i == 0 ? "default" : "family" + std::to_string(i);
    configuration.families.back().kept_cache = kept_cache;
  }
  return configuration;
}

std::string FamilyConfiguration::OptionsString(Stand stand) const {
  return options +
         (prefix_extractor.empty() ? ""
                                   : ";prefix_extractor=" + prefix_extractor) +
         ";block_based_table_factory={filter_policy=" + policy.In(stand) + ";" +
         table_options + "}";
}

std::string Configuration::ToString(Stand stand) const {
  std::string text = (has_wal ? "WAL, " : "no WAL, ") + options;
  for (const FamilyConfiguration& family : families) {
    text += " | " + family.name + ": keys " + family.layout->name +
            (family.has_range_deletes ? ", range deletes" : "") +
            (family.uses_kept_cache ? ", kept block cache" : "") + ", " +
            family.OptionsString(stand);
  }
  return text;
}

rocksdb::ColumnFamilyOptions ColumnFamilyOptionsOf(
    const FamilyConfiguration& family, Stand stand) {
  rocksdb::ColumnFamilyOptions options;
  RequireOk(rocksdb::GetColumnFamilyOptionsFromString(
                StrictOptions(), rocksdb::ColumnFamilyOptions(),
                family.OptionsString(stand), &options),
            "the options " + family.OptionsString(stand));
  if (family.uses_kept_cache) {
    auto table =
        *options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    table.block_cache = family.kept_cache;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  }
  if (stand == Stand::kOurs) {
    Watch(&options);
  }
  return options;
}

rocksdb::DBOptions DbOptionsOf(const Configuration& configuration) {
  rocksdb::DBOptions options;
  RequireOk(
      rocksdb::GetDBOptionsFromString(StrictOptions(), rocksdb::DBOptions(),
                                      configuration.options, &options),
      "the options " + configuration.options);
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.keep_log_file_num = 2;
  return options;
}

}  // namespace cassandra_bloom::testing
