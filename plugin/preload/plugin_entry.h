// What the preloaded loader calls in the plugin library that it has chosen.

#ifndef CASSANDRA_BLOOM_PLUGIN_PRELOAD_PLUGIN_ENTRY_H_
#define CASSANDRA_BLOOM_PLUGIN_PRELOAD_PLUGIN_ENTRY_H_

// Registers the policy in RocksDB's default library. False, with a line on
// stderr, if this is not the RocksDB that the plugin was built for.
#define CASSANDRA_BLOOM_PLUGIN_ENTRY cassandra_bloom_register_default

extern "C" __attribute__((visibility("default"))) bool
CASSANDRA_BLOOM_PLUGIN_ENTRY();

#endif  // CASSANDRA_BLOOM_PLUGIN_PRELOAD_PLUGIN_ENTRY_H_
