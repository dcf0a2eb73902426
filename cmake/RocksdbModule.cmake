# SPDX-License-Identifier: Apache-2.0

# Builds for CASSANDRA_BLOOM_MODULE, a native module of Node.js or Python that has a RocksDB
# of its own and exports its symbols. Sets ROCKSDB_LIBRARY, and defines the library
# rocksdb_module_rest, which the plugin needs, too.
#
# ROCKSDB_LIBRARY is a link in our folder to the module. It gives a name to the module, which
# has no SONAME. By the link, the dynamic linker sees that what the plugin needs is loaded.

file(REAL_PATH "${CASSANDRA_BLOOM_MODULE}" module)
execute_process(COMMAND ${CMAKE_NM} -D --defined-only ${module}
  OUTPUT_VARIABLE module_symbols ERROR_QUIET)
if(NOT module_symbols MATCHES " _ZN7rocksdb20NewBloomFilterPolicyEdb\n")
  message(FATAL_ERROR "${CASSANDRA_BLOOM_MODULE} has no RocksDB that others could use: it does not "
    "export rocksdb::NewBloomFilterPolicy (nm -D)")
endif()
set(ROCKSDB_LIBRARY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/librocksdb-module.so)
file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
file(CREATE_LINK ${module} ${ROCKSDB_LIBRARY} SYMBOLIC)

# Modules leave out what they do not use of RocksDB. Our export of Filter.db files uses this.
add_library(rocksdb_module_rest STATIC ${ROCKSDB_SOURCE_DIR}/table/sst_file_reader.cc)
target_link_libraries(rocksdb_module_rest PRIVATE cassandra_bloom_installed_rocksdb)
