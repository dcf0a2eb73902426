// SPDX-License-Identifier: Apache-2.0

// filterdb info, check, build, convert and diff with valid input.

#include "tests/support/filterdb_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/support/key_of_hash.h"
#include "tests/support/naive_filter.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using Keys = std::vector<std::string>;

// Random keys, each with a number at its end, so that all are distinct.
Keys RandomKeysOf(uint32_t begin, uint32_t end) {
  const RandomKeys random(Seed(), 30);
  Keys keys;
  for (uint32_t i = begin; i < end; ++i) {
    keys.push_back(random[i] + BigEndian(i, 4));
  }
  return keys;
}

Keys TextKeysOf(uint32_t count) {
  Keys keys = {""};
  for (uint32_t i = 1; i < count; ++i) {
    keys.push_back("user-" + std::to_string(i));
  }
  return keys;
}

std::string ToHex(const std::string& key) {
  std::string hex;
  for (const char c : key) {
    for (const int digit : {c >> 4 & 15, c & 15}) {
      hex += "0123456789abcdef"[digit];
    }
  }
  return hex;
}

template <typename Record>
std::string ListOf(const Keys& keys, Record record) {
  std::string list;
  for (const std::string& key : keys) {
    list += record(key);
  }
  return list;
}

std::string HexList(const Keys& keys) {
  return ListOf(keys, [](const auto& key) { return "0x" + ToHex(key) + "\n"; });
}
std::string TextList(const Keys& keys) {
  return ListOf(keys, [](const auto& key) { return key + "\n"; });
}
std::string BinaryList(const Keys& keys) {
  return ListOf(keys, [](const auto& key) { return WithLength(key); });
}

// An Index.db without promoted indexes. Its VInts are longer than their
// positions need, which is valid.
std::string IndexDb(const Keys& keys, bool before_ma) {
  uint32_t position = 0;
  return ListOf(keys, [&](const auto& key) {
    const std::string number = BigEndian(position++, 4);
    return WithLength(key) +
           (before_ma ? std::string(4, '\0') + number + std::string(4, '\0')
                      : "\xf0" + number + '\0');
  });
}

NaiveFilter NaiveOf(const Keys& keys, const Json& built) {
  NaiveFilter naive(built["probes"], built["words"]);
  for (const std::string& key : keys) {
    naive.Add(key);
  }
  return naive;
}

Keys NotIn(const NaiveFilter& naive, const Keys& keys) {
  Keys missing;
  for (const std::string& key : keys) {
    if (!naive.MayContain(key)) {
      missing.push_back(key);
    }
  }
  return missing;
}

Keys Fields(const Json& json) {
  Keys fields;
  for (const auto& field : json.items()) {
    fields.push_back(field.key());
  }
  return fields;  // In alphabetical order.
}

class FilterdbCommandTest : public ::testing::Test {
 protected:
  // Runs filterdb in a temporary folder. Expects success, and nothing on
  // stderr.
  Ran Good(const std::string& arguments, const std::string& before = "") {
    const Ran ran = Run(arguments, before);
    EXPECT_EQ(ran.exit_code, 0) << arguments << "\n" << ran;
    EXPECT_EQ(ran.err, "") << arguments;
    return ran;
  }

  Ran Run(const std::string& arguments, const std::string& before = "") {
    return Filterdb(arguments, "cd " + dir_.path() + "; " + before);
  }

  void Write(const std::string& name, const std::string& content) {
    WriteFile(dir_ / name, content);
  }
  std::string Read(const std::string& name) { return ReadFile(dir_ / name); }

  // Builds a filter of these keys.
  Json Build(const Keys& keys, const std::string& out,
             const std::string& size = "--bits=10") {
    Write("keys", HexList(keys));
    return Good("build --keys=keys --json --out=" + out + " " + size).json();
  }

  const ::testing::ScopedTrace trace_ =
      ::testing::ScopedTrace(__FILE__, __LINE__, Seed());
  const TempDir dir_;
};

// ---- build and check ----

