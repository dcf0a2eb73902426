// SPDX-License-Identifier: Apache-2.0

// Adds findings about what stands in the way of a mend. Reads no file.
// Tested in filterdb/tests/health/finding_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_OBSTACLES_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_OBSTACLES_H_

#include <optional>

#include "filterdb/health/finding.h"

namespace cassandra_bloom::tools {

// What an SSTable is judged by: what a mend may do, and where its filters go.
struct ExamineOptions {
  // The planned false positive rate of an SSTable that does not tell one.
  std::optional<double> default_fp_chance;
  // Whether oversized filters are rebuilt, too.
  bool oversized = false;
  // Whether digests in Scylla.db may be changed.
  bool rewrite_digests = true;
  // Whether new filters go to another folder, where no TOC.txt and no Scylla.db
  // are changed.
  bool to_out_dir = false;
};

// Call this after all other findings are added.
void AddObstacles(const ExamineOptions& options, Examined* sstable);

// Adds only what the logs of its folder say about `sstable->sstable`.
void AddLogs(Examined* sstable);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_OBSTACLES_H_
