// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/database.h"

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
  OpenedDb db{};
  RequireOk(rocksdb::DB::Open(prepared.options, path, prepared.families,
                              &handles_, &db),
            "Open");
  db_ = Own(std::move(db));
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

void Database::Close() {
  for (rocksdb::ColumnFamilyHandle* const handle : handles_) {
    db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  handles_.clear();
  db_.reset();
}

uint64_t Database::Filtered() const {
  return statistics_->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL) +
         statistics_->getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
}

}  // namespace cassandra_bloom::testing
