// SPDX-License-Identifier: Apache-2.0

// A file is first written under a temporary name, and gets the wanted name when
// it is complete. The temporary name is the wanted name, ".cassandra_bloom-"
// and eight random hexadecimal digits. The writer holds a lock on the file
// (flock(2)), which ends with the writer's process. So a temporary file without
// a lock is a leftover, even if its writer ran in another container or on
// another machine.

#ifndef CASSANDRA_BLOOM_PLUGIN_IO_TEMPORARY_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_IO_TEMPORARY_FILE_H_

#include <functional>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// The destructor removes the file, unless it was renamed.
class TemporaryFile {
 public:
  // `path`: the wanted name. The temporary file will be in the same folder.
  explicit TemporaryFile(const std::string& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // Returns false, and sets errno, if the file cannot be created.
  bool Create();

  bool RenameTo(const std::string& path);
  void Remove();

  const std::string& path() const { return path_; }

  // The descriptor to write to.
  int fd() const { return fd_; }

 private:
  bool CreateAndLock();

  const std::string wanted_;
  std::string path_;
  int fd_ = -1;  // Holds the lock.
  bool has_name_ = false;
  // The temporary file that this thread was already writing when it began this
  // one, or null.
  const TemporaryFile* outer_ = nullptr;

  friend void RemoveTemporaryFilesBeingWritten();
};

// True if a temporary file's name can be the wanted name followed by `suffix`.
bool IsTemporarySuffix(std::string_view suffix);

// Removes those files of a folder whose names `is_temporary` accepts. Keeps a
// file if a process is writing it, or if that cannot be determined (as on a
// file system without locks).
void RemoveLeftOversIn(
    const std::string& folder,
    const std::function<bool(const std::string& name)>& is_temporary);

// Removes leftover temporary files of `path`, or of its target if `path` is a
// symbolic link. Reads the whole folder: for many files in one folder, call
// RemoveLeftOversIn once instead.
void RemoveLeftOversOf(const std::string& path);

// Removes the temporary files that this thread is writing. It is for the
// handler of a signal that ends the program, and is safe in a handler that runs
// in this thread. If a thread writes several files at once, it must end the
// newest first.
void RemoveTemporaryFilesBeingWritten();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_IO_TEMPORARY_FILE_H_
