// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/scylla_db.h"

#include <cstdint>

#include "plugin/filter/endian.h"

namespace cassandra_bloom::tools {
namespace {

// scylla_metadata_type::ComponentsDigests
constexpr uint32_t kComponentsDigests = 12;

// Takes a number from the beginning of `*content`. Returns false if the content
// is too short.
bool Take(std::string_view* content, uint32_t* number) {
  if (content->size() < 4) {
    return false;
  }
  *number = static_cast<uint32_t>(LoadBigEndian32(content->data()));
  content->remove_prefix(4);
  return true;
}

}  // namespace

ComponentDigests DigestsIn(std::string_view content) {
  uint32_t num_parts;
  if (!Take(&content, &num_parts)) {
    return ComponentDigests::kUnknown;
  }
  for (uint32_t i = 0; i < num_parts; ++i) {
    uint32_t tag;
    uint32_t size;
    if (!Take(&content, &tag) || !Take(&content, &size) ||
        size > content.size()) {
      return ComponentDigests::kUnknown;
    }
    if (tag == kComponentsDigests) {
      return ComponentDigests::kKept;
    }
    content.remove_prefix(size);
  }
  return ComponentDigests::kNone;
}

}  // namespace cassandra_bloom::tools
