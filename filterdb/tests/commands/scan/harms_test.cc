// SPDX-License-Identifier: Apache-2.0

// What scan says of SSTables that once were judged wrongly: what hides rows is
// named, and nothing else is called damage.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "filterdb/tests/commands/scan/scan_fixture.h"
#include "filterdb/tests/fake_sstable/compressed_data.h"
#include "filterdb/tests/fake_sstable/fake_scylla_db.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/safe_folder.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

struct HarmCase {
  const char* what;
  SstableSpec spec;
  Change change;
  int exit_code;
  const char* harm;
  bool is_incomplete;
  const char* checks;  // All findings, the worst first.
  const char* text;    // A part of the output as text.
};

class HarmsTest : public ScanFixture {
 protected:
  void Expect(const HarmCase& each) {
    SCOPED_TRACE(each.what);
    fs::remove_all(dir_ / "ks");
    each.change(Write(each.spec));
    const Ran text = Exits(each.exit_code, Scan());
    EXPECT_THAT(text.out, HasSubstr(each.text));
    const Json report = Exits(each.exit_code, Scan("--json")).report();
    ASSERT_FALSE(report["sstables"].empty()) << text;
    const Json one = report["sstables"][0];
    for (const Json& judged : {report["summary"], one}) {
      EXPECT_EQ(judged["harm"], each.harm);
      EXPECT_EQ(judged["incomplete"], each.is_incomplete);
    }
    EXPECT_EQ(ChecksOf(one), each.checks) << text;
  }
};

// One chunk of 8 MiB. Cassandra allows chunks of up to 1 GiB.
void CompressInOneChunk(const WrittenSstable& one) {
  std::string data = ReadFile(one.Path("Data.db"));
  data.resize(8 << 20);
  const CompressedData compressed =
      CompressData(data, "ZstdCompressor", data.size(), INT32_MAX);
  WriteFile(one.Path("Data.db"), compressed.data);
  WriteFile(one.Path("CompressionInfo.db"), compressed.info);
}

// Cassandra reads as many words as the header says, and ignores the rest.
void HeaderWithFewerWords(const WrittenSstable& one) {
  std::string filter = ReadFile(one.Path("Filter.db"));
  filter.replace(4, 4, BigEndian(10, 4));
  WriteFile(one.Path("Filter.db"), filter);
}

// Far more than an oversized filter of its keys would have.
void AppendBytes(const WrittenSstable& one) {
  fs::resize_file(one.Path("Filter.db"), uint64_t{1} << 30);
}

Change CutTo(size_t size) {
  return [=](const WrittenSstable& one) {
    const std::string filter = one.Path("Filter.db");
    fs::resize_file(filter, size);
    // Long ago, so that no node can be writing it.
    fs::last_write_time(
        filter, fs::file_time_type::clock::now() - std::chrono::hours(1));
  };
}

// Gives all files the names of this version.
Change RenameTo(const std::string& version) {
  return [=](const WrittenSstable& one) {
    for (const auto& entry :
         fs::directory_iterator(fs::path(one.prefix).parent_path())) {
      std::string name = entry.path().filename();
      fs::rename(entry.path(),
                 entry.path().parent_path() / name.replace(0, 2, version));
    }
  };
}

void Encrypt(const WrittenSstable& one) {
  WriteFile(one.Path("Scylla.db"),
            ScyllaDbContent({{3, "....scylla_encryption_options...."}},
                            /*has_crc=*/false));
  WriteFile(one.Path("Filter.db"), "cipher text");
  WriteFile(one.Path("TOC.txt"), "cipher text");
  WriteFile(one.Path("Index.db"), "cipher text");
}

void AddDigests(const WrittenSstable& one) { WriteScyllaDb(one.prefix); }

