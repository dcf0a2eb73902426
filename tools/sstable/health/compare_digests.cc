// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/health/compare_digests.h"

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

#include "plugin/io/file_io.h"
#include "tools/sstable/bytes/file_sum.h"
#include "tools/sstable/scylla_db.h"

namespace cassandra_bloom::tools {
namespace {

// The CRC-32 of a file. Returns nothing, and sets `*error`, if the file cannot
// be read.
std::optional<uint32_t> CrcOf(const std::string& path, std::string* error) {
  const FileDescriptor fd(OpenForReading(path));
  const auto only_sum = [](const char*, size_t) { return true; };
  uint64_t ignored_size;
  FileSum sum;
  if (!SizeOfRegularFile(fd.get(), path, &ignored_size, error)) {
    return std::nullopt;
  }
  if (!CopyInPieces(
          fd.get(), only_sum, [] {}, &sum)) {
    FailWithErrno(path, "cannot read", error);
    return std::nullopt;
  }
  return sum.crc;
}

std::string DifferenceText(uint32_t crc, uint32_t digest) {
  char text[64];
  std::snprintf(text, sizeof(text), "%08" PRIx32 ", not %08" PRIx32, crc,
                digest);
  return std::string("its CRC-32 is ") + text +
         " as in Scylla.db, so ScyllaDB refuses the SSTable";
}

}  // namespace

bool DigestsDiffer(const Sstable& sstable, std::vector<std::string>* errors) {
  const std::string path = sstable.Path("Scylla.db");
  if (!FileExists(path)) {
    return false;
  }
  std::string content;
  std::string error;
  if (!ReadRegularFile(path, kMaxScyllaDbSize, &content, &error)) {
    errors->push_back(error);
    return false;
  }
  const auto scylla = ScyllaDb::Parse(std::move(content));
  if (!scylla) {
    errors->push_back(path +
                      ": is damaged, or has a layout that is not known here; "
                      "the digests of its components were not compared");
    return false;
  }
  if (!scylla->is_intact()) {
    errors->push_back(path + ": is damaged: its own CRC-32 is another one");
    return true;
  }
  bool differs = false;
  const auto compare = [&](DigestOf component, const char* name) {
    const auto digest = scylla->Digest(component);
    const std::string file = sstable.Path(name);
    if (!digest || !FileExists(file)) {
      return;
    }
    const auto crc = CrcOf(file, &error);
    if (!crc) {
      errors->push_back(error);
    } else if (*crc != *digest) {
      differs = true;
      errors->push_back(file + ": " + DifferenceText(*crc, *digest));
    }
  };
  compare(DigestOf::kFilter, "Filter.db");
  compare(DigestOf::kToc, "TOC.txt");
  return differs;
}

}  // namespace cassandra_bloom::tools
