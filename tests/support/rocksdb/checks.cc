// SPDX-License-Identifier: Apache-2.0

#include "tests/support/rocksdb/checks.h"

#include <rocksdb/db.h>
#include <rocksdb/iterator.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

// The number of keys in one MultiGet. RocksDB passes at most 32 keys at once to
// a filter. 77 is larger and no multiple of 32, so that RocksDB also passes
// fewer than 32 keys.
constexpr size_t kMultiGetBatch = 77;

// Collects the keys with wrong results. The message shows the first five.
class Mismatches {
 public:
  explicit Mismatches(const char* reading) : reading_(reading) {}

  void Add(const std::string& key, const std::string& what) {
    if (++count_ <= 5) {
      examples_ +=
          "\n  " + rocksdb::Slice(key).ToString(/*hex=*/true) + ": " + what;
    }
  }

  AssertionResult Result() const {
    if (count_ == 0) {
      return AssertionSuccess();
    }
    return AssertionFailure()
           << reading_ << ": wrong for " << count_ << " keys:" << examples_;
  }

 private:
  const char* const reading_;
  size_t count_ = 0;
  std::string examples_;
};

void CheckPointRead(const Rows& rows, const std::string& key,
                    const rocksdb::Status& status, const std::string& value,
                    Mismatches* mismatches) {
  const auto row = rows.find(key);
  if (row == rows.end()) {
    if (!status.IsNotFound()) {
      mismatches->Add(key, "should be absent, is " + status.ToString());
    }
  } else if (!status.ok()) {
    mismatches->Add(key, "should be present, is " + status.ToString());
  } else if (value != row->second) {
    mismatches->Add(key, "has the value \"" + value + "\" instead of \"" +
                             row->second + "\"");
  }
}

std::vector<std::string> AllKeys(const Dataset& dataset) {
  std::vector<std::string> keys = dataset.absent;
  for (const auto& row : dataset.rows) {
    keys.push_back(row.first);
  }
  return keys;
}

void Shuffle(std::vector<std::string>* keys) {
  uint64_t state = keys->size();
  for (size_t i = keys->size(); i > 1; --i) {
    std::swap((*keys)[i - 1], (*keys)[NextRandom(&state) % i]);
  }
}

std::unique_ptr<rocksdb::Iterator> NewIterator(
    const Source& source, const rocksdb::ReadOptions& options) {
  return std::unique_ptr<rocksdb::Iterator>(
      source.db->NewIterator(options, source.column_family));
}

std::string Describe(const std::vector<std::string>& keys) {
  std::string description = std::to_string(keys.size()) + " rows";
  for (const std::string& key : keys) {
    description += " " + rocksdb::Slice(key).ToString(/*hex=*/true);
  }
  return description;
}

enum class Direction { kForward, kBackward };

constexpr size_t kSteps = 6;  // Enough to reach the next partition.

// Returns at most kSteps keys, from `target` on in `direction`. Stops before
// the first key that does not begin with `prefix`.
std::vector<std::string> ExpectedRun(const Rows& rows,
                                     const std::string& target,
                                     Direction direction,
                                     const std::string& prefix) {
  std::vector<std::string> run;
  const auto take = [&](const std::string& key) {
    if (run.size() == kSteps || key.compare(0, prefix.size(), prefix) != 0) {
      return false;
    }
    run.push_back(key);
    return true;
  };
  if (direction == Direction::kForward) {
    for (auto row = rows.lower_bound(target);
         row != rows.end() && take(row->first); ++row) {
    }
  } else {
    for (auto row = std::make_reverse_iterator(rows.upper_bound(target));
         row != rows.rend() && take(row->first); ++row) {
    }
  }
  return run;
}

std::vector<std::string> FoundRun(rocksdb::Iterator* iterator,
                                  const std::string& target,
                                  Direction direction,
                                  const std::string& prefix) {
  if (direction == Direction::kForward) {
    iterator->Seek(target);
  } else {
    iterator->SeekForPrev(target);
  }
  std::vector<std::string> run;
  while (run.size() < kSteps && iterator->Valid() &&
         iterator->key().starts_with(prefix)) {
    run.push_back(iterator->key().ToString());
    if (direction == Direction::kForward) {
      iterator->Next();
    } else {
      iterator->Prev();
    }
  }
  Require(iterator->status());
  return run;
}

