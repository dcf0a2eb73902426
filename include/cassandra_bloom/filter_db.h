// SPDX-License-Identifier: Apache-2.0

// Cassandra's Filter.db, the file that holds the Bloom filter of an SSTable:
// read, queried, built and written, in every form that Cassandra ever wrote.
//
// Errors are sentences in *error that name the value and what was expected; the
// function then returns false or nullptr. Nothing throws but for want of
// memory.

#ifndef CASSANDRA_BLOOM_FILTER_DB_H_
#define CASSANDRA_BLOOM_FILTER_DB_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// ---- Forms ----

// Which half of the hash of a key is where its probes start, and which one is
// the step between them (CASSANDRA-8413).
enum class HashOrder {
  kH1Base,  // SSTable versions before `ma`
  kH2Base,  // `ma` and later
};

// How the 64-bit words of the filter are stored.
enum class WordOrder {
  kBigEndianWords,     // SSTable versions before `na`
  kLittleEndianWords,  // `na` and later: byte after byte
};

// Nothing in a Filter.db says its form; the SSTable version in its name does.
struct FilterForm {
  HashOrder hash_order;
  WordOrder word_order;

  friend bool operator==(FilterForm a, FilterForm b) {
    return a.hash_order == b.hash_order && a.word_order == b.word_order;
  }
  friend bool operator!=(FilterForm a, FilterForm b) { return !(a == b); }
};

// Cassandra 1.2 to 2.2
constexpr FilterForm kBeforeMa = {HashOrder::kH1Base,
                                  WordOrder::kBigEndianWords};
// Cassandra 3.x, ScyllaDB
constexpr FilterForm kMaToMe = {HashOrder::kH2Base, WordOrder::kBigEndianWords};
// Cassandra 4.0 and later; also the filter block in an SST file of RocksDB
constexpr FilterForm kNaAndLater = {HashOrder::kH2Base,
                                    WordOrder::kLittleEndianWords};

// `version`: an SSTable version such as "nb" or "ka", or a form by its name:
// "before-ma", "ma-to-me", "na-and-later".
bool FormOfSstableVersion(std::string_view version, FilterForm* form,
                          std::string* error);

// Its name, as above.
const char* FormName(FilterForm form);

// The version in the name of a component of an SSTable, with or without folders
// before it: "nb-1-big-Filter.db", "ks-cf-ka-1-Filter.db",
// "da-3gh1-bti-Filter.db".
bool SstableVersionOfFileName(std::string_view path, std::string* version,
                              std::string* error);

// ---- Reading ----

// A Filter.db in memory. Immutable and safe for concurrent use.
class FilterDbFile {
 public:
  // Mapped, if its bits can be used as they are, otherwise loaded.
  static std::unique_ptr<FilterDbFile> Open(const std::string& path,
                                            FilterForm form,
                                            std::string* error);

  // A whole file in memory, which is copied.
  static std::unique_ptr<FilterDbFile> FromBytes(std::string_view bytes,
                                                 FilterForm form,
                                                 std::string* error);
  ~FilterDbFile();

  FilterForm form() const;

  // A file of no bytes. Cassandra takes every key for present; it has no
  // probes, no words and no bits.
  bool always_present() const { return num_words() == 0; }

  // Cassandra builds with 1 ... 20 and fails to query with more than 21, so
  // more is an error in Open.
  int num_probes() const;

  uint32_t num_words() const;
  uint64_t capacity_bits() const { return uint64_t{64} * num_words(); }

  // Always in the order of kLittleEndianWords, 8 * num_words() bytes.
  const char* bits() const;

  uint64_t CountSetBits() const;

  // False only if the key was certainly not added.
  bool MayContain(std::string_view key) const;

  // may_contain[i] = MayContain(keys[i]), faster.
  void MayContain(const std::string_view* keys, size_t num_keys,
                  bool* may_contain) const;

 private:
  struct Content;
  explicit FilterDbFile(std::unique_ptr<Content> content);

  const std::unique_ptr<const Content> content_;
};

// How many keys a filter most likely holds: -m/k * ln(1 - X/m) for X of m bits
// set. Infinite if all are.
double EstimatedNumKeys(int num_probes, uint64_t set_bits,
                        uint64_t capacity_bits);

// The rate of false positives of a filter as it is: (X/m)^k.
double ObservedFalsePositiveRate(int num_probes, uint64_t set_bits,
                                 uint64_t capacity_bits);

// ---- Writing ----

// Builds a filter in the memory of that filter alone. One thread at a time.
class FilterDbBuilder {
 public:
  // Cassandra's size and probes for so many keys: by bits per key, 1 ... 100,
  // or by its bloom_filter_fp_chance, at least 0.0000671 and less than 1.
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

  // See WriteFilterDbFile.
  bool Write(const std::string& path, bool overwrite, std::string* error) const;

 private:
  struct Content;
  explicit FilterDbBuilder(std::unique_ptr<Content> content);

  const std::unique_ptr<Content> content_;
};

// Puts the bytes of a file at `out`: 8 + 8 * num_words of them. `bits` as
// FilterDbFile::bits.
void SerializeFilterDb(FilterForm form, int num_probes, uint32_t num_words,
                       const char* bits, char* out);

// Writes a filter in this form: into a temporary file in the same folder, which
// gets its name when it is whole and on disk. An existing file is an error
// unless `overwrite`. `bits` as FilterDbFile::bits.
//
// A symbolic link stays, and what it leads to is written so. Where `path` leads
// to a FIFO or a character device, and for "-", which is standard output, the
// bytes go through as they come, whatever `overwrite` says; opening a FIFO
// waits for its reader, and a reader that goes is an error, without SIGPIPE. A
// folder, a socket or a block device is an error and left alone.
//
// The temporary file is the name with ".tmp" and the number of the process.
// Those that killed processes left of this file are removed.
bool WriteFilterDbFile(const std::string& path, FilterForm form, int num_probes,
                       uint32_t num_words, const char* bits, bool overwrite,
                       std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTER_DB_H_
