// See task_state.h.
#include "runtime/instrument/task_state.h"

#include <cstddef>

namespace heddle::runtime {
namespace {

// So much of the stack is looked at. A loop's own variables are in registers or near; above every thread's frames there
// is more than this (its descriptor, the environment).
constexpr std::size_t kLookedAt = 768;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 32;
}

}  // namespace

std::uint64_t task_state(const std::uint64_t* from) {
  std::uint64_t hash = 1;
  for (const std::uint64_t* word = from; word != from + kLookedAt / sizeof *word; ++word) hash = mixed(hash, *word);
  return hash | 1;
}

}  // namespace heddle::runtime
