// SPDX-License-Identifier: Apache-2.0

// Finds out with which FilterForm a Filter.db was really written.
// Tested in filterdb/tests/commands/answers_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_HEALTH_DETECT_FORM_H_
#define CASSANDRA_BLOOM_FILTERDB_HEALTH_DETECT_FORM_H_

#include <optional>
#include <string>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/sstable/key_reader.h"

namespace cassandra_bloom::tools {

// Returns a form, other than `not_this_one`, with which the filter has all
// keys. Ignores a form with which all keys may pass only by chance.
//
// Returns nullopt if there is no such form. Then `*error` is empty. Also
// returns nullopt if the filter or the keys cannot be read. Then `*error` says
// why. Has at most one copy of the filter's bits in memory.
std::optional<FilterForm> DetectForm(const std::string& filter_path,
                                     FilterForm not_this_one, KeyReader* keys,
                                     std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_HEALTH_DETECT_FORM_H_
