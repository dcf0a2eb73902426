// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/sstable_keys.h"

#include <optional>
#include <utility>

#include "filterdb/sstable/bytes/byte_reader.h"
#include "filterdb/sstable/data_db/open_data_db.h"
#include "filterdb/sstable/index/index_reader.h"
#include "filterdb/sstable/statistics_db.h"
#include "plugin/filter/murmur3.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {
namespace {

// The end of an error that a comparison of two files of an SSTable has found.
constexpr char kDamagedSstable[] =
    "; one of the files is damaged, missing or of another SSTable";

// What the keys of an SSTable are read from.
struct Sources {
  std::string path;  // Of the index, for error messages.
  std::unique_ptr<IndexReader> index;
  // Null for an Index.db without the other files of its SSTable. Only the
  // positions are then checked.
  std::unique_ptr<ByteSource> data;
  Statistics facts;
  // Whether the SSTable may be one that DSE streamed as a part of another,
  // with the index of the whole.
  bool may_be_zero_copied = false;
  const char* likely_cause = kDamagedIndex;  // The end of an error.
};

class CheckedKeys final : public SstableKeys {
 public:
  CheckedKeys(Sources sources, KeyChecks checks)
      : sources_(std::move(sources)),
        checks_(checks),
        data_size_(sources_.data == nullptr ? UINT64_MAX
                                            : sources_.data->size()),
        order_(sources_.facts.partitioner) {
    total_bytes_ = sources_.data == nullptr ? 0 : data_size_;
  }

  bool Next(std::string_view* key) override {
    if (!error_.empty()) {
      return false;
    }
    if (!sources_.index->Next(&entry_)) {
      error_ = sources_.index->error();
      if (error_.empty() && CheckNumber() && sources_.data != nullptr) {
        bytes_read_ = data_size_;
      }
      return false;
    }
    ++num_read_;
    if (!CheckPosition(entry_) || !ReadKey(entry_, key) || !CheckEnds(*key) ||
        !CheckHashes(entry_, *key)) {
      return false;
    }
    last_position_ = entry_.position;
    // An Index.db alone may have any positions that increase.
    bytes_read_ =
        entry_.position + (sources_.data == nullptr ? 1 : 2 + key->size());
    return true;
  }

 private:
  // Fails if the partition begins before the end of the previous key in
  // Data.db. So the positions increase, and Data.db is read only once, even if
  // the index is damaged. Cassandra also checks the first position
  // (SortedTableVerifier).
  bool CheckPosition(const IndexEntry& entry) {
    const uint64_t position = entry.position;
    const bool is_in_data = position < data_size_;
    const bool is_next =
        num_read_ == 1 ? position == 0 : position >= bytes_read_;
    if (is_in_data && is_next) {
      return true;
    }
    const std::string at = std::to_string(position) + " of Data.db";
    if (!is_in_data) {
      return FailToFit(*entry.path, entry.offset,
                       "a partition at position " + at + ", which has " +
                           std::to_string(data_size_) + " bytes uncompressed");
    }
    if (num_read_ == 1) {
      return FailAt(entry,
                    "the first partition is at position " + at + ", not at 0");
    }
    return FailAt(entry,
                  "a partition at position " + at +
                      (position <= last_position_ ? " after one at "
                                                  : ", within the one at ") +
                      std::to_string(last_position_));
  }

  bool ReadKey(const IndexEntry& entry, std::string_view* key) {
    if (!entry.key) {
      return ReadInData(entry.position, key);
    }
    *key = *entry.key;
    return sources_.data == nullptr || CompareWithData(entry);
  }

  bool ReadInData(uint64_t position, std::string_view* key) {
    ByteReader data(sources_.data.get());
    data.GoTo(position);
    *key = data.Text("a key");
    if (!data.good()) {
      error_ = data.error();
    }
    return data.good();
  }

