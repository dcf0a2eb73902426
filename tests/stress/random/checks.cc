// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/checks.h"

#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "tests/stress/random/failure.h"
#include "tests/stress/random/witness.h"

namespace cassandra_bloom::testing {
namespace {

using KeyTest = std::function<bool(const std::string&)>;

constexpr size_t kSteps = 6;

std::string Hex(const rocksdb::Slice& bytes) {
  return bytes.ToString(/*hex=*/true);
}

std::string Describe(const std::vector<Row>& rows) {
  std::string text = std::to_string(rows.size()) + " rows";
  for (const Row& row : rows) {
    text += " " + Hex(row.first) + "=" + row.second.substr(0, 20);
  }
  return text;
}

// Returns rows from the iterator's position on. The iterator stops at the last
// returned row, or at the first key that is not wanted.
std::vector<Row> Walk(rocksdb::Iterator* iterator, Direction direction,
                      size_t max, const KeyTest& wanted) {
  std::vector<Row> rows;
  while (iterator->Valid() && wanted(iterator->key().ToString())) {
    rows.emplace_back(iterator->key().ToString(), iterator->value().ToString());
    if (rows.size() == max) {
      break;
    }
    if (direction == Direction::kForward) {
      iterator->Next();
    } else {
      iterator->Prev();
    }
  }
  return rows;
}

bool Everything(const std::string& /*key*/) { return true; }

enum class SeekMode { kTotalOrder, kAuto, kPrefix, kSamePrefix };

// A ReadOptions with the objects that it points to.
struct Reading {
  Reading() = default;
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  rocksdb::ReadOptions options;
  std::string timestamp_text;
  rocksdb::Slice timestamp;
  std::optional<std::string> bound_key;  // The end of the iteration.
  rocksdb::Slice bound;
  uint64_t at = 0;
};

// Checks one column family.
class FamilyChecks {
 public:
  FamilyChecks(const View& view, size_t family, Draws* draws, uint64_t* count)
      : configuration_(view.configuration->families[family]),
        db_(*view.db->db()),
        handle_(view.db->handle(family)),
        keys_(view.written->families[family].keys),
        model_(view.written->families[family].model),
        snapshot_(view.snapshot),
        at_(view.at),
        extractor_(db_.GetOptions(handle_).prefix_extractor),
        draws_(*draws),
        count_(*count) {}

  bool has_timestamps() const { return configuration_.has_timestamps; }
  rocksdb::ColumnFamilyHandle* handle() const { return handle_; }
  const std::vector<std::string>& all_keys() const { return keys_.all(); }

  // Prepares a read of the rows at `at_`. With timestamps, the read may also be
  // at an earlier time.
  void Prepare(Reading* reading) {
    rocksdb::ReadOptions& options = reading->options;
    options.snapshot = snapshot_;
    options.fill_cache = !draws_.OneIn(4);
    reading->at = at_;
    if (has_timestamps()) {
      if (at_ > 1 && draws_.OneIn(2)) {
        reading->at = draws_.Between(1, at_);
      }
      reading->timestamp_text = TimestampOf(reading->at);
      reading->timestamp = reading->timestamp_text;
      options.timestamp = &reading->timestamp;
    }
  }

  std::vector<std::string> SomeKeys(size_t n) {
    std::vector<std::string> keys;
    while (keys.size() < n) {
      keys.push_back(keys_.Any(&draws_));
    }
    return keys;
  }

  // ---- Point reads ----

  void CheckRead(uint64_t at, const char* how, const std::string& key,
                 const rocksdb::Status& status, const rocksdb::Slice& value) {
    ++count_;
    const std::string* const expected = model_.Get(key, at);
    const std::string where = configuration_.name + " " + Hex(key);
    if (!status.ok() && !status.IsNotFound()) {
      throw Failure(std::string(how) + " fails",
                    where + ": " + status.ToString());
    }
    if (expected == nullptr && status.ok()) {
      throw WrongRows(std::string(how) + " finds a row that is not there",
                      where);
    }
    if (expected != nullptr && !status.ok()) {
      throw WrongRows(std::string(how) + " misses a row", where);
    }
    if (expected != nullptr && value != rocksdb::Slice(*expected)) {
      throw WrongRows(std::string(how) + " gives another value",
                      where + ": " + value.ToString().substr(0, 40) +
                          " instead of " + expected->substr(0, 40));
    }
  }

