// SPDX-License-Identifier: Apache-2.0

// Reads keys for a filter, one after another, from a list of keys or from the
// Index.db of an SSTable.
//
// Files are streamed through less than 512 KiB of memory. Keys have 0 ... 65535
// bytes, as Cassandra's partition keys do.
//
// Errors are sentences that name the file, the line (from 1) or the byte (from
// 0), and what was expected. Input that is not understood is an error and is
// not skipped: the filter would deny a key that was left out. Functions throw
// only if memory cannot be allocated.

#ifndef CASSANDRA_BLOOM_KEY_READER_H_
#define CASSANDRA_BLOOM_KEY_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// Only one thread at a time may use a reader; readers are independent of each
// other.
class KeyReader {
 public:
  KeyReader() = default;
  virtual ~KeyReader() = default;
  KeyReader(const KeyReader&) = delete;
  KeyReader& operator=(const KeyReader&) = delete;

  // Gets the next key, valid until the next call of Next or Rewind. At the end
  // and on an error, returns false, with `*key` unspecified; error() is empty
  // at the end, and set on an error. Then every call returns false until
  // Rewind.
  virtual bool Next(std::string_view* key) = 0;

  // Starts again with the first key and forgets an error. Returns false, with
  // an error(), if the input can be read only once, like a pipe or a terminal.
  //
  // A file is read up to the size that it had when it was opened. So the second
  // reading gives the same keys even if bytes were appended.
  virtual bool Rewind() = 0;

  // The error of Next or Rewind; empty if there was none.
  virtual const std::string& error() const = 0;

  // bytes_read: the bytes that the keys so far took in the input, since the
  // beginning or the last Rewind. total_bytes: the bytes of the whole input, or
  // 0 if that is not known before the end.
  virtual uint64_t bytes_read() const = 0;
  virtual uint64_t total_bytes() const = 0;
};

enum class KeyFormat {
  // One key per line in hexadecimal: an even number of digits in either case,
  // with or without "0x" before them, and nothing else. "0x" alone is the empty
  // key; an empty line is an error, because it is not clear what was meant.
  // Lines end in LF or CR LF.
  kHexLines,

  // One key per line, byte for byte and without any escapes; an empty line is
  // the empty key. Lines end in LF. A CR before the LF is an error, because
  // every key of the file might be wrong, whether the CR is kept or dropped.
  // Keys that contain LF or end in CR need another format. A first key that
  // begins with the byte order mark of UTF-8, EF BB BF, also needs another
  // format. Here it is an error, because an editor may have added the mark:
  // both keeping and dropping it might be wrong.
  kTextLines,

  // The length as an unsigned 16-bit big-endian number, then the key.
  kLengthPrefixed,
};

// Opens a list of keys. The last line of a file need not end in LF. Returns
// nullptr, with an error, if the file cannot be opened; errors in its content
// come from Next.
//
// `path`: "-" is standard input, read from its current position; it is not
// closed.
std::unique_ptr<KeyReader> OpenKeys(const std::string& path, KeyFormat format,
                                    std::string* error);

// Opens the Index.db that goes with a Filter.db. The reader returns the
// partition keys of the SSTable, in the order of their tokens.
//
// `path`: as for OpenKeys.
//
// `sstable_version`: the version in the file's name, for example "nb" (as for
// FormOfSstableVersion in filter_db.h). The layout of Index.db depends on it.
// SSTables with a trie index ("da", and ScyllaDB's "ms" and "mt") have no
// Index.db; for these versions this function fails, and the error says that
// their whole keys are in Data.db.
//
// Checks that every part of an entry is complete, and that the positions in
// Data.db that Index.db holds begin with 0 and increase. An Index.db without
// keys is an error, because no SSTable is empty. A file that was cut exactly
// between two keys is not detected: it looks like a complete file.
std::unique_ptr<KeyReader> OpenIndexDb(const std::string& path,
                                       std::string_view sstable_version,
                                       std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_KEY_READER_H_
