// SPDX-License-Identifier: Apache-2.0

// A C++ program that uses RocksDB's Bloom filter and knows nothing of
// cassandra_bloom. The right column says how the program makes the policy:
//
//   bloom_host DATABASE COMMAND new BITS      NewBloomFilterPolicy
//   bloom_host DATABASE COMMAND point         OptimizeForPointLookup
//   bloom_host DATABASE COMMAND string TEXT   filter_policy=TEXT
//   bloom_host DATABASE COMMAND full BITS     the function of this name of
//   bloom_host DATABASE COMMAND bloom BITS    RocksDB's C interface
//   bloom_host DATABASE COMMAND dlsym BITS    `full`, at the address that dlsym
//                                             finds in RocksDB's library
//
// The COMMAND `write` makes the database with 1000 rows. `add` writes the same
// rows into one more SST file, and `compact` rewrites all SST files into one.
// These and `read` then look up all rows and as many absent keys, and print the
// answers.

#include <dlfcn.h>
#include <rocksdb/c.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int kNumRows = 1000;

void Require(const rocksdb::Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::exit(1);
  }
}

rocksdb_filterpolicy_t* NewPolicyOfC(const std::string& how, double bits) {
  if (how == "full") {
    return rocksdb_filterpolicy_create_bloom_full(bits);
  }
  if (how == "bloom") {
    return rocksdb_filterpolicy_create_bloom(bits);
  }
  Dl_info rocksdb;
  if (dladdr(dlsym(RTLD_DEFAULT, "rocksdb_open"), &rocksdb) == 0) {
    std::exit(2);
  }
  void* const symbol = dlsym(dlopen(rocksdb.dli_fname, RTLD_NOW),
                             "rocksdb_filterpolicy_create_bloom_full");
  decltype(rocksdb_filterpolicy_create_bloom_full)* create;
  std::memcpy(&create, &symbol, sizeof(symbol));
  return create(bits);
}

rocksdb::BlockBasedTableOptions TableOptionsFor(const std::string& how,
                                                double bits) {
  rocksdb::BlockBasedTableOptions options;
  if (how == "new") {
    options.filter_policy.reset(rocksdb::NewBloomFilterPolicy(bits));
    return options;
  }
  auto* const table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_filter_policy(table, NewPolicyOfC(how, bits));
  // The C++ options are the first member of the C options (RocksDB's db/c.cc).
  options = *reinterpret_cast<rocksdb::BlockBasedTableOptions*>(table);
  rocksdb_block_based_options_destroy(table);
  return options;
}

rocksdb::Options OptionsFor(const std::vector<std::string>& how) {
  rocksdb::Options options;
  if (how[0] == "point") {
    options.OptimizeForPointLookup(/*block_cache_size_mb=*/8);
  } else if (how[0] == "string") {
    Require(rocksdb::GetOptionsFromString(
        {}, options, "block_based_table_factory={filter_policy=" + how[1] + "}",
        &options));
  } else {
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(
        TableOptionsFor(how[0], std::atof(how[1].c_str()))));
  }
  // Keeps the sizes of filters exact.
  options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
      ->optimize_filters_for_memory = false;
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}

std::string Key(int i) {
  char text[16];
  std::snprintf(text, sizeof(text), "key%06d", i);
  return text;
}

int NumFound(rocksdb::DB* db, const std::string& suffix) {
  int found = 0;
  std::string value;
  for (int i = 0; i < kNumRows; ++i) {
    found += db->Get({}, Key(i) + suffix, &value).ok() ? 1 : 0;
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  rocksdb::Options options =
      OptionsFor({arguments.begin() + 2, arguments.end()});
  const bool writes = arguments[1] == "write" || arguments[1] == "add";
  options.create_if_missing = options.error_if_exists = arguments[1] == "write";
#if ROCKSDB_MAJOR >= 11
  std::unique_ptr<rocksdb::DB> opened;
#else
  rocksdb::DB* opened = nullptr;
#endif
  Require(rocksdb::DB::Open(options, arguments[0], &opened));
  const std::unique_ptr<rocksdb::DB> db(std::move(opened));
  for (int i = 0; writes && i < kNumRows; ++i) {
    Require(db->Put({}, Key(i), "value"));
  }
  Require(db->Flush({}));
  if (arguments[1] == "compact") {
    rocksdb::CompactRangeOptions all;
    all.bottommost_level_compaction =
        rocksdb::BottommostLevelCompaction::kForce;
    Require(db->CompactRange(all, nullptr, nullptr));
  }
  const int present = NumFound(db.get(), "");
  const int absent = NumFound(db.get(), "-");
  std::printf("%d rows and %d others found, %d filtered\n", present, absent,
              static_cast<int>(options.statistics->getTickerCount(
                  rocksdb::BLOOM_FILTER_USEFUL)));
}
