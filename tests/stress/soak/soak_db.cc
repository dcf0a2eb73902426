// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/soak/soak_db.h"

#include <rocksdb/statistics.h>
#include <rocksdb/write_batch.h>

#include <cinttypes>
#include <cstdio>
#include <utility>

#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/opened_db.h"

namespace cassandra_bloom::testing {

void Print(const SoakCounts& counts) {
  const std::pair<const char*, uint64_t> all[] = {
      {"put", counts.writes[RandomWrite::kPut]},
      {"delete", counts.writes[RandomWrite::kDelete]},
      {"single delete", counts.writes[RandomWrite::kSingleDelete]},
      {"delete range", counts.writes[RandomWrite::kDeleteRange]},
      {"merge", counts.writes[RandomWrite::kMerge]},
      {"flush", counts.flushes},
      {"compact", counts.compactions},
      {"open", counts.opens},
      {"policy set", counts.policies_set},
      {"policy not changeable", counts.policies_not_changeable},
      {"present keys", counts.present_points},
      {"absent keys", counts.absent_points},
      {"seek", counts.seeks},
      {"seek for prev", counts.seeks_for_prev},
      {"rows scanned", counts.rows_scanned},
      {"exports equal to their block", counts.exports_compared},
      {"answered by filters", counts.filtered},
  };
  for (const auto& [name, count] : all) {
    if (count != 0) {
      std::printf(" %s %" PRIu64 ",", name, count);
    }
  }
  std::printf(" failures %" PRIu64 "\n", counts.failures);
  std::fflush(stdout);
}

void SoakDb::Open(uint64_t* random) {
  Close();
  ++counts_->opens;
  statistics_ = rocksdb::CreateDBStatistics();
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.statistics = statistics_;
  options.max_background_jobs = 3;
  options.max_subcompactions = 2;
  options.keep_log_file_num = 2;
  if (settings_.listener != nullptr) {
    options.listeners.push_back(settings_.listener);
  }
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const Family& family : Families()) {
    descriptors.emplace_back(family.name,
                             OptionsFor(family, RandomSettings(family, random),
                                        settings_.file_size));
  }
  OpenedDb db{};
  Require(
      rocksdb::DB::Open(options, settings_.path, descriptors, &handles_, &db));
  db_ = Own(std::move(db));
}

void SoakDb::Close() {
  if (db_ == nullptr) {
    return;
  }
  CountFiltered();
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    Require(db_->DestroyColumnFamilyHandle(handle));
  }
  handles_.clear();
  db_.reset();
}

