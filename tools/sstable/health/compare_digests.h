// SPDX-License-Identifier: Apache-2.0

// Compares files of an SSTable with the digests in its Scylla.db.
// Tested in tests/sstable/health/examine_sstable_test.cc.
// Tested in tests/filterdb/mend/mend_digests_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_COMPARE_DIGESTS_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_COMPARE_DIGESTS_H_

#include <string>
#include <vector>

#include "tools/sstable/sstable.h"

namespace cassandra_bloom::tools {

// Whether Filter.db, TOC.txt or Scylla.db itself has another digest than
// Scylla.db says. Adds to `*errors` a sentence for each that has, and for each
// file that cannot be read. A file that does not exist is not compared.
bool DigestsDiffer(const Sstable& sstable, std::vector<std::string>* errors);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_COMPARE_DIGESTS_H_
