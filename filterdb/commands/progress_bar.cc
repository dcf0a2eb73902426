// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/progress_bar.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <utility>

namespace cassandra_bloom::tools {

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)), on_terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (shown_) {
    std::fprintf(stderr, "\r\x1b[K");
  }
}

void ProgressBar::Show(uint64_t done, uint64_t all) {
  if (!on_terminal_ || Clock::now() < next_) {
    return;
  }
  next_ = Clock::now() + std::chrono::milliseconds(200);
  shown_ = true;
  if (all == 0) {
    std::fprintf(stderr, "\r%s: %" PRIu64 " MB", what_.c_str(), done / 1000000);
  } else {
    std::fprintf(stderr, "\r%s: %" PRIu64 " %%", what_.c_str(),
                 100 * done / all);
  }
}

}  // namespace cassandra_bloom::tools
