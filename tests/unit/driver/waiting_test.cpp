// Waiting for one of several words, and how many workers there are to wait for.
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "driver/process/cpu.h"
#include "driver/process/futex_wait.h"

namespace heddle {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::atomic<std::uint32_t>*>;

constexpr auto kLong = 60s;  // nothing here waits as long

void wake(std::atomic<std::uint32_t>& word) { syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0); }

TEST(FutexWait, DoesNotSleepWhenAWordHasChanged) {
  std::atomic<std::uint32_t> a{1}, b{0};
  const auto began = Clock::now();
  wait_for_any({&a, &b}, 1, kLong);
  EXPECT_LT(Clock::now() - began, 10s);
}

TEST(FutexWait, EndsWithItsLimit) {
  std::atomic<std::uint32_t> a{1}, b{1};
  const auto began = Clock::now();
  wait_for_any({&a, &b}, 1, 20ms);
  EXPECT_LT(Clock::now() - began, 10s);
}

TEST(FutexWait, AnyOfTheWordsWakesIt) {
  std::atomic<std::uint32_t> words[3] = {1, 1, 1};
  for (auto& word : words) {
    word = 1;
    std::thread waker([&] {
      word = 0;
      wake(word);
    });
    const auto began = Clock::now();
    while (word.load() == 1) wait_for_any({&words[0], &words[1], &words[2]}, 1, kLong);
    EXPECT_LT(Clock::now() - began, 10s);
    waker.join();
    word = 1;
  }
}

TEST(FutexWait, MoreWordsThanTheKernelTakes) {
  std::vector<std::atomic<std::uint32_t>> words(200);
  Words pointers;
  for (auto& word : words) {
    word = 1;
    pointers.push_back(&word);
  }
  const auto began = Clock::now();
  wait_for_any(pointers, 1, 5ms);
  words[0] = 0;
  wait_for_any(pointers, 1, kLong);
  EXPECT_LT(Clock::now() - began, 10s);
}

TEST(Cpu, AsManyWorkersAsProcessorsAtMost) {
  EXPECT_GE(default_workers(), 1u);
  EXPECT_LE(default_workers(), usable_processors());
}

TEST(Cpu, OneProcessorMeansOneWorker) {
  // In a thread of its own: its mask goes with it.
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(usable_processors(), 1u);
    EXPECT_EQ(default_workers(), 1u);
    EXPECT_EQ(CpuClaim().cpu(), -1) << "nothing to choose from";
  }).join();
}

TEST(Cpu, TwoClaimsAreForTwoProcessors) {
  if (usable_processors() < 2) GTEST_SKIP() << "needs two processors";
  const CpuClaim first, second;
  EXPECT_TRUE(first.cpu() < 0 || second.cpu() < 0 || first.cpu() != second.cpu());
}

}  // namespace
}  // namespace heddle
