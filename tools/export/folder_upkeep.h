// SPDX-License-Identifier: Apache-2.0

// What an export command does to a folder beyond what a listener does.
//
// Tested in tests/export/export_folder_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_EXPORT_FOLDER_UPKEEP_H_
#define CASSANDRA_BLOOM_TOOLS_EXPORT_FOLDER_UPKEEP_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "plugin/export/export_folder.h"

namespace cassandra_bloom {

// Reads the lines of the mark.
bool ReadMark(const ExportFolder& folder, std::set<std::string>* lines,
              std::string* error);

// Returns true if one of the lines says that the Filter.db with this number was
// made from this SST file with these settings, and if neither has changed
// since.
bool HasFilterOf(const ExportFolder& folder, const std::set<std::string>& lines,
                 uint64_t number, const std::string& sst);

// Lists the numbers of the filters of this SSTable version. Without the setting
// dry_run, removes what killed exports have left: temporary files that are
// older than a day.
bool ListAndTidy(const ExportFolder& folder, std::vector<uint64_t>* numbers,
                 std::string* error);

// Removes lines from the mark that describe no filter of the folder.
bool ShortenMark(const ExportFolder& folder, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_TOOLS_EXPORT_FOLDER_UPKEEP_H_
