// SPDX-License-Identifier: Apache-2.0

#include "db_bench_ext/filter_bench/filter_set.h"

#include <rocksdb/convenience.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/kernels/dispatch.h"

namespace cassandra_bloom::bench {

using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

namespace {

std::shared_ptr<const FilterPolicy> PolicyOf(const std::string& policy) {
  std::shared_ptr<const FilterPolicy> result = NewNaiveFilterPolicy(policy);
  if (result != nullptr) {
    return result;
  }
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.registry = ROCKSDB_NAMESPACE::ObjectRegistry::NewInstance();
  config.registry->AddLibrary("filter_bench", register_cassandra_bloom, "");
  config.ignore_unsupported_options = false;
  const Status status = FilterPolicy::CreateFromString(config, policy, &result);
  if (!status.ok() || result == nullptr) {
    throw std::invalid_argument(
        "'" + policy + "' is not a filter policy: " + status.ToString());
  }
  return result;
}

// CPU time, because other processes may run during a long build.
double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

std::vector<Contender> ContendersOf(const std::string& policy) {
  if (policy.rfind("cassandra_bloom", 0) != 0) {
    return {{policy, nullptr, PolicyOf(policy)}};
  }
  std::vector<Contender> contenders;
  for (const Kernel* const kernel : Kernels()) {
    contenders.push_back(
        {policy + "@" + kernel->name, kernel, PolicyOf(policy)});
  }
  return contenders;
}

Built Build(const Contender& contender, const FilterSize& size, uint64_t index,
            KeyChunk* keys) {
  const ROCKSDB_NAMESPACE::BlockBasedTableOptions table_options;
  const ROCKSDB_NAMESPACE::FilterBuildingContext context(table_options);
  std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder;
  Built built;
  Status status;
  const auto time = [&built](auto work) {
    const double start = CpuSeconds();
    work();
    built.seconds += CpuSeconds() - start;
  };
  if (contender.kernel != nullptr) {
    ForceKernel(*contender.kernel);
  }
  time(
      [&] { builder.reset(contender.policy->GetBuilderWithContext(context)); });
  if (builder == nullptr) {
    throw std::runtime_error(contender.name + ": this policy builds no filter");
  }
  for (uint64_t done = 0; done < size.keys; done += KeyChunk::kCapacity) {
    const size_t count = static_cast<size_t>(
        std::min<uint64_t>(size.keys - done, KeyChunk::kCapacity));
    for (size_t i = 0; i < count; ++i) {
      keys->Set(i, index * size.keys + done + i);
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
    throw std::runtime_error(contender.name + ": " + status.ToString());
  }
  return built;
}

FilterSet::FilterSet(Contender contender, FilterSize size)
    : contender_(std::move(contender)), size_(size) {}

bool FilterSet::BuildOnce() {
  if (!readers_.empty()) {
    return false;
  }
  KeyChunk keys(size_.key_shape);
  for (uint64_t index = 0; index < size_.filters; ++index) {
    Add(Build(contender_, size_, index, &keys).content);
  }
  return true;
}

void FilterSet::Add(const Slice& block) {
  // All blocks begin at the same distance behind the begin of a cache line. In
  // RocksDB its allocator chooses it. glibc gives large blocks 16.
  constexpr size_t kCacheLine = 64;
  constexpr size_t kDistance = 16;
  size_t space = block.size() + kDistance + kCacheLine;
  blocks_.emplace_back(new char[space]);
  void* line = blocks_.back().get();
  std::align(kCacheLine, block.size() + kDistance, line, space);
  char* const begin = static_cast<char*>(line) + kDistance;
  std::memcpy(begin, block.data(), block.size());
  readers_.emplace_back(
      contender_.policy->GetFilterBitsReader(Slice(begin, block.size())));
  if (readers_.back() == nullptr) {
    throw std::runtime_error(contender_.name + ": no reader for its own block");
  }
  bytes_ += block.size();
}

double FilterSet::BitsPerKey() const {
  return 8.0 * static_cast<double>(bytes_) /
         static_cast<double>(size_.keys * size_.filters);
}

}  // namespace cassandra_bloom::bench
