// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/files/sst_file.h"

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/iterator.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <vector>

#include "plugin/policy/block_form.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/filter_name.h"
#include "tools/sst_filters/export/read_only_env.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::BytewiseComparator;
using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::MergeOperator;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SstFileReader;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableProperties;

namespace {

// Since RocksDB 9.2, SstFileReader::NewTableIterator shows deletions, too.
constexpr bool kDeletionsAreSeen = CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 902;

// A policy to which RocksDB passes the filter blocks of a file when it opens
// the file, if the filter has this name. Lives as long as the reader.
class BlockObserver final : public FilterPolicy {
 public:
  using Visit = std::function<void(const Slice& block)>;

  BlockObserver(std::string filter_name, Visit visit)
      : filter_name_(std::move(filter_name)), visit_(std::move(visit)) {}

  const char* Name() const override { return kPolicyName; }
  const char* CompatibilityName() const override {
    return filter_name_.c_str();
  }
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& /*context*/) const override {
    return nullptr;
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    if (visit_) {
      visit_(contents);
    }
    return nullptr;  // The filter is never queried.
  }

  // Stops the calls of `visit`, which may refer to objects that no longer exist
  // when the keys are read.
  void EndVisits() { visit_ = nullptr; }

 private:
  const std::string filter_name_;
  Visit visit_;
};

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
       {BytewiseComparator(), ROCKSDB_NAMESPACE::ReverseBytewiseComparator()}) {
    if (name == known->Name()) {
      return known;
    }
  }
  return nullptr;
}

// Returns true if the recorded policy writes only filters that SstFile can
// visit. If SstFile has visited no block of such a policy, the filter is
// damaged. Returns false for policies before RocksDB 7.0, because they also
// wrote filters that SstFile cannot visit.
bool HasFilterThatWeKnow(const TableProperties& properties) {
  const std::string& policy = properties.filter_policy_name;
  return policy == "bloomfilter" || policy == "ribbonfilter" ||
         PartitionKeyOfFilterName(policy);
}

// Returns which of RocksDB's own filters a block without our trailer is. Of the
// last five bytes, the first is -1 for a Bloom filter and -2 for a Ribbon
// filter. For a Bloom filter, the second is 0.
FilterKind KindOfRocksdbs(std::string_view block) {
  if (block.size() <= sizeof(kTrailer)) {
    return FilterKind::kRocksdbsOther;
  }
  const std::string_view end = block.substr(block.size() - sizeof(kTrailer));
  return end[0] == '\xff' && end[1] == 0 ? FilterKind::kRocksdbsBloom
         : end[0] == '\xfe'              ? FilterKind::kRocksdbsRibbon
                                         : FilterKind::kRocksdbsOther;
}

bool FailToOpen(const std::string& path, const Status& status,
                std::string* error) {
  *error =
      path + ": cannot be read as a block-based SST file: " + status.ToString();
  return false;
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

// Returns the key of the entry. NewTableIterator gives keys that end with a
// sequence number and a type.
bool TakeKey(const Iterator& iterator, std::string_view* key) {
  constexpr size_t kSequenceNumberSize = kDeletionsAreSeen ? 8 : 0;
  *key = iterator.key().ToStringView();
  if (key->size() < kSequenceNumberSize) {
    return false;
  }
  key->remove_suffix(kSequenceNumberSize);
  return true;
}

}  // namespace

std::unique_ptr<SstFile> SstFile::Open(const std::string& path,
                                       const VisitBlock& visit,
                                       std::string* error) {
  std::unique_ptr<SstFile> file(new SstFile(path));
  const bool good = visit
                        ? file->OpenWithFilter(visit, error)
                        : file->OpenWithoutFilter(BytewiseComparator(), error);
  return good ? std::move(file) : nullptr;
}

// Opens the file. If `visit` is not null, calls it for the blocks of the file's
// filter if that filter has the name `filter_name`.
Status SstFile::OpenReader(const Comparator* comparator,
                           const std::string& filter_name,
                           const VisitBlock& visit) {
  std::shared_ptr<BlockObserver> observer;
  if (visit) {
    observer = std::make_shared<BlockObserver>(
        filter_name,
        [&](const Slice& block) { AddBlock(filter_name, block, visit); });
  }
  BlockBasedTableOptions table_options;
  // When RocksDB opens a file, it reads filter partitions only if there is a
  // block cache.
  table_options.no_block_cache = observer == nullptr;
  table_options.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(size_t{1} << 20);
  table_options.filter_policy = observer;
  Options options;
  options.env = ReadOnlyEnv();
  options.info_log = NewDiscardingLogger();
  options.comparator = comparator;
  options.merge_operator = std::make_shared<KeysOnlyMergeOperator>();
  options.table_factory.reset(
      ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table_options));
  auto reader = std::make_unique<SstFileReader>(options);
  Status status = reader->Open(path_);
  if (observer != nullptr) {
    observer->EndVisits();
  }
  if (status.ok()) {
    reader_ = std::move(reader);
    properties_ = reader_->GetTableProperties();
    if (properties_->filter_size == 0) {
      filter_kind_ = FilterKind::kNone;
    }
  }
  return status;
}

bool SstFile::OpenWithoutFilter(const Comparator* comparator,
                                std::string* error) {
  const Status status = OpenReader(comparator, "", /*visit=*/nullptr);
  return status.ok() || FailToOpen(path_, status, error);
}

