// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter_db/filter_db_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "plugin/filter/endian.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/filter_view.h"
#include "plugin/filter/format_number.h"
#include "plugin/filter/kernels/dispatch.h"
#include "plugin/filter/sizing.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom {
namespace {

// Returns the hash in the order of SSTable versions `ma` and later, because the
// code in plugin/filter expects this order. For older versions, this function
// swaps h1 and h2.
Hash128 InOrder(Hash128 hash, FilterForm form) {
  return form == kBeforeMa ? Hash128{hash.h2, hash.h1} : hash;
}

Hash128 HashOf(std::string_view key, FilterForm form) {
  return InOrder(CassandraMurmur3(key.data(), key.size()), form);
}

// Copies words from little-endian to big-endian order, or back. `to` may be
// `from`.
void CopyReversedWords(const char* from, size_t num_words, char* to) {
  for (size_t i = 0; i < 8 * num_words; i += 8) {
    StoreLittleEndian64(__builtin_bswap64(LoadLittleEndian64(from + i)),
                        to + i);
  }
}

// Not even `overwrite` may replace /dev/null.
bool IsRegularOrNew(const std::string& path, std::string* error) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) {
    return true;
  }
  *error = path + ": is not a regular file, and is left alone";
  return false;
}

std::string Number(int64_t number) { return std::to_string(number); }

std::string Fault(const char* data, size_t size) {
  if (size < kFilterDbHeaderSize) {
    return "truncated: " + Number(static_cast<int64_t>(size)) +
           " bytes, and the header alone has 8";
  }
  const int64_t num_probes = LoadBigEndian32(data);
  const int64_t num_words = LoadBigEndian32(data + 4);
  if (num_probes < 1 || num_probes > kMaxReadableProbes) {
    return "the number of probes (k) is " + Number(num_probes) +
           ", not 1 to 21: not a Filter.db, or a damaged one";
  }
  if (num_words < 1) {
    return "the number of words is " + Number(num_words) +
           ", not 1 or more: not a Filter.db, or a damaged one";
  }
  const int64_t expected = 8 + 8 * num_words;
  const auto actual = static_cast<int64_t>(size);
  return std::string(actual < expected ? "truncated" : "too long") + ": " +
         Number(actual) + " bytes, but a header that says " +
         Number(num_words) + " words belongs to a file of " + Number(expected);
}

// Parses a Filter.db of `size` bytes. `data` need not have more than its
// header.
bool Parse(const char* data, uint64_t size, const std::string& path,
           ParsedFilter* filter, std::string* error) {
  if (ParseFilterDb(data, size, filter)) {
    return true;
  }
  *error = path + ": " + Fault(data, size);
  return false;
}

}  // namespace

// ---- Reading ----

struct FilterDbFile::Content {
  FilterForm form;
  std::string bytes;  // The whole file, with the bits in little-endian order.
  ParsedFilter filter;
  std::optional<FilterView> view;  // Not set for an empty Filter.db.
};

std::unique_ptr<FilterDbFile> FilterDbFile::Read(const std::string& path,
                                                 FilterForm form,
                                                 bool ignores_rest,
                                                 std::string* error) {
  auto content = std::make_unique<Content>();
  content->form = form;
  std::string& bytes = content->bytes;
  ParsedFilter& filter = content->filter;
  const FileDescriptor fd(OpenForReading(path));
  uint64_t size = 0;
  // The header is checked before the whole file is read, because a damaged file
  // may be larger than the memory.
  if (!SizeOfRegularFile(fd.get(), path, &size, error) ||
      !ReadBeginning(fd.get(), path,
                     std::min<uint64_t>(size, kFilterDbHeaderSize), &bytes,
                     error)) {
    return nullptr;
  }
  if (ignores_rest && size > kFilterDbHeaderSize) {
    const int32_t num_words = std::max(LoadBigEndian32(&bytes[4]), 0);
    size = std::min<uint64_t>(size,
                              FilterDbSize(static_cast<uint32_t>(num_words)));
  }
  if (size > 0) {
    if (!Parse(bytes.data(), size, path, &filter, error) ||
        !ReadBeginning(fd.get(), path, size, &bytes, error) ||
        !Parse(bytes.data(), size, path, &filter, error)) {
      return nullptr;
    }
    if (form != kNaAndLater) {
      char* const bits = bytes.data() + kFilterDbHeaderSize;
      CopyReversedWords(bits, filter.num_words, bits);
    }
    content->view.emplace(filter);
  }
  return std::unique_ptr<FilterDbFile>(new FilterDbFile(std::move(content)));
}

