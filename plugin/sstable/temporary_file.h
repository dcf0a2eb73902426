// SPDX-License-Identifier: Apache-2.0

// The file that is written first and becomes the wanted one when it is whole:
// its name with ".tmp" and the number of the process.

#ifndef CASSANDRA_BLOOM_PLUGIN_SSTABLE_TEMPORARY_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_SSTABLE_TEMPORARY_FILE_H_

#include <string>
#include <string_view>

namespace cassandra_bloom {

// Removed at the end, unless it has become the file.
class TemporaryFile {
 public:
  // In the folder of `path`.
  explicit TemporaryFile(const std::string& path);
  ~TemporaryFile() { Remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // A file descriptor, or what open() gives if it fails.
  int Create();

  bool RenameTo(const std::string& path);
  void Remove();

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  bool created_ = false;
};

// Whether a file whose name goes on so after that of the wanted one is what a
// process that is no more has left.
bool IsLeftOver(std::string_view suffix);

// Removes the temporary files of `path`, or of the file that it is a symbolic
// link to, that are left over. Reads the whole folder, so once for many files
// is better: see IsLeftOver.
void RemoveLeftOversOf(const std::string& path);

// For the handler of a signal that ends the program: removes the temporary file
// that is being written, the last one where threads write several. Safe in a
// handler that runs in the thread that writes.
void RemoveTemporaryFileBeingWritten();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_SSTABLE_TEMPORARY_FILE_H_
