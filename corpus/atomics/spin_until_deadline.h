// By each of the clocks that programs look at in such loops.
#pragma once

#include <atomic>
#include <cassert>
#include <chrono>
#include <ctime>
#include <thread>

static void after(bool ready);

static std::atomic<bool> ready{false};

template <typename Clock>
bool wait_by() {
  const auto end = Clock::now() + std::chrono::milliseconds(1);
  while (!ready.load())
    if (Clock::now() > end) return false;
  return true;
}

static bool wait_by_seconds() {
  const std::time_t end = std::time(nullptr) + 1;
  while (!ready.load())
    if (std::time(nullptr) >= end) return false;
  return true;
}

static bool wait_by_processor_time() {
  const std::clock_t begin = std::clock();
  while (!ready.load())
    if (std::clock() - begin > 500) return false;
  return true;
}

int main() {
  std::thread waiter([] {
    after(wait_by<std::chrono::steady_clock>() && wait_by<std::chrono::system_clock>() && wait_by_seconds() &&
          wait_by_processor_time());
    wait_by<std::chrono::system_clock>();
    wait_by_seconds();
    wait_by_processor_time();
  });
  waiter.join();
}
