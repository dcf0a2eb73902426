// SPDX-License-Identifier: Apache-2.0

// Adds findings about what stands in the way of a mend. Reads no file.
// Tested in filterdb/tests/health/finding_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_OBSTACLES_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_OBSTACLES_H_

#include "filterdb/health/finding.h"

namespace cassandra_bloom::tools {

// What a mend may do, and where its filters go.
struct MendMeans {
  // Whether oversized filters are rebuilt, too.
  bool oversized = false;
  // Whether digests in Scylla.db may be changed.
  bool rewrite_digests = true;
  // Whether new filters go to another folder, where no TOC.txt and no Scylla.db
  // are changed.
  bool to_out_dir = false;
};

// The files of an SSTable whose digest Scylla.db holds.
struct HeldDigests {
  bool filter = false;
  bool toc = false;
};

// Call this after all other findings are added.
void AddObstacles(const MendMeans& means, HeldDigests held, Examined* sstable);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_OBSTACLES_H_
