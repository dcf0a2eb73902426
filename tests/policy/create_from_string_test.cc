// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugin/filter/endian.h"
#include "plugin/policy/block_form.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/filter_name.h"
#include "tests/policy/policy_probe.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

// ---- The strings ----

// The num_probes of a policy that builds one of RocksDB's own filters.
constexpr int32_t kRocksdbsFilter = -1;

struct AcceptedString {
  const char* text;
  // The number of probes, or 0 if no filter is built, or kRocksdbsFilter.
  int32_t num_probes;
  // The size of our filter, in 64-bit words. For kRocksdbsFilter, the number of
  // whole words in the block.
  int32_t num_words;
  const char* other_id = nullptr;  // The result of GetId, if it is not `text`.

  const char* id() const { return other_id == nullptr ? text : other_id; }
};

constexpr char kBits[] = "is not a number from 0 to 100";
constexpr char kChance[] = "is not a number from 0.0000671 to 1";
constexpr char kMixBits[] = "is not a number from 1 to 100";
constexpr char kOptions[] =
    "the options are bits_per_key, fp_chance, mix, level_bits, "
    "bottommost_bits, filter, bottommost_filter, blocks, partition_key";
constexpr char kExtractors[] = "skip:S,u16";
constexpr char kForms[] = "is not cassandra or rocksdb";
constexpr char kTypes[] = "is not cassandra, bloom or ribbon";
constexpr char kWholeKeys[] = "leave out partition_key or blocks=rocksdb";
constexpr char kTwoSizes[] = "both set the size: leave one of them out";
constexpr char kWithMix[] = "mix goes with filter and bottommost_filter, not";
constexpr char kNoFilter[] = "for a false positive chance write";
constexpr char kNotInside[] = "is not an option that can follow in";
constexpr char kNoPolicy[] = "is not a filter policy";
constexpr char kNoAllocation[] = "write cassandra_bloom:mix:BITS";

