# SPDX-License-Identifier: Apache-2.0

# Takes the library of RocksJava, librocksdbjni-linux64.so, out of its jar, which is
# CASSANDRA_BLOOM_ROCKSJAVA, to build the plugin for it. Sets ROCKSDB_LIBRARY to the copy, and
# JNI_INCLUDE_DIR to the JDK's folder of jni.h.
#
# The copy has a name that RocksJava does not look for. So if ours cannot be loaded, RocksJava
# uses the library of the jar, as without us.

set(rocksjava_file librocksdbjni-linux64.so)
set(rocksjava_unpacked ${PROJECT_BINARY_DIR}/jar)
if(NOT EXISTS ${CASSANDRA_BLOOM_ROCKSJAVA})
  message(FATAL_ERROR "there is no jar ${CASSANDRA_BLOOM_ROCKSJAVA}")
endif()
file(ARCHIVE_EXTRACT INPUT ${CASSANDRA_BLOOM_ROCKSJAVA} DESTINATION ${rocksjava_unpacked}
  PATTERNS ${rocksjava_file})
if(NOT EXISTS ${rocksjava_unpacked}/${rocksjava_file})
  message(FATAL_ERROR "${CASSANDRA_BLOOM_ROCKSJAVA} holds no ${rocksjava_file}: it is no jar of "
    "RocksJava (org.rocksdb:rocksdbjni) for Linux on x86-64 with glibc")
endif()

# The library is asked for its release. RocksJava's published jars have the std::string of
# before GCC 5, and one that was built on this machine has the new one.
file(WRITE ${PROJECT_BINARY_DIR}/jar/release.cc "
  #include <iostream>
  #include <string>
  namespace rocksdb { std::string GetRocksVersionAsString(bool with_patch); }
  int main() { std::cout << rocksdb::GetRocksVersionAsString(false); }")
foreach(abi 0 1)
  unset(rocksjava_compiled CACHE)
  unset(rocksjava_ran CACHE)
  try_run(rocksjava_ran rocksjava_compiled ${PROJECT_BINARY_DIR}/jar/${abi}
    ${PROJECT_BINARY_DIR}/jar/release.cc
    COMPILE_DEFINITIONS -D_GLIBCXX_USE_CXX11_ABI=${abi}
    LINK_LIBRARIES ${rocksjava_unpacked}/${rocksjava_file}
    RUN_OUTPUT_VARIABLE rocksjava_release)
  if(rocksjava_compiled)
    add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=${abi})
    break()
  endif()
endforeach()
if(NOT rocksjava_compiled OR NOT rocksjava_ran EQUAL 0)
  message(FATAL_ERROR "the ${rocksjava_file} of ${CASSANDRA_BLOOM_ROCKSJAVA} does not run here: it "
    "needs x86-64 and glibc, not musl ${rocksjava_release}")
endif()

include(${CMAKE_CURRENT_LIST_DIR}/RocksDBRelease.cmake)
set(ROCKSDB_LIBRARY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/librocksdbjni-${rocksjava_release}.so)
configure_file(${rocksjava_unpacked}/${rocksjava_file} ${ROCKSDB_LIBRARY} COPYONLY)
cassandra_bloom_rocksdb_release(${ROCKSDB_SOURCE_DIR}/include ${ROCKSDB_LIBRARY}
  rocksjava_headers unused)
if(NOT rocksjava_headers VERSION_EQUAL rocksjava_release)
  message(FATAL_ERROR "ROCKSDB_SOURCE_DIR=${ROCKSDB_SOURCE_DIR} is RocksDB ${rocksjava_headers}, "
    "but ${CASSANDRA_BLOOM_ROCKSJAVA} has RocksDB ${rocksjava_release}")
endif()

# The folder can be moved.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN")

find_program(JAVAC javac HINTS $ENV{JAVA_HOME}/bin)
file(REAL_PATH ${JAVAC} javac)
cmake_path(GET javac PARENT_PATH jdk)
find_path(JNI_INCLUDE_DIR jni.h HINTS ${jdk}/../include)
if(NOT JNI_INCLUDE_DIR)
  message(FATAL_ERROR "jni.h was not found: install default-jdk-headless (its name in Debian), or "
    "set JAVA_HOME to the folder of a JDK")
endif()
