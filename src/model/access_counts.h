// How many plain accesses each task has made.
#pragma once

#include <cstdint>

#include "protocol/operations.h"

namespace heddle::model {

class AccessCounts {
 public:
  static constexpr unsigned kMaxTasks = 64;  // those with higher numbers are counted together, as the last one
  struct Count {
    std::uint64_t reads = 0, writes = 0;
  };

  void add(TaskId task, bool write) {
    Count& count = counts_[slot_of(task)];
    ++(write ? count.writes : count.reads);
  }
  const Count& of(TaskId task) const { return counts_[slot_of(task)]; }

 private:
  static unsigned slot_of(TaskId task) { return task < kMaxTasks ? task : kMaxTasks - 1; }

  Count counts_[kMaxTasks];
};

}  // namespace heddle::model
