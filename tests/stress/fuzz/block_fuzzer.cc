// SPDX-License-Identifier: Apache-2.0

// Gives the reader a filter block of any bytes. The reader must answer like
// NaiveFilter, a slow and simple filter. If the block is not a valid filter,
// every key must match. A policy with blocks=rocksdb must give the same answers
// if our trailer follows the block. The first byte of the input decides whether
// the header is changed to fit the block.

#include <rocksdb/table.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plugin/policy/bits_reader.h"
#include "plugin/policy/policy.h"
#include "tests/stress/fuzz/fuzz_input.h"
#include "tests/support/naive_filter.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

bool NaiveMayMatch(const std::string& block, const std::string& key) {
  if (!IsFilter(block)) {
    return true;
  }
  const Header header = HeaderOf(block);
  const auto [h1, h2] = PlainHash(key);
  return PlainBitsMayContain(h1, h2, static_cast<int>(header.num_probes),
                             static_cast<uint32_t>(header.num_words),
                             block.data() + kHeaderSize);
}

// The memory has exactly the block's size, so a sanitizer sees a read past the
// end.
class ExactBlock {
 public:
  explicit ExactBlock(const std::string& block)
      : bytes_(new char[block.size()]), size_(block.size()) {
    block.copy(bytes_.get(), size_);
  }
  Slice slice() const { return Slice(bytes_.get(), size_); }

 private:
  const std::unique_ptr<char[]> bytes_;
  const size_t size_;
};

std::vector<bool> Answers(FilterBitsReader* reader,
                          const std::vector<std::string>& keys) {
  std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<Slice*> pointers;
  for (Slice& slice : slices) {
    pointers.push_back(&slice);
  }
  const auto may_match = std::make_unique<bool[]>(keys.size());
  reader->MayMatch(static_cast<int>(keys.size()), pointers.data(),
                   may_match.get());
  for (size_t i = 0; i < keys.size(); ++i) {
    FUZZ_CHECK(may_match[i] == reader->MayMatch(slices[i]));
  }
  return std::vector<bool>(may_match.get(), may_match.get() + keys.size());
}

// Checks the answers of `reader`, whose block has the bits of `filter`.
void CheckAnswers(const std::string& filter,
                  std::unique_ptr<FilterBitsReader> reader) {
  const std::vector<std::string> keys = KeysIn(filter);
  const std::vector<bool> answers = Answers(reader.get(), keys);
  for (size_t i = 0; i < keys.size(); ++i) {
    FUZZ_CHECK(answers[i] == NaiveMayMatch(filter, keys[i]));
  }
}

void Check(const std::string& block) {
  static const CassandraBloomPolicy beside_rocksdb(
      "cassandra_bloom:10:blocks:rocksdb");
  const auto reader_of = [](const ExactBlock& exact) {
    return std::unique_ptr<FilterBitsReader>(
        beside_rocksdb.GetFilterBitsReader(exact.slice()));
  };
  const ExactBlock exact(block);
  CheckAnswers(block, std::unique_ptr<FilterBitsReader>(NewBitsReader(
                          exact.slice(), PartitionKeyExtractor())));
  const ExactBlock with_trailer(block + std::string("\0cb\xff\xff", 5));
  CheckAnswers(block, reader_of(with_trailer));
  std::vector<std::string> keys = KeysIn(block);
  // The largest batch of RocksDB's readers (MultiGetContext::MAX_BATCH_SIZE).
  keys.resize(32);
  const std::vector<bool> answers = Answers(reader_of(exact).get(), keys);
  if (block.size() <= 5) {
    FUZZ_CHECK(std::count(answers.begin(), answers.end(), false) == 0);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cassandra_bloom::testing::FuzzInput input(data, size);
  const bool fits = input.Number(1) % 2 == 1;
  std::string block = input.Bytes(size);
  if (fits) {
    cassandra_bloom::testing::MakeHeaderFit(&block);
  }
  cassandra_bloom::testing::Check(block);
  return 0;
}
