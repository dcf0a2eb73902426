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
  Change Next();
  // Makes the change in the database. An ingested file is written into `folder`
  // first.
  void Make(const Change& change, const std::string& folder) const;

 private:
  Write DrawWrite();
  std::vector<Write> DrawFile(size_t family);
  std::string DrawValue();
  void Apply(const Write& write);
  rocksdb::Status AddTo(rocksdb::WriteBatch* batch, const Write& write,
                        const std::string& timestamp) const;
  void MakeBatch(const Change& change) const;
  void Ingest(const Change& change, const std::string& path) const;

  const Configuration& configuration_;
  const Database& db_;
  Written& written_;
  Draws draws_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_WRITES_H_
