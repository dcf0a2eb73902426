// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/scylla_db.h"

#include <gtest/gtest.h>

#include <string_view>

namespace cassandra_bloom::tools {
namespace {

TEST(ScyllaDbTest, Digests) {
  const std::string_view none("\0\0\0\1\0\0\0\2\0\0\0\3abc", 15);
  const std::string_view kept("\0\0\0\2\0\0\0\2\0\0\0\1a\0\0\0\14\0\0\0\0", 21);
  EXPECT_EQ(DigestsIn(none), ComponentDigests::kNone);
  EXPECT_EQ(DigestsIn(kept), ComponentDigests::kKept);
  EXPECT_EQ(DigestsIn(std::string_view("\0\0\0\0", 4)),
            ComponentDigests::kNone);
  for (size_t size = 0; size < none.size(); ++size) {
    EXPECT_EQ(DigestsIn(none.substr(0, size)), ComponentDigests::kUnknown);
  }
}

}  // namespace
}  // namespace cassandra_bloom::tools