TEST_F(HarmsTest, HiddenRowsAreSaid) {
  const SstableSpec bad = SpecOf("nb", FilterFault::kKeysLeftOut);
  const HarmCase cases[] = {
      {"a header with fewer words than the file", SpecOf("nb"),
       HeaderWithFewerWords, 2, "hides rows", false, "keys missing, too long",
       "nodetool repair --full ks t1\n"},
      {"encrypted, denies keys of the index", WithLz4(bad), ChangeCompressor, 2,
       "hides rows", true, "keys missing, not supported",
       "keys missing (hides rows); of the keys in the index, which Data.db "
       "does not confirm\n      not supported (not known)"},
      {"encrypted, denies none", WithLz4(SpecOf("nb")), ChangeCompressor, 0,
       "none", false, "", ": ok\n"},
      {"not confirmed, denies keys of the index", bad, Remove("Statistics.db"),
       2, "hides rows", true, "keys missing, keys not confirmed",
       "restore Statistics.db"},
      {"not confirmed, and not in TOC.txt", SpecOf("nb"),
       Both(Remove("Statistics.db"), LeaveOutOfToc), 3, "not known", true,
       "keys not confirmed, not in TOC.txt", "restore Statistics.db"},
      {"of another form", SpecOf("nb", FilterFault::kOtherForm), NoChange, 2,
       "hides rows", false, "keys missing, another form",
       "has all keys in the form ma-to-me, and not in that of version nb\n"},
      {"of another form, and so is the rest",
       SpecOf("nb", FilterFault::kOtherForm), Remove("Statistics.db"), 2,
       "hides rows", true, "keys missing, another form, name doubted",
       "give the files the names of the version"},
      {"Data.db lost, ka, where no node removes files", SpecOf("ka"),
       [](const WrittenSstable& one) {
         fs::remove(one.Path("Data.db"));
         const fs::path table = fs::path(one.prefix).parent_path();
         const fs::path upload = table.string() + kId + "/upload";
         fs::create_directories(upload.parent_path());
         fs::rename(table, upload);
       },
       2, "SSTable damaged", false, "keys unreadable",
       "restore the damaged file"},
      {"Data.db lost, ma", SpecOf("ma"), Remove("Data.db"), 2,
       "SSTable damaged", false, "keys unreadable", "restore the damaged file"},
      {"cut, na", SpecOf("nb"), CutTo(600), 2, "hides rows", false, "truncated",
       "truncated (hides rows)"},
      {"cut, before na", SpecOf("md"), CutTo(600), 2, "refused", false,
       "truncated", "truncated (refused)"},
      {"cut in the header, na", SpecOf("nb"), CutTo(5), 1, "wastes reads",
       false, "header cut", "header cut (wastes reads)"},
      {"empty, before na", SpecOf("md"), CutTo(0), 2, "refused", false, "empty",
       "empty (refused)"}};
  for (const HarmCase& each : cases) {
    Expect(each);
  }
}

// What a file of an unknown kind ends is proof as far as it went. The keys are
// asked for in batches.
TEST_F(HarmsTest, HiddenRowsOfFewKeys) {
  for (const size_t num_keys : {size_t{1}, size_t{40}, size_t{100}}) {
    SstableSpec spec = WithLz4(SpecOf("nb", FilterFault::kKeysLeftOut));
    spec.keys = Keys(num_keys);
    Expect({"encrypted, denies keys of the index", spec, ChangeCompressor, 2,
            "hides rows", true, "keys missing, not supported",
            "of the keys in the index"});
  }
}

