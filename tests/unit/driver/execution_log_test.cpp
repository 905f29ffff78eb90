// The lines of --execution-log.
#include "driver/explore/execution_log.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "support/execution_builder.h"

namespace heddle::test {
namespace {

TEST(ExecutionLog, AStatusIsWhatTheProgramGaveOrTheSignal) {
  const std::string file = "temporary/execution_log_" + std::to_string(getpid());
  {
    ExecutionLog log(file);
    ASSERT_TRUE(log.open());
    log.add(1, ExecutionBuilder().exited(3));
    log.add(2, ExecutionBuilder().end(EndKind::Crashed, SIGSEGV));
  }
  std::ifstream lines(file);
  std::string first, second;
  std::getline(lines, first);
  std::getline(lines, second);
  unlink(file.c_str());
  EXPECT_EQ(first.substr(0, first.rfind(' ')), "1 0 exited 3");
  EXPECT_EQ(second.substr(0, second.rfind(' ')), "2 0 crashed signal-11");
}

TEST(ExecutionLog, AFullDiskEndsTheLogOnly) {
  ExecutionLog log("/dev/full");
  ASSERT_TRUE(log.open());
  const std::string problem = log.add(7, ExecutionBuilder().exited(0));
  EXPECT_NE(problem.find("/dev/full can't be written any further, and is cut off before schedule 7: No space left"),
            std::string::npos)
      << problem;
  EXPECT_FALSE(log.open());
}

}  // namespace
}  // namespace heddle::test
