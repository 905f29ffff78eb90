// See back_off.h.
#include "analysis/back_off.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/outcome.h"

namespace heddle {
namespace {

// libstdc++'s and libc++'s, and Boost's. The second goes on by itself where the first has jumped to it.
constexpr std::array<std::string_view, 4> kFunctions = {"std::lock", "std::__detail::__lock_impl", "std::__1::lock",
                                                        "boost::lock"};

constexpr std::array<std::string_view, 5> kLocks = {"g_mutex_lock", "g_rec_mutex_lock", "g_rw_lock_reader_lock",
                                                    "g_rw_lock_writer_lock", "g_bit_lock"};

template <typename Functions>
bool is_in(const Functions& functions, const std::vector<Site>& stack, Symbolizer& symbolizer) {
  return std::any_of(stack.begin(), stack.end(), [&](Site site) {
    const std::vector<Frame>& frames = symbolizer.frames(site);
    return std::any_of(frames.begin(), frames.end(), [&](const Frame& frame) {
      return std::find(functions.begin(), functions.end(), frame.function) != functions.end();
    });
  });
}

bool has_stacks(const Execution& execution) { return execution.stacks.size() == execution.steps.size(); }

}  // namespace

bool only_lock_algorithms_go_round(const Execution& execution, Symbolizer& symbolizer) {
  const Loop loop = loop_of(execution);
  if (!loop.proved || !has_stacks(execution)) return false;
  return std::all_of(execution.stacks.begin() + static_cast<std::ptrdiff_t>(loop.first), execution.stacks.end(),
                     [&](const std::vector<Site>& stack) { return is_in(kFunctions, stack, symbolizer); });
}

bool comes_too_late_for_a_lock(const Execution& execution, Symbolizer& symbolizer) {
  const Loop loop = loop_of(execution);
  if (!loop.proved || !has_stacks(execution)) return false;
  std::map<TaskId, bool> only_locks;  // is all that it does in the loop inside such a function?
  for (std::size_t i = loop.first; i < execution.steps.size(); ++i) {
    bool& only = only_locks.try_emplace(execution.steps[i].task, true).first->second;
    only = only && is_in(kLocks, execution.stacks[i], symbolizer);
  }
  return std::any_of(only_locks.begin(), only_locks.end(), [](const auto& task) { return task.second; });
}

}  // namespace heddle
