// SPDX-License-Identifier: Apache-2.0

// Finds out from the keys of an SSTable in which form its Filter.db was really
// written.
// Tested in tests/filterdb/scan/scan_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_DETECT_FORM_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_DETECT_FORM_H_

#include <functional>
#include <optional>
#include <string>

#include "cassandra_bloom/filter_db.h"
#include "cassandra_bloom/key_reader.h"

namespace cassandra_bloom::tools {

// Called now and then while keys are read.
using OnKeysRead = std::function<void(const KeyReader& keys)>;

// Returns a form, other than `not_this_one`, in which the filter has all keys.
// Tries Cassandra's three forms first, then a form that no Cassandra writes:
// the hash of before-ma with the words of na-and-later.
//
// Returns nullopt without an error if there is no such form. A form does not
// count if the filter is so full and the keys are so few that the filter may
// have all of them by chance. Returns nullopt with an error if the filter or
// the keys cannot be read (again).
//
// For each form, reads the keys from the first one to the first one that the
// filter denies. Has at most one copy of the filter's bits in memory, besides
// one that the caller may hold.
std::optional<FilterForm> DetectForm(const std::string& filter_path,
                                     FilterForm not_this_one, KeyReader* keys,
                                     const OnKeysRead& on_keys_read,
                                     std::string* error);

// The name of a form, even of the form that no Cassandra writes.
std::string NameOfAnyForm(FilterForm form);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_DETECT_FORM_H_
