// See judge_replay.h.
#include "cli/judge_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/bug_places.h"
#include "report/wording.h"
#include "trace/compare.h"
#include "trace/module_names.h"

namespace heddle::cli {
namespace {

constexpr const char* kOfAnotherBuild =
    "\nThe trace's schedule is of the build before: this one does something else, as it will where the bug was fixed. "
    "Whether the bug is gone, only a new search tells.";
constexpr const char* kOtherPoints =
    "\nThe trace's schedule is of the build before, and switches threads at accesses that raced there. They are looked "
    "for here by the text of their lines; what was changed may lie there. Whether the bug is gone, only a new search "
    "tells.";

// One step of the trace or of the replay. Up to here both went the same way, so objects have the same numbers.
class StepWords {
 public:
  StepWords(const Execution& seen, Names& names) : seen_(seen), names_(names) {}

  std::string text(const Execution& of, std::uint32_t index, const std::string& otherwise) {
    if (index >= of.steps.size()) return otherwise;
    const StepRecord& step = of.steps[index];
    if (step.task >= seen_.tasks.size()) return otherwise;
    return fmt::format("{}: {}{}{}", names_.task(step.task).text, name(step.operation), object(of, step),
                       &of == &seen_ ? place(step) : std::string());
  }

 private:
  std::string object(const Execution& of, const StepRecord& step) {
    if (step.object == kNoObject) return {};
    const ObjectRecord* const known = seen_.object(step.object);
    const ObjectRecord* const meant = of.object(step.object);
    const bool same = known != nullptr && meant != nullptr && known->object_kind == meant->object_kind;
    return same ? " of " + names_.object(step.object).text : std::string();
  }
  std::string place(const StepRecord& step) {
    if (step.site == 0) return {};  // the end of a thread
    const std::string where = names_.places().name_of_step(static_cast<std::size_t>(&step - seen_.steps.data())).text;
    return where.empty() ? where : ", at " + where;
  }

  const Execution& seen_;
  Names& names_;
};

std::string differs(const Trace& trace, const ReplayResult& result, const Divergence& divergence, Names& names) {
  StepWords words(*result.execution, names);
  std::string expected = words.text(trace.execution, divergence.step, divergence.expected);
  std::string seen = words.text(*result.execution, divergence.step, divergence.seen);
  const bool alike = seen.rfind(expected, 0) == 0;  // they differ in what only the numbers tell
  if (alike) expected = divergence.expected, seen = divergence.seen;
  return fmt::format("at step {}\n  expected: {}\n  seen:     {}", divergence.step, expected, seen);
}

// A loop is seen by what lies on the stacks of all threads. With the thread carrier only those of the default size are
// known.
bool loop_cannot_be_seen(const Trace& trace, const Divergence& divergence, CarrierKind carrier) {
  const EndKind end = trace.execution.end.end;
  return carrier == CarrierKind::Thread && (end == EndKind::Livelock || end == EndKind::GoodSamaritan) &&
         divergence.step == trace.execution.steps.size();
}

// Of the program as it was when the trace was made.
Judgement judge_same_build(const Trace& trace, const ReplayResult& result, const std::optional<Divergence>& divergence,
                           CarrierKind carrier, Names& names) {
  const bool same_kind = trace.header.outcome_kind == name(result.outcome.kind);
  if (same_kind && !divergence) return {ExitStatus::Bug, "reproduced: " + result.outcome.message};
  if (divergence && loop_cannot_be_seen(trace, *divergence, carrier))
    return {
        ExitStatus::NoVerdict,
        fmt::format("all {} came as recorded, and then the program went on. That its threads go round for ever from "
                    "there on is only seen with --carrier=fiber",
                    counted(trace.execution.steps.size(), "step"))};
  if (divergence) return {ExitStatus::NoVerdict, "diverged " + differs(trace, result, *divergence, names)};
  if (result.outcome.kind == OutcomeKind::Ok)
    return {ExitStatus::NoBug, "not reproduced: the same schedule ran without a bug"};
  return {ExitStatus::NoVerdict, fmt::format("not reproduced: the same schedule ended otherwise ({}: {})",
                                             name(result.outcome.kind), result.outcome.message)};
}

Judgement judge_rebuilt(const Trace& trace, const ReplayResult& result, const std::optional<Divergence>& divergence,
                        Names& names) {
  const Outcome& outcome = result.outcome;
  const auto way = [&](const char* how) { return how + differs(trace, result, *divergence, names); };
  const std::vector<SourceLine>& then = trace.header.outcome_places;
  const std::vector<SourceLine> now = places_of(outcome, names.execution(), names);
  const bool same_kind = trace.header.outcome_kind == name(outcome.kind);
  const bool same_words = same_kind && same_in_words(trace.header.outcome_message, outcome.message);
  if (same_words && same_places(then, now))
    return {ExitStatus::Bug, "reproduced: " + outcome.message +
                                 (divergence ? "\n" + way("On the way there the rebuilt program differs ") : "")};
  // A thread or variable that has another name now is reported in other words.
  if (same_kind && !divergence && same_texts(then, now))
    return {ExitStatus::Bug, fmt::format("reproduced, by the same steps: {}\nThe trace tells of it as: {}",
                                         outcome.message, trace.header.outcome_message)};
  if (same_words)
    return {
        ExitStatus::NoVerdict,
        fmt::format("the rebuilt program fails in the same words, but at another place: {}\n  now:  {}\n  then: {}{}",
                    outcome.message, words_of(now), words_of(then), divergence ? "\n" + way("The two differ ") : "")};
  if (is_bug(outcome.kind))
    return {ExitStatus::NoVerdict,
            fmt::format("the rebuilt program fails, but otherwise ({}): {}\n  the trace's bug ({}): {}{}",
                        name(outcome.kind), outcome.message, trace.header.outcome_kind, trace.header.outcome_message,
                        divergence ? "\n" + way("The two differ ") : "")};
  if (!any_instrumented(result.modules) && (is_of_accesses(trace.header.outcome_kind) || !trace.header.points.empty()))
    return {ExitStatus::NoVerdict,
            fmt::format("no verdict: {}, and nothing of this build was compiled with heddle-cc or heddle-c++: its "
                        "accesses to memory are not seen",
                        is_of_accesses(trace.header.outcome_kind) ? "the trace tells of a data race"
                                                                  : "the trace has accesses that race")};
  const bool all_came = !divergence || divergence->step == trace.execution.steps.size();
  if (outcome.kind == OutcomeKind::Ok && all_came)
    return {ExitStatus::NoBug, "not reproduced: the same schedule ran without a bug"};
  if (divergence)
    return {ExitStatus::NoVerdict, way("diverged ") + (trace.header.points.empty() ? kOfAnotherBuild : kOtherPoints)};
  return {ExitStatus::NoVerdict, fmt::format("no verdict: the same schedule ended without one ({})", outcome.message)};
}

}  // namespace

bool any_instrumented(const ModuleMap& modules) {
  return std::any_of(modules.entries().begin(), modules.entries().end(),
                     [](const ModuleMap::Entry& module) { return module.instrumented; });
}

bool same_in_words(const std::string& one, const std::string& other) {
  return without_places(one) == without_places(other);
}

Judgement judge_replay(const Trace& trace, const ReplayResult& result, bool rebuilt, CarrierKind carrier,
                       Names& names) {
  const auto divergence = compare(trace.execution, *result.execution);
  return rebuilt ? judge_rebuilt(trace, result, divergence, names)
                 : judge_same_build(trace, result, divergence, carrier, names);
}

}  // namespace heddle::cli
