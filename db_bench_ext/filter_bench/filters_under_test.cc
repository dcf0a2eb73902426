// SPDX-License-Identifier: Apache-2.0

#include "db_bench_ext/filter_bench/filters_under_test.h"

#include <rocksdb/table.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "db_bench_ext/filter_bench/plain_filter_policies.h"
#include "db_bench_ext/filter_bench/stopwatch.h"
#include "plugin/filter/kernels/dispatch.h"
#include "tests/support/memory_meter.h"

namespace cassandra_bloom::bench {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

namespace {

constexpr size_t kCacheLine = 64;

std::vector<std::string> KernelNames() {
  std::vector<std::string> names;
  for (const Kernel* const kernel : Kernels()) {
    names.emplace_back(kernel->name);
  }
  return names;
}

void UseKernelOf(const std::string& name) {
  for (const Kernel* const kernel : Kernels()) {
    if (kernel->name == name) {
      ForceKernel(*kernel);
      return;
    }
  }
  throw std::invalid_argument("no kernel is called " + name);
}

std::string NameWithKernel(const std::string& kernel) {
  return KernelNames().size() == 1
             ? kCassandraBloom
             : std::string(kCassandraBloom) + "/" + kernel;
}

FilterUnderTest NewCassandraBloom(const std::string& name,
                                  double bits_per_key) {
  for (const std::string& kernel : KernelNames()) {
    if (NameWithKernel(kernel) == name) {
      return {name, kernel, /*builds_filter_db=*/true,
              std::unique_ptr<const FilterPolicy>(
                  ROCKSDB_NAMESPACE::NewCassandraBloomPolicy(bits_per_key))};
    }
  }
  throw std::invalid_argument("no filter is called " + name);
}

}  // namespace

std::string FilterConfig::Name() const {
  const std::string length = key_shape.min_length == key_shape.max_length
                                 ? key_shape.Name() + " bytes"
                                 : "random length";
  char text[160];
  std::snprintf(
      text, sizeof(text), "%llu filter%s of %llu keys of %s, %g bits per key",
      static_cast<unsigned long long>(filters), filters == 1 ? "" : "s",
      static_cast<unsigned long long>(keys), length.c_str(), bits_per_key);
  return text;
}

void FilterUnderTest::UseKernel() const {
  if (!kernel.empty()) {
    UseKernelOf(kernel);
  }
}

std::vector<std::string> FilterNames() {
  std::vector<std::string> names = {kBloom, kRibbon};
  for (const std::string& kernel : KernelNames()) {
    names.push_back(NameWithKernel(kernel));
  }
  names.push_back(kNaive);
  return names;
}

FilterUnderTest NewFilterUnderTest(const std::string& name,
                                   double bits_per_key) {
  const auto with = [&name](const FilterPolicy* policy, bool filter_db) {
    return FilterUnderTest{name, /*kernel=*/"", filter_db,
                           std::unique_ptr<const FilterPolicy>(policy)};
  };
  if (name == kEmpty) {
    return with(NewEmptyFilterPolicy(), false);
  }
  if (name == kBloom) {
    return with(ROCKSDB_NAMESPACE::NewBloomFilterPolicy(bits_per_key), false);
  }
  if (name == kRibbon) {
    return with(ROCKSDB_NAMESPACE::NewRibbonFilterPolicy(bits_per_key), false);
  }
  if (name == kNaive) {
    return with(NewNaiveFilterPolicy(bits_per_key), true);
  }
  return NewCassandraBloom(name, bits_per_key);
}

Block::Block(const Slice& content, size_t offset) {
  const size_t size =
      (offset + content.size() + kCacheLine) / kCacheLine * kCacheLine;
  memory_.reset(static_cast<char*>(std::aligned_alloc(kCacheLine, size)));
  if (memory_ == nullptr) {
    throw std::bad_alloc();
  }
  content_ = Slice(memory_.get() + offset, content.size());
  if (!content.empty()) {
    std::memcpy(memory_.get() + offset, content.data(), content.size());
  }
}

Built Build(const FilterUnderTest& filter, const FilterConfig& config,
            uint64_t index, KeyChunk* keys) {
  const ROCKSDB_NAMESPACE::BlockBasedTableOptions table_options;
  const ROCKSDB_NAMESPACE::FilterBuildingContext context(table_options);
  std::unique_ptr<FilterBitsBuilder> builder;
  Built built;
  Status status;
  const auto time = [&built](auto work) {
    built.ns += TimeNs(CLOCK_THREAD_CPUTIME_ID, work);
  };
  filter.UseKernel();
  time([&] { builder.reset(filter.policy->GetBuilderWithContext(context)); });
  for (uint64_t done = 0; done < config.keys; done += KeyChunk::kCapacity) {
    const size_t count = static_cast<size_t>(
        std::min<uint64_t>(config.keys - done, KeyChunk::kCapacity));
    for (size_t i = 0; i < count; ++i) {
      keys->Set(i, index * config.keys + done + i);
    }
    time([&] {
      for (size_t i = 0; i < count; ++i) {
        builder->AddKey((*keys)[i]);
      }
    });
  }
  time([&] {
    built.content = builder->Finish(&built.owner, &status);
    builder.reset();
  });
  if (!status.ok()) {
    throw std::runtime_error(filter.name + ": " + status.ToString());
  }
  return built;
}

FilterSet::FilterSet(const FilterUnderTest& filter, const FilterConfig& config)
    : filter_(filter), config_(config) {
  KeyChunk keys(config.key_shape);
  Built built;
  build_peak_bytes_ =
      PeakBytes([&] { built = Build(filter, config, 0, &keys); });
  Add(built);
  built = Built();
  for (uint64_t index = 1; index < config.filters; ++index) {
    Add(Build(filter, config, index, &keys));
  }
}

void FilterSet::Add(const Built& built) {
  blocks_.emplace_back(built.content, config_.block_offset);
  readers_.emplace_back(
      filter_.policy->GetFilterBitsReader(blocks_.back().content()));
  if (readers_.back() == nullptr) {
    throw std::runtime_error(filter_.name + ": no reader for its own block");
  }
}

double FilterSet::BlockBitsPerKey() const {
  return 8.0 * static_cast<double>(blocks_[0].content().size()) /
         static_cast<double>(config_.keys);
}

std::optional<double> FilterSet::BuildPeakBytesPerKey() const {
  if (!build_peak_bytes_) {
    return std::nullopt;
  }
  return static_cast<double>(*build_peak_bytes_) /
         static_cast<double>(config_.keys);
}

}  // namespace cassandra_bloom::bench
