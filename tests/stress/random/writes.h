// SPDX-License-Identifier: Apache-2.0

// Draws keys, and makes writes of every kind, to a database and to its models:
// the expected rows of a column family, now and at each earlier time.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WRITES_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WRITES_H_

#include <rocksdb/sst_file_writer.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/stress/random/configuration.h"
#include "tests/stress/random/database.h"
#include "tests/stress/random/draws.h"
#include "tests/stress/random/failure.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {

// A key and its value. Every write has a number, which may also be a timestamp.
// "At n" means after write number n.
using Row = std::pair<std::string, std::string>;

enum class Direction { kForward, kBackward };

class Model {
 public:
  explicit Model(bool is_reverse) : rows_(Order{is_reverse}) {}

  void Put(const std::string& key, uint64_t number, const std::string& value) {
    rows_[key].push_back({number, value});
  }
  void Delete(const std::string& key, uint64_t number) {
    rows_[key].push_back({number, std::nullopt});
  }
  // Merges like RocksDB's operator "stringappend".
  void Merge(const std::string& key, uint64_t number,
             const std::string& value) {
    const std::string* const old = Get(key, number);
    Put(key, number, old == nullptr ? value : *old + "," + value);
  }
  void DeleteRange(const std::string& begin, const std::string& end,
                   uint64_t number) {
    for (auto row = rows_.lower_bound(begin);
         row != rows_.end() && IsBefore(row->first, end); ++row) {
      if (ValueAt(row->second, number) != nullptr) {
        row->second.push_back({number, std::nullopt});
      }
    }
  }

  bool IsBefore(const std::string& a, const std::string& b) const {
    return rows_.key_comp()(a, b);
  }

  // Returns null if the key is absent.
  const std::string* Get(const std::string& key, uint64_t at) const {
    const auto row = rows_.find(key);
    return row == rows_.end() ? nullptr : ValueAt(row->second, at);
  }

  // Returns at most `max` rows from `target` on, as long as `wanted` accepts
  // the key.
  std::vector<Row> Run(
      const std::string& target, Direction direction, uint64_t at, size_t max,
      const std::function<bool(const std::string&)>& wanted) const {
    std::vector<Row> run;
    const auto take = [&](auto row, auto end) {
      for (; row != end && run.size() < max; ++row) {
        if (const std::string* const value = ValueAt(row->second, at)) {
          if (!wanted(row->first)) {
            return;
          }
          run.emplace_back(row->first, *value);
        }
      }
    };
    if (direction == Direction::kForward) {
      take(rows_.lower_bound(target), rows_.end());
    } else {
      take(std::make_reverse_iterator(rows_.upper_bound(target)), rows_.rend());
    }
    return run;
  }

  std::vector<Row> All(uint64_t at) const {
    std::vector<Row> all;
    for (const auto& [key, versions] : rows_) {
      if (const std::string* const value = ValueAt(versions, at)) {
        all.emplace_back(key, *value);
      }
    }
    return all;
  }

 private:
  struct Order {
    bool is_reverse;
    bool operator()(const std::string& a, const std::string& b) const {
      return is_reverse ? b < a : a < b;
    }
  };
  struct Version {
    uint64_t number;
    std::optional<std::string> value;
  };
  using Versions = std::vector<Version>;  // In order of their numbers.

  static const std::string* ValueAt(const Versions& versions, uint64_t at) {
    for (auto version = versions.rbegin(); version != versions.rend();
         ++version) {
      if (version->number <= at) {
        return version->value ? &*version->value : nullptr;
      }
    }
    return nullptr;
  }

  std::map<std::string, Versions, Order> rows_;
};

// Returns a timestamp for the comparator "u64ts".
inline std::string TimestampOf(uint64_t number) {
  const std::string big_endian = BigEndian(number, 8);
  return {big_endian.rbegin(), big_endian.rend()};
}

