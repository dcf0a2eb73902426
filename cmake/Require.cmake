# SPDX-License-Identifier: Apache-2.0

# cassandra_bloom_require(PACKAGE DEBIAN_PACKAGE WHAT_FOR REMEDY): find_package.
# If the package is missing, the message says what to install or to switch off.
macro(cassandra_bloom_require package debian_package what_for remedy)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package}, which ${what_for} needs, was not found: install "
      "${debian_package} (its name in Debian), or set CMAKE_PREFIX_PATH, or ${remedy}")
  endif()
endmacro()

# cassandra_bloom_require_library(LIBRARY HEADER DEBIAN_PACKAGE WHAT_FOR REMEDY):
# defines the target library_LIBRARY. If the library is missing, the message says
# what to install or to switch off.
function(cassandra_bloom_require_library library header debian_package what_for remedy)
  if(TARGET library_${library})
    return()
  endif()
  string(TOUPPER ${library} upper)
  if(CASSANDRA_BLOOM_STATIC)
    set(CMAKE_FIND_LIBRARY_SUFFIXES ${CMAKE_STATIC_LIBRARY_SUFFIX})
  endif()
  find_path(${upper}_INCLUDE_DIR ${header})
  find_library(${upper}_LIBRARY ${library})
  mark_as_advanced(${upper}_INCLUDE_DIR ${upper}_LIBRARY)
  if(NOT ${upper}_INCLUDE_DIR OR NOT ${upper}_LIBRARY)
    message(FATAL_ERROR "lib${library} with ${header}, which ${what_for} needs, was not found: install "
      "${debian_package} (its name in Debian), or set CMAKE_PREFIX_PATH, or ${remedy}")
  endif()
  add_library(library_${library} INTERFACE)
  target_include_directories(library_${library} SYSTEM INTERFACE ${${upper}_INCLUDE_DIR})
  target_link_libraries(library_${library} INTERFACE ${${upper}_LIBRARY})
endfunction()
