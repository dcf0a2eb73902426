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

#include <cstdint>
#include <optional>
#include <utility>

#include "filterdb/sstable/bytes/byte_reader.h"
#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/index/index_reader.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kKey[] =
    "a key; the file is damaged or of another SSTable version";
constexpr char kNumbers[] =
    "the numbers after a key; the file is damaged or of another SSTable "
    "version";

class IndexDbReader final : public IndexReader {
 public:
  IndexDbReader(std::unique_ptr<RandomAccessFile> file, IndexKind kind)
      : file_(std::move(file)), reader_(file_.get()), kind_(kind) {}

  bool Next(IndexEntry* entry) override {
    if (!error_.empty() || reader_.left() == 0) {
      return false;
    }
    const uint64_t begin = reader_.offset();
    std::string_view key = reader_.Text(kKey);
    // Only at the end of the buffer is the key copied, before it is filled.
    constexpr size_t kMaxNumbersSize = 18;
    if (reader_.num_ahead() < kMaxNumbersSize) {
      key_ = key;
      key = key_;
    }
    const bool is_fixed = kind_ == IndexKind::kFixedWidth;
    const int64_t position = is_fixed ? reader_.Int64(kNumbers) : SignedVInt();
    const int64_t promoted_size =
        is_fixed ? reader_.Int32(kNumbers) : SignedVInt();
    if (position < 0 || promoted_size < 0 ||
        static_cast<uint64_t>(promoted_size) > reader_.left()) {
      Refuse(begin, position, promoted_size);
    }
    if (promoted_size > 0) {  // It is not read.
      reader_.GoTo(reader_.offset() + static_cast<uint64_t>(promoted_size));
    }
    *entry = {key, static_cast<uint64_t>(position), std::nullopt,
              &file_->path(), begin};
    if (!reader_.good()) {
      error_ = reader_.error();
    }
    return reader_.good();
  }

 private:
  void Refuse(uint64_t begin, int64_t position, int64_t promoted_size) {
    const std::string size = std::to_string(promoted_size) + " bytes";
    reader_.FailAt(begin,
                   (position < 0 ? "a partition at position " +
                                       std::to_string(position) + " of Data.db"
                    : promoted_size < 0
                        ? "a promoted index of " + size
                        : "ends inside a key's promoted index of " + size) +
                       kDamagedIndex);
  }

  // Cassandra reads the number as a signed long.
  int64_t SignedVInt() { return static_cast<int64_t>(reader_.VInt(kNumbers)); }

  const std::unique_ptr<RandomAccessFile> file_;
  ByteReader reader_;
  const IndexKind kind_;
  std::string key_;
};

}  // namespace

std::unique_ptr<IndexReader> OpenIndexDb(const std::string& path,
                                         IndexKind kind, std::string* error) {
  // Promoted indexes are gaps. All the rest is read.
  auto file = RandomAccessFile::Open(path, error, RandomAccessFile::kManyBytes);
  return file == nullptr
             ? nullptr
             : std::make_unique<IndexDbReader>(std::move(file), kind);
}

}  // namespace cassandra_bloom::tools
