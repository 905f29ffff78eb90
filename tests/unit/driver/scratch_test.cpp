// Scratch folders: what is in them, what a program may do to them, and that nothing stays.
#include "driver/process/scratch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

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
  ScratchDirectory scratch(names_here());
  EXPECT_EQ(scratch.path(), "");
  ASSERT_EQ(scratch.renew(), "");
  const fs::path path = scratch.path();
  EXPECT_EQ(read(path / "data"), "original");
  EXPECT_EQ(read(path / "folder" / "inner"), "inside");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path / "data"))) << "small: a copy";
}

TEST_F(Scratch, LinksToWhatIsLarge) {
  write(folder_ / "large", std::string(FolderCopy::Limits().bytes + 1, 'x'));
  ScratchDirectory scratch(names_here(), {"folder"});
  ASSERT_EQ(scratch.renew(), "");
  const fs::path path = scratch.path();
  EXPECT_EQ(fs::read_symlink(path / "large"), folder_ / "large");
  EXPECT_EQ(fs::read_symlink(path / "folder"), folder_ / "folder") << "as it was asked for";
  EXPECT_FALSE(fs::is_symlink(path / "data"));
}

TEST_F(Scratch, WhatAProgramChangesIsPutBack) {
  ScratchDirectory scratch(names_here());
  ASSERT_EQ(scratch.renew(), "");
  const fs::path path = scratch.path();
  write(path / "data", "changed");
  write(path / "folder" / "inner", "changed, too");
  write(path / "folder" / "new", "made");
  write(folder_ / "data", "changed in the present folder meanwhile");
  ASSERT_EQ(scratch.renew(), "");
  EXPECT_EQ(read(path / "data"), "original") << "each execution finds the same";
  EXPECT_EQ(read(path / "folder" / "inner"), "inside");
  EXPECT_FALSE(fs::exists(path / "folder" / "new"));
  EXPECT_EQ(read(folder_ / "folder" / "inner"), "inside");
}

TEST_F(Scratch, WhatAProgramMakesIsGoneWithTheExecution) {
  ScratchDirectory scratch(names_here());
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

TEST_F(Scratch, AnotherFolderInItsPlaceIsLeftAlone) {
  ScratchDirectory scratch(names_here());
  ASSERT_EQ(scratch.renew(), "");
  const fs::path path = scratch.path();
  fs::rename(path, path.string() + ".old");
  fs::create_directory_symlink(folder_, path);
  ASSERT_EQ(scratch.renew(), "");
  EXPECT_EQ(read(folder_ / "data"), "original");
  EXPECT_FALSE(fs::is_symlink(path));
  EXPECT_FALSE(fs::exists(path.string() + ".old"));
  EXPECT_EQ(read(path / "data"), "original");
  fs::rename(path.parent_path(), folder_ / "taken");
  fs::create_directory_symlink(folder_, path.parent_path());
  EXPECT_NE(scratch.renew().find("could not be made as it was before"), std::string::npos);
  EXPECT_EQ(read(folder_ / "data"), "original");
  fs::remove(path.parent_path());
}

TEST_F(Scratch, LinksStayWhenAllAreAsTheyWere) {
  ScratchDirectory scratch(names_here(), {"data", "folder"});
  ASSERT_EQ(scratch.renew(), "");
  const fs::path path = scratch.path();
  const auto number = [&] {
    struct stat status {};
    EXPECT_EQ(lstat((path / "data").c_str(), &status), 0);
    return std::pair(status.st_ino, status.st_ctim.tv_nsec);
  };
  const auto first = number();
  write(path / "new", "made");
  ASSERT_EQ(scratch.renew(), "");
  EXPECT_EQ(number(), first);
  EXPECT_FALSE(fs::exists(path / "new"));
  fs::remove(path / "folder");
  fs::create_symlink(folder_ / "data", path / "folder");
  ASSERT_EQ(scratch.renew(), "");
  EXPECT_NE(number(), first) << "in the order in which they were made";
  EXPECT_EQ(read(path / "folder" / "inner"), "inside");
}

TEST_F(Scratch, NothingStays) {
  fs::path path;
  {
    ScratchDirectory scratch(names_here());
    ASSERT_EQ(scratch.renew(), "");
    path = scratch.path();
    write(path / "new", "made");
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(read(folder_ / "folder" / "inner"), "inside") << "links are not followed";
}

TEST_F(Scratch, WhatCameLaterIsNotIn) {
  ScratchDirectory scratch(names_here());
  write(folder_ / "later", "by main(), before it was known that it needs a folder of its own");
  fs::remove(folder_ / "data");
  ASSERT_EQ(scratch.renew(), "");
  EXPECT_FALSE(fs::exists(fs::symlink_status(fs::path(scratch.path()) / "later")));
  EXPECT_FALSE(fs::exists(fs::symlink_status(fs::path(scratch.path()) / "data"))) << "no link that leads nowhere";
  EXPECT_EQ(read(fs::path(scratch.path()) / "folder" / "inner"), "inside");
}

// Where folders for temporary files are made, for the length of a test.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& path) {
    if (const char* present = getenv("TMPDIR")) before_ = present;
    setenv("TMPDIR", path.c_str(), 1);
  }
  ~TemporaryFolder() {
    if (before_)
      setenv("TMPDIR", before_->c_str(), 1);
    else
      unsetenv("TMPDIR");
  }

 private:
  std::optional<std::string> before_;
};

