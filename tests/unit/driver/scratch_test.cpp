// Scratch folders: what is in them, what a program may do to them, and that nothing stays.
#include "driver/scratch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  return text;
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

// In a folder of its own that holds `data` and `folder/inner`.
class Scratch : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    folder_ = fs::path(testing::TempDir()) / ("scratch_test." + std::to_string(getpid()));
    fs::create_directories(folder_ / "folder");
    write(folder_ / "data", "original");
    write(folder_ / "folder" / "inner", "inside");
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }

  fs::path before_, folder_;
};

TEST_F(Scratch, HoldsWhatIsInThePresentFolder) {
  ScratchDirectory scratch;
  EXPECT_EQ(scratch.path(), "");
  ASSERT_EQ(scratch.renew(), "");
  const fs::path path = scratch.path();
  EXPECT_EQ(read(path / "data"), "original");
  EXPECT_EQ(read(path / "folder" / "inner"), "inside");
  EXPECT_TRUE(fs::is_symlink(path / "data")) << "no copy: data may be large";
}

TEST_F(Scratch, WhatAProgramMakesIsGoneWithTheExecution) {
  ScratchDirectory scratch;
  ASSERT_EQ(scratch.renew(), "");
  const fs::path path = scratch.path();
  write(path / "new", "made");
  fs::create_directories(path / "more" / "deep");
  fs::remove(path / "data");
  write(path / "data", "replaced");
  fs::rename(path / "folder", path / "elsewhere");
  ASSERT_EQ(scratch.renew(), "");
  EXPECT_EQ(scratch.path(), path) << "the same folder each time";
  EXPECT_FALSE(fs::exists(path / "new"));
  EXPECT_FALSE(fs::exists(path / "more"));
  EXPECT_FALSE(fs::exists(path / "elsewhere"));
  EXPECT_EQ(read(path / "data"), "original");
  EXPECT_EQ(read(folder_ / "data"), "original");
  EXPECT_EQ(read(folder_ / "folder" / "inner"), "inside");
}

TEST_F(Scratch, NothingStays) {
  fs::path path;
  {
    ScratchDirectory scratch;
    ASSERT_EQ(scratch.renew(), "");
    path = scratch.path();
    write(path / "new", "made");
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(read(folder_ / "folder" / "inner"), "inside") << "links are not followed";
}

TEST_F(Scratch, SaysWhyThereIsNone) {
  const char* before = getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  setenv("TMPDIR", (folder_ / "missing").c_str(), 1);
  ScratchDirectory scratch;
  EXPECT_NE(scratch.renew().find("no folder could be made"), std::string::npos);
  if (before != nullptr)
    setenv("TMPDIR", kept.c_str(), 1);
  else
    unsetenv("TMPDIR");
}

}  // namespace
}  // namespace heddle