TEST_F(FilterdbCommandTest, BuildEqualsTheReference) {
  const Keys keys = RandomKeysOf(0, 2000);
  const Json built = Build(keys, "nb-1-big-Filter.db");
  EXPECT_EQ(built["probes"], 7);
  EXPECT_EQ(built["words"], (2000 * 10 + 20 + 63) / 64);
  EXPECT_EQ(Read("nb-1-big-Filter.db"), NaiveOf(keys, built).Serialize());
  const Json by_chance = Build(keys, "nb-2-big-Filter.db", "--fp-chance=0.01");
  EXPECT_EQ(by_chance["probes"], 5);
  EXPECT_EQ(Read("nb-2-big-Filter.db"), NaiveOf(keys, by_chance).Serialize());
  const Json larger =
      Build(keys, "nb-3-big-Filter.db", "--bits=10 --expected-keys=5000");
  EXPECT_EQ(larger["keys"], 2000);
  EXPECT_EQ(larger["expected_keys"], 5000);
  EXPECT_EQ(larger["words"], (5000 * 10 + 20 + 63) / 64);
  EXPECT_EQ(Read("nb-3-big-Filter.db"), NaiveOf(keys, larger).Serialize());
}

// --expected-keys may be an estimate, but not one that makes a filter that scan
// would find a fault in.
TEST_F(FilterdbCommandTest, BuildRefusesATooFullFilter) {
  Write("keys", HexList(RandomKeysOf(0, 1000)));
  const std::string out = "nb-1-big-Filter.db";
  for (const std::string size : {"--bits=1", "--bits=10", "--bits=100",
                                 "--fp-chance=0.01", "--fp-chance=0.5"}) {
    const std::string build =
        "build --keys=keys " + size + " --out=" + out + " --expected-keys=";
    for (const std::string existing : {"", " --force"}) {
      Write(out, "what was there");
      if (existing.empty()) {
        std::filesystem::remove(dir_ / out);
      }
      const Ran ran = Run(build + "10" + existing);
      EXPECT_EQ(ran.exit_code, 2) << ran;
      EXPECT_THAT(ran.err, HasSubstr(out + ": not written: 1000 keys, but "
                                           "sized for 10: "));
      EXPECT_THAT(ran.err, HasSubstr("give --expected-keys=1000"));
      EXPECT_EQ(std::filesystem::exists(dir_ / out), !existing.empty());
      EXPECT_TRUE(existing.empty() || Read(out) == "what was there");
    }
    Good(build + "950 --force");
    Good(build + "1000000 --force");
  }
  // Not saturated, but worse than planned.
  EXPECT_EQ(Run("build --keys=keys --fp-chance=0.01 --force --out=" + out +
                " --expected-keys=600")
                .exit_code,
            2);
}

TEST_F(FilterdbCommandTest, CheckFindsEveryKeyThatWasBuilt) {
  const Keys random = RandomKeysOf(0, 2000);
  const Keys text = TextKeysOf(2000);
  Write("hex", HexList(random));
  Write("text", TextList(text));
  Write("binary", BinaryList(random));
  for (const std::string format : {"hex", "text", "binary"}) {
    for (const std::string version :
         {"ia", "ka", "lb", "ma", "me", "na", "nb", "oa", "da", "before-ma",
          "ma-to-me", "na-and-later"}) {
      const std::string keys = " --sstable-version=" + version +
                               " --keys=" + format + " --key-format=" + format;
      EXPECT_EQ(Good("build --bits=10 --force --out=filter" + keys).out,
                "filter: 2000 keys, 7 probes, 313 words\n");
      EXPECT_EQ(Good("check filter" + keys).out,
                "filter: 2000 keys, 0 missing\n");
      EXPECT_THAT(
          Good("info filter --keys-expected=2000 --sstable-version=" + version)
              .out,
          HasSubstr("verdict          ok\n"));
    }
  }
}

