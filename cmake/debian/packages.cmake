# SPDX-License-Identifier: Apache-2.0

# Debian packages, which cpack makes (docs/packaging.md). Each component of
# cmake/install.cmake is a package.

set(debian_release ${INSTALLED_ROCKSDB_RELEASE})
set(CASSANDRA_BLOOM_MAINTAINER "cassandra_bloom packager <packager@localhost>" CACHE STRING
  "Name and mail address in the Debian packages")
set(debian_version ${PROJECT_VERSION}-1)
set(debian_dir ${PROJECT_SOURCE_DIR}/cmake/debian)
set(debian_files ${PROJECT_BINARY_DIR}/debian)
find_program(CASSANDRA_BLOOM_GZIP gzip REQUIRED)
mark_as_advanced(CASSANDRA_BLOOM_GZIP)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cassandra-bloom)
set(CPACK_PACKAGE_CONTACT "${CASSANDRA_BLOOM_MAINTAINER}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL core core-dev plugin plugin-dev preload filterdb)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE cassandra-bloom)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# When cross-compiling, cpack would take the architecture of this machine.
if(CMAKE_CROSSCOMPILING)
  execute_process(
    COMMAND dpkg-architecture -t${CMAKE_CXX_LIBRARY_ARCHITECTURE} -qDEB_HOST_ARCH
    OUTPUT_VARIABLE CPACK_DEBIAN_PACKAGE_ARCHITECTURE OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
endif()

# gzipped(FILE OUTPUT): compresses FILE as Debian's policy requires for
# documents, without a time stamp.
function(gzipped file output)
  execute_process(COMMAND ${CASSANDRA_BLOOM_GZIP} -9nc ${file}
    OUTPUT_FILE ${output} COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endfunction()

string(TIMESTAMP debian_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${debian_dir}/changelog.in ${debian_files}/changelog @ONLY)
configure_file(${debian_dir}/copyright.in ${debian_files}/copyright @ONLY)
gzipped(${debian_files}/changelog ${debian_files}/changelog.Debian.gz)
gzipped(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${debian_files}/changelog.gz)
gzipped(${PROJECT_SOURCE_DIR}/docs/filterdb.1 ${debian_files}/filterdb.1.gz)

# debian_package(COMPONENT NAME SECTION SUMMARY [DEPENDS WORDS] [RECOMMENDS
# WORDS] [PROVIDES WORDS] [CONTROL FILES...] [EXAMPLES FILES...] [OVERRIDES
# TAGS...] DESCRIPTION LINES...): describes the package of a component to cpack.
# The lines must not have a semicolon.
macro(debian_package component name section summary)
  cmake_parse_arguments(arg "" "DEPENDS;RECOMMENDS;PROVIDES" "CONTROL;EXAMPLES;OVERRIDES;DESCRIPTION" ${ARGN})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  list(JOIN arg_DESCRIPTION "\n" arg_DESCRIPTION)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${arg_DESCRIPTION}")
  foreach(field DEPENDS RECOMMENDS PROVIDES)
    if(arg_${field})
      set(CPACK_DEBIAN_${upper}_PACKAGE_${field} "${arg_${field}}")
    endif()
  endforeach()
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${arg_CONTROL}")
  install(FILES ${debian_files}/copyright ${debian_files}/changelog.gz
      ${debian_files}/changelog.Debian.gz
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${name} COMPONENT ${component})
  set(overrides initial-upload-closes-no-bugs ${arg_OVERRIDES})
  list(TRANSFORM overrides PREPEND "${name}: ")
  list(JOIN overrides "\n" overrides)
  file(WRITE ${debian_files}/overrides/${name} "# Explained in docs/packaging.md\n${overrides}\n")
  install(FILES ${debian_files}/overrides/${name}
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides COMPONENT ${component})
  if(arg_EXAMPLES)
    install(FILES ${arg_EXAMPLES}
      DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${name}/examples COMPONENT ${component})
  endif()
endmacro()

# control_file(NAME PACKAGE LINE): writes ${debian_files}/PACKAGE/NAME.
function(control_file name package line)
  file(WRITE ${debian_files}/${package}/${name} "${line}\n")
endfunction()

# ---- Without RocksDB ----

control_file(triggers core "activate-noawait ldconfig")
control_file(shlibs core "libcassandra_bloom 0 libcassandra-bloom0 (>= ${PROJECT_VERSION})")
configure_file(${debian_dir}/core.symbols ${debian_files}/core/symbols COPYONLY)
debian_package(core libcassandra-bloom0 libs
  "Filter.db files of Apache Cassandra, shared library"
  CONTROL ${debian_files}/core/triggers ${debian_files}/core/shlibs ${debian_files}/core/symbols
  OVERRIDES maintscript-calls-ldconfig
  DESCRIPTION
  "Reads, asks, builds and writes the Bloom filters of Cassandra's SSTables"
  "(Filter.db), of every version from Cassandra 1.2 to 5.0. The interface is C."
  "No RocksDB is needed.")
debian_package(core-dev libcassandra-bloom-dev libdevel
  "Filter.db files of Apache Cassandra, for programs in C and C++"
  DEPENDS "libcassandra-bloom0 (= ${debian_version})"
  EXAMPLES examples/c/filter_db.c examples/python/check_filter_db.py
  DESCRIPTION
  "Headers, the static library (which has the C++ interface, too), and files for"
  "CMake and pkg-config, of libcassandra-bloom0.")

# ---- With RocksDB ----

set(plugin_package librocksdb-cassandra-bloom${debian_release})
control_file(triggers plugin "activate-noawait ldconfig")
# "=", because the plugin's C++ interface may change with each version.
control_file(shlibs plugin
  "librocksdb_cassandra_bloom ${debian_release} ${plugin_package} (= ${debian_version})")
debian_package(plugin ${plugin_package} libs
  "Apache Cassandra's Bloom filter for RocksDB ${debian_release}"
  PROVIDES librocksdb-cassandra-bloom
  RECOMMENDS libcassandra-bloom-preload
  CONTROL ${debian_files}/plugin/triggers ${debian_files}/plugin/shlibs
  OVERRIDES maintscript-calls-ldconfig
  DESCRIPTION
  "A filter policy of RocksDB whose filter blocks are Filter.db files of"
  "Cassandra: filter_policy=cassandra_bloom:10 in options. For RocksDB ${debian_release} and"
  "no other release. Packages for several releases can be installed together.")
debian_package(plugin-dev librocksdb-cassandra-bloom-dev libdevel
  "Apache Cassandra's Bloom filter for RocksDB, for programs in C and C++"
  DEPENDS "${plugin_package} (= ${debian_version}), libcassandra-bloom-dev (= ${debian_version}), librocksdb-dev"
  EXAMPLES examples/c/rocksdb_filter.c
  DESCRIPTION
  "Headers, the static library, and files for CMake and pkg-config, of"
  "${plugin_package}.")

control_file(triggers preload "activate-noawait ldconfig")
debian_package(preload libcassandra-bloom-preload libs
  "Apache Cassandra's Bloom filter for programs with RocksDB, by preloading"
  DEPENDS "${plugin_package} | librocksdb-cassandra-bloom"
  CONTROL ${debian_files}/preload/triggers
  OVERRIDES maintscript-calls-ldconfig shared-library-lacks-version
  DESCRIPTION
  "LD_PRELOAD=libcassandra_bloom_preload.so gives any program that uses the shared"
  "library of RocksDB the filter policy cassandra_bloom, if the package for its"
  "release of RocksDB is installed (librocksdb-cassandra-bloomX.Y)."
  "libcassandra_bloom_replace.so also puts it in the place of RocksDB's Bloom filter"
  "in programs that build their options in their code.")
install(FILES ${debian_files}/filterdb.1.gz
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT filterdb)
debian_package(filterdb filterdb utils
  "find and mend wrong Bloom filters of Cassandra and ScyllaDB nodes"
  DESCRIPTION
  "filterdb scan asks each Filter.db of a node for every key of its SSTable, and"
  "filterdb mend makes those anew that hide rows or cost reads. Other commands"
  "show, check, build, convert and compare single Filter.db files, of every"
  "version from Cassandra 1.2 to 5.0. Those of a RocksDB database whose filter"
  "policy is cassandra_bloom are exported and examined.")

include(CPack)
