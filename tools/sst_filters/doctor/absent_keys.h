// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor/not_asked_test.cc.
// Tested in tests/sst_filters/doctor/not_used_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_ABSENT_KEYS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_ABSENT_KEYS_H_

#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>

#include <string>
#include <vector>

namespace cassandra_bloom::tools {

// Returns a few keys between the first and the last key of an SST file that are
// most likely in no file: a key of the file with strange bytes behind it. They
// have the file's first or last prefix, if there is an extractor. If that
// key has no prefix, it is made longer until it has one. Returns nothing if
// there are no such keys, as in a file with one key.
std::vector<std::string> AbsentKeys(
    const std::string& smallest, const std::string& largest,
    const ROCKSDB_NAMESPACE::Comparator& comparator,
    const ROCKSDB_NAMESPACE::SliceTransform* extractor);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_ABSENT_KEYS_H_