TEST_F(FilterdbCommandTest, KeysOfAnIndex) {
  const Keys keys = RandomKeysOf(0, 2000);
  Write("nb-1-big-Index.db", IndexDb(keys, /*before_ma=*/false));
  Write("ks-cf-ka-1-Index.db", IndexDb(keys, /*before_ma=*/true));
  Write("keys", HexList(keys));
  for (const std::string name : {"nb-1-big-", "ks-cf-ka-1-"}) {
    const std::string filter = name + "Filter.db";
    Good("build --bits=10 --index=" + name + "Index.db --out=" + filter);
    Good("check " + filter + " --keys=keys");
    Good("check " + filter + " --index=" + name + "Index.db");
    const std::string built = Read(filter);
    Good("build --bits=10 --keys=keys --force --out=" + filter);
    EXPECT_EQ(Read(filter), built);
  }
}

TEST_F(FilterdbCommandTest, KeysFromStandardInput) {
  const Keys keys = RandomKeysOf(0, 2000);
  Build(keys, "nb-1-big-Filter.db");
  Good("build --bits=10 --keys=- --out=nb-2-big-Filter.db <keys");
  Good("build --bits=10 --keys=- --out=nb-3-big-Filter.db --expected-keys=2000",
       "cat keys |");
  EXPECT_EQ(Read("nb-2-big-Filter.db"), Read("nb-1-big-Filter.db"));
  EXPECT_EQ(Read("nb-3-big-Filter.db"), Read("nb-1-big-Filter.db"));
  EXPECT_EQ(Good("check nb-1-big-Filter.db --keys=-", "cat keys |").out,
            "nb-1-big-Filter.db: 2000 keys, 0 missing\n");
}

TEST_F(FilterdbCommandTest, CheckListsMissingKeys) {
  const Json built = Build(RandomKeysOf(0, 1000), "nb-1-big-Filter.db");
  const NaiveFilter naive = NaiveOf(RandomKeysOf(0, 1000), built);
  const Keys missing = NotIn(naive, RandomKeysOf(0, 2000));
  ASSERT_GT(missing.size(), 900u);
  Write("more", HexList(RandomKeysOf(0, 2000)));

  const Ran ran = Run("check nb-1-big-Filter.db --keys=more");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.err, "");
  std::string expected = "nb-1-big-Filter.db: 2000 keys, " +
                         std::to_string(missing.size()) + " missing\n";
  for (size_t i = 0; i < 10; ++i) {
    expected += "  missing " + ToHex(missing[i]) + "\n";
  }
  EXPECT_EQ(ran.out, expected + "  ... and " +
                         std::to_string(missing.size() - 10) + " more\n");

  const Ran json =
      Run("check nb-1-big-Filter.db --keys=more --max-listed=3 --json");
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(json.json()["missing"], missing.size());
  EXPECT_EQ(json.json()["missing_keys"],
            Json({ToHex(missing[0]), ToHex(missing[1]), ToHex(missing[2])}));
  EXPECT_EQ(json.json()["fault"], true);

  const Ran all =
      Run("check nb-1-big-Filter.db --keys=more --max-listed=5000 --json");
  EXPECT_EQ(all.json()["missing_keys"].size(), missing.size());
}

// ---- Written in another form ----

// Reverses the bytes of each word.
std::string InOtherWordOrder(std::string filter) {
  for (auto word = filter.begin() + 8; word != filter.end(); word += 8) {
    std::reverse(word, word + 8);
  }
  return filter;
}

constexpr char kNoForm[] =
    "the hash of before-ma with the words of na-and-later, no form of "
    "Cassandra's";

