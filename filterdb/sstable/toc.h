// SPDX-License-Identifier: Apache-2.0

// TOC.txt lists the component files of an SSTable, one in each line.
// Tested in filterdb/tests/commands/mend/mend_test.cc.
// Tested in filterdb/tests/commands/mend/mend_digests_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_TOC_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_TOC_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace cassandra_bloom::tools {

constexpr char kTocName[] = "TOC.txt";

// In bytes. A real TOC.txt is far smaller.
constexpr uint64_t kMaxTocSize = uint64_t{1} << 20;

bool TocNames(std::string_view content, std::string_view component);

// Adds a line for Filter.db to the content of a TOC.txt without such a line.
std::string CompletedToc(std::string content);

// The content of TOC.txt whose CRC-32 is stored in Scylla.db.
enum class TocDigest {
  kThis,       // The present content.
  kCompleted,  // The content with Filter.db added.
  kOther,
};
TocDigest CompareToc(std::string_view content, uint32_t digest);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_TOC_H_
