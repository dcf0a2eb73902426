// SPDX-License-Identifier: Apache-2.0

// Preloads libcassandra_bloom_replace.so into unmodified programs.

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugin/filter_db/read_file.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/releases.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/rocksdb/test_policies.h"
#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

// sha256 of the Filter.db that Cassandra's own BloomFilter and serializer wrote
// for the keys key000000 to key000999, with 10 bits per key.
constexpr char kCassandrasDigest[] =
    "5318348414c7c21d960391f4fb9bcef4c39ddddef8c7cb08cad95427c525a115";

// The bytes after the Filter.db in a block with blocks=rocksdb. They must never
// change, because blocks on disk end in these bytes.
const std::string kTrailerOnDisk("\0cb\xff\xff", 5);

// Returns the only filter block of a database, if its name is that of `policy`.
// Otherwise returns a text with the number of blocks.
std::string OnlyBlock(const std::string& database, const PolicyPtr& policy) {
  const auto capturing = std::make_shared<CapturingPolicy>(policy);
  OpenedDb opened{};
  Require(
      rocksdb::DB::OpenForReadOnly(DbOptions(capturing), database, &opened));
  const std::unique_ptr<rocksdb::DB> db = Own(std::move(opened));
  const std::vector<std::string> blocks = capturing->blocks();
  return blocks.size() == 1 ? blocks[0]
                            : std::to_string(blocks.size()) + " blocks";
}

std::string BlockDigest(const std::string& database) {
  const std::string block = OnlyBlock(database, OurPolicyBesideRocksdb());
  const size_t size = block.size() - kTrailerOnDisk.size();
  return EndsWith(block, kTrailerOnDisk) ? Sha256(block.substr(0, size))
                                         : "not ours";
}

std::string DigestAt(double bits_per_key) {
  TestDb db(DbOptions(OurPolicy(bits_per_key)));
  db.Put(NumberedDataset(1000, 0).rows);
  db.Flush();
  db.Close();
  return Sha256(OnlyBlock(db.path(), OurPolicy()));
}

// `kind` is the byte by which RocksDB tells the kinds of filters apart.
const struct {
  std::string policy;
  char kind;
} kRocksdbsFilters[] = {{"bloomfilter:10", '\xff'},
                        {"ribbonfilter:10:-1", '\xfe'}};

// A program, and the way in which it makes RocksDB's Bloom filter.
const struct {
  std::vector<std::string> host;
  std::vector<std::string> how;
  // What the OPTIONS file then has, and the bits per key of our filter.
  std::string stored;
  double bits = 10;
} kWays[] = {
    {{TEST_BLOOM_HOST}, {"new", "10"}, "cassandra_bloom:10:blocks:rocksdb"},
    {{TEST_BLOOM_HOST},
     {"new", "9.9"},
     "cassandra_bloom:9.9:blocks:rocksdb",
     9.9},
    {{TEST_BLOOM_HOST}, {"point"}, "cassandra_bloom:10:blocks:rocksdb"},
    {{TEST_BLOOM_HOST}, {"full", "10"}, "cassandra_bloom:10:blocks:rocksdb"},
    {{TEST_BLOOM_HOST},
     {"bloom", "16"},
     "cassandra_bloom:16:blocks:rocksdb",
     16},
    // dlsym finds RocksDB's own C function, which wraps the policy of this
    // library. The wrapper hides the bits per key from the OPTIONS file.
    {{TEST_BLOOM_HOST}, {"dlsym", "16"}, "cassandra_bloom", 16},
    // dlopen loads RocksDB after the start of the process.
    {{TEST_DLOPEN_HOST, TEST_BLOOM_MODULE, "--"},
     {"new", "10"},
     "cassandra_bloom:10:blocks:rocksdb"},
    {{TEST_DLOPEN_HOST, TEST_BLOOM_MODULE, "--"},
     {"point"},
     "cassandra_bloom:10:blocks:rocksdb"},
    {{TEST_DLOPEN_HOST, TEST_BLOOM_MODULE, "--"},
     {"full", "16"},
     "cassandra_bloom:16:blocks:rocksdb",
     16}};

class ReplaceTest : public ::testing::Test {
 protected:
  // Runs a host program, which writes or reads the database. Returns the number
  // of reads that filters reject.
  int NumFiltered(const std::vector<std::string>& host,
                  const std::vector<std::string>& how,
                  const std::string& preload) {
    return NumFiltered(host, fs::exists(db_) ? "read" : "write", how, preload);
  }

