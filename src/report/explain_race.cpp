// See explain_race.h.
#include "report/explain_race.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/held_locks.h"
#include "analysis/memory_origin.h"
#include "analysis/written_values.h"
#include "report/wording.h"

namespace heddle {
namespace {

struct OneAccess {
  const RaceRecord& record;
  const std::vector<Site>& stack;
};

OneAccess earlier(const ExecutionRace& race) { return {race.earlier, race.earlier_stack}; }
OneAccess later(const ExecutionRace& race) { return {race.later, race.later_stack}; }

bool is_free(const RaceRecord& access) { return (access.flags & RaceFlags::Freed) != 0; }

bool is_use(const RaceRecord& access) { return (access.flags & RaceFlags::Used) != 0; }

// The earlier one gave the memory back, whatever orders the two.
bool is_after_free(const ExecutionRace& race) { return (race.later.flags & RaceFlags::Ordered) != 0; }

bool is_end(const RaceRecord& access) { return (access.flags & RaceFlags::Ended) != 0; }

std::string verb(const RaceRecord& access) {
  if (is_free(access)) return "frees";
  if (is_use(access)) return "uses";
  const char* const does = (access.flags & RaceFlags::Write) != 0 ? "writes" : "reads";
  return (access.flags & RaceFlags::Atomic) != 0 ? fmt::format("atomically {}", does) : does;
}

Location location(const OneAccess& access, Names& names) {
  return names.places().of_access(access.record, access.stack);
}

Span as_memory(const ExecutionRace& race, std::string words) {
  return {SpanKind::Memory, std::move(words), race.later.address};
}

// What the program calls it; empty where that is not known.
Span variable_of(const ExecutionRace& race, Names& names) { return as_memory(race, names.variable(race)); }

// "counter", "sum of produce() (on the stack of thread 2)", "4 bytes of a block of 16 bytes", "4 bytes on the stack of
// main", "4 bytes at 0x7ff020200018".
Prose memory(const Execution& execution, const ExecutionRace& race, Names& names) {
  const Span variable = variable_of(race, names);
  const std::string bytes = counted(race.later.size, "byte");
  const auto origin = memory_origin(execution, race.later);
  if (!variable.text.empty())
    return origin && !origin->is_block ? prose("{} (on the stack of {})", variable, names.task(origin->task))
                                       : Prose(variable);
  if (!origin) return as_memory(race, fmt::format("{} at {:#x}", bytes, race.later.address));
  if (origin->is_block)
    return as_memory(race, fmt::format("{} of a block of {}", bytes, counted(origin->size, "byte")));
  return prose("{} on the stack of {}", as_memory(race, bytes), names.task(origin->task));
}

// What was used: the mutex, say, of the step that the access belongs to.
Prose used_object(const Execution& execution, const RaceRecord& access, Names& names) {
  const bool is_known = access.step < execution.steps.size() && execution.steps[access.step].task == access.task;
  return is_known ? Prose(names.object(execution.steps[access.step].object)) : Prose("what lies there");
}

// What that access is to: memory(), or the whole block where it is given back.
Prose accessed(const Execution& execution, const ExecutionRace& race, const RaceRecord& access, Names& names) {
  if (is_use(access)) return used_object(execution, access, names);
  const auto origin = memory_origin(execution, race.later);
  if (!is_free(access) || !origin || !origin->is_block) return memory(execution, race, names);
  return as_memory(race, fmt::format("a block of {}", counted(origin->size, "byte")));
}

void add_frames(Paragraph& paragraph, const std::vector<Site>& stack, Names& names) {
  for (const Prose& frame : names.places().frames_of_stack(stack)) paragraph.add(frame, Line::Kind::Frame);
}

// "The block was allocated by main at …; this is 8 bytes behind its beginning." with the call stack; may be nothing.
void add_allocation(Paragraph& paragraph, const Execution& execution, const ExecutionRace& race, Names& names) {
  const auto origin = memory_origin(execution, race.later);
  if (!origin || !origin->is_block) return;
  const std::uint64_t offset = race.later.address - origin->begin;
  const Prose place = origin->stack.empty()
                          ? Prose()
                          : prose(" at {}", names.places().full_name(names.places().of_stack(origin->stack)));
  const std::string where = offset == 0 ? "its first byte" : counted(offset, "byte") + " behind its beginning";
  paragraph.add(prose("The block of {} was allocated by {}{}; this is {}.", counted(origin->size, "byte"),
                      names.task(origin->task), place, where));
  add_frames(paragraph, origin->stack, names);
}

// Libraries that could order the two without our seeing it.
void add_unseen(Paragraph& paragraph, const Names& names) {
  const std::vector<std::string> files = names.uninstrumented_files();
  if (files.empty()) return;
  constexpr std::size_t kNamed = 5;
  const std::vector<std::string> first(files.begin(),
                                       files.begin() + static_cast<std::ptrdiff_t>(std::min(files.size(), kNamed)));
  paragraph.add(
      fmt::format("Not built with heddle-cc: {}{}. If one of them orders the two by atomics or memory of its own, that "
                  "is not seen, and this is a false alarm.",
                  fmt::join(first, ", "), files.size() > kNamed ? " and others" : ""));
}

Prose locks(const Execution& execution, const RaceRecord& access, Names& names) {
  const std::vector<ObjectId> objects = held_locks(execution, access.task, access.step);
  if (objects.empty()) return names.uninstrumented_files().empty() ? "holding no lock" : "holding no lock that is seen";
  std::vector<Prose> list;
  list.reserve(objects.size());
  for (const ObjectId object : objects) list.emplace_back(names.object(object));
  return "holding " + joined(list, ", ");
}

void add_access(Paragraph& paragraph, const Execution& execution, const OneAccess& access, Names& names) {
  const Prose it = is_use(access.record) ? used_object(execution, access.record, names) + " in it" : Prose("it");
  paragraph.add(prose("{} {} {} at {}, {} (after step {}).", names.task(access.record.task), verb(access.record), it,
                      names.places().full_name(location(access, names)), locks(execution, access.record, names),
                      step_span(access.record.step == 0 ? 0 : access.record.step - 1)));
  add_frames(paragraph, access.stack, names);
}

// What both hold, and so did not help.
void add_why(Paragraph& paragraph, const Execution& execution, const ExecutionRace& race, Names& names) {
  const std::vector<ObjectId> first = held_locks(execution, race.earlier.task, race.earlier.step);
  const std::vector<ObjectId> second = held_locks(execution, race.later.task, race.later.step);
  Prose text = prose(
      "No synchronization orders the two: before its access, {} has taken nothing that {} gave away after its own (an "
      "unlock, its end, a signal, a release).",
      names.task(race.later.task), names.task(race.earlier.task));
  const bool shared = std::any_of(first.begin(), first.end(), [&second](ObjectId lock) {
    return std::find(second.begin(), second.end(), lock) != second.end();
  });
  if (shared) text += " They hold the same lock, but only for reading.";
  if (!shared && !first.empty() && !second.empty()) text += " They hold different locks.";
  if (first.empty() != second.empty()) text += " Only one of them holds a lock.";
  paragraph.add(text);
}

// The first sentence: what races.
Prose both_accesses(const Execution& execution, const ExecutionRace& race, Names& names) {
  const Span variable = variable_of(race, names);
  const std::string bytes = counted(race.later.size, "byte");
  const auto origin = memory_origin(execution, race.later);
  const Prose where =
      origin && !origin->is_block ? prose("{} on the stack of {}", bytes, names.task(origin->task)) : Prose(bytes);
  const Prose what = variable.text.empty() ? memory(execution, race, names) : prose("{} ({})", variable, where);
  if (is_free(race.earlier) && is_free(race.later)) return prose("Two threads free the same memory, {}", what);
  if (is_free(race.earlier) || is_free(race.later))
    return prose("One thread frees memory, and another one uses {}", what);
  if (is_use(race.earlier) || is_use(race.later))
    return prose("One thread uses a lock, or the like, and another one writes to it, {}", what);
  return prose("Two threads access {}, at least one of them writes", what);
}

// Of memory that was given back before it is used.
Prose sentence_after_free(const Execution& execution, const ExecutionRace& race, Names& names) {
  const Prose access =
      prose("{} {} {} at {}", names.task(race.later.task), verb(race.later),
            accessed(execution, race, race.later, names), names.places().name(location(later(race), names)));
  if (is_end(race.earlier))
    return prose("{}, on the stack of {}, which has ended", access, names.task(race.earlier.task));
  return prose("{}, after {} freed it at {}", access, names.task(race.earlier.task),
               names.places().name(location(earlier(race), names)));
}

Paragraph about_use_after_free(const Execution& execution, const ExecutionRace& race, Names& names) {
  Paragraph result;
  if (is_end(race.earlier)) {
    result.add(prose("{} has ended, and its stack with it. {} uses it afterwards: this is undefined behaviour.",
                     names.task(race.earlier.task), names.task(race.later.task)));
  } else {
    result.add(prose("{} gives memory back, and {} uses it afterwards: this is undefined behaviour.",
                     names.task(race.earlier.task), names.task(race.later.task)));
    add_access(result, execution, earlier(race), names);
  }
  add_access(result, execution, later(race), names);
  add_allocation(result, execution, race, names);
  return result;
}

}  // namespace

Location race_location(const Execution& execution, Names& names) {
  return execution.races.empty() ? Location() : location(later(execution.races[0]), names);
}

Prose race_sentence(const Execution& execution, Names& names) {
  if (execution.races.empty()) return "two accesses to the same memory race";
  const ExecutionRace& race = execution.races[0];
  if (is_after_free(race)) return sentence_after_free(execution, race, names);
  const std::vector<std::string> unseen_files = names.uninstrumented_files();
  const std::string doubt =
      unseen_files.empty() ? "" : fmt::format(" (unless {} does, which was not built with heddle-cc)", unseen_files[0]);
  const bool frees_once = is_free(race.later) && !is_free(race.earlier);
  const Prose it = is_use(race.earlier) ? used_object(execution, race.earlier, names) + " in it"
                   : frees_once         ? Prose(counted(race.later.size, "byte") + " of it")
                                        : Prose("it");
  return prose("{} {} {} at {} while {} {} {} at {}, and nothing orders the two{}", names.task(race.later.task),
               verb(race.later), accessed(execution, race, race.later, names),
               names.places().name(location(later(race), names)), names.task(race.earlier.task), verb(race.earlier), it,
               names.places().name(location(earlier(race), names)), doubt);
}

namespace {

// "; it is 0", of what is read, and "; now 3", of what is written; empty where it is not known. What the later one
// finds is what the earlier one wrote.
std::string value_words(const Execution& execution, const ExecutionRace& race, const RaceRecord& access,
                        const ValueType& type) {
  const bool is_later = &access == &race.later, writes = (access.flags & RaceFlags::Write) != 0;
  if ((!is_later && !writes) || is_free(access) || is_use(access) || is_end(access)) return {};
  const auto value =
      is_later && writes ? WrittenValues::after(execution, race.later) : WrittenValues::before(execution, race.later);
  if (!value) return {};
  const std::string text = type.text(value->value, value->size);
  return text.empty() ? text : fmt::format("; {} {}", writes ? "now" : "it is", text);
}

}  // namespace

std::vector<RacingAccessWords> racing_accesses(const Execution& execution, Names& names) {
  if (execution.races.empty()) return {};
  const ExecutionRace& race = execution.races[0];
  ValueType type;
  const Span variable = as_memory(race, names.variable(race, &type));
  const auto words = [&](const OneAccess& access) {
    const bool is_named = !variable.text.empty() && !is_use(access.record);
    const Prose what = is_named ? Prose(variable) : accessed(execution, race, access.record, names);
    const Prose does = is_end(access.record) ? Prose("has ended: its stack is gone")
                       : is_after_free(race) ? prose("{} {}", verb(access.record), what)
                                             : prose("{} {}: the race{}", verb(access.record), what,
                                                     value_words(execution, race, access.record, type));
    return RacingAccessWords{access.record.task, access.record.step, does, location(access, names)};
  };
  return {words(earlier(race)), words(later(race))};
}

Paragraph about_race(const Execution& execution, Names& names) {
  Paragraph result;
  if (execution.races.empty()) {
    result.add("Two accesses to the same memory race.");
    return result;
  }
  const ExecutionRace& race = execution.races[0];
  if (is_after_free(race)) return about_use_after_free(execution, race, names);
  result.add(prose("{}, and nothing orders them: this is undefined behaviour.", both_accesses(execution, race, names)));
  add_access(result, execution, earlier(race), names);
  add_access(result, execution, later(race), names);
  add_allocation(result, execution, race, names);
  add_why(result, execution, race, names);
  add_unseen(result, names);
  return result;
}

std::string lines_and_memory(const Execution& execution, Names& names) {
  const ExecutionRace& race = execution.races.front();
  std::string one = names.places().full_name(location(earlier(race), names)).text;
  std::string other = names.places().full_name(location(later(race), names)).text;
  if (other < one) std::swap(one, other);
  return one + "\n" + other + "\n" + memory(execution, race, names).text();
}

}  // namespace heddle
