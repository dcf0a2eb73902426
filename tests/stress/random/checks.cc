// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/checks.h"

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

void Step(rocksdb::Iterator* iterator, Direction direction) {
  if (direction == Direction::kForward) {
    iterator->Next();
  } else {
    iterator->Prev();
  }
}

Row RowAt(const rocksdb::Iterator& iterator) {
  return {iterator.key().ToString(), iterator.value().ToString()};
}

// Returns rows from the iterator's position on. The iterator stops at the last
// returned row, or at the first key that is not wanted.
std::vector<Row> Walk(rocksdb::Iterator* iterator, Direction direction,
                      size_t max, const KeyTest& wanted) {
  std::vector<Row> rows;
  while (iterator->Valid() && wanted(iterator->key().ToString())) {
    rows.push_back(RowAt(*iterator));
    if (rows.size() == max) {
      break;
    }
    Step(iterator, direction);
  }
  return rows;
}

bool Everything(const std::string& /*key*/) { return true; }

}  // namespace

struct Checks::Family {
  const FamilyConfiguration* configuration;
  rocksdb::DB* db;
  rocksdb::ColumnFamilyHandle* handle;
  const FamilyState* state;
  const rocksdb::Snapshot* snapshot;
  uint64_t at;
  std::shared_ptr<const rocksdb::SliceTransform> extractor;  // May be null.

  bool HasPrefix(const std::string& key) const {
    return extractor != nullptr && extractor->InDomain(key);
  }
  std::string PrefixOf(const std::string& key) const {
    return extractor->Transform(key).ToString();
  }
  bool HaveSamePrefix(const std::string& a, const std::string& b) const {
    return HasPrefix(a) && HasPrefix(b) && PrefixOf(a) == PrefixOf(b);
  }
};

