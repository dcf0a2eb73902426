// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_SHA256_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_SHA256_H_

#include <string>

namespace cassandra_bloom::testing {

// Returns the SHA-256 in hexadecimal. Throws if sha256sum fails.
std::string Sha256(const std::string& bytes);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_SHA256_H_
