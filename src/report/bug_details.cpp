// See bug_details.h.
#include "report/bug_details.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "analysis/deviations.h"
#include "analysis/held_locks.h"
#include "report/explain.h"
#include "report/explain_moment.h"
#include "report/phrases.h"
#include "report/step_selection.h"

namespace heddle {
namespace {

// Of more, the first ones are told; of frames the innermost.
constexpr std::size_t kMostThreads = 64, kMostLocks = 64, kMostFrames = 64, kMostDeviations = 200;

SourcePosition position_of(const Location& location) {
  const Frame& frame = location.frame;
  return {frame.file, frame.line, frame.function};
}

class DetailsBuilder {
 public:
  DetailsBuilder(const Outcome& outcome, const Execution& execution, Names& names)
      : outcome_(outcome), execution_(execution), names_(names) {}

  BugDetails build(const Moment& moment, const std::vector<TriedWithout>& tried);

 private:
  void add_threads();
  void add_steps(const Moment& moment);
  void add_accesses();
  void add_locks();
  void add_stacks();
  void add_places();
  void add_deviations(const std::vector<TriedWithout>& tried);
  BugDetails::Thread thread(const TaskRecord& task);
  BugDetails::Access access(const RaceRecord& record, const std::vector<Site>& stack);
  std::vector<SourcePosition> frames(const std::vector<Site>& stack);
  bool is_race() const { return is_of_accesses(outcome_.kind) && !execution_.races.empty(); }
  bool hangs() const { return execution_.end.end == EndKind::Deadlock; }

