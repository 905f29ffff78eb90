// Sets of tasks as words of 64 bits, and the memory that the model's tables live in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/operations.h"

namespace heddle::model {

inline constexpr std::uint32_t kMaxTasks = 16384;

// Memory for the model: `bytes` zeroed, aligned to 64, never given back. The runtime reserves address space; tests use
// calloc.
using Allocate = void* (*)(std::size_t bytes);

// Where few tasks are expected, only the first words are allocated (Schedule::create()).
struct TaskSet {
  std::uint64_t words[kMaxTasks / 64];
  bool has(TaskId task) const { return (words[task / 64] >> (task % 64) & 1) != 0; }
  void add(TaskId task) { words[task / 64] |= std::uint64_t{1} << (task % 64); }
  void remove(TaskId task) { words[task / 64] &= ~(std::uint64_t{1} << (task % 64)); }
};

// Calls visit(task) for each member, in ascending order. `words`: how many words may be in use.
template <typename Visit>
void for_each(const TaskSet& set, std::uint32_t words, Visit visit) {
  for (std::uint32_t i = 0; i < words; ++i)
    for (std::uint64_t left = set.words[i]; left != 0; left &= left - 1)
      visit(static_cast<TaskId>(i * 64 + static_cast<std::uint32_t>(__builtin_ctzll(left))));
}

}  // namespace heddle::model