// A ReadOptions with the objects that it points to.
struct Checks::Reading {
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

Checks::Family Checks::FamilyOf(const View& view, size_t family) const {
  rocksdb::DB* const db = view.db->db();
  rocksdb::ColumnFamilyHandle* const handle = view.db->handle(family);
  return {&view.configuration->families[family],
          db,
          handle,
          &view.written->families[family],
          view.snapshot,
          view.at,
          db->GetOptions(handle).prefix_extractor};
}

Checks::Family Checks::DrawnFamily(const View& view) {
  return FamilyOf(view, draws_.Below(view.written->families.size()));
}

// Prepares a read of the rows at `family.at`. With timestamps, the read may
// also be at an earlier time.
void Checks::Prepare(const Family& family, Reading* reading) {
  rocksdb::ReadOptions& options = reading->options;
  options.snapshot = family.snapshot;
  options.fill_cache = !draws_.OneIn(4);
  options.verify_checksums = !draws_.OneIn(4);
  reading->at = family.at;
  if (family.configuration->has_timestamps) {
    if (family.at > 1 && draws_.OneIn(2)) {
      reading->at = draws_.Between(1, family.at);
    }
    reading->timestamp_text = TimestampOf(reading->at);
    reading->timestamp = reading->timestamp_text;
    options.timestamp = &reading->timestamp;
  }
}

std::vector<std::string> Checks::SomeKeys(const Family& family, size_t n) {
  std::vector<std::string> keys;
  while (keys.size() < n) {
    keys.push_back(family.state->keys.Any(&draws_));
  }
  return keys;
}

// ---- Point reads ----

void Checks::CheckRead(const Family& family, uint64_t at, const char* how,
                       const std::string& key, const rocksdb::Status& status,
                       const rocksdb::Slice& value) {
  ++count_;
  const std::string* const expected = family.state->model.Get(key, at);
  const std::string where = family.configuration->name + " " + Hex(key);
  if (!status.ok() && !status.IsNotFound()) {
    throw Failure(std::string(how) + " fails",
                  where + ": " + status.ToString());
  }
  if (expected == nullptr && status.ok()) {
    throw WrongRows(std::string(how) + " finds a row that is not there", where);
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

void Checks::Get(const Family& family, const std::vector<std::string>& keys) {
  Reading reading;
  Prepare(family, &reading);
  for (const std::string& key : keys) {
    rocksdb::PinnableSlice value;
    const rocksdb::Status status =
        family.db->Get(reading.options, family.handle, key, &value);
    CheckRead(family, reading.at, "Get", key, status, value);
  }
}

void Checks::KeyMayExist(const Family& family,
                         const std::vector<std::string>& keys) {
  Reading reading;
  Prepare(family, &reading);
  for (const std::string& key : keys) {
    ++count_;
    std::string value;
    if (family.state->model.Get(key, reading.at) != nullptr &&
        !family.db->KeyMayExist(reading.options, family.handle, key, &value)) {
      throw WrongRows("KeyMayExist denies a row",
                      family.configuration->name + " " + Hex(key));
    }
  }
}

void Checks::MultiGet(const Family& family, std::vector<std::string> keys) {
  constexpr size_t kBatch = 77;  // Not a multiple of RocksDB's batch of 32.
  Reading reading;
  Prepare(family, &reading);
  const bool is_sorted = draws_.OneIn(2);
  if (is_sorted) {
    std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
      return family.state->model.IsBefore(a, b);
    });
  }
  for (size_t done = 0; done < keys.size(); done += kBatch) {
    const size_t n = std::min(kBatch, keys.size() - done);
    const std::vector<rocksdb::Slice> slices(&keys[done], &keys[done] + n);
    std::vector<rocksdb::PinnableSlice> values(n);
    std::vector<rocksdb::Status> statuses(n);
    family.db->MultiGet(reading.options, family.handle, n, slices.data(),
                        values.data(), statuses.data(), is_sorted);
    for (size_t i = 0; i < n; ++i) {
      CheckRead(family, reading.at,
                is_sorted ? "sorted MultiGet" : "unsorted MultiGet",
                keys[done + i], statuses[i], values[i]);
    }
  }
}

// MultiGet takes one timestamp for all column families, or none.
void Checks::MultiGetOfFamilies(const View& view) {
  std::vector<std::pair<Family, std::string>> asked;
  for (size_t i = 0; i < view.written->families.size(); ++i) {
    const Family family = FamilyOf(view, i);
    if (family.configuration->has_timestamps) {
      return;
    }
    for (const std::string& key : SomeKeys(family, 1 + draws_.Below(30))) {
      asked.emplace_back(family, key);
    }
  }
  for (size_t i = asked.size(); i > 1; --i) {
    std::swap(asked[i - 1], asked[draws_.Below(i)]);
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::vector<rocksdb::Slice> slices;
  for (const auto& [family, key] : asked) {
    handles.push_back(family.handle);
    slices.emplace_back(key);
  }
  Reading reading;
  Prepare(asked[0].first, &reading);
  std::vector<rocksdb::PinnableSlice> values(asked.size());
  std::vector<rocksdb::Status> statuses(asked.size());
  view.db->db()->MultiGet(reading.options, asked.size(), handles.data(),
                          slices.data(), values.data(), statuses.data());
  for (size_t i = 0; i < asked.size(); ++i) {
    CheckRead(asked[i].first, reading.at, "MultiGet of column families",
              asked[i].second, statuses[i], values[i]);
  }
}

// ---- Iterators ----

void Checks::Scan(const Family& family) {
  Reading reading;
  Prepare(family, &reading);
  reading.options.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> iterator(
      family.db->NewIterator(reading.options, family.handle));
  std::vector<Row> expected = family.state->model.All(reading.at);
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
      throw WrongRows(
          is_forward ? "a scan forwards is wrong" : "a scan backwards is wrong",
          family.configuration->name + ": " + std::to_string(found.size()) +
              " rows instead of " + std::to_string(expected.size()));
    }
    std::reverse(expected.begin(), expected.end());
  }
}

Checks::SeekMode Checks::DrawMode(const Family& family,
                                  const std::string& target) {
  const std::vector<std::string>& keys = family.state->keys.all();
  switch (draws_.Below(5)) {
    case 0:
      return SeekMode::kTotalOrder;
    case 1:
      return SeekMode::kAuto;
    case 2:
      // With kSamePrefix, RocksDB computes the prefix of every key that it
      // reaches. So every key must have a prefix.
      return std::all_of(keys.begin(), keys.end(),
                         [&](const auto& key) { return family.HasPrefix(key); })
                 ? SeekMode::kSamePrefix
                 : SeekMode::kTotalOrder;
    default:
      // With kPrefix, RocksDB promises no result for a target without a prefix.
      return family.extractor == nullptr || family.HasPrefix(target)
                 ? SeekMode::kPrefix
                 : SeekMode::kTotalOrder;
  }
}

// auto_prefix_mode misses short keys if the bound has another prefix (see "BUG"
// at ReadOptions::auto_prefix_mode).
void Checks::DrawBound(const Family& family, const std::string& target,
                       Direction direction, SeekMode mode, Reading* reading) {
  const std::string key = family.state->keys.Any(&draws_);
  const Model& model = family.state->model;
  const bool is_forward = direction == Direction::kForward;
  const bool is_at_end =
      is_forward ? model.IsBefore(target, key) : !model.IsBefore(target, key);
  const bool takes_any =
      family.extractor == nullptr || mode == SeekMode::kTotalOrder ||
      (is_forward && (mode != SeekMode::kAuto ||
                      family.state->keys.shortest() >= kLongestPrefix));
  if (!is_at_end || (!takes_any && !family.HaveSamePrefix(target, key))) {
    return;
  }
  reading->bound_key = key;
  reading->bound = *reading->bound_key;
  (is_forward ? reading->options.iterate_upper_bound
              : reading->options.iterate_lower_bound) = &reading->bound;
}

