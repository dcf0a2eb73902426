include(${CMAKE_CURRENT_LIST_DIR}/cassandra_bloom-core-targets.cmake)
