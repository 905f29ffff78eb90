// What polled_on_the_stack.cpp and its twin share: flags on main's stack, which main polls, yielding in between.
// Another flag beside them changes meanwhile. That is no progress of main: how often it polls depends on what it polls
// only.
#pragma once

#include <atomic>
#include <cassert>
#include <thread>

struct Flags {
  std::atomic<int> ready{0};
  std::atomic<int> beside{0};
};

inline void poll(const Flags& flags) {
  while (flags.ready.load() == 0) std::this_thread::yield();
}
