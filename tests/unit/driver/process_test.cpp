// How programs are started: what they inherit, and what is told where they can't be.
#include "driver/process/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace heddle {
namespace {

constexpr std::chrono::seconds kLong{20};

class ProcessTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(pipe2(ends_, O_NONBLOCK), 0); }
  void TearDown() override {
    close(ends_[0]);
    close(ends_[1]);
  }

  // What a program prints, up to the size of a pipe; `status_`: how it ended.
  std::string printed_by(const std::string& path, const std::vector<std::string>& arguments,
                         const std::string& directory = {}) {
    const ProcessRequest request{
        .path = path, .arguments = arguments, .environment = {"A=b"}, .output = ends_[1], .directory = directory};
    Process process;
    bool randomized = false;
    EXPECT_EQ(process.start(request, randomized), "");
    process.wait(kLong);
    const auto status = process.ended();
    EXPECT_TRUE(status.has_value());
    status_ = status.value_or(-1);
    std::string text(4096, '\0');
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(read(ends_[0], text.data(), text.size()), 0)));
    return text;
  }

  int ends_[2] = {};
  int status_ = -1;
};

void ignore(int) {}

TEST_F(ProcessTest, HasItsEnvironmentFolderAndGroup) {
  EXPECT_EQ(printed_by("/bin/sh", {"sh", "-c", "echo $A; pwd; kill -0 -$$ && echo leads"}, "/usr"), "b\n/usr\nleads\n");
  EXPECT_EQ(status_, 0);
}

TEST_F(ProcessTest, HasOurSignalMaskAndNoneOfOurHandlers) {
  struct sigaction handled {
  }, before{};
  handled.sa_handler = ignore;
  sigaction(SIGTERM, &handled, &before);
  sigset_t blocked, mask;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &blocked, &mask);
  const std::string told = printed_by("/bin/cat", {"cat", "/proc/self/status"});
  EXPECT_NE(told.find("SigBlk:\t0000000000000200\n"), std::string::npos) << told;
  EXPECT_NE(told.find("SigCgt:\t0000000000000000\n"), std::string::npos) << told;
  printed_by("/bin/sh", {"sh", "-c", "kill -TERM $$; echo unreached"});
  EXPECT_EQ(status_, SIGTERM);
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, &mask, &now);
  EXPECT_EQ(sigismember(&now, SIGUSR1), 1);
  EXPECT_EQ(sigismember(&now, SIGTERM), 0);
  struct sigaction present {};
  sigaction(SIGTERM, &before, &present);
  EXPECT_EQ(present.sa_handler, ignore);
}

TEST_F(ProcessTest, WhatCannotBeStartedIsTold) {
  Process process;
  bool randomized = false;
  ProcessRequest request{.path = "/nowhere/program", .arguments = {"program"}, .environment = {}};
  EXPECT_EQ(process.start(request, randomized), "/nowhere/program could not be started: No such file or directory");
  EXPECT_FALSE(process.running());
  request.path = "/bin/true";
  request.directory = "/nowhere";
  EXPECT_EQ(process.start(request, randomized), "/bin/true could not be started: No such file or directory");
  EXPECT_FALSE(process.running());
}

}  // namespace
}  // namespace heddle
