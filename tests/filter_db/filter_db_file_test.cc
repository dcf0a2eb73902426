// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter_db/filter_db_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter/endian.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"
#include "tests/support/broken_filters.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/random_keys.h"
#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

size_t CountPresent(const FilterDbFile& filter,
                    const std::vector<std::string>& keys) {
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  const auto may_contain = std::make_unique<bool[]>(keys.size());
  filter.MayContain(views.data(), views.size(), may_contain.get());
  size_t present = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(may_contain[i], filter.MayContain(keys[i]));
    present += may_contain[i];
  }
  return present;
}

class FilterDbFileTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }

  std::unique_ptr<FilterDbFile> Open(const std::string& name, FilterForm form) {
    return FilterDbFile::Open(Path(name), form, &error_);
  }

  // Adds the keys, and writes the filter.
  void Write(FilterDbBuilder* builder, const std::vector<std::string>& keys,
             const std::string& name) {
    ASSERT_NE(builder, nullptr) << error_;
    for (const std::string& key : keys) {
      builder->Add(key);
    }
    ASSERT_TRUE(builder->Write(Path(name), true, &error_)) << error_;
  }

  // Writes the bits of `filter` in this form.
  void Convert(const FilterDbFile& filter, FilterForm form,
               const std::string& name) {
    EXPECT_TRUE(
        WriteFileAtomically(Path(name), /*overwrite=*/true,
                            FilterDbContent(form, filter.num_probes(),
                                            filter.num_words(), filter.bits()),
                            &error_))
        << error_;
  }

  // Opens a filter, in which all keys must be present. In a form with the other
  // hash order, which exchanges h1 and h2 of all hashes, most must be absent.
  std::unique_ptr<FilterDbFile> OpenWithKeys(
      const std::string& path, FilterForm form,
      const std::vector<std::string>& keys) {
    auto filter = FilterDbFile::Open(path, form, &error_);
    if (filter == nullptr) {
      ADD_FAILURE() << error_;
      return nullptr;
    }
    EXPECT_EQ(CountPresent(*filter, keys), keys.size());
    if (keys.size() >= 20) {
      const FilterForm other = form == kBeforeMa ? kMaToMe : kBeforeMa;
      Convert(*filter, other, "misread");
      const auto misread = Open("misread", other);
      EXPECT_LT(CountPresent(*misread, keys), keys.size() / 2);
    }
    return filter;
  }

  // Expects that a filter of these keys equals the file at `path`.
  void ExpectRebuilt(const std::string& path, FilterForm form,
                     const std::vector<std::string>& keys, double fp_chance,
                     uint64_t num_keys) {
    const auto builder =
        FilterDbBuilder::ForFpChance(fp_chance, num_keys, form, &error_);
    Write(builder.get(), keys, "rebuilt");
    EXPECT_EQ(ReadFile(Path("rebuilt")), ReadFile(path));
  }

  const TempDir folder_;
  std::string error_;
};

TEST_F(FilterDbFileTest, ReadsAndRebuildsWhatCassandraWrote) {
  const std::vector<std::string> folders = SstablesWithKeys();
  ASSERT_GE(folders.size(), 90u);
  for (const fs::path folder : folders) {
    SCOPED_TRACE(folder);
    const std::string path = ComponentIn(folder, "Filter.db");
    std::string version;
    FilterForm form;
    ASSERT_TRUE(SstableVersionOfFileName(path, &version, &error_));
    ASSERT_TRUE(FormOfSstableVersion(version, &form, &error_));
    const std::vector<std::string> keys = HexLines(folder / "keys.txt");
    ASSERT_FALSE(keys.empty());

    const auto filter = OpenWithKeys(path, form, keys);
    ASSERT_NE(filter, nullptr);
    // Cassandra sizes a filter for its keys, but after a compaction for as many
    // as it expected.
    const bool is_compacted = EndsWith(folder.string(), "_wide");
    const double fp_chance = PlannedFpChance(folder);
    uint64_t planned = keys.size();
    while (is_compacted &&
           FilterDbBuilder::ForFpChance(fp_chance, planned, form, &error_)
                   ->num_words() < filter->num_words()) {
      ++planned;
    }
    ExpectRebuilt(path, form, keys, fp_chance, planned);
  }
}