  const Outcome& outcome_;
  const Execution& execution_;
  Names& names_;
  BugDetails details_;
};

BugDetails DetailsBuilder::build(const Moment& moment, const std::vector<TriedWithout>& tried) {
  details_.steps_in_all = static_cast<std::uint32_t>(execution_.steps.size());
  if (const auto decisive = moment.decisive(execution_.steps)) details_.decisive_step = decisive->step;
  add_threads();
  add_steps(moment);
  if (is_race()) add_accesses();
  if (hangs()) add_locks();
  if (!is_race()) add_stacks();
  add_places();
  add_deviations(tried);
  return std::move(details_);
}

std::vector<SourcePosition> DetailsBuilder::frames(const std::vector<Site>& stack) {
  std::vector<SourcePosition> result = names_.places().positions_of_stack(stack);
  if (result.size() > kMostFrames) result.resize(kMostFrames);
  return result;
}

void DetailsBuilder::add_threads() {
  for (const TaskRecord& task : execution_.tasks)
    if (details_.threads.size() < kMostThreads && !is_timer(execution_, task.task))
      details_.threads.push_back(thread(task));
}

BugDetails::Thread DetailsBuilder::thread(const TaskRecord& task) {
  BugDetails::Thread result{task.task, names_.task(task.task).text, {}, {}, {}, {}};
  if (task.task != 0 && task.created_at != 0) result.created_at = position_of(names_.places().of_site(task.created_at));
  const auto pending = std::find_if(execution_.pending.begin(), execution_.pending.end(),
                                    [&](const PendingRecord& one) { return one.task == task.task; });
  const bool ended_it = task.task == execution_.end.task && !hangs();
  const bool failed = ended_it && !is_of_accesses(outcome_.kind);
  if (pending == execution_.pending.end()) {
    result.state = failed ? "failed" : ended_it ? "was running" : "has ended";
    return result;
  }
  const auto index = static_cast<std::size_t>(pending - execution_.pending.begin());
  if (pending->site != 0 && pending->operation != OperationKind::ThreadStart)
    result.place = position_of(names_.places().of_pending(index));
  result.state = failed ? "failed" : is_blocked(*pending) ? "waits" : is_service(*pending) ? "ticks" : "could go on";
  if (!failed && is_blocked(*pending)) result.waits_for = waiting_for(execution_, index, names_).text();
  return result;
}

// Where a thread is preempted for a step that is left out, the next one that is shown says so.
void DetailsBuilder::add_steps(const Moment& moment) {
  Phrases phrases(execution_, names_);
  bool is_preemption = false;
  for (const Stretch& stretch : select_steps(execution_, steps_named(moment, execution_)))
    for (std::size_t i = stretch.first; i < stretch.last; ++i) {
      const StepRecord& step = execution_.steps[i];
      is_preemption = is_preemption || (step.flags & StepFlags::Preemption) != 0;
      if (stretch.how != Stretch::How::Shown) continue;
      const bool has_place = step.operation != OperationKind::ThreadStart && step.site != 0;
      details_.steps.push_back({static_cast<std::uint32_t>(i), step.task, phrases.step(i).text(),
                                has_place ? position_of(names_.places().of_step(i)) : SourcePosition(),
                                std::exchange(is_preemption, false)});
    }
}

BugDetails::Access DetailsBuilder::access(const RaceRecord& record, const std::vector<Site>& stack) {
  const auto has = [&](unsigned flag) { return (record.flags & flag) != 0; };
  BugDetails::Access result;
  result.thread = record.task;
  result.does = has(RaceFlags::Ended)   ? "end"
                : has(RaceFlags::Freed) ? "free"
                : has(RaceFlags::Used)  ? "use"
                : has(RaceFlags::Write) ? "write"
                                        : "read";
  result.is_atomic = has(RaceFlags::Atomic) && !has(RaceFlags::Used);
  result.after_steps = record.step;
  result.place = position_of(names_.places().of_access(record, stack));
  result.stack = frames(stack);
  for (const ObjectId lock : held_locks(execution_, record.task, record.step))
    if (result.locks.size() < kMostLocks) result.locks.push_back(names_.object(lock).text);
  return result;
}

void DetailsBuilder::add_accesses() {
  const ExecutionRace& race = execution_.races.front();
  details_.accesses = {access(race.earlier, race.earlier_stack), access(race.later, race.later_stack)};
}

// What several threads wait for is told once.
void DetailsBuilder::add_locks() {
  std::map<ObjectId, std::size_t> known;
  for (std::size_t i = 0; i < execution_.pending.size(); ++i) {
    const PendingRecord& pending = execution_.pending[i];
    const ObjectKind kind = object_kind(pending.operation);
    if (!is_blocked(pending) || pending.object == kNoObject || kind == ObjectKind::Thread) continue;
    const auto [place, is_new] = known.try_emplace(pending.object, details_.locks.size());
    if (is_new && details_.locks.size() == kMostLocks) return;
    if (is_new) {
      BugDetails::Lock lock{names_.accessed(pending).text, name(kind), {}, {}};
      for (const TaskId holder : holders(execution_, pending)) {
        SourcePosition since;
        const Prose held_at = holder == pending.held_by ? names_.place_of_hold(i) : Prose();
        for (const Span& span : held_at.spans()) since = span.source;
        lock.holders.push_back({holder, since});
      }
      details_.locks.push_back(std::move(lock));
    }
    BugDetails::Lock& lock = details_.locks[place->second];
    if (lock.waiters.size() < kMostThreads)
      lock.waiters.push_back({pending.task, position_of(names_.places().of_pending(i))});
  }
}

// Of a hang those of all threads that wait, else where it failed.
void DetailsBuilder::add_stacks() {
  const auto add = [&](TaskId task, const std::vector<Site>& stack) {
    if (auto all = frames(stack); !all.empty() && details_.stacks.size() < kMostThreads)
      details_.stacks.push_back({task, std::move(all)});
  };
  if (!hangs() && !outcome_.stack.empty()) {
    std::vector<Site> stack = outcome_.stack;
    ++stack.front();  // the place of a fault is no return address
    return add(execution_.end.task, stack);
  }
  const std::size_t count = std::min(execution_.pending.size(), execution_.pending_stacks.size());
  for (std::size_t i = 0; i < count; ++i)
    if (hangs() ? is_blocked(execution_.pending[i]) : execution_.pending[i].task == execution_.end.task)
      add(execution_.pending[i].task, execution_.pending_stacks[i]);
}

void DetailsBuilder::add_places() {
  std::vector<SourcePosition>& places = details_.places;
  const auto add = [&](const SourcePosition& place) {
    const bool is_known = std::any_of(places.begin(), places.end(), [&](const SourcePosition& other) {
      return other.file == place.file && other.line == place.line;
    });
    if (!place.file.empty() && !is_known && places.size() < kMostThreads) places.push_back(place);
  };
  add(place_of(outcome_, execution_, names_).source);
  if (places.empty()) add(printed_position(outcome_.printed_place));
  for (const BugDetails::Access& access : details_.accesses) add(access.place);
  for (const BugDetails::Lock& lock : details_.locks)
    for (const BugDetails::ThreadAtLock& waiter : lock.waiters) add(waiter.place);
}

void DetailsBuilder::add_deviations(const std::vector<TriedWithout>& tried) {
  for (const ScheduleDeviation& one :
       deviations_of(execution_, steps_needed(outcome_.kind, execution_), kMostDeviations)) {
    const StepRecord& step = execution_.steps[one.step];
    BugDetails::Deviation told{
        one.step, one.choice.task, one.by_default, kind_of(one, step), (step.flags & StepFlags::Preemption) != 0, {}};
    for (const TriedWithout& without : tried)
      if (without.step == one.step) told.is_needed = without.is_needed;
    details_.deviations.push_back(std::move(told));
  }
}

}  // namespace

SourcePosition printed_position(const std::string& place) {
  const auto colon = place.rfind(':');
  if (colon == std::string::npos) return {};
  return {place.substr(0, colon), std::atoi(place.c_str() + colon + 1), {}};
}

BugDetails details_of(const Outcome& outcome, const Execution& execution, const Moment& moment,
                      const std::vector<TriedWithout>& tried, Names& names) {
  return DetailsBuilder(outcome, execution, names).build(moment, tried);
}

}  // namespace heddle