AssertionResult CheckSeeks(const Source& source, const Dataset& dataset,
                           const rocksdb::SliceTransform* prefix_extractor,
                           Direction direction) {
  const std::vector<std::string> targets = AllKeys(dataset);
  Mismatches mismatches(direction == Direction::kForward ? "Seek"
                                                         : "SeekForPrev");
  rocksdb::ReadOptions options = source.read_options;
  const auto any_prefix = NewIterator(source, options);
  options.prefix_same_as_start = true;
  const auto same_prefix = NewIterator(source, options);

  const auto has_prefix = [prefix_extractor](const std::string& key) {
    return prefix_extractor != nullptr && prefix_extractor->InDomain(key);
  };
  // prefix_same_as_start is checked only if all targets have a prefix. With
  // prefix_same_as_start, RocksDB computes the prefix of every key that it
  // reaches, even of a key that has no prefix.
  const bool check_same_prefix =
      std::all_of(targets.begin(), targets.end(), has_prefix);

  for (const std::string& target : targets) {
    const std::string prefix =
        has_prefix(target) ? prefix_extractor->Transform(target).ToString()
                           : "";
    const auto expected = ExpectedRun(dataset.rows, target, direction, prefix);
    const auto check = [&](rocksdb::Iterator* iterator, const char* mode) {
      const auto found = FoundRun(iterator, target, direction, prefix);
      if (found != expected) {
        mismatches.Add(target, std::string(mode) + "found " + Describe(found) +
                                   ", expected " + Describe(expected));
      }
    };
    check(any_prefix.get(), "");
    if (check_same_prefix) {
      check(same_prefix.get(), "with prefix_same_as_start ");
    }
  }
  return mismatches.Result();
}

// Reads all rows forwards and backwards.
AssertionResult ScanMatches(const Source& source, const Rows& rows) {
  rocksdb::ReadOptions options = source.read_options;
  options.total_order_seek = true;
  const auto iterator = NewIterator(source, options);
  Rows forwards;
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    forwards[iterator->key().ToString()] = iterator->value().ToString();
  }
  Require(iterator->status());
  Rows backwards;
  for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev()) {
    backwards[iterator->key().ToString()] = iterator->value().ToString();
  }
  Require(iterator->status());
  if (forwards != rows || backwards != rows) {
    return AssertionFailure()
           << "scan: " << forwards.size() << " rows forwards and "
           << backwards.size() << " backwards, not the " << rows.size()
           << " expected";
  }
  return AssertionSuccess();
}

}  // namespace

AssertionResult GetsMatch(const Source& source, const Dataset& dataset) {
  Mismatches mismatches("Get");
  for (const std::string& key : AllKeys(dataset)) {
    std::string value;
    const rocksdb::Status status =
        source.db->Get(source.read_options, source.column_family, key, &value);
    CheckPointRead(dataset.rows, key, status, value, &mismatches);
  }
  return mismatches.Result();
}

AssertionResult MultiGetsMatch(const Source& source, const Dataset& dataset,
                               bool sorted) {
  Mismatches mismatches(sorted ? "sorted MultiGet" : "unsorted MultiGet");
  std::vector<std::string> keys = AllKeys(dataset);
  if (sorted) {
    std::sort(keys.begin(), keys.end());
  } else {
    Shuffle(&keys);
  }
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  for (size_t done = 0; done < slices.size(); done += kMultiGetBatch) {
    const size_t n = std::min(kMultiGetBatch, slices.size() - done);
    std::vector<rocksdb::PinnableSlice> values(n);
    std::vector<rocksdb::Status> statuses(n);
    source.db->MultiGet(source.read_options, source.column_family, n,
                        &slices[done], values.data(), statuses.data(), sorted);
    for (size_t i = 0; i < n; ++i) {
      CheckPointRead(dataset.rows, keys[done + i], statuses[i],
                     values[i].ToString(), &mismatches);
    }
  }
  return mismatches.Result();
}

AssertionResult SeeksMatch(const Source& source, const Dataset& dataset,
                           const rocksdb::SliceTransform* prefix_extractor) {
  return CheckSeeks(source, dataset, prefix_extractor, Direction::kForward);
}

AssertionResult SeeksForPrevMatch(
    const Source& source, const Dataset& dataset,
    const rocksdb::SliceTransform* prefix_extractor) {
  return CheckSeeks(source, dataset, prefix_extractor, Direction::kBackward);
}

AssertionResult PointReadsMatch(const Source& source, const Dataset& dataset) {
  AssertionResult result = GetsMatch(source, dataset);
  if (result) {
    result = MultiGetsMatch(source, dataset, /*sorted=*/true);
  }
  if (result) {
    result = MultiGetsMatch(source, dataset, /*sorted=*/false);
  }
  return result ? ScanMatches(source, dataset.rows) : result;
}

}  // namespace cassandra_bloom::testing
