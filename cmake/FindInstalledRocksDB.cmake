# SPDX-License-Identifier: Apache-2.0

# Finds the library and the headers of RocksDB. Defines the target
# cassandra_bloom_installed_rocksdb, INSTALLED_ROCKSDB_RELEASE as its MAJOR.MINOR, and
# INSTALLED_ROCKSDB_SONAME as the name by which programs need the library, in which MAJOR
# and MINOR stand for the release: librocksdb.so.MAJOR.MINOR, or librocksdb.so.MAJOR if
# RocksDB was built by CMake.

include(${CMAKE_CURRENT_LIST_DIR}/RocksDBRelease.cmake)

find_path(ROCKSDB_INCLUDE_DIR rocksdb/version.h
  HINTS ${ROCKSDB_SOURCE_DIR}/include)
find_library(ROCKSDB_LIBRARY rocksdb)
if(NOT ROCKSDB_INCLUDE_DIR OR NOT ROCKSDB_LIBRARY)
  message(FATAL_ERROR "RocksDB was not found: install librocksdb-dev, or set "
    "ROCKSDB_INCLUDE_DIR and ROCKSDB_LIBRARY, or build the core alone with "
    "-DCASSANDRA_BLOOM_CORE_ONLY=ON")
endif()
if(NOT EXISTS ${ROCKSDB_INCLUDE_DIR}/rocksdb/version.h)
  message(FATAL_ERROR "ROCKSDB_INCLUDE_DIR=${ROCKSDB_INCLUDE_DIR} holds no "
    "rocksdb/version.h: install librocksdb-dev, or set it to the folder that holds rocksdb/")
endif()
if(NOT EXISTS ${ROCKSDB_LIBRARY})
  message(FATAL_ERROR "ROCKSDB_LIBRARY=${ROCKSDB_LIBRARY} does not exist: install "
    "librocksdb-dev, or set it to the file of the library, such as /usr/local/lib/librocksdb.so")
endif()

add_library(cassandra_bloom_installed_rocksdb INTERFACE)
if(ROCKSDB_SOURCE_DIR)
  if(NOT EXISTS ${ROCKSDB_SOURCE_DIR}/table/block_based/filter_policy_internal.h)
    message(FATAL_ERROR "ROCKSDB_SOURCE_DIR=${ROCKSDB_SOURCE_DIR} is not a source tree of RocksDB")
  endif()
  set(rocksdb_headers ${ROCKSDB_SOURCE_DIR}/include)
  target_include_directories(cassandra_bloom_installed_rocksdb SYSTEM INTERFACE
    ${ROCKSDB_SOURCE_DIR} ${rocksdb_headers})
  target_compile_definitions(cassandra_bloom_installed_rocksdb INTERFACE
    ROCKSDB_PLATFORM_POSIX OS_LINUX)
else()
  set(rocksdb_headers ${ROCKSDB_INCLUDE_DIR})
  target_include_directories(cassandra_bloom_installed_rocksdb SYSTEM INTERFACE ${rocksdb_headers})
endif()
target_link_libraries(cassandra_bloom_installed_rocksdb INTERFACE ${ROCKSDB_LIBRARY})
if(CASSANDRA_BLOOM_ACCEPT_UNTESTED_ROCKSDB)
  target_compile_definitions(cassandra_bloom_installed_rocksdb INTERFACE
    CASSANDRA_BLOOM_ACCEPT_UNTESTED_ROCKSDB)
endif()

cassandra_bloom_rocksdb_release(${rocksdb_headers} ${ROCKSDB_LIBRARY}
  INSTALLED_ROCKSDB_RELEASE rocksdb_fault)
if(rocksdb_fault)
  message(FATAL_ERROR "${rocksdb_fault}")
endif()

# A library without a SONAME (a static one) is known by the name of its file.
execute_process(COMMAND ${CMAKE_READELF} -dW ${ROCKSDB_LIBRARY}
  OUTPUT_VARIABLE rocksdb_dynamic ERROR_QUIET)
if(rocksdb_dynamic MATCHES "\\(SONAME\\)[^[]*\\[([^]]*)\\]")
  set(INSTALLED_ROCKSDB_SONAME ${CMAKE_MATCH_1})
else()
  get_filename_component(INSTALLED_ROCKSDB_SONAME ${ROCKSDB_LIBRARY} NAME)
endif()
string(REGEX MATCH "^[0-9]+" rocksdb_major ${INSTALLED_ROCKSDB_RELEASE})
string(REGEX REPLACE "\\.${INSTALLED_ROCKSDB_RELEASE}$" ".MAJOR.MINOR"
  INSTALLED_ROCKSDB_SONAME ${INSTALLED_ROCKSDB_SONAME})
string(REGEX REPLACE "\\.${rocksdb_major}$" ".MAJOR"
  INSTALLED_ROCKSDB_SONAME ${INSTALLED_ROCKSDB_SONAME})

set(rocksdb_cxx_standard 17)  # The standard that RocksDB's headers need.
if(INSTALLED_ROCKSDB_RELEASE VERSION_GREATER_EQUAL 10.0)
  set(rocksdb_cxx_standard 20)
endif()
target_compile_features(cassandra_bloom_installed_rocksdb INTERFACE cxx_std_${rocksdb_cxx_standard})
message(STATUS "RocksDB ${INSTALLED_ROCKSDB_RELEASE}: ${ROCKSDB_LIBRARY}, ${rocksdb_headers}")

# A class that derives from a RocksDB class needs the typeinfo of that class.
# RocksDB's CMake leaves all typeinfo out of a Release build
# (facebook/rocksdb#4903). Only an exported variable keeps the compiler from computing
# without the typeinfo what the program does with it.
include(CheckCXXSourceCompiles)
set(cxx_standard ${CMAKE_CXX_STANDARD})
set(CMAKE_CXX_STANDARD ${rocksdb_cxx_standard})
set(CMAKE_REQUIRED_LIBRARIES ${ROCKSDB_LIBRARY})
set(CMAKE_REQUIRED_INCLUDES ${rocksdb_headers})
check_cxx_source_compiles("
  #include <rocksdb/filter_policy.h>
  int main() { return 0; }"
  ROCKSDB_COMPILES)
if(NOT ROCKSDB_COMPILES)
  message(FATAL_ERROR "A program that includes RocksDB's headers from "
    "${rocksdb_headers} does not compile and link with ${ROCKSDB_LIBRARY} (C++"
    "${rocksdb_cxx_standard}; RocksDB 10 and later need g++ 11 or later): see "
    "CMakeFiles/CMakeError.log or CMakeFiles/CMakeConfigureLog.yaml")
endif()
check_cxx_source_compiles("
  #include <rocksdb/filter_policy.h>
  #include <typeinfo>
  extern const std::type_info& type;
  const std::type_info& type = typeid(rocksdb::FilterPolicy);
  int main() { return 0; }"
  ROCKSDB_HAS_RTTI)
set(CMAKE_CXX_STANDARD ${cxx_standard})
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_INCLUDES)
if(NOT ROCKSDB_HAS_RTTI)
  message(STATUS "This RocksDB was compiled without RTTI, so everything that derives from "
    "its classes is, too (-fno-rtti). To have RTTI, build RocksDB with -DUSE_RTTI=1")
  target_compile_options(cassandra_bloom_installed_rocksdb INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
endif()
