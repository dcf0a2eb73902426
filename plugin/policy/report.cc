// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/report.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace cassandra_bloom {

void ReportError(ROCKSDB_NAMESPACE::Logger* info_log, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (info_log != nullptr) {
    info_log->Logv(ROCKSDB_NAMESPACE::InfoLogLevel::ERROR_LEVEL, format,
                   arguments);
  } else {
    std::vfprintf(stderr, format, arguments);
    std::fputc('\n', stderr);
  }
  va_end(arguments);
}

void ReportNoMemory(ROCKSDB_NAMESPACE::Logger* info_log, uint64_t num_entries) {
  ReportError(info_log,
              "cassandra_bloom: no memory for a filter of %" PRIu64
              " entries: its keys are found, but not filtered, until the next "
              "compaction",
              num_entries);
}

}  // namespace cassandra_bloom
