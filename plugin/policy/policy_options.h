// SPDX-License-Identifier: Apache-2.0

// The options of a policy as text, and as CassandraBloomOptions.
//
//   cassandra_bloom                  10 bits per key
//   cassandra_bloom:BITS             bits per key, 0 ... 100
//   cassandra_bloom:fp:CHANCE        Cassandra's bloom_filter_fp_chance
//   cassandra_bloom:mix:BITS         short for cassandra_bloom:BITS:
//                                    allocation:monkey:filter:bloom:
//                                    bottommost_filter:ribbon:blocks:rocksdb
//
// Any option of the table in policy_options.cc may follow as :NAME:VALUE, but
// partition_key must be the last one, because its value has colons. level_bits
// may also stand in place of BITS. After mix:BITS, only the options may follow
// that it does not set, and `filter`.
//
// All options can also stand beside the name, such as
// {id=cassandra_bloom;bits_per_key=BITS}. No setting may be given twice.
//
// Tested in tests/policy/create_from_string_test.cc.
// Tested in tests/policy/policy_settings_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_OPTIONS_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_OPTIONS_H_

#include <map>
#include <optional>
#include <string>

#include "cassandra_bloom/filter_policy.h"

namespace cassandra_bloom {

// The values of options by name.
using OptionTexts = std::map<std::string, std::string>;

// Reads a filter_policy string, and the options that stand beside it. Returns
// nullopt, and sets `*error`, if a value is wrong, or if a setting is given
// twice. The options may still be unfit for each other: Compile says so.
std::optional<ROCKSDB_NAMESPACE::CassandraBloomOptions> ParseOptions(
    const std::string& text, const OptionTexts& beside, std::string* error);

// Returns the shortest text that ParseOptions reads back as these options.
std::string FormatOptions(
    const ROCKSDB_NAMESPACE::CassandraBloomOptions& options);

// Returns what is wrong with options that do not come from ParseOptions, or "":
// one wrong value, or two that exclude each other. Any bits_per_key is right
// here, because NewCassandraBloomPolicy takes any.
std::string WrongValue(const ROCKSDB_NAMESPACE::CassandraBloomOptions& options);

// The id of a refused policy whose own text RocksDB could not read back.
constexpr char kRefusedId[] = "cassandra_bloom:a-refused-setting";

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_OPTIONS_H_
