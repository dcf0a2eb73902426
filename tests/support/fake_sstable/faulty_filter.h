// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAULTY_FILTER_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAULTY_FILTER_H_

#include <optional>
#include <string>

#include "tests/support/fake_sstable/fake_sstable_spec.h"

namespace cassandra_bloom::testing {

// Returns nullopt if the SSTable has no Filter.db.
std::optional<std::string> FaultyFilter(const SstableSpec& spec,
                                        FilterForm form);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAULTY_FILTER_H_
