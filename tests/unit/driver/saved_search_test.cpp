// The file of a search: what comes back is what was written, or a reason.
#include "driver/explore/saved_search.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "trace/atomic_file.h"

namespace heddle::test {
namespace {

SearchIdentity identity() { return {"heddle-1", "/bin/program", "abc", {"program", "7"}, {{"--search", "dpor"}}}; }

const std::vector<CodePlace> kPoints = {{"program", 0x1234}, {"", 0x7f0000000010}};

class SavedSearchTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/saved_search." + std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/deeper/program.state"; }

  // Leaves no lock behind.
  void write(const SearchIdentity& owner, const std::string& content) {
    SavedSearch saved(path(), owner);
    const SavedHeader header{12, IsolationKind::Fork, kPoints, "heddle-out/program-1"};
    ASSERT_EQ(saved.write(header, [&](StateWriter& writer) { writer(content); }), "");
    EXPECT_TRUE(saved.kept());
  }
  std::string load(const SearchIdentity& asked) const { return SavedSearch(path(), asked).load(); }
  void expect_says(const std::string& text, const std::string& words) const {
    EXPECT_NE(text.find(words), std::string::npos) << text;
    EXPECT_NE(text.find(path()), std::string::npos) << text;
  }

  // What is said in a process of its own.
  std::string elsewhere(const std::function<std::string()>& say) const {
    int ends[2];
    if (pipe(ends) != 0) return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
      const std::string text = say();
      _exit(write_all(ends[1], text) == 0 ? 0 : 1);
    }
    close(ends[1]);
    std::string said;
    char piece[256];
    for (ssize_t size = 0; (size = read(ends[0], piece, sizeof piece)) > 0;)
      said.append(piece, static_cast<std::size_t>(size));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return said;
  }

  std::string folder_;
};

TEST_F(SavedSearchTest, ComesBack) {
  write(identity(), std::string(1'000'000, 'x') + "end");
  SavedSearch saved(path(), identity());
  ASSERT_EQ(saved.load(), "");
  EXPECT_TRUE(saved.loaded());
  EXPECT_EQ(saved.header().schedules, 12u);
  EXPECT_EQ(saved.header().isolation, IsolationKind::Fork);
  EXPECT_EQ(saved.header().points, kPoints);
  EXPECT_EQ(saved.header().output_folder, "heddle-out/program-1");
  std::string content;
  StateReader reader(saved.content());
  reader(content);
  EXPECT_EQ(content, std::string(1'000'000, 'x') + "end");
  EXPECT_TRUE(reader.at_end());
}

TEST_F(SavedSearchTest, NoFile) { expect_says(load(identity()), "does not exist"); }

TEST_F(SavedSearchTest, EveryDamageIsNoticed) {
  write(identity(), "some content");
  const std::string whole = read_file(path()).content;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(path(), std::ios::trunc) << whole.substr(0, size);
    expect_says(load(identity()), "damaged");
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    std::ofstream(path(), std::ios::trunc) << changed;
    EXPECT_NE(load(identity()), "") << at;
  }
  std::ofstream(path(), std::ios::trunc) << "something else altogether\n" << whole;
  expect_says(load(identity()), "no search");
}

TEST_F(SavedSearchTest, OfAnotherSearch) {
  write(identity(), "content");
  SearchIdentity other = identity();
  other.heddle = "heddle-2";
  expect_says(load(other), "another build of Heddle");
  other = identity();
  other.program = "/bin/another";
  expect_says(load(other), "another program, /bin/program");
  other = identity();
  other.build_id = "abd";
  expect_says(load(other), "built anew");
  other = identity();
  other.command = {"program", "8"};
  expect_says(load(other), "another command: program 7");
  other = identity();
  other.options = {{"--search", "random"}};
  expect_says(load(other), "--search=dpor, and this is --search=random");
  other.options = {{"--search", "dpor"}, {"--seed", "4"}};
  expect_says(load(other), "no --seed, and this is --seed=4");
  other.options = {};
  expect_says(load(other), "--search=dpor, and this is no --search");
  EXPECT_EQ(load(identity()), "") << "looking at it changes nothing";
}

TEST_F(SavedSearchTest, OneOwnerAtATime) {
  write(identity(), "content");
  SavedSearch first(path(), identity());
  ASSERT_EQ(first.load(), "");
  const auto second_writes = [&] {
    return elsewhere([&] {
      SavedSearch second(path(), identity());
      std::string error = second.write({}, [](StateWriter&) {});
      second.has_ended();
      second.remove_if_ended();
      return error;
    });
  };
  expect_says(elsewhere([&] { return load(identity()); }), "going on in another process");
  expect_says(second_writes(), "another run");
  EXPECT_TRUE(std::filesystem::exists(path())) << "it is not the second one's";
  ASSERT_EQ(first.write({}, [](StateWriter& writer) { writer(std::string("later")); }), "");
  expect_says(second_writes(), "another run");
  first.remove_if_ended();
  EXPECT_TRUE(first.kept()) << "it may be gone on with";
  first.has_ended();
  first.remove_if_ended();
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_FALSE(first.kept());
  EXPECT_EQ(second_writes(), "");
}

