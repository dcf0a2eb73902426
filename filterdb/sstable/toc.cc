// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/toc.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "filterdb/sstable/bytes/file_sum.h"
#include "plugin/filter_db/split.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kFilter[] = "Filter.db";

}  // namespace

bool TocNames(std::string_view content, std::string_view component) {
  const std::vector<std::string_view> lines = Split(content, '\n');
  return std::find(lines.begin(), lines.end(), component) != lines.end();
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
