// SPDX-License-Identifier: Apache-2.0

// The layout of an Index.db: for each partition, in the order of Data.db,
//
//    +--------+---------+----------+---------------+------- - - - ---------+
//    | length | the key | position | promoted size | promoted index        |
//    +--------+---------+----------+---------------+------- - - - ---------+
//      uint16   `length`  in         of the           `promoted size` bytes,
//      big-     bytes     Data.db    promoted index   none for a small
//      endian                                         partition
//
// Before `ma`, position and promoted size are int64 and int32, big-endian.
// Since `ma`, both are unsigned vints: the first byte begins with as many 1
// bits as bytes follow it, then has a 0 bit unless 8 bytes follow. The other
// bits are the number, big-endian. (org.apache.cassandra.db.RowIndexEntry,
// later io.sstable.format.big.RowIndexEntry; utils.vint.VIntCoding.)

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_INDEX_DB_READER_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_INDEX_DB_READER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "cassandra_bloom/key_reader.h"
#include "tools/sstable/buffered_key_reader.h"

namespace cassandra_bloom {

// How the numbers after each key are written. Cassandra's RowIndexEntry wrote
// fixed widths until 3.0, when SSTables came to "store rows natively"
// (BigFormat).
enum class IndexFormat {
  kFixedWidth,  // before `ma`
  kVInt,        // `ma` and later
};

// `version`: as for FormOfSstableVersion. Fails if it is not known, or if its
// SSTables have no Index.db.
bool IndexFormatOf(std::string_view version, IndexFormat* format,
                   std::string* error);

class IndexDbReader : public BufferedKeyReader {
 public:
  // Of the key that Next returned last: its position in Data.db, and the byte
  // of Index.db where its entry begins.
  uint64_t position() const { return static_cast<uint64_t>(last_position_); }
  uint64_t entry_offset() const { return entry_offset_; }

 protected:
  using BufferedKeyReader::BufferedKeyReader;

  static constexpr int64_t kBeforeFirst = -1;

  int64_t last_position_ = kBeforeFirst;
  uint64_t entry_offset_ = 0;
};

// `fd`, `name` and `buffer_size`: as for BufferedKeyReader.
std::unique_ptr<IndexDbReader> NewIndexDbReader(
    int fd, IndexFormat format, const std::string& name,
    size_t buffer_size = kInputBufferSize);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_INDEX_DB_READER_H_