// The keys of a column family. Some keys, and all keys of some partitions, are
// never written.
class KeyPool {
 public:
  // Draws keys of up to 150 * `scale` partitions.
  KeyPool(const PartitionLayout& layout, uint64_t scale, Draws draws) {
    const uint64_t num_partitions =
        scale * draws.Of<uint64_t>({4, 20, 60, 150});
    const uint64_t num_rows = draws.Of<uint64_t>({1, 3, 8});
    const bool has_cut_keys = draws.OneIn(2);
    const uint64_t first = draws.Below(1000000);
    std::set<std::string> seen;
    for (uint64_t i = 0; i < num_partitions * num_rows; ++i) {
      const uint64_t partition = i / num_rows;
      std::string key = StorageKey(layout, first + partition, i % num_rows);
      if (has_cut_keys && draws.OneIn(12)) {
        key.resize(draws.Below(key.size()));
      }
      if (!seen.insert(key).second) {
        continue;
      }
      all_.push_back(key);
      const bool is_absent = partition % 4 == 3 || draws.OneIn(5);
      if (!is_absent) {
        written_.push_back(key);
      }
    }
    if (written_.empty()) {
      written_.push_back(all_[0]);
    }
    shortest_ = seen.begin()->size();
    for (const std::string& key : seen) {
      shortest_ = std::min(shortest_, key.size());
    }
  }

  const std::vector<std::string>& all() const { return all_; }
  size_t shortest() const { return shortest_; }

  const std::string& Any(Draws* draws) const { return draws->In(all_); }
  const std::string& Written(Draws* draws) const { return draws->In(written_); }

 private:
  std::vector<std::string> all_;
  std::vector<std::string> written_;
  size_t shortest_ = 0;
};

struct FamilyState {
  KeyPool keys;
  Model model;
};

struct Written {
  std::vector<FamilyState> families;
  uint64_t number = 0;  // The number of the last write.
};

class Writes {
 public:
  enum class Kind { kPut, kDelete, kDeleteRange, kMerge };
  struct Write {
    Kind kind;
    size_t family;
    std::string key;
    std::string end_or_value;
  };

  // What is changed at once: by a batch, or by a file that is ingested into the
  // column family of its writes.
  struct Change {
    uint64_t number = 0;
    std::vector<Write> writes;
    bool is_file = false;
  };

  // `draws` alone decides which changes follow each other. The other arguments
  // must outlive this object.
  Writes(const Configuration* configuration, const Database* db,
         Written* written, Draws draws)
      : configuration_(*configuration),
        db_(*db),
        written_(*written),
        draws_(draws) {}

  // Draws the next change, and applies it to the models.
  Change Next() {
    Change change;
    change.number = ++written_.number;
    const size_t family = draws_.Below(written_.families.size());
    if (!configuration_.families[family].has_timestamps && draws_.OneIn(160)) {
      change.is_file = true;
      change.writes = DrawFile(family);
      for (const Write& write : change.writes) {
        Apply(write);
      }
      return change;
    }
    for (uint64_t more = draws_.Between(1, 8); more > 0; --more) {
      change.writes.push_back(DrawWrite());
      Apply(change.writes.back());
    }
    return change;
  }

  // Makes the change in the database. An ingested file is written into `folder`
  // first.
  void Make(const Change& change, const std::string& folder) const {
    if (change.is_file) {
      Ingest(change, folder + "/ingested");
    } else {
      MakeBatch(change);
    }
  }

 private:
  std::string DrawValue() {
    std::string value = std::to_string(draws_.Below(1000000000));
    value.append(draws_.Below(draws_.OneIn(20) ? 1500 : 80), 'v');
    return value;
  }

  Write DrawWrite() {
    const size_t family = draws_.Below(written_.families.size());
    const FamilyConfiguration& configured = configuration_.families[family];
    const FamilyState& state = written_.families[family];
    const uint64_t choice = draws_.Below(100);
    const std::string key = state.keys.Written(&draws_);
    if (choice < 35 && configured.has_merges) {
      return {Kind::kMerge, family, key, DrawValue().substr(0, 12)};
    }
    if (choice < 37 && configured.has_range_deletes) {
      const std::string end = state.keys.Any(&draws_);
      const bool is_range = state.model.IsBefore(key, end);
      return {Kind::kDeleteRange, family, is_range ? key : end,
              is_range ? end : key};
    }
    return choice < 55 ? Write{Kind::kDelete, family, key, ""}
                       : Write{Kind::kPut, family, key, DrawValue()};
  }

