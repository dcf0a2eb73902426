#include "plugin/rocksdb/partition_transform.h"

#include <rocksdb/slice.h>

#include <optional>

#include "plugin/rocksdb/slice_view.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::Slice;

namespace {

// What stands before the extractor.
std::string NameAndColon() {
  return std::string(kPartitionTransformName) + ":";
}

}  // namespace

std::unique_ptr<const PartitionTransform> PartitionTransform::New(
    const std::string& id, std::string* error) {
  const std::string before = NameAndColon();
  if (id.compare(0, before.size(), before) != 0) {
    *error = "'" + id + "' is not a prefix extractor; use " + before +
             "PARTITION_KEY, such as " + before + "skip:8,u16";
    return nullptr;
  }
  const std::string spelling = id.substr(before.size());
  const auto extractor = PartitionKeyExtractor::Parse(spelling, error);
  if (!extractor) {
    error->insert(0, before + " ");
    return nullptr;
  }
  if (!extractor->has_end()) {
    *error = before + " partition key '" + spelling +
             "' goes on to the end of every key, so that each is a prefix by "
             "itself; as a prefix extractor use fixed:N, u16 or composite:C, "
             "with or without skip:S, before it";
    return nullptr;
  }
  return std::unique_ptr<const PartitionTransform>(
      new PartitionTransform(*extractor));
}

std::string PartitionTransform::IdFor(PartitionKeyExtractor extractor) {
  return NameAndColon() + extractor.spelling();
}

Slice PartitionTransform::Transform(const Slice& key) const {
  return {key.data(), extractor_.End(ViewOf(key)).value_or(key.size())};
}

bool PartitionTransform::InDomain(const Slice& key) const {
  return extractor_.End(ViewOf(key)).has_value();
}

bool PartitionTransform::InRange(const Slice& prefix) const {
  return extractor_.End(ViewOf(prefix)) == prefix.size();
}

bool PartitionTransform::SameResultWhenAppended(const Slice& prefix) const {
  return InDomain(prefix);
}

}  // namespace cassandra_bloom
