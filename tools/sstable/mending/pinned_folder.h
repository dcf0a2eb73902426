// SPDX-License-Identifier: Apache-2.0

// Changes files in the folder of an SSTable, safely for a program that runs as
// root in folders of other users: the folder is opened once, names in it are
// used without following symbolic links, and new files get the owner, the mode,
// the access control list and the security label of a file that was there.
// Tested in tests/sstable/mending/kept_filter_test.cc.
// Tested in tests/filterdb/mend/mend_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_PINNED_FOLDER_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_PINNED_FOLDER_H_

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugin/io/file_io.h"
#include "plugin/io/output_file.h"
#include "tools/sstable/mending/file_sum.h"

namespace cassandra_bloom::tools {

// A sentence that names a file, and what cannot be done with it, or what is
// wrong with it.
struct FileError {
  std::string text;
};

// Why this folder cannot be created or, if it exists, why no files can be
// created in it, as far as this can be known without trying. Empty if they can.
std::string ReasonNotToCreateIn(const std::string& folder);

// Creates the folder with those above it, and syncs their names to disk. Throws
// a FileError if that fails.
void CreateFolders(const std::string& folder);

// `bytes` must live longer than the result.
WriteContent ContentOf(const std::string& bytes);

// Functions that fail throw a FileError, except those that return a reason.
class PinnedFolder {
 public:
  explicit PinnedFolder(const std::string& folder);

  // Whether `real_path` is the absolute path of the folder, without links.
  bool IsAt(const std::string& real_path) const;

  // Whether both are one folder, by whatever paths they were opened.
  bool IsSameAs(const PinnedFolder& other) const;

  // Why no files can be made and renamed in it, as far as this can be known
  // before it is tried. Empty if they can.
  std::string ReasonNotWritable() const;

  // Why this process may not give the owner and the group of the file `name` to
  // another file in the folder. Empty if it may.
  std::string ReasonNotToKeepOwner(const std::string& name) const;

  // Locks the folder until this object is gone. Waits up to five seconds for
  // another process that holds the lock. Returns "" if the folder is locked,
  // otherwise the reason. Where the file system cannot lock folders, such as
  // NFS, returns "" without a lock.
  std::string Lock() const;

  // Whether anything has this name.
  bool HasName(const std::string& name) const;

  // Whether there is a regular file of this name. Throws a FileError for a
  // symbolic link and everything else that is not a regular file, and if it
  // cannot be found out.
  bool HasFile(const std::string& name) const;

  // The size in bytes; 0 if there is no such file.
  uint64_t SizeOf(const std::string& name) const;
  // How many names the file has; 0 if there is no such file.
  uint64_t NumLinksOf(const std::string& name) const;

  // Writes a file in place of `name`, or a new one, with the attributes of
  // `like`, which must exist and may be `name`. Calls `before_naming` when
  // everything is written; if it throws, nothing has changed. It may be null.
  void Replace(const std::string& name, const std::string& like,
               const WriteContent& write,
               const std::function<void()>& before_naming) const;

  // Gives the file `name` a second name, and syncs it to disk. Succeeds, too,
  // if it has that name already; fails if another file has it.
  void AddName(const std::string& name, const std::string& second) const;

  // Gives the file `from` the name `to`, in place of any file of that name. If
  // the file already has both names, it loses `from`.
  void Rename(const std::string& from, const std::string& to) const;

  // Writes a file with the owner and the mode that new files get.
  void Write(const std::string& name, bool overwrite,
             const WriteContent& write) const;

  void Remove(const std::string& name) const;

  // Size and checksum of the file `name`. If `wanted` is not empty and none of
  // its sizes fits, the file is not read, and the checksum is 0.
  FileSum Sum(const std::string& name, const std::vector<FileSum>& wanted,
              const BetweenPieces& between_pieces) const;

  // The content of the file `name`, which is read while it is written. Sets
  // `*sum` to what was read.
  WriteContent ContentOf(const std::string& name,
                         const BetweenPieces& between_pieces,
                         FileSum* sum) const;

  // Reads a whole file, of at most `max_size` bytes.
  std::string Read(const std::string& name, uint64_t max_size) const;

  // Removes temporary files that earlier, killed runs left behind in a folder,
  // if it can be opened.
  static void RemoveLeftOvers(const std::string& folder);

  // A path to the folder by the open descriptor, so that another folder which
  // has taken the folder's name meanwhile is not used.
  std::string OpenPath() const;
  // Replaces OpenPath() at the start of an error by the folder's name.
  void NameInError(std::string* error) const;

 private:
  std::string PathOf(const std::string& name) const {
    return OpenPath() + "/" + name;
  }
  // False, with errno, if there is no such file. Does not follow links.
  bool StatusOf(const std::string& name, struct stat* status) const;
  bool AreOneFile(const std::string& name, const std::string& second) const;
  // Throws the error that errno is.
  [[noreturn]] void FailAt(const std::string& name, const char* what) const;
  [[noreturn]] void Fail(std::string error) const;

  const std::string folder_;
  const FileDescriptor fd_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_PINNED_FOLDER_H_
