// Times filters of one RocksDB through RocksDB's own interface: its built-in
// Bloom and Ribbon filters and ours, on the same keys, in interleaved rounds.

#include <gflags/gflags.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/rocksdb/filter_bits_api.h"

DEFINE_uint64(keys, 1000000, "Keys in the filter");
DEFINE_uint64(queries, 1000000, "Queries of each kind in a round");
DEFINE_double(bits_per_key, 10, "Bits per key, 1 to 100");
DEFINE_uint32(key_length, 16, "Bytes of a key, a multiple of 8 up to 256");
DEFINE_uint32(batch, 32, "Keys of a batch, 1 to 128");
DEFINE_uint32(rounds, 11, "Interleaved rounds");

namespace {

using rocksdb::FilterBitsBuilder;
using rocksdb::FilterBitsReader;
using rocksdb::FilterPolicy;
using rocksdb::Slice;

constexpr size_t kMaxKeyLength = 256;
constexpr size_t kMaxBatch = 128;

uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The key of this number: random bytes, the first eight unlike any other's.
class Key {
 public:
  Slice Make(uint64_t number) {
    for (size_t at = 0; at < FLAGS_key_length; at += 8) {
      number = Mix(number);
      std::memcpy(bytes_ + at, &number, sizeof(number));
    }
    return Slice(bytes_, FLAGS_key_length);
  }

 private:
  char bytes_[kMaxKeyLength];
};

// Absent keys have numbers from here on, others in every round.
constexpr uint64_t kAbsent = uint64_t{1} << 40;

double Now() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Kind {
  const char* name;
  std::unique_ptr<const FilterPolicy> policy;  // None: the empty loop.
  std::unique_ptr<const char[]> block;
  size_t block_size = 0;
  std::unique_ptr<FilterBitsReader> reader;
  uint64_t false_positives = 0;
  // ns per key, a value a round
  std::vector<double> build, absent, present, absent_batch;
};

void Build(Kind* kind) {
  rocksdb::BlockBasedTableOptions table_options;
  rocksdb::FilterBuildingContext context(table_options);
  const double start = Now();
  std::unique_ptr<FilterBitsBuilder> builder;
  if (kind->policy != nullptr) {
    builder.reset(kind->policy->GetBuilderWithContext(context));
  }
  Key key;
  char sink = 0;
  for (uint64_t i = 0; i < FLAGS_keys; ++i) {
    const Slice entry = key.Make(i);
    if (builder != nullptr) {
      builder->AddKey(entry);
    } else {
      sink = static_cast<char>(sink ^ entry[0]);
    }
  }
  volatile char keep = sink;
  (void)keep;
  if (builder != nullptr) {
    kind->reader.reset();
    rocksdb::Status status;
    const Slice block = builder->Finish(&kind->block, &status);
    kind->block_size = block.size();
    kind->reader.reset(kind->policy->GetFilterBitsReader(block));
  }
  kind->build.push_back((Now() - start) / static_cast<double>(FLAGS_keys));
}

// Returns how many keys matched.
uint64_t QueryOneByOne(const Kind& kind, uint64_t first) {
  Key key;
  uint64_t matches = 0;
  for (uint64_t i = 0; i < FLAGS_queries; ++i) {
    const Slice entry = key.Make(first + i % FLAGS_keys);
    matches += kind.reader != nullptr ? kind.reader->MayMatch(entry)
                                      : static_cast<uint64_t>(entry[0] & 1);
  }
  return matches;
}

uint64_t QueryInBatches(const Kind& kind, uint64_t first) {
  Key keys[kMaxBatch];
  Slice slices[kMaxBatch];
  Slice* entries[kMaxBatch];
  bool may_match[kMaxBatch];
  uint64_t matches = 0;
  for (uint64_t done = 0; done < FLAGS_queries; done += FLAGS_batch) {
    for (uint32_t i = 0; i < FLAGS_batch; ++i) {
      slices[i] = keys[i].Make(first + (done + i) % FLAGS_keys);
      entries[i] = &slices[i];
      may_match[i] = (slices[i][0] & 1) != 0;
    }
    if (kind.reader != nullptr) {
      kind.reader->MayMatch(static_cast<int>(FLAGS_batch), entries, may_match);
    }
    for (uint32_t i = 0; i < FLAGS_batch; ++i) {
      matches += may_match[i];
    }
  }
  return matches;
}

template <typename Query>
uint64_t Time(std::vector<double>* times, Query query) {
  const double start = Now();
  const uint64_t matches = query();
  times->push_back((Now() - start) / static_cast<double>(FLAGS_queries));
  volatile uint64_t keep = matches;
  return keep;
}

void Round(Kind* kind, uint64_t number) {
  Build(kind);
  const uint64_t absent = kAbsent + number * FLAGS_keys;
  kind->false_positives +=
      Time(&kind->absent, [&] { return QueryOneByOne(*kind, absent); });
  const uint64_t present =
      Time(&kind->present, [&] { return QueryOneByOne(*kind, 0); });
  if (kind->policy != nullptr && present != FLAGS_queries) {
    std::fprintf(stderr, "%s: FALSE NEGATIVE: %llu of %llu keys were lost\n",
                 kind->name,
                 static_cast<unsigned long long>(FLAGS_queries - present),
                 static_cast<unsigned long long>(FLAGS_queries));
    std::abort();
  }
  Time(&kind->absent_batch, [&] { return QueryInBatches(*kind, absent); });
}

double Best(const std::vector<double>& times) {
  return *std::min_element(times.begin(), times.end());
}

double Median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void PrintLine(const char* work, std::vector<double> Kind::*times,
               const std::vector<Kind>& kinds) {
  const double overhead = Best(kinds[0].*times);
  const double anchor = Best(kinds[1].*times) - overhead;
  for (size_t i = 1; i < kinds.size(); ++i) {
    const double best = Best(kinds[i].*times) - overhead;
    const double median = Median(kinds[i].*times) - overhead;
    std::printf("%-16s %-18s %8.1f %8.1f %8.2f\n", work, kinds[i].name, best,
                median, best / anchor);
  }
}

void Print(const std::vector<Kind>& kinds) {
  std::printf(
      "%llu keys of %u bytes, %g bits per key, batches of %u; ns per key, the "
      "loop's own\ntime subtracted; ratio of the best to built-in Bloom's "
      "best\n\n%-16s %-18s %8s %8s %8s\n",
      static_cast<unsigned long long>(FLAGS_keys), FLAGS_key_length,
      FLAGS_bits_per_key, FLAGS_batch, "work", "filter", "best", "median",
      "ratio");
  PrintLine("build", &Kind::build, kinds);
  PrintLine("absent", &Kind::absent, kinds);
  PrintLine("present", &Kind::present, kinds);
  PrintLine("absent, batches", &Kind::absent_batch, kinds);
  std::printf("\n%-18s %12s %22s\n", "filter", "bits per key",
              "false positive rate");
  for (size_t i = 1; i < kinds.size(); ++i) {
    std::printf("%-18s %12.2f %20.4f %%\n", kinds[i].name,
                8.0 * static_cast<double>(kinds[i].block_size) /
                    static_cast<double>(FLAGS_keys),
                100.0 * static_cast<double>(kinds[i].false_positives) /
                    static_cast<double>(FLAGS_queries * FLAGS_rounds));
  }
}

}  // namespace

