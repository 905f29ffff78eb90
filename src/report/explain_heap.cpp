// See explain_heap.h.
#include "report/explain_heap.h"

#include <fmt/format.h>

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

std::string allocation(const HeapFault& fault, Names& names) {
  const BlockEvent& block = *fault.block;
  const std::uint64_t offset = fault.address - block.begin;
  const std::string inside =
      offset == 0 ? "" : fmt::format("The pointer lies {} behind the beginning of a block. ", counted(offset, "byte"));
  return fmt::format("\n{}The block of {} was allocated by {}{}{}.{}", inside, counted(block.bytes, "byte"),
                     names.task(block.task), at(block, names), when(block), frames(block, names));
}

}  // namespace

std::string freed_before(const Execution& execution, Names& names) {
  const auto fault = heap_fault(execution);
  if (!fault || !fault->freed) return {};
  const BlockEvent& freed = *fault->freed;
  const std::string place = freed.stack.empty() ? "" : ", at " + names.place(names.location_of_stack(freed.stack));
  return fmt::format("; {} had freed it before{}", names.task(freed.task), place);
}

std::string about_heap_fault(const Execution& execution, Names& names) {
  const auto fault = heap_fault(execution);
  if (!fault) return {};
  std::string text;
  if (fault->freed)
    text += fmt::format("\nBefore, the same memory was freed by {}{}{}.{}", names.task(fault->freed->task),
                        at(*fault->freed, names), when(*fault->freed), frames(*fault->freed, names));
  if (fault->block) text += allocation(*fault, names);
  return text;
}

}  // namespace heddle
