// SPDX-License-Identifier: Apache-2.0

// Changes files in the folder of an SSTable. This is safe even for root in
// folders of other users: the folder is opened once, symbolic links under the
// names in it are not followed, and new files get the owner, the mode, the
// access control list and the security label of an earlier file.
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
#include "tools/sstable/bytes/file_sum.h"

namespace cassandra_bloom::tools {

// A sentence that names a file, and says what is wrong with it or what cannot
// be done with it.
struct FileError {
  std::string text;
};

// Why this folder cannot be created, or why no files can be created in it if it
// exists. Finds only reasons that can be known without trying; empty if there
// are none.
std::string ReasonNotToCreateIn(const std::string& folder);

// Creates the folder and its missing parent folders, and syncs their names to
// disk. Throws a FileError if that fails.
void CreateFolders(const std::string& folder);

// `bytes` must live longer than the result.
WriteContent ContentOf(const std::string& bytes);

// Functions that fail throw a FileError, except those that return a reason.
class PinnedFolder {
 public:
  explicit PinnedFolder(const std::string& folder);

  // Whether `real_path` is the absolute path of the folder, without links.
  bool IsAt(const std::string& real_path) const;

  // Whether both are the same folder, even if their paths differ.
  bool IsSameAs(const PinnedFolder& other) const;

  // Why no files can be created and renamed in it. Finds only reasons that can
  // be known without trying; empty if there are none.
  std::string ReasonNotWritable() const;

  // Why this process may not give the owner and the group of the file `name` to
  // another file in the folder. Empty if it may.
  std::string ReasonNotToKeepOwner(const std::string& name) const;

  // Locks the folder until this object is gone. Waits up to five seconds for
  // another process that holds the lock. Returns "" if the folder is locked,
  // otherwise the reason. Where the file system cannot lock folders, such as
  // NFS, returns "" without a lock.
  std::string Lock() const;

  // Whether anything has this name. True also if this cannot be found out.
  bool HasName(const std::string& name) const;

  // Whether there is a regular file of this name. Throws a FileError for a
  // symbolic link and everything else that is not a regular file, and if it
  // cannot be found out.
  bool HasFile(const std::string& name) const;

  // The size in bytes; 0 if there is no such file.
  uint64_t SizeOf(const std::string& name) const;
  // How many names the file has; 0 if there is no such file.
  uint64_t NumLinksOf(const std::string& name) const;

  // Writes a new file, which replaces `name` if that exists. The file gets the
  // attributes of `like`, which must exist and may be `name`. Calls
  // `before_naming`, which may be null, when everything is written and before
  // the file gets its name. If `before_naming` throws, nothing has changed.
  void Replace(const std::string& name, const std::string& like,
               const WriteContent& write,
               const std::function<void()>& before_naming) const;

  // Gives the file `name` a second name, and syncs that name to disk. Also
  // succeeds if the file already has the second name; fails if another file has
  // it.
  void AddName(const std::string& name, const std::string& second) const;

  // Gives the file `from` the name `to`. Replaces a file that has the name
  // `to`. If the file already has both names, removes the name `from`.
  void Rename(const std::string& from, const std::string& to) const;

  // Writes a file with the owner and the mode that new files get.
  void Write(const std::string& name, bool overwrite,
             const WriteContent& write) const;

  void Remove(const std::string& name) const;

  // The size and the checksum of the file `name`. If `wanted` is not empty and
  // none of them has the file's size, does not read the file, and gives 0 as
  // the checksum.
  FileSum Sum(const std::string& name, const std::vector<FileSum>& wanted,
              const BetweenPieces& between_pieces) const;

  // The content of the file `name`. The file is read only when the result is
  // called, which also sets `*sum` to what was read.
  WriteContent ContentOf(const std::string& name,
                         const BetweenPieces& between_pieces,
                         FileSum* sum) const;

  // Reads a whole file, of at most `max_size` bytes.
  std::string Read(const std::string& name, uint64_t max_size) const;

  // Removes temporary files that killed runs have left in a folder. Does
  // nothing if the folder cannot be opened.
  static void RemoveLeftOvers(const std::string& folder);

  // A path that leads to the open folder through its descriptor. So another
  // folder that has got the name of this one meanwhile is not used.
  std::string OpenPath() const;
  // Replaces OpenPath() at the start of an error message by the name of the
  // folder.
  void NameInError(std::string* error) const;

 private:
  std::string PathOf(const std::string& name) const {
    return OpenPath() + "/" + name;
  }
  // Returns false, and sets errno, if there is no such file. Does not follow
  // links.
  bool StatusOf(const std::string& name, struct stat* status) const;
  bool AreOneFile(const std::string& name, const std::string& second) const;
  // Throws a FileError with the message for errno.
  [[noreturn]] void FailAt(const std::string& name, const char* what) const;
  [[noreturn]] void Fail(std::string error) const;

  const std::string folder_;
  const FileDescriptor fd_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_PINNED_FOLDER_H_
