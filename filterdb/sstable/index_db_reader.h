// SPDX-License-Identifier: Apache-2.0

// An Index.db has one entry for each partition, in the order of Data.db:
//
//    +--------+---------+----------+---------------+------- - - - ---------+
//    | length | the key | position | promoted size | promoted index        |
//    +--------+---------+----------+---------------+------- - - - ---------+
//      uint16   `length`  in         of the           `promoted size` bytes,
//      big-     bytes     Data.db    promoted index   none for a small
//      endian                                         partition
//
// Before version `ma`, position is an int64, and promoted size is an int32,
// both big-endian. Since `ma` ("store rows natively" in BigFormat), both are
// unsigned vints. (org.apache.cassandra.db.RowIndexEntry, later
// io.sstable.format.big.RowIndexEntry.)

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_DB_READER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_DB_READER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "filterdb/sstable/buffered_key_reader.h"
#include "filterdb/sstable/key_reader.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom {

class IndexDbReader : public BufferedKeyReader {
 public:
  // position() is the offset in Data.db of the partition whose key Next
  // returned last. entry_offset() is the offset of its entry in Index.db.
  uint64_t position() const { return static_cast<uint64_t>(last_position_); }
  uint64_t entry_offset() const { return entry_offset_; }

 protected:
  using BufferedKeyReader::BufferedKeyReader;

  static constexpr int64_t kBeforeFirst = -1;

  int64_t last_position_ = kBeforeFirst;
  uint64_t entry_offset_ = 0;
};

// `fd`, `name` and `buffer_size` are those of BufferedKeyReader.
std::unique_ptr<IndexDbReader> NewIndexDbReader(
    int fd, IndexKind kind, const std::string& name,
    size_t buffer_size = kInputBufferSize);

// Does the same as OpenIndexDb in key_reader.h.
std::unique_ptr<IndexDbReader> OpenIndexDbReader(const std::string& path,
                                                 std::string_view version,
                                                 std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_DB_READER_H_
