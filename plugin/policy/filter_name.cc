// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {
namespace {

constexpr char kInFilterName[] = ".partition_key.";

}  // namespace

std::string FilterNameFor(PartitionKeyExtractor partition_key) {
  return partition_key.is_whole() ? kPolicyName
                                  : std::string(kPolicyName) + kInFilterName +
                                        partition_key.spelling();
}

std::optional<PartitionKeyExtractor> PartitionKeyOfFilterName(
    const std::string& name) {
  if (name == kPolicyName) {
    return PartitionKeyExtractor();
  }
  const std::string before = std::string(kPolicyName) + kInFilterName;
  if (name.compare(0, before.size(), before) != 0) {
    return std::nullopt;
  }
  std::string ignored;
  const auto found =
      PartitionKeyExtractor::Parse(name.substr(before.size()), &ignored);
  // Refuses another spelling of the same extractor, because this library never
  // writes it.
  return found && FilterNameFor(*found) == name ? found : std::nullopt;
}

}  // namespace cassandra_bloom
