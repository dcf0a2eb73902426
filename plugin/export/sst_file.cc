// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/sst_file.h"

#include <rocksdb/cache.h>
#include <rocksdb/comparator.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/iterator.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "plugin/export/read_only_env.h"
#include "plugin/filter/murmur3.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::EnvOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::Logger;
using ROCKSDB_NAMESPACE::MergeOperator;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::RandomAccessFile;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SstFileReader;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableProperties;

namespace {

// Since RocksDB 9.2, SstFileReader::NewTableIterator shows deletions, too.
constexpr bool kDeletionsAreSeen = CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 902;

// Merges values to an empty one, because only keys are wanted. Without a merge
// operator RocksDB does not show the keys of merge entries.
class KeysOnlyMergeOperator final : public MergeOperator {
 public:
  const char* Name() const override { return "CassandraBloomKeysOnly"; }
  bool FullMergeV2(const MergeOperationInput& /*in*/,
                   MergeOperationOutput* out) const override {
    out->new_value.clear();
    return true;
  }
};

// Returns nullptr for a comparator whose keys cannot be iterated here. This
// includes comparators that add timestamps to keys: they have other names.
const Comparator* ComparatorByName(const std::string& name) {
  for (const Comparator* const known :
       {ROCKSDB_NAMESPACE::BytewiseComparator(),
        ROCKSDB_NAMESPACE::ReverseBytewiseComparator()}) {
    if (name == known->Name()) {
      return known;
    }
  }
  return nullptr;
}

// A policy to which RocksDB passes the filter blocks of a file when it opens
// the file, if the filter has this policy's name. Passes the blocks on to
// `visit`. Lives as long as the reader.
class BlockObserver final : public FilterPolicy {
 public:
  BlockObserver(std::string filter_name, const SstFile::VisitBlock& visit)
      : filter_name_(std::move(filter_name)), visit_(visit) {}

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

  // Stops visiting: `visit` may refer to objects that no longer exist when the
  // keys are read.
  void EndVisits() { visit_ = nullptr; }

 private:
  const std::string filter_name_;
  SstFile::VisitBlock visit_;
};

std::unique_ptr<SstFileReader> NewReader(
    const Comparator* comparator,
    std::shared_ptr<const BlockObserver> observer) {
  BlockBasedTableOptions table_options;
  // When RocksDB opens a file, it reads filter partitions only if there is a
  // block cache. A full filter needs none: the reader keeps it.
  table_options.no_block_cache = observer == nullptr;
  table_options.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(size_t{1} << 20);
  table_options.filter_policy = std::move(observer);
  Options options;
  options.env = ReadOnlyEnv();
  options.info_log = NewDiscardingLogger();
  options.comparator = comparator;
  options.merge_operator = std::make_shared<KeysOnlyMergeOperator>();
  options.table_factory.reset(
      ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table_options));
  return std::make_unique<SstFileReader>(options);
}

std::string WhyNotOpen(const std::string& path, const Status& status) {
  return path +
         ": cannot be read as a block-based SST file: " + status.ToString();
}

// Reads the file from `offset` to its end; nullopt if that fails. Does not map
// the file: the host would die of SIGBUS if the disk failed.
std::optional<std::string> ReadFrom(const std::string& path, uint64_t offset) {
  std::unique_ptr<RandomAccessFile> file;
  uint64_t size = 0;
  if (!ReadOnlyEnv()->NewRandomAccessFile(path, &file, EnvOptions()).ok() ||
      !ReadOnlyEnv()->GetFileSize(path, &size).ok()) {
    return std::nullopt;
  }
  offset = std::min(offset, size);
  std::string end(size - offset, '\0');
  Slice read;
  if (!file->Read(offset, end.size(), &read, end.data()).ok() ||
      read.size() != end.size()) {
    return std::nullopt;
  }
  return end;
}

// Iterates over the keys of all entries. A key with several entries comes
// several times.
class KeyIterator {
 public:
  KeyIterator(SstFileReader* reader, bool live_keys_only)
      : keys_have_sequence_numbers_(kDeletionsAreSeen && !live_keys_only) {
#if CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 902
    if (keys_have_sequence_numbers_) {
      iterator_ = reader->NewTableIterator();
    }
#endif
    if (iterator_ == nullptr) {
      ReadOptions options;
      options.total_order_seek = true;
      options.fill_cache = false;
      options.verify_checksums = true;
      options.readahead_size = size_t{1} << 20;
      iterator_.reset(reader->NewIterator(options));
    }
    iterator_->SeekToFirst();
  }

  bool Valid() const { return iterator_->Valid(); }
  void Next() { iterator_->Next(); }

  Status status() const {
    return malformed_ ? Status::Corruption("a key without a sequence number")
                      : iterator_->status();
  }

  bool Key(std::string_view* key) {
    constexpr size_t kSequenceNumberSize = 8;
    const Slice slice = iterator_->key();
    *key = {slice.data(), slice.size()};
    if (keys_have_sequence_numbers_) {
      malformed_ = key->size() < kSequenceNumberSize;
      key->remove_suffix(malformed_ ? 0 : kSequenceNumberSize);
    }
    return !malformed_;
  }

  // False if RocksDB showed fewer entries than the file has.
  bool SawEverything(const TableProperties& properties, uint64_t seen) const {
    return !keys_have_sequence_numbers_ ||
           seen == properties.num_entries - properties.num_range_deletions;
  }

 private:
  const bool keys_have_sequence_numbers_;
  bool malformed_ = false;
  std::unique_ptr<Iterator> iterator_;
};

}  // namespace