TEST_F(FilterdbCommandTest, CheckFindsTheFormThatWasWritten) {
  Write("keys", HexList(RandomKeysOf(0, 2000)));
  const std::vector<std::string> forms = {"before-ma", "ma-to-me",
                                          "na-and-later"};
  for (const std::string& form : forms) {
    Good("build --keys=keys --bits=10 --out=" + form +
         " --sstable-version=" + form);
  }
  Write(kNoForm, InOtherWordOrder(Read("before-ma")));
  for (const std::string& written :
       {forms[0], forms[1], forms[2], std::string(kNoForm)}) {
    for (const std::string& form : forms) {
      if (form == written) {
        EXPECT_EQ(Good("check " + form +
                       " --keys=keys --json "
                       "--sstable-version=" +
                       form)
                      .json()
                      .count("written_as"),
                  0u);
        continue;
      }
      const std::string check = "check \"" + written +
                                "\" --keys=keys --max-listed=0 "
                                "--sstable-version=" +
                                form;
      const Ran text = Run(check);
      EXPECT_EQ(text.exit_code, 1);
      EXPECT_THAT(text.out, HasSubstr(" more\n  written as " + written +
                                      ": read so, it has every key\n"));
      EXPECT_EQ(Run(check + " --json").json()["written_as"], written);
    }
  }
}

TEST_F(FilterdbCommandTest, CheckFindsNoFormForALostKey) {
  Build(RandomKeysOf(0, 2000), "nb-1-big-Filter.db");
  Write("keys", HexList(RandomKeysOf(0, 2500)));
  const Ran ran = Run("check nb-1-big-Filter.db --keys=keys --json");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.json().count("written_as"), 0u);
}

// A full filter has every key in any form, but that does not tell its form:
// here only one bit is not set, which one key misses.
TEST_F(FilterdbCommandTest, CheckFindsNoFormByChance) {
  const Keys keys = RandomKeysOf(0, 1);
  Build(keys, "nb-1-big-Filter.db");
  std::string filter = Read("nb-1-big-Filter.db");
  const size_t byte = filter.find_first_not_of('\0', 8);
  const auto lowest_bit =
      static_cast<unsigned char>(filter[byte]) & -filter[byte];
  std::fill(filter.begin() + 8, filter.end(), '\xff');
  filter[byte] = static_cast<char>(~lowest_bit);
  Write("nb-1-big-Filter.db", filter);
  const Ran ran = Run("check nb-1-big-Filter.db --keys=keys --json");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.json()["missing"], 1);
  EXPECT_EQ(ran.json().count("written_as"), 0u);
}

// A pipe cannot be read again.
TEST_F(FilterdbCommandTest, CheckOfAPipeDoesNotTryOtherForms) {
  Build(RandomKeysOf(0, 2000), "filter", "--bits=10 --sstable-version=nb");
  const Ran ran =
      Run("check filter --sstable-version=me --keys=- --json", "cat keys |");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.json().count("written_as"), 0u);
  EXPECT_EQ(Run("check filter --sstable-version=me --keys=- --json <keys")
                .json()["written_as"],
            "na-and-later");
}

TEST_F(FilterdbCommandTest, FilterAndIndexOfDifferentForms) {
  const Keys keys = RandomKeysOf(0, 2000);
  Write("keys", HexList(keys));
  Write("index", IndexDb(keys, /*before_ma=*/true));
  Write("ks-cf-ka-1-Index.db", IndexDb(keys, /*before_ma=*/true));
  Good("build --keys=keys --bits=10 --out=from_keys --sstable-version=nb");
  for (const std::string index :
       {"index --index-version=ka", "index --index-version=before-ma",
        "ks-cf-ka-1-Index.db --index-version=ka"}) {
    Good(
        "build --bits=10 --force --sstable-version=nb --out=from_index "
        "--index=" +
        index);
    EXPECT_EQ(Read("from_index"), Read("from_keys"));
    EXPECT_EQ(Good("check from_keys --sstable-version=nb --index=" + index).out,
              "from_keys: 2000 keys, 0 missing\n");
  }
  // Without --index-version, the one option is for both.
  EXPECT_EQ(Run("check from_keys --sstable-version=nb --index=index").exit_code,
            2);
}