void SoakDb::CountFiltered() {
  const auto ticker = [this](rocksdb::Tickers which) {
    return statistics_->getAndResetTickerCount(which);
  };
  counts_->filtered += ticker(rocksdb::BLOOM_FILTER_USEFUL) +
                       ticker(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
}

void SoakDb::Write(const std::vector<RandomWrite>& writes, bool sync) {
  rocksdb::WriteBatch batch;
  for (const RandomWrite& write : writes) {
    rocksdb::ColumnFamilyHandle* const family = handles_[write.family];
    switch (write.kind) {
      case RandomWrite::kPut:
        Require(batch.Put(family, write.key, write.end_or_value));
        break;
      case RandomWrite::kDelete:
        Require(batch.Delete(family, write.key));
        break;
      case RandomWrite::kSingleDelete:
        Require(batch.SingleDelete(family, write.key));
        break;
      case RandomWrite::kDeleteRange:
        Require(batch.DeleteRange(family, write.key, write.end_or_value));
        break;
      default:
        Require(batch.Merge(family, write.key, write.end_or_value));
    }
    ++counts_->writes[write.kind];
  }
  rocksdb::WriteOptions options;
  options.sync = sync;
  Require(db_->Write(options, &batch));
}

void SoakDb::Flush(size_t family) {
  Require(db_->Flush(rocksdb::FlushOptions(), handles_[family]));
  ++counts_->flushes;
}

void SoakDb::Compact(size_t family, uint64_t* random) {
  const std::string begin = keys_.Key(NextRandom(random) % keys_.num_keys());
  const rocksdb::Slice from = begin;
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  Require(db_->CompactRange(options, handles_[family],
                            NextRandom(random) % 2 == 0 ? nullptr : &from,
                            nullptr));
  ++counts_->compactions;
}

void SoakDb::SetPolicy(size_t family, uint64_t* random) {
  const rocksdb::Status status =
      db_->SetOptions(handles_[family],
                      {{"block_based_table_factory",
                        "{filter_policy=cassandra_bloom:" +
                            RandomSettings(Families()[family], random) + "}"}});
  // RocksDB before 9.8 cannot change the policy of an open database.
  if (status.ToString().find("not changeable") != std::string::npos) {
    ++counts_->policies_not_changeable;
  } else {
    Require(status);
    ++counts_->policies_set;
  }
}

void SoakDb::Report(const ::testing::AssertionResult& result,
                    const std::string& of) {
  if (!result) {
    ++counts_->failures;
    std::printf("FAILURE: %s: %s\n", of.c_str(), result.message());
    std::fflush(stdout);
  }
}

void SoakDb::CheckPoints(size_t family, const Dataset& dataset) {
  const std::string& name = Families()[family].name;
  Report(GetsMatch(source(family), dataset), name);
  Report(MultiGetsMatch(source(family), dataset, /*sorted=*/true), name);
  Report(MultiGetsMatch(source(family), dataset, /*sorted=*/false), name);
  counts_->present_points += 3 * dataset.rows.size();
  counts_->absent_points += 3 * dataset.absent.size();
}

void SoakDb::CheckSeeks(size_t family, const Rows& rows,
                        const std::vector<std::string>& targets) {
  const std::string& name = Families()[family].name;
  const auto extractor = db_->GetOptions(handles_[family]).prefix_extractor;
  Report(SeeksMatch(source(family), rows, targets, extractor.get()), name);
  counts_->seeks += targets.size();
  Source backwards = source(family);
  backwards.read_options.total_order_seek =
      SeekForPrevMisses(Families()[family]);
  Report(
      SeeksForPrevMatch(
          backwards, rows, targets,
          backwards.read_options.total_order_seek ? nullptr : extractor.get()),
      name);
  counts_->seeks_for_prev += targets.size();
}

void SoakDb::CheckSome(size_t family, const Rows& rows, uint64_t* random) {
  Dataset some;
  std::vector<std::string> targets;
  for (int i = 0; i < 50; ++i) {
    const std::string key = keys_.Key(NextRandom(random) % keys_.num_keys());
    if (const auto row = rows.find(key); row != rows.end()) {
      some.rows.insert(*row);
    } else {
      some.absent.push_back(key);
    }
    if (i % 2 == 0) {
      targets.push_back(key);
    }
  }
  CheckPoints(family, some);
  CheckSeeks(family, rows, targets);
}

void SoakDb::CheckRows(size_t family, const Rows& rows) {
  const std::string& name = Families()[family].name;
  const Dataset present = {rows, {}};
  Report(GetsMatch(source(family), present), name);
  Report(MultiGetsMatch(source(family), present, /*sorted=*/false), name);
  counts_->present_points += 2 * rows.size();
}

void SoakDb::CheckAll(const Shadow& shadow) {
  for (size_t family = 0; family < shadow.size(); ++family) {
    const Rows& rows = shadow[family];
    Dataset all{rows, {}};
    std::vector<std::string> targets;
    for (uint64_t number = 0; number < keys_.num_keys(); ++number) {
      const std::string key = keys_.Key(number);
      if (rows.count(key) == 0) {
        all.absent.push_back(key);
      }
      if (number % 16 == 0) {
        targets.push_back(key);
      }
    }
    CheckPoints(family, all);
    CheckSeeks(family, rows, targets);
    Report(ScanMatches(source(family), rows), Families()[family].name);
    counts_->rows_scanned += 2 * rows.size();
  }
}

}  // namespace cassandra_bloom::testing
