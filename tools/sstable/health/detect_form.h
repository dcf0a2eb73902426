// SPDX-License-Identifier: Apache-2.0

// Finds the form that a Filter.db was really written in, by its keys.
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

// Returns the form, other than `not_this_one`, in which the filter has all
// keys: first of Cassandra's three forms, then of the one that no Cassandra
// writes (the hash of before-ma, the words of na-and-later).
//
// Returns nullopt without an error if there is none, or if the filter is so
// full and the keys are so few that it may have them all by chance. Returns
// nullopt with an error if the filter or the keys cannot be read (again).
//
// Reads the keys from the first one on, once for each form, but only up to the
// first that is missing. Besides a filter that the caller holds, at most one
// copy of its bits is in memory.
std::optional<FilterForm> DetectForm(const std::string& filter_path,
                                     FilterForm not_this_one, KeyReader* keys,
                                     const OnKeysRead& on_keys_read,
                                     std::string* error);

// The name of any form, also of the one that is none of Cassandra's.
std::string NameOfAnyForm(FilterForm form);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_HEALTH_DETECT_FORM_H_
