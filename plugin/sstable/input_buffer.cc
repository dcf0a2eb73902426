// SPDX-License-Identifier: Apache-2.0

#include "plugin/sstable/input_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cassandra_bloom {

InputBuffer::InputBuffer(std::unique_ptr<ByteSource> source, size_t capacity)
    : source_(std::move(source)),
      capacity_(std::max<size_t>(capacity, 1)),
      buffer_(new char[capacity_]),
      begin_(buffer_.get()),
      end_(buffer_.get()) {}

bool InputBuffer::Fill(size_t wanted) {
  MakeRoom(wanted);
  while (size() < wanted) {
    if (!ReadMore()) {
      return false;
    }
  }
  return true;
}

// Room for `wanted` bytes, those that are buffered included.
void InputBuffer::MakeRoom(size_t wanted) {
  const auto used = static_cast<size_t>(begin_ - buffer_.get());
  if (used + wanted <= capacity_ && used <= capacity_ / 2) {
    return;
  }
  const size_t kept = size();
  if (wanted > capacity_) {
    const size_t larger = std::max(wanted, 2 * capacity_);
    std::unique_ptr<char[]> buffer(new char[larger]);
    std::memcpy(buffer.get(), begin_, kept);
    buffer_ = std::move(buffer);
    capacity_ = larger;
  } else {
    std::memmove(buffer_.get(), begin_, kept);
  }
  begin_ = buffer_.get();
  end_ = begin_ + kept;
}

bool InputBuffer::ReadMore() {
  if (at_end_) {
    return false;
  }
  char* const to = buffer_.get() + (end_ - buffer_.get());
  const size_t room = capacity_ - static_cast<size_t>(to - buffer_.get());
  size_t got = 0;
  at_end_ = !source_->Read(to, room, &got, &error_) || got == 0;
  end_ += got;
  end_offset_ += got;
  return got > 0;
}

bool InputBuffer::Skip(uint64_t size) {
  // Known without reading the rest of the file.
  if (total_bytes() != 0 && size > total_bytes() - offset()) {
    return false;
  }
  while (size > this->size()) {
    size -= this->size();
    begin_ = end_ = buffer_.get();
    if (source_->TrySkip(size)) {
      end_offset_ += size;
      return true;
    }
    if (!ReadMore()) {
      return false;
    }
  }
  Consume(static_cast<size_t>(size));
  return true;
}

bool InputBuffer::Rewind() {
  begin_ = end_ = buffer_.get();
  end_offset_ = 0;
  error_.clear();
  at_end_ = !source_->Rewind(&error_);
  return !at_end_;
}

}  // namespace cassandra_bloom
