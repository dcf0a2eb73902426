// SPDX-License-Identifier: Apache-2.0

// Compares files of an SSTable with their CRC-32 in Scylla.db.
// Tested in filterdb/tests/commands/scan/scan_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_COMPARE_DIGESTS_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_COMPARE_DIGESTS_H_

#include <string>

#include "filterdb/health/finding.h"

namespace cassandra_bloom::tools {

// Compares Filter.db and `toc`, the content of TOC.txt or "". Adds a finding
// for each difference, and for a Scylla.db that cannot be read. Notes which
// digests there are. Throws NotSupported if the layout of Scylla.db is unknown.
void CompareDigests(const std::string& toc, Examined* sstable);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_COMPARE_DIGESTS_H_