TEST_F(FilterDbFileTest, ReadsAndRebuildsTheFilesOfRealSstables) {
  SKIP_WITHOUT_CORPUS();
  const std::vector<std::string> folders = CorpusSstables();
  size_t num_rebuilt = 0;
  for (const fs::path folder : folders) {
    SCOPED_TRACE(folder);
    const auto meta = nlohmann::json::parse(ReadFile(folder / "meta.json"));
    FilterForm form;
    ASSERT_TRUE(
        FormOfSstableVersion(meta["form"].get<std::string>(), &form, &error_));

    std::string version;
    ASSERT_TRUE(SstableVersionOfFileName(meta["file_name"].get<std::string>(),
                                         &version, &error_));
    EXPECT_EQ(version, meta["sstable_version"].get<std::string>());
    FilterForm form_of_version;
    ASSERT_TRUE(FormOfSstableVersion(version, &form_of_version, &error_));
    EXPECT_EQ(form_of_version != form,
              meta["version_letters_mislead"].get<bool>());

    const std::vector<std::string> keys = HexLines(folder / "keys.hex");
    ASSERT_EQ(keys.size(), meta["keys"].get<size_t>());

    const std::string path = folder / "Filter.db";
    const auto filter = OpenWithKeys(path, form, keys);
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->num_probes(), meta["probes"].get<int>());
    EXPECT_EQ(filter->num_words(), meta["words"].get<uint32_t>());
    if (meta["rebuild"]["byte_identical"].get<bool>()) {
      ExpectRebuilt(path, form, keys,
                    meta["rebuild"]["fp_chance"].get<double>(),
                    meta["rebuild"]["n"].get<uint64_t>());
      ++num_rebuilt;
    }
  }
  EXPECT_EQ(num_rebuilt, folders.size());
}

TEST_F(FilterDbFileTest, AllFormsEqualCassandraOnItsTable) {
  const auto table = ReadCassandraTable("vectors.tsv");
  ASSERT_FALSE(table.empty());
  std::vector<std::string> sums = {"sha256sum"};
  for (const auto& fields : table) {
    SCOPED_TRACE(fields[0] + " " + fields[1] + " " + fields[2] + " " +
                 fields[3]);
    const FilterForm form = fields[3] == "new"   ? kNaAndLater
                            : fields[3] == "old" ? kMaToMe
                                                 : kBeforeMa;
    const auto n = static_cast<uint32_t>(std::stoul(fields[1]));
    const auto builder =
        FilterDbBuilder::ForBitsPerKey(std::stod(fields[2]), n, form, &error_);
    ASSERT_NE(builder, nullptr) << error_;
    EXPECT_EQ(std::to_string(builder->num_probes()), fields[4]);
    EXPECT_EQ(std::to_string(builder->num_words()), fields[5]);
    std::vector<std::string> keys;
    for (uint32_t i = 0; i < n; ++i) {
      keys.push_back(VectorKey(fields[0], i));
    }
    Write(builder.get(), keys, std::to_string(sums.size()));
    sums.push_back(Path(std::to_string(sums.size())));
  }
  const std::vector<std::string> lines = Lines(RunProcess(sums).out);
  ASSERT_EQ(lines.size(), table.size());
  for (size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(lines[i].substr(0, 64), table[i][7]) << "row " << i;
  }
}

// BloomFilter1000 from Cassandra's own tests, in versions `ma` to `me`.
TEST_F(FilterDbFileTest, OlderFormEqualsCassandrasFixture) {
  std::vector<std::string> keys(1000, std::string(4, '\0'));
  for (int32_t i = 0; i < 1000; ++i) {
    StoreBigEndian32(i, keys[static_cast<size_t>(i)].data());
  }
  Write(FilterDbBuilder::ForFpChance(0.0001, 1000000, kMaToMe, &error_).get(),
        keys, "filter");
  EXPECT_EQ(Sha256(ReadFile(Path("filter"))),
            "73bb8f360143e0a9f0c1116f0e17bee74e9d383c68c792d88cc5a9a0a2ca510f");
}

TEST_F(FilterDbFileTest, EveryFormIsReadAsItWasWritten) {
  SCOPED_TRACE(Seed());
  const RandomKeys random(Seed(), 50);
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < 10000; ++i) {
    keys.push_back(random[i] + std::to_string(i));
  }
  for (const FilterForm form : {kBeforeMa, kMaToMe, kNaAndLater}) {
    Write(
        FilterDbBuilder::ForBitsPerKey(12.5, keys.size(), form, &error_).get(),
        keys, "filter");
    const auto filter = OpenWithKeys(Path("filter"), form, keys);
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->form(), form);
    EXPECT_NEAR(EstimatedNumKeys(filter->num_probes(), filter->CountSetBits(),
                                 filter->capacity_bits()),
                10000, 200);
    // Converts to a form with another byte order of words, and back.
    const FilterForm other = form == kNaAndLater ? kMaToMe : kNaAndLater;
    Convert(*filter, other, "converted");
    EXPECT_NE(ReadFile(Path("converted")), ReadFile(Path("filter")));
    const auto converted = Open("converted", other);
    ASSERT_NE(converted, nullptr) << error_;
    Convert(*converted, form, "back");
    EXPECT_EQ(ReadFile(Path("back")), ReadFile(Path("filter")));
  }
}

TEST_F(FilterDbFileTest, AFileOfNoBytesIsAlwaysPresent) {
  WriteFile(Path("empty"), "");
  for (const FilterForm form : {kBeforeMa, kMaToMe, kNaAndLater}) {
    const auto filter = Open("empty", form);
    ASSERT_NE(filter, nullptr) << error_;
    EXPECT_TRUE(filter->always_present());
    EXPECT_EQ(filter->CountSetBits(), 0u);
    EXPECT_EQ(CountPresent(*filter, {"", "key"}), 2u);
  }
}

