// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/soak/families.h"

#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/version.h>

#include <iterator>
#include <memory>

#include "cassandra_bloom/filter_policy.h"
#include "tests/stress/soak/key_space.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

PolicyPtr PolicyOf(const std::string& settings) {
  PolicyPtr policy;
  Require(rocksdb::FilterPolicy::CreateFromString(
      rocksdb::ConfigOptions(), "cassandra_bloom:" + settings, &policy));
  return policy;
}

std::shared_ptr<const rocksdb::SliceTransform> ExtractorFor(Prefixes prefixes) {
  std::shared_ptr<const rocksdb::SliceTransform> extractor;
  if (prefixes == Prefixes::kFixed) {
    extractor.reset(rocksdb::NewFixedPrefixTransform(KeySpace::kPrefixSize));
  } else if (prefixes == Prefixes::kPartitions) {
    Require(rocksdb::NewCassandraPartitionTransform("u16", &extractor));
  }
  return extractor;
}

const char* RandomBlocks(uint64_t* random) {
  static const char* const kBlocks[] = {
      "", "", ":blocks:rocksdb", ":bottommost_filter:ribbon:blocks:rocksdb",
      ":filter:bloom:bottommost_filter:cassandra:blocks:rocksdb"};
  return kBlocks[NextRandom(random) % std::size(kBlocks)];
}

}  // namespace

const std::vector<Family>& Families() {
  static const std::vector<Family> families = {
      {"default", Layout::kFull, Prefixes::kNone, true},
      {"partitioned", Layout::kPartitionedCached, Prefixes::kNone, true},
      {"both", Layout::kFullCached, Prefixes::kFixed, true},
      {"partitioned_both", Layout::kPartitioned, Prefixes::kFixed, true},
      {"prefixes", Layout::kFull, Prefixes::kFixed, false},
      {"partitioned_prefixes", Layout::kPartitionedPinned, Prefixes::kFixed,
       false},
      {"partition_key", Layout::kFull, Prefixes::kPartitions, true},
      {"partitioned_partition_key", Layout::kPartitionedCached,
       Prefixes::kPartitions, true},
  };
  return families;
}

bool SeekForPrevMisses(const Family& family) {
  return ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR < 905 &&
         IsPartitioned(family.layout) && !family.whole_keys;
}

std::string RandomSettings(const Family& family, uint64_t* random) {
  const uint64_t choice = NextRandom(random) % 10;
  const std::string whole = std::to_string(1 + NextRandom(random) % 20);
  return (choice == 0   ? "fp:0.01"
          : choice == 1 ? whole + ".375"
                        : whole) +
         (family.prefixes == Prefixes::kPartitions ? ":partition_key:u16"
                                                   : RandomBlocks(random));
}

rocksdb::ColumnFamilyOptions OptionsFor(const Family& family,
                                        const std::string& settings,
                                        size_t file_size) {
  rocksdb::BlockBasedTableOptions table_options =
      TableOptions(PolicyOf(settings), family.layout);
  table_options.whole_key_filtering = family.whole_keys;
  table_options.detect_filter_construct_corruption = true;
  rocksdb::ColumnFamilyOptions options = DbOptions(table_options);
  options.prefix_extractor = ExtractorFor(family.prefixes);
  options.merge_operator = std::make_shared<AppendOperator>();
  options.disable_auto_compactions = false;
  options.level0_file_num_compaction_trigger = 3;
  options.write_buffer_size = file_size;
  options.target_file_size_base = file_size;
  options.max_bytes_for_level_base = 4 * file_size;
  return options;
}

bool AppendOperator::Merge(const rocksdb::Slice& /*key*/,
                           const rocksdb::Slice* existing_value,
                           const rocksdb::Slice& value, std::string* new_value,
                           rocksdb::Logger* /*logger*/) const {
  *new_value = (existing_value == nullptr ? "" : existing_value->ToString()) +
               value.ToString();
  return true;
}

}  // namespace cassandra_bloom::testing
