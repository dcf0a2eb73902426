// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include "filterdb/sstable/bytes/file_sum.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

constexpr char kFormat[] = "filterdb run 1 ";
constexpr char kFormatOfOldBackups[] = "filterdb mend 1";
constexpr uint64_t kMaxListSize = uint64_t{4} << 30;  // In bytes.
constexpr const char* kKinds[] = {"good", "left", "toc", "new"};
constexpr char kNoFilter[] = "-";

[[noreturn]] void Throw(const std::string& error) {
  throw std::runtime_error(error);
}

[[noreturn]] void ThrowAt(const std::string& path, const char* what) {
  std::string error;
  FailWithErrno(path, what, &error);
  Throw(error);
}

// ---- Lines ----

// A path may have any byte but 0. In the list, it has no space and no line end.
std::string Escaped(const std::string& path) {
  std::string escaped;
  for (const char c : path) {
    char hex[8];
    std::snprintf(hex, sizeof(hex), "%%%02x", static_cast<unsigned char>(c));
    escaped += c <= ' ' || c == '%' || c == '\x7f' ? hex : std::string(1, c);
  }
  return escaped;
}

std::string Unescaped(const std::string& escaped) {
  std::string path;
  for (size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] == '%' && i + 2 < escaped.size()) {
      path += static_cast<char>(
          std::strtoul(escaped.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      path += escaped[i];
    }
  }
  return path;
}

std::string TextOf(const FileStamp& stamp) {
  const auto& [inode, size, seconds, nanoseconds] = stamp;
  return std::to_string(inode) + " " + std::to_string(size) + " " +
         std::to_string(seconds) + " " + std::to_string(nanoseconds);
}

std::string TextOf(const std::optional<uint32_t>& crc) {
  return crc ? HexOfCrc(*crc) : kNoFilter;
}

// The names without spaces, such as "hides_rows+not_known".
std::string WordOf(const Harms& harms) {
  std::string word;
  for (auto i = static_cast<uint8_t>(Harm::kRefused);
       i > static_cast<uint8_t>(Harm::kNone); --i) {
    const auto harm = static_cast<Harm>(i);
    word += harms.has(harm)
                ? (word.empty() ? "" : "+") + std::string(NameOf(harm))
                : "";
  }
  std::replace(word.begin(), word.end(), ' ', '_');
  return word.empty() ? NameOf(Harm::kNone) : word;
}

std::string TextOf(const RunLine& line) {
  return std::to_string(line.number) + " " + kKinds[line.kind] + " " +
         WordOf(line.harms) + " " + TextOf(line.data) + " " +
         TextOf(line.index) + " " + HexOfCrc(line.index_crc) + " " +
         TextOf(line.old_filter) + " " + TextOf(line.new_filter) + " " +
         Escaped(line.prefix);
}

void Parse(std::istringstream* fields, FileStamp* stamp) {
  auto& [inode, size, seconds, nanoseconds] = *stamp;
  *fields >> inode >> size >> seconds >> nanoseconds;
}

void Parse(std::istringstream* fields, std::optional<uint32_t>* crc) {
  std::string text;
  *fields >> text;
  *crc = text == kNoFilter ? std::nullopt
                           : std::make_optional(static_cast<uint32_t>(
                                 std::strtoul(text.c_str(), nullptr, 16)));
}

// A number that does not fit would be another file's: so whatever is not what
// TextOf writes is refused.
bool ParseLine(const std::string& text, RunLine* line) {
  constexpr size_t kCrcSize = 9;  // With the space behind it.
  if (text.size() < kCrcSize ||
      text.substr(0, kCrcSize) !=
          HexOfCrc(Crc32(text.substr(kCrcSize))) + " ") {
    return false;
  }
  std::istringstream fields(text.substr(kCrcSize));
  std::string kind;
  std::string harms;
  std::string path;
  std::optional<uint32_t> index_crc;
  fields >> line->number >> kind >> harms;
  Parse(&fields, &line->data);
  Parse(&fields, &line->index);
  Parse(&fields, &index_crc);
  Parse(&fields, &line->old_filter);
  Parse(&fields, &line->new_filter);
  fields >> path;
  line->index_crc = index_crc.value_or(0);
  line->prefix = Unescaped(path);
  const auto* const known =
      std::find(std::begin(kKinds), std::end(kKinds), kind);
  if (known == std::end(kKinds)) {
    return false;
  }
  line->kind = static_cast<RunLine::Kind>(known - std::begin(kKinds));
  for (auto i = static_cast<uint8_t>(Harm::kNone);
       i <= static_cast<uint8_t>(Harm::kRefused); ++i) {
    Harms one;
    one.Add(static_cast<Harm>(i));
    if (("+" + harms + "+").find("+" + WordOf(one) + "+") !=
        std::string::npos) {
      line->harms.Add(one);
    }
  }
  return line->prefix.front() == '/' && TextOf(*line) == text.substr(kCrcSize);
}

