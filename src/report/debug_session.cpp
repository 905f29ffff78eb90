// See debug_session.h.
#include "report/debug_session.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/phrases.h"
#include "trace/printable.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

constexpr TaskId kHolder = 1;

// Words with gaps: for whoever knows only later which object and which thread they are about.
class Gaps : public NameSource {
 public:
  Span task(TaskId task) override { return {SpanKind::Plain, task == kHolder ? "{holder}" : "{}"}; }
  Span object(ObjectId) override { return {SpanKind::Plain, "{}"}; }
  Span part(ObjectId, std::uint8_t) override { return {SpanKind::Plain, "{}"}; }
  Prose place_of_pending(std::size_t) override { return {}; }
  std::string call_of_pending(std::size_t) override { return {}; }
  std::string call_of_step(std::size_t) override { return {}; }
  Prose place_of_hold(std::size_t) override { return {}; }
};

constexpr bool has_preempted(const StepRecord& step) {
  const bool early = step.variant == kTimeout && (step.flags & StepFlags::NothingEnabled) == 0;
  return (step.flags & StepFlags::Preemption) != 0 || early;
}

// For each operation: what a thread is about to do, and what it waits for if it can't; without and with a holder.
Json words_of_operations() {
  constexpr ObjectId kAnyObject = 1;
  Execution blank;
  blank.tasks.resize(1);
  blank.tasks[0].object = kAnyObject;
  Gaps gaps;
  Phrases phrases(blank, gaps);
  Json result = Json::array();
  for (unsigned kind = 0; kind < static_cast<unsigned>(OperationKind::Count); ++kind) {
    PendingRecord pending;
    pending.operation = static_cast<OperationKind>(kind);
    pending.object = kAnyObject;
    pending.task = 0;
    pending.held_by = kNoTask;
    blank.pending = {pending};
    const std::string alone = waiting_for(blank, 0, gaps).text();
    blank.pending[0].held_by = kHolder;
    result.push_back({phrases.intention(pending.operation, Span{SpanKind::Plain, "{}"}).text(), alone,
                      waiting_for(blank, 0, gaps).text()});
  }
  return result;
}

Json steps_of(const Execution& execution, Names& names) {
  Phrases phrases(execution, names);
  Json result = Json::array();
  for (std::size_t i = 0; i < execution.steps.size(); ++i) {
    const StepRecord& step = execution.steps[i];
    Json objects = Json::array();
    if (step.object != kNoObject) objects.push_back(printable(names.accessed(step).text));
    if (step.object2 != kNoObject) objects.push_back(printable(names.object(step.object2).text));
    const bool has_place = step.site != 0 && step.operation != OperationKind::ThreadStart;
    const std::string place = has_place ? names.places().full_name(names.places().of_step(i)).text : "";
    result.push_back({{"task", step.task},
                      {"words", printable(phrases.step(i).text())},
                      {"place", printable(place)},
                      {"objects", std::move(objects)},
                      {"preempts", has_preempted(step)}});
  }
  return result;
}

// Of pieces of memory with their parts: "7:4" is the variable 4 bytes behind the begin of object 7.
Json objects_of(const Execution& execution, Names& names) {
  Json result = Json::object();
  for (const ObjectRecord& object : execution.objects)
    result[std::to_string(object.object)] = printable(names.object(object.object).text);
  const auto add_part = [&](const auto& record) {
    if (object_kind(record.operation) == ObjectKind::Memory && record.object != kNoObject)
      result[fmt::format("{}:{}", record.object, offset_of(record))] = printable(names.accessed(record).text);
  };
  for (const StepRecord& step : execution.steps) add_part(step);
  for (const PendingRecord& pending : execution.pending) add_part(pending);
  return result;
}

}  // namespace

std::size_t step_to_stop_at(OutcomeKind kind, const Execution& execution, const Moment& moment) {
  const std::size_t end = std::min(steps_needed(kind, execution), execution.steps.size());
  if (const auto decisive = moment.decisive(execution.steps); decisive && decisive->step < end) return decisive->step;
  for (std::size_t i = end; i-- > 0;)
    if (has_preempted(execution.steps[i])) return i;
  return end == 0 ? 0 : end - 1;
}

std::string debug_session(const DebugSession& session, const Execution& execution, Names& names) {
  Json tasks = Json::array();
  for (const TaskRecord& task : execution.tasks) tasks.push_back(printable(names.task(task.task).text));
  return Json{{"program", session.program},
              {"wrapper", session.wrapper},
              {"message", session.message},
              {"why", session.why},
              {"decisive", step_to_stop_at(session.kind, execution, session.moment)},
              {"tasks", std::move(tasks)},
              {"objects", objects_of(execution, names)},
              {"operations", words_of_operations()},
              {"steps", steps_of(execution, names)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace heddle