  void Get(const std::vector<std::string>& keys) {
    Reading reading;
    Prepare(&reading);
    for (const std::string& key : keys) {
      rocksdb::PinnableSlice value;
      const rocksdb::Status status =
          db_.Get(reading.options, handle_, key, &value);
      CheckRead(reading.at, "Get", key, status, value);
    }
  }

  void KeyMayExist(const std::vector<std::string>& keys) {
    Reading reading;
    Prepare(&reading);
    for (const std::string& key : keys) {
      ++count_;
      std::string value;
      if (model_.Get(key, reading.at) != nullptr &&
          !db_.KeyMayExist(reading.options, handle_, key, &value)) {
        throw WrongRows("KeyMayExist denies a row",
                        configuration_.name + " " + Hex(key));
      }
    }
  }

  void MultiGet(std::vector<std::string> keys) {
    constexpr size_t kBatch = 77;  // Not a multiple of RocksDB's batch of 32.
    Reading reading;
    Prepare(&reading);
    const bool is_sorted = draws_.OneIn(2);
    if (is_sorted) {
      std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
        return model_.IsBefore(a, b);
      });
    }
    for (size_t done = 0; done < keys.size(); done += kBatch) {
      const size_t n = std::min(kBatch, keys.size() - done);
      const std::vector<rocksdb::Slice> slices(&keys[done], &keys[done] + n);
      std::vector<rocksdb::PinnableSlice> values(n);
      std::vector<rocksdb::Status> statuses(n);
      db_.MultiGet(reading.options, handle_, n, slices.data(), values.data(),
                   statuses.data(), is_sorted);
      for (size_t i = 0; i < n; ++i) {
        CheckRead(reading.at,
                  is_sorted ? "sorted MultiGet" : "unsorted MultiGet",
                  keys[done + i], statuses[i], values[i]);
      }
    }
  }

  // ---- Iterators ----

  void Scan() {
    Reading reading;
    Prepare(&reading);
    reading.options.total_order_seek = true;
    const std::unique_ptr<rocksdb::Iterator> iterator(
        db_.NewIterator(reading.options, handle_));
    std::vector<Row> expected = model_.All(reading.at);
    count_ += 2 * expected.size();
    for (const Direction direction :
         {Direction::kForward, Direction::kBackward}) {
      const bool is_forward = direction == Direction::kForward;
      if (is_forward) {
        iterator->SeekToFirst();
      } else {
        iterator->SeekToLast();
      }
      const auto found = Walk(iterator.get(), direction, SIZE_MAX, Everything);
      RequireOk(iterator->status(), "a scan fails");
      if (found != expected) {
        throw WrongRows(is_forward ? "a scan forwards is wrong"
                                   : "a scan backwards is wrong",
                        configuration_.name + ": " +
                            std::to_string(found.size()) + " rows instead of " +
                            std::to_string(expected.size()));
      }
      std::reverse(expected.begin(), expected.end());
    }
  }

  void Seeks() {
    for (const std::string& target : SomeKeys(4)) {
      Reading reading;
      Prepare(&reading);
      const SeekMode mode = DrawMode(target);
      // RocksDB before 9.5 loses rows in SeekForPrev over partitioned filters
      // of prefixes alone (facebook/rocksdb#12872). Only the witness can tell
      // that from a fault of ours.
      const bool may_be_backward =
          mode == SeekMode::kTotalOrder || kRelease >= 905 || SawAllFilters();
      const Direction direction = draws_.OneIn(3) && may_be_backward
                                      ? Direction::kBackward
                                      : Direction::kForward;
      reading.options.total_order_seek = mode == SeekMode::kTotalOrder;
      reading.options.auto_prefix_mode = mode == SeekMode::kAuto;
      reading.options.prefix_same_as_start = mode == SeekMode::kSamePrefix;
      if (draws_.OneIn(3)) {
        DrawBound(target, direction, mode, &reading);
      }
      Seek(reading, mode, target, direction);
    }
  }

