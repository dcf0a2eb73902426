// SPDX-License-Identifier: Apache-2.0

// The file that is written first and becomes the wanted one when it is whole.
// Its name is that of the wanted one with ".cassandra_bloom-" and eight random
// hexadecimal digits. Its writer holds a lock of it (flock(2)), which ends with
// the process: one that is not locked is left over, whatever container or
// machine its writer ran in.

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
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // False, with errno, if it cannot be created.
  bool Create();

  bool RenameTo(const std::string& path);
  void Remove();

  const std::string& path() const { return path_; }

  // To write to.
  int fd() const { return fd_; }

 private:
  bool CreateAndLock();

  const std::string wanted_;
  std::string path_;
  int fd_ = -1;  // Holds the lock.
  bool has_name_ = false;
};

// Whether the name of a temporary file goes on so after that of the wanted one.
bool IsTemporarySuffix(std::string_view suffix);

// Removes a file of a temporary name, unless somebody writes it, or it cannot
// be told (as where the file system has no locks). Whether it was removed.
bool RemoveIfLeftOver(const std::string& path);

// Removes what is left over of the temporary files of `path`, or of the file
// that it is a symbolic link to. Reads the whole folder, so once for many files
// is better: see RemoveIfLeftOver.
void RemoveLeftOversOf(const std::string& path);

// For the handler of a signal that ends the program: removes the temporary file
// that is being written, the last one where threads write several. Safe in a
// handler that runs in the thread that writes.
void RemoveTemporaryFileBeingWritten();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_SSTABLE_TEMPORARY_FILE_H_
