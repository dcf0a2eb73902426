// SPDX-License-Identifier: Apache-2.0

// Changes files in the folder of an SSTable. This is safe even for root in a
// folder of another user, because the folder is opened only once, and symbolic
// links in the folder are not followed. A new file can get the owner, mode,
// access control list and security label of an earlier file.
// Tested in filterdb/tests/mending/kept_filter_test.cc.
// Tested in filterdb/tests/commands/mend/mend_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_PINNED_FOLDER_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_PINNED_FOLDER_H_

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "filterdb/sstable/bytes/file_sum.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {

// A sentence that names a file and says what is wrong.
struct FileError {
  std::string text;
};

// Returns why `folder` cannot be created or written to, or "" if no reason is
// known.
std::string ReasonNotToCreateIn(const std::string& folder);

// Creates the folder and its missing parents, and syncs their names to disk.
// Throws a FileError if that fails.
void CreateFolders(const std::string& folder);

// Returns a function that writes `bytes`. `bytes` must outlive the function.
WriteContent ContentOf(const std::string& bytes);

// Functions that fail throw a FileError, except those that return a reason.
class PinnedFolder {
 public:
  explicit PinnedFolder(const std::string& folder);

  // Returns whether `real_path` is the path of the folder, without links.
  bool IsAt(const std::string& real_path) const;

  bool IsSameAs(const PinnedFolder& other) const;

  // Returns why no files can be created in the folder, or "" if no reason is
  // known.
  std::string ReasonNotWritable() const;

  // Returns why a new file cannot get the owner and group of the file `name`,
  // or "" if it can.
  std::string ReasonNotToKeepOwner(const std::string& name) const;

  // Locks the folder until this object is destroyed. Waits up to 5 seconds for
  // another process. Returns "" on success, otherwise the reason of the
  // failure. Also returns "" if the file system, such as NFS, cannot lock
  // folders.
  std::string Lock() const;

  // Returns whether a file or anything else has this name. If this cannot be
  // found out, returns true.
  bool HasName(const std::string& name) const;

  // Returns whether a regular file has this name. Throws a FileError if
  // anything else has the name.
  bool HasFile(const std::string& name) const;

  // Returns the size in bytes, or 0 if there is no such file.
  uint64_t SizeOf(const std::string& name) const;
  // Returns the number of hard links, or 0 if there is no such file.
  uint64_t NumLinksOf(const std::string& name) const;

  // Writes a new file with the name `name`, and replaces an earlier file of
  // this name. The new file gets the attributes of the file `like`. Calls
  // `before_naming`, if it is not null, before the new file gets its name. If
  // `before_naming` throws, an earlier file stays unchanged.
  void Replace(const std::string& name, const std::string& like,
               const WriteContent& write,
               const std::function<void()>& before_naming) const;

  // Gives a file a second name, and syncs that name to disk. Succeeds if the
  // file already has the second name.
  void AddName(const std::string& name, const std::string& second) const;

  // Renames a file, and replaces a file with the name `to`.
  void Rename(const std::string& from, const std::string& to) const;

  // Writes a file with the owner and the mode that new files get.
  void Write(const std::string& name, bool overwrite,
             const WriteContent& write) const;

  void Remove(const std::string& name) const;

  // Returns the size and CRC-32 of the file. If `wanted` is not empty, and if
  // no element of `wanted` has the size of the file, does not read the file.
  // The CRC-32 is then 0.
  FileSum Sum(const std::string& name, const std::vector<FileSum>& wanted,
              const BetweenPieces& between_pieces) const;

  // Returns a function that reads the file `name`, and sets `*sum` to the size
  // and CRC-32 of what it has read.
  WriteContent ContentOf(const std::string& name,
                         const BetweenPieces& between_pieces,
                         FileSum* sum) const;

  std::string Read(const std::string& name, uint64_t max_size) const;

  // Removes temporary files that killed runs have left in a folder.
  static void RemoveLeftOvers(const std::string& folder);

  // Returns a path that contains the descriptor of the open folder. The path
  // leads to the open folder, even if another folder now has its name.
  std::string OpenPath() const;
  // Replaces OpenPath() at the start of `*error` by the name of the folder.
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

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_PINNED_FOLDER_H_
