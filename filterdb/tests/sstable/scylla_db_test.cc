// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/scylla_db.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/tests/fake_sstable/fake_scylla_db.h"

namespace cassandra_bloom::testing {
namespace {

using tools::DigestOf;
using tools::ScyllaDb;

// Returns a Scylla.db that has the digests between two other parts.
std::string WithDigests(const ScyllaDigests& digests) {
  return ScyllaDbContent({{2, "abc"}, DigestsPart(digests), {99, ""}},
                         /*has_crc=*/true);
}

std::optional<ScyllaDb> Parse(const std::string& content) {
  std::string error;
  auto scylla = ScyllaDb::Parse("Scylla.db", content, &error);
  EXPECT_EQ(scylla.has_value(), error.empty());
  return scylla;
}

bool IsSupported(const std::string& content) {
  try {
    return Parse(content).has_value();
  } catch (const tools::NotSupported&) {
    return false;
  }
}

TEST(ScyllaDbTest, NoDigests) {
  for (const std::string& content :
       {ScyllaDbContent({}, /*has_crc=*/false),
        ScyllaDbContent({{2, "abc"}, {1, ""}}, /*has_crc=*/false)}) {
    const auto scylla = Parse(content);
    ASSERT_TRUE(scylla);
    EXPECT_EQ(scylla->Digest(DigestOf::kFilter), std::nullopt);
  }
}

// ScyllaDB names the options of its encryption at rest in part 3.
TEST(ScyllaDbTest, Encryption) {
  for (const uint32_t part : {2U, 3U, 99U}) {
    const auto scylla =
        Parse(ScyllaDbContent({{part, "..scylla_encryption_options.."}},
                              /*has_crc=*/false));
    ASSERT_TRUE(scylla);
    EXPECT_EQ(scylla->is_encrypted(), part == 3);
  }
}

TEST(ScyllaDbTest, Digests) {
  const auto scylla = Parse(WithDigests({{2, 1}, {7, 0xfedcba98}, {12, 3}}));
  ASSERT_TRUE(scylla);
  EXPECT_EQ(scylla->Digest(DigestOf::kFilter), 0xfedcba98);
  EXPECT_EQ(scylla->Digest(DigestOf::kToc), std::nullopt);
}

TEST(ScyllaDbTest, SetDigest) {
  auto scylla = Parse(WithDigests({{3, 1}, {7, 2}}));
  ASSERT_TRUE(scylla);
  scylla->SetDigest(DigestOf::kFilter, 0xfedcba98);
  EXPECT_EQ(scylla->content(), WithDigests({{3, 1}, {7, 0xfedcba98}}));
  scylla->SetDigest(DigestOf::kToc, 5);
  EXPECT_EQ(scylla->content(), WithDigests({{3, 5}, {7, 0xfedcba98}}));
  EXPECT_TRUE(Parse(scylla->content()));
  // One that is not there is not added.
  scylla = Parse(WithDigests({{2, 1}}));
  ASSERT_TRUE(scylla);
  scylla->SetDigest(DigestOf::kFilter, 9);
  EXPECT_EQ(scylla->content(), WithDigests({{2, 1}}));
}

TEST(ScyllaDbTest, EachFlippedBitIsRefused) {
  const std::string content = WithDigests({{3, 1}, {7, 2}});
  for (size_t bit = 0; bit < content.size() * 8; ++bit) {
    std::string damaged = content;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(IsSupported(damaged)) << bit;
  }
}

TEST(ScyllaDbTest, UnknownLayouts) {
  const std::string content = WithDigests({{3, 1}, {7, 2}});
  for (size_t size = 0; size < content.size(); ++size) {
    EXPECT_THROW(Parse(content.substr(0, size)), tools::NotSupported) << size;
  }
  EXPECT_FALSE(IsSupported(content + "x"));
  EXPECT_FALSE(IsSupported(ScyllaDbContent({{2, "abc"}}, true)));
  EXPECT_FALSE(IsSupported(WithDigests({{7, 1}, {7, 1}})));
  const ScyllaPart part = DigestsPart({{7, 2}});
  EXPECT_FALSE(IsSupported(ScyllaDbContent({part, part}, true)));
  for (const char* bytes : {"", "abc", "abcdefgh"}) {
    EXPECT_FALSE(IsSupported(ScyllaDbContent({{12, bytes}}, true)));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
