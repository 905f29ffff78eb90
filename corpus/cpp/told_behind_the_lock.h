// What told_behind_the_lock.cpp and its twin share: a thread that waits until it is told to go on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

inline std::mutex mutex;
inline std::condition_variable condition;
inline std::atomic<bool> told{false};

inline void wait_until_told() {
  std::unique_lock lock(mutex);
  condition.wait(lock, [] { return told.load(); });
}
