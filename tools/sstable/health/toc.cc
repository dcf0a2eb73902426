// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/health/toc.h"

#include <zlib.h>

#include <utility>

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

uint32_t Crc32Of(std::string_view content) {
  return static_cast<uint32_t>(crc32_z(
      0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

TocDigest CompareToc(std::string_view content, uint32_t digest) {
  if (digest == Crc32Of(content)) {
    return TocDigest::kThis;
  }
  return !TocNames(content, kFilter) &&
                 digest == Crc32Of(CompletedToc(std::string(content)))
             ? TocDigest::kCompleted
             : TocDigest::kOther;
}

}  // namespace cassandra_bloom::tools
