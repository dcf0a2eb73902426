// SPDX-License-Identifier: Apache-2.0

// A folder that receives the exported filters of one database. It describes
// itself in a hidden file, the mark. The first line of the mark is the database
// (LiveSsts::database, with spaces for newlines). Each other line describes one
// Filter.db, with a tab between its parts:
//
//   NAME  IDENTITY  OPTIONS  WRITTEN
//
// IDENTITY is the LiveSst::identity of the SST file from which the filter was
// made, OPTIONS the text of ExportOptionsText, and WRITTEN the size and the
// modification time of the Filter.db. If several lines have the same NAME, the
// last one counts. A line that does not have these parts is ignored, because a
// process may be killed while it appends a line.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_FOLDER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_FOLDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/export/export_sst.h"
#include "plugin/export/live_ssts.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom {

inline constexpr char kFolderMarkName[] = ".cassandra_bloom_database";

class ExportFolder {
 public:
  // Creates the folder if its parent exists, and locks it. Only one thread of
  // all processes holds the lock at a time, but there is no lock on NFS. While
  // it waits for the lock, calls `stop`. Returns null, with `*error`, on
  // failure. If it was stopped, `*error` is left as it was.
  //
  // `options` is the text of ExportOptionsText. With `dry_run`, no function of
  // this class changes anything.
  static std::unique_ptr<ExportFolder> Open(const std::string& path,
                                            const std::string& sstable_version,
                                            const std::string& options,
                                            bool dry_run,
                                            const StopExport& stop,
                                            std::string* error);
  ~ExportFolder();
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  // Makes the folder that of `database`, or finds that it is already. Refuses a
  // folder of another database, because the filters of both would have the same
  // names. Without `take_over`, also refuses a folder without a mark that has
  // filters of this SSTable version, because an export would remove or replace
  // them. Refuses every folder that has SSTables of Cassandra.
  bool ClaimFor(const std::string& database, bool take_over,
                std::string* error);

  std::string FilterDbOf(uint64_t number) const;

  // Returns true if the mark says that the Filter.db was made from this SST
  // file with these options, and if the Filter.db has not changed since.
  bool HasFilterOf(const LiveSst& sst) const;

  // Removes the filters of this SSTable version that are not of one of these
  // SST files, and what killed exports have left. Adds the filters to
  // `*removed`.
  bool RemoveOthers(const LiveSsts& live, std::vector<std::string>* removed,
                    std::string* error);

  // Removes the filter with this number, if there is one.
  bool Remove(uint64_t number, std::string* error);

  // Appends the line of a new Filter.db to the mark. Does not sync the line to
  // disk, because that would be slow. If the line is lost, the filter is made
  // anew.
  bool Record(const LiveSst& sst, std::string* error);

  // Removes lines from the mark that describe no filter of the folder.
  bool Compact(std::string* error);

 private:
  struct Filter {
    std::string sst;
    std::string options;
    std::string written;
  };

  using NamedFilter = std::pair<const std::string, Filter>;

  ExportFolder(std::string path, std::string sstable_version,
               std::string options, bool dry_run)
      : path_(std::move(path)),
        version_(std::move(sstable_version)),
        options_(std::move(options)),
        dry_run_(dry_run) {}

  bool Lock(const StopExport& stop, std::string* error);
  bool ReadNames(std::string* error);
  bool ReadMark(bool* exists, std::string* error);
  void ParseLine(std::string_view line);
  static std::string LineOf(const NamedFilter& filter);
  bool WriteMark(std::string* error) const;
  bool IsUnchanged(const NamedFilter& filter) const;
  std::string MarkPath() const { return path_ + "/" + kFolderMarkName; }

  const std::string path_;
  const std::string version_;
  const std::string options_;
  const bool dry_run_;
  std::unique_ptr<FileDescriptor> lock_;
  std::vector<std::string> names_;  // The names in the folder at the beginning.
  std::string database_;
  std::map<std::string, Filter> filters_;  // Key: name.
  size_t num_lines_ = 0;                   // Of the mark, with the first line.
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_FOLDER_H_
