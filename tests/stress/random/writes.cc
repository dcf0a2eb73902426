// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/writes.h"

#include <rocksdb/sst_file_writer.h>

#include <filesystem>
#include <set>

#include "tests/stress/random/failure.h"

namespace cassandra_bloom::testing {

std::string TimestampOf(uint64_t number) {
  const std::string big_endian = BigEndian(number, 8);
  return {big_endian.rbegin(), big_endian.rend()};
}

std::string Writes::DrawValue() {
  std::string value = std::to_string(draws_.Below(1000000000));
  value.append(draws_.Below(draws_.OneIn(20) ? 1500 : 80), 'v');
  return value;
}

Writes::Write Writes::DrawWrite() {
  const size_t family = draws_.Below(written_.families.size());
  const FamilyConfiguration& configured = configuration_.families[family];
  const FamilyState& state = written_.families[family];
  const uint64_t choice = draws_.Below(100);
  const std::string key = state.keys.Written(&draws_);
  if (choice < 35 && configured.has_merges) {
    return {Kind::kMerge, family, key, DrawValue().substr(0, 12)};
  }
  if (choice < 37 && configured.has_range_deletes) {
    const std::string end = state.keys.Any(&draws_);
    const bool is_range = state.model.IsBefore(key, end);
    return {Kind::kDeleteRange, family, is_range ? key : end,
            is_range ? end : key};
  }
  return choice < 55 ? Write{Kind::kDelete, family, key, ""}
                     : Write{Kind::kPut, family, key, DrawValue()};
}

void Writes::Apply(const Write& write) {
  Model& model = written_.families[write.family].model;
  switch (write.kind) {
    case Kind::kPut:
      return model.Put(write.key, written_.number, write.end_or_value);
    case Kind::kMerge:
      return model.Merge(write.key, written_.number, write.end_or_value);
    case Kind::kDeleteRange:
      return model.DeleteRange(write.key, write.end_or_value, written_.number);
    default:
      return model.Delete(write.key, written_.number);
  }
}

rocksdb::Status Writes::AddTo(rocksdb::WriteBatch* batch, const Write& write,
                              const std::string& timestamp) const {
  rocksdb::ColumnFamilyHandle* const family = db_.handle(write.family);
  const bool has_timestamps =
      configuration_.families[write.family].has_timestamps;
  switch (write.kind) {
    case Kind::kPut:
      return has_timestamps
                 ? batch->Put(family, write.key, timestamp, write.end_or_value)
                 : batch->Put(family, write.key, write.end_or_value);
    case Kind::kDelete:
      return has_timestamps ? batch->Delete(family, write.key, timestamp)
                            : batch->Delete(family, write.key);
    case Kind::kDeleteRange:
      return batch->DeleteRange(family, write.key, write.end_or_value);
    default:
      return batch->Merge(family, write.key, write.end_or_value);
  }
}

void Writes::MakeBatch(const Change& change) const {
  rocksdb::WriteBatch batch;
  const std::string timestamp = TimestampOf(change.number);
  for (const Write& write : change.writes) {
    RequireOk(AddTo(&batch, write, timestamp), "WriteBatch");
  }
  rocksdb::WriteOptions options;
  options.disableWAL = !configuration_.has_wal;
  RequireOk(db_->Write(options, &batch), "Write");
}

std::vector<Writes::Write> Writes::DrawFile(size_t family) {
  const FamilyState& state = written_.families[family];
  const auto is_before = [&](const std::string& a, const std::string& b) {
    return state.model.IsBefore(a, b);
  };
  std::set<std::string, decltype(is_before)> keys(is_before);
  for (uint64_t more = draws_.Between(1, 60); more > 0; --more) {
    keys.insert(state.keys.Written(&draws_));
  }
  std::vector<Write> writes;
  for (const std::string& key : keys) {
    writes.push_back(draws_.OneIn(6)
                         ? Write{Kind::kDelete, family, key, ""}
                         : Write{Kind::kPut, family, key, DrawValue()});
  }
  return writes;
}

void Writes::Ingest(const Change& change, const std::string& path) const {
  rocksdb::ColumnFamilyHandle* const family =
      db_.handle(change.writes[0].family);
  // A process that was killed may have left this file, as a link of the
  // database's file.
  std::filesystem::remove(path);
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), db_->GetOptions(family),
                                family);
  RequireOk(writer.Open(path), "SstFileWriter::Open");
  for (const Write& write : change.writes) {
    RequireOk(write.kind == Kind::kDelete
                  ? writer.Delete(write.key)
                  : writer.Put(write.key, write.end_or_value),
              "SstFileWriter");
  }
  RequireOk(writer.Finish(), "SstFileWriter::Finish");
  rocksdb::IngestExternalFileOptions options;
  options.move_files = true;
  // RocksDB with assertions can refuse it because a memtable was written
  // meanwhile (ExternalSstFileIngestionJob::Run).
  rocksdb::Status status;
  for (int attempts = 0; attempts < 20; ++attempts) {
    status = db_->IngestExternalFile(family, {path}, options);
    if (!status.IsTryAgain()) {
      break;
    }
  }
  RequireOk(status, "IngestExternalFile");
}

Writes::Change Writes::Next() {
  Change change;
  change.number = ++written_.number;
  const size_t family = draws_.Below(written_.families.size());
  if (!configuration_.families[family].has_timestamps && draws_.OneIn(160)) {
    change.is_file = true;
    change.writes = DrawFile(family);
    for (const Write& write : change.writes) {
      Apply(write);
    }
    return change;
  }
  for (uint64_t more = draws_.Between(1, 8); more > 0; --more) {
    change.writes.push_back(DrawWrite());
    Apply(change.writes.back());
  }
  return change;
}

void Writes::Make(const Change& change, const std::string& folder) const {
  if (change.is_file) {
    Ingest(change, folder + "/ingested");
  } else {
    MakeBatch(change);
  }
}

}  // namespace cassandra_bloom::testing
