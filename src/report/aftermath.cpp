// See aftermath.h.
#include "report/aftermath.h"

#include <sys/wait.h>

#include <algorithm>
#include <string_view>

#include "analysis/lines.h"
#include "report/bug_details.h"
#include "report/wording.h"

namespace heddle {
namespace {

constexpr std::size_t kFewSteps = 2;         // need no line of their own
constexpr std::size_t kMostStacks = 10'000;  // that are looked at

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "queue.cpp:9" of "queue.cpp:9: Failure", "queue.cpp(9): error: …"; empty where the line begins with no place.
std::string place_at_begin(std::string_view line) {
  std::string_view place = line.substr(0, line.find(": "));
  if (ends_with(place, ":")) place.remove_suffix(1);
  const bool in_brackets = ends_with(place, ")");
  if (in_brackets) place.remove_suffix(1);
  const auto separator = place.rfind(in_brackets ? '(' : ':');
  if (separator == std::string_view::npos || separator == 0 || !is_number(place.substr(separator + 1))) return {};
  return std::string(place.substr(0, separator)) + ":" + std::string(place.substr(separator + 1));
}

SourcePosition place_in(const std::string& message) {
  for (const std::string_view line : lines_of(message))
    if (const std::string place = place_at_begin(trimmed(line)); !place.empty()) return printed_position(place);
  return {};
}

// One of them may be relative to a folder that is not known here.
bool is_same_file(std::string_view one, std::string_view other) {
  if (one.size() < other.size()) std::swap(one, other);
  return ends_with(one, other) && (one.size() == other.size() || one[one.size() - other.size() - 1] == '/');
}

// The steps up to the last one that was taken on behalf of that place. The thread was there when the check failed, and
// others have done no step since: what comes behind is told to nobody who checks.
std::size_t steps_up_to(const SourcePosition& place, const Execution& execution, Names& names) {
  const std::size_t all = execution.steps.size();
  if (place.line == 0) return all;
  const auto is_there = [&](const SourcePosition& frame) {
    return frame.line == place.line && is_same_file(frame.file, place.file);
  };
  for (std::size_t looked_at = 0; looked_at < std::min(all, kMostStacks); ++looked_at) {
    const std::size_t index = all - 1 - looked_at;
    const auto frames = names.places().positions_of_stack(stack_of_step(execution, index));
    if (std::any_of(frames.begin(), frames.end(), is_there)) return index + 1;
  }
  return all;
}

std::size_t steps_up_to_exit(const Execution& execution) {
  const auto is_exit = [](const StepRecord& step) { return step.operation == OperationKind::ProcessExit; };
  const auto exit = std::find_if(execution.steps.begin(), execution.steps.end(), is_exit);
  const auto before = static_cast<std::size_t>(exit - execution.steps.begin());
  return exit == execution.steps.end() ? before : before + 1;
}

}  // namespace

std::size_t steps_before_aftermath(OutcomeKind kind, const std::string& message, const Execution& execution,
                                   Names& names) {
  const std::size_t all = execution.steps.size();
  const bool is_told = kind == OutcomeKind::Assertion || kind == OutcomeKind::Exit;
  if (!is_told || execution.end.end != EndKind::Exited || !WIFEXITED(execution.end.status)) return all;
  const std::size_t before = std::min(steps_up_to(place_in(message), execution, names), steps_up_to_exit(execution));
  return before + kFewSteps < all ? before : all;
}

void add_aftermath(Story& story, std::size_t steps) {
  auto at = story.lines.end();
  while (at != story.lines.begin() && std::prev(at)->kind == Chart::Row::Kind::End) --at;
  story.lines.insert(at, {Chart::Row::Kind::Pruned,
                          {},
                          {{prose("then {} after the failure (--full shows them)", counted(steps, "step"))}}});
}

}  // namespace heddle
