// SPDX-License-Identifier: Apache-2.0

#include <rocksdb/listener.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/utilities/object_registry.h>

#include <memory>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/export/listener.h"
#include "plugin/policy/filter_name.h"
#include "plugin/policy/policy.h"
#include "plugin/policy/running_rocksdb.h"
#include "plugin/prefix_extractor/partition_transform.h"

using cassandra_bloom::CassandraBloomPolicy;
using cassandra_bloom::FilterDbExportListener;
using cassandra_bloom::kExportListenerName;
using cassandra_bloom::kPartitionTransformName;
using cassandra_bloom::kPolicyName;
using cassandra_bloom::PartitionTransform;
using cassandra_bloom::RocksdbReleaseMatches;
using ROCKSDB_NAMESPACE::EventListener;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectLibrary;
using ROCKSDB_NAMESPACE::SliceTransform;

namespace {

// Returns a pattern for all strings that begin with `name`, even malformed
// ones. This library must refuse malformed strings, because RocksDB silently
// ignores a string that no pattern matches.
ObjectLibrary::PatternEntry BeginningWith(const std::string& name) {
  return ObjectLibrary::PatternEntry(name)
      .AnotherName("{" + name)
      .AnotherName("{id=" + name)
      .AnotherName("id=" + name)
      .AnotherName("\"" + name)
      .AnotherName("'" + name)
      .AddSeparator("", /*at_least_one=*/false);
}

// Returns a pattern for all ids that have `name` somewhere after `separator`,
// because RocksDB joins several listeners into one id. In such an id, `name`
// may be far from the beginning.
ObjectLibrary::PatternEntry After(const std::string& separator,
                                  const std::string& name) {
  return ObjectLibrary::PatternEntry("")
      .AddSeparator("", /*at_least_one=*/false)
      .AddSeparator(separator + name, /*at_least_one=*/false);
}

}  // namespace

extern "C" int register_cassandra_bloom(ObjectLibrary& library,
                                        const std::string& /*arg*/) {
  if (!RocksdbReleaseMatches()) {
    return 0;
  }
  const std::string name = kPolicyName;
  library.AddFactory<const FilterPolicy>(
      // Also matches two misspellings, because RocksDB would silently ignore
      // them.
      BeginningWith(name)
          .AnotherName("Cassandra_bloom")
          .AnotherName("cassandra-bloom"),
      [](const std::string& id, std::unique_ptr<const FilterPolicy>* guard,
         std::string* /*error*/) {
        guard->reset(new CassandraBloomPolicy(id));
        return guard->get();
      });
  library.AddFactory<const SliceTransform>(
      BeginningWith(kPartitionTransformName),
      [](const std::string& id, std::unique_ptr<const SliceTransform>* guard,
         std::string* /*error*/) {
        guard->reset(new PartitionTransform(id, /*may_get_options=*/true));
        return guard->get();
      });
  for (const ObjectLibrary::PatternEntry& entry :
       {BeginningWith(name)
            .AnotherName("Cassandra_bloom")
            .AnotherName("cassandra-bloom"),
        After(":", kExportListenerName), After(":{id=", kExportListenerName)}) {
    library.AddFactory<EventListener>(
        entry, [](const std::string& id, std::unique_ptr<EventListener>* guard,
                  std::string* /*error*/) {
          guard->reset(new FilterDbExportListener(id));
          return guard->get();
        });
  }
  size_t num_types;
  return static_cast<int>(library.GetFactoryCount(&num_types));
}
