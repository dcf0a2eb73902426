// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/compare_digests.h"

#include <cstdint>
#include <string>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/toc.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

std::string Difference(const std::string& path, uint32_t crc, uint32_t digest) {
  return path + ": its CRC-32 is " + HexOfCrc(crc) + ", not " +
         HexOfCrc(digest) + " as in Scylla.db";
}

void CompareFilter(uint32_t digest, Examined* sstable) {
  const std::string path = sstable->sstable.Path("Filter.db");
  if (!NameExists(path)) {
    return;
  }
  std::string error;
  const auto crc = CrcOfFile(path, &error);
  if (!crc) {
    ThrowIfShort(path);
    sstable->Add(Check::kFilterUnreadable, error);
  } else if (*crc != digest) {
    sstable->Add(Check::kDigestDiffers, Difference(path, *crc, digest));
  }
}

void CompareToc(uint32_t digest, const std::string& toc, Examined* sstable) {
  if (!toc.empty() && Crc32(toc) != digest) {
    sstable->Add(
        Crc32(CompletedToc(toc)) == digest ? Check::kTocUnfinished
                                           : Check::kTocDigestDiffers,
        Difference(sstable->sstable.Path(kTocName), Crc32(toc), digest));
  }
}

}  // namespace

void CompareDigests(const ScyllaDb& scylla, const std::string& toc,
                    Examined* sstable) {
  const auto of_filter = scylla.Digest(DigestOf::kFilter);
  const auto of_toc = scylla.Digest(DigestOf::kToc);
  if (of_filter) {
    CompareFilter(*of_filter, sstable);
  }
  if (of_toc) {
    CompareToc(*of_toc, toc, sstable);
  }
  sstable->filter_has_digest = of_filter.has_value();
  sstable->toc_has_digest = of_toc.has_value();
}

}  // namespace cassandra_bloom::tools
