// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/target.h"

#include <rocksdb/status.h>
#include <rocksdb/utilities/options_type.h>

#include <charconv>
#include <cstdio>
#include <cstring>

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::Status;

namespace {

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || (c != '\0' && std::strchr("/._-", c));
}

bool PercentDecode(std::string_view text, std::string* decoded) {
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = static_cast<unsigned char>(text[i]);
    if (byte == '%') {
      const std::string_view digits = text.substr(i + 1, 2);
      const char* const end = digits.data() + digits.size();
      if (digits.size() != 2 ||
          std::from_chars(digits.data(), end, byte, 16).ptr != end) {
        return false;
      }
      i += 2;
    }
    *decoded += static_cast<char>(byte);
  }
  return true;
}

}  // namespace

std::string PercentEncoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (IsPlain(c)) {
      encoded += c;
    } else {
      char byte[4];
      std::snprintf(byte, sizeof(byte), "%%%02X",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      encoded += byte;
    }
  }
  return encoded;
}

std::string ExportId(const std::vector<ExportTarget>& targets) {
  std::string id;
  for (const ExportTarget& target : targets) {
    id += (id.empty() ? "" : ":") + std::string(kExportListenerName) + "(" +
          target.sstable_version + "," + PercentEncoded(target.out_dir) + ")";
  }
  return id;
}

bool ParseExportId(std::string_view id, ExportTarget* target,
                   std::string* error) {
  const std::string begin = std::string(kExportListenerName) + "(";
  const size_t comma = id.find(',');
  if (id.substr(0, begin.size()) != begin || comma == std::string_view::npos) {
    *error =
        "is unknown; the listener is " + ExportId({{"/var/lib/filters", "nb"}});
    return false;
  }
  if (id.back() != ')') {
    *error =
        "has no ')' at its end; in the path write %3A for a colon, %3B for a "
        "semicolon, %23 for #";
    return false;
  }
  target->sstable_version = id.substr(begin.size(), comma - begin.size());
  target->out_dir.clear();
  if (!PercentDecode(id.substr(comma + 1, id.size() - comma - 2),
                     &target->out_dir)) {
    *error =
        "has a % that is not followed by two hexadecimal digits, as in %3A for "
        "a colon; for % itself write %25";
    return false;
  }
  return true;
}

bool SplitListeners(const std::string& id, std::vector<std::string>* listeners,
                    std::string* error) {
  for (size_t start = 0, end = 0; start < id.size() && end != std::string::npos;
       start = end + 1) {
    std::string listener;
    const Status status =
        OptionTypeInfo::NextToken(id, ':', start, &end, &listener);
    if (!status.ok()) {
      *error = status.ToString();
      return false;
    }
    listeners->push_back(listener);
  }
  return true;
}

}  // namespace cassandra_bloom
