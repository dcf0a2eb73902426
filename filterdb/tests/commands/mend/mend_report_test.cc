// SPDX-License-Identifier: Apache-2.0

// Tests what "filterdb mend" prints, even after an error or a signal.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "filterdb/tests/commands/mend/mend_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class MendReportTest : public MendFixture {
 protected:
  void WriteMany(int count) {
    for (int i = 1; i <= count; ++i) {
      SstableSpec spec;
      spec.generation = std::to_string(i);
      spec.fault = FilterFault::kEmpty;
      spec.keys = {"alice", "bob", "carol"};
      Write(spec);
    }
  }
};

TEST_F(MendReportTest, JsonHasTotals) {
  WriteMany(3);
  EXPECT_EQ(Mend("--dry-run --json").json()["total"]["would_be_mended"], 3);
  Json mended = Mend("--in-place --json").json();
  EXPECT_EQ(mended["total"]["mended"], 3) << mended;
  EXPECT_EQ(mended["total"]["failed"], 0);
  EXPECT_EQ(mended["errors"], Json::array());
  EXPECT_FALSE(mended.contains("interrupted"));
  EXPECT_EQ(Mend("--undo --json").json()["total"]["put_back"], 3);
}

TEST_F(MendReportTest, CountsWhatItDoesNotExamine) {
  WriteMany(2);
  const std::string name = dir_ / "ks/t1/nb-2-big-TOC.txt";
  fs::rename(name, name + ".tmp");
  EXPECT_THAT(Mend("--dry-run").out,
              HasSubstr("1 would be mended, 0 left (and 1 being written, "
                        "obsolete or vanished: not examined)\n"));
  EXPECT_EQ(Mend("--in-place --json").json()["total"]["not_examined"], 1);
  EXPECT_THAT(Mend("--in-place").out,
              HasSubstr("0 mended, 0 left, 0 failed (and 1 being written"));
}

TEST_F(MendReportTest, WhyKeysCannotBeRead) {
  WriteMany(1);
  const std::string index = dir_ / "ks/t1/nb-1-big-Index.db";
  WriteFile(index, "\1");
  // The filter cannot be read, either. But filterdb mend must name the keys as
  // the reason.
  WriteFile(dir_ / "ks/t1/nb-1-big-Filter.db", "cut");
  const std::string reason = "its keys cannot be read: " + index + ": ";
  EXPECT_THAT(Mend("--in-place").out, HasSubstr("left: " + reason));
  EXPECT_THAT(Mend("--in-place --json").json()["sstables"][0]["reason"].dump(),
              HasSubstr(reason));
}

TEST_F(MendReportTest, JsonAfterErrors) {
  fs::create_directories(dir_ / "ks");
  for (const std::string& words :
       {"--in-place " + dir_ / "absent", "--undo " + dir_ / "absent",
        "--in-place " + dir_ / "absent " + dir_ / "gone",
        // The folder ks has no SSTables. The last command has no option that
        // says where the new filters go.
        "--in-place " + dir_ / "ks", dir_ / "ks"}) {
    const Ran ran = Filterdb("mend --json " + words);
    EXPECT_EQ(ran.exit_code, 2) << ran;
    Json json = ran.json();
    EXPECT_GE(json["errors"].size(), 1U) << json;
    for (const Json& error : json["errors"]) {
      EXPECT_THAT(ran.err, HasSubstr(error.get<std::string>()));
    }
  }
  WriteMany(1);
  const Ran ran =
      Filterdb("mend --json --in-place " + dir_ / "absent " + dir_ / "ks");
  EXPECT_EQ(ran.exit_code, 2) << ran;
  EXPECT_EQ(ran.json()["total"]["mended"], 1);
  EXPECT_EQ(ran.json()["errors"].size(), 1U);
}

TEST_F(MendReportTest, OptionsThatAreOfNoUse) {
  WriteMany(1);
  const Ran ran =
      Mend("--out-dir=" + dir_ / "out" + " --backup-dir=" + dir_ / "old");
  EXPECT_EQ(ran.exit_code, 2) << ran;
  EXPECT_THAT(ran.err, HasSubstr("--backup-dir"));
  EXPECT_FALSE(fs::exists(dir_ / "out"));
}

