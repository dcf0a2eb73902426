// SPDX-License-Identifier: Apache-2.0

// The routes on which a filter_policy string gets into a database's options.

#ifndef CASSANDRA_BLOOM_TESTS_POLICY_OPTION_ROUTES_H_
#define CASSANDRA_BLOOM_TESTS_POLICY_OPTION_ROUTES_H_

#include <rocksdb/convenience.h>
#include <rocksdb/options.h>

#include <string>
#include <vector>

namespace cassandra_bloom::testing {

struct OptionRoute {
  using Load = ROCKSDB_NAMESPACE::Status (*)(
      const ROCKSDB_NAMESPACE::ConfigOptions& config,
      const ROCKSDB_NAMESPACE::Options& base, const std::string& policy,
      ROCKSDB_NAMESPACE::Options* result);

  const char* name;
  // True if the route accepts a policy in braces, such as {id=cassandra_bloom}.
  bool takes_braces;
  Load load;
};

const std::vector<OptionRoute>& OptionRoutes();

std::string OptionsFileText(const std::string& policy);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_POLICY_OPTION_ROUTES_H_
