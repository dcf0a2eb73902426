// SPDX-License-Identifier: Apache-2.0

// A Summary.db has a sample of the keys of an Index.db with their places in
// Index.db: every 128th key, or fewer. It also has the first and the last key
// of the SSTable. Since `ja` (* and + are explained below):
//
//    index interval                        int32
//    number of entries                     int32
//    size of offsets and entries           int64
//    sampling level                        int32 +
//    number of entries without sampling    int32 +
//    offset of each entry                  int32 *
//    each entry: key, position             bytes, int64 *
//    first key, last key                   each int32 length, bytes
//
// Before `ja`:
//
//    index interval, number of entries     int32, int32
//    each entry: position, key             int64, int32 length, bytes
//    first key, last key                   each int32 length, bytes
//
// Numbers with + are there since `ka`. Numbers with * are in the byte order of
// the machine that wrote them: little-endian. The others are big-endian.
// Offsets are counted from the first offset. (io.sstable.IndexSummary and
// SSTableReader.saveSummary; ScyllaDB's sstables::write of a summary.)
//
// Cassandra and ScyllaDB make a Summary.db anew if they cannot read it.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_SUMMARY_DB_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_SUMMARY_DB_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "plugin/filter_db/sstable_version.h"
#include "tools/sstable/bytes/byte_reader.h"
#include "tools/sstable/bytes/random_access_file.h"

namespace cassandra_bloom::tools {

class SummaryDb {
 public:
  // Returns nullptr if there is no such file, or if it does not have the layout
  // of its version. `version`: that of an SSTable with an Index.db.
  static std::unique_ptr<SummaryDb> Open(const std::string& path,
                                         std::string_view version);

  const std::string& first_key() const { return first_key_; }
  const std::string& last_key() const { return last_key_; }

  // Gets the key of the next entry, and the byte of Index.db where the entry of
  // this key begins. The key is valid until the next call. Returns false at the
  // end, and if the disk fails. (Open has checked all entries.)
  bool Next(std::string_view* key, uint64_t* index_offset);

  void Rewind();

 private:
  explicit SummaryDb(std::unique_ptr<RandomAccessFile> file);

  bool ReadHeader(SummaryLayout layout);
  bool ReadEntries();
  std::string_view ReadKey();
  bool NextWithOffset(std::string_view* key, uint64_t* index_offset);
  bool NextWithLength(std::string_view* key, uint64_t* index_offset);
  // The offset of an entry, counted from the first offset; UINT64_MAX if it
  // cannot be read.
  uint64_t OffsetOf(uint64_t entry);

  const std::unique_ptr<RandomAccessFile> file_;
  ByteReader offsets_;
  ByteReader entries_;
  bool has_offsets_ = false;
  uint64_t first_entry_ = 0;  // Where offsets are counted from.
  uint64_t size_ = 0;  // Bytes of offsets and entries; 0 without offsets.
  uint64_t num_entries_ = 0;
  uint64_t next_ = 0;  // The entry that comes next.
  std::string first_key_;
  std::string last_key_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_SUMMARY_DB_H_
