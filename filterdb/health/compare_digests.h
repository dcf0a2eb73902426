// SPDX-License-Identifier: Apache-2.0

// Compares files of an SSTable with their CRC-32 in Scylla.db.
// Tested in filterdb/tests/commands/mend/digests_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_COMPARE_DIGESTS_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_COMPARE_DIGESTS_H_

#include <string>

#include "filterdb/health/finding.h"
#include "filterdb/sstable/scylla_db.h"

namespace cassandra_bloom::tools {

// Compares Filter.db and `toc`, the content of TOC.txt or "", with Scylla.db.
// Adds a finding for each difference. Notes which digests there are.
void CompareDigests(const ScyllaDb& scylla, const std::string& toc,
                    Examined* sstable);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_COMPARE_DIGESTS_H_
