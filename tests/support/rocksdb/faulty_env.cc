// SPDX-License-Identifier: Apache-2.0

#include "tests/support/rocksdb/faulty_env.h"

#include <algorithm>
#include <utility>

namespace cassandra_bloom::testing {

using rocksdb::Status;
using rocksdb::WritableFile;

class FaultyEnv::File final : public rocksdb::WritableFileWrapper {
 public:
  File(FaultyEnv* env, std::string name, std::unique_ptr<WritableFile> file)
      : WritableFileWrapper(file.get()),
        env_(env),
        name_(std::move(name)),
        file_(std::move(file)) {}

  using WritableFileWrapper::Append;
  Status Append(const rocksdb::Slice& data) override {
    size_t taken = 0;
    const Status status = env_->Take(name_, data.size(), &taken);
    const Status written = file_->Append({data.data(), taken});
    return status.ok() ? written : status;
  }

 private:
  FaultyEnv* const env_;
  const std::string name_;
  const std::unique_ptr<WritableFile> file_;
};

void FaultyEnv::FailAfter(int64_t bytes, Fault fault, const std::string& part) {
  fault_ = fault;
  part_ = part;
  bytes_written_ = 0;
  failures_ = 0;
  limit_ = bytes;
}

void FaultyEnv::Lift() { limit_ = std::numeric_limits<int64_t>::max(); }

Status FaultyEnv::Take(const std::string& name, size_t size, size_t* taken) {
  *taken = size;
  if (name.find(part_) == std::string::npos) {
    return Status::OK();
  }
  const int64_t wanted = static_cast<int64_t>(size);
  const int64_t before = bytes_written_.fetch_add(wanted);
  if (before + wanted <= limit_) {
    return Status::OK();
  }
  *taken = static_cast<size_t>(std::max<int64_t>(0, limit_ - before));
  ++failures_;
  return fault_ == Fault::kNoSpace ? Status::NoSpace(name)
                                   : Status::IOError(name, "bad disk");
}

Status FaultyEnv::NewWritableFile(const std::string& name,
                                  std::unique_ptr<WritableFile>* file,
                                  const rocksdb::EnvOptions& options) {
  std::unique_ptr<WritableFile> whole;
  const Status status = EnvWrapper::NewWritableFile(name, &whole, options);
  if (status.ok()) {
    *file = std::make_unique<File>(this, name, std::move(whole));
  }
  return status;
}

}  // namespace cassandra_bloom::testing