  int NumFiltered(std::vector<std::string> host, const std::string& what,
                  const std::vector<std::string>& how,
                  const std::string& preload, const std::string& err = "") {
    host.push_back(db_);
    host.push_back(what);
    host.insert(host.end(), how.begin(), how.end());
    const ProcessResult result = RunProcess(host, preload);
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_EQ(result.err, err);
    int filtered = -1;
    EXPECT_EQ(
        std::sscanf(result.out.c_str(),
                    "1000 rows and 0 others found, %d filtered", &filtered),
        1)
        << result;
    return filtered;
  }

  std::string NewestOptionsFile() {
    std::string newest;
    for (const fs::directory_entry& entry : fs::directory_iterator(db_)) {
      const std::string path = entry.path();
      EXPECT_EQ(path.find(".dbtmp"), std::string::npos)
          << "RocksDB could not store its options";
      if (path.find("/OPTIONS-") != std::string::npos && path > newest) {
        newest = path;
      }
    }
    return newest;
  }

  std::string PolicyInOptions() {
    const std::string name = "filter_policy=";
    for (const std::string& line : Lines(ReadFile(NewestOptionsFile()))) {
      const size_t at = line.find(name);
      if (at != std::string::npos) {
        return line.substr(at + name.size());
      }
    }
    return "none";
  }

  TempDir folder_;
  const std::string db_ = folder_ / "db";
};

// The policy needs a reader for RocksDB's own filters. It must not make this
// reader with a function that the library replaces, because the function would
// then call itself without end.
TEST_F(ReplaceTest, RocksdbsFiltersAreRead) {
  for (const auto& rocksdbs : kRocksdbsFilters) {
    fs::remove_all(db_);
    EXPECT_GT(NumFiltered({TEST_BLOOM_HOST}, {"string", rocksdbs.policy}, ""),
              950);
    const std::string block = OnlyBlock(db_, OurPolicyBesideRocksdb());
    EXPECT_EQ(block[block.size() - kTrailerOnDisk.size()], rocksdbs.kind);
    for (const auto& test : kWays) {
      SCOPED_TRACE(rocksdbs.policy + " read by " + test.host[0] + " " +
                   test.how[0]);
      EXPECT_GT(NumFiltered(test.host, test.how, TEST_REPLACE), 950);
      EXPECT_EQ(PolicyInOptions().rfind("cassandra_bloom", 0), 0u);
    }
    EXPECT_GT(NumFiltered({TEST_BLOOM_HOST}, {"new", "10"}, ""), 950);
    EXPECT_EQ(PolicyInOptions().rfind("bloomfilter:10", 0), 0u);
  }
}

TEST_F(ReplaceTest, TheStoredStringReadsTheSameFilters) {
  NumFiltered({TEST_BLOOM_HOST}, {"new", "10"}, TEST_REPLACE);
  const std::string stored = PolicyInOptions();
  EXPECT_EQ(stored, "cassandra_bloom:10:blocks:rocksdb");
  EXPECT_GT(NumFiltered({TEST_BLOOM_HOST}, {"string", stored}, TEST_LOADER),
            950);
  EXPECT_EQ(NumFiltered({TEST_BLOOM_HOST}, {"string", "cassandra_bloom:10"},
                        TEST_LOADER),
            0);
}

// Filters reject keys only if the library is preloaded.
TEST_F(ReplaceTest, OursTakesThePlaceOfRocksdbs) {
  EXPECT_EQ(DigestAt(10), kCassandrasDigest);
  for (const auto& test : kWays) {
    SCOPED_TRACE(test.host[0] + " " + test.how[0]);
    fs::remove_all(db_);
    EXPECT_GT(NumFiltered(test.host, test.how, TEST_REPLACE), 950);
    EXPECT_EQ(NumFiltered(test.host, test.how, ""), 0) << "read without";
    EXPECT_GT(NumFiltered(test.host, test.how, TEST_REPLACE), 950);
    EXPECT_EQ(BlockDigest(db_), DigestAt(test.bits));
    EXPECT_EQ(PolicyInOptions(), test.stored);
  }
}

// The path of the preloaded library is relative to the folder in which the
// program started.
TEST_F(ReplaceTest, TheProgramChangesItsFolder) {
  const std::string plugin =
      "librocksdb_cassandra_bloom.so." TEST_ROCKSDB_RELEASE "-" TEST_ABI;
  const fs::path ours = folder_ / "ours";
  const fs::path others = folder_ / "others";
  fs::create_directories(ours);
  fs::create_directories(others);
  fs::copy_file(TEST_REPLACE, ours / "replace.so");
  fs::copy_file(TEST_PLUGIN, ours / plugin);
  fs::copy_file(TEST_STUB_9_9, others / plugin);
  const ProcessResult result =
      RunProcess({"/bin/sh", "-c",
                  "cd " + ours.string() + " && LD_PRELOAD=./replace.so " +
                      "'" TEST_DLOPEN_HOST "' " + others.string() +
                      " '" TEST_BLOOM_MODULE "' -- " + db_ + " write new 10"});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(PolicyInOptions(), "cassandra_bloom:10:blocks:rocksdb");
}

