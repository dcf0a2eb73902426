// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/live_ssts.h"

#include <filesystem>
#include <system_error>

#include "plugin/filter/murmur3.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::SstFileMetaData;

namespace {

// Two copies of a database may write different SST files with the same number.
// The first and the last key are in the identity because such files may have
// the same size, sequence numbers and time, which is in seconds.
std::string IdentityOf(const SstFileMetaData& file) {
  const std::string keys = std::to_string(file.smallestkey.size()) + " " +
                           file.smallestkey + file.largestkey;
  const Hash128 hash = CassandraMurmur3(keys.data(), keys.size());
  std::string identity = std::to_string(file.file_number);
  for (const uint64_t part :
       {static_cast<uint64_t>(file.size),
        static_cast<uint64_t>(file.smallest_seqno),
        static_cast<uint64_t>(file.largest_seqno),
        static_cast<uint64_t>(file.file_creation_time), hash.h1}) {
    identity += "-" + std::to_string(part);
  }
  return identity;
}

}  // namespace

LiveSst ToLiveSst(const SstFileMetaData& file) {
  LiveSst sst;
  sst.path = file.db_path + file.name;
  sst.number = file.file_number;
  sst.identity = IdentityOf(file);
  return sst;
}

std::string DatabaseOf(DB* db) {
  std::string identity;
  db->GetDbIdentity(identity).PermitUncheckedError();
  std::error_code ignored;
  return identity + " in " +
         std::filesystem::weakly_canonical(db->GetName(), ignored).string();
}

LiveSsts LiveSstsOf(DB* db) {
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  LiveSsts live;
  live.database = DatabaseOf(db);
  for (const LiveFileMetaData& file : files) {
    live.files.push_back(ToLiveSst(file));
  }
  return live;
}

}  // namespace cassandra_bloom
