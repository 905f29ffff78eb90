// A table whose entries are moved up by one, with a fence behind each, as lock-free tables of runtimes (Mono) do it.
#pragma once

#include <atomic>

struct Table {
  static constexpr int kEntries = 200;
  long entries[kEntries + 1] = {};

  // Its registers count; what the fences are about are plain accesses.
  __attribute__((noinline)) void make_room() {
    for (int i = kEntries - 1; i >= 0; --i) {
      std::atomic_thread_fence(std::memory_order_seq_cst);
      entries[i + 1] = entries[i];
    }
  }
};