// ---- The folder ----

std::string Absolute(const std::string& folder) {
  std::string path = fs::absolute(folder).lexically_normal().string();
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

void MakeFolder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    ThrowAt(folder, "cannot make the folder");
  }
}

std::string ModeText(mode_t mode) {
  char text[16];
  std::snprintf(text, sizeof(text), "%04o",
                static_cast<unsigned>(mode & 07777));
  return text;
}

std::string WhyNotTrusted(const struct stat& status, bool is_last,
                          const std::string& command) {
  const std::string who = NameOfUser(status.st_uid);
  if (S_ISLNK(status.st_mode)) {
    return "is a link; give the path that it leads to";
  }
  if (status.st_uid != 0 && status.st_uid != geteuid()) {
    return is_last && geteuid() == 0 && !command.empty()
               ? "belongs to " + who +
                     "; run: " + FilterdbAs(status.st_uid, status.st_gid) +
                     " " + command
               : "belongs to " + who +
                     ", who could change what is in it; give "
                     "a folder below those of root and " +
                     NameOfUser(geteuid());
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return "belongs to " + who + " and has the mode " +
           ModeText(status.st_mode) +
           ", so that others could change what is in it; chmod go-w it, or "
           "give a folder elsewhere, not below /tmp";
  }
  return "";
}

}  // namespace

