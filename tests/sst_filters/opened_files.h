// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SST_FILTERS_OPENED_FILES_H_
#define CASSANDRA_BLOOM_TESTS_SST_FILTERS_OPENED_FILES_H_

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::testing {

// Returns the names of the files in `folder` that are opened while `work` runs,
// and that end so, one for each open.
inline std::vector<std::string> OpenedFiles(const std::string& folder,
                                            const std::string& end,
                                            const std::function<void()>& work) {
  const FileDescriptor events(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  EXPECT_GE(inotify_add_watch(events.get(), folder.c_str(), IN_OPEN), 0);
  work();
  std::vector<std::string> opened;
  alignas(inotify_event) char buffer[4096];
  ssize_t size;
  while ((size = read(events.get(), buffer, sizeof(buffer))) > 0) {
    for (const char* at = buffer; at < buffer + size;) {
      const auto* const event = reinterpret_cast<const inotify_event*>(at);
      const std::string name = event->len == 0 ? "" : event->name;
      if (EndsWith(name, end)) {
        opened.push_back(name);
      }
      at += sizeof(inotify_event) + event->len;
    }
  }
  return opened;
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SST_FILTERS_OPENED_FILES_H_