TEST_F(FilterdbCommandTest, CheckMeasuresAbsentKeys) {
  const Keys absent = RandomKeysOf(1000, 4000);
  const Json built =
      Build(RandomKeysOf(0, 1000), "nb-1-big-Filter.db", "--bits=5");
  const size_t pass =
      absent.size() -
      NotIn(NaiveOf(RandomKeysOf(0, 1000), built), absent).size();
  ASSERT_GT(pass, 0u);
  Write("absent", HexList(absent));
  const std::string check =
      "check nb-1-big-Filter.db --keys=keys --absent=absent ";
  EXPECT_THAT(Good(check).out, HasSubstr("  " + std::to_string(pass) +
                                         " of 3000 absent keys pass: "));
  const Json json = Good(check + "--json").json();
  EXPECT_EQ(json["absent_keys"], 3000);
  EXPECT_EQ(json["false_positives"], pass);
}

// ---- info ----

TEST_F(FilterdbCommandTest, InfoTellsWhatIsThere) {
  const Json built = Build(RandomKeysOf(0, 2000), "me-1-big-Filter.db");
  const Json info = Good("info me-1-big-Filter.db --json").json()[0];
  EXPECT_EQ(info["form"], "ma-to-me");
  EXPECT_EQ(info["probes"], built["probes"]);
  EXPECT_EQ(info["words"], built["words"]);
  EXPECT_EQ(info["bits"], 64 * built["words"].get<int>());
  uint64_t set_bits = 0;
  for (const char c : Read("me-1-big-Filter.db").substr(8)) {
    set_bits += static_cast<uint64_t>(
        __builtin_popcount(static_cast<unsigned char>(c)));
  }
  EXPECT_EQ(info["set_bits"], set_bits);
  EXPECT_NEAR(info["fill_ratio"], 0.5, 0.02);
  EXPECT_NEAR(info["estimated_keys"], 2000, 60);
  EXPECT_NEAR(info["estimated_rate"], 0.008, 0.002);
  EXPECT_EQ(info["verdict"], "ok");
  EXPECT_EQ(info["fault"], false);
}

// However few the keys are, and whatever their chance: the exit status, the
// verdict and the fault agree.
TEST_F(FilterdbCommandTest, InfoOfFewKeys) {
  uint32_t next_key = 0;
  for (uint32_t n = 1; n <= 12; ++n) {
    for (const char* const size :
         {"--fp-chance=0.1", "--fp-chance=0.01", "--fp-chance=0.0001"}) {
      Build(RandomKeysOf(next_key, next_key + n), "nb-1-big-Filter.db",
            std::string("--force ") + size);
      next_key += n;
      const Json info = Good("info nb-1-big-Filter.db --json --keys-expected=" +
                             std::to_string(n))
                            .json()[0];
      EXPECT_EQ(info["verdict"], "ok") << n << " keys, " << size;
      EXPECT_EQ(info["fault"], false);
    }
  }
  const Json sized_for_50 = {{"probes", 7},
                             {"words", (50 * 10 + 20 + 63) / 64}};
  Write("nb-1-big-Filter.db",
        NaiveOf(RandomKeysOf(0, 150), sized_for_50).Serialize());
  const Ran ran = Run("info nb-1-big-Filter.db --keys-expected=50");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out,
              HasSubstr("saturated, rate not as planned for 50 keys\n"));
}

// The probes of one key in 64 coincide in the smallest filter, which then has
// one bit: less than 2 %, and just what is planned for one key.
TEST_F(FilterdbCommandTest, InfoOfOneKeyWithOneBit) {
  const auto key = KeyOfHash(/*h1=*/64, /*h2=*/7);
  Build({std::string(key.data(), key.size())}, "nb-1-big-Filter.db",
        "--fp-chance=0.1");
  EXPECT_EQ(Good("info nb-1-big-Filter.db --json").json()[0]["set_bits"], 1);
  EXPECT_THAT(Good("info nb-1-big-Filter.db").out, HasSubstr("nearly empty\n"));
  EXPECT_THAT(Good("info nb-1-big-Filter.db --keys-expected=1").out,
              HasSubstr("verdict          ok\n"));
  EXPECT_THAT(Run("info nb-1-big-Filter.db --keys-expected=9").out,
              HasSubstr("nearly empty, rate not as planned for 9 keys\n"));
}

