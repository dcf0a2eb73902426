// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/sst_file.h"

#include <rocksdb/comparator.h>
#include <rocksdb/env.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "plugin/export/read_only_env.h"
#include "plugin/export/sst_reader.h"
#include "plugin/filter/murmur3.h"
#include "plugin/policy/block_form.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::BytewiseComparator;
using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::EnvOptions;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::RandomAccessFile;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SstFileReader;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableProperties;

namespace {

// Since RocksDB 9.2, SstFileReader::NewTableIterator shows deletions, too.
constexpr bool kDeletionsAreSeen = CASSANDRA_BLOOM_ROCKSDB_RELEASE >= 902;

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

const Comparator* ComparatorOf(const TableProperties& properties) {
  const Comparator* const known = ComparatorByName(properties.comparator_name);
  return known == nullptr ? BytewiseComparator() : known;
}

std::vector<std::string> FilterNames(const TableProperties& properties) {
  const std::string& policy = properties.filter_policy_name;
  std::vector<std::string> names = {kRocksdbsFilterName};
  if (PartitionKeyOfFilterName(policy)) {
    names.insert(names.begin(), policy);
  }
  return names;
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

FilterKind KindOfRocksdbs(const Slice& block) {
  switch (RocksdbsKindOf(block.ToStringView())) {
    case RocksdbsKind::kBloom:
      return FilterKind::kRocksdbsBloom;
    case RocksdbsKind::kRibbon:
      return FilterKind::kRocksdbsRibbon;
    default:
      return FilterKind::kRocksdbsOther;
  }
}

std::string WhyNotOpen(const std::string& path, const Status& status) {
  return path +
         ": cannot be read as a block-based SST file: " + status.ToString();
}

// Reads the file from `offset` to its end. Does not map the file, because the
// process would die of SIGBUS if the disk failed.
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

// Iterates over the keys of all entries. May give a key several times.
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
  std::unique_ptr<SstFileReader> reader;
  const Status status =
      OpenSstReader(path, BytewiseComparator(), /*filter=*/nullptr, &reader);
  if (!status.ok()) {
    *error = WhyNotOpen(path, status);
    return nullptr;
  }
  std::unique_ptr<SstFile> file(new SstFile(path, std::move(reader)));
  return file->OpenAgain(visit, error) ? std::move(file) : nullptr;
}

// Opens the file again if its filter is to be visited, or if its comparator is
// not the one that the first open used.
bool SstFile::OpenAgain(const VisitBlock& visit, std::string* error) {
  if (visit && filter_kind_ != FilterKind::kNone) {
    return OpenWithFilter(visit, error);
  }
  const Comparator* const comparator = ComparatorOf(*properties_);
  if (comparator == BytewiseComparator()) {
    return true;
  }
  const Status status =
      OpenSstReader(path_, comparator, /*filter=*/nullptr, &reader_);
  if (!status.ok()) {
    *error = WhyNotOpen(path_, status);
  }
  return status.ok();
}

// Tries all names that the filter may have, because RocksDB passes a filter's
// blocks only to a policy with the filter's name.
bool SstFile::OpenWithFilter(const VisitBlock& visit, std::string* error) {
  for (const std::string& name : FilterNames(*properties_)) {
    const FilterVisit filter = {
        name, [&](const Slice& block) { AddBlock(name, block, visit); }};
    const Status status =
        OpenSstReader(path_, ComparatorOf(*properties_), &filter, &reader_);
    if (status.IsCorruption()) {
      // A filter partition cannot be read. The rest of the file may be good
      // (BlockBasedTable::PrefetchIndexAndFilterBlocks).
      SetDamage(status.ToString());
      return OpenAgain(/*visit=*/nullptr, error);
    }
    if (!status.ok()) {
      *error = WhyNotOpen(path_, status);
      return false;
    }
    if (num_blocks_ > 0) {
      return true;
    }
  }
  if (HasFilterThatWeKnow(*properties_)) {
    SetDamage(WhyNoFilter());
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
    kind = filter_db ? FilterKind::kBesideRocksdb : KindOfRocksdbs(block);
    content = filter_db ? Slice(*filter_db) : block;
  }
  filter_kind_ = std::min(filter_kind_, kind);
  visit(content, kind);
}

void SstFile::SetDamage(const std::string& damage) {
  filter_damage_ = damage;
  filter_kind_ = FilterKind::kUnknown;
  num_blocks_ = 0;
}

// Compares the sizes, because a partitioned filter may have only one partition.
// Then `filter_size` is larger than block_bytes_, because it includes the index
// of the partitions.
bool SstFile::has_full_filter() const {
  return num_blocks_ == 1 && block_bytes_ == properties_->filter_size;
}

// Returns RocksDB's error if RocksDB could not read the filter. Calls
// VerifyChecksum, because an open reports no error if it cannot read a full
// filter or the index of a partitioned filter (FullFilterBlockReader::Create
// and PartitionedFilterBlockReader::Create, table/block_based, 7.1 to 11.9).
std::string SstFile::WhyNoFilter() const {
  const Status status = reader_->VerifyChecksum();
  return status.ok() ? "" : status.ToString();
}

// Since RocksDB 6.24, two properties together identify a file
// (table_properties.h): the number of the file and the id of the session. Each
// open of a database gives a new id of the session. Older files are identified
// by their size, their time and a hash of the bytes after the rows.
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
  // Subtracts the range deletions, because num_deletions includes them, but
  // they hide no key here.
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
