// SPDX-License-Identifier: Apache-2.0

#include "tools/export/sst_keys.h"

#include <rocksdb/comparator.h>
#include <rocksdb/iterator.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>

#include <cstdint>
#include <memory>

#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom {

using rocksdb::BytewiseComparator;
using rocksdb::Comparator;
using rocksdb::Iterator;
using rocksdb::MergeOperator;
using rocksdb::Options;
using rocksdb::ReadOptions;
using rocksdb::SstFileReader;
using rocksdb::Status;
using rocksdb::TableProperties;

namespace {

// Since RocksDB 9.2, SstFileReader::NewTableIterator shows deletions, too.
constexpr bool kDeletionsAreSeen = CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 902;

// Merges all values into an empty one, because only keys are wanted. Without a
// merge operator, RocksDB does not show the keys of merge entries.
class KeysOnlyMergeOperator final : public MergeOperator {
 public:
  const char* Name() const override { return "CassandraBloomKeysOnly"; }
  bool FullMergeV2(const MergeOperationInput& /*in*/,
                   MergeOperationOutput* out) const override {
    out->new_value.clear();
    return true;
  }
};

// Returns the comparator of this name. Returns nullptr if this library cannot
// read keys in its order. Comparators that add timestamps to keys have other
// names, so the result for them is nullptr.
const Comparator* ComparatorByName(const std::string& name) {
  for (const Comparator* const known :
       {BytewiseComparator(), rocksdb::ReverseBytewiseComparator()}) {
    if (name == known->Name()) {
      return known;
    }
  }
  return nullptr;
}

std::unique_ptr<Iterator> NewKeyIterator(SstFileReader* reader) {
#if CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 902
  return reader->NewTableIterator();
#else
  ReadOptions options;
  options.total_order_seek = true;
  options.fill_cache = false;
  options.verify_checksums = true;
  options.readahead_size = size_t{1} << 20;
  return std::unique_ptr<Iterator>(reader->NewIterator(options));
#endif
}

bool CanReadKeys(const std::string& path, const TableProperties& properties,
                 std::string* error) {
  const std::string& comparator = properties.comparator_name;
  if (ComparatorByName(comparator) == nullptr) {
    *error = path +
             ": its keys cannot be read here, because they are in the order "
             "of the comparator '" +
             comparator +
             "'; only RocksDB's bytewise comparators without timestamps are "
             "known. Either let RocksDB write full filters that hold only "
             "whole keys (partition_filters=false; then compact), whose blocks "
             "are exported as they are, or build the "
             "Filter.db in a program that has the comparator: FilterDbBuilder "
             "in cassandra_bloom/filter_db.h";
    return false;
  }
  // Subtracts the range deletions, because num_deletions includes them, but
  // they hide no key here.
  if (!kDeletionsAreSeen &&
      properties.num_deletions > properties.num_range_deletions) {
    *error = path + ": has " +
             std::to_string(properties.num_deletions -
                            properties.num_range_deletions) +
             " deletions, whose keys RocksDB before 9.2 does not show, and "
             "without them deleted rows come back to life. Compact the "
             "database, or export with RocksDB 9.2 or later";
    return false;
  }
  return true;
}

}  // namespace

bool ForEachKey(const std::string& path, const TableProperties& properties,
                const VisitKey& visit, std::string* error) {
  if (!CanReadKeys(path, properties, error)) {
    return false;
  }
  Options options;
  options.comparator = ComparatorByName(properties.comparator_name);
  options.merge_operator = std::make_shared<KeysOnlyMergeOperator>();
  SstFileReader reader(options);
  if (const Status status = reader.Open(path); !status.ok()) {
    *error = path + ": cannot be read: " + status.ToString();
    return false;
  }
  const std::unique_ptr<Iterator> iterator = NewKeyIterator(&reader);
  // NewTableIterator gives keys that end with a sequence number and a type.
  constexpr size_t kEnd = kDeletionsAreSeen ? 8 : 0;
  uint64_t seen = 0;
  for (iterator->SeekToFirst();
       iterator->Valid() && iterator->key().size() >= kEnd; iterator->Next()) {
    ++seen;
    visit(iterator->key().ToStringView().substr(0,
                                                iterator->key().size() - kEnd));
  }
  if (const Status status = iterator->status(); !status.ok()) {
    *error = path + ": its keys cannot be read: " + status.ToString();
    return false;
  }
  if (kDeletionsAreSeen &&
      seen != properties.num_entries - properties.num_range_deletions) {
    *error = path + ": is damaged: " + std::to_string(seen) +
             " entries, but its properties say " +
             std::to_string(properties.num_entries);
    return false;
  }
  return true;
}

}  // namespace cassandra_bloom
