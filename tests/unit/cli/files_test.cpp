// Output folders and finding traces, in a folder of their own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "cli/find_trace.h"
#include "cli/output_folder.h"
#include "cli/several_tests.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("cli_files_test." + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path("/");
    fs::remove_all(folder_);
  }
  static void touch(const fs::path& path) {
    if (path.has_parent_path()) fs::create_directories(path.parent_path());
    std::ofstream file(path);
  }
  fs::path folder_;
};

TEST_F(Files, NumberedFoldersAndTheLatest) {
  OutputFolder first("", "/usr/bin/queue_test"), second("", "queue_test");
  EXPECT_FALSE(fs::exists("heddle-out")) << "made only when there is something to keep";
  EXPECT_EQ(first.make(), "");
  EXPECT_EQ(first.path(), "heddle-out/queue_test-1");
  EXPECT_EQ(first.make(), "") << "asked again, it is the same";
  EXPECT_EQ(second.make(), "");
  EXPECT_EQ(second.path(), "heddle-out/queue_test-2");
  EXPECT_EQ(fs::read_symlink("heddle-out/latest"), "queue_test-2");
  EXPECT_EQ(second.file("bug-1.trace"), "heddle-out/queue_test-2/bug-1.trace");
}

TEST_F(Files, AFolderOfTheUsersIsNeverOverwritten) {
  OutputFolder first("out", "t"), second("out//", "t");
  EXPECT_EQ(first.make(), "");
  EXPECT_EQ(first.path(), "out");
  touch("out/bug-1.trace");
  EXPECT_EQ(second.make(), "");
  EXPECT_EQ(second.path(), "out-2");
  fs::create_directory("empty");
  OutputFolder third("empty", "t"), fourth("empty", "t");
  EXPECT_EQ(third.make(), "");
  EXPECT_EQ(third.path(), "empty");
  EXPECT_EQ(fourth.make(), "");
  EXPECT_EQ(fourth.path(), "empty-2");
}

TEST_F(Files, FoldersAndFilesAreForTheUserAlone) {
  const mode_t before = umask(0);
  OutputFolder numbered("", "t"), wanted("one/two", "t");
  EXPECT_EQ(numbered.make(), "");
  EXPECT_EQ(wanted.make(), "");
  EXPECT_EQ(numbered.write("bug-1.trace", "trace"), "");
  umask(before);
  for (const char* folder : {"heddle-out", "heddle-out/t-1", "one", "one/two"})
    EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all) << folder;
  EXPECT_EQ(fs::status("heddle-out/t-1/bug-1.trace").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Files, NoLinkIsFollowed) {
  fs::create_directory("elsewhere");
  fs::create_directory_symlink("elsewhere", "out");
  OutputFolder linked("out", "t");
  EXPECT_EQ(linked.make(), "");
  EXPECT_EQ(linked.path(), "out-2") << "a link is never taken for the user's empty folder";
  EXPECT_EQ(linked.write("one", ""), "");
  fs::rename("out-2", "moved");  // by somebody else, while we write
  fs::create_directory_symlink("elsewhere", "out-2");
  EXPECT_EQ(linked.write("two", ""), "");
  EXPECT_TRUE(fs::exists("moved/one") && fs::exists("moved/two"));
  EXPECT_TRUE(fs::is_empty("elsewhere"));
  EXPECT_FALSE(OutputFolder("", "t").take_over("out-2"));
  EXPECT_TRUE(OutputFolder("", "t").take_over("moved"));
}

TEST_F(Files, WhatCannotBeMadeIsSaid) {
  touch("file");
  EXPECT_NE(OutputFolder("file/below", "t").make(), "");
  OutputFolder in_the_way("", "t", "file");
  EXPECT_NE(in_the_way.make().find("file"), std::string::npos);
  EXPECT_FALSE(in_the_way.made());
}

