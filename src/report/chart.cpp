// See chart.h.
#include "report/chart.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/held_locks.h"
#include "analysis/old_values.h"
#include "analysis/source_text.h"
#include "report/wording.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxEndRows = 20;  // of threads that have no lane

}  // namespace

ChartBuilder::ChartBuilder(const Execution& execution, std::vector<Stretch> stretches, Names& names,
                           SourceText& sources)
    : execution_(execution),
      names_(names),
      sources_(sources),
      phrases_(execution, names),
      stretches_(std::move(stretches)),
      accesses_(racing_accesses(execution, names)),
      services_(services_of(execution)) {}

Chart ChartBuilder::build(const std::string& failure) {
  find_lanes();
  for (const Stretch& stretch : stretches_) add_stretch(stretch);
  add_racing_accesses(execution_.steps.size());
  add_end(failure);
  note_steps_before(execution_.steps.size());
  add_bars();
  add_sources();
  find_old_reads();
  return std::move(chart_);
}

void ChartBuilder::find_old_reads() {
  for (const OldValue& old : old_values(execution_)) {
    if (old.is_store) continue;
    Chart::OldRead read{static_cast<std::uint32_t>(old.step), std::nullopt, old.known,
                        static_cast<std::uint32_t>(old.missed)};
    if (old.known && old.read) read.store = static_cast<std::uint32_t>(*old.read);
    chart_.old_reads.push_back(read);
  }
}

// What a trace holds is enough for it. A thread waits from where it is said to until its next step.
void ChartBuilder::add_bars() {
  if (chart_.lanes.size() > Chart::kMostBars) return;
  HeldLocks held;
  std::set<TaskId> waiting;
  std::size_t done = 0;
  for (std::size_t i = 0; i < behind_.size(); ++i) {
    Row& row = chart_.rows[i];
    for (; done < behind_[i]; ++done) {
      held.add(execution_.steps[done]);
      waiting.erase(execution_.steps[done].task);
    }
    if (row.kind == Row::Kind::Stops && (execution_.steps[done].flags & StepFlags::Yielded) == 0)
      waiting.insert(static_cast<TaskId>(row.thread.id));
    if (row.kind == Row::Kind::End)
      for (const PendingRecord& pending : execution_.pending)
        if (is_blocked(pending)) waiting.insert(pending.task);
    for (const Span& lane : chart_.lanes) {
      const auto task = static_cast<TaskId>(lane.id);
      Chart::Bar bar;
      for (const ObjectId lock : held.of(task)) bar.locks.push_back(names_.object(lock));
      bar.waits = waiting.contains(task);
      row.bars.push_back(std::move(bar));
    }
  }
}

void ChartBuilder::find_lanes() {
  std::set<TaskId> tasks;
  for (const Stretch& stretch : stretches_)
    for (std::size_t i = stretch.first; i < stretch.last && stretch.how != Stretch::How::Folded; ++i)
      tasks.insert(execution_.steps[i].task);
  for (const ExecutionRace& race : execution_.races) tasks.insert({race.earlier.task, race.later.task});
  for (const TaskId task : tasks) chart_.lanes.push_back(names_.task(task));
}

bool ChartBuilder::has_lane(TaskId task) const {
  return std::any_of(chart_.lanes.begin(), chart_.lanes.end(), [&](const Span& lane) { return lane.id == task; });
}

void ChartBuilder::add_stretch(const Stretch& stretch) {
  if (stretch.how == Stretch::How::Folded) add_fold(stretch);
  note_steps_before(stretch.last);
  for (std::size_t i = stretch.first; i < stretch.last; ++i) {
    add_racing_accesses(i);
    note_steps_before(i);
    if (stretch.how == Stretch::How::Folded) continue;
    add_switch(i);
    note_steps_before(i);
    if (stretch.how == Stretch::How::Shown) add_step(i);
    note_steps_before(i + 1);
  }
}

Excerpt ChartBuilder::excerpt(const Location& location) {
  return {names_.places().name(location), sources_.line(location.frame.file, location.frame.line), location.through};
}