int main(int argc, char** argv) {
  gflags::SetUsageMessage(
      "times the filters of RocksDB and of Cassandra side by side");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  if (argc > 1 || FLAGS_keys == 0 || FLAGS_queries == 0 || FLAGS_rounds == 0 ||
      FLAGS_key_length < 8 || FLAGS_key_length > kMaxKeyLength ||
      FLAGS_key_length % 8 != 0 || !(FLAGS_bits_per_key >= 1) ||
      FLAGS_bits_per_key > 100 || FLAGS_batch == 0 || FLAGS_batch > kMaxBatch) {
    std::fprintf(stderr, "filter_bench: a flag is out of range; see --help\n");
    return 2;
  }
  std::vector<Kind> kinds(4);
  kinds[0].name = "(empty loop)";
  kinds[1].name = "built-in Bloom";
  kinds[1].policy.reset(rocksdb::NewBloomFilterPolicy(FLAGS_bits_per_key));
  kinds[2].name = "built-in Ribbon";
  kinds[2].policy.reset(rocksdb::NewRibbonFilterPolicy(FLAGS_bits_per_key));
  kinds[3].name = "cassandra_bloom";
  kinds[3].policy.reset(rocksdb::NewCassandraBloomPolicy(FLAGS_bits_per_key));
  for (uint32_t round = 0; round < FLAGS_rounds; ++round) {
    for (Kind& kind : kinds) {
      Round(&kind, round);
    }
  }
  Print(kinds);
  return 0;
}
