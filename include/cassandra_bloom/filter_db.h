// SPDX-License-Identifier: Apache-2.0

// Reads, queries, builds and writes Filter.db files. A Filter.db holds the
// Bloom filter of one SSTable of Apache Cassandra. This library knows the files
// of all SSTable versions since ia (Cassandra 1.2).
//
// These functions need no RocksDB. They are only in the static libraries,
// libcassandra_bloom.a (CMake: cassandra_bloom::core_static) and
// librocksdb_cassandra_bloom.a. The shared libraries have them in C (c.h).
//
// A key is any bytes. In a Filter.db that Cassandra is to read, or has written,
// it is the partition key as Cassandra serializes it, such as 4 bytes,
// big-endian, for an int (docs/format.md, "Which bytes of a key are hashed").
//
// On an error, a function returns false or nullptr, and sets *error to a
// sentence that says what is wrong and what was expected. On success, it leaves
// *error unchanged. No pointer may be null. Functions throw only if memory
// cannot be allocated. They may be called in any thread; what is safe with one
// object, its class says.

#ifndef CASSANDRA_BLOOM_FILTER_DB_H_
#define CASSANDRA_BLOOM_FILTER_DB_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// ---- Forms ----

// How a Filter.db stores a filter. It follows only from the SSTable version in
// the file's name, because the content of the file does not say it.
//
// The hash of a key has two halves, h1 and h2. One of them gives the first
// probe, and the other is the step from one probe to the next. Cassandra
// swapped them in version `ma` (CASSANDRA-8413). In version `na` it changed the
// order of the bytes in the 64-bit words of the filter.
enum FilterForm {
  // SSTables of Cassandra 1.2 to 2.2: h1 gives the first probe.
  kBeforeMa,
  // SSTables of Cassandra 3.x and of ScyllaDB: h2 gives the first probe.
  kMaToMe,
  // SSTables of Cassandra 4.0 and later: as kMaToMe, but the words are
  // little-endian, so bit p is in byte p / 8. The filter blocks that this
  // library writes into SST files of RocksDB also have this form.
  kNaAndLater,
};

// Sets `*form` to the form of an SSTable version. `version` is a version, such
// as "nb" or "ka", or the name of a form: "before-ma", "ma-to-me" or
// "na-and-later".
bool FormOfSstableVersion(std::string_view version, FilterForm* form,
                          std::string* error);

// Returns the name of a form: "before-ma", "ma-to-me" or "na-and-later".
const char* FormName(FilterForm form);

// Sets `*version` to the SSTable version in the file name of a component of an
// SSTable. `path` may contain folders. Examples are "nb-1-big-Filter.db",
// "ks-cf-ka-1-Filter.db" and "da-3gh1-bti-Filter.db". Also accepts names of
// SSTables that are being written, such as "tmp-la-1-big-Filter.db" and
// "ks-cf-tmplink-ka-1-Filter.db".
bool SstableVersionOfFileName(std::string_view path, std::string* version,
                              std::string* error);

// ---- Reading ----

// A Filter.db in memory. Immutable and safe for concurrent use.
class FilterDbFile {
 public:
  // Reads the whole file into memory. Does not map it, because a process that
  // truncates a mapped file would end this process by SIGBUS. Refuses a file
  // that has more or fewer bytes than its header says.
  static std::unique_ptr<FilterDbFile> Open(const std::string& path,
                                            FilterForm form,
                                            std::string* error);

  ~FilterDbFile();

  FilterForm form() const;

  // Returns true if the Filter.db was empty (0 bytes). Cassandra 5.0 treats
  // every key as present in an empty Filter.db. Such a filter has no probes, no
  // words and no bits.
  bool always_present() const { return num_words() == 0; }

  // Returns the number of bits that each key sets (k). It is 1 to 21, or 0 if
  // the Filter.db was empty. Open refuses more than 21 probes, because
  // Cassandra cannot query such a filter. Cassandra itself writes 1 to 14.
  int num_probes() const;

  uint32_t num_words() const;
  uint64_t capacity_bits() const { return uint64_t{64} * num_words(); }

  // Returns the bits of the filter, 8 * num_words() bytes. They are in the
  // order of kNaAndLater, whatever the form of the file is. The pointer is
  // valid as long as this object exists, and null if the Filter.db was empty.
  const char* bits() const;

  uint64_t CountSetBits() const;

  // Returns true if the key may have been added to the filter. Returns false
  // only if the key was certainly not added.
  bool MayContain(std::string_view key) const;

  // Sets may_contain[i] = MayContain(keys[i]) for all `num_keys` keys. This is
  // faster than one call for each key.
  void MayContain(const std::string_view* keys, size_t num_keys,
                  bool* may_contain) const;

 private:
  struct Content;
  explicit FilterDbFile(std::unique_ptr<Content> content);
  friend std::unique_ptr<FilterDbFile> OpenLikeNode(const std::string& path,
                                                    FilterForm form,
                                                    std::string* error);
  static std::unique_ptr<FilterDbFile> Read(const std::string& path,
                                            FilterForm form, bool ignores_rest,
                                            std::string* error);

  const std::unique_ptr<const Content> content_;
};

// Returns the most likely number of keys in a filter: -m/k * ln(1 - X/m). Here
// X is set_bits, m is capacity_bits and k is num_probes. The number is infinite
// if all bits are set, or if the Filter.db was empty.
double EstimatedNumKeys(int num_probes, uint64_t set_bits,
                        uint64_t capacity_bits);

// ---- Writing ----

// A filter that is being built. It keeps the bits of the filter, not the keys.
// Only one thread at a time may use a builder.
class FilterDbBuilder {
 public:
  // ForBitsPerKey and ForFpChance return a builder with an empty filter. The
  // filter has the size and the number of probes that Cassandra chooses for
  // `expected_keys` keys, which may be 0. If more keys are added, there are
  // more false positives, but never false negatives. Both functions fail if the
  // filter would be larger than 16 GiB, the limit of a Filter.db.
  //
  // `bits_per_key`: 1 to 100.
  //
  // `fp_chance`: Cassandra's bloom_filter_fp_chance, at least 0.0000671 and
  // less than 1.
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

  // Returns the bits of all keys added so far, as FilterDbFile::bits does. The
  // next call of Add may change them.
  const char* bits() const;

  // Writes the filter of all keys added so far to the file `path`. More keys
  // may be added afterwards. If `path` exists and `overwrite` is false, fails.
  // If `path` is anything but a regular file, even a symbolic link, fails and
  // leaves it unchanged.
  //
  // First writes a temporary file in the same folder, which gets the name
  // `path` when it is complete and on disk. The temporary name begins with
  // `path` and ".cassandra_bloom-new". A killed process may leave this file.
  bool Write(const std::string& path, bool overwrite, std::string* error) const;

 private:
  struct Content;
  explicit FilterDbBuilder(std::unique_ptr<Content> content);

  const std::unique_ptr<Content> content_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTER_DB_H_