 private:
  SeekMode DrawMode(const std::string& target) {
    switch (draws_.Below(5)) {
      case 0:
        return SeekMode::kTotalOrder;
      case 1:
        return SeekMode::kAuto;
      case 2:
        // With kSamePrefix, RocksDB computes the prefix of every key that it
        // reaches. So every key must have a prefix.
        return std::all_of(all_keys().begin(), all_keys().end(),
                           [&](const auto& key) { return HasPrefix(key); })
                   ? SeekMode::kSamePrefix
                   : SeekMode::kTotalOrder;
      default:
        // With kPrefix, RocksDB promises no result for a target without a
        // prefix.
        return extractor_ == nullptr || HasPrefix(target)
                   ? SeekMode::kPrefix
                   : SeekMode::kTotalOrder;
    }
  }

  // auto_prefix_mode misses short keys if the bound has another prefix (see
  // "BUG" at ReadOptions::auto_prefix_mode).
  void DrawBound(const std::string& target, Direction direction, SeekMode mode,
                 Reading* reading) {
    const std::string key = keys_.Any(&draws_);
    const bool is_forward = direction == Direction::kForward;
    const bool is_at_end = is_forward ? model_.IsBefore(target, key)
                                      : !model_.IsBefore(target, key);
    const bool takes_any =
        extractor_ == nullptr || mode == SeekMode::kTotalOrder ||
        (is_forward &&
         (mode != SeekMode::kAuto || keys_.shortest() >= kLongestPrefix));
    if (!is_at_end || (!takes_any && !HaveSamePrefix(target, key))) {
      return;
    }
    reading->bound_key = key;
    reading->bound = *reading->bound_key;
    (is_forward ? reading->options.iterate_upper_bound
                : reading->options.iterate_lower_bound) = &reading->bound;
  }

  void Seek(const Reading& reading, SeekMode mode, const std::string& target,
            Direction direction) {
    ++count_;
    const bool is_forward = direction == Direction::kForward;
    const bool is_within_prefix =
        extractor_ != nullptr &&
        (mode == SeekMode::kPrefix || mode == SeekMode::kSamePrefix);
    const KeyTest is_promised = [&](const std::string& key) {
      return !is_within_prefix || HaveSamePrefix(target, key);
    };
    const auto expected = model_.Run(
        target, direction, reading.at, kSteps, [&](const std::string& key) {
          const bool is_within_bound =
              !reading.bound_key ||
              (is_forward ? model_.IsBefore(key, *reading.bound_key)
                          : !model_.IsBefore(key, *reading.bound_key));
          return is_within_bound && is_promised(key);
        });

    const std::unique_ptr<rocksdb::Iterator> iterator(
        db_.NewIterator(reading.options, handle_));
    if (is_forward) {
      iterator->Seek(target);
    } else {
      iterator->SeekForPrev(target);
    }
    // With kPrefix, RocksDB may return keys after the end of the prefix. So the
    // walk stops there.
    const auto found =
        Walk(iterator.get(), direction, kSteps,
             mode == SeekMode::kPrefix ? is_promised : Everything);
    std::vector<Row> back;
    if (!is_within_prefix && found.size() == kSteps) {
      back = Walk(iterator.get(),
                  is_forward ? Direction::kBackward : Direction::kForward,
                  kSteps, Everything);
      std::reverse(back.begin(), back.end());
    }
    RequireOk(iterator->status(), "a seek fails");
    if (found != expected || (!back.empty() && back != expected)) {
      static const char* const kModes[] = {"total_order_seek",
                                           "auto_prefix_mode", "the prefix",
                                           "prefix_same_as_start"};
      throw WrongRows(std::string(is_forward ? "Seek" : "SeekForPrev") +
                          " is wrong with " + kModes[static_cast<size_t>(mode)],
                      configuration_.name + " " + Hex(target) + ": " +
                          Describe(found) + ", back " + Describe(back) +
                          ", expected " + Describe(expected));
    }
  }

