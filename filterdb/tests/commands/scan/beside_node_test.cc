// SPDX-License-Identifier: Apache-2.0

// What a scan takes from a node that runs: memory, CPUs and the page cache.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "filterdb/tests/commands/scan/scan_fixture.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

WrittenSstable Write(const TempDir& dir, size_t num_keys, FilterFault fault) {
  SstableSpec spec = SpecOf("nb", fault);
  spec.folder = dir.path();
  for (size_t i = 0; i < num_keys; ++i) {
    spec.keys.push_back("key" + std::to_string(i));
  }
  return WriteSstable(spec);
}

// 10 MB would be 3 KB for each SSTable.
TEST(BesideNodeTest, MemoryDoesNotGrowWithTheNumberOfSstables) {
  constexpr int kNumber = 3000;
  const TempDir dir(FolderInMemory());
  Write(dir, 3, FilterFault::kKeysLeftOut);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(dir.path())) {
    names.push_back(entry.path().filename());
  }
  for (const std::string& name : names) {
    const std::string component = name.substr(name.rfind('-'));
    for (int i = 2; i <= kNumber; ++i) {
      fs::create_hard_link(
          dir / name, dir / "nb-" + std::to_string(i) + "-big" + component);
    }
  }
  const Ran ran =
      Exits(2, Filterdb("scan --json " + dir.path(), LimitOfMemory(10000)));
  const Json summary = ran.report()["summary"];
  EXPECT_EQ(summary["hides_rows"], kNumber);
  EXPECT_EQ(summary["incomplete"], false);
}

TEST(BesideNodeTest, OneThreadUnlessToldOtherwise) {
  if (!HasStrace()) {
    GTEST_SKIP() << "strace cannot be run";
  }
  const TempDir dir;
  Write(dir, 3, FilterFault::kNone);
  const TempDir other;
  for (const std::string jobs : {"", " --jobs=2"}) {
    const std::string trace = other / "trace";
    RunInShell(
        CASSANDRA_BLOOM_FILTERDB, "scan " + dir.path() + jobs,
        "ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=clone,clone3 -o " +
            trace);
    EXPECT_EQ(ReadFile(trace).find("clone") == std::string::npos, jobs.empty())
        << ReadFile(trace);
  }
}

bool IsCached(const std::string& path) {
  const FileDescriptor fd(open(path.c_str(), O_RDONLY));
  const size_t size = fs::file_size(path);
  void* const pages = mmap(nullptr, size, PROT_NONE, MAP_SHARED, fd.get(), 0);
  std::vector<unsigned char> bytes(size / static_cast<size_t>(getpagesize()) +
                                   1);
  EXPECT_EQ(mincore(pages, size, bytes.data()), 0);
  munmap(pages, size);
  return std::any_of(bytes.begin(), bytes.end(),
                     [](unsigned char byte) { return (byte & 1) != 0; });
}

// What the node had not read is not left in the cache. Memory file systems
// cannot drop pages, so this uses the build's folder.
TEST(BesideNodeTest, ThePageCacheIsAsBefore) {
  const struct {
    std::string command;
    FilterFault fault;
    int exit_code;
  } cases[] = {{"scan ", FilterFault::kNone, 0},
               {"scan ", FilterFault::kKeysLeftOut, 2},
               {"find --key=61 ", FilterFault::kNone, 0},
               {"find --key=61 --filters-only ", FilterFault::kNone, 0}};
  for (const auto& each : cases) {
    const TempDir dir(fs::current_path().string());
    const WrittenSstable one = Write(dir, 20000, each.fault);
    const std::vector<std::string> files = {
        one.Path("Data.db"), one.Path("Index.db"), one.Path("Filter.db")};
    for (const std::string& path : files) {
      const FileDescriptor fd(open(path.c_str(), O_RDONLY));
      ASSERT_EQ(fsync(fd.get()), 0);
      posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
      if (IsCached(path)) {
        GTEST_SKIP() << "this file system does not drop pages";
      }
    }
    Exits(each.exit_code, Filterdb(each.command + "'" + dir.path() + "'"));
    for (const std::string& path : files) {
      EXPECT_FALSE(IsCached(path)) << each.command << path;
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
