// Is the RocksDB of this process the one that we were compiled for?

#ifndef CASSANDRA_BLOOM_PLUGIN_ROCKSDB_RUNNING_ROCKSDB_H_
#define CASSANDRA_BLOOM_PLUGIN_ROCKSDB_RUNNING_ROCKSDB_H_

namespace cassandra_bloom {

// Compares major.minor, which is what RocksDB's SONAME and the eras of its
// private interface go by. If they differ, says so on stderr, once.
bool RunningRocksdbIsOurs();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_ROCKSDB_RUNNING_ROCKSDB_H_
