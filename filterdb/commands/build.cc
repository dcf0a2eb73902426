// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/output.h"
#include "plugin/filter/invariant_remainder.h"
#include "plugin/filter/kernels/dispatch.h"
#include "plugin/filter/murmur3.h"
#include "plugin/filter/sizing.h"
#include "plugin/filter_db/filter_db_file.h"

namespace cassandra_bloom::tools {
namespace {

struct BuildArguments {
  KeysOption keys;
  std::optional<double> bits;
  std::optional<double> fp_chance;
  std::string version;
  OutputFile out;
  bool json = false;
};

// The hashes of all keys, 16 bytes each. So the keys are read only once, also
// from a pipe, and their number is known before the filter is made. In chunks,
// because a growing vector would copy them.
class Hashes {
 public:
  explicit Hashes(HashOrder order) : order_(order) {}

  void Add(std::string_view key) {
    constexpr size_t kOfChunk = 65536;
    if (chunks_.empty() || chunks_.back().size() == kOfChunk) {
      chunks_.emplace_back().reserve(kOfChunk);
    }
    Hash128 hash = CassandraMurmur3(key.data(), key.size());
    if (order_ == HashOrder::kH1Base) {
      std::swap(hash.h1, hash.h2);
    }
    chunks_.back().push_back(hash);
    ++size_;
  }

  uint64_t size() const { return size_; }

  void SetBits(const Sizing& sizing, uint32_t num_words, char* bits) const {
    const InvariantRemainder capacity(uint64_t{64} * num_words);
    for (const std::vector<Hash128>& chunk : chunks_) {
      ActiveKernel().set_bits(chunk.data(), chunk.size(), sizing.num_probes,
                              capacity, bits);
    }
  }

 private:
  const HashOrder order_;
  std::vector<std::vector<Hash128>> chunks_;
  uint64_t size_ = 0;
};

ExitCode RunBuild(const BuildArguments& options) {
  const FilterForm form =
      options.out.Form(options.version, "--sstable-version");
  options.out.CheckCanWrite(options.json);
  const auto keys = options.keys.Open(options.version);
  Hashes hashes(form.hash_order);
  ForEachKey(keys.get(), "reading keys",
             [&](std::string_view key) { hashes.Add(key); });
  const std::string fault = WrongIndexHashes(*keys);
  if (!fault.empty()) {
    throw Unusable(fault);
  }
  const Sizing sizing = options.bits ? *SizingForBitsPerKey(*options.bits)
                                     : *SizingForFpChance(*options.fp_chance);
  if (hashes.size() > sizing.MaxKeys(kMaxFilterWords)) {
    throw Unusable(Count(hashes.size(), "key") +
                   " need a filter of more than 16 GiB, which a Filter.db "
                   "cannot hold; use fewer bits per key");
  }
  const uint32_t num_words = sizing.NumWords(hashes.size());
  std::vector<char> bits(8 * size_t{num_words});
  hashes.SetBits(sizing, num_words, bits.data());
  options.out.Write(
      FilterDbContent(form, sizing.num_probes, num_words, bits.data()));
  PrintList({{"file", options.out.Name()},
             {"keys", hashes.size()},
             {"probes", sizing.num_probes},
             {"words", num_words}},
            options.json);
  return kGood;
}

}  // namespace

void AddBuild(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "build", "Builds a Filter.db from keys, with the size Cassandra uses");
  command->footer(
      "Example: filterdb build --keys=keys.txt --key-format=text "
      "--fp-chance=0.01 --out=nb-1-big-Filter.db");
  auto* const options = NewOptions(command, run, RunBuild);
  options->keys.AddTo(command);
  auto* const size = command->add_option_group("size")->require_option(1);
  size->add_option("--bits", options->bits,
                   "Bits per key (Cassandra's buckets per element), 1 to 100")
      ->check(IsBitsPerKey());
  size->add_option("--fp-chance", options->fp_chance,
                   "Cassandra's bloom_filter_fp_chance, 0.0000671 to below 1")
      ->check(IsFpChance());
  AddVersion(command, "--sstable-version", &options->version,
             "the SSTable; needed if the file names do not give it");
  options->out.AddTo(command, "--out");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
