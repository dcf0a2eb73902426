// SPDX-License-Identifier: Apache-2.0

// The functions of include/cassandra_bloom/c.h for Filter.db files.
//
// Tested in tests/c/filter_db_test.c.

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cassandra_bloom/c.h"
#include "cassandra_bloom/filter_db.h"
#include "plugin/c/c_error.h"
#include "plugin/filter/murmur3.h"

using cassandra_bloom::FilterDbBuilder;
using cassandra_bloom::FilterDbFile;
using cassandra_bloom::FilterForm;
using cassandra_bloom::WithoutExceptions;

struct cassandra_bloom_filter_t {
  std::unique_ptr<FilterDbFile> file;
};

struct cassandra_bloom_builder_t {
  std::unique_ptr<FilterDbBuilder> builder;
};

namespace {

bool IsGiven(const void* argument, const char* what, std::string* error) {
  if (argument == nullptr) {
    *error = std::string(what) + " is NULL";
  }
  return argument != nullptr;
}

bool FormOf(const char* sstable_version, FilterForm* form, std::string* error) {
  return IsGiven(sstable_version, "the SSTable version", error) &&
         FormOfSstableVersion(sstable_version, form, error);
}

// If `sstable_version` is null, the version is taken from the file name.
bool FormOfFile(const char* path, const char* sstable_version, FilterForm* form,
                std::string* error) {
  if (sstable_version != nullptr) {
    return FormOf(sstable_version, form, error);
  }
  std::string version;
  return cassandra_bloom::SstableVersionOfFileName(path, &version, error) &&
         FormOfSstableVersion(version, form, error);
}

using NewBuilderFunction = decltype(FilterDbBuilder::ForBitsPerKey);

cassandra_bloom_builder_t* NewBuilder(NewBuilderFunction* new_builder,
                                      double bits_or_chance,
                                      uint64_t expected_keys,
                                      const char* sstable_version,
                                      char** errptr) {
  return WithoutExceptions(
      errptr, [&](std::string* error) -> cassandra_bloom_builder_t* {
        FilterForm form;
        if (!FormOf(sstable_version, &form, error)) {
          return nullptr;
        }
        auto builder = new_builder(bits_or_chance, expected_keys, form, error);
        return builder == nullptr
                   ? nullptr
                   : new cassandra_bloom_builder_t{std::move(builder)};
      });
}

}  // namespace

const char* cassandra_bloom_version() { return CASSANDRA_BLOOM_VERSION; }

void cassandra_bloom_free(void* memory) { std::free(memory); }

void cassandra_bloom_hash(const char* key, size_t key_size, uint64_t hash[2]) {
  const auto [h1, h2] = cassandra_bloom::CassandraMurmur3(key, key_size);
  hash[0] = h1;
  hash[1] = h2;
}

// ---- Reading ----

cassandra_bloom_filter_t* cassandra_bloom_filter_open(
    const char* path, const char* sstable_version, char** errptr) {
  return WithoutExceptions(
      errptr, [&](std::string* error) -> cassandra_bloom_filter_t* {
        FilterForm form;
        if (!IsGiven(path, "the path", error) ||
            !FormOfFile(path, sstable_version, &form, error)) {
          return nullptr;
        }
        auto file = FilterDbFile::Open(path, form, error);
        return file == nullptr ? nullptr
                               : new cassandra_bloom_filter_t{std::move(file)};
      });
}

void cassandra_bloom_filter_destroy(cassandra_bloom_filter_t* filter) {
  delete filter;
}

bool cassandra_bloom_filter_may_contain(const cassandra_bloom_filter_t* filter,
                                        const char* key, size_t key_size) {
  return filter->file->MayContain({key, key_size});
}

void cassandra_bloom_filter_may_contain_many(
    const cassandra_bloom_filter_t* filter, const char* const* keys,
    const size_t* key_sizes, size_t num_keys, bool* may_contain) {
  // Converts the keys in pieces on the stack, because this function cannot
  // report a lack of memory.
  constexpr size_t kKeysAtOnce = 128;
  std::string_view some[kKeysAtOnce];
  for (size_t done = 0; done < num_keys; done += kKeysAtOnce) {
    const size_t n = std::min(kKeysAtOnce, num_keys - done);
    for (size_t i = 0; i < n; ++i) {
      some[i] = {keys[done + i], key_sizes[done + i]};
    }
    filter->file->MayContain(some, n, may_contain + done);
  }
}

const char* cassandra_bloom_filter_form(
    const cassandra_bloom_filter_t* filter) {
  return FormName(filter->file->form());
}

int cassandra_bloom_filter_num_probes(const cassandra_bloom_filter_t* filter) {
  return filter->file->num_probes();
}

uint32_t cassandra_bloom_filter_num_words(
    const cassandra_bloom_filter_t* filter) {
  return filter->file->num_words();
}

double cassandra_bloom_filter_estimated_keys(
    const cassandra_bloom_filter_t* filter) {
  const FilterDbFile& file = *filter->file;
  return cassandra_bloom::EstimatedNumKeys(
      file.num_probes(), file.CountSetBits(), file.capacity_bits());
}

// ---- Building ----

cassandra_bloom_builder_t* cassandra_bloom_builder_new_for_bits_per_key(
    double bits_per_key, uint64_t expected_keys, const char* sstable_version,
    char** errptr) {
  return NewBuilder(FilterDbBuilder::ForBitsPerKey, bits_per_key, expected_keys,
                    sstable_version, errptr);
}

cassandra_bloom_builder_t* cassandra_bloom_builder_new_for_fp_chance(
    double fp_chance, uint64_t expected_keys, const char* sstable_version,
    char** errptr) {
  return NewBuilder(FilterDbBuilder::ForFpChance, fp_chance, expected_keys,
                    sstable_version, errptr);
}

void cassandra_bloom_builder_destroy(cassandra_bloom_builder_t* builder) {
  delete builder;
}

void cassandra_bloom_builder_add(cassandra_bloom_builder_t* builder,
                                 const char* key, size_t key_size) {
  builder->builder->Add({key, key_size});
}

bool cassandra_bloom_builder_write(cassandra_bloom_builder_t* builder,
                                   const char* path, bool overwrite,
                                   char** errptr) {
  return WithoutExceptions(errptr, [&](std::string* error) {
    return IsGiven(path, "the path", error) &&
           builder->builder->Write(path, overwrite, error);
  });
}
