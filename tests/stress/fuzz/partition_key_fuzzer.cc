// SPDX-License-Identifier: Apache-2.0

// A filter must find all its keys and prefixes, with any partition key
// extractor. The extractor must equal a naive extractor, and accept its own
// canonical spelling.
//
// The first bytes of the input choose the extractor. Keys with their lengths
// follow.

#include <rocksdb/table.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/filter/sizing.h"
#include "plugin/lsm/partition_key.h"
#include "plugin/policy/bits_builder.h"
#include "plugin/policy/bits_reader.h"
#include "plugin/prefix_extractor/partition_transform.h"
#include "tests/stress/fuzz/fuzz_check.h"
#include "tests/stress/fuzz/fuzz_input.h"
#include "tests/support/naive_partition_key.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

std::string Spelling(FuzzInput* input) {
  const size_t kind = input->Number(1);
  const std::string skip = "skip:" + std::to_string(input->Number(1) % 12);
  const std::string count = std::to_string(1 + input->Number(1) % 6);
  switch (kind % 9) {
    case 0:
      return "whole";
    case 1:
      return skip;
    case 2:
      return "fixed:" + count;
    case 3:
      return skip + ",fixed:" + count;
    case 4:
      return "u16";
    case 5:
      return skip + ",u16";
    case 6:
      return "composite:" + count;
    case 7:
      return skip + ",composite:" + count;
    default:
      return input->Bytes(kind / 9);
  }
}

// A long key repeats one byte, so that it takes little input.
std::vector<std::string> Keys(FuzzInput* input) {
  std::vector<std::string> keys;
  while (!input->at_end() && keys.size() < 300) {
    const size_t length = input->Number(1);
    std::string key = input->Bytes(length % 64);
    if (length >= 252) {
      key.resize(65530 + length % 16, key.empty() ? '\0' : key[0]);
    }
    keys.push_back(key);
  }
  return keys;
}

bool MayMatchInBatch(FilterBitsReader* reader, std::string_view key) {
  Slice other = "other";
  Slice slice(key.data(), key.size());
  Slice* slices[] = {&other, &slice};
  bool may_match[2] = {};
  reader->MayMatch(2, slices, may_match);
  FUZZ_CHECK(may_match[1] == reader->MayMatch(slice));
  return may_match[1];
}

void CheckOne(PartitionKeyExtractor extractor, const std::string& spelling,
              const std::string& key) {
  // The memory has exactly the key's size, so a sanitizer sees a read past the
  // end.
  const std::unique_ptr<char[]> exact(new char[key.size()]);
  key.copy(exact.get(), key.size());
  const std::string_view view(exact.get(), key.size());
  const std::string_view found = extractor.Extract(view);
  FUZZ_CHECK(found == NaivePartitionKey(spelling, key));
  const std::optional<size_t> end = extractor.End(view);
  FUZZ_CHECK(!end || *end <= key.size());
  if (end && extractor.has_end()) {
    const std::string_view prefix = view.substr(0, *end);
    FUZZ_CHECK(extractor.Extract(prefix) == found);
    FUZZ_CHECK(extractor.End(prefix) == end);
    FUZZ_CHECK(extractor.Extract(key + "more") == found);
    FUZZ_CHECK(*end == 0 || !extractor.End(prefix.substr(0, *end - 1)));
  } else {
    FUZZ_CHECK(end || found == key);
  }
}

// Builds and checks a filter of keys[first] to keys[end - 1]. `builder` may
// already have built another filter.
void CheckFilter(PartitionKeyExtractor extractor,
                 const PartitionTransform* transform,
                 const std::vector<std::string>& keys, size_t first, size_t end,
                 CassandraBloomBitsBuilder* builder) {
  for (size_t i = first; i < end; ++i) {
    builder->AddKey(keys[i]);
    if (transform != nullptr && transform->InDomain(keys[i]) && i % 3 == 0) {
      const size_t before = builder->EstimateEntriesAdded();
      builder->AddKey(transform->Transform(keys[i]));
      FUZZ_CHECK(builder->EstimateEntriesAdded() == before);
    }
  }
  FUZZ_CHECK((builder->EstimateEntriesAdded() > 0) == (end > first));
  std::unique_ptr<const char[]> buffer;
  Status status;
  const Slice block = builder->Finish(&buffer, &status);
  FUZZ_CHECK(status.ok());
  FUZZ_CHECK(builder->MaybePostVerify(block).ok());
  FUZZ_CHECK(builder->EstimateEntriesAdded() == 0);
  const std::unique_ptr<FilterBitsReader> reader(
      NewBitsReader(block, extractor));
  for (size_t i = first; i < end; ++i) {
    FUZZ_CHECK(MayMatchInBatch(reader.get(), keys[i]));
    if (transform != nullptr && transform->InDomain(keys[i])) {
      const Slice prefix = transform->Transform(keys[i]);
      FUZZ_CHECK(MayMatchInBatch(reader.get(), {prefix.data(), prefix.size()}));
    }
  }
}

void Check(const uint8_t* data, size_t size) {
  FuzzInput input(data, size);
  const std::string spelling = Spelling(&input);
  std::string error;
  const auto extractor = PartitionKeyExtractor::Parse(spelling, &error);
  FUZZ_CHECK(extractor.has_value() == error.empty());
  const PartitionTransform transform(kPartitionTransformName + (":" + spelling),
                                     /*may_get_options=*/false);
  const bool has_prefixes = transform.SettingsStatus().ok();
  FUZZ_CHECK(has_prefixes == (extractor && extractor->has_end()));
  if (!extractor) {
    return;
  }
  const auto again =
      PartitionKeyExtractor::Parse(extractor->spelling(), &error);
  FUZZ_CHECK(again && again->spelling() == extractor->spelling());
  const std::vector<std::string> keys = Keys(&input);
  for (const std::string& key : keys) {
    CheckOne(*extractor, spelling, key);
    FUZZ_CHECK(again->Extract(key) == extractor->Extract(key));
  }
  BlockBasedTableOptions table_options;
  table_options.detect_filter_construct_corruption = true;
  CassandraBloomBitsBuilder builder(*SizingForBitsPerKey(10), *extractor,
                                    BlockForm::kFilterDb,
                                    FilterBuildingContext(table_options));
  const size_t half = keys.size() / 2;
  CheckFilter(*extractor, has_prefixes ? &transform : nullptr, keys, 0, half,
              &builder);
  CheckFilter(*extractor, has_prefixes ? &transform : nullptr, keys, half,
              keys.size(), &builder);
}

}  // namespace
}  // namespace cassandra_bloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cassandra_bloom::testing::Check(data, size);
  return 0;
}