// Opens the file as one with a filter of whole keys of this library. If it has
// another filter, opens it again for each other name that its filter may have,
// because RocksDB passes a filter's blocks only to a policy with the filter's
// name.
bool SstFile::OpenWithFilter(const VisitBlock& visit, std::string* error) {
  was_visited_ = true;
  std::vector<std::string> names = {kPolicyName};
  for (size_t i = 0; i < names.size(); ++i) {
    const Status status = OpenReader(BytewiseComparator(), names[i], visit);
    if (status.IsCorruption()) {
      // A filter partition cannot be read. The rest of the file may be good
      // (BlockBasedTable::PrefetchIndexAndFilterBlocks).
      damage_of_partition_ = status.ToString();
      filter_kind_ = FilterKind::kUnknown;
      num_blocks_ = 0;
      return OpenWithoutFilter(BytewiseComparator(), error);
    }
    if (!status.ok()) {
      return FailToOpen(path_, status, error);
    }
    if (num_blocks_ > 0 || filter_kind_ == FilterKind::kNone) {
      return true;
    }
    if (i == 0) {
      const std::string& policy = properties_->filter_policy_name;
      if (policy != kPolicyName && PartitionKeyOfFilterName(policy)) {
        names.push_back(policy);
      }
      names.emplace_back(kRocksdbsFilterName);
    }
  }
  return true;
}

void SstFile::AddBlock(const std::string& filter_name, const Slice& block,
                       const VisitBlock& visit) {
  ++num_blocks_;
  block_bytes_ += block.size();
  FilterKind kind = FilterKind::kCassandra;
  Slice content = block;
  if (filter_name == kRocksdbsFilterName) {
    const auto filter_db = WithoutTrailer(block.ToStringView());
    kind = filter_db ? FilterKind::kBesideRocksdb
                     : KindOfRocksdbs(block.ToStringView());
    content = filter_db ? Slice(*filter_db) : block;
  }
  filter_kind_ = std::min(filter_kind_, kind);
  visit(content, kind);
}

// Compares the sizes, because a partitioned filter may have only one partition.
// Then `filter_size` is larger than block_bytes_, because it includes the index
// of the partitions.
bool SstFile::has_full_filter() const {
  return num_blocks_ == 1 && block_bytes_ == properties_->filter_size;
}

// Sources: FullFilterBlockReader::Create and
// PartitionedFilterBlockReader::Create (table/block_based).
std::string SstFile::FindFilterDamage() const {
  if (!damage_of_partition_.empty() || filter_kind_ != FilterKind::kUnknown ||
      !was_visited_ || !HasFilterThatWeKnow(*properties_)) {
    return damage_of_partition_;
  }
  const Status status = reader_->VerifyChecksum();
  return status.ok() ? "" : status.ToString();
}

FilterHolds SstFile::filter_holds() const {
  const auto is_on = [this](const char* name) {
    const auto& all = properties_->user_collected_properties;
    const auto found = all.find(name);
    return found != all.end() && found->second == "1";
  };
  const bool keys = is_on("rocksdb.block.based.table.whole.key.filtering");
  const bool prefixes = is_on("rocksdb.block.based.table.prefix.filtering");
  return keys ? (prefixes ? FilterHolds::kBoth : FilterHolds::kKeys)
              : (prefixes ? FilterHolds::kPrefixes : FilterHolds::kUnknown);
}

std::optional<PartitionKeyExtractor> SstFile::partition_key() const {
  return PartitionKeyOfFilterName(properties_->filter_policy_name);
}

bool SstFile::CanReadKeys(std::string* error) const {
  const std::string& comparator = properties_->comparator_name;
  if (ComparatorByName(comparator) == nullptr) {
    *error = path_ +
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
      properties_->num_deletions > properties_->num_range_deletions) {
    *error = path_ + ": has " +
             std::to_string(properties_->num_deletions -
                            properties_->num_range_deletions) +
             " deletions, whose keys RocksDB before 9.2 does not show, and "
             "without them deleted rows come back to life. Compact the "
             "database, or export with RocksDB 9.2 or later";
    return false;
  }
  return true;
}

// Opens the file again if it was opened with another comparator. That is known
// only now, because the comparator's name is in the file.
bool SstFile::ForEachKey(const VisitKey& visit, std::string* error) {
  if (!CanReadKeys(error)) {
    return false;
  }
  const Comparator* const comparator =
      ComparatorByName(properties_->comparator_name);
  if (comparator != BytewiseComparator() &&
      !OpenWithoutFilter(comparator, error)) {
    return false;
  }
  const std::unique_ptr<Iterator> iterator = NewKeyIterator(reader_.get());
  uint64_t seen = 0;
  bool malformed = false;
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    std::string_view key;
    if (!TakeKey(*iterator, &key)) {
      malformed = true;
      break;
    }
    ++seen;
    if (!visit(key)) {
      return false;
    }
  }
  const Status status =
      malformed ? Status::Corruption("a key without a sequence number")
                : iterator->status();
  if (!status.ok()) {
    *error = path_ + ": its keys cannot be read: " + status.ToString();
    return false;
  }
  if (kDeletionsAreSeen &&
      seen != properties_->num_entries - properties_->num_range_deletions) {
    *error = path_ + ": is damaged: " + std::to_string(seen) +
             " entries, but its properties say " +
             std::to_string(properties_->num_entries);
    return false;
  }
  return true;
}

}  // namespace cassandra_bloom