TEST_F(Files, RunsSideBySideDoNotCollide) {
  constexpr int kRuns = 20;
  for (int i = 0; i < kRuns; ++i) {
    if (fork() != 0) continue;
    OutputFolder folder("", "t");
    if (!folder.make().empty()) _exit(1);
    const int fd = open(folder.file("mine").c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
    _exit(fd >= 0 ? 0 : 1);
  }
  for (int i = 0; i < kRuns; ++i) {
    int status = 0;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  std::set<std::string> entries;
  for (const auto& entry : fs::directory_iterator("heddle-out")) entries.insert(entry.path().filename());
  EXPECT_EQ(entries.size(), kRuns + 1u) << "twenty folders and the link, nothing else";
  EXPECT_TRUE(fs::is_directory("heddle-out/latest"));
}

TEST_F(Files, FindingTheTrace) {
  EXPECT_NE(find_trace({}).error.find("heddle run"), std::string::npos);
  touch("heddle-out/t-1/bug-2.trace");
  touch("heddle-out/t-1/bug-10.trace");
  touch("heddle-out/t-1/bug-x.trace");
  fs::create_symlink("t-1", "heddle-out/latest");
  EXPECT_EQ(find_trace({}).path, "heddle-out/t-1/bug-10.trace");
  EXPECT_EQ(find_trace({"2"}).path, "heddle-out/t-1/bug-2.trace");
  EXPECT_NE(find_trace({"3"}).error.find("no bug 3"), std::string::npos);
  EXPECT_EQ(find_trace({"heddle-out/t-1"}).path, "heddle-out/t-1/bug-10.trace");
  EXPECT_EQ(find_trace({"some.trace"}).path, "some.trace");
  EXPECT_NE(find_trace({"a", "b"}).error, "");
  fs::create_directory("nothing");
  EXPECT_NE(find_trace({"nothing"}).error.find("no bug-N.trace"), std::string::npos);
}

TEST(GoogleTests, ListedTests) {
  const char* const listing =
      "Running main() from gtest_main.cc\n"
      "Queue.\n  Drains\n  DISABLED_Later\n  Fills\n"
      "Typed/0.  # TypeParam = int\n  Works\n"
      "All/Param.\n  Case/0  # GetParam() = 1\nDISABLED_Suite.\n  Test\n";
  EXPECT_EQ(disabled_tests(listing), (std::vector<std::string>{"Queue.DISABLED_Later", "DISABLED_Suite.Test"}));
  EXPECT_EQ(listed_tests(listing),
            (std::vector<std::string>{"Queue.Drains", "Queue.Fills", "Typed/0.Works", "All/Param.Case/0"}));
  EXPECT_TRUE(listed_tests("").empty());
  EXPECT_TRUE(listed_tests("no tests here\n").empty());
}

TEST(GoogleTests, SeveralTestsAreNoted) {
  const std::string output = "[==========] Running 90 tests from 3 test suites.\n";
  const std::string note = several_tests_note("/proc/self/exe", {"./unit", "--gtest_filter=Goo*", "-x"}, output);
  EXPECT_NE(note.find("90 tests"), std::string::npos);
  EXPECT_NE(note.find("heddle run ./unit -x --gtest_filter=GoogleTests.ListedTests\n"), std::string::npos) << note;
  EXPECT_EQ(note.find("Files."), std::string::npos) << "only what the filter selects: " << note;
  EXPECT_EQ(several_tests_note("/proc/self/exe", {"./unit"}, "[==========] Running 1 test from 1 test suite.\n"), "");
  EXPECT_EQ(several_tests_note("/proc/self/exe", {"./unit"}, "hello\n"), "");
  EXPECT_NE(several_tests_note("/nowhere", {"./unit"}, output).find("--gtest_filter=SUITE.TEST"), std::string::npos);
}

TEST(SeveralTests, OtherFrameworksChooseOneInTheirOwnWay) {
  const auto note = [](std::vector<std::string> command, const char* output) {
    return several_tests_note("/nowhere", command, output);
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(
      has(note({"./t", "-x"}, "All tests passed (2 assertions in 2 test cases)\n"), "  heddle run ./t -x NAME "));
  EXPECT_TRUE(has(note({"./t"}, "[doctest] test cases: 2 | 2 passed\n"), "  heddle run ./t -tc=NAME "));
  const std::string boost = note({"./t", "--run_test=a*", "-x"}, "Running 2 test cases...\n");
  EXPECT_TRUE(has(boost, "  heddle run ./t -x --run_test=SUITE/CASE    (the names: ./t --list_content)\n")) << boost;
  EXPECT_TRUE(has(note({"./t"}, "100%: Checks: 2, Failures: 0, Errors: 0\n"),
                  "  CK_FORK=no CK_RUN_CASE=CASE heddle run ./t\n"));
  const std::string cmocka = note({"./t"}, "[==========] Running 2 test(s).\n");
  EXPECT_TRUE(has(cmocka, "2 tests were run")) << cmocka;
  EXPECT_FALSE(has(cmocka, "heddle run")) << cmocka;
}

}  // namespace
}  // namespace heddle::cli