TEST_F(FilterdbCommandTest, OneOfEach) {
  Write("keys", "61\n");
  EXPECT_EQ(Good("build --keys=keys --bits=2 --out=nb-1-big-Filter.db").out,
            "nb-1-big-Filter.db: 1 key, 1 probe, 1 word\n");
  EXPECT_EQ(Good("check nb-1-big-Filter.db --keys=keys").out,
            "nb-1-big-Filter.db: 1 key, 0 missing\n");
  Write("nb-2-big-Filter.db",
        std::string("\0\0\0\1\0\0\0\1", 8) + std::string(8, '\0'));
  EXPECT_EQ(Run("diff nb-1-big-Filter.db nb-2-big-Filter.db").out,
            "same parameters; 1 bit only in nb-1-big-Filter.db, 0 only in "
            "nb-2-big-Filter.db\n");
}

TEST_F(FilterdbCommandTest, NamesOfTemporaryFiles) {
  Write("keys", "61\n62\n");
  for (const std::string name :
       {"tmp-la-1-big-Filter.db", "tmplink-la-1-big-Filter.db",
        "ks-cf-tmp-ic-1-Filter.db", "ks-cf-tmplink-ka-1-Filter.db"}) {
    Good("build --keys=keys --bits=10 --out=" + name);
    EXPECT_THAT(Good("info " + name).out,
                HasSubstr("form             before-ma\n"));
  }
}

TEST_F(FilterdbCommandTest, InfoGoesOnAfterABrokenFile) {
  Build(RandomKeysOf(0, 100), "nb-1-big-Filter.db");
  Build(RandomKeysOf(0, 100), "nb-3-big-Filter.db");
  Write("nb-2-big-Filter.db", "broken");
  const std::string info =
      "info nb-1-big-Filter.db nb-2-big-Filter.db nb-3-big-Filter.db ";
  const std::string error =
      "filterdb: nb-2-big-Filter.db: truncated: 6 bytes, and the header alone "
      "has 8\n";
  const Ran text = Run(info);
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_EQ(text.err, error);
  EXPECT_THAT(text.out, StartsWith("nb-1-big-Filter.db\n"));
  EXPECT_THAT(text.out, HasSubstr("\nnb-3-big-Filter.db\n"));
  const Ran json = Run(info + "--json");
  EXPECT_EQ(json.exit_code, 2);
  EXPECT_EQ(json.err, error);
  ASSERT_EQ(json.json().size(), 3u);
  EXPECT_EQ(json.json()[0]["fault"], false);
  EXPECT_EQ(json.json()[1],
            Json({{"file", "nb-2-big-Filter.db"},
                  {"error",
                   "nb-2-big-Filter.db: truncated: 6 bytes, and the header "
                   "alone has 8"},
                  {"fault", true}}));
  EXPECT_EQ(json.json()[2]["file"], "nb-3-big-Filter.db");
}

// ---- convert and diff ----

TEST_F(FilterdbCommandTest, ConversionsThereAndBackAreIdentities) {
  const Keys keys = RandomKeysOf(0, 2000);
  Build(keys, "na-1-big-Filter.db");
  Build(keys, "me-1-big-Filter.db");
  EXPECT_EQ(Good("convert na-1-big-Filter.db me-2-big-Filter.db").out,
            "me-2-big-Filter.db: ma-to-me, from na-and-later\n");
  Good("convert me-2-big-Filter.db na-2-big-Filter.db");
  EXPECT_NE(Read("me-2-big-Filter.db"), Read("na-1-big-Filter.db"));
  EXPECT_EQ(Read("me-2-big-Filter.db"), Read("me-1-big-Filter.db"));
  EXPECT_EQ(Read("na-2-big-Filter.db"), Read("na-1-big-Filter.db"));

  Good("convert me-1-big-Filter.db na-3-big-Filter.db");
  Good("convert na-3-big-Filter.db me-3-big-Filter.db");
  EXPECT_EQ(Read("na-3-big-Filter.db"), Read("na-1-big-Filter.db"));
  EXPECT_EQ(Read("me-3-big-Filter.db"), Read("me-1-big-Filter.db"));

  for (const char* const filter :
       {"me-2-big-Filter.db", "na-3-big-Filter.db"}) {
    Good(std::string("check --keys=keys ") + filter);
  }
  EXPECT_EQ(Good("diff na-1-big-Filter.db me-1-big-Filter.db").out,
            "the same filter\n");
}