  // Compares a key of the index with Data.db.
  bool CompareWithData(const IndexEntry& entry) {
    const std::string_view key = *entry.key;
    if (data_size_ - entry.position < 2 + key.size()) {
      return FailAt(entry,
                    "a key of " + std::to_string(key.size()) +
                        " bytes at position " + std::to_string(entry.position) +
                        " of Data.db, which has " + std::to_string(data_size_) +
                        " bytes uncompressed");
    }
    if (checks_ == KeyChecks::kCheap) {
      return true;
    }
    std::string_view in_data;
    return ReadInData(entry.position, &in_data) &&
           (in_data == key ||
            FailAt(entry, "another key than at position " +
                              std::to_string(entry.position) + " of Data.db"));
  }

  // Checks the order of the keys. Counts the keys whose hash byte is wrong: it
  // must be the lowest byte of the second half of the hash
  // (DecoratedKey.filterHashLowerBits; hash_byte_from_key in ScyllaDB's
  // sstables/trie/bti_partition_index_writer.cc).
  bool CheckHashes(const IndexEntry& entry, std::string_view key) {
    const Hash128 hash = entry.hash || order_.needs_hash()
                             ? CassandraMurmur3(key.data(), key.size())
                             : Hash128{0, 0};
    if (entry.hash && *entry.hash != static_cast<uint8_t>(hash.h2)) {
      ++num_wrong_hashes_;
    }
    return order_.Follows(key, hash) ||
           FailAt(entry, "a key that is not in the order of " +
                             sources_.facts.partitioner);
  }

  // Compares the first and the last key with those in Partitions.db.
  bool CheckEnds(std::string_view key) {
    const auto& footer = sources_.index->footer();
    if (!footer) {
      return true;
    }
    const uint64_t first_at = footer->first_key_position;
    if (num_read_ == 1 && key != footer->first_key) {
      return FailToFit(footer->path, first_at,
                       "the first key is not that of the first partition");
    }
    return num_read_ != footer->num_keys || key == footer->last_key ||
           FailToFit(footer->path, first_at + 2 + footer->first_key.size(),
                     "the last key is not that of the last partition");
  }

  // Fails where the index does not fit the SSTable, or throws NotSupported if
  // it may be the index of the whole.
  bool FailToFit(const std::string& path, uint64_t offset,
                 const std::string& what) {
    if (sources_.may_be_zero_copied) {
      throw NotSupported(path + ": " + what +
                         ", as in an SSTable that DSE streamed as a part of "
                         "another (zero copy)");
    }
    return FailAt(path, offset, what);
  }

  // Called after the last key.
  bool CheckNumber() {
    if (num_read_ == 0) {
      error_ =
          sources_.path + ": empty, but an SSTable has at least one partition";
      return false;
    }
    const auto& counted = sources_.facts.num_partitions;
    if (counted && *counted != num_read_) {
      return Fail("has " + std::to_string(num_read_) +
                  " keys, but Statistics.db counts " +
                  std::to_string(*counted));
    }
    return counted || sources_.data == nullptr ||
           checks_ != KeyChecks::kEveryKey ||
           Fail(
               "nothing shows that it has the key of every partition, because "
               "Statistics.db does not tell how many there are");
  }

  bool Fail(const std::string& what) {
    error_ = sources_.path + ": " + what + sources_.likely_cause;
    return false;
  }

  bool FailAt(const std::string& path, uint64_t offset,
              const std::string& what) {
    return FailAtByte(path, offset, what + sources_.likely_cause, &error_);
  }

  bool FailAt(const IndexEntry& entry, const std::string& what) {
    return FailAt(*entry.path, entry.offset, what);
  }

