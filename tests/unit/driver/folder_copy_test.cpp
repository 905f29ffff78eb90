// What is copied of a folder, and that what a program did to the copy is undone.
#include "driver/process/folder_copy.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace heddle {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

struct stat status_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
  return status;
}

class FolderCopies : public testing::Test {
 protected:
  void SetUp() override {
    home_ = fs::path(testing::TempDir()) / ("folder_copy_test." + std::to_string(getpid()));
    from_ = home_ / "from";
    to_ = home_ / "to";
    fs::create_directories(from_ / "store" / "deep");
    fs::create_directories(to_);
    write(from_ / "list", "one\ntwo\n");
    write(from_ / "store" / "CURRENT", "1");
    write(from_ / "store" / "deep" / "data", std::string("\0\1\2", 3));
    const timespec times[] = {{1'000'000, 5}, {1'000'000, 5}};
    for (const fs::path& path : {from_ / "store" / "CURRENT", from_ / "list"})
      ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  void TearDown() override { fs::remove_all(home_); }

  FolderCopy copy(const std::set<std::string>& names, const FolderCopy::Limits& limits = {}) {
    return FolderCopy(from_, names, limits);
  }
  // All of these, laid.
  FolderCopy laid(const std::set<std::string>& names) {
    FolderCopy made = copy(names);
    for (const std::string& name : names) made.lay(name, to_, error_);
    EXPECT_FALSE(error_) << error_.message();
    return made;
  }

  fs::path home_, from_, to_;
  std::error_code error_;
};

TEST_F(FolderCopies, AreLikeWhatTheyWereMadeOf) {
  fs::permissions(from_ / "list", fs::perms(0640));
  fs::create_symlink("CURRENT", from_ / "store" / "link");
  fs::create_symlink("../../elsewhere", from_ / "store" / "outward");
  fs::create_symlink(from_ / "list", from_ / "store" / "by_root");
  fs::create_symlink("store", from_ / "current");
  laid({"current", "list", "store"});
  EXPECT_EQ(read(to_ / "current" / "CURRENT"), "1");
  EXPECT_EQ(fs::read_symlink(to_ / "current"), "store");
  EXPECT_EQ(read(to_ / "list"), "one\ntwo\n");
  EXPECT_EQ(status_of(to_ / "list").st_mode, status_of(from_ / "list").st_mode);
  EXPECT_EQ(read(to_ / "store" / "deep" / "data"), std::string("\0\1\2", 3));
  EXPECT_EQ(fs::read_symlink(to_ / "store" / "link"), "CURRENT");
  EXPECT_EQ(fs::read_symlink(to_ / "store" / "outward"), from_ / "store" / "outward");
  EXPECT_EQ(fs::read_symlink(to_ / "store" / "by_root"), "../list") << "to the copy";
  EXPECT_EQ(status_of(to_ / "store" / "CURRENT").st_mtim.tv_sec, 1'000'000);
  EXPECT_EQ(status_of(to_ / "store").st_mtim.tv_nsec, status_of(from_ / "store").st_mtim.tv_nsec);
}

TEST_F(FolderCopies, LeaveOutWhatIsLargeOrHasToBeWhereItIs) {
  write(from_ / "large", std::string(2000, 'x'));
  write(from_ / "program", "\177ELF and so on");
  write(from_ / "store" / "plugin.so", "\177ELF and so on");
  write(from_ / "script", "#!/bin/sh\n");
  fs::permissions(from_ / "script", fs::perms(0700));
  write(from_ / "one", "with two names");
  fs::create_hard_link(from_ / "one", from_ / "two");
  fs::create_symlink("../elsewhere", from_ / "link");
  ASSERT_EQ(mkfifo((from_ / "pipe").c_str(), 0600), 0);
  FolderCopy some =
      copy({"large", "link", "list", "missing", "one", "pipe", "program", "script", "store", "two"}, {256, 1000, 4096});
  for (const char* name : {"large", "link", "missing", "one", "pipe", "program", "script", "two"})
    EXPECT_FALSE(some.has(name)) << name;
  ASSERT_TRUE(some.has("list") && some.has("store"));
  some.lay("store", to_, error_);
  EXPECT_EQ(fs::read_symlink(to_ / "store" / "plugin.so"), from_ / "store" / "plugin.so");
}

TEST_F(FolderCopies, KeepWithinTheLimitsTheSmallestFirst) {
  write(from_ / "a", std::string(600, 'a'));
  write(from_ / "b", std::string(500, 'b'));
  EXPECT_TRUE(copy({"a", "b"}, {256, 1000, 4096}).has("b"));
  EXPECT_FALSE(copy({"a", "b"}, {256, 1000, 4096}).has("a"));
  EXPECT_FALSE(copy({"store"}, {3, 1000, 4096}).has("store")) << "four with itself";
  EXPECT_TRUE(copy({"store"}, {4, 1000, 4096}).has("store"));
  const FolderCopy few = copy({"a", "b", "store"}, {256, 1000, 2});
  EXPECT_FALSE(few.has("store")) << "nobody looks at more than so many in folders";
  EXPECT_TRUE(few.has("b"));
}

TEST_F(FolderCopies, ArePutBackInPlaceWhereTheFilesAreThereStill) {
  FolderCopy some = laid({"list", "store"});
  const ino_t before = status_of(to_ / "store" / "CURRENT").st_ino;
  write(to_ / "store" / "CURRENT", "2");
  write(to_ / "list", "");
  fs::permissions(to_ / "list", fs::perms::none);
  fs::permissions(to_ / "store" / "deep", fs::perms(0500));
  ASSERT_TRUE(some.restore("list", to_, error_) && some.restore("store", to_, error_));
  ASSERT_FALSE(error_) << error_.message();
  EXPECT_EQ(read(to_ / "list"), "one\ntwo\n");
  EXPECT_EQ(read(to_ / "store" / "CURRENT"), "1");
  EXPECT_EQ(status_of(to_ / "store" / "CURRENT").st_ino, before);
  EXPECT_EQ(status_of(to_ / "store" / "CURRENT").st_mtim.tv_sec, 1'000'000);
  EXPECT_EQ(status_of(to_ / "store" / "deep").st_mode, status_of(from_ / "store" / "deep").st_mode);
}

TEST_F(FolderCopies, SeeWhatWasWrittenThroughAMapping) {
  std::string shared = "/dev/shm/folder_copy_test.XXXXXX";  // a tmpfs, where that changes no time
  const bool is_there = mkdtemp(shared.data()) != nullptr;
  for (const fs::path& to : {to_, fs::path(shared)}) {
    if (to == shared && !is_there) continue;
    FolderCopy some = copy({"list"});
    some.lay("list", to, error_);
    const int file = open((to / "list").c_str(), O_RDWR);
    void* place = mmap(nullptr, 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ASSERT_NE(place, MAP_FAILED);
    *static_cast<char*>(place) = 'X';
    munmap(place, 4);
    close(file);
    ASSERT_TRUE(some.restore("list", to, error_));
    EXPECT_EQ(read(to / "list"), "one\ntwo\n") << to;
  }
  fs::remove_all(shared);
}

TEST_F(FolderCopies, AreMadeAnewWhereNamesChanged) {
  FolderCopy some = laid({"store"});
  write(to_ / "store" / "new", "2");
  fs::rename(to_ / "store" / "new", to_ / "store" / "CURRENT");  // as databases do it
  fs::remove_all(to_ / "store" / "deep");
  fs::create_directory_symlink(from_, to_ / "store" / "deep");
  fs::permissions(from_, fs::perms(0750));
  ASSERT_TRUE(some.restore("store", to_, error_));
  ASSERT_FALSE(error_) << error_.message();
  EXPECT_EQ(read(to_ / "store" / "CURRENT"), "1");
  EXPECT_EQ(read(to_ / "store" / "deep" / "data"), std::string("\0\1\2", 3));
  EXPECT_EQ(status_of(from_).st_mode & 07777, 0750U) << "links are not followed";
  EXPECT_EQ(read(from_ / "list"), "one\ntwo\n");
}

TEST_F(FolderCopies, DoNotReachWhatAProgramLinkedTo) {
  fs::create_directories(from_ / "store" / "deep" / "er");
  fs::create_directories(home_ / "real" / "er");
  FolderCopy some = laid({"list", "store"});
  fs::rename(to_ / "store" / "deep", to_ / "store" / "old");
  fs::create_directory_symlink(home_ / "real", to_ / "store" / "deep");
  fs::create_hard_link(to_ / "list", home_ / "kept");
  fs::create_hard_link(to_ / "store" / "CURRENT", home_ / "kept_too");
  write(to_ / "list", "changed");
  write(to_ / "store" / "CURRENT", "changed, too");
  const mode_t before = status_of(home_ / "real" / "er").st_mode;
  EXPECT_FALSE(some.restore("list", to_, error_)) << "it has another name, too";
  ASSERT_TRUE(some.restore("store", to_, error_));
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(status_of(home_ / "real" / "er").st_mode, before);
  EXPECT_EQ(read(home_ / "kept"), "changed");
  EXPECT_EQ(read(home_ / "kept_too"), "changed, too");
  EXPECT_EQ(read(to_ / "store" / "CURRENT"), "1");
}

TEST_F(FolderCopies, SeeWhatWasWrittenWithItsTimePutBack) {
  FolderCopy some = laid({"list"});
  const struct stat before = status_of(to_ / "list");
  write(to_ / "list", "two\none\n");
  const timespec times[] = {before.st_atim, before.st_mtim};
  do {  // a clock that goes by milliseconds has gone on
    ASSERT_EQ(utimensat(AT_FDCWD, (to_ / "list").c_str(), times, 0), 0);
  } while (status_of(to_ / "list").st_ctim.tv_nsec == before.st_ctim.tv_nsec);
  ASSERT_TRUE(some.restore("list", to_, error_));
  EXPECT_EQ(read(to_ / "list"), "one\ntwo\n");
}

TEST_F(FolderCopies, SayWhatIsNoCopyAnyMore) {
  FolderCopy some = laid({"list", "store"});
  fs::remove(to_ / "list");
  fs::create_symlink(from_ / "list", to_ / "list");
  fs::remove_all(to_ / "store");
  EXPECT_FALSE(some.restore("list", to_, error_));
  EXPECT_FALSE(some.restore("store", to_, error_));
  EXPECT_FALSE(some.restore("other", to_, error_));
  EXPECT_FALSE(error_);
}

TEST_F(FolderCopies, SayWhyTheyCanNotBeLaid) {
  FolderCopy some = copy({"list"});
  some.lay("list", home_ / "missing", error_);
  EXPECT_EQ(error_, std::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace heddle