  bool HasPrefix(const std::string& key) const {
    return extractor_ != nullptr && extractor_->InDomain(key);
  }
  bool HaveSamePrefix(const std::string& a, const std::string& b) const {
    return HasPrefix(a) && HasPrefix(b) &&
           extractor_->Transform(a) == extractor_->Transform(b);
  }

  const FamilyConfiguration& configuration_;
  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* const handle_;
  const KeyPool& keys_;
  const Model& model_;
  const rocksdb::Snapshot* const snapshot_;
  const uint64_t at_;
  // May be null.
  const std::shared_ptr<const rocksdb::SliceTransform> extractor_;
  Draws& draws_;
  uint64_t& count_;
};

// MultiGet takes one timestamp for all column families, or none.
void MultiGetOfFamilies(rocksdb::DB* db, std::vector<FamilyChecks>* families,
                        Draws* draws) {
  std::vector<std::pair<FamilyChecks*, std::string>> asked;
  for (FamilyChecks& family : *families) {
    if (family.has_timestamps()) {
      return;
    }
    for (const std::string& key : family.SomeKeys(1 + draws->Below(30))) {
      asked.emplace_back(&family, key);
    }
  }
  for (size_t i = asked.size(); i > 1; --i) {
    std::swap(asked[i - 1], asked[draws->Below(i)]);
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::vector<rocksdb::Slice> slices;
  for (const auto& [family, key] : asked) {
    handles.push_back(family->handle());
    slices.emplace_back(key);
  }
  Reading reading;
  asked[0].first->Prepare(&reading);
  std::vector<rocksdb::PinnableSlice> values(asked.size());
  std::vector<rocksdb::Status> statuses(asked.size());
  db->MultiGet(reading.options, asked.size(), handles.data(), slices.data(),
               values.data(), statuses.data());
  for (size_t i = 0; i < asked.size(); ++i) {
    asked[i].first->CheckRead(reading.at, "MultiGet of column families",
                              asked[i].second, statuses[i], values[i]);
  }
}

std::vector<FamilyChecks> FamiliesOf(const View& view, Draws* draws,
                                     uint64_t* count) {
  std::vector<FamilyChecks> families;
  for (size_t i = 0; i < view.written->families.size(); ++i) {
    families.emplace_back(view, i, draws, count);
  }
  return families;
}

}  // namespace

void CheckSome(const View& view, Draws* draws, uint64_t* count) {
  std::vector<FamilyChecks> families = FamiliesOf(view, draws, count);
  FamilyChecks& family = families[draws->Below(families.size())];
  switch (draws->Below(6)) {
    case 0:
      return family.Get(family.SomeKeys(10));
    case 1:
      return family.KeyMayExist(family.SomeKeys(10));
    case 2:
      return family.MultiGet(family.SomeKeys(draws->Between(1, 100)));
    case 3:
      return MultiGetOfFamilies(view.db->db(), &families, draws);
    default:
      return family.Seeks();
  }
}

void CheckAll(const View& view, Draws* draws, uint64_t* count) {
  constexpr int kSeeks = 50;
  std::vector<FamilyChecks> families = FamiliesOf(view, draws, count);
  for (FamilyChecks& family : families) {
    family.Get(family.all_keys());
    family.MultiGet(family.all_keys());
    family.KeyMayExist(family.all_keys());
    family.Scan();
    for (int n = 0; n < kSeeks; ++n) {
      family.Seeks();
    }
  }
  MultiGetOfFamilies(view.db->db(), &families, draws);
}

}  // namespace cassandra_bloom::testing
