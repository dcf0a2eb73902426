// SPDX-License-Identifier: Apache-2.0

// Keys for a filter, one after another: from a list of keys, or from the
// Index.db of an SSTable.
//
// Files are streamed through less than 512 KiB of memory. Keys have 0 ... 65535
// bytes, as Cassandra's partition keys do.
//
// Errors are sentences that name the file, the line (from 1) or the byte (from
// 0) and what was expected there. Whatever is not understood is such an error:
// a key that was dropped would be a key that the filter denies. Nothing throws
// but for want of memory.

#ifndef CASSANDRA_BLOOM_KEY_READER_H_
#define CASSANDRA_BLOOM_KEY_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// One thread at a time; readers are independent of each other.
class KeyReader {
 public:
  KeyReader() = default;
  virtual ~KeyReader() = default;
  KeyReader(const KeyReader&) = delete;
  KeyReader& operator=(const KeyReader&) = delete;

  // The next key, valid until the next call of Next or Rewind. False, with
  // `*key` unspecified, at the end and at a fault: error() is then not empty.
  // Once false, it stays false until Rewind.
  virtual bool Next(std::string_view* key) = 0;

  // Begins with the first key again; a fault is forgotten. False, with an
  // error(), if the input can be read only once: a pipe, a terminal.
  //
  // A file is read up to the size that it had when it was opened, so that what
  // is appended meanwhile does not make the second reading differ.
  virtual bool Rewind() = 0;

  // Empty if there was no fault.
  virtual const std::string& error() const = 0;

  // Bytes that the keys so far took in the input, since the beginning or the
  // last Rewind, and bytes that there are in all. The latter is 0 if that is
  // not known before the end.
  virtual uint64_t bytes_read() const = 0;
  virtual uint64_t total_bytes() const = 0;
};

enum class KeyFormat {
  // A key per line in hexadecimal: an even number of digits in either case,
  // perhaps after "0x", and nothing else. "0x" alone is the empty key; an empty
  // line is an error, as it is not clear what was meant. Lines end in LF or
  // CR LF.
  kHexLines,

  // A key per line, byte for byte and without any escapes; an empty line is
  // the empty key. Lines end in LF. A CR before it is an error: kept or
  // dropped, it might make every key of the file a wrong one. Keys that
  // contain LF or end in CR need another format, and so does a first one that
  // begins with the byte order mark of UTF-8, EF BB BF: it is an error, because
  // an editor may have put it there, and dropped or kept it might be wrong.
  kTextLines,

  // The length as an unsigned 16-bit big-endian number, then the key.
  kLengthPrefixed,
};

// The last line of a file need not have an end. nullptr, and an error, if the
// file cannot be opened; what is in it shows in Next.
//
// `path`: "-" is standard input, from where it stands; it is not closed.
std::unique_ptr<KeyReader> OpenKeys(const std::string& path, KeyFormat format,
                                    std::string* error);

// The partition keys of an SSTable, from the Index.db that goes with its
// Filter.db, in the order of their tokens.
//
// `path`: as for OpenKeys.
//
// `sstable_version`: as for FormOfSstableVersion (filter_db.h), such as "nb"
// from the file's name: it tells how the file is laid out. SSTables with a trie
// for an index ("da", ScyllaDB's "ms" and "mt") have no Index.db, and no file
// but Data.db has their whole keys: an error that says so.
//
// Checked are the length of every part, and that positions in Data.db begin
// with 0 and increase. An Index.db of no keys is an error: no SSTable is empty.
// One that was cut exactly between two keys cannot be told from a whole one.
std::unique_ptr<KeyReader> OpenIndexDb(const std::string& path,
                                       std::string_view sstable_version,
                                       std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_KEY_READER_H_
