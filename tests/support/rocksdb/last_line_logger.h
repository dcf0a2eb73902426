// SPDX-License-Identifier: Apache-2.0

// A RocksDB logger that keeps the last line, and allocates no memory.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_LAST_LINE_LOGGER_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_LAST_LINE_LOGGER_H_

#include <rocksdb/env.h>

#include <cstdarg>
#include <cstdio>
#include <string>

namespace cassandra_bloom::testing {

class LastLineLogger : public ROCKSDB_NAMESPACE::Logger {
 public:
  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    std::vsnprintf(line_, sizeof(line_), format, arguments);
    ++num_lines_;
  }
  std::string line() const { return line_; }
  int num_lines() const { return num_lines_; }

 private:
  char line_[500] = "";
  int num_lines_ = 0;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_LAST_LINE_LOGGER_H_
