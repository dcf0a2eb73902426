// SPDX-License-Identifier: Apache-2.0

// A program that uses RocksDB but not cassandra_bloom. Prints the policy that
// RocksDB finds by its name, or "none".

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>

#include <cstdio>
#include <memory>

int main() {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(),
                                          "cassandra_bloom:12", &policy)
      .PermitUncheckedError();
  std::printf("%s\n", policy == nullptr ? "none" : policy->GetId().c_str());
}
