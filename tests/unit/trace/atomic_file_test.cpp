// Whole files: replaced at once, or written to where they are no plain files.
#include "trace/atomic_file.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace heddle {
namespace {

std::string in_temporary(const char* name) {
  std::string path = ::testing::TempDir() + name + "." + std::to_string(getpid());
  std::filesystem::remove(path);
  return path;
}

TEST(AtomicFile, WrittenAndReadAgain) {
  const std::string path = in_temporary("plain");
  EXPECT_EQ(write_file(path, "one"), "");
  EXPECT_EQ(write_file(path, "two"), "");
  EXPECT_EQ(read_file(path).content, "two");
  EXPECT_NE(read_file(path + ".no").error, "");
}

TEST(AtomicFile, LinksStayLinks) {
  const std::string target = in_temporary("target"), link = in_temporary("link");
  std::filesystem::create_symlink(target, link);
  EXPECT_EQ(write_file(link, "content"), "");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(target).content, "content");
}

TEST(AtomicFile, AFullDeviceIsAnError) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  EXPECT_NE(write_file("/dev/full", "content").find("/dev/full"), std::string::npos);
  EXPECT_EQ(write_file("/dev/null", "content"), "");
}

}  // namespace
}  // namespace heddle
