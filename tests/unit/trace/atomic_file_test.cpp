// Whole files: replaced at once, or written to where they are no plain files.
#include "trace/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iterator>

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

std::string new_folder(const char* name) {
  const std::string path = in_temporary(name);
  std::filesystem::remove_all(path);
  std::filesystem::create_directory(path);
  return path;
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777u : ~0u;
}

std::ptrdiff_t files_in(const std::string& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

TEST(AtomicFile, PlantedLinksAreReplaced) {
  const std::string target = in_temporary("target"), link = in_temporary("link");
  EXPECT_EQ(write_file(target, "precious"), "");
  std::filesystem::create_symlink(target, link);
  EXPECT_NE(why_not_writable(link).find("is a link"), std::string::npos);
  EXPECT_EQ(write_file(link, "content"), "");
  EXPECT_FALSE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(target).content, "precious");
  std::filesystem::remove(link);
  std::filesystem::create_symlink(target, link);
  const int growing = open_to_grow(link);
  EXPECT_EQ(write_all(growing, "line"), 0);
  close(growing);
  EXPECT_EQ(read_file(target).content, "precious");
  EXPECT_EQ(read_file(link).content, "line");
}

TEST(AtomicFile, LinksOfTheSystemAreFollowed) {
  EXPECT_EQ(why_not_writable("/dev/stdout"), "");
  const std::string path = in_temporary("descriptor");
  const int file = open_to_grow(path);
  EXPECT_EQ(write_file("/dev/fd/" + std::to_string(file), "content"), "");
  close(file);
  EXPECT_EQ(read_file(path).content, "content");
  EXPECT_TRUE(std::filesystem::is_symlink("/dev/fd"));
}

TEST(AtomicFile, ForTheUserAloneWhateverTheMask) {
  const mode_t before = umask(0);
  const std::string folder = in_temporary("folder");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(make_folders(folder + "/deeper//deepest"), 0);
  EXPECT_EQ(write_file(folder + "/deeper/file", "content"), "");
  close(open_to_grow(folder + "/deeper/log"));
  umask(before);
  EXPECT_EQ(mode_of(folder), 0700u);
  EXPECT_EQ(mode_of(folder + "/deeper/deepest"), 0700u);
  EXPECT_EQ(mode_of(folder + "/deeper/file"), 0600u);
  EXPECT_EQ(mode_of(folder + "/deeper/log"), 0600u);
  EXPECT_EQ(make_folders(folder + "/deeper/file"), ENOTDIR);
  EXPECT_NE(make_folders(folder + "/deeper/file/below"), 0);
}

TEST(AtomicFile, NothingIsLeftWhenItIsNotPut) {
  const std::string folder = new_folder("left");
  {
    AtomicFile file;
    EXPECT_EQ(file.create(folder + "/file"), 0);
    EXPECT_EQ(write_all(file.descriptor(), "half"), 0);
  }
  EXPECT_EQ(files_in(folder), 0);
  std::filesystem::create_directory(folder + "/folder");
  EXPECT_NE(write_file(folder + "/folder", "content"), "");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(AtomicFile, WrittenIntoTheFolderThatIsOpen) {
  const std::string folder = new_folder("open"), elsewhere = new_folder("elsewhere");
  const int open_folder = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  std::filesystem::remove_all(folder + ".moved");
  std::filesystem::rename(folder, folder + ".moved");
  std::filesystem::create_directory_symlink(elsewhere, folder);
  EXPECT_EQ(write_file_in(open_folder, "file", "content", folder + "/file"), "");
  close(open_folder);
  EXPECT_EQ(files_in(elsewhere), 0);
  EXPECT_EQ(read_file(folder + ".moved/file").content, "content");
}

TEST(AtomicFile, AFullDeviceIsAnError) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  EXPECT_NE(write_file("/dev/full", "content").find("/dev/full"), std::string::npos);
  EXPECT_EQ(write_file("/dev/null", "content"), "");
}

}  // namespace
}  // namespace heddle
