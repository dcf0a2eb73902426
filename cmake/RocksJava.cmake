# SPDX-License-Identifier: Apache-2.0

# Takes the library of RocksJava, librocksdbjni-linux64.so, out of its jar, which is
# CASSANDRA_BLOOM_ROCKSJAVA, to build the plugin for it. Sets ROCKSDB_LIBRARY to the copy, and
# JNI_INCLUDE_DIR to the JDK's folder of jni.h.
#
# The copy has a name that RocksJava does not look for. So if ours cannot be loaded, RocksJava
# uses the library of the jar, as without us.

set(rocksjava_file librocksdbjni-linux64.so)
set(rocksjava_unpacked ${PROJECT_BINARY_DIR}/jar)
file(MAKE_DIRECTORY ${rocksjava_unpacked})
execute_process(COMMAND ${CMAKE_COMMAND} -E tar xf ${CASSANDRA_BLOOM_ROCKSJAVA} ${rocksjava_file}
  WORKING_DIRECTORY ${rocksjava_unpacked} ERROR_QUIET)
if(NOT EXISTS ${rocksjava_unpacked}/${rocksjava_file})
  message(FATAL_ERROR "${CASSANDRA_BLOOM_ROCKSJAVA} is not a jar of RocksJava "
    "(org.rocksdb:rocksdbjni): it holds no ${rocksjava_file}")
endif()

# The library is asked for its release. RocksJava's published jars have the std::string of
# before GCC 5, and one that was built on this machine has the new one.
file(WRITE ${rocksjava_unpacked}/release.cc "
  #include <iostream>
  #include <string>
  namespace rocksdb { std::string GetRocksVersionAsString(bool with_patch); }
  int main() { std::cout << rocksdb::GetRocksVersionAsString(false); }")
foreach(abi 0 1)
  unset(rocksjava_compiled CACHE)
  unset(rocksjava_ran CACHE)
  try_run(rocksjava_ran rocksjava_compiled ${rocksjava_unpacked}/${abi}
    ${rocksjava_unpacked}/release.cc
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

set(ROCKSDB_LIBRARY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/librocksdbjni-${rocksjava_release}.so)
configure_file(${rocksjava_unpacked}/${rocksjava_file} ${ROCKSDB_LIBRARY} COPYONLY)

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