// As when Heddle is killed between fork and exec: what it forked lives a little longer.
TEST_F(SavedSearchTest, IsNotOwnedByWhatTheOwnerForked) {
  write(identity(), "content");
  int alive[2];
  ASSERT_EQ(pipe(alive), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    SavedSearch saved(path(), identity());
    if (!saved.load().empty() || fork() != 0) _exit(saved.kept() ? 0 : 1);
    char until_closed;
    close(alive[1]);
    _exit(static_cast<int>(read(alive[0], &until_closed, 1)));
  }
  int status = 0;
  ASSERT_EQ(waitpid(owner, &status, 0), owner);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(load(identity()), "");
  close(alive[1]);
  close(alive[0]);
  waitpid(-1, nullptr, 0);  // other tests have made us the one who gets what lost its parent
}

TEST_F(SavedSearchTest, WhatCantBeWrittenLeavesTheOldOne) {
  write(identity(), "content");
  SavedSearch saved(path(), identity());
  ASSERT_EQ(saved.load(), "");
  rlimit before{};  // stands for a full disk
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 10;
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string error = saved.write({}, [](StateWriter&) {});
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, old_handler);
  expect_says(error, "can't be kept");
  const std::filesystem::directory_iterator files(std::filesystem::path(path()).parent_path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
  saved.forget();
  EXPECT_TRUE(saved.kept());
}

TEST_F(SavedSearchTest, WhatGrowsTooLargeLeavesTheLastState) {
  write(identity(), "content");
  SavedSearch saved(path(), identity(), 1 << 20);
  ASSERT_EQ(saved.load(), "");
  std::string error = saved.write({}, [](StateWriter& writer) { writer(std::string(2 << 20, 'x')); });
  expect_says(error, "more than 1 MB");
  expect_says(error, "from its last state");
  EXPECT_LT(std::filesystem::file_size(path()), 1000u);
  const std::filesystem::directory_iterator files(std::filesystem::path(path()).parent_path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
  SavedSearch first(path() + ".other", identity(), 100);
  error = first.write({}, [](StateWriter& writer) { writer(std::string(2 << 20, 'x')); });
  EXPECT_NE(error.find("can't go on with it"), std::string::npos) << error;
}

TEST_F(SavedSearchTest, ATooLargeFileIsNotRead) {
  write(identity(), std::string(2 << 20, 'x'));
  expect_says(SavedSearch(path(), identity(), 1 << 20).load(), "larger than any search");
}

TEST_F(SavedSearchTest, NoLinkIsFollowed) {
  const std::string precious = testing::TempDir() + "/precious." + std::to_string(::getpid());
  ASSERT_EQ(write_file(precious, "precious"), "");
  std::filesystem::create_directories(std::filesystem::path(path()).parent_path());
  std::filesystem::create_symlink(precious, path() + ".new");
  std::filesystem::create_symlink(precious, path());
  EXPECT_NE(load(identity()).find("can't be read"), std::string::npos);
  write(identity(), "content");
  EXPECT_FALSE(std::filesystem::is_symlink(path()));
  EXPECT_EQ(read_file(precious).content, "precious");
  std::filesystem::remove(precious);
}

// Of two that begin at the same time, the second one to write sees that the file is not its own any more.
TEST_F(SavedSearchTest, AFileThatAnotherHasReplacedIsLeftAlone) {
  write(identity(), "content");
  SavedSearch saved(path(), identity());
  ASSERT_EQ(saved.load(), "");
  EXPECT_FALSE(saved.is_in_use());
  std::filesystem::remove(path());
  int ready[2], done[2];
  ASSERT_TRUE(pipe(ready) == 0 && pipe(done) == 0);
  const pid_t other = fork();
  if (other == 0) {
    SavedSearch theirs(path(), identity());
    const bool written = theirs.write({}, [](StateWriter&) {}).empty();
    char byte = written ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) != 1) _exit(1);
    close(done[1]);
    _exit(static_cast<int>(::read(done[0], &byte, 1)));
  }
  char byte = 'n';
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  EXPECT_TRUE(saved.is_in_use());
  expect_says(saved.write({}, [](StateWriter&) {}), "another run");
  for (const int end : {ready[0], ready[1], done[0], done[1]}) close(end);
  waitpid(other, nullptr, 0);
}

}  // namespace
}  // namespace heddle::test
