// SPDX-License-Identifier: Apache-2.0

// Compares files of an SSTable with the digests in its Scylla.db.
// Tested in tests/filterdb/mend/mend_digests_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_COMPARE_DIGESTS_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_COMPARE_DIGESTS_H_

#include <string>
#include <vector>

#include "tools/sstable/health/finding.h"
#include "tools/sstable/sstable.h"

namespace cassandra_bloom::tools {

// Compares Filter.db and TOC.txt, if they exist, with the digests. Adds to
// `*errors` a sentence for each difference. Returns false, with a sentence, if
// Scylla.db is damaged or has an unknown layout, or if a file cannot be read.
// Without a Scylla.db there is no difference.
bool CompareDigests(const Sstable& sstable, DigestDifferences* differences,
                    std::vector<std::string>* errors);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_COMPARE_DIGESTS_H_
