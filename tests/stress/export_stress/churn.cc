// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/export_stress/churn.h"

#include <fcntl.h>
#include <rocksdb/convenience.h>
#include <rocksdb/sst_file_writer.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

void WriteAndFlush(StressedDb* db, uint64_t* random) {
  db->Write(random, 500);
  if (NextRandom(random) % 4 == 0) {
    Require((*db)->Flush(rocksdb::FlushOptions()));
  }
}

void Compact(StressedDb* db, uint64_t* random) {
  std::this_thread::sleep_for(milliseconds(NextRandom(random) % 500));
  (*db)
      ->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr)
      .PermitUncheckedError();  // May meet another manual compaction.
}

void CompactSomeFiles(StressedDb* db, uint64_t* random) {
  std::this_thread::sleep_for(milliseconds(NextRandom(random) % 200));
  std::vector<rocksdb::LiveFileMetaData> files;
  (*db)->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  for (const auto& file : files) {
    if (file.column_family_name == rocksdb::kDefaultColumnFamilyName) {
      names.push_back(file.name);
    }
  }
  if (!names.empty()) {
    (*db)
        ->CompactFiles(rocksdb::CompactionOptions(), names,
                       /*output_level=*/3)
        .PermitUncheckedError();  // Files may be in another compaction.
  }
}

void Ingest(StressedDb* db, uint64_t* random) {
  std::this_thread::sleep_for(milliseconds(NextRandom(random) % 200));
  const TempDir dir;
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), db->options());
  Require(writer.Open(dir / "new.sst"));
  const auto first = static_cast<uint32_t>(NextRandom(random) % 100000);
  for (uint32_t i = first; i < first + 100; ++i) {
    Require(writer.Put(NumberedKey(i), "ingested"));
  }
  Require(writer.Finish());
  Require((*db)->IngestExternalFile({dir / "new.sst"},
                                    rocksdb::IngestExternalFileOptions()));
}

void DeleteFiles(StressedDb* db, uint64_t* random) {
  std::this_thread::sleep_for(milliseconds(NextRandom(random) % 1000));
  const std::string begin =
      NumberedKey(static_cast<uint32_t>(NextRandom(random) % 100000));
  const rocksdb::Slice key(begin);
  rocksdb::DeleteFilesInRange(db->get(), (*db)->DefaultColumnFamily(), &key,
                              nullptr)
      .PermitUncheckedError();
}

void MakeAndDropColumnFamily(StressedDb* db, uint64_t* random) {
  rocksdb::ColumnFamilyHandle* family = nullptr;
  Require((*db)->CreateColumnFamily(
      db->options(), "family" + std::to_string(NextRandom(random)), &family));
  for (uint32_t i = 0; i < 200; ++i) {
    Require((*db)->Put(rocksdb::WriteOptions(), family, NumberedKey(i), "row"));
  }
  Require((*db)->Flush(rocksdb::FlushOptions(), family));
  std::this_thread::sleep_for(milliseconds(NextRandom(random) % 500));
  Require((*db)->DropColumnFamily(family));
  Require((*db)->DestroyColumnFamilyHandle(family));
}

// That an export fails is no error: the folder may be gone, and the disk full.
void Export(StressedDb* db, uint64_t* random) {
  std::this_thread::sleep_for(milliseconds(NextRandom(random) % 100));
  db->Export();
  db->CheckFilters();
}

void TakeFolderAway(const std::string& out_dir, uint64_t* random) {
  std::this_thread::sleep_for(milliseconds(NextRandom(random) % 800));
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(out_dir, ignored)) {
    fs::remove(entry.path(), ignored);
  }
  fs::remove(out_dir, ignored);
}

void FillDisk(const std::string& out_dir, uint64_t* random) {
  std::this_thread::sleep_for(milliseconds(NextRandom(random) % 800));
  const std::string filler = out_dir + "/filler";
  const int fd = open(filler.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const std::string bytes(4096, 'x');
  while (fd >= 0 && write(fd, bytes.data(), bytes.size()) > 0) {
  }
  close(fd);
  std::this_thread::sleep_for(milliseconds(NextRandom(random) % 500));
  unlink(filler.c_str());
}

}  // namespace

void Churn(StressedDb* db, const std::string& out_dir, bool can_fill,
           milliseconds duration, uint64_t* random) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  const auto repeat = [&](const std::function<void(uint64_t*)>& act) {
    threads.emplace_back([&stop, act, seed = NextRandom(random)]() mutable {
      while (!stop) {
        act(&seed);
      }
    });
  };
  repeat([db](uint64_t* seed) { WriteAndFlush(db, seed); });
  repeat([db](uint64_t* seed) { WriteAndFlush(db, seed); });
  repeat([db](uint64_t* seed) { Compact(db, seed); });
  repeat([db](uint64_t* seed) { CompactSomeFiles(db, seed); });
  repeat([db](uint64_t* seed) { Ingest(db, seed); });
  repeat([db](uint64_t* seed) { DeleteFiles(db, seed); });
  repeat([db](uint64_t* seed) { MakeAndDropColumnFamily(db, seed); });
  repeat([db](uint64_t* seed) { Export(db, seed); });
  repeat([&](uint64_t* seed) { TakeFolderAway(out_dir, seed); });
  if (can_fill) {
    repeat([&](uint64_t* seed) { FillDisk(out_dir, seed); });
  }
  std::this_thread::sleep_for(duration);
  stop = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace cassandra_bloom::testing
