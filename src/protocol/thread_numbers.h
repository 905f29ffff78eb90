// The numbers by which the program knows its threads: gettid(). The first thread has the number of the process, as
// natively. The others have numbers that the kernel gives to nobody, so they can't be taken for another process or
// for a kernel thread.
#pragma once

#include <cstdint>

#include "protocol/operations.h"

namespace heddle {

struct ThreadNumbers {
  static constexpr std::uint32_t kKernelEnd = 1u << 22;  // PID_MAX_LIMIT: the kernel's are smaller

  std::uint32_t process = 0;  // its id
  TaskId first = 0;           // the thread that it began with: of a child that was forked, the one that did so

  constexpr std::uint32_t of(TaskId task) const { return task == first ? process : kKernelEnd + task; }
  // Of `tasks` threads; kNoTask: none of theirs.
  constexpr TaskId task_with(std::uint32_t number, std::uint32_t tasks) const {
    if (number == process) return first;
    const std::uint32_t task = number - kKernelEnd;
    return number >= kKernelEnd && task < tasks && task != first ? static_cast<TaskId>(task) : kNoTask;
  }

  constexpr std::uint64_t packed() const { return std::uint64_t{first} << 32 | process; }
  static constexpr ThreadNumbers unpacked(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word), static_cast<TaskId>(word >> 32)};
  }
};

}  // namespace heddle