void ChartBuilder::add_step(std::size_t index) {
  const StepRecord& step = execution_.steps[index];
  Row row{Row::Kind::Step, names_.task(step.task), phrases_.step(index), static_cast<std::uint32_t>(index)};
  const bool bare = step.operation == OperationKind::ThreadStart || step.operation == OperationKind::ThreadExit;
  const Location location = names_.places().of_step(index);
  if (!bare && is_user_code(location.frame)) row.code = excerpt(location);
  row.is_line = phrases_.comes_to_line(index);
  // A row without code stands between two of the same place without telling of another one.
  const auto before = std::find_if(chart_.rows.rbegin(), chart_.rows.rend(),
                                   [](const Row& other) { return other.kind != Row::Kind::Step || other.code; });
  if (row.code && before != chart_.rows.rend() && before->kind == Row::Kind::Step && before->thread.id == row.thread.id)
    row.same_code = before->code->place.text == row.code->place.text && before->code->through == row.code->through;
  add_details(row, index);
  chart_.rows.push_back(std::move(row));
}

void ChartBuilder::note_values(std::size_t steps) {
  constexpr std::size_t kMost = 100;
  for (; valued_ < steps; ++valued_) {
    std::string value = phrases_.value_at(valued_);
    if (value.empty()) continue;
    const std::string variable = names_.accessed(execution_.steps[valued_]).text;
    std::erase_if(values_, [&](const auto& known) { return known.first == variable; });
    if (values_.size() == kMost) values_.erase(values_.begin());
    values_.emplace_back(variable, std::move(value));
  }
}

void ChartBuilder::add_details(Row& row, std::size_t index) {
  constexpr std::size_t kMostFrames = 12, kMostValues = 12;
  row.stack = names_.places().positions_of_stack(stack_of_step(execution_, index));
  if (row.stack.size() > kMostFrames) row.stack.resize(kMostFrames);
  note_values(index + 1);
  for (auto known = values_.rbegin(); known != values_.rend() && row.values.size() < kMostValues; ++known)
    row.values.push_back({known->first, known->second});
}

// Of each file the lines around those that are named, in pieces that do not touch.
void ChartBuilder::add_sources() {
  constexpr int kAround = 4;
  constexpr std::size_t kMostLines = 4000;
  std::map<std::string, std::set<int>> wanted;
  std::size_t count = 0;
  for (const Row& row : chart_.rows)
    for (const SourcePosition& place : row.stack)
      for (int line = std::max(1, place.line - kAround); place.line > 0 && line <= place.line + kAround; ++line)
        if (count < kMostLines && wanted[place.file].insert(line).second) ++count;
  for (const auto& [file, lines] : wanted)
    for (const int line : lines) {
      Chart::Source* last = chart_.sources.empty() ? nullptr : &chart_.sources.back();
      const bool goes_on =
          last != nullptr && last->file == file && last->first + static_cast<int>(last->lines.size()) == line;
      if (!goes_on) last = &chart_.sources.emplace_back(Chart::Source{file, line, {}});
      last->lines.push_back(sources_.whole_line(file, line));
    }
}

// Those that come behind the step before `index`: they are no steps themselves.
void ChartBuilder::add_racing_accesses(std::size_t index) {
  for (const RacingAccessWords& access : accesses_) {
    if (std::min<std::size_t>(access.step, execution_.steps.size()) != index) continue;
    Row row{Row::Kind::Access, names_.task(access.task), access.words};
    if (is_user_code(access.location.frame)) row.code = excerpt(access.location);
    chart_.rows.push_back(std::move(row));
  }
}

void ChartBuilder::add_fold(const Stretch& stretch) {
  std::map<TaskId, std::size_t> counts;
  for (std::size_t i = stretch.first; i < stretch.last; ++i) ++counts[execution_.steps[i].task];
  std::vector<Prose> who;
  who.reserve(counts.size());
  for (const auto& [task, count] : counts) who.push_back(prose("{} by {}", count, names_.task(task)));
  chart_.rows.push_back({Row::Kind::Pruned,
                         {},
                         prose("{} left out ({})", counted(stretch.last - stretch.first, "step"), joined(who, ", "))});
}

void ChartBuilder::add_switch(std::size_t index) {
  if (index == 0) return;
  const TaskId before = execution_.steps[index - 1].task, now = execution_.steps[index].task;
  if (services_.count(now) != 0 ? execution_.steps[index].variant == kTimeout : services_.count(before) != 0) return;
  if (execution_.steps[index].variant == kTimeout) return add_timeout(index);
  if (before == now) return;
  const Intention intention = intention_of(before, index);
  Row row = why_it_stops(index, intention);
  if (row.words.empty()) return;
  if (row.kind == Row::Kind::Preempted && intention.location.site != 0) row.code = excerpt(intention.location);
  chart_.rows.push_back(std::move(row));
}

