// SPDX-License-Identifier: Apache-2.0

#include "tests/policy/policy_probe.h"

#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/version.h>

#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom::testing {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::ObjectRegistry;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

namespace {

int32_t BigEndian32(const std::string& bytes, size_t offset) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<uint8_t>(bytes.at(offset + i));
  }
  return static_cast<int32_t>(value);
}

}  // namespace

void RegisterInDefaultRegistry() {
  static const bool registered = [] {
    ObjectRegistry::Default()->AddLibrary("cassandra_bloom",
                                          register_cassandra_bloom, "");
    return true;
  }();
  (void)registered;
}

std::vector<ConfigOptions> AllConfigOptions() {
  std::vector<ConfigOptions> configs;
  for (unsigned bits = 0; bits < 16; ++bits) {
    ConfigOptions config;
    config.ignore_unknown_options = (bits & 1) != 0;
    config.ignore_unsupported_options = (bits & 2) != 0;
    config.invoke_prepare_options = (bits & 4) != 0;
    config.input_strings_escaped = (bits & 8) != 0;
    configs.push_back(config);
  }
  return configs;
}

std::string ToString(const ConfigOptions& config) {
  std::string text;
  const auto add = [&text](const char* name, bool value) {
    text += std::string(name) + "=" + (value ? "true " : "false ");
  };
  add("ignore_unknown_options", config.ignore_unknown_options);
  add("ignore_unsupported_options", config.ignore_unsupported_options);
  add("invoke_prepare_options", config.invoke_prepare_options);
  add("input_strings_escaped", config.input_strings_escaped);
  return text;
}

std::string OptionsFileText(const std::string& policy) {
  return "[Version]\n"
         "  rocksdb_version=" +
         std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) +
         "." + std::to_string(ROCKSDB_PATCH) +
         "\n"
         "  options_file_version=1.1\n"
         "[DBOptions]\n"
         "  max_open_files=100\n"
         "[CFOptions \"default\"]\n"
         "  write_buffer_size=4194304\n"
         "[TableOptions/BlockBasedTable \"default\"]\n"
         "  block_size=8192\n"
         "  filter_policy=" +
         policy + "\n";
}

PolicyPtr FilterPolicyOf(const ColumnFamilyOptions& cf_options) {
  const auto* const table_options =
      cf_options.table_factory->GetOptions<BlockBasedTableOptions>();
  return table_options == nullptr ? nullptr : table_options->filter_policy;
}

void SetFilterPolicy(PolicyPtr policy, ColumnFamilyOptions* cf_options) {
  BlockBasedTableOptions table_options;
  table_options.filter_policy = std::move(policy);
  cf_options->table_factory.reset(NewBlockBasedTableFactory(table_options));
}

std::string IdOf(const PolicyPtr& policy) {
  return policy == nullptr ? "(none)" : policy->GetId();
}

std::string BuildBlock(const PolicyPtr& policy, const Place& place) {
  if (policy == nullptr) {
    return "(no policy)";
  }
  BlockBasedTableOptions table_options;
  table_options.optimize_filters_for_memory = false;
  table_options.partition_filters = place.is_partition_of_prefixes;
  table_options.whole_key_filtering = !place.is_partition_of_prefixes;
  FilterBuildingContext context(table_options);
  context.compaction_style = place.style;
  context.level_at_creation = place.level;
  context.is_bottommost = place.is_bottommost;
  context.reason =
      place.is_flush ? ROCKSDB_NAMESPACE::TableFileCreationReason::kFlush
                     : ROCKSDB_NAMESPACE::TableFileCreationReason::kCompaction;
  const std::unique_ptr<FilterBitsBuilder> builder(
      policy->GetBuilderWithContext(context));
  if (builder == nullptr) {
    return "(no builder)";
  }
  for (int i = 0; i < 1000; ++i) {
    builder->AddKey("key" + std::to_string(i));
  }
  std::unique_ptr<const char[]> buffer;
  Status status;
  return builder->Finish(&buffer, &status).ToString();
}

int32_t NumProbes(const std::string& block) { return BigEndian32(block, 0); }

int32_t NumWords(const std::string& block) { return BigEndian32(block, 4); }

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

::testing::AssertionResult IsRefusal(const Status& status,
                                     const RefusedString& refused) {
  if (!status.IsInvalidArgument()) {
    return ::testing::AssertionFailure()
           << "not InvalidArgument: " << status.ToString();
  }
  return Explains(status.ToString(), refused);
}

}  // namespace cassandra_bloom::testing