// num_words is ceil((kNumTableKeys * b + 20) / 64), where b is the bits per
// key.
constexpr AcceptedString kAcceptedStrings[] = {
    {"cassandra_bloom", 7, 157},
    {"cassandra_bloom:10", 7, 157},
    {"cassandra_bloom:10.000", 7, 157, "cassandra_bloom:10"},
    {"cassandra_bloom:9.5", 7, 149},
    {"cassandra_bloom:9.125", 6, 143},
    {"cassandra_bloom:1", 1, 16},
    {"cassandra_bloom:100", 20, 1563},
    {"{id=cassandra_bloom;bits_per_key=12}", 8, 188, "cassandra_bloom:12"},
    // For a false positive chance p, Cassandra's computeBloomSpec(20, p)
    // chooses the fewest bits per key that reach p. For these bits per key,
    // it chooses the fewest probes that reach p.
    {"cassandra_bloom:fp:0.01", 5, 157},
    {"{id=cassandra_bloom;fp_chance=0.01}", 5, 157, "cassandra_bloom:fp:0.01"},
    // The shortest spelling of a small number has an exponent.
    {"cassandra_bloom:fp:0.0001", 10, 313, "cassandra_bloom:fp:1e-04"},
    {"cassandra_bloom:fp:0.0000671", 14, 313, "cassandra_bloom:fp:6.71e-05"},
    // As in RocksDB's own policy, 0.5 to 1 bits per key count as 1.
    {"cassandra_bloom:0.5", 1, 16, "cassandra_bloom:1"},
    {"cassandra_bloom:0", 0, 0},
    // fp_chance = 1 builds no filter, as in Cassandra.
    {"cassandra_bloom:fp:1", 0, 0},
    // Partition keys. Most keys of the tests are too short for these
    // partition keys, so the whole key is hashed.
    {"cassandra_bloom:partition_key:fixed:200", 7, 157,
     "cassandra_bloom:10:partition_key:fixed:200"},
    {"cassandra_bloom:10:partition_key:whole", 7, 157, "cassandra_bloom:10"},
    {"cassandra_bloom:12:partition_key:skip:0,u16", 8, 188,
     "cassandra_bloom:12:partition_key:u16"},
    {"{id=cassandra_bloom;partition_key=skip:8,composite:2;fp_chance=0.01}", 5,
     157, "cassandra_bloom:fp:0.01:partition_key:skip:8,composite:2"},
    {"{id=cassandra_bloom:partition_key:u16;bits_per_key=12}", 8, 188,
     "cassandra_bloom:12:partition_key:u16"},
    // Bits per key by level. Fewer than 0.5 are no filter.
    {"cassandra_bloom:level_bits:14,12,10", 7, 157},
    {"{id=cassandra_bloom;level_bits=14.0,0.7,0.2,8}", 6, 126,
     "cassandra_bloom:level_bits:14,1,0,8"},
    {"cassandra_bloom:level_bits:0", 0, 0},
    {"cassandra_bloom:12:bottommost_bits:0.2", 0, 0,
     "cassandra_bloom:12:bottommost_bits:0"},
    {"{id=cassandra_bloom;partition_key=u16;bottommost_bits=8;level_bits=14,"
     "12}",
     6, 126,
     "cassandra_bloom:level_bits:14,12:bottommost_bits:8:partition_key:u16"},
    {"cassandra_bloom:bottommost_bits:8:level_bits:14", 6, 126,
     "cassandra_bloom:level_bits:14:bottommost_bits:8"},
    // The form of the filter block. The id does not contain the default form.
    {"{id=cassandra_bloom;blocks=cassandra;partition_key=u16}", 7, 157,
     "cassandra_bloom:10:partition_key:u16"},
    {"cassandra_bloom:10:blocks:rocksdb", 7, 157},
    {"{id=cassandra_bloom:12;blocks=rocksdb}", 8, 188,
     "cassandra_bloom:12:blocks:rocksdb"},
    {"cassandra_bloom:blocks:rocksdb:level_bits:14,12,10:partition_key:whole",
     7, 157, "cassandra_bloom:level_bits:14,12,10:blocks:rocksdb"},
    // The kind of filter. RocksDB's Bloom filter is a multiple of 64 bytes,
    // plus 5 bytes.
    {"{id=cassandra_bloom;fp_chance=0.01;filter=bloom;bottommost_filter=bloom;"
     "blocks=rocksdb}",
     kRocksdbsFilter, 160,
     "cassandra_bloom:fp:0.01:filter:bloom:blocks:rocksdb"},
    {"cassandra_bloom:blocks:rocksdb:bottommost_filter:cassandra:filter:bloom:"
     "level_bits:14,8",
     kRocksdbsFilter, 128,
     "cassandra_bloom:level_bits:14,8:filter:bloom:bottommost_filter:cassandra:"
     "blocks:rocksdb"},
    {"cassandra_bloom:12:filter:ribbon:bottommost_filter:bloom:blocks:rocksdb",
     kRocksdbsFilter, 128},
    {"cassandra_bloom:0:filter:ribbon:blocks:rocksdb", 0, 0},
    {"cassandra_bloom:10:bottommost_filter:ribbon:blocks:rocksdb", 7, 157},
    {"cassandra_bloom:12:filter:cassandra:bottommost_filter:cassandra", 8, 188,
     "cassandra_bloom:12"},
    // `mix`. The tests build filters of an unknown level, which count as
    // bottommost.
    {"cassandra_bloom:mix:10", kRocksdbsFilter, 104},
    {"{id=cassandra_bloom;mix=9.50}", kRocksdbsFilter, 100,
     "cassandra_bloom:mix:9.5"},
    {"cassandra_bloom:mix:1", kRocksdbsFilter, 14},
    {"cassandra_bloom:mix:100", kRocksdbsFilter, 512},
    {"cassandra_bloom:mix:10:filter:bloom", kRocksdbsFilter, 104},
    {"cassandra_bloom:filter:ribbon:mix:10:bottommost_filter:ribbon",
     kRocksdbsFilter, 104, "cassandra_bloom:mix:10:filter:ribbon"},
    {"cassandra_bloom:mix:10:filter:cassandra:bottommost_filter:bloom",
     kRocksdbsFilter, 152},
    {"{id=cassandra_bloom:mix:10;bottommost_filter=cassandra}", 7, 148,
     "cassandra_bloom:mix:10:bottommost_filter:cassandra"},
    // The limits of an earlier `mix`.
    {"cassandra_bloom:mix:1.533", kRocksdbsFilter, 14},
    {"cassandra_bloom:mix:86.15", kRocksdbsFilter, 512},
};

