// SPDX-License-Identifier: Apache-2.0

// A mark for OPTIONS files, which a process that does not know the policy
// cannot read:
//
//   memtable_factory={id=SkipListFactory:00;cassandra_bloom=required}
//
// Such a process ignores objects that nobody has registered, the policy among
// them (ignore_unsupported_options). It refuses an option that a registered
// object does not have (RocksDB's ConfigurableHelper::ConfigureOptions in
// options/configurable.cc). RocksDB's own factory of skip lists is found by
// `SkipListFactory:00` and has no option `cassandra_bloom`. Ours is looked up
// before it, and is found by this spelling alone, which nobody would use for a
// lookahead of 0, the default.
//
// It is the memtable because a memtable leaves nothing on disk, so that the
// mark can be dropped at any time, and because every column family has one.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_MARKED_SKIP_LIST_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_MARKED_SKIP_LIST_H_

#include <rocksdb/memtablerep.h>

#include <string>

namespace cassandra_bloom {

// Frozen: it stands in OPTIONS files.
constexpr char kMarkedSkipListId[] = "SkipListFactory:00";

// RocksDB's skip list, its default memtable, with one more option.
class MarkedSkipList final : public ROCKSDB_NAMESPACE::SkipListFactory {
 public:
  MarkedSkipList();

  std::string GetId() const override { return kMarkedSkipListId; }

 private:
  std::string mark_;  // Empty, or "required".
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_MARKED_SKIP_LIST_H_
