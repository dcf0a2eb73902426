# SPDX-License-Identifier: Apache-2.0

# Checks that the compiler and its standard library have C++17. The part that they
# got last is std::from_chars for floating point (GCC 11, or clang with the
# libstdc++ of GCC 11).
include(CheckCXXSourceCompiles)

if(CMAKE_SIZEOF_VOID_P LESS 8)
  message(FATAL_ERROR "cassandra_bloom needs a 64-bit CPU: a Filter.db may have 16 GiB")
endif()

check_cxx_source_compiles("
  #include <charconv>
  #include <filesystem>
  #include <optional>
  #include <string_view>
  int main() {
    const std::string_view text = \"1.5\";
    double number;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return std::filesystem::exists(end) && error == std::errc();
  }"
  CASSANDRA_BLOOM_COMPILER_HAS_CXX17)
if(NOT CASSANDRA_BLOOM_COMPILER_HAS_CXX17)
  unset(CASSANDRA_BLOOM_COMPILER_HAS_CXX17 CACHE)  # The next run may use another compiler.
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} (${CMAKE_CXX_COMPILER_ID} "
    "${CMAKE_CXX_COMPILER_VERSION}) does not support all of C++17: install g++ 11 or later, or clang "
    "with its library, and set CMAKE_CXX_COMPILER to it")
endif()
