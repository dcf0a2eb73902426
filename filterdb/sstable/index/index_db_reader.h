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

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_INDEX_DB_READER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_INDEX_DB_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "filterdb/sstable/bytes/buffered_input.h"
#include "filterdb/sstable/index/index_reader.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {

// The end of an error about an Index.db that is read alone.
inline constexpr char kDamagedIndex[] =
    "; the file is damaged or of another SSTable version";

// Checks that every part of an entry is complete. If a file was cut exactly
// between two entries, the reader cannot detect that.
class IndexDbReader final : public IndexReader, private BufferedInput {
 public:
  // `fd`, `name` and `buffer_size` are those of BufferedInput.
  IndexDbReader(int fd, IndexKind kind, const std::string& name,
                size_t buffer_size = kInputBufferSize)
      : BufferedInput(fd, name, buffer_size), kind_(kind) {}

  // `path`: a file, or "-" for standard input. `version`: an SSTable version or
  // the name of a FilterForm. Fails for a version with a trie index.
  static std::unique_ptr<IndexDbReader> Open(const std::string& path,
                                             std::string_view version,
                                             std::string* error);

  bool Next(IndexEntry* entry) override;
  bool Rewind() override { return BufferedInput::Rewind(); }
  const std::string& error() const override { return BufferedInput::error(); }
  uint64_t bytes_read() const override { return BufferedInput::bytes_read(); }
  uint64_t total_bytes() const override { return BufferedInput::total_bytes(); }

 private:
  struct Numbers {
    int64_t position = 0;
    int64_t promoted_size = 0;
    size_t end = 0;  // Where the entry ends, without the promoted index.
  };

  bool ReadKeySize(size_t* size);
  bool ReadNumbers(size_t at, Numbers* numbers);
  bool ReadVInt(size_t* at, int64_t* value);
  bool Pass(const Numbers& numbers, std::string_view* key);
  bool FailShort(const std::string& in_what);

  const IndexKind kind_;
  std::string kept_key_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_INDEX_DB_READER_H_