std::unique_ptr<FilterDbFile> FilterDbFile::Open(const std::string& path,
                                                 FilterForm form,
                                                 std::string* error) {
  return Read(path, form, /*ignores_rest=*/false, error);
}

std::unique_ptr<FilterDbFile> OpenLikeNode(const std::string& path,
                                           FilterForm form,
                                           std::string* error) {
  return FilterDbFile::Read(path, form, /*ignores_rest=*/true, error);
}

FilterDbFile::FilterDbFile(std::unique_ptr<Content> content)
    : content_(std::move(content)) {}
FilterDbFile::~FilterDbFile() = default;

FilterForm FilterDbFile::form() const { return content_->form; }
int FilterDbFile::num_probes() const { return content_->filter.num_probes; }
uint32_t FilterDbFile::num_words() const { return content_->filter.num_words; }
const char* FilterDbFile::bits() const { return content_->filter.bits; }

uint64_t FilterDbFile::CountSetBits() const {
  return cassandra_bloom::CountSetBits(content_->filter);
}

bool FilterDbFile::MayContain(std::string_view key) const {
  return !content_->view ||
         content_->view->MayContain(HashOf(key, content_->form));
}

void FilterDbFile::MayContain(const std::string_view* keys, size_t num_keys,
                              bool* may_contain) const {
  if (!content_->view) {
    std::fill_n(may_contain, num_keys, true);
    return;
  }
  const Kernel& kernel = ActiveKernel();
  const Lookup lookup = kernel.choose_lookup(*content_->view);
  Hash128 hashes[kMaxBatch];
  for (size_t done = 0; done < num_keys; done += kMaxBatch) {
    const size_t n = std::min(kMaxBatch, num_keys - done);
    kernel.hash(keys + done, n, hashes);
    for (size_t i = 0; i < n; ++i) {
      hashes[i] = InOrder(hashes[i], content_->form);
    }
    lookup.batch(*content_->view, hashes, n, may_contain + done);
  }
}

double EstimatedNumKeys(int num_probes, uint64_t set_bits,
                        uint64_t capacity_bits) {
  const auto m = static_cast<double>(capacity_bits);
  const auto x = static_cast<double>(set_bits);
  if (num_probes < 1 || set_bits >= capacity_bits) {
    return std::numeric_limits<double>::infinity();
  }
  return -m / num_probes * std::log1p(-x / m);
}

// ---- Writing ----

struct FilterDbBuilder::Content {
  FilterForm form;
  int num_probes;
  uint32_t num_words;
  InvariantRemainder capacity_bits;
  std::vector<char> bits;
  // Hashes of keys whose bits are not set yet.
  std::vector<Hash128> hashes;

  static constexpr size_t kHashesAtOnce = 512;

  void FlushHashes() {
    ActiveKernel().set_bits(hashes.data(), hashes.size(), num_probes,
                            capacity_bits, bits.data());
    hashes.clear();
  }

