// Whole files, with errors that name the file.

#ifndef CASSANDRA_BLOOM_PLUGIN_CORE_FILE_IO_H_
#define CASSANDRA_BLOOM_PLUGIN_CORE_FILE_IO_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace cassandra_bloom {

// The folder in a path to a file.
std::string FolderOf(const std::string& path);

// A file mapped for reading. A file of no bytes is mapped to no bytes.
class MappedFile {
 public:
  static std::unique_ptr<MappedFile> Open(const std::string& path,
                                          std::string* error);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  MappedFile(const char* data, size_t size) : data_(data), size_(size) {}

  const char* const data_;
  const size_t size_;
};

// Appends bytes to the file being written; false once that has failed.
using Append = std::function<bool(const char* data, size_t size)>;

// Writes a file that is there whole, with its bytes and its name on disk, or
// not at all. An existing file is an error unless `overwrite`.
bool WriteFileAtomically(const std::string& path, bool overwrite,
                         const std::function<bool(const Append&)>& write,
                         std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_CORE_FILE_IO_H_
