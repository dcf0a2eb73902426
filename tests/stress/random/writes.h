// SPDX-License-Identifier: Apache-2.0

// Makes writes of every kind, to a database and to its models.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WRITES_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WRITES_H_

#include <rocksdb/write_batch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/stress/random/configuration.h"
#include "tests/stress/random/database.h"
#include "tests/stress/random/draws.h"
#include "tests/stress/random/key_pool.h"
#include "tests/stress/random/model.h"

namespace cassandra_bloom::testing {

// Returns a timestamp for the comparator "u64ts".
std::string TimestampOf(uint64_t number);

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
  // All arguments must outlive this object.
  Writes(const Configuration* configuration, const Database* db,
         Written* written, Draws* draws)
      : configuration_(*configuration),
        db_(*db),
        written_(*written),
        draws_(*draws) {}

  // Makes a few writes together, in a batch or in a transaction.
  void WriteSome();
  // Ingests a file that is made in `folder`, if the column family accepts
  // files.
  void Ingest(size_t family, const std::string& folder);

 private:
  enum class Kind { kPut, kDelete, kSingleDelete, kDeleteRange, kMerge };
  struct Write {
    Kind kind;
    size_t family;
    std::string key;
    std::string end_or_value;
  };

  Write DrawWrite();
  std::string DrawValue();
  void Apply(const Write& write);
  rocksdb::Status AddTo(rocksdb::WriteBatch* batch, const Write& write) const;
  void WriteBatch(const std::vector<Write>& writes);
  rocksdb::Status Commit(const std::vector<Write>& writes,
                         rocksdb::Transaction* transaction);
  void CheckInTransaction(const Write& write,
                          rocksdb::Transaction* transaction) const;
  void RollBack(const std::vector<Write>& writes);

  const Configuration& configuration_;
  const Database& db_;
  Written& written_;
  Draws& draws_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WRITES_H_
