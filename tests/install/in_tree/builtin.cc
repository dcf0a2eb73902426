// SPDX-License-Identifier: Apache-2.0

// Stands in for the util/build_version.cc of a RocksDB built with the plugin.

#include <rocksdb/utilities/object_registry.h>

#include "cassandra_bloom/filter_policy.h"

namespace {

[[maybe_unused]] const bool registered = [] {
  rocksdb::ObjectRegistry::Default()->AddLibrary("cassandra_bloom",
                                                 register_cassandra_bloom, "");
  return true;
}();

}  // namespace
