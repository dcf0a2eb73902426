// SPDX-License-Identifier: Apache-2.0

// Where bytes come from, one after another.

#ifndef CASSANDRA_BLOOM_PLUGIN_SSTABLE_BYTE_SOURCE_H_
#define CASSANDRA_BLOOM_PLUGIN_SSTABLE_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace cassandra_bloom {

// An error is one sentence without the source's name.
class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Reads 1 ... `capacity` bytes, or none at the end.
  virtual bool Read(char* to, size_t capacity, size_t* size,
                    std::string* error) = 0;

  // Passes over `size` bytes. False, with nothing done, if they can only be
  // read.
  virtual bool TrySkip(uint64_t size) = 0;

  virtual bool Rewind(std::string* error) = 0;

  // 0: not known.
  virtual uint64_t total_bytes() const = 0;
};

// "-" is standard input. The error names the path.
std::unique_ptr<ByteSource> OpenByteSource(const std::string& path,
                                           std::string* error);

// What errors call it.
std::string NameOfInput(const std::string& path);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_SSTABLE_BYTE_SOURCE_H_
