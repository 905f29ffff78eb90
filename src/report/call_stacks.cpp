// See call_stacks.h.
#include "report/call_stacks.h"

#include <fmt/format.h>

#include "report/phrases.h"

namespace heddle {
namespace {

constexpr std::size_t kMostSteps = 1000;  // of a longer execution the last ones are shown

}  // namespace

std::string call_stacks(const Execution& execution, Names& names, const Style& style) {
  const std::size_t count = std::min(execution.stacks.size(), execution.steps.size());
  const std::size_t first = count > kMostSteps ? count - kMostSteps : 0;
  std::string result = "\n" + style.bold("Call stacks") + "\n";
  if (count == 0)
    return result + "  None were recorded: the bug did not come again when it was run in a fresh process.\n";
  if (first != 0) result += fmt::format("  … those of the first {} are left out\n", counted(first, "step"));
  Phrases phrases(execution, names);
  for (std::size_t i = first; i < count; ++i) {
    result += fmt::format("  step {}, {}: {}\n", i, names.task(execution.steps[i].task), phrases.step(i));
    for (const std::string& frame : names.frames_of_stack(execution.stacks[i])) result += "      " + frame + "\n";
  }
  return result;
}

}  // namespace heddle
