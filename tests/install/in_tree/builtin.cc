// SPDX-License-Identifier: Apache-2.0

// Registers the plugin, as RocksDB's util/build_version.cc does.

#include <rocksdb/utilities/object_registry.h>

#include "cassandra_bloom/filter_policy.h"

namespace {

[[maybe_unused]] const bool registered = [] {
  rocksdb::ObjectRegistry::Default()->AddLibrary("cassandra_bloom",
                                                 register_cassandra_bloom, "");
  return true;
}();

}  // namespace
