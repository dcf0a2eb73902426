// SPDX-License-Identifier: Apache-2.0

#include "tests/support/rocksdb/checks.h"

#include <rocksdb/db.h>
#include <rocksdb/iterator.h>

#include <algorithm>
#include <iterator>
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

std::unique_ptr<rocksdb::Iterator> NewIterator(
    const Source& source, const rocksdb::ReadOptions& options) {
  return std::unique_ptr<rocksdb::Iterator>(
      source.db->NewIterator(options, source.column_family));
}

using Run = std::vector<std::pair<std::string, std::string>>;

std::string Describe(const Run& run) {
  std::string description = std::to_string(run.size()) + " rows";
  for (const auto& [key, value] : run) {
    description += " " + rocksdb::Slice(key).ToString(/*hex=*/true);
    description += "=" + value;
  }
  return description;
}

// Returns the rows from where the iterator is, up to the first one that does
// not begin with `prefix`.
Run RunFrom(rocksdb::Iterator* iterator, Direction direction, size_t most,
            const std::string& prefix = "") {
  Run run;
  while (run.size() < most && iterator->Valid() &&
         iterator->key().starts_with(prefix)) {
    run.emplace_back(iterator->key().ToString(), iterator->value().ToString());
    if (direction == Direction::kForward) {
      iterator->Next();
    } else {
      iterator->Prev();
    }
  }
  Require(iterator->status());
  return run;
}

template <typename RowIterator>
Run ExpectedRun(RowIterator row, RowIterator end, size_t most,
                const std::string& prefix) {
  Run run;
  while (row != end && run.size() < most &&
         row->first.compare(0, prefix.size(), prefix) == 0) {
    run.push_back(*row++);
  }
  return run;
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

AssertionResult ScanMatches(const Source& source, const Rows& rows) {
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  const auto iterator = NewIterator(source, options);
  const size_t most = rows.size() + 1;
  iterator->SeekToFirst();
  const Run forwards = RunFrom(iterator.get(), Direction::kForward, most);
  iterator->SeekToLast();
  const Run backwards = RunFrom(iterator.get(), Direction::kBackward, most);
  if (forwards != Run(rows.begin(), rows.end()) ||
      backwards != Run(rows.rbegin(), rows.rend())) {
    return AssertionFailure()
           << "scan: " << forwards.size() << " rows forwards and "
           << backwards.size() << " backwards, not the " << rows.size()
           << " expected";
  }
  return AssertionSuccess();
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

AssertionResult SeeksMatch(const Source& source, const Dataset& dataset,
                           const rocksdb::SliceTransform* prefix_extractor,
                           Direction direction) {
  constexpr size_t kSteps = 6;  // Enough to reach the next partition.
  const bool is_forward = direction == Direction::kForward;
  const Rows& rows = dataset.rows;
  const std::vector<std::string> targets = AllKeys(dataset);
  Answers answers(is_forward ? "Seek" : "SeekForPrev");
  rocksdb::ReadOptions options;
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
    const Run expected =
        is_forward
            ? ExpectedRun(rows.lower_bound(target), rows.end(), kSteps, prefix)
            : ExpectedRun(std::make_reverse_iterator(rows.upper_bound(target)),
                          rows.rend(), kSteps, prefix);
    const auto check = [&](rocksdb::Iterator* iterator, const char* mode) {
      if (is_forward) {
        iterator->Seek(target);
      } else {
        iterator->SeekForPrev(target);
      }
      const Run found = RunFrom(iterator, direction, kSteps, prefix);
      if (found != expected) {
        answers.Expect(target, mode + Describe(found), Describe(expected));
      }
    };
    check(any_prefix.get(), "");
    if (check_same_prefix) {
      check(same_prefix.get(), "with prefix_same_as_start ");
    }
  }
  return answers.Result();
}

}  // namespace cassandra_bloom::testing
