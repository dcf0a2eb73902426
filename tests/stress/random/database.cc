// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/database.h"

#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/transaction_db.h>

#include <utility>

#include "tests/stress/random/failure.h"
#include "tests/support/rocksdb/releases.h"

namespace cassandra_bloom::testing {

Database::Prepared Database::Prepare(const Configuration& configuration,
                                     Stand stand) {
  Close();
  Prepared prepared;
  prepared.options = DbOptionsOf(configuration);
  statistics_ = rocksdb::CreateDBStatistics();
  prepared.options.statistics = statistics_;
  for (const FamilyConfiguration& family : configuration.families) {
    prepared.families.emplace_back(family.name,
                                   ColumnFamilyOptionsOf(family, stand));
  }
  return prepared;
}

void Database::Open(const Configuration& configuration, Stand stand,
                    const std::string& path) {
  const Prepared prepared = Prepare(configuration, stand);
  if (configuration.kind == Configuration::Kind::kTransactions) {
    rocksdb::TransactionDB* db = nullptr;
    RequireOk(rocksdb::TransactionDB::Open(
                  prepared.options, rocksdb::TransactionDBOptions(), path,
                  prepared.families, &handles_, &db),
              "Open");
    db_.reset(db);
    begin_ = [db](bool with_snapshot) {
      rocksdb::TransactionOptions options;
      options.set_snapshot = with_snapshot;
      return db->BeginTransaction(rocksdb::WriteOptions(), options);
    };
  } else if (configuration.kind == Configuration::Kind::kOptimistic) {
    rocksdb::OptimisticTransactionDB* db = nullptr;
    RequireOk(rocksdb::OptimisticTransactionDB::Open(
                  prepared.options, path, prepared.families, &handles_, &db),
              "Open");
    db_.reset(db);
    begin_ = [db](bool with_snapshot) {
      rocksdb::OptimisticTransactionOptions options;
      options.set_snapshot = with_snapshot;
      return db->BeginTransaction(rocksdb::WriteOptions(), options);
    };
  } else {
    OpenedDb db{};
    RequireOk(rocksdb::DB::Open(prepared.options, path, prepared.families,
                                &handles_, &db),
              "Open");
    db_ = Own(std::move(db));
  }
}

void Database::OpenReadOnly(const Configuration& configuration, Stand stand,
                            const std::string& path) {
  const Prepared prepared = Prepare(configuration, stand);
  OpenedDb db{};
  RequireOk(rocksdb::DB::OpenForReadOnly(prepared.options, path,
                                         prepared.families, &handles_, &db),
            "OpenForReadOnly");
  db_ = Own(std::move(db));
}

void Database::OpenSecondary(const Configuration& configuration, Stand stand,
                             const std::string& path,
                             const std::string& own_path) {
  Prepared prepared = Prepare(configuration, stand);
  prepared.options.max_open_files = -1;  // A secondary requires this.
  OpenedDb db{};
  RequireOk(rocksdb::DB::OpenAsSecondary(prepared.options, path, own_path,
                                         prepared.families, &handles_, &db),
            "OpenAsSecondary");
  db_ = Own(std::move(db));
}

void Database::Close() {
  begin_ = nullptr;
  for (rocksdb::ColumnFamilyHandle* const handle : handles_) {
    db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  handles_.clear();
  db_.reset();
}

std::unique_ptr<rocksdb::Transaction> Database::BeginTransaction(
    bool with_snapshot) const {
  return std::unique_ptr<rocksdb::Transaction>(
      begin_ == nullptr ? nullptr : begin_(with_snapshot));
}

uint64_t Database::Filtered() const {
  return statistics_->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL) +
         statistics_->getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
}

}  // namespace cassandra_bloom::testing
