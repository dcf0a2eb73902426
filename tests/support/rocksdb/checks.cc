// SPDX-License-Identifier: Apache-2.0

#include "tests/support/rocksdb/checks.h"

#include <rocksdb/db.h>
#include <rocksdb/iterator.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

// The number of keys in one MultiGet. RocksDB passes at most 32 keys at once to
// a filter. 77 is larger and no multiple of 32, so that RocksDB also passes
// fewer than 32 keys.
constexpr size_t kMultiGetBatch = 77;

// Compares the answers for keys. The message shows the first five that differ.
class Answers {
 public:
  explicit Answers(const char* reading) : reading_(reading) {}

  void Expect(const std::string& key, const std::string& found,
              const std::string& expected) {
    if (found != expected && ++num_wrong_ <= 5) {
      examples_ += "\n  " + rocksdb::Slice(key).ToString(/*hex=*/true) + ": " +
                   found + ", expected " + expected;
    }
  }

  AssertionResult Result() const {
    return num_wrong_ == 0 ? AssertionSuccess()
                           : AssertionFailure()
                                 << reading_ << ": wrong for " << num_wrong_
                                 << " keys:" << examples_;
  }

 private:
  const char* const reading_;
  size_t num_wrong_ = 0;
  std::string examples_;
};

void ExpectPointRead(const Rows& rows, const std::string& key,
                     const rocksdb::Status& status, const std::string& value,
                     Answers* answers) {
  const auto row = rows.find(key);
  answers->Expect(key,
                  status.ok()           ? "\"" + value + "\""
                  : status.IsNotFound() ? "absent"
                                        : status.ToString(),
                  row == rows.end() ? "absent" : "\"" + row->second + "\"");
}

std::vector<std::string> AllKeys(const Dataset& dataset) {
  std::vector<std::string> keys = dataset.absent;
  for (const auto& row : dataset.rows) {
    keys.push_back(row.first);
  }
  return keys;
}

// Calls MultiGet for every row and every absent key, in large batches. The keys
// are in order if `sorted` is true, otherwise shuffled.
AssertionResult MultiGetsMatch(const Source& source, const Dataset& dataset,
                               bool sorted) {
  Answers answers(sorted ? "sorted MultiGet" : "unsorted MultiGet");
  std::vector<std::string> keys = AllKeys(dataset);
  if (sorted) {
    std::sort(keys.begin(), keys.end());
  } else {
    std::shuffle(keys.begin(), keys.end(), std::mt19937_64());
  }
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  for (size_t done = 0; done < slices.size(); done += kMultiGetBatch) {
    const size_t n = std::min(kMultiGetBatch, slices.size() - done);
    std::vector<rocksdb::PinnableSlice> values(n);
    std::vector<rocksdb::Status> statuses(n);
    source.db->MultiGet({}, source.column_family, n, &slices[done],
                        values.data(), statuses.data(), sorted);
    for (size_t i = 0; i < n; ++i) {
      ExpectPointRead(dataset.rows, keys[done + i], statuses[i],
                      values[i].ToString(), &answers);
    }
  }
  return answers.Result();
}

// Scans all rows in both directions, and seeks each row.
AssertionResult IteratorsMatch(const Source& source, const Rows& rows) {
  using Scanned = std::vector<std::pair<std::string, std::string>>;
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> all(
      source.db->NewIterator(options, source.column_family));
  Scanned forwards;
  for (all->SeekToFirst(); all->Valid(); all->Next()) {
    forwards.emplace_back(all->key().ToString(), all->value().ToString());
  }
  Scanned backwards;
  for (all->SeekToLast(); all->Valid(); all->Prev()) {
    backwards.emplace_back(all->key().ToString(), all->value().ToString());
  }
  Require(all->status());
  if (forwards != Scanned(rows.begin(), rows.end()) ||
      backwards != Scanned(rows.rbegin(), rows.rend())) {
    return AssertionFailure()
           << "scan: " << forwards.size() << " rows forwards and "
           << backwards.size() << " backwards, not the " << rows.size()
           << " expected";
  }
  Answers answers("Seek");
  const std::unique_ptr<rocksdb::Iterator> of_prefix(
      source.db->NewIterator({}, source.column_family));
  for (const auto& row : rows) {
    of_prefix->Seek(row.first);
    answers.Expect(row.first,
                   of_prefix->Valid() ? of_prefix->key().ToString() : "absent",
                   row.first);
  }
  Require(of_prefix->status());
  return answers.Result();
}

}  // namespace

AssertionResult GetsMatch(const Source& source, const Dataset& dataset) {
  Answers answers("Get");
  for (const std::string& key : AllKeys(dataset)) {
    std::string value;
    const rocksdb::Status status =
        source.db->Get({}, source.column_family, key, &value);
    ExpectPointRead(dataset.rows, key, status, value, &answers);
  }
  return answers.Result();
}

AssertionResult ReadsMatch(const Source& source, const Dataset& dataset) {
  AssertionResult result = GetsMatch(source, dataset);
  if (result) {
    result = MultiGetsMatch(source, dataset, /*sorted=*/true);
  }
  if (result) {
    result = MultiGetsMatch(source, dataset, /*sorted=*/false);
  }
  return result ? IteratorsMatch(source, dataset.rows) : result;
}

}  // namespace cassandra_bloom::testing
