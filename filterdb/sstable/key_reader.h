// SPDX-License-Identifier: Apache-2.0

// Reads keys for a filter, one after another. The keys come from a list of keys
// or from an SSTable (sstable_keys.h).
//
// Files are streamed, and never held in memory as a whole. Keys have 0 to 65535
// bytes, like Cassandra's partition keys.
//
// Errors are sentences that name the file, the place in the file and what was
// expected. The place is a line (counted from 1) or a byte (counted from 0).
// Input that the reader does not understand is an error. The reader does not
// skip such input, because a filter without the skipped key would say that this
// key is absent. Functions throw if memory or file descriptors run out, and for
// files that are not supported (byte_source.h).

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_KEY_READER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_KEY_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// Only one thread at a time may use a reader. Different threads may use
// different readers at the same time.
class KeyReader {
 public:
  KeyReader() = default;
  virtual ~KeyReader() = default;
  KeyReader(const KeyReader&) = delete;
  KeyReader& operator=(const KeyReader&) = delete;

  // Sets `*key` to the next key and returns true. The key is valid until the
  // next call. Returns false at the end and on an error. error() is empty at
  // the end, and not empty after an error. After Next has returned false, it
  // always does. When Next returns false, `*key` is unspecified.
  virtual bool Next(std::string_view* key) = 0;

  // Returns the error of Next, or "" if there was none.
  const std::string& error() const { return error_; }

  // Returns how many bytes of the input the keys took.
  uint64_t bytes_read() const { return bytes_read_; }

  // Returns the size of the whole input in bytes, or 0 if the size is not known
  // before the end.
  uint64_t total_bytes() const { return total_bytes_; }

 protected:
  std::string error_;
  uint64_t bytes_read_ = 0;
  uint64_t total_bytes_ = 0;
};

enum class KeyFormat {
  // One key per line, as hexadecimal digits in upper or lower case, two for
  // each byte. "0x" may stand before the digits. Nothing else may be in the
  // line. "0x" alone is the empty key. An empty line is an error, because it is
  // not clear what was meant. Lines end in LF or CR LF.
  kHexLines,

  // One key per line, byte for byte and without escapes. An empty line is the
  // empty key. Lines end in LF.
  //
  // A CR before the LF is an error, because it is not clear whether the CR
  // belongs to the key. Keys that contain LF or end in CR need kHexLines.
  //
  // A byte order mark of UTF-8 (EF BB BF) at the beginning is an error, because
  // an editor may have added it. A first key that begins with these bytes needs
  // kHexLines.
  kTextLines,
};

// Returns `path`, or "standard input" for "-".
std::string NameOfInput(const std::string& path);

// Opens a list of keys. If the file cannot be opened, returns nullptr and sets
// `*error`. Errors in the content come from Next. The last line of a file may
// be without LF.
//
// `path`: a file, or "-" for standard input. Standard input is read from its
// current position and is not closed.
std::unique_ptr<KeyReader> OpenKeys(const std::string& path, KeyFormat format,
                                    std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_KEY_READER_H_
