// SPDX-License-Identifier: Apache-2.0

#include "plugin/preload/load_plugin.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

// True if Refuse has printed a message in this process. All preloaded libraries
// export this name, so that they share one variable.
extern "C" __attribute__((
    visibility("default"))) bool cassandra_bloom_preload_has_refused;
bool cassandra_bloom_preload_has_refused = false;

namespace cassandra_bloom {
namespace {

// The file of the plugin is kPluginFile, the RocksDB release (MAJOR.MINOR), and
// kAbi.
constexpr char kPluginFile[] = "librocksdb_cassandra_bloom.so.";
constexpr char kAbi[] = "-" CASSANDRA_BLOOM_ABI;

constexpr char kPluginFunction[] = "cassandra_bloom_register_with_rocksdb";

std::string FindOwnFolder() {
  Dl_info info;
  if (dladdr(kVersionFunction, &info) == 0 || info.dli_fname == nullptr) {
    return "";
  }
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "." : path.substr(0, slash);
  if (folder[0] == '/') {
    return folder;
  }
  char absolute[PATH_MAX];
  return realpath(folder.c_str(), absolute) != nullptr ? absolute : "";
}

// Returns the folder of this library, or "" if it is not known. Finds the
// folder only once, because a relative path is wrong after the program has
// changed its working folder.
const std::string& OwnFolder() {
  static const std::string& folder = *new std::string(FindOwnFolder());
  return folder;
}

__attribute__((constructor)) void RememberOwnFolder() { OwnFolder(); }

// Returns the path of the plugin for this version of RocksDB. If there is none,
// returns "" and sets `*searched` to all paths that were tried.
std::string FindPlugin(const std::string& version, std::string* searched) {
  for (const std::string& folder :
       {OwnFolder(), std::string(CASSANDRA_BLOOM_PLUGIN_DIR)}) {
    if (folder.empty()) {
      continue;
    }
    const std::string path = folder + "/" + kPluginFile + version + kAbi;
    if (access(path.c_str(), R_OK) == 0) {
      return path;
    }
    *searched += (searched->empty() ? "" : ", ") + path;
  }
  return "";
}

// The bytes of a regular file, or none if it cannot be read.
class FileBytes {
 public:
  explicit FileBytes(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd == -1) {
      return;
    }
    struct stat status;
    const size_t size = fstat(fd, &status) == 0 && S_ISREG(status.st_mode)
                            ? static_cast<size_t>(status.st_size)
                            : 0;
    void* const bytes =
        size == 0 ? MAP_FAILED
                  : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes != MAP_FAILED) {
      bytes_ = static_cast<const char*>(bytes);
      size_ = size;
    }
  }
  ~FileBytes() {
    if (bytes_ != nullptr) {
      munmap(const_cast<char*>(bytes_), size_);
    }
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  const char* bytes() const { return bytes_; }
  size_t size() const { return size_; }

 private:
  const char* bytes_ = nullptr;
  size_t size_ = 0;
};

uint64_t EndOf(uint64_t begin, uint64_t size) {
  uint64_t end = 0;
  return __builtin_add_overflow(begin, size, &end) ? UINT64_MAX : end;
}

// Returns the size in bytes that an ELF file must have according to its
// headers: the end of its last segment or table of headers. Returns 0 if the
// file is not an ELF file for this kind of process. That file needs no check,
// because dlopen refuses it without harm.
uint64_t SizeByHeaders(const FileBytes& file) {
  ElfW(Ehdr) header;
  if (file.size() < sizeof(header)) {
    return 0;
  }
  std::memcpy(&header, file.bytes(), sizeof(header));
  constexpr int kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  constexpr int kData =
      __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != kClass || header.e_ident[EI_DATA] != kData ||
      header.e_phentsize != sizeof(ElfW(Phdr))) {
    return 0;
  }
  uint64_t size =
      EndOf(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize);
  const uint64_t end_of_table =
      EndOf(header.e_phoff, uint64_t{header.e_phnum} * sizeof(ElfW(Phdr)));
  if (end_of_table > file.size()) {
    return end_of_table > size ? end_of_table : size;
  }
  for (size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, file.bytes() + header.e_phoff + i * sizeof(segment),
                sizeof(segment));
    const uint64_t end = EndOf(segment.p_offset, segment.p_filesz);
    size = end > size ? end : size;
  }
  return size;
}

