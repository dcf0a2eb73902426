// SPDX-License-Identifier: Apache-2.0

// Names the filter policy in an options string, and uses nothing else of an
// installed cassandra_bloom. Linked with --as-needed.

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
