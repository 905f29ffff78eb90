// See explain_heap.h.
#include "report/explain_heap.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/heap_fault.h"
#include "report/wording.h"

namespace heddle {
namespace {

Prose at(const BlockEvent& event, Names& names) {
  return event.stack.empty() ? Prose()
                             : prose(" at {}", names.places().full_name(names.places().of_stack(event.stack)));
}

std::string place_of(const BlockEvent& event, Names& names) {
  return names.places().name(names.places().of_stack(event.stack)).text;
}

// "(after step 4)": where to look for it in the list of steps.
Prose when(const BlockEvent& event) {
  return event.steps == 0 ? Prose() : prose(" (after step {})", step_span(event.steps - 1));
}

void add(Paragraph& paragraph, const Prose& what, const BlockEvent& event, Names& names) {
  paragraph.add(prose("{} by {}{}{}.", what, names.task(event.task), at(event, names), when(event)));
  for (const Prose& frame : names.places().frames_of_stack(event.stack)) paragraph.add(frame, Line::Kind::Frame);
}

}  // namespace

std::string freed_before(const Execution& execution, Names& names) {
  const auto fault = heap_fault(execution);
  if (!fault || fault->events.empty() || !fault->events.front().freed) return {};
  const BlockEvent& freed = fault->events.front();
  const auto frees =
      std::count_if(fault->events.begin(), fault->events.end(), [](const auto& one) { return one.freed; });
  const std::string place = freed.stack.empty() ? "" : ", at " + place_of(freed, names);
  const std::string who = names.task(freed.task).text;
  if (frees == 1) return fmt::format("; {} had freed it before{}", who, place);
  return fmt::format("; it had been freed, and given out again, before (last freed by {}{})", who, place);
}

void add_heap_fault(Paragraph& paragraph, const Execution& execution, Names& names) {
  const auto fault = heap_fault(execution);
  if (!fault || fault->events.empty()) return;
  const std::uint64_t offset = fault->address - fault->events.front().begin;
  if (offset != 0)
    paragraph.add(prose("The pointer lies {} behind the beginning of a block.", counted(offset, "byte")));
  if (fault->overrun_bytes != 0) {
    add(paragraph, prose("The block of {} was allocated", counted(fault->events.front().bytes, "byte")),
        fault->events.front(), names);
    paragraph.add(prose("At least {} behind its end were written to.", counted(fault->overrun_bytes, "byte")));
    return;
  }
  bool earlier = false;  // lives of the memory
  for (const BlockEvent& event : fault->events) {
    if (event.freed) {
      add(paragraph, earlier ? "Before that it was freed" : "Before it was freed", event, names);
    } else {
      add(paragraph, prose("The block of {} was allocated", counted(event.bytes, "byte")), event, names);
      earlier = true;
    }
  }
}

std::string freed_at(const Execution& execution, Names& names) {
  const auto fault = heap_fault(execution);
  if (!fault || fault->events.empty() || !fault->events.front().freed) return {};
  const BlockEvent& freed = fault->events.front();
  const std::string place = freed.stack.empty() ? "" : " at " + place_of(freed, names);
  return fmt::format("; {} freed it{}", names.task(freed.task).text, place);
}

void add_last_life(Paragraph& paragraph, const Execution& execution, Names& names) {
  const auto fault = heap_fault(execution);
  if (!fault) return;
  for (const BlockEvent& event : fault->events) {
    if (event.freed)
      add(paragraph, "It was freed", event, names);
    else
      return add(paragraph, prose("The block of {} was allocated", counted(event.bytes, "byte")), event, names);
  }
}

}  // namespace heddle
