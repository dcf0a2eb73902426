// SPDX-License-Identifier: Apache-2.0

// A temporary file is written first and gets the wanted name when it is
// complete. Its own name is the wanted one followed by ".cassandra_bloom-" and
// eight random hexadecimal digits. Its writer holds a lock on it (flock(2)),
// which ends with the process. So a file that is not locked is a leftover,
// whatever container or machine its writer ran in.

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
  // The temporary file that this thread was already writing when this one was
  // begun, or null.
  const TemporaryFile* outer_ = nullptr;

  friend void RemoveTemporaryFilesBeingWritten();
};

// True if a temporary file's name can have `suffix` after the wanted name.
bool IsTemporarySuffix(std::string_view suffix);

// Removes the files of a folder that `is_temporary` accepts by their names.
// Keeps a file if a process is writing it, or if this cannot be determined (as
// on a file system without locks).
void RemoveLeftOversIn(
    const std::string& folder,
    const std::function<bool(const std::string& name)>& is_temporary);

// Removes leftover temporary files of `path`. If `path` is a symbolic link,
// removes those of its target. Reads the whole folder; for many files, call
// RemoveLeftOversIn once.
void RemoveLeftOversOf(const std::string& path);

// Removes the temporary files that this thread is writing, for the handler of a
// signal that ends the program. Safe in a handler that runs in this thread. If
// a file is begun while another one is being written, it must end first.
void RemoveTemporaryFilesBeingWritten();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_IO_TEMPORARY_FILE_H_
