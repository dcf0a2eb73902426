// SPDX-License-Identifier: Apache-2.0

// Queries a truncated Filter.db. The answers are nearly those of Cassandra.
// Tested in filterdb/tests/commands/scan/scan_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_CUT_FILTER_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_CUT_FILTER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter/invariant_remainder.h"

namespace cassandra_bloom::tools {

// Returns true if a Filter.db is too short for a header, or shorter than its
// header says.
bool IsCutFilter(const std::string& path);

// Cassandra 4.0 and later do not notice that a Filter.db is truncated
// (OffHeapBitSet.deserialize, FBUtilities.copy). In Cassandra, the missing bits
// may have any value. In this class, the missing bits are 0. So Cassandra may
// find a few keys that this class denies.
class CutFilter {
 public:
  // Returns null if the file is complete, or if Cassandra would not use it.
  // Before version `na`, Cassandra uses no truncated file (DataInput.readLong
  // fails).
  static std::unique_ptr<CutFilter> Open(const std::string& path,
                                         FilterForm form);

  int num_probes() const { return num_probes_; }
  uint64_t capacity_bits() const { return capacity_bits_.divisor(); }
  uint64_t CountSetBits() const;
  bool MayContain(std::string_view key) const;

 private:
  CutFilter(std::string file, int num_probes, uint64_t capacity_bits);

  const std::string file_;  // The whole content.
  const int num_probes_;
  const InvariantRemainder capacity_bits_;
  const std::string_view bits_;  // The bits that the file has.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_CUT_FILTER_H_
