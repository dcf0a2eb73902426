// SPDX-License-Identifier: Apache-2.0

// Queries a Filter.db that is shorter than its header says, and answers as
// Cassandra does.
// Tested in tests/filterdb/scan/scan_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_CUT_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_CUT_FILTER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter/invariant_remainder.h"
#include "plugin/io/file_io.h"

namespace cassandra_bloom::tools {

// True if the file is too short for a header, or shorter than its header says.
bool IsCutFilter(const std::string& path);

// Cassandra 4.0 and later allocate as many words as the header says. They read
// the bytes that the file has, and do not notice that it ends early
// (OffHeapBitSet.deserialize, FBUtilities.copy). The missing bits are then
// whatever the memory from malloc holds. This class takes them as not set, as
// in fresh memory, so a node may find a few more keys than this class does. The
// missing bits take no memory here, whatever the header says.
class CutFilter {
 public:
  // Returns null if the file is not too short, or if Cassandra would not use
  // it. Cassandra uses no file that is too short for a header, and before
  // version `na` no file that ends early (DataInput.readLong fails).
  static std::unique_ptr<CutFilter> Open(const std::string& path,
                                         FilterForm form);

  int num_probes() const { return num_probes_; }
  uint64_t capacity_bits() const { return capacity_bits_.divisor(); }
  uint64_t CountSetBits() const;
  bool MayContain(std::string_view key) const;

 private:
  CutFilter(std::unique_ptr<MappedFile> file, int num_probes,
            uint64_t capacity_bits);

  const std::unique_ptr<const MappedFile> file_;
  const int num_probes_;
  const InvariantRemainder capacity_bits_;
  const std::string_view bits_;  // The bits that the file has.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_CUT_FILTER_H_
