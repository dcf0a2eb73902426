// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/checked_index_db.h"

#include <cstdint>
#include <utility>

#include "filterdb/sstable/data_db/open_data_db.h"
#include "filterdb/sstable/index_db_reader.h"
#include "filterdb/sstable/key_order.h"
#include "filterdb/sstable/statistics_db.h"
#include "filterdb/sstable/summary_db.h"

namespace cassandra_bloom::tools {
namespace {

// The smallest size in bytes of a partition without its key. One byte says that
// the partition is not deleted, and one byte marks its end.
constexpr uint64_t kSmallestRest = 2;

// The other files of the SSTable, with which Index.db is compared.
struct Witnesses {
  uint64_t data_size = 0;              // Uncompressed, in bytes.
  std::unique_ptr<DataFile> data;      // Null for KeyChecks::kCheap.
  std::unique_ptr<SummaryDb> summary;  // Null if it cannot be read.
  PartitionFacts facts;
};

class CheckedIndexDb final : public KeyReader {
 public:
  CheckedIndexDb(std::string path, std::unique_ptr<IndexDbReader> index,
                 Witnesses witnesses)
      : path_(std::move(path)),
        index_(std::move(index)),
        witnesses_(std::move(witnesses)),
        order_(witnesses_.facts.partitioner) {
    NextSample();
  }

  bool Next(std::string_view* key) override {
    if (!error_.empty()) {
      return false;
    }
    if (!index_->Next(key)) {
      error_ = index_->error();
      if (error_.empty()) {
        CheckEnd();
      }
      return false;
    }
    ++num_read_;
    return CheckPosition(*key) && CheckOrder(*key) && CheckSamples(*key) &&
           CheckData(*key) && Remember(*key);
  }

  bool Rewind() override {
    error_.clear();
    num_read_ = 0;
    end_of_last_ = 0;
    may_lack_keys_ = false;
    order_.Restart();
    if (witnesses_.summary != nullptr) {
      witnesses_.summary->Rewind();
    }
    NextSample();
    const bool done = index_->Rewind();
    error_ = index_->error();
    return done;
  }

  const std::string& error() const override { return error_; }
  uint64_t bytes_read() const override { return index_->bytes_read(); }
  uint64_t total_bytes() const override { return index_->total_bytes(); }

 private:
  bool Fail(const std::string& what) {
    error_ = path_ + ": " + what + kDamagedSstable;
    return false;
  }

  bool FailHere(const std::string& what) {
    return Fail("byte " + std::to_string(index_->entry_offset()) + ": " + what);
  }

  bool Remember(std::string_view key) {
    end_of_last_ = index_->position() + 2 + key.size();
    last_key_.assign(key);
    return true;
  }

  // Fails if a partition begins before the end of the previous key in Data.db.
  // Also fails if the key of the partition does not fit into Data.db.
  bool CheckPosition(std::string_view key) {
    const uint64_t position = index_->position();
    if (position < end_of_last_) {
      return FailHere("a partition at position " + std::to_string(position) +
                      " of Data.db, within the one before it");
    }
    may_lack_keys_ |= num_read_ > 1 && HasRoomBefore(position);
    const uint64_t size = witnesses_.data_size;
    if (position >= size || size - position < 2 + key.size()) {
      return FailHere("a partition at position " + std::to_string(position) +
                      " of Data.db, which has " + std::to_string(size) +
                      " bytes uncompressed");
    }
    return true;
  }

  bool CheckOrder(std::string_view key) {
    return order_.Follows(key, last_key_) ||
           FailHere("a key that is not in the order of " +
                    witnesses_.facts.partitioner);
  }

  void NextSample() {
    has_sample_ = witnesses_.summary != nullptr &&
                  witnesses_.summary->Next(&sample_, &sample_offset_);
  }

  bool CheckSamples(std::string_view key) {
    if (witnesses_.summary != nullptr && num_read_ == 1 &&
        key != witnesses_.summary->first_key()) {
      return FailHere("the first key is not that of Summary.db");
    }
    if (!has_sample_ || sample_offset_ > index_->entry_offset()) {
      return true;
    }
    if (sample_offset_ != index_->entry_offset() || sample_ != key) {
      return FailHere("Summary.db has another key for byte " +
                      std::to_string(sample_offset_));
    }
    NextSample();
    return true;
  }

  bool CheckData(std::string_view key) {
    if (witnesses_.data == nullptr) {
      return true;
    }
    std::string_view in_data;
    if (!ReadWithShortLength(witnesses_.data.get(), index_->position(),
                             &in_data, &error_)) {
      return false;
    }
    return in_data == key ||
           FailHere("another key than at position " +
                    std::to_string(index_->position()) + " of Data.db");
  }

  void CheckEnd() {
    const auto& num_partitions = witnesses_.facts.num_partitions;
    const SummaryDb* const summary = witnesses_.summary.get();
    if (num_partitions && *num_partitions != num_read_) {
      Fail("has " + std::to_string(num_read_) +
           " keys, but Statistics.db counts " +
           std::to_string(*num_partitions));
    } else if (has_sample_) {
      Fail("has no entry at byte " + std::to_string(sample_offset_) +
           ", where Summary.db has one");
    } else if (summary != nullptr && last_key_ != summary->last_key()) {
      Fail("the last key is not that of Summary.db");
    } else if (witnesses_.data != nullptr && !num_partitions &&
               (may_lack_keys_ ||
                (summary == nullptr && HasRoomBefore(witnesses_.data_size)))) {
      Fail(
          "nothing shows that it has the key of every partition, because "
          "Statistics.db does not tell how many there are");
    }
  }

  // Returns whether Data.db has room for one more partition before `position`.
  // Index.db may lack this partition, because an entry with a wrong promoted
  // index size hides the next entries.
  bool HasRoomBefore(uint64_t position) const {
    return position - end_of_last_ >= kSmallestRest + 2 + kSmallestRest;
  }

  const std::string path_;
  const std::unique_ptr<IndexDbReader> index_;
  const Witnesses witnesses_;
  KeyOrder order_;
  uint64_t num_read_ = 0;
  uint64_t end_of_last_ = 0;  // Where the previous key ends in Data.db.
  bool may_lack_keys_ = false;
  std::string last_key_;

  // The next key in Summary.db, with the offset of its entry in Index.db.
  bool has_sample_ = false;
  std::string_view sample_;
  uint64_t sample_offset_ = 0;
  std::string error_;
};

}  // namespace

std::unique_ptr<KeyReader> OpenCheckedIndexDb(const std::string& start,
                                              std::string_view version,
                                              KeyChecks checks,
                                              std::string* error) {
  const std::string path = start + "Index.db";
  auto index = OpenIndexDbReader(path, version, error);
  if (index == nullptr) {
    return nullptr;
  }
  Witnesses witnesses;
  if (checks == KeyChecks::kEveryKey) {
    witnesses.data = OpenDataDb(start, version, error);
    if (witnesses.data == nullptr) {
      return nullptr;
    }
    witnesses.data_size = witnesses.data->size();
  } else if (!SizeOfDataDb(start, version, &witnesses.data_size, error)) {
    return nullptr;
  }
  witnesses.summary = SummaryDb::Open(start + "Summary.db", version);
  witnesses.facts = ReadPartitionFacts(start + "Statistics.db", version);
  return std::make_unique<CheckedIndexDb>(path, std::move(index),
                                          std::move(witnesses));
}

}  // namespace cassandra_bloom::tools
