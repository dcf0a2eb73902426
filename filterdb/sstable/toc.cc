// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/toc.h"

#include <utility>

#include "filterdb/sstable/bytes/file_sum.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kFilter[] = "Filter.db";

}  // namespace

bool TocNames(std::string_view content, std::string_view component) {
  while (!content.empty()) {
    const size_t end = content.find('\n');
    if (content.substr(0, end) == component) {
      return true;
    }
    content.remove_prefix(end == std::string_view::npos ? content.size()
                                                        : end + 1);
  }
  return false;
}

std::string CompletedToc(std::string content) {
  if (!content.empty() && content.back() != '\n') {
    content += '\n';
  }
  return std::move(content) + kFilter + "\n";
}

TocDigest CompareToc(std::string_view content, uint32_t digest) {
  if (digest == Crc32(content)) {
    return TocDigest::kThis;
  }
  return !TocNames(content, kFilter) &&
                 digest == Crc32(CompletedToc(std::string(content)))
             ? TocDigest::kCompleted
             : TocDigest::kOther;
}

}  // namespace cassandra_bloom::tools
