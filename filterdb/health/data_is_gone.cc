// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/data_is_gone.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <string>
#include <thread>

#include "filterdb/sstable/file_stamp.h"
#include "filterdb/sstable/transaction_logs.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

// A broken link in the place of Data.db is a fault, and not gone.
bool IsDataGone(const Examined& examined) {
  const bool had_data =
      examined.stamps.empty() || examined.stamps.front() != FileStamp();
  return examined.sstable.state == SstableState::kLive &&
         (!NameExists(examined.sstable.Path("Data.db")) ||
          (examined.has_fault() && !had_data));
}

// Sets the state of an SSTable if its files tell it.
void LookAt(Sstable* sstable) {
  if (FileExists(sstable->Path("Data.db")) ||
      FileExists(sstable->Path("TOC.txt.tmp"))) {
    sstable->state = SstableState::kBeingWritten;
  } else if (std::none_of(std::begin(kMainComponents),
                          std::end(kMainComponents),
                          [sstable](const char* component) {
                            return NameExists(sstable->Path(component));
                          })) {
    sstable->state = SstableState::kVanished;
  }
}

// Sets the state of an SSTable if a transaction log lists it as replaced.
// `*logs` has the logs of each folder that was read before.
void LookAtLogs(Sstable* sstable,
                std::map<std::string, TransactionLogs>* logs) {
  const auto [found, is_new] = logs->try_emplace(sstable->folder);
  if (is_new) {
    found->second = ReadTransactionLogs(sstable->folder);
  }
  if (!NameExists(sstable->Path("Data.db")) &&
      found->second.obsolete.count(sstable->name_prefix) != 0) {
    sstable->state = SstableState::kVanished;
  }
}

}  // namespace

void FindOutWhyDataIsGone(std::vector<Examined>* sstables) {
  constexpr auto kWait = std::chrono::milliseconds(200);
  std::map<std::string, TransactionLogs> logs;
  std::vector<Sstable*> undecided;
  for (Examined& examined : *sstables) {
    if (IsDataGone(examined)) {
      LookAt(&examined.sstable);
      if (examined.sstable.state == SstableState::kLive) {
        LookAtLogs(&examined.sstable, &logs);
      }
      if (examined.sstable.state == SstableState::kLive) {
        undecided.push_back(&examined.sstable);
      }
    }
  }
  if (!undecided.empty()) {
    std::this_thread::sleep_for(kWait);
    std::for_each(undecided.begin(), undecided.end(), LookAt);
  }
}

}  // namespace cassandra_bloom::tools