std::size_t count_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_F(Scratch, WhatAKilledRunLeftIsRemovedAndNothingElse) {
  fs::create_directory(folder_ / "tmp");
  const TemporaryFolder temporary(folder_ / "tmp");
  fs::create_directory(folder_ / "tmp" / "heddle-scratch-foreig");  // no owner in it: not one of ours
  ScratchDirectory used(names_here());
  ASSERT_EQ(used.renew(), "");
  const pid_t run = fork();
  if (run == 0) {
    ScratchDirectory left(names_here());
    const bool made = left.renew().empty();
    write(fs::path(left.path()) / "made", "text");
    if (made) raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(run, &status, 0), run);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(count_in(folder_ / "tmp"), 3u);
  remove_stale_scratch();
  EXPECT_EQ(count_in(folder_ / "tmp"), 2u);
  EXPECT_TRUE(fs::exists(folder_ / "tmp" / "heddle-scratch-foreig"));
  EXPECT_EQ(read(fs::path(used.path()) / "data"), "original") << "in use";
  EXPECT_EQ(read(folder_ / "folder" / "inner"), "inside") << "links are not followed";
}

TEST_F(Scratch, WhereTheFolderForTemporaryFilesIsOfNoUseAnotherIsTaken) {
  const TemporaryFolder temporary(folder_ / "missing");
  EXPECT_EQ(temporary_folders(), (std::vector<std::string>{(folder_ / "missing").string(), "/tmp"}));
  fs::create_directory(folder_ / "second");
  ScratchDirectory scratch(names_here(), {}, {(folder_ / "missing").string(), (folder_ / "second").string()});
  ASSERT_EQ(scratch.renew(), "");
  EXPECT_EQ(count_in(folder_ / "second"), 1u);
  EXPECT_EQ(read(fs::path(scratch.path()) / "data"), "original");
  ASSERT_EQ(scratch.renew(), "");
  EXPECT_EQ(count_in(folder_ / "second"), 1u);
}

TEST_F(Scratch, SaysWhyThereIsNone) {
  const std::string first = (folder_ / "missing").string(), second = (folder_ / "data").string();
  ScratchDirectory scratch(names_here(), {}, {first, second});
  const std::string problem = scratch.renew();
  EXPECT_NE(problem.find("no folder could be made"), std::string::npos);
  EXPECT_NE(problem.find(first + " or " + second), std::string::npos) << problem;
  EXPECT_NE(problem.find("TMPDIR"), std::string::npos);
  EXPECT_EQ(scratch.path(), "");
}

}  // namespace
}  // namespace heddle
