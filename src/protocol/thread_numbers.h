// The numbers that the program knows its threads by: gettid(). The first one's is the process's, as natively. Those of
// the others the kernel gives to nobody, so that none is another process's, or what the kernel itself calls a thread.
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