TEST_F(HarmsTest, NothingElseIsCalledDamage) {
  const HarmCase cases[] = {
      {"ScyllaDB's encryption at rest", SpecOf("me"), Encrypt, 3, "not known",
       true, "not supported",
       "it is encrypted (scylla_encryption_options in Scylla.db)"},
      {"a version of the future", SpecOf("nb"), RenameTo("zz"), 3, "not known",
       true, "not supported", "SSTable version 'zz' is not known here"},
      {"more bytes than the header says", SpecOf("nb"), AppendBytes, 0, "none",
       false, "too long", "too long"},
      {"more bytes than the header says, which has no probes",
       SpecOf("nb", FilterFault::kProbes0), AppendBytes, 1, "wastes reads",
       false, "no probes, too long", "no probes (wastes reads)"},
      {"left over", SpecOf("nb"), Both(Remove("Data.db"), Remove("Index.db")),
       0, "none", false, "left over", "nothing is to be restored"},
      {"Data.db removed, ka", SpecOf("ka"), Remove("Data.db"), 3, "not known",
       true, "Data.db missing", "if no node was stopped"},
      {"lines that end in CR LF", SpecOf("nb"),
       [](const WrittenSstable& one) {
         std::string toc;
         for (const char c : ReadFile(one.Path("TOC.txt"))) {
           toc += c == '\n' ? "\r\n" : std::string(1, c);
         }
         WriteFile(one.Path("TOC.txt"), toc);
       },
       0, "none", false, "", ": ok\n"},
      {"a chunk of more than 4 MiB", SpecOf("nb"), CompressInOneChunk, 0,
       "none", false, "", ": ok\n"},
      {"the same, with a filter that is cut",
       SpecOf("nb", FilterFault::kProbes0), CompressInOneChunk, 3,
       "wastes reads", true, "no probes, not supported",
       "more than 4194304: not supported"},
      // "list the components one a line" would be a dead end.
      {"TOC.txt damaged, with a digest", SpecOf("me"),
       Both(AddDigests, Content("TOC.txt", "")), 2, "refused", false,
       "TOC.txt damaged", "restore the TOC.txt whose checksum is in Scylla.db"},
      {"TOC.txt missing, with a digest", SpecOf("me"),
       Both(AddDigests, Remove("TOC.txt")), 2, "refused", false,
       "TOC.txt missing", "restore the TOC.txt whose checksum is in Scylla.db"},
      {"TOC.txt missing, without a digest", SpecOf("ms"), Remove("TOC.txt"), 2,
       "refused", false, "TOC.txt missing",
       "with the components of the SSTable one a line"}};
  for (const HarmCase& each : cases) {
    Expect(each);
  }
}

// Some tools put keyspace and table before the names of copies.
TEST_F(HarmsTest, LongNames) {
  const WrittenSstable one = Write(SpecOf("md"));
  for (const auto& entry : fs::directory_iterator(dir_ / "ks/t1")) {
    fs::rename(entry.path(), fs::path(dir_ / "ks/t1") /
                                 ("ks-t1-" + entry.path().filename().string()));
  }
  const Json report = Exits(0, Scan("--json")).report();
  EXPECT_EQ(report["sstables"][0]["version"], "md");
  EXPECT_EQ(report["sstables"][0]["verdict"], "ok");
  EXPECT_THAT(Exits(0, Scan()).out, HasSubstr("ks-t1-md-1-big: ok\n"));
}

// Its name is of a version with another form. A mend that goes by the name
// would replace a good filter by one that hides rows.
TEST_F(HarmsTest, AWrongVersionInTheName) {
  for (const auto& [from, to] :
       {std::pair("me", "nb"), std::pair("nb", "me")}) {
    const WrittenSstable one = Write(SpecOf(from));
    const std::string good = ReadFile(one.Path("Filter.db"));
    RenameTo(to)(one);
    const Ran ran = Exits(2, Scan("--json"));
    EXPECT_THAT(ran.out, HasSubstr("another form"));
    EXPECT_THAT(ran.out, HasSubstr("name doubted"));
    EXPECT_THAT(Exits(2, Scan()).out,
                HasSubstr("name doubted (not known); its Statistics.db"));
    const TempDir runs(SafeFolder());
    const Ran mend = Exits(2, Filterdb("mend --json " + dir_ / "ks" +
                                       " --in-place --run=" + runs / "run"));
    EXPECT_EQ(mend.report()["sstables"][0]["outcome"], "left");
    EXPECT_THAT(mend.out, HasSubstr("give the files the names of the version"));
    const std::string filter = dir_ / "ks/t1/" + to + "-1-big-Filter.db";
    EXPECT_EQ(ReadFile(filter), good);
    fs::remove_all(dir_ / "ks");
  }
}

