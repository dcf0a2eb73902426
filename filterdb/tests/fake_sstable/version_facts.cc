// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/version_facts.h"

#include <stdexcept>

namespace cassandra_bloom::testing {
namespace {

ChunkChecksum ChunkChecksumOf(const std::string& version, FilterForm form) {
  if (form != kBeforeMa) {
    return ChunkChecksum::kCrcOfStored;
  }
  return version < "jb" ? ChunkChecksum::kCrcOfUncompressed
                        : ChunkChecksum::kAdlerOfStored;
}

StatisticsLayout StatisticsOf(const std::string& version, FilterForm form) {
  if (form != kBeforeMa) {
    return form == kNaAndLater ? StatisticsLayout::kTableAndChecks
                               : StatisticsLayout::kTable;
  }
  if (version >= "ka") {
    return StatisticsLayout::kTable;
  }
  return version >= "ja" ? StatisticsLayout::kNoTable
                         : StatisticsLayout::kNoChance;
}

DigestKind DigestOf(const std::string& version, FilterForm form) {
  if (form != kBeforeMa) {
    return DigestKind::kCrc32;
  }
  // Before `la`, Cassandra writes Digest.sha1, which this writer leaves out.
  return version >= "la" ? DigestKind::kAdler32 : DigestKind::kNone;
}

}  // namespace

VersionFacts FactsOfVersion(const std::string& version) {
  FilterForm form;
  std::string error;
  if (!FormOfSstableVersion(version, &form, &error)) {
    throw std::invalid_argument(error);
  }
  if (version.size() != 2) {  // Such as ma-to-me.
    throw std::invalid_argument(version + " is not an SSTable version");
  }
  VersionFacts facts{};
  facts.form = form;
  facts.keyspace_in_names = form == kBeforeMa && version < "la";
  facts.format_name = version == "da" ? "bti" : "big";
  facts.has_trie = version == "da" || version == "ms" || version == "mt";
  facts.has_vints = form != kBeforeMa;
  facts.has_short_deletion = version == "oa" || version == "da";
  facts.has_max_chunk_bytes = form == kNaAndLater;
  facts.chunk_checksum = ChunkChecksumOf(version, form);
  facts.statistics = StatisticsOf(version, form);
  facts.digest = DigestOf(version, form);
  return facts;
}

}  // namespace cassandra_bloom::testing
