# SPDX-License-Identifier: Apache-2.0

# Reads the release of a RocksDB. Used by this build and, after an installation,
# by find_package(cassandra_bloom).

# cassandra_bloom_rocksdb_release(INCLUDE_DIR LIBRARY RELEASE FAULT): sets
# RELEASE to the MAJOR.MINOR of the headers. Sets FAULT to a sentence if the
# library's file name (librocksdb.so.7.8.3, librocksdbjni-10.10.so) tells another
# release, otherwise to nothing.
function(cassandra_bloom_rocksdb_release include_dir library release fault)
  file(STRINGS ${include_dir}/rocksdb/version.h lines
    REGEX "^#define ROCKSDB_(MAJOR|MINOR) [0-9]+")
  string(REGEX REPLACE "[^0-9]+([0-9]+);[^0-9]+([0-9]+)" "\\1.\\2" headers "${lines}")
  set(${release} ${headers} PARENT_SCOPE)
  set(${fault} "" PARENT_SCOPE)
  get_filename_component(file ${library} REALPATH)
  if(file MATCHES "(\\.so\\.|jni-)([0-9]+\\.[0-9]+)[^/]*$" AND NOT CMAKE_MATCH_2 VERSION_EQUAL headers)
    set(${fault}
      "RocksDB's headers in ${include_dir} are of release ${headers}, but its library ${file} is of ${CMAKE_MATCH_2}: set ROCKSDB_INCLUDE_DIR and ROCKSDB_LIBRARY to those of one release"
      PARENT_SCOPE)
  endif()
endfunction()
