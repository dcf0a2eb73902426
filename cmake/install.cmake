# SPDX-License-Identifier: Apache-2.0

# What is installed, and where. Each component becomes a Debian package
# (debian/rules). The loader and all builds of the plugin go into one
# folder, because the loader looks for plugins in its own folder (its RUNPATH).

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cassandra_bloom)
set(package_files ${PROJECT_BINARY_DIR}/package)

# The folders in pkg-config files are relative to those files, so that an
# installed tree can be moved. Folders that were given as absolute paths stay so.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
  OUTPUT_VARIABLE prefix_from_pkgconfig)
foreach(dir LIBDIR INCLUDEDIR)
  string(TOLOWER pc_${dir} variable)
  cmake_path(APPEND prefix "\${prefix}" ${CMAKE_INSTALL_${dir}} OUTPUT_VARIABLE ${variable})
endforeach()

# cassandra_bloom_install(PART LIBRARY HEADERS...): installs the shared LIBRARY in the component
# PART. LIBRARY_static, headers and everything else that a compilation needs go into the
# component PART-dev. Each library has an export of its own, because a distribution may leave
# the static one out.
function(cassandra_bloom_install part library)
  foreach(target ${library} ${library}_static)
    get_target_property(name ${target} EXPORT_NAME)
    install(TARGETS ${target} EXPORT cassandra_bloom-${name}-targets
      LIBRARY COMPONENT ${part} NAMELINK_COMPONENT ${part}-dev
      ARCHIVE COMPONENT ${part}-dev
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT cassandra_bloom-${name}-targets NAMESPACE cassandra_bloom::
      DESTINATION ${package_dir} COMPONENT ${part}-dev)
  endforeach()
  install(FILES ${ARGN}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cassandra_bloom COMPONENT ${part}-dev)
endfunction()

# ---- Without RocksDB ----

cassandra_bloom_install(core cassandra_bloom
  include/cassandra_bloom/c.h
  include/cassandra_bloom/filter_db.h)
configure_package_config_file(
  cmake/cassandra_bloomConfig.cmake.in ${package_files}/cassandra_bloomConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0, a minor version may be incompatible with the previous one.
write_basic_package_version_file(${package_files}/cassandra_bloomConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
    ${package_files}/cassandra_bloomConfig.cmake
    ${package_files}/cassandra_bloomConfigVersion.cmake
    cmake/cassandra_bloom-core.cmake
  DESTINATION ${package_dir} COMPONENT core-dev)
configure_file(cmake/cassandra_bloom.pc.in ${package_files}/cassandra_bloom.pc @ONLY)
install(FILES ${package_files}/cassandra_bloom.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT core-dev)

if(TARGET filterdb)
  install(TARGETS filterdb RUNTIME COMPONENT filterdb)
  install(FILES docs/filterdb.1
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT filterdb)
  install(FILES cmake/completion.bash RENAME filterdb
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT filterdb)
endif()

# ---- With RocksDB ----

if(CASSANDRA_BLOOM_CORE_ONLY)
  return()
endif()

cassandra_bloom_install(plugin rocksdb_cassandra_bloom
  include/cassandra_bloom/filter_db_export.h
  include/cassandra_bloom/filter_policy.h)
configure_file(cmake/cassandra_bloom-plugin.cmake.in
  ${package_files}/cassandra_bloom-plugin.cmake @ONLY)
install(FILES ${package_files}/cassandra_bloom-plugin.cmake cmake/RocksDBRelease.cmake
  DESTINATION ${package_dir} COMPONENT plugin-dev)
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)$" _ ${INSTALLED_ROCKSDB_RELEASE})
math(EXPR next_minor "${CMAKE_MATCH_2} + 1")
set(next_rocksdb_release ${CMAKE_MATCH_1}.${next_minor})
configure_file(cmake/rocksdb_cassandra_bloom.pc.in
  ${package_files}/rocksdb_cassandra_bloom.pc @ONLY)
install(FILES ${package_files}/rocksdb_cassandra_bloom.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT plugin-dev)

if(TARGET sst_filters)
  install(TARGETS sst_filters RUNTIME COMPONENT sst_filters)
  install(FILES docs/sst_filters.1
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT sst_filters)
  install(FILES cmake/completion.bash RENAME sst_filters
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT sst_filters)
endif()

install(TARGETS cassandra_bloom_preload cassandra_bloom_replace
  LIBRARY COMPONENT preload)
