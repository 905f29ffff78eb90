// The command line as a whole: exit statuses of what needs no target.
#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <vector>

#include "cli/exit_status.h"

namespace heddle::cli {
namespace {

struct Ran {
  int status;
  std::string out, err;
};

Ran heddle(std::vector<const char*> words) {
  words.insert(words.begin(), "heddle");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = run_command_line(static_cast<int>(words.size()), words.data());
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

constexpr int kWrongUse = static_cast<int>(ExitStatus::WrongUse);

TEST(CommandLine, Version) {
  for (const char* word : {"version", "--version"}) {
    const Ran ran = heddle({word});
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.out.find("heddle 0."), 0u);
  }
}

TEST(CommandLine, Help) {
  EXPECT_EQ(heddle({"--help"}).status, 0);
  EXPECT_NE(heddle({"help", "run"}).out.find("--max-preemptions"), std::string::npos);
  EXPECT_NE(heddle({"run", "--help"}).out.find("--max-preemptions"), std::string::npos);
  EXPECT_EQ(heddle({"help", "nothing"}).status, kWrongUse);
  EXPECT_NE(heddle({"help", "--markdown"}).out.find("| `--seed=N` |"), std::string::npos);
}

TEST(CommandLine, WrongUse) {
  for (const std::vector<const char*>& words : std::vector<std::vector<const char*>>{{},
                                                                                     {"./test"},
                                                                                     {"run"},
                                                                                     {"run", "--time=x", "./test"},
                                                                                     {"run", "--nothing"},
                                                                                     {"run", "/nowhere/program"},
                                                                                     {"replay", "/nowhere.trace"},
                                                                                     {"debug", "/nowhere.trace"},
                                                                                     {"--start-for-gdb"},
                                                                                     {"show", "/nowhere.trace"},
                                                                                     {"show", "a", "b"},
                                                                                     {"run", "--like=/nowhere"}}) {
    const Ran ran = heddle(words);
    EXPECT_EQ(ran.status, kWrongUse) << (words.empty() ? "" : words[0]);
    EXPECT_FALSE(ran.err.empty() && ran.out.empty());
  }
}

TEST(CommandLine, AProgramInThePlaceOfACommandIsExplained) {
  EXPECT_NE(heddle({"./queue_test"}).err.find("heddle run ./queue_test"), std::string::npos);
}

}  // namespace
}  // namespace heddle::cli