constexpr RefusedString kRefusedStrings[] = {
    // The name itself is wrong.
    {"cassandra_bloomx", "'cassandra_bloomx'", kNoPolicy},
    {"cassandra_bloom 10", "'cassandra_bloom 10'", kNoPolicy},
    {"Cassandra_bloom:10", "'Cassandra_bloom:10' is not a filter policy",
     "; write cassandra_bloom:10;"},
    {"cassandra-bloom:10", "'cassandra-bloom:10' is not a filter policy",
     "; write cassandra_bloom:10;"},
    {"'cassandra_bloom:10'", "''cassandra_bloom:10''", kNoPolicy},
    {"{id=cassandra_bloomx;bits_per_key=12}", "'cassandra_bloomx'", kNoPolicy},
    // Wrong bits per key.
    {"cassandra_bloom:", "bits_per_key ''", kBits},
    {"cassandra_bloom:abc", "bits_per_key 'abc'", kBits},
    {"cassandra_bloom:-3", "'-3'", kBits},
    {"cassandra_bloom:101", "'101'", kBits},
    {"cassandra_bloom:1e999", "'1e999'", kBits},
    {"cassandra_bloom:nan", "'nan'", kBits},
    {"cassandra_bloom:+5", "'+5'", kBits},
    {"cassandra_bloom:0x10", "'0x10'", kBits},
    {"cassandra_bloom: 10", "' 10'", kBits},
    {"cassandra_bloom:9,5", "'9,5'", kBits},
    {"{id=cassandra_bloom;bits_per_key=}", "''", kBits},
    // A chance would be no filter.
    {"cassandra_bloom:0.01", "write cassandra_bloom:fp:0.01, and", kNoFilter},
    {"cassandra_bloom:0.4999:blocks:rocksdb", "fp:0.4999, and", kNoFilter},
    {"{id=cassandra_bloom;bits_per_key=0.01}", "fp:0.01, and", kNoFilter},
    // What somebody meant is named.
    {"cassandra_bloom:MIX:10", "'MIX'", "; write cassandra_bloom:mix:10;"},
    {"cassandra_bloom:mix=10", "'mix=10'", "; write cassandra_bloom:mix:10;"},
    {"cassandra_bloom:bits=10", "'bits=10'", "; write cassandra_bloom:10;"},
    {"cassandra_bloom:10:false", "'false'", "; write cassandra_bloom:10;"},
    {"cassandra_bloom:bits_per_key:12", "'bits_per_key'",
     "; write cassandra_bloom:12;"},
    {"cassandra_bloom:fp_chance:0.01", "'fp_chance'",
     "; write cassandra_bloom:fp:0.01;"},
    {"cassandra_bloom:10:Blocks:Rocksdb", "'Blocks'",
     "; write cassandra_bloom:10:blocks:rocksdb;"},
    // Unknown options, and options at a wrong place.
    {"cassandra_bloom:10:junk", "unknown option 'junk'", kOptions},
    {"cassandra_bloom:10:block:rocksdb", "'block'", kOptions},
    {"{id=cassandra_bloom;Blocks=rocksdb}", "'Blocks=rocksdb'", kOptions},
    {"{id=cassandra_bloom;bits=10}", "'bits=10'", kOptions},
    {"cassandra_bloom:blocks:rocksdb:bits_per_key:12", "'bits_per_key'",
     kNotInside},
    {"cassandra_bloom:blocks:rocksdb:fp:0.01", "'fp'", kNotInside},
    // The id of a refused policy is refused again.
    {"cassandra_bloom:a-refused-setting", "cassandra_bloom:a-refused-setting",
     "the LOG"},
    // Wrong false positive chance.
    {"cassandra_bloom:fp", "fp_chance ''", kChance},
    {"cassandra_bloom:fp:abc", "'abc'", kChance},
    {"cassandra_bloom:fp:2", "'2'", kChance},
    {"cassandra_bloom:fp:6.7e-5", "'6.7e-05'", kChance},
    {"{id=cassandra_bloom;fp_chance=0}", "'0'", kChance},
    // Wrong partition key.
    {"cassandra_bloom:10:partition_key:", "''", "such as skip:8,u16"},
    {"cassandra_bloom:10:partition_key:skip:8,u32", "'skip:8,u32'",
     kExtractors},
    {"cassandra_bloom:10:partition_key:fixed:65536", "'fixed:65536'",
     kExtractors},
    {"cassandra_bloom:10:partition_key:u16:blocks:rocksdb",
     "'u16:blocks:rocksdb'", kExtractors},
    {"{id=cassandra_bloom:partition_key:u16;partition_key=u16}",
     "partition_key=u16'", "partition_key is given twice"},
    // Wrong settings by level.
    {"cassandra_bloom:level_bits:", "''", kBits},
    {"cassandra_bloom:level_bits:14,", "'14,'", kBits},
    {"cassandra_bloom:level_bits:14,101", "level_bits '101'", kBits},
    {"cassandra_bloom:level_bits:14:8", "'8'", kOptions},
    {"{id=cassandra_bloom;bottommost_bits=-1}", "'-1'", kBits},
    {"cassandra_bloom:12:allocation:monkey", "'allocation'", kNoAllocation},
    {"{id=cassandra_bloom:12;allocation=uniform}", "'allocation=uniform'",
     kNoAllocation},
    // Two options that set the size.
    {"cassandra_bloom:10:level_bits:14,8",
     "'cassandra_bloom:10:level_bits:14,8': bits_per_key and level_bits",
     kTwoSizes},
    {"cassandra_bloom:level_bits:14:level_bits:8", "level_bits:8'",
     "level_bits is given twice"},
    {"cassandra_bloom:fp:0.01:level_bits:14", "fp_chance and level_bits",
     kTwoSizes},
    {"{id=cassandra_bloom;bits_per_key=10;fp_chance=0.01}", "bits_per_key=10",
     kTwoSizes},
    {"{id=cassandra_bloom:10;bits_per_key=12}", "cassandra_bloom:10;",
     "bits_per_key is given twice"},
    // Wrong forms of the block.
    {"cassandra_bloom:10:blocks:foo", "'foo'", kForms},
    {"cassandra_bloom:10:blocks", "blocks ''", kForms},
    {"{id=cassandra_bloom;blocks=}", "''", kForms},
    {"cassandra_bloom:blocks:rocksdb:blocks:rocksdb", "blocks:rocksdb'",
     "blocks is given twice"},
    {"cassandra_bloom:10:blocks:rocksdb:partition_key:u16",
     "blocks:rocksdb:partition_key:u16", kWholeKeys},
    // Wrong types of filters.
    {"cassandra_bloom:10:filter:foo:blocks:rocksdb", "filter 'foo'", kTypes},
    {"cassandra_bloom:10:filter::blocks:rocksdb", "''", kTypes},
    {"{id=cassandra_bloom;bottommost_filter=Ribbon;blocks=rocksdb}",
     "bottommost_filter 'Ribbon'", kTypes},
    {"cassandra_bloom:10:filter:bloom", "filter:bloom", "need blocks"},
    {"cassandra_bloom:10:bottommost_filter:ribbon", "bottommost_filter:ribbon",
     "need blocks=rocksdb"},
    // A wrong mix.
    {"cassandra_bloom:mix", "mix ''", kMixBits},
    {"cassandra_bloom:mix:0.999", "'0.999'", kMixBits},
    {"cassandra_bloom:mix:100.001", "'100.001'", kMixBits},
    {"cassandra_bloom:mix:fp:0.01", "'fp'", kMixBits},
    {"cassandra_bloom:mix:10:mix:10", "mix:10:mix:10'", "mix is given twice"},
    {"cassandra_bloom:10:mix:10", "bits_per_key and mix", kTwoSizes},
    {"{id=cassandra_bloom:mix:10;bits_per_key=10}", "bits_per_key=10'",
     kTwoSizes},
    {"cassandra_bloom:mix:10:filter:foo", "'foo'", kTypes},
    // Nothing else goes with mix, not even a default.
    {"cassandra_bloom:mix:10:bottommost_bits:8", "with bottommost_bits",
     kWithMix},
    {"{id=cassandra_bloom;mix=10;blocks=rocksdb}", "mix=10", kWithMix},
    {"cassandra_bloom:blocks:cassandra:mix:10", "with blocks", kWithMix},
    {"cassandra_bloom:mix:10:partition_key:whole", "with partition_key",
     kWithMix},
    {"cassandra_bloom:mix:10:level_bits:14,8", "mix and level_bits", kTwoSizes},
    {"cassandra_bloom:mix:10:allocation:monkey", "'allocation'", kNoAllocation},
};

