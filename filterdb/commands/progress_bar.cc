// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/progress_bar.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <utility>

namespace cassandra_bloom::tools {

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)), on_terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressBar::Wipe() {
  if (shown_) {
    std::fprintf(stderr, "\r\x1b[K");
    shown_ = false;
  }
}

void ProgressBar::Show(uint64_t done, uint64_t all) {
  constexpr int kWidth = 40;
  if (!on_terminal_ || Clock::now() < next_) {
    return;
  }
  next_ = Clock::now() + std::chrono::milliseconds(200);
  shown_ = true;
  if (all == 0) {
    std::fprintf(stderr, "\r%s: %" PRIu64 " MB", what_.c_str(), done / 1000000);
    return;
  }
  const double share = static_cast<double>(done) / static_cast<double>(all);
  const std::string bar(static_cast<size_t>(share * kWidth), '#');
  std::fprintf(stderr, "\r%s [%-*s] %3.0f %%", what_.c_str(), kWidth,
               bar.c_str(), 100 * share);
}

}  // namespace cassandra_bloom::tools
