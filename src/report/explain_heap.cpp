// See explain_heap.h.
#include "report/explain_heap.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/heap_fault.h"
#include "report/wording.h"

namespace heddle {
namespace {

std::string frames(const BlockEvent& event, Names& names) {
  std::string text;
  for (const std::string& frame : names.frames_of_stack(event.stack)) text += "\n    " + frame;
  return text;
}

std::string at(const BlockEvent& event, Names& names) {
  return event.stack.empty() ? "" : " at " + names.full_place(names.location_of_stack(event.stack));
}

// "(after step 4)": where to look for it in the list of steps.
std::string when(const BlockEvent& event) {
  return event.steps == 0 ? "" : fmt::format(" (after step {})", event.steps - 1);
}

std::string who_and_where(const BlockEvent& event, Names& names) {
  return fmt::format("{}{}{}.{}", names.task(event.task), at(event, names), when(event), frames(event, names));
}

}  // namespace

std::string freed_before(const Execution& execution, Names& names) {
  const auto fault = heap_fault(execution);
  if (!fault || fault->events.empty() || !fault->events.front().freed) return {};
  const BlockEvent& freed = fault->events.front();
  const auto frees =
      std::count_if(fault->events.begin(), fault->events.end(), [](const auto& one) { return one.freed; });
  const std::string place = freed.stack.empty() ? "" : ", at " + names.place(names.location_of_stack(freed.stack));
  if (frees == 1) return fmt::format("; {} had freed it before{}", names.task(freed.task), place);
  return fmt::format("; it had been freed, and given out again, before (last freed by {}{})", names.task(freed.task),
                     place);
}

std::string about_heap_fault(const Execution& execution, Names& names) {
  const auto fault = heap_fault(execution);
  if (!fault || fault->events.empty()) return {};
  std::string text;
  const std::uint64_t offset = fault->address - fault->events.front().begin;
  if (offset != 0)
    text += fmt::format("\nThe pointer lies {} behind the beginning of a block.", counted(offset, "byte"));
  bool earlier = false;  // lives of the memory
  for (const BlockEvent& event : fault->events) {
    if (event.freed) {
      text += fmt::format("\n{} it was freed by {}", earlier ? "Before that" : "Before", who_and_where(event, names));
    } else {
      text += fmt::format("\nThe block of {} was allocated by {}", counted(event.bytes, "byte"),
                          who_and_where(event, names));
      earlier = true;
    }
  }
  return text;
}

}  // namespace heddle
