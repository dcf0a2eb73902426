// SPDX-License-Identifier: Apache-2.0

#include "tests/policy/policy_probe.h"

#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/version.h>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_bits_api.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {

TransformPtr TransformFor(const std::string& partition_key) {
  TransformPtr transform;
  Require(rocksdb::NewCassandraPartitionTransform(partition_key, &transform));
  return transform;
}

std::vector<rocksdb::ConfigOptions> StrictAndLenient() {
  rocksdb::ConfigOptions strict;
  strict.ignore_unknown_options = false;
  strict.ignore_unsupported_options = false;
  strict.invoke_prepare_options = true;
  rocksdb::ConfigOptions lenient;
  lenient.ignore_unknown_options = true;
  lenient.ignore_unsupported_options = true;
  lenient.invoke_prepare_options = false;
  return {strict, lenient};
}

rocksdb::Status LoadOptionsFile(const rocksdb::ConfigOptions& config,
                                const std::string& policy,
                                const std::string& family_lines,
                                rocksdb::ColumnFamilyOptions* family) {
  const TempDir folder;
  WriteFile(folder / "OPTIONS-000007",
            "[Version]\n"
            "  rocksdb_version=" +
                std::to_string(ROCKSDB_MAJOR) + "." +
                std::to_string(ROCKSDB_MINOR) + "." +
                std::to_string(ROCKSDB_PATCH) +
                "\n"
                "  options_file_version=1.1\n"
                "[DBOptions]\n"
                "  max_open_files=100\n"
                "[CFOptions \"default\"]\n"
                "  write_buffer_size=4194304\n" +
                family_lines +
                "[TableOptions/BlockBasedTable \"default\"]\n"
                "  block_size=8192\n"
                "  filter_policy=" +
                policy + "\n");
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  const rocksdb::Status status = LoadOptionsFromFile(
      config, folder / "OPTIONS-000007", &db_options, &families);
  if (!families.empty()) {
    *family = families.front().options;
  }
  return status;
}

rocksdb::Options LatestOptions(const rocksdb::ConfigOptions& config,
                               const TestDb& db) {
  rocksdb::DBOptions db_options;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  Require(
      rocksdb::LoadLatestOptions(config, db.path(), &db_options, &families));
  return rocksdb::Options(db_options, families.at(0).options);
}

PolicyPtr FilterPolicyOf(const rocksdb::ColumnFamilyOptions& cf_options) {
  const auto* const table_options =
      cf_options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  return table_options == nullptr ? nullptr : table_options->filter_policy;
}

std::string BuildBlock(const PolicyPtr& policy, const Place& place,
                       size_t num_keys) {
  if (policy == nullptr) {
    return "(no policy)";
  }
  rocksdb::BlockBasedTableOptions table_options;
  table_options.format_version = place.format_version;
  table_options.optimize_filters_for_memory = false;
  table_options.partition_filters = place.is_partition_of_prefixes;
  table_options.whole_key_filtering = !place.is_partition_of_prefixes;
  rocksdb::FilterBuildingContext context(table_options);
  context.compaction_style = place.style;
  context.level_at_creation = place.level;
  context.is_bottommost = place.is_bottommost;
  context.reason = place.is_flush
                       ? rocksdb::TableFileCreationReason::kFlush
                       : rocksdb::TableFileCreationReason::kCompaction;
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy->GetBuilderWithContext(context));
  if (builder == nullptr) {
    return "(no builder)";
  }
  for (size_t i = 0; i < num_keys; ++i) {
    builder->AddKey("key" + std::to_string(i));
  }
  return FinishBlock(builder.get());
}

::testing::AssertionResult Explains(const std::string& message,
                                    const RefusedString& refused) {
  for (const char* const part :
       {"cassandra_bloom: ", refused.value, refused.range}) {
    if (message.find(part) == std::string::npos) {
      return ::testing::AssertionFailure()
             << "no \"" << part << "\" in \"" << message << "\"";
    }
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult IsRefusal(const rocksdb::Status& status,
                                     const RefusedString& refused) {
  if (!status.IsInvalidArgument()) {
    return ::testing::AssertionFailure()
           << "not InvalidArgument: " << status.ToString();
  }
  return Explains(status.ToString(), refused);
}

}  // namespace cassandra_bloom::testing
