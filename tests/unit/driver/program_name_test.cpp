// What runs are called after.
#include "driver/target/program_name.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

TEST(ProgramName, IsThatOfItsFile) {
  EXPECT_EQ(program_name({"./build/queue_test", "--all"}), "queue_test");
  EXPECT_EQ(program_name({"pythonic", "x"}), "pythonic");
}

TEST(ProgramName, OfAnInterpreterThatOfWhatItRuns) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "heddle_queue_test.py";
  std::ofstream(file) << "pass\n";
  EXPECT_EQ(program_name({"/usr/bin/python3", "-X", "dev", file, "other"}), "heddle_queue_test.py");
  EXPECT_EQ(program_name({"python3.11", "-m", "unittest", "discover"}), "unittest");
  EXPECT_EQ(program_name({"mono", "--debug", file}), "heddle_queue_test.py");
  std::filesystem::remove(file);
}

TEST(ProgramName, OfAnInterpreterWithoutAFileItsOwn) {
  EXPECT_EQ(program_name({"python3"}), "python3");
  EXPECT_EQ(program_name({"python3", "-c", "import os"}), "python3");
  EXPECT_EQ(program_name({"python3", "-m"}), "python3");
  EXPECT_EQ(program_name({"python3", "-m", "../x"}), "python3");
  EXPECT_EQ(program_name({"java", "-Xint", "Queue"}), "java");
}

}  // namespace
}  // namespace heddle