// ---- The routes into a database's options ----

// RocksDB's other functions that take options share the code of these three.

Status ByItself(const ConfigOptions& config, const std::string& text,
                PolicyPtr* policy) {
  return FilterPolicy::CreateFromString(config, text, policy);
}

// Over a policy of RocksDB's own, RocksDB would take "cassandra_bloom:mix=10"
// for an option of that one, and ignore it.
Status InAnOptionsString(const ConfigOptions& config, const std::string& text,
                         PolicyPtr* policy) {
  rocksdb::Options options;
  const Status status = GetOptionsFromString(
      config, options,
      "max_open_files=100;block_based_table_factory={filter_policy=" + text +
          "}",
      &options);
  *policy = FilterPolicyOf(options);
  return status;
}

Status InAnOptionsFile(const ConfigOptions& config, const std::string& text,
                       PolicyPtr* policy) {
  rocksdb::ColumnFamilyOptions family;
  const Status status = LoadOptionsFile(config, text, "", &family);
  *policy = FilterPolicyOf(family);
  return status;
}

// Calls check(status, policy) for each route and each setting of RocksDB's
// parser.
template <typename Check>
void OnEveryRoute(const std::string& text, Check check) {
  SCOPED_TRACE(text);
  RegisterInDefaultRegistry();
  for (const ConfigOptions& config : StrictAndLenient()) {
    SCOPED_TRACE(config.ignore_unknown_options);
    for (const auto& [route, create] :
         {std::pair("by itself", &ByItself),
          {"in an options string", &InAnOptionsString},
          {"in an OPTIONS file", &InAnOptionsFile}}) {
      SCOPED_TRACE(route);
      PolicyPtr policy;
      const Status status = create(config, text, &policy);
      check(status, policy);
    }
  }
}