// A sparse file may say any size. It is not read into memory.
TEST_F(HarmsTest, AFilterThatIsFarTooLarge) {
  const WrittenSstable one = Write(SpecOf("nb"));
  const uint32_t words = 1 << 30;
  const std::string good = ReadFile(one.Path("Filter.db"));
  std::string filter = good;
  filter.replace(4, 4, BigEndian(words, 4));
  WriteFile(one.Path("Filter.db"), filter);
  fs::resize_file(one.Path("Filter.db"), 8 + uint64_t{8} * words);
  const std::string limit = LimitOfMemory(100000);
  const Ran ran = Exits(3, Filterdb("scan --json " + dir_ / "ks", limit));
  const Json one_line = ran.report()["sstables"][0];
  EXPECT_EQ(one_line["verdict"], "oversized");
  EXPECT_THAT(one_line["findings"].dump(), HasSubstr("and was not read"));
  EXPECT_THAT(
      Exits(3, Filterdb("scan " + dir_ / "ks", limit)).out,
      HasSubstr("oversized (wastes memory)\n      not asked (not known)"));
  // Nor is what follows the filter, nor asked for page by page.
  WriteFile(one.Path("Filter.db"), good);
  fs::resize_file(one.Path("Filter.db"), uint64_t{1} << 40);
  EXPECT_THAT(Exits(0, Filterdb("scan " + dir_ / "ks", limit)).out,
              HasSubstr(": too long\n"));
}

// ---- Where the SSTable lies ----

TEST_F(HarmsTest, FoldersThatANodeDoesNotRead) {
  const std::string table = std::string("ks/t1") + kId;
  for (const auto& [folder, is_read] :
       {std::pair("", true), std::pair("/staging", true),
        std::pair("/quarantine", true), std::pair("/upload", false),
        std::pair("/snapshots/daily", false)}) {
    SCOPED_TRACE(folder);
    Write(SpecOf("me", FilterFault::kBitsCleared), table + folder);
    const std::string path = dir_ / table + folder;
    const Ran text = Exits(2, Filterdb("scan " + path));
    EXPECT_EQ(
        text.out.find("(hides rows when it is loaded)") == std::string::npos,
        is_read)
        << text;
    EXPECT_EQ(
        text.out.find("nodetool repair --full ks t1\n") != std::string::npos,
        is_read)
        << text;
    const Json report = Filterdb("scan --json " + path).report();
    EXPECT_EQ(report["sstables"][0]["in_use"], is_read);
    EXPECT_EQ(report["summary"]["tables_to_repair"].empty(), !is_read);
    fs::remove_all(dir_ / "ks");
  }
}

// Those of other people.
TEST(NewerHarmsTest, BesideTheCorpus) {
  SKIP_WITHOUT_CORPUS();
  const struct {
    const char* folder;
    int exit_code;
    const char* text;
  } expected[] = {{"scylla_ear", 3, "it is encrypted"},
                  {"orphans", 0, "nothing is to be restored"},
                  {"long_names", 0, "-md-1-big: ok"},
                  {"dse", 0, ": ok"},
                  {"ea_dict", 0, ": ok"},
                  {"pa", 3, "keys not confirmed (not known)"},
                  {"cutdata", 2, "too short"},
                  {"noci", 2, "CompressionInfo.db is missing"}};
  const fs::path newer =
      fs::path(std::getenv("CASSANDRA_BLOOM_CORPUS")).parent_path() / "newer";
  for (const auto& each : expected) {
    EXPECT_THAT(Exits(each.exit_code,
                      Filterdb("scan " + (newer / each.folder).string()))
                    .out,
                HasSubstr(each.text));
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