constexpr char kSeveral[] =
    "cassandra_bloom: not loaded: there are several RocksDBs in this process; "
    "each uses its own Bloom filter\n";

// Each of the two modules has its own RocksDB. A module must get the Bloom
// filter of its own RocksDB.
TEST_F(ReplaceTest, TwoModulesWithARocksdbEach) {
  for (const char* const how : {"new", "point", "full", "dlsym"}) {
    SCOPED_TRACE(how);
    fs::remove_all(db_);
    EXPECT_GT(NumFiltered({TEST_DLOPEN_HOST, TEST_BLOOM_STUB_MODULE,
                           TEST_BLOOM_MODULE, "--"},
                          "write", {how, "10"}, TEST_REPLACE, kSeveral),
              950);
    EXPECT_EQ(BlockDigest(db_), "not ours");
  }
}

TEST_F(ReplaceTest, FallsBackToRocksdbsOwnFunctions) {
  const std::string no_plugin =
      "cassandra_bloom: not loaded: no plugin for RocksDB 9.9: ";
  const struct {
    std::vector<std::string> host;
    std::string err;
  } cases[] = {
      {{TEST_BLOOM_STUB_HOST}, no_plugin},
      {{TEST_DLOPEN_HOST, TEST_BLOOM_STUB_MODULE, "--"}, no_plugin},
      {{TEST_DLOPEN_HOST, TEST_OLD_MODULE, "--"},
       "cassandra_bloom: not loaded: the RocksDB of this process does not tell "
       "its version\n"},
      {{TEST_DLOPEN_HOST, TEST_BLOOM_MODULE, TEST_OLD_MODULE, "--"}, kSeveral}};
  for (const auto& test : cases) {
    const ProcessResult result = RunProcess(test.host, TEST_REPLACE);
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_EQ(result.out,
              "NewBloomFilterPolicy(9.9, 1)\n"
              "NewBloomFilterPolicy(-1, 0)\n"
              "create_bloom(10)\n"
              "create_bloom_full(16)\n")
        << result;
    EXPECT_EQ(Lines(result.err).size(), 1u) << result;
    EXPECT_EQ(result.err.rfind(test.err, 0), 0u) << result;
  }
}

TEST_F(ReplaceTest, StringsAndNumbersOfBits) {
  const struct {
    const char* how;
    const char* text;
    const char* policy;
  } cases[] = {
      {"string", "bloomfilter:10:true", "cassandra_bloom:10:blocks:rocksdb"},
      {"string", "bloomfilter:10:false", "bloomfilter:10"},
      {"string", "bloomfilter:10", "bloomfilter:10"},
      {"string", "cassandra_bloom:12", "cassandra_bloom:12"},
      // RocksDB's Bloom filter changes the bits per key to 0, or into the range
      // of 1 to 100 (BloomLikeFilterPolicy in RocksDB).
      {"new", "0", "cassandra_bloom:0:blocks:rocksdb"},
      {"new", "1000", "cassandra_bloom:100:blocks:rocksdb"},
  };
  for (const auto& string : cases) {
    SCOPED_TRACE(string.text);
    fs::remove_all(db_);
    NumFiltered({TEST_BLOOM_HOST}, {string.how, string.text}, TEST_REPLACE);
    // RocksDB adds details of its own filters, which depend on the release.
    EXPECT_NE(PolicyInOptions().find(string.policy), std::string::npos)
        << PolicyInOptions();
  }
}

// Preloads a second library that also replaces NewBloomFilterPolicy
// (bloom_tracer.cc).
TEST_F(ReplaceTest, TogetherWithATracer) {
  for (const char* const both : {TEST_BLOOM_TRACER ":" TEST_REPLACE,
                                 TEST_REPLACE ":" TEST_BLOOM_TRACER}) {
    SCOPED_TRACE(both);
    fs::remove_all(db_);
    EXPECT_GT(NumFiltered({TEST_BLOOM_HOST}, {"new", "10"}, both), 950);
    EXPECT_EQ(BlockDigest(db_), kCassandrasDigest);
    const ProcessResult without_rocksdb = RunProcess({"/bin/true"}, both);
    EXPECT_EQ(without_rocksdb.exit_code, 0);
    EXPECT_EQ(without_rocksdb.err, "");
  }
}

