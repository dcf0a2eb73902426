// SPDX-License-Identifier: Apache-2.0

// Reads a database in every way, and compares the rows with a model in memory.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_CHECKS_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_CHECKS_H_

#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/stress/random/configuration.h"
#include "tests/stress/random/database.h"
#include "tests/stress/random/draws.h"
#include "tests/stress/random/model.h"
#include "tests/stress/random/writes.h"

namespace cassandra_bloom::testing {

struct View {
  const Configuration* configuration;
  const Database* db;
  const Written* written;
  const rocksdb::Snapshot* snapshot;  // May be null.
  uint64_t at;
};

// Some and All throw a Failure if a row is wrong or a read fails.
class Checks {
 public:
  // `draws` and `count` must outlive this object.
  Checks(Draws* draws, uint64_t* count) : draws_(*draws), count_(*count) {}

  // Reads a few keys in one way that is chosen at random.
  void Some(const View& view);
  // Makes every kind of point read for every key, scans all rows, and seeks.
  void All(const View& view);

 private:
  struct Family;
  struct Reading;
  enum class SeekMode { kTotalOrder, kAuto, kPrefix, kSamePrefix };

  Family DrawnFamily(const View& view);
  Family FamilyOf(const View& view, size_t family) const;
  void Prepare(const Family& family, Reading* reading);
  std::vector<std::string> SomeKeys(const Family& family, size_t n);
  void CheckRead(const Family& family, uint64_t at, const char* how,
                 const std::string& key, const rocksdb::Status& status,
                 const rocksdb::Slice& value);

  void Get(const Family& family, const std::vector<std::string>& keys);
  void KeyMayExist(const Family& family, const std::vector<std::string>& keys);
  void MultiGet(const Family& family, std::vector<std::string> keys);
  void MultiGetOfFamilies(const View& view);
  void Points(const Family& family, const std::vector<std::string>& keys);

  void Scan(const Family& family);
  void Seeks(const Family& family);
  SeekMode DrawMode(const Family& family, const std::string& target);
  void DrawBound(const Family& family, const std::string& target,
                 Direction direction, SeekMode mode, Reading* reading);
  void Seek(const Family& family, const Reading& reading, SeekMode mode,
            const std::string& target, Direction direction);

  Draws& draws_;
  uint64_t& count_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_CHECKS_H_
