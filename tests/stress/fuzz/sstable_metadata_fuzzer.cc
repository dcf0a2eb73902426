// SPDX-License-Identifier: Apache-2.0

// Reads a Statistics.db, Scylla.db, transaction log or pending-delete log of
// any bytes. Statistics.db must give a valid fp_chance or an error.
//
// The first byte of the input chooses the kind of file. The file follows.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/scylla_db.h"
#include "filterdb/sstable/statistics_db.h"
#include "filterdb/sstable/transaction_logs.h"
#include "tests/stress/fuzz/fuzz_input.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

// One version for each layout of Statistics.db.
constexpr std::string_view kVersions[] = {"ic", "jb", "ka", "nb", "da"};
constexpr size_t kNumVersions = std::size(kVersions);

void FuzzStatistics(std::string_view version, const std::string& content) {
  const std::string path = FuzzFolder() / "Statistics.db";
  WriteFile(path, content);
  const tools::Statistics facts = tools::ReadStatistics(path, version);
  if (facts.fp_chance) {
    FUZZ_CHECK(*facts.fp_chance > 0 && *facts.fp_chance <= 1);
  } else {
    FUZZ_CHECK(facts.error.compare(0, path.size(), path) == 0);
  }
}

// A log must not name more SSTables than the log has lines.
void FuzzLogs(std::string_view content) {
  tools::TransactionLogs logs;
  tools::AddTransactionLog("log", content, &logs);
  tools::AddPendingDeleteLog(content, &logs);
  const size_t num_lines =
      static_cast<size_t>(std::count(content.begin(), content.end(), '\n')) + 1;
  FUZZ_CHECK(logs.being_written.size() <= num_lines);
  FUZZ_CHECK(logs.with_times.size() <= num_lines);
  for (const std::string& sstable : logs.obsolete) {
    FUZZ_CHECK(sstable.find('/') == std::string::npos);
  }
}

// A changed digest must be found again, and the size of the file must stay.
void FuzzScyllaDb(const std::string& content) {
  using tools::DigestOf;
  std::string error;
  std::optional<tools::ScyllaDb> scylla;
  try {
    scylla = tools::ScyllaDb::Parse("", content, &error);
  } catch (const tools::NotSupported&) {  // Of an unknown layout.
  }
  if (!scylla) {
    return;
  }
  FUZZ_CHECK(scylla->content() == content);
  const bool has_digest = scylla->Digest(DigestOf::kFilter).has_value();
  scylla->SetDigest(DigestOf::kFilter, 0x01234567);
  FUZZ_CHECK(scylla->content().size() == content.size());
  if (has_digest) {
    const auto again = tools::ScyllaDb::Parse("", scylla->content(), &error);
    FUZZ_CHECK(again && again->Digest(DigestOf::kFilter) == 0x01234567U);
  } else {
    FUZZ_CHECK(scylla->content() == content);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cassandra_bloom::testing;
  if (size == 0) {
    return 0;
  }
  const std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t kind = data[0] % (kNumVersions + 2);
  if (kind < kNumVersions) {
    FuzzStatistics(kVersions[kind], content);
  } else if (kind == kNumVersions) {
    FuzzLogs(content);
  } else {
    FuzzScyllaDb(content);
  }
  return 0;
}