// Returns the name of the RocksDB library that the plugin needs, such as
// librocksdb.so.7.8, or "" if there is none. Searches the bytes of the file,
// because loading the plugin would also load that RocksDB. An ELF file has a
// zero byte before and after each name.
std::string NeededRocksdb(const FileBytes& plugin) {
  static constexpr char kBegin[] = "\0librocksdb.so";
  const void* const found =
      memmem(plugin.bytes(), plugin.size(), kBegin, sizeof(kBegin) - 1);
  if (found == nullptr) {
    return "";
  }
  const char* const begin = static_cast<const char*>(found) + 1;
  const char* const end = plugin.bytes() + plugin.size();
  return {begin, strnlen(begin, static_cast<size_t>(end - begin))};
}

// Returns the name of the RocksDB library that the plugin needs. If the file is
// no plugin or is too short, calls Refuse and returns "". Loading a file that
// is too short could kill the program with SIGBUS.
std::string CheckPlugin(const std::string& path) {
  const FileBytes plugin(path);
  const uint64_t whole = SizeByHeaders(plugin);
  if (whole > plugin.size()) {
    Refuse(path + " is cut short: it has " + std::to_string(plugin.size()) +
           " of " + std::to_string(whole) + " bytes; copy it again");
    return "";
  }
  const std::string needed = NeededRocksdb(plugin);
  if (needed.empty()) {
    Refuse(path + " is not a plugin for a shared RocksDB");
  }
  return needed;
}

// Returns true if a library of this name is loaded, and `version_function` is
// the function kVersionFunction of that library.
bool IsVersionFunctionOf(const std::string& library, void* version_function) {
  void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) {
    return false;
  }
  void* const symbol = dlsym(handle, kVersionFunction);
  dlclose(handle);
  Dl_info info;
  void* entry = nullptr;
  if (dladdr1(version_function, &info, &entry, RTLD_DL_SYMENT) != 0 &&
      entry != nullptr &&
      static_cast<const ElfW(Sym)*>(entry)->st_shndx == SHN_UNDEF) {
    // A program that is not position-independent may give the address of an
    // entry in its own table of functions. RTLD_NEXT finds the function itself.
    version_function = dlsym(RTLD_NEXT, kVersionFunction);
  }
  return symbol != nullptr && symbol == version_function;
}

}  // namespace

void Refuse(const std::string& reason) {
  if (!__atomic_exchange_n(&cassandra_bloom_preload_has_refused, true,
                           __ATOMIC_RELAXED)) {
    std::fprintf(stderr, "cassandra_bloom: not loaded: %s\n", reason.c_str());
  }
}

std::string FileOf(void* function) {
  Dl_info info;
  link_map* object = nullptr;
  return dladdr1(function, &info, reinterpret_cast<void**>(&object),
                 RTLD_DL_LINKMAP) == 0
             ? ""
             : object->l_name;
}

void* OpenPluginFor(void* version_function) {
  std::string (*rocksdb_version)(bool with_patch);
  std::memcpy(&rocksdb_version, &version_function, sizeof(version_function));
  const std::string version = rocksdb_version(/*with_patch=*/false);

  std::string searched;
  const std::string path = FindPlugin(version, &searched);
  if (path.empty()) {
    Refuse("no plugin for RocksDB " + version + ", looked for " + searched);
    return nullptr;
  }
  const std::string needed = CheckPlugin(path);
  if (needed.empty()) {
    return nullptr;
  }
  // Without this check, the plugin could load a second RocksDB into the
  // process.
  if (!IsVersionFunctionOf(needed, version_function)) {
    const std::string file = FileOf(version_function);
    Refuse("RocksDB " + version +
           (file.empty() ? " is not a shared library in this program"
                         : " is " + file + " in this program, not the " +
                               needed + " that " + path + " needs"));
    return nullptr;
  }
  void* const plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    Refuse(dlerror());
    return nullptr;
  }
  if (dlsym(plugin, kPluginFunction) == nullptr) {
    Refuse(path + " is not a plugin of this release");
    return nullptr;
  }
  return plugin;
}

}  // namespace cassandra_bloom