// A timeout that fires although somebody else could go on costs a preemption; one that fires when nobody can does not.
void ChartBuilder::add_timeout(std::size_t index) {
  const StepRecord& step = execution_.steps[index];
  const TaskId before = execution_.steps[index - 1].task;
  const bool early = (step.flags & StepFlags::Preemption) != 0;
  if (is_slow(step)) {
    Row row{Row::Kind::TimePasses, names_.task(step.task),
            prose("{} is slow: a second passes", names_.task(step.task))};
    row.preemption = early;
    return chart_.rows.push_back(std::move(row));
  }
  const Prose others = before == step.task ? Prose("others") : Prose(names_.task(before));
  Row row{Row::Kind::TimePasses, names_.task(step.task),
          early ? prose("time passes, before {} can go on", others) : "time passes"};
  row.preemption = early;
  chart_.rows.push_back(std::move(row));
}

ChartBuilder::Row ChartBuilder::why_it_stops(std::size_t index, const Intention& intention) {
  const StepRecord& step = execution_.steps[index];
  const StepRecord& before = execution_.steps[index - 1];
  if (stops(before)) {
    Row row{Row::Kind::Preempted, names_.task(before.task),
            prose("{} is preempted here, right after that", names_.task(before.task))};
    row.preemption = true;
    return row;
  }
  const Prose words = words_for(intention);
  if ((step.flags & StepFlags::Preemption) != 0) {
    Row row{Row::Kind::Preempted, names_.task(before.task),
            prose("{} is preempted here{}", names_.task(before.task),
                  words.empty() ? Prose() : ", before it can " + words)};
    row.preemption = true;
    return row;
  }
  Row row{Row::Kind::Stops, names_.task(before.task), {}};
  if (before.task == step.task || before.operation == OperationKind::ThreadExit || words.empty()) return row;
  if ((step.flags & StepFlags::Yielded) != 0)
    row.words = "yields";
  else if (before.operation == OperationKind::ConditionWait || before.operation == OperationKind::FutexWait)
    row.words = "waits";
  else if (intention.operation == OperationKind::Sleep)
    row.words = "sleeps";
  else if (intention.operation == OperationKind::ThreadJoin)
    row.words = prose("has to wait until {} ends", intention.object);
  else if (intention.operation == OperationKind::SignalArrive || intention.operation == OperationKind::CancelArrive)
    row.words = "has to wait";  // what it was going to do is not recorded
  else
    row.words = prose("has to wait: can't {} now", words);
  return row;
}

ChartBuilder::Intention ChartBuilder::intention_of(TaskId task, std::size_t from) {
  for (std::size_t i = from; i < execution_.steps.size(); ++i) {
    const StepRecord& step = execution_.steps[i];
    if (step.task == task) return {step.operation, names_.accessed(step), names_.places().of_step(i)};
  }
  for (std::size_t i = 0; i < execution_.pending.size(); ++i) {
    const PendingRecord& pending = execution_.pending[i];
    if (pending.task == task && pending.operation != OperationKind::None)
      return {pending.operation, names_.accessed(pending), names_.places().of_pending(i)};
  }
  return {};
}

Prose ChartBuilder::words_for(const Intention& intention) {
  return intention.operation == OperationKind::None ? Prose()
                                                    : phrases_.intention(intention.operation, intention.object);
}

void ChartBuilder::add_end(const std::string& failure) {
  if (!failure.empty()) return chart_.rows.push_back({Row::Kind::End, names_.task(execution_.end.task), failure});
  std::size_t others = 0;
  for (std::size_t i = 0; i < execution_.pending.size(); ++i) {
    const PendingRecord& pending = execution_.pending[i];
    if (!is_blocked(pending) || (!has_lane(pending.task) && ++others > kMaxEndRows)) continue;
    chart_.rows.push_back({Row::Kind::End, names_.task(pending.task), last_words(i)});
  }
}

// Shorter than what stands below the chart: lanes may be narrow.
Prose ChartBuilder::last_words(std::size_t pending_index) {
  const PendingRecord& pending = execution_.pending[pending_index];
  const std::vector<TaskId> all = holders(execution_, pending);
  if (all.empty() || pending.operation == OperationKind::ThreadJoin)
    return waiting_for(execution_, pending_index, names_);
  const bool itself = all.size() == 1 && all[0] == pending.task;
  const Prose holder =
      itself ? Prose("it has it itself") : prose("{} {} it", listed(all, names_), all.size() == 1 ? "has" : "have");
  return prose("can't {}: {}", phrases_.intention(pending.operation, names_.accessed(pending)), holder);
}

}  // namespace heddle
