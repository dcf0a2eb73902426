// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/data_is_gone.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <string>
#include <thread>

#include "filterdb/sstable/transaction_logs.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

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

// Sets the state of SSTables that a transaction log lists as replaced.
void ReadLogsOf(const std::vector<Sstable*>& sstables) {
  std::map<std::string, TransactionLogs> logs;
  for (Sstable* const sstable : sstables) {
    const auto [found, is_new] = logs.try_emplace(sstable->folder);
    if (is_new) {
      found->second = ReadTransactionLogs(sstable->folder);
    }
    // A broken link in the place of Data.db is a fault, and not gone.
    if (!NameExists(sstable->Path("Data.db")) &&
        found->second.obsolete.count(sstable->name_prefix) != 0) {
      sstable->state = SstableState::kVanished;
    }
  }
}

std::vector<Sstable*> Undecided(const std::vector<Sstable*>& sstables) {
  std::vector<Sstable*> undecided;
  std::copy_if(sstables.begin(), sstables.end(), std::back_inserter(undecided),
               [](const Sstable* sstable) {
                 return sstable->state == SstableState::kLive;
               });
  return undecided;
}

}  // namespace

void FindOutWhyDataIsGone(const std::vector<Sstable*>& sstables) {
  constexpr auto kWait = std::chrono::milliseconds(200);
  std::for_each(sstables.begin(), sstables.end(), LookAt);
  ReadLogsOf(Undecided(sstables));
  const std::vector<Sstable*> undecided = Undecided(sstables);
  if (!undecided.empty()) {
    std::this_thread::sleep_for(kWait);
    std::for_each(undecided.begin(), undecided.end(), LookAt);
  }
}

}  // namespace cassandra_bloom::tools
