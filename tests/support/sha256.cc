#include "tests/support/sha256.h"

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>

namespace cassandra_bloom::testing {
namespace {

std::string FirstWordOfOutput(const std::string& command) {
  char word[65] = "";
  std::FILE* const output = popen(command.c_str(), "r");
  if (output != nullptr) {
    if (std::fscanf(output, "%64s", word) != 1) {
      word[0] = '\0';
    }
    pclose(output);
  }
  return word;
}

}  // namespace

std::string Sha256(const std::string& bytes) {
  char path[] = "/tmp/cassandra_bloom_sha256_XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0) {
    return "";
  }
  std::FILE* const file = fdopen(fd, "w");
  const bool written =
      std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = std::fclose(file) == 0;
  const std::string digest =
      written && closed ? FirstWordOfOutput(std::string("sha256sum ") + path)
                        : "";
  unlink(path);
  return digest;
}

}  // namespace cassandra_bloom::testing
