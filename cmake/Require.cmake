# SPDX-License-Identifier: Apache-2.0

# cassandra_bloom_require(PACKAGE DEBIAN_PACKAGE WHAT_FOR REMEDY): find_package,
# and if it is not there, what to install or to switch off.
macro(cassandra_bloom_require package debian_package what_for remedy)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package}, which ${what_for} needs, was not found: install "
      "${debian_package} (its name in Debian), or set CMAKE_PREFIX_PATH, or ${remedy}")
  endif()
endmacro()
