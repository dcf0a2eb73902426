// SPDX-License-Identifier: Apache-2.0

// Compares files of an SSTable with their CRC-32 in Scylla.db.
// Tested in filterdb/tests/commands/mend/mend_digests_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_COMPARE_DIGESTS_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_COMPARE_DIGESTS_H_

#include <string>
#include <vector>

#include "filterdb/health/finding.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

// Compares Filter.db and TOC.txt, and adds a sentence to `*errors` for each
// difference. If a file cannot be read, or if Scylla.db is damaged, adds a
// sentence and returns false.
bool CompareDigests(const Sstable& sstable, DigestDifferences* differences,
                    std::vector<std::string>* errors);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_COMPARE_DIGESTS_H_
