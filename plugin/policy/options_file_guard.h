// SPDX-License-Identifier: Apache-2.0

// A mark for OPTIONS files. A process without this library cannot read an
// OPTIONS file that has the mark:
//
//   memtable_factory={id=SkipListFactory:00;cassandra_bloom=required}
//
// RocksDB ignores a filter policy that it does not know. But it refuses an
// unknown option of an object that it knows
// (ConfigurableHelper::ConfigureOptions in options/configurable.cc). Without
// this library, `SkipListFactory:00` is RocksDB's own skip list, which has no
// option `cassandra_bloom`. docs/unknown_names.md says more.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_OPTIONS_FILE_GUARD_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_OPTIONS_FILE_GUARD_H_

#include <rocksdb/memtablerep.h>

#include <string>

namespace cassandra_bloom {

// Must never change, because OPTIONS files contain it.
constexpr char kOptionsFileGuardId[] = "SkipListFactory:00";

// RocksDB's skip list with the additional option `cassandra_bloom`.
class OptionsFileGuard final : public ROCKSDB_NAMESPACE::SkipListFactory {
 public:
  OptionsFileGuard();

  std::string GetId() const override { return kOptionsFileGuardId; }

 private:
  std::string mark_;  // Empty, or "required".
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_OPTIONS_FILE_GUARD_H_