// ---- What they give ----

// Builds a block wherever RocksDB may create a file.
std::vector<std::string> BlocksEverywhere(const PolicyPtr& policy) {
  std::vector<std::string> blocks;
  for (const auto style : {ROCKSDB_NAMESPACE::kCompactionStyleLevel,
                           ROCKSDB_NAMESPACE::kCompactionStyleUniversal,
                           ROCKSDB_NAMESPACE::kCompactionStyleFIFO}) {
    for (const int level : {-1, 0, 1, 2, 6}) {
      for (const bool is_bottommost : {false, true}) {
        blocks.push_back(BuildBlock(policy, {style, level, is_bottommost}));
      }
    }
  }
  return blocks;
}

TEST(CreateFromStringTest, AcceptedStringsBuildTheirFilter) {
  for (const AcceptedString& accepted : kAcceptedStrings) {
    SCOPED_TRACE(accepted.text);
    OnEveryRoute(accepted.text,
                 [&](const Status& status, const PolicyPtr& policy) {
                   EXPECT_TRUE(status.ok()) << status.ToString();
                   EXPECT_EQ(IdOf(policy), accepted.id());
                 });
    const PolicyPtr policy = PolicyFrom(accepted.text);
    const PolicyPtr again = PolicyFrom(accepted.id());
    EXPECT_EQ(IdOf(again), accepted.id());
    EXPECT_EQ(BlocksEverywhere(again), BlocksEverywhere(policy));
    const std::string block = BuildBlock(policy);
    if (accepted.num_probes == 0) {
      EXPECT_EQ(block, "(no builder)");
      continue;
    }
    const auto num_words = static_cast<size_t>(accepted.num_words);
    const std::string id = accepted.id();
    if (accepted.num_probes == kRocksdbsFilter) {
      EXPECT_FALSE(WithoutTrailer(block).has_value());
      EXPECT_EQ(block.size() / 8, num_words);
      continue;
    }
    const bool has_trailer = id.find(":blocks:rocksdb") != std::string::npos ||
                             id.find(":mix:") != std::string::npos;
    ASSERT_EQ(block.size(), 8 + 8 * num_words + (has_trailer ? 5 : 0));
    EXPECT_EQ(LoadBigEndian32(block.data()), accepted.num_probes);
    EXPECT_EQ(LoadBigEndian32(block.data() + 4), accepted.num_words);
  }
}