  static std::unique_ptr<FilterDbBuilder> NewBuilder(const Sizing& sizing,
                                                     uint64_t expected_keys,
                                                     FilterForm form,
                                                     std::string* error) {
    if (expected_keys > sizing.MaxKeys(kMaxFilterWords)) {
      *error = std::to_string(expected_keys) +
               " keys need a filter of more than 16 GiB, which a Filter.db "
               "cannot hold; use fewer bits per key";
      return nullptr;
    }
    const uint32_t num_words = sizing.NumWords(expected_keys);
    std::unique_ptr<Content> content(
        new Content{form,
                    sizing.num_probes,
                    num_words,
                    InvariantRemainder(uint64_t{64} * num_words),
                    std::vector<char>(8 * size_t{num_words}),
                    {}});
    // Allocates the memory for all hashes now, so that Add allocates none.
    content->hashes.reserve(kHashesAtOnce);
    return std::unique_ptr<FilterDbBuilder>(
        new FilterDbBuilder(std::move(content)));
  }
};

std::unique_ptr<FilterDbBuilder> FilterDbBuilder::ForBitsPerKey(
    double bits_per_key, uint64_t expected_keys, FilterForm form,
    std::string* error) {
  if (!(bits_per_key >= 1 && bits_per_key <= kMaxBitsPerKey)) {
    *error = "bits per key must be a number from 1 to 100, not " +
             FormatNumber(bits_per_key);
    return nullptr;
  }
  return Content::NewBuilder(*SizingForBitsPerKey(bits_per_key), expected_keys,
                             form, error);
}

std::unique_ptr<FilterDbBuilder> FilterDbBuilder::ForFpChance(
    double fp_chance, uint64_t expected_keys, FilterForm form,
    std::string* error) {
  if (!(fp_chance >= kMinFpChance && fp_chance < 1)) {
    *error =
        "the false positive chance must be at least 0.0000671 and less than 1 "
        "(at 1 Cassandra has no filter), not " +
        FormatNumber(fp_chance);
    return nullptr;
  }
  return Content::NewBuilder(*SizingForFpChance(fp_chance), expected_keys, form,
                             error);
}

FilterDbBuilder::FilterDbBuilder(std::unique_ptr<Content> content)
    : content_(std::move(content)) {}
FilterDbBuilder::~FilterDbBuilder() = default;

int FilterDbBuilder::num_probes() const { return content_->num_probes; }
uint32_t FilterDbBuilder::num_words() const { return content_->num_words; }

const char* FilterDbBuilder::bits() const {
  content_->FlushHashes();
  return content_->bits.data();
}

void FilterDbBuilder::Add(std::string_view key) {
  content_->hashes.push_back(HashOf(key, content_->form));
  if (content_->hashes.size() == Content::kHashesAtOnce) {
    content_->FlushHashes();
  }
}

bool FilterDbBuilder::Write(const std::string& path, bool overwrite,
                            std::string* error) const {
  return IsRegularOrNew(path, error) &&
         WriteFileAtomically(
             path, overwrite,
             FilterDbContent(content_->form, num_probes(), num_words(), bits()),
             error);
}

WriteContent FilterDbContent(FilterForm form, int num_probes,
                             uint32_t num_words, const char* bits) {
  // Allocates memory before a file is created, so that a lack of memory leaves
  // no unfinished file.
  constexpr size_t kWordsAtOnce = 8192;
  std::vector<char> reversed;
  if (form != kNaAndLater) {
    reversed.resize(8 * std::min(kWordsAtOnce, size_t{num_words}));
  }
  return [=](const Append& append) mutable {
    char header[kFilterDbHeaderSize];
    WriteFilterDbHeader(num_probes, num_words, header);
    if (!append(header, sizeof(header))) {
      return false;
    }
    if (form == kNaAndLater) {
      return append(bits, 8 * size_t{num_words});
    }
    for (size_t done = 0; done < num_words; done += kWordsAtOnce) {
      const size_t n = std::min(kWordsAtOnce, num_words - done);
      CopyReversedWords(bits + 8 * done, n, reversed.data());
      if (!append(reversed.data(), 8 * n)) {
        return false;
      }
    }
    return true;
  };
}

}  // namespace cassandra_bloom
