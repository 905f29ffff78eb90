// See back_off.h.
#include "analysis/back_off.h"

#include <algorithm>
#include <array>

#include "analysis/outcome.h"

namespace heddle {
namespace {

// libstdc++'s and libc++'s, and Boost's. The second goes on by itself where the first has jumped to it.
constexpr std::array<std::string_view, 4> kFunctions = {"std::lock", "std::__detail::__lock_impl", "std::__1::lock",
                                                        "boost::lock"};

bool is_lock_algorithm(const Frame& frame) {
  return std::find(kFunctions.begin(), kFunctions.end(), frame.function) != kFunctions.end();
}

}  // namespace

bool only_lock_algorithms_go_round(const Execution& execution, Symbolizer& symbolizer) {
  const Loop loop = loop_of(execution);
  if (!loop.proved || execution.stacks.size() != execution.steps.size()) return false;
  return std::all_of(execution.stacks.begin() + static_cast<std::ptrdiff_t>(loop.first), execution.stacks.end(),
                     [&](const std::vector<Site>& stack) {
                       return std::any_of(stack.begin(), stack.end(), [&](Site site) {
                         const std::vector<Frame>& frames = symbolizer.frames(site);
                         return std::any_of(frames.begin(), frames.end(), is_lock_algorithm);
                       });
                     });
}

}  // namespace heddle
