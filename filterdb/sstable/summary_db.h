// SPDX-License-Identifier: Apache-2.0

// Summary.db has every 128th key of an Index.db, or fewer. Its layout since
// `ja`:
//
//    index interval                        int32
//    number of entries                     int32
//    size of offsets and entries           int64, in bytes
//    sampling level                        int32, only since `ka`
//    number of entries without sampling    int32, only since `ka`
//    offset of each entry                  int32, little-endian
//    each entry: key, position             bytes, int64 (little-endian)
//    first key, last key                   each int32 length, bytes
//
// Before `ja`:
//
//    index interval, number of entries     int32, int32
//    each entry: position, key             int64, int32 length, bytes
//    first key, last key                   each int32 length, bytes
//
// All other numbers are big-endian. Offsets are counted from the first offset.
// (io.sstable.IndexSummary and SSTableReader.saveSummary; ScyllaDB's
// sstables::write of a summary.)

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_SUMMARY_DB_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_SUMMARY_DB_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "filterdb/sstable/bytes/byte_reader.h"
#include "filterdb/sstable/bytes/random_access_file.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {

class SummaryDb {
 public:
  // Returns nullptr if the file cannot be read as a Summary.db of `version`.
  static std::unique_ptr<SummaryDb> Open(const std::string& path,
                                         std::string_view version);

  const std::string& first_key() const { return first_key_; }
  const std::string& last_key() const { return last_key_; }

  // Gets the next key, and the offset of its entry in Index.db. The key is
  // valid until the next call. Returns false at the end, and if a read fails.
  bool Next(std::string_view* key, uint64_t* index_offset);

  void Rewind();

 private:
  explicit SummaryDb(std::unique_ptr<RandomAccessFile> file);

  bool ReadHeader(SummaryLayout layout);
  bool ReadEntries();
  std::string_view ReadKey();
  bool NextWithOffset(std::string_view* key, uint64_t* index_offset);
  bool NextWithLength(std::string_view* key, uint64_t* index_offset);
  // Returns where an entry begins, in bytes after first_entry_. For the number
  // after the last entry, returns where the entries end. Returns UINT64_MAX
  // after an error.
  uint64_t OffsetOf(uint64_t entry);

  const std::unique_ptr<RandomAccessFile> file_;
  ByteReader offsets_;
  ByteReader entries_;
  bool has_offsets_ = false;
  uint64_t first_entry_ = 0;  // Offsets of entries count from here.
  uint64_t size_ = 0;  // Of offsets and entries, in bytes; 0 before `ja`.
  uint64_t num_entries_ = 0;
  uint64_t next_ = 0;  // The number of the next entry.
  std::string first_key_;
  std::string last_key_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_SUMMARY_DB_H_
