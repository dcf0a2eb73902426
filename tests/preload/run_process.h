// Runs a program and keeps what it says.

#ifndef CASSANDRA_BLOOM_TESTS_PRELOAD_RUN_PROCESS_H_
#define CASSANDRA_BLOOM_TESTS_PRELOAD_RUN_PROCESS_H_

#include <ostream>
#include <string>
#include <vector>

namespace cassandra_bloom {

struct ProcessResult {
  int exit_code = -1;  // -1: not started, or ended by a signal.
  std::string out;
  std::string err;
};

// For the messages of assertions.
std::ostream& operator<<(std::ostream& stream, const ProcessResult& result);

// The loader that the build made, as a file to preload.
std::string BuiltLoader();

// With standard input empty, in the environment of this process. `preload`, if
// not empty, is LD_PRELOAD.
ProcessResult RunProcess(const std::vector<std::string>& arguments,
                         const std::string& preload = "");

std::vector<std::string> Lines(const std::string& text);

// A folder that is removed afterwards.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  // Of a file in it.
  std::string Path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& text);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_TESTS_PRELOAD_RUN_PROCESS_H_