// Python calls the C function through libffi. libffi is not linked to any
// RocksDB in the process.
TEST_F(ReplaceTest, ACallerWithoutRocksdb) {
  const ProcessResult result = RunProcess(
      {TEST_PYTHON, "-c",
       "import ctypes\n"
       "local = ctypes.CDLL('" TEST_OLD_ROCKSDB "')\n"
       "for_all = ctypes.CDLL('" TEST_ROCKSDB_9_9 "', ctypes.RTLD_GLOBAL)\n"
       "create = ctypes.CDLL(None).rocksdb_filterpolicy_create_bloom\n"
       "create(ctypes.c_double(10))"},
      TEST_REPLACE);
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out, "create_bloom(10)\n");
  EXPECT_EQ(result.err, kSeveral);
}

// ---- CASSANDRA_BLOOM_REPLACE ----

std::vector<std::string> With(const std::string& value,
                              std::vector<std::string> host) {
  // RunProcess starts `env`, which takes this word.
  host.insert(host.begin(), "CASSANDRA_BLOOM_REPLACE=" + value);
  return host;
}

// Writes a database, and compacts it in a second process. Only the filters may
// be others than without us, so that nothing has to be undone.
TEST_F(ReplaceTest, MixLeavesTheOptionsFileAsItIs) {
  for (const auto& test : kWays) {
    SCOPED_TRACE(test.host[0] + " " + test.how[0]);
    std::string options[2];
    std::string block[2];
    for (const bool with_us : {false, true}) {
      fs::remove_all(db_);
      for (const char* const command : {"write", "compact"}) {
        EXPECT_GT(NumFiltered(With("mix", test.host), command, test.how,
                              with_us ? TEST_REPLACE : ""),
                  950);
      }
      options[with_us] = NewestOptionsFile() + ReadFile(NewestOptionsFile());
      block[with_us] = OnlyBlock(db_, OurPolicyBesideRocksdb());
    }
    EXPECT_EQ(options[true], options[false]);
    EXPECT_EQ(block[true][block[true].size() - 5], '\xfe') << "no Ribbon";
    EXPECT_LT(block[true].size(), block[false].size() * 3 / 4);
    EXPECT_GT(NumFiltered(test.host, "read", test.how, ""), 950);
  }
}

TEST_F(ReplaceTest, MixUsesTheFiltersOfBefore) {
  NumFiltered({TEST_BLOOM_HOST}, "write", {"new", "10"}, TEST_REPLACE);
  EXPECT_EQ(BlockDigest(db_), kCassandrasDigest);
  EXPECT_GT(NumFiltered(With("mix", {TEST_BLOOM_HOST}), "read", {"new", "10"},
                        TEST_REPLACE),
            950);
}

TEST_F(ReplaceTest, AnEmptyValueIsNone) {
  NumFiltered(With("", {TEST_BLOOM_HOST}), {"new", "10"}, TEST_REPLACE);
  EXPECT_EQ(PolicyInOptions(), "cassandra_bloom:10:blocks:rocksdb");
}

TEST_F(ReplaceTest, AWrongValueIsSaidOnce) {
  NumFiltered({TEST_BLOOM_HOST}, {"new", "10"}, "");
  const std::string rocksdbs = OnlyBlock(db_, OurPolicyBesideRocksdb());
  const std::vector<std::string> hosts[] = {
      {TEST_BLOOM_HOST}, {TEST_DLOPEN_HOST, TEST_BLOOM_MODULE, "--"}};
  for (std::vector<std::string> host : hosts) {
    SCOPED_TRACE(host[0]);
    for (const char* const value : {"MIX", "mix:10", "0"}) {
      SCOPED_TRACE(value);
      fs::remove_all(db_);
      std::vector<std::string> command = With(value, host);
      command.insert(command.end(), {db_, "write", "new", "10"});
      const ProcessResult result = RunProcess(command, TEST_REPLACE);
      EXPECT_EQ(result.exit_code, 0) << result;
      EXPECT_EQ(result.err,
                "cassandra_bloom: not loaded: CASSANDRA_BLOOM_REPLACE is "
                "neither mix nor empty; RocksDB uses its own Bloom filter\n");
      EXPECT_EQ(OnlyBlock(db_, OurPolicyBesideRocksdb()), rocksdbs);
    }
  }
  EXPECT_EQ(RunProcess(With("MIX", {"/bin/true"}), TEST_REPLACE).err, "");
}

}  // namespace
}  // namespace cassandra_bloom::testing
