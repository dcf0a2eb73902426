// SPDX-License-Identifier: Apache-2.0

#include "plugin/sstable/index_format.h"

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom {
namespace {

// `da` is Cassandra's BtiFormat; `ms` and `mt` are ScyllaDB's `me` with a trie.
bool HasTrieIndex(std::string_view version) {
  return version == "da" || version == "ms" || version == "mt";
}

}  // namespace

bool IndexFormatOf(std::string_view version, IndexFormat* format,
                   std::string* error) {
  FilterForm form;
  if (!FormOfSstableVersion(version, &form, error)) {
    return false;
  }
  if (HasTrieIndex(version)) {
    *error = NoIndexDbError(version);
    return false;
  }
  // The filter and the Index.db both changed with `ma`.
  *format = form == kBeforeMa ? IndexFormat::kFixedWidth : IndexFormat::kVInt;
  return true;
}

std::string NoIndexDbError(std::string_view version) {
  return "an SSTable of version " + std::string(version) +
         " has no Index.db but a trie (Partitions.db, Rows.db), which does not "
         "hold whole keys; give the keys in a file instead";
}

}  // namespace cassandra_bloom
