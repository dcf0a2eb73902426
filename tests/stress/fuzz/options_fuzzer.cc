// SPDX-License-Identifier: Apache-2.0

// Takes any text as a filter_policy string. The id of a refused string must be
// refused, too. The id of an accepted string must give the same filters.
//
// The first line of the input follows "cassandra_bloom" in the string. If the
// line begins with "!", the rest of the line is the whole string. Other lines
// are options, NAME=VALUE.

#include <rocksdb/env.h>
#include <rocksdb/table.h>

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/policy.h"
#include "tests/stress/fuzz/fuzz_input.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::CompactionStyle;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::Slice;

std::string TakeLine(std::string* text) {
  const std::string line = text->substr(0, text->find('\n'));
  text->erase(0, line.size() + 1);
  return line;
}

// Discards messages, because a fuzzer would print millions of them.
class SilentLogger final : public ROCKSDB_NAMESPACE::Logger {
 public:
  using Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

// Returns an empty string if the policy builds no filter.
std::string Filter(const CassandraBloomPolicy& policy, CompactionStyle style,
                   int level, bool is_bottommost) {
  const BlockBasedTableOptions table_options;
  FilterBuildingContext context(table_options);
  SilentLogger logger;
  context.info_log = &logger;
  context.compaction_style = style;
  context.level_at_creation = level;
  context.is_bottommost = is_bottommost;
  const std::unique_ptr<FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  if (builder == nullptr) {
    return "";
  }
  for (const char* const key : {"", "key", "another key"}) {
    builder->AddKey(Slice(key));
  }
  std::unique_ptr<const char[]> buffer;
  return builder->Finish(&buffer, nullptr).ToString();
}

void CheckSame(const PolicySettings& one, const PolicySettings& other) {
  FUZZ_CHECK(one.id == other.id);
  FUZZ_CHECK(one.error.empty() == other.error.empty());
  FUZZ_CHECK(FilterNameFor(one.partition_key) ==
             FilterNameFor(other.partition_key));
  if (one.id == kRefusedId) {
    return;
  }
  const CassandraBloomPolicy policy(one.id);
  const CassandraBloomPolicy same(other.id);
  for (const CompactionStyle style :
       {ROCKSDB_NAMESPACE::kCompactionStyleLevel,
        ROCKSDB_NAMESPACE::kCompactionStyleUniversal,
        ROCKSDB_NAMESPACE::kCompactionStyleFIFO}) {
    for (const int level : {-1, 0, 1, 6}) {
      for (const bool is_bottommost : {false, true}) {
        const std::string filter = Filter(policy, style, level, is_bottommost);
        FUZZ_CHECK(filter == Filter(same, style, level, is_bottommost));
        FUZZ_CHECK(one.error.empty() || filter.empty());
      }
    }
  }
}

void Check(std::string text) {
  std::string id = TakeLine(&text);
  if (!id.empty() && id[0] == '!') {
    id.erase(0, 1);
  } else {
    id.insert(0, kPolicyName);
  }
  OptionTexts options;
  while (!text.empty()) {
    const std::string line = TakeLine(&text);
    const size_t equals = line.find('=');
    options[line.substr(0, equals)] =
        equals == std::string::npos ? "" : line.substr(equals + 1);
  }
  const PolicySettings settings = SettingsOf(id, options);
  FUZZ_CHECK(settings.id.find_first_of("=;{}#") == std::string::npos);
  CheckSame(settings, SettingsOf(settings.id));
}

}  // namespace
}  // namespace cassandra_bloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cassandra_bloom::testing::Check(
      std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
