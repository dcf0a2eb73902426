// SPDX-License-Identifier: Apache-2.0

// Cassandra's filter, as simple and slow as Cassandra's Java code. Tests
// compare the folder `plugin` with this filter, so this filter shares no code
// with `plugin`.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_NAIVE_FILTER_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_NAIVE_FILTER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {

class NaiveFilter {
 public:
  NaiveFilter(int num_probes, uint32_t num_words);

  // Returns {result[0], result[1]} of Cassandra's MurmurHash.hash3_x64_128.
  static std::pair<uint64_t, uint64_t> Hash(const std::string& key);

  std::vector<uint64_t> Positions(uint64_t h1, uint64_t h2) const;

  void Add(const std::string& key);
  bool MayContain(const std::string& key) const;

  // Returns the bytes of the Filter.db in SSTable versions `na` and later.
  std::string Serialize() const;

 private:
  int num_probes_;
  uint32_t num_words_;
  std::vector<bool> bits_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_NAIVE_FILTER_H_
