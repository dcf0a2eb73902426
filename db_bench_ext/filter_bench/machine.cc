// SPDX-License-Identifier: Apache-2.0

#include "db_bench_ext/filter_bench/machine.h"

#include <dlfcn.h>
#include <rocksdb/version.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

namespace cassandra_bloom::bench {
namespace {

constexpr char kUnknown[] = "unknown";

// Returns the text after the colon in the first line of /proc/cpuinfo that
// begins with one of the names.
std::string CpuInfo(const std::vector<std::string>& names) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    for (const std::string& name : names) {
      const size_t colon = line.find(": ");
      if (line.compare(0, name.size(), name) == 0 &&
          colon != std::string::npos) {
        return line.substr(colon + 2);
      }
    }
  }
  return "";
}

bool IsSimd(const std::string& flag) {
  static const std::vector<std::string> kPrefixes = {
      "sse",  "ssse3", "avx",  "fma",  "bmi",   "popcnt",
      "gfni", "vaes",  "vpcl", "pclm", "asimd", "sve"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&flag](const std::string& prefix) {
                       return flag.compare(0, prefix.size(), prefix) == 0;
                     });
}

std::vector<std::string> SimdFlags() {
  std::istringstream flags(CpuInfo({"flags", "Features"}));
  std::vector<std::string> simd;
  for (std::string flag; flags >> flag;) {
    if (IsSimd(flag)) {
      simd.push_back(flag);
    }
  }
  return simd;
}

std::string Compiler() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

// Returns the setting that Linux puts in brackets, as in "always [madvise]
// never".
std::string TransparentHugepages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  std::getline(file, line);
  const size_t begin = line.find('[');
  const size_t end = line.find(']');
  return begin == std::string::npos || end == std::string::npos
             ? kUnknown
             : line.substr(begin + 1, end - begin - 1);
}

std::string FileOf(void* function) {
  Dl_info info;
  return dladdr(function, &info) != 0 && info.dli_fname != nullptr
             ? info.dli_fname
             : kUnknown;
}

}  // namespace

Machine ThisMachine() {
  Machine machine;
  machine.cpu = CpuInfo({"model name", "CPU part"});
  if (machine.cpu.empty()) {
    machine.cpu = kUnknown;
  }
  machine.cpus = std::thread::hardware_concurrency();
  machine.simd = SimdFlags();
#ifdef _SC_LEVEL1_DCACHE_SIZE
  machine.l1d_cache = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  machine.l2_cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
  machine.l3_cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  machine.transparent_hugepages = TransparentHugepages();
  machine.rocksdb_version =
      ROCKSDB_NAMESPACE::GetRocksVersionAsString(/*with_patch=*/true);
  machine.rocksdb_file = FileOf(
      reinterpret_cast<void*>(&ROCKSDB_NAMESPACE::GetRocksVersionAsString));
  machine.compiler = Compiler();
  return machine;
}

}  // namespace cassandra_bloom::bench
