// SPDX-License-Identifier: Apache-2.0

// The options of a policy as text, and as CassandraBloomOptions.
//
//   cassandra_bloom                  10 bits per key
//   cassandra_bloom:BITS             bits per key, 0 ... 100
//   cassandra_bloom:fp:CHANCE        Cassandra's bloom_filter_fp_chance
//   cassandra_bloom:mix:BITS         RocksDB's own filters, of two sizes
//
// Any option of the table in policy_options.cc may follow as :NAME:VALUE, but
// partition_key must be the last one, because its value has colons. level_bits
// may also stand in place of BITS.
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

constexpr char kUsage[] =
    "use cassandra_bloom:BITS (0 to 100 bits per key), "
    "cassandra_bloom:fp:CHANCE (false positive chance, 0.0000671 to 1) or "
    "cassandra_bloom:mix:BITS (1 to 100), each optionally followed by "
    ":OPTION:VALUE pairs, with partition_key last";

// The values of options by name.
using OptionTexts = std::map<std::string, std::string>;

// Reads a filter_policy string, and the options that stand beside it. Returns
// nullopt, and sets `*error`, if it is malformed, if a setting is given twice
// or excluded by mix, or if bits_per_key is out of the range of strings.
// WrongOption checks all other values.
std::optional<ROCKSDB_NAMESPACE::CassandraBloomOptions> ParseOptions(
    const std::string& text, const OptionTexts& beside, std::string* error);

// Returns which value is wrong, or not for mix, or "". Does not check the
// partition key. Any bits_per_key is right, because NewCassandraBloomPolicy
// takes any.
std::string WrongOption(
    const ROCKSDB_NAMESPACE::CassandraBloomOptions& options);

// Returns the shortest text that ParseOptions reads back as these options.
std::string FormatOptions(
    const ROCKSDB_NAMESPACE::CassandraBloomOptions& options);

// Returns what somebody probably meant by a wrong filter_policy string, for
// example "cassandra_bloom:mix:10" for "cassandra_bloom:MIX:10". The result may
// be wrong, too.
std::string ProbablyMeant(const std::string& text);

// The id of a refused policy whose own text RocksDB could not read back.
constexpr char kRefusedId[] = "cassandra_bloom:a-refused-setting";

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_POLICY_OPTIONS_H_