std::string WhyNotTrusted(const std::string& path, const std::string& command) {
  std::string above;
  auto fd = std::make_unique<FileDescriptor>(
      open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const fs::path parts = path;
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    const bool is_root = above.empty();
    above += is_root ? "/" : (above == "/" ? "" : "/") + part->string();
    auto next =
        is_root
            ? std::move(fd)
            : std::make_unique<FileDescriptor>(openat(
                  fd->get(), part->c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status;
    if (next->get() < 0 || fstat(next->get(), &status) != 0) {
      std::string error;
      FailWithErrno(above, "cannot open", &error);
      return error;
    }
    const std::string why =
        WhyNotTrusted(status, std::next(part) == parts.end(), command);
    if (!why.empty()) {
      return above + ": " + why;
    }
    fd = std::move(next);
  }
  return "";
}

bool HoldsSstables(const std::string& folder) {
  std::error_code ignored;
  const auto names = NamesIn(
      folder,
      [](const std::string& name) {
        return ParseComponentName(name).has_value();
      },
      &ignored);
  return !names.empty();
}

std::unique_ptr<RunFolder> RunFolder::ForMend(const std::string& folder) {
  const std::string path = Absolute(folder);
  if (!NameExists(path)) {
    const std::string why =
        WhyNotTrusted(fs::path(path).parent_path().string(), "");
    if (!why.empty()) {
      Throw(why);
    }
    MakeFolder(path);
  }
  const std::string why = WhyNotTrusted(path, "mend --run=" + path + " …");
  if (!why.empty()) {
    Throw(why);
  }
  const std::string list = path + "/list";
  std::error_code ignored;
  if (!NameExists(list) && !fs::is_empty(path, ignored)) {
    Throw(path + ": is not empty, and not the folder of a run; give a new one");
  }
  MakeFolder(path + "/new");
  MakeFolder(path + "/old");
  if (!fs::is_empty(path + "/old", ignored)) {
    Throw(path + ": was installed, or begun to be; give a new folder");
  }
  std::unique_ptr<RunFolder> run(new RunFolder(path, /*for_mend=*/true));
  // A killed mend may not even have written the first line.
  std::string content;
  std::string ignored_error;
  ReadRegularFile(list, kMaxListSize, &content, &ignored_error);
  if (content.find('\n') == std::string::npos &&
      ftruncate(run->list_->get(), 0) == 0) {
    run->Begin();
  }
  run->Read();
  return run;
}

std::unique_ptr<RunFolder> RunFolder::ForInstall(const std::string& folder) {
  const std::string path = Absolute(folder);
  for (const std::string& file : {path, path + "/list"}) {
    const std::string why = WhyNotTrusted(file, "install " + path);
    if (!why.empty()) {
      Throw(why + (NameExists(file)
                       ? ""
                       : "; give the folder of a run (mend --run)"));
    }
  }
  MakeFolder(path + "/old");
  std::unique_ptr<RunFolder> run(new RunFolder(path, /*for_mend=*/false));
  run->Read();
  return run;
}

// Two runs at once would take each other's temporary files away.
RunFolder::RunFolder(const std::string& path, bool for_mend) : path_(path) {
  const std::string list = path_ + "/list";
  list_ = std::make_unique<FileDescriptor>(open(
      list.c_str(),
      O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC | (for_mend ? O_CREAT : 0),
      0600));
  if (list_->get() < 0) {
    ThrowAt(list, "cannot open");
  }
  if (flock(list_->get(), LOCK_EX | LOCK_NB) != 0) {
    ThrowAt(list, "another filterdb works with this folder");
  }
}

void RunFolder::Begin() {
  clock_gettime(CLOCK_REALTIME, &time_);
  const std::string line = kFormat + std::to_string(time_.tv_sec) + " " +
                           std::to_string(time_.tv_nsec) + "\n";
  if (!WriteAll(list_->get(), line.data(), line.size())) {
    ThrowAt(path_ + "/list", "cannot write");
  }
}

void RunFolder::Read() {
  const std::string path = path_ + "/list";
  std::string content;
  std::string error;
  if (!ReadRegularFile(list_->get(), path, kMaxListSize, &content, &error)) {
    Throw(error);
  }
  // A killed run may leave the beginning of a line.
  const size_t end = content.rfind('\n') + 1;
  if (end < content.size() &&
      ftruncate(list_->get(), static_cast<off_t>(end)) != 0) {
    ThrowAt(path, "cannot cut the last line off");
  }
  content.resize(end);
  std::istringstream lines(content);
  std::string text;
  std::getline(lines, text);
  if (text == kFormatOfOldBackups) {
    Throw(path_ +
          ": the backup of a mend by an earlier filterdb, which alone "
          "puts it back (mend --undo); its filters are below it, under "
          "their paths");
  }
  if (text.rfind(kFormat, 0) != 0) {
    Throw(path + ": is not the list of a run of this filterdb");
  }
  std::istringstream(text.substr(sizeof(kFormat) - 1)) >> time_.tv_sec >>
      time_.tv_nsec;
  suffix_ = ".filterdb-" + std::to_string(time_.tv_sec) + "-" +
            std::to_string(time_.tv_nsec);
  std::map<std::string, RunLine> by_path;
  while (std::getline(lines, text)) {
    RunLine line;
    if (!ParseLine(text, &line)) {
      Throw(path + ": is damaged: " + text);
    }
    next_number_ = std::max(next_number_, line.number + 1);
    by_path[line.prefix] = std::move(line);
  }
  lines_.clear();
  for (auto& [prefix, line] : by_path) {
    lines_.push_back(std::move(line));
  }
}

void RunFolder::Append(const RunLine& line) {
  std::string text = TextOf(line);
  text = HexOfCrc(Crc32(text)) + " " + text + "\n";
  if (!WriteAll(list_->get(), text.data(), text.size())) {
    ThrowAt(path_ + "/list", "cannot write");
  }
}

void RunFolder::Sync() const {
  if (syncfs(list_->get()) != 0) {
    ThrowAt(path_, "cannot sync");
  }
}

}  // namespace cassandra_bloom::tools
