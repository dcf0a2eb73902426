// SPDX-License-Identifier: Apache-2.0

// Temporary files. A file is first written under a temporary name, and gets its
// final name when it is complete. The temporary name is the final name,
// ".cassandra_bloom-" and eight random hexadecimal digits.
//
// The writer holds a lock on the temporary file (flock(2)), which ends with the
// writer's process. So a temporary file without a lock is a leftover, even if
// its writer ran in another container or on another machine.

#ifndef CASSANDRA_BLOOM_PLUGIN_IO_TEMPORARY_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_IO_TEMPORARY_FILE_H_

#include <functional>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// A temporary file. The destructor removes the file, unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // On failure, returns false and sets errno.
  bool Create();

  bool RenameTo(const std::string& path);
  void Remove();

  const std::string& path() const { return path_; }

  int fd() const { return fd_; }

 private:
  bool CreateAndLock();

  const std::string wanted_;
  std::string path_;
  int fd_ = -1;  // Holds the lock of the file.
  bool has_name_ = false;
  // The temporary file that this thread was already writing when it created
  // this file, or null.
  const TemporaryFile* outer_ = nullptr;

  friend void RemoveTemporaryFilesBeingWritten();
};

// Returns true if `suffix` looks like the end of a temporary name, such as
// ".cassandra_bloom-0123abcd".
bool IsTemporarySuffix(std::string_view suffix);

// Removes the files of a folder whose names `is_temporary` accepts. Keeps a
// file that a process is writing. Also keeps all files if the file system has
// no locks.
void RemoveLeftOversIn(
    const std::string& folder,
    const std::function<bool(const std::string& name)>& is_temporary);

// Removes leftover temporary files of `path`, or of its target if `path` is a
// symbolic link. Reads the whole folder. For many files in one folder, call
// RemoveLeftOversIn once instead.
void RemoveLeftOversOf(const std::string& path);

// Removes the temporary files that this thread is writing. This function is for
// a signal handler that ends the program, and is safe in a handler that runs in
// this thread. A thread that writes several files at once must finish the
// newest file first, because each file points to the next older one.
void RemoveTemporaryFilesBeingWritten();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_IO_TEMPORARY_FILE_H_