TEST_F(FilterdbCommandTest, ConvertWithinAFormIsACopy) {
  Build(RandomKeysOf(0, 100), "ks-cf-ka-1-Filter.db");
  Good("convert ks-cf-ka-1-Filter.db la-1-big-Filter.db");
  EXPECT_EQ(Read("la-1-big-Filter.db"), Read("ks-cf-ka-1-Filter.db"));
}

// filterdb still reads the input while it writes the output.
TEST_F(FilterdbCommandTest, ConvertOverItself) {
  Build(RandomKeysOf(0, 2000), "filter", "--bits=10 --sstable-version=nb");
  const std::string before = Read("filter");
  Good("convert filter filter --from=nb --to=me --force");
  EXPECT_NE(Read("filter"), before);
  Good("convert filter filter --from=me --to=nb --force");
  EXPECT_EQ(Read("filter"), before);
}

TEST_F(FilterdbCommandTest, ForceOverwrites) {
  Write("nb-1-big-Filter.db", "other");
  Write("me-1-big-Filter.db", "other");
  Build(RandomKeysOf(0, 100), "nb-1-big-Filter.db", "--bits=10 --force");
  Good("convert nb-1-big-Filter.db me-1-big-Filter.db --force");
  Good("diff nb-1-big-Filter.db me-1-big-Filter.db");
}

TEST_F(FilterdbCommandTest, DiffCountsBits) {
  Write("nb-1-big-Filter.db",
        std::string("\0\0\0\1\0\0\0\2", 8) + std::string(16, '\x0f'));
  Write("me-1-big-Filter.db",
        std::string("\0\0\0\1\0\0\0\2", 8) + std::string(16, '\x1c'));
  const Ran ran = Run("diff nb-1-big-Filter.db me-1-big-Filter.db --json");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.json()["bits_only_in_a"], 32);
  EXPECT_EQ(ran.json()["bits_only_in_b"], 16);
  EXPECT_EQ(ran.json()["same"], false);
}

// ---- JSON ----

TEST_F(FilterdbCommandTest, FieldsOfJson) {
  EXPECT_EQ(Fields(Build(RandomKeysOf(0, 1000), "nb-1-big-Filter.db")),
            (Keys{"expected_keys", "file", "keys", "probes", "words"}));
  const Keys info = {"bits",     "estimated_keys", "estimated_rate", "fault",
                     "file",     "fill_ratio",     "form",           "probes",
                     "set_bits", "verdict",        "words"};
  const Json infos =
      Good("info nb-1-big-Filter.db nb-1-big-Filter.db --json").json();
  ASSERT_EQ(infos.size(), 2u);
  EXPECT_EQ(Fields(infos[0]), info);
  EXPECT_EQ(Good("info nb-1-big-Filter.db --keys-expected=1000 --json")
                .json()[0]
                .count("design_rate"),
            1u);
  EXPECT_EQ(Fields(Good("check nb-1-big-Filter.db --keys=keys --json").json()),
            (Keys{"fault", "file", "keys", "missing", "missing_keys"}));
  EXPECT_EQ(
      Fields(Good("check nb-1-big-Filter.db --keys=keys --absent=keys --json")
                 .json()),
      (Keys{"absent_keys", "false_positives", "fault", "file", "keys",
            "missing", "missing_keys"}));
  EXPECT_EQ(Good("convert nb-1-big-Filter.db me-1-big-Filter.db --json").json(),
            Json({{"file", "me-1-big-Filter.db"},
                  {"from", "na-and-later"},
                  {"to", "ma-to-me"}}));
  const Json diff =
      Good("diff nb-1-big-Filter.db me-1-big-Filter.db --json").json();
  EXPECT_EQ(Fields(diff), (Keys{"a", "b", "bits_only_in_a", "bits_only_in_b",
                                "same", "same_parameters"}));
  EXPECT_EQ(Fields(diff["a"]), (Keys{"form", "probes", "words"}));
  Build(RandomKeysOf(0, 2000), "nb-2-big-Filter.db");
  const Ran other = Run("diff nb-1-big-Filter.db nb-2-big-Filter.db --json");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_EQ(Fields(other.json()), (Keys{"a", "b", "same", "same_parameters"}));
  EXPECT_EQ(other.json()["same_parameters"], false);
}

