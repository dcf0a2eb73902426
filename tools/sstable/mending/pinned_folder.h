// SPDX-License-Identifier: Apache-2.0

// Changes files in the folder of an SSTable, safely for a program that runs as
// root in folders of other users: the folder is opened once, names in it are
// used without following symbolic links, and new files get the owner, the mode,
// the access control list and the security label of a file that was there.

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

// Whether this folder can be created, or files in it if it exists, as far as
// this can be known before it is tried.
bool CanCreateIn(const std::string& folder, std::string* error);

// Creates the folder with those above it, and syncs their names to disk.
bool CreateFolders(const std::string& folder, std::string* error);

// `bytes` must live longer than the result.
WriteContent ContentOf(const std::string& bytes);

// Errors are sentences that name the file.
class PinnedFolder {
 public:
  static std::unique_ptr<PinnedFolder> Open(const std::string& folder,
                                            std::string* error);

  // Whether this is its absolute path, without links.
  bool IsAt(const std::string& real_path) const;

  // Whether both are one folder, by whatever paths they were opened.
  bool IsSameAs(const PinnedFolder& other) const;

  // Whether files can be made and renamed in it, as far as this can be known
  // before it is tried.
  bool IsWritable(std::string* error) const;

  // Whether this process may give the owner and the group of the file `name` to
  // another file in the folder.
  bool CanKeepOwner(const std::string& name, std::string* error) const;

  // Keeps other processes that call this waiting until this object is gone.
  // Fails if another one keeps this one waiting for seconds. Succeeds without a
  // lock where the file system cannot lock folders, as NFS.
  bool Lock(std::string* error) const;

  enum class Kind { kNone, kFile, kRefused };

  // What `name` is. kRefused, with an error, for a symbolic link and everything
  // else that is not a regular file, and if it cannot be found out.
  Kind KindOf(const std::string& name, std::string* error) const;

  // In bytes; 0 if there is no such file.
  uint64_t SizeOf(const std::string& name) const;
  // How many names the file has; 0 if there is no such file.
  uint64_t NumLinksOf(const std::string& name) const;

  // Writes a file in place of `name`, or a new one, with the attributes of
  // `like`, which must exist and may be `name`. Calls `before_naming` when
  // everything is written; if it throws, nothing has changed. It may be null.
  bool Replace(const std::string& name, const std::string& like,
               const WriteContent& write,
               const std::function<void()>& before_naming,
               std::string* error) const;

  // Gives the file `name` a second name, and syncs it to disk. Succeeds, too,
  // if it has that name already; fails if another file has it.
  bool AddName(const std::string& name, const std::string& second,
               std::string* error) const;

  // Gives the file `from` the name `to`, in place of the file of that name. If
  // it has that name, too, it loses the other.
  bool Rename(const std::string& from, const std::string& to,
              std::string* error) const;

  // Writes a file with the owner and the mode that new files get.
  bool Write(const std::string& name, bool overwrite, const WriteContent& write,
             std::string* error) const;

  bool Remove(const std::string& name, std::string* error) const;

  // The sum of the file `name`. If there are `wanted` sums, and it has the size
  // of none, it is not read, and its checksum is left 0.
  bool Sum(const std::string& name, const std::vector<FileSum>& wanted,
           const BetweenPieces& between_pieces, FileSum* sum,
           std::string* error) const;

  // The content of the file `name`, which is read while it is written. Sets
  // `*sum` to what was read.
  WriteContent ContentOf(const std::string& name,
                         const BetweenPieces& between_pieces,
                         FileSum* sum) const;

  // Reads a whole file, of at most `max_size` bytes.
  bool Read(const std::string& name, uint64_t max_size, std::string* content,
            std::string* error) const;

  // Removes temporary files that earlier, killed runs left behind.
  void RemoveLeftOvers() const;

  // A path to the folder by the open descriptor, so that another folder which
  // has taken the folder's name meanwhile is not used.
  std::string OpenPath() const;
  // Puts the name of the folder into an error that begins with that path.
  void NameInError(std::string* error) const;

 private:
  PinnedFolder(const std::string& folder, int fd) : folder_(folder), fd_(fd) {}

  std::string PathOf(const std::string& name) const {
    return OpenPath() + "/" + name;
  }
  // False, with errno, if there is no such file. Does not follow links.
  bool StatusOf(const std::string& name, struct stat* status) const;
  bool AreOneFile(const std::string& name, const std::string& second) const;
  bool FailAt(const std::string& name, const char* what,
              std::string* error) const;

  const std::string folder_;
  const FileDescriptor fd_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_PINNED_FOLDER_H_
