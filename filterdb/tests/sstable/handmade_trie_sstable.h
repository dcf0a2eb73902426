// SPDX-License-Identifier: Apache-2.0

// SSTables with a trie index. A test can change the content of every file.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_HANDMADE_TRIE_SSTABLE_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_HANDMADE_TRIE_SSTABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/tests/fake_sstable/fake_partition_trie.h"
#include "filterdb/tests/sstable/read_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// Returns a leaf node for the partition at `position` in Data.db.
std::string LeafAt(const std::string& key, int64_t position);

struct TrieSstable {
  std::string nodes;  // The trie in Partitions.db.
  uint64_t root = 0;
  uint64_t num_keys = 0;
  std::string first_key;
  std::string last_key;
  std::string data;
  std::string rows;
};

std::string PartitionsDbOf(const TrieSstable& sstable);

// Makes an SSTable with at most 256 keys. `filler` bytes follow each key in
// Data.db.
TrieSstable SstableOf(const std::vector<std::string>& keys, size_t filler = 3);

// The files of one SSTable in a temporary folder.
class MadeFiles {
 public:
  explicit MadeFiles(const TrieSstable& sstable);

  void Write(const std::string& component, const std::string& bytes) const;
  void Remove(const std::string& component) const;
  std::string Path(const std::string& component) const;

  // Opens a key reader for SSTable version `da`.
  std::unique_ptr<tools::SstableKeys> Open(std::string* error) const;

  // Reads all keys. The error contains no names of folders.
  KeysAndError Read() const;
  std::string Error() const { return Read().error; }

 private:
  const TempDir dir_;
};

std::string WithoutFolders(const std::string& text);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_SSTABLE_HANDMADE_TRIE_SSTABLE_H_
