# SPDX-License-Identifier: Apache-2.0

# cassandra_bloom_require(PACKAGE DEBIAN_PACKAGE WHAT_FOR REMEDY): find_package,
# with a message that says what to install or to switch off if it is missing.
macro(cassandra_bloom_require package debian_package what_for remedy)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package}, which ${what_for} needs, was not found: install "
      "${debian_package} (its name in Debian), or set CMAKE_PREFIX_PATH, or ${remedy}")
  endif()
endmacro()
