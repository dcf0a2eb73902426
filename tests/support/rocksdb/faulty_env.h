// SPDX-License-Identifier: Apache-2.0

// A RocksDB Env in memory whose writes can fail as on a full disk.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FAULTY_ENV_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FAULTY_ENV_H_

#include <rocksdb/env.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

namespace cassandra_bloom::testing {

enum class Fault { kNoSpace, kIoError };

class FaultyEnv final : public rocksdb::EnvWrapper {
 public:
  FaultyEnv() : FaultyEnv(rocksdb::NewMemEnv(rocksdb::Env::Default())) {}

  // After `bytes` more bytes, writes fail with `fault` until Lift is called.
  // Writes to files whose name does not contain `part` never fail.
  void FailAfter(int64_t bytes, Fault fault, const std::string& part);
  void Lift();
  // The number of bytes and of failures since FailAfter was called.
  int64_t bytes_written() const { return bytes_written_; }
  int failures() const { return failures_; }

  rocksdb::Status NewWritableFile(const std::string& name,
                                  std::unique_ptr<rocksdb::WritableFile>* file,
                                  const rocksdb::EnvOptions& options) override;

  // RocksDB waits for a second after a failure. This function waits less.
  void SleepForMicroseconds(int /*micros*/) override {
    rocksdb::EnvWrapper::SleepForMicroseconds(100);
  }

 private:
  class File;

  explicit FaultyEnv(rocksdb::Env* memory)
      : EnvWrapper(memory), memory_(memory) {}

  // Sets *taken to the number of bytes that can still be written, at most
  // `size`. Returns OK if all `size` bytes can be written.
  rocksdb::Status Take(const std::string& name, size_t size, size_t* taken);

  const std::unique_ptr<rocksdb::Env> memory_;
  std::atomic<int64_t> limit_{std::numeric_limits<int64_t>::max()};
  std::atomic<int64_t> bytes_written_{0};
  std::atomic<int> failures_{0};
  Fault fault_ = Fault::kNoSpace;
  std::string part_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_FAULTY_ENV_H_
