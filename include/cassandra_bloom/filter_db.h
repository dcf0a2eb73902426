// SPDX-License-Identifier: Apache-2.0

// Reads, queries, builds and writes Filter.db, the file that holds the Bloom
// filter of an SSTable of Cassandra, in every form since version ia (Cassandra
// 1.2).
//
// On an error a function returns false or nullptr, and *error is a sentence
// that names the value and what was expected. Functions throw only if memory
// cannot be allocated.

#ifndef CASSANDRA_BLOOM_FILTER_DB_H_
#define CASSANDRA_BLOOM_FILTER_DB_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// ---- Forms ----

// Which half of a key's hash gives the first probe. The other half is the step
// from one probe to the next (CASSANDRA-8413).
enum class HashOrder {
  kH1Base,  // SSTable versions before `ma`
  kH2Base,  // `ma` and later
};

// How the 64-bit words of the filter are stored.
enum class WordOrder {
  kBigEndianWords,     // SSTable versions before `na`
  kLittleEndianWords,  // `na` and later: bit p is in byte p / 8
};

// The form of a Filter.db. Only the SSTable version in the file's name tells
// the form; nothing in the file does.
struct FilterForm {
  HashOrder hash_order;
  WordOrder word_order;

  friend bool operator==(FilterForm a, FilterForm b) {
    return a.hash_order == b.hash_order && a.word_order == b.word_order;
  }
  friend bool operator!=(FilterForm a, FilterForm b) { return !(a == b); }
};

// SSTables of Cassandra 1.2 to 2.2
constexpr FilterForm kBeforeMa = {HashOrder::kH1Base,
                                  WordOrder::kBigEndianWords};
// SSTables of Cassandra 3.x and ScyllaDB
constexpr FilterForm kMaToMe = {HashOrder::kH2Base, WordOrder::kBigEndianWords};
// SSTables of Cassandra 4.0 and later; also the form of this library's filter
// blocks in SST files of RocksDB
constexpr FilterForm kNaAndLater = {HashOrder::kH2Base,
                                    WordOrder::kLittleEndianWords};

// `version`: an SSTable version such as "nb" or "ka", or the name of a form:
// "before-ma", "ma-to-me" or "na-and-later".
bool FormOfSstableVersion(std::string_view version, FilterForm* form,
                          std::string* error);

// The name of a form: "before-ma", "ma-to-me" or "na-and-later".
const char* FormName(FilterForm form);

// Gets the SSTable version from the name of a component of an SSTable, with or
// without folders before it: "nb-1-big-Filter.db", "ks-cf-ka-1-Filter.db",
// "da-3gh1-bti-Filter.db". Also accepts names of SSTables that are being
// written: "tmp-la-1-big-Filter.db", "ks-cf-tmplink-ka-1-Filter.db".
bool SstableVersionOfFileName(std::string_view path, std::string* version,
                              std::string* error);

// ---- Reading ----

// A Filter.db in memory. Immutable and safe for concurrent use.
class FilterDbFile {
 public:
  // Maps the file if its bits can be used as they are, otherwise loads it.
  static std::unique_ptr<FilterDbFile> Open(const std::string& path,
                                            FilterForm form,
                                            std::string* error);

  // Reads a Filter.db from memory. `bytes` are its whole content and are
  // copied.
  static std::unique_ptr<FilterDbFile> FromBytes(std::string_view bytes,
                                                 FilterForm form,
                                                 std::string* error);
  ~FilterDbFile();

  FilterForm form() const;

  // True if the file was empty. Cassandra 5.0 treats every key as present in an
  // empty filter. Such a filter has no probes, no words and no bits.
  bool always_present() const { return num_words() == 0; }

  // Cassandra builds filters with 1 ... 14 probes, and cannot query a filter
  // with more than 21. So Open and FromBytes refuse such a filter.
  int num_probes() const;

  uint32_t num_words() const;
  uint64_t capacity_bits() const { return uint64_t{64} * num_words(); }

  // The bits: 8 * num_words() bytes, always in the order of kLittleEndianWords.
  // Valid as long as this object exists.
  const char* bits() const;

  uint64_t CountSetBits() const;

  // True if the key may have been added. False only if it certainly was not.
  bool MayContain(std::string_view key) const;

  // Sets may_contain[i] = MayContain(keys[i]) for all `num_keys` keys. Faster
  // than one call for each key.
  void MayContain(const std::string_view* keys, size_t num_keys,
                  bool* may_contain) const;

 private:
  struct Content;
  explicit FilterDbFile(std::unique_ptr<Content> content);

  const std::unique_ptr<const Content> content_;
};

// The most likely number of keys in a filter: -m/k * ln(1 - X/m), with X =
// set_bits, m = capacity_bits and k = num_probes. Infinite if all bits are set.
double EstimatedNumKeys(int num_probes, uint64_t set_bits,
                        uint64_t capacity_bits);

// The false positive rate of a filter: (X/m)^k, with X = set_bits, m =
// capacity_bits and k = num_probes.
double ObservedFalsePositiveRate(int num_probes, uint64_t set_bits,
                                 uint64_t capacity_bits);

// ---- Writing ----

// Builds a filter. Keeps the bits of the filter, not the keys. Only one thread
// at a time may use a builder.
class FilterDbBuilder {
 public:
  // Each of these makes a builder whose filter is empty and has the size and
  // the number of probes that Cassandra chooses for `expected_keys` keys.
  // `bits_per_key`: 1 ... 100. `fp_chance`: Cassandra's bloom_filter_fp_chance,
  // at least 0.0000671 and less than 1. Fails if the filter would be larger
  // than 16 GiB, which a Filter.db cannot express.
  static std::unique_ptr<FilterDbBuilder> ForBitsPerKey(double bits_per_key,
                                                        uint64_t expected_keys,
                                                        FilterForm form,
                                                        std::string* error);
  static std::unique_ptr<FilterDbBuilder> ForFpChance(double fp_chance,
                                                      uint64_t expected_keys,
                                                      FilterForm form,
                                                      std::string* error);
  ~FilterDbBuilder();

  void Add(std::string_view key);

  int num_probes() const;
  uint32_t num_words() const;
  const char* bits() const;

  // Writes the file like WriteFilterDbFile.
  bool Write(const std::string& path, bool overwrite, std::string* error) const;

 private:
  struct Content;
  explicit FilterDbBuilder(std::unique_ptr<Content> content);

  const std::unique_ptr<Content> content_;
};

// Writes a Filter.db of 8 + 8 * num_words bytes to `out`. `bits`: as
// FilterDbFile::bits returns them.
void SerializeFilterDb(FilterForm form, int num_probes, uint32_t num_words,
                       const char* bits, char* out);

// Writes a filter in this form to a file. The bytes go to a temporary file in
// the same folder, which gets the name `path` when it is complete and on disk.
// Without `overwrite`, an existing file is an error. `bits`: as
// FilterDbFile::bits returns them.
//
// If `path` is a symbolic link, the link stays, and the file that it leads to
// is written in this way. For a FIFO, a character device or "-", which is
// standard output, the bytes are written directly, whatever `overwrite` says.
// Opening a FIFO waits for its reader; if the reader goes away, that is an
// error, without SIGPIPE. A folder, a socket or a block device is an error and
// is left alone.
//
// The name of the temporary file is `path`, ".cassandra_bloom-" and eight
// random hexadecimal digits. Temporary files of `path` that killed processes
// left behind are removed.
bool WriteFilterDbFile(const std::string& path, FilterForm form, int num_probes,
                       uint32_t num_words, const char* bits, bool overwrite,
                       std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTER_DB_H_
