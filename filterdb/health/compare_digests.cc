// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/compare_digests.h"

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/scylla_db.h"
#include "filterdb/sstable/toc.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

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

class Comparison {
 public:
  Comparison(const Sstable& sstable, DigestDifferences* differences,
             std::vector<std::string>* errors)
      : sstable_(sstable), differences_(*differences), errors_(*errors) {}

  bool Run() {
    const std::string path = sstable_.Path("Scylla.db");
    if (!NameExists(path)) {
      return true;
    }
    std::string content;
    std::string error;
    if (!ReadRegularFile(path, kMaxScyllaDbSize, &content, &error)) {
      return Fail(error);
    }
    const auto scylla = ScyllaDb::Parse(std::move(content));
    if (!scylla) {
      return Fail(path +
                  ": is damaged, or has a layout that is not known here");
    }
    if (!scylla->is_intact()) {
      return Fail(path + ": is damaged: its own CRC-32 is another one");
    }
    return CompareFilter(scylla->Digest(DigestOf::kFilter)) &&
           CompareToc(scylla->Digest(DigestOf::kToc));
  }

 private:
  bool Fail(const std::string& error) {
    errors_.push_back(error);
    return false;
  }

  void AddDifference(const std::string& path, uint32_t crc, uint32_t digest) {
    char text[64];
    std::snprintf(text, sizeof(text), "%08" PRIx32 ", not %08" PRIx32, crc,
                  digest);
    errors_.push_back(path + ": its CRC-32 is " + text + " as in Scylla.db");
  }

  bool CompareFilter(std::optional<uint32_t> digest) {
    const std::string path = sstable_.Path("Filter.db");
    if (!digest || !NameExists(path)) {
      return true;
    }
    std::string error;
    const auto crc = CrcOf(path, &error);
    if (!crc) {
      return Fail(error);
    }
    if (*crc != *digest) {
      differences_.filter = true;
      AddDifference(path, *crc, *digest);
    }
    return true;
  }

  bool CompareToc(std::optional<uint32_t> digest) {
    const std::string path = sstable_.Path("TOC.txt");
    if (!digest || !NameExists(path)) {
      return true;
    }
    std::string content;
    std::string error;
    if (!ReadRegularFile(path, kMaxTocSize, &content, &error)) {
      return Fail(error);
    }
    const TocDigest is_of = tools::CompareToc(content, *digest);
    differences_.toc = is_of == TocDigest::kOther;
    differences_.unfinished_toc = is_of == TocDigest::kCompleted;
    if (is_of != TocDigest::kThis) {
      AddDifference(path, Crc32(content), *digest);
    }
    return true;
  }

  const Sstable& sstable_;
  DigestDifferences& differences_;
  std::vector<std::string>& errors_;
};

}  // namespace

bool CompareDigests(const Sstable& sstable, DigestDifferences* differences,
                    std::vector<std::string>* errors) {
  return Comparison(sstable, differences, errors).Run();
}

}  // namespace cassandra_bloom::tools
