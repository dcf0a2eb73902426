// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter_db/sstable_version.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom::testing {
namespace {

// The facts of all other versions are seen where SSTables that Cassandra wrote
// are read. Of these versions there are none (nc, pb, eb, those of ScyllaDB and
// DSE). They have the facts of a version that was recorded, but for their form
// and index.
TEST(SstableVersionTest, FactsOfVersionsThatWereNotRecorded) {
  const struct {
    std::vector<const char*> versions;
    const char* like;
    FilterForm form;
    IndexKind index;
  } groups[] = {
      {{"nc", "pb"}, "nb", kNaAndLater, IndexKind::kVInt},
      {{"ms", "mt"}, "me", kMaToMe, IndexKind::kTrie},
      {{"aa", "ac", "ad"}, "da", kMaToMe, IndexKind::kTrie},
      {{"ba", "bb", "ca", "cb", "cc", "eb"},
       "da",
       kNaAndLater,
       IndexKind::kTrie},
      {{"before-ma"}, "lb", kBeforeMa, IndexKind::kFixedWidth},
      {{"ma-to-me"}, "me", kMaToMe, IndexKind::kVIntOrTrie},
      {{"na-and-later"}, "nb", kNaAndLater, IndexKind::kVIntOrTrie},
  };
  for (const auto& group : groups) {
    for (const std::string version : group.versions) {
      SCOPED_TRACE(version);
      FilterForm form;
      std::string error;
      ASSERT_TRUE(FormOfSstableVersion(version, &form, &error));
      EXPECT_EQ(form, group.form);
      const SstableVersion* const facts = FindSstableVersion(version, &error);
      const SstableVersion* const like = FindSstableVersion(group.like, &error);
      EXPECT_EQ(facts->index, group.index);
      EXPECT_EQ(facts->statistics, like->statistics);
      EXPECT_EQ(facts->checksum, like->checksum);
      EXPECT_EQ(facts->has_max_compressed_length,
                like->has_max_compressed_length);
      EXPECT_EQ(HasTrieIndex(version), group.index == IndexKind::kTrie);
      EXPECT_EQ(FormatOfSstableVersion(version),
                FormatOfSstableVersion(group.like));
      EXPECT_EQ(IsFormName(version), version.size() > 2);
      EXPECT_EQ(FormName(form) == version, version.size() > 2);
    }
  }
  EXPECT_EQ(FormatOfSstableVersion("da"), "bti");
  for (const char* const version : {"lb", "me", "nb", "zz"}) {
    EXPECT_EQ(FormatOfSstableVersion(version), "big");
    EXPECT_FALSE(IsFormName(version));
  }
}

TEST(SstableVersionTest, UnknownOnesAreRefusedWithTheKnownOnes) {
  FilterForm form;
  std::string error;
  for (const char* version : {"n", "b", "zz", "NB", "nb ", "nbx", "pz", "db"}) {
    EXPECT_FALSE(FormOfSstableVersion(version, &form, &error));
    EXPECT_EQ(error.rfind(std::string("SSTable version '") + version +
                              "' is unknown; known are ia, ib, ",
                          0),
              0u)
        << error;
    EXPECT_NE(error.find("na-and-later"), std::string::npos);
  }
  EXPECT_FALSE(FormOfSstableVersion("", &form, &error));
  EXPECT_EQ(error, "no SSTable version, such as nb in nb-1-big-Filter.db");
  for (const char* version : {"c", "d", "e", "f", "g", "h", "ha", "hc"}) {
    EXPECT_FALSE(FormOfSstableVersion(version, &form, &error));
    EXPECT_NE(error.find("is older than ia"), std::string::npos) << error;
    EXPECT_EQ(error.find("known are"), std::string::npos) << error;
  }
}

TEST(SstableVersionTest, OfFileNames) {
  for (const auto& [path, expected] : {
           std::pair{"nb-1-big-Filter.db", "nb"},
           {"/a-b/c/nb-1-big-Filter.db", "nb"},
           {"da-3gh1-bti-Filter.db", "da"},
           {"oa-3g7k_098r_4jtqo2asamoc1i8h9n-big-Filter.db", "oa"},
           {"ks-cf-ka-1-Filter.db", "ka"},
           {"ks-cf-tmp-jb-12-Filter.db", "jb"},
           {"ks-cf-tmplink-ka-1-Filter.db", "ka"},
           {"tmp-la-1-big-Filter.db", "la"},
           {"tmplink-la-1-big-Data.db", "la"},
           {"/tmp/tmp-mc-12-big-Filter.db", "mc"},
           // A keyspace may have the name "tmp".
           {"tmp-cf-ka-1-Filter.db", "ka"},
           {"tmp-la-ka-1-Filter.db", "ka"},
           {"Keyspace1-Standard1.idx-ic-0-Filter.db", "ic"},
           {"me-1-big-Index.db", "me"},
           {"b-1-bti-Filter.db", "b"},
           {"cc-3gdv_0vos_48lts2l3kqtv0q1se8-bti-Filter.db", "cc"},
           // Copies to which a tool has added keyspace and table.
           {"legacy_tables-legacy_md_simple-md-1-big-Data.db", "md"},
           {"ks-t-da-3gh1-bti-Data.db", "da"},
           // Without the keyspace.
           {"Standard1-hb-0-Filter.db", "hb"},
       }) {
    std::string version;
    std::string error;
    EXPECT_TRUE(SstableVersionOfFileName(path, &version, &error)) << error;
    EXPECT_EQ(version, expected);
  }
  for (const char* path : {"", "Filter.db", "nb-1-Filter.db", "a/b-c/Filter.db",
                           "Standard1-12-Filter.db", "nb-1-small-Filter.db"}) {
    std::string version;
    std::string error;
    EXPECT_FALSE(SstableVersionOfFileName(path, &version, &error)) << path;
    EXPECT_NE(error.find("must be given"), std::string::npos);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