// At the latest by DB::Open, on every route.
TEST(CreateFromStringTest, RefusedStringsAreRefusedOnEveryRoute) {
  TestDb db;
  for (const RefusedString& refused : kRefusedStrings) {
    OnEveryRoute(
        refused.text, [&](const Status& status, const PolicyPtr& policy) {
          if (status.ok()) {
            EXPECT_NE(policy, nullptr) << "silently unfiltered";
          }
          EXPECT_TRUE(IsRefusal(
              status.ok() ? db.TryOpen(DbOptions(policy)) : status, refused));
        });
  }
}

// cassandra_bloom must claim these misspelt names. Otherwise RocksDB would find
// no policy, and would continue without one.
TEST(CreateFromStringTest, AMisspeltPolicyIsNotSilentlyNone) {
  for (const char* const text :
       {"{cassandra_bloom:10}", "{cassandra_bloom:abc}",
        "{cassandra_bloom:10;foo=bar}", "{cassandra_bloom=12}",
        "{cassandra_bloom;bits_per_key=12}",
        "{id=cassandra_bloom;bits_per_key=12", "\"cassandra_bloom:10\"",
        "{id=cassandra_bloom;bits_per_key=12;junk}"}) {
    OnEveryRoute(text, [](const Status& status, const PolicyPtr& policy) {
      EXPECT_TRUE(!status.ok() || policy != nullptr);
    });
    EXPECT_NE(PolicyFrom(text), nullptr) << text;
  }
}

TEST(CreateFromStringTest, RefusedStringsAreExplainedBuildNothingAndRead) {
  const std::string filter = BuildBlock(PolicyFrom("cassandra_bloom:10"));
  for (const RefusedString& refused : kRefusedStrings) {
    SCOPED_TRACE(refused.text);
    PolicyPtr policy;
    const Status status =
        FilterPolicy::CreateFromString(ConfigOptions(), refused.text, &policy);
    EXPECT_NE(status.ToString().find("; use cassandra_bloom:BITS (0 to 100"),
              std::string::npos);
    ASSERT_NE(policy, nullptr);
    // RocksDB may write the id of this policy into an OPTIONS file. So a policy
    // that is made from this id must be refused, too.
    PolicyPtr stored;
    EXPECT_TRUE(FilterPolicy::CreateFromString(ConfigOptions(), policy->GetId(),
                                               &stored)
                    .IsInvalidArgument());
    ASSERT_NE(stored, nullptr);
    EXPECT_EQ(stored->GetId(), policy->GetId());
    EXPECT_EQ(policy->GetId().find_first_of("=;{}#"), std::string::npos);
    EXPECT_STREQ(policy->Name(), "cassandra_bloom");

    ::testing::internal::CaptureStderr();
    EXPECT_STREQ(policy->CompatibilityName(), "cassandra_bloom");
    EXPECT_EQ(BuildBlock(policy), "(no builder)");
    EXPECT_EQ(BuildBlock(policy), "(no builder)");
    const std::string lines = ::testing::internal::GetCapturedStderr();
    EXPECT_TRUE(Explains(lines, refused));
    EXPECT_EQ(lines.find('\n'), lines.size() - 1) << "reported twice";

    using ROCKSDB_NAMESPACE::FilterBitsReader;
    const std::unique_ptr<FilterBitsReader> reader(
        policy->GetFilterBitsReader(filter));
    ASSERT_NE(reader, nullptr);
    EXPECT_TRUE(reader->MayMatch("key0"));
    int matches = 0;
    for (int i = 0; i < 100; ++i) {
      matches += reader->MayMatch("absent" + std::to_string(i)) ? 1 : 0;
    }
    EXPECT_LT(matches, 20) << "the reader does not filter";
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