TEST_F(FilterDbFileTest, BrokenFilesAreRefusedInEveryForm) {
  for (const BrokenFilter& broken : kBrokenFilters) {
    if (broken.size == 0) {
      continue;  // Of an empty file, every key is present.
    }
    const std::vector<char> bytes = broken.Block();
    WriteFile(Path("broken"), {bytes.begin(), bytes.end()});
    for (const FilterForm form : {kBeforeMa, kMaToMe, kNaAndLater}) {
      EXPECT_EQ(Open("broken", form), nullptr);
      EXPECT_EQ(error_.rfind(Path("broken") + ": " + broken.fault, 0), 0u)
          << error_;
    }
    // A node ignores what follows a filter.
    const auto filter = OpenLikeNode(Path("broken"), kNaAndLater, &error_);
    const bool is_longer = std::string(broken.fault).rfind("too long", 0) == 0;
    ASSERT_EQ(filter != nullptr, is_longer) << broken.fault;
    EXPECT_EQ(is_longer ? filter->num_words() : broken.num_words,
              broken.num_words);
  }
}

TEST_F(FilterDbFileTest, FilesThatCannotBeReadAreNamed) {
  EXPECT_EQ(Open("missing", kNaAndLater), nullptr);
  EXPECT_EQ(error_,
            Path("missing") + ": cannot open: No such file or directory");
  EXPECT_EQ(FilterDbFile::Open(folder_.path(), kNaAndLater, &error_), nullptr);
  EXPECT_EQ(error_, folder_.path() + ": not a regular file");
}

// If the file were mapped, the process would end by SIGBUS.
TEST_F(FilterDbFileTest, AFileThatSomebodyCutsWhileItIsOpen) {
  Write(FilterDbBuilder::ForBitsPerKey(10, 100000, kNaAndLater, &error_).get(),
        {"key"}, "filter");
  const auto filter = Open("filter", kNaAndLater);
  ASSERT_NE(filter, nullptr) << error_;
  fs::resize_file(Path("filter"), 0);
  EXPECT_TRUE(filter->MayContain("key"));
  EXPECT_EQ(filter->CountSetBits(),
            static_cast<uint64_t>(filter->num_probes()));
}

TEST_F(FilterDbFileTest, WhatIsNoRegularFileIsLeftAlone) {
  const auto builder =
      FilterDbBuilder::ForBitsPerKey(10, 1, kNaAndLater, &error_);
  fs::create_directory(Path("folder"));
  fs::create_symlink("new", Path("link"));
  for (const std::string name : {"folder", "link"}) {
    EXPECT_FALSE(builder->Write(Path(name), true, &error_));
    EXPECT_EQ(error_,
              Path(name) + ": is not a regular file, and is left alone");
  }
}

TEST_F(FilterDbFileTest, AFileThatAppearsMeanwhileIsNotOverwritten) {
  const auto write = [this](const Append& append) {
    WriteFile(Path("file"), "precious");
    return append("x", 1);
  };
  EXPECT_FALSE(WriteFileAtomically(Path("file"), false, write, &error_));
  EXPECT_EQ(error_, Path("file") + ": will not be overwritten: File exists");
  EXPECT_EQ(ReadFile(Path("file")), "precious");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(FilterDbFileTest, BuilderRefusesWhatHasNoFilter) {
  for (const double bits : {0.0, 0.5, -1.0, 100.5, std::nan("")}) {
    EXPECT_EQ(FilterDbBuilder::ForBitsPerKey(bits, 1, kMaToMe, &error_),
              nullptr);
    EXPECT_NE(error_.find("from 1 to 100, not "), std::string::npos);
  }
  FilterDbBuilder::ForBitsPerKey(0.5, 1, kMaToMe, &error_);
  EXPECT_NE(error_.find("not 0.5"), std::string::npos) << error_;
  FilterDbBuilder::ForFpChance(1, 1, kMaToMe, &error_);
  EXPECT_NE(error_.find("no filter), not 1"), std::string::npos) << error_;
  for (const double chance : {0.0, 6.7e-5, 1.0, -1.0, std::nan("")}) {
    EXPECT_EQ(FilterDbBuilder::ForFpChance(chance, 1, kMaToMe, &error_),
              nullptr);
    EXPECT_NE(error_.find("0.0000671"), std::string::npos);
  }
  EXPECT_EQ(FilterDbBuilder::ForBitsPerKey(10, 13743895346, kMaToMe, &error_),
            nullptr);
  EXPECT_NE(error_.find("13743895346 keys need a filter of more than 16 GiB"),
            std::string::npos);
  error_.clear();
  EXPECT_EQ(FilterDbBuilder::ForFpChance(0.01, 13743895346, kMaToMe, &error_),
            nullptr);
  EXPECT_NE(error_.find("16 GiB"), std::string::npos);
}

}  // namespace
}  // namespace cassandra_bloom::testing
