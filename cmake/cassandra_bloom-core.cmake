# SPDX-License-Identifier: Apache-2.0

include(${CMAKE_CURRENT_LIST_DIR}/cassandra_bloom-core-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/cassandra_bloom-core_static-targets.cmake OPTIONAL)