// In bytes. The smallest pipe of Linux holds one page of memory.
const int kPipeSize = static_cast<int>(sysconf(_SC_PAGESIZE));

// The lines for this many SSTables do not fit into the pipe, because each line
// has at least 64 bytes.
const int kMany = kPipeSize / 50;

// Runs filterdb with a small pipe as an output, so that filterdb must wait for
// its reader. Sends a signal after the first line, and then reads the rest.
class InterruptedMend {
 public:
  InterruptedMend(int blocked_fd, const std::vector<std::string>& arguments,
                  int signal_number, const std::string& other_output) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    EXPECT_EQ(fcntl(ends[1], F_SETPIPE_SZ, kPipeSize), kPipeSize);
    const pid_t pid = fork();
    if (pid == 0) {
      dup2(ends[1], blocked_fd);
      dup2(open(other_output.c_str(), O_WRONLY | O_CREAT, 0600),
           STDOUT_FILENO + STDERR_FILENO - blocked_fd);
      std::vector<char*> words;
      for (const std::string& word : arguments) {
        words.push_back(const_cast<char*>(word.c_str()));
      }
      words.push_back(nullptr);
      execv(CASSANDRA_BLOOM_FILTERDB, words.data());
      _exit(127);
    }
    close(ends[1]);
    while (text_.find('\n') == std::string::npos && ReadSome(ends[0])) {
    }
    kill(pid, signal_number);
    while (ReadSome(ends[0])) {
    }
    close(ends[0]);
    waitpid(pid, &status_, 0);
  }

  const std::string& text() const { return text_; }
  int signal_number() const {
    return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
  }

 private:
  bool ReadSome(int fd) {
    char part[128];
    const ssize_t got = read(fd, part, sizeof(part));
    text_.append(part, static_cast<size_t>(got < 0 ? 0 : got));
    return got > 0;
  }

  std::string text_;
  int status_ = 0;
};

TEST_F(MendReportTest, ASignalEndsItBetweenTwoSstables) {
  WriteMany(kMany);
  for (const int number : {SIGINT, SIGTERM}) {
    const InterruptedMend run(STDOUT_FILENO,
                              {"filterdb", "mend", "--in-place",
                               "--ignore-unseen-processes", dir_ / "ks"},
                              number, "/dev/null");
    EXPECT_EQ(run.signal_number(), number);
    EXPECT_THAT(run.text(), HasSubstr("nb-1-big-Filter.db: empty: mended"));
    EXPECT_THAT(run.text(), HasSubstr("empty: not done"));
    EXPECT_THAT(run.text(), HasSubstr(" not done\nThe node uses them"));
    for (const std::string& name : dir_.Names()) {
      EXPECT_EQ(name.find(".cassandra_bloom-"), std::string::npos) << name;
    }
    EXPECT_EQ(Mend("--undo").exit_code, 0);
  }
}

TEST_F(MendReportTest, JsonAfterASignal) {
  WriteMany(kMany);
  // --backup-dir=/ makes filterdb mend fail for each SSTable, with a line on
  // stderr.
  const InterruptedMend run(
      STDERR_FILENO,
      {"filterdb", "mend", "--in-place", "--json", "--ignore-unseen-processes",
       "--backup-dir=/", dir_ / "ks"},
      SIGINT, dir_ / "json");
  EXPECT_EQ(run.signal_number(), SIGINT);
  Json json = Json::parse(ReadFile(dir_ / "json"));
  EXPECT_EQ(json["interrupted"], true);
  EXPECT_GE(json["total"]["failed"], 1);
  EXPECT_GE(json["total"]["not_done"], 1);
  EXPECT_EQ(json["sstables"].size(), static_cast<size_t>(kMany));
}

}  // namespace
}  // namespace cassandra_bloom::testing
