// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/export_stress/stressed_db.h"

#include <fcntl.h>
#include <rocksdb/convenience.h>
#include <rocksdb/sst_file_writer.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <thread>

#include "tests/export/export_fixture.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/releases.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

rocksdb::Options RandomOptions(uint64_t* random) {
  const uint64_t choice = NextRandom(random) % 4;
  rocksdb::Options options =
      DbOptions(choice == 0 ? BuiltinPolicy() : OurPolicy(),
                choice == 1 ? Layout::kPartitioned : Layout::kFull);
  options.create_if_missing = true;
  options.disable_auto_compactions = false;
  options.level0_file_num_compaction_trigger = 3;
  options.write_buffer_size = size_t{64} << 10;
  options.target_file_size_base = size_t{64} << 10;
  options.max_bytes_for_level_base = size_t{256} << 10;
  options.max_subcompactions = 2;
  return options;
}

std::string RandomKey(uint64_t* random) {
  return NumberedKey(static_cast<uint32_t>(NextRandom(random) % 100000));
}

void FillDisk(const std::string& filler, milliseconds how_long) {
  const int fd = open(filler.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const std::string bytes(4096, 'x');
  while (fd >= 0 && write(fd, bytes.data(), bytes.size()) > 0) {
  }
  close(fd);
  std::this_thread::sleep_for(how_long);
  unlink(filler.c_str());
}

}  // namespace

StressedDb::StressedDb(const std::string& folder, const std::string& out_dir,
                       uint64_t* random)
    : options_(RandomOptions(random)), out_dir_(out_dir) {
  options_.listeners = {NewListener(out_dir)};
  std::vector<std::string> names;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  if (!rocksdb::DB::ListColumnFamilies(options_, folder, &names).ok()) {
    names = {rocksdb::kDefaultColumnFamilyName};
  }
  for (const std::string& name : names) {
    families.emplace_back(name, options_);
  }
  OpenedDb opened{};
  Require(rocksdb::DB::Open(options_, folder, families, &handles_, &opened));
  db_ = Own(std::move(opened));
}

StressedDb::~StressedDb() {
  for (rocksdb::ColumnFamilyHandle* const handle : handles_) {
    db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
}

void StressedDb::WriteAndSometimesFlush(uint64_t* random) {
  for (int i = 0; i < 400; ++i) {
    Require(db_->Put(kWrite, RandomKey(random), std::string(50, 'v')));
  }
  if (NextRandom(random) % 6 == 0) {
    Require(db_->Flush(rocksdb::FlushOptions()));
  }
}

void StressedDb::Churn(bool can_fill, milliseconds duration, uint64_t* random) {
  using Act = std::function<void(uint64_t * random)>;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  const auto repeat = [&](uint32_t max_pause, const Act& act) {
    threads.emplace_back(
        [&stop, max_pause, act, seed = NextRandom(random)]() mutable {
          while (!stop) {
            std::this_thread::sleep_for(
                milliseconds(NextRandom(&seed) % max_pause));
            act(&seed);
          }
        });
  };
  for (int writer = 0; writer < 2; ++writer) {
    repeat(1, [this](uint64_t* seed) { WriteAndSometimesFlush(seed); });
  }
  // What fails may have met another compaction of the same files.
  repeat(500, [this](uint64_t*) {
    db_->CompactRange(rocksdb::CompactRangeOptions(), nullptr, nullptr)
        .PermitUncheckedError();
  });
  repeat(200, [this](uint64_t*) {
    std::vector<std::string> names;
    std::vector<rocksdb::LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      if (file.column_family_name == rocksdb::kDefaultColumnFamilyName) {
        names.push_back(file.name);
      }
    }
    db_->CompactFiles(rocksdb::CompactionOptions(), names, /*output_level=*/3)
        .PermitUncheckedError();
  });
  repeat(1000, [this](uint64_t* seed) {
    const std::string begin = RandomKey(seed);
    const rocksdb::Slice key(begin);
    rocksdb::DeleteFilesInRange(db_.get(), db_->DefaultColumnFamily(), &key,
                                nullptr)
        .PermitUncheckedError();
  });
  repeat(200, [this](uint64_t* seed) {
    const TempDir dir;
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options_);
    Require(writer.Open(dir / "new.sst"));
    Require(writer.Put(RandomKey(seed), "ingested"));
    Require(writer.Finish());
    Require(db_->IngestExternalFile({dir / "new.sst"},
                                    rocksdb::IngestExternalFileOptions()));
  });
  repeat(500, [this](uint64_t* seed) {
    rocksdb::ColumnFamilyHandle* family = nullptr;
    Require(db_->CreateColumnFamily(
        options_, "family" + std::to_string(NextRandom(seed)), &family));
    Require(db_->Put(kWrite, family, RandomKey(seed), "row"));
    Require(db_->Flush(rocksdb::FlushOptions(), family));
    Require(db_->DropColumnFamily(family));
    Require(db_->DestroyColumnFamilyHandle(family));
  });
  repeat(100, [this](uint64_t*) {
    Export();  // May fail: the folder may be gone, and the disk full.
    CheckFilters();
  });
  // First takes the name away. Otherwise the mark could go before a filter that
  // the listener is just writing, and no export takes such a folder.
  repeat(800, [this](uint64_t*) {
    std::error_code ignored;
    const std::string removed = out_dir_ + ".removed";
    fs::rename(out_dir_, removed, ignored);
    fs::remove_all(removed, ignored);
  });
  if (can_fill) {
    repeat(800, [this](uint64_t* seed) {
      FillDisk(out_dir_ + "/filler", milliseconds(NextRandom(seed) % 500));
    });
  }
  std::this_thread::sleep_for(duration);
  stop = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
}

std::string StressedDb::Export() {
  ExportReport report;
  std::string error;
  const bool good = Reconcile(
      *PlanExport({}, &error), out_dir_,
      [this] { return LiveSstsOf(db_.get()); }, &report, &error);
  return good ? "" : error;
}

void StressedDb::CheckFilters() const {
  if (const std::string wrong = WrongFilter(db_->GetName(), out_dir_);
      !wrong.empty()) {
    throw std::runtime_error(wrong + " is not the filter of its SST file");
  }
}

void StressedDb::CheckExports() {
  CheckFilters();
  Require(db_->PauseBackgroundWork());
  const std::string error = Export();
  const std::string wrong =
      error.empty() ? WrongExports(db_.get(), out_dir_) : error;
  Require(db_->ContinueBackgroundWork());
  if (!wrong.empty()) {
    throw std::runtime_error(wrong);
  }
}

}  // namespace cassandra_bloom::testing
