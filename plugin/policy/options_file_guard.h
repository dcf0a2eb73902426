// SPDX-License-Identifier: Apache-2.0

// A mark for OPTIONS files, which makes them unreadable to a process that does
// not know the policy:
//
//   memtable_factory={id=SkipListFactory:00;cassandra_bloom=required}
//
// A process without this library ignores objects that are not registered, like
// the policy (ignore_unsupported_options). But it refuses an option that a
// registered object does not have (RocksDB's ConfigurableHelper::
// ConfigureOptions in options/configurable.cc). For such a process,
// `SkipListFactory:00` names RocksDB's own factory of skip lists, which has no
// option `cassandra_bloom`. With this library RocksDB looks our factory up
// first, and finds it by this spelling alone. The number is the lookahead:
// nobody would write its default, 0, in this way.
//
// The mark is an option of the memtable for two reasons: a memtable leaves
// nothing on disk, so the mark can be dropped at any time, and every column
// family has one.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_OPTIONS_FILE_GUARD_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_OPTIONS_FILE_GUARD_H_

#include <rocksdb/memtablerep.h>

#include <string>

namespace cassandra_bloom {

// Frozen, because OPTIONS files contain it.
constexpr char kOptionsFileGuardId[] = "SkipListFactory:00";

// RocksDB's skip list, its default memtable, with one more option.
class OptionsFileGuard final : public ROCKSDB_NAMESPACE::SkipListFactory {
 public:
  OptionsFileGuard();

  std::string GetId() const override { return kOptionsFileGuardId; }

 private:
  std::string mark_;  // Empty, or "required".
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_OPTIONS_FILE_GUARD_H_
