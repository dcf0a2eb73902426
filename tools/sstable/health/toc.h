// SPDX-License-Identifier: Apache-2.0

// TOC.txt: the names of an SSTable's components, one a line.
// Tested in tests/filterdb/mend/mend_test.cc.
// Tested in tests/filterdb/mend/mend_digests_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_TOC_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_TOC_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace cassandra_bloom::tools {

// In bytes. A real TOC.txt is far smaller.
constexpr uint64_t kMaxTocSize = uint64_t{1} << 20;

// The error for a TOC.txt that does not name Data.db, as after a full disk has
// cut it. Such a TOC.txt is not completed: to add Filter.db would hide the
// damage.
constexpr char kTocIsDamaged[] =
    "does not name Data.db; it is damaged: list the components of the SSTable "
    "in it, one a line";

// The error for a TOC.txt whose CRC-32 is another one than Scylla.db says. That
// of the damaged TOC.txt is not stored, for the same reason.
constexpr char kTocIsOther[] =
    "is not the one whose checksum is in Scylla.db; restore it";

// Whether the content of a TOC.txt names a component, such as "Filter.db".
bool TocNames(std::string_view content, std::string_view component);

// The content with a line for Filter.db, which it does not name.
std::string CompletedToc(std::string content);

// What a digest in Scylla.db is the CRC-32 of.
enum class TocDigest {
  kThis,       // This TOC.txt.
  kCompleted,  // This TOC.txt when it is completed: mending was killed.
  kOther,
};
TocDigest CompareToc(std::string_view content, uint32_t digest);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_TOC_H_
