// Small parts of the driver: environment of the target, captured output, CPUs, child processes, the region.
#include "driver/target/launch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>

#include "driver/process/cpu.h"
#include "driver/process/inspect.h"
#include "driver/process/wait_status.h"

namespace heddle {
namespace {

using namespace std::chrono_literals;

bool has(const std::vector<std::string>& environment, const std::string& entry) {
  return std::find(environment.begin(), environment.end(), entry) != environment.end();
}

TEST(Environment, ThePreloadedLibraryComesFirstAndKeepsOthers) {
  Target target;
  target.library = "/lib/libheddle.so";
  const char* empty[] = {"HOME=/root", nullptr};
  EXPECT_TRUE(has(target_environment(empty, target, 5), "LD_PRELOAD=/lib/libheddle.so"));
  const std::string control = "HEDDLE_CONTROL=5:/proc/" + std::to_string(getpid()) + "/fd/5";
  EXPECT_TRUE(has(target_environment(empty, target, 5), control));
  const char* preloading[] = {"LD_PRELOAD=/a.so:/b.so", "HEDDLE_CONTROL=3", nullptr};
  const auto environment = target_environment(preloading, target, 5);
  EXPECT_TRUE(has(environment, "LD_PRELOAD=/lib/libheddle.so:/a.so:/b.so"));
  EXPECT_FALSE(has(environment, "HEDDLE_CONTROL=3"));
}

TEST(Environment, WhatAddressSanitizerMayNotDoIsAppended) {
  Target target;
  target.library = "/lib/libheddle.so";
  target.address_sanitizer = true;
  const char* none[] = {nullptr};
  const char* some[] = {"ASAN_OPTIONS=halt_on_error=0", nullptr};
  const char* leaks[] = {"ASAN_OPTIONS=detect_leaks=1", nullptr};
  EXPECT_TRUE(has(target_environment(none, target, 5), "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"));
  EXPECT_TRUE(
      has(target_environment(some, target, 5), "ASAN_OPTIONS=halt_on_error=0:verify_asan_link_order=0:detect_leaks=0"));
  EXPECT_TRUE(has(target_environment(leaks, target, 5), "ASAN_OPTIONS=detect_leaks=1:verify_asan_link_order=0"))
      << "who asks for it gets it";
}

TEST(OutputCapture, KeepsHeadAndTail) {
  OutputCapture capture;
  ASSERT_EQ(capture.create(), "");
  ASSERT_EQ(::write(capture.descriptor(), "hello\n", 6), 6);
  EXPECT_EQ(capture.read(), "hello\n");
  capture.clear();
  const std::string many(3 * OutputCapture::kKept, 'x');
  ASSERT_EQ(::write(capture.descriptor(), many.data(), many.size()), static_cast<ssize_t>(many.size()));
  ASSERT_EQ(::write(capture.descriptor(), "end", 3), 3);
  const std::string kept = capture.read();
  EXPECT_LT(kept.size(), OutputCapture::kKept + 100);
  EXPECT_TRUE(kept.ends_with("xend"));
  EXPECT_NE(kept.find("bytes left out"), std::string::npos);
}

TEST(Cpu, ClaimsDoNotCollide) {
  const CpuClaim first, second;
  EXPECT_TRUE(usable_processors() >= 2 || first.cpu() == -1);
  EXPECT_TRUE(first.cpu() < 0 || first.cpu() != second.cpu());
}

TEST(WaitStatus, InWords) {
  EXPECT_EQ(describe_status(3 << 8), "ended with status 3");
  EXPECT_EQ(describe_status(11), "was ended by signal 11 (Segmentation fault)");
}

TEST(Process, TellsHowItEnded) {
  bool randomized = false;
  Process process;
  ASSERT_EQ(process.start({"/bin/sh", {"sh", "-c", "exit 4"}, {}, -1, -1, -1}, randomized), "");
  process.wait(10s);
  const auto status = process.ended();
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(WEXITSTATUS(*status), 4);
  EXPECT_FALSE(process.running());
}

TEST(Process, AFailedStartSaysWhy) {
  bool randomized = false;
  Process process;
  const std::string error = process.start({"/nonexistent", {"x"}, {}, -1, -1, -1}, randomized);
  EXPECT_NE(error.find("No such file"), std::string::npos);
  EXPECT_FALSE(process.running());
}

TEST(Process, ItsWholeGroupEndsWithIt) {
  bool randomized = false;
  OutputCapture output;
  ASSERT_EQ(output.create(), "");
  pid_t grandchild = 0;
  {
    Process process;
    ASSERT_EQ(process.start({"/bin/sh", {"sh", "-c", "sleep 1000 & echo $!; wait"}, {}, -1, output.descriptor(), -1},
                            randomized),
              "");
    for (int i = 0; i < 1000 && output.read().empty(); ++i) usleep(10'000);
    grandchild = std::atoi(output.read().c_str());
    ASSERT_GT(grandchild, 1);
    EXPECT_TRUE(descends_from(grandchild, process.pid()));
    EXPECT_FALSE(descends_from(getpid(), process.pid()));
  }
  EXPECT_NE(kill(grandchild, 0), 0) << "it runs still, or nobody has collected it";
  EXPECT_FALSE(descends_from(grandchild, getpid()));
}

TEST(Process, NothingThatItStartedOutlivesIt) {
  bool randomized = false;
  OutputCapture output;
  ASSERT_EQ(output.create(), "");
  Process process;
  const char* script = "setsid sh -c 'sleep 1000 & echo $!; exec sleep 1000' & sleep 1000 & sleep 0.2; echo done";
  ASSERT_EQ(process.start({"/bin/sh", {"sh", "-c", script}, {}, -1, output.descriptor(), -1}, randomized), "");
  process.wait(10s);
  ASSERT_TRUE(process.ended().has_value());
  const pid_t left = std::atoi(output.read().c_str());
  ASSERT_GT(left, 1) << output.read();
  EXPECT_NE(kill(left, 0), 0);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

TEST(Region, PlansComeOutAsTheyWentIn) {
  std::string error;
  const auto region = SharedRegion::create(error);
  ASSERT_NE(region, nullptr) << error;
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, region->descriptor(), 0);
  auto* shared = static_cast<Shared*>(memory);
  EXPECT_EQ(shared->magic, kProtocolMagic);
  EXPECT_EQ(shared->version, kProtocolVersion);
  Plan plan{.id = 9, .deltas = {}, .stacks = true};
  for (std::uint32_t i = 0; i < 5; ++i) tell_policy<PolicyKind::Awake>(plan, Sleeper::from(i, {7, 1}, true));
  for (std::uint32_t i = 0; i < 10; ++i) plan.deltas.push_back({i, {static_cast<TaskId>(i), kTimeout}});
  ASSERT_TRUE(region->plans().write(plan));
  PlanHeader header;
  std::memcpy(static_cast<void*>(&header), &shared->plan_slot(0), sizeof header);
  EXPECT_EQ(header.id, 9u);
  EXPECT_EQ(header.policy, PolicyKind::Awake);
  EXPECT_EQ(header.policy_words, 5u);
  EXPECT_EQ(header.flags, PlanFlags::Stacks);
  EXPECT_EQ(header.delta_count, 10u);
  EXPECT_EQ(shared->plans.written.load(), 6u);
  Delta last;
  std::memcpy(static_cast<void*>(&last), shared->plan_slot(3).bytes + sizeof(Delta), sizeof last);
  EXPECT_EQ(last, plan.deltas.back());
  Sleeper sleeper;
  std::memcpy(static_cast<void*>(&sleeper), shared->plan_slot(5).bytes, sizeof sleeper);
  EXPECT_EQ(sleeper.step, 4u);
  EXPECT_EQ(sleeper.choice, (Choice{7, 1}));
  munmap(memory, sizeof(Shared));
}

TEST(Region, WhatIsNoTextIsNotBelieved) {
  std::string error;
  const auto region = SharedRegion::create(error);
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, region->descriptor(), 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* shared = static_cast<Shared*>(memory);
  std::memcpy(shared->fallback_reason, "no room", sizeof "no room");
  shared->fallback = 1;
  EXPECT_EQ(region->fallback(), "no room");
  shared->fallback = 0x41414141;
  EXPECT_EQ(region->fallback(), "");
  shared->fallback = 1;
  std::memcpy(shared->fallback_reason, "no\x1b[31m", sizeof "no\x1b[31m");
  EXPECT_EQ(region->fallback(), "");
  std::memset(shared->fallback_reason, 'A', sizeof shared->fallback_reason);
  EXPECT_EQ(region->fallback(), "") << "no end";
  munmap(memory, sizeof(Shared));
}

TEST(Region, FullMeansNotNow) {
  std::string error;
  const auto region = SharedRegion::create(error);
  Plan plan;
  plan.deltas.resize(100'000);
  ASSERT_TRUE(PlanRing::fits(plan));
  EXPECT_TRUE(region->plans().write(plan));
  EXPECT_TRUE(region->plans().write(plan));
  EXPECT_FALSE(region->plans().write(plan));
  EXPECT_FALSE(region->corrupted());
  plan.deltas.resize(std::size_t{kPlanSlots} * kItemsPerSlot);
  EXPECT_FALSE(PlanRing::fits(plan));
}

}  // namespace
}  // namespace heddle
