// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/soak/shadow.h"

#include <algorithm>

#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

void Apply(const RandomWrite& write, Shadow* shadow) {
  Rows& rows = (*shadow)[write.family];
  switch (write.kind) {
    case RandomWrite::kPut:
      rows[write.key] = write.end_or_value;
      break;
    case RandomWrite::kMerge:
      rows[write.key] += write.end_or_value;
      break;
    case RandomWrite::kDeleteRange:
      rows.erase(rows.lower_bound(write.key),
                 rows.lower_bound(write.end_or_value));
      break;
    default:
      rows.erase(write.key);
  }
}

}  // namespace

RandomWrite RandomWrites::Make(const Shadow& shadow) {
  const size_t family = NextRandom(&random_) % shadow.size();
  const uint64_t number = keys_.Written(NextRandom(&random_));
  const std::string key = keys_.Key(number);
  const std::string value = std::to_string(NextRandom(&random_) % 1000000);
  const uint64_t choice = NextRandom(&random_) % 100;
  if (KeySpace::IsForSingleDelete(number)) {
    return shadow[family].count(key) == 0
               ? RandomWrite{RandomWrite::kPut, family, key, value}
               : RandomWrite{RandomWrite::kSingleDelete, family, key, ""};
  }
  if (choice < 60) {
    return {RandomWrite::kPut, family, key, value};
  }
  if (choice < 88) {
    return {RandomWrite::kDelete, family, key, ""};
  }
  if (choice < 98) {
    return {RandomWrite::kMerge, family, key, "+" + value};
  }
  const uint64_t end = std::min(number + 1 + NextRandom(&random_) % 100,
                                KeySpace::NextForSingleDelete(number));
  return {RandomWrite::kDeleteRange, family, key, keys_.Key(end)};
}

std::vector<RandomWrite> RandomWrites::Next(Shadow* shadow) {
  std::vector<RandomWrite> writes = {
      {RandomWrite::kPut, 0, kBatchKey, std::to_string(++num_batches_)}};
  Apply(writes.back(), shadow);
  for (uint64_t more = 1 + NextRandom(&random_) % 8; more > 0; --more) {
    writes.push_back(Make(*shadow));
    Apply(writes.back(), shadow);
  }
  return writes;
}

}  // namespace cassandra_bloom::testing
