// SPDX-License-Identifier: Apache-2.0

// Uses an installed cassandra_bloom only by the policy's name in a string. The
// program needs no symbol of the plugin, and is linked with --as-needed.

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>

#include <cstdio>
#include <memory>

int main() {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(),
                                          "cassandra_bloom:12", &policy)
      .PermitUncheckedError();
  std::printf("%s\n", policy == nullptr ? "not known" : "known");
  return policy == nullptr ? 1 : 0;
}