void Checks::Seek(const Family& family, const Reading& reading, SeekMode mode,
                  const std::string& target, Direction direction) {
  ++count_;
  const Model& model = family.state->model;
  const bool is_forward = direction == Direction::kForward;
  const bool is_within_prefix =
      family.extractor != nullptr &&
      (mode == SeekMode::kPrefix || mode == SeekMode::kSamePrefix);
  const KeyTest is_promised = [&](const std::string& key) {
    return !is_within_prefix || family.HaveSamePrefix(target, key);
  };
  const auto expected = model.Run(
      target, direction, reading.at, kSteps, [&](const std::string& key) {
        const bool is_within_bound =
            !reading.bound_key ||
            (is_forward ? model.IsBefore(key, *reading.bound_key)
                        : !model.IsBefore(key, *reading.bound_key));
        return is_within_bound && is_promised(key);
      });

  const std::unique_ptr<rocksdb::Iterator> iterator(
      family.db->NewIterator(reading.options, family.handle));
  if (is_forward) {
    iterator->Seek(target);
  } else {
    iterator->SeekForPrev(target);
  }
  // With kPrefix, RocksDB may return keys after the end of the prefix. So the
  // walk stops there.
  const auto found = Walk(iterator.get(), direction, kSteps,
                          mode == SeekMode::kPrefix ? is_promised : Everything);
  std::vector<Row> back;
  if (!is_within_prefix && found.size() == kSteps) {
    back = Walk(iterator.get(),
                is_forward ? Direction::kBackward : Direction::kForward, kSteps,
                Everything);
    std::reverse(back.begin(), back.end());
  }
  RequireOk(iterator->status(), "a seek fails");
  if (found != expected || (!back.empty() && back != expected)) {
    static const char* const kModes[] = {"total_order_seek", "auto_prefix_mode",
                                         "the prefix", "prefix_same_as_start"};
    throw WrongRows(std::string(is_forward ? "Seek" : "SeekForPrev") +
                        " is wrong with " + kModes[static_cast<size_t>(mode)],
                    family.configuration->name + " " + Hex(target) + ": " +
                        Describe(found) + ", back " + Describe(back) +
                        ", expected " + Describe(expected));
  }
}

void Checks::Seeks(const Family& family) {
  for (const std::string& target : SomeKeys(family, 4)) {
    Reading reading;
    Prepare(family, &reading);
    const SeekMode mode = DrawMode(family, target);
    // RocksDB before 9.5 loses rows in SeekForPrev over partitioned filters of
    // prefixes alone (facebook/rocksdb#12872). Only the witness can tell that
    // from a fault of ours.
    const bool may_be_backward =
        mode == SeekMode::kTotalOrder || kRelease >= 905 || SawAllFilters();
    const Direction direction = draws_.OneIn(3) && may_be_backward
                                    ? Direction::kBackward
                                    : Direction::kForward;
    reading.options.total_order_seek = mode == SeekMode::kTotalOrder;
    reading.options.auto_prefix_mode = mode == SeekMode::kAuto;
    reading.options.prefix_same_as_start = mode == SeekMode::kSamePrefix;
    // With timestamps, RocksDB 7.8 overwrites rows that it has pinned.
    reading.options.pin_data =
        !family.configuration->has_timestamps && draws_.OneIn(4);
    if (draws_.OneIn(3)) {
      DrawBound(family, target, direction, mode, &reading);
    }
    Seek(family, reading, mode, target, direction);
  }
}

// ---- All checks ----

void Checks::Points(const Family& family,
                    const std::vector<std::string>& keys) {
  Get(family, keys);
  MultiGet(family, keys);
  KeyMayExist(family, keys);
}

void Checks::Some(const View& view) {
  const Family family = DrawnFamily(view);
  switch (draws_.Below(6)) {
    case 0:
      return Get(family, SomeKeys(family, 10));
    case 1:
      return KeyMayExist(family, SomeKeys(family, 10));
    case 2:
      return MultiGet(family, SomeKeys(family, draws_.Between(1, 100)));
    case 3:
      return MultiGetOfFamilies(view);
    default:
      return Seeks(family);
  }
}

void Checks::All(const View& view) {
  constexpr int kSeeks = 50;
  for (size_t i = 0; i < view.written->families.size(); ++i) {
    const Family family = FamilyOf(view, i);
    Points(family, family.state->keys.all());
    Scan(family);
    for (int n = 0; n < kSeeks; ++n) {
      Seeks(family);
    }
  }
  MultiGetOfFamilies(view);
}

}  // namespace cassandra_bloom::testing