  const Sources sources_;
  const KeyChecks checks_;
  // The uncompressed size of Data.db in bytes, or the highest number if only
  // the index is there.
  const uint64_t data_size_;
  KeyOrder order_;
  IndexEntry entry_;
  uint64_t num_read_ = 0;
  uint64_t last_position_ = 0;  // Valid if num_read_ > 0.
};

constexpr std::string_view kIndexDb = "-Index.db";

bool IsPartitionsDb(std::string_view path) {
  return EndsWith(path, kPartitionsDb);
}

// Returns the path of Data.db without "Data.db".
std::string StartOf(const std::string& index_path) {
  return index_path.substr(0, index_path.size() - (IsPartitionsDb(index_path)
                                                       ? kPartitionsDb.size()
                                                       : kIndexDb.size() - 1));
}

// Returns the kind of the index in SSTables of `version`. Fails if that is not
// the kind of the file at `path`.
std::optional<IndexKind> KindOfIndex(const std::string& path,
                                     std::string_view version,
                                     std::string* error) {
  const SstableVersion* const known = FindSstableVersion(version, error);
  if (known == nullptr) {
    *error = path + ": " + *error;
    return std::nullopt;
  }
  const bool has_trie = known->index == IndexKind::kTrie;
  const bool may_have_trie = has_trie || known->index == IndexKind::kVIntOrTrie;
  const std::string of_version =
      path + ": an SSTable of version " + std::string(version);
  if (IsPartitionsDb(path) && !may_have_trie) {
    *error = of_version + " has no Partitions.db but an Index.db";
    return std::nullopt;
  }
  if (EndsWith(path, "Rows.db") || (has_trie && !IsPartitionsDb(path))) {
    *error = of_version +
             " has no Index.db but a trie (Partitions.db, Rows.db): give its "
             "Partitions.db, with the other components beside it, or the keys "
             "in a file";
    return std::nullopt;
  }
  return known->index;
}

// Fails if the file with the offsets of compressed chunks has gone: the bytes
// of a compressed Data.db would else be taken for keys.
bool CheckCompressionInfo(const std::string& start, std::string* error) {
  std::string toc;
  std::string ignored_error;
  if (NameExists(start + kCompressionInfo) ||
      !ReadRegularFile(start + kTocName, kMaxTocSize, &toc, &ignored_error) ||
      !TocNames(toc, kCompressionInfo)) {
    return true;
  }
  *error = start + kCompressionInfo + " is missing, but TOC.txt names it";
  return false;
}

bool OpenOtherFiles(const std::string& index_path, std::string_view version,
                    Sources* sources, std::string* error) {
  const std::string start = StartOf(index_path);
  if (!CheckCompressionInfo(start, error)) {
    return false;
  }
  sources->data = OpenDataDb(start, version, error);
  if (sources->data == nullptr) {
    return false;
  }
  // The keys of a trie are read from Data.db. If its compressor is not
  // supported, the trie may be encrypted, too (DSE), and is not damaged.
  if (IsPartitionsDb(index_path) && sources->data->size() > 0) {
    std::string_view ignored;
    std::string ignored_error;
    sources->data->ReadSome(0, &ignored, &ignored_error);
  }
  sources->facts = ReadStatistics(start + "Statistics.db", version);
  // DSE 6.8 streams a part of an SSTable as an SSTable of its own, with the
  // whole Partitions.db (BtiFormat.BtiVersion.hasZeroCopyMetadata).
  sources->may_be_zero_copied = version == "ba" || version == "bb";
  sources->likely_cause = kDamagedSstable;
  return true;
}

std::unique_ptr<SstableKeys> Open(const std::string& path,
                                  std::string_view version, bool is_whole,
                                  KeyChecks checks, std::string* error) {
  Sources sources;
  sources.path = path;
  const auto kind = KindOfIndex(path, version, error);
  if (!kind || (is_whole && !OpenOtherFiles(path, version, &sources, error))) {
    return nullptr;
  }
  sources.index = IsPartitionsDb(path) ? OpenPartitionsDb(path, error)
                                       : OpenIndexDb(path, *kind, error);
  return sources.index == nullptr
             ? nullptr
             : std::make_unique<CheckedKeys>(std::move(sources), checks);
}

}  // namespace

std::unique_ptr<SstableKeys> OpenSstableKeys(const std::string& index_path,
                                             std::string_view version,
                                             KeyChecks checks,
                                             std::string* error) {
  const bool is_whole =
      IsPartitionsDb(index_path) ||
      (!IsFormName(version) && EndsWith(index_path, kIndexDb) &&
       FileExists(StartOf(index_path) + "Data.db"));
  return Open(index_path, version, is_whole, checks, error);
}

std::unique_ptr<SstableKeys> OpenSstableKeys(const Sstable& sstable,
                                             KeyChecks checks,
                                             std::string* error) {
  return Open(sstable.IndexPath(), sstable.version, /*is_whole=*/true, checks,
              error);
}

}  // namespace cassandra_bloom::tools
