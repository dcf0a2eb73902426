// An SST file, by RocksDB's own reader of single files.

#ifndef CASSANDRA_BLOOM_PLUGIN_ROCKSDB_SST_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_ROCKSDB_SST_FILE_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// Receives the blocks of our filters, and of no others, while RocksDB opens a
// file: a full filter in one call, a partitioned one in a call per partition.
class BlockObserver final : public ROCKSDB_NAMESPACE::FilterPolicy {
 public:
  // A block stays where it is as long as the file is open.
  using Visit = std::function<void(const ROCKSDB_NAMESPACE::Slice& block)>;

  explicit BlockObserver(Visit visit) : visit_(std::move(visit)) {}

  const char* Name() const override;
  const char* CompatibilityName() const override;
  ROCKSDB_NAMESPACE::FilterBitsBuilder* GetBuilderWithContext(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const override;
  ROCKSDB_NAMESPACE::FilterBitsReader* GetFilterBitsReader(
      const ROCKSDB_NAMESPACE::Slice& contents) const override;

 private:
  const Visit visit_;
};

enum class FilterHolds { kKeys, kPrefixes, kBoth, kUnknown };

class SstFile {
 public:
  // `observer` may be null; the filter is then not read.
  static std::unique_ptr<SstFile> Open(
      const std::string& path, std::shared_ptr<const BlockObserver> observer,
      std::string* error);

  const std::string& path() const { return path_; }
  const ROCKSDB_NAMESPACE::TableProperties& properties() const {
    return *properties_;
  }

  // Of any filter, if there is one.
  FilterHolds filter_holds() const;

  // Calls visit for the keys of all entries, without the repetitions of a key
  // that has several: in the file's order. Deletions are among them since
  // RocksDB 9.2; before, a file with some is an error unless `live_keys_only`.
  // Then, in every release, keys whose last entry is a deletion are left out.
  bool ForEachKey(bool live_keys_only,
                  const std::function<void(std::string_view key)>& visit,
                  std::string* error);

 private:
  SstFile(std::string path,
          std::unique_ptr<ROCKSDB_NAMESPACE::SstFileReader> reader)
      : path_(std::move(path)),
        reader_(std::move(reader)),
        properties_(reader_->GetTableProperties()) {}

  bool CanReadKeys(bool live_keys_only, std::string* error) const;

  const std::string path_;
  const std::unique_ptr<ROCKSDB_NAMESPACE::SstFileReader> reader_;
  const std::shared_ptr<const ROCKSDB_NAMESPACE::TableProperties> properties_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_ROCKSDB_SST_FILE_H_