std::unique_ptr<SstFile> SstFile::Open(const std::string& path,
                                       const VisitBlock& visit,
                                       std::string* error) {
  auto reader = NewReader(ROCKSDB_NAMESPACE::BytewiseComparator(), nullptr);
  const Status status = reader->Open(path);
  if (!status.ok()) {
    *error = WhyNotOpen(path, status);
    return nullptr;
  }
  std::unique_ptr<SstFile> file(new SstFile(path, std::move(reader)));
  return file->OpenAgain(visit, error) ? std::move(file) : nullptr;
}

// Opens the file again if its properties, unknown at the first open, name a
// filter to visit or another order of keys. RocksDB gives the blocks of a
// filter only to a policy of the filter's name.
bool SstFile::OpenAgain(const VisitBlock& visit, std::string* error) {
  const Comparator* comparator = ComparatorByName(properties_->comparator_name);
  if (comparator == nullptr) {
    comparator = ROCKSDB_NAMESPACE::BytewiseComparator();
  }
  const bool with_filter = visit && partition_key();
  if (!with_filter && comparator == ROCKSDB_NAMESPACE::BytewiseComparator()) {
    return true;
  }
  uint64_t num_blocks = 0;
  const auto observer = with_filter ? std::make_shared<BlockObserver>(
                                          properties_->filter_policy_name,
                                          [&](const Slice& block) {
                                            ++num_blocks;
                                            visit(block);
                                          })
                                    : nullptr;
  auto reader = NewReader(comparator, observer);
  const Status status = reader->Open(path_);
  if (observer != nullptr) {
    observer->EndVisits();
  }
  if (status.ok()) {
    reader_ = std::move(reader);
    if (with_filter && num_blocks == 0 && properties_->filter_size > 0) {
      filter_damage_ = WhyNoFilter();
    }
    return true;
  }
  if (with_filter && status.IsCorruption()) {
    // A filter partition cannot be read. The rest of the file may be good
    // (BlockBasedTable::PrefetchIndexAndFilterBlocks).
    filter_damage_ = status.ToString();
    return OpenAgain(/*visit=*/nullptr, error);
  }
  *error = WhyNotOpen(path_, status);
  return false;
}

// Returns why the file was opened without its filter, or "". If RocksDB cannot
// read a full filter, or the index of a partitioned one, it reports no error
// (FullFilterBlockReader::Create and PartitionedFilterBlockReader::Create,
// table/block_based, 7.1 to 11.8). VerifyChecksum does report it, because it
// checks these blocks first.
std::string SstFile::WhyNoFilter() const {
  const Status status = reader_->VerifyChecksum();
  return status.ok() ? "" : status.ToString();
}

// RocksDB 6.24 and later write two properties that together identify a file
// (table_properties.h): the id of the session, a new one each time a database
// is opened, and the number of the file. Files of earlier releases are told
// apart by what follows the rows (filter, index and properties) and by the time
// of the file.
std::string SstFile::identity() const {
  const std::string& session = properties_->db_session_id;
  const uint64_t number = properties_->orig_file_number;
  if (!session.empty() && number != 0) {
    return session + "-" + std::to_string(number);
  }
  const auto tail = ReadFrom(path_, properties_->data_size);
  struct stat status;
  if (!tail || stat(path_.c_str(), &status) != 0) {
    return "";
  }
  const Hash128 hash = CassandraMurmur3(tail->data(), tail->size());
  std::string identity;
  for (const uint64_t part :
       {hash.h1, hash.h2, static_cast<uint64_t>(status.st_size),
        static_cast<uint64_t>(status.st_mtim.tv_sec),
        static_cast<uint64_t>(status.st_mtim.tv_nsec)}) {
    identity += (identity.empty() ? "" : "-") + std::to_string(part);
  }
  return identity;
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

bool SstFile::CanReadKeys(bool live_keys_only, std::string* error) const {
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
  // Subtracts range deletions, which num_deletions includes: they hide no key
  // here.
  if (!kDeletionsAreSeen && !live_keys_only &&
      properties_->num_deletions > properties_->num_range_deletions) {
    *error = path_ + ": has " +
             std::to_string(properties_->num_deletions -
                            properties_->num_range_deletions) +
             " deletions, whose keys RocksDB before 9.2 does not show, and "
             "without them deleted rows come back to life. Compact the "
             "database, or export with RocksDB 9.2 or later, or, if the keys "
             "of deletions are not wanted, ask for live keys only "
             "(--live-keys-only)";
    return false;
  }
  return true;
}

bool SstFile::ForEachKey(bool live_keys_only,
                         const std::function<void(std::string_view key)>& visit,
                         std::string* error) {
  if (!CanReadKeys(live_keys_only, error)) {
    return false;
  }
  KeyIterator iterator(reader_.get(), live_keys_only);
  std::string last;
  uint64_t seen = 0;
  std::string_view key;
  for (; iterator.Valid() && iterator.Key(&key); iterator.Next()) {
    if (seen++ == 0 || key != last) {
      visit(key);
      last = key;
    }
  }
  if (!iterator.status().ok()) {
    *error =
        path_ + ": its keys cannot be read: " + iterator.status().ToString();
    return false;
  }
  if (!iterator.SawEverything(*properties_, seen)) {
    *error = path_ + ": is damaged: " + std::to_string(seen) +
             " entries, but its properties say " +
             std::to_string(properties_->num_entries);
    return false;
  }
  return true;
}

}  // namespace cassandra_bloom