TEST_F(FilterdbCommandTest, JsonHasNoInfinity) {
  Write("nb-1-big-Filter.db",
        std::string("\0\0\0\1\0\0\0\1", 8) + std::string(8, '\xff'));
  const Ran ran = Run("info nb-1-big-Filter.db --json");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.json()[0]["estimated_keys"], nullptr);
  EXPECT_EQ(ran.json()[0]["verdict"], "saturated");
}

// JSON cannot contain names that are not UTF-8.
TEST_F(FilterdbCommandTest, FileNamesOfAnyBytes) {
  const std::string name = "nb-\xff-big-Filter.db";
  const Json built = Build(RandomKeysOf(0, 100), name);
  EXPECT_EQ(built["file"], "nb-\xef\xbf\xbd-big-Filter.db");
  EXPECT_EQ(Good("info --json " + name).json()[0]["verdict"], "ok");
}

// ---- Memory ----

#ifndef CASSANDRA_BLOOM_SANITIZED  // A sanitizer needs memory of its own.

// filterdb takes at most 64 MB besides the filter, however many bytes the keys
// have. A second copy of the filter would take more, and so would the keys.
TEST_F(FilterdbCommandTest, BuildTakesLittleMemoryBesidesTheFilter) {
  constexpr int64_t kFilterBytes = 100'000'000;
  constexpr int64_t kMaxBesides = 64'000'000;
  {
    // Writes one key at a time, because at the fork the memory of this process
    // counts as the child's.
    std::ofstream keys(dir_ / "keys", std::ios::binary);
    for (int i = 0; i < 3000; ++i) {
      keys << "\xff\xff" << std::string(65535, 'k');
    }
  }
  const pid_t pid = fork();
  if (pid == 0) {
    execl(CASSANDRA_BLOOM_FILTERDB, "filterdb", "build", "--key-format=binary",
          ("--keys=" + dir_ / "keys").c_str(), "--expected-keys=80000000",
          "--bits=10", ("--out=" + dir_ / "nb-1-big-Filter.db").c_str(),
          nullptr);
    _exit(127);
  }
  int status = -1;
  struct rusage usage;
  ASSERT_EQ(wait4(pid, &status, 0, &usage), pid);
  EXPECT_EQ(status, 0);
  const int64_t peak = int64_t{usage.ru_maxrss} * 1024;
  EXPECT_GE(peak, kFilterBytes);
  EXPECT_LE(peak, kFilterBytes + kMaxBesides);
}

#endif

TEST_F(FilterdbCommandTest, HelpOfEach) {
  const std::string all = Good("--help").out;
  for (const char* const command : {"(scan)", "(mend)", "(doctor)"}) {
    EXPECT_THAT(all.substr(0, all.find("\n\n")), HasSubstr(command));
  }
  for (const std::string command : {"scan", "mend", "info", "check", "build",
                                    "convert", "diff", "export", "doctor"}) {
    EXPECT_THAT(all, HasSubstr("\n  " + command + " "));
    const std::string help = Good(command + " --help").out;
    EXPECT_THAT(help, HasSubstr("filterdb " + command + " [OPTIONS]"));
#ifdef CASSANDRA_BLOOM_CORE_ONLY
    if (command == "export" || command == "doctor") {
      continue;  // See without_rocksdb_test.cc.
    }
#endif
    EXPECT_THAT(help, HasSubstr("--json"));
  }
  EXPECT_THAT(all, HasSubstr("Exit status: 0 good, 1 a fault was found, 2"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