  std::vector<Write> DrawFile(size_t family) {
    const FamilyState& state = written_.families[family];
    const auto is_before = [&](const std::string& a, const std::string& b) {
      return state.model.IsBefore(a, b);
    };
    std::set<std::string, decltype(is_before)> keys(is_before);
    for (uint64_t more = draws_.Between(1, 60); more > 0; --more) {
      keys.insert(state.keys.Written(&draws_));
    }
    std::vector<Write> writes;
    for (const std::string& key : keys) {
      writes.push_back(draws_.OneIn(6)
                           ? Write{Kind::kDelete, family, key, ""}
                           : Write{Kind::kPut, family, key, DrawValue()});
    }
    return writes;
  }

  void Apply(const Write& write) {
    Model& model = written_.families[write.family].model;
    switch (write.kind) {
      case Kind::kPut:
        return model.Put(write.key, written_.number, write.end_or_value);
      case Kind::kMerge:
        return model.Merge(write.key, written_.number, write.end_or_value);
      case Kind::kDeleteRange:
        return model.DeleteRange(write.key, write.end_or_value,
                                 written_.number);
      default:
        return model.Delete(write.key, written_.number);
    }
  }

  rocksdb::Status AddTo(rocksdb::WriteBatch* batch, const Write& write,
                        const std::string& timestamp) const {
    rocksdb::ColumnFamilyHandle* const family = db_.handle(write.family);
    const bool has_timestamps =
        configuration_.families[write.family].has_timestamps;
    switch (write.kind) {
      case Kind::kPut:
        return has_timestamps
                   ? batch->Put(family, write.key, timestamp,
                                write.end_or_value)
                   : batch->Put(family, write.key, write.end_or_value);
      case Kind::kDelete:
        return has_timestamps ? batch->Delete(family, write.key, timestamp)
                              : batch->Delete(family, write.key);
      case Kind::kDeleteRange:
        return batch->DeleteRange(family, write.key, write.end_or_value);
      default:
        return batch->Merge(family, write.key, write.end_or_value);
    }
  }

  void MakeBatch(const Change& change) const {
    rocksdb::WriteBatch batch;
    const std::string timestamp = TimestampOf(change.number);
    for (const Write& write : change.writes) {
      RequireOk(AddTo(&batch, write, timestamp), "WriteBatch");
    }
    rocksdb::WriteOptions options;
    options.disableWAL = !configuration_.has_wal;
    RequireOk(db_->Write(options, &batch), "Write");
  }

  void Ingest(const Change& change, const std::string& path) const {
    rocksdb::ColumnFamilyHandle* const family =
        db_.handle(change.writes[0].family);
    // A process that was killed may have left this file, as a link of the
    // database's file.
    std::filesystem::remove(path);
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(),
                                  db_->GetOptions(family), family);
    RequireOk(writer.Open(path), "SstFileWriter::Open");
    for (const Write& write : change.writes) {
      RequireOk(write.kind == Kind::kDelete
                    ? writer.Delete(write.key)
                    : writer.Put(write.key, write.end_or_value),
                "SstFileWriter");
    }
    RequireOk(writer.Finish(), "SstFileWriter::Finish");
    rocksdb::IngestExternalFileOptions options;
    options.move_files = true;
    // RocksDB with assertions can refuse it because a memtable was written
    // meanwhile (ExternalSstFileIngestionJob::Run).
    rocksdb::Status status;
    for (int attempts = 0; attempts < 20; ++attempts) {
      status = db_->IngestExternalFile(family, {path}, options);
      if (!status.IsTryAgain()) {
        break;
      }
    }
    RequireOk(status, "IngestExternalFile");
  }

  const Configuration& configuration_;
  const Database& db_;
  Written& written_;
  Draws draws_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WRITES_H_
