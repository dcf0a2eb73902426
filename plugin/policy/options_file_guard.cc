// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/options_file_guard.h"

#include <rocksdb/convenience.h>
#include <rocksdb/status.h>
#include <rocksdb/utilities/options_type.h>

#include <unordered_map>

namespace cassandra_bloom {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::OptionType;
using ROCKSDB_NAMESPACE::OptionTypeFlags;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::OptionVerificationType;
using ROCKSDB_NAMESPACE::Status;

constexpr char kOption[] = "cassandra_bloom";
constexpr char kValue[] = "required";

Status ParseMark(const ConfigOptions& /*config_options*/,
                 const std::string& /*name*/, const std::string& value,
                 void* mark) {
  if (value != kValue) {
    return Status::InvalidArgument("memtable_factory: " + std::string(kOption) +
                                   "='" + value + "'; the only value is " +
                                   kValue);
  }
  *static_cast<std::string*>(mark) = value;
  return Status::OK();
}

}  // namespace

OptionsFileGuard::OptionsFileGuard() {
  static const std::unordered_map<std::string, OptionTypeInfo> kOptions = {
      {kOption,
       {0, OptionType::kString, OptionVerificationType::kNormal,
        OptionTypeFlags::kNone, ParseMark}}};
  RegisterOptions(kOptionsFileGuardId, &mark_, &kOptions);
}

}  // namespace cassandra_bloom
